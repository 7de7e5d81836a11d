"""Times in German."""

from __future__ import annotations

from noted.recall import readings
from noted.recall.languages import grammar
from noted.recall.languages.grammar import NUMERIC, YEAR, YEARS, Form, led_in, words
from noted.recall.languages.letters import LATIN
from noted.recall.speech import Edge, Speech, Telling
from noted.text.patterns import Pattern

_THE = r"(?:de[mnrs] |die |das )?(?:jahre? )?(?:(?:anfang|mitte|ende)(?: de[sr])? )?"
_FOLLOWS = (
    "und|oder|in|im|am|an|auf|bei|mit|von|vom|zu|zum|nach|als|wenn|wo|wie|was|wer|ich|wir|du|er|sie|es|mein"
    "|meine"
    "|der|die|das|den|dem|ein|eine|einen|habe|hatte|war|waren|hat|ist|bin|gesagt|gemacht|nicht|aber|weil"
    "|uber|fur|\\w+(?:t|en)(?=\\W*$)"
)
_LAST = r"(?:letzt|vergangen|vorig)e[mnrs]?"
_THIS = r"(?:dies|laufend|aktuell)e[mnrs]?"
_NEXT = r"(?:nachst|kommend|folgend|ubernachst)e[mnrs]?"
_AHEAD = r"(?:<weekday>|<month>|<season>|tagen?|wochen?|wochenendes?|monate?n?|quartal|jahre?[ns]?|mal)"
_SUFFIX = r"(?:[ -]?<part>)?"
_VOCABULARY = {
    "month": grammar.months("de", january="jänner", march="maerz"),
    "weekday": grammar.weekdays("de", saturday="sonnabend"),
    "unit": words(
        minute="minute, minuten",
        hour="stunde, stunden",
        day="tag, tage, tagen",
        week="woche, wochen",
        month="monat, monate, monaten, monats",
        quarter="quartal, quartale, quartalen",
        year="jahr, jahre, jahren, jahres",
        weekend="wochenende, wochenendes",
    ),
    "count": grammar.counts(
        "ein, eine, einem, einer, einen",
        "zwei",
        "drei",
        "vier",
        "fünf",
        "sechs",
        "sieben",
        "acht",
        "neun",
        "zehn",
        "elf",
        "zwölf",
        "dreizehn",
        "vierzehn",
        "fünfzehn",
        couple="ein paar, paar",
        few="einige, einigen, mehrere, mehreren",
    ),
    "part": words(
        morning="morgen, früh, vormittag, vormittags",
        afternoon="nachmittag, mittag, nachmittags",
        evening="abend, abends",
        night="nacht, nachts",
    ),
    "season": words(
        spring="frühling, frühjahr, frühlings",
        summer="sommer, sommers",
        autumn="herbst, herbsts",
        winter="winter, winters",
    ),
    "day": {
        word + ending: str(number)
        for number, word in enumerate(
            (
                "erste",
                "zweite",
                "dritte",
                "vierte",
                "fünfte",
                "sechste",
                "siebte",
                "achte",
                "neunte",
                "zehnte",
            ),
            1,
        )
        for ending in ("n", "r")
    },
    "year": {"letzten jahres": "last year", "vorigen jahres": "last year", "dieses jahres": "this year"},
}
_FORMS = (
    # "Guten Morgen" and "am Morgen" are no tomorrow.
    Form(
        r"ubermorgen|morgen(?: (?:fruh|vormittag|mittag|nachmittag|abend))?",
        readings.nothing,
        grammar.not_led_in(
            r"(?:guten|am|diesen|gestern|heute|vorgestern|jeden|<weekday>) ".replace(
                "<weekday>", r"\w+tag|mittwoch"
            )
        ),
    ),
    Form(rf"{_NEXT} {_AHEAD}", readings.nothing),
    Form(NUMERIC, readings.day_first),
    Form(
        r"(?P<first>\d\d?)\. ?(?P<second>\d\d?)\.?",
        readings.day_and_month,
        led_in(r"(?:am|vom|seit|bis|zum|dem|den) (?:dem )?"),
        ahead=True,
    ),
    Form(
        r"<day>\.?(?: bis(?: zum)? | und | ?- ?)(?:dem )?<last>\. ?<month>(?: <year>)?",
        readings.date_range,
        ahead=True,
    ),
    Form(
        r"(?:<weekday>,? (?:de[mn] )?)?<day>\.? ?<month>\.?,?(?: (?:des )?<year>)?",
        readings.named_date,
        ahead=True,
    ),
    Form(r"(?:zwischen|von) <month> (?:und|bis) <last_month>(?: <year>)?", readings.months, ahead=True),
    Form(r"<month>\.? (?:des )?<year>", readings.month_of_year),
    Form(rf"(?:zwischen|von) {YEARS[0]} (?:und|bis) {YEARS[1]}", readings.years),
    Form(r"<season> (?:des )?<year>", readings.season_of_year),
    Form(rf"{_LAST} <season>", readings.season, sets={"which": "last"}),
    Form(rf"{_THIS} <season>", readings.season, ahead=True),
    Form(r"<season>", readings.season, led_in(r"(?:im|seit dem|vor dem|wahrend des|bis zum) "), ahead=True),
    Form(r"seit <count> <unit>", readings.rolling),
    Form(r"vor (?:etwa |ungefahr |circa |ca\. )?<count> <unit>", readings.ago),
    Form(rf"{_LAST} <count> <unit>", readings.rolling),
    Form(rf"<weekday>{_SUFFIX} (?:in der )?{_LAST} woche", readings.weekday_of_week),
    Form(r"vorletzte[mnrs]? <unit>", grammar.unit, sets={"which": "before last"}),
    Form(rf"{_LAST} <unit>(?! (?:im|des|vom|von)\b)", grammar.unit),
    Form(rf"{_THIS} <unit>", grammar.unit, ahead=True, sets={"which": "this"}),
    Form(r"(?:am|ubers|seit dem|vor dem|nach dem) wochenende", readings.weekend, ahead=True),
    Form(rf"vorgestern{_SUFFIX}", readings.days_back(2)),
    Form(r"gestern (?:abend|nacht)|(?:letzte|vergangene|heute) nacht", readings.days_back(1, "night")),
    Form(rf"gestern{_SUFFIX}", readings.days_back(1)),
    Form(r"heute (?:morgen|fruh|vormittag)", readings.days_back(0, "morning")),
    Form(rf"heute{_SUFFIX}", readings.days_back(0), ahead=True),
    Form(r"diese[nrs]? <part>", readings.days_back(0), ahead=True),
    Form(rf"{_LAST} <weekday>{_SUFFIX}", readings.weekday),
    Form(rf"{_THIS} <weekday>{_SUFFIX}", readings.weekday, ahead=True, sets={"which": "this"}),
    Form(r"<weekday>[ -]?<part>", readings.weekday, ahead=True),
    Form(
        rf"<weekday>{_SUFFIX}",
        readings.weekday,
        led_in(r"(?:am|seit|bis|ab|vom|zum|von|vor|nach|zwischen)(?: de[mr])? "),
        ahead=True,
    ),
    Form(rf"{_LAST} <month>", readings.month, sets={"which": "last"}),
    Form(rf"{_THIS} <month>", readings.month, ahead=True, sets={"which": "this"}),
    Form(
        r"<month>",
        readings.month,
        led_in(
            r"(?:im|seit|bis|ab|vor|nach|zwischen|von|vom|anfang|mitte|ende|monat|notizen vom)(?: (?:dem"
            r"|anfang|mitte|ende))? "
        ),
        ahead=True,
    ),
    Form(
        YEAR,
        readings.year,
        led_in(
            r"(?:im jahre?|in|jahr|des jahres|seit|vor|nach|bis|ab|anfang|mitte|ende|von|zwischen) ",
            goes_on=_FOLLOWS,
        ),
    ),
)

_TOLD = (
    r"(?:gesagt|erzahlt|mitgeteilt|berichtet|erwahnt|gebeten|gefragt|genannt|besprochen|geredet|gesprochen"
    r"|notiert|verraten)"
)
_I = r"(?:hab|habe|hatte|haben|hatten) (?:ich|wir)"
_GAP = (
    r"(?: (?:dir|ihnen|euch|dich|alles|denn|eigentlich|schon|in|im|am|an|vom|von|seit|vor|nach|bis|zwischen"
    r"|wahrend|der|dem|den|des|das|die|ab|zum|ende|anfang|mitte))*"
)
SPEECH = Speech(
    letters=LATIN,
    rules=grammar.rules(_FORMS, _VOCABULARY, LATIN),
    since=Edge(Pattern(rf"(?:^|\W)(?:seit|ab) {_THE}$")),
    after=Edge(Pattern(rf"(?:^|\W)nach {_THE}$")),
    before=Edge(Pattern(rf"(?:^|\W)vor {_THE}$")),
    until=Edge(Pattern(rf"(?:^|\W)bis (?:zum |zur |in den )?{_THE}$")),
    between=Pattern(rf"(?:^|\W)zwischen {_THE}$"),
    joined=Pattern(rf" und {_THE}"),
    ranged=Pattern(rf" ?- ?| (?:und )?(?:bis|bis zum|bis zur) {_THE}| und vor {_THE}"),
    listed=Pattern(r",? (?:und|oder) (?:am |im |in )?(?:de[mnr] )?|, "),
    to_now=Pattern(r" (?:bis|und) (?:heute|jetzt)\b"),
    present=Pattern(
        r"\b(?:soll|sollte|sollten|kann|konnte ich|könnte|können|muss|müssen|müsste|will|wollen|möchte"
        r"|brauche|werde"
        r"|wird|werden|wirst|gibt|ist|sind|bin|bist|steht|stehen|fährt|fahre|gehe|mache|machen wir|öffnet"
        r"|hat .{0,30}(?:offen|geöffnet)"
        r"|lass|lasst)\b|\?|^(?:was|wann|wo|wohin|wer|wen|wem|wie|welche[rsnm]?|warum)\b"
    ),
    past=Pattern(
        r"\b(?:(?:habe?|hast|hat|haben|habt|bin|bist|ist|sind|wurde|wurden)\b.{0,80}?\b\w*(?:ge\w{2,}(?:t"
        r"|en)|\w{3,}iert|be\w{3,}(?:t|en)|er\w{3,}(?:t|en)|ver\w{3,}(?:t|en)|ent\w{3,}(?:t|en)"
        r"|unter\w{3,}(?:t|en))"
        r"|war|waren|warst|h[aä]tte|h[aä]tten|hattest|wurde|wurden|gab|ging|gingen|kam|kamen|sagte|sagten"
        r"|machte|erzählte"
        r"|kaufte|aß|traf|trafen|las|schrieb|sprach|sprachen|wohnte|arbeitete|lebte|fuhr|fuhren|dachte"
        r"|wusste|wollte|musste|lernte|erinnerst du)\b"
    ),
    telling=(
        Telling(
            before=Pattern(rf"\b{_I}{_GAP} ?$"),
            behind=Pattern(rf"[^.?!]{{0,80}}?\b{_TOLD}\b"),
        ),
        Telling(
            before=Pattern(r"(?:^|[.!?;:] ?)(?:(?:und|also|in|im|am|seit|vor|der|dem) )*$"),
            behind=Pattern(rf",? ?(?:was |wo |wann |wem |wie )?{_I}\b[^.?!]{{0,60}}?\b{_TOLD}\b"),
        ),
        Telling(
            before=Pattern(rf"\b(?:was|das) (?:ich|wir){_GAP} ?$"),
            behind=Pattern(rf"[^.?!]{{0,60}}?\b{_TOLD} (?:habe?|haben|hatte|hatten)\b"),
        ),
    ),
)
