"""Statements that are questions although no mark ends them, and facts that only look like some."""

from __future__ import annotations

import pytest

from noted.text.questions import reads_as_question


@pytest.mark.parametrize(
    "text",
    [
        "Do you really think that new vehicles are a problem.",
        "Have you ever had that done",
        "Can I bring my dog",
        "Isn't he the one",
        "Won't they mind",
        "Um, do you go to a class",
        "Well, what do you think about it",
        "but doesn't that just mean so",
        "but why can't they check",
        "you know, why didn't they",
        "and what's the other one called",
        "But how about the trucks",
        "If you write a bad check, you go to jail, right.",
        "Looks small, huh",
        "I don't know if you have a dish or not",
    ],
)
def test_a_question_needs_no_mark(text: str) -> None:
    assert reads_as_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "Is a fan of jazz",
        "Can swim",
        "Will marry in May",
        "Does IT support",
        "Has IT skills",
        "Is there on Sundays",
        "Has the keys",
        "So far has two kids",
        "And when I was young I sailed",
        "Well known in Porto",
        "Is left-handed and drives on the right",
        "Does it for a living",
        "Is thereby exempt",
        "Has younger sisters",
        "Or rather likes tea",
    ],
)
def test_a_fact_is_none(text: str) -> None:
    assert not reads_as_question(text)
