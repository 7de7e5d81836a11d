"""Labels of figures: a tool gives a figure, the model writes its label, and code fills the value in.

A label is a namespace, which belongs to one tool, and a name, in brackets: `[account.balance]`. The model is
told labels and what they mean and never a value, so it can neither get a figure wrong nor take an old one for
a new one. `noted.privacy.unmasking` fills the value in for the customer, on the way out; what is stored is
the label. Where a label stands that no tool filled in this turn, whoever's it is, both have a phrase that
says so.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence

from noted.privacy.labels import labels_written

NAMESPACE_CHARACTERS = 32
NAME_CHARACTERS = 32  # and up to 8 for what makes it another label: [rate.eur_usd_2]

_NAMESPACE = re.compile(rf"[a-z][a-z0-9_]{{0,{NAMESPACE_CHARACTERS - 1}}}")
_NAME = re.compile(rf"[a-z][a-z0-9_]{{0,{NAME_CHARACTERS - 1}}}")


def is_namespace(text: str) -> bool:
    """Whether the text can be the namespace of a tool's labels."""
    return _NAMESPACE.fullmatch(text) is not None


def is_name(text: str) -> bool:
    """Whether the text can be the name of a figure within its namespace."""
    return _NAME.fullmatch(text) is not None


def bracketed(label: str) -> str:
    """A label as it stands in a text.

    >>> bracketed("account.balance")
    '[account.balance]'
    """
    return f"[{label}]"


def labels_in(text: str, figures: Container[str]) -> tuple[str, ...]:
    """The labels that the text holds, in any spelling, and a tool filled: each once, in order.

    >>> labels_in("It is [account.balance] of [card.limit] [sic].", {"account.balance": "1,523.40"})
    ('account.balance',)
    """
    return tuple(dict.fromkeys(label for label in labels_written([text]) if label in figures))


def replay_note(labels: Iterable[str]) -> str:
    """What a later prompt says beside an answer in which these labels were filled in, "" for none. It claims
    nothing of any other label.

    >>> replay_note(["account.balance"])[:81]
    '(Code filled in [account.balance] in this answer: the customer saw the value. The'
    """
    named = [bracketed(label) for label in labels]
    if not named:
        return ""
    value, it, are = ("value", "it", "is") if len(named) == 1 else ("values", "them", "are")
    they = "it" if len(named) == 1 else "they"
    return (
        f"(Code filled in {_listed(named)} in this answer: the customer saw the {value}. The model did not "
        f"write {it}, does not know {it}, and looks {it} up again where {they} {are} needed.)"
    )


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
