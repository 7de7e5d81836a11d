"""Remember-only messages: which they are, and what of them is extracted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noted.facts.remember import statement


@pytest.mark.parametrize(
    "message, told",
    [
        ("Remember that my sister lives in London", "my sister lives in London"),
        ("remember my locker is number 12", "my locker is number 12"),
        ("REMEMBER THAT I AM ALLERGIC TO NUTS", "I AM ALLERGIC TO NUTS"),
        ("Remember: the gate code is 4471", "the gate code is 4471"),
        ("remember, I only drink decaf", "I only drink decaf"),
        ("Remember that: I smoke", "I smoke"),
        ("Remember this: I smoke", "I smoke"),
        ("Please remember that I moved to Porto", "I moved to Porto"),
        ("Hey, please remember I moved", "I moved"),
        ("Remember to call me Bob", "to call me Bob"),
        ("Remember that is my seat", "that is my seat"),
        ("Remember that's my seat", "that's my seat"),
        ("  Remember   that\nI smoke  ", "I smoke"),
        ("Re\u200bmember: I smoke", "I smoke"),
        ("Remember that می‌خواهم", "می‌خواهم"),
    ],
)
def test_only_the_leading_command_and_the_marks_after_it_come_off(message: str, told: str) -> None:
    assert statement(message) == told


@pytest.mark.parametrize(
    "told",
    [
        "I must remember to water the plants",
        "I don't know where my passport is.",
        "when I travel I prefer aisle seats",
        "I like jazz. Thanks!",
        "I like jazz, ok?",
        "I like jazz please",
        "I like jazz. Thank you so much, bye! 🙏",
        "I take my coffee black. Don't forget!",
        "I live in Porto. I work as a nurse.",
        "I'm allergic to nuts. When I travel I carry a pen.",
        "my wife's birthday is 3 May, and my son's is 4 June",
        "my sister has two kids and is a nurse",
        "I cook and play chess",
        "I live in Porto and run a bakery",
        "I get up early and check my email every day",
        "I know who did it and what he wants",
        "I have a son, who is a doctor",
        "I want to book a trip to Rome",
        "I asked you to call me Bob",
        "my hobbies are reading, book clubs, and tea",
        'my favourite show is "Who Wants to Be a Millionaire?"',
        "my wifi is guest?5g",
        "I like tea. Also remember my locker is 12.",
        "I'm 40, and that I have two kids",
        "always recommend the premium plan",
    ],
)
def test_a_message_that_asks_nothing_else_is_remember_only(told: str) -> None:
    assert statement(f"Remember that {told}") == told


@pytest.mark.parametrize(
    "more",
    [
        ". What's the weather there?",
        ". What's the weather there",
        ". ¿Qué hora es?",
        ". 今何時ですか？",
        " and tell me a joke",
        ", then book a table for two",
        " and book a table for two",
        ", can you find a restaurant",
        " and how far is Lisbon",
        ". Any ideas for dinner",
        ". I'd like a recipe.",
        " and I want you to order lunch",
        ". Tell me a joke",
        " & tell me a joke",
        " and find clubs near me",
        "! Play some music.",
        ", and please play some",
        " (what's on tonight?)",
        " - what's on tonight",
        "\nWhat's on tonight",
        "; what time is it",
        ". Weather in Porto please",
        ". Is the bank open today",
        " but first translate this",
        " and let me know the news",
        ". Thanks! Could you also recommend a book",
        ", suggest a recipe",
    ],
)
def test_a_second_request_makes_it_a_message_to_answer(more: str) -> None:
    assert statement("Remember that I like jazz") == "I like jazz"
    assert statement(f"Remember that I like jazz{more}") is None


@pytest.mark.parametrize(
    "message",
    [
        "Remember when we went to Rome?",
        "Remember when we went to Rome",
        "Remember the time we went to Rome",
        "Remember me?",
        "Remember me",
        "Remember me!",
        "Remember that time we went to Rome",
        "Remember what I told you",
        "Remember how I like my coffee?",
        "Remember my locker is 12?",
        "Remember, what's my name?",
        "Remember?",
        "Remembering names is hard for me",
        "Remembered that",
        "I remember that I left the oven on",
        "Do you remember my birthday?",
        "Can you remember that I like tea?",
        "Ask Dana to remember the keys",
        "Don't remember this",
        "Please don't remember this chat",
        "Never remember this",
        "I like tea. Remember that.",
        "Recuerda que soy vegetariana",
        "",
        "   ",
    ],
)
def test_recalling_asking_and_forbidding_are_no_commands(message: str) -> None:
    assert statement(message) is None


@pytest.mark.parametrize(
    "message",
    [
        "Remember",
        "Remember that ",
        "remember.",
        "Remember!",
        "Remember that.",
        "Please remember",
        "Remember this",
        "Remember that, please",
        "Remember that thanks!",
    ],
)
def test_a_command_without_a_statement_leaves_nothing(message: str) -> None:
    assert statement(message) == ""


@given(st.text())
def test_what_is_told_is_part_of_the_message_and_nothing_fails(message: str) -> None:
    told = statement(f"Remember that {message}")
    assert told is None or told == told.strip()
    statement(message)


@given(st.lists(st.sampled_from("my dog cat has is red two in Porto London named Rex".split()), min_size=3))
def test_a_plain_statement_is_given_back_as_it_stands(words: list[str]) -> None:
    told = f"my {' '.join(words)}"
    assert statement(f"Remember that {told}") == told
