"""Times in Spanish."""

from __future__ import annotations

from noted.recall import readings
from noted.recall.languages import grammar
from noted.recall.languages.grammar import NUMERIC, YEAR, YEARS, Form, led_in, words
from noted.recall.languages.letters import LATIN
from noted.recall.speech import Edge, Speech, Telling
from noted.text.patterns import Pattern

_THE = (
    r"(?:el |la |los |las )?(?:dia |mes de |ano )?(?:(?:principios|comienzos|inicios|mediados"
    r"|finales) del? )?"
)
_FOLLOWS = (
    "que|y|o|en|del?|con|sobre|cuando|donde|como|quien|para|por|al?|mis?|el|la|los|las|una?|me|te|se|lo|no"
    "|yo|ya"
    "|pero|porque|antes|despues|hasta|fui|fue|estuve|hice|he|ha"
)
_PART = r"(?: (?:por|de|a) la <part>)?"
_NEXT = r"(?:proxim[oa]s?|siguientes?)"
_AHEAD = r"(?:<weekday>|<month>|<season>|dias|semanas?|fin de semana|finde|mes(?:es)?|trimestre|anos?)"
_VOCABULARY = {
    "month": grammar.months("es", september="setiembre"),
    "weekday": grammar.weekdays("es"),
    "unit": words(
        minute="minuto, minutos",
        hour="hora, horas",
        day="día, días",
        week="semana, semanas",
        fortnight="quincena, quincenas",
        month="mes, meses",
        quarter="trimestre, trimestres",
        year="año, años",
        weekend="fin de semana, finde",
    ),
    "count": grammar.counts(
        "un, una, uno",
        "dos",
        "tres",
        "cuatro",
        "cinco",
        "seis",
        "siete",
        "ocho",
        "nueve",
        "diez",
        "once",
        "doce",
        "trece",
        "catorce",
        "quince",
        couple="un par de",
        few="unos, unas, algunos, algunas, varios, varias",
    ),
    "part": words(morning="mañana", afternoon="tarde", night="noche"),
    "season": words(spring="primavera", summer="verano", autumn="otoño", winter="invierno"),
    "day": {"primero": "1", "1º": "1"},
    "year": {"año pasado": "last year", "este año": "this year"},
}
_FORMS = (
    Form(r"pasado manana|(?<!\bla )(?<!\besta )manana(?: (?:por|de|a) la <part>)?", readings.nothing),
    Form(rf"{_NEXT} {_AHEAD}", readings.nothing),
    Form(rf"{_AHEAD} (?:que viene|que entra|{_NEXT})", readings.nothing),
    Form(NUMERIC, readings.day_first),
    Form(
        r"(?:desde (?:el )?|entre (?:el )?)?<day>(?: al? | y "
        r"| ?- ?)(?:el )?<last> de <month>(?:,? del? <year>)?",
        readings.date_range,
        ahead=True,
    ),
    Form(r"(?:<weekday>,? )?<day> (?:de )?<month>(?:,? (?:del? )?<year>)?", readings.named_date, ahead=True),
    Form(
        r"(?:entre|de|desde) <month> (?:y|al?|hasta) <last_month>(?: del? <year>)?",
        readings.months,
        ahead=True,
    ),
    Form(r"<month>,? (?:del? )?<year>", readings.month_of_year),
    Form(rf"(?:entre|de|desde) {YEARS[0]} (?:y|al?|hasta) {YEARS[1]}", readings.years),
    Form(r"<season> (?:del? )?<year>", readings.season_of_year),
    Form(r"<season> pasad[oa]", readings.season, sets={"which": "last"}),
    Form(r"(?:pasad|ultim)[oa] <season>", readings.season, sets={"which": "last"}),
    Form(r"est[ea] <season>", readings.season, ahead=True),
    Form(r"<season>", readings.season, led_in(r"(?:en|durante|desde|antes de) (?:el |la )?"), ahead=True),
    Form(r"desde hace <count> <unit>", readings.rolling),
    Form(r"hace (?:ya |como |casi )?<count> <unit>(?: atras)?", readings.ago),
    Form(r"<count> <unit> atras", readings.ago),
    Form(r"(?:ultim|pasad)[oa]s <count> <unit>", readings.rolling),
    Form(r"<count> ultim[oa]s <unit>", readings.rolling),
    Form(r"ultim[oa] <unit>", readings.rolling, led_in(r"(?:en|durante) (?:el|la) ")),
    Form(rf"<weekday>{_PART} de la (?:semana pasada|pasada semana)", readings.weekday_of_week),
    Form(r"<unit> antepasad[oa]", grammar.unit, sets={"which": "before last"}),
    Form(r"<unit> (?:pasad[oa]|anterior)", grammar.unit),
    Form(r"(?:pasad|ultim)[oa] <unit>", grammar.unit),
    Form(r"est[ea] <unit>", grammar.unit, ahead=True, sets={"which": "this"}),
    Form(r"el (?:fin de semana|finde)", readings.weekend, ahead=True),
    Form(r"antes de ayer|anteayer|antier", readings.days_back(2)),
    Form(r"anteanoche", readings.days_back(2, "night")),
    Form(r"anoche", readings.days_back(1, "night")),
    Form(rf"ayer{_PART}", readings.days_back(1)),
    Form(r"esta noche", readings.days_back(0, "evening"), ahead=True),
    Form(rf"hoy{_PART}", readings.days_back(0), ahead=True),
    Form(r"esta <part>", readings.days_back(0), ahead=True),
    Form(rf"<weekday> pasado{_PART}", readings.weekday),
    Form(r"<weekday> (?:por|de|a) la <part> pasado", readings.weekday),
    Form(r"(?:pasado|ultimo) <weekday>", readings.weekday),
    Form(r"este <weekday>", readings.weekday, ahead=True, sets={"which": "this"}),
    Form(
        rf"<weekday>{_PART}",
        readings.weekday,
        led_in(r"(?:el|del|al|desde|hasta|entre) (?:dia )?"),
        ahead=True,
    ),
    Form(r"<month> pasado", readings.month, sets={"which": "last"}),
    Form(r"pasado <month>", readings.month, sets={"which": "last"}),
    Form(
        r"<month>",
        readings.month,
        led_in(
            r"(?:en|durante|desde|hasta|tras|antes de|despues de|entre|todo|mes de|notas de"
            r"|(?:principios|comienzos|inicios|mediados|finales) de) "
        ),
        ahead=True,
    ),
    Form(
        YEAR,
        readings.year,
        led_in(
            r"(?:en|desde|hasta|durante|antes de|despues de|tras|ano|del ano)(?: el)?(?: ano)? ",
            goes_on=_FOLLOWS,
        ),
    ),
)

_SAID = (
    r"(?:dije|conte|mencione|comente|explique|pedi|pregunte|anote|hable|hablamos|comentamos"
    r"|(?:he|habia|hemos|habiamos) (?:dicho|contado|mencionado|comentado|explicado|pedido|preguntado"
    r"|hablado))"
)
SPEECH = Speech(
    letters=LATIN,
    rules=grammar.rules(_FORMS, _VOCABULARY, LATIN),
    since=Edge(Pattern(rf"(?:^|\W)(?:desde|a partir del?) {_THE}$")),
    after=Edge(Pattern(rf"(?:^|\W)(?:despues del?|luego del?|tras) {_THE}$")),
    before=Edge(Pattern(rf"(?:^|\W)antes del? {_THE}$")),
    until=Edge(Pattern(rf"(?:^|\W)hasta {_THE}$")),
    between=Pattern(rf"(?:^|\W)entre {_THE}$"),
    joined=Pattern(rf" y {_THE}"),
    ranged=Pattern(rf" ?- ?| (?:al?|(?:y )?hasta|y antes del?) {_THE}"),
    listed=Pattern(r",? [you] (?:el |en |la )?|, "),
    to_now=Pattern(r" (?:y|hasta) (?:hoy|ahora)\b"),
    present=Pattern(
        r"\b(?:deb(?:o|es?|ería|eríamos)|pued[oe]s?|podría|podemos|quier[oe]|quisiera|necesito|voy|vas|va"
        r"|vamos|van"
        r"|teng[oa]|tienes?|tenemos|hay|es|está|estoy|están|son|abren?|toca|\w{3,}(?:ré|rás|rá|remos|rán))\b"
        r"|\?|^(?:qué|que|cómo|dónde|cuándo|quién|cuál|cuánt[oa]s?)\b"
    ),
    past=Pattern(
        r"\b(?:dij[eo]|hi[cz][eo]|fui|fue|fuimos|estuv[eo]|tuv[eo]|pus[eo]|vin[eo]|vio?|dio?|traj[eo]"
        r"|sup[eo]|eran?"
        r"|estaba|había|iba|(?:he|ha|has|hemos|han) \w+[dst]o|\w{3,}(?:aste|iste|aron|ieron|aban?)"
        r"|leí|oí|reí|vi|di|\w{3,}(?<!\baqu)(?<!\ball)(?<!\bcaf)[éíó](?<!ré))\b"
    ),
    telling=(
        Telling(
            before=Pattern(
                rf"\b{_SAID}(?: (?:algo|lo|eso|contigo|de|en|desde|durante|entre|hasta|antes|despues|por|el"
                rf"|la|los|las"
                r"|del|dia|mes))* ?$"
            )
        ),
        Telling(
            before=Pattern(
                r"(?:(?:^|[.!?¿¡;:] ?)(?:(?:y|pues|todo) )?|\b(?:lo )?que )"
                r"(?:(?:en|desde|durante|el|la|los|las) )*$"
            ),
            behind=Pattern(
                rf",? ?¿?(?:(?:que|lo que|cuando|donde|a quien|cuanto) )?(?:(?:yo|ya|no|te|les?"
                rf"|os) )*{_SAID}\b"
            ),
        ),
    ),
)
