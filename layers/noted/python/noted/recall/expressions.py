"""The expressions of time that `noted.recall.times` knows, those of English first.

A rule is a pattern over folded text and its reading. Earlier rules have the first word: what one has found is
not read again. Every pattern is bounded, so that finding takes time in proportion to the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from noted.recall import readings, surroundings
from noted.recall.calendar import PARTS, SEASONS
from noted.recall.readings import COUNTS, MONTHS, VAGUE_COUNTS, WEEKDAYS, Match, Reading
from noted.recall.rules import END, FIGURE, WORD, Expression, Rule, one_of
from noted.text.characters import blotted

_MONTH_WORD = r"(?:(?<![\w-])|(?<=\bmid-)|(?<=\bearly-)|(?<=\blate-))"
_ANY_MONTH, _ANY_WEEKDAY, _ANY_SEASON = one_of(MONTHS), one_of(WEEKDAYS), one_of(SEASONS)
_MONTH = rf"(?P<month>{_ANY_MONTH})\.?"
_WEEKDAY = rf"(?P<weekday>{_ANY_WEEKDAY})(?: (?P<part>{one_of(PARTS)}))?"
_SEASON = rf"(?P<season>{_ANY_SEASON})"
_DAY = r"(?P<day>[12]\d|3[01]|0?[1-9])(?P<ordinal>st|nd|rd|th)?"
_LAST_DAY = r"(?P<last>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d|last year|this year)"
_OF_YEAR = rf" ?,? (?:of |in )?{_YEAR}{END}"
_COUNT = rf"(?P<count>\d{{1,3}}|(?:a )?couple(?: of)?|(?:a )?(?:{one_of(VAGUE_COUNTS)})|{one_of(COUNTS)})"
_TO = r"(?: ?- ?| (?:to|and|or|until|till|through) (?:the )?)"
_LONG = r"(?P<unit>minute|hour|day|week|month|quarter|year)"


def _rule(
    begin: str,
    pattern: str,
    read: Reading,
    fits: Callable[[Match], bool] = surroundings.stands,
    *,
    ahead: bool = False,
) -> Rule:
    return Rule(f"{begin}(?:{pattern}){END}", read, fits, ahead)


RULES = (
    # What lies ahead is found first, so that "next Monday" is no Monday.
    _rule(
        WORD,
        r"(?:the )?day after tomorrow|tomorrow(?: morning| afternoon| evening| night)?"
        r"|later (?:today|this (?:week|month|year))"
        r"|(?:next|coming|upcoming|following) (?:few |couple of |\d{1,3} )?"
        rf"(?:(?:day|week|weekend|month|quarter|year|night|time)s?|{_ANY_SEASON}|{_ANY_WEEKDAY}|{_ANY_MONTH})",
        readings.nothing,
    ),
    _rule(
        FIGURE,
        r"(?P<year>[12]\d{3})-(?P<month>\d\d)(?:-(?P<day>\d\d)(?!-))?"
        r"(?:t\d\d:[\d:.]{2,12}(?:z|[+-]\d\d:?\d\d)?)?(?!-)",
        readings.iso,
        surroundings.is_iso,
    ),
    _rule(
        FIGURE,
        r"(?P<first>\d\d?)(?P<mark>[./])(?P<second>\d\d?)(?P=mark)(?P<year>(?:19|20)\d\d)",
        readings.numeric,
    ),
    _rule(
        FIGURE,
        rf"{_DAY}{_TO}{_LAST_DAY} (?:of )?{_MONTH}(?:{_OF_YEAR})?",
        readings.date_range,
        surroundings.is_date,
        ahead=True,
    ),
    _rule(
        WORD,
        rf"{_MONTH} {_DAY}{_TO}{_LAST_DAY}(?:{_OF_YEAR})?",
        readings.date_range,
        surroundings.is_date,
        ahead=True,
    ),
    _rule(
        WORD,
        rf"(?:(?:{_ANY_WEEKDAY}),? (?:the )?)?(?<![.,:/@#$€£+%-]){_DAY} (?:of )?{_MONTH}(?:{_OF_YEAR})?",
        readings.named_date,
        surroundings.is_date,
        ahead=True,
    ),
    _rule(
        WORD,
        rf"(?:(?:{_ANY_WEEKDAY}),? )?{_MONTH} (?:the )?{_DAY}(?:{_OF_YEAR})?",
        readings.named_date,
        surroundings.is_date,
        ahead=True,
    ),
    _rule(
        WORD,
        rf"(?:between|from|in|during) {_MONTH}{_TO}(?P<last_month>{_ANY_MONTH})(?:{_OF_YEAR})?",
        readings.months,
        ahead=True,
    ),
    _rule(_MONTH_WORD, rf"{_MONTH}{_OF_YEAR}", readings.month_of_year),
    _rule(
        WORD,
        rf"(?:between|from) (?P<first>(?:19|20)\d\d){_TO}(?P<second>(?:19|20)\d\d)",
        readings.years,
        surroundings.goes_on,
    ),
    _rule(WORD, rf"(?:the )?{_SEASON}{_OF_YEAR}", readings.season_of_year),
    _rule(WORD, rf"(?P<which>last|previous|past) {_SEASON}", readings.season),
    _rule(WORD, rf"(?P<which>this) {_SEASON}", readings.season, ahead=True),
    _rule(
        WORD, r"(?P<season>spring|summer|autumn|winter)", readings.season, surroundings.is_season, ahead=True
    ),
    _rule(
        WORD, rf"q(?P<quarter>[1-4])(?:{_OF_YEAR})?", readings.quarter, surroundings.is_quarter, ahead=True
    ),
    _rule(
        FIGURE, rf"{_COUNT} (?P<unit>minute|hour|day|week|fortnight|month|year)s? (?:ago|back)", readings.ago
    ),
    _rule(WORD, rf"(?:last|past|previous) {_COUNT} {_LONG}s?", readings.rolling),
    _rule(FIGURE, rf"{_COUNT} (?:last|past|previous) {_LONG}s?", readings.rolling),
    _rule(
        WORD,
        rf"(?:(?:in|over|within|during|for|throughout) the last|past) {_LONG}(?! of\b)",
        readings.rolling,
    ),
    _rule(WORD, rf"{_WEEKDAY} (?:of )?(?P<which>last|previous) week", readings.weekday_of_week),
    _rule(WORD, rf"{_WEEKDAY} (?:of )?(?P<which>this) week", readings.weekday_of_week, ahead=True),
    _rule(
        WORD,
        r"(?P<unit>week|weekend|month|quarter|year) (?P<which>before last)",
        readings.unit,
    ),
    _rule(
        WORD,
        r"(?P<which>last|previous|past) (?P<unit>week|weekend|month|quarter|year)(?! of\b)",
        readings.unit,
    ),
    _rule(
        WORD,
        r"(?P<which>this|current) (?P<unit>week|weekend|month|quarter|year)",
        readings.unit,
        ahead=True,
    ),
    _rule(WORD, r"the weekend", readings.weekend, surroundings.is_weekend, ahead=True),
    _rule(WORD, r"(?:the )?day before yesterday", readings.days_back(2)),
    _rule(WORD, r"last night", readings.days_back(1, "night")),
    _rule(WORD, r"last evening", readings.days_back(1, "evening")),
    _rule(WORD, rf"yesterday(?: (?P<part>{one_of(PARTS)}))?", readings.days_back(1)),
    _rule(WORD, r"earlier today", readings.days_back(0)),
    _rule(WORD, r"today", readings.days_back(0), ahead=True),
    _rule(WORD, r"tonight", readings.days_back(0, "evening"), ahead=True),
    _rule(WORD, r"this (?P<part>morning|afternoon|evening)", readings.days_back(0), ahead=True),
    _rule(WORD, rf"(?P<which>last|this past|previous|past) {_WEEKDAY}", readings.weekday),
    _rule(WORD, rf"(?:(?P<which>this) )?{_WEEKDAY}", readings.weekday, surroundings.is_weekday, ahead=True),
    _rule(
        WORD,
        rf"(?:(?P<which>last|previous|this past|past) )(?:{_MONTH})",
        readings.month,
    ),
    _rule(_MONTH_WORD, rf"(?:(?P<which>this) )?{_MONTH}", readings.month, surroundings.is_month, ahead=True),
    _rule(FIGURE, r"(?P<year>(?:19|20)\d\d)", readings.year, surroundings.is_year),
)


def expressions(folded: str, rules: Iterable[Rule] = ()) -> list[Expression]:
    """The expressions of time in a folded text, in their order, without overlap. `rules` are those of another
    language, and have the first word."""
    found: list[Expression] = []
    left = folded
    for rule in (*rules, *RULES):
        fitting = [match for match in rule.pattern.finditer(left) if rule.fits(match)]
        found += [Expression(match, rule) for match in fitting]
        left = blotted(left, (match.span() for match in fitting)) if fitting else left
    return sorted(found, key=lambda expression: expression.start)
