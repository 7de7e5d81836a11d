"""What users have a right to: set how their memory works, take everything out, and bring it back."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from noted.api import replies
from noted.api.cursors import Cursors
from noted.api.http import Answer, Api, Call, rejected
from noted.api.imports import ImportedConversation, ImportedFact, ImportedTurn, ImportRequest
from noted.api.requests.preferences import SettingsRequest
from noted.conversation.turn import Route
from noted.errors import InvalidRequest
from noted.exporting import Position, held
from noted.facts.fact import Verdict
from noted.facts.keeping import Keeper
from noted.facts.profile import profile_of
from noted.facts.telling import Telling
from noted.importing import Conversing, Importing, Saying, Stating, Taken
from noted.preferring import Wanted, prefer
from noted.privacy.sealing import Sealer
from noted.store.activity import Action

if TYPE_CHECKING:
    from noted.runtime import Runtime
    from noted.store.idempotency import Finish
    from noted.store.memory import Memory
    from noted.store.repository import Standing

Item = TypeVar("Item", bound=BaseModel)
Read = TypeVar("Read")

_NOT_TAKEN = ("settings", "profile", "episodes", "verdicts", "activity", "erasures")


def serve_rights(api: Api, runtime: Runtime) -> None:
    """Set it, and take an export out and back."""
    clock = runtime.clock

    @api.on("PUT", "/v1/settings")
    def set_settings(call: Call) -> Answer:
        request = call.body(SettingsRequest)
        wanted = Wanted(
            paused=None if request.memory is None else request.memory == "paused",
            retention_days=request.retention_days,
            timezone=request.timezone,
            language=request.language,
            consents={name: each.given for name, each in request.consents.items()},
        )
        standing = call.admitted()
        call.repository.memory(standing.generation).sealer.require()
        return Answer(replies.settings(prefer(call.repository, standing, wanted, clock)))

    @api.on("GET", "/v1/export")
    def get_export(call: Call) -> Answer:
        standing = call.standing()
        memory, now = call.repository.memory(standing.generation), clock.now()
        # Erasures outlive the key of what they erased: the cursors of what tells them hang on none.
        purpose = f"cursors of {call.principal.owner} in {memory.generation}"
        cursors = Cursors(Sealer(runtime.secrets.key(purpose)), ["export"])
        start = _position(cursors.take(call.query("cursor")))
        first = start == Position()
        document = replies.ExportReply(
            exported_at=now,
            memory_epoch=standing.generation,
            settings=replies.settings(standing) if first else None,
            profile=replies.profile(profile_of(memory.facts.all(), now)) if first else None,
        )
        if first and call.repository.is_known():
            call.repository.database.transact([memory.activity.entry(Action.EXPORTED, now)])
        last = replies.export(document, held(memory, call.repository.ledger, now, start))
        if last is not None:
            document.next = f"/v1/export?cursor={cursors.give(json.dumps([last.section, last.after]))}"
        return Answer(document)

    @api.on("POST", "/v1/import")
    def take_back(call: Call) -> Answer:
        request = call.body(ImportRequest)
        taken = Taken()
        conversations = _read(request.conversations, ImportedConversation, taken, _conversing)
        turns = _read(request.turns, ImportedTurn, taken, _saying)
        facts = _read(request.facts, ImportedFact, taken, _stating)

        def work(standing: Standing, memory: Memory, finish: Finish) -> Taken:
            keeper = Keeper(runtime.extraction_model, runtime.embedder, memory.sealer, memory.retention)
            masker, consents = runtime.masker(memory), standing.preferences.special_categories
            telling = Telling(memory, keeper, masker, memory.retention, clock, standing.sequence, consents)
            importing = Importing(call.repository, memory, standing, telling, keeper, masker, clock)
            return importing.take(conversations, turns, facts, taken, finish)

        done = call.once(work, lambda _, pointer: Taken.of(pointer))
        return Answer(replies.taken_back(done, [name for name in _NOT_TAKEN if getattr(request, name)]))


def _position(text: str | None) -> Position:
    # What a cursor holds is sealed, so it is as it was given.
    return Position(*json.loads(text)) if text else Position()


_SECTIONS: dict[type[BaseModel], str] = {
    ImportedConversation: "conversations",
    ImportedTurn: "turns",
    ImportedFact: "facts",
}


def _read(
    items: Sequence[Any], model: type[Item], taken: Taken, made: Callable[[int, Item], Read]
) -> list[Read]:
    """The items that can be read; the others are refused, each by itself."""
    read = []
    for place, item in enumerate(items):
        try:
            read.append(made(place, model.model_validate_json(json.dumps(item))))
        except ValidationError as error:
            refused = rejected(error)
            errors = refused.errors if isinstance(refused, InvalidRequest) else [("item", "cannot be read")]
            reason = "; ".join(f"{name}: {message}" for name, message in errors)
            taken.refuse(_SECTIONS[model], place, reason)
    return read


def _conversing(place: int, item: ImportedConversation) -> Conversing:
    return Conversing(place, item.conversation_id, item.created_at, item.incognito, item.timezone)


def _saying(place: int, item: ImportedTurn) -> Saying:
    return Saying(
        place=place,
        turn_id=item.turn_id,
        conversation_id=item.conversation_id,
        created_at=item.created_at,
        said_at=item.said_at,
        route=Route(item.route),
        message=item.message,
        answer=item.answer,
        pasted=tuple(item.pasted),
    )


def _stating(place: int, item: ImportedFact) -> Stating:
    return Stating(
        place=place,
        fact_id=item.fact_id,
        kind=item.kind,
        category=item.category,
        text=item.text.strip(),
        provenance=item.provenance,
        created_at=item.created_at,
        last_confirmed_at=item.last_confirmed_at or item.created_at,
        held=item.status == "held",
        denied=item.status in ("rejected", "inaccurate"),
        valid_from=item.valid_from,
        valid_until=item.valid_until,
        supersedes=item.supersedes,
        superseded_by=item.superseded_by,
        profile_field=item.profile_field,
        copy_of=item.copy_of,
        verdicts=tuple((Verdict(each.verdict), each.at, each.note) for each in item.verdicts),
    )
