"""Letters of one prompt: one value one letter, earlier parts unchanged by later ones, exact binding."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noted.privacy.entities import EntityType, entity_id
from noted.privacy.letters import Letters


def phone(number: int) -> str:
    return entity_id(EntityType.PHONE, number.to_bytes(16))


ANNA = entity_id(EntityType.PERSON, b"a" * 32)
BERT = entity_id(EntityType.PERSON, b"b" * 32)
pieces = st.sampled_from(
    [
        "call ",
        " or ",
        "<PHONE_A>",
        "<PHONE_B>",
        "<phone_a>",
        "<PERSON_A>",
        "<b>",
        "[sic]",
        ANNA,
        BERT,
        *map(phone, range(4)),
    ]
)
parts = st.lists(st.lists(pieces, max_size=6).map("".join), max_size=6)


def test_letters_go_by_first_appearance_over_all_parts_and_by_type() -> None:
    letters = Letters([f"{phone(1)} and {ANNA}", f"{ANNA} has {phone(2)}, not {phone(1)}"])
    assert letters.texts == ("<PHONE_A> and <PERSON_A>", "<PERSON_A> has <PHONE_B>, not <PHONE_A>")
    assert letters.ids == {"<PHONE_A>": phone(1), "<PERSON_A>": ANNA, "<PHONE_B>": phone(2)}


def test_after_z_come_aa_and_ab() -> None:
    letters = Letters(map(phone, range(54)))
    assert [letters.texts[place] for place in (0, 25, 26, 27, 52)] == [
        "<PHONE_A>",
        "<PHONE_Z>",
        "<PHONE_AA>",
        "<PHONE_AB>",
        "<PHONE_BA>",
    ]


def test_after_zz_a_token_still_binds() -> None:
    letters = Letters(map(phone, range(703)))
    assert letters.texts[-1] == "<PHONE_AAA>"
    assert letters.restored("Call <PHONE_AAA>") == f"Call {phone(702)}"


@given(parts)
def test_a_longer_prompt_begins_with_the_bytes_of_the_shorter(whole: list[str]) -> None:
    rendered = [Letters(whole[:length]).texts for length in range(len(whole) + 1)]
    for shorter, longer in pairwise(rendered):
        assert longer[: len(shorter)] == shorter


@given(parts)
def test_every_id_gets_a_token_and_comes_back(whole: list[str]) -> None:
    letters = Letters(whole)
    joined = "\n".join(letters.texts)
    assert "⟦" not in joined
    # What was typed as a token of ours stands in other brackets from then on.
    assert letters.restored(joined).translate({0x2039: "<", 0x203A: ">"}) == "\n".join(whole)


@given(parts)
def test_a_typed_token_never_binds(whole: list[str]) -> None:
    letters = Letters(whole)
    for typed, rendered in zip(whole, letters.texts, strict=True):
        for token in ("<PHONE_A>", "<PHONE_B>", "<PERSON_A>"):
            # Each token of ours in a rendered part stands where an id stood in the stored one.
            bound = typed.count(letters.ids[token]) if token in letters.ids else typed.count(token)
            assert rendered.count(token) == bound


def test_a_letter_that_stands_literally_is_passed_over() -> None:
    letters = Letters([f"Is <PHONE_A> the same as {phone(1)}?"])
    assert letters.texts == ("Is <PHONE_A> the same as <PHONE_B>?",)
    assert letters.restored("<PHONE_A> is <PHONE_B>") == f"<PHONE_A> is {phone(1)}"


@pytest.mark.parametrize("typed", ["<PHONE\\_A>", "\\<PHONE\\_A\\>"])
def test_an_escaped_one_that_was_typed_binds_to_nothing(typed: str) -> None:
    before = Letters([f"Is {typed} the same as {phone(1)}?"])
    assert before.texts == (f"Is {typed} the same as <PHONE_B>?",)
    assert before.restored(f"{typed} <PHONE_A>") == f"{typed} <PHONE_A>"
    behind = Letters([f"Call {phone(1)}", f"Who is {typed}?"])
    assert behind.texts == ("Call <PHONE_A>", "Who is ‹PHONE_A›?")


def test_one_typed_after_its_letter_was_given_is_written_so_that_it_cannot_bind() -> None:
    letters = Letters([f"Call {phone(1)}", "Who is <PHONE_A>?"])
    assert letters.texts == ("Call <PHONE_A>", "Who is ‹PHONE_A›?")
    assert letters.restored("‹PHONE_A› is not <PHONE_A>") == f"‹PHONE_A› is not {phone(1)}"


@pytest.mark.parametrize(
    "written, becomes",
    [
        ("<PERSON_B> and <PERSON_A>", f"{BERT} and {ANNA}"),
        ("<PERSON_A><PERSON_A>", f"{ANNA}{ANNA}"),
        ("<PERSON_A>s dog, <PERSON_A>'s cat", f"{ANNA}s dog, {ANNA}'s cat"),
        ("**<PERSON_A>**, (<PERSON_B>)", f"**{ANNA}**, ({BERT})"),
        ("<PERSON_Z>", "that person"),
        ("<PERSON_AA>", "that person"),
        ("<PERSON_1>", "that person"),
        ("<PHONE_A>", "that phone number"),
        ("<CITY_A>", "that place"),
        ("<person_a>", "that person"),
        ("<PERSON_A >", "that person"),
        ("< PERSON_A>", "that person"),
        ("<PERSON _A>", "that person"),
        ("ask PERSON_A today", "ask that person today"),
        # Markdown's escapes change no letter; whatever else is bent is nobody.
        ("<PERSON\\_A>, \\<PERSON\\_B\\>", f"{ANNA}, {BERT}"),
        ("C:\\\\users\\<PERSON_A>\\x", f"C:\\\\users\\{ANNA}\\x"),
        ("<PERSON\\_Z> PERSON\\_A", "that person that person"),
        ("<PERSON-A> <Person A> <Birth Date A>", "that person that person that date of birth"),
        ("%3CPERSON_A%3E &lt;PERSON_A&gt;", "that person that person"),
        ("[PERSON_A] [PERSON\\_A](tel:PHONE_A)", "[that person] [that person](tel:that phone number)"),
        ("<person a> <address-a> <Person 1>: hi", "<person a> <address-a> <Person 1>: hi"),
        ("[earlier PERSON_A_kqzx] [earlier PERSON\\_A]", "[earlier PERSON_A_kqzx] [earlier PERSON\\_A]"),
        ("<b>bold</b> <PERSON> <ACCOUNT_ID> <SECRET_KEY>", "<b>bold</b> <PERSON> <ACCOUNT_ID> <SECRET_KEY>"),
        ("[earlier PERSON_A] [sic]", "[earlier PERSON_A] [sic]"),
        ("SECRET_ID=4 a<b 3 < 4", "SECRET_ID=4 a<b 3 < 4"),
        ("<PERſON_A>", "<PERſON_A>"),
    ],
)
def test_only_an_exact_token_binds(written: str, becomes: str) -> None:
    assert Letters([ANNA, BERT]).restored(written) == becomes


def test_json_is_read_with_its_escapes() -> None:
    letters = Letters([ANNA])
    facts = {"facts": [{"text": "Sister is <PERSON_A>", "quote": 'my "sister" <PERSON_A>'}]}
    escaped = json.dumps(facts).replace("<", "\\u003c").replace(">", "\\u003E")
    for raw in (json.dumps(facts), escaped):
        read = json.loads(letters.restored(raw))
        assert read == {"facts": [{"text": f"Sister is {ANNA}", "quote": f'my "sister" {ANNA}'}]}


def test_own_tokens_are_those_given_and_those_that_were_typed() -> None:
    letters = Letters([f"{ANNA} knows <PERSON_C> and <COMPANY_A>"])
    assert letters.tokens == {"<PERSON_A>", "<PERSON_C>", "<COMPANY_A>"}


@given(st.permutations(range(6)))
def test_two_values_never_swap(order: list[int]) -> None:
    letters = Letters(map(phone, range(6)))
    said = " ".join(letters.texts[number] for number in order)
    assert re.findall("⟦.*?⟧", letters.restored(said)) == [phone(number) for number in order]
