"""Finds personal values by rules: the surest first, and what one rule has found no other reads again.

Rules see what has a form: numbers, addresses of the net, secrets. Names of people and postal addresses have
none; `noted.privacy.names` finds those, after the rules, in a text from which these values are gone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from noted.privacy.detection.folding import decoded, folded
from noted.privacy.detection.mail import emails
from noted.privacy.detection.span import Finder, Span
from noted.privacy.entities import EntityType
from noted.text.characters import blotted

__all__ = ["Span", "spans", "without_overlap"]

# What a reader, or a later clean-up of blanks and case, could take for an id of ours.
_LOOKS_LIKE_ID = re.compile(r"⟦\s{0,4}[a-z_]{1,32}\s{0,4}:\s{0,4}[a-z]{1,64}\s{0,4}⟧", re.IGNORECASE)


def spans(text: str, region: str | None = None) -> list[Span]:
    """The personal values of a text, in order and without overlap; places are characters of `text`.

    `region` (ISO 3166) is where the user is, for telephone numbers without a country code. Takes time in
    proportion to the text's length.
    """
    from noted.privacy.detection.credentials import secrets

    read, places = folded(text)
    found, read = _found(read, (_look_alikes, secrets))
    read, starts, ends = decoded(read)
    by_form, _ = _found(read, _finders(read, region))
    found += [Span(starts[span.start], ends[span.end - 1], span.type, span.canonical) for span in by_form]
    return sorted(
        (Span(places[span.start], places[span.end - 1] + 1, span.type, span.canonical) for span in found),
        key=lambda span: span.start,
    )


def _found(text: str, finders: Iterable[Finder]) -> tuple[list[Span], str]:
    """What these finders find, each in what those before it left over, and the text without it."""
    found: list[Span] = []
    for finder in finders:
        new = [span for span in without_overlap(finder(text)) if span.end > span.start]
        text = blotted(text, ((span.start, span.end) for span in new)) if new else text
        found += new
    return found, text


def _finders(text: str, region: str | None) -> Iterator[Finder]:
    """What is asked of a text, the surest first. Rules for numbers are loaded by the first text with a digit:
    their patterns are most of what a cold start would pay for."""
    yield emails
    if not any(character.isdigit() for character in text):
        return
    from noted.privacy.detection.accounts import account_numbers, cards, ibans
    from noted.privacy.detection.births import birth_dates
    from noted.privacy.detection.identity import identity_numbers
    from noted.privacy.detection.network import addresses
    from noted.privacy.detection.phones import phones

    yield from (ibans, addresses, birth_dates, cards, account_numbers, identity_numbers)
    yield lambda left: phones(left, region)


def without_overlap(found: Iterator[Span] | list[Span]) -> list[Span]:
    """Of spans that overlap, the longest; of equally long ones the first."""
    kept: list[Span] = []
    ordered = sorted(found, key=lambda span: (span.start, span.start - span.end))
    for span in ordered:
        if kept and span.start < kept[-1].end:
            if span.end - span.start > kept[-1].end - kept[-1].start:
                kept[-1] = span
            continue
        kept.append(span)
    return kept


def _look_alikes(text: str) -> Iterator[Span]:
    for match in _LOOKS_LIKE_ID.finditer(text):
        yield Span(*match.span(), EntityType.TEXT, match.group())
