"""The chat in the terminal, against a service that is scripted here."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from rich.console import Console

from local.chat import Chat

Reply = tuple[int, dict[str, Any]]


def fact(text: str, status: str = "live", verdict: str | None = None) -> dict[str, Any]:
    latest = {"verdict": verdict, "at": "2026-03-10T12:00:00.000Z"} if verdict else None
    return {"fact_id": f"ft_{text}", "kind": "fact", "text": text, "status": status, "latest_verdict": latest}


class Script:
    """Answers by method and path, and keeps what was asked."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []
        self.epoch = 1
        self.facts = [fact("Likes tea"), fact("Lives in Oslo")]
        self.answers: dict[str, Reply] = {}
        self.told: list[tuple[str, dict[str, Any]]] = [
            ("delta", {"text": "Good "}),
            ("delta", {"text": "day."}),
            ("turn", {"answer": "Good day.", "memory": "queued", "saved_url": "/v1/saved"}),
        ]

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        key = f"{request.method} {request.url.path}"
        headers = {"Memory-Epoch": str(self.epoch)}
        if key.endswith("/turns") and key not in self.answers:
            assert request.headers["accept"] == "text/event-stream"
            events = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in self.told)
            headers["Content-Type"] = "text/event-stream"
            return httpx.Response(201, text=f":\n\n{events}", headers=headers)
        status, body = self.answers.pop(key) if key in self.answers else self._usual(key, request)
        return httpx.Response(status, json=body, headers=headers)

    def _usual(self, key: str, request: httpx.Request) -> Reply:
        if key == "POST /v1/conversations":
            return 201, {"conversation_id": f"cv_{len(self.sent('POST', '/v1/conversations'))}"}
        if key == "GET /v1/saved":
            return 200, {"status": "done", "facts": [fact("Likes tea")]}
        if key == "GET /v1/facts" and "cursor" not in request.url.params:
            return 200, {"items": self.facts[:1], "next_cursor": "more"}
        if key == "GET /v1/facts":
            return 200, {"items": self.facts[1:], "next_cursor": None}
        if key == "DELETE /v1/memory":
            self.epoch += 1
            return 202, {"erasure_id": "er_1", "status": "running", "status_url": "/v1/erasures/er_1"}
        return 201, {}

    def sent(self, method: str, path: str) -> list[httpx.Request]:
        return [each for each in self.requests if (each.method, each.url.path) == (method, path)]


Talk = Callable[..., str]


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def talk(script: Script) -> Iterator[Talk]:
    with httpx.Client(base_url="http://127.0.0.1", transport=httpx.MockTransport(script)) as client:

        def run(*lines: str) -> str:
            waiting = iter(lines)

            def ask(prompt: str) -> str:
                try:
                    return next(waiting)
                except StopIteration:
                    raise EOFError from None

            written = io.StringIO()
            Chat(client, Console(file=written, width=200), ask).run()
            return written.getvalue()

        yield run


def test_a_message_is_answered_and_what_was_saved_is_told(talk: Talk, script: Script) -> None:
    told = talk("I like tea")
    assert told.index("Good day.") < told.index("saved: Likes tea")
    (turn,) = script.sent("POST", "/v1/conversations/cv_1/turns")
    assert json.loads(turn.content) == {"message": "I like tea"}
    assert turn.headers["if-memory-epoch"] == "1"
    assert turn.headers["idempotency-key"]


def test_an_answer_is_shown_while_it_comes(talk: Talk, script: Script) -> None:
    script.told = [("delta", {"text": "Good\x1b[2J "}), ("delta", {"text": "evening"}), *script.told[-1:]]
    told = talk("hello")
    # The pieces, and not the answer of the turn once more.
    assert "Good[2J evening\nsaved: Likes tea\n" in told
    assert "Good day." not in told


@pytest.mark.parametrize("pieces", [0, 1])
def test_an_answer_that_fails_half_way_is_told_and_the_chat_goes_on(
    talk: Talk, script: Script, pieces: int
) -> None:
    whole = script.told
    script.told = [*whole[:pieces], ("error", {"title": "x", "status": 503, "detail": "Not now."})]
    told = talk("hello", "/facts")
    assert "Good Not now." not in told
    assert told.index("Not now.") < told.index("1  Likes tea")
    assert not script.sent("GET", "/v1/saved")


def test_an_answer_that_breaks_off_is_told(talk: Talk, script: Script) -> None:
    script.told = script.told[:1]
    assert "Good \nThe answer broke off." in talk("hello")


def test_a_held_fact_is_told_as_such(talk: Talk, script: Script) -> None:
    script.answers["GET /v1/saved"] = (200, {"status": "done", "facts": [fact("Is the admin", "held")]})
    assert "saved: Is the admin (held until you confirm it)" in talk("hello")


def test_a_failed_saving_is_told(talk: Talk, script: Script) -> None:
    script.answers["GET /v1/saved"] = (200, {"status": "failed", "facts": []})
    assert "saving: failed" in talk("hello")


def test_all_facts_are_listed_and_judged_by_their_number(talk: Talk, script: Script) -> None:
    told = talk("/facts", "/reject 2", "/confirm 1")
    assert "1  Likes tea" in told
    assert "2  Lives in Oslo" in told
    (rejection,) = script.sent("POST", "/v1/facts/ft_Lives in Oslo/verdicts")
    (confirmation,) = script.sent("POST", "/v1/facts/ft_Likes tea/verdicts")
    assert json.loads(rejection.content) == {"verdict": "rejected"}
    assert json.loads(confirmation.content) == {"verdict": "confirmed"}


@pytest.mark.parametrize("command", ["/reject", "/reject 0", "/reject 3", "/confirm x", "/confirm ²"])
def test_a_number_that_was_not_listed_judges_nothing(talk: Talk, script: Script, command: str) -> None:
    assert "Give the number" in talk("/facts", command)
    assert not [each for each in script.requests if each.url.path.endswith("/verdicts")]


@pytest.mark.parametrize("answers", [("no",), ("",), ()])
def test_forgetting_asks_first(talk: Talk, script: Script, answers: tuple[str, ...]) -> None:
    assert "Nothing was erased." in talk("/forget", *answers)
    assert not script.sent("DELETE", "/v1/memory")


def test_after_forgetting_a_new_conversation_begins_in_the_new_epoch(talk: Talk, script: Script) -> None:
    told = talk("hello", "/forget", "yes", "hello again")
    assert "/v1/erasures/er_1" in told
    (turn,) = script.sent("POST", "/v1/conversations/cv_2/turns")
    assert turn.headers["if-memory-epoch"] == "2"


def test_what_was_erased_elsewhere_is_not_sent_again(talk: Talk, script: Script) -> None:
    script.answers["POST /v1/conversations/cv_1/turns"] = (
        409,
        {"title": "x", "detail": "The memory was erased."},
    )
    script.epoch = 1
    told = talk("hello")
    assert "The memory was erased." in told
    assert "A new conversation has begun." in told
    assert len(script.sent("POST", "/v1/conversations/cv_1/turns")) == 1


def test_a_refusal_is_told_and_the_chat_goes_on(talk: Talk, script: Script) -> None:
    script.answers["POST /v1/conversations/cv_1/turns"] = (503, {"title": "x", "detail": "Not now."})
    told = talk("hello", "hello")
    assert told.index("Not now.") < told.index("Good day.")


def test_a_text_cannot_steer_the_terminal(talk: Talk, script: Script) -> None:
    script.facts = [fact("\x1b]0;title\x07\x1b[2J[bold]Likes tea[/bold]"), fact("Lives in Oslo")]
    told = talk("/facts")
    assert "\x1b]" not in told
    assert "\x1b[2J" not in told
    assert "[bold]Likes tea[/bold]" in told


def test_quit_ends_it(talk: Talk, script: Script) -> None:
    talk("/quit", "hello")
    assert not script.sent("POST", "/v1/conversations/cv_1/turns")


def test_an_unknown_command_is_no_message(talk: Talk, script: Script) -> None:
    assert "/forget" in talk("/unknown")
    assert not script.sent("POST", "/v1/conversations/cv_1/turns")
