"""What the gate knows of one language: lists of words, which the rules put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noted.privacy.gate.categories import SpecialCategory

NOTHING = r"(?!)"


@dataclass(frozen=True)
class Language:
    """Each text is a regular expression over folded text, of alternatives without groups that capture, and
    without a repetition that is unbounded. What a language does not have is left at NOTHING."""

    code: str
    # Who speaks: pronouns and possessives, those that can open a sentence as its subject, and verbs whose
    # ending names the speaker, where a language leaves the pronoun out.
    self_words: str
    subject: str = NOTHING
    self_verbs: str = NOTHING
    possessive: str = NOTHING
    # People: the circle of a person, those beside it, and pronouns for somebody else.
    close: str = NOTHING
    others: str = NOTHING
    third: str = NOTHING
    # Orders: `address` has the pronouns for who is spoken to, `you` names of an assistant; `steer` has the
    # forms of an order (imperative, infinitive), never those of a report.
    address: str = NOTHING
    you: str = NOTHING
    if_you: str = NOTHING
    must: str = NOTHING
    you_must: str = NOTHING  # the same where a verb alone says who is spoken to
    steer: str = NOTHING
    always: str = NOTHING
    from_now: str = NOTHING
    every_answer: str = NOTHING
    no_checks: str = NOTHING
    wanted: str = NOTHING
    orders: str = NOTHING
    # `memorise` asks to remember, `remember` has those words and what else leads in a statement.
    memorise: str = NOTHING
    remember: str = NOTHING
    # What is praised as a source, and how; `praise` has whole phrases.
    best: str = NOTHING
    source: str = NOTHING
    trust: str = NOTHING
    praise: str = NOTHING
    # What sets something off later, and what gives a name another meaning.
    when: str = NOTHING
    speech: str = NOTHING
    means: str = NOTHING
    moved: str = NOTHING
    rights: str = NOTHING
    # Whose words they are: orders about a text, names of texts, and who is reported.
    task: str = NOTHING
    document: str = NOTHING
    reported: str = NOTHING
    # What is not kept.
    credentials: str = NOTHING
    contact: str = NOTHING
    accused: str = NOTHING
    # Where a special category is work or study, not a trait of the person.
    occupation: str = NOTHING
    minor: str = NOTHING
    special: Mapping[SpecialCategory, str] = field(default_factory=dict)
