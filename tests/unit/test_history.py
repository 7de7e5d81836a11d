"""The replay of stored turns as messages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from noted.conversation.history import Message, replayed


def test_each_turn_becomes_a_question_and_its_answer() -> None:
    assert replayed([("Hi", "Hello"), ("Bye", "See you")]) == [
        Message("user", "Hi"),
        Message("assistant", "Hello"),
        Message("user", "Bye"),
        Message("assistant", "See you"),
    ]


def test_a_turn_without_an_answer_is_left_out() -> None:
    assert replayed([("Hi", None), ("Bye", "See you"), ("Wait", "")]) == [
        Message("user", "Bye"),
        Message("assistant", "See you"),
    ]
    assert replayed([("Hi", None)]) == []


def test_nothing_gives_nothing() -> None:
    assert replayed([]) == []


def test_text_is_replayed_as_it_is_stored() -> None:
    assert replayed([(" [earlier PERSON_A]\n", "[account.balance] ")])[0].text == " [earlier PERSON_A]\n"


@given(st.lists(st.tuples(st.text(max_size=3), st.none() | st.text(max_size=3))))
def test_history_starts_with_the_user_ends_with_the_assistant_and_alternates(
    turns: list[tuple[str, str | None]],
) -> None:
    roles = [message.role for message in replayed(turns)]
    assert roles == ["user", "assistant"] * (len(roles) // 2)
