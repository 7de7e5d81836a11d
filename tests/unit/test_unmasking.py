"""A model's text on its way to the user: whole tokens only, wherever the stream is cut."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noted.conversation.figures import labels_in
from noted.privacy.entities import EntityType, entity_id
from noted.privacy.letters import Letters
from noted.privacy.unmasking import NO_FIGURE, StreamRestorer, restored

ANNA = entity_id(EntityType.PERSON, b"a" * 32)
BERT = entity_id(EntityType.PERSON, b"b" * 32)
PHONE = entity_id(EntityType.PHONE, b"c" * 32)
VALUES = {ANNA: "Anna <PERSON_B>", BERT: "Bert [account.balance]", PHONE: "+44 20 7946 0958"}
FIGURES = {"account.balance": "12.00", "account.due_date": "3 May"}
KNOWN = ("account.balance", "account.limit", "total")


TYPED = ("What does rows[a.b] or [typed.here] mean?",)


def restorer(literal: str = "") -> StreamRestorer:
    return StreamRestorer(Letters([f"{literal}{ANNA}{BERT}{PHONE}"]), VALUES, FIGURES, KNOWN, TYPED)


def streamed(chunks: list[str], literal: str = "") -> tuple[str, str]:
    stream = restorer(literal)
    shown = "".join([*map(stream.feed, chunks), stream.finish()])
    return shown, stream.stored


def whole(text: str, literal: str = "") -> tuple[str, str]:
    return streamed([text], literal)


def test_case_streaming_01(cases: dict[str, dict[str, Any]]) -> None:
    given_, then = cases["open-streaming-01"]["given"], cases["open-streaming-01"]["then"]
    [(token, value)] = given_["map"].items()
    letters = Letters([ANNA])
    assert letters.texts == (token,)
    stream = StreamRestorer(letters, {ANNA: value}, given_["fields"])
    longest = max(map(len, [token, *(f"[{name}]" for name in given_["fields"])]))
    shown = []
    for chunk in given_["chunks"]:
        shown.append(stream.feed(chunk))
        assert stream.held <= longest
    shown.append(stream.finish())
    assert "".join(shown) == then["joined"]
    assert not any(piece in chunk for piece in then["no_chunk_contains"] for chunk in shown)
    assert stream.held == 0


TEXT = (
    "Hi <PERSON_A>, <PERSON_B>s dog. [account.balance] EUR of [account.limit] [account.foo] [total]; [sic] "
    "<PERSON_Z> <person_a> < PERSON_A > PERSON_A PHONE_Z <b>x</b> 3 < 4 [a][1](x) \\u003cPHONE_A\\u003e ⟦ [ <"
    "<PHONE\\_A> \\<PERSON\\_A\\> \\\\[account.due\\_date\\] [Account.Balance] %3CPHONE_A%3E &lt;IP_A&gt;"
    " <Phone A> [PHONE_A] [earlier PERSON_A] [savings.final] [a.b](c) [a.b]: x[a.b] `[a.b]` [typed.here]\n"
    "```\n[a.b]\n```\n[a.b] \\[a.b\\]"
)


def test_a_token_may_be_cut_at_every_place() -> None:
    for place in range(len(TEXT) + 1):
        assert streamed([TEXT[:place], TEXT[place:]]) == whole(TEXT)
    assert streamed(list(TEXT)) == whole(TEXT)


fragments = st.sampled_from(
    [
        *(
            "<PERSON_A>",
            "<PERSON_",
            "PERSON_A",
            "PERSON_AB",
            "<",
            ">",
            "[",
            "]",
            "[account.",
            "account.balance",
            "\\u003c",
        ),
        *(
            "\\u003e",
            "<PHONE_A>",
            "<ip_a>",
            " ",
            "  ",
            "_A",
            "A",
            "B",
            "[total]",
            "[ total ]",
            "[account.x]",
            "[TOTAL]",
        ),
        *(
            "<BIRTH_DATE_A>",
            "BIRTH_DATE",
            "‹PERSON_A›",
            "\\",
            "\\_",
            "\\]",
            "PERSON\\_A",
            "<PERSON\\_A\\>",
            "%3C",
            "%3E",
            "&lt;",
            "&gt;",
            "Phone A",
            "-",
            "[account.due\\_date\\]",
            "[Account.Balance]",
            "[savings.",
            "final",
            "[savings.final]",
            "[typed.here]",
            "[config.json]",
            "(",
            ":",
            "`",
            "```\n",
            "\n```",
            "[earlier ",
            "ſ",
            "é",
            "\n",
            "[earlier PERSON_A]",
            "1",
            "<PERSON_1>",
        ),
    ]
)
said = st.lists(fragments | st.text(max_size=3), max_size=14).map("".join)


@given(
    said, st.lists(st.integers(0, 60), max_size=8), st.sampled_from(["", "<PERSON_A> ", "PERSON_A <ip_a> "])
)
def test_however_it_is_cut_the_stream_says_the_same(text: str, cuts: list[int], literal: str) -> None:
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    chunks = [text[start:end] for start, end in pairwise(places)]
    assert streamed(chunks, literal) == whole(text, literal)
    assert streamed(list(text), literal) == whole(text, literal)


@given(said)
def test_nothing_is_held_longer_than_a_token_can_be(text: str) -> None:
    stream = restorer()
    for character in text:
        stream.feed(character)
        assert stream.held <= 2 * len(f"[{'n' * 32}.{'n' * 48}]")  # each character escaped
    stream.finish()
    assert stream.held == 0


@pytest.mark.parametrize(
    "text",
    [
        *("3 < 4.", "a < b .", "x <b.", "[sic ", "[1].", "see [the ", "I.", "Per.", "a\\b.", "<3 .", "5 %."),
        *(
            "rows[a.",
            "`[a.",
            "[a](b)[a.",
            "[A.b",
            "[a.b.",
            "[a.b](",
            "[a.b]: ",
            "a & b",
            "\\n",
            "[typed.here]",
        ),
        *("[config.json]", "[earlier PERSON_A]", "[1."),
    ],
)
def test_what_can_become_no_token_is_not_held(text: str) -> None:
    assert restorer().feed(text) == text


def test_a_label_of_nobody_waits_for_one_character() -> None:
    stream = restorer()
    assert stream.feed("It is [savings.final]") == "It is "
    assert stream.held == len("[savings.final]")
    assert stream.feed(",") == f"{NO_FIGURE},"
    # What a tool owns needs no look at what follows.
    assert stream.feed(" not [account.limit]") == f" not {NO_FIGURE}"


def test_the_stored_form_has_ids_and_labels() -> None:
    shown, stored = whole("<PERSON_A> owes [account.balance], <PERSON_C> [account.limit]")
    assert shown == f"Anna <PERSON_B> owes 12.00, that person {NO_FIGURE}"
    assert stored == f"{ANNA} owes [account.balance], that person {NO_FIGURE}"


def test_a_value_is_not_read_again() -> None:
    assert whole("<PERSON_A>|<PERSON_B>")[0] == "Anna <PERSON_B>|Bert [account.balance]"


@pytest.mark.parametrize(
    "label",
    [
        *("[account.limit]", "[account.invented]", "[Account.Limit]", "[ account.limit ]", "[total]"),
        *("\\[account.limit\\]", "[account.no\\_such]", "[ACCOUNT.LIMIT]", "`[account.limit]`"),
        # No tool that is on owns these.
        *(
            "[savings.final]",
            "\\[savings.final\\]",
            "[savings.final\\_2]",
            "_[savings.final]_",
            "([savings.final])",
        ),
        *("**[savings.final]**", "[s.f]", f"[{'n' * 32}.{'n' * 48}]"),
    ],
)
@pytest.mark.parametrize("after", ["", ".", " EUR"])
def test_a_label_that_no_tool_filled_never_reaches_the_user(label: str, after: str) -> None:
    shown, stored = whole(f"It is {label}{after}")
    assert shown == stored
    assert re.sub("[`_*()]", "", shown) == re.sub("[()]", "", f"It is {NO_FIGURE}{after}")


def test_without_any_tool_no_label_reaches_the_user_either() -> None:
    assert restored("You have [account.balance].", Letters(), {})[0] == f"You have {NO_FIGURE}."


@pytest.mark.parametrize(
    "label",
    [
        *("[account.due_date]", "[account.due\\_date]", "\\[account.due_date\\]", "\\[account.due\\_date\\]"),
        *("[Account.Due_Date]", "[ account.due_date ]", "[account\\.due_date]"),
    ],
)
def test_a_filled_label_is_filled_in_any_spelling_and_stored_in_its_own(label: str) -> None:
    text = f"Due on {label}."
    assert whole(text) == ("Due on 3 May.", "Due on [account.due_date].")
    assert labels_in(text, FIGURES) == ("account.due_date",)


@given(said)
def test_what_was_filled_is_what_the_turn_says_was_filled(text: str) -> None:
    stored = whole(text)[1]
    assert labels_in(text, FIGURES) == labels_in(stored, FIGURES)


@pytest.mark.parametrize(
    "text",
    [
        *("[sic]", "[x](https://example.org)", "[1]", "[accounts]", "[]", "list[int]", "[e.g.]", "[1.5]"),
        *("rows[a.b]", "f()[a.b]", "m[0][a.b]", "`[a.b]`", "[a.b](https://example.org)", "[a.b][c]"),
        *("[a.b]: https://example.org", "[a.b.c]", "[A.b]", "[a.]", "[.b]", "[a-b.c]", f"[{'n' * 33}.a]"),
        *("```\n[a.b]\n```", "   ```python\nx = [a.b]\n", "[config.json], [main.py] and [example.org]"),
        *("You wrote [typed.here].", "[a.b] is what you typed"),
    ],
)
def test_other_brackets_are_text(text: str) -> None:
    assert whole(text) == (text, text)


def test_behind_a_block_of_code_labels_are_labels_again() -> None:
    text = "```\n[c.d]\n```\nIt is [c.d]. Not ``` [c.d]"
    assert whole(text)[0] == f"```\n[c.d]\n```\nIt is {NO_FIGURE}. Not ``` {NO_FIGURE}"


@pytest.mark.parametrize(
    "typed", ["<PERSON\\_A>", "\\<PERSON\\_A\\>", "<Person A>", "%3CPERSON_A%3E", "[PERSON_A]"]
)
def test_a_bent_token_that_was_typed_stays_as_it_was(typed: str) -> None:
    assert whole(f"You wrote {typed}", f"What is {typed}? ")[0] == f"You wrote {typed}"


def test_figures_may_be_filled_while_the_text_comes() -> None:
    figures: dict[str, str] = {}
    stream = StreamRestorer(Letters(), {}, figures, ["rate.eur"])
    assert stream.feed("At [rate.eur], ") == f"At {NO_FIGURE}, "
    figures["rate.eur"] = "1.08"
    assert stream.feed("now [rate.eur].") == "now 1.08."


def test_an_id_without_its_value_is_nobody() -> None:
    assert restored("Ask <PERSON_A>", Letters([ANNA]), {}) == ("Ask that person", f"Ask {ANNA}")


def test_a_token_that_stands_literally_in_the_prompt_stays_text() -> None:
    assert (
        whole("You wrote <PHONE_A> and <ip_a>", "Is <PHONE_A> or <ip_a> mine? ")[0]
        == "You wrote <PHONE_A> and <ip_a>"
    )
