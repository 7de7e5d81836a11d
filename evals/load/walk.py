"""The calls of a user's month, made to the real functions one by one, and what each asked for.

Each call is counted twice. *Cold*: the container has not served the user before, so it opens the data key
and reads the index of facts; among many users nearly every call is that. *Warm*: it has, just before. A new
container is another matter: it reads the secret once, and looks at the tables each minute.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any

from evals.load import models
from evals.load.counting import Count
from evals.load.functions import Functions
from evals.load.models import statement
from local.dynamodb import DynamoDBLocal

_CONVERSATION = "/v1/conversations/{conversation_id}"
_TURNS = f"POST {_CONVERSATION}/turns"
_SAVED = f"{_CONVERSATION}/turns/{{turn_id}}/saved"
TURNS = 10  # of a conversation
FACTS = 200  # that the user has already
# Four turns of ten state a fact, in four conversations: as many changes as fold the index once.
_STATING = (0, 2, 5, 7)
_CONVERSATIONS = 4
_FOLDED = 16
_PASSES = 30  # of an erasure's job, at most
_REST = timedelta(hours=1)  # longer than a conversation has to rest
_SWEEPS = ("sweep-outbox", "sweep-episodes", "reindex")
_STEP = timedelta(minutes=10)  # longer than any wait between two of them

_MESSAGE = (
    "Could you help me to plan the next week? I have a meeting on Monday with the accountant and would like "
    "to know what to prepare for it, in which order, and how long all of it may take. "
)

_VERBS = ("Collects", "Sells", "Paints", "Studies", "Repairs", "Photographs", "Restores", "Teaches about")
_THINGS = (
    *("clocks", "maps", "bridges", "orchids", "violins", "trams", "kites", "lamps", "coins", "bicycles"),
    *("stamps", "mosaics", "sailing ships", "old radios", "cameras", "chess sets", "beehives", "windmills"),
    *("carpets", "telescopes", "fountain pens", "puppets", "teapots", "accordions", "globes", "canoes"),
)
_PLACES = ("Porto", "Bergen", "Graz", "Izmir", "Kyoto")


def counted(say: Callable[[str], object]) -> dict[str, Any]:
    """What each call asks for, cold and warm; the bytes that a turn and a fact leave behind, and how many
    metrics were told of. `say` is told what is done."""
    with ExitStack() as parts:
        folder = Path(parts.enter_context(tempfile.TemporaryDirectory()))
        environment = parts.enter_context(models.served())
        engine = parts.enter_context(DynamoDBLocal().start(None))
        functions = Functions(folder, engine.endpoint, environment)
        say("the imports of all functions")
        _month(functions, "first")
        found: dict[str, Any] = {}
        metrics: set[str] = set()
        for name in ("cold", "warm"):
            say(f"{name} calls")
            functions.cold = name == "cold"
            counts = _month(functions, name)
            metrics = metrics.union(*(count.metrics for count in counts.values()))
            found[name] = {call: count.as_json() for call, count in counts.items()}
        say("bytes of rows")
        functions.cold = True
        return {"counts": found, "kept": {**_rows(functions), "metrics": len(metrics)}}


def _month(functions: Functions, user: str) -> dict[str, Count]:
    """The calls of one user who has some facts; the mean where one call is not like the next."""
    counts: dict[str, Count] = {}
    for work in _SWEEPS:
        _, counts[work] = functions.schedule("extraction", work)
    _, counts["run-erasures"] = functions.schedule("erasure", "run-erasures")
    _tell_facts(functions, user, range(FACTS))
    sums = dict.fromkeys(("begin", "turn", "extraction", "saved"), Count())
    for number in range(_CONVERSATIONS):
        begun, count = functions.call(user, "POST /v1/conversations", {})
        sums["begin"] += count / (1 / TURNS)
        conversation = {"conversation_id": str(begun["conversation_id"])}
        for turn in range(TURNS):
            stated = statement(number * TURNS + turn) if turn in _STATING else ""
            said, count = functions.call(user, _TURNS, {"message": _MESSAGE + stated}, **conversation)
            sums["turn"] += count
            sums["extraction"] += functions.deliver()
            _, count = functions.look(user, f"GET {_SAVED}", turn_id=said["turn_id"], **conversation)
            sums["saved"] += count
    for name, sum_of_all in sums.items():
        counts[name] = sum_of_all / (TURNS * _CONVERSATIONS)
    query = {"query": "What do I collect, and what do I know of Porto?"}
    _, counts["recall"] = functions.look(user, "POST /v1/recall", query)
    listed, counts["facts"] = functions.look(user, "GET /v1/facts")
    _, counts["turns"] = functions.look(user, f"GET {_CONVERSATION}/turns", **conversation)
    told, judged = Count(), Count()
    for number in range(_FOLDED):
        fact = {"text": fact_text(FACTS + number), "kind": "fact"}
        told += functions.call(user, "POST /v1/facts", fact)[1]
    for each in listed["items"][:_FOLDED]:
        judge = "POST /v1/facts/{fact_id}/verdicts"
        confirmed = {"verdict": "confirmed"}
        judged += functions.call(user, judge, confirmed, fact_id=str(each["fact_id"]))[1]
    counts["tell"], counts["judge"] = told / _FOLDED, judged / _FOLDED
    functions.clock.ahead += _REST
    functions.schedule("extraction", "sweep-episodes")
    counts["episode"] = functions.deliver() / _CONVERSATIONS
    counts["erase"] = _erased(functions, user)
    return counts


def _tell_facts(functions: Functions, user: str, numbers: range) -> None:
    for start in range(numbers.start, numbers.stop, 100):
        some = range(start, min(start + 100, numbers.stop))
        facts = [{"text": fact_text(number), "kind": "fact"} for number in some]
        functions.call(user, "POST /v1/facts:batch", {"facts": facts})


def fact_text(number: int) -> str:
    """One of many facts, no two of which have the same words."""
    verb, thing = _VERBS[number % len(_VERBS)], _THINGS[number // len(_VERBS) % len(_THINGS)]
    place = _PLACES[number // (len(_VERBS) * len(_THINGS)) % len(_PLACES)]
    return f"{verb} {thing} in {place}"


def _erased(functions: Functions, user: str) -> Count:
    """Everything that an erasure of a user takes, to its receipt."""
    accepted, count = functions.call(user, "DELETE /v1/memory")
    for _ in range(_PASSES):
        functions.clock.ahead += _STEP
        _, more = functions.schedule("erasure", "run-erasures")
        count += more
        told, _ = functions.call(
            user, "GET /v1/erasures/{erasure_id}", erasure_id=str(accepted["erasure_id"])
        )
        if told["status"] == "complete":
            return count
    raise ValueError("the erasure did not end")


def _rows(functions: Functions) -> dict[str, int]:
    """The bytes that turns and facts leave, by the difference that 100 facts and ten turns make."""
    before = functions.stored_bytes()
    _tell_facts(functions, "rows", range(100))
    with_facts = functions.stored_bytes()
    begun, _ = functions.call("rows", "POST /v1/conversations", {})
    conversation = {"conversation_id": str(begun["conversation_id"])}
    for _ in range(TURNS):
        functions.call("rows", _TURNS, {"message": _MESSAGE}, **conversation)
        functions.deliver()
    return {
        "fact_bytes": round((with_facts - before) / 100),
        "turn_bytes": round((functions.stored_bytes() - with_facts) / TURNS),
    }
