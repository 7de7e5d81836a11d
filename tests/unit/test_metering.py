"""The metrics of model calls, as the log line that CloudWatch makes them of."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from noted.errors import MalformedOutput, ModelRefused, ModelUnavailable
from noted.logs import JsonLines
from noted.models.metering import Meter, Metered, MeteredEmbedder
from noted.models.seam import Block, Prompt, PromptMessage, Purpose, Reply, Usage

NOW = datetime(2026, 3, 10, 12, 0, 0, 250_000, tzinfo=UTC)
CANARY = "zygomorphic"
PROMPT = Prompt(
    Purpose.EXTRACTION,
    (Block(f"system {CANARY}", cache_point=True),),
    (PromptMessage("user", (Block(f"user {CANARY}"),)),),
)
REPLY = Reply(f"reply {CANARY}", usage=Usage(1_200, 30, 1_024, 128, model_calls=2))
FAILURES = [
    (ModelUnavailable("timeout"), "unavailable"),
    (ModelRefused("filtered"), "refused"),
    (MalformedOutput("truncated"), "malformed"),
]


class Fixed:
    """A clock that stands still."""

    def now(self) -> datetime:
        return NOW


class Ticking:
    """Seconds that pass by 1.5 whenever someone looks."""

    def __init__(self) -> None:
        self._seconds = 100.0

    def __call__(self) -> float:
        self._seconds += 1.5
        return self._seconds


class Playing:
    """A model, and an embedder, that gives these items and then raises, if there is anything to raise."""

    name = "openai:playing"

    def __init__(self, *items: str | Reply, error: Exception | None = None) -> None:
        self._items = items
        self._error = error
        self.exhausted = False

    def call(self, _: Prompt) -> Reply:
        (reply,) = self.stream(_)
        assert isinstance(reply, Reply)
        return reply

    def stream(self, _: Prompt) -> Iterator[str | Reply]:
        yield from self._items
        if self._error:
            raise self._error
        self.exhausted = True

    def embed_facts(self, texts: Sequence[str]) -> list[list[float]]:
        if self._error:
            raise self._error
        return [[1.0] for _ in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_facts([text])[0]


@pytest.fixture
def meter() -> Meter:
    return Meter(Fixed(), Ticking())


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Callable[[], list[dict[str, Any]]]:
    """What a function writes to its log: JSON, a line a record."""
    caplog.set_level(logging.INFO, "noted")
    written = JsonLines("Noted/test")
    return lambda: [json.loads(written.format(record)) for record in caplog.records]


Lines = Callable[[], list[dict[str, Any]]]


def metrics(line: dict[str, Any]) -> dict[str, int]:
    """The metrics that CloudWatch takes out of a line, as its format says."""
    directive, *totals = line["_aws"]["CloudWatchMetrics"]
    assert directive.keys() == {"Namespace", "Dimensions", "Metrics"}
    assert directive["Namespace"] == "Noted/test"
    (names,) = directive["Dimensions"]
    assert all(isinstance(line[name], str) and line[name] for name in names)
    assert all(isinstance(line[metric["Name"]], int | float) for metric in directive["Metrics"])
    units = {metric["Name"]: metric["Unit"] for metric in directive["Metrics"]}
    assert units.pop("Duration") == "Milliseconds"
    assert set(units.values()) == {"Count"}
    # Tokens are told by model alone as well.
    for each in totals:
        assert (each["Namespace"], each["Dimensions"]) == ("Noted/test", [["model"]])
        assert [metric["Name"] for metric in each["Metrics"]] == [name for name in units if "Tokens" in name]
    assert bool(totals) == ("InputTokens" in units)
    return {metric["Name"]: line[metric["Name"]] for metric in directive["Metrics"]}


def dimensions(line: dict[str, Any]) -> dict[str, str]:
    """The dimensions that CloudWatch takes out of a line."""
    (names,) = line["_aws"]["CloudWatchMetrics"][0]["Dimensions"]
    return {name: line[name] for name in names}


def test_a_call_is_one_line_in_the_embedded_metric_format(meter: Meter, lines: Lines) -> None:
    assert Metered(Playing(REPLY), meter).call(PROMPT) is REPLY
    (line,) = lines()
    assert line["_aws"]["Timestamp"] == 1_773_144_000_250  # NOW, in milliseconds
    assert dimensions(line) == {"purpose": "extraction", "model": "openai:playing", "outcome": "ok"}
    assert metrics(line) == {
        "Calls": 1,
        "Requests": 2,
        "InputTokens": 1_200,
        "OutputTokens": 30,
        "CacheReadTokens": 1_024,
        "CacheWriteTokens": 128,
        "Duration": 1_500,
    }


@pytest.mark.parametrize("error, outcome", FAILURES)
def test_a_call_that_fails_counts_with_its_outcome(
    meter: Meter, lines: Lines, error: Exception, outcome: str
) -> None:
    model = Metered(Playing(error=error), meter)
    with pytest.raises(type(error)):
        model.call(PROMPT)
    with pytest.raises(type(error)):
        list(model.stream(PROMPT))
    called, streamed = lines()
    assert called == {**streamed, "timestamp": called["timestamp"]}
    assert dimensions(called)["outcome"] == outcome
    assert metrics(called) == {"Calls": 1, "Duration": 1_500}


def test_a_stream_counts_once_with_the_usage_of_the_whole_reply(meter: Meter, lines: Lines) -> None:
    inner = Playing("rep", "ly", REPLY)
    assert list(Metered(inner, meter).stream(PROMPT)) == ["rep", "ly", REPLY]
    (line,) = lines()
    assert dimensions(line)["outcome"] == "ok"
    assert metrics(line)["InputTokens"] == 1_200
    assert inner.exhausted


def test_a_stream_whose_reader_leaves_with_the_whole_reply_is_no_failure(meter: Meter, lines: Lines) -> None:
    stream = iter(Metered(Playing("reply", REPLY), meter).stream(PROMPT))
    assert [next(stream), next(stream)] == ["reply", REPLY]
    (line,) = lines()
    assert dimensions(line)["outcome"] == "ok"


def test_a_stream_that_is_left_half_way_counts_as_abandoned(meter: Meter, lines: Lines) -> None:
    stream = iter(Metered(Playing("rep", "ly", REPLY), meter).stream(PROMPT))
    assert next(stream) == "rep"
    assert lines() == []
    del stream
    (line,) = lines()
    assert dimensions(line)["outcome"] == "abandoned"
    assert metrics(line) == {"Calls": 1, "Duration": 1_500}


def test_an_embedder_counts_texts_and_characters(meter: Meter, lines: Lines) -> None:
    embedder = MeteredEmbedder(Playing(), meter)
    assert embedder.embed_facts(["four", "sixsix"]) == [[1.0], [1.0]]
    assert embedder.embed_query("query") == [1.0]
    facts, query = lines()
    assert dimensions(facts) == {"purpose": "embedding", "model": "openai:playing", "outcome": "ok"}
    assert metrics(facts) == {"Calls": 1, "Texts": 2, "Characters": 10, "Duration": 1_500}
    assert metrics(query) == {"Calls": 1, "Texts": 1, "Characters": 5, "Duration": 1_500}


def test_an_embedder_that_fails_counts_too_whatever_it_raises(meter: Meter, lines: Lines) -> None:
    with pytest.raises(OSError, match="weights"):
        MeteredEmbedder(Playing(error=OSError("weights")), meter).embed_query("query")
    (line,) = lines()
    assert dimensions(line)["outcome"] == "unavailable"


@pytest.mark.parametrize("error", [None, *(error for error, _ in FAILURES)])
def test_no_word_of_a_prompt_a_reply_or_a_text_is_in_a_line(
    meter: Meter, caplog: pytest.LogCaptureFixture, error: Exception | None
) -> None:
    caplog.set_level(logging.DEBUG)
    playing = Playing(*([] if error else [REPLY]), error=error)
    for call in (
        lambda: Metered(playing, meter).call(PROMPT),
        lambda: list(Metered(playing, meter).stream(PROMPT)),
        lambda: MeteredEmbedder(playing, meter).embed_facts([CANARY]),
    ):
        if error:
            with pytest.raises(type(error)):
                call()
        else:
            call()
    assert len(caplog.records) == 3
    assert CANARY not in "".join(str(vars(record)) for record in caplog.records)
