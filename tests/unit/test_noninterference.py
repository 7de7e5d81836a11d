"""What one user does is the same whether or not another uses the service at the same time: nothing of it
depends on the other, not a reply, not a number, not what is asked of a model. Shared caches, counters,
filters of what is there already, or limits that were counted together would show here."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from noted.api.http import Handler
from noted.api.routes import ERASE, READ, ROUTES, WRITE
from noted.models.seam import Prompt, Reply
from noted.runtime import Runtime
from noted.settings import Settings
from noted.store.queue import read_job
from noted.store.tables import create_tables
from tests.dynamodb_double import DynamoDBDouble, as_client
from tests.store.builders import NOON, SECRETS, FixedClock, principal
from tests.wrapping import MemoryWrapper

Step = tuple[str, int]

CONVERSATION = "/v1/conversations/{conversation_id}"
# Both users say the same things, in the same words, under the same keys: all the better to be mixed up.
SAID = ("I live in Porto.", "I am allergic to peanuts.", "I work as a nurse.", "Where do I live?")
TOLD = ("Lives in Porto", "Has a cat", "Plans to retire at 55")
CANARY = "quaggafoal"
STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            (
                *("begin", "say", "remember", "record", "tell", "confirm", "reject", "correct"),
                *("recall", "facts", "turns", "profile", "deliver", "forget", "erase"),
            )
        ),
        st.integers(0, 3),
    ),
    min_size=4,
    max_size=12,
)
_ID = re.compile(r"\b[a-z]{2}_[0-9A-HJKMNP-TV-Z]{26}\b")


class Vectors:
    """An embedder that costs nothing: a text's length and first letters."""

    name = "vectors"

    def embed_facts(self, texts: Sequence[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return [float(len(text) % 7 + 1), float(ord(text[:1] or "a") % 5), 1.0, float(text.count("a"))]


class World:
    """The functions over a database in memory. Users act one step at a time, each at their own count of
    minutes."""

    def __init__(self) -> None:
        self.double = DynamoDBDouble()
        create_tables(as_client(self.double), "apart")
        self.clock = FixedClock()
        self.sent: list[str] = []
        self.asked: list[str] = []
        parts: dict[str, Any] = {
            "secrets": lambda: SECRETS,
            "dynamodb": lambda: as_client(self.double),
            "queue": lambda: self,
            "key_wrapper": MemoryWrapper,
            "receipt_signer": lambda: None,
            "clock": self.clock,
            "drained": lambda _: True,
            "environment": {},
        }
        runtime = Runtime(Settings(table_prefix="apart"), **parts)
        runtime.__dict__["embedder"] = Vectors()
        for name in ("language_model", "extraction_model"):
            runtime.__dict__[name] = Listening(getattr(runtime, name), self.asked)
        self._handlers: dict[str, Handler] = {
            name: import_module(f"functions.{name}.handler").build(runtime)
            for name in ("answer", "recall", "verdicts", "erasure", "extraction")
        }

    def send(self, body: str, group: str) -> None:
        """The queue's end that functions see."""
        self.sent.append(body)

    def call(self, subject: str, route: str, body: object = None, **names: str) -> tuple[int, Any]:
        method, path = route.split(" ")
        [served] = [each for each in ROUTES if (each.method, each.path) == (method, path)]
        claims = {"sub": subject, "iss": "https://issuer.test", "scope": f"{READ} {WRITE} {ERASE}"}
        event = {
            "routeKey": route,
            "rawPath": path.format(**names),
            "pathParameters": names,
            "body": None if body is None else json.dumps(body),
            "requestContext": {"authorizer": {"jwt": {"claims": claims}}},
        }
        reply = self._handlers[served.function](event, None)
        return reply["statusCode"], [json.loads(reply["body"]), reply["headers"].get("Memory-Epoch")]

    def deliver(self, subject: str) -> tuple[int, Any]:
        """Hands a user's messages to the worker."""
        mine = [body for body in self.sent if read_job(body).principal == principal(subject)]
        self.sent = [body for body in self.sent if body not in mine]
        records = [
            {
                "messageId": str(number),
                "receiptHandle": "handle",
                "body": body,
                "attributes": {"ApproximateReceiveCount": "1"},
                "messageAttributes": {},
                "eventSource": "aws:sqs",
                "eventSourceARN": "arn:aws:sqs:eu-west-1:123456789012:queue",
            }
            for number, body in enumerate(mine)
        ]
        return 200, self._handlers["extraction"]({"Records": records}, None) if records else {}


class Listening:
    """A model that writes down what it is asked."""

    def __init__(self, inner: Any, asked: list[str]) -> None:
        self.name = inner.name
        self._inner = inner
        self._asked = asked

    def call(self, prompt: Prompt) -> Reply:
        self._asked.append(str(replace(prompt, seconds=None)))
        reply: Reply = self._inner.call(prompt)
        return reply

    def stream(self, prompt: Prompt) -> Any:
        self._asked.append(str(replace(prompt, seconds=None)))
        return self._inner.stream(prompt)


class Person:
    """One user of a world, who remembers what they were told."""

    def __init__(self, world: World, subject: str, word: str = "") -> None:
        self._world, self._subject, self._word = world, subject, word
        self._minutes = 0
        self._conversations: list[str] = []
        self.outputs: list[str] = []
        self.asked: list[str] = []

    def take(self, step: Step) -> None:
        """Does one step at this user's own time."""
        name, number = step
        self._minutes += 1
        self._world.clock.at = NOON
        self._world.clock.forward(minutes=self._minutes)
        already = len(self._world.asked)
        status, body = getattr(self, f"_{name}")(number)
        self.asked += self._world.asked[already:]
        self.outputs.append(f"{name} {status} {json.dumps(body, ensure_ascii=False)}")

    def _call(self, route: str, body: object = None, **names: str) -> tuple[int, Any]:
        return self._world.call(self._subject, route, body, **names)

    def _talk(self, suffix: str, body: object) -> tuple[int, Any]:
        conversation = self._conversations[-1] if self._conversations else "cv_" + "0" * 26
        return self._call(f"POST {CONVERSATION}/turns{suffix}", body, conversation_id=conversation)

    def _begin(self, _: int) -> tuple[int, Any]:
        status, body = self._call("POST /v1/conversations", {})
        self._conversations.append(body[0]["conversation_id"])
        return status, body

    def _say(self, number: int) -> tuple[int, Any]:
        return self._talk("", {"message": f"{SAID[number]} {self._word}".strip()})

    def _remember(self, number: int) -> tuple[int, Any]:
        return self._talk("", {"message": f"Remember that I have {number + 2} cats."})

    def _record(self, number: int) -> tuple[int, Any]:
        return self._talk(":record", {"user": SAID[number], "assistant": "I see."})

    def _tell(self, number: int) -> tuple[int, Any]:
        text = f"{TOLD[number % len(TOLD)]} {self._word}".strip()
        return self._call("POST /v1/facts", {"text": text, "kind": "fact"})

    def _fact(self, number: int) -> str:
        _, body = self._call("GET /v1/facts")
        items = body[0].get("items") or [{"fact_id": "ft_" + "0" * 26}]
        return str(items[number % len(items)]["fact_id"])

    def _judge(self, number: int, verdict: str) -> tuple[int, Any]:
        route = "POST /v1/facts/{fact_id}/verdicts"
        return self._call(route, {"verdict": verdict}, fact_id=self._fact(number))

    def _confirm(self, number: int) -> tuple[int, Any]:
        return self._judge(number, "confirmed")

    def _reject(self, number: int) -> tuple[int, Any]:
        return self._judge(number, "rejected")

    def _correct(self, number: int) -> tuple[int, Any]:
        return self._call("PATCH /v1/facts/{fact_id}", {"text": "Lives in Braga"}, fact_id=self._fact(number))

    def _recall(self, number: int) -> tuple[int, Any]:
        return self._call("POST /v1/recall", {"query": SAID[number], "include_history": True})

    def _facts(self, _: int) -> tuple[int, Any]:
        return self._call("GET /v1/facts")

    def _turns(self, _: int) -> tuple[int, Any]:
        conversation = self._conversations[0] if self._conversations else "cv_" + "0" * 26
        return self._call(f"GET {CONVERSATION}/turns", conversation_id=conversation)

    def _profile(self, _: int) -> tuple[int, Any]:
        return self._call("GET /v1/profile")

    def _deliver(self, _: int) -> tuple[int, Any]:
        return self._world.deliver(self._subject)

    def _forget(self, number: int) -> tuple[int, Any]:
        return self._call("DELETE /v1/facts/{fact_id}", fact_id=self._fact(number))

    def _erase(self, _: int) -> tuple[int, Any]:
        return self._call("DELETE /v1/memory")


def plain(texts: Sequence[str]) -> list[str]:
    """Texts with each id named by when it first came: ids are random, and which of them are equal is not."""
    names: dict[str, str] = {}

    def named(found: re.Match[str]) -> str:
        return names.setdefault(found[0], f"<{found[0][:2]} {len(names)}>")

    return [_ID.sub(named, text) for text in texts]


def alone(steps: Sequence[Step]) -> Person:
    person = Person(World(), "alice")
    for step in steps:
        person.take(step)
    return person


def beside(steps: Sequence[Step], others: Sequence[Step], turns: Sequence[bool]) -> Person:
    """The same steps with another's between them; `turns` says whose turn it is."""
    world = World()
    person, other = Person(world, "alice"), Person(world, "bob", CANARY)
    mine, theirs = list(steps), list(others)
    for is_mine in [*turns, *[True] * len(mine)]:
        if is_mine and mine:
            person.take(mine.pop(0))
        elif theirs:
            other.take(theirs.pop(0))
    return person


# An example is two whole lives, some tenths of a second each.
SLOW = settings(max_examples=20)


@SLOW
@given(STEPS, STEPS, st.lists(st.booleans(), max_size=24))
def test_what_one_user_is_told_does_not_depend_on_another(
    steps: list[Step], others: list[Step], turns: list[bool]
) -> None:
    begun: list[Step] = [("begin", 0)]
    by_oneself, in_company = alone(begun + steps), beside(begun + steps, begun + others, turns)
    assert plain(in_company.outputs) == plain(by_oneself.outputs)
    assert plain(in_company.asked) == plain(by_oneself.asked)
    heard = "\n".join([*in_company.outputs, *in_company.asked])
    assert CANARY not in heard


def test_the_steps_do_something() -> None:
    """The property is about replies that hold something: a walk through every step."""
    person = alone(
        [
            *(("begin", 0), ("say", 0), ("remember", 1), ("deliver", 0), ("tell", 1), ("recall", 3)),
            *(("confirm", 0), ("correct", 0), ("facts", 0), ("turns", 0), ("forget", 0), ("erase", 0)),
        ]
    )
    statuses = [int(output.split(" ")[1]) for output in person.outputs]
    assert statuses == [201, 201, 201, 200, 201, 200, 201, 200, 200, 200, 202, 202]
    assert "Lives in Braga" in "\n".join(person.outputs)
    assert person.asked
