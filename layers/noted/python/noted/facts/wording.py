"""Words that decide what two texts with much in common mean to each other.

All are folded as `noted.facts.words` folds. The lists are those of the languages that are named beside them;
in a language without a list nothing is merged that needs one, which costs a row and loses nothing.
"""

from __future__ import annotations

from noted.text.dates import MONTHS

# English; German; French; Spanish; Portuguese; Italian; Dutch; Russian; Polish; Turkish; Arabic, Persian.
DENIALS = frozenset(
    """
    not no never none nothing nobody nor neither without hardly barely scarcely rarely seldom nowhere
    nicht nichts kein keine keinen keinem keiner keines nie niemals ohne weder kaum selten
    ne pas jamais sans aucun aucune rien plus ni guère
    nunca jamás sin tampoco ningún ninguna nada nadie apenas
    não nem sem nenhum nenhuma ninguém jamais
    non mai senza né nessun nessuno nessuna niente nulla
    niet geen nooit zonder nauwelijks
    не ни нет никогда без нельзя
    nie nigdy bez żaden
    değil yok hiç asla
    لا ليس ليست لم لن بدون غير نیست ندارد هرگز بدون
    """.split()
)
EXCLUSIVE = frozenset(
    """
    only just solely exclusively merely all every always both each any most best favourite favorite least
    nur immer alle jeder jede jedes beide lieblings
    seulement uniquement tout toute tous toutes toujours chaque préféré préférée
    solo sólo solamente todo toda todos todas siempre cada favorito favorita
    só somente apenas tudo sempre preferido preferida
    soltanto solamente sempre ogni tutto tutti tutte preferito preferita
    alleen altijd elke только всегда все każdy zawsze tylko
    """.split()
)
# What takes something back or bounds it: exceptions, conditions, doubts, endings.
RESERVATIONS = frozenset(
    """
    but except excepting unless besides apart although though however yet if when while whenever until till
    instead rather almost nearly mostly mainly partly usually often sometimes occasionally maybe perhaps
    probably possibly allegedly supposedly reportedly seemingly once twice former formerly previously
    ex late dead deceased died fake toy model pretend imaginary fictional future potential possible would
    could might may stopped quit quitting ended used gave avoids avoid lacks lack refuses refuse denies deny
    anymore longer than versus another other second third next
    aber außer sondern wenn falls obwohl manchmal meistens fast ehemals früher einmal mehr als bis vielleicht
    mais sauf excepté hormis si quand parfois presque ancien ancienne peut-être une-fois que
    pero salvo excepto menos sino si cuando aunque veces casi antiguo antigua quizás
    mas exceto salvo menos se quando embora vezes quase antigo antiga talvez
    ma tranne eccetto salvo se quando sebbene volte quasi forse ex
    maar behalve tenzij als soms bijna misschien
    но кроме если когда иногда почти раньше
    """.split()
)
TIMES = frozenset(MONTHS) | frozenset(
    """
    now currently today tonight tomorrow yesterday then before after first later soon again still already
    since ago daily weekly monthly yearly morning mornings evening evenings night nights noon weekend
    weekends day days week weeks month months year years spring summer autumn winter season christmas easter
    monday mondays tuesday tuesdays wednesday wednesdays thursday thursdays friday fridays saturday saturdays
    sunday sundays
    jetzt heute gestern morgen wieder noch schon seit täglich tag tage woche wochen monat jahr jahre abends
    montag montags dienstag dienstags mittwoch mittwochs donnerstag donnerstags freitag freitags samstag
    samstags sonntag sonntags sommer herbst frühling
    maintenant hier demain encore déjà depuis jour jours semaine semaines mois an ans année matin soir été
    hiver automne printemps lundi mardi mercredi jeudi vendredi samedi dimanche
    ahora hoy ayer mañana ya desde día días semana semanas mes meses año años verano invierno otoño primavera
    lunes martes miércoles jueves viernes sábado domingo
    agora hoje ontem amanhã já ainda dia dias semana semanas mês meses ano anos verão inverno outono
    segunda terça quarta quinta sexta domingo
    ora adesso oggi ieri domani ancora già giorno giorni settimana mese mesi anno anni estate inverno autunno
    lunedì martedì mercoledì giovedì venerdì sabato domenica
    nu vandaag gisteren morgen dag dagen jaar jaren zomer
    сейчас сегодня вчера завтра снова уже год лет летом зимой
    """.split()
)
# Whatever holds one of these says more, or less, than the text without it.
LOADED = DENIALS | EXCLUSIVE | RESERVATIONS | TIMES

AND = frozenset("and und et y e och og en и i ve و".split())
AND_OR = AND | frozenset("or oder ou o u of или lub veya أو یا".split())
INDEFINITE = frozenset("a an un une uma um una uno ein eine einen einem einer eines een".split())
COUNTS = frozenset(
    "two three four five six seven eight nine ten several zwei drei deux trois dos tres".split()
)
COPULAS = frozenset(
    """
    is am are was were be been being become becomes became as like
    ist bin war wird wurde als est suis était comme es soy era como é sou foi è sono
    """.split()
)
# What opens a description of the thing that was named just before.
DESCRIBES = frozenset(
    """
    named called who whose which that with in from at near of by
    namens genannt mit aus in bei von
    nommé nommée appelé appelée qui avec de du à
    llamado llamada con de en
    chamado chamada com de em
    chiamato chiamata che con di
    genaamd met uit
    """.split()
)
PREPOSITIONS = frozenset(
    """
    in at on with from near by for
    in an auf bei mit aus von
    à en dans chez avec
    en con de
    em com na no
    a con da
    в во на с у из
    """.split()
)
# Pairs that name one thing together with the "and" between them.
FIXED_PAIRS = frozenset(
    {
        ("rock", "roll"),
        ("fish", "chips"),
        ("salt", "vinegar"),
        ("salt", "pepper"),
        ("bed", "breakfast"),
        ("black", "white"),
        ("mac", "cheese"),
        ("bread", "butter"),
        ("drum", "bass"),
        ("rhythm", "blues"),
        ("gin", "tonic"),
    }
)
