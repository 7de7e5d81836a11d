"""A model's text on its way out: tokens become values and labels become figures for the user, while the form
to be stored keeps ids and labels.

Text may come in pieces that end anywhere, so what could still become a token or a label is held back until
it is one or cannot be one any more, and nothing else is. The pieces joined are the same as the whole text
done at once.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from noted.privacy import labels
from noted.privacy.letters import HEADS, TOKEN, Letters

NO_FIGURE = "(a figure that is not available)"

_OPENERS = ("<", "\\<", "\\\\<", "\\u003c", "%3c", "&lt;")
_CLOSER_SO_FAR = r"(?:\\{0,2}|\\u(?:0(?:03?)?)?|%3?|&(?:gt?)?)"
_TOKEN_SO_FAR = re.compile(rf"(?P<name>[a-z0-9 _\\-]*?){_CLOSER_SO_FAR}", re.IGNORECASE | re.ASCII)
_NAME_SO_FAR = re.compile(rf"(?:{'|'.join(HEADS)})(?:_[A-Z0-9]{{0,3}})?_?")
_BARE_SO_FAR = re.compile(rf"(?:{'|'.join(HEADS)})_[A-Z]?")
_BEGINNING = re.compile(r"[<\[\\%&A-Z]")
_LONGEST_TOKEN = max(map(len, HEADS)) + 40  # with blanks and escapes
_CONTEXT = len("[earlier ")  # characters before a place that tell what begins there


class StreamRestorer:
    """Restores one text of a model.

    `values` holds what the ids of the prompt stand for; an id without one becomes a word for nobody.
    `figures` holds, by the name of its label, each value that a tool filled in. `known` names all labels that
    tools have: one that was not filled becomes a phrase that says so, and so does an invented label of the
    same tool (the name up to the first dot).

    A name in brackets with the form of a label that belongs to no tool becomes that phrase too, unless it is
    ordinary text: in a block of code, behind a word or a bracket as an index, the text of a link, the name of
    a file, or what stands so in one of the texts that the user has `typed`.
    """

    def __init__(
        self,
        letters: Letters,
        values: Mapping[str, str],
        figures: Mapping[str, str] | None = None,
        known: Collection[str] = (),
        typed: Iterable[str] = (),
    ) -> None:
        self._letters = letters
        self._values = values
        self._figures = {} if figures is None else figures  # a mapping that may fill up meanwhile
        self._known = labels.Known({*known, *self._figures})
        self._typed = frozenset(labels.labels_written(typed))
        self._pattern = re.compile(f"{TOKEN.pattern}|{self._known.pattern}|{labels.FREE}")
        self._longest = max(_LONGEST_TOKEN, self._known.longest, labels.LONGEST_FREE)
        self._raw = ""
        self._done = 0
        self._code = _Fences()
        self._stored: list[str] = []

    @property
    def stored(self) -> str:
        """The text so far as it is stored: ids for tokens, labels as tools name them."""
        return "".join(self._stored)

    @property
    def held(self) -> int:
        """How many characters are held back."""
        return len(self._raw) - self._done

    def feed(self, piece: str) -> str:
        """Takes the next piece; returns what can be shown now."""
        # What was shown is dropped, save the characters that tell what may begin behind them.
        cut = max(0, self._done - _CONTEXT)
        self._raw, self._done = self._raw[cut:] + piece, self._done - cut
        return self._shown(self._held_from())

    def finish(self) -> str:
        """Returns what was held back: no more will come."""
        return self._shown(len(self._raw))

    def _shown(self, until: int) -> str:
        shown: list[str] = []
        while (match := self._pattern.search(self._raw, self._done)) and match.end() <= until:
            self._pass(shown, match.start())
            said, stored = self._replaced(match)
            shown.append(said)
            self._stored.append(stored)
            self._code.read(match.group())
            self._done = match.end()
        self._pass(shown, until)
        return "".join(shown)

    def _pass(self, shown: list[str], until: int) -> None:
        if until > self._done:
            passed = self._raw[self._done : until]
            shown.append(passed)
            self._stored.append(passed)
            self._code.read(passed)
            self._done = until

    def _replaced(self, match: re.Match[str]) -> tuple[str, str]:
        """What the user reads instead, and what is stored."""
        written = match["label"] or match["free"]
        if written is None:
            return self._letters.meaning(match, self._values.get), self._letters.meaning(match, str)
        if match["free"] and self._is_text(labels.plain(written)):
            return match.group(), match.group()
        name = next((name for name in (written, labels.plain(written)) if name in self._figures), None)
        return (NO_FIGURE, NO_FIGURE) if name is None else (self._figures[name], f"[{name}]")

    def _is_text(self, label: str) -> bool:
        return self._code.inside or label in self._typed or labels.is_ordinary(label)

    def _held_from(self) -> int:
        """The first place from which the text could still become a token or a label, or its end."""
        end = len(self._raw)
        begins = _BEGINNING.finditer(self._raw, max(self._done, end - self._longest))
        return next((begin.start() for begin in begins if self._could_begin(begin.start())), end)

    def _could_begin(self, place: int) -> bool:
        tail = self._raw[place:]
        if tail[0].isupper():
            before = self._raw[place - 1 : place]
            is_first = not before or not (before.isalnum() or before in "_<\u2039")
            return is_first and _could_be_bare(tail)
        return self._could_be_label(place, tail) or _could_be_token(tail)

    def _could_be_label(self, place: int, tail: str) -> bool:
        if not tail.startswith(("[", "\\[")) and tail != "\\":
            return False
        if self._known.may_become(tail):
            return True
        if not labels.may_become_free(self._raw, place):
            return False
        if not tail.endswith("]"):
            return True
        # Only what follows can tell: it is held where that matters.
        label = labels.plain(tail).strip("[]")
        return not (self._known.holds(label) or label in self._typed or labels.is_ordinary(label))


def _could_be_token(tail: str) -> bool:
    low = tail.lower()
    return any(
        opener.startswith(low) or (low.startswith(opener) and _could_be_named(tail[len(opener) :]))
        for opener in _OPENERS
    )


def _could_be_named(inner: str) -> bool:
    match = _TOKEN_SO_FAR.fullmatch(inner)
    if match is None or "   " in inner:
        return False
    name = re.sub(r"[ \\_-]+", "_", match["name"]).lstrip("_").upper()
    return _is_start(name) or _NAME_SO_FAR.fullmatch(name) is not None


def _could_be_bare(tail: str) -> bool:
    written = tail.replace("\\_", "_").removesuffix("\\")
    return _is_start(written) or _BARE_SO_FAR.fullmatch(written) is not None


def _is_start(written: str) -> bool:
    return any(head.startswith(written) for head in HEADS)


class _Fences:
    """Whether a text that is read in pieces is inside a block of code, between lines that begin with ```."""

    _MARK = re.compile(r" {0,9}```")
    _LONGEST = 12

    def __init__(self) -> None:
        self.inside = False
        self._line = ""

    def read(self, piece: str) -> None:
        for number, part in enumerate(piece.split("\n")):
            if number:
                self._line = ""
            was_mark = self._MARK.match(self._line)
            self._line = (self._line + part)[: self._LONGEST]
            if not was_mark and self._MARK.match(self._line):
                self.inside = not self.inside


def restored(
    text: str,
    letters: Letters,
    values: Mapping[str, str],
    figures: Mapping[str, str] | None = None,
    known: Collection[str] = (),
) -> tuple[str, str]:
    """A whole text of a model at once: what the user reads, and what is stored."""
    restorer = StreamRestorer(letters, values, figures, known)
    shown = restorer.feed(text) + restorer.finish()
    return shown, restorer.stored
