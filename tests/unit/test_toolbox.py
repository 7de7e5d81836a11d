"""The tools of one turn: each call gets a result, whatever goes wrong, and one label is one figure."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noted.conversation.toolbox import FAILED, NO_TIME, RESULT_CHARACTERS, Lettering, Toolbox
from noted.conversation.tools import Arguments, LabelledFigure, Tool, ToolContext, ToolOutcome
from noted.models.seam import ToolCall

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


class AskArguments(Arguments):
    """What the test tool is asked."""

    what: str = "home"
    more: tuple[dict[str, str], ...] = ()


Function = Callable[[AskArguments, ToolContext], ToolOutcome]


def tool(function: Function, name: str = "ask", **fields: Any) -> Tool[AskArguments]:
    return Tool(name, "Answers.", AskArguments, function, **fields)


def balance(value: str, meaning: str = "what is on the account") -> ToolOutcome:
    return ToolOutcome((LabelledFigure("balance", value, meaning),))


def toolbox(*tools: Tool[Any], lettering: Lettering | None = None) -> Toolbox:
    return Toolbox(tools, NOW, "Europe/Lisbon", lettering or Lettering())


def call(name: str = "ask", call_id: str = "c1", **arguments: object) -> ToolCall:
    return ToolCall(call_id, name, arguments)


def test_the_model_is_told_labels_and_meanings_and_the_code_keeps_the_values() -> None:
    box = toolbox(tool(lambda *_: balance("1,523.40"), namespace="account"))
    result = box.run(call(call_id="c7"), 10)
    assert (result.call_id, result.failed) == ("c7", False)
    assert "[account.balance]: what is on the account" in result.text.splitlines()
    assert "1,523.40" not in result.text
    assert box.figures == {"account.balance": "1,523.40"}
    assert box.known == {"account."}


def test_plain_text_stands_below_the_labels() -> None:
    outcome = replace(balance("7"), text="It is as of this morning.\n\tSee\u200b there.")
    result = toolbox(tool(lambda *_: outcome, namespace="account")).run(call(), 10)
    assert result.text.endswith("\nIt is as of this morning.\n See there.")


def test_an_outcome_may_say_that_there_is_no_answer() -> None:
    outcome = ToolOutcome(text="There is no such account.", failed=True)
    result = toolbox(tool(lambda *_: outcome)).run(call(), 10)
    assert (result.text, result.failed) == ("There is no such account.", True)


def test_an_empty_outcome_is_still_a_result() -> None:
    assert toolbox(tool(lambda *_: ToolOutcome())).run(call(), 10).text.strip()


def test_one_label_never_stands_for_two_figures() -> None:
    """The same figure keeps its label; another value, or another meaning, has a number behind the name."""
    values = {"home": "10", "work": "20", "again": "10", "loan": "20"}

    def look_up(arguments: AskArguments, _: ToolContext) -> ToolOutcome:
        return balance(values[arguments.what], "owed" if arguments.what == "loan" else "saved")

    box = toolbox(tool(look_up, namespace="account"))
    labels = [box.run(call(what=what), 10).text.split("]")[0] + "]" for what in values]
    assert labels == ["[account.balance]", "[account.balance_2]", "[account.balance]", "[account.balance_3]"]
    assert box.figures == {"account.balance": "10", "account.balance_2": "20", "account.balance_3": "20"}


def test_a_tools_own_numbered_name_is_not_taken_from_it() -> None:
    outcomes = iter(
        (
            ToolOutcome((LabelledFigure("rate_2", "5", "the second rate"),)),
            ToolOutcome((LabelledFigure("rate", "6", "the rate"),)),
            ToolOutcome((LabelledFigure("rate", "7", "the rate"),)),
        )
    )
    box = toolbox(tool(lambda *_: next(outcomes), namespace="loan"))
    for _ in range(3):
        box.run(call(), 10)
    assert box.figures == {"loan.rate_2": "5", "loan.rate": "6", "loan.rate_3": "7"}


FIGURES = st.builds(
    LabelledFigure,
    st.from_regex(r"(rate|day)(_[23])?", fullmatch=True),
    st.integers(10**6, 10**6 + 3).map("{:,}".format),
    st.sampled_from(["what is saved", "what is owed"]),
)


@given(st.lists(st.lists(FIGURES, max_size=4), max_size=6))
def test_every_label_that_is_told_stands_for_its_figure(rounds: list[list[LabelledFigure]]) -> None:
    """Whatever names and values come together, and however often; the model reads no value."""
    outcomes = iter(rounds)
    box = toolbox(tool(lambda *_: ToolOutcome(tuple(next(outcomes))), namespace="loan"))
    told: dict[str, tuple[str, str]] = {}
    for figures in rounds:
        result = box.run(call(), 10)
        assert not result.failed
        assert "1,000," not in result.text
        lines = [line for line in result.text.splitlines() if line.startswith("[")]
        assert len(lines) == len(figures)
        for line, figure in zip(lines, figures, strict=True):
            label, meaning = line.removeprefix("[").split("]: ")
            assert meaning == figure.meaning
            assert told.setdefault(label, (figure.value, meaning)) == (figure.value, meaning)
    assert box.figures == {label: value for label, (value, _) in told.items()}


def test_figures_can_be_seen_from_outside_as_they_come_and_not_changed() -> None:
    box = toolbox(tool(lambda *_: balance("1"), namespace="account"))
    seen = box.figures
    assert not seen
    box.run(call(), 10)
    assert seen == {"account.balance": "1"}
    with pytest.raises(TypeError):
        seen["account.balance"] = "2"  # type: ignore[index]


def test_a_tool_that_is_not_there_is_a_failed_result_that_names_those_that_are(
    caplog: pytest.LogCaptureFixture,
) -> None:
    box = toolbox(tool(lambda *_: ToolOutcome()), tool(lambda *_: ToolOutcome(), name="other"))
    result = box.run(call("my phone is 5550100"), 10)
    assert result.failed
    assert "ask, other" in result.text
    assert "5550100" not in result.text + str([vars(each) for each in caplog.records])


def test_wrong_arguments_are_a_failed_result_that_names_them_and_nothing_is_looked_up() -> None:
    called: list[AskArguments] = []

    def look_up(arguments: AskArguments, _: ToolContext) -> ToolOutcome:
        called.append(arguments)
        return ToolOutcome()

    box = toolbox(tool(look_up, live=True))
    result = box.run(call(user_id="u-2"), 10)
    assert result.failed
    assert "user_id" in result.text
    assert not called
    assert not box.live


@pytest.mark.parametrize("error", [ValueError, KeyError, OSError, TimeoutError, RecursionError])
def test_an_error_in_a_tool_is_a_neutral_result_and_its_type_in_the_log(
    error: type[Exception], caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: AskArguments, __: ToolContext) -> ToolOutcome:
        raise error("Alice's secret 4711")

    caplog.set_level(logging.DEBUG)
    result = toolbox(tool(fail)).run(call(), 10)
    assert (result.text, result.failed) == (FAILED, True)
    logged = str([vars(each) for each in caplog.records])
    assert f"'error_type': '{error.__name__}'" in logged
    assert "secret" not in logged


def test_an_outcome_that_breaks_a_rule_tells_the_model_nothing() -> None:
    box = toolbox(tool(lambda *_: replace(balance("1,523.40"), text="1,523.40"), namespace="account"))
    assert box.run(call(), 10).text == FAILED
    assert box.figures == {}
    assert box.outcomes == []


def test_a_tool_that_takes_too_long_is_given_up() -> None:
    released = threading.Event()

    def wait(_: AskArguments, __: ToolContext) -> ToolOutcome:
        released.wait(60)
        return balance("1")

    box = toolbox(tool(wait, namespace="account", seconds=0.01))
    try:
        result = box.run(call(), 10)
    finally:
        released.set()
    assert (result.text, result.failed) == (FAILED, True)
    assert box.figures == {}


def test_a_tool_is_told_when_where_and_for_how_long() -> None:
    contexts: list[ToolContext] = []

    def look(_: AskArguments, context: ToolContext) -> ToolOutcome:
        contexts.append(context)
        return ToolOutcome()

    box = toolbox(tool(look, seconds=5))
    box.run(call(), 10)
    box.run(call(), 3)
    assert contexts == [ToolContext(NOW, "Europe/Lisbon", 5), ToolContext(NOW, "Europe/Lisbon", 3)]


def test_without_time_nothing_is_called() -> None:
    box = toolbox(tool(lambda *_: balance("1"), namespace="account", live=True))
    result = box.run(call(), 0)
    assert (result.text, result.failed) == (NO_TIME, True)
    assert box.figures == {}
    assert not box.live


@pytest.mark.parametrize("fails", [True, False])
def test_a_live_lookup_marks_the_turn_even_when_it_fails(fails: bool) -> None:
    def look(_: AskArguments, __: ToolContext) -> ToolOutcome:
        if fails:
            raise OSError
        return ToolOutcome()

    box = toolbox(tool(lambda *_: ToolOutcome(), name="still"), tool(look, live=True))
    box.run(call("still"), 10)
    assert not box.live
    box.run(call(), 10)
    assert box.live


def test_a_result_is_bounded_and_cut_between_words() -> None:
    outcome = replace(balance("7"), text="<PHONE_A> said so, " * 1000)
    result = toolbox(tool(lambda *_: outcome, namespace="account")).run(call(), 10)
    assert len(result.text) <= RESULT_CHARACTERS
    assert result.text.startswith("[account.balance]: ")
    assert result.text.removesuffix(" …").split()[-1] in ("<PHONE_A>", "said", "so,")


def test_a_word_without_end_is_cut_too() -> None:
    result = toolbox(tool(lambda *_: ToolOutcome(text="x" * 10_000))).run(call(), 10)
    assert len(result.text) == RESULT_CHARACTERS


def shouted(text: str) -> str:
    return text.replace("5550100", "<PHONE_A>")


def typed(text: str) -> str:
    return text.replace("<PHONE_A>", "5550100")


@pytest.mark.parametrize("needs_values", [True, False])
def test_only_a_tool_that_asks_for_values_gets_them_at_any_depth(needs_values: bool) -> None:
    asked: list[AskArguments] = []

    def look(arguments: AskArguments, _: ToolContext) -> ToolOutcome:
        asked.append(arguments)
        return ToolOutcome(text=f"Called {arguments.what}.")

    box = toolbox(
        tool(look, needs_values=needs_values, numbers_in_text=True),
        lettering=Lettering(lettered=shouted, revealed=typed),
    )
    result = box.run(call(what="<PHONE_A>", more=[{"to": "<PHONE_A>"}]), 10)
    number = "5550100" if needs_values else "<PHONE_A>"
    assert asked == [AskArguments(what=number, more=({"to": number},))]
    # Whatever the tool was given, the prompt gets the placeholder.
    assert result.text == "Called <PHONE_A>."


def test_the_labels_of_replayed_turns_are_known() -> None:
    box = Toolbox([], NOW, "UTC", earlier_labels=["account.balance"])
    assert box.known == {"account.balance"}
    assert box.definitions == ()
