"""Server-sent events: what goes over the wire, and what a reader makes of it."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local import events as reader
from noted.api import events
from noted.api.accept import wants
from noted.api.heartbeat import with_heartbeats
from noted.api.problems import Problem
from noted.api.replies import TurnReply

EVENTS, JSON = "text/event-stream", "application/json"


def turn(answer: str) -> TurnReply:
    return TurnReply.model_construct(turn_id="tn_1", answer=answer)


def read(text: str) -> list[tuple[str, object]]:
    """The events of a stream, by a reader that splits lines at every kind of break that Unicode knows."""
    return [(name, json.loads(data)) for name, data in reader.read(text.splitlines())]


def test_the_wire_is_event_and_data_and_an_empty_line() -> None:
    assert events.delta("Hi").encode() == 'event: delta\ndata: {"text": "Hi"}\n\n'
    assert events.turn(turn("Hi")).encode() == 'event: turn\ndata: {"turn_id":"tn_1","answer":"Hi"}\n\n'
    problem = Problem(type="urn:noted:problem:unavailable", title="T", status=503, detail="D")
    told = '{"type": "urn:noted:problem:unavailable", "title": "T", "status": 503, "detail": "D"}'
    assert events.failure(problem).encode() == f"event: error\ndata: {told}\n\n"


@pytest.mark.parametrize(
    "text,written",
    [
        ("a\nb", r"a\nb"),
        ("a\r\nb\rc", r"a\r\nb\rc"),
        ("a\n\ndata: forged\n\n", r"a\n\ndata: forged\n\n"),
        ("a\u2028b\u2029c\x85d", r"a\u2028b\u2029c\u0085d"),
        ("\x0b\x0c\x1c\x00", r"\u000b\f\u001c\u0000"),
        ("سلام 👋", "سلام 👋"),
        # The first half of a character that the next piece completes.
        ("\ud83d", r"\ud83d"),
    ],
)
def test_no_text_breaks_a_line(text: str, written: str) -> None:
    encoded = events.delta(text).encode()
    assert encoded == f'event: delta\ndata: {{"text": "{written}"}}\n\n'
    assert encoded.encode("utf-8")
    assert read(encoded) == [("delta", {"text": text})]


@given(st.lists(st.text(st.characters(exclude_categories=()), min_size=1)))
def test_pieces_joined_are_the_answer(pieces: list[str]) -> None:
    def answering() -> Generator[str, None, str]:
        yield from pieces
        return "".join(pieces)

    def reply(answer: str) -> TurnReply:
        return turn("whole")

    told = read("".join(event.encode() for event in events.told(answering(), reply)))
    if pieces:
        assert "".join(data["text"] for name, data in told if name == "delta") == "".join(pieces)  # type: ignore[index]
    assert told[-1] == ("turn", {"turn_id": "tn_1", "answer": "whole"})


def test_an_answer_that_was_made_before_is_one_piece() -> None:
    def again() -> Generator[str, None, str]:
        yield from ()
        return "Noted."

    told = [event.encode() for event in events.told(again(), turn)]
    assert read("".join(told)) == [
        ("delta", {"text": "Noted."}),
        ("turn", {"turn_id": "tn_1", "answer": "Noted."}),
    ]


def test_an_empty_piece_is_no_event() -> None:
    def answering() -> Generator[str, None, str]:
        yield ""
        yield "Hi"
        return "Hi"

    assert [event.name for event in events.told(answering(), turn)] == ["delta", "turn"]


def test_closing_the_events_closes_the_work() -> None:
    closed = []

    def answering() -> Generator[str, None, str]:
        try:
            yield "Hi"
            yield "there"
        except GeneratorExit:
            closed.append(True)
            raise
        return ""

    told = events.told(answering(), turn)
    assert next(told) == events.delta("Hi")
    told.close()  # type: ignore[attr-defined]
    assert closed == [True]


@pytest.mark.parametrize(
    "accept,wanted",
    [
        (None, False),
        ("", False),
        ("*/*", False),
        (JSON, False),
        (EVENTS, True),
        ("Text/Event-Stream", True),
        ("text/event-stream; charset=utf-8", True),
        ("text/event-stream, */*", True),
        ("text/event-stream, */*;q=0.1", True),
        ("*/*, text/event-stream;q=0.1", False),
        ("text/event-stream, application/json", False),
        ("application/json;q=0.9, text/event-stream", True),
        ("application/json, text/event-stream;q=0.9", False),
        ("application/json;q=0.5,text/event-stream;q=0.501", True),
        ("text/event-stream;q=0", False),
        ("text/event-stream;q=0.000, */*", False),
        ("text/*", True),
        ("text/*, application/json", False),
        ("text/*;q=0.5, application/*;q=0.4", True),
        ("application/json;q=0, */*", False),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", False),
        ("text/event-stream;q=2", False),
        ("text/event-stream;q=high, application/json;q=0.1", False),
        (", ,;;,text/event-stream", True),
        ("text/event-streams", False),
    ],
)
def test_a_client_gets_events_if_it_asks_for_them(accept: str | None, wanted: bool) -> None:
    assert wants(accept, EVENTS, rather_than=JSON) is wanted


def test_a_silent_stream_is_kept_alive() -> None:
    beaten = threading.Event()

    def pieces() -> Iterator[str]:
        yield "a"
        assert beaten.wait(60)
        yield "b"

    told = with_heartbeats(pieces(), seconds=0.01)
    first = next(told)
    beats = [next(told), next(told)]
    beaten.set()
    rest = [piece for piece in told if piece != events.HEARTBEAT]
    assert (first, beats, rest) == ("a", [":\n\n"] * 2, ["b"])


def test_readers_skip_the_heartbeat() -> None:
    text = events.HEARTBEAT + events.delta("Hi").encode() + events.HEARTBEAT
    assert read(text) == [("delta", {"text": "Hi"})]


def test_a_stream_that_nobody_listens_to_is_finished_all_the_same() -> None:
    made: list[object] = []

    def pieces() -> Iterator[str]:
        for number in range(50):
            made.append(number)
            yield str(number)
        made.append("stored")

    told = with_heartbeats(pieces())
    assert next(told) == "0"
    told.close()  # type: ignore[attr-defined]
    assert made == [*range(50), "stored"]


def test_what_makes_the_pieces_waits_for_who_takes_them() -> None:
    made: list[int] = []

    def pieces() -> Iterator[str]:
        for number in range(50):
            made.append(number)
            yield str(number)

    told = with_heartbeats(pieces())
    for taken in range(50):
        assert next(told) == str(taken)
        # One is handed over, one waits, one is being made.
        assert len(made) <= taken + 3


@pytest.mark.parametrize(
    "lines,found",
    [
        (["data: a", "data: b", ""], [("message", "a\nb")]),
        (["event: turn", ""], []),
        (["event:turn", "data:x", "id: 7", "retry: 1", ": comment", ""], [("turn", "x")]),
        (["data:  two blanks", ""], [("message", " two blanks")]),
        (["event: turn", "data: cut off"], []),
        (["event: a", "", "data: b", ""], [("message", "b")]),
    ],
)
def test_a_stream_is_read_as_the_standard_says(lines: list[str], found: list[tuple[str, str]]) -> None:
    assert list(reader.read(lines)) == found
