"""Letters for one prompt: where stored text has an id, a model reads `<PHONE_A>`.

All parts of a prompt are lettered together, in their order, so one value has one letter wherever it stands.
Letters are given by first appearance and never taken back: a part that is added changes no byte of those
before it, and a cached prefix stays a prefix.

What looks like a token without being one of ours stands for nothing. Where a part holds `<PHONE_A>`
literally, that letter is given to nobody from then on; if it had been given before, the literal one is
written `‹PHONE_A›`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from noted.privacy.entities import ENTITY, EntityType, nobody, type_of

# Types that other maskers use in their tokens, and the words for them.
_FOREIGN = {
    "NAME": "that person",
    "CITY": "that place",
    "LOCATION": "that place",
    "ORGANIZATION": "that organisation",
    "ORGANISATION": "that organisation",
    "PHONE_NUMBER": nobody(EntityType.PHONE),
    "EMAIL_ADDRESS": nobody(EntityType.EMAIL),
    "IP_ADDRESS": nobody(EntityType.IP),
    "CREDIT_CARD": nobody(EntityType.CARD),
    "SSN": nobody(EntityType.NATIONAL_ID),
    "DATE_OF_BIRTH": nobody(EntityType.BIRTH_DATE),
}
NEUTRAL: Mapping[str, str] = {
    **{kind.upper(): nobody(kind) for kind in EntityType},
    **_FOREIGN,
}

HEADS = tuple(sorted(NEUTRAL, key=len, reverse=True))
# A token, bent or not: blanks inside, another case or mark, its brackets written as JSON, HTML or a web
# address has them, or none at all. What escapes Markdown writes `<PHONE\_A>`: those are the exact letters.
_MARK = r" {0,2}(?:\\{0,2}[_-]| ) {0,2}"
_BENT_HEAD = "|".join(head.replace("_", _MARK) for head in HEADS)
_BARE_HEAD = "|".join(head.replace("_", r"\\?_") for head in HEADS)
TOKEN = re.compile(
    rf"(?:(?P<escape>\\{{1,2}})?<|\\u003[cC]|%3[cC]|&lt;) {{0,2}}(?P<head>(?ai:{_BENT_HEAD}))"
    r"(?: {0,2}\\{0,2}_ {0,2}(?P<tail>[A-Za-z0-9]{1,3})|(?: {0,2}\\{0,2}- {0,2}| {1,2})[A-Z])"
    r" {0,2}(?:(?(escape)\\{1,2}|\\{0,2})>|\\u003[eE]|%3[eE]|&gt;)"
    rf"|(?<![\w<\u2039])(?<!\[[Ee]arlier )(?P<bare>{_BARE_HEAD})\\?_[A-Z](?![\w>\u203a]|\\_)"
)
# What clients and models write as placeholders of types that we do not know.
_PLACEHOLDER = re.compile(r"<[A-Za-z]+(?:_[A-Za-z0-9]+)+>")
_ESCAPE = re.compile(r"\\u003[cCeE]")
# What nobody can take for anything but a letter or a number: <ACCOUNT_ID> is a blank to be filled in.
_LETTER_OR_NUMBER = re.compile(r"[A-Z]|[A-C][A-Z]|\d{1,3}", re.IGNORECASE)


def _letter(number: int) -> str:
    """A to Z, then AA to ZZ, and so on, as columns of a sheet are named."""
    letters = ""
    while True:
        number, place = divmod(number, 26)
        letters = chr(ord("A") + place) + letters
        if number == 0:
            return letters
        number -= 1


class Letters:
    """The letters of one prompt, given while its parts are rendered in order."""

    def __init__(self, parts: Iterable[str] = ()) -> None:
        self._tokens: dict[str, str] = {}
        self._ids: dict[str, str] = {}
        self._literal: set[str] = set()
        self._given: dict[EntityType, int] = {}
        self.texts = tuple(map(self.rendered, parts))

    @property
    def ids(self) -> Mapping[str, str]:
        """The id that each token of this prompt stands for."""
        return self._ids

    @property
    def tokens(self) -> frozenset[str]:
        """Everything that reads as a placeholder in this prompt: its tokens, and those that parts hold
        literally."""
        return frozenset(self._ids) | frozenset(self._literal)

    def rendered(self, part: str) -> str:
        """The next part of the prompt, with a token for each id."""
        self._literal.update(match.group() for match in _PLACEHOLDER.finditer(part))
        self._literal.difference_update(self._ids)
        plain = TOKEN.sub(self._literally, part)
        return ENTITY.sub(lambda match: self._token(match.group()), plain)

    def restored(self, text: str) -> str:
        """What a model wrote, with ids for the tokens of this prompt. A token that stands literally in the
        prompt stays text; one that was invented or bent becomes a word for nobody ("that person")."""
        return TOKEN.sub(lambda match: self.meaning(match, self._same), text)

    def meaning(self, match: re.Match[str], value: Callable[[str], str | None]) -> str:
        """What a match of `TOKEN` in a model's text becomes, given the value of an id."""
        written = _spelled(match)
        identity = self._ids.get(written)
        if identity is not None:
            told = value(identity)
            return nobody(type_of(identity)) if told is None else told
        tail = match["tail"]
        if written in self._literal or (tail and not _LETTER_OR_NUMBER.fullmatch(tail)):
            return match.group()
        return NEUTRAL[re.sub(r"[ \\_-]+", "_", match["head"] or match["bare"]).upper()]

    @staticmethod
    def _same(identity: str) -> str:
        return identity

    def _literally(self, match: re.Match[str]) -> str:
        """A token that a part holds literally, written so that it cannot be taken for one of ours."""
        written = _spelled(match)
        if written in self._ids:
            escaped = f"\u2039{written[1:-1]}\u203a"
            self._literal.add(escaped)
            return escaped
        self._literal.add(written)
        return match.group()

    def _token(self, identity: str) -> str:
        token = self._tokens.get(identity)
        if token is None:
            kind = type_of(identity)
            while True:
                number = self._given.get(kind, 0)
                self._given[kind] = number + 1
                token = f"<{kind.upper()}_{_letter(number)}>"
                if token not in self._literal:
                    break
            self._tokens[identity] = token
            self._ids[token] = identity
        return token


def _spelled(match: re.Match[str]) -> str:
    """The token as it would stand without escapes of JSON and Markdown."""
    plain = _ESCAPE.sub(lambda escape: "<" if escape.group()[-1] in "cC" else ">", match.group())
    return plain.replace("\\", "")
