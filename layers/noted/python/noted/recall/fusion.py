"""One relevance out of three signs that a fact answers a query: alike in meaning, in words, or named by it.

Meaning and words are each put on a scale where the best fact has 1, and weigh about half and half: over the
turns of long dialogues that finds more than reciprocal rank fusion, which forgets how far ahead a first is.
A fact that holds an identifier of the query goes before those that hold none: embeddings cannot tell
"order 48213" from "order 48217" and are just as sure of the wrong one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from noted.recall.lexical import STOP_WORDS, Index, tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy import float64, floating
    from numpy.typing import NDArray

# Of 1; the words have the rest. From 0.4 to 0.6 the order is as good; a weaker embedder wants less.
SEMANTIC_WEIGHT = 0.45
# As much as meaning and words together, so that no likeness outweighs the thing that is named.
IDENTIFIER_WEIGHT = 1.0
# The likeness of a fact without a vector, as a share of its lexical signal: what facts that hold as much of
# the query's words have in the mean (0.4 to 0.7 of it).
EXPECTED_SEMANTIC = 0.5

_NAME = re.compile(r"(?<=[^\W\d_])[\s,;(\"'“‘«-]+([^\W\d_][\w'’-]*)")
_SHORT_NUMBER = re.compile(r"\d{1,2}(?:st|nd|rd|th)?")
_LABELLED = re.compile(r"([^\W\d_]+)\s+#?(\d{1,2})(?![\w]|[.,:]\d)(?:\s+([^\W\d_]+))?")
_MONTHS = """
    january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec
"""
_NAMES_NOTHING = STOP_WORDS | frozenset(_MONTHS.split())


def identifiers(query: str) -> list[str]:
    """The tokens of a query that name one thing: ids, numbers from three digits, and names.

    A shorter number is mostly a count or the day of a date ("4 years", "7 May", "May 7"); it names a thing
    when it stands after a word that is no month and before none ("in box 12?"). A name is a capitalised word
    that does not begin a sentence; a query in capitals throughout has none, nor has a script without case.

    >>> identifiers("What happened to order 48213 that Zoltan sent on 7 May?")
    ['48213', 'zoltan']
    """
    words = tokens(query)
    long = [word for word in words if any(map(str.isdigit, word)) and not _SHORT_NUMBER.fullmatch(word)]
    short = [
        number
        for label, number, following in _LABELLED.findall(query)
        if label.casefold() not in _NAMES_NOTHING and (not following or following.casefold() in STOP_WORDS)
    ]
    capitalised = [word for word in _NAME.findall(query) if word[0].isupper() and not query.isupper()]
    proper = [word for word in capitalised if word.casefold() not in _NAMES_NOTHING]
    names = [word for name in proper for word in tokens(name) if word.isalpha() and len(word) > 1]
    return list(dict.fromkeys(long + short + names))


def share_named(index: Index, wanted: Sequence[str]) -> NDArray[float64] | None:
    """How much of what the query names each document holds, 0 to 1; None when no document holds any of it.

    `wanted` are different tokens. Each counts by how rare it is among the documents: a name that half of them
    hold tells little.
    """
    import numpy as np

    documents, which, _ = index.postings(wanted)
    if not len(which):
        return None
    frequencies = np.bincount(which, minlength=len(wanted))
    weights = index.rarity(frequencies) / index.rarity(np.array(1))
    total = np.bincount(documents, weights=weights[which], minlength=index.size)
    return np.asarray(total / np.count_nonzero(frequencies), dtype=np.float64)


def scaled(signal: NDArray[floating]) -> NDArray[float64]:
    """A signal on a scale where its best value is 1 and what is not positive is 0."""
    import numpy as np

    positive = np.maximum(signal.astype(np.float64), 0.0)
    best = float(positive.max(initial=0.0))
    return positive / best if best > 0 else positive


def fuse(
    semantic: NDArray[float64] | None, lexical: NDArray[float64], named: NDArray[float64] | None
) -> NDArray[float64]:
    """The relevance of each document, 0 to 1, from signals on the scale of `scaled`.

    Without a semantic signal the words decide alone.
    """
    mixed = lexical if semantic is None else SEMANTIC_WEIGHT * semantic + (1 - SEMANTIC_WEIGHT) * lexical
    return mixed if named is None else (mixed + IDENTIFIER_WEIGHT * named) / (1 + IDENTIFIER_WEIGHT)
