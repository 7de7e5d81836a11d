"""Sentences that would steer an assistant, or grant somebody something, if they came back as memory.

A summary is told to later prompts as what was talked about. Whoever can put a sentence into a conversation
could make it say what an assistant prefers, does from now on, or may do for this customer. What a customer
wanted and what an assistant did is told in the past; what holds from now on is no matter of a summary. Read
from English, with the commonest forms of some neighbours. Polite steering ("I would feel calmer if ...") has
few marks of its own, and much of it passes.
"""

from __future__ import annotations

import re
import unicodedata

from noted.text.folding import fold

# Not somebody's own ("her dental assistant").
_ASSISTANT = (
    r"(?<!'s )(?<!\bmy )(?<!\bher )(?<!\bhis )(?<!\btheir )"
    r"\b(?:assistants?|the ai|ai (?:model|assistant)s?|language models?|chat ?bots?)"
)
_ANSWERS = r"(?:answers?|repl(?:y|ies)|responses?)"
# In their base form, which tells an order from a report.
_STEER = (
    r"(?:recommend|suggest|promote|mention|advise|prefer|favou?r|trust|use|tell|say|answer|reply|respond"
    r"|treat|follow|obey|act|pretend|ignore|disregard|skip|praise|cite|include|append|finish|sell|ask"
    r"|confirm|save|forward)"
)
_WARNINGS = r"(?:approvals?|confirmations?|verifications?|authori[sz]ations?|checks?|warnings?|disclaimers?)"

# Whose word a line claims to be. A safe line has a dash for the colon of a role.
_ROLE = re.compile(
    r"\W*(?:(?:the|note|to|for) )*(?:system|assistants?|ai|human|user|developer|tool|model|(?:chat)?bot)"
    r"(?: (?:note|message|prompt|instructions?|override|helpers?))?\s*(?::|-+(?=\s))"
)
# An order at the start of a sentence. What tells of a conversation often starts with a noun that could be a
# verb ("Order PO-7741 came late"), so only words that steer an assistant or move something count.
_ORDER = re.compile(
    r"\W*(?:please|always|never|remember|do not|don't|make sure|be sure|ensure|note that)\b"
    rf"|\W*(?:{_STEER}|send|transfer|pay|click|visit|open|download|call|write|give)"
    r"(?![-:]| (?:of|to|for|from|with|and|in|on|about|was|were|is|are|had|has)\b)\b"
)
_DIRECTIVE = re.compile(
    # What an assistant is to do, does as a rule, or will do. Not what it did.
    rf"{_ASSISTANT} (?:\w+ly )?(?:should|must|shall|ought|may|can|cannot|can't|will|won't|would|is|are|has"
    r"|have|needs?|does|do|never|always|only|(?!was\b)\w+[^s\W]s)\b"
    r"|\b(?:assistants?|ai|model|(?:chat)?bot|you) (?:to |will |is |are |has to |have to |should |must )*"
    r"(?:always|never|from now on)\b"
    rf"|{_ASSISTANT} to (?:prefer|favou?r|trust|promote|praise|treat|ignore|disregard|skip|omit|remember)\b"
    r"|\b(?:(?:ai|model|(?:chat)?bot) (?:should|must)|you (?:should|must|shall|have to|are to|need to|may))\b"
    rf"|\b(?:always|never) {_STEER}\b|(?:\b(?:and|then|so)|,) (?:please )?(?:recommend|promote|praise)\b"
    r"|\bto (?:prefer|favou?r|trust|promote|praise|treat|ignore|disregard|skip|omit|always|never|only)\b"
    rf"(?=.*\b(?:assistant|ai|{_ANSWERS}|warnings?|safety|rules?|instructions?)\b)"
    rf"|\b(?:every|each|all|future) (?:\w+ )?{_ANSWERS}\b|\b{_ANSWERS} (?:must|should|shall|has to|have to)\b"
    r"|\b(?:wants?|wanted|would like|expects?|wishes|prefers?|likes?|needs?|calmer|happier|better)"
    r" (?:\w+ )?(?:to be|if|when|being) (?:\w+ )?(?:told|recommended|treated|asked)\b"
    rf"|\b(?:wants?|wanted|expects?|prefers?|likes?) (?:the |its |their )?{_ANSWERS} (?:to|that|without)\b"
    r"|\b(?:ignore|disregard|override|forget|skip|bypass) (?:all|any|every|the|these|those|previous|prior"
    r"|safety|earlier)\b|\bfrom now on\b|\bin (?:all|every) future\b|\bgoing forward\b"
    r"|\b(?:system|developer) (?:prompt|message|note)\b|\bmemory (?:policy|entry)\b|\bnew instructions?\b"
    r"|\binstructions? (?:is|are|says?|must|(?:to|for) (?:the |an )?(?:assistant|ai))\b"
    r"|(?:^|\s)(?:system|assistant|human|developer)\s-+\s|\[(?:system|assistant|tool|user)\b"
    # What is to be done once a word falls, or after every chat.
    r"|(?:^|, |\bto |\bplease )(?:store|save|record|remember|note) that\b|\bin(?:to)? (?:your|its) memory\b"
    r"|\b(?:whenever|every time|each time|as soon as|if|when)\b[^.]{1,80}[,:] ?(?:then |please )*"
    rf"(?:{_STEER}|send|store|record|give|write)\b(?! (?:was|were|is|are|had|has)\b)"
    r"|\b(?:forward|send|sent|mail)\b.*\b(?:after|at the end of) (?:each|every)\b"
    # What comes first, or is the one to go by.
    r"|\b(?:come|comes|put|listed|named|mentioned|recommended|shown|ranked|wants? \w+) first\b"
    r"|\b(?:trusted|trustworthy|authoritative|preferred|recommended|chosen|go-to|official|most reliable)"
    r" (?:\w+ ){0,2}(?:sources?|advis[eo]rs?|providers?|partners?|accounts?|authority)\b"
    # Other languages.
    r"|\bab (?:jetzt|sofort)\b|\bvon nun an\b|\bin zukunft immer\b|\bimmer\b.*\b(?:empf[ie]+hl|erwähn)"
    r"|\bde ahora en adelante\b|\bà partir de maintenant\b|\bdésormais\b|\bd'ora in (?:poi|avanti)\b"
    r"|\bde agora em diante\b|\bvoortaan\b"
    r"|\b(?:siempre|toujours|sempre) (?:recom|raccom|consigli)"
    r"|\b(?:recom[ie]+nda|recommande|raccomanda|consiglia) (?:siempre|toujours|sempre)\b"
)
# What makes somebody more than any customer is: nothing that was said proves it.
_AUTHORITY = re.compile(
    r"\b(?:is|are|was|were|be|been|being|as) (?:(?:\w+ly|now|already|the|an?) )*"
    r"(?:verified|authenticated|authori[sz]ed|white-?listed|pre-?approved|trusted)\b"
    r"|\b(?:is|are) (?:(?:\w+ly|now|already) )*approved\b"
    r"|\b(?:system|admin(?:istrator)?) (?:has |have )?(?:verified|confirmed|authori[sz]ed|approved)\b"
    r"|\b(?:has|have|had|with|gets?|holds?|enjoys?) (?:\w+ ){0,2}(?:admin\w*|premium|root|super-?user"
    r"|privileged|elevated|unlimited|unrestricted|vip|developer) (?:\w+ )?(?:rights?|access|privileges?"
    r"|permissions?|status|role|clearance)\b"
    r"|\b(?:is|are|as|be|become) (?:now |already )?an? (?:admin(?:istrator)?|super-?user|moderator|vip"
    r"|(?:premium|vip|trusted|verified) (?:customer|member|user|client|partner))\b"
    r"|\bother (?:customer|user|client)s?'?s? (?:\w+ )?(?:records?|data|accounts?|facts?|files?)\b"
    rf"|\b(?:needs?|requires?|with) (?:\w+ )?no (?:\w+ )?{_WARNINGS}\b"
    rf"|\bwithout (?:safety|further|any) {_WARNINGS}\b|\basked (?:for|to) confirm"
    r"|\bconfirmed by (?:the )?(?:user|system)\b|\ball facts\b"
    r"|\bto be treated as\b|\btreat(?:s|ed)? (?:me|the customer|the user|this customer|them) as\b"
    r"|\b(?:agree[sd]?|consent(?:s|ed)?) to (?:\w+ )?(?:data|marketing|tracking)\b"
)
# Tags of prompts, and pieces of JSON.
_MARKUP = re.compile(r"[<\u2039]\s*[/|!]?\s*[a-z|]|[{\[]\s*\"\w*\"?\s*[:}\]]|\"\s*:\s*[\[{\"]|!\[")
# Written so that no rule about words finds it: single letters, or a code.
_SPACED_OUT = re.compile(r"(?:(?<!\w)[^\W\d_]\s){5,}[^\W\d_](?!\w)")
_OPAQUE = re.compile(r"\b(?=\w*[a-z])(?=\w*[A-Z])\w{24,}")
_WORD = re.compile(r"[^\W\d_]{2,}")
_ALIKE = frozenset(("LATIN", "CYRILLIC", "GREEK"))


def steers(sentence: str) -> bool:
    """Whether a sentence tells an assistant what to do, says what it prefers or will do, claims that somebody
    is verified, approved or has rights, or is written so that this cannot be told."""
    folded = fold(sentence)
    return bool(
        _ROLE.match(folded)
        or _ORDER.match(folded)
        or any(pattern.search(folded) for pattern in (_DIRECTIVE, _AUTHORITY, _MARKUP))
        or _is_disguised(sentence)
    )


def claims_a_role(line: str) -> bool:
    """Whether a line begins as the word of a part of a prompt ("System:", "Assistant -")."""
    return _ROLE.match(fold(line)) is not None


def _is_disguised(sentence: str) -> bool:
    if _SPACED_OUT.search(sentence) or _OPAQUE.search(sentence):
        return True
    return not sentence.isascii() and any(_is_mixed(word) for word in _WORD.findall(sentence))


def _is_mixed(word: str) -> bool:
    """Whether a word has letters of two alphabets that look alike."""
    return len({unicodedata.name(letter, "").partition(" ")[0] for letter in word} & _ALIKE) > 1
