"""Reading memory: search it, list it, look at one fact; the profile; what conversations were about; and
whether the service answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import noted
from noted import ids
from noted.api import replies
from noted.api.cursors import Cursors
from noted.api.http import Answer, Api, Call, Handler, function_handler
from noted.api.replies import Page
from noted.api.requests.recall import RecallRequest
from noted.errors import NotFound
from noted.facts import live
from noted.facts.fact import Kind
from noted.privacy.sealing import Sealer
from noted.recall.measuring import Measured
from noted.recall.recalling import recalled
from noted.recall.search import Query

if TYPE_CHECKING:
    from noted.clock import Clock
    from noted.runtime import Runtime


def build(runtime: Runtime) -> Handler:
    """The function over a runtime."""
    api = Api(runtime, "recall")
    clock = runtime.clock

    @api.on("POST", "/v1/recall")
    def recall(call: Call) -> Answer:
        request = call.body(RecallRequest)
        conversation_id = request.conversation_id
        if conversation_id is not None and not ids.is_id(ids.CONVERSATION, conversation_id):
            raise NotFound
        standing = call.standing()
        memory, now = call.repository.memory(standing.generation), clock.now()
        query = Query(
            text=runtime.masker(memory).mask(request.query).text,
            limit=request.limit,
            since=request.since,
            until=request.until,
            kinds=tuple(request.kinds),
            history=request.include_history,
            as_of=request.as_of,
        )
        budget = runtime.settings.recall_budget_seconds
        measured = Measured("api", clock)
        found = recalled(
            memory, standing, conversation_id, query, runtime.embedder, now, budget, runtime.reranker
        )
        measured.end(len(found.items), degraded=bool(found.degraded))
        return Answer(replies.recalled(found, now))

    @api.on("GET", "/v1/episodes")
    def list_episodes(call: Call) -> Answer:
        limit, memory = call.whole_number("limit", 50, 1, 100), call.memory()
        cursors = Cursors(memory.sealer, ["episodes"])
        page = memory.episodes.page(limit, cursors.take(call.query("cursor")))
        items = [replies.episode(each) for each in page.items]
        return Answer(Page[replies.EpisodeReply](items=items, next_cursor=cursors.give(page.after)))

    @api.on("GET", "/v1/settings")
    def get_settings(call: Call) -> Answer:
        call.memory()  # a restored copy may have the settings of a memory that was erased
        return Answer(replies.settings(call.standing()))

    @api.on("GET", "/v1/activity")
    def list_activity(call: Call) -> Answer:
        limit, memory = call.whole_number("limit", 50, 1, 100), call.memory()
        # Erasures outlive the key of what they erased: the list's cursors hang on none.
        purpose = f"cursors of {call.principal.owner} in {memory.generation}"
        cursors = Cursors(Sealer(runtime.secrets.key(purpose)), ["activity"])
        after = cursors.take(call.query("cursor"))
        page = memory.activity.page(limit, after, call.repository.ledger.reference)
        items = [replies.act(each) for each in page.items]
        return Answer(Page[replies.ActivityReply](items=items, next_cursor=cursors.give(page.after)))

    _serve_facts(api, clock)
    serve_everyone(api)
    return api


def _serve_facts(api: Api, clock: Clock) -> None:
    @api.on("GET", "/v1/facts")
    def list_facts(call: Call) -> Answer:
        from noted.facts import listing

        limit = call.whole_number("limit", 50, 1, 100)
        status = call.one_of("status", ("live", "all")) or "live"
        kind: Kind | None = call.one_of("kind", get_args(Kind))
        wanted = listing.Wanted(status == "live", kind, call.query("q"))
        memory = call.memory()
        cursors = Cursors(memory.sealer, ["facts", status, kind, wanted.text])
        facts, after = memory.facts.all(), cursors.take(call.query("cursor"))
        statuses = live.statuses(facts, clock.now())
        page, last = listing.page(facts, statuses, wanted, limit, after)
        items = [replies.fact(fact, statuses[fact.fact_id]) for fact in page]
        return Answer(Page[replies.FactReply](items=items, next_cursor=cursors.give(last)))

    @api.on("GET", "/v1/facts/{fact_id}")
    def get_fact(call: Call) -> Answer:
        memory, fact_id = call.memory(), call.path["fact_id"]
        by_id = {fact.fact_id: fact for fact in memory.facts.all()}
        if fact_id not in by_id:
            raise NotFound
        statuses = live.statuses(by_id.values(), clock.now())
        verdicts = memory.facts.verdicts(fact_id)
        return Answer(replies.fact_detail(by_id[fact_id], by_id, statuses, verdicts))

    @api.on("GET", "/v1/profile")
    def get_profile(call: Call) -> Answer:
        from noted.facts.profile import profile_of

        facts = call.memory().facts.all()
        return Answer(replies.profile(profile_of(facts, clock.now())))


def serve_everyone(api: Api) -> None:
    """Whether the service answers, and the description of its interface."""

    @api.on("GET", "/v1/health")
    def health(_: Call) -> Answer:
        return Answer(replies.HealthReply(version=noted.__version__))

    @api.on("GET", "/openapi.json")
    def openapi(_: Call) -> Answer:
        # It takes the models of every function.
        from noted.api.openapi import Document, document

        return Answer(Document(document()))


handler = function_handler(build)
