"""Masking: personal values leave a text, and ids that only their user's key can make stand for them.

A value has the same id in every text of a user for ever, so that two texts can be seen to speak of the same
number without either holding it. What an id stands for travels beside the text, sealed on its own.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from noted.errors import ModelUnavailable
from noted.privacy.detection import Span, spans, without_overlap
from noted.privacy.entities import ENTITY, EntityType, entity_id, in_words, nobody, occurring
from noted.text.characters import blotted

if TYPE_CHECKING:
    from noted.privacy.names import NameDetector

__all__ = ["Detector", "Masked", "Masker", "in_words", "occurring", "unmasked"]

logger = logging.getLogger("noted.privacy")


@dataclass(frozen=True)
class Masked:
    """A text with ids, and what each of them stands for, as typed. `complete` is False when names could not
    be looked for; what the rules found is masked all the same."""

    text: str
    entities: Mapping[str, str] = field(default_factory=dict)
    complete: bool = True


@dataclass(frozen=True)
class Detector:
    """Rules, and after them `names`, if any. `region` (ISO 3166) is where telephone numbers without a country
    code belong."""

    names: NameDetector | None = None
    region: str | None = None

    def found(self, text: str) -> tuple[list[Span], bool]:
        """The values in order, without overlap, and whether everything that should look for them could."""
        by_rule = spans(text, self.region)
        if self.names is None:
            return by_rule, True
        left = list(text)
        for span in by_rule:
            left[span.start : span.end] = " " * (span.end - span.start)
        try:
            named = self.names.names("".join(left))
        except ModelUnavailable as error:
            logger.warning("names not looked for", extra={"error_type": error.reason})
            return by_rule, False
        taken = [(span.start, span.end) for span in by_rule]
        clear = [
            span for span in named if not any(start < span.end and span.start < end for start, end in taken)
        ]
        return sorted([*by_rule, *without_overlap(clear)], key=lambda span: span.start), True


class Masker:
    """Masks the texts of one user. `blind` makes 32 bytes from strings that are equal for equal strings of
    this user and tell nothing without their key (`Sealer.blind`)."""

    def __init__(self, blind: Callable[..., bytes], detector: Detector | None = None) -> None:
        self._blind = blind
        self._detector = detector or Detector()

    def mask(self, text: str, known: Mapping[str, str] | None = None) -> Masked:
        """The text with an id for each value; `unmasked(masked.text, masked.entities)` is the text again.

        Every other place where a value that was found stands as a word of its own is masked with it. Text
        that looks like an id becomes an entity itself, so that it can never stand for a value.

        `known` are ids that the text holds by right, since we put them there, with their values: they stay.
        So masking twice changes nothing: `mask(masked.text, masked.entities) == masked`.
        """
        own = [
            (match.start(), match.end()) for match in ENTITY.finditer(text) if match.group() in (known or {})
        ]
        free = blotted(text, own)
        found, complete = self._detector.found(free)
        found = _everywhere(free, found)
        entities: dict[str, str] = {}
        parts: list[str] = []
        after = 0
        for span in found:
            value = text[span.start : span.end]
            identity = self._identity(span, value, entities)
            entities[identity] = value
            parts += (text[after : span.start], identity)
            after = span.end
        masked = "".join((*parts, text[after:]))
        return Masked(masked, occurring({**(known or {}), **entities}, masked), complete)

    def _identity(self, span: Span, value: str, entities: Mapping[str, str]) -> str:
        """The id of a value; one of its own for a value that one text writes in two ways, since the text must
        come back as it was typed."""
        identity = entity_id(span.type, self._blind("entity", span.type, span.canonical))
        if entities.get(identity, value) == value:
            return identity
        return entity_id(span.type, self._blind("entity as typed", span.type, value))


def unmasked(text: str, entities: Mapping[str, str]) -> str:
    """The text with what its ids stand for, in one pass. An id that stands for nothing becomes a word that
    says what it was ("that phone number"), never a guess."""
    return ENTITY.sub(
        lambda match: entities.get(match.group(), nobody(EntityType(match["type"]))),
        text,
    )


_PREFIX = 4  # characters by which values are looked up


def _everywhere(text: str, found: list[Span]) -> list[Span]:
    """The spans, and one for each other place where one of their values stands between characters that are
    neither letters nor digits."""
    by_prefix: dict[str, dict[str, Span]] = {}
    for span in found:
        value = text[span.start : span.end]
        by_prefix.setdefault(value[:_PREFIX], {}).setdefault(value, span)
    if not by_prefix:
        return found
    sizes = sorted({len(prefix) for prefix in by_prefix})
    everywhere: list[Span] = []
    place = 0
    for span in found:
        everywhere += _copies(text, place, span.start, by_prefix, sizes)
        everywhere.append(span)
        place = span.end
    return everywhere + _copies(text, place, len(text), by_prefix, sizes)


def _copies(
    text: str, place: int, limit: int, by_prefix: Mapping[str, Mapping[str, Span]], sizes: list[int]
) -> list[Span]:
    copies: list[Span] = []
    while place < limit:
        copy = _copy_at(text, place, limit, by_prefix, sizes)
        if copy:
            copies.append(copy)
        place = copy.end if copy else place + 1
    return copies


def _copy_at(
    text: str, place: int, limit: int, by_prefix: Mapping[str, Mapping[str, Span]], sizes: list[int]
) -> Span | None:
    if place and text[place - 1].isalnum() and text[place].isalnum():
        return None
    for size in sizes:
        for value, span in by_prefix.get(text[place : place + size], {}).items():
            end = place + len(value)
            if end > limit or not text.startswith(value, place):
                continue
            if end == len(text) or not (text[end - 1].isalnum() and text[end].isalnum()):
                return Span(place, end, span.type, span.canonical)
    return None
