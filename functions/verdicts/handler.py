"""A user's own hand on their facts: tell them, correct them, judge them, set what their profile says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from noted import ids
from noted.api import replies
from noted.api.http import Answer, Api, Call, Handler, function_handler, rejected
from noted.api.requests.memory import (
    BatchRequest,
    CorrectionRequest,
    FactRequest,
    ProfileRequest,
    VerdictRequest,
)
from noted.api.rights import serve_rights
from noted.errors import InvalidRequest, NotFound
from noted.facts.keeping import Keeper
from noted.facts.profile import profile_of
from noted.facts.telling import Entry, Judged, Telling, checked, filling

if TYPE_CHECKING:
    from noted.facts.fact import Fact, GivenVerdict
    from noted.runtime import Runtime
    from noted.store.idempotency import Finish
    from noted.store.memory import Memory
    from noted.store.repository import Standing


def build(runtime: Runtime) -> Handler:
    """The function over a runtime."""
    api = Api(runtime, "verdicts")
    clock = runtime.clock
    serve_rights(api, runtime)

    def telling(memory: Memory, standing: Standing) -> Telling:
        keeper = Keeper(runtime.extraction_model, runtime.embedder, memory.sealer, memory.retention)
        masker = runtime.masker(memory)
        consents = standing.preferences.special_categories
        return Telling(memory, keeper, masker, memory.retention, clock, standing.sequence, consents)

    def entry(request: FactRequest) -> Entry:
        told = Entry(
            request.kind, request.text.strip(), request.category, request.created_at, request.valid_until
        )
        return checked(told, clock.now())

    @api.on("POST", "/v1/facts")
    def tell(call: Call) -> Answer:
        told = entry(call.body(FactRequest))

        def work(standing: Standing, memory: Memory, finish: Finish) -> Fact:
            [fact] = telling(memory, standing).tell([told], call.idempotency_key, finish)
            return fact

        fact = call.once(work, lambda memory, pointer: memory.facts.fact(pointer["facts"][0]))
        return Answer(replies.fact(fact, fact.status(clock.now())), 201)

    @api.on("POST", "/v1/facts:batch")
    def tell_batch(call: Call) -> Answer:
        checked = [_entry_or_refusal(item, entry) for item in call.body(BatchRequest).facts]

        def work(standing: Standing, memory: Memory, finish: Finish) -> list[Fact | InvalidRequest]:
            tells = telling(memory, standing)
            judged = [each if isinstance(each, InvalidRequest) else _judged(tells, each) for each in checked]
            refused = {
                str(place): [list(error) for error in each.errors]
                for place, each in enumerate(judged)
                if isinstance(each, InvalidRequest)
            }
            entries = [each for each in judged if isinstance(each, Judged)]
            kept = tells.tell(
                entries, call.idempotency_key, lambda done: finish({**done, "refused": refused})
            )
            return _in_order(len(judged), kept, refused)

        def again(memory: Memory, pointer: dict[str, Any]) -> list[Fact | InvalidRequest]:
            kept = [memory.facts.fact(fact_id) for fact_id in pointer["facts"]]
            return _in_order(len(checked), kept, pointer["refused"])

        told = call.once(work, again)
        return Answer(replies.BatchReply(items=[_item(each, clock.now()) for each in told]))

    @api.on("PATCH", "/v1/facts/{fact_id}")
    def correct(call: Call) -> Answer:
        request, fact_id = call.body(CorrectionRequest), _fact_id(call)
        standing = call.admitted()
        memory = call.repository.memory(standing.generation)
        fact = telling(memory, standing).correct(fact_id, request.text.strip())
        return Answer(replies.fact(fact, fact.status(clock.now())))

    @api.on("POST", "/v1/facts/{fact_id}/verdicts")
    def judge(call: Call) -> Answer:
        request, fact_id = call.body(VerdictRequest), _fact_id(call)

        def work(standing: Standing, memory: Memory, finish: Finish) -> GivenVerdict:
            return telling(memory, standing).judge(fact_id, request.given(), request.note, finish)

        verdict = call.once(
            work, lambda memory, pointer: memory.facts.verdict(fact_id, pointer["verdict_id"])
        )
        return Answer(replies.verdict(verdict), 201)

    @api.on("PATCH", "/v1/profile")
    def fill(call: Call) -> Answer:
        request = call.body(ProfileRequest)
        entries = filling(request.values(), clock.now())
        standing = call.admitted()
        memory = call.repository.memory(standing.generation)
        telling(memory, standing).fill(entries, request.cleared())
        return Answer(replies.profile(profile_of(memory.facts.all(), clock.now())))

    return api


def _fact_id(call: Call) -> str:
    fact_id = call.path["fact_id"]
    if not ids.is_id(ids.FACT, fact_id):
        raise NotFound
    return fact_id


def _judged(tells: Telling, entry: Entry) -> Judged | InvalidRequest:
    try:
        return tells.judged(entry)
    except InvalidRequest as refused:
        return refused


def _in_order(
    count: int, kept: Iterable[Fact], refused: Mapping[str, Sequence[Sequence[str]]]
) -> list[Fact | InvalidRequest]:
    """What became of so many items: `refused` has the errors of some by their place, `kept` the others."""
    facts = iter(kept)
    errors = [refused.get(str(place)) for place in range(count)]
    return [
        next(facts) if each is None else InvalidRequest([(field, message) for field, message in each])
        for each in errors
    ]


def _item(told: Fact | InvalidRequest, now: datetime) -> replies.FactReply | replies.RefusedReply:
    return replies.refused(told) if isinstance(told, InvalidRequest) else replies.facts([told], now)[0]


def _entry_or_refusal(item: object, entry: Callable[[FactRequest], Entry]) -> Entry | InvalidRequest:
    try:
        return entry(FactRequest.model_validate_json(json.dumps(item)))
    except ValidationError as error:
        refused = rejected(error)
        return (
            refused if isinstance(refused, InvalidRequest) else InvalidRequest([("text", "cannot be read")])
        )
    except InvalidRequest as refused:
        return refused


handler = function_handler(build)
