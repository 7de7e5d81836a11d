"""The evaluation of masking counts what it says."""

from __future__ import annotations

import json
from pathlib import Path

from rich.console import Console

from evals.masking import Marked, benign, is_covered, load, measured, sentences_in
from noted.privacy.detection import Span
from noted.privacy.entities import EntityType
from noted.privacy.masking import Detector

QUIET = Console(quiet=True)


def test_a_value_is_covered_when_every_letter_and_digit_is() -> None:
    text = "call (415) 555-2671 now"
    whole = [Span(6, 19, EntityType.PHONE, "")]
    assert is_covered(text, 5, 19, whole)
    assert not is_covered(text, 5, 19, [Span(6, 18, EntityType.PHONE, "")])


def test_counts_what_is_found_missed_and_wrong() -> None:
    tally, misses = measured(
        [
            Marked("write to anna@firma.de", (("EMAIL_ADDRESS", 9, 22),)),
            Marked("mail b@c", (("EMAIL_ADDRESS", 5, 8),)),
            Marked("from 192.168.10.42", ()),
        ],
        Detector(),
        "",
        QUIET,
    )
    assert (tally.there, tally.found) == ({"EMAIL_ADDRESS": 2}, {"EMAIL_ADDRESS": 1})
    assert (tally.masked, tally.wrong) == ({"email": 1, "ip": 1}, {"ip": 1})
    assert [line.partition(":")[0] for line in misses] == ["missed EMAIL_ADDRESS", "wrong ip"]


def test_reads_marked_and_plain_sentences(tmp_path: Path) -> None:
    marked = tmp_path / "marked.json"
    span = {"entity_type": "PERSON", "entity_value": "Ines", "start_position": 0, "end_position": 4}
    marked.write_text(json.dumps([{"full_text": "Ines is here", "spans": [span]}]), "utf-8")
    assert load(marked) == [Marked("Ines is here", (("PERSON", 0, 4),))]
    plain = tmp_path / "plain.json"
    plain.write_text(
        json.dumps({"train": [{"a": ["I ski.", "I read."]}, {"text": "Hi.", "id": "D1:1"}]}), "utf-8"
    )
    assert sorted(sentences_in(plain)) == ["Hi.", "I read.", "I ski."]
    lines = tmp_path / "lines.txt"
    lines.write_text("one\n\ntwo\n", "utf-8")
    assert list(sentences_in(lines)) == ["one", "two"]
    assert "0 of 2 sentences masked" in str(benign(lines, Detector(), QUIET).title)
