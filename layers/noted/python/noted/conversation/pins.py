"""What a running summary must not lose: numbers, dates, ids and commitments.

A model that shortens a conversation drops some of them. Code compares what the turns hold with what the
summary holds, values and not strings, and carries what was lost beside it as pinned lines: the shortest
sentences that hold it, word for word.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from noted.recall import lexical
from noted.recall.block import safe_line
from noted.text.dates import MONTHS
from noted.text.figures import Claim, Figure, claims, figures
from noted.text.folding import fold, plain
from noted.text.ordering import without_order

LONGEST_LINE = 160  # characters: a sentence, not a paragraph
MOST_LINES = 24  # with the length above, about a thousand tokens
_FEWEST_WORDS = 3  # a line of fewer words ("7741.") seldom tells what its number is

# Not behind a common abbreviation ("No. 7741") or the number of a day ("am 14. Mai").
_SENTENCE_END = re.compile(
    r"(?<=[.!?\u2026\u061f])(?<!\b[NDM][or]\.)(?<!\b[MSv][st]\.)(?<!\b[eiz]\.[geB]\.)"
    rf"[\"'\u201d\u2019)]*\s+(?!(?<=\d\.\s)(?i:{'|'.join(MONTHS)})\b)|(?<=[\u3002\uff01\uff1f])"
)
_LIST_MARKER = re.compile(r"^\s*(?:\(?\d{1,2}[.)]|[-*\u2022])\s+")
_MAIL = re.compile(r"[^\s<>@,;:()]+@[^\s<>@,;:()]+\.\w+")
# Joined by marks, with a part of letters and a part with a digit: PO-7741, INV_2026/04. What is only figures
# (2026-03-10) is compared by its value.
_JOINED = re.compile(r"\w+(?:[-_/.#]\w+)+")

_WEEKDAY = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|montag|dienstag|mittwoch|donnerstag|freitag|samstag"
    r"|sonntag|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes"
    r"|sábado|domingo|segunda|terça|quarta|quinta|sexta|lunedì|martedì|mercoledì|giovedì|venerdì|sabato"
    r"|domenica)"
)
_DUE = (
    r"\b(?:by|until|till|before|no later than) (?:the |this |next )*"
    rf"(?:{_WEEKDAY}|tomorrow|tonight|noon|midnight|weekend|(?:day|week|month|quarter|year)\b|end of )"
    rf"|\bbis (?:spätestens |zum |zur |kommenden |nächsten )*(?:{_WEEKDAY}|morgen|ende )"
    rf"|\b(?:avant|d'ici|jusqu'à|pour) (?:le |la |à )*(?:{_WEEKDAY}|demain|fin )"
    rf"|\b(?:antes del?|para el|hasta el|até|entro) (?:a |o |la |próxim[ao] )*(?:{_WEEKDAY}|mañana|amanhã"
    r"|domani|fim |fin |fine )"
)
_AGREED = re.compile(
    r"\bpromise[ds]?\b|\bagreed\b|\bdeadline\b|\bdecided\b|\bdue (?:on|by|date|in)\b|\bcommitted to\b"
    r"|\bversprochen\b|\bvereinbart\b|\babgemacht\b|\bbeschlossen\b|\bentschieden\b|\bfrist\b"
    r"|\bpromis\b|\bconvenu\b|\bdécidé\b|\béchéance\b"
    r"|\bprometid[oa]\b|\bacordad[oa]\b|\bacordamos\b|\bquedamos en\b|\bdecidid[oa]\b|\bdecidimos\b|\bplazo\b"
    r"|\bcombinad[oa]\b|\bcombinamos\b|\bprazo\b|\bpromess[oa]\b|\bconcordat[oa]\b|\bdeciso\b|\bscadenza\b"
    rf"|{_DUE}"
)
# Said by the customer. An assistant that says "I'll explain" promises nothing that outlives its answer.
_INTENDED = re.compile(
    r"\b(?:i|we)(?:'ll| will| shall|'m going to|'re going to| am going to| are going to)\b|\bremind me\b"
    r"|\b(?:ich werde|wir werden|ich verspreche|wir versprechen)\b"
    r"|\b(?:je vais|nous allons|je promets)\b|\b(?:voy a|vamos a|prometo|prometí|prometi|prometto)\b"
)


class Speaker(StrEnum):
    """Whose words a line has. "Earlier": those of the summary before."""

    CUSTOMER = "Customer"
    ANSWER = "Answer"
    EARLIER = "Earlier"


@dataclass(frozen=True)
class Line:
    """One safe line of what was said."""

    speaker: Speaker
    text: str

    def __str__(self) -> str:
        return f"{self.speaker}: {self.text}"


def lines(speaker: Speaker, text: str) -> list[Line]:
    """The sentences of a text, each as one safe line of at most `LONGEST_LINE` characters."""
    return [Line(speaker, piece) for sentence in sentences(text) for piece in _pieces(sentence) if piece]


def sentences(text: str) -> list[str]:
    """The sentences of a text, each as one safe line."""
    rows = [_LIST_MARKER.sub("", row) for row in text.splitlines()]
    parts = [safe_line(part) for row in rows for part in _SENTENCE_END.split(row)]
    return list(filter(None, parts))


def pinned_line(text: str) -> Line:
    """Reads a pinned line, as `str` wrote it."""
    speaker, _, said = text.partition(": ")
    return Line(Speaker(speaker), said) if said else Line(Speaker.EARLIER, text)


def lost(said: Sequence[Line], summary: str) -> list[Line]:
    """The lines that hold what a summary does not: for each number, date, id, address and commitment that it
    lost the shortest line that holds it, in the order in which they were said."""
    kept = _Kept(summary)
    holders: dict[Hashable, list[int]] = {}
    for number, line in enumerate(said):
        for item in _items(line, kept):
            holders.setdefault(item, []).append(number)
    chosen: set[int] = set()
    for numbers in holders.values():
        if chosen.isdisjoint(numbers):
            chosen.add(min(numbers, key=lambda number: (_is_scant(said[number]), len(said[number].text))))
    unique = {fold(said[number].text): said[number] for number in sorted(chosen)}
    return list(unique.values())


def bounded(pinned: Sequence[Line]) -> tuple[list[Line], int]:
    """At most `MOST_LINES` of the lines, and how many had to go: lines of answers first, since the customer
    can ask again for what an assistant said, then the oldest."""
    excess = max(len(pinned) - MOST_LINES, 0)
    by_weight = sorted(range(len(pinned)), key=lambda number: pinned[number].speaker is not Speaker.ANSWER)
    going = set(by_weight[:excess])
    return [line for number, line in enumerate(pinned) if number not in going], excess


class _Kept:
    """What a summary states."""

    def __init__(self, summary: str) -> None:
        self.claims: frozenset[Claim] = claims([summary])
        self.folded = fold(summary)
        self.words = frozenset(lexical.tokens(summary))


def _items(line: Line, kept: _Kept) -> Iterable[Hashable]:
    """What a line holds and the summary lost."""
    visible = without_order(plain(line.text), 0)
    for figure in figures(visible):
        if _counts(figure, line, visible) and not figure.is_stated(kept.claims):
            yield figure.readings
    for name in (*_MAIL.findall(line.text), *filter(_is_id, _JOINED.findall(line.text))):
        if fold(name) not in kept.folded:
            yield fold(name)
    if _is_commitment(line) and not _tells(kept, line.text):
        yield line


def _counts(figure: Figure, line: Line, visible: str) -> bool:
    written = visible[figure.start : figure.end]
    if written.startswith("[") and not written.startswith("[earlier "):
        return False  # the label of a figure that was filled in for one answer alone
    # An assistant's "one" and "two" are seldom more than a way of speaking.
    return line.speaker is not Speaker.ANSWER or figure.is_token or any(map(str.isdigit, written))


def _is_id(joined: str) -> bool:
    parts = re.split(r"[-_/.#]", joined)
    return any(map(str.isalpha, parts)) and any(any(map(str.isdigit, part)) for part in parts)


def _is_commitment(line: Line) -> bool:
    folded = fold(line.text)
    if folded.endswith(("?", "\u061f")):
        return False
    return bool(_AGREED.search(folded) or (line.speaker is not Speaker.ANSWER and _INTENDED.search(folded)))


def _tells(kept: _Kept, commitment: str) -> bool:
    """Whether the summary has the day of a commitment, if it names one, and at least half of its words."""
    words = lexical.tokens(commitment)
    days = {token for day in re.findall(_WEEKDAY, fold(commitment)) for token in lexical.tokens(day)}
    return days <= kept.words and 2 * sum(word in kept.words for word in words) >= len(words)


def _is_scant(line: Line) -> bool:
    return len(line.text.split()) < _FEWEST_WORDS


def _pieces(line: str) -> list[str]:
    """A line cut into pieces of at most `LONGEST_LINE` characters, between words where there is a blank. No
    figure, id or address is cut in two; a figure that is longer than a piece is left out. The pieces of a
    line that is too long are in plain form."""
    if len(line) <= LONGEST_LINE:
        return [line]
    visible = plain(line)
    spans = [(figure.start, figure.end) for figure in figures(visible)]
    pieces, start = [], 0
    while len(visible) - start > LONGEST_LINE:
        near = [(first, last) for first, last in spans if first < start + LONGEST_LINE and last > start]
        places = _outside(near, start)
        if places:
            end = next((place for place in places if visible[place] == " "), None)
            end = end or next(iter(_outside([*near, *_names(visible, start)], start)), places[0])
            pieces.append(visible[start:end].strip())
        else:
            end = max(last for _, last in near)
        start = end
    return [*pieces, visible[start:].strip()]


def _outside(spans: Sequence[tuple[int, int]], start: int) -> list[int]:
    """The places at which a piece that begins at `start` can end, the last first."""
    places = range(start + LONGEST_LINE, start, -1)
    return [place for place in places if not any(first < place < last for first, last in spans)]


def _names(visible: str, start: int) -> list[tuple[int, int]]:
    """The ids and addresses around the end of a piece."""
    around = visible[start : start + 2 * LONGEST_LINE]
    matches = (match for pattern in (_MAIL, _JOINED) for match in pattern.finditer(around))
    return [(start + match.start(), start + match.end()) for match in matches]
