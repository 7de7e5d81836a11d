"""A language model within an invocation: no call of it outlasts the invocation's deadline."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from noted.errors import ModelUnavailable
from noted.models.retry import SHORTEST_TRY_SECONDS

if TYPE_CHECKING:
    from noted.deadline import Deadline
    from noted.models.seam import LanguageModel, Prompt, Reply


class Hurrying:
    """A language model whose calls get at most what is left of `deadline`."""

    def __init__(self, model: LanguageModel, deadline: Deadline) -> None:
        self.name = model.name
        self._model = model
        self._deadline = deadline

    def call(self, prompt: Prompt) -> Reply:
        """The model's reply. Raises what the model raises, and ModelUnavailable (`deadline`) where there is
        no time for a call."""
        return self._model.call(self._hurried(prompt))

    def stream(self, prompt: Prompt) -> Iterator[str | Reply]:
        """The model's reply in pieces, then whole. Raises what `call` raises, also half way."""
        return self._model.stream(self._hurried(prompt))

    def _hurried(self, prompt: Prompt) -> Prompt:
        left = self._deadline.left()
        if math.isinf(left):
            return prompt
        if left < SHORTEST_TRY_SECONDS:
            raise ModelUnavailable("deadline")
        return replace(prompt, seconds=left if prompt.seconds is None else min(left, prompt.seconds))
