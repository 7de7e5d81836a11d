"""The rules of facts, recall and conversation against the collected cases."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from evals.cost.conversation import talk
from evals.cost.ours import noted
from noted.context import layout
from noted.context.budget import fitting
from noted.conversation.history import replayed
from noted.conversation.replies import NOTHING_KEPT, NOTHING_RECORDED
from noted.conversation.window import WindowLimits, cut
from noted.facts.fact import Kind
from noted.facts.guards import Guard, failing, passed
from noted.facts.proposed import ProposedFact
from noted.facts.remember import statement
from noted.facts.repeats import without_repeats
from noted.recall.block import render
from noted.recall.recollection import asks_for_recollection, listed, reply_passes

Cases = dict[str, dict[str, Any]]
AMPLE = 10**9  # tokens: a budget that no case reaches
NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)


def proposed(returned: dict[str, str]) -> ProposedFact:
    """The fact of a case that gives no quote: its text is what was said."""
    kind: Kind = "goal" if returned["kind"] == "goal" else "fact"
    return ProposedFact(kind, returned["text"], quote=returned["text"])


def guarded(case: dict[str, Any]) -> tuple[list[str], list[tuple[str, Guard]]]:
    """The texts of an extraction that the guards keep, and those that they drop."""
    given = case["given"]
    facts = [proposed(returned) for returned in given["extractor_returns"]]
    kept, dropped = passed(
        facts,
        {1: "\n".join(fact.text for fact in facts)},
        own_tokens=given.get("user_tokens", ()),
        filled_fields=given.get("filled_fields", ()),
    )
    return [fact.text for fact in kept], [(fact.text, guard) for fact, guard in dropped]


@pytest.mark.parametrize("number", range(1, 6))
def test_guards_keep_statements_and_drop_the_rest(cases: Cases, number: int) -> None:
    case = cases[f"open-extraction-guard-0{number}"]
    then = case["then"]
    kept, dropped = guarded(case)
    assert kept == then["kept"]
    if "dropped" in then:
        assert [text for text, _ in dropped] == then["dropped"]
    assert len(dropped) == then.get("dropped_count", len(then.get("dropped", dropped)))
    assert {guard for _, guard in dropped} <= {
        Guard(then.get("dropped_reason", guard)) for _, guard in dropped
    }


def test_guards_know_the_question_marks_of_other_scripts(cases: Cases) -> None:
    case = cases["open-i18n-01"]
    case["given"]["extractor_returns"] = [
        {"kind": "fact", **one} for one in case["given"]["extractor_returns"]
    ]
    kept, dropped = guarded(case)
    assert kept == case["then"]["kept"]
    assert len(dropped) == case["then"]["dropped_count"]


def test_guards_know_no_question_word_of_another_language(cases: Cases) -> None:
    case = cases["open-i18n-02"]
    first, *others = case["given"]["runs"]
    assert [text for text in first["guard"] if failing(ProposedFact("fact", text, text), text) is None] == (
        case["then"]["run1_kept"]
    )
    for run, stored in zip(others, case["then"]["stored_text"], strict=True):
        [text] = run["extractor_returns"]
        assert text == stored
        assert failing(ProposedFact("fact", text, run["message"]), run["message"]) is None
        block = render([("fact", stored)])
        assert block is not None
        assert block.splitlines()[1] == f"- {stored}"


def test_guards_know_which_fields_the_answer_filled(cases: Cases) -> None:
    given, then = (cases["open-figures-02"][part] for part in ("given", "then"))
    facts = [proposed(returned) for returned in given["extractor_returns"]]
    _, dropped = passed(facts, {1: given["user_message"]}, filled_fields=given["filled"])
    assert set(then["facts_dropped"]) <= {fact.text for fact, _ in dropped}


def test_repeats_go_and_the_order_stays(cases: Cases) -> None:
    case = cases["open-dedup-01"]
    left = without_repeats([proposed(returned) for returned in case["given"]["extractor_returns"]])
    assert [{"kind": fact.kind, "text": fact.text} for fact in left] == case["then"]["kept"]


def test_a_denial_is_kept(cases: Cases) -> None:
    case = cases["open-dedup-02"]
    for run, must in zip(case["given"]["runs"], case["then"]["must_be_kept"], strict=True):
        assert set(must) <= {fact.text for fact in without_repeats([proposed(returned) for returned in run])}


def test_a_figure_is_one_word(cases: Cases) -> None:
    case = cases["open-dedup-03"]
    for run, kept in zip(case["given"]["runs"], case["then"]["kept"], strict=True):
        assert [fact.text for fact in without_repeats([proposed(returned) for returned in run])] == kept


@pytest.mark.parametrize("number", [1, 2])
def test_remember_only_messages_are_told_from_the_others(cases: Cases, number: int) -> None:
    for message, expected in cases[f"open-remember-command-0{number}"]["given"]["messages_to_classify"]:
        assert (statement(message) is not None) is expected, message


def test_the_reply_to_nothing_kept_claims_nothing(cases: Cases) -> None:
    case = cases["open-remember-command-03"]
    assert statement(case["given"]["message"])
    for claim in case["then"]["reply_must_not_contain"]:
        assert claim.casefold() not in NOTHING_KEPT.casefold()
    assert "Nothing was kept" in NOTHING_KEPT
    assert "say it again as one short fact" in NOTHING_KEPT


def test_only_the_leading_remember_comes_off(cases: Cases) -> None:
    for message in cases["open-remember-command-04"]["given"]["messages"]:
        assert statement(message["text"]) in message.get("extraction_input_any_of", [""])


def test_the_block_has_the_lead_then_facts_then_goals(cases: Cases) -> None:
    case = cases["open-recall-01"]
    then = case["then"]["u-1"]
    gone = {verdict["fact_id"] for verdict in case["given"]["verdicts"]}
    live = [fact for fact in case["given"]["facts"] if fact["id"] not in gone and "expires_at" not in fact]
    block = render((fact["kind"], fact["text"]) for fact in live)
    assert block is not None
    lead, *lines = block.split("\n")
    assert lead == then["first_line"]
    assert lines == [f"- {text}" for text in then["then_facts_in_any_stable_order"] + then["then_goals"]]
    assert len(lines) + 1 == then["lines"]
    assert render([]) == case["then"]["u-2"]["block"]


def test_no_fact_leaves_its_line(cases: Cases) -> None:
    case = cases["open-injection-01"]
    block = render((fact["kind"], fact["text"]) for fact in case["given"]["facts"])
    assert block is not None
    lead, *lines = block.splitlines()
    assert lead == case["then"]["first_line"]
    assert len(lines) + 1 == case["then"]["lines"]
    assert not any(mark in block for mark in ("</memory>", "\r", *case["then"]["no_line_starts_with"]))
    assert block.count(lead.partition(" (")[0]) == 1


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_reply_is_checked_against_the_facts(cases: Cases, number: int) -> None:
    given = cases[f"open-what-did-i-tell-you-0{number}"]["given"]
    for reply, expected in given["replies"].items():
        written = "x" * 5_000 if reply.startswith("<the letter x") else reply
        if expected != "either":
            assert reply_passes(written, given["facts"]) is (expected == "pass"), reply
    assert reply_passes(listed([("fact", text) for text in given["facts"]]), given["facts"])


def test_the_line_for_nothing_recorded_says_how_to_start(cases: Cases) -> None:
    assert cases["open-what-did-i-tell-you-03"]["then"]["fixed_line_is_constant"]
    assert "nothing is recorded yet" in NOTHING_RECORDED.casefold()
    assert '"Remember that"' in NOTHING_RECORDED


def test_only_pure_questions_for_what_was_said_are_routed(cases: Cases) -> None:
    for message, expected in cases["open-what-did-i-tell-you-04"]["given"]["messages_to_route"]:
        assert asks_for_recollection(message) is expected, message
        assert statement(message) is None


def test_each_turn_of_the_cost_case_takes_its_route(cases: Cases) -> None:
    remember, told, again, answer, bare = (turn["text"] for turn in cases["open-cost-01"]["given"]["turns"])
    assert statement(remember) == "I park on level 3"
    assert asks_for_recollection(told)
    assert asks_for_recollection(again)
    assert statement(answer) is None
    assert not asks_for_recollection(answer)
    assert statement(bare) == ""


def test_the_arithmetic_of_the_window(cases: Cases) -> None:
    """Over the prompts as they are laid out. A window that is cut back to its own size slides."""
    case = cases["open-context-window-01"]
    for given, expected in zip(case["given"]["cases"], case["then"]["results"], strict=True):
        tokens, turns, window = given["tokens_per_turn"], given["turns"], given["window"]
        for limit, total in ((turns, expected["full"]), (window, expected["windowed"])):
            calls = noted(talk(turns, tokens), WindowLimits(limit, limit, AMPLE))
            assert sum(call.history_tokens for call in calls) == total
        assert expected["windowed"] <= tokens * window * turns


@pytest.mark.parametrize("messages", [51, 52])
def test_replayed_history_alternates_at_every_length(cases: Cases, messages: int) -> None:
    """A message counts as one token of the budget, so a turn that is answered takes two."""
    case = cases["open-context-window-02"]
    assert str(messages) in case["given"]["history"]
    texts: list[str | None] = [f"m{number}" for number in range(1, messages + 1)]
    if messages % 2:
        texts.append(None)  # the last message has no reply
    turns = [(str(said), answer) for said, answer in zip(texts[::2], texts[1::2], strict=True)]
    whole = replayed(turns)
    assert [message.text for message in whole] == [f"m{number}" for number in range(1, messages // 2 * 2 + 1)]
    for setting in case["given"]["settings"]:
        most = setting["max_messages"]
        left_out = fitting([1 if answer is None else 2 for _, answer in turns], most)
        history = replayed(turns[left_out:])
        assert history == whole[len(whole) - len(history) :]
        assert len(history) <= most
        expected = case["then"].get(f"max_messages={most}", {"replayed": len(history)})
        assert len(history) == expected["replayed"]
        new, always = layout.NewMessage("And now?", NOON, "UTC"), case["given"]["system_prompt"]
        prompt = layout.answer(always, None, history, new)
        roles = [message.role for message in prompt.messages]
        assert roles == ["user", "assistant"] * (len(history) // 2) + ["user"]
        assert prompt.system == layout.answer(always, None, [], new).system
        assert prompt.system[-1].text == always


def test_eviction_in_batches_keeps_the_prefix(cases: Cases) -> None:
    given, then = (cases["open-context-window-03"][part] for part in ("given", "then"))
    limits = WindowLimits(given["low"] // 2, given["high"] // 2, AMPLE)
    turns = [(f"question {number}", f"answer {number}") for number in range(10)]
    before = replayed(turns)
    changes = 0
    for number in range(10, 10 + given["appended"] // 2):
        turns.append((f"question {number}", f"answer {number}"))
        leaving = cut([1] * len(turns), limits)
        del turns[:leaving]
        window = replayed(turns)
        assert then["window_never_below"] <= len(window) <= then["window_never_above"]
        changes += bool(leaving)
        if not leaving:
            assert window[: len(before)] == before
        before = window
    assert changes <= then["times_the_first_message_changes_at_most"]
