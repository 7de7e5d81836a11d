"""Which words of a message are its author's own, where the client did not mark what was pasted.

What was quoted, fenced, forwarded, returned by a tool or handed over to be worked on is somebody else's, even
where it says "I". It is overwritten, and everything else keeps its place. Each mark is looked for once, from
left to right, so that a message of nothing but marks takes no longer than any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from noted.privacy.gate.imagined import imagined
from noted.privacy.gate.languages import LANGUAGES
from noted.text.characters import blotted

SHORT_QUOTATION_WORDS = 5
_MOST_QUOTATIONS = 50  # of a person's own; what has more is data

# What stands between marks like these, on a quoted line or in a fence is somebody else's, unless it is short:
# a title or a word in quotation marks belongs to the sentence around it. No mark reaches over the next one of
# its kind.
_QUOTATION = re.compile(
    r"(?P<fence>```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|\"{3}.*?(?:\"{3}|\Z)|'{3}.*?(?:'{3}|\Z))"
    r"|(?P<line>^[ \t]*>[^\n]*)"
    r"|(?P<marks>\"[^\"]*\"|\u201c[^\u201c\u201d]*\u201d"
    r"|\u201e[^\u201c-\u201e]*[\u201c\u201d]|\u00ab[^\u00ab\u00bb]*\u00bb|\u300c[^\u300c\u300d]*\u300d"
    r"|(?<![^\W_])['\u2018](?=\S)(?:[^'\u2018\u2019]|(?<=\w)['\u2019](?=\w))*['\u2019](?![^\W_]))",
    re.DOTALL | re.MULTILINE,
)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,300}>|<[|!?][^<>\n]{0,300}>")
# The head of a mail that was forwarded or answered, in the languages that are read.
_MAIL = re.compile(
    r"^[ \t>]*(?:(?:from|von|de|da|van)[ \t]*:[^\n]*(?:@|<|\n[ \t>]*(?:to|an|à|a|para|aan|sent|date|datum"
    r"|fecha|data"
    r"|subject|betreff|objet|asunto|assunto|oggetto|onderwerp|gesendet|envoyé|enviado|inviato"
    r"|verzonden)[ \t]*:)"
    r"|(?:subject|betreff|objet|asunto|assunto|oggetto|onderwerp|cc|reply-to|received)[ \t]*:"
    r"|-{2,}[^\n]{0,40}(?:message|nachricht|mensaje|messaggio|mensagem|bericht|forwarded"
    r"|weitergeleitet)[^\n]{0,40}-{2,}"
    r"|(?:on|am|le|el|il|em|op)\b[^\n]{4,100}(?:wrote|schrieb|a écrit|escribió|ha scritto|escreveu"
    r"|schreef)[^\n]{0,20}:)"
    r"|\bsubject[ \t]*:[^\n|]{0,300}\|",
    re.IGNORECASE | re.MULTILINE,
)
_SALUTATION = re.compile(
    r"^[ \t]*(?:dear|sehr geehrte[rs]?|liebe[rs]?|chère?s?|cher|estimad[oa]s?|querid[oa]s?|gentile|caro|cara"
    r"|car[oa]s?"
    r"|prezad[oa]s?|exm[oa]|beste|geachte)\b[^\n]{1,60},[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
# A line that speaks as a part of a prompt or as a person in a transcript.
_ROLE_LINE = re.compile(
    r"^[ \t]*(?:system|assistant|human|user|developer|tool|ai|bot|chatbot|model|gpt|chatgpt|claude|agent)"
    r"(?:[ \t]+(?:note|message|prompt|instructions?|override))?[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)
_SPEAKER_LINE = re.compile(r"^[ \t]*(?:\[[\d:, /.]{4,20}\][ \t]*)?[A-Z][\w.' -]{0,24}:[ \t]+\S", re.MULTILINE)
# A call or an assignment of a program: `memory.save(...)`, `user_fact: ...`.
_CALL = re.compile(
    r"\b[A-Za-z]\w{0,40}(?:\.\w{1,40}){1,5}\([^\n]*"
    r"|(?<!\u27e6)\b(?=[A-Za-z]{1,40}_)\w{2,80}(?:\(|[ \t]*[:=])[^\n]*"
)
_JSON = re.compile(r"[\"\u201d]\s*[}\]]|[{\[]\s*\"|\"\s*:\s*[\[{\"\d]|\{\s*\w+\s*:")

# Marks that only a forged part of a prompt has: nothing of such a message is kept.
_FORGED = re.compile(
    r"<\|[^<>\n]{0,40}\|?>|</?\s*(?:system|assistant|human|user|developer|tool|memor(?:y|ies)|facts?|summary"
    r"|s|bos|eos|pad|think|prompt|(?:start|end)_of_(?:turn|text)|tool_calls?|function_results?"
    r"|instructions?|conversation|context|data|function_calls?|invoke)\b[^<>\n]{0,80}>"
    r"|\[/?\s*(?:inst|sys|system_prompt|available_tools|tool_calls|tool_results)\s*\]"
    r"|[-=*_#]{3,}\s*(?:begin|end|start|stop)(?:ing)?(?: of)?(?: the)? (?:\w+ )?(?:user|system|data"
    r"|input|prompt|context|message|instructions?|memory|conversation|document|content|text)\b"
    r"|<</?\s*sys\s*>>|\"\s*[}\]]\s*[,\]}]",
    re.IGNORECASE,
)
_FORGED_ROLE = re.compile(
    r"^[ \t]*(?:system|assistant|human|developer|tool)(?:[ \t]+(?:note|message|prompt|instructions?"
    r"|override))?[ \t]*:"
    r"|^[ \t]*#{1,6}[ \t]*(?:instructions?|response|system|input|human|assistant|user)\b[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)

# A text that was found, and follows in the same line.
_FOUND = re.compile(
    r"(?:^|(?<=[.!?\n] ))(?:here(?:'s| is| are)|hier ist|voici|aquí (?:está|tienes)|ecco|aqui está|hier is)"
    r" (?!my|our|mein|mon|ma|mes|mi|il mio|la mia|meu|minha|mijn)(?P<what>[^.:!?\n]{2,80})\. (?=[^\0])",
    re.IGNORECASE | re.MULTILINE,
)

_TASK = "|".join(language.task for language in LANGUAGES)
_DOCUMENT = "|".join(language.document for language in LANGUAGES)
_REPORTED = "|".join(language.reported for language in LANGUAGES)
_SELF = "|".join(language.self_words for language in LANGUAGES)
_REMEMBER = re.compile(
    r"\b(?:remember|keep in mind|note (?:that|down|to)|save this|store this|for the record|merk|notier"
    r"|retiens|note que|recuerda"
    r"|anota|ricorda|segna|lembra|onthoud|noteer)",
    re.IGNORECASE,
)
_STRONG_TASK = re.compile(
    r"\b(?:translate|proof-?read|summari[sz]e|paraphrase|rephrase|re-?write|re-?word|shorten|condense"
    r"|polish (?:this|the|my|up|it)|spell-?check"
    r"|transcribe|(?:import|parse|convert|format|load|sort|clean up) (?:this|these|the following)|tl;?dr"
    r"|übersetze?|korrigiere?|fasse|kürze?|traduis|traduisez|corrige[rz]?|résume[rz]?"
    r"|relis|raccourcis"
    r"|reformule|traduce|traduzca|resume|acorta|traduci|correggi|riassumi|riformula|traduz|traduza|resuma"
    r"|vertaal|corrigeer"
    r"|herschrijf|vat [^\n]{0,20}samen)\b",
    re.IGNORECASE,
)
_HEAD = re.compile(rf"\b(?:{_TASK})\b|\b(?:{_REPORTED})\b", re.IGNORECASE)
_DOCUMENTS = re.compile(rf"\b(?:{_DOCUMENT})s?\b", re.IGNORECASE)
_OF_MINE = re.compile(
    r"^\W*(?:my|mein\w*|mon|ma|mi|mio|mia|il mio|la mia|meu|minha|o meu|a minha|mijn)\s+\w+\W*$",
    re.IGNORECASE,
)
_I_SAID = re.compile(
    r"\b(?:i|as i|like i|ich|je|ik|eu|yo|io)\s+(?:\w+\s+)?(?:said|say|wrote|told|mentioned|sagte|schrieb"
    r"|disais|dije|dicevo|disse|zei)\b",
    re.IGNORECASE,
)
_COLON = re.compile(r":(?=\s|[\"'\u201c\u201e\u00ab])")
# "Please note: I plan to ..." announces its author's own words.
_PLEASE_NOTE = re.compile(
    r"\W*(?:(?:please|also|and|just|so|quick|side|a|another) ){0,3}note(?: to self)?\W*$", re.IGNORECASE
)
_HEAD_CHARACTERS = 120
_QUOTE_MARKS = "\"'\u201c\u201e\u00ab\u2018`"


def own_words(said: str) -> str:
    """The message, with everything that is not its author's own words overwritten by NUL; same length."""
    text = blotted(said, _quotations(said))
    for finder in (_comments, _brackets, _json, _mails, _transcripts, _tails, _found, imagined):
        spans = list(finder(text))
        if spans:
            text = blotted(text, spans)
    return text


def is_forged(visible: str) -> bool:
    """Whether a message holds the marks of a part of a prompt, or breaks out of the data that holds it."""
    return bool(_FORGED.search(visible) or _FORGED_ROLE.search(visible))


def _quotations(said: str) -> Iterator[tuple[int, int]]:
    found = list(_QUOTATION.finditer(said))
    for match in found:
        is_long = not match["marks"] or len(match["marks"].split()) > SHORT_QUOTATION_WORDS
        if is_long or len(found) > _MOST_QUOTATIONS or _is_handed_over(said, match.start()):
            yield match.span()


def _is_handed_over(said: str, place: int) -> bool:
    """Whether a quotation stands behind an order about a text, or behind what somebody else is reported to
    have said."""
    window = said[max(0, place - _HEAD_CHARACTERS) : place]
    head = window[max(window.rfind("\n"), window.rfind(". ")) + 1 :]
    return bool(_is_head(head) or _STRONG_TASK.search(head))


def _is_head(head: str) -> bool:
    """Whether words that stand before a colon or a quotation announce somebody else's words."""
    if _REMEMBER.search(head) or _OF_MINE.match(head) or _I_SAID.search(head) or _PLEASE_NOTE.match(head):
        return False
    if _STRONG_TASK.search(head):
        return True
    found = _HEAD.search(head)
    if not found:
        return False
    reported = re.search(rf"\b(?:{_REPORTED})\b(?:\W+\w+){{0,3}}\W*$", head, re.IGNORECASE)
    return bool(reported or _DOCUMENTS.search(head))


def _comments(text: str) -> Iterator[tuple[int, int]]:
    for pattern in (_COMMENT, _CALL):
        for match in pattern.finditer(text):
            yield match.span()
    tags = list(_TAG.finditer(text))
    if len(tags) > 1:
        yield tags[0].start(), tags[-1].end()
    elif tags:
        yield tags[0].span()


def _brackets(text: str) -> Iterator[tuple[int, int]]:
    """Square brackets around three words or more, or around a label with a colon; one that is left open
    reaches to the end of its line."""
    depth, begin = 0, 0
    for mark in re.finditer(r"[\[\]\n]", text):
        if mark.group() == "[":
            begin = mark.start() if not depth else begin
            depth += 1
        elif mark.group() == "]":
            closes, depth = depth == 1, max(depth - 1, 0)
            if closes and _is_inserted(text[begin : mark.start()]):
                yield begin, mark.end()
        elif depth:
            if _is_inserted(text[begin : mark.start()]):
                yield begin, mark.start()
            depth = 0
    if depth and _is_inserted(text[begin:]):
        yield begin, len(text)


def _is_inserted(inside: str) -> bool:
    return len(inside.split(None, 3)) > 2 or ":" in inside


def _json(text: str) -> Iterator[tuple[int, int]]:
    marks = list(_JSON.finditer(text))
    if marks:
        yield marks[0].start(), max(marks[-1].end(), text.rfind("}") + 1, text.rfind("]") + 1)


def _mails(text: str) -> Iterator[tuple[int, int]]:
    if found := _MAIL.search(text):
        yield found.start(), len(text)
    found = _SALUTATION.search(text)
    if found and text[: found.start()].strip(" \n\0"):
        yield found.start(), len(text)


def _transcripts(text: str) -> Iterator[tuple[int, int]]:
    if role := _ROLE_LINE.search(text):
        yield role.start(), len(text)
    lines = list(_SPEAKER_LINE.finditer(text))
    names = {line.group().partition(":")[0].strip() for line in lines}
    if len(lines) > 2 and 1 < len(names) < len(lines):
        for line in lines:
            end = text.find("\n", line.end())
            yield line.start(), end if end >= 0 else len(text)


def _tails(text: str) -> Iterator[tuple[int, int]]:
    """What follows a colon behind words that announce somebody else's: to the end of the line where they
    report what somebody said, and to the end of the message where they hand over a text. A line that hands
    over a text without a colon does it with the lines below."""
    covered = 0
    for colon in _COLON.finditer(text):
        if colon.start() < covered:
            continue
        begin = max(_sentence_start(text, colon.start()), colon.start() - _HEAD_CHARACTERS)
        head = text[begin : colon.start()]
        if not _is_head(head) and not _names_a_document(head):
            continue
        rest = text[colon.end() :]
        ahead = rest.lstrip(" \t\n")
        if ahead[:1] == "\0":
            continue  # a quotation, which is overwritten already
        is_report = not (_STRONG_TASK.search(head) or _DOCUMENTS.search(head))
        end = text.find("\n", colon.end()) if is_report else -1
        covered = end if end >= 0 else len(text)
        yield colon.end(), covered
    for line in re.finditer(r"^[^\n]{3,200}$", text, re.MULTILINE):
        head = line.group()
        if line.end() < len(text) and _hands_over_lines(head):
            yield line.end(), len(text)
            return


def _found(text: str) -> Iterator[tuple[int, int]]:
    for match in _FOUND.finditer(text):
        if _DOCUMENTS.search(match["what"]):
            yield match.end(), len(text)
            return


def _sentence_start(text: str, place: int) -> int:
    window = text[max(0, place - _HEAD_CHARACTERS) : place]
    found = [match.end() for match in re.finditer(r"[.!?\n\0]\s*", window)]
    return max(0, place - _HEAD_CHARACTERS) + (found[-1] if found else 0)


def _names_a_document(head: str) -> bool:
    """ "The mail I got", "Article": short, and no possession of the author's."""
    words = head.split()
    if not 0 < len(words) <= 12 or _REMEMBER.search(head) or _OF_MINE.match(head) or _PLEASE_NOTE.match(head):
        return False
    announced = re.search(
        r"\b(?:here(?:'s| is| are)|this is|see|found|got|received|from|ocr|hier ist|voici|aquí|ecco|aqui"
        r"|hier is"
        r"|below)\b",
        head,
        re.IGNORECASE,
    )
    first = re.match(
        rf"\W*(?:the |der |die |das |le |la |el |il |o |a |de |het )?(?:{_DOCUMENT})\W*$", head, re.IGNORECASE
    )
    record = re.match(
        r"\W*(?:\w+ ){0,2}(?:summary|transcript|minutes|log|history|excerpt|observation|output|context)"
        r"(?: (?:so far|until now|of|from|for|about) [^:]{0,60}| so far)?\W*$",
        head,
        re.IGNORECASE,
    )
    passed_on = re.search(r"\bwhat (?:\w+ ){1,3}(?:sent|gave|posted|showed|shared)\b", head, re.IGNORECASE)
    return bool(first or record or passed_on or (announced and _DOCUMENTS.search(head)))


def _hands_over_lines(head: str) -> bool:
    bare = head.strip(" \t\0.!?")
    if _REMEMBER.search(bare) or not _STRONG_TASK.search(bare):
        return bool(
            re.search(
                r"\b(?:below|following|here it is|folgende\w*|ci-dessous|siguiente|seguente|seguinte"
                r"|volgende)\W*$",
                bare,
                re.IGNORECASE,
            )
        )
    return bool(_DOCUMENTS.search(bare)) and len(bare.split()) <= 14
