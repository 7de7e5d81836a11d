"""Erasure as the tables see it: the fence, sweeps and the look whether a place is empty. Sweeping reads keys
only; no content is opened here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from noted.errors import EpochChanged, NotFound, Unavailable
from noted.store import keys
from noted.store.database import ConditionFailed, Database
from noted.store.erasure_jobs import OPEN, Job, Jobs, Scope
from noted.store.marks import shards
from noted.store.replay_log import Recorded, ReplayLog
from noted.store.tables import CONTROL, KEYS, MEMORY, OPEN_JOBS, OUTBOX, VERDICTS
from noted.store.writes import PRESENT, Condition, Write, delete, update

if TYPE_CHECKING:
    from noted.identity import Principal
    from noted.privacy.wrapping import KeyWrapper
    from noted.store.ledger import Entry, Ledger
    from noted.store.repository import Repository

# What a user's META row holds beside the fence: it goes with the generation that it speaks of.
_OF_A_GENERATION = "REMOVE settings, keyed"


class Erasing:
    """The rows of one user, to be erased."""

    def __init__(
        self, database: Database, principal: Principal, ledger: Ledger, replay_log: ReplayLog
    ) -> None:
        self._database = database
        self._principal = principal
        self._ledger = ledger
        self._replay_log = replay_log
        self._jobs = Jobs(database)

    @classmethod
    def of(cls, repository: Repository) -> Erasing:
        """The rows of a repository's user."""
        return cls(repository.database, repository.principal, repository.ledger, repository.replay_log)

    def fence(self, job: Job, entry: Entry, extra: Sequence[Write] = ()) -> None:
        """Ends a generation: from here on nothing that was there is read, and nothing that began before is
        written. The job, the ledger's entry and what a restore has to know are in the same transaction.
        Raises EpochChanged when another erasure came first."""
        raised = update(
            CONTROL.name,
            keys.owner(self._principal),
            keys.META,
            f"SET generation = :next {_OF_A_GENERATION}",
            values={":next": job.generation + 1},
            condition=Condition("generation = :current", values={":current": job.generation}),
        )
        try:
            self._transact(job, [raised, *self._opening(job, entry), *extra])
        except ConditionFailed as failure:
            if 0 in failure.rows:
                raise EpochChanged from None
            raise

    def raise_generation(self, least: int) -> bool:
        """After a restore: makes the generation at least `least`, never less than it is. Whether it was
        below. A user without a row needs none: the ledger gives them their next generation."""
        try:
            self._database.update(
                CONTROL.name,
                keys.owner(self._principal),
                keys.META,
                f"SET generation = :least {_OF_A_GENERATION}",
                values={":least": least},
                condition=Condition("generation < :least", values={":least": least}),
            )
        except ConditionFailed:
            return False
        return True

    def take_out_conversation(self, job: Job, entry: Entry, conversation_id: str) -> None:
        """Deletes what every reader and writer of a conversation needs first. Raises NotFound."""
        partition = keys.partition(self._principal, job.generation)
        state = delete(MEMORY.name, partition, keys.state(conversation_id), PRESENT)
        header = delete(MEMORY.name, partition, keys.header(conversation_id))
        self._taking_out(job, [state, header, *self._dropping_index(job), *self._opening(job, entry)])

    def told_with_fact(self, job: Job, fact_id: str) -> list[tuple[str, str]]:
        """The keys of what tells a fact again: its copy from another conversation, and the episode of the one
        that it came from."""
        partition = keys.partition(self._principal, job.generation)
        row = self._database.plain(MEMORY.name, partition, keys.fact(fact_id), "conversation_id", "copied_as")
        if row is None:
            return []
        again = []
        if "conversation_id" in row:
            again.append((partition, keys.episode(row["conversation_id"])))
        if "copied_as" in row:
            again.append((partition, keys.fact(row["copied_as"])))
        return [key for key in again if self._database.exists(MEMORY.name, *key)]

    def take_out_fact(
        self, job: Job, entry: Entry, fact_id: str, told_again: Sequence[tuple[str, str]]
    ) -> None:
        """Deletes a fact and what tells it again. Raises NotFound."""
        partition = keys.partition(self._principal, job.generation)
        fact = delete(MEMORY.name, partition, keys.fact(fact_id), PRESENT)
        again = [delete(MEMORY.name, *key) for key in told_again]
        self._taking_out(job, [fact, *again, *self._dropping_index(job), *self._opening(job, entry)])

    def drop_index(self, job: Job) -> None:
        """Makes an end of the index of facts, whose rows hold words of all of them: no reader looks at it any
        more, and none that was begun before is ever finished. It is built again from what is left."""
        try:
            self._database.transact(self._dropping_index(job))
        except ConditionFailed:
            return  # the generation is over, and its index with it

    def remains(self, job: Job) -> dict[str, list[tuple[str, str]]]:
        """The keys that a job has still to delete, by table, strongly consistent, expired rows included."""
        if job.scope is Scope.MEMORY:
            return {
                table.name: [
                    key
                    for generation in range(1, job.generation + 1)
                    for key in self._database.keys(table.name, keys.partition(self._principal, generation))
                ]
                for table in (MEMORY, VERDICTS, KEYS)
            }
        partition = keys.partition(self._principal, job.generation)
        target = job.target or ""
        if job.scope is Scope.FACT:
            facts, rows = [target], [(partition, keys.fact(target))]
            rows = [key for key in rows if self._database.exists(MEMORY.name, *key)]
        else:
            rows = list(self._conversation(partition, target))
            facts = [
                sort_key.removeprefix(keys.FACTS) for _, sort_key in rows if sort_key.startswith(keys.FACTS)
            ]
        verdicts = [
            key
            for fact in facts
            for key in self._database.keys(VERDICTS.name, partition, keys.verdicts(fact))
        ]
        return {MEMORY.name: [*rows, *self._dropped_index(partition)], VERDICTS.name: verdicts}

    def indexed(self, job: Job) -> int:
        """How many entries the indexes still have of ended generations. An index follows its table with a
        delay, and other users' work is found through it, so it is looked at beside the table itself."""
        if job.scope is not Scope.MEMORY:
            return 0
        beginning = f"{self._principal.owner}#g"
        places = [(MEMORY, OUTBOX, shard) for shard in shards()] + [(CONTROL, OPEN_JOBS, OPEN)]
        return sum(
            keys.read_partition(partition)[1] <= job.generation
            for table, index, shard in places
            for partition in self._database.indexed(table.name, index, shard, beginning)
        )

    def destroy_keys(self, job: Job, wrapper: KeyWrapper) -> dict[str, list[tuple[str, str]]]:
        """Destroys the data keys of a generation and of those before it: their rows, and what wrapped them.
        Gives the keys of the rows that were there."""
        partitions = [keys.partition(self._principal, each) for each in range(1, job.generation + 1)]
        found = [key for partition in partitions for key in self._database.keys(KEYS.name, partition)]
        self._database.delete_all(KEYS.name, found)
        for partition in partitions:
            wrapper.destroy(partition)
        return {KEYS.name: found}

    def take_out_again(self, job: Job) -> None:
        """After a restore: deletes what `take_out_conversation` and `take_out_fact` deleted, where it is
        back."""
        partition, target = keys.partition(self._principal, job.generation), job.target or ""
        if job.scope is Scope.CONVERSATION:
            again = [(partition, keys.header(target))]
        else:
            again = self.told_with_fact(job, target)
        self._database.delete_all(MEMORY.name, again)
        self.drop_index(job)

    def delete(self, found: dict[str, list[tuple[str, str]]]) -> None:
        """Deletes rows by key; a fact's verdicts before the fact that leads to them."""
        for table in (VERDICTS, KEYS, MEMORY):
            self._database.delete_all(table.name, found.get(table.name, []))

    def _conversation(self, partition: str, conversation_id: str) -> Iterator[tuple[str, str]]:
        for key in self._database.keys(MEMORY.name, partition, keys.thread(conversation_id)):
            if key[1] != keys.state(conversation_id):
                # Before its turn: a sweep that is cut short must find the way to the mark again.
                mark = (partition, keys.extraction(keys.read_turn(key[1])[1]))
                if self._database.exists(MEMORY.name, *mark):
                    yield mark
            yield key
        episode = (partition, keys.episode(conversation_id))
        if self._database.exists(MEMORY.name, *episode):
            yield episode
        yield from self._database.keys_where(
            MEMORY.name, partition, keys.FACTS, "conversation_id", conversation_id
        )

    def _dropping_index(self, job: Job) -> list[Write]:
        current = Condition("generation = :current", values={":current": job.generation})
        counted_anew = update(
            CONTROL.name,
            keys.owner(self._principal),
            keys.META,
            "REMOVE #indexed, folded ADD changes :one",
            names={"#indexed": "indexed"},
            values={":one": 1},
            condition=current,
        )
        partition = keys.partition(self._principal, job.generation)
        return [counted_anew, delete(MEMORY.name, partition, keys.INDEX_MANIFEST)]

    def _dropped_index(self, partition: str) -> list[tuple[str, str]]:
        """The rows of indexes that no manifest names."""
        rows = list(self._database.keys(MEMORY.name, partition, keys.INDEX))
        # After the rows: what was built since they were listed is not among them.
        manifest = (
            self._database.plain(MEMORY.name, partition, keys.INDEX_MANIFEST, "build") if rows else None
        )
        named = (None, manifest["build"] if manifest else None)
        return [key for key in rows if keys.read_build(key[1]) not in named]

    def _taking_out(self, job: Job, writes: Sequence[Write]) -> None:
        try:
            self._transact(job, writes)
        except ConditionFailed:
            raise NotFound from None

    def _transact(self, job: Job, writes: Sequence[Write]) -> None:
        """The transaction that opens a job. An acknowledgement can get lost on the way: the job's id was made
        for this call, so where its row stands, it was this call that wrote it."""
        try:
            self._database.transact(writes)
        except (ConditionFailed, Unavailable):
            if self._jobs.find(job.erasure_id) is None:
                raise

    def _opening(self, job: Job, entry: Entry) -> list[Write]:
        recorded = Recorded(
            job.erasure_id,
            str(job.scope),
            job.reference,
            self._principal,
            job.generation,
            job.requested_at,
            job.target,
        )
        return [self._jobs.opening(job), self._ledger.writing(entry), self._replay_log.writing(recorded)]
