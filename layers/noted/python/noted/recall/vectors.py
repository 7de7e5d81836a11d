"""The compact form of an embedding, and exact cosines over many of them.

A vector is brought to unit length and each component kept as one signed byte, after a scale of four bytes:
388 bytes for 384 dimensions. The scale is the largest component over 127, and each component is off by at
most half of it; so a cosine with any other vector is off by at most half the scale times the square root of
the dimensions (`error_bound`: 0.01 for e5-small, whose cosines turn out to be off by 0.0002 in the mean).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

_SCALE = struct.Struct("<f")
_LARGEST = 127


def pack(vector: Sequence[float]) -> bytes:
    """The compact form of a vector of any length but zero.

    Raises ValueError for an empty vector, a zero vector, or one with a component that is not finite.
    """
    unit = _unit(vector)
    scale = _SCALE.unpack(_SCALE.pack(max(map(abs, unit)) / _LARGEST))[0]
    steps = [max(-_LARGEST, min(_LARGEST, round(value / scale))) for value in unit]
    return _SCALE.pack(scale) + struct.pack(f"{len(steps)}b", *steps)


def unpack(packed: bytes) -> list[float]:
    """The components that `pack` kept, within half the scale each. Raises ValueError if damaged."""
    size = dimensions(packed)
    scale = _SCALE.unpack_from(packed)[0]
    if not (math.isfinite(scale) and scale > 0):
        raise ValueError("the scale of a packed vector is damaged")
    return [step * scale for step in struct.unpack_from(f"{size}b", packed, _SCALE.size)]


def dimensions(packed: bytes) -> int:
    """How many components a packed vector has. Raises ValueError when there can be none."""
    if len(packed) <= _SCALE.size:
        raise ValueError("a packed vector holds a scale and at least one component")
    return len(packed) - _SCALE.size


def packed_size(components: int) -> int:
    """The bytes of a packed vector of so many components."""
    return _SCALE.size + components


def error_bound(packed: bytes) -> float:
    """How far a cosine with this packed vector can be from the cosine with the vector it was made of."""
    return float(_SCALE.unpack_from(packed)[0]) / 2 * math.sqrt(dimensions(packed))


def cosines(query: Sequence[float], packed: Sequence[bytes]) -> NDArray[float32]:
    """The cosine of a query with each packed vector, in the order given, within `error_bound` of each.

    Raises ValueError for a query that `pack` would refuse and for a packed vector of another length.
    """
    return unit_rows(packed, len(query)) @ unit_row(query)


def centred_cosines(query: Sequence[float], packed: Sequence[bytes]) -> NDArray[float32]:
    """The same after the mean of the packed vectors is taken off both sides; 0 is "as the average one".

    Embeddings of one person's texts crowd into a narrow cone: they share a style, topics, and a direction
    that the model gives to every text. What they share tells none of them apart, and taking it off ranks
    better (Mu and Viswanath 2018, "All-but-the-Top"). A vector that does not differ from the mean gives 0.
    """
    import numpy as np

    rows = unit_rows(packed, len(query))
    if not len(rows):
        return rows[:, 0]
    mean = rows.mean(axis=0)
    rows -= mean
    wanted = unit_row(query) - mean
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows)) * float(np.linalg.norm(wanted))
    # One vector alone, or all the same, leave rounding errors of the sum, which have no direction.
    return np.where(lengths > 1e-5, (rows @ wanted) / np.maximum(lengths, 1e-5), np.float32(0))


def unit_rows(packed: Sequence[bytes], size: int) -> NDArray[float32]:
    """Packed vectors of so many components, a row each, within `error_bound`. Raises ValueError for one of
    another length."""
    import numpy as np

    width = packed_size(size)
    if any(len(vector) != width for vector in packed):
        raise ValueError(f"every packed vector needs the {size} components of the query")
    table = np.frombuffer(b"".join(packed), dtype=np.uint8).reshape(len(packed), width)
    scales = np.ascontiguousarray(table[:, : _SCALE.size]).view("<f4").astype(np.float32)
    return table[:, _SCALE.size :].view(np.int8) * scales


def unit_row(vector: Sequence[float]) -> NDArray[float32]:
    """A vector brought to unit length. Raises ValueError for one that `pack` would refuse."""
    import numpy as np

    return np.array(_unit(vector), dtype=np.float32)


def _unit(vector: Sequence[float]) -> list[float]:
    values = [float(value) for value in vector]
    if not values:
        raise ValueError("a vector needs at least one component")
    largest = max(map(abs, values))
    if not all(map(math.isfinite, values)):
        raise ValueError("every component of a vector must be a finite number")
    if largest == 0:
        raise ValueError("a zero vector has no direction")
    # Divided first, so that very large and very small components neither overflow nor vanish when squared.
    values = [value / largest for value in values]
    length = math.hypot(*values)
    return [value / length for value in values]
