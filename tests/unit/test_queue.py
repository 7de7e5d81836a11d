"""The messages of the queue: ids of a fixed format, and nothing else."""

from __future__ import annotations

import json
import re

import pytest

from noted.identity import Principal
from noted.store.queue import EpisodeJob, ExtractionJob, InvalidMessage, Job, SummaryJob, read_job

OWNER = Principal("o_" + "a" * 26, "u_" + "b" * 26)
CONVERSATION, TURN = "cv_" + "0" * 26, "tn_" + "1" * 26
JOBS: list[Job] = [
    ExtractionJob(OWNER, 1, CONVERSATION, TURN),
    SummaryJob(OWNER, 2, CONVERSATION),
    EpisodeJob(OWNER, 3, CONVERSATION),
]
EACH = pytest.mark.parametrize("job", JOBS, ids=lambda job: type(job).__name__)


@EACH
def test_a_job_is_read_as_it_was_sent(job: Job) -> None:
    assert read_job(job.body()) == job


@EACH
def test_a_message_holds_ids_alone(job: Job) -> None:
    for value in json.loads(job.body()).values():
        assert isinstance(value, int) or re.fullmatch(r"(?:o|u|cv|tn)_\w{26}|summary|episode", value)


@EACH
@pytest.mark.parametrize(
    "change",
    [
        {"v": 2},
        {"v": None},
        {"o": "o_x"},
        {"u": None},
        {"g": -1},
        {"g": True},
        {"g": "1"},
        {"c": TURN},
        {"c": None},
        {"k": "other"},
        {"k": 1},
    ],
)
def test_anything_else_is_no_message_of_ours(job: Job, change: dict[str, object]) -> None:
    with pytest.raises(InvalidMessage):
        read_job(json.dumps(json.loads(job.body()) | change))


@pytest.mark.parametrize("body", ["", "x", "[]", "null", '"summary"', "{}"])
def test_what_is_no_object_is_no_message(body: str) -> None:
    with pytest.raises(InvalidMessage):
        read_job(body)


def test_an_extraction_needs_its_turn_and_no_other_job_is_one() -> None:
    extraction, summary, _ = JOBS
    fields = json.loads(extraction.body())
    for turn in (None, CONVERSATION, 1):
        with pytest.raises(InvalidMessage):
            read_job(json.dumps(fields | {"t": turn}))
    assert ExtractionJob.read(extraction.body()) == extraction
    with pytest.raises(InvalidMessage):
        ExtractionJob.read(summary.body())
