"""The running summary: the collected cases. Two messages of a case are one turn."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import boto3
import pytest
from moto import mock_aws

from noted import ids
from noted.context import layout
from noted.conversation.window import WindowLimits
from noted.store.tables import create_tables
from tests.cases.helpers import Cases, parts
from tests.store.builders import turn
from tests.store.test_summaries import Summariser, World

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_dynamodb import DynamoDBClient

AMPLE = 10**9


@pytest.fixture
def client() -> Iterator[DynamoDBClient]:
    """A DynamoDB with the tables."""
    with mock_aws():
        client: DynamoDBClient = boto3.client("dynamodb", region_name="eu-west-1")
        create_tables(client, "t")
        yield client


def name(number: int) -> str:
    """m<number>, in letters: an id with a digit in it would be carried beside the summary."""
    return "m" + "".join(chr(ord("a") + int(digit)) for digit in f"{number:02}")


def say(world: World, first: int, last: int, told: str = "") -> None:
    """Stores the messages from `first` to `last`, an odd one with the even one that answers it. `told` stands
    in the first one too."""
    for number in range(first, last, 2):
        message = f"{name(number)} {told}".strip() if number == first else name(number)
        said = turn(world.chat, number // 2 + 1, message)
        world.store.commit(replace(said, answer=name(number + 1)))


def messages(text: str) -> list[int]:
    """The messages that a text holds, in order."""
    letters = re.findall(r"\bm([a-j]{2})\b", text)
    return [(ord(tens) - ord("a")) * 10 + ord(ones) - ord("a") for tens, ones in letters]


def test_summary_01(cases: Cases, client: DynamoDBClient) -> None:
    """m31 gets its answer, m32, before the history is compacted: the window holds whole turns."""
    given, then = parts(cases, "summary-01")
    assert (given["compact_above"], given["keep_last"]) == (30, 10)
    world = World(client, "t", limits=WindowLimits(5, 16, AMPLE))
    say(world, 1, 32)
    world.work()
    summarised = messages(world.model.given[0])
    assert summarised == list(range(1, 23))
    assert "up to m22 to keep turn order" in then["summarised_exactly"]
    assert then["nothing_lost_or_doubled"]
    assert len(world.model.given) == 1
    window = layout.history(world.thread()[1])
    assert [messages(message.text) for message in window] == [[number] for number in range(23, 33)]
    # The next prompt: the summary is a part of the system's text and no message.
    new = layout.NewMessage(name(33), world.clock.now(), "UTC")
    prompt = layout.answer(None, world.summary().block, window, new)
    assert then["first_role_after_optional_system"] == "user"
    assert then["roles_alternate"]
    assert [message.role for message in prompt.messages] == ["user", "assistant"] * 5 + ["user"]
    assert world.model.text in prompt.system[-1].text


def test_summary_02(cases: Cases, client: DynamoDBClient) -> None:
    """A model that wraps the summary before: its headings go, and what it wraps is there once."""
    given, then = parts(cases, "summary-02")
    text, expected = given["running_summary"]["text"], then["summariser_input"]
    assert (given["running_summary"]["covers_through"], given["keep_last"]) == (20, 10)
    world = World(client, "t", model=Summariser(text), limits=WindowLimits(5, 15, AMPLE))
    say(world, 1, 30, told=text)
    world.work()
    assert messages(world.model.given[0]) == list(range(1, 21))
    assert world.summary().block == text
    say(world, 31, 50)
    world.model.text = f"Summary so far:\n{text}\n\n## New summary:\nThe flat has a garden."
    world.work()
    [_, again] = world.model.given
    assert again.count(text) == expected["previous_summary_times"]
    assert again.count("Summary so far:") == 1
    assert messages(again) == list(range(21, 41))
    assert expected["not_included"] == "m1..m20"
    summary = world.summary()
    assert ids.order(summary.covers_through) == then["result"]["covers_through"] // 2
    assert then["result"]["one_flat_summary"]
    assert then["result"]["no_nested_header"]
    assert summary.block == f"{text}\nThe flat has a garden."
    assert [messages(turn.message) for turn in world.thread()[1]] == [[number] for number in range(41, 51, 2)]
    assert then["second_run_without_new_messages"] == "no model call"
    world.work()
    assert len(world.model.given) == 2
