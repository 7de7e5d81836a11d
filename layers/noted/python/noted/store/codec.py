"""Domain values as rows and back. Text and vectors are sealed; keys, times, order and state stay plain."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime

from noted.clock import instant, timestamp
from noted.conversation.episode import Episode
from noted.conversation.turn import Conversation, Extraction, ExtractionStatus, Kept, Route, Summary, Turn
from noted.facts.fact import Fact, GivenVerdict, Source, Verdict
from noted.facts.sameness import same_mark
from noted.models.seam import Purpose, Usage
from noted.privacy.sealing import Place, Sealer
from noted.store import keys
from noted.store.limits import KEPT_AT
from noted.store.tables import EXPIRY, MEMORY, OUTBOX, VERDICTS
from noted.store.writes import Row

_CONTENT = "content"
_VAULT = "vault"
_SUMMARY = "summary"
_PROFILE_FIELD = "profile_field"


def expiry(moment: datetime | None) -> int | None:
    """Whole seconds since 1970, rounded up: a row is never gone before its time."""
    return math.ceil(moment.timestamp()) if moment else None


class Codec:
    """The rows of one partition."""

    def __init__(self, partition: str, sealer: Sealer) -> None:
        self.partition = partition
        self._sealer = sealer

    def conversation_row(self, conversation: Conversation, expires_at: datetime) -> Row:
        """The state of a conversation, behind its turns."""
        return self._row(
            keys.state(conversation.conversation_id),
            expires_at,
            conversation_id=conversation.conversation_id,
            created_at=timestamp(conversation.created_at),
            incognito=conversation.incognito,
            timezone=conversation.timezone,
            snapshot=list(conversation.snapshot),
            window_from=conversation.window_from,
        )

    def header_row(self, conversation: Conversation, expires_at: datetime) -> Row:
        """What the list of conversations shows."""
        return self._row(
            keys.header(conversation.conversation_id),
            expires_at,
            conversation_id=conversation.conversation_id,
            created_at=timestamp(conversation.created_at),
            incognito=conversation.incognito,
            timezone=conversation.timezone,
        )

    def conversation(self, row: Row) -> Conversation:
        """Reads either of the two."""
        is_state = row["sk"] == keys.state(row["conversation_id"])
        return Conversation(
            conversation_id=row["conversation_id"],
            created_at=instant(row["created_at"]),
            incognito=row["incognito"],
            timezone=row["timezone"],
            snapshot=tuple(row.get("snapshot", ())),
            window_from=row.get("window_from"),
            summary=self._summary(row) if _SUMMARY in row else None,
            compacting=is_state and OUTBOX.partition in row,
        )

    def summary(self, conversation_id: str, summary: Summary) -> Row:
        """The attributes by which a conversation's state holds its running summary."""
        sort_key = keys.state(conversation_id)
        content = {
            "text": summary.text,
            "pinned": list(summary.pinned),
            "covers_through": summary.covers_through,
            "unsummarised": summary.unsummarised,
            "dropped": summary.dropped,
            "memorable": summary.memorable,
        }
        return {
            _SUMMARY: self._sealer.seal_json(content, self._place(sort_key, _SUMMARY)),
            _VAULT: self.vault(summary.entities, sort_key),
        }

    def _summary(self, row: Row) -> Summary:
        content = self._sealer.open_json(row[_SUMMARY], self._place(row["sk"], _SUMMARY))
        return Summary(**content | {"pinned": tuple(content["pinned"]), "entities": self.entities(row)})

    def turn_row(self, turn: Turn, expires_at: datetime) -> Row:
        """A turn without its outbox mark."""
        sort_key = keys.turn(turn.conversation_id, turn.turn_id)
        content = {"message": turn.message, "answer": turn.answer, "pasted": list(turn.pasted)}
        return self._row(
            sort_key,
            expires_at,
            turn_id=turn.turn_id,
            conversation_id=turn.conversation_id,
            created_at=timestamp(turn.created_at),
            said_at=timestamp(turn.said_at),
            route=str(turn.route),
            memory=str(turn.memory),
            recalled=list(turn.recalled),
            degraded=list(turn.degraded),
            usage=_usage_row(turn.usage),
            figures=list(turn.figures),
            revision=turn.revision,
            content=self._sealer.seal_json(content, self._place(sort_key, _CONTENT)),
            vault=self.vault(turn.entities, sort_key),
        )

    def turn(self, row: Row) -> Turn:
        """Reads a turn."""
        content = self._sealer.open_json(row[_CONTENT], self._place(row["sk"], _CONTENT))
        return Turn(
            turn_id=row["turn_id"],
            conversation_id=row["conversation_id"],
            created_at=instant(row["created_at"]),
            said_at=instant(row["said_at"]),
            route=Route(row["route"]),
            message=content["message"],
            answer=content["answer"],
            memory=Kept(row["memory"]),
            pasted=tuple(content["pasted"]),
            recalled=tuple(row["recalled"]),
            degraded=tuple(row["degraded"]),
            usage=_usage(row["usage"]),
            entities=self.entities(row),
            figures=tuple(row["figures"]),
            revision=row["revision"],
        )

    def fact_row(self, fact: Fact) -> Row:
        """A fact. What changes later stays plain; the rest is one sealed value, since opening and parsing is
        what a recall pays for, fact by fact."""
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
            "valid_from": _timestamp(fact.valid_from),
            "valid_until": _timestamp(fact.valid_until),
            "supersedes": fact.supersedes,
            "embedder": fact.embedder,
            "profile_field": fact.profile_field,
        }
        sealed = self._sealer.seal(
            _joined(json.dumps(content, ensure_ascii=False).encode(), fact.words, fact.vector),
            self._place(sort_key, _CONTENT),
        )
        return self._row(
            sort_key,
            fact.expires_at,
            # Erasure finds by it, without opening anything, what came from a conversation.
            conversation_id=source.conversation_id if source else None,
            # So does the withdrawal of a consent.
            special_category=fact.special_category,
            sequence=fact.sequence,
            provenance=fact.provenance,
            last_confirmed_at=timestamp(fact.last_confirmed_at),
            kept_at=_timestamp(fact.kept_at),
            superseded_by=fact.superseded_by,
            copy_of=fact.copy_of,
            copied_as=fact.copied_as,
            latest_verdict=self.verdict_summary(fact.latest_verdict) if fact.latest_verdict else None,
            verdict_sequence=fact.latest_verdict.sequence if fact.latest_verdict else None,
            same=same_mark(self._sealer, fact.kind, fact.text),
            content=sealed,
            vault=self.vault(fact.entities, sort_key),
        )

    def fact(self, row: Row) -> Fact:
        """Reads a fact."""
        opened = self._sealer.open(row[_CONTENT], self._place(row["sk"], _CONTENT))
        plain, tokens, vector = _parted(opened)
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
            kept_at=_instant(row.get(KEPT_AT)),
            source=Source(row["conversation_id"], content["turn_id"], content["quote"])
            if content["turn_id"]
            else None,
            held=content["held"],
            held_because=content.get("held_because"),
            special_category=row.get("special_category"),
            valid_from=_instant(row.get("valid_from", content["valid_from"])),
            valid_until=_instant(row.get("valid_until", content["valid_until"])),
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

    def episode_row(self, episode: Episode) -> Row:
        """One row a conversation."""
        sort_key = keys.episode(episode.conversation_id)
        content = {
            "episode_id": episode.episode_id,
            "text": episode.text,
            "began_at": timestamp(episode.began_at),
            "ended_at": timestamp(episode.ended_at),
            "created_at": timestamp(episode.created_at),
            "embedder": episode.embedder,
        }
        sealed = self._sealer.seal(
            _joined(json.dumps(content, ensure_ascii=False).encode(), episode.words, episode.vector),
            self._place(sort_key, _CONTENT),
        )
        return self._row(
            sort_key,
            episode.expires_at,
            conversation_id=episode.conversation_id,
            kept_at=timestamp(episode.created_at),
            content=sealed,
            vault=self.vault(episode.entities, sort_key),
        )

    def episode(self, row: Row) -> Episode:
        """Reads an episode."""
        opened = self._sealer.open(row[_CONTENT], self._place(row["sk"], _CONTENT))
        plain, tokens, vector = _parted(opened)
        content = json.loads(plain)
        return Episode(
            episode_id=content["episode_id"],
            conversation_id=row["conversation_id"],
            text=content["text"],
            began_at=instant(content["began_at"]),
            ended_at=instant(content["ended_at"]),
            created_at=instant(content["created_at"]),
            expires_at=datetime.fromtimestamp(row[EXPIRY], UTC),
            words=tokens or None,
            vector=vector or None,
            embedder=content["embedder"],
            entities=self.entities(row),
        )

    def state(self, fact: Fact) -> Row:
        """What later statements may change of a fact. Where its row holds these, they stand above what was
        sealed with its text."""
        return {
            EXPIRY: expiry(fact.expires_at),
            "provenance": fact.provenance,
            "last_confirmed_at": timestamp(fact.last_confirmed_at),
            KEPT_AT: _timestamp(fact.kept_at),
            "valid_from": _timestamp(fact.valid_from),
            "valid_until": _timestamp(fact.valid_until),
            "supersedes": fact.supersedes,
            "superseded_by": fact.superseded_by,
            "copied_as": fact.copied_as,
            _PROFILE_FIELD: self._sealer.seal(
                fact.profile_field.encode(), self._place(keys.fact(fact.fact_id), _PROFILE_FIELD)
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
        place = self._place(sort_key, _CONTENT, VERDICTS.name)
        row = self._row(
            sort_key,
            expires_at,
            fact_id=verdict.fact_id,
            content=self._sealer.seal_json({"note": verdict.note}, place),
        )
        return row | self.verdict_summary(verdict)

    def verdict(self, row: Row) -> GivenVerdict:
        """Reads a verdict."""
        content = self._sealer.open_json(row[_CONTENT], self._place(row["sk"], _CONTENT, VERDICTS.name))
        return GivenVerdict(
            verdict_id=row["verdict_id"],
            fact_id=row["fact_id"],
            verdict=Verdict(row["verdict"]),
            at=instant(row["at"]),
            sequence=row["sequence"],
            note=content["note"],
        )

    def extraction_row(self, turn_id: str, extraction: Extraction, expires_at: datetime) -> Row:
        """The mark that a turn has been extracted. It holds ids and counts."""
        return self._row(
            keys.extraction(turn_id),
            expires_at,
            status=str(extraction.status),
            facts=list(extraction.facts),
            dropped=dict(extraction.dropped),
            error_type=extraction.error_type,
            usage=_usage_row(extraction.usage),
            asks=list(extraction.asks),
        )

    def extraction(self, row: Row) -> Extraction:
        """Reads such a mark."""
        return Extraction(
            status=ExtractionStatus(row["status"]),
            facts=tuple(row["facts"]),
            dropped=row["dropped"],
            error_type=row.get("error_type"),
            usage=_usage(row["usage"]),
            asks=tuple(row.get("asks", ())),
        )

    def _profile_field(self, row: Row) -> str | None:
        sealed = row.get(_PROFILE_FIELD)
        return self._sealer.open(sealed, self._place(row["sk"], _PROFILE_FIELD)).decode() if sealed else None

    def vault(self, entities: Mapping[str, str], sort_key: str) -> bytes | None:
        """What masking took out of a row's texts, sealed; None if that is nothing."""
        if not entities:
            return None
        return self._sealer.vault.seal_json(dict(entities), self._place(sort_key, _VAULT))

    def entities(self, row: Row) -> dict[str, str]:
        """What masking took out of a row's texts, by entity id."""
        sealed = row.get(_VAULT)
        return self._sealer.vault.open_json(sealed, self._place(row["sk"], _VAULT)) if sealed else {}

    def _row(self, sort_key: str, expires_at: datetime | None, **attributes: object) -> Row:
        return {"pk": self.partition, "sk": sort_key, EXPIRY: expiry(expires_at), **attributes}

    def _place(self, sort_key: str, attribute: str, table: str = MEMORY.name) -> Place:
        return Place(table, self.partition, sort_key, attribute)


def _joined(content: bytes, words: bytes | None, vector: bytes | None) -> bytes:
    first, second = content, words or b""
    lengths = len(first).to_bytes(4, "big") + len(second).to_bytes(4, "big")
    return lengths + first + second + (vector or b"")


def _parted(joined: bytes) -> tuple[bytes, bytes, bytes]:
    first = 8 + int.from_bytes(joined[:4], "big")
    second = first + int.from_bytes(joined[4:8], "big")
    return joined[8:first], joined[first:second], joined[second:]


def _latest(fact_id: str, summary: Row) -> GivenVerdict:
    return GivenVerdict(
        verdict_id=summary["verdict_id"],
        fact_id=fact_id,
        verdict=Verdict(summary["verdict"]),
        at=instant(summary["at"]),
        sequence=summary["sequence"],
    )


def _usage_row(usage: Mapping[Purpose, Usage]) -> Row:
    return {str(purpose): asdict(each) for purpose, each in usage.items()}


def _usage(row: Row) -> dict[Purpose, Usage]:
    return {Purpose(name): Usage(**each) for name, each in row.items()}


def _timestamp(moment: datetime | None) -> str | None:
    return timestamp(moment) if moment else None


def _instant(text: str | None) -> datetime | None:
    return instant(text) if text else None
