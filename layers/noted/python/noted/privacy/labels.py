"""How the label of a figure stands in a text that a model wrote: `[account.balance]`.

Some models escape what Markdown could read (`\\[account.due\\_date\\]`) or change the case; that is the same
label. A model may also invent one, of a tool that is off or was never there, so any name of that form in
brackets is taken for a label unless something says that it is ordinary text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

_LONGEST_INVENTED = 40  # characters behind the first dot of an invented label; a longer one is ordinary text
_NAMES = re.compile(r"\\?\[ {0,2}(?P<label>(?ai:[a-z](?:\w|\\_)*\\?\.[a-z](?:\w|\\_)*)) {0,2}\\?\]")
_NAMESPACE = r"[a-z](?:[a-z0-9]|\\?_){0,31}"
_NAME = r"[a-z](?:[a-z0-9]|\\?_){0,47}"
# Nothing that indexes (rows[a.b]), quotes (`[a.b]`), or is a link's text or definition.
_BEFORE = r"(?<![^\W_])(?<!\w_)(?<![\])`\\])"
FREE = rf"{_BEFORE}\\?\[(?P<free>{_NAMESPACE}\\?\.{_NAME})\\?\](?![(\[:])"
_FREE_SO_FAR = re.compile(rf"{_BEFORE}\\?(?:\[(?:{_NAMESPACE}(?:\\|\\?\.(?:{_NAME}(?:\\?\]?)?)?)?)?)?")
# What else is written so in brackets: names of files and of sites.
_ENDINGS = frozenset("py js ts md json txt csv html css yaml yml toml xml sql sh pdf com org net".split())
LONGEST_FREE = 2 * (32 + 48) + 5  # with every character escaped


def plain(written: str) -> str:
    """A label without escapes, as its tool names it."""
    return written.replace("\\", "").lower()


def labels_written(texts: Iterable[str]) -> list[str]:
    """The names in brackets, in any spelling, that have the form of a label, in order."""
    return [plain(match["label"]) for text in texts for match in _NAMES.finditer(text)]


def is_ordinary(label: str) -> bool:
    """Whether a name with the form of a label is that of a file or a site: [config.json]."""
    return label.rpartition(".")[2] in _ENDINGS


class Known:
    """The labels that belong to somebody: by their whole name, or by the namespace of a tool (`account.`)."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = sorted(name for name in names if "." not in name)
        self._spaces = sorted({name.partition(".")[0] + "." for name in names if "." in name})
        longest = max((len(each) for each in (*self._names, *self._spaces)), default=0)
        self.longest = 2 * (longest + _LONGEST_INVENTED) + 8 if longest else 0
        rest = rf"(?:[\w.-]|\\[_.-]){{1,{_LONGEST_INVENTED}}}"
        spelled = [_spelled(name) for name in self._names]
        spelled += [_spelled(space) + rest for space in self._spaces]
        self.pattern = (
            rf"\\?\[ {{0,2}}(?P<label>(?ai:{'|'.join(spelled)})) {{0,2}}\\?\]"
            if spelled
            else r"(?P<label>(?!))"
        )
        self._rest = re.compile(rf"[\w.-]{{0,{_LONGEST_INVENTED}}}", re.ASCII)

    def holds(self, label: str) -> bool:
        """Whether the label belongs to somebody."""
        return label in self._names or any(map(label.startswith, self._spaces))

    def may_become(self, so_far: str) -> bool:
        """Whether a text that begins with a bracket could still become such a label."""
        inner = so_far.removeprefix("\\").removeprefix("[")
        if "   " in inner or not (self._names or self._spaces):
            return False
        name = plain(inner).strip(" ")
        if any(each.lower().startswith(name) for each in (*self._names, *self._spaces)):
            return True
        rests = (name[len(each) :] for each in self._spaces if name.startswith(each.lower()))
        return any(self._rest.fullmatch(rest) for rest in rests)


def may_become_free(text: str, place: int) -> bool:
    """Whether what begins at this place with a bracket could still become a label that belongs to nobody, or
    is one if what follows lets it be."""
    return _FREE_SO_FAR.fullmatch(text, place) is not None


def _spelled(name: str) -> str:
    return re.escape(name).replace("_", r"\\?_").replace(r"\.", r"\\?\.")
