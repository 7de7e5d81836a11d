"""The walls by which the promises are kept, each as it would be if somebody took it down, with the story that
has to notice (`tests/stateful/stories.py`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from noted.facts.fact import Fact, Status
from noted.privacy import sweeping
from noted.store.erasing import Erasing
from noted.store.erasure_jobs import Step
from noted.store.repository import Repository
from noted.store.writes import Condition
from tests.stateful import stories

_swept, _remains, _admit, _status = sweeping.swept, Erasing.remains, Repository.admit, Fact.status


@dataclass(frozen=True)
class Mutation:
    """`put` are the values that take the place of others, by where those stand."""

    name: str
    put: Mapping[str, Any]
    story: Callable[[], None]


def _sees(status: Status) -> Callable[..., Status]:
    """A fact's status, as if one of them did not matter."""

    def seen(fact: Fact, *parts: Any) -> Status:
        found = _status(fact, *parts)
        return Status.LIVE if found is status else found

    return seen


MUTATIONS = (
    Mutation(
        "no fence around a generation",
        {"noted.store.fence.Fence._condition": lambda *_: Condition("attribute_exists(pk)")},
        stories.a_writer_that_is_late_is_refused,
    ),
    Mutation(
        "no second sweep",
        {
            "noted.privacy.erasure_worker.swept": lambda job, erasing: (
                job if job.step is Step.DRAIN else _swept(job, erasing)
            ),
            "noted.store.erasing.Erasing.remains": lambda erasing, job: (
                {} if job.step is Step.DRAIN else _remains(erasing, job)
            ),
        },
        stories.what_lands_behind_the_first_sweep_is_swept,
    ),
    Mutation(
        "no look at a client's epoch",
        {"noted.store.repository.Repository.admit": lambda repository, _=None: _admit(repository)},
        stories.a_client_that_was_away_brings_nothing_back,
    ),
    Mutation(
        "no mark of extraction",
        {
            "noted.store.conversations.Conversations.extraction": lambda *_: None,
            "noted.store.conversations._NOT_EXTRACTED": Condition("attribute_not_exists(nothing)"),
        },
        stories.a_turn_is_learnt_from_once,
    ),
    Mutation(
        "no filter of time to live",
        {
            "noted.store.database.Database._current": lambda *_: True,
            "noted.facts.fact.Fact.status": _sees(Status.EXPIRED),
        },
        stories.what_has_expired_is_not_there,
    ),
    Mutation(
        "no filter of verdicts",
        {"noted.facts.fact.Fact.status": _sees(Status.REJECTED)},
        stories.what_was_rejected_is_not_told,
    ),
    Mutation(
        "no place bound to what is sealed",
        {"noted.privacy.sealing.Place.bound": lambda _: b""},
        stories.what_was_sealed_opens_at_its_place_alone,
    ),
    Mutation(
        "no filter of what is held",
        {"noted.facts.fact.Fact.status": _sees(Status.HELD)},
        stories.what_is_held_is_not_told,
    ),
    Mutation(
        "no filter of an answer's links",
        {
            "noted.privacy.links.LinkFilter.feed": lambda _, piece: piece,
            "noted.privacy.links.LinkFilter.finish": lambda _: "",
        },
        stories.an_answer_links_nowhere,
    ),
    Mutation(
        "no destruction of keys",
        {"noted.store.erasing.Erasing.destroy_keys": lambda *_: {}},
        stories.a_key_is_destroyed_first,
    ),
    Mutation(
        "no replay of the ledger",
        {"noted.privacy.replaying.Replay._again": lambda *_: 0},
        stories.a_restore_brings_nothing_back,
    ),
    Mutation(
        "no refusal after a restore",
        {"noted.store.restoring.TablesInUse.refuse_unless_replayed": lambda _: None},
        stories.nothing_is_served_before_the_ledger_was_replayed,
    ),
)
