"""The words that the offline model's rules know."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noted.facts.fact import Category


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ADVERBS = _words(
    """
    absolutely actually already also always currently definitely finally generally honestly just mainly
    mostly never normally now occasionally often only personally rarely really recently regularly
    sometimes still strongly totally truly typically usually
    """
)

# What follows "plan to" or "want to" in a question put as a statement.
ASKING = _words(
    """
    ask finding hear hearing inquire know knowing say see seeing talk tell thank understand
    """
)

# What follows "want to" or "would like to" in a request to do something now.
REQUESTING = _words(
    """
    add book cancel change check compare confirm discuss find get order report reset show speak try use
    verify
    """
)

# Verbs that say nothing lasting about the writer, after "don't", "can", "will" and their like.
NO_NEWS_VERBS = _words(
    """
    accept access agree ask be believe check come connect do feel figure find get give go hear help
    imagine know let log look mean mind open recall remember say see seem send show start stop tell
    think try understand wait wish wonder
    """
)

NO_NEWS_AM = _words(
    """
    afraid asking aware back calling confused curious done fine getting glad good happy having here just
    looking lost ok okay ready referring sad seeing sorry stuck sure surprised talking telling thinking
    tired trying unsure using wondering worried
    """
)

NO_NEWS_HAVE = _words(
    """
    asked changed checked concern doubt feeling forgotten heard idea issue issues looked looking news
    noticed problem problems query question questions read received request seen suggestion task
    thinking thought tried trouble trying understood waiting wondered wondering
    """
)

NO_NEWS_MY = _words(
    """
    account answer apologies bad card code computer error first guess idea internet issue laptop last
    message mistake next opinion order parcel phone point problem query question questions request
    screen suggestion understanding wifi
    """
)

GOAL_VERBS = frozenset(("want", "plan", "hope", "intend", "aim", "dream"))

# After "I" a verb of these two lists is English, and tells of a habit, a taste or an event of a life.
PRESENT_VERBS = _words(
    """
    adore attend avoid bake bike breed build celebrate climb coach collect commute cook cycle dance
    design detest develop dislike dive draw drink drive earn eat enjoy exercise farm fear fish go hate
    hike hunt jog keep knit lead learn like live loathe love manage meditate own paint pay play practice
    practise pray prefer raise rent restore ride row run sail sew share sing skate ski sleep smoke speak
    specialise specialize spend study suffer support surf swim take teach train travel use vape
    volunteer wake walk watch wear weigh work write
    """
)

PAST_VERBS = _words(
    """
    adopted became bought broke built converted emigrated enrolled finished founded gave graduated grew
    immigrated inherited joined lived lost married met moved quit retired sold spent studied taught
    trained turned won worked
    """
)

FAMILY = _words(
    """
    aunt baby boss boyfriend brother brothers cat child children colleague cousin dad daughter daughters
    dog family father fiancé fiancée flatmate friend friends girlfriend granddaughter grandfather
    grandma grandmother grandpa grandparents grandson husband kid kids mom mother mum neighbor
    neighbour nephew niece parents partner roommate sister sisters son sons stepfather stepmother twin
    twins uncle wife
    """
)


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


# Tried in order on a text without its subject.
CATEGORY_MARKS: tuple[tuple[Category, re.Pattern[str]], ...] = (
    (
        "constraint",
        _any(
            r"allerg|intoleran|\bvegan|\bvegetarian|\bpescatarian|\bhalal\b|\bkosher\b|diabet|co?eliac|asthma",
            r"pregnan|wheelchair|\bblind\b|\bdeaf\b|^(?:must|should)|^avoid",
            r"^(?:can't|cannot|can not|never|doesn't|does not) (?:\w+ )?"
            r"(?:eat|drink|drive|fly|smoke|use|take|work)",
        ),
    ),
    (
        "preference",
        _any(
            r"^(?:\w+ )?(?:ador|detest|dislike|enjoy|hate|like|loathe|love|prefer)",
            r"^(?:doesn't|does not|didn't) (?:\w+ )?(?:like|enjoy|love|mind|want)",
            r"^can't stand|^favou?rite|\b(?:fan|fond) of\b|^is (?:\w+ )?interested in",
        ),
    ),
    (
        "relationship",
        _any(rf"\b(?:{'|'.join(sorted(FAMILY))})\b", r"\b(?:married|divorced|engaged|widowed|single)\b"),
    ),
    (
        "project",
        _any(
            r"^is (?:\w+ )?(?:building|developing|learning|planning|preparing|renovating|saving|studying)\b",
            r"^is (?:\w+ )?(?:training|working on|writing)\b",
            r"^(?:builds|develops|learns|restores|thesis|novel|startup|project)\b",
        ),
    ),
    (
        "identity",
        _any(
            r"^(?:\w+ )?(?:is|was|has moved|has been|moved|lives|lived|works|worked|studies|studied)\b",
            r"^(?:\w+ )?(?:speaks|teaches|taught|grew up|graduated|retired|emigrated|immigrated|converted)\b",
            r"^(?:name|age|birthday|job|profession|nationality|surname|pronouns)\b",
        ),
    ),
)

# Which field of the profile, as it comes, a statement fills: plain cases only.
FIELD_MARKS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("name", _any(r"^(?:name is|is called|is named|goes by)\b")),
    ("language", _any(r"^prefers (?:to be answered|answers|replies) in\b")),
    ("birth_date", _any(r"^was born (?:on|in) .*(?:\d{4}|<birth_date_)")),
    ("home_town", _any(r"^(?:lives|resides) in (?!an?\b|the\b)", r"^(?:has )?moved to (?!an?\b|the\b)")),
    ("employer", _any(r"^works for (?!an?\b|free\b|my\b)", r"^is employed by\b")),
    (
        "occupation",
        _any(r"^works as\b", r"^is (?:retired|unemployed|self-employed)\b", r"^(?:job|profession) is\b"),
    ),
    ("diet", _any(r"^is (?:an? )?(?:strict |mostly |also )?(?:vegetarian|vegan|pescatarian)$")),
    ("allergies", _any(r"^is (?:also |badly |very )?allergic to\b")),
)

# What may stand before a statement without changing it.
OPENERS = re.compile(
    r"(?:(?:hi|hello|hey|well|oh|ok|okay|yes|yeah|no|also|actually|btw|by the way|fyi|just so you know|and"
    r"|but|so|anyway|thanks|thank you|for the record|please)(?:\s+there)?(?:\s*[,:!.–—-]\s*|\s+))*",
    re.IGNORECASE,
)

SUBORDINATORS = re.compile(
    r"(?:if|when|whenever|unless|suppose|supposing|imagine|assume|assuming|while|although|though|because|since"
    r"|after|before|once|until|in case|as)\b",
    re.IGNORECASE,
)

_REMEMBER_IN_ENGLISH = (
    r"(?:remember|(?:don['’]?t|do not|never) forget|keep in mind|bear in mind|note|make a note)"
    # "Remember when …" and "remember me" ask for no such thing.
    r"(?:\s*[:,]|\s+that\b|(?=\s))(?!\s+(?:when|how|what|where|who|why|which|whether|if|me|us|you|last)\b)"
)

# A request to remember, up to where its words begin.
REMEMBER = _any(
    rf"{_REMEMBER_IN_ENGLISH}\s*",
    r"(?:recuerda|recuerde|recuerden|acu[ée]rdate de|no olvides|ten en cuenta|toma nota de)\s+que\s+",
    r"(?:lembra(?:-te)?|lembre(?:-se)?|n[ãa]o (?:te |se )?esque[çc]as?)(?:\s+de)?\s+que\s+",
    r"(?:souviens-toi|souvenez-vous|rappelle-toi|rappelez-vous)\s+(?:que\s+|qu['’])",
    r"(?:n['’]oublie pas|n['’]oubliez pas|retiens|retenez|notez?)\s+(?:que\s+|qu['’])",
    r"(?:merke?\s+dir|merken\s+sie\s+sich|denke?\s+daran|vergiss\s+nicht)\s*,?\s+dass\s+",
    r"(?:ricorda|ricordati|ricordi|non dimenticare)\s+che\s+",
    r"(?:onthoud|vergeet niet)\s+dat\s+",
    r"[请請]?(?:记住|記住|记得|記得)[，,:：]?\s*",
    r"(?:覚えておいて|覚えていて)(?:ください)?[、,:：]?\s*",
    r"تذكّ?ر\s+أنّ?\s*",
    r"(?:یادت باشه|یادت باشد|به خاطر بسپار|به یاد داشته باش)\s+که\s+",
)
