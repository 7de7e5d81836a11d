"""The forward pass of a BERT encoder with a classifier of tokens (Devlin et al. 2019), in numpy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

_EPSILON = 1e-12  # of layer normalisation, as the model was trained


class Encoder:
    """Runs over one sequence at a time. `weights` are named as Hugging Face names those of BERT."""

    def __init__(self, weights: Mapping[str, NDArray[Any]], layers: int, heads: int) -> None:
        self._weights = weights
        self._layers = layers
        self._heads = heads

    def probabilities(self, numbers: Sequence[int]) -> NDArray[Any]:
        """The probability of each label (columns) for each piece (rows)."""
        import numpy as np

        hidden = self._embedded(numbers)
        for layer in range(self._layers):
            hidden = self._layer(hidden, f"bert.encoder.layer.{layer}.")
        return _softmax(np.asarray(self._dense(hidden, "classifier")))

    def _embedded(self, numbers: Sequence[int]) -> NDArray[Any]:
        words = self._rows("word", numbers)
        summed = words + self._rows("token_type", [0]) + self._rows("position", range(len(numbers)))
        return self._normal(summed, "bert.embeddings.LayerNorm")

    def _rows(self, table: str, rows: Sequence[int]) -> NDArray[Any]:
        import numpy as np

        name = f"bert.embeddings.{table}_embeddings.weight"
        quantized = self._weights[f"{name}_quantized"][list(rows)].astype(np.float32)
        zero = self._weights[f"{name}_zero_point"].astype(np.float32)
        return np.asarray((quantized - zero) * self._weights[f"{name}_scale"])

    def _layer(self, hidden: NDArray[Any], name: str) -> NDArray[Any]:
        import numpy as np

        size = hidden.shape[1] // self._heads
        query, key, value = (
            self._dense(hidden, f"{name}attention.self.{part}").reshape(len(hidden), self._heads, size)
            for part in ("query", "key", "value")
        )
        scores = np.einsum("qhd,khd->hqk", query, key, optimize=True) / np.sqrt(np.float32(size))
        mixed = np.einsum("hqk,khd->qhd", _softmax(scores), value, optimize=True).reshape(hidden.shape)
        attended = self._dense(mixed, f"{name}attention.output.dense") + hidden
        attended = self._normal(attended, f"{name}attention.output.LayerNorm")
        inner = _gelu(self._dense(attended, f"{name}intermediate.dense"))
        return self._normal(self._dense(inner, f"{name}output.dense") + attended, f"{name}output.LayerNorm")

    def _dense(self, hidden: NDArray[Any], name: str) -> NDArray[Any]:
        import numpy as np

        return np.asarray(hidden @ self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"])

    def _normal(self, hidden: NDArray[Any], name: str) -> NDArray[Any]:
        import numpy as np

        centred = hidden - hidden.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + _EPSILON)
        return np.asarray(centred / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"])


def _softmax(scores: NDArray[Any]) -> NDArray[Any]:
    import numpy as np

    raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))


def _gelu(values: NDArray[Any]) -> NDArray[Any]:
    """x times the normal distribution at x, its error function by Abramowitz and Stegun 7.1.26, which is
    right to 1.5e-7."""
    import numpy as np

    size = np.abs(values) * np.float32(2**-0.5)
    t = 1 / (1 + np.float32(0.3275911) * size)
    series = t * (
        np.float32(0.254829592)
        + t
        * (
            np.float32(-0.284496736)
            + t * (np.float32(1.421413741) + t * (np.float32(-1.453152027) + t * np.float32(1.061405429)))
        )
    )
    error = np.sign(values) * (1 - series * np.exp(-size * size))
    return np.asarray(values * (1 + error) / 2)
