"""Arrays and named parts as bytes, small: what the index of facts is stored as.

An array is laid out in planes, all lowest bytes first, then all second ones: sorted or similar numbers have
equal high bytes, which deflate to next to nothing.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy import intp
    from numpy.typing import NDArray

_LEVEL = 6


def squeezed(array: NDArray[Any]) -> bytes:
    """The values of an array, deflated plane by plane. The reader knows type and length."""
    import numpy as np

    flat = np.ascontiguousarray(array).reshape(-1)
    planes = flat.view(np.uint8).reshape(len(flat), flat.itemsize).T if len(flat) else flat
    return zlib.compress(planes.tobytes(), _LEVEL)


def unsqueezed(squeezed_bytes: bytes, kind: str, count: int) -> NDArray[Any]:
    """The `count` values of NumPy's type `kind` that were squeezed. Raises ValueError when damaged."""
    import numpy as np

    kept, wanted = np.dtype(kind), inflated(squeezed_bytes)
    if len(wanted) != count * kept.itemsize:
        raise ValueError("a column of the index is damaged")
    planes = np.frombuffer(wanted, dtype=np.uint8).reshape(kept.itemsize, count).T
    return np.ascontiguousarray(planes).reshape(-1).view(kept)


def inflated(deflated: bytes) -> bytes:
    """What zlib deflated. Raises ValueError when damaged."""
    try:
        return zlib.decompress(deflated)
    except zlib.error as error:
        raise ValueError("a column of the index is damaged") from error


def joined(parts: Sequence[bytes]) -> bytes:
    """The parts in one, each after its length in four bytes."""
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def parted(whole: bytes) -> Iterator[bytes]:
    """The parts of such a whole, in order. Raises ValueError when damaged."""
    place = 0
    while place < len(whole):
        end = place + 4 + int.from_bytes(whole[place : place + 4], "big")
        if end > len(whole):
            raise ValueError("a part of the index is damaged")
        yield whole[place + 4 : end]
        place = end


def ranges(starts: NDArray[intp], lengths: NDArray[intp]) -> NDArray[intp]:
    """The whole numbers of several ranges, one range after the other."""
    import numpy as np

    offsets = np.cumsum(lengths) - lengths
    return np.asarray(np.arange(int(lengths.sum())) + np.repeat(starts - offsets, lengths))
