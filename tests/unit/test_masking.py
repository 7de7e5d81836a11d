"""Masking: values leave the text, ids stand for them, and the text comes back as it was typed."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noted.errors import ModelUnavailable
from noted.privacy.detection import Span
from noted.privacy.entities import ENTITY, EntityType, in_words, occurring
from noted.privacy.masking import Detector, Masker, unmasked
from noted.privacy.sealing import Sealer
from noted.recall.lexical import tokens

PHONE = "+44 20 7946 0958"
SAME_PHONE = "+442079460958"
OTHER_PHONE = "+33 1 42 68 53 00"
IBAN = "DE89 3704 0044 0532 0130 00"
VALUES = (
    PHONE,
    SAME_PHONE,
    OTHER_PHONE,
    IBAN,
    "anna@firma.de",
    "4111 1111 1111 1111",
    "192.168.10.42",
    "536-90-4399",
)

MASKER = Masker(Sealer(b"k" * 32).blind)
# What masking itself writes, and what only looks like it.
LOOK_ALIKES = (
    "⟦phone:kqzxmhwbtrnvdlcs⟧",
    MASKER.mask(PHONE).text,
    MASKER.mask(PHONE).text.upper(),
    "⟦ phone : kqzxmhwbtrnvdlcs ⟧",
    "⟦phone:",
    "kqzxmhwbtrnvdlcs⟧",
    "⟦⟦phone:kqzxmhwbtrnvdlcs⟧⟧",
    "⟦text:aaaaaaaaaaaaaaaa⟧",
    "<PHONE_A>",
)
any_text = st.text(alphabet=st.characters(codec="utf-8"), max_size=40)
mixed = st.lists(st.sampled_from((*VALUES, *LOOK_ALIKES, " call ", "\n")) | any_text, max_size=8)


def ids(text: str) -> list[str]:
    return [match.group() for match in ENTITY.finditer(text)]


@given(mixed.map("".join))
def test_unmasking_gives_the_text_back_byte_for_byte(text: str) -> None:
    masked = MASKER.mask(text)
    assert unmasked(masked.text, masked.entities) == text


@given(mixed.map(" ".join))
def test_no_value_is_left_in_the_text(text: str) -> None:
    masked = MASKER.mask(text)
    # An id of a later value may hold the letters of a short one, so what is left is what is not an id.
    left = ENTITY.sub("\0", masked.text)
    for value in masked.entities.values():
        assert not re.search(rf"(?<![^\W_]){re.escape(value)}(?![^\W_])", left)


@given(mixed.map(" ".join))
def test_masking_what_is_masked_changes_nothing(text: str) -> None:
    masked = MASKER.mask(text)
    assert MASKER.mask(masked.text, masked.entities) == masked


@given(mixed.map("".join))
def test_entities_are_the_ids_of_the_text(text: str) -> None:
    masked = MASKER.mask(text)
    assert set(masked.entities) == set(ids(masked.text))


def test_one_value_in_three_turns_has_one_id() -> None:
    turns = (f"Call {PHONE}", f"{SAME_PHONE} is my office", "Is it still 0044 20 7946 0958?")
    found = [ids(MASKER.mask(turn).text) for turn in turns]
    assert len({identity for [identity] in found}) == 1
    assert MASKER.mask(turns[1]).entities == {found[0][0]: SAME_PHONE}


def test_two_values_have_two_ids_and_two_users_share_none() -> None:
    first, second = ids(MASKER.mask(f"{PHONE} or {OTHER_PHONE}").text)
    [theirs] = ids(Masker(Sealer(b"o" * 32).blind).mask(PHONE).text)
    assert len({first, second, theirs}) == 3


def test_one_value_written_twice_in_one_text_comes_back_as_written() -> None:
    text = f"{PHONE}, that is {SAME_PHONE}, again {PHONE}"
    masked = MASKER.mask(text)
    first, second, third = ids(masked.text)
    assert first == third != second
    assert unmasked(masked.text, masked.entities) == text


def test_an_id_is_the_type_and_sixteen_letters() -> None:
    assert re.fullmatch(r"Call ⟦phone:[a-z]{16}⟧", MASKER.mask(f"Call {PHONE}").text)


def test_a_value_is_masked_wherever_it_stands_as_a_word() -> None:
    masked = MASKER.mask("my password is ab12cd. Not ab12cde or xab12cd, but ab12cd!")
    assert re.sub(ENTITY, "#", masked.text) == "my password is #. Not ab12cde or xab12cd, but #!"


@pytest.mark.parametrize("typed", LOOK_ALIKES[:4])
def test_text_that_looks_like_an_id_stands_for_itself_only(typed: str) -> None:
    own = MASKER.mask(PHONE)
    masked = MASKER.mask(f"who is {typed}?")
    [identity] = ids(masked.text)
    assert identity.startswith("⟦text:")
    assert unmasked(masked.text, {**own.entities, **masked.entities}) == f"who is {typed}?"


def test_ids_that_are_there_by_right_stay_and_new_values_go() -> None:
    known = MASKER.mask(f"Call {PHONE}")
    answer = MASKER.mask(f"{known.text}, or write to anna@firma.de", known.entities)
    assert answer.text.startswith(known.text)
    assert "anna@firma.de" not in answer.text
    assert sorted(answer.entities.values()) == sorted([PHONE, "anna@firma.de"])


def test_an_id_that_stands_for_nothing_becomes_a_word() -> None:
    assert unmasked("Call ⟦phone:kqzxmhwbtrnvdlcs⟧ now", {}) == "Call that phone number now"


def test_values_are_put_back_in_one_pass() -> None:
    """A value that looks like another's id is not read again."""
    first, second = "⟦text:aaaaaaaaaaaaaaaa⟧", "⟦phone:bbbbbbbbbbbbbbbb⟧"
    assert unmasked(f"{first} {second}", {first: second, second: PHONE}) == f"{second} {PHONE}"


def test_occurring_gives_the_entities_of_some_texts() -> None:
    masked = MASKER.mask(f"{PHONE} or {OTHER_PHONE}")
    first, second = ids(masked.text)
    assert occurring(masked.entities, f"Reached at {second}") == {second: OTHER_PHONE}
    assert occurring(masked.entities, "nobody", first, second) == dict(masked.entities)


class TestInWords:
    def test_an_id_reads_as_what_it_is(self) -> None:
        text = MASKER.mask(f"Call {PHONE} or write to anna@firma.de").text
        assert in_words(text) == "Call phone number or write to e-mail address"

    def test_with_its_letters_the_same_value_is_found_by_words_and_no_other(self) -> None:
        def words(text: str) -> set[str]:
            return set(tokens(in_words(MASKER.mask(text).text, with_letters=True)))

        stored, other = words(f"Mother is reached at {PHONE}"), words(f"Office is {OTHER_PHONE}")
        asked = words(f"whose is {SAME_PHONE}?")
        assert len(asked & stored) == len(asked & other) + 1


class Named:
    """Finds one name, and tells what text it was shown."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.shown: list[str] = []

    def names(self, text: str) -> list[Span]:
        self.shown.append(text)
        start = text.find(self._name)
        end = start + len(self._name)
        return [Span(start, end, EntityType.PERSON, self._name.casefold())] if start >= 0 else []


class Down:
    def names(self, text: str) -> list[Span]:
        raise ModelUnavailable("timeout")


class TestNames:
    def test_are_masked_with_the_rest(self) -> None:
        masked = Masker(Sealer(b"k" * 32).blind, Detector(Named("Ines"))).mask(
            f"Ines has {PHONE}, Ines's own"
        )
        assert re.sub(r":[a-z]{16}", "", masked.text) == "⟦person⟧ has ⟦phone⟧, ⟦person⟧'s own"
        assert sorted(masked.entities.values()) == [PHONE, "Ines"]

    def test_what_looks_for_them_sees_no_value_that_rules_found(self) -> None:
        named = Named("Ines")
        text = f"Ines pays from {IBAN}"
        Masker(Sealer(b"k" * 32).blind, Detector(named)).mask(text)
        assert named.shown == ["Ines pays from " + " " * len(IBAN)]

    def test_without_them_the_rules_still_hold(self) -> None:
        masked = Masker(Sealer(b"k" * 32).blind, Detector(Down())).mask(f"Ines has {PHONE}")
        assert not masked.complete
        assert re.fullmatch(r"Ines has ⟦phone:[a-z]{16}⟧", masked.text)
