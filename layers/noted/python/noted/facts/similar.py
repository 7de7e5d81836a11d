"""The live facts that a new statement could have to do with: alike in words or in meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from noted.privacy.masking import in_words
from noted.recall import lexical, vectors

if TYPE_CHECKING:
    from noted.facts.fact import Fact

# As many are shown to a model as it reads without losing any; with fewer facts than that, all are.
MOST_SIMILAR = 8
# What is as little alike as the average fact is left out, where there are more. Cosines are centred on the
# user's own facts, so this is the same for every embedder.
_LEAST_ALIKE = 0.1


def similar(statement: Fact, facts: Sequence[Fact], most: int = MOST_SIMILAR) -> list[Fact]:
    """Up to `most` of the facts, those most alike first by words and by meaning in turn.

    All of them where there are no more: a contradiction may share no word and little meaning ("Eats fish
    again", "Is vegetarian"), and a model that sees it can tell.
    """
    if len(facts) <= most:
        return list(facts)
    by_words = _by_words(statement, facts)
    by_meaning = _by_meaning(statement, facts)
    taken: dict[str, Fact] = {}
    for place in range(max(len(by_words), len(by_meaning))):
        for ranked in (by_words, by_meaning):
            if place < len(ranked) and len(taken) < most:
                taken.setdefault(ranked[place].fact_id, ranked[place])
    return list(taken.values())


def _by_words(statement: Fact, facts: Sequence[Fact]) -> list[Fact]:
    import numpy as np

    packed = [fact.words if fact.words is not None else lexical.pack(_words(fact)) for fact in facts]
    scores = lexical.Index(packed).scores(_words(statement))
    return [facts[place] for place in np.argsort(-scores, kind="stable") if scores[place] > 0]


def _words(fact: Fact) -> list[str]:
    return lexical.tokens(in_words(fact.text, with_letters=True))


def _by_meaning(statement: Fact, facts: Sequence[Fact]) -> list[Fact]:
    import numpy as np

    if statement.vector is None:
        return []
    comparable = [
        fact
        for fact in facts
        if fact.vector is not None
        and fact.embedder == statement.embedder
        and len(fact.vector) == len(statement.vector)
    ]
    if not comparable:
        return []
    alike = vectors.centred_cosines(
        vectors.unpack(statement.vector), [fact.vector for fact in comparable if fact.vector is not None]
    )
    return [comparable[place] for place in np.argsort(-alike, kind="stable") if alike[place] > _LEAST_ALIKE]
