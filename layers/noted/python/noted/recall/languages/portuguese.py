"""Times in Portuguese."""

from __future__ import annotations

from noted.recall import readings
from noted.recall.languages import grammar
from noted.recall.languages.grammar import NUMERIC, YEAR, YEARS, Form, led_in, words
from noted.recall.languages.letters import LATIN
from noted.recall.speech import Edge, Speech, Telling
from noted.text.patterns import Pattern

_THE = r"(?:[oa]s? )?(?:dia |mes de |ano de |ano )?(?:(?:inicio|comeco|meados|meio|final|fim) d[eo] )?"
_FOLLOWS = (
    "que|e|ou|em|d[eo]|da|com|sobre|quando|onde|como|quem|para|por|ao?|meus?|minhas?|os?|as?|uma?|me|te|se"
    "|no|na"
    "|eu|ja|mas|porque|antes|depois|ate|fui|foi|estive|fiz"
)
_PART = r"(?: (?:de|da|a|pela) <part>)?"
_PAST = r"(?:passad[oa]|anterior)"
_NEXT = r"(?:proxim[oa]s?|seguintes?)"
_AHEAD = r"(?:<weekday>|<month>|<season>|dias|semanas?|fim de semana|mes(?:es)?|trimestre|anos?)"
_VOCABULARY = {
    "month": grammar.months("pt"),
    "weekday": grammar.weekdays("pt")
    | words(
        monday="segunda feira, segunda",
        tuesday="terça feira, terça",
        wednesday="quarta feira, quarta",
        thursday="quinta feira, quinta",
        friday="sexta feira, sexta",
    ),
    "unit": words(
        minute="minuto, minutos",
        hour="hora, horas",
        day="dia, dias",
        week="semana, semanas",
        fortnight="quinzena",
        month="mês, meses",
        quarter="trimestre, trimestres",
        year="ano, anos",
        weekend="fim de semana, final de semana",
    ),
    "count": grammar.counts(
        "um, uma",
        "dois, duas",
        "três",
        "quatro",
        "cinco",
        "seis",
        "sete",
        "oito",
        "nove",
        "dez",
        "onze",
        "doze",
        "treze",
        "catorze, quatorze",
        "quinze",
        couple="um par de",
        few="uns, umas, alguns, algumas, vários, várias",
    ),
    "part": words(morning="manhã", afternoon="tarde", night="noite"),
    "season": words(spring="primavera", summer="verão", autumn="outono", winter="inverno"),
    "day": {"primeiro": "1", "1º": "1"},
    "year": {"ano passado": "last year", "este ano": "this year", "deste ano": "this year"},
}
_FORMS = (
    Form(r"depois de amanha|amanha(?: (?:de|a) <part>)?", readings.nothing),
    Form(rf"{_NEXT} {_AHEAD}", readings.nothing),
    Form(rf"{_AHEAD} (?:que vem|{_NEXT})", readings.nothing),
    Form(NUMERIC, readings.day_first),
    Form(
        r"(?:desde (?:o )?|entre (?:o )?)?<day>(?: ao? | e | ate "
        r"| ?- ?)(?:o )?<last> de <month>(?:,? de <year>)?",
        readings.date_range,
        ahead=True,
    ),
    Form(r"(?:<weekday>,? )?<day> de <month>(?:,? (?:de |do )?<year>)?", readings.named_date, ahead=True),
    Form(
        r"(?:entre|de|desde) <month> (?:e|ao?|ate) <last_month>(?: de <year>)?", readings.months, ahead=True
    ),
    Form(r"<month>,? (?:de |do )?<year>", readings.month_of_year),
    Form(rf"(?:entre|de|desde) {YEARS[0]} (?:e|ao?|ate) {YEARS[1]}", readings.years),
    Form(r"<season> (?:de |do )?<year>", readings.season_of_year),
    Form(r"<season> passad[oa]", readings.season, sets={"which": "last"}),
    Form(r"(?:n?est[ea]) <season>", readings.season, ahead=True),
    Form(r"<season>", readings.season, led_in(r"(?:n[oa]|durante [oa]|desde [oa]) "), ahead=True),
    Form(r"(?:ha|faz) (?:ja |cerca de )?<count> <unit>(?: atras)?", readings.ago),
    Form(r"<count> <unit> atras", readings.ago),
    Form(r"(?:ultim|passad)[oa]s <count> <unit>", readings.rolling),
    Form(r"<count> ultim[oa]s <unit>", readings.rolling),
    Form(r"ultim[oa] <unit>", readings.rolling, led_in(r"(?:n[oa]|durante [oa]) ")),
    Form(rf"<weekday>{_PART} da semana passada", readings.weekday_of_week),
    Form(r"<unit> retrasad[oa]", grammar.unit, sets={"which": "before last"}),
    Form(rf"<unit> {_PAST}", grammar.unit),
    Form(r"(?:ultim|passad)[oa] <unit>", grammar.unit),
    Form(r"n?est[ea] <unit>", grammar.unit, ahead=True, sets={"which": "this"}),
    Form(r"(?:n?o) (?:fim|final) de semana", readings.weekend, ahead=True),
    Form(r"anteontem|antes de ontem", readings.days_back(2)),
    Form(r"ontem a noite|noite passada|na ultima noite", readings.days_back(1, "night")),
    Form(rf"ontem{_PART}", readings.days_back(1)),
    Form(r"hoje(?: (?:de|a) <part>)?", readings.days_back(0), ahead=True),
    Form(r"n?esta <part>", readings.days_back(0), ahead=True),
    Form(rf"<weekday>{_PART} passad[oa]", readings.weekday),
    Form(r"(?:ultim|passad)[oa] <weekday>", readings.weekday),
    Form(r"n?est[ea] <weekday>", readings.weekday, ahead=True, sets={"which": "this"}),
    # "Segunda" alone is the second of anything.
    Form(
        rf"<weekday>{_PART}",
        readings.weekday,
        led_in(r"(?:no|desde [oa]|ate [oa]|entre|n[oa] dia) ", goes_on=_FOLLOWS),
        ahead=True,
    ),
    Form(
        r"na (?P<weekday>segunda|terca|quarta|quinta|sexta)(?:[ -]feira)?(?: (?:de|a) <part>)?",
        readings.weekday,
        grammar.followed_by(_FOLLOWS),
        ahead=True,
    ),
    Form(r"<month> passado", readings.month, sets={"which": "last"}),
    Form(r"passado <month>", readings.month, sets={"which": "last"}),
    Form(
        r"<month>",
        readings.month,
        led_in(
            r"(?:em|durante|desde|ate|antes de|depois de|entre|todo|mes de|notas de"
            r"|(?:inicio|comeco|meados|final|fim) de) "
        ),
        ahead=True,
    ),
    Form(
        YEAR,
        readings.year,
        led_in(
            r"(?:em|desde|ate|durante|antes de|depois de|ano|ano de)(?: o ano)?(?: de)? ", goes_on=_FOLLOWS
        ),
    ),
)

_SAID = (
    r"(?:eu (?:te |lhe |vos |ja )*disse|(?:te|lhe) disse|(?:te |lhe )?(?:contei|mencionei|falei|expliquei"
    r"|pedi|perguntei"
    r"|comentei|anotei)|falamos|conversamos|discutimos|disse(?:-te|-lhe))"
)
SPEECH = Speech(
    letters=LATIN,
    rules=grammar.rules(_FORMS, _VOCABULARY, LATIN),
    since=Edge(Pattern(rf"(?:^|\W)(?:desde|a partir d[eoa]) {_THE}$")),
    after=Edge(Pattern(rf"(?:^|\W)(?:depois d[eoa]|apos) {_THE}$")),
    before=Edge(Pattern(rf"(?:^|\W)antes d[eoa] {_THE}$")),
    until=Edge(Pattern(rf"(?:^|\W)ate {_THE}$")),
    between=Pattern(rf"(?:^|\W)entre {_THE}$"),
    joined=Pattern(rf" e {_THE}"),
    ranged=Pattern(rf" ?- ?| (?:[ao]|ao|a|ate|e antes d[eoa]) {_THE}"),
    listed=Pattern(r",? (?:e|ou) (?:o |em |a |n[oa] )?|, "),
    to_now=Pattern(r" (?:e|ate) (?:hoje|agora)\b"),
    present=Pattern(
        r"\b(?:dev[oe]|deveria|posso|pode|poderia|podemos|quero|preciso|vou|vais|vai|vamos|vão|tenho|tens"
        r"|tem|temos"
        r"|há algum|é|está|estou|estão|são|abrem?|\w{3,}(?:rei|rás|rá|remos|rão))\b"
        r"|\?|^(?:o que|que|como|onde|quando|quem|qual|quant[oa]s?)\b"
    ),
    past=Pattern(
        r"\b(?:disse|fiz|fez|feito|dito|fui|foi|fomos|estive|esteve|tive|teve|pus|vim|veio|vi|viu|dei|deu"
        r"|trouxe"
        r"|soube|era|eram|estava|tinha|ia|havia|li|\w{2,}(?:aste|este|iste|aram|eram|iram|ava|avam|amos|emos"
        r"|imos)"
        r"|\w{2,}(?:ei|ou|eu|iu)(?<!\bsou)(?<!\bmeu)(?<!\bseu)(?<!\bteu)(?<!\bvou)(?<!\bestou)|(?:com|beb|le"
        r"|corr|viv|dorm|ped|sa|ouv|part|assist|conhec|escrev|vend|decid)i)\b"
    ),
    telling=(
        Telling(
            before=Pattern(
                rf"\b{_SAID}(?: (?:algo|isso|isto|contigo|em|n[oa]s?|desde|durante|entre|ate|antes|depois|de"
                rf"|d[oa]|[oa]s?"
                r"|dia|mes))* ?$"
            )
        ),
        Telling(
            before=Pattern(
                r"(?:(?:^|[.!?;:] ?)(?:(?:e|tudo) )?|\b(?:o )?que )(?:(?:em|n[oa]|desde|durante|[oa]s?) )*$"
            ),
            behind=Pattern(
                rf",? ?(?:(?:o que|que|quando|onde|a quem|quanto) )?(?:(?:eu|ja|nao|te|lhe) )*{_SAID}\b"
            ),
        ),
    ),
)
