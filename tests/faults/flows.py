"""The flows that write, each as something to prepare, one request, and what is there once it was done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.faults.world import (
    BATCH,
    BEGIN,
    CORRECT,
    FILL,
    FORGET_ALL,
    FORGET_CONVERSATION,
    FORGET_FACT,
    JUDGE,
    RECORD,
    RETRY,
    TELL,
    TURN,
    Json,
    Response,
    World,
    extracted,
)

Names = dict[str, Any]


@dataclass
class Flow:
    """One request of one user. `prepare` gives the names in its path; `keyed`: the call takes an idempotency
    key; `done` gives what the user sees of it, from which it is told once from twice."""

    name: str
    route: str
    body: object
    status: int
    prepare: Callable[[World], Names]
    done: Callable[[World, Names], Any]
    expected: Any
    keyed: bool = True
    names: Names = field(default_factory=dict)

    def ready(self, world: World) -> None:
        """What the flow needs is made, for a user of its own."""
        world.user = f"user-{world.user.rpartition('-')[2] if '-' in world.user else 0}-{self.name}"
        self.names = self.prepare(world)

    def send(self, world: World, **rest: Any) -> Response:
        """The request, with its key."""
        return world.ask(self.route, self.body, key="once" if self.keyed else None, **self.names, **rest)

    def seen(self, world: World) -> Any:
        """What there is of it by now."""
        return self.done(world, self.names)


def _conversation(world: World) -> Names:
    return {"conversation_id": world.begin()}


def _answered(world: World) -> Names:
    names = _conversation(world)
    world.say(names["conversation_id"], "Good morning")
    return names


def _fact(world: World) -> Names:
    return {"fact_id": world.tell("Lives in Porto")["fact_id"]}


def _turns(world: World, names: Names) -> list[tuple[str, str]]:
    return [(turn["message"], turn["route"]) for turn in world.turns(names["conversation_id"])]


def _remembering(world: World) -> Names:
    world.bedrock.reply("extraction", extracted(("Is allergic to peanuts", "I am allergic to peanuts")))
    return _conversation(world)


def _kept(world: World, names: Names) -> Any:
    return _turns(world, names), world.texts("all")


def _facts(world: World, _: Names) -> list[str]:
    return world.texts("all")


def _verdicts(world: World, names: Names) -> Any:
    fact: Json = world.ok("GET /v1/facts/{fact_id}", **names)
    return fact["status"], [each["verdict"] for each in fact["verdicts"]]


def _history(world: World, names: Names) -> Any:
    return sorted((fact["text"], fact["status"]) for fact in world.facts("all")), _verdicts(world, names)


def _conversations(world: World, _: Names) -> int:
    return len(world.ok("GET /v1/conversations")["items"])


def _home(world: World, _: Names) -> object:
    field = world.ok("GET /v1/profile")["home_town"]
    return field and field["value"]


def _nothing(_: World) -> Names:
    return {}


def _everything(world: World) -> Names:
    _fact(world)
    _answered(world)
    return {}


def flows() -> list[Flow]:
    """All of them, new each time."""
    return [
        Flow("begin", BEGIN, {}, 201, _nothing, _conversations, 1),
        Flow("turn", TURN, {"message": "Good day"}, 201, _conversation, _turns, [("Good day", "answer")]),
        Flow(
            "remember",
            TURN,
            {"message": "Remember that I am allergic to peanuts"},
            201,
            _remembering,
            _kept,
            ([("Remember that I am allergic to peanuts", "remember")], ["Is allergic to peanuts"]),
        ),
        Flow(
            "record",
            RECORD,
            {"user": "Good day", "assistant": "Hello"},
            201,
            _conversation,
            _turns,
            [("Good day", "answer")],
        ),
        Flow("retry", RETRY, {}, 201, _answered, _turns, [("Good morning", "answer")]),
        Flow("tell", TELL, {"text": "Has a cat", "kind": "fact"}, 201, _nothing, _facts, ["Has a cat"]),
        Flow(
            "batch",
            BATCH,
            {"facts": [{"text": "Has a cat", "kind": "fact"}, {"text": "Plays chess", "kind": "fact"}]},
            200,
            _nothing,
            _facts,
            ["Has a cat", "Plays chess"],
        ),
        Flow("verdict", JUDGE, {"verdict": "rejected"}, 201, _fact, _verdicts, ("rejected", ["rejected"])),
        Flow(
            "correction",
            CORRECT,
            {"text": "Lives in Braga"},
            200,
            _fact,
            _history,
            (
                [("Lives in Braga", "live"), ("Lives in Porto", "inaccurate")],
                ("inaccurate", ["inaccurate"]),
            ),
            keyed=False,
        ),
        Flow(
            "profile",
            FILL,
            {"home_town": "Porto"},
            200,
            _nothing,
            _home,
            "Porto",
            keyed=False,
        ),
        Flow("erase-fact", FORGET_FACT, None, 202, _fact, _facts, [], keyed=False),
        Flow("erase-conversation", FORGET_CONVERSATION, None, 202, _answered, _conversations, 0, keyed=False),
        Flow(
            "erase-everything",
            FORGET_ALL,
            None,
            202,
            _everything,
            lambda world, _: (world.texts("all"), _conversations(world, {})),
            ([], 0),
            keyed=False,
        ),
    ]
