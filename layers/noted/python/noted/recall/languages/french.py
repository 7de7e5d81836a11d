"""Times in French."""

from __future__ import annotations

from noted.recall import readings
from noted.recall.languages import grammar
from noted.recall.languages.grammar import NUMERIC, YEAR, YEARS, Form, led_in, words
from noted.recall.languages.letters import LATIN
from noted.recall.speech import Edge, Speech, Telling
from noted.text.patterns import Pattern

_THE = r"(?:le |la |les |l')?(?:mois (?:de |d'))?(?:annee )?(?:(?:debut|mi|fin|milieu)[ -](?:de |d')?)?"
_FOLLOWS = (
    "que|qu|et|ou|en|des?|du|avec|sur|quand|comment|qui|pour|par|a|au|aux|mes?|mon|ma|les?|la|une?|je|j|tu"
    "|on|nous"
    "|il|elle|ne|pas|mais|parce|avant|apres|jusqu|etait|etais|dans|chez"
)
_PART = r"(?: (?:au |dans (?:la|l'))?<part>)?"
_LAST = r"(?:dernier|derniere|passee?|precedente?)"
_NEXT = r"(?:prochaine?s?|suivante?s?)"
_AHEAD = r"(?:<weekday>|<month>|<season>|jours|semaines?|week-?end|mois|trimestre|annees?|an)"
_VOCABULARY = {
    "month": grammar.months("fr"),
    "weekday": grammar.weekdays("fr"),
    "unit": words(
        minute="minute, minutes",
        hour="heure, heures",
        day="jour, jours",
        week="semaine, semaines",
        fortnight="quinzaine",
        month="mois",
        quarter="trimestre, trimestres",
        year="an, ans, année, années",
        weekend="week-end, weekend",
    ),
    "count": grammar.counts(
        "un, une",
        "deux",
        "trois",
        "quatre",
        "cinq",
        "six",
        "sept",
        "huit",
        "neuf",
        "dix",
        "onze",
        "douze",
        "treize",
        "quatorze",
        "quinze",
        few="quelques, plusieurs",
    ),
    "part": words(
        morning="matin, matinée", afternoon="après-midi, aprem", evening="soir, soirée", night="nuit"
    ),
    "season": words(spring="printemps", summer="été", autumn="automne", winter="hiver"),
    "day": {"1er": "1", "premier": "1"},
    "year": {"l'année dernière": "last year", "l'an dernier": "last year", "cette année": "this year"},
}
_FORMS = (
    Form(r"(?:apres-demain|demain)(?: <part>)?", readings.nothing),
    Form(rf"{_AHEAD} (?:{_NEXT}|qui vient)", readings.nothing),
    Form(r"prochaine?s? (?:<weekday>|jours|semaines?|mois|week-?end|annees?)", readings.nothing),
    Form(NUMERIC, readings.day_first),
    Form(r"<day>(?: au | et | ?- ?)(?:le )?<last> <month>(?: <year>)?", readings.date_range, ahead=True),
    Form(r"(?:<weekday>,? )?(?:le )?<day> <month>\.?(?:,? (?:de )?<year>)?", readings.named_date, ahead=True),
    Form(
        r"(?:entre|de|d'|depuis) ?<month> (?:et|a|jusqu'en|jusqu'a) <last_month>(?: <year>)?",
        readings.months,
        ahead=True,
    ),
    Form(r"<month>\.? (?:de )?<year>", readings.month_of_year),
    Form(rf"(?:entre|de) {YEARS[0]} (?:et|a) {YEARS[1]}", readings.years),
    Form(r"<season> (?:de )?<year>", readings.season_of_year),
    Form(rf"<season> {_LAST}", readings.season, sets={"which": "last"}),
    Form(r"cet(?:te)? <season>", readings.season, ahead=True),
    Form(
        r"<season>",
        readings.season,
        led_in(r"en |au |pendant l[ea'] ?|durant l[ea'] ?|depuis l[ea'] ?|avant l[ea'] ?"),
        ahead=True,
    ),
    Form(r"depuis <count> <unit>", readings.rolling),
    Form(r"il y a (?:deja |environ )?<count> <unit>", readings.ago),
    Form(r"<count> derni(?:er|ere)s <unit>", readings.rolling),
    Form(r"derni(?:er|ere)s <count> <unit>", readings.rolling),
    Form(
        r"derni(?:er|ere) <unit>",
        readings.rolling,
        led_in(r"(?:dans|pendant|durant|au cours de|au cours du) ?(?:l[ea] )?"),
    ),
    Form(rf"<weekday>{_PART} de la semaine (?:derniere|passee|precedente)", readings.weekday_of_week),
    Form(r"avant-derni(?:er|ere) <unit>", grammar.unit, sets={"which": "before last"}),
    Form(rf"<unit> {_LAST}", grammar.unit),
    Form(r"ce(?:t|tte)? <unit>(?:-ci)?", grammar.unit, ahead=True, sets={"which": "this"}),
    Form(r"(?:le|ce) week-?end", readings.weekend, ahead=True),
    Form(r"avant-hier(?: <part>)?", readings.days_back(2)),
    Form(r"(?:hier au soir|la nuit derniere|cette nuit)", readings.days_back(1, "night")),
    Form(r"hier soir", readings.days_back(1, "night")),
    Form(rf"hier{_PART}", readings.days_back(1)),
    Form(r"aujourd'hui", readings.days_back(0), ahead=True),
    Form(r"cet(?:te)? <part>", readings.days_back(0), ahead=True),
    Form(r"ce <part>", readings.days_back(0), ahead=True),
    Form(rf"<weekday>{_PART} {_LAST}", readings.weekday),
    Form(r"ce <weekday>", readings.weekday, ahead=True, sets={"which": "this"}),
    Form(
        rf"<weekday>{_PART}",
        readings.weekday,
        grammar.not_led_in(r"(?:le|les|chaque|tous les|un|ce|tout|mon|ma|votre|notre|monsieur|madame) "),
        ahead=True,
    ),
    Form(rf"le <weekday>{_PART}", readings.weekday, led_in("depuis |avant |apres |jusqu'au "), ahead=True),
    Form(rf"<month> {_LAST}", readings.month, sets={"which": "last"}),
    Form(
        r"<month>",
        readings.month,
        led_in(
            r"en |courant |depuis |durant |pendant |avant |apres |entre |jusqu'en |debut |mi-|fin |mois de "
            r"|mois d'"
            r"|notes de |notes d'"
        ),
        ahead=True,
    ),
    Form(
        YEAR,
        readings.year,
        led_in(
            r"(?:en|depuis|avant|apres|jusqu'en|pendant|durant|courant|debut|fin|annee)(?: l'annee)? ",
            goes_on=_FOLLOWS,
        ),
    ),
)

_PARTICIPLE = r"(?:dit|racont|parl|mentionn|expliqu|demand|confi|not|signal)e?"
_SAID = (
    rf"(?:(?:je |j'|on |nous )(?:(?:t'|te |vous |l'|en |te l'|vous l')*)(?:ai|avais|a|avons"
    rf"|avait) (?:deja )?{_PARTICIPLE}"
    rf"|(?:t'|vous |l')*(?:ai|avais)-je {_PARTICIPLE}|(?:avons|avions)-nous {_PARTICIPLE})"
)
SPEECH = Speech(
    letters=LATIN,
    rules=grammar.rules(_FORMS, _VOCABULARY, LATIN),
    since=Edge(Pattern(rf"(?:^|\W)(?:depuis|a partir d[eu]) {_THE}$")),
    after=Edge(Pattern(rf"(?:^|\W)apres {_THE}$")),
    before=Edge(Pattern(rf"(?:^|\W)avant {_THE}$")),
    until=Edge(Pattern(rf"(?:^|\W)jusqu'(?:a|au|en|a la) ?{_THE}$")),
    between=Pattern(rf"(?:^|\W)entre {_THE}$"),
    joined=Pattern(rf" et {_THE}"),
    ranged=Pattern(rf" ?- ?| (?:au?|jusqu'(?:a|au|en)|et avant|et jusqu'(?:a|au|en)) {_THE}"),
    listed=Pattern(r",? (?:et|ou) (?:le |en |la )?|, "),
    to_now=Pattern(r" (?:a|et|jusqu'a) (?:aujourd'hui|maintenant)\b"),
    present=Pattern(
        r"\b(?:dois|doit|devrais|devrait|devons|peux|peut|pouvons|pourrais|veux|voudrais|vais|vas|va|allons"
        r"|vont|ai-je besoin"
        r"|faut|faudra|est-il|est-elle|est|es|suis|sont|ouvre|\w{3,}(?:rai|ras|ra|rons|rez|ront))\b(?!-ce)"
        r"|\?|^(?:qu'|que|quoi|quand|où|qui|comment|combien|quel)"
    ),
    past=Pattern(
        r"\b(?:(?:ai|as|a|avons|avez|ont)(?:-(?:je|tu|il|elle|on|nous|t-il|t-elle|t-on))? (?:deja |bien "
        r"|pas )?\w+(?:é|ée|és|ées|i|is|it|ie|u|us|ue|ues|rt|ert)"
        r"|(?:suis|es|est|sommes|sont)(?:-je|-tu)? (?:allé|parti|venu|resté|né|arrivé|rentré|passé|sorti"
        r"|devenu)\w*"
        r"|étais|était|étaient|avais|avait|avions|\w{3,}(?:ais|ait|aient|ions)|dit|fus|fut)\b"
    ),
    telling=(
        Telling(
            before=Pattern(
                rf"\b{_SAID}(?: (?:ca|cela|de|d'|en|depuis|pendant|durant|entre|jusqu'a|avant|apres|le|la"
                rf"|les|du|au|mois|debut|fin))* ?$"
            )
        ),
        Telling(
            before=Pattern(
                r"(?:(?:^|[.!?;:] ?)(?:(?:et|alors) )?|\bce que )(?:(?:en|depuis|pendant|le|la|les) )*$"
            ),
            behind=Pattern(
                rf",? ?(?:(?:qu'est-ce que |que |qu'|ce que |quand |ou |quoi |comment |a qui ))?{_SAID}\b"
            ),
        ),
    ),
)
