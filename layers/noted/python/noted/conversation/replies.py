"""The replies that no model writes. What they claim has happened when they are sent."""

from __future__ import annotations

NOTED = "Noted."
NOTHING_KEPT = (
    "Nothing was kept from that message. Please say it again as one short fact, such as: "
    "Remember that my sister lives in London."
)
KEPT_ASIDE = (
    "That was set aside. It is not used until you confirm it in the list of your memory; unconfirmed, it is "
    "gone after a while."
)
NEVER_KEPT = (
    "Nothing was kept from that message: passwords, keys and card numbers never are. Please say anything "
    "else again as one short fact, such as: Remember that my sister lives in London."
)
CONSENT_NEEDED = (
    "Nothing was kept from that message: facts of that kind are kept only once you have consented to it in "
    "your settings. Please say anything else again as one short fact, such as: Remember that my sister lives "
    "in London."
)
MEMORY_OFF = "Memory is off, so nothing was kept from that message."
NOTHING_RECORDED = (
    'Nothing is recorded yet. Start a message with "Remember that" to have something remembered, such as: '
    "Remember that my sister lives in London."
)
LIST_LEAD = "Here is what you have told me:"
LIST_GOES_ON = "The list of your memory shows everything else."
REFUSED = "I cannot help with that."
