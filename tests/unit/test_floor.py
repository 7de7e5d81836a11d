"""What recall leaves out: facts for which nothing speaks, and more than fits into a prompt."""

from __future__ import annotations

import numpy as np
import pytest

from noted.recall.floor import FEWEST_FACTS, above, evidence, share_held, within
from noted.recall.lexical import Index, pack, tokens

TEXTS = ["Allergic to peanuts", "Sister lives in London", "Sister is allergic to cats"]
INDEX = Index([pack(tokens(text)) for text in TEXTS])
MANY = FEWEST_FACTS


class TestShareHeld:
    def test_it_counts_the_different_words_of_the_query(self) -> None:
        # "is", "my" and "to" are too common to say anything: sister, allergic, peanuts are left.
        held = share_held(INDEX, "Is my sister, my sister allergic to peanuts?")
        assert held.tolist() == pytest.approx([2 / 3, 1 / 3, 2 / 3])

    def test_a_word_that_no_fact_holds_counts_against_all(self) -> None:
        assert share_held(INDEX, "sister plumber").tolist() == [0.0, 0.5, 0.5]

    @pytest.mark.parametrize("query", ["", "is it to the?", "\u2026"])
    def test_a_query_without_such_words_is_held_by_none(self, query: str) -> None:
        assert share_held(INDEX, query).tolist() == [0.0, 0.0, 0.0]


class TestEvidence:
    def test_likeness_and_words_add_up(self) -> None:
        found = evidence(np.array([-0.4, 0.25, 0.5, 0.9]), np.array([0.0, 0.5, 0.0, 1.0]))
        assert found.tolist() == [0.0, 1.0, 1.0, 2.0]


class TestAbove:
    def test_facts_for_which_nothing_speaks_are_left_out(self) -> None:
        assert above([1.2, 0.05, 0.2, 0.19], MANY) == [0, 2]

    def test_nothing_comes_back_when_the_best_has_too_little(self) -> None:
        assert above([0.29, 0.25], MANY) == []
        assert above([0.3, 0.25], MANY) == [0, 1]

    def test_a_user_with_few_facts_has_them_all(self) -> None:
        assert above([0.0, 0.1], MANY - 1) == [0, 1]

    def test_nothing_is_left_of_nothing(self) -> None:
        assert above([], MANY) == []


class TestWithin:
    def test_the_best_that_fit_are_taken(self) -> None:
        assert within([4, 4, 4], 8) == [0, 1]

    def test_a_long_text_gives_way_to_a_shorter_one(self) -> None:
        assert within([5, 9, 3], 8) == [0, 2]

    def test_nothing_fits(self) -> None:
        assert within([9], 8) == []
