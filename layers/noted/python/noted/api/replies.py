"""What clients get: the reply models of the interface, and the way from the domain's values to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, Field, PlainSerializer, create_model

from noted.api.problems import Problem, problem_of
from noted.clock import timestamp
from noted.conversation.episode import Episode
from noted.conversation.outcome import Context, Taken
from noted.conversation.placeholders import told
from noted.conversation.turn import Conversation, Extraction, ExtractionStatus, Turn
from noted.errors import InvalidRequest
from noted.facts.fact import Category, Fact, GivenVerdict, Kind, Provenance, Status, Verdict
from noted.facts.profile import Known, as_told
from noted.facts.profile_schema import FIELDS
from noted.models.seam import Block, Purpose, Usage, total
from noted.privacy.masking import unmasked
from noted.recall.block import render
from noted.recall.search import Recalled
from noted.store.ledger import Entry

# Well above what an erasure takes: sweeps, and the longest run of a writer in between.
_EXPECTED = timedelta(hours=1)

Time = Annotated[datetime, PlainSerializer(timestamp, return_type=str)]


Item = TypeVar("Item", bound=BaseModel)


class Page(BaseModel, Generic[Item]):
    """A page of a list. `next_cursor` goes on behind it; null at the end."""

    items: list[Item]
    next_cursor: str | None


class LatestVerdict(BaseModel):
    """The verdict that stands."""

    verdict: Verdict
    at: Time


class SourceReply(BaseModel):
    """Where a fact was said."""

    conversation_id: str
    turn_id: str
    quote: str


class FactReply(BaseModel):
    """A fact."""

    fact_id: str
    kind: Kind
    category: Category
    text: str
    status: Status
    provenance: Provenance
    source: SourceReply | None
    created_at: Time
    last_confirmed_at: Time
    valid_from: Time | None
    valid_until: Time | None
    expires_at: Time | None
    latest_verdict: LatestVerdict | None
    supersedes: str | None
    superseded_by: str | None


class VerdictReply(BaseModel):
    """One verdict row."""

    verdict_id: str
    fact_id: str
    verdict: Verdict
    at: Time
    note: str | None


class HistoryReply(BaseModel):
    """What a fact superseded, and what superseded it, nearest first."""

    supersedes: list[FactReply]
    superseded_by: list[FactReply]


class FactDetailReply(FactReply):
    """A fact with all verdicts on it, oldest first, and its history."""

    verdicts: list[VerdictReply]
    history: HistoryReply


class ConversationReply(BaseModel):
    """A conversation."""

    conversation_id: str
    created_at: Time
    incognito: bool
    timezone: str


class ConversationDetailReply(ConversationReply):
    """A conversation with its running summary, null while there is none."""

    summary: str | None = None


class TokensReply(BaseModel):
    """What model calls cost, in tokens."""

    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    model_calls: int


class EpisodeReply(BaseModel):
    """What a conversation that has rested was about."""

    episode_id: str
    conversation_id: str
    summary: str
    began_at: Time
    ended_at: Time
    created_at: Time


class UsageReply(TokensReply):
    """What all model calls of a turn cost, and those of each purpose alone."""

    by_purpose: dict[Purpose, TokensReply]


class TurnReply(BaseModel):
    """A turn."""

    turn_id: str
    conversation_id: str
    created_at: Time
    route: Literal["answer", "remember", "recollection"]
    message: str
    answer: str
    recalled: list[FactReply]
    memory: Literal["queued", "saved", "nothing", "skipped"]
    saved_url: str
    usage: UsageReply
    degraded: list[str]


class SavedReply(BaseModel):
    """What was kept from a turn. `dropped` counts, by guard, what the model proposed and code refused;
    `usage` is what the calls behind the answer cost."""

    status: ExtractionStatus
    facts: list[FactReply]
    dropped: dict[str, int]
    error_type: str | None
    usage: UsageReply


class MessageReply(BaseModel):
    """A message as chat models take it."""

    role: Literal["user", "assistant"]
    content: str


class CachePointReply(BaseModel):
    """What stands up to and with this part is the same in the next prompt, and worth caching."""

    within: Literal["system", "messages"]
    index: int


class ContextTokensReply(BaseModel):
    """About how many tokens the parts take, and how many there may be."""

    system: int
    history: int
    message: int
    total: int
    budget: int


class ContextReply(BaseModel):
    """The prompt for a message: `system` from stable to volatile, then `messages`. Personal values are
    masked; `placeholders` says what each token of the prompt stands for, so that the client can put it back
    into the model's answer."""

    system: list[str]
    messages: list[MessageReply]
    cache_points: list[CachePointReply]
    recalled: list[FactReply]
    tokens: ContextTokensReply
    placeholders: dict[str, str]
    degraded: list[str]


class WhyReply(BaseModel):
    """What made a score."""

    semantic: float
    lexical: float
    recency: float
    importance: float
    time: float


class FoundReply(BaseModel):
    """A fact that was recalled."""

    fact: FactReply
    score: float
    why: WhyReply


class TimeRange(BaseModel):
    """The range of time that a query named or was held to, half open; null where it has no end."""

    since: Time | None
    until: Time | None


class RecallReply(BaseModel):
    """What was recalled, best first, and the block that puts it into a prompt (empty: nothing)."""

    items: list[FoundReply]
    time_range: TimeRange | None
    block: str
    degraded: list[str]


class RefusedReply(BaseModel):
    """Why an item of a batch was not kept."""

    error: Problem


class BatchReply(BaseModel):
    """Facts in the order of the request; where one was refused, why."""

    items: list[FactReply | RefusedReply]


class ProfileFieldReply(BaseModel):
    """What is known of a field. `recorded_at`: when it was last said or confirmed; `stale`: so long ago that
    a model is told it as unknown."""

    value: str
    recorded_at: Time
    provenance: Provenance
    stale: bool
    fact_id: str


_PROFILE_FIELDS: dict[str, Any] = {
    name: (ProfileFieldReply | None, Field(description=field.meaning)) for name, field in FIELDS.items()
}
ProfileReply: type[BaseModel] = create_model(
    "ProfileReply",
    __doc__="The structured profile: each of its fields, null where nothing is known.",
    **_PROFILE_FIELDS,
)


class AcceptedReply(BaseModel):
    """An erasure that has begun: what it erases cannot be read any more."""

    erasure_id: str
    status: Literal["running", "complete", "failed"]
    status_url: str


class ReceiptReply(BaseModel):
    """Proof of an erasure: rows deleted by table, the tables found empty afterwards, and a digest of it
    all."""

    counts: dict[str, int]
    checked: list[str]
    sha256: str


class ErasureReply(BaseModel):
    """How far an erasure is."""

    erasure_id: str
    scope: Literal["memory", "conversation", "fact"]
    status: Literal["running", "complete", "failed"]
    requested_at: Time
    completed_at: Time | None
    receipt: ReceiptReply | None


class SubjectErasureReply(ErasureReply):
    """The same for a compliance system, with the times that OpenDSR names."""

    subject_request_id: str
    received_time: Time
    expected_completion_time: Time


class HealthReply(BaseModel):
    """The service answers."""

    status: Literal["ok"] = "ok"
    version: str


def fact(value: Fact, status: Status) -> FactReply:
    """A fact with the status that it has among the others."""
    verdict = value.latest_verdict
    return FactReply(
        fact_id=value.fact_id,
        kind=value.kind,
        category=value.category,
        text=unmasked(value.text, value.entities),
        status=status,
        provenance=value.provenance,
        source=_source(value),
        created_at=value.created_at,
        last_confirmed_at=value.last_confirmed_at,
        valid_from=value.valid_from,
        valid_until=value.valid_until,
        expires_at=value.expires_at,
        latest_verdict=LatestVerdict(verdict=verdict.verdict, at=verdict.at) if verdict else None,
        supersedes=value.supersedes,
        superseded_by=value.superseded_by,
    )


def _source(value: Fact) -> SourceReply | None:
    source = value.source
    if source is None:
        return None
    quote = unmasked(source.quote, value.entities)
    return SourceReply(conversation_id=source.conversation_id, turn_id=source.turn_id, quote=quote)


def facts(values: Iterable[Fact], now: datetime) -> list[FactReply]:
    """Facts that are told one by one, each with its own status."""
    return [fact(value, value.status(now)) for value in values]


def refused(error: InvalidRequest) -> RefusedReply:
    """An item of a batch that was not kept."""
    return RefusedReply(error=problem_of(error))


def verdict(value: GivenVerdict) -> VerdictReply:
    """A verdict row."""
    return VerdictReply(
        verdict_id=value.verdict_id,
        fact_id=value.fact_id,
        verdict=value.verdict,
        at=value.at,
        note=value.note,
    )


def fact_detail(
    value: Fact, by_id: Mapping[str, Fact], statuses: Mapping[str, Status], verdicts: Iterable[GivenVerdict]
) -> FactDetailReply:
    """A fact with its verdicts and history. Erased ends of a history are left out."""

    def chain(first: str | None, attribute: str) -> list[FactReply]:
        found: list[FactReply] = []
        seen: set[str] = set()
        following = first
        while following and following in by_id and following not in seen:
            seen.add(following)
            found.append(fact(by_id[following], statuses[following]))
            following = getattr(by_id[following], attribute)
        return found

    return FactDetailReply(
        **fact(value, statuses[value.fact_id]).model_dump(),
        verdicts=[verdict(each) for each in verdicts],
        history=HistoryReply(
            supersedes=chain(value.supersedes, "supersedes"),
            superseded_by=chain(value.superseded_by, "superseded_by"),
        ),
    )


def conversation(value: Conversation) -> ConversationReply:
    """A conversation."""
    return ConversationReply(
        conversation_id=value.conversation_id,
        created_at=value.created_at,
        incognito=value.incognito,
        timezone=value.timezone,
    )


def conversation_detail(value: Conversation) -> ConversationDetailReply:
    """A conversation with its running summary as the user reads it."""
    summary = value.summary
    told = unmasked(summary.block, summary.entities) if summary else None
    return ConversationDetailReply(**vars(conversation(value)), summary=told)


def episode(value: Episode) -> EpisodeReply:
    """What a conversation was about, as the user reads it."""
    return EpisodeReply(
        episode_id=value.episode_id,
        conversation_id=value.conversation_id,
        summary=unmasked(value.text, value.entities),
        began_at=value.began_at,
        ended_at=value.ended_at,
        created_at=value.created_at,
    )


def context(value: Context, budget: int, now: datetime) -> ContextReply:
    """The prompt for a message."""
    prompt = value.prompt
    messages = [[block for block in each.blocks if isinstance(block, Block)] for each in prompt.messages]
    points = [
        CachePointReply(within="system", index=index)
        for index, block in enumerate(prompt.system)
        if block.cache_point
    ] + [
        CachePointReply(within="messages", index=index)
        for index, blocks in enumerate(messages)
        if any(block.cache_point for block in blocks)
    ]
    return ContextReply(
        system=[block.text for block in prompt.system],
        messages=[
            MessageReply(role=each.role, content="\n\n".join(block.text for block in blocks))
            for each, blocks in zip(prompt.messages, messages, strict=True)
        ],
        cache_points=points,
        recalled=facts(value.recalled, now),
        tokens=ContextTokensReply(**vars(value.tokens), total=value.tokens.total, budget=budget),
        placeholders=dict(value.placeholders),
        degraded=list(value.degraded),
    )


def usage(by_purpose: Mapping[Purpose, Usage]) -> UsageReply:
    """What the model calls of a turn cost."""
    return UsageReply(
        **vars(total(by_purpose.values())),
        by_purpose={purpose: TokensReply(**vars(each)) for purpose, each in by_purpose.items()},
    )


def turn(value: Turn, recalled: Iterable[Fact], now: datetime) -> TurnReply:
    """A turn as it is stored, masked and with labels for figures, with the facts that its message
    recalled."""
    return TurnReply(
        turn_id=value.turn_id,
        conversation_id=value.conversation_id,
        created_at=value.created_at,
        route=value.route.value,
        message=value.message,
        answer=value.answer,
        recalled=facts(recalled, now),
        memory=value.memory.value,
        saved_url=f"/v1/conversations/{value.conversation_id}/turns/{value.turn_id}/saved",
        usage=usage(value.usage),
        degraded=list(value.degraded),
    )


def taken(value: Taken, now: datetime) -> TurnReply:
    """A turn as the user reads it when it is answered."""
    reply = turn(value.turn, value.recalled, now)
    message = unmasked(value.turn.message, value.turn.entities)
    return reply.model_copy(update={"message": message, "answer": value.shown})


def saved(value: Extraction, kept: Iterable[Fact], now: datetime) -> SavedReply:
    """What was kept from a turn."""
    return SavedReply(
        status=value.status,
        facts=facts(kept, now),
        dropped=value.dropped,
        error_type=value.error_type,
        usage=usage(value.usage),
    )


def recalled(value: Recalled, now: datetime) -> RecallReply:
    """What a query brought back."""
    facts = as_told([each.fact for each in value.items], now)
    block = render((kind, unmasked(text, fact.entities)) for fact in facts for kind, text in [told(fact)])
    return RecallReply(
        items=[
            FoundReply(
                fact=fact(each.fact, each.fact.status(now)), score=each.score, why=WhyReply(**vars(each.why))
            )
            for each in value.items
        ],
        time_range=TimeRange(since=value.time.since, until=value.time.until) if value.time else None,
        block=block or "",
        degraded=list(value.degraded),
    )


def profile(known: Mapping[str, Known | None]) -> BaseModel:
    """The structured profile as the user reads it."""
    return ProfileReply.model_validate({name: each and _profile_field(each) for name, each in known.items()})


def _profile_field(known: Known) -> ProfileFieldReply:
    return ProfileFieldReply(
        value=unmasked(known.value, known.entities),
        recorded_at=known.recorded_at,
        provenance=known.provenance,
        stale=known.stale,
        fact_id=known.fact_id,
    )


def accepted(entry: Entry) -> AcceptedReply:
    """An erasure that has begun."""
    return AcceptedReply(
        erasure_id=entry.erasure_id, status="running", status_url=f"/v1/erasures/{entry.erasure_id}"
    )


def erasure(entry: Entry) -> ErasureReply:
    """How far an erasure is."""
    receipt = None
    if entry.digest is not None:
        receipt = ReceiptReply(
            counts=dict(sorted(entry.counts.items())), checked=list(entry.checked), sha256=entry.digest
        )
    return ErasureReply.model_validate(
        {
            "erasure_id": entry.erasure_id,
            "scope": entry.scope,
            "status": entry.status,
            "requested_at": entry.requested_at,
            "completed_at": entry.completed_at,
            "receipt": receipt,
        }
    )


def subject_erasure(subject_request_id: str, entry: Entry) -> SubjectErasureReply:
    """How far an erasure is that a compliance system asked for."""
    return SubjectErasureReply(
        **vars(erasure(entry)),
        subject_request_id=subject_request_id,
        received_time=entry.requested_at,
        expected_completion_time=entry.completed_at or entry.requested_at + _EXPECTED,
    )
