"""The vectors of one user's facts in some 17 bytes each: few enough that all of them are read for a query.

A basis is taken from the user's own vectors: their mean, and the directions in which they differ most
(principal components). Each vector is kept as whole steps along these directions; the steps of all vectors
along one direction lie together and are deflated, so a direction in which they hardly differ costs next to
nothing (transform coding, with one step for all directions). Its distance from the mean is kept beside them,
in a byte: what lies outside the directions counts in the length of a vector.

How far cosines are off is shown in docs/recall.md. The best facts are ranked again by their full vectors.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from noted.recall import vectors
from noted.recall.index_bytes import joined, parted, squeezed, unsqueezed

if TYPE_CHECKING:
    from numpy import float32, int8, intp, uint8
    from numpy.typing import NDArray

# Fewer directions, or fewer bytes, find less; more find no more of what is then ranked again.
DIRECTIONS = 96
BYTES = 16
_SAMPLE = 1_024  # vectors from which the step is taken
_COARSEST, _HALVINGS, _TINY = 1.0, 14, 1e-6
_LARGEST_STEP = 127
_BASIS_STEPS = 31  # of a direction's components: six bits each
_FARTHER = 1.25  # than all that the basis was made of


@dataclass(frozen=True)
class Basis:
    """`mean` and `directions` (a column each) of the vectors of one embedder, the length of a step, and the
    distance from the mean beyond which none is told apart."""

    embedder: str
    mean: NDArray[float32]
    directions: NDArray[int8]
    scales: NDArray[float32]
    step: float
    farthest: float

    @classmethod
    def of(cls, embedder: str, packed: Sequence[bytes]) -> Basis:
        """The basis of vectors as `noted.recall.vectors.pack` gives them, at least one and all of one length.
        Raises ValueError otherwise."""
        import numpy as np

        rows = vectors.unit_rows(packed, vectors.dimensions(packed[0]))
        mean = rows.mean(axis=0)
        centred = rows - mean
        _, columns = np.linalg.eigh(centred.T @ centred)
        kept = columns[:, ::-1][:, : min(DIRECTIONS, len(packed))]
        scales = (np.abs(kept).max(axis=0) / _BASIS_STEPS).astype(np.float32)
        directions = np.round(kept / scales).astype(np.int8)
        sample = centred[:: max(1, len(rows) // _SAMPLE)] @ (directions * scales)
        farthest = max(_FARTHER * float(np.linalg.norm(centred, axis=1).max()), _TINY)
        return cls(embedder, mean, directions, scales, _step(sample), farthest)

    @property
    def matrix(self) -> NDArray[float32]:
        """The directions as unit vectors, a column each."""
        import numpy as np

        return np.asarray(self.directions * self.scales, dtype=np.float32)

    @property
    def size(self) -> int:
        """How many directions there are."""
        return int(self.directions.shape[1])

    def fits(self, packed: bytes | None) -> bool:
        """Whether a packed vector has the length of those the basis was made of."""
        return packed is not None and len(packed) == vectors.packed_size(len(self.mean))

    def project(self, rows: NDArray[float32]) -> tuple[NDArray[float32], NDArray[float32]]:
        """Unit vectors, a row each, along the directions, and their distances from the mean."""
        import numpy as np

        centred = rows - self.mean
        distances = np.sqrt(np.einsum("ij,ij->i", centred, centred))
        along = np.asarray(centred @ self.matrix, dtype=np.float32)
        return along, np.asarray(distances, dtype=np.float32)

    def sketched(self, packed: Sequence[bytes]) -> Sketches:
        """The sketches of packed vectors."""
        import numpy as np

        if not packed:
            return Sketches(np.zeros((0, self.size), dtype=np.int8), np.zeros(0, dtype=np.uint8))
        along, distances = self.project(vectors.unit_rows(packed, len(self.mean)))
        return Sketches(
            _whole(along, self.step),
            np.minimum(np.round(distances / self.farthest * 255), 255).astype(np.uint8),
        )

    def pack(self) -> bytes:
        """The stored form."""
        import numpy as np

        numbers = np.array([self.step, self.farthest, *self.scales], dtype=np.float64)
        return joined(
            [
                self.embedder.encode(),
                self.mean.astype("<f4").tobytes(),
                numbers.astype("<f8").tobytes(),
                squeezed(self.directions.T),
            ]
        )

    @classmethod
    def unpack(cls, whole: bytes) -> Basis:
        """Reads the stored form. Raises ValueError when damaged."""
        import numpy as np

        embedder, mean, numbers, directions = parted(whole)
        mean_row = np.frombuffer(mean, dtype="<f4").astype(np.float32)
        step, farthest, *scales = np.frombuffer(numbers, dtype="<f8").tolist()
        columns = unsqueezed(directions, "i1", len(mean_row) * len(scales)).reshape(len(scales), -1)
        return cls(embedder.decode(), mean_row, columns.T, np.array(scales, dtype=np.float32), step, farthest)

    def lengths(self, sketches: Sketches) -> NDArray[float32]:
        """The distances of sketches from the mean."""
        import numpy as np

        return np.asarray(sketches.distances * np.float32(self.farthest / 255), dtype=np.float32)


@dataclass(frozen=True)
class Sketches:
    """Vectors as whole steps along the directions of a basis, a row each, and their distances from its mean
    in 1/255 of its farthest."""

    steps: NDArray[int8]
    distances: NDArray[uint8]

    def taken(self, places: NDArray[intp]) -> Sketches:
        """Some of them, in the order of `places`."""
        return Sketches(self.steps[places], self.distances[places])

    def pack(self) -> bytes:
        """The stored form."""
        return joined([squeezed(self.distances), squeezed(self.steps.T)])

    @classmethod
    def unpack(cls, whole: bytes, count: int, size: int) -> Sketches:
        """Reads `count` sketches along `size` directions. Raises ValueError when damaged."""
        import numpy as np

        distances, steps = parted(whole)
        rows = unsqueezed(steps, "i1", count * size).reshape(size, count).T
        return cls(np.ascontiguousarray(rows), unsqueezed(distances, "u1", count))


def concatenated(parts: Sequence[Sketches]) -> Sketches:
    """Sketches one after the other."""
    import numpy as np

    return Sketches(
        np.concatenate([part.steps for part in parts]), np.concatenate([part.distances for part in parts])
    )


def _whole(along: NDArray[float32], step: float) -> NDArray[int8]:
    import numpy as np

    return np.clip(np.round(along / step), -_LARGEST_STEP, _LARGEST_STEP).astype(np.int8)


def _deflated(along: NDArray[float32], step: float) -> bytes:
    return zlib.compress(_whole(along, step).T.tobytes())


def _step(along: NDArray[float32]) -> float:
    """The finest step at which the sample takes BYTES a vector and none is clipped, by halving the range of
    exponents."""
    import numpy as np

    finest, coarsest = max(float(np.abs(along).max()) / _LARGEST_STEP, _TINY), _COARSEST
    if len(_deflated(along, finest)) <= BYTES * len(along):
        return finest
    for _ in range(_HALVINGS):
        middle = (finest * coarsest) ** 0.5
        if len(_deflated(along, middle)) > BYTES * len(along):
            finest = middle
        else:
            coarsest = middle
    return coarsest
