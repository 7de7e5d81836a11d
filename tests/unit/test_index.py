"""The stored forms of the index of facts, and that it ranks as the facts themselves would be ranked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noted import ids
from noted.facts.fact import Fact, GivenVerdict, Source, Verdict
from noted.recall import index_ids, vectors
from noted.recall.index import OpenIndex
from noted.recall.index_bytes import joined, parted, squeezed, unsqueezed
from noted.recall.index_columns import Columns
from noted.recall.index_log import Changes, Log
from noted.recall.index_postings import Postings, PostingsIndex, concatenated
from noted.recall.index_segment import Segment
from noted.recall.index_vectors import Basis
from noted.recall.lexical import Index, pack, tokens

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)


def fact(number: int, text: str = "Drinks tea", **changes: object) -> Fact:
    moment = NOON + timedelta(seconds=number)
    values: dict[str, object] = {
        "fact_id": ids.at(ids.FACT, moment),
        "kind": "fact",
        "category": "other",
        "text": "",
        "provenance": "said",
        "sequence": number,
        "created_at": moment,
        "last_confirmed_at": moment,
        "words": pack(tokens(text)),
        "same": number.to_bytes(6, "big"),
    }
    return Fact(**(values | changes))  # type: ignore[arg-type]


# Bytes


@given(st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_an_array_comes_back_as_it_was_squeezed(values: list[int]) -> None:
    array = np.array(values, dtype=np.int64)
    assert unsqueezed(squeezed(array), "i8", len(values)).tolist() == values


def test_damaged_bytes_are_refused() -> None:
    with pytest.raises(ValueError, match="damaged"):
        unsqueezed(b"no zlib", "u1", 3)
    with pytest.raises(ValueError, match="damaged"):
        unsqueezed(squeezed(np.arange(4, dtype=np.uint8)), "u1", 3)
    with pytest.raises(ValueError, match="damaged"):
        list(parted(joined([b"a part"])[:-1]))


@given(st.lists(st.tuples(st.integers(0, 2**50 - 1), st.binary(min_size=10, max_size=10))))
def test_an_id_takes_17_bytes_and_comes_back(made: list[tuple[int, bytes]]) -> None:
    fact_ids = [ids.ordered(ids.FACT, order, unique) for order, unique in made]
    rows = index_ids.packed(np.array([each.encode() for each in fact_ids], dtype=index_ids.KIND))
    assert rows.shape == (len(made), 17)
    assert [each.decode() for each in index_ids.unpacked(rows).tolist()] == fact_ids
    assert index_ids.times(rows).tolist() == [order for order, _ in made]


# Columns

JUDGED = fact(
    3,
    kind="goal",
    category="constraint",
    provenance="confirmed",
    held=True,
    source=Source("", "", ""),
    created_at=datetime(1969, 7, 20, 20, 17, 40, 250_000, tzinfo=UTC),
    last_confirmed_at=NOON + timedelta(days=3, milliseconds=5),
    valid_from=NOON,
    valid_until=NOON + timedelta(days=1),
    expires_at=NOON + timedelta(days=30),
    superseded_by=ids.at(ids.FACT, NOON),
    copy_of=ids.at(ids.FACT, NOON),
    latest_verdict=None,
)


@pytest.mark.parametrize(
    "known",
    [
        fact(1),
        JUDGED,
        fact(
            4,
            fact_id=(judged := ids.at(ids.FACT, NOON)),
            latest_verdict=GivenVerdict("vd_x", judged, Verdict.REJECTED, NOON, 9),
        ),
    ],
)
def test_a_fact_comes_back_from_its_columns(known: Fact) -> None:
    columns = Columns.unpack(Columns.of([fact(0), known]).pack(), 2)
    [expected] = [Fact(**(vars(known) | {"words": None, "vector": None, "text": ""}))]
    assert columns.fact(1) == expected
    assert columns.fact(1).same == known.same


def test_what_is_set_of_a_fact_is_set_in_its_columns() -> None:
    columns = Columns.of([fact(0), fact(1)])
    altered = columns.altered(
        {
            1: {
                "provenance": "confirmed",
                "last_confirmed_at": "2026-03-11T12:00:00.000Z",
                "expires_at": 1_775_736_000,
                "superseded_by": "ft_x",
            }
        }
    )
    after = altered.fact(1)
    assert (after.provenance, after.superseded_by) == ("confirmed", "ft_x")
    assert after.last_confirmed_at == NOON + timedelta(days=1)
    assert after.expires_at == datetime.fromtimestamp(1_775_736_000, UTC)
    assert altered.fact(0) == columns.fact(0)
    assert columns.fact(1).superseded_by is None


# Postings

WORDS = st.sampled_from(["tea", "milk", "48213", "anna", "上海", "🎉"])
DOCUMENTS = st.lists(st.lists(WORDS, max_size=6), max_size=8)


@given(DOCUMENTS, st.lists(WORDS, max_size=4), st.randoms(use_true_random=False))
def test_postings_score_the_chosen_documents_as_their_words_do(
    documents: list[list[str]], query: list[str], random: object
) -> None:
    packed = [pack(document) for document in documents]
    half = len(packed) // 2
    parts = [Postings.of(packed[:half]), Postings.of(packed[half:])]
    parts = [Postings.unpack(part.pack(), len(part.lengths)) for part in parts]
    chosen = np.array([place for place in range(len(packed)) if place % 3], dtype=np.intp)
    local = np.full(len(packed), -1)
    local[chosen] = np.arange(len(chosen))
    index = PostingsIndex(
        parts,
        lambda part, own: local[own.astype(np.intp) + part * half],
        np.concatenate([part.lengths for part in parts])[chosen],
    )
    assert index.scores(query).tolist() == Index([packed[place] for place in chosen]).scores(query).tolist()


@given(DOCUMENTS, DOCUMENTS)
def test_postings_of_two_parts_are_those_of_the_whole(
    first: list[list[str]], second: list[list[str]]
) -> None:
    one, other = ([pack(document) for document in part] for part in (first, second))
    both, whole = concatenated([Postings.of(one), Postings.of(other)]), Postings.of(one + other)
    assert both.pack() == whole.pack()
    places = np.arange(len(one), len(one) + len(other))
    assert whole.taken(places).pack() == Postings.of(other).pack()


# Vectors


def rows(count: int, size: int = 64) -> list[bytes]:
    """Vectors of a cone, with most of what tells them apart in few directions, as an embedder's are."""
    random = np.random.default_rng(7)
    weights = 0.5 ** np.arange(size)
    return [vectors.pack((0.8 + random.standard_normal(size) * weights).tolist()) for _ in range(count)]


def test_sketches_take_few_bytes_and_keep_the_cosines() -> None:
    packed = rows(400)
    facts = [fact(place, vector=vector, embedder="one") for place, vector in enumerate(packed)]
    basis = Basis.unpack(Basis.of("one", packed).pack())
    segment = Segment.of(facts, basis)
    assert segment.sketches is not None
    assert len(segment.sketches.pack()) < 20 * len(packed)
    index = OpenIndex([Segment.unpack(segment.pack(), basis)], Log(), basis)
    places = index.chosen(index.standing(NOON), ("fact",), None)
    query = vectors.unpack(rows(401)[-1])
    exact = vectors.centred_cosines(query, packed)
    alike = index.documents(places, "one").alike(query)
    assert alike is not None
    assert alike.places.tolist() == list(range(400))
    assert float(np.abs(alike.cosines - exact).mean()) < 0.02
    centre = index.centre(query, places, "one")
    assert centre is not None
    assert [centre.cosine(each) for each in packed[:50]] == pytest.approx(exact[:50].tolist(), abs=0.01)


def test_cosines_are_centred_on_the_chosen_facts_alone() -> None:
    packed = rows(60)
    facts = [
        fact(place, vector=vector, embedder="one", kind="goal" if place % 2 else "fact")
        for place, vector in enumerate(packed)
    ]
    basis = Basis.of("one", packed)
    index = OpenIndex([Segment.of(facts, basis)], Log(), basis)
    places = index.chosen(index.standing(NOON), ("goal",), None)
    query = vectors.unpack(rows(61)[-1])
    alike = index.documents(places, "one").alike(query)
    assert alike is not None
    assert alike.cosines.tolist() == pytest.approx(
        vectors.centred_cosines(query, packed[1::2]).tolist(), abs=0.05
    )


def test_a_query_of_another_embedder_is_compared_with_nothing() -> None:
    packed = rows(5)
    basis = Basis.of("one", packed)
    facts = [fact(place, vector=vector, embedder="one") for place, vector in enumerate(packed)]
    index = OpenIndex([Segment.of(facts, basis)], Log(), basis)
    places = index.chosen(index.standing(NOON), ("fact",), None)
    query = vectors.unpack(packed[0])
    assert index.documents(places, "other").alike(query) is None
    assert index.documents(places, "one").alike(query[:-1]) is None
    assert index.centre(query, places, "other") is None
    for vector in ([], [0.0] * 64):
        with pytest.raises(ValueError, match="vector"):
            index.documents(places, "one").alike(vector)


# The log


def test_changes_come_back_without_texts() -> None:
    told = fact(1, text="secret", vector=b"\x01\x02", embedder="one")
    changes = Changes((told, fact(2)), {"ft_x": {"provenance": "confirmed"}})
    packed = changes.pack()
    assert b"secret" not in packed
    back = Changes.unpack(packed)
    assert back.altered == {"ft_x": {"provenance": "confirmed"}}
    assert [(each.fact_id, each.words, each.vector, each.embedder) for each in back.added] == [
        (told.fact_id, told.words, b"\x01\x02", "one"),
        (changes.added[1].fact_id, changes.added[1].words, None, None),
    ]


def test_a_fact_that_is_stored_anew_counts_as_it_was_stored_last() -> None:
    first = fact(1, "Drinks tea")
    anew = fact(1, "Drinks milk", fact_id=first.fact_id)
    log = Log.of([Changes((), {first.fact_id: {"superseded_by": "ft_x"}}), Changes((anew,))])
    index = OpenIndex([Segment.of([first, fact(0, "Has a cat")], None)], log, None)
    places = index.chosen(index.standing(NOON), ("fact",), None)
    documents = index.documents(places, "one")
    assert list(documents.ids).index(first.fact_id) == 1
    assert documents.words.scores(tokens("milk"))[1] > 0
    assert documents.words.scores(tokens("tea")).tolist() == [0.0, 0.0]


def test_an_index_of_nothing_finds_nothing() -> None:
    index = OpenIndex([], Log(), None)
    assert len(index) == 0
    assert index.newest(3, NOON) == []
    assert index.still_told([ids.at(ids.FACT, NOON)], NOON) == []
    assert index.chosen(index.standing(NOON), ("fact", "goal"), None).tolist() == []
