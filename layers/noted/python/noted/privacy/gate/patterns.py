"""The rules of steering, put together from the word lists of one language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from noted.privacy.gate.languages import LANGUAGES, Language

_NUMBERED = (
    r"\b(?:accounts?|customers?|clients?|plans?|orders?|contracts?|users?|polic(?:y|ies)|numbers?|ids?|konto"
    r"|kunde|kundin|vertrag"
    r"|compte|client|cuenta|cliente|conto|conta|rekening|klant|nummer|numéro|número|numero)(?: (?:no\.?"
    r"|number|nr\.?|#))? ?#?"
    r"(?P<number>\w*\d\w*)"
)
NUMBERED = re.compile(_NUMBERED)
# Languages that leave the pronoun out.
_ALIKE = ("es", "it", "pt")
# Code-like words: with a digit.
CODE = re.compile(r"\b[a-z]*\d[\w-]*\b")


@dataclass(frozen=True)
class Patterns:
    """What a language's lists amount to. Each is searched in folded text."""

    code: str
    self_word: re.Pattern[str]
    about_self: re.Pattern[str]
    possession: re.Pattern[str]
    lead: re.Pattern[str]
    asked: re.Pattern[str]
    order: re.Pattern[str]
    steering_order: re.Pattern[str]
    you: re.Pattern[str]
    address: re.Pattern[str]
    addressed: re.Pattern[str]
    subject: re.Pattern[str]
    if_you: re.Pattern[str]
    always: re.Pattern[str]
    must: re.Pattern[str]
    from_now: re.Pattern[str]
    every_answer: re.Pattern[str]
    no_checks: re.Pattern[str]
    wanted: re.Pattern[str]
    trigger: re.Pattern[str]
    alias: re.Pattern[str]
    means: re.Pattern[str]
    moved: re.Pattern[str]
    rights: re.Pattern[str]
    endorsed: re.Pattern[str]
    trust: re.Pattern[str]
    source: re.Pattern[str]


def _compiled(language: Language) -> Patterns:
    lang = language
    you = rf"{lang.address}|{lang.you}"
    order_follows = (
        r"(?![-:']| (?:of|to|for|from|with|and|in|on|about|was|were|is|are|had|has|heißt|ist|est|es|è|é)\b)"
    )
    lead = rf"\W*(?:(?:{lang.remember})\b\W*)*"
    person = rf"(?:{lang.self_words})\b"
    return Patterns(
        code=lang.code,
        self_word=re.compile(rf"(?<![\w])(?:{lang.self_words})(?![\w])"),
        about_self=re.compile(
            rf"{lead}(?:{person}|(?:\w+,? ){{1,2}}(?:{lang.subject})\b|(?:{lang.self_verbs}))"
        ),
        possession=re.compile(rf"\b(?:{lang.possessive}) \w+"),
        lead=re.compile(lead),
        asked=re.compile(rf"\W*(?:[^\W\d_]+\W+){{0,3}}?(?:{lang.memorise})(?!\w)"),
        order=re.compile(rf"{lead}(?:{lang.orders})\b{order_follows}"),
        steering_order=re.compile(rf"{lead}(?:(?:{lang.always}) )?(?:{lang.steer})\b{order_follows}"),
        you=re.compile(rf"\b(?:{you})\b"),
        address=re.compile(
            rf"(?<!thank )(?<!tell )(?<!told )(?<!letting )(?<!inform )\b(?:{lang.address})\b(?! know\b)"
        ),
        subject=re.compile(rf"\b(?:{lang.subject})\b"),
        addressed=re.compile(rf"{lead}(?:(?:\w+,? ){{0,2}})(?:{you})\b"),
        if_you=re.compile(rf"\b(?:{lang.if_you})"),
        always=re.compile(
            rf"\b(?:{lang.always})\b,?(?: \w+){{0,4}}? (?:{lang.steer})\b"
            rf"|(?:^|[,;:.!-] |\b(?:{you}) (?:\w+ )?)(?:{lang.steer})\b(?: \S+){{0,4}}? (?:{lang.always})\b"
        ),
        must=re.compile(
            rf"\b(?:{you})\b(?: \w+)? (?:{lang.must})\b(?: \w+){{0,5}}? (?:{lang.steer})\b"
            rf"|\b(?:{lang.must})\b,? (?:{you})\b(?: \w+){{0,5}}? (?:{lang.steer})\b"
            rf"|\b(?:{lang.you_must})\b(?: \w+){{0,3}}? (?:{lang.steer})\b"
        ),
        from_now=re.compile(rf"\b(?:{lang.from_now})\b,? (?!{person}|(?:{lang.self_verbs}))"),
        every_answer=re.compile(rf"\b(?:{lang.every_answer})\b"),
        no_checks=re.compile(rf"\b(?:{lang.no_checks})\b"),
        wanted=re.compile(rf"\b(?:{lang.wanted})"),
        trigger=re.compile(
            rf"\b(?:{lang.when}) (?:\w+ ){{0,2}}?(?:{lang.speech})\b[^.]{{0,100}}?(?:[,:;] "
            rf"|\bthen )(?:\w+ )?(?:{lang.orders}|{lang.steer})\b"
            rf"|\b(?:{lang.when}) (?:\w+ ){{0,2}}?(?:{lang.speech})\b[^.,]{{0,60}}[,:;] "
            rf"(?!(?:{lang.self_words}|{lang.subject}|{lang.third}|{lang.possessive}|it|it's|there|people"
            rf"|everyone)(?!\w))"
            rf"|^\W*(?:{lang.when})\b[^.]{{1,100}}?[,:;] (?:\w+ )?(?:{lang.orders})\b{order_follows}"
            rf"|^{lead}(?:{lang.orders}"
            rf"|{lang.steer})\b[^.]{{0,100}}\b(?:{lang.when}) (?:\w+ ){{0,3}}?(?:{lang.speech})\b"
        ),
        alias=re.compile(
            rf"\b(?:{lang.when}|by|with|mit|par|con|com|met)\b[^.]{{1,80}}?(?<!\w)(?:{lang.means})\b"
            if lang.means != r"(?!)"
            else r"(?!)"
        ),
        means=re.compile(rf"(?<!\w)(?:{lang.means})\b"),
        moved=re.compile(rf"\b(?:{lang.moved})\b"),
        rights=re.compile(rf"\b(?:{lang.rights})"),
        endorsed=re.compile(
            rf"\b(?:{lang.best})\b(?: \S+){{0,3}}? (?:{lang.source})\b"
            rf"|\b(?:{lang.source})\b[^.]{{0,60}}\b(?:{lang.best})\b|\b(?:{lang.praise})"
        ),
        trust=re.compile(rf"\b(?:{lang.trust}) (?!(?:{lang.possessive}|{lang.third}|people|others|god)\b)"),
        source=re.compile(rf"\b(?:{lang.source})\b"),
    )


@cache
def all_patterns() -> tuple[Patterns, ...]:
    """Those of every language, compiled once."""
    return tuple(map(_compiled, LANGUAGES))


@cache
def patterns_of(code: str | None) -> tuple[Patterns, ...]:
    """Those of a language, and of English, written everywhere; only English for one without lists. Spanish,
    Italian and Portuguese go together: a few words do not tell one from another."""
    codes = _ALIKE if code in _ALIKE else (code,)
    return tuple(each for each in all_patterns() if each.code == "en" or each.code in codes)
