"""What the meter of a call counts: lines of the log with their metrics, messages, and calls of KMS."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any

from evals.load.counting import Count, Meter
from evals.load.models import DIMENSIONS, extracted, statement, vector
from evals.load.walk import FACTS, fact_text
from noted import metrics
from noted.clock import instant
from tests.standin import Call
from tests.wrapping import MemoryWrapper


class Client:
    """A client of DynamoDB that keeps who listens."""

    def __init__(self) -> None:
        self.listeners: dict[str, Any] = {}
        self.meta = SimpleNamespace(events=SimpleNamespace(register=self.listeners.__setitem__))

    def answer(self, operation: str, parameters: dict[str, Any], reply: dict[str, Any]) -> dict[str, Any]:
        """Asks, and is answered with this."""
        model = SimpleNamespace(name=operation)
        self.listeners["before-parameter-build.dynamodb"](params=parameters, model=model)
        self.listeners["after-call.dynamodb"](model=model, parsed=reply)
        return parameters


def capacity(table: str, units: float, **indexes: float) -> dict[str, Any]:
    """What DynamoDB tells of one table."""
    of_indexes = {name: {"CapacityUnits": used} for name, used in indexes.items()}
    return {
        "TableName": f"noted-{table}",
        "Table": {"CapacityUnits": units},
        **({"GlobalSecondaryIndexes": of_indexes} if of_indexes else {}),
    }


def test_units_are_counted_by_table_and_index_while_a_call_is_counted() -> None:
    client = Client()
    meter = Meter(client, "noted")
    client.answer("PutItem", {}, {"ConsumedCapacity": capacity("memory", 9)})  # before it
    with meter.counted() as count:
        put = client.answer("PutItem", {}, {"ConsumedCapacity": capacity("memory", 2, outbox=1)})
        client.answer(
            "TransactWriteItems",
            {},
            {"ConsumedCapacity": [capacity("memory", 4, outbox=2), capacity("control", 2)]},
        )
        client.answer("GetItem", {}, {"ConsumedCapacity": capacity("control", 1)})
    client.answer("GetItem", {}, {"ConsumedCapacity": capacity("control", 1)})  # after it
    assert put["ReturnConsumedCapacity"] == "INDEXES"
    assert dict(count.write_units) == {"memory": 6, "memory/outbox": 3, "control": 2}
    assert dict(count.read_units) == {"control": 1}
    assert count.database_calls == 3


def test_what_is_not_there_costs_the_least_there_is() -> None:
    client = Client()
    meter = Meter(client, "noted")
    with meter.counted() as count:
        wanted = {"noted-memory": {"Keys": [{}, {}, {}], "ConsistentRead": True}}
        client.answer(
            "BatchGetItem",
            {"RequestItems": wanted},
            {"ConsumedCapacity": [capacity("memory", 2)], "Responses": {"noted-memory": [{}]}},
        )
        nothing = {"ConsumedCapacity": capacity("memory", 0, outbox=0), "Items": []}
        client.answer("Query", {"TableName": "noted-memory", "IndexName": "outbox"}, nothing)
        strong = {"ConsumedCapacity": capacity("ledger", 0), "Items": []}
        client.answer("Query", {"TableName": "noted-ledger", "ConsistentRead": True}, strong)
    assert dict(count.read_units) == {"memory": 4, "memory/outbox": 0.5, "ledger": 1}


def test_lines_tokens_messages_and_keys_are_counted() -> None:
    meter = Meter(Client(), "noted")
    wrapper = meter.wrapping(MemoryWrapper())
    with meter.counted() as count:
        meter.send("{}", "group")
        _, wrapped = wrapper.new("partition")
        wrapper.unwrap(wrapped, "partition")
        wrapper.destroy("partition")
        metrics.write(
            metrics.MODEL_CALLS,
            instant("2026-03-10T12:00:00.000Z"),
            {"Calls": 1, "InputTokens": 30, "OutputTokens": 4},
            log=logging.getLogger("noted.models"),
            purpose="answer",
            model="openai:stand-in",
            outcome="ok",
        )
    assert (count.messages, meter.sent) == (1, ["{}"])
    assert count.kms_calls == 2  # a destroyed key is a row, not a call
    assert (count.model_calls, count.input_tokens, count.output_tokens) == (1, 30, 4)
    assert count.log_lines == 1
    assert count.log_bytes > 200
    assert {name.split()[0] for name in count.metrics} == {"Calls", "InputTokens", "OutputTokens"}


def test_counts_add_up_and_give_a_mean() -> None:
    one, other = Count(invocations=1, kms_calls=1), Count(invocations=1, messages=4)
    one.read_units["memory"] += 3
    other.read_units |= {"memory": 1.0, "control": 2.0}
    one.metrics.add("Turns answer")
    mean = (one + other) / 2
    assert (mean.invocations, mean.kms_calls, mean.messages) == (1, 0.5, 2)
    assert dict(mean.read_units) == {"memory": 2, "control": 1}
    assert mean.as_json()["metrics"] == 1
    assert dict(one.read_units) == {"memory": 3}


def test_the_stand_in_finds_what_a_message_states() -> None:
    messages = [{"role": "user", "content": f"A question? {statement(5)}"}]
    told = extracted(Call("extraction", "/v1/chat/completions", {}, {"messages": messages}), 0.25)
    assert told.delay == 0.25
    assert '"Owns boat 5 in harbour 5"' in str(told.content)
    silent = [{"role": "user", "content": "A question?"}]
    assert (
        extracted(Call("extraction", "/v1/chat/completions", {}, {"messages": silent}), 0).content
        == '{"facts": []}'
    )
    assert len(vector("some words")) == DIMENSIONS


def test_no_two_facts_of_the_walk_are_the_same() -> None:
    texts = [fact_text(number) for number in range(FACTS + 16)]
    assert len({frozenset(text.lower().split()) for text in texts}) == len(texts)
