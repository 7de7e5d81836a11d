"""How long an invocation may still work."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

from noted.deadline import NO_DEADLINE, Deadline
from noted.errors import ModelUnavailable, Unavailable
from noted.models.hurrying import Hurrying
from noted.models.seam import Prompt, Purpose, Reply


class Context:
    """Lambda's, with three seconds left."""

    def get_remaining_time_in_millis(self) -> int:
        return 3000


class Recording:
    """A model that keeps the prompts it is given."""

    name = "recording"

    def __init__(self) -> None:
        self.prompts: list[Prompt] = []

    def call(self, prompt: Prompt) -> Reply:
        self.prompts.append(prompt)
        return Reply("ok")

    def stream(self, prompt: Prompt) -> Iterator[str | Reply]:
        yield self.call(prompt)


PROMPT = Prompt(Purpose.ANSWER, (), ())


def test_work_stops_a_second_before_it_is_cut_off() -> None:
    now = [100.0]
    deadline = Deadline.of(Context(), lambda: now[0])
    assert deadline.left() == 2.0
    deadline.check()
    now[0] = 101.5
    deadline.check(0.4)
    with pytest.raises(Unavailable):
        deadline.check(0.5)
    now[0] = 102.0
    assert deadline.left() == 0.0
    with pytest.raises(Unavailable):
        deadline.check()
    now[0] = 110.0
    assert deadline.left() == 0.0


@pytest.mark.parametrize("context", [None, object()])
def test_a_context_without_a_clock_sets_no_end(context: object) -> None:
    deadline = Deadline.of(context)
    assert math.isinf(deadline.left())
    deadline.check(3600)


def test_a_model_gets_what_is_left_and_never_more_than_was_wanted() -> None:
    now, inner = [0.0], Recording()
    model = Hurrying(inner, Deadline(10.0, lambda: now[0]))
    model.call(PROMPT)
    list(model.stream(Prompt(Purpose.QUERY, (), (), seconds=0.3)))
    now[0] = 8.0
    model.call(Prompt(Purpose.ANSWER, (), (), seconds=24.0))
    assert [prompt.seconds for prompt in inner.prompts] == [10.0, 0.3, 2.0]
    now[0] = 9.6
    for asked in (lambda: model.call(PROMPT), lambda: list(model.stream(PROMPT))):
        with pytest.raises(ModelUnavailable, match="deadline"):
            asked()
    assert len(inner.prompts) == 3


def test_without_an_end_a_prompt_is_as_it_was() -> None:
    inner = Recording()
    Hurrying(inner, NO_DEADLINE).call(PROMPT)
    assert inner.prompts[0] is PROMPT
