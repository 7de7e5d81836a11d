"""Figures: what is read as a number, a date or a code, and when two texts state the same."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noted.text.dates import Date
from noted.text.figures import claims, figures
from noted.text.folding import fold, plain
from noted.text.numerals import value_of


@pytest.mark.parametrize(
    "text, value",
    [
        ("1200", 1200),
        ("1,200", 1200),
        ("1 200", 1200),
        ("1\u202f200", 1200),
        ("1'200", 1200),
        ("1,00,000", 100_000),
        ("1,200.50", Fraction("1200.5")),
        ("1.200,50", Fraction("1200.5")),
        ("1,2", Fraction("1.2")),
        ("0.125", Fraction(1, 8)),
        ("٣", 3),
        ("२०२७", 2027),
        ("１，２００", 1200),
        ("١٫٥", Fraction("1.5")),
        ("½", Fraction(1, 2)),
        ("1½ cups", Fraction(3, 2)),
        ("1/2", Fraction(1, 2)),
        ("-5 degrees", -5),
        ("80kg", 80),
        ("€5", 5),
        ("EUR1200", 1200),
        ("20%", 20),
        ("1.2k", 1200),
        ("5 million", 5_000_000),
        ("3万", 30_000),
        ("9:00", 9),
        ("3rd", 3),
        ("two kids", 2),
        ("twenty-five", 25),
        ("two hundred and five", 205),
        ("twelve hundred", 1200),
        ("nineteen ninety", 1990),
        ("twenty twenty-seven", 2027),
        ("third", 3),
        ("a dozen eggs", 12),
        ("one kid", 1),
        ("三个孩子", 3),
        ("三十二岁", 32),
        ("二〇二七年", 2027),
        ("tres hijos", 3),
        ("fünf Katzen", 5),
        ("trois chats", 3),
    ],
)
def test_a_number_is_read_by_its_value(text: str, value: Fraction | int) -> None:
    [figure] = figures(text)
    assert frozenset({Fraction(value)}) in figure.readings


@pytest.mark.parametrize(
    "text",
    ["no one", "The red one.", "One thing:", "every one", "half a dozen", "十分好", "万一", "May I?", "some"],
)
def test_words_that_only_look_like_numbers_are_none(text: str) -> None:
    assert figures(text) == []


@pytest.mark.parametrize(
    "text", ["BA2490", "0042", "the 90s", "3.11.4", "flat 12b", "<IBAN_1>", "[account.balance]", "1" * 5000]
)
def test_a_code_is_no_value(text: str) -> None:
    [figure] = figures(text)
    assert all(isinstance(claim, str) for claim in figure.claims)


def test_the_nineties_are_the_90s_and_not_90() -> None:
    assert claims(["the nineties"]) == claims(["the 90s"]) == {"90s"}


@pytest.mark.parametrize(
    "text",
    [
        "14 May 2027",
        "14th of May 2027",
        "May 14, 2027",
        "may 14th 2027",
        "2027-05-14",
        "14.05.2027",
        "5/14/2027",
        "14 de mayo de 2027",
        "14. Mai 2027",
        "2027年5月14日",
        "在2027-05-14搬家",
    ],
)
def test_a_date_is_the_same_however_it_is_written(text: str) -> None:
    [figure] = figures(text)
    assert Date(2027, 5, 14) in figure.claims


@pytest.mark.parametrize(
    "stated, known, expected",
    [
        ("May 2027", "14 May 2027", True),
        ("14 May", "14 May 2027", True),
        ("2027", "14 May 2027", True),
        ("14 May 2027", "14 May", False),
        ("14 June 2027", "14 May 2027", False),
        ("1.200", "1200", True),
        ("1.200", "1.2", True),
        ("1.2", "1,200", False),
        ("120", "1,200", False),
        ("10:30", "at 10:30", True),
        ("10:45", "at 10:30", False),
        ("24/7", "7 days, 24 hours", True),
    ],
)
def test_a_text_states_what_it_holds_wholly(stated: str, known: str, expected: bool) -> None:
    assert all(figure.is_stated(claims([known])) for figure in figures(stated)) is expected


def test_value_of_knows_which_digits_have_one_value() -> None:
    assert value_of("1,200") == 1200
    assert value_of("1.200") is None
    assert value_of("0042") is None


@given(st.text())
def test_reading_never_fails_and_places_lie_in_the_plain_text(text: str) -> None:
    read, visible = figures(text), plain(text)
    assert all(0 <= figure.start < figure.end <= len(visible) for figure in read)
    assert all(before.end <= after.start for before, after in itertools.pairwise(read))


@given(st.decimals(0, 10**12, allow_nan=False, places=2))
def test_every_amount_is_read_back_in_english_and_german_grouping(amount: object) -> None:
    english = f"{amount:,}"
    german = english.translate(str.maketrans(",.", ".,"))
    value = Fraction(str(amount))
    assert frozenset({value}) in figures(english)[0].readings
    assert frozenset({value}) in figures(german)[0].readings


@given(st.text())
def test_folding_is_stable_and_a_folded_text_is_plain(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert plain(fold(text)) == fold(text)
