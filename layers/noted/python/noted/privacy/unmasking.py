"""A model's text on its way out: tokens become values and labels become figures for the user, while the form
to be stored keeps ids and labels.

Text may come in pieces that end anywhere, so what could still become a token or a label is held back until
it is one or cannot be one any more, and nothing else is. The pieces joined are the same as the whole text
done at once.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from noted.privacy.letters import HEADS, TOKEN, Letters

NO_FIGURE = "(a figure that is not available)"

_LONGEST_NAME = 40  # characters of an invented label behind its first dot; a longer one is ordinary text
_BARE = re.compile(rf"(?:{'|'.join(HEADS)})_[A-Z]?")
_TOKEN_SO_FAR = re.compile(rf"(?:{'|'.join(HEADS)})_[A-Z0-9]{{0,3}}(?:\\(?:U(?:00?3?)?)?)?")
_LONGEST_TOKEN = max(map(len, HEADS)) + 24  # with blanks and escapes


class StreamRestorer:
    """Restores one text of a model.

    `values` holds what the ids of the prompt stand for; an id without one becomes a word for nobody.
    `figures` holds, by the name of its label, each value that a tool filled in. `known` names all labels that
    tools have: one that was not filled becomes a phrase that says so, and so does an invented label of the
    same tool (the name up to the first dot). Other brackets are ordinary text.
    """

    def __init__(
        self,
        letters: Letters,
        values: Mapping[str, str],
        figures: Mapping[str, str] | None = None,
        known: Collection[str] = (),
    ) -> None:
        self._letters = letters
        self._values = values
        self._figures = {} if figures is None else figures  # a mapping that may fill up meanwhile
        names = {*known, *self._figures}
        self._names = sorted(name for name in names if "." not in name)
        self._tools = sorted({name.partition(".")[0] + "." for name in names if "." in name})
        self._pattern = re.compile(f"{TOKEN.pattern}|{self._label()}")
        self._longest = max(
            _LONGEST_TOKEN,
            *(len(name) + 6 for name in self._names),
            *(len(tool) + _LONGEST_NAME + 6 for tool in self._tools),
            0,
        )
        self._raw = ""
        self._done = 0
        self._stored: list[str] = []

    @property
    def stored(self) -> str:
        """The text so far as it is stored: ids for tokens, labels as written."""
        return "".join(self._stored)

    @property
    def held(self) -> int:
        """How many characters are held back."""
        return len(self._raw) - self._done

    def feed(self, piece: str) -> str:
        """Takes the next piece; returns what can be shown now."""
        # What was shown is dropped, save the character that tells whether a word begins behind it.
        cut = max(0, self._done - 1)
        self._raw, self._done = self._raw[cut:] + piece, self._done - cut
        return self._shown(self._held_from())

    def finish(self) -> str:
        """Returns what was held back: no more will come."""
        return self._shown(len(self._raw))

    def _shown(self, until: int) -> str:
        shown: list[str] = []
        while (match := self._pattern.search(self._raw, self._done)) and match.end() <= until:
            self._pass(shown, match.start())
            shown.append(self._replaced(match))
            self._done = match.end()
        self._pass(shown, until)
        return "".join(shown)

    def _pass(self, shown: list[str], until: int) -> None:
        if until > self._done:
            shown.append(self._raw[self._done : until])
            self._stored.append(self._raw[self._done : until])
            self._done = until

    def _replaced(self, match: re.Match[str]) -> str:
        label = match["label"]
        if label is None:
            self._stored.append(self._letters.meaning(match, lambda identity: identity))
            return self._letters.meaning(match, self._values.get)
        figure = self._figures.get(label) if match.group() == f"[{label}]" else None
        self._stored.append(NO_FIGURE if figure is None else match.group())
        return NO_FIGURE if figure is None else figure

    def _label(self) -> str:
        names = [re.escape(name) for name in self._names]
        names += [rf"{re.escape(tool)}[\w.-]{{1,{_LONGEST_NAME}}}" for tool in self._tools]
        return rf"\[ {{0,2}}(?P<label>(?ai:{'|'.join(names)})) {{0,2}}\]" if names else r"(?P<label>(?!))"

    def _held_from(self) -> int:
        """The first place from which the text could still become a token or a label, or its end."""
        end = len(self._raw)
        places = range(max(self._done, end - self._longest), end)
        return next((place for place in places if self._could_begin(place)), end)

    def _could_begin(self, place: int) -> bool:
        tail = self._raw[place:]
        if tail[0] == "[":
            return self._could_be_label(tail[1:])
        if tail[0] in "<\\":
            opener = "<" if tail[0] == "<" else "\\u003c"
            if len(tail) <= len(opener):
                return opener.startswith(tail.lower())
            return tail.lower().startswith(opener) and _could_be_token(tail[len(opener) :])
        before = self._raw[place - 1 : place]
        is_first = not before or not (before.isalnum() or before in "_<[\u2039")
        return is_first and (_is_start(tail, HEADS) or bool(_BARE.fullmatch(tail)))

    def _could_be_label(self, inner: str) -> bool:
        name = inner.strip(" ").lower()
        if "   " in inner or not (self._names or self._tools):
            return False
        labels = [label.lower() for label in (*self._names, *self._tools)]
        if any(label.startswith(name) for label in labels):
            return True
        rests = (name.removeprefix(tool.lower()) for tool in self._tools if name.startswith(tool.lower()))
        return any(re.fullmatch(rf"[\w.-]{{0,{_LONGEST_NAME}}}", rest, re.ASCII) for rest in rests)


def _could_be_token(inner: str) -> bool:
    written = inner.replace(" ", "").upper()
    return "   " not in inner and (_is_start(written, HEADS) or bool(_TOKEN_SO_FAR.fullmatch(written)))


def _is_start(written: str, of: Collection[str]) -> bool:
    return any(head.startswith(written) for head in of)


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
