"""Which field of the profile a statement fills, and which fact of that field it ends.

Both rest on the word of a model, which slips; so code refuses what cannot be so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from noted.facts.attributes import same_attribute
from noted.facts.decisions import is_exception
from noted.facts.profile_schema import FIELDS, Fields, ProfileField

if TYPE_CHECKING:
    from noted.facts.fact import Fact
    from noted.facts.proposed import ProposedFact


def filled_field(proposed: ProposedFact, fields: Fields = FIELDS) -> ProfileField | None:
    """The field that a proposed fact fills. A name that is no field's is left out; so is a field that a goal,
    or what happened once ("Had fish at a wedding"), is said to fill."""
    if proposed.kind != "fact" or is_exception(proposed.text):
        return None
    return fields.get((proposed.profile_field or "").strip())


def succeeds(new: Fact, old: Fact, fields: Fields = FIELDS) -> bool:
    """Whether a fact that was said ends another one of the same field: not where there may be several, and
    only where the words bear out that both are about the same thing, since a model said which field they
    fill."""
    if new.kind != old.kind or new.profile_field is None or new.profile_field != old.profile_field:
        return False
    field = fields.get(new.profile_field)
    return field is not None and not field.several and same_attribute(new.text, old.text)
