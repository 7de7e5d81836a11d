"""What stands around an expression of time, by which it is told from the same words and figures that mean
something else: "may", "march", a price, the number of a question, a habit.

Each check takes a match over folded text and looks at a bounded part of what is before and after it.
"""

from __future__ import annotations

from noted.recall.readings import WEEKDAYS, Match
from noted.text.patterns import Pattern

_VERBS = frozenset(("may", "march", "mar"))  # months only where nothing else can be meant
_SHORT_WEEKDAYS = frozenset(name for name in WEEKDAYS if not name.endswith("day"))
# What may follow a figure or a word that could mean something else: "in 2000 steps", "may 3 people come?".
_GOES_ON = Pattern(
    r" ?$|'s\b|,? ?[^\w\s$€£%',-]|, | (?:and|or|about|with|when|while|for|on|at|to|that|which|did|do|was"
    r"|were|have|had|i|my|we|our|the|a|an|but|because|before|after|as|by|in|from|until|till|through|than|what"
    r"|who|where|how|is|are)(?!\w)"
)
_SLICE = r"(?:week|start|beginning|middle|end|half|rest|summer|part)"
_SEASON_LEAD = Pattern(r"(?:^|\W)(?:in|over|during|since|before|after|until|till|throughout)(?: the)? $")
_WEEKEND_LEAD = Pattern(r"(?:^|\W)(?:over|at|on|during|since|before|after|until|till) $")
_MONTH_LEAD = Pattern(
    rf"(?:^|\W)(?:in|during|since|before|after|until|till|throughout|from|between|early|mid|late|"
    rf"{_SLICE} of)[ -](?:the )?(?:month of )?$"
)
_YEAR_LEAD = Pattern(
    rf"(?:^|\W)(?:in|during|since|before|after|until|till|throughout|year|{_SLICE} of)"
    r"(?: the year| early| mid| late)? $"
)
_WEEKDAY_LEAD = Pattern(r"(?:^|\W)(?:on|since|before|after|until|till|from|between)(?: the)? $")
_NAMED_WEEKDAY = Pattern(
    r"(?:^|\W)(?:every|each|most|any|all|other|black|good|cyber|easter|ash|palm|whit|super|happy|ruby|man) $"
)
_PRONOUN = Pattern(r" (?:i|we|you|he|she|it|they|be)\b")
_LEAD_LENGTH = 32  # characters before an expression that are enough to read what leads it in


def lead(match: Match) -> str:
    """What stands before a match, as far as it matters."""
    return match.string[max(0, match.start() - _LEAD_LENGTH) : match.start()]


def goes_on(match: Match) -> bool:
    """Whether a sentence ends or goes on after a match in a way that leaves it an expression of time."""
    return bool(_GOES_ON.match(match.string, match.end()))


def stands(_: Match) -> bool:
    """For an expression that means one thing wherever it stands."""
    return True


def is_date(match: Match) -> bool:
    """Whether a day and a month are a date, and not a verb and a figure."""
    return bool(match["month"] not in _VERBS or match["year"] or match["ordinal"] or goes_on(match))


def is_month(match: Match) -> bool:
    """Whether the name of a month is one: it has a word such as "last" or "in" before it."""
    if match["month"] == "may" and _PRONOUN.match(match.string, match.end()):
        return False
    is_led_in = bool(_MONTH_LEAD.search(lead(match)))
    return is_led_in or bool(match["which"] and match["month"] != "may")  # "this may take long"


def is_iso(match: Match) -> bool:
    """Whether figures joined by hyphens are a day, or a month that something leads in."""
    return bool(match["day"] or _MONTH_LEAD.search(lead(match)))  # 2010-12 is also a span of years


def is_quarter(match: Match) -> bool:
    """Whether "Q1" is a quarter."""
    return bool(match["year"] or _MONTH_LEAD.search(lead(match)))  # "Q1: ..." numbers a question


def is_season(match: Match) -> bool:
    """Whether the name of a season stands for one."""
    return bool(_SEASON_LEAD.search(lead(match)))


def is_weekend(match: Match) -> bool:
    """Whether "the weekend" is one that was or comes, not weekends as such."""
    return bool(_WEEKEND_LEAD.search(lead(match)))


def is_year(match: Match) -> bool:
    """Whether four figures are a year."""
    return bool(_YEAR_LEAD.search(lead(match)) and goes_on(match))


def is_weekday(match: Match) -> bool:
    """Whether the name of a weekday is one day: no habit ("every Monday"), no name ("Black Friday")."""
    if match["which"]:
        return True
    if match["weekday"] in _SHORT_WEEKDAYS:
        return lead(match).endswith((" on ", " since "))
    before = lead(match)
    return not _NAMED_WEEKDAY.search(before) and bool(
        _WEEKDAY_LEAD.search(before) or match["part"] or goes_on(match)
    )
