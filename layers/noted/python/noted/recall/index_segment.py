"""A segment of the index: some facts of a user, their words and their vectors, in one value to be sealed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from noted.privacy.entities import in_words
from noted.recall import index_columns, index_postings, index_vectors, lexical
from noted.recall.index_bytes import joined, parted
from noted.recall.index_columns import Columns, Rare
from noted.recall.index_postings import Postings
from noted.recall.index_vectors import Basis, Sketches

if TYPE_CHECKING:
    from numpy import intp
    from numpy.typing import NDArray

    from noted.facts.fact import Fact

# Facts in a segment: enough that their words share a vocabulary, few enough to be written again for a change.
MOST = 1_024


@dataclass(frozen=True)
class Segment:
    """`sketched` are the places of the facts that have a sketch, in the order of `sketches`."""

    columns: Columns
    postings: Postings
    sketched: NDArray[intp]
    sketches: Sketches | None

    def __len__(self) -> int:
        return len(self.columns)

    @classmethod
    def of(cls, facts: Sequence[Fact], basis: Basis | None) -> Segment:
        """The segment of facts, with sketches of the vectors that the basis fits."""
        import numpy as np

        words = [fact.words if fact.words is not None else _words(fact) for fact in facts]
        known = [place for place, fact in enumerate(facts) if _fits(fact, basis)]
        packed = [vector for place in known if (vector := facts[place].vector) is not None]
        return cls(
            Columns.of(facts),
            Postings.of(words),
            np.array(known, dtype=np.intp),
            basis.sketched(packed) if basis else None,
        )

    def taken(self, places: NDArray[intp]) -> Segment:
        """The segment of some of its facts, in the order of `places`."""
        import numpy as np

        now_at = np.full(len(self), -1)
        now_at[places] = np.arange(len(places))
        kept = np.flatnonzero(now_at[self.sketched] >= 0)
        order = kept[np.argsort(now_at[self.sketched[kept]])]
        return Segment(
            self.columns.taken(places),
            self.postings.taken(places),
            now_at[self.sketched[order]],
            self.sketches.taken(order) if self.sketches else None,
        )

    def altered(self, changes: Mapping[int, Rare]) -> Segment:
        """The segment after changes of its facts, by place."""
        return replace(self, columns=self.columns.altered(changes)) if changes else self

    def pack(self) -> bytes:
        """The stored form."""
        import numpy as np

        has = np.zeros(len(self), dtype=np.bool_)
        has[self.sketched] = True
        return joined(
            [
                len(self).to_bytes(4, "big"),
                self.columns.pack(),
                self.postings.pack(),
                np.packbits(has).tobytes(),
                self.sketches.pack() if self.sketches else b"",
            ]
        )

    @classmethod
    def unpack(cls, whole: bytes, basis: Basis | None) -> Segment:
        """Reads the stored form. Raises ValueError when damaged."""
        import numpy as np

        size, columns, postings, has, sketches = parted(whole)
        count = int.from_bytes(size, "big")
        sketched = np.flatnonzero(np.unpackbits(np.frombuffer(has, dtype=np.uint8), count=count))
        return cls(
            Columns.unpack(columns, count),
            Postings.unpack(postings, count),
            sketched,
            Sketches.unpack(sketches, len(sketched), basis.size) if basis else None,
        )


def concatenated(segments: Sequence[Segment]) -> Segment:
    """Segments of one basis as one, one after the other."""
    import numpy as np

    starts = np.cumsum([0, *map(len, segments)])
    sketches = [segment.sketches for segment in segments if segment.sketches]
    return Segment(
        index_columns.concatenated(segment.columns for segment in segments),
        index_postings.concatenated(segment.postings for segment in segments),
        np.concatenate(
            [segment.sketched + start for segment, start in zip(segments, starts, strict=False)]
        ).astype(np.intp),
        index_vectors.concatenated(sketches) if sketches else None,
    )


def _words(fact: Fact) -> bytes:
    return lexical.pack(lexical.tokens(in_words(fact.text, with_letters=True)))


def _fits(fact: Fact, basis: Basis | None) -> bool:
    return basis is not None and fact.embedder == basis.embedder and basis.fits(fact.vector)
