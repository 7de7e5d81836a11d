"""What the facts of a conversation's snapshot say, in one row: the turns of the conversation read it in the
place of those facts' own rows, each of which costs a read unit however short it is.

What a fact says never changes, so the row has that alone. Whether a fact still stands it does not know: that
is read anew for each turn, from the index of facts. The row belongs to one build of the index. Whatever
erases facts makes an end of the build in the same transaction, and then deletes every row of it; and what was
read before that is not stored after it.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from noted.clock import timestamp
from noted.facts.fact import Fact, Source
from noted.facts.sameness import same_mark
from noted.privacy.entities import occurring
from noted.privacy.sealing import CannotOpen
from noted.store import keys
from noted.store.codec import CONTENT, VAULT
from noted.store.limits import KEPT_AT
from noted.store.tables import MEMORY

if TYPE_CHECKING:
    from noted.clock import Clock
    from noted.privacy.sealing import Sealer
    from noted.recall.index import Edition
    from noted.store.codec import Codec
    from noted.store.database import Database
    from noted.store.facts import Facts
    from noted.store.index import FactIndex
    from noted.store.writes import Row

logger = logging.getLogger("noted.store")

# A conversation that is taken up again after longer has it made again. No fact that ends sooner is in it, so
# that no text outlasts the time for which it may be kept.
KEPT = timedelta(days=7)


@dataclass(frozen=True)
class Copied:
    """What a fact says, where it was said, by which consent it is kept, and the field of the profile that it
    filled when it was copied: its place among what is told stays the same for as long."""

    text: str
    turn_id: str | None
    profile_field: str | None
    special_category: str | None
    entities: Mapping[str, str]

    def of(self, fact: Fact, sealer: Sealer) -> Fact:
        """The fact that says it, whose state is known without that."""
        return replace(
            fact,
            text=self.text,
            source=Source("", self.turn_id, "") if self.turn_id else None,
            profile_field=self.profile_field,
            special_category=self.special_category,
            same=same_mark(sealer, fact.kind, self.text),
            entities=self.entities,
        )


class Snapshots:
    """The copies of one partition."""

    def __init__(
        self, database: Database, codec: Codec, index: FactIndex, facts: Facts, clock: Clock
    ) -> None:
        self._database = database
        self._codec = codec
        self._index = index
        self._facts = facts
        self._clock = clock

    def read(
        self, conversation_id: str, edition: Edition, fact_ids: Iterable[str]
    ) -> tuple[dict[str, Fact], dict[str, Copied]]:
        """Some facts from their own rows, and what others say by the conversation's copy, if there is one; by
        id, in one read. One read unit a fact, and one for each 4 KB of the copy."""
        sort_key = keys.snapshot(edition.build, conversation_id)
        wanted = [sort_key, *(keys.fact(fact_id) for fact_id in dict.fromkeys(fact_ids))]
        rows = self._database.batch(MEMORY.name, self._codec.partition, wanted)
        copy = rows.pop(sort_key, None)
        facts = (self._facts.opened(row) for row in rows.values())
        return {fact.fact_id: fact for fact in facts}, self._opened(copy) if copy else {}

    def standing(self, copies: Mapping[str, Copied], facts: Mapping[str, Fact]) -> dict[str, Fact]:
        """Facts whose state is known, with what they say by a copy: as they count now."""
        sealer = self._codec.sealer
        return {
            fact_id: self._facts.as_consented(copies[fact_id].of(fact, sealer))
            for fact_id, fact in facts.items()
        }

    def keep(self, conversation_id: str, edition: Edition, facts: Sequence[Fact]) -> bool:
        """Keeps what facts say that were read with an index, for the conversation's next turns. Whether it is
        kept: not where any fact of the user has changed since. Two write units, and two for each KB."""
        sort_key = keys.snapshot(edition.build, conversation_id)
        content = [
            [
                fact.fact_id,
                fact.text,
                fact.source.turn_id if fact.source else None,
                fact.profile_field,
                fact.special_category,
            ]
            for fact in facts
        ]
        entities = {
            name: value for fact in facts for name, value in occurring(fact.entities, fact.text).items()
        }
        # A limit that its user sets ends it with the fact that was kept longest ago.
        kept_at = min(fact.kept_at or fact.last_confirmed_at for fact in facts)
        row = self._codec.row(sort_key, self._clock.now() + KEPT) | {
            KEPT_AT: timestamp(kept_at),
            CONTENT: self._codec.sealer.seal(
                json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode(),
                self._codec.place(sort_key, CONTENT),
            ),
            VAULT: self._codec.vault(entities, sort_key),
        }
        return self._index.put_beside(edition, row)

    def _opened(self, row: Row) -> dict[str, Copied]:
        place = self._codec.place(row["sk"], CONTENT)
        try:
            content: list[list[Any]] = json.loads(self._codec.sealer.open(row[CONTENT], place))
            entities = self._codec.entities(row)
        except (CannotOpen, ValueError) as error:
            logger.warning("snapshot without its copy", extra={"error_type": type(error).__name__})
            return {}
        return {
            fact_id: Copied(text, turn_id, field, category, occurring(entities, text))
            for fact_id, text, turn_id, field, category in content
        }
