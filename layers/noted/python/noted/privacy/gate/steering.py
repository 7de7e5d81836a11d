"""Sentences that would steer an assistant, or grant somebody something, if they came back as memory.

Whoever can put a sentence into memory could make it say what an assistant prefers, does from now on, or may
do for this person. Each rule is put together from the word lists of every language; only rules that rest on a
single word are asked in the text's own language and in English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from noted.privacy.entities import ENTITY
from noted.privacy.gate import tacked_on
from noted.privacy.gate.decision import Reason
from noted.privacy.gate.normalise import is_hiding, is_opaque, unleeted
from noted.privacy.gate.patterns import CODE, NUMBERED, Patterns, all_patterns, patterns_of
from noted.text.folding import fold

_ROLE = re.compile(
    r"\W*(?:(?:the|note|to|for) )*(?:system|assistants?|ai|human|user|developer|tool|model|(?:chat)?bot)"
    r"(?: (?:note|message|prompt|instructions?|override|helpers?))?\s*(?::|-+(?=\s))"
)
# What an assistant is to do, does as a rule, or will do: not what it did. Not somebody's own ("her dental
# assistant").
_ASSISTANT_DOES = re.compile(
    r"(?<!'s )(?<!\bmy )(?<!\bher )(?<!\bhis )(?<!\btheir )"
    r"\b(?:assistants?|the ai|ai (?:model|assistant)s?|language models?|chat ?bots?)"
    r" (?:\w+ly )?(?:should|must|shall|ought|may|can|cannot|can't|will|won't|would|is|are|has|have|needs?"
    r"|does|do|never"
    r"|always|only|(?!was\b)\w+[^s\W]s|to (?:prefer|favou?r|trust|promote|praise|treat|ignore|disregard|skip"
    r"|omit"
    r"|remember))\b"
)
# How a person tells their name in the form of an order.
_CALL_ME = re.compile(
    r"\W*(?:[\w']+ ){0,4}?(?:call me|nenn mich|nennt mich|appelle-moi|appelez-moi|llámame|chiamami|chama-me"
    r"|noem me)"
    r" [\w'-]+(?: [\w'-]+)?\W*$"
)
# And how they are reached: "You can reach me at ...", with a number or an address that is masked.
_REACH_ME = re.compile(
    r"\W*(?:(?:please|also|and|or|just|always|best|feel free to|you (?:can|may|could)(?: always| best)?"
    r"|tu peux|vous pouvez|puedes|du kannst|sie können|puoi|podes|je kunt|du|sie) ){0,3}?"
    r"(?:(?:call|text|phone|ring|reach|contact|e-?mail|mail|write(?: to)?|message|whatsapp|ping|find) me"
    r"|ruf mich|erreichst mich|erreichen mich|mich|me joindre|m'appeler|m'écrire"
    r"|appelle[z]?-moi|écri[sv](?:ez)?-moi"
    r"|llámame|llamarme|escríbeme|chiamami|chiamarmi|scrivimi|liga-me|ligar-me|bel me|me bereiken)"
    r"(?: (?:back|bitte|mijn|my|mi|mein|the|work|private|mobile|home)){0,2}"
    r" (?:at|on|under|by|via|unter|auf|au|à|sur|al|en|a|op|no|para)"
    r"(?: (?:my|the|work|private|mobile|home)){0,2}"
    rf"(?: (?:number|phone|mail|e-?mail))? {ENTITY.pattern}"
    r"(?: (?:an|erreichen|anrufen))?"
    r"(?: (?:after|before|from|between|until|on|in|at|during) [\w: ]{1,30})?\W*$"
)
# The same within a line, where a colon may have become a dash.
_ROLE_WITHIN = re.compile(r"\s(?:system|assistant|human|developer|operator)\s?(?::|-+)\s")
# Tags of prompts and of pages, pieces of JSON, headings, templates, fences.
_MARKUP = re.compile(
    r"[<\u2039]\s*[/!?|]|[<\u2039]\s*[a-z][\w:-]{0,40}(?:\s[^<>]{0,300})?/?\s*[>\u203a]"
    r"|<\s*(?:img|script|a|iframe|svg|style|link|meta|input|form|body|object)\b"
    r"|[{\[]\s*\"\w*\"?\s*[:}\]]|\"\s*:\s*[\[{\"]|\"\s*[}\]]|!\[|\]\(|```|(?:^|\s)#{1,6}\s|\{\{|\{%|\$\{"
    r"|\{\w+\}|\[/?\s*(?:inst|sys)"
    # The same, escaped for a page, a string or an address.
    r"|&(?:lt|gt|lbrace|lsqb|#x?[0-9a-f]{2,6});|\\u00[0-9a-f]{2}|\\x[0-9a-f]{2}|%3[ce]|%0[ad]|<!\["
)
_PLACEHOLDER = re.compile(
    r"[<\u2039]\s*(?:[A-Za-z]+(?:_[A-Za-z0-9]+)+|(?-i:[A-Z]+))\s*[>\u203a]|\[\s*(?:earlier|system|assistant"
    r"|tool|user)\b[^\[\]]{0,80}\]?"
    r"|\[\s*[A-Za-z_][\w-]*(?:\.[\w-]+)+\s*\]"
    # Labels in capitals: [REDACTED], [EMAIL_1], PERSON_A, %NAME%.
    r"|\[\s*(?-i:[A-Z][A-Z_]{2,40}\d{0,3})\s*\]|(?<![\w-])(?-i:[A-Z]{3,20}_(?:[A-Z]|\d{1,3}))(?![\w-])"
    r"|(?-i:%[A-Z_]{3,40}%|__[A-Z_]{3,40}__)",
    re.IGNORECASE,
)
_TEXT_CHARACTERS = 1_000
# Of whom a person does not speak so.
_THE_USER = re.compile(
    r"\b(?:the|this) (?:user|customer)(?:'s|s)?\b(?! (?:service|support|experience|interface))"
    r"|(?:^|[:;,.] )user (?:is|has|wants|likes|loves|prefers|trusts|agrees|needs|lives|works|owns)\b"
)
# What takes hold of an assistant whatever else stands beside it.
_OVERRIDE = re.compile(
    r"\bforget (?:about )?(?:all|everything|any) (?!the time)|\bforget every rule|\b(?:ignore|disregard"
    r"|forget|override"
    r"|bypass)\w* (?:\w+ ){0,4}(?:instructions?|directives?|rules|prompts?|guidelines|told|above|training)\b"
    r"|\byou are now\b|\bdo anything now\b|\bnew instructions?\b|\bpretend (?:to be|that|you)\b"
    r"|\bact as (?:a|an|if|the)\b"
    r"|\byour (?:system )?(?:prompt|instructions|password|secret|rules|training)\b|\b(?:system"
    r"|secret) (?:prompt|password)\b"
    r"|\b(?:ignorier\w*|vergiss|vergessen sie) (?:\w+ ){0,4}(?:anweisung\w*|instruktion\w*|befehl\w*|regeln"
    r"|vorherige\w*|obige\w*|aufgaben?)"
    r"|\b(?:ignore[rz]?|oublie[rz]?) (?:\w+ ){0,4}(?:instructions?|consignes?|précédent\w*)|\b(?:ignora"
    r"|olvida|ignore|olvide) (?:\w+ ){0,4}(?:instrucciones|anterior\w*)"
    r"|\b(?:ignora|dimentica) (?:\w+ ){0,4}(?:istruzioni|precedent\w*)|\b(?:ignora|ignore|esquece"
    r"|esqueça) (?:\w+ ){0,4}(?:instruções|anterior\w*)"
    r"|\b(?:negeer|vergeet) (?:\w+ ){0,4}(?:instructies|vorige|bovenstaande)"
)


def is_markup(folded: str) -> bool:
    """Whether a folded text holds tags, JSON, headings or templates, which a fact has no use for."""
    return bool(_MARKUP.search(folded))


def holds_placeholder(visible: str) -> bool:
    """Whether a text holds a placeholder or the label of a figure, which only code may set."""
    return bool(_PLACEHOLDER.search(visible))


def claims_a_role(line: str) -> bool:
    """Whether a line begins as the word of a part of a prompt ("System:", "Assistant -")."""
    return _ROLE.match(fold(line)) is not None


def steers(sentence: str) -> bool:
    """Whether a sentence that is told to later prompts tells an assistant what to do, says what it prefers or
    will do, claims that somebody is verified, approved or has rights, or is written so that this cannot be
    told."""
    folded = fold(sentence)[:_TEXT_CHARACTERS]
    return bool(
        _ROLE.match(folded)
        or is_alias(folded)
        or is_markup(folded)
        or is_hiding(sentence)
        or is_opaque(sentence)
        or reason_in_fact(folded, None, by_report=True)
    )


def reason_in_fact(
    folded: str, code: str | None, *, by_report: bool = False, about_self: bool = False, by_user: bool = False
) -> Reason | None:
    """Why a folded fact may not be kept, whatever it rests on. `about_self` says that it rests on words that
    say "I": their base forms are no orders. `by_report` tells of a conversation, and `by_user` is what a
    person entered, where a verb may stand in any form: there only orders that steer count."""
    for text in dict.fromkeys((folded, unleeted(folded))):
        if reason := next(_commands(text), None) or (
            next(_told(text, code, every_order=not (by_report or by_user)), None) if not about_self else None
        ):
            return reason
    return None


def reason_in_words(folded: str, code: str | None) -> Reason | None:
    """Why nothing may be kept that rests on these words of a person."""
    for text in dict.fromkeys((folded, unleeted(folded))):
        about_self = is_about_self(text, code)
        if reason := next(_commands(text), None) or next(_spoken(text, code, about_self=about_self), None):
            return reason
    return None


def _commands(text: str) -> Iterator[Reason]:
    """What steers whoever says it of whom."""
    every = all_patterns()
    if _ROLE.match(text) or _ROLE_WITHIN.search(text):
        yield Reason.AUTHORITY
    if _redirects(text):
        yield Reason.ALIAS
    if any(each.trigger.search(text) for each in every) and not is_alias(text):
        yield Reason.TRIGGER
    if any(each.rights.search(text) for each in every):
        yield Reason.AUTHORITY
    if any(each.wanted.search(text) or each.must.search(text) for each in every):
        yield Reason.DIRECTIVE
    if tacked_on.arms_a_word(text):
        yield Reason.TRIGGER
    if tacked_on.orders(text):
        yield Reason.DIRECTIVE


def _told(text: str, code: str | None, *, every_order: bool) -> Iterator[Reason]:
    """What steers in a fact, which has no subject."""
    every, own = all_patterns(), patterns_of(code)
    if _ASSISTANT_DOES.search(text) or any(_is_standing_order(text, each) for each in every):
        yield Reason.DIRECTIVE
    if any(each.steering_order.match(text) or (every_order and each.order.match(text)) for each in own):
        yield Reason.DIRECTIVE
    if praises(text):
        yield Reason.RECOMMENDATION


def _spoken(text: str, code: str | None, *, about_self: bool) -> Iterator[Reason]:
    """What steers in the words of a person, who may say of themselves what would be an order to others."""
    every, own = all_patterns(), patterns_of(code)
    if any(each.if_you.search(text) for each in own):
        yield Reason.DIRECTIVE
    if about_self:
        if any(each.you.search(text) for each in own) and any(
            _is_standing_order(text, each) for each in every
        ):
            yield Reason.DIRECTIVE
        return
    if any(_is_standing_order(text, each) or each.from_now.search(text) for each in every):
        yield Reason.DIRECTIVE
    if any(each.addressed.match(text) or each.steering_order.match(text) for each in own):
        yield Reason.DIRECTIVE
    if praises(text):
        yield Reason.RECOMMENDATION


def _is_standing_order(text: str, patterns: Patterns) -> bool:
    """Whether it is said what is to be done always, in every answer, or without the checks that there are."""
    return any(
        pattern.search(text) for pattern in (patterns.always, patterns.every_answer, patterns.no_checks)
    )


def is_about_self(folded: str, code: str | None) -> bool:
    """Whether words begin with the speaker as their subject, or with something of theirs."""
    if introduces(folded):
        return True
    for each in patterns_of(code):
        if each.about_self.match(folded) and not (
            each.order.match(folded) and not _opens_with_self(folded, each)
        ):
            return True
    return False


def introduces(folded: str) -> bool:
    """Whether words tell how their speaker is called or reached, in the form of an order."""
    return bool(_CALL_ME.match(folded) or _REACH_ME.match(folded))


def _opens_with_self(folded: str, patterns: Patterns) -> bool:
    lead = patterns.lead.match(folded)
    return bool(patterns.self_word.match(folded, lead.end() if lead else 0))


def overrides(folded: str) -> bool:
    """Whether a message tries to take hold of an assistant: nothing of it is kept, as nothing tells how much
    of the rest serves that."""
    return bool(_OVERRIDE.search(folded))


def speaks_of_the_user(folded: str) -> bool:
    """Whether words speak of a user as of somebody else."""
    return bool(_THE_USER.search(folded))


def is_alias(folded: str) -> bool:
    """Whether words give a name or an identifier another meaning."""
    if any(each.alias.search(folded) for each in all_patterns()):
        return True
    return bool(CODE.search(folded)) and any(each.means.search(folded) for each in all_patterns())


def praises(folded: str) -> bool:
    """Whether words praise a source, a provider or a product as the one to go by."""
    return any(each.endorsed.search(folded) for each in all_patterns())


def trusts_a_name(visible: str, patterns: tuple[Patterns, ...]) -> bool:
    """Whether a fact says that somebody trusts what is named with a capital letter."""
    for each in patterns:
        found = re.search(each.trust.pattern, visible, re.IGNORECASE)
        if found and visible[found.end() : found.end() + 1].isupper():
            return True
    return False


def _redirects(text: str) -> bool:
    """Whether a text says that what is asked of one number is answered from another."""
    numbers = {match["number"] for match in NUMBERED.finditer(text)}
    return len(numbers) > 1 and any(each.moved.search(text) for each in all_patterns())
