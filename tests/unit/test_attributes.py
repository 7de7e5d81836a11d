"""Whether two facts are about the same attribute of a person."""

from __future__ import annotations

import pytest

from evals.pairs import CHANGES
from noted.facts.attributes import Attribute, attributes, same_attribute
from noted.facts.decisions import is_exception, says_more


@pytest.mark.parametrize("stored, new", CHANGES)
def test_a_change_is_about_what_it_changes(stored: str, new: str) -> None:
    assert same_attribute(new, stored)
    assert not is_exception(new)


@pytest.mark.parametrize(
    "stored, new",
    [
        ("Works at Acme", "Administers the GitHub org"),
        ("Lives in London", "Has a sister in London"),
        ("Lives in London", "Works in London"),
        ("Has 2 kids", "Has 3 dogs"),
        ("Is 41 years old", "Weighs 80 kg"),
        ("Likes tea", "Likes trains"),
        ("Speaks French", "Speaks Dutch"),
        ("Is Catholic", "Has a cat"),
        ("Owes 55 euros", "Plans to retire at 55"),
        ("Is vegetarian", "Is married"),
    ],
)
def test_something_else_is_not(stored: str, new: str) -> None:
    assert not same_attribute(new, stored)


def test_a_name_of_an_attribute_is_a_whole_word() -> None:
    assert attributes("Is fishing for a kidney song") == frozenset()
    assert attributes("Lives with her dog") == {Attribute.RESIDENCE, Attribute.PET}


@pytest.mark.parametrize(
    "text",
    [
        "Had fish at a wedding",
        "Ate meat once",
        "Tried smoking",
        "Hat einmal Fisch gegessen",
        "Comió carne una vez",
        "Went to a steakhouse",
    ],
)
def test_what_happened_once_changes_nothing(text: str) -> None:
    assert is_exception(text)


@pytest.mark.parametrize(
    "text",
    [
        "Eats fish again",
        "Went vegan",
        "Sold the boat",
        "Goes running once a week",
        "Hat einmal pro Woche frei",
        "Ate meat again and does now",
        "Has a dog",
    ],
)
def test_a_new_state_does(text: str) -> None:
    assert not is_exception(text)


@pytest.mark.parametrize(
    "new, stored, news",
    [
        ("Is a resident of Porto", "Lives in Porto", False),
        ("Has a brown dog", "Has a brown dog named Rex", False),
        ("Has 3 kids", "Has 2 kids", True),
        ("Never eats meat", "Eats meat", True),
        ("Eats meat", "Never eats meat", True),
        ("Lives in Porto now", "Lives in Porto", True),
        ("Plays the cello in an orchestra", "Plays chess", True),
    ],
)
def test_news_is_told(new: str, stored: str, news: bool) -> None:
    assert says_more(new, stored) is news
