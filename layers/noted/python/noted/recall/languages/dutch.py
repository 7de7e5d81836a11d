"""Times in Dutch."""

from __future__ import annotations

from noted.recall import readings
from noted.recall.languages import grammar
from noted.recall.languages.grammar import NUMERIC, YEAR, YEARS, Form, led_in, words
from noted.recall.languages.letters import LATIN
from noted.recall.speech import Edge, Speech, Telling
from noted.text.patterns import Pattern

_THE = r"(?:de |het )?(?:jaar )?(?:(?:begin|midden|eind|einde)(?: van)? )?"
_FOLLOWS = (
    "en|of|in|op|aan|bij|met|van|voor|naar|toen|als|waar|hoe|wat|wie|ik|we|wij|je|jij|hij|ze|zij|het|mijn|de"
    "|een"
    "|heb|had|was|waren|heeft|is|ben|gezegd|gedaan|niet|maar|omdat|over|er|dat|ge\\w+(?:d|t|en)(?=\\W*$)"
)
_LAST = r"(?:vorige?|afgelopen|verleden|laatste)"
_NEXT = r"(?:volgende?|komende?|aankomende?)"
_AHEAD = r"(?:<weekday>|<month>|<season>|dagen|week|weken|weekend|maand|maanden|kwartaal|jaar|keer)"
_SUFFIX = r"(?: ?<part>)?"
_VOCABULARY = {
    "month": grammar.months("nl"),
    "weekday": grammar.weekdays("nl"),
    "unit": words(
        minute="minuut, minuten",
        hour="uur, uren",
        day="dag, dagen",
        week="week, weken",
        month="maand, maanden",
        quarter="kwartaal, kwartalen",
        year="jaar, jaren",
        weekend="weekend",
    ),
    "count": grammar.counts(
        "een, één",
        "twee",
        "drie",
        "vier",
        "vijf",
        "zes",
        "zeven",
        "acht",
        "negen",
        "tien",
        "elf",
        "twaalf",
        "dertien",
        "veertien",
        "vijftien",
        couple="een paar, paar",
        few="enkele, enige",
    ),
    "part": words(
        morning="ochtend, morgen, 's ochtends, 's morgens",
        afternoon="middag, namiddag, 's middags",
        evening="avond, 's avonds",
        night="nacht, 's nachts",
    ),
    "season": words(spring="lente, voorjaar", summer="zomer", autumn="herfst, najaar", winter="winter"),
    "day": {"eerste": "1"},
    "year": {"vorig jaar": "last year", "dit jaar": "this year"},
}
_FORMS = (
    Form(
        r"overmorgen|morgen(?:ochtend|middag|avond)?",
        readings.nothing,
        grammar.not_led_in(r"(?:goede|goeden|gister|van|gisteren|elke|iedere|\w+dag) "),
    ),
    Form(rf"{_NEXT} {_AHEAD}", readings.nothing),
    Form(NUMERIC, readings.day_first),
    Form(
        r"<day>(?: tot(?: en met)? | t/m | en | ?- ?)<last> <month>(?: <year>)?",
        readings.date_range,
        ahead=True,
    ),
    Form(r"(?:<weekday>,? )?<day> <month>\.?(?:,? (?:van )?<year>)?", readings.named_date, ahead=True),
    Form(
        r"(?:tussen|van) <month> (?:en|tot(?: en met)?) <last_month>(?: <year>)?", readings.months, ahead=True
    ),
    Form(r"<month>\.? (?:van )?<year>", readings.month_of_year),
    Form(rf"(?:tussen|van) {YEARS[0]} (?:en|tot(?: en met)?) {YEARS[1]}", readings.years),
    Form(r"<season> (?:van )?<year>", readings.season_of_year),
    Form(rf"{_LAST} <season>", readings.season, sets={"which": "last"}),
    Form(r"deze <season>", readings.season, ahead=True),
    Form(r"<season>", readings.season, led_in(r"(?:in|sinds|voor|tijdens|na) (?:de |het )"), ahead=True),
    Form(r"sinds <count> <unit>", readings.rolling),
    Form(r"<count> <unit> (?:geleden|terug)", readings.ago),
    Form(rf"{_LAST} <count> <unit>", readings.rolling),
    Form(rf"<weekday>{_SUFFIX} (?:van )?{_LAST} week", readings.weekday_of_week),
    Form(r"voorvorige? <unit>", grammar.unit, sets={"which": "before last"}),
    Form(rf"{_LAST} <unit>", grammar.unit),
    Form(r"(?:deze|dit) <unit>", grammar.unit, ahead=True, sets={"which": "this"}),
    Form(r"(?:in|het|van het|sinds het|voor het|na het) weekend", readings.weekend, ahead=True),
    Form(rf"eergisteren{_SUFFIX}", readings.days_back(2)),
    Form(r"gister(?:en)? ?(?:avond|nacht)|vannacht|afgelopen nacht", readings.days_back(1, "night")),
    Form(rf"gister(?:en)?{_SUFFIX}", readings.days_back(1)),
    Form(r"van(?:morgen|ochtend)|vandaag (?:ochtend|morgen)", readings.days_back(0, "morning")),
    Form(r"van(?P<part>middag|avond)", readings.days_back(0), ahead=True),
    Form(r"vandaag", readings.days_back(0), ahead=True),
    Form(rf"{_LAST} <weekday>{_SUFFIX}", readings.weekday),
    Form(r"deze <weekday>", readings.weekday, ahead=True, sets={"which": "this"}),
    Form(
        rf"<weekday>{_SUFFIX}",
        readings.weekday,
        grammar.not_led_in(r"(?:de|een|elke|iedere|alle|op) "),
        ahead=True,
    ),
    Form(rf"<weekday>{_SUFFIX}", readings.weekday, led_in(r"op "), ahead=True),
    Form(rf"{_LAST} <month>", readings.month, sets={"which": "last"}),
    Form(r"deze <month>", readings.month, ahead=True, sets={"which": "this"}),
    Form(
        r"<month>",
        readings.month,
        led_in(
            r"(?:in|sinds|tot|vanaf|voor|na|tussen|van|begin|midden|half|eind|maand|tijdens)(?: (?:begin"
            r"|midden|eind))? "
        ),
        ahead=True,
    ),
    Form(
        YEAR,
        readings.year,
        led_in(
            r"(?:in|sinds|voor|na|tot|vanaf|begin|midden|eind|jaar|tussen|van)(?: het jaar)? ",
            goes_on=_FOLLOWS,
        ),
    ),
)

_TOLD = (
    r"(?:gezegd|verteld|genoemd|gevraagd|gemeld|laten weten|besproken|gepraat|gesproken|opgeschreven"
    r"|doorgegeven)"
)
_I = r"(?:heb|had|hebben|hadden) (?:ik|we|wij)"
_GAP = (
    r"(?: (?:je|jou|jullie|u|alles|allemaal|eigenlijk|al|ook|in|op|aan|van|sinds|voor|na|tot|tussen|tijdens"
    r"|de|het|begin|eind))*"
)
SPEECH = Speech(
    letters=LATIN,
    rules=grammar.rules(_FORMS, _VOCABULARY, LATIN),
    since=Edge(Pattern(rf"(?:^|\W)(?:sinds|vanaf|sedert) {_THE}$")),
    after=Edge(Pattern(rf"(?:^|\W)na {_THE}$")),
    before=Edge(Pattern(rf"(?:^|\W)voor {_THE}$")),
    until=Edge(Pattern(rf"(?:^|\W)tot(?: en met)? {_THE}$")),
    between=Pattern(rf"(?:^|\W)tussen {_THE}$"),
    joined=Pattern(rf" en {_THE}"),
    ranged=Pattern(rf" ?- ?| (?:tot|tot en met|t/m|en tot|en voor) {_THE}"),
    listed=Pattern(r",? (?:en|of) (?:op |in )?(?:de |het )?|, "),
    to_now=Pattern(r" (?:tot|en) (?:nu|vandaag)\b"),
    present=Pattern(
        r"\b(?:moet|moeten|kan|kunnen|zal|zullen|zou|zouden|wil|willen|mag|mogen|ga|gaat|gaan|is|zijn|ben"
        r"|komt|hoef|nodig"
        r"|wordt|opent|sluit)\b|\?|^(?:wat|wanneer|waar|wie|hoe|welke?|waarom)\b"
    ),
    past=Pattern(
        r"\b(?:(?:heb|hebt|heeft|hebben|ben|bent|is|zijn|had|hadden)\b.{0,80}?\b\w*(?:ge\w{2,}(?:d|t|en|an)"
        r"|(?:ver|be|ont|her)\w{2,}(?:d|t|en))"
        r"|was|waren|had|hadden|ging|gingen|kwam|kwamen|zei|zeiden|deed|deden|zag|zagen|kocht|kochten|at"
        r"|aten|las|schreef"
        r"|sprak|spraken|woonde|woonden|werkte|werkten|leefde|vertelde|vertelden|maakte|maakten|leerde|dacht"
        r"|gaf|kreeg|werd|werden|wilde|moest|vroeg)\b"
    ),
    telling=(
        Telling(before=Pattern(rf"\b{_I}{_GAP} ?$"), behind=Pattern(rf"[^.?!]{{0,80}}?\b{_TOLD}\b")),
        Telling(
            before=Pattern(
                rf"\b(?:zei|vertelde|vroeg) ik{_GAP} ?$|\b(?:ik|we|wij) (?:zei|vertelde|bespraken){_GAP} ?$"
            )
        ),
        Telling(
            before=Pattern(r"(?:^|[.!?;:] ?)(?:(?:en|dus|in|op|sinds|de|het) )*$"),
            behind=Pattern(rf",? ?(?:wat |waar |wanneer |hoe )?{_I}\b[^.?!]{{0,60}}?\b{_TOLD}\b"),
        ),
        Telling(
            before=Pattern(rf"\b(?:wat|dat) (?:ik|we|wij){_GAP} ?$"),
            behind=Pattern(
                rf"[^.?!]{{0,60}}?\b(?:{_TOLD} (?:heb|hebben|had|hadden)|(?:heb|hebben|had|hadden) {_TOLD}"
                rf"|zei|vertelde)\b"
            ),
        ),
    ),
)
