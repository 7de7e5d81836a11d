"""Repeats inside one extraction, and the words by which they are told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noted.facts.fact import Kind
from noted.facts.proposed import ProposedFact
from noted.facts.repeats import without_repeats
from noted.facts.words import holds_all_and_more, same_words, words


def kept(*texts: str, kind: Kind = "fact") -> list[str]:
    return [fact.text for fact in without_repeats([ProposedFact(kind, text, text) for text in texts])]


class TestRepeats:
    def test_a_fact_goes_when_another_holds_all_its_words_and_more(self) -> None:
        assert kept("Has a dog", "Has a brown dog") == ["Has a brown dog"]
        assert kept("Has a brown dog", "Has a dog") == ["Has a brown dog"]

    def test_also_through_a_chain(self) -> None:
        assert kept("Likes tea", "Likes green tea", "Likes green tea and milk") == [
            "Likes green tea and milk"
        ]

    def test_of_two_with_the_same_words_the_first_stays(self) -> None:
        assert kept("In Porto lives", "Lives in Porto.") == ["In Porto lives"]
        assert kept("Prefers tea to coffee", "Prefers coffee to tea") == ["Prefers tea to coffee"]

    def test_another_kind_does_not_count(self) -> None:
        facts = [ProposedFact("fact", "Has a dog", ""), ProposedFact("goal", "Has a brown dog", "")]
        assert without_repeats(facts) == facts

    def test_the_order_is_that_of_the_extraction(self) -> None:
        assert kept("Likes tea", "Has a cat", "Likes tea and milk") == ["Has a cat", "Likes tea and milk"]

    def test_a_denial_is_never_lost(self) -> None:
        assert kept("Is allergic to nuts", "Is not allergic to nuts") == ["Is not allergic to nuts"]
        assert kept("Doesn’t eat meat", "Does eat meat") == ["Doesn’t eat meat"]

    @pytest.mark.parametrize(
        "one, other",
        [
            ("Retire at 55", "Retire at 55.5"),
            ("Owes 1.200", "Owes 1.2"),
            ("Takes bus 12", "Takes bus 12b"),
            ("Code is 0042", "Code is 42"),
            ("Pays $5", "Pays €5"),
            ("Likes C", "Likes C++"),
            ("Is a smoker", "Is a non-smoker"),
            ("Loves 🐱", "Loves 🐶"),
            ("From 🇵🇹", "From 🇹🇵"),
            ("Lives with <PERSON_A>", "Lives with <PERSON_B>"),
            ("It was -5 degrees", "It was 5 degrees"),
            ("喜欢上海", "喜欢海上"),
            ("Has two dogs and two cats", "Has two dogs and three cats"),
        ],
    )
    def test_different_things_both_stay(self, one: str, other: str) -> None:
        assert kept(one, other) == [one, other]
        assert not same_words(one, other)

    @given(st.lists(st.lists(st.sampled_from("likes red tea not 5 and".split()), min_size=1).map(" ".join)))
    def test_what_stays_holds_everything_and_nothing_twice(self, texts: list[str]) -> None:
        left = kept(*texts)
        assert all(
            any(same_words(text, one) or holds_all_and_more(one, text) for one in left) for text in texts
        )
        assert not any(
            same_words(one, other) or holds_all_and_more(one, other)
            for place, one in enumerate(left)
            for other in left[:place] + left[place + 1 :]
        )
        assert kept(*left) == left


class TestWords:
    @pytest.mark.parametrize(
        "one, other",
        [
            ("Weighs 80 kg", "weighs 80 KG!"),
            ("Budget is 1,200", "budget is 1200"),
            ("Budget is 1 200", "Budget is 1200"),
            ("Retires at 55.50", "Retires at 55.5"),
            ("Has ３ cats", "Has ٣ cats"),
            ("Doesn't smoke", "Does not smoke"),
            ("Cannot swim", "Can’t swim"),
            ("Straße", "STRASSE"),
            ("Cafe\u0301", "café"),
            ("Salt & pepper", "salt and pepper"),
            ("Pays 20 %", "pays 20%"),
            ("ﾈｺがいる", "ネコがいる"),
            ("Re\u200bmember", "remember"),
        ],
    )
    def test_form_case_and_marks_make_no_new_word(self, one: str, other: str) -> None:
        assert same_words(one, other)

    def test_scripts_without_blanks_are_taken_letter_by_letter(self) -> None:
        assert words("犬を2匹") == ("犬", "を", "2", "匹")
        assert holds_all_and_more("犬を2匹飼っている", "犬を飼っている")
        assert not holds_all_and_more("喜欢海上音乐", "喜欢上海")

    def test_scripts_with_marks_on_their_letters_keep_their_words(self) -> None:
        assert words("हिन्दी बोलते हैं") == ("हिन्दी", "बोलते", "हैं")

    def test_figures_names_and_placeholders_are_whole(self) -> None:
        assert words("<PERSON_A> uses Node.js at 55.5, since 2027-05-14!") == (
            "<person_a>", "uses", "node.js", "at", "55.5", "since", "2027-05-14",
        )  # fmt: skip

    @given(st.text(), st.text())
    def test_having_the_same_words_is_mutual_and_excludes_having_more(self, one: str, other: str) -> None:
        assert same_words(one, one)
        assert same_words(one, other) == same_words(other, one)
        assert not (same_words(one, other) and holds_all_and_more(one, other))
