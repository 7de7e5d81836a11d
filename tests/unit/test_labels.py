"""Labels of figures: what can be one, which of a text were filled, and what a later prompt says of them."""

from __future__ import annotations

import pytest

from noted.conversation.figures import (
    NAME_CHARACTERS,
    NAMESPACE_CHARACTERS,
    is_name,
    is_namespace,
    labels_in,
    replay_note,
)

FIGURES = {"account.balance": "1,523.40", "rate.eur_usd": "1.0705"}


@pytest.mark.parametrize("text", ["a", "account", "eur_usd", "day2"])
def test_names_and_namespaces_are_lower_case_words(text: str) -> None:
    assert is_name(text)
    assert is_namespace(text)


@pytest.mark.parametrize("text", ["", "A", "2day", "_a", "a.b", "a-b", "a b", "é", "a\n", "a]"])
def test_nothing_else_can_stand_in_a_label(text: str) -> None:
    assert not is_name(text)
    assert not is_namespace(text)


def test_both_are_bounded() -> None:
    assert is_name("n" * NAME_CHARACTERS)
    assert not is_name("n" * (NAME_CHARACTERS + 1))
    assert is_namespace("n" * NAMESPACE_CHARACTERS)
    assert not is_namespace("n" * (NAMESPACE_CHARACTERS + 1))


def test_the_filled_labels_of_a_text_are_told_once_each_in_order() -> None:
    text = (
        "[Rate.EUR\\_USD], \\[account.balance\\], [rate.eur_usd], [card.limit], [sic], [Account.Balance], [1]"
    )
    assert labels_in(text, FIGURES) == ("rate.eur_usd", "account.balance")


def test_the_note_names_what_was_filled_and_nothing_else() -> None:
    labels = ("account.balance", "rate.eur_usd", "rate.day")
    note = replay_note(labels)
    assert "[account.balance], [rate.eur_usd] and [rate.day]" in note
    assert "Code filled in" in note
    assert "the customer saw the values" in note
    assert "they are needed" in note
    assert labels_in(note, labels) == labels
    assert "it is needed" in replay_note(["account.balance"])


def test_without_a_filled_label_there_is_no_note() -> None:
    assert replay_note(()) == ""
