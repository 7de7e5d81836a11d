"""The window of turns that a prompt replays: the collected cases, over HTTP. Two messages of a case are one
turn.

The service cuts its window from 20 turns to 10, which is the case's 40 and 20 messages.
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from noted.context.tokens import estimate
from tests.api.helpers import Json, begin, problem, record, stored_turns, turns_of
from tests.cases.helpers import Cases, context, parts

if TYPE_CHECKING:
    import httpx

    from tests.api.conftest import ServiceUnderTest

NEXT = "And now?"
_AROUND_A_MESSAGE = 4  # tokens that a provider adds for its role


def replayed(built: Json) -> list[Json]:
    """The messages before the new one."""
    return list(built["messages"][:-1])


def text_of(tokens: int) -> str:
    """A text that takes so many tokens with its message, without a figure, so that no summary pins it."""
    text = ("word " * tokens)[: 4 * (tokens - _AROUND_A_MESSAGE) - 1] + "."
    assert estimate(text) + _AROUND_A_MESSAGE == tokens
    return text


def say_all(client: httpx.Client, conversation: str, messages: list[str]) -> None:
    """Records messages, each odd one with the even one that answers it."""
    for user, assistant in zip(messages[::2], messages[1::2], strict=True):
        record(client, conversation, user, assistant, remember=False)


def test_context_window_01(cases: Cases, service: ServiceUnderTest) -> None:
    """A window of 19 turns is what the service has until its first cut, behind the twentieth turn; windows of
    other sizes are a matter of the rule alone."""
    given, then = parts(cases, "context-window-01")
    [(case, expected)] = [
        (case, expected)
        for case, expected in zip(given["cases"], then["results"], strict=True)
        if case["window"] == 19
    ]
    alice = service.client("alice")
    conversation = begin(alice)
    sent = 0
    for _ in range(case["turns"]):
        sent += context(alice, conversation, NEXT)["tokens"]["history"]
        say_all(alice, conversation, [text_of(case["tokens_per_turn"] // 2)] * 2)
    assert sent == expected["windowed"] == expected["full"]
    assert then["bound"] == "windowed <= tokens_per_turn * window * turns"
    assert sent <= case["tokens_per_turn"] * case["window"] * case["turns"]


@pytest.mark.parametrize("messages", [51, 52])
def test_context_window_02(cases: Cases, service: ServiceUnderTest, messages: int) -> None:
    """A budget of tokens stands for the number of messages, of which each takes 600. The message without a
    reply is one that no model answered. The queue rests, so nothing leaves for a summary meanwhile."""
    given, then = parts(cases, "context-window-02")
    assert str(messages) in given["history"]
    each = 600
    alice = service.client("alice")
    conversation = begin(alice)
    service.queue.stop()
    answered = messages // 2
    for number in range(1, answered + 1):
        say_all(alice, conversation, [text_of(each), text_of(each - 1)])
        assert len(stored_turns(alice, conversation)) == number
    if messages % 2:
        service.standin.reply("answer", 500)
        said = alice.post(turns_of(conversation), json={"message": "Are you there?", "remember": False})
        problem(said, 503, "unavailable")

    whole = context(alice, conversation, NEXT, budget_tokens=200_000)
    assert len(replayed(whole)) == 2 * answered
    beside = whole["tokens"]["system"] + whole["tokens"]["message"]
    lead_of_summary = 500
    for setting in given["settings"]:
        most = setting["max_messages"]
        room = beside + lead_of_summary + each * most
        built = context(alice, conversation, NEXT, budget_tokens=room)
        assert built["tokens"]["total"] <= room
        history = replayed(built)
        assert len(history) <= most
        assert len(history) == then.get(f"max_messages={most}", {"replayed": len(history)})["replayed"]
        assert bool(history) is (most > 1)
        assert history == replayed(whole)[2 * answered - len(history) :]
        roles = [message["role"] for message in built["messages"]]
        assert roles == ["user", "assistant"] * (len(history) // 2) + ["user"]
        assert "system prompt is kept" in then["always"]
        assert built["system"][0] == whole["system"][0]


def test_context_window_03(cases: Cases, service: ServiceUnderTest) -> None:
    given, then = parts(cases, "context-window-03")
    alice = service.client("alice")
    conversation = begin(alice)

    def appended(number: int) -> Json:
        say_all(alice, conversation, [f"Message {number}", f"Answer {number}"])
        service.queue.drain()
        return context(alice, conversation, NEXT)

    windows = [appended(number) for number in range(given["low"] // 2)]
    assert f"{len(replayed(windows[-1]))} messages in the window" == given["start"]
    windows = windows[-1:] + [appended(100 + number) for number in range(given["appended"] // 2)]
    changes = 0
    for before, after in pairwise(windows):
        assert then["window_never_below"] <= len(replayed(after)) <= then["window_never_above"]
        if replayed(after)[0] != replayed(before)[0]:
            changes += 1
            continue
        earlier = [json.dumps([*built["system"], *replayed(built)])[:-1] for built in (before, after)]
        assert earlier[1].startswith(earlier[0])
        assert len(replayed(after)) == len(replayed(before)) + 2
    assert 1 <= changes <= then["times_the_first_message_changes_at_most"]
    assert len(service.standin.calls["summary"]) == changes
