"""Times in Italian."""

from __future__ import annotations

from noted.recall import readings
from noted.recall.languages import grammar
from noted.recall.languages.grammar import NUMERIC, YEAR, YEARS, Form, led_in, words
from noted.recall.languages.letters import LATIN
from noted.recall.speech import Edge, Speech, Telling
from noted.text.patterns import Pattern

_THE = r"(?:il |lo |la |l'|i |gli |le )?(?:giorno |mese di |anno )?(?:(?:inizio|meta|fine)(?: di| del)? )?"
_FOLLOWS = (
    "che|e|o|in|di|del|della|con|su|sul|quando|dove|come|chi|per|da|al?|mi[oae]|miei|il|lo|la|le|i|un|una|mi"
    "|ti|si"
    "|non|io|ma|perche|prima|dopo|fino|ho|ha|sono|ero|era"
)
_PART = r"(?: (?:di |alla |nel )?<part>)?"
_LAST = r"(?:scors[oa]|passat[oa]|precedente)"
_NEXT = r"(?:prossim[oaie]|seguente)"
_AHEAD = (
    r"(?:<weekday>|<month>|<season>|giorni|settiman[ae]|fine settimana|weekend|mes[ei]|trimestre|ann[oi])"
)
_VOCABULARY = {
    "month": grammar.months("it"),
    "weekday": grammar.weekdays("it"),
    "unit": words(
        minute="minuto, minuti",
        hour="ora, ore",
        day="giorno, giorni",
        week="settimana, settimane",
        month="mese, mesi",
        quarter="trimestre, trimestri",
        year="anno, anni",
        weekend="fine settimana, weekend, week-end",
    ),
    "count": grammar.counts(
        "un, uno, una, un'",
        "due",
        "tre",
        "quattro",
        "cinque",
        "sei",
        "sette",
        "otto",
        "nove",
        "dieci",
        "undici",
        "dodici",
        "tredici",
        "quattordici",
        "quindici",
        couple="un paio di",
        few="alcuni, alcune, qualche, pochi",
    ),
    "part": words(morning="mattina, mattino", afternoon="pomeriggio", evening="sera, serata", night="notte"),
    "season": words(spring="primavera", summer="estate", autumn="autunno", winter="inverno"),
    "day": {"primo": "1", "1º": "1", "1°": "1"},
    "year": {"anno scorso": "last year", "quest'anno": "this year"},
}
_FORMS = (
    Form(r"dopodomani|domani(?: <part>)?", readings.nothing),
    Form(rf"{_NEXT} {_AHEAD}", readings.nothing),
    Form(rf"{_AHEAD} (?:che viene|{_NEXT})", readings.nothing),
    Form(NUMERIC, readings.day_first),
    Form(
        r"(?:dal(?:l')? ?|tra (?:il )?|fra (?:il )?)?<day>(?: al | e "
        r"| ?- ?)(?:il )?<last> <month>(?: (?:del )?<year>)?",
        readings.date_range,
        ahead=True,
    ),
    Form(
        r"(?:<weekday>,? )?<day> (?:di )?<month>(?:,? (?:del(?:l')? ?)?<year>)?",
        readings.named_date,
        ahead=True,
    ),
    Form(r"(?:tra|fra|da) <month> (?:e|ad?) <last_month>(?: (?:del )?<year>)?", readings.months, ahead=True),
    Form(r"<month>,? (?:del(?:l')? ?)?<year>", readings.month_of_year),
    Form(rf"(?:tra il|fra il|dal) {YEARS[0]} (?:e il|al) {YEARS[1]}", readings.years),
    Form(r"<season> (?:del(?:l')? ?)?<year>", readings.season_of_year),
    Form(rf"<season> {_LAST}", readings.season, sets={"which": "last"}),
    Form(r"(?:scors|passat)[oa] <season>", readings.season, sets={"which": "last"}),
    Form(r"quest[oa']? ?<season>", readings.season, ahead=True),
    Form(r"<season>", readings.season, led_in(r"in |d'|durante l[a'] ?|nell'"), ahead=True),
    Form(r"<count> ?<unit> fa", readings.ago),
    Form(r"(?:ultim[ie]|scors[ie]|passat[ie]) <count> ?<unit>", readings.rolling),
    Form(r"ultim[oa] <unit>", readings.rolling, led_in(r"(?:nel|nello|nella|durante la|durante lo) ")),
    Form(r"nell'ultim[oa] <unit>", readings.rolling),
    Form(rf"<weekday>{_PART} (?:della settimana scorsa|della scorsa settimana)", readings.weekday_of_week),
    Form(rf"<unit> {_LAST}", grammar.unit),
    Form(r"(?:scors|passat|ultim)[oa] <unit>", grammar.unit),
    Form(r"quest(?:[oa] |')<unit>", grammar.unit, ahead=True, sets={"which": "this"}),
    Form(r"(?:nel|il|durante il) (?:fine settimana|weekend|week-end)", readings.weekend, ahead=True),
    Form(r"l'altro ?ieri|altroieri|avantieri|ieri l'altro", readings.days_back(2)),
    Form(r"ieri (?:sera|notte)|la scorsa notte|stanotte|la notte scorsa", readings.days_back(1, "night")),
    Form(rf"ieri{_PART}", readings.days_back(1)),
    Form(r"stamattina|stamani|stamane|oggi (?:di )?mattina", readings.days_back(0, "morning")),
    Form(r"stasera", readings.days_back(0, "evening"), ahead=True),
    Form(r"oggi(?: <part>)?", readings.days_back(0), ahead=True),
    Form(r"quest[oa] <part>", readings.days_back(0), ahead=True),
    Form(rf"<weekday>{_PART} {_LAST}", readings.weekday),
    Form(r"(?:scors[oa]|ultim[oa]) <weekday>", readings.weekday),
    Form(r"quest[oa] <weekday>", readings.weekday, ahead=True, sets={"which": "this"}),
    # With the article a weekday is a habit: "il lunedì corro".
    Form(
        rf"<weekday>{_PART}",
        readings.weekday,
        grammar.not_led_in(
            r"(?:il|la|i|le|un|una|di|del|della|ogni|tutti i|tutte le|qualche|signor|signora) "
        ),
        ahead=True,
    ),
    Form(r"<weekday>", readings.weekday, led_in(r"(?:prima di|dopo|da|fino a|entro) "), ahead=True),
    Form(r"<month> scorso", readings.month, sets={"which": "last"}),
    Form(r"scorso <month>", readings.month, sets={"which": "last"}),
    Form(
        r"<month>",
        readings.month,
        led_in(
            r"(?:ad?|in|da|durante|fino a|prima di|dopo|entro|tra|fra|mese di|appunti di"
            r"|(?:inizio|meta|fine)(?: di)?) "
        ),
        ahead=True,
    ),
    Form(
        YEAR,
        readings.year,
        led_in(r"(?:nel|dal|al|del|il|fino al|prima del|dopo il|anno|durante il) ", goes_on=_FOLLOWS),
    ),
)

_PARTICIPLE = r"(?:dett|raccontat|menzionat|spiegat|chiest|parlat|accennat|confidat|discuss|segnalat)[oaie]"
_SAID = rf"(?:(?:(?:ti|vi|te lo|te ne|ne|le|gli) )?(?:ho|avevo|abbiamo|avevamo) (?:gia )?{_PARTICIPLE})"
SPEECH = Speech(
    letters=LATIN,
    rules=grammar.rules(_FORMS, _VOCABULARY, LATIN),
    since=Edge(Pattern(rf"(?:^|\W)(?:da|dal|dallo|dalla|dall'|a partire d[ai]l?) ?{_THE}$")),
    after=Edge(Pattern(rf"(?:^|\W)dopo {_THE}$")),
    before=Edge(Pattern(rf"(?:^|\W)prima d(?:i|el|ello|ella|ell') ?{_THE}$")),
    until=Edge(Pattern(rf"(?:^|\W)(?:fino|sino) a(?:l|llo|lla|ll'|d)? ?{_THE}$")),
    between=Pattern(rf"(?:^|\W)(?:tra|fra) {_THE}$"),
    joined=Pattern(rf" e {_THE}"),
    ranged=Pattern(rf" ?- ?| (?:ad?|al|all'|alla|(?:e )?fino ad?l?|e prima d[ei]l?) ?{_THE}"),
    listed=Pattern(r",? (?:e|o) (?:il |in |la |nel )?|, "),
    to_now=Pattern(r" (?:e|ad|fino ad?) (?:oggi|adesso|ora)\b"),
    present=Pattern(
        r"\b(?:dev[oe]|dobbiamo|dovrei|dovrebbe|posso|può|possiamo|potrei|voglio|vorrei|vado|vai|va|andiamo"
        r"|vanno"
        r"|bisogna|c'è|ci sono|è(?! (?:stat|andat|success|venut|nat|arrivat|accadut))\w*|sto|sta|apre"
        r"|\w{3,}(?:rò|rai|rà|remo|rete|ranno))\b"
        r"|\?|^(?:che|cosa|come|dove|quando|chi|quale|quant[oiae])\b"
    ),
    past=Pattern(
        r"\b(?:ho|hai|ha|abbiamo|avete|hanno|avevo|aveva|avevamo|sono|sei|è|siamo|siete)"
        r"(?: (?:già|mai|più|non))? \w+(?:at|it|ut|tt|st|rs|rt|ss|es|us|is|nt)[oaie]\b"
        r"|\b(?:ero|eri|era|eravamo|erano|fui|fu|\w{3,}(?:avo|avi|ava|avano|evo|eva|evano|ivo|iva|ivano))\b"
    ),
    telling=(
        Telling(
            before=Pattern(
                rf"\b{_SAID}(?: (?:qualcosa|questo|di|in|da|dal|durante|tra|fra|fino|prima|dopo|il|lo|la|i"
                rf"|gli|le|del|nel"
                r"|nella|giorno|mese|a))* ?(?:l')?$"
            )
        ),
        Telling(
            before=Pattern(
                r"(?:(?:^|[.!?;:] ?)(?:(?:e|allora|tutto) )?|\b(?:(?:quello |cio )?che|(?:che )?cosa) )"
                r"(?:(?:in|nel|nella|da|dal|durante|il|la|l') ?)*$"
            ),
            behind=Pattern(
                rf",? ?(?:(?:che cosa|cosa|che|quello che|quando|dove|a chi|quanto) )?(?:(?:io|gia"
                rf"|non) )*{_SAID}\b"
            ),
        ),
    ),
)
