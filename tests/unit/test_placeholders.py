"""Placeholders of a client that masks its own texts: older ones are renamed, the stored text is not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noted.conversation.placeholders import renamed, renamed_fact
from noted.text.figures import figures

Cases = dict[str, dict[str, Any]]


def test_case_placeholders_01(cases: Cases) -> None:
    case = cases["open-placeholders-01"]
    stored = [turn["text"] for turn in case["given"]["stored_turns"]]
    replayed = [renamed(text) for text in stored]
    assert replayed == case["then"]["replayed"]
    assert [renamed(text) for text in replayed] == replayed


def test_case_placeholders_02(cases: Cases) -> None:
    given_ = cases["open-placeholders-02"]["given"]
    told = [renamed_fact(fact["text"], f"tn_{fact['source_turn']}") for fact in given_["facts"]]
    assert not any("<PERSON_A>" in text for text in told)
    first, second = (text.rpartition(" is ")[2] for text in told)
    assert first != second
    assert all(name.startswith("[earlier PERSON_A") for name in (first, second))


def test_facts_of_one_turn_speak_of_one_person() -> None:
    first = renamed_fact("Sister is <PERSON_A>", "tn_1")
    second = renamed_fact("<PERSON_A> lives in <CITY_A>", "tn_1")
    assert first.removeprefix("Sister is ") == second.partition(" lives")[0]


@pytest.mark.parametrize(
    "text", ["<b>bold</b>", "a <PERSON> b", "<USER_ID>", "<my_tag>", "1 < 2_A>", "<person_a>"]
)
def test_markup_and_blanks_to_fill_in_are_no_placeholders(text: str) -> None:
    assert renamed(text) == renamed_fact(text, "tn_1") == text


@pytest.mark.parametrize(
    "name", ["PERSON_A", "IBAN_A", "BIRTH_DATE_B", "COMPANY_A", "PERSON_1", "PERSON_12", "PERSON_AA"]
)
def test_letters_and_numbers_are(name: str) -> None:
    assert renamed(f"x <{name}>s") == f"x [earlier {name}]s"


def test_a_renamed_placeholder_is_no_number() -> None:
    assert all(figure.is_token for figure in figures(renamed_fact("Owes <PERSON_A>", "tn_12")))


@given(
    st.lists(st.sampled_from(["<PERSON_A>", "[earlier PERSON_A]", "<", ">", "<b>", "PERSON_A", " "])).map(
        "".join
    )
)
def test_renaming_again_changes_nothing(text: str) -> None:
    assert renamed(renamed(text)) == renamed(text)
    once = renamed_fact(text, "tn_1")
    assert renamed_fact(once, "tn_2") == renamed(once) == once
