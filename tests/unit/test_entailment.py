"""Which two texts say the same, which holds the other, and which are two facts: a table of pairs."""

from __future__ import annotations

import pytest

from evals.pairs import PAIRS, Pair
from noted.facts.entailment import Relation, relation


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.stored} | {pair.new}")
def test_a_pair_is_told(pair: Pair) -> None:
    assert relation(pair.new, pair.stored) is pair.relation


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.stored} | {pair.new}")
def test_a_pair_is_told_from_its_other_end(pair: Pair) -> None:
    opposite = {Relation.RICHER: Relation.POORER, Relation.POORER: Relation.RICHER}
    assert relation(pair.stored, pair.new) is opposite.get(pair.relation, pair.relation)


def test_there_are_pairs_of_every_sort() -> None:
    assert len(PAIRS) >= 60
    assert {pair.relation for pair in PAIRS} == set(Relation)


@pytest.mark.parametrize("text", ["", "   ", "?!"])
def test_no_words_say_nothing(text: str) -> None:
    assert relation(text, text) is Relation.OTHER
    assert relation("Has a dog", text) is Relation.OTHER
