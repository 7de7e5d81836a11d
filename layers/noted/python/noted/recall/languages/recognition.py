"""Which of the languages a text is written in, by its script and its most common words."""

from __future__ import annotations

import re
from functools import cache

from noted.recall.languages.letters import LATIN
from noted.recall.languages.names import MONTHS, WEEKDAYS
from noted.recall.readings import MONTHS as ENGLISH_MONTHS
from noted.recall.readings import WEEKDAYS as ENGLISH_WEEKDAYS

_WORD = re.compile(r"[^\W\d_]+")
_KANA, _HAN = re.compile(r"[\u3040-\u30ff]"), re.compile(r"[\u4e00-\u9fff]")
_JAPANESE = re.compile("先[週月々]|[月火水木金土日]曜|週間前|今[朝晩週月]|昨年|一昨[日年]")
_CYRILLIC, _ARABIC = re.compile(r"[\u0430-\u044f\u0451]"), re.compile(r"[\u0620-\u06d3]")
# Letters of Ukrainian, Belarusian, Serbian and Macedonian.
_NOT_RUSSIAN = re.compile(r"[\u0452-\u0458\u045a-\u045f\u0491]")
# Letters, and forms of letters, that Arabic keyboards do not have, and those that Persian ones do not.
_PERSIAN = re.compile(r"[\u067e\u0686\u0698\u06af\u06cc\u06a9]")
_NOT_PERSIAN = re.compile(r"[\u0625\u0629\u0643\u0649\u064a]")

_PERSIAN_WORDS = frozenset(
    """
        از در را به که با است بود چه من این برای روز ماه سال هفته دیروز امروز دیشب امسال پارسال پیش بعد کجا
        تا شنبه دوشنبه تابستان زمستان بهار مهر آبان آذر دی بهمن اسفند فروردین خرداد تیر مرداد شهریور
    """.split()
)

_COMMON = {
    "en": """
        the a an and or of in on at to for from with about is are was were be been am do does did have has
        had i you he she it we they my your me him her us them this that these those what when where who
        which why how not no if then so as by can could will would should may might must tell told say said
        know last yesterday today week month year day days ago since before after until between any anything
        some all there here get got go went but than more very just also only first such into out up back
        own because
    """,
    "es": """
        que qué el la los las un una unos unas y o en de del con por para al a es son fue fui me te se lo le
        mi mis tu su no si sí yo como cómo cuándo dónde quién cuál cuánto cuánta sobre desde hasta hace
        entre he ha hay este esta está muy antes después ayer anoche anteayer hoy semana semanas mes meses
        año años día días pasado pasada últimos últimas fin todo toda pero porque quiero tengo dos tres
        cuatro dije hice estuve mañana ser estar puede nos nuestro les
    """,
    "fr": """
        le la les un une des du de d l et ou où en au aux a à est sont était je j tu il elle on nous vous me
        te se mon ma mes ce cet cette ces que qu qui quoi quand comment combien avec pour par sur dans
        depuis avant après ne pas ai as avons avez ont hier demain semaine semaines mois année années an ans
        jour jours dernier dernière derniers dernières dit fait aujourd hui plus mais sa son y chez deux
        trois quatre soir fin été être cela donc leur nos vos aussi
    """,
    "pt": """
        o a os as um uma uns umas e ou em de do da dos das no na nos nas com por para ao aos à às que eu tu
        você ele ela me te se lhe meu minha meus minhas seu sua quando onde quem qual quanto como sobre
        desde até entre foi fui é são estive disse fiz há ontem anteontem hoje amanhã semana semanas mês
        meses ano anos dia dias passado passada últimos últimas não mais isso isto esta este muito antes
        depois fim final dois duas três noite ser está pode num numa seus suas
    """,
    "it": """
        il lo la i gli le un uno una l d e è o in di del dello della dei delle degli a al alla allo da dal
        dalla con per su sul che chi cosa quando dove come quanto quanti quale ho ha hai abbiamo hanno sono
        era ero mi ti si ci mio mia miei mie tuo tua non più ieri oggi domani settimana settimane mese mesi
        anno anni giorno giorni fa scorso scorsa ultimi ultime detto fatto stato questo questa quello
        stamattina stasera nel nella negli prima dopo tra fra due tre fine essere può anche solo ma se sua
        suo loro
    """,
    "de": """
        der die das den dem des ein eine einen einem einer und oder in im am an auf bei mit von vom vor zu
        zum zur nach seit bis für über ist sind war waren wird hat habe haben hatte ich du er sie es wir ihr
        mir mich dir dich uns mein meine meinen meinem was wann wo wer wen wem wie warum welche welcher
        nicht kein auch noch gestern heute morgen vorgestern woche wochen monat monate monaten jahr jahre
        jahren tag tage tagen letzte letzten letzter letztes vergangene vergangenen gesagt gemacht erzählt
        hier zwischen zwei drei als aber wenn werden kann können sich durch nur sehr man alle vier
    """,
    "nl": """
        de het een en of in op aan bij met van voor naar tot te uit is zijn was waren heb hebt heeft hebben
        had ik jij je hij zij ze wij we mij me mijn jouw wat wanneer waar wie hoe welke waarom niet geen ook
        nog over er dat dit deze gisteren vandaag morgen eergisteren week weken maand maanden jaar jaren dag
        dagen vorige vorig afgelopen geleden sinds gezegd gedaan verteld moet mag tussen twee drie na
        gisteravond vannacht vanmorgen vanochtend hier om alle als dan u uw door worden wordt kan kunt zo
        maar
    """,
}


def language(folded: str) -> str | None:
    """The code of a folded text's language; None where it has no word of any."""
    if _KANA.search(folded):
        return "ja"
    if _HAN.search(folded):
        return "ja" if _JAPANESE.search(folded) else "zh"
    if _ARABIC.search(folded):
        return _arabic_or_persian(folded)
    if _CYRILLIC.search(folded):
        return None if _NOT_RUSSIAN.search(folded) else "ru"
    # A word as it is spelt says more than one without its accents, in which languages are more alike.
    spelt, plain = _WORD.findall(folded), _WORD.findall(folded.translate(LATIN))
    hits = {
        code: sum(word in known.spelt for word in spelt) + sum(word in known.plain for word in plain)
        for code, known in _known().items()
    }
    best = max(hits, key=hits.__getitem__)  # English, where it has as many as another
    return best if hits[best] else None


def _arabic_or_persian(folded: str) -> str:
    persian = len(_PERSIAN.findall(folded)) + sum(word in _PERSIAN_WORDS for word in _WORD.findall(folded))
    return "fa" if persian > len(_NOT_PERSIAN.findall(folded)) else "ar"


class _Words:
    """Words as they are spelt, and without accents."""

    def __init__(self, text: str) -> None:
        folded = text.casefold()  # as good as `fold` for words of letters, and much quicker
        self.spelt = frozenset(_WORD.findall(folded))
        self.plain = frozenset(_WORD.findall(folded.translate(LATIN)))


@cache
def _known() -> dict[str, _Words]:
    """The words of each language in Latin script: the common ones, and the names of months and weekdays."""
    names = {
        code: " ".join((*MONTHS[code], *WEEKDAYS[code])).replace("|", " ") for code in _COMMON if code != "en"
    }
    names["en"] = " ".join((*ENGLISH_MONTHS, *ENGLISH_WEEKDAYS))
    return {code: _Words(f"{words} {names[code]}") for code, words in _COMMON.items()}
