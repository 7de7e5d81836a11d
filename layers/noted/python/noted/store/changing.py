"""A change of a user's facts as writes of one transaction.

The revision of the facts goes up with every fact that is added. A writer that read it before it read the
facts, and adds to them on the condition that it is still the same, has compared its facts with all there are:
of two workers that say the same at once one finds the revision changed, and reads again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from noted.store import keys, marks
from noted.store.tables import MEMORY
from noted.store.writes import ABSENT, Condition, Row, Write, put, update

if TYPE_CHECKING:
    from noted.facts.change import Altered, Change
    from noted.facts.fact import Fact
    from noted.store.fact_codec import FactCodec

# What of a fact's state decides what a statement does to it.
_WATCHED = ("superseded_by", "last_confirmed_at", "copied_as")


class FactsChanged(Exception):
    """The facts are not as they were read: what was made of them must be made again."""


def writes_of(change: Change, codec: FactCodec) -> list[Write]:
    """The writes that make a change, or fail if the facts are not as they were read."""
    writes = [_revised(change, codec)] if change.added else []
    condition = ABSENT if change.revision is not None else None
    writes += [put(MEMORY.name, _row(fact, codec), condition) for fact in change.added]
    return writes + [_altering(altered, codec) for altered in change.altered]


def replacing(before: Fact, after: Fact, codec: FactCodec) -> Write:
    """Stores a fact anew whose state is still as it was read."""
    terms, names, values = _unchanged(before, codec)
    return put(MEMORY.name, codec.fact_row(after), Condition(terms, names, values))


def as_read(fact: Fact, codec: FactCodec) -> Condition:
    """The condition that a fact's state is still as it was read."""
    return Condition(*_unchanged(fact, codec))


def _row(fact: Fact, codec: FactCodec) -> Row:
    """A new fact; one without a vector is marked, so that it gets one when the embedder is back."""
    row = codec.fact_row(fact)
    if fact.vector is None:
        row |= marks.unembedded(fact.fact_id, fact.created_at.timestamp())
    return row


def _revised(change: Change, codec: FactCodec) -> Write:
    condition = None
    if change.revision:
        condition = Condition("revision = :read", {}, {":read": change.revision})
    elif change.revision == 0:
        condition = ABSENT
    # It tells nothing of the user, and the facts must not outlive it: it has no time to live.
    return update(
        MEMORY.name,
        codec.partition,
        keys.FACTS_REVISION,
        "ADD revision :one",
        values={":one": 1},
        condition=condition,
    )


def _altering(altered: Altered, codec: FactCodec) -> Write:
    after = {name: value for name, value in codec.state(altered.after).items() if value is not None}
    terms, names, values = _unchanged(altered.before, codec)
    return update(
        MEMORY.name,
        codec.partition,
        keys.fact(altered.after.fact_id),
        "SET " + ", ".join(f"#{name} = :{name}" for name in sorted(after)),
        names=names | {f"#{name}": name for name in after},
        values=values | {f":{name}": value for name, value in after.items()},
        condition=Condition(terms),
    )


def _unchanged(fact: Fact, codec: FactCodec) -> tuple[str, dict[str, str], dict[str, Any]]:
    """The condition that a fact is as it was read, with its names and values: not erased, judged, ended,
    confirmed or copied by another request meanwhile."""
    state = codec.state(fact)
    watched = {name: state[name] for name in _WATCHED}
    watched["verdict_sequence"] = fact.latest_verdict.sequence if fact.latest_verdict else None
    terms, values = ["attribute_exists(pk)"], {}
    for name, value in watched.items():
        if value is None:
            terms.append(f"attribute_not_exists(#{name})")
        else:
            terms.append(f"#{name} = :was_{name}")
            values[f":was_{name}"] = value
    return " AND ".join(terms), {f"#{name}": name for name in watched}, values
