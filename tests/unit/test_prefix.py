"""What two prompts of a conversation have in common from their first byte on, which is what caches find."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.cost.conversation import talk
from noted.context import layout
from noted.context.lettering import lettered
from noted.conversation import summary as summaries_of
from noted.conversation.turn import Kept, Route, Summary, Turn
from noted.conversation.window import WINDOW, WindowLimits, cut
from noted.models.seam import Prompt, ToolDefinition
from noted.recall.block import render
from tests.serialised import bedrock_prefix, digest, openai_prefix

ROOT = Path(__file__).resolve().parents[2]
NOON = datetime(2026, 3, 10, 11, 0, tzinfo=UTC)
ZONE = "Europe/Paris"
TOOLS = (
    ToolDefinition(
        "recall", "Looks for what was told.", {"type": "object", "properties": {"query": {"type": "string"}}}
    ),
    ToolDefinition("remember", "Keeps a fact.", {"required": ["text"], "type": "object"}),
)
# The two ways in which a prompt is written down: the part that can be found again, and the whole.
Written = Callable[[Prompt], tuple[bytes, bytes]]
WAYS: list[Written] = [openai_prefix, bedrock_prefix]

# Text holds ids of personal values, for which letters are given in each prompt, and what looks like letters.
pieces = st.sampled_from(
    (
        *("\u27e6phone:kqzxmhwbtrnvdlcs\u27e7", "\u27e6phone:aaaabbbbccccdddd\u27e7"),
        *("\u27e6email:zzzzyyyyxxxxwwww\u27e7", "<PHONE_A>", "<PHONE_B>", "[earlier PHONE_A]", " and "),
    )
)
texts = (
    st.lists(pieces | st.text(min_size=1, max_size=20), min_size=1, max_size=4).map("".join).filter(str.strip)
)
pasted = st.lists(texts, max_size=2).map(tuple)
facts = st.none() | st.lists(texts, min_size=1, max_size=3).map(
    lambda told: render(("fact", each) for each in told)
)


def turn(message: str, answer: str, pasted: tuple[str, ...] = ()) -> Turn:
    return Turn("tn_1", "cv_1", NOON, NOON, Route.ANSWER, message, answer, Kept.QUEUED, pasted=pasted)


summaries = st.none() | st.builds(
    lambda text, pinned: Summary(text, tuple(pinned), "tn_0"), texts, st.lists(texts, max_size=2)
)
turns = st.lists(st.builds(turn, texts, texts, pasted), max_size=6)


def prompt(
    window: Sequence[Turn],
    message: str,
    *,
    snapshot: str | None = None,
    summary: Summary | None = None,
    recalled: str | None = None,
    now: datetime = NOON,
) -> Prompt:
    """The prompt for a message, as it is sent."""
    running = summary.block if summary else None
    new = layout.NewMessage(message, now, ZONE, recalled=recalled)
    prompt, _ = lettered(layout.answer(snapshot, running, layout.history(window), new, TOOLS))
    return prompt


@pytest.mark.parametrize("way", WAYS)
@given(st.data())
def test_without_a_cut_what_could_be_cached_is_a_prefix_of_the_next_prompt(
    way: Written, data: st.DataObject
) -> None:
    window, snapshot, running = data.draw(turns), data.draw(facts), data.draw(summaries)
    said = data.draw(st.builds(turn, texts, texts, pasted))
    days = data.draw(st.integers(0, 3))
    earlier = prompt(window, said.message, snapshot=snapshot, summary=running, recalled=data.draw(facts))
    later = prompt(
        [*window, said],
        data.draw(texts),
        snapshot=snapshot,
        summary=running,
        recalled=data.draw(facts),
        now=NOON + timedelta(days=days),
    )
    cacheable, _ = way(earlier)
    longer, whole = way(later)
    assert cacheable
    assert longer.startswith(cacheable)
    assert whole.startswith(longer)
    assert len(longer) > len(cacheable)


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=25)
@given(st.lists(st.builds(turn, texts, texts, pasted), min_size=5, max_size=14), facts)
def test_a_cut_changes_it_once(way: Written, said: list[Turn], snapshot: str | None) -> None:
    limits = WindowLimits(low=2, high=4, budget_tokens=10**9)
    window: list[Turn] = []
    running: Summary | None = None
    before, cut_before, changed, cuts = b"", False, [], []
    for number, new in enumerate(said):
        cacheable, _ = way(prompt(window, new.message, snapshot=snapshot, summary=running))
        if not cacheable.startswith(before):
            changed.append(number)
        if cut_before:
            cuts.append(number)
        before = cacheable
        window.append(new)
        leaving = cut([layout.tokens(each) for each in window], limits)
        cut_before = leaving > 0
        if leaving:
            running = summaries_of.summarised(running, window[:leaving], f"What was said up to {number}.")
            del window[:leaving]
    assert changed == cuts
    assert cuts


@pytest.mark.parametrize("way", WAYS)
@given(turns, facts, summaries, texts, facts, st.integers(0, 24 * 3600 - 1))
def test_the_second_of_the_day_changes_no_byte(
    way: Written,
    window: list[Turn],
    snapshot: str | None,
    running: Summary | None,
    message: str,
    recalled: str | None,
    second: int,
) -> None:
    midnight = datetime(2026, 3, 10, tzinfo=ZoneInfo(ZONE))
    built = [
        prompt(window, message, snapshot=snapshot, summary=running, recalled=recalled, now=now)
        for now in (midnight, midnight + timedelta(seconds=second))
    ]
    assert way(built[0]) == way(built[1])


def test_every_process_writes_the_same_bytes() -> None:
    code = "from tests.serialised import digest; print(digest())"
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("0", "1", "4242")
    }
    assert digests == {digest()}


@pytest.mark.parametrize("way", WAYS)
def test_in_a_steady_conversation_nine_tenths_of_each_prefix_stood_in_the_one_before(way: Written) -> None:
    # 20 turns of 400 tokens behind a window of 10, as a cut leaves it.
    held = talk(31)
    window = list(held.turns[:10])
    before, _ = way(prompt(window, held.turns[10].message, snapshot=held.snapshot))
    cuts = 0
    for new, following in pairwise(held.turns[10:]):
        window.append(new)
        leaving = cut([layout.tokens(each) for each in window], WINDOW)
        del window[:leaving]
        cacheable, _ = way(prompt(window, following.message, snapshot=held.snapshot))
        if leaving:
            cuts += 1
            assert not cacheable.startswith(before)
        else:
            assert cacheable.startswith(before)
            assert len(before) >= 0.9 * len(cacheable)
        before = cacheable
    # Most turns are no cut.
    assert 1 <= cuts <= 20 / 5
