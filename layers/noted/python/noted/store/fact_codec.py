"""Facts and verdicts as rows."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from noted.clock import instant, timestamp
from noted.facts.fact import Fact, GivenVerdict, Source, Verdict
from noted.store import keys
from noted.store.codec import CONTENT, Codec, expiry, instant_or_none, joined, parted, timestamp_or_none
from noted.store.limits import KEPT_AT
from noted.store.tables import EXPIRY, VERDICTS

if TYPE_CHECKING:
    from noted.store.writes import Row

_PROFILE_FIELD = "profile_field"


class FactCodec(Codec):
    """The facts of one partition, and the verdicts on them."""

    def fact_row(self, fact: Fact) -> Row:
        """A fact. What changes later stays plain; the rest is one sealed value, since opening and parsing is
        what a recall pays for, fact by fact."""
        # What it reads numbers with is no part of reading a fact.
        from noted.facts.sameness import same_mark

        sort_key = keys.fact(fact.fact_id)
        source = fact.source
        content = {
            "kind": fact.kind,
            "category": fact.category,
            "text": fact.text,
            "quote": source.quote if source else None,
            "turn_id": source.turn_id if source else None,
            "held": fact.held,
            "held_because": fact.held_because,
            "created_at": timestamp(fact.created_at),
            "valid_from": timestamp_or_none(fact.valid_from),
            "valid_until": timestamp_or_none(fact.valid_until),
            "supersedes": fact.supersedes,
            "embedder": fact.embedder,
            "profile_field": fact.profile_field,
        }
        sealed = self.sealer.seal(
            joined(json.dumps(content, ensure_ascii=False).encode(), fact.words, fact.vector),
            self.place(sort_key, CONTENT),
        )
        return self.row(
            sort_key,
            fact.expires_at,
            # Erasure finds by it, without opening anything, what came from a conversation.
            conversation_id=source.conversation_id if source else None,
            # So does the withdrawal of a consent.
            special_category=fact.special_category,
            sequence=fact.sequence,
            provenance=fact.provenance,
            last_confirmed_at=timestamp(fact.last_confirmed_at),
            kept_at=timestamp_or_none(fact.kept_at),
            superseded_by=fact.superseded_by,
            copy_of=fact.copy_of,
            copied_as=fact.copied_as,
            latest_verdict=self.verdict_summary(fact.latest_verdict) if fact.latest_verdict else None,
            verdict_sequence=fact.latest_verdict.sequence if fact.latest_verdict else None,
            same=same_mark(self.sealer, fact.kind, fact.text),
            content=sealed,
            vault=self.vault(fact.entities, sort_key),
        )

    def fact(self, row: Row) -> Fact:
        """Reads a fact."""
        opened = self.sealer.open(row[CONTENT], self.place(row["sk"], CONTENT))
        plain, tokens, vector = parted(opened)
        content, verdict = json.loads(plain), row.get("latest_verdict")
        fact_id = row["sk"].removeprefix(keys.FACTS)
        return Fact(
            fact_id=fact_id,
            kind=content["kind"],
            category=content["category"],
            text=content["text"],
            provenance=row["provenance"],
            sequence=row["sequence"],
            created_at=instant(content["created_at"]),
            last_confirmed_at=instant(row["last_confirmed_at"]),
            kept_at=instant_or_none(row.get(KEPT_AT)),
            source=Source(row["conversation_id"], content["turn_id"], content["quote"])
            if content["turn_id"]
            else None,
            held=content["held"],
            held_because=content.get("held_because"),
            special_category=row.get("special_category"),
            valid_from=instant_or_none(row.get("valid_from", content["valid_from"])),
            valid_until=instant_or_none(row.get("valid_until", content["valid_until"])),
            expires_at=datetime.fromtimestamp(row[EXPIRY], UTC) if EXPIRY in row else None,
            latest_verdict=_latest(fact_id, verdict) if verdict else None,
            supersedes=row.get("supersedes", content["supersedes"]),
            superseded_by=row.get("superseded_by"),
            copy_of=row.get("copy_of"),
            copied_as=row.get("copied_as"),
            words=tokens or None,
            vector=vector or None,
            embedder=content["embedder"],
            same=row["same"],
            entities=self.entities(row),
            profile_field=self._profile_field(row) or content["profile_field"],
        )

    def state(self, fact: Fact) -> Row:
        """What later statements may change of a fact. Where its row holds these, they stand above what was
        sealed with its text."""
        return {
            EXPIRY: expiry(fact.expires_at),
            "provenance": fact.provenance,
            "last_confirmed_at": timestamp(fact.last_confirmed_at),
            KEPT_AT: timestamp_or_none(fact.kept_at),
            "valid_from": timestamp_or_none(fact.valid_from),
            "valid_until": timestamp_or_none(fact.valid_until),
            "supersedes": fact.supersedes,
            "superseded_by": fact.superseded_by,
            "copied_as": fact.copied_as,
            _PROFILE_FIELD: self.sealer.seal(
                fact.profile_field.encode(), self.place(keys.fact(fact.fact_id), _PROFILE_FIELD)
            )
            if fact.profile_field
            else None,
        }

    def verdict_summary(self, verdict: GivenVerdict) -> Row:
        """A verdict as its fact carries it: without the note."""
        return {
            "verdict_id": verdict.verdict_id,
            "verdict": str(verdict.verdict),
            "at": timestamp(verdict.at),
            "sequence": verdict.sequence,
        }

    def verdict_row(self, verdict: GivenVerdict, expires_at: datetime) -> Row:
        """One row a verdict; it is never written again."""
        sort_key = keys.verdict(verdict.fact_id, verdict.verdict_id)
        place = self.place(sort_key, CONTENT, VERDICTS.name)
        row = self.row(
            sort_key,
            expires_at,
            fact_id=verdict.fact_id,
            content=self.sealer.seal_json({"note": verdict.note}, place),
        )
        return row | self.verdict_summary(verdict)

    def verdict(self, row: Row) -> GivenVerdict:
        """Reads a verdict."""
        content = self.sealer.open_json(row[CONTENT], self.place(row["sk"], CONTENT, VERDICTS.name))
        return GivenVerdict(
            verdict_id=row["verdict_id"],
            fact_id=row["fact_id"],
            verdict=Verdict(row["verdict"]),
            at=instant(row["at"]),
            sequence=row["sequence"],
            note=content["note"],
        )

    def _profile_field(self, row: Row) -> str | None:
        sealed = row.get(_PROFILE_FIELD)
        return self.sealer.open(sealed, self.place(row["sk"], _PROFILE_FIELD)).decode() if sealed else None


def _latest(fact_id: str, summary: Row) -> GivenVerdict:
    return GivenVerdict(
        verdict_id=summary["verdict_id"],
        fact_id=fact_id,
        verdict=Verdict(summary["verdict"]),
        at=instant(summary["at"]),
        sequence=summary["sequence"],
    )
