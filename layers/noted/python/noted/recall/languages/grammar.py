"""How a language's expressions of time are written down: templates with slots for its words.

A slot such as `<month>` or `<count>` stands for any of the language's words for it. What a template finds is
read as the English words would be, by `noted.recall.readings`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from noted.recall import readings, surroundings
from noted.recall.languages.names import MONTHS, WEEKDAYS
from noted.recall.rules import END, Rule, one_of
from noted.recall.surroundings import lead
from noted.text.folding import fold
from noted.text.patterns import Pattern

if TYPE_CHECKING:
    from noted.recall.calendar import Span
    from noted.recall.languages.letters import Letters
    from noted.recall.readings import GroupReading, Groups, Match, Reading

Vocabulary = Mapping[str, Mapping[str, str]]

YEAR = r"(?P<year>(?:19|20)\d\d)"
YEARS = r"(?P<first>(?:19|20)\d\d)", r"(?P<second>(?:19|20)\d\d)"
# 3/4/2025, which in all languages but English has its day first.
NUMERIC = rf"(?P<first>\d\d?)(?P<mark>[./-])(?P<second>\d\d?)(?P=mark){YEAR}"

LONG_UNITS = ("week", "weekend", "month", "quarter", "year")
ENGLISH_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
)  # fmt: skip
ENGLISH_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_BEGIN = r"(?<![\w-])(?:(?!\d)|(?<![.,:/@#$€£+%]))"
_UNSPACED_BEGIN, _UNSPACED_END = r"(?:(?!\d)|(?<![\d.,:/@#$€£¥+%]))", r"(?![\d%])"
_SLOT = re.compile(r"(?<!\?P)<(\w+)>")
_FIGURES = {
    "day": r"[12]\d|3[01]|0?[1-9]",
    "last": r"[12]\d|3[01]|0?[1-9]",
    "year": r"(?:19|20)\d\d",
    "count": r"\d{1,3}",
}
_SAME_WORDS = {"last_month": "month", "last": "day"}


@dataclass(frozen=True)
class Form:
    """A template, how it is read, what must stand around it, and whether it may as well lie ahead. `sets`
    gives in English what the template says without a slot for it."""

    template: str
    read: GroupReading
    fits: Callable[[Match], bool] = surroundings.stands
    ahead: bool = False
    sets: Mapping[str, str] = field(default_factory=dict)


class _InEnglish:
    """The groups of a match, their words in English, and what was set."""

    def __init__(self, match: Match, vocabulary: Vocabulary, sets: Mapping[str, str]) -> None:
        self._groups: dict[str, Any] = dict(sets)
        for name, text in match.groupdict().items():
            words = vocabulary.get(_SAME_WORDS.get(name, name), {})
            if text is not None:
                self._groups[name] = words.get(text, text)

    def __getitem__(self, name: str, /) -> Any:
        return self._groups.get(name)

    def groupdict(self) -> dict[str, Any]:
        """All groups by name."""
        return self._groups


def rules(
    forms: Iterable[Form],
    vocabulary: Vocabulary,
    letters: Letters,
    *,
    spaced: bool = True,
    figures: Mapping[str, str] | None = None,
) -> tuple[Rule, ...]:
    """The forms as rules. `vocabulary` gives for each slot the language's words and what they are in English;
    `letters` is what the texts are translated by. `spaced`: whether blanks stand between words. `figures`:
    what figures a slot takes, where those of a calendar differ."""
    numbers = {**_FIGURES, **(figures or {})}
    words = {
        slot: {compared(theirs, letters): english for theirs, english in table.items()}
        for slot, table in vocabulary.items()
    }
    begin, end = (_BEGIN, END) if spaced else (_UNSPACED_BEGIN, _UNSPACED_END)
    return tuple(
        Rule(
            f"{begin}(?:{_expanded(form.template.translate(letters), words, numbers)}){end}",
            _reading(form, words),
            form.fits,
            form.ahead,
        )
        for form in forms
    )


def _expanded(template: str, vocabulary: Vocabulary, figures: Mapping[str, str]) -> str:
    named: set[str] = set()

    def slot(match: Match) -> str:
        name = match[1]
        same = _SAME_WORDS.get(name, name)
        known = [figures[name]] if name in figures else []
        if same in vocabulary:
            known.append(one_of(re.escape(word) for word in vocabulary[same]))
        group = "(?:" if name in named else f"(?P<{name}>"  # a name stands once in a pattern
        named.add(name)
        return f"{group}{'|'.join(known)})"

    return _SLOT.sub(slot, template)


def _reading(form: Form, vocabulary: Vocabulary) -> Reading:
    def in_english(match: Match, now: datetime) -> Span | None:
        return form.read(_InEnglish(match, vocabulary, form.sets), now)

    return in_english


def compared(word: str, letters: Letters) -> str:
    """A word as it is found in texts."""
    return fold(word).translate(letters)


def words(**lists: str) -> dict[str, str]:
    """Words in a language and what they are in English, from one list an English word. Words are separated
    by commas.

    >>> words(day="día, días")
    {'día': 'day', 'días': 'day'}
    """
    return {word.strip(): english for english, listed in lists.items() for word in listed.split(",")}


def counts(*listed: str, **vague: str) -> dict[str, str]:
    """The words for 1, 2, 3 and so on, those of one number separated by commas; `few` or `couple` by name."""
    return {
        word.strip(): str(number) for number, words_ in enumerate(listed, 1) for word in words_.split(",")
    } | words(**vague)


def months(code: str, **more: str) -> dict[str, str]:
    """The names of the months, and more of them."""
    return _named(MONTHS[code], ENGLISH_MONTHS) | words(**more)


def weekdays(code: str, **more: str) -> dict[str, str]:
    """The names of the weekdays, and more of them."""
    return _named(WEEKDAYS[code], ENGLISH_WEEKDAYS) | words(**more)


def _named(names: Iterable[str], english: Iterable[str]) -> dict[str, str]:
    return {name: each for listed, each in zip(names, english, strict=True) for name in listed.split("|")}


def led_in(pattern: str, *, goes_on: str | None = None) -> Callable[[Match], bool]:
    """For an expression that means a time only after certain words, which end in `pattern`. `goes_on` are
    words that may follow; without them, or the end of a part of the sentence, it means something else."""
    before = Pattern(rf"(?:^|\W)(?:{pattern})$")
    behind = None if goes_on is None else _going_on(goes_on)

    def fits(match: Match) -> bool:
        return bool(
            before.search(lead(match)) and (behind is None or behind.match(match.string, match.end()))
        )

    return fits


def followed_by(words_: str) -> Callable[[Match], bool]:
    """For an expression that means a time only where its sentence, or a part of it, ends or goes on with one
    of these words."""
    behind = _going_on(words_)
    return lambda match: bool(behind.match(match.string, match.end()))


def not_led_in(pattern: str) -> Callable[[Match], bool]:
    """For an expression that means something else after certain words, which end in `pattern`."""
    before = Pattern(rf"(?:^|\W)(?:{pattern})$")
    return lambda match: not before.search(lead(match))


def _going_on(words_: str) -> Pattern:
    return Pattern(rf" ?$|,? ?[^\w\s$€£%',-]|, | (?:{words_})(?!\w)")


def unit(match: Groups, now: datetime) -> Span | None:
    """Last week, this month, the year before last; "the hour before" is none of them."""
    return readings.unit(match, now) if match["unit"] in LONG_UNITS else None
