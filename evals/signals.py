"""The signals that recall ranks by, over one dialogue whose lines are the facts of a user: for evaluations
that take the ranking apart."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from rich.console import Console

from evals.locomo import Dialogue, Question, document
from noted.recall import lexical, vectors
from noted.recall.ranking import Candidate, Documents, Scores, documents_of
from noted.recall.search import Query


class Vectors(Protocol):
    """Vectors of texts that were computed before; `role` is `passage` or `query`."""

    def compute(self, passages: Iterable[str], queries: Iterable[str], console: Console) -> None: ...

    def of(self, role: str, text: str) -> list[float]: ...


class OfKit:
    """Vectors by the embedder of a side-by-side kit, which keeps a cache of its own."""

    def __init__(self, kit: Path) -> None:
        sys.path.insert(0, str(kit))
        self._embedder: Any = importlib.import_module("bench_embed").Embedder()

    def compute(self, passages: Iterable[str], queries: Iterable[str], console: Console) -> None:
        """Embeds what is not in the kit's cache yet."""
        texts = list(dict.fromkeys([*passages, *queries]))
        console.print(f"embedding {len(texts)} texts, where they are not cached")
        self._embedder.embed(texts)
        self._embedder.save()

    def of(self, _: str, text: str) -> list[float]:
        """The kit's embedder tells passages and queries apart by nothing."""
        return [float(value) for value in self._embedder.embed_one(text)]


@dataclass(frozen=True)
class Asked:
    """A question with its vector, and the places of its evidence among the lines."""

    question: Question
    vector: list[float]
    evidence: tuple[int, ...]


class Signals:
    """One dialogue, asked at the time of its last line."""

    def __init__(self, dialogue: Dialogue, embedded: Vectors) -> None:
        self.size = len(dialogue.lines)
        self._now = max(line.said_at for line in dialogue.lines)
        texts = [document(line) for line in dialogue.lines]
        names = {token for speaker in dialogue.speakers for token in lexical.tokens(speaker)}
        self._words = [set(lexical.tokens(text)) - names for text in texts]
        self._packed = [vectors.pack(embedded.of("passage", text)) for text in texts]
        self._candidates = [
            Candidate(f"{place:05}", text, packed, line.said_at, "other", confirmed=False)
            for place, (line, text, packed) in enumerate(
                zip(dialogue.lines, texts, self._packed, strict=True)
            )
        ]
        self.asked = [
            Asked(question, embedded.of("query", question.text), _places(dialogue, question))
            for question in dialogue.questions
        ]

    def documents(self) -> Documents:
        """The lines as ranking takes them, by the constants that stand at the moment."""
        return documents_of(self._candidates)

    def ranked(self, asked: Asked, documents: Documents) -> list[int]:
        """The places of the lines as Noted ranks them, best first, the time that the question names taken
        into account."""
        text = asked.question.text
        about = Query(text).time(self._now)
        since, until = (about.since, about.until) if about else (None, None)
        return Scores(text, asked.vector, documents, now=self._now, since=since, until=until).order()

    def by_words(self, asked: Asked, documents: Documents) -> list[int]:
        """By BM25 alone, lines without a word of the question left out."""
        scores = documents.words.scores(lexical.tokens(asked.question.text))
        order = np.argsort(-scores, kind="stable")
        found: list[int] = order[scores[order] > 0].tolist()
        return found

    def shares_word(self, asked: Asked, place: int) -> bool:
        """Whether a line has a word of the question, other than the names of the speakers."""
        return not self._words[place].isdisjoint(lexical.tokens(asked.question.text))

    def by_meaning(self, asked: Asked) -> list[int]:
        """By centred cosines alone."""
        order: list[int] = np.argsort(
            -vectors.centred_cosines(asked.vector, self._packed), kind="stable"
        ).tolist()
        return order


def _places(dialogue: Dialogue, question: Question) -> tuple[int, ...]:
    return tuple(place for place, line in enumerate(dialogue.lines) if line.line_id in question.evidence)


def embed(dialogues: Sequence[Dialogue], embedded: Vectors, console: Console) -> None:
    """Computes the vectors of all lines and questions."""
    lines = [document(line) for dialogue in dialogues for line in dialogue.lines]
    embedded.compute(lines, [each.text for dialogue in dialogues for each in dialogue.questions], console)
