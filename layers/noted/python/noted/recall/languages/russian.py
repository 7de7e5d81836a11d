"""Times in Russian."""

from __future__ import annotations

from noted.recall import readings
from noted.recall.languages import grammar
from noted.recall.languages.grammar import NUMERIC, YEAR, YEARS, Form, led_in, words
from noted.recall.speech import Edge, Speech, Telling
from noted.text.patterns import Pattern

_LETTERS = {ord("ё"): "е"}
_OF_YEAR = r"(?: (?:года|году|год|г\.?))?"
_THE = r"(?:(?:начала|середины|конца|начале|середине|конце|начало|конец) )?"
_FOLLOWS = (
    "и|или|в|во|на|с|со|по|о|об|про|у|к|от|для|что|где|когда|как|кто|я|мы|ты|он|она|мне|мой|моя|но|был|была"
    "|были"
)
_LAST, _NEXT = r"(?:прошл|предыдущ|минувш)\w{2,3}", r"(?:следующ|будущ|ближайш|предстоящ)\w{2,3}"
_THIS = r"(?:эт(?:от|ой|ом|у|и|их|им)|текущ\w{2,3})"
_LATEST = r"последни\w|последн(?:юю|ее|его|ем|ей)"
_AHEAD = r"(?:<weekday>|<month>|<season>|<unit>|раз)"
_SUFFIX = r"(?: <part>)?"
_SOFT, _HARD = ("ь", "я", "е", "ю", "ем", "ём"), ("", "а", "е", "у", "ом")


def _cases(stem: str, endings: tuple[str, ...]) -> str:
    return ", ".join(stem + ending for ending in endings)


_VOCABULARY = {
    "month": grammar.months(
        "ru",
        january=_cases("январ", _SOFT),
        february=_cases("феврал", _SOFT),
        march=_cases("март", _HARD),
        april=_cases("апрел", _SOFT),
        may="май, мая, мае, маю, маем",
        june=_cases("июн", _SOFT),
        july=_cases("июл", _SOFT),
        august=_cases("август", _HARD),
        september=_cases("сентябр", _SOFT),
        october=_cases("октябр", _SOFT),
        november=_cases("ноябр", _SOFT),
        december=_cases("декабр", _SOFT),
    ),
    "weekday": grammar.weekdays(
        "ru",
        monday=_cases("понедельник", _HARD),
        tuesday=_cases("вторник", _HARD),
        wednesday="среду, среды, среде, средой",
        thursday=_cases("четверг", _HARD),
        friday="пятницу, пятницы, пятнице, пятницей",
        saturday="субботу, субботы, субботе, субботой",
        sunday="воскресенья, воскресенью, воскресеньем",
    ),
    "unit": words(
        minute="минута, минуту, минуты, минут",
        hour="час, часа, часов",
        day="день, дня, дней, дни, суток",
        week="неделя, неделю, недели, недель, неделе",
        month="месяц, месяца, месяцев, месяце",
        quarter="квартал, квартала, квартале",
        year="год, года, лет, году, годы",
        weekend="выходные, выходных, уик-энд",
    ),
    "count": grammar.counts(
        "один, одну, одна, 1",
        "два, две, двух",
        "три, трёх",
        "четыре, четырёх",
        "пять, пяти",
        "шесть, шести",
        "семь, семи",
        "восемь, восьми",
        "девять, девяти",
        "десять, десяти",
        "одиннадцать",
        "двенадцать",
        "тринадцать",
        "четырнадцать",
        "пятнадцать",
        couple="пару, пара, пары",
        few="несколько",
    ),
    "part": words(morning="утром", afternoon="днём, после обеда", evening="вечером", night="ночью"),
    "season": words(
        spring="весна, весной, весну, весны, весне",
        summer="лето, летом, лета, лету",
        autumn="осень, осенью, осени",
        winter="зима, зимой, зиму, зимы, зиме",
    ),
    "day": {"первого": "1", "первое": "1"},
    "year": {"прошлого года": "last year", "этого года": "this year"},
}
_FORMS = (
    Form(rf"послезавтра|завтра{_SUFFIX}", readings.nothing),
    Form(rf"{_NEXT} {_AHEAD}", readings.nothing),
    Form(r"через (?:<count> )?<unit>", readings.nothing),
    Form(r"кажд\w{2,3} (?:<weekday>|<unit>|<month>)", readings.nothing),
    Form(NUMERIC, readings.day_first),
    Form(
        rf"(?:с |между )?<day>(?:-го)?(?: по | до | и | ?- ?)<last>(?:-го)? <month>(?: <year>{_OF_YEAR})?",
        readings.date_range,
        ahead=True,
    ),
    Form(
        rf"(?:<weekday>,? )?<day>(?:-?го|-?е)? <month>(?:,? <year>{_OF_YEAR})?",
        readings.named_date,
        ahead=True,
    ),
    Form(
        rf"(?:с|между|от) <month> (?:по|и|до) <last_month>(?: <year>{_OF_YEAR})?", readings.months, ahead=True
    ),
    Form(rf"<month> <year>{_OF_YEAR}", readings.month_of_year),
    Form(rf"(?:с|между|от) {YEARS[0]} (?:по|и|до) {YEARS[1]}(?: (?:год|года|годами))?", readings.years),
    Form(rf"<season> <year>{_OF_YEAR}", readings.season_of_year),
    Form(rf"{_LAST} <season>", readings.season, sets={"which": "last"}),
    Form(r"(?:эт\w{1,2} )?(?P<season>весной|летом|осенью|зимой)", readings.season, ahead=True),
    Form(r"<count> <unit> (?:тому )?назад", readings.ago),
    Form(r"<unit> (?:тому )?назад", readings.ago, sets={"count": "a"}),
    Form(rf"(?:{_LATEST}|прошедши\w) <count> <unit>", readings.rolling),
    Form(rf"(?:{_LATEST}) <unit>", readings.rolling),
    Form(rf"<weekday> (?:на )?{_LAST} недел[еи]", readings.weekday_of_week),
    Form(r"позапрошл\w{2,3} <unit>", grammar.unit, sets={"which": "before last"}),
    Form(rf"{_LAST} <unit>", grammar.unit),
    Form(rf"{_THIS} <unit>", grammar.unit, ahead=True, sets={"which": "this"}),
    Form(r"выходные|выходных", readings.weekend, led_in(r"(?:в|на|за|с|до|после) "), ahead=True),
    Form(rf"позавчера{_SUFFIX}", readings.days_back(2)),
    Form(r"вчера (?:вечером|ночью)|(?:прошлой|этой) ночью", readings.days_back(1, "night")),
    Form(rf"вчера{_SUFFIX}", readings.days_back(1)),
    Form(r"сегодня утром", readings.days_back(0, "morning")),
    Form(rf"сегодня{_SUFFIX}", readings.days_back(0), ahead=True),
    Form(rf"{_LAST} <weekday>{_SUFFIX}", readings.weekday),
    Form(rf"{_THIS} <weekday>{_SUFFIX}", readings.weekday, ahead=True, sets={"which": "this"}),
    Form(
        rf"<weekday>{_SUFFIX}", readings.weekday, led_in(r"(?:в|во|с|со|до|после|к|между|и|или) "), ahead=True
    ),
    Form(rf"{_LAST} <month>", readings.month, sets={"which": "last"}),
    Form(
        r"<month>",
        readings.month,
        led_in(r"(?:в|с|со|до|после|к|за|между|начал[аео]|середин[аеы]|кон(?:ец|це|ца)) "),
        ahead=True,
    ),
    Form(rf"{YEAR}(?:-м|-го)? (?:году|года|год|годом|г\.)", readings.year),
    Form(YEAR, readings.year, led_in(r"(?:в|с|до|после|за) ", goes_on=_FOLLOWS)),
)

_SAID = (
    r"(?:говорила?|сказала?|рассказ(?:ыв)?ала?|упоминала?|упомянула?|просила?|попросила?|спрашивала?"
    r"|спросила?|писала?|сообщила?)"
)
_I_SAID = (
    rf"(?:я (?:тебе |вам |тебя |вас |уже |об этом )*{_SAID}|мы (?:говорили|обсуждали|обсудили|разговаривали"
    rf"|беседовали))"
)
_GAP = r"(?: (?:тебе|вам|тебя|вас|запомнить|об этом|это|что-то|в|во|на|за|с|со|до|после|между|начале|конце))*"
SPEECH = Speech(
    letters=_LETTERS,
    rules=grammar.rules(_FORMS, _VOCABULARY, _LETTERS),
    since=Edge(Pattern(rf"(?:^|\W)(?:с|со|начиная с) {_THE}$")),
    after=Edge(Pattern(rf"(?:^|\W)после {_THE}$")),
    before=Edge(Pattern(rf"(?:^|\W)(?:до|раньше|перед) {_THE}$")),
    until=Edge(Pattern(rf"(?:^|\W)(?:по|вплоть до) {_THE}$")),
    counted=Pattern(r"(?:день|дня|дней|недел\w|месяц\w*|год\w*) (?:до|после) $"),
    between=Pattern(rf"(?:^|\W)между {_THE}$"),
    joined=Pattern(rf" и {_THE}"),
    ranged=Pattern(rf" ?- ?| (?:по|до|и до) {_THE}"),
    listed=Pattern(r",? (?:и|или) (?:в |во )?|, "),
    to_now=Pattern(r" (?:по|до) (?:сих пор|сегодня|сейчас)\b"),
    present=Pattern(
        r"\b(?:буду|будет|будем|будут|будешь|могу|можем|можно|нужно|надо|должн\w+|стоит|хочу|хотим|планирую"
        r"|собираюсь"
        r"|есть|открыт\w*|закрыт\w*|работает|приготовить|делать|пойти)\b|\?"
        r"|^(?:что|где|куда|когда|кто|кого|кому|как|какой|какие|какая|сколько|чему|о чем|почему)\b"
    ),
    past=Pattern(
        r"\b(?!(?:или|если|вдали|али|мол|бал|дела|школа|сила|отдел|футбол|стола?|зала?|пола?|тела"
        r"|мила)\b)\w+(?:л|ла|ло|ли)(?:ся|сь)?\b|\bпомнишь\b"
    ),
    telling=(
        Telling(before=Pattern(rf"\b{_I_SAID}{_GAP} ?$")),
        Telling(
            before=Pattern(r"\b(?:я|мы)(?: (?:тебе|вам|тебя|в|во|на|за|с|до|после))* ?$"),
            behind=Pattern(rf"(?: (?:тебе|вам|тебя|вас|уже))* (?:{_SAID}|говорили|обсуждали|обсудили)\b"),
        ),
        Telling(
            before=Pattern(r"(?:^|[.!?;:] ?)(?:(?:и|а|в|во|на|за|с|со) )*$"),
            behind=Pattern(rf",? ?(?:что |о чем |где |когда |кому )?{_I_SAID}\b"),
        ),
    ),
)
