"""An inverted index of packed words: for each different word the documents that hold it.

A query looks at its own words and at no others, and what is stored is half the size of the documents' words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from noted.recall.index_bytes import joined, parted, ranges, squeezed, unsqueezed
from noted.recall.lexical import Index

if TYPE_CHECKING:
    from numpy import intp, uint32
    from numpy.typing import NDArray

_WORD_BYTES = 4


@dataclass(frozen=True)
class Postings:
    """`words` are the codes of the different words, ascending; `frequencies` how many postings each has;
    `documents` the places of the documents, ascending within a word, as often as the document holds it;
    `lengths` the number of words of each document."""

    words: NDArray[uint32]
    frequencies: NDArray[uint32]
    documents: NDArray[uint32]
    lengths: NDArray[intp]

    @classmethod
    def of(cls, packed: Sequence[bytes]) -> Postings:
        """The postings of documents as `noted.recall.lexical.pack` gives them. Raises ValueError when one is
        not a whole number of words."""
        import numpy as np

        if any(len(document) % _WORD_BYTES for document in packed):
            raise ValueError("a packed document holds four bytes a token")
        lengths = np.fromiter(map(len, packed), dtype=np.intp, count=len(packed)) // _WORD_BYTES
        codes = np.frombuffer(b"".join(packed), dtype="<u4")
        return cls.from_pairs(codes, np.repeat(np.arange(len(packed)), lengths), len(packed))

    @classmethod
    def from_pairs(cls, codes: NDArray[uint32], documents: NDArray[intp], size: int) -> Postings:
        """The postings of words and the documents that hold them, in any order; `size` documents in all."""
        import numpy as np

        order = np.lexsort((documents, codes))
        words, frequencies = np.unique(codes, return_counts=True)
        return cls(
            words.astype(np.uint32),
            frequencies.astype(np.uint32),
            documents[order].astype(np.uint32),
            np.bincount(documents, minlength=size).astype(np.intp),
        )

    def pairs(self) -> tuple[NDArray[uint32], NDArray[intp]]:
        """All words with their documents."""
        import numpy as np

        return np.repeat(self.words, self.frequencies), self.documents.astype(np.intp)

    def taken(self, places: NDArray[intp]) -> Postings:
        """The postings of some documents, which get new places in the order of `places`."""
        import numpy as np

        codes, documents = self.pairs()
        now_at = np.full(len(self.lengths), -1)
        now_at[places] = np.arange(len(places))
        kept = now_at[documents] >= 0
        return Postings.from_pairs(codes[kept], now_at[documents[kept]], len(places))

    def pack(self) -> bytes:
        """The stored form."""
        import numpy as np

        steps = np.diff(self.documents.astype(np.int64), prepend=np.int64(0))
        starts = np.cumsum(self.frequencies) - self.frequencies
        steps[starts] = self.documents[starts]
        gaps = np.diff(self.words.astype(np.int64), prepend=np.int64(0)).astype(np.uint32)
        counts = len(self.words).to_bytes(4, "big") + len(self.documents).to_bytes(4, "big")
        columns = (gaps, self.frequencies, steps.astype(np.uint32))
        return joined([counts, *map(squeezed, columns)])

    @classmethod
    def unpack(cls, whole: bytes, size: int) -> Postings:
        """Reads the stored form of so many documents. Raises ValueError when damaged."""
        import numpy as np

        counts, gaps, kept_frequencies, kept_steps = parted(whole)
        words, postings = int.from_bytes(counts[:4], "big"), int.from_bytes(counts[4:], "big")
        frequencies = unsqueezed(kept_frequencies, "u4", words)
        steps = unsqueezed(kept_steps, "u4", postings).astype(np.int64)
        # One running sum gives the places within each word when that of the words before is taken off.
        sums, starts = np.cumsum(steps), np.cumsum(frequencies.astype(np.intp)) - frequencies
        documents = sums - np.repeat(sums[starts] - steps[starts], frequencies)
        return cls(
            np.cumsum(unsqueezed(gaps, "u4", words).astype(np.int64)).astype(np.uint32),
            frequencies,
            documents.astype(np.uint32),
            np.bincount(documents, minlength=size).astype(np.intp),
        )


def concatenated(parts: Iterable[Postings]) -> Postings:
    """The postings of documents one part after the other."""
    import numpy as np

    several = list(parts)
    pairs = [postings.pairs() for postings in several]
    sizes = [len(postings.lengths) for postings in several]
    before = np.cumsum([0, *sizes])
    documents = [own + start for (_, own), start in zip(pairs, before, strict=False)]
    return Postings.from_pairs(
        np.concatenate([codes for codes, _ in pairs]), np.concatenate(documents), sum(sizes)
    )


class PostingsIndex(Index):
    """BM25 over the chosen documents of several postings: to the last bit what `Index` gives for the same
    documents in the same order.

    `place_of` gives, for the documents of one part, the places they have among the chosen ones, -1 for one
    that is not chosen; `lengths` are those of the chosen documents.
    """

    def __init__(
        self,
        parts: Sequence[Postings],
        place_of: Callable[[int, NDArray[uint32]], NDArray[intp]],
        lengths: NDArray[intp],
    ) -> None:
        self._parts = parts
        self._place_of = place_of
        self._measure(lengths)

    def _occurrences(self, codes: NDArray[uint32]) -> tuple[NDArray[intp], NDArray[intp]]:
        import numpy as np

        places: list[NDArray[intp]] = []
        found: list[NDArray[intp]] = []
        for number, postings in enumerate(self._parts):
            if not len(postings.words):
                continue
            nearest = np.minimum(np.searchsorted(postings.words, codes), len(postings.words) - 1)
            held = np.flatnonzero(postings.words[nearest] == codes)
            starts = np.cumsum(postings.frequencies.astype(np.intp)) - postings.frequencies
            frequencies = postings.frequencies[nearest[held]].astype(np.intp)
            own = self._place_of(number, postings.documents[ranges(starts[nearest[held]], frequencies)])
            which = np.repeat(held, frequencies)
            places.append(own[own >= 0])
            found.append(which[own >= 0])
        nothing = np.zeros(0, dtype=np.intp)
        return np.concatenate([nothing, *places]), np.concatenate([nothing, *found])
