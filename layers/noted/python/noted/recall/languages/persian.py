"""Times in Persian, by two calendars: the months say which one is meant, and where neither they nor a year do
("last month"), it is the one of the place."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING

from noted.recall import calendar, readings, solar_hijri
from noted.recall.calendar import DAY, Span
from noted.recall.languages import grammar
from noted.recall.languages.arabic import LETTERS as ARABIC_LETTERS
from noted.recall.languages.grammar import Form, led_in, words
from noted.recall.languages.names import MONTHS
from noted.recall.speech import Edge, Speech, Telling
from noted.text.patterns import Pattern

if TYPE_CHECKING:
    from noted.recall.readings import Groups

LETTERS = {
    **ARABIC_LETTERS,
    ord("ي"): "ی",
    ord("ى"): "ی",
    ord("ی"): "ی",
    ord("ك"): "ک",
    ord("ک"): "ک",
    ord("ۀ"): "ه",
    0x654: "",
}
# Whose people count days by the Solar Hijri calendar (the CLDR's preference for Iran and Afghanistan).
_ZONES = ("Asia/Tehran", "Iran", "Asia/Kabul")
_LAST_GREGORIAN = 1500  # a year up to this one is Solar Hijri, one above Gregorian

_SOLAR = {name: number for number, name in enumerate(MONTHS["fa-solar"], 1)}


def _pattern(source: str) -> Pattern:
    return Pattern(source.translate(LETTERS))


def _is_solar(now: datetime) -> bool:
    return str(now.tzinfo) in _ZONES


def _unit(match: Groups, now: datetime) -> Span | None:
    """Last week, this month, the year before last, by the calendar of the place."""
    if match["unit"] not in grammar.LONG_UNITS:
        return None
    away = {"before last": -2, "this": 0}.get(match["which"], -1)
    unit = solar_hijri.unit if _is_solar(now) else calendar.unit
    return unit(match["unit"], now.date(), away)


def _ago(match: Groups, now: datetime) -> Span:
    """Two weeks ago, a month ago: the whole week or month of that day, by the calendar of the place."""
    unit = match["unit"]
    if not _is_solar(now) or unit in ("minute", "hour", "day"):
        return readings.ago(match, now)
    least, most = readings.counted(match["count"])
    first, last = (solar_hijri.unit(unit, now.date(), -count) for count in (most, least))
    return Span(first.since, last.until)


def _solar_date(match: Groups, now: datetime) -> Span:
    """3 Farvardin 1404; without a year the latest that has begun."""
    return calendar.day(_solar_day(match, int(match["day"]), now))


def _solar_dates(match: Groups, now: datetime) -> Span:
    """From 3 to 5 Farvardin."""
    last = _solar_day(match, int(match["last"]), now)
    first = solar_hijri.date_of(*solar_hijri.month_of(last), int(match["day"]))
    return calendar.days(first, last + DAY)


def _solar_day(match: Groups, day: int, now: datetime) -> date:
    month = int(match["solar"])
    if match["year"]:
        return solar_hijri.date_of(_solar_year(match["year"], now), month, day)
    this_year, _ = solar_hijri.month_of(now.date())
    for year in range(this_year, this_year - 6, -1):  # one of six years is a leap year
        try:
            then = solar_hijri.date_of(year, month, day)
        except ValueError:
            continue
        if then <= now.date():
            return then
    raise ValueError("no such day")


def _solar_month(match: Groups, now: datetime) -> Span:
    """In Mehr, Mehr 1403."""
    number = int(match["solar"])
    if match["year"]:
        return solar_hijri.month(_solar_year(match["year"], now), number)
    year, current = solar_hijri.month_of(now.date())
    return solar_hijri.month(year - (number > current), number)


def _solar_months(match: Groups, now: datetime) -> Span:
    """Between Dey and Esfand."""
    first, last = int(match["solar"]), int(match["last_solar"])
    this_year, current = solar_hijri.month_of(now.date())
    year = _solar_year(match["year"], now) if match["year"] else this_year - (last > current)
    return Span(solar_hijri.month(year - (first > last), first).since, solar_hijri.month(year, last).until)


def _year(match: Groups, _: datetime) -> Span:
    """In 1403, in 2024."""
    number = int(match["year"])
    return solar_hijri.year(number) if number <= _LAST_GREGORIAN else calendar.year(number)


def _solar_year(text: str, now: datetime) -> int:
    if not text.isdigit():
        return solar_hijri.month_of(now.date())[0] - (text == "last year")
    number = int(text)
    if number > _LAST_GREGORIAN:
        raise ValueError("a year of another calendar")
    return number


def _numeric(match: Groups, _: datetime) -> Span:
    """1404/01/15, 2025/04/04."""
    year, month, day = (int(match[name]) for name in ("year", "month", "day"))
    if year <= _LAST_GREGORIAN:
        return calendar.day(solar_hijri.date_of(year, month, day))
    return calendar.day(date(year, month, day))


def _season_of_year(match: Groups, now: datetime) -> Span:
    """The summer of 1403: three months of that year."""
    if _is_solar(now) or (match["year"].isdigit() and int(match["year"]) <= _LAST_GREGORIAN):
        quarter = ("spring", "summer", "autumn", "winter").index(match["season"])
        year = _solar_year(match["year"], now)
        return Span(
            solar_hijri.month(year, 3 * quarter + 1).since, solar_hijri.month(year, 3 * quarter + 3).until
        )
    return readings.season_of_year(match, now)


_YEAR = r"(?P<year>1[34]\d\d|(?:19|20)\d\d)"
_NUMERIC = rf"{_YEAR}(?P<mark>[/-])(?P<month>\d\d?)(?P=mark)(?P<day>\d\d?)"
_IN_YEAR = r"(?:,? (?:ماه )?(?:سال )?<year>| ماه)?"
_PAST, _NEXT = "(?: ?ی)? (?:گذشته|پیش|قبل|قبلی)", "(?: ?ی)? (?:آینده|بعد|بعدی|دیگر)"
_LEAD = r"(?:سال |ماه |روز )?(?:(?:اوایل|اواسط|اواخر|ابتدای|پایان) )?(?:سال |ماه )?"
_MONTH_LEAD = "(?:در|از|تا|بین|قبل از|بعد از|پیش از|پس از|ماه|طی|اوایل|اواسط|اواخر) (?:ماه )?"
_FOLLOWS = "در|به|را|رو|با|که|و|یا|چه|چی|چقدر|کجا|کی|کدام|من|ما|برای|درباره|چند|بودم|بود|از|تا"
_VOCABULARY = {
    "month": grammar.months("fa", may="می", july="جولای, ژوییه", august="آگوست, اگوست"),
    "weekday": grammar.weekdays(
        "fa",
        monday="دو شنبه",
        tuesday="سه شنبه",
        wednesday="چهار شنبه",
        thursday="پنج شنبه",
        sunday="یک شنبه",
    ),
    "solar": {name: str(number) for name, number in _SOLAR.items()} | {"امرداد": "5"},
    "unit": words(
        minute="دقیقه",
        hour="ساعت",
        day="روز",
        week="هفته",
        month="ماه",
        year="سال",
        weekend="آخر هفته, آخرهفته",
    ),
    "count": grammar.counts(
        "یک, یه",
        "دو",
        "سه",
        "چهار",
        "پنج",
        "شش, شیش",
        "هفت",
        "هشت",
        "نه",
        "ده",
        "یازده",
        "دوازده",
        "سیزده",
        "چهارده",
        "پانزده",
        few="چند",
    ),
    "part": words(morning="صبح", afternoon="ظهر, بعدازظهر, بعد از ظهر, عصر", evening="غروب", night="شب"),
    "season": words(spring="بهار", summer="تابستان, تابستون", autumn="پاییز", winter="زمستان, زمستون"),
    "day": {"اول": "1", "یکم": "1", "دوم": "2", "سوم": "3"},
    "year": {"سال گذشته": "last year", "سال پیش": "last year", "پارسال": "last year", "امسال": "this year"},
}
_VOCABULARY["last_solar"] = _VOCABULARY["solar"]
_DAY = "<day>(?: ?ام|م)?"
_SUFFIX = "(?: <part>)?"
_FORMS = (
    Form(rf"پس ?فردا{_SUFFIX}|فردا{_SUFFIX}", readings.nothing),
    Form(rf"(?:<count> )?(?:<unit>|<weekday>|<month>|<season>){_NEXT}", readings.nothing),
    Form("هر (?:<weekday>|<unit>)|روزهای <weekday>", readings.nothing),
    Form(_NUMERIC, _numeric),
    Form(
        rf"(?:از |بین )?{_DAY}(?: تا | و | ?- ?)<last>(?: ?ام|م)? <solar>{_IN_YEAR}", _solar_dates, ahead=True
    ),
    Form(rf"(?:<weekday>,? )?{_DAY} <solar>{_IN_YEAR}", _solar_date, ahead=True),
    Form(
        rf"(?:از |بین )?{_DAY}(?: تا | و | ?- ?)<last>(?: ?ام|م)? <month>{_IN_YEAR}",
        readings.date_range,
        ahead=True,
    ),
    Form(rf"(?:<weekday>,? )?{_DAY} <month>{_IN_YEAR}", readings.named_date, ahead=True),
    Form(rf"(?:از|بین) <solar> (?:تا|و) <last_solar>{_IN_YEAR}", _solar_months, ahead=True),
    Form(rf"(?:از|بین) <month> (?:تا|و) <last_month>{_IN_YEAR}", readings.months, ahead=True),
    Form("<solar>(?: ماه)?,? (?:سال )?<year>", _solar_month),
    Form("<month>(?: ماه)?,? (?:سال )?<year>", readings.month_of_year),
    Form(rf"سال {_YEAR}", _year),
    Form("<season> <year>", _season_of_year),
    Form(rf"<season>{_PAST}", readings.season, sets={"which": "last"}),
    Form("این <season>", readings.season, ahead=True),
    Form(r"<count> <unit>(?: ?ی)? (?:گذشته|اخیر)", readings.rolling),
    Form("<unit>(?: ?ی)? اخیر", readings.rolling),
    Form("<count> <unit>(?: ?ی)? (?:پیش|قبل)", _ago),
    Form(rf"<unit>{_PAST}", _unit),
    Form("این <unit>", _unit, ahead=True, sets={"which": "this"}),
    Form("پارسال", _unit, sets={"unit": "year"}),
    Form("پیرارسال", _unit, sets={"unit": "year", "which": "before last"}),
    Form("امسال", _unit, ahead=True, sets={"unit": "year", "which": "this"}),
    Form(rf"پریروز{_SUFFIX}", readings.days_back(2)),
    Form("پریشب", readings.days_back(2, "night")),
    Form("دیشب|دیروز شب", readings.days_back(1, "night")),
    Form(rf"دیروز{_SUFFIX}", readings.days_back(1)),
    Form("امروز صبح|صبح امروز", readings.days_back(0, "morning")),
    Form("امشب", readings.days_back(0, "evening"), ahead=True),
    Form(rf"امروز{_SUFFIX}", readings.days_back(0), ahead=True),
    Form(rf"<weekday>{_SUFFIX}{_PAST}", readings.weekday),
    Form("این <weekday>", readings.weekday, ahead=True, sets={"which": "this"}),
    Form(rf"<weekday>{_SUFFIX}", readings.weekday, ahead=True),
    Form("<solar> ماه", _solar_month, ahead=True),
    Form("<solar>", _solar_month, led_in(_MONTH_LEAD), ahead=True),
    Form("<month>(?: ماه)?", readings.month, led_in(_MONTH_LEAD), ahead=True),
    Form(_YEAR, _year, led_in("(?:در|از|تا|قبل از|بعد از|پیش از|پس از) ", goes_on=_FOLLOWS)),
)


_SAID = "(?:گفتم|گفته بودم|گفته ?ام|تعریف کردم|حرف زدیم|صحبت کردیم|ازت خواستم|خواستم|پرسیدم|نوشتم)"
SPEECH = Speech(
    letters=LETTERS,
    rules=grammar.rules(_FORMS, _VOCABULARY, LETTERS, figures={"year": r"1[34]\d\d|(?:19|20)\d\d"}),
    since=Edge(
        _pattern(rf"^از {_LEAD}$|[.؟!?,;] از {_LEAD}$"), _pattern(" به بعد| تا (?:حالا|الان|کنون|امروز)")
    ),
    after=Edge(_pattern(rf"(?:^|\W)(?:بعد|پس) از {_LEAD}$")),
    before=Edge(_pattern(rf"(?:^|\W)(?:قبل|پیش) از {_LEAD}$")),
    until=Edge(_pattern(rf"(?:^|\W)تا {_LEAD}$")),
    between=_pattern(rf"(?:^|\W)بین {_LEAD}$"),
    joined=_pattern(rf" و {_LEAD}"),
    ranged=_pattern(rf" ?- ?| (?:تا|الی) {_LEAD}"),
    listed=_pattern(" (?:و|یا) |, "),
    present=Pattern(r"\b(?:می\w{2,}|مي\w{2,}|خواهم|باید|بايد|دارم|بپزم|کنم|است|هست|چیست)\b|\?|\u061f"),
    past=Pattern(
        r"\b\w*(?:[سخفش]ت|[یي]د|[رنا]د|کرد|شد|بود|گفت|دید|زد)(?:م|یم|يم|ی|ه"
        r"|ند)?\b(?<!\bچند)(?<!\bباید)(?<!\bدارم)"
    ),
    telling=(
        Telling(
            before=_pattern(r"(?:^|[.!?؟;:,] ?)(?:(?:من|در|از|و|طی|بین|بهت|به تو) )*$"),
            behind=_pattern(rf"(?: \w+){{0,5}} {_SAID}(?!\w)"),
        ),
        Telling(before=_pattern(rf"{_SAID}(?: (?:در|از|طی))* ?$")),
    ),
)
