"""The replies that no model writes. What they claim has happened when they are sent."""

from __future__ import annotations

NOTED = "Noted."
NOTHING_KEPT = (
    "Nothing was kept from that message. Please say it again as one short fact, such as: "
    "Remember that my sister lives in London."
)
MEMORY_OFF = "Memory is off, so nothing was kept from that message."
NOTHING_RECORDED = (
    'Nothing is recorded yet. Start a message with "Remember that" to have something remembered, such as: '
    "Remember that my sister lives in London."
)
LIST_LEAD = "Here is what you have told me:"
LIST_GOES_ON = "The list of your memory shows everything else."
REFUSED = "I cannot help with that."
