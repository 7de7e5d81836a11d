"""Recall ranks by meaning, words and names together, and degrades without breaking."""

from __future__ import annotations

import math
import struct
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noted.recall import fusion, vectors
from noted.recall.lexical import Index, pack, tokens
from noted.recall.ranking import Candidate, Ranked, rank

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
QUERY = [1.0, 0.0]


def at(degrees: float) -> bytes:
    """A vector at this angle from QUERY."""
    return vectors.pack([math.cos(math.radians(degrees)), math.sin(math.radians(degrees))])


def candidate(  # the plainest fact there is, but for what a test says
    id: str,  # noqa: A002
    text: str,
    vector: bytes | None = None,
    days_old: float = 0,
    category: str = "other",
    confirmed: bool = False,
) -> Candidate:
    return Candidate(id, text, vector, NOW - timedelta(days=days_old), category, confirmed)


def ids(ranked: list[Ranked]) -> list[str]:
    return [each.candidate.id for each in ranked]


# Vectors


@pytest.mark.parametrize("vector", [[], [0.0, 0.0], [math.nan, 1.0], [math.inf, 1.0], [1.0, -math.inf]])
def test_a_vector_without_a_direction_is_refused(vector: list[float]) -> None:
    with pytest.raises(ValueError, match="vector"):
        vectors.pack(vector)
    with pytest.raises(ValueError, match="vector"):
        vectors.cosines(vector, [])


def test_a_vector_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="3 components"):
        vectors.cosines([1.0, 2.0, 3.0], [vectors.pack([1.0, 2.0])])
    with pytest.raises(ValueError, match="3 components"):
        vectors.centred_cosines([1.0, 2.0, 3.0], [vectors.pack([1.0, 2.0, 3.0, 4.0])])


def test_damaged_bytes_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one component"):
        vectors.unpack(b"1234")
    with pytest.raises(ValueError, match="damaged"):
        vectors.unpack(struct.pack("<f2b", math.nan, 1, 2))


def test_a_packed_vector_is_a_scale_and_a_byte_a_component() -> None:
    # (3, 4) has length 5, so (0.6, 0.8); the scale is 0.8/127 = 0.0062992, and 0.6 is 95.25, so 95, of them.
    assert vectors.pack([3.0, 4.0]) == struct.pack("<f2b", 0.8 / 127, 95, 127)
    assert vectors.unpack(vectors.pack([3.0, 4.0])) == pytest.approx([95 * 0.8 / 127, 0.8])
    assert len(vectors.pack([1.0] * 384)) == vectors.packed_size(384) == 388


FLOATS = st.floats(-1e300, 1e300)
COMPONENTS = st.lists(FLOATS, min_size=24, max_size=24).filter(lambda v: max(map(abs, v)) > 1e-300)


def cosine(a: list[float], b: list[float]) -> float:
    a, b = ([value / max(map(abs, v)) for value in v] for v in (a, b))
    return sum(x * y for x, y in zip(a, b, strict=True)) / math.hypot(*a) / math.hypot(*b)


@given(query=COMPONENTS, stored=st.lists(COMPONENTS, max_size=4))
def test_a_packed_cosine_is_within_the_stated_bound(query: list[float], stored: list[list[float]]) -> None:
    packed = [vectors.pack(vector) for vector in stored]
    for vector, kept, alike in zip(stored, packed, vectors.cosines(query, packed), strict=True):
        # The bound holds in exact arithmetic; single precision adds a few units of 6e-8.
        assert abs(float(alike) - cosine(query, vector)) <= vectors.error_bound(kept) + 1e-5


def test_the_bound_is_small_for_vectors_like_those_of_an_embedder() -> None:
    gaussian = np.random.default_rng(7).standard_normal((50, 384)).tolist()
    assert max(vectors.error_bound(vectors.pack(vector)) for vector in gaussian) < 0.02


def test_centring_takes_off_what_all_vectors_share() -> None:
    # Rows (0.8, 0.6) and (0.8, -0.6), mean (0.8, 0). The query (0.96, 0.28) less the mean is (0.16, 0.28),
    # the rows are (0, 0.6) and (0, -0.6): cosines 0.28 / sqrt(0.16^2 + 0.28^2) = 0.868243 and its negative.
    # Before, they were 0.936 and 0.6: both close.
    rows = [vectors.pack([0.8, 0.6]), vectors.pack([0.8, -0.6])]
    assert vectors.cosines([0.96, 0.28], rows).tolist() == pytest.approx([0.936, 0.6], abs=0.005)
    assert vectors.centred_cosines([0.96, 0.28], rows).tolist() == pytest.approx(
        [0.868243, -0.868243], abs=0.01
    )


def test_one_vector_or_equal_ones_tell_nothing_when_centred() -> None:
    kept = vectors.pack([0.3, 0.4, 0.5])
    for count in range(4):
        assert vectors.centred_cosines([1.0, 2.0, 3.0], [kept] * count).tolist() == [0.0] * count


# An exact identifier


def close(cosine: float, axis: int) -> bytes:
    """A vector of five components with this cosine to the first axis, the rest of it along another one."""
    vector = [cosine, 0.0, 0.0, 0.0, 0.0]
    vector[axis] = math.sqrt(1 - cosine * cosine)
    return vectors.pack(vector)


ORDER_QUERY = [1.0, 0.0, 0.0, 0.0, 0.0]
ORDERS = (
    candidate("a", "Order 48213 arrived broken", close(0.90, 1)),
    candidate("b", "Order 48217 arrived late", close(0.96, 2)),
    candidate("c", "Order 48219 was returned", close(0.94, 3)),
    candidate("d", "Order 48231 was a gift", close(0.92, 4)),
)


def test_the_order_that_is_named_comes_first_though_its_vector_is_last() -> None:
    packed = [order.vector or b"" for order in ORDERS]
    for alike in (vectors.cosines(ORDER_QUERY, packed), vectors.centred_cosines(ORDER_QUERY, packed)):
        assert np.argsort(-alike).tolist() == [1, 2, 3, 0]  # b, c, d, a
    ranked = rank("What happened to order 48213?", ORDER_QUERY, ORDERS, now=NOW, limit=4)
    assert ids(ranked) == ["a", "b", "c", "d"]


def test_a_lexical_hit_on_the_identifier_alone_lifts_the_last_of_the_semantic_ranking() -> None:
    semantic = np.array([0.0, 1.0, 2 / 3, 1 / 3])  # b, c, d, a
    lexical = np.array([1.0, 0.0, 0.0, 0.0])
    fused = fusion.fuse(semantic, lexical, np.array([1.0, 0.0, 0.0, 0.0]))
    # 0.45 of meaning, 0.55 of words and all of the name, over two: a has 0.55 and 1, so 0.775; b has 0.45, so
    # 0.225; c has 0.3, so 0.15; d has 0.15, so 0.075.
    assert fused.tolist() == pytest.approx([0.775, 0.225, 0.15, 0.075])


@pytest.mark.parametrize(
    "query,texts",
    [
        ("Where is PO-7741?", ["Parcel PO-7741 sits at the depot", "Parcel PO-7742 sits at the depot"]),
        ("where is po7741", ["Parcel PO-7741 sits at the depot", "Parcel PO-7742 sits at the depot"]),
        ("What is in box 12?", ["Box 12 holds plates", "Box 13 holds cups"]),
        ("What did I get from Zoltan?", ["Zoltan gave me a lamp", "Got a lamp from my aunt"]),
        ("سفارش ۴۸۲۱۳ چه شد؟", ["سفارش 48213 شکسته رسید", "سفارش 48217 دیر رسید"]),
    ],
)
def test_any_identifier_wins_over_likeness(query: str, texts: list[str]) -> None:
    facts = [
        candidate("named", texts[0], at(40), days_old=900),
        candidate("alike", texts[1], at(1), 0, "constraint"),
    ]
    assert ids(rank(query, QUERY, facts, now=NOW, limit=2)) == ["named", "alike"]


@pytest.mark.parametrize(
    "query,expected",
    [
        ("What did I tell Anna about flight BA117?", ["ba117", "117", "anna", "ba"]),
        ("When do my 2 kids go back?", []),
        ("What did I do on 7 March?", []),
        ("What did I do on March 7?", []),
        ("which room is 12", []),
        ("which is room 12", ["12"]),
        ("WHERE DO I LIVE", []),
        ("Did I say so in May?", []),
        ("Anna asks.", []),
        ("我在上海吗", []),
    ],
)
def test_what_counts_as_an_identifier(query: str, expected: list[str]) -> None:
    assert sorted(fusion.identifiers(query)) == sorted(expected)


def test_an_identifier_that_many_facts_hold_tells_little() -> None:
    # Of four documents one holds 48213 and all hold Anna: idf ln(1 + 3.5/1.5) = 1.203973 and
    # ln(1 + 0.5/4.5) = 0.105361. Relative to the rarest 1 and 0.087511, and each is half of what is named.
    index = Index([pack(tokens(text)) for text in ("Anna 48213", "Anna", "Anna", "Anna")])
    share = fusion.share_named(index, ["48213", "anna", "48219"])
    assert share is not None
    assert share.tolist() == pytest.approx([0.543756, 0.043756, 0.043756, 0.043756], abs=1e-6)
    assert fusion.share_named(index, ["48219"]) is None
    assert fusion.share_named(index, []) is None


# Without an embedder, or without words

FOOD = (
    candidate("f1", "Is allergic to nuts", category="constraint", days_old=60),
    candidate("f2", "Lives in Porto", category="other", days_old=1),
)


def test_without_a_query_vector_words_decide() -> None:
    assert ids(rank("Where do I live?", None, FOOD, now=NOW, limit=1)) == ["f2"]


def test_without_vector_and_without_a_shared_word_everything_is_recalled() -> None:
    ranked = rank("Any food I should avoid?", None, FOOD, now=NOW, limit=10)
    # f1: importance 0.7, recency 0.5^(1/3) = 0.7937: 0.05 * (1 - 0.1 * 0.2063) * (1 - 0.05 * 0.3) = 0.0482.
    # f2: importance 0, recency 0.9962: 0.05 * (1 - 0.1 * 0.0038) * 0.95 = 0.0475.
    assert [(each.candidate.id, each.score) for each in ranked] == [("f1", 0.0482), ("f2", 0.0475)]


@pytest.mark.parametrize(
    "query", ["", "what is it?", "🎉🎉", "…", "何？", "\u200d", "\x00", "的" * 5000, "Ab 1 " * 4000]
)
@pytest.mark.parametrize("vector", [None, QUERY])
def test_no_query_breaks_recall(query: str, vector: list[float] | None) -> None:
    facts = [candidate("a", "Drinks tea", at(10)), candidate("b", "", at(30)), candidate("c", "🎉")]
    assert sorted(ids(rank(query, vector, facts, now=NOW, limit=10))) == ["a", "b", "c"]


def test_a_fact_without_a_vector_is_found_by_its_words() -> None:
    facts = [
        candidate("words", "Keeps the passport in the blue drawer"),
        candidate("near", "Travels a lot", at(5)),
        candidate("far", "Drinks tea", at(60)),
    ]
    ranked = rank("where do I keep my passport", QUERY, facts, now=NOW, limit=3)
    # Without a vector half of its lexical signal, 1, stands in: 0.45 * 0.5 + 0.55 * 1 = 0.775 beats 0.45.
    assert ids(ranked) == ["words", "near", "far"]
    assert ranked[0].why.semantic == 0.5


def test_a_vector_of_another_embedder_counts_as_none() -> None:
    facts = [candidate("a", "Drinks tea", vectors.pack([1.0, 0.0, 0.0])), candidate("b", "Drinks gin", at(5))]
    others = [candidate("a", "Drinks tea"), candidate("b", "Drinks gin", at(5))]
    found, expected = (rank("tea", QUERY, each, now=NOW, limit=2) for each in (facts, others))
    assert [(each.score, each.why) for each in found] == [(each.score, each.why) for each in expected]


def test_stored_words_take_the_place_of_the_text() -> None:
    stored = Candidate(
        "a", "ignored", None, NOW, "other", confirmed=False, words=pack(tokens("Lives in Porto"))
    )
    assert ids(rank("live", None, [candidate("b", "Drives a van"), stored], now=NOW, limit=1)) == ["a"]


# Multipliers


def test_an_older_fact_counts_a_little_less() -> None:
    same = [candidate("old", "Drinks tea", days_old=180), candidate("new", "Drinks tea")]
    # Relevance 1, importance 0: 0.95 for the new one; after one half-life 0.95 * (1 - 0.1 * 0.5) = 0.9025.
    ranked = rank("tea", None, same, now=NOW, limit=2)
    assert [(each.candidate.id, each.score, each.why.recency) for each in ranked] == [
        ("new", 0.95, 1.0),
        ("old", 0.9025, 0.5),
    ]


def test_a_time_after_now_is_now() -> None:
    ranked = rank("tea", None, [candidate("a", "Drinks tea", days_old=-30)], now=NOW, limit=1)
    assert ranked[0].why.recency == 1.0


def test_constraints_and_confirmed_facts_count_a_little_more() -> None:
    facts = [
        candidate("other", "Eats no nuts"),
        candidate("confirmed", "Eats no nuts", confirmed=True),
        candidate("constraint", "Eats no nuts", category="constraint"),
        candidate("both", "Eats no nuts", category="constraint", confirmed=True),
        candidate("preference", "Eats no nuts", category="preference"),
    ]
    ranked = rank("nuts", None, facts, now=NOW, limit=5)
    assert [(each.candidate.id, each.why.importance, each.score) for each in ranked] == [
        ("both", 1.0, 1.0),
        ("constraint", 0.7, 0.985),
        ("preference", 0.35, 0.9675),
        ("confirmed", 0.3, 0.965),
        ("other", 0.0, 0.95),
    ]


def test_relevance_outweighs_age_category_and_confirmation() -> None:
    facts = [
        candidate("relevant", "Plays the cello", days_old=2000),
        candidate("weighty", "Is allergic to nuts", category="constraint", confirmed=True),
    ]
    assert ids(rank("Do I play the cello?", None, facts, now=NOW, limit=2)) == ["relevant", "weighty"]


def test_the_time_that_a_query_names_is_preferred_half_open() -> None:
    def said(id: str, days: int) -> Candidate:  # noqa: A002
        return Candidate(
            id, "Saw the dentist", None, NOW, "other", confirmed=False, created_at=NOW - timedelta(days)
        )

    since, until = NOW - timedelta(days=9), NOW - timedelta(days=2)
    facts = [said("early", 10), said("first", 9), said("last", 3), said("end", 2)]
    ranked = rank("dentist", None, facts, now=NOW, limit=4, since=since, until=until)
    # Outside the range 0.95 * 0.8 = 0.76.
    assert [(each.candidate.id, each.why.time, each.score) for each in ranked] == [
        ("first", 1.0, 0.95),
        ("last", 1.0, 0.95),
        ("early", 0.0, 0.76),
        ("end", 0.0, 0.76),
    ]
    assert [each.why.time for each in rank("dentist", None, facts, now=NOW, limit=4, since=since)] == [
        1,
        1,
        1,
        0,
    ]


# Order and limits


def test_equal_scores_stand_by_id() -> None:
    facts = [candidate(id, "Drinks tea", at(30)) for id in ("c", "a", "b")]  # noqa: A001
    assert ids(rank("tea", QUERY, facts, now=NOW, limit=3)) == ["a", "b", "c"]


MANY = tuple(
    candidate(f"{i:02}", f"{text} {i % 7}", at(i * 3) if i % 5 else None, days_old=i * 11 % 40)
    for i, text in enumerate(["Drinks tea", "Order 48213 broke", "我在上海", "Likes 🎉", "Has a cat"] * 6)
)


@given(st.permutations(MANY))
def test_the_order_of_the_candidates_changes_nothing(shuffled: list[Candidate]) -> None:
    query = "What about order 48213, tea in 上海 and Luna the cat?"
    assert rank(query, QUERY, shuffled, now=NOW, limit=30) == rank(query, QUERY, MANY, now=NOW, limit=30)


@given(
    st.sampled_from(["tea", "order 48213", "上海", "🎉", "nothing shared", ""]),
    st.sampled_from([None, QUERY]),
)
def test_scores_fall_from_one_to_zero(query: str, vector: list[float] | None) -> None:
    ranked = rank(query, vector, MANY, now=NOW, limit=100)
    scores = [each.score for each in ranked]
    assert len(ranked) == len(MANY)
    assert scores == sorted(scores, reverse=True)
    parts = [value for each in ranked for value in vars(each.why).values()]
    assert all(0 <= value <= 1 for value in [*scores, *parts])


def test_a_limit_is_kept() -> None:
    assert len(rank("tea", QUERY, MANY, now=NOW, limit=3)) == 3
    assert rank("tea", QUERY, MANY, now=NOW, limit=0) == []
    assert rank("tea", QUERY, [], now=NOW, limit=3) == []
    with pytest.raises(ValueError, match="negative"):
        rank("tea", QUERY, MANY, now=NOW, limit=-1)


@pytest.mark.parametrize("vector", [[math.nan, 1.0], [0.0, 0.0]])
def test_a_query_vector_without_a_direction_is_refused(vector: list[float]) -> None:
    with pytest.raises(ValueError, match="vector"):
        rank("tea", vector, MANY, now=NOW, limit=3)
