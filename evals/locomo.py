"""LoCoMo's file (Maharana et al. 2024, CC BY-NC 4.0; bring your own copy of `locomo10.json`), as far as the
evaluations need it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

# Category 5 asks for what was never said: it has no evidence to find.
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}


@dataclass(frozen=True)
class Line:
    """One thing that one speaker said. `photo` is the caption of a photo that was shared with it."""

    line_id: str
    session: int
    speaker: str
    text: str
    photo: str | None
    said_at: datetime


@dataclass(frozen=True)
class Question:
    """A question, the ids of the lines that hold its answer, only such as are in the dialogue, and what kind
    of question the data set says that it is."""

    text: str
    evidence: frozenset[str]
    category: str


@dataclass(frozen=True)
class Dialogue:
    """A dialogue of two speakers over many sessions, with its questions."""

    speakers: tuple[str, str]
    lines: tuple[Line, ...]
    questions: tuple[Question, ...]


def document(line: Line) -> str:
    """What is searched for a line: who said it, their words, and the caption of a photo that was shared."""
    photo = f" [shares a photo: {line.photo}]" if line.photo else ""
    return f"{line.speaker}: {line.text}{photo}"


def load(path: Path) -> list[Dialogue]:
    """The ten dialogues."""
    return [_dialogue(sample) for sample in json.loads(path.read_text("utf-8"))]


def _dialogue(sample: dict[str, Any]) -> Dialogue:
    spoken = sample["conversation"]
    sessions = sorted(int(key.split("_")[1]) for key in spoken if re.fullmatch(r"session_\d+", key))
    lines = tuple(line for session in sessions for line in _session(spoken, session))
    known = {line.line_id for line in lines}
    questions = [
        Question(asked["question"], frozenset(_evidence(asked) & known), CATEGORIES[asked["category"]])
        for asked in sample["qa"]
        if asked["category"] in CATEGORIES
    ]
    return Dialogue(
        (spoken["speaker_a"], spoken["speaker_b"]),
        lines,
        tuple(question for question in questions if question.evidence),
    )


def _session(spoken: dict[str, Any], session: int) -> list[Line]:
    when = datetime.strptime(spoken[f"session_{session}_date_time"], "%I:%M %p on %d %B, %Y").replace(
        tzinfo=UTC
    )
    return [
        Line(
            line_id=said["dia_id"],
            session=session,
            speaker=said["speaker"],
            text=said["text"],
            photo=said.get("blip_caption"),
            said_at=when + timedelta(seconds=place),
        )
        for place, said in enumerate(spoken[f"session_{session}"])
    ]


def _evidence(asked: dict[str, Any]) -> set[str]:
    # Some entries are run together ("D8:6; D9:17") or padded with zeros ("D30:05").
    found = re.findall(r"D:?(\d+):(\d+)", " ".join(asked.get("evidence", [])))
    return {f"D{int(session)}:{int(place)}" for session, place in found}
