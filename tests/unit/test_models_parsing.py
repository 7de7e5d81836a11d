"""Reading what a model sends back as data."""

from __future__ import annotations

import json
import math

import pytest

from noted.errors import MalformedOutput
from noted.models.parsing import checked_vectors, plain_object, read_object

FACTS = {"facts": [{"text": "Lives in Porto", "turn": 1}]}
WRITTEN = json.dumps(FACTS)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(WRITTEN, id="as it stands"),
        pytest.param(f"\n  {WRITTEN}\n", id="blanks around"),
        pytest.param(f"\ufeff{WRITTEN}", id="byte order mark"),
        pytest.param(f"```json\n{WRITTEN}\n```", id="fenced"),
        pytest.param(f"```\n{WRITTEN}\n```", id="fenced without a language"),
        pytest.param(f"Here you are:\n\n```json\n{WRITTEN}\n```\nAnything else?", id="fenced in prose"),
        pytest.param(f"Sure! {WRITTEN} I hope this helps.", id="in prose"),
    ],
)
def test_an_object_is_read_also_out_of_fences_and_prose(text: str) -> None:
    assert read_object(text) == FACTS


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("I found no facts.", id="prose"),
        pytest.param("[]", id="a list"),
        pytest.param('[{"text": "Lives in Porto"}]', id="a list of one object"),
        pytest.param('"facts"', id="a string"),
        pytest.param("null", id="null"),
        pytest.param(WRITTEN[:-1], id="cut off at the end"),
        pytest.param(WRITTEN[: len(WRITTEN) // 2], id="cut off inside"),
        pytest.param(f"{WRITTEN} {WRITTEN}", id="two objects"),
        pytest.param(f"Such as {{this}}: {WRITTEN}", id="another bracket"),
        pytest.param('{"facts": [], "facts": [1]}', id="a key twice"),
        pytest.param('Here: {"a": {"b": 1, "b": 2}}', id="an inner key twice, in prose"),
        pytest.param('{"score": NaN}', id="not a number"),
        pytest.param('{"score": -Infinity}', id="infinity"),
        pytest.param('{"score": 1e999}', id="a number past all bounds"),
        pytest.param('{"turn": ' + "9" * 5000 + "}", id="a number of 5,000 digits"),
        pytest.param('{"a":' * 16 + "{}" + "}" * 16, id="17 deep"),
        pytest.param('{"a":' * 100_000 + "1" + "}" * 100_000, id="100,000 deep"),
        pytest.param("{'facts': []}", id="single quotes"),
    ],
)
def test_anything_ambiguous_is_refused(text: str) -> None:
    with pytest.raises(MalformedOutput) as refused:
        read_object(text)
    assert refused.value.reason == "malformed"


def test_sixteen_levels_are_read() -> None:
    assert read_object('{"a":' * 15 + "{}" + "}" * 15)["a"]["a"]


def test_half_a_character_becomes_one_that_can_be_stored() -> None:
    read = read_object('{"text": "Likes \\ud83d tea", "\\udc00": [1]}')
    assert read == {"text": "Likes \ufffd tea", "\ufffd": [1]}


def test_a_whole_character_from_two_escapes_stays() -> None:
    assert read_object('{"text": "\\ud83c\\udf75"}') == {"text": "🍵"}


@pytest.mark.parametrize("value", [None, [], "facts", {"score": math.nan}])
def test_a_parsed_object_is_held_to_the_same(value: object) -> None:
    with pytest.raises(MalformedOutput):
        plain_object(value)


def test_vectors_are_numbers_of_one_length() -> None:
    assert checked_vectors([[1, 0.5], [0.25, 2]], 2) == [[1.0, 0.5], [0.25, 2.0]]


@pytest.mark.parametrize(
    "value",
    [
        pytest.param([[1.0]], id="too few"),
        pytest.param([[1.0], [1.0, 2.0]], id="two lengths"),
        pytest.param([[1.0], []], id="an empty one"),
        pytest.param([[1.0], [math.nan]], id="not a number"),
        pytest.param([[1.0], [True]], id="a truth value"),
        pytest.param([[1.0], "ab"], id="a text"),
        pytest.param({"a": [1.0], "b": [1.0]}, id="an object"),
        pytest.param(None, id="nothing"),
    ],
)
def test_anything_else_is_no_vector(value: object) -> None:
    with pytest.raises(MalformedOutput):
        checked_vectors(value, 2)
