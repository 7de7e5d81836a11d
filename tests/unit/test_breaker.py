"""When a dependency is given up, and when it is tried again."""

from __future__ import annotations

import pytest

from noted.breaker import Breaker
from noted.errors import MalformedOutput, ModelError, ModelRefused, ModelUnavailable
from noted.models.breaking import Breaking, BreakingEmbedder
from noted.models.seam import Prompt, Purpose, Reply
from tests.store.builders import FixedClock


def played(breaker: Breaker, outcomes: str) -> str:
    """Plays calls, `s` for one that succeeds and `f` for one that fails; gives what was let through."""
    through = ""
    for outcome in outcomes:
        if breaker.allows():
            breaker.record(succeeded=outcome == "s")
            through += outcome
    return through


@pytest.mark.parametrize(
    "outcomes, through",
    [
        ("ffff" + "s" * 20, "ffff" + "s" * 20),
        ("fffff" + "ssss", "fffff"),
        ("sfsfsfsfsf" + "ss", "sfsfsfsfsf"),  # five of the last ten
        ("ffff" + "ssssss" + "f" + "ss", "ffffssssssfss"),  # the first is forgotten by then
        ("fffssssffs", "fffssssff"),
    ],
)
def test_five_failures_of_the_last_ten_calls_open_it(outcomes: str, through: str) -> None:
    assert played(Breaker("x", FixedClock()), outcomes) == through


def test_one_call_tries_after_thirty_seconds() -> None:
    clock = FixedClock()
    breaker = Breaker("x", clock)
    played(breaker, "fffff")
    clock.forward(seconds=29.9)
    assert not breaker.allows()
    clock.forward(seconds=0.1)
    assert breaker.allows()
    assert not breaker.allows()  # the first one is still at it
    breaker.record(succeeded=False)
    assert not breaker.allows()
    clock.forward(seconds=30)
    assert breaker.allows()
    breaker.record(succeeded=True)
    # Closed, with nothing of before: four failures do not open it.
    assert played(breaker, "ffffs") == "ffffs"


def test_each_opening_is_counted_by_what_it_keeps_away_from(caplog: pytest.LogCaptureFixture) -> None:
    clock = FixedClock()
    breaker = Breaker("embedder", clock)
    played(breaker, "fffff" + "f")
    clock.forward(seconds=30)
    played(breaker, "s" + "fffff")
    opened = [vars(each) for each in caplog.records if "BreakerOpenings" in vars(each)]
    assert [(each["dependency"], each["BreakerOpenings"]) for each in opened] == [("embedder", 1)] * 2


def test_a_trial_of_which_nothing_is_heard_does_not_shut_it_for_ever() -> None:
    clock = FixedClock()
    breaker = Breaker("x", clock)
    played(breaker, "fffff")
    clock.forward(seconds=30)
    assert breaker.allows()
    clock.forward(seconds=30)
    assert breaker.allows()


def test_what_ends_late_does_not_keep_it_open() -> None:
    """Calls that were let through before it opened, and end after."""
    clock = FixedClock()
    breaker = Breaker("x", clock)
    played(breaker, "fffff")
    breaker.record(succeeded=False)
    clock.forward(seconds=30)
    assert breaker.allows()


class Failing:
    """A model and an embedder that always fail in one way."""

    name = "failing"

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.calls = 0

    def call(self, prompt: Prompt) -> Reply:
        self.calls += 1
        raise self.error

    def stream(self, prompt: Prompt) -> list[str | Reply]:
        return [self.call(prompt)]

    def embed_facts(self, texts: object) -> list[list[float]]:
        self.calls += 1
        raise self.error

    def embed_query(self, text: str) -> list[float]:
        return self.embed_facts([text])[0]


PROMPT = Prompt(Purpose.ANSWER, (), ())
HURRIED = Prompt(Purpose.QUERY, (), (), seconds=0.3)


@pytest.mark.parametrize(
    "error, prompt, calls",
    [
        (ModelUnavailable("timeout"), PROMPT, 5),
        (ModelUnavailable("throttled"), PROMPT, 5),
        (ModelUnavailable("unreachable"), HURRIED, 5),
        # It was in its caller's hands, or it answered.
        (ModelUnavailable("timeout"), HURRIED, 12),
        (ModelUnavailable("rejected"), PROMPT, 12),
        (ModelUnavailable("deadline"), PROMPT, 12),
        (ModelRefused("guardrail"), PROMPT, 12),
        (MalformedOutput("malformed"), PROMPT, 12),
    ],
)
def test_only_a_model_that_is_down_is_given_up(error: ModelError, prompt: Prompt, calls: int) -> None:
    inner = Failing(error)
    model = Breaking(inner, Breaker("x", FixedClock()))  # type: ignore[arg-type]
    for number in range(12):
        with pytest.raises(ModelError):
            model.call(prompt) if number % 2 else list(model.stream(prompt))
    assert inner.calls == calls


@pytest.mark.parametrize("error", [ModelUnavailable("failed"), OSError("weights")])
def test_an_embedder_that_is_down_is_given_up(error: Exception) -> None:
    inner = Failing(error)
    embedder = BreakingEmbedder(inner, Breaker("x", FixedClock()))
    for number in range(8):
        with pytest.raises((ModelUnavailable, OSError)):
            embedder.embed_query("text") if number % 2 else embedder.embed_facts(["text"])
    assert inner.calls == 5
