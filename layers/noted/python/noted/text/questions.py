"""Whether a statement reads as a question.

Facts are written without a subject, so "Is a fan of jazz" and "Can swim" are statements: no helper verb is a
question word. One before a subject is: "Do you think so". Not before "it" and "there", which can also be what
was said ("Does IT support", "Is there on Sundays"). The words are English only: "was" opens English facts
and German questions, "como" is Spanish for "I eat" and, with an accent, for "how". The question mark is that
of any script.
"""

from __future__ import annotations

import re
import unicodedata

from noted.text.characters import is_invisible
from noted.text.folding import fold

QUESTION_MARKS = frozenset(
    "?\uff1f\ufe56\ufe16"  # Latin, full width, small, vertical
    "\u061f\u2e2e\u2cfa\u2cfb\u1367\u055e"  # Arabic, reversed, Coptic, Ethiopic, Armenian
    "\ua60f\ua6f7\U00011143"  # Vai, Bamum, Chakma
    "\u037e"  # Greek, which every Unicode normal form turns into a semicolon
    "\u203d\u2047\u2048\u2049\u2e54\u2e18"  # interrobang, doubled, with an exclamation mark, medieval
    "\u2753\u2754"  # emoji
)
_ARMENIAN_MARK = "\u055e"  # stands over the word that is asked, not at the end
_QUOTED = re.compile('\u00ab[^\u00ab\u00bb]*\u00bb|\u201c[^\u201c\u201d]*\u201d|"[^"]*"')

QUESTION_WORDS = frozenset(
    "who whom whose what when where why which how whence whither wherefore whos whats wheres hows".split()
)
_CONTRACTIONS = frozenset({"s", "re", "d", "ll", "ve", "m"})

_INTERROGATIVE = r"(?:if|whether|who|whom|whose|what|when|where|why|which|how)\b"
_SUBJECT = r"(?:(?:the\ )?(?:user|customer|client|person|speaker)|i|he|she|they)"
_PHRASE = re.compile(
    rf"""(?:{_SUBJECT}\ )?(?:(?:is|was|are|am|were|has|had|been|have)\ )*
    (?:(?:also|just|still|really|now|often|always|sometimes|only|currently)\ )*
    (?:
      (?:wants?|wanted|wanting|wish(?:es|ed)?|needs?|needed|hop(?:es?|ed|ing)|tr(?:y|ies|ied|ying)|longs?
        |seeks?|sought|asks?|asked|asking|curious|keen|eager|interested|looking|likes?
        |would\ (?:(?:also|really)\ )?(?:like|love|want))
        \ (?:to\ know|in\ knowing)\b
    | (?:i|he|she|they)'d\ (?:like|love)\ to\ know\b
    | (?:wants?|wanted|wish(?:es)?|needs?|tr(?:ies|ying)|looking|hop(?:es|ing)|would\ (?:like|love))
        \ to\ (?:ask|find\ out|be\ told)\ (?:about\ )?{_INTERROGATIVE}
    | wonder(?:s|ed|ing)?,?\ (?:about\b|{_INTERROGATIVE})
    | curious\ (?:about\ )?{_INTERROGATIVE}
    | (?:asks?|asked|(?:inquir|enquir)(?:es?|ed|ing)|quer(?:ies|ied))
        \ (?:the\ assistant\ )?(?:about\ )?{_INTERROGATIVE}
    | (?:inquir|enquir)(?:es|ed|ing)\ about\b
    )""",
    re.VERBOSE,
)
_ASKING = re.compile(
    rf"(?:{_SUBJECT} )?(?:is|was|am|are) (?:also |just |still )?asking\b(?! (?:her|his|their|my)\b)"
)
# What people say before they come to the point.
_LED_IN = re.compile(
    r"(?:(?:uh|um|oh|well|so|and|but|or|okay|ok|yeah|hey|anyway|you know|i mean)\b[\s,.!-]*)+", re.IGNORECASE
)
_HELPER = (
    r"(?:is|are|am|was|were|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must"
    r"|ca|wo)(?:n't)?"
)
# "And what is it", but not "And when I was young".
_ASKED = re.compile(
    rf"(?:who|whom|whose|what|when|where|why|which|how)(?:'s|'re| {_HELPER}| about| else| come)\b"
)
_INVERTED = re.compile(
    rf"{_HELPER} (?:i|you|he|she|we|they|anyone|anybody)\b"
    r"|(?:is|are|was|were|do|does|did|has|have|had|ca|could|wo|would|should)n't (?:it|that|this)\b"
    r"|(?:i )?(?:don't|do not|doesn't) know (?:if|whether) you\b"
)
_TAG = re.compile(r", (?:right|huh|eh)\W*$")
_OTHER_LANGUAGES = re.compile(
    r"(?:quiere saber|quisiera saber|(?:le )?gustar[ií]a saber|se pregunta (?:si|qué|cómo|dónde|cuándo)"
    r"|quer saber|gostaria de saber"
    r"|veut savoir|voudrait savoir|aimerait savoir|se demande (?:si|comment|quand|où|pourquoi)"
    r"|(?:will|möchte|wollte) wissen|fragt(?: sich)?,? (?:ob|wie|wo|wann|warum|wer|was)"
    r"|vuole sapere|vorrebbe sapere|wil weten|zou willen weten)\b"
)
_PAIRS = {
    '"': '"', "'": "'", "`": "`\u00b4", "\u00b4": "`\u00b4", "\uff02": "\uff02", "\uff07": "\uff07",
    "\u201d": "\u201c\u201d\u201e\u201f", "\u201c": "\u201e\u201c",
    "\u2019": "\u2018\u2019\u201a", "\u2018": "\u201a\u2018",
    "\u00bb": "\u00ab\u00bb", "\u00ab": "\u00bb", "\u203a": "\u2039\u203a", "\u2039": "\u203a",
    "\u300d": "\u300c", "\u300f": "\u300e", "\u300b": "\u300a", "\u3009": "\u3008",
    "\u301e": "\u301d", "\u301f": "\u301d", "\ufe42": "\ufe41", "\ufe44": "\ufe43",
}  # fmt: skip
_ENDINGS = frozenset("!\uff01\ufe57\u00a1\u203c\u055c\u2755\u2757.\u2026\u3002\uff0e,*_~")
_OPENING = re.compile(r"[\s\-*_#>(\[\u00bf\u2022\u00a1]*")
_FIRST_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")


def reads_as_question(text: str) -> bool:
    """Whether a statement is a question: a question mark ends it, its first whole word is a question word, it
    starts with words such as "wants to know" or "wonders whether" or with a helper verb before its subject,
    or ends with a tag (", right"). What leads in ("Well, ") does not count.

    Quotes come off only where they wrap the whole text, so that a title keeps its own mark.
    """
    if ends_with_question_mark(text):
        return True
    opening = fold(_unwrapped(text))
    opening = opening[_opening_length(opening) :]
    first = _FIRST_WORD.match(opening)
    if first and _is_question_word(first.group()):
        return True
    if _TAG.search(opening):
        return True
    if led_in := _LED_IN.match(opening):
        opening = opening[led_in.end() :]
        if _ASKED.match(opening):
            return True
    return any(pattern.match(opening) for pattern in (_PHRASE, _ASKING, _INVERTED, _OTHER_LANGUAGES))


def ends_with_question_mark(text: str) -> bool:
    """Whether a question mark ends the text. Blanks, full stops, `!`, emoji and closing brackets may
    follow it, and a closing quote that was never opened or that wraps the whole text."""
    left = text
    if _ARMENIAN_MARK in _QUOTED.sub("", _unwrapped(text)):
        return True
    while True:
        left = _trimmed(left)
        if left.endswith(tuple(QUESTION_MARKS)):
            return True
        if left.endswith(";") and _is_greek(left[:-1].rstrip()[-1:]):
            return True  # Greek keyboards type the semicolon, to which Unicode declares their mark equal
        inner = _unwrapped(left)
        if inner == left:
            return False
        left = inner


def _opening_length(text: str) -> int:
    opening = _OPENING.match(text)
    return opening.end() if opening else 0


def _is_question_word(word: str) -> bool:
    base, _, ending = word.partition("'")
    return base in QUESTION_WORDS and (not ending or ending in _CONTRACTIONS)


def _is_greek(character: str) -> bool:
    return bool(character) and unicodedata.name(character, "").startswith("GREEK")


def _trimmed(text: str) -> str:
    """Without what may follow the mark that ends a statement."""
    end = len(text)
    while end and text[end - 1] not in QUESTION_MARKS and _may_follow(text[:end]):
        end -= 1
    return text[:end]


def _may_follow(text: str) -> bool:
    last = text[-1]
    if last.isspace() or last in _ENDINGS or is_invisible(last):
        return True
    if last in _PAIRS:
        return not _is_opened(text[:-1], last)
    return unicodedata.category(last) in ("Pe", "So", "Sk", "Cc", "Me")


def _is_opened(before: str, closing: str) -> bool:
    """Whether a quote that stands open before this place is closed by this mark."""
    openings = _PAIRS[closing]
    if closing in openings:
        marks = re.sub(r"(?<=\w)['\u2019](?=\w)", "", before)
        return sum(marks.count(mark) for mark in openings) % 2 == 1
    return sum(before.count(mark) for mark in openings) > before.count(closing)


def _unwrapped(text: str) -> str:
    """Without the quotes that wrap the whole text, however many there are."""
    left = text
    while True:
        left = left.strip()
        while left and is_invisible(left[-1]):
            left = left[:-1].rstrip()
        body = left.rstrip("!\uff01 ")
        closing = body[-1:]
        if len(body) < 2 or closing not in _PAIRS or body[0] not in _PAIRS[closing]:
            return left
        inner = body[1:-1]
        between = re.sub(r"(?<=\w)['\u2019](?=\w)", "", inner)
        if any(mark in between for mark in {body[0], closing}):
            return left
        left = inner
