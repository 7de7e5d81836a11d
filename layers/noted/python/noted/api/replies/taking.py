"""What became of an import, as clients get it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from noted.api.replies.common import Reply

if TYPE_CHECKING:
    from noted.importing import Taken


class RefusedItemReply(Reply):
    """An item of an import that was not kept: its list, its place in it, and why."""

    section: Literal["conversations", "turns", "facts"]
    index: int
    reason: str


class ImportCountsReply(Reply):
    """So many of each."""

    conversations: int
    turns: int
    facts: int


class ImportReply(Reply):
    """What became of an import: what is kept since, what was there before, and what was refused. `not_taken`
    names what is never taken back from an export, where the document has any of it."""

    imported: ImportCountsReply
    already_there: ImportCountsReply
    refused: list[RefusedItemReply]
    not_taken: list[str]


def taken_back(value: Taken, not_taken: list[str]) -> ImportReply:
    """What became of an import."""
    return ImportReply.model_validate(
        {
            "imported": _counts(value.kept),
            "already_there": _counts(value.already),
            "refused": [vars(each) for each in value.refused],
            "not_taken": not_taken,
        }
    )


def _counts(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: counts.get(name, 0) for name in ("conversations", "turns", "facts")}
