"""Whom a fact is about, and what of a person is kept at all.

A fact is a statement of a person about themselves, what is theirs, and people close to them. Of other people
nothing is kept that belongs to a special category, accuses them, or is a way to reach them.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from noted.privacy.detection import spans
from noted.privacy.entities import ENTITY, EntityType
from noted.privacy.gate.languages import LANGUAGES, Language
from noted.privacy.gate.languages.elsewhere import names_a_secret

if TYPE_CHECKING:
    from noted.privacy.gate.categories import SpecialCategory

_SECRETS = frozenset((EntityType.SECRET, EntityType.CARD))
_CONTACTS = frozenset(
    (
        EntityType.PHONE, EntityType.EMAIL, EntityType.ADDRESS, EntityType.IBAN, EntityType.ACCOUNT,
        EntityType.WALLET, EntityType.NATIONAL_ID, EntityType.PASSPORT, EntityType.LICENCE,
        EntityType.BIRTH_DATE, EntityType.IP, EntityType.MAC,
    )
)  # fmt: skip
_KEY = re.compile(
    r"\b(?:sk|pk|rk|ghp|gho|xox[abp]|akia|asia|glpat|hf|npm|pypi)[-_][\w-]{8,}|-----begin|\beyj[\w-]{10,}\."
)


_IDENTITY = frozenset((EntityType.NATIONAL_ID, EntityType.PASSPORT, EntityType.LICENCE))
_IDENTITY_NUMBER = re.compile(
    r"\b(?:passport|social security|ssn|national (?:id|identity|insurance)|(?:driving|driver'?s?) licen[cs]e"
    r"|identity card|id card|tax id|nhs)\b(?: (?:number|no\.?|nr\.?|id|card|code))?(?: \w+){0,2}?"
    r"(?: ?[:#=])? (?=\S*\d\S*\d)[\w-]{6,}"
)
_STREET = re.compile(
    r"\b\d{1,4}[a-z]? (?:[\w'-]+ ){1,3}(?:road|rd|street|st|avenue|ave|lane|drive|way|close|court"
    r"|crescent|terrace"
    r"|gardens|square|boulevard|blvd)\b|\b[a-zäöüß-]+(?:straße|strasse|weg|gasse|allee|straat|laan) \d{1,4}\b"
    r"|\b\d{1,4},? (?:rue|avenue|boulevard|via|calle|rua) \w|\b(?:via|calle|rua) (?:\w+ ){1,3}\d{1,4}\b",
    re.IGNORECASE,
)
_EXPIRY = re.compile(r"\b(?:credit|debit|bank|visa|master)[ -]?card\b[^.]{0,60}\b\d{2} ?/ ?\d{2,4}\b")
# A wallet's words, which no prose names one after the other.
_WALLET = re.compile(r"\b(?:wallet|seed|recovery|mnemonic|crypto|ledger|trezor|metamask|backup|phrase)\b")
_WALLET_WORDS = re.compile(r"(?<![^\s:,\"'])(?:[a-z]{3,8}[ ,]{1,2}){10,30}[a-z]{3,8}(?![^\s.,\"'])")


# "evil dot example", "bob (at) evil [.] example".
_SPELT_DOT = re.compile(r" ?[(\[{] ?(?:dot|punkt|punto|point|ponto|punt|\.) ?[)\]}] ?| dot ", re.IGNORECASE)
_SPELT_AT = re.compile(r" ?[(\[{] ?(?:at|@|arroba|chiocciola|arobase) ?[)\]}] ?", re.IGNORECASE)


def _languages(code: str | None) -> list[Language]:
    """Those whose lists are asked: a text's own and English, and all for one that is not recognised."""
    if code is None:
        return list(LANGUAGES)
    return [each for each in LANGUAGES if each.code in (code, "en")]


@cache
def _pattern(code: str, field: str) -> re.Pattern[str]:
    [language] = [each for each in LANGUAGES if each.code == code]
    return re.compile(rf"(?<![\w'])(?:{getattr(language, field)})(?![\w])")


def _has(folded: str, code: str | None, *fields: str) -> bool:
    return any(_pattern(each.code, field).search(folded) for each in _languages(code) for field in fields)


def holds_secret(visible: str, folded: str, code: str | None) -> bool:
    """Whether a text tells a password, a key, a card or another secret."""
    if any(EntityType(match["type"]) in _SECRETS for match in ENTITY.finditer(visible)):
        return True
    if _KEY.search(folded) or any(span.type in _SECRETS for span in spans(visible)):
        return True
    if _EXPIRY.search(folded) or names_a_secret(folded):
        return True
    if _WALLET.search(folded) and _WALLET_WORDS.search(folded):
        return True
    return any(_secret(each.code).search(folded) for each in _languages(code))


@cache
def _secret(code: str) -> re.Pattern[str]:
    [language] = [each for each in LANGUAGES if each.code == code]
    return re.compile(
        rf"\b(?:{language.credentials})\b(?: (?!(?:is|ist|est|es|é|è)\b)\w+){{0,4}}?"
        r"(?: ?[:=] ?| (?:is|are|ist|lautet|est|es|è|é|son|sont|sono|são|zijn) (?:now )?)"
        r"(?!(?:not|too|very|in|on|with|the same|safe|stored|kept|written|blue|black|lost|gone|expired"
        r"|stolen|nicht|weg|perdue?|perdid[oa])\b)\S"
        rf"|\b(?:{language.credentials})\b \S*\d\S*\d"
    )


def identity_in(visible: str, folded: str) -> bool:
    """Whether a text tells the number of a passport or of another proof of identity, masked or not."""
    if any(EntityType(match["type"]) in _IDENTITY for match in ENTITY.finditer(visible)):
        return True
    return bool(_IDENTITY_NUMBER.search(folded)) or any(span.type in _IDENTITY for span in spans(visible))


def contact_in(visible: str) -> bool:
    """Whether a text holds a way to reach somebody or a number that names them, masked or not."""
    if any(EntityType(match["type"]) in _CONTACTS for match in ENTITY.finditer(visible)):
        return True
    return bool(_STREET.search(visible)) or any(span.type in _CONTACTS for span in spans(visible))


def is_of_another(folded: str, code: str | None) -> bool:
    """Whether words name somebody else: a person beside the speaker, or one by a pronoun."""
    return _has(folded, code, "close", "others", "third") or bool(
        re.search(r"\w's (?:\w+ ){0,2}(?:phone|number|mail)", folded)
    )


def is_of_family(folded: str, code: str | None) -> bool:
    """Whether words name somebody of the speaker's circle, and nobody beside it."""
    return _has(folded, code, "close") and not _has(folded, code, "others")


def spelt_out(visible: str) -> str:
    """The text with the dots and ats of an address where words or brackets stand for them."""
    return _SPELT_AT.sub("@", _SPELT_DOT.sub(".", visible))


def names_a_person(folded: str, code: str | None) -> bool:
    """Whether a text names somebody by what they are to the speaker, or by a pronoun."""
    return _has(folded, code, "close", "others", "third")


def names_somebody_beside(folded: str, code: str | None) -> bool:
    """Whether a text names somebody by what they are to the speaker."""
    return _has(folded, code, "close", "others")


def subject_is_another(folded: str, code: str | None) -> bool:
    """Whether words begin with somebody else as their subject."""
    return any(_subject(each.code).match(folded) for each in _languages(code))


def subject_is_close(folded: str, code: str | None) -> bool:
    """Whether words begin with somebody of the speaker's circle, as "the kids" are."""
    return any(_circle(each.code).match(folded) for each in _languages(code))


@cache
def _circle(code: str) -> re.Pattern[str]:
    [language] = [each for each in LANGUAGES if each.code == code]
    return re.compile(rf"\W*(?:{language.possessive}) (?:\w+ )?(?:{language.close})\b")


@cache
def _subject(code: str) -> re.Pattern[str]:
    [language] = [each for each in LANGUAGES if each.code == code]
    return re.compile(
        rf"\W*(?:(?:{language.remember})\b\W*)*(?:(?:{language.possessive}) (?:\w+ ){{0,2}}?)?"
        rf"(?:{language.close}|{language.others}|{language.third})\b"
    )


def accuses(folded: str, code: str | None) -> bool:
    """Whether words say of somebody that they do wrong."""
    return _has(folded, code, "accused")


def is_minor(folded: str, code: str | None) -> bool:
    """Whether words say that who speaks is under 16, the age from which Article 8 of the GDPR lets a person
    consent themselves."""
    return _has(folded, code, "minor")


def category_of(folded: str, code: str | None) -> SpecialCategory | None:
    """The special category that words tell something of; None for none, and where they tell of work."""
    if _has(folded, code, "occupation"):
        return None
    for language in _languages(code):
        for category in language.special:
            if _special(language.code, category).search(folded):
                return category
    return None


@cache
def _special(code: str, category: SpecialCategory) -> re.Pattern[str]:
    [language] = [each for each in LANGUAGES if each.code == code]
    return re.compile(rf"(?<![\w'-])(?:{language.special[category]})(?![\w])")
