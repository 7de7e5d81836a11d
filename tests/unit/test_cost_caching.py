"""The model of providers' prompt caches, by numbers worked out by hand from the providers' rules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evals.cost.caching import Input, Part, PointCache, Request, StepCache, common_tokens, read
from evals.cost.rates import RATES, Rates, load
from noted.models.seam import Block, Prompt, PromptMessage, Purpose, ToolDefinition


def request(*parts: tuple[str, int, bool] | tuple[str, int], purpose: Purpose = Purpose.ANSWER) -> Request:
    """A request of parts, each a text, its tokens and whether a cache point follows."""
    return Request(purpose, tuple(Part(part[0].encode(), part[1], part[2:] == (True,)) for part in parts))


def test_a_prompt_is_read_in_the_order_of_providers_tools_system_messages() -> None:
    prompt = Prompt(
        Purpose.ANSWER,
        (Block("system", cache_point=True),),
        (
            PromptMessage("user", (Block("one"),)),
            PromptMessage("assistant", (Block("two", cache_point=True),)),
            PromptMessage("user", (Block("date"), Block("three"))),
        ),
        tools=(ToolDefinition("t", "d", {}),),
    )
    tool, *others = read(prompt).parts
    assert json.loads(tool.data) == {"name": "t", "description": "d", "parameters": {}}
    # 6 letters are 2 tokens; the first block of a message has 4 for the message besides.
    assert others == [
        Part(b"system", 2, True),
        Part(b"\nuser: one", 5),
        Part(b"\nassistant: two", 5, True),
        Part(b"\nuser: date", 5),
        Part(b"three", 2),
    ]


def test_at_cache_points_a_prefix_is_kept_once_and_read_afterwards() -> None:
    cache = PointCache(least=1_024)
    first = request(("system", 1_000, True), ("u1", 100), ("a1", 300, True), ("u2", 50))
    # The first point lies below the least prefix; the second one keeps 1,400 tokens.
    assert cache.send(first) == Input(read=0, written=1_400, plain=50)
    second = request(
        ("system", 1_000, True), ("u1", 100), ("a1", 300), ("u2", 50), ("a2", 350, True), ("u3", 60)
    )
    assert cache.send(second) == Input(read=1_400, written=400, plain=60)
    assert cache.send(second) == Input(read=1_800, written=0, plain=60)


def test_at_cache_points_nothing_below_the_least_prefix_is_kept() -> None:
    cache = PointCache(least=4_096)
    for _ in range(2):
        assert cache.send(request(("system", 4_095, True), ("u1", 10))) == Input(plain=4_105)


def test_at_cache_points_a_changed_byte_ends_what_is_found() -> None:
    cache = PointCache(least=1)
    cache.send(request(("system", 10, True), ("summary", 20, True), ("a1", 40, True), ("u2", 5)))
    changed = request(("system", 10, True), ("Summary", 20, True), ("a1", 40, True), ("u2", 5))
    assert cache.send(changed) == Input(read=10, written=60, plain=5)


def test_at_cache_points_a_prefix_is_looked_for_at_most_20_blocks_back() -> None:
    for blocks, found in ((20, 7), (21, 0)):
        cache = PointCache(least=1)
        cache.send(request(("system", 7, True), ("u", 1)))
        grown = [(f"block {number}", 1) for number in range(blocks - 1)]
        last = request(("system", 7), *grown, ("last", 1, True))
        assert cache.send(last).read == found, blocks


def test_at_most_the_last_four_cache_points_count() -> None:
    cache = PointCache(least=1)
    points = [(f"point {number}", 1, True) for number in range(5)]
    cache.send(request(*points))
    assert cache.send(request(points[0])).read == 0
    assert cache.send(request(*points[:2])).read == 2


def test_in_steps_the_common_prefix_is_found_in_multiples_of_128_from_1024_on() -> None:
    cache = StepCache(least=1_024)
    assert cache.send(request(("system", 1_023))) == Input(plain=1_023)
    # 1,300 tokens in common with nothing yet; 1,280 of them are 10 steps.
    assert cache.send(request(("other", 1_300))) == Input(written=1_280, plain=20)
    assert cache.send(request(("other", 1_300), ("more", 200))) == Input(read=1_280, written=128, plain=92)
    assert cache.send(request(("system", 1_023), ("more", 2))) == Input(written=1_024, plain=1)


def test_in_steps_calls_of_another_purpose_do_not_come_between() -> None:
    cache = StepCache(least=1_024)
    cache.send(request(("answer", 2_048)))
    cache.send(request(("extraction", 2_048), purpose=Purpose.EXTRACTION))
    assert cache.send(request(("answer", 2_048), ("more", 10))).read == 2_048


def test_a_common_prefix_ends_at_the_first_other_byte() -> None:
    assert (
        common_tokens(request(("same", 100), ("abcd", 8)), request(("same", 100), ("abXd", 8), ("z", 9)))
        == 104
    )
    assert common_tokens(request(("same", 100)), request(("same", 100), ("more", 5))) == 100
    assert common_tokens(request(("same", 100)), request(("other", 100))) == 0


def test_a_price_is_the_sum_of_what_each_kind_of_token_costs() -> None:
    rates = Rates("r", input=2.0, cache_write=2.5, cache_read=0.2, output=10.0, caching="points", least=0)
    # 1 M plain at 2, 2 M kept at 2.50, 5 M read at 0.20, 3 M out at 10
    assert rates.dollars(Input(read=5_000_000, written=2_000_000, plain=1_000_000), 3_000_000) == 38.0


@pytest.mark.parametrize("rates", RATES, ids=lambda rates: rates.name)
def test_the_built_in_rates_follow_the_rule_of_their_provider(rates: Rates) -> None:
    write = {"points": 1.25, "steps": 1.0}[rates.caching]
    assert rates.cache_write == pytest.approx(write * rates.input)
    assert rates.cache_read in (pytest.approx(0.1 * rates.input), pytest.approx(0.5 * rates.input))
    assert rates.least >= 1_024


def test_rates_come_from_json(tmp_path: Path) -> None:
    path = tmp_path / "rates.json"
    path.write_text(json.dumps([vars(rates) for rates in RATES]))
    assert load(path) == RATES


@pytest.mark.parametrize(
    "written",
    [
        "",
        "{}",
        "[]",
        "[1]",
        '[{"name": "r"}]',
        json.dumps([vars(RATES[0]) | {"input": -1}]),
        json.dumps([vars(RATES[0]) | {"caching": "none"}]),
        json.dumps([vars(RATES[0]) | {"input": "1"}]),
    ],
)
def test_rates_that_are_none_are_refused(tmp_path: Path, written: str) -> None:
    path = tmp_path / "rates.json"
    path.write_text(written)
    with pytest.raises(ValueError, match=r"rates are|are numbers|caching is"):
        load(path)
