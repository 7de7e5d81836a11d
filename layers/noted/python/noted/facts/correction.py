"""A correction by the user's own hand, as a change of their facts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from noted.facts.change import Altered, Change, Stored

if TYPE_CHECKING:
    from noted.facts.consolidating import Consolidation
    from noted.facts.fact import Fact


@dataclass(frozen=True)
class Correction:
    """Puts the corrected text, the one statement of `consolidation`, in the place of `old`. The change leaves
    the old fact's own row to whoever writes the verdict against it."""

    old: Fact
    consolidation: Consolidation

    def change(self, stored: Stored) -> Change:
        """The change of the other facts: the text is compared with all but the one that it corrects."""
        others = replace(
            stored,
            facts=tuple(fact for fact in stored.facts if fact.fact_id != self.old.fact_id),
            copies=tuple(copy for copy in stored.copies if copy.copy_of != self.old.fact_id),
        )
        change = self.consolidation.change(others)
        [holder] = change.kept
        linked = replace(holder, supersedes=holder.supersedes or self.old.fact_id)
        altered = [
            replace(each, after=linked) if each.after.fact_id == linked.fact_id else each
            for each in change.altered
        ]
        ended = [
            Altered(copy, replace(copy, superseded_by=holder.fact_id, valid_until=holder.created_at))
            for copy in stored.copies
            if copy.copy_of == self.old.fact_id
        ]
        return replace(change, altered=(*altered, *ended), kept=(linked,))
