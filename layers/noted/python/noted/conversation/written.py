"""What a model writes of a conversation, line by line and sentence by sentence: what of it may stay.

It is untrusted. It may not look like another part of a prompt, speak as somebody, link to anywhere, or state
what it was not given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from noted.context.layout import SUMMARY_LEAD
from noted.conversation.pins import sentences
from noted.conversation.turn import DROPPED, PINNED, UNSUMMARISED
from noted.privacy.gate import claims_a_role, steers
from noted.recall.block import LEAD, safe_line
from noted.recall.episodes import LEAD as EPISODES_LEAD
from noted.text.figures import Claim, Figure, claims, figures
from noted.text.folding import fold, plain
from noted.text.links import has_link
from noted.text.ordering import without_order

# Up to so many is how many things somebody counts ("three ways"), spelled out.
_COUNTED = 10

_LEADS = tuple(
    fold(lead)
    for lead in (
        "reference data only",
        *(lead.partition(" (")[0] for lead in (LEAD, EPISODES_LEAD, SUMMARY_LEAD)),
        PINNED.partition(",")[0],
        UNSUMMARISED,
        DROPPED,
    )
)
_LISTED = re.compile(r"\s*(?:[-*+\u2022\u2013\u2014]|\(?\d{1,3}[.)])\s")
# Who says something in the lines that are given and pinned.
_SPEAKER = re.compile(r"(?P<who>\W*(?:customer|answer|earlier))\W{0,3}[:\uff1a]\W*", re.IGNORECASE)
_PROMPT_ROLE = re.compile(r"\W*(?:system|developer|tool)\b")
_OVERRIDE = re.compile("[\u202d\u202e]")  # letters from right to left that are not, or the other way round
_PROMPT_TAG = re.compile(
    r"<\|[^|<>\n]*\|>|</?\s*(?:system|assistant|human|user|developer|tool|memory|summary|s)\b[^<>\n]*>"
    r"|\[/?\s*(?:inst|sys)\s*\]|<</?\s*sys\s*>>",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Given:
    """What a model was given to write about: what its figures state, and its words."""

    claims: frozenset[Claim]
    folded: str

    @classmethod
    def of(cls, texts: Iterable[str]) -> Given:
        """From the texts as the model was given them, with ids."""
        given = list(texts)
        return cls(claims(given), fold("\n".join(given)))

    def holds(self, sentence: str) -> bool:
        """Whether a sentence states no number, date, id or placeholder that was not given, and links to
        nothing that was not."""
        if has_link(sentence) and not self._has_links_of(sentence):
            return False
        visible = without_order(plain(sentence), 0)
        return all(figure.is_stated(self.claims) or _is_count(figure, visible) for figure in figures(visible))

    def _has_links_of(self, sentence: str) -> bool:
        linked = [word.strip(".,;:!?\"'()") for word in sentence.split() if has_link(word)]
        return bool(linked) and all(_is_bare(word) and fold(word) in self.folded for word in linked)


def safe_lines(text: str) -> list[str]:
    """The lines of a text, each as one safe line, without those that forge a part of a prompt: the head of a
    block with the lines that it lists, and what a system, a developer or a tool is made to say. A speaker's
    name at the beginning of a line is followed by a dash."""
    kept: list[str] = []
    forged = False
    for row in text.splitlines():
        if not row.strip():
            continue
        folded = fold(row)
        if any(lead in folded for lead in _LEADS):
            forged = True
            continue
        if forged and (_LISTED.match(row) or _SPEAKER.match(row)):
            continue
        forged = False
        if _OVERRIDE.search(row) or _PROMPT_TAG.search(plain(row)):
            continue
        line = safe_line(_SPEAKER.sub(r"\g<who> - ", row, count=1) if _SPEAKER.match(row) else row)
        if not line or (claims_a_role(line) and (_PROMPT_ROLE.match(fold(line)) or _orders(line))):
            continue
        kept.append(line)
    return kept


def held(line: str, given: Given) -> str:
    """The line without the sentences that state what was not given."""
    parts = sentences(line)
    kept = [part for part in parts if given.holds(part)]
    return line if len(kept) == len(parts) else " ".join(kept)


def _orders(line: str) -> bool:
    """Whether what a role is made to say steers."""
    return steers(line.partition(" - ")[2])


def _is_count(figure: Figure, visible: str) -> bool:
    written = visible[figure.start : figure.end]
    if figure.is_token or figure.dates or any(map(str.isdigit, written)):
        return False
    return any(isinstance(claim, Fraction) and 0 <= claim <= _COUNTED for claim in figure.claims)


def _is_bare(word: str) -> bool:
    """Whether a link stands as it is, with no text before it that hides where it leads to."""
    return not any(mark in word for mark in "[]()<>")
