"""Whether two facts are about the same attribute of a person, so that one of them can end the other.

A model that is asked for contradictions finds too many: who comes to administer a project has not left their
job. So a fact may end another only where the words show that both speak of one thing: either both name one
of the attributes of which a person has one at a time (where they live, what they eat), or they share a word
that says what they are about. Where the words name two different attributes, it may not.
"""

from __future__ import annotations

import re
from enum import StrEnum

from noted.recall.lexical import tokens
from noted.text.folding import fold


class Attribute(StrEnum):
    """What a fact is about. Of the first group a person has one at a time."""

    RESIDENCE = "residence"
    WORK = "work"
    DIET = "diet"
    PARTNERSHIP = "partnership"
    NAME = "name"
    AGE = "age"
    FAMILY = "family"
    PET = "pet"
    ALLERGY = "allergy"
    STUDY = "study"
    LANGUAGE = "language"


_ONE_AT_A_TIME = frozenset(
    {
        Attribute.RESIDENCE,
        Attribute.WORK,
        Attribute.DIET,
        Attribute.PARTNERSHIP,
        Attribute.NAME,
        Attribute.AGE,
    }
)

# Whole words (a line for a blank), or with a hyphen at their end the beginnings of words, by attribute:
# English; German; French; Spanish; Portuguese; Italian; Dutch; Russian; after the bar what is looked for
# anywhere, in scripts that set no blanks between words.
_NAMED_BY = {
    Attribute.RESIDENCE: """
        live lives living lived reside- residing moved moving moves relocat- dwell-
        wohn- gezogen zieht umgezogen habite habitait déménag- emménag- vive mudó mudou mora morava abita
        trasferi- woon- verhuis- живу живет жил жила переех- | 住 搬到 搬家 引っ越 살고 이사
        """,
    Attribute.WORK: """
        work works worked working job jobs employ- joined freelanc- hired career profession boss retired
        unemploy- arbeite- beruf angestellt travaill- emploi métier trabaj- empleo trabalh- emprego lavor-
        werkt baan работа- уволи- | 工作 上班 働 仕事 勤め 일하 직장
        """,
    Attribute.DIET: """
        vegetarian- vegan- pescatarian omnivor- carnivor- eats eating ate meat fish diet keto halal kosher
        gluten vegetar- isst fleisch fisch végétar- végan- mange viande poisson carne pescado peixe mangia
        pesce vlees eet вегетариан- веган- мясо рыб- | 吃 素食 食べ ベジタリアン 肉 魚 채식 고기
        """,
    Attribute.PARTNERSHIP: """
        single married engaged divorc- widow- partner girlfriend boyfriend husband wife spouse fiancé fiancée
        verheiratet ledig geschieden verlobt marié mariée célibataire casado casada soltero soltera solteiro
        solteira sposato sposata celibe nubile getrouwd gescheiden женат замужем холост развед- | 结婚 离婚
        已婚 单身 独身 結婚 離婚 결혼 이혼
        """,
    Attribute.NAME: "name nickname surname vorname nachname prénom nombre apellido cognome имя фамилия",
    Attribute.AGE: """
        age aged years_old jahre_alt born birthday birthdate geboren née naissance nacimiento nascido nascida
        """,
    Attribute.FAMILY: """
        sister sisters brother brothers mother father mum mom dad parents son sons daughter daughters child
        children kid kids baby aunt uncle cousin niece nephew grandmother grandfather grandson twin twins
        schwester- bruder mutter vater sohn tochter kind kinder soeur sœur frère mère père fils fille enfant
        enfants hermana hermano madre padre hijo hija irmã irmão mãe pai filho filha sorella fratello figlio
        figlia zus broer сестра брат мать отец сын дочь | 姐 妹 哥 弟 妈 爸 儿子 女儿
        """,
    Attribute.PET: """
        dog dogs cat cats pet pets puppy kitten hamster rabbit parrot goldfish hund hunde katze katzen chien
        perro gato cão cane gatto hond собака кошка | 狗 猫 犬 고양이
        """,
    Attribute.ALLERGY: "allerg- intoleran- coeliac celiac anaphyla- аллерг- | 过敏 アレルギー 알레르기",
    Attribute.STUDY: """
        study studies studied student university college thesis phd universit- schule école | 大学
        """,
    Attribute.LANGUAGE: "speaks spoke fluent spricht parle habla fala parla spreekt говорит | 会说 話せ",
}
# Words that say how a person stands to something, and not to what: of these there may be many at a time.
_STANDS_TO = """
    like love enjoy adore hate dislike want wish hope plan need know own buy bought sell play visit speak
    learn read watch collect use tri take get got go went make made see saw think feel keep start begin
    current now new old big small first last day week month year time name live work call
"""


def _compiled(names: str) -> re.Pattern[str]:
    spaced, _, unspaced = names.partition("|")
    words = [fold(word).replace("_", " ") for word in spaced.split()]
    beginnings = [re.escape(word[:-1]) for word in words if word.endswith("-")]
    whole = [re.escape(word) + r"(?!\w)" for word in words if not word.endswith("-")]
    inside = [re.escape(fold(word)) for word in unspaced.split()]
    return re.compile("|".join([rf"(?<!\w)(?:{'|'.join(beginnings + whole)})", *inside]))


_PATTERNS = {attribute: _compiled(beginnings) for attribute, beginnings in _NAMED_BY.items()}
_GENERAL = frozenset(token for word in _STANDS_TO.split() for token in tokens(word))


def attributes(text: str) -> frozenset[Attribute]:
    """The attributes that a text names."""
    folded = fold(text)
    return frozenset(attribute for attribute, pattern in _PATTERNS.items() if pattern.search(folded))


def same_attribute(one: str, other: str) -> bool:
    """Whether both texts speak of the same attribute of the person."""
    first, second = attributes(one), attributes(other)
    if first & second & _ONE_AT_A_TIME:
        return True
    if first and second and not first & second:
        return False
    shared = set(tokens(one)) & set(tokens(other)) - _GENERAL
    return any(not token.replace(".", "").isdecimal() for token in shared)
