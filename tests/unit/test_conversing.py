"""The answering model with its tools, over a model that says what a test tells it to."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from noted.conversation.conversing import MOST_CALLS, MOST_ROUNDS, Conversed, converse
from noted.conversation.figures import labels_in
from noted.conversation.toolbox import FAILED, NO_TIME, Toolbox
from noted.conversation.tools import Arguments, LabelledFigure, Tool, ToolContext, ToolOutcome
from noted.errors import MalformedOutput, ModelRefused, ModelUnavailable
from noted.models.seam import (
    Block,
    Prompt,
    PromptMessage,
    Purpose,
    Reply,
    ToolCall,
    ToolResult,
    Usage,
)
from noted.privacy.letters import Letters
from noted.privacy.unmasking import NO_FIGURE, StreamRestorer

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
ONE_CALL = Usage(input_tokens=100, output_tokens=10, cache_read_tokens=60, model_calls=1)


class LookArguments(Arguments):
    """Which account."""

    account: str = "home"


def look(arguments: LookArguments, _: ToolContext) -> ToolOutcome:
    if arguments.account == "broken":
        raise OSError("a customer's words")
    return ToolOutcome((LabelledFigure("balance", "1,523.40", "what is on the account"),))


LOOK = Tool("look", "Looks up a balance.", LookArguments, look, namespace="account", live=True)


class ScriptedModel:
    """Says one reply after the other, and keeps the prompts. A streamed reply comes word by word."""

    name = "scripted"

    def __init__(self, *replies: Reply | Exception | Callable[[Prompt], Reply]) -> None:
        self._replies = iter(replies)
        self.prompts: list[Prompt] = []

    def call(self, prompt: Prompt) -> Reply:
        self.prompts.append(prompt)
        reply = next(self._replies)
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, Reply) else reply(prompt)

    def stream(self, prompt: Prompt) -> Iterator[str | Reply]:
        reply = self.call(prompt)
        words = reply.text.split(" ")
        yield from (word + " " for word in words[:-1])
        if words[-1]:
            yield words[-1]
        yield reply


def said(text: str) -> Reply:
    return Reply(text, usage=ONE_CALL)


def calls(*calls: ToolCall, text: str = "") -> Reply:
    return Reply(text, usage=ONE_CALL, tool_calls=calls)


def look_up(call_id: str = "c1", **arguments: object) -> ToolCall:
    return ToolCall(call_id, "look", arguments)


def toolbox(*tools: Tool[Any]) -> Toolbox:
    return Toolbox(tools or (LOOK,), NOW, "UTC")


def prompt(box: Toolbox) -> Prompt:
    return Prompt(
        Purpose.ANSWER,
        (Block("You are helpful.", cache_point=True),),
        (PromptMessage("user", (Block("What have I got?"),)),),
        tools=box.definitions,
    )


def run(answering: Generator[str, None, Conversed]) -> tuple[list[str], Conversed]:
    pieces = []
    while True:
        try:
            pieces.append(next(answering))
        except StopIteration as end:
            return pieces, end.value


def conversed(
    model: ScriptedModel, box: Toolbox, *, streamed: bool = False, **time: Any
) -> tuple[list[str], Conversed]:
    return run(converse(model, prompt(box), box, streamed=streamed, **({"seconds": 20} | time)))


STREAMED = pytest.mark.parametrize("streamed", [False, True])


@STREAMED
def test_an_answer_without_tools_is_one_call(streamed: bool) -> None:
    model, box = ScriptedModel(said("You have enough.")), toolbox()
    pieces, whole = conversed(model, box, streamed=streamed)
    assert pieces == (["You ", "have ", "enough."] if streamed else ["You have enough."])
    assert whole == Conversed("You have enough.", ONE_CALL, (), live=False, recalled=(), remembered=())
    assert model.prompts == [prompt(box)]


@STREAMED
def test_a_tool_is_called_and_its_result_stands_at_the_end_of_the_prompt(streamed: bool) -> None:
    call = look_up()
    model, box = ScriptedModel(calls(call), said("You have [account.balance] EUR.")), toolbox()
    pieces, whole = conversed(model, box, streamed=streamed)
    assert "".join(pieces) == whole.text == "You have [account.balance] EUR."
    assert (whole.figures, whole.live) == (("account.balance",), True)
    assert box.figures == {"account.balance": "1,523.40"}
    assert whole.usage == ONE_CALL + ONE_CALL

    first, second = model.prompts
    asked, answered = second.messages[1:]
    assert replace(second, messages=second.messages[:1]) == first == prompt(box)
    assert asked == PromptMessage("assistant", (call,))
    assert answered.role == "user"
    [result] = answered.blocks
    assert isinstance(result, ToolResult)
    assert (result.call_id, result.failed) == ("c1", False)
    assert "1,523.40" not in str(model.prompts)


@STREAMED
def test_what_is_said_before_a_call_belongs_to_the_answer(streamed: bool) -> None:
    model = ScriptedModel(calls(look_up(), text="Let me see."), said("It is [account.balance]."))
    pieces, whole = conversed(model, toolbox(), streamed=streamed)
    assert "".join(pieces) == whole.text == "Let me see.\n\nIt is [account.balance]."
    assert model.prompts[1].messages[1].blocks == (Block("Let me see."), look_up())


@STREAMED
def test_blanks_before_a_call_are_no_text(streamed: bool) -> None:
    model = ScriptedModel(calls(look_up(), text="  "), said("It is [account.balance]."))
    pieces, whole = conversed(model, toolbox(), streamed=streamed)
    assert "".join(pieces) == whole.text == "It is [account.balance]."
    assert model.prompts[1].messages[1].blocks == (look_up(),)


@STREAMED
def test_a_label_counts_as_filled_only_if_its_figure_was_there_before(streamed: bool) -> None:
    """By the time that the tool is called, the customer has read the first sentence. What is told as filled
    is what filling in the pieces as they come has filled."""
    model = ScriptedModel(
        calls(look_up(), text="I think it is [account.balance]."),
        calls(ToolCall("c2", "rates", {}), text="Not [rate.eur_usd] yet."),
        said("It is [account.balance] of [account.limit] [sic]."),
    )
    rates = Tool(
        "rates",
        "Looks up a rate.",
        LookArguments,
        lambda *_: ToolOutcome((LabelledFigure("eur_usd", "1.0705", "a rate"),)),
        namespace="rate",
    )
    box = toolbox(LOOK, rates)
    restorer = StreamRestorer(Letters(), {}, box.figures, box.known)
    answering = converse(model, prompt(box), box, streamed=streamed, seconds=20)
    shown, whole = "", None
    while whole is None:
        try:
            shown += restorer.feed(next(answering))
        except StopIteration as end:
            whole = end.value
    shown += restorer.finish()
    assert whole.figures == ("account.balance",)
    assert labels_in(restorer.stored, box.figures) == whole.figures
    first, second, third = shown.split("\n\n")
    assert first == f"I think it is {NO_FIGURE}."
    assert second == f"Not {NO_FIGURE} yet."
    assert third == f"It is 1,523.40 of {NO_FIGURE} [sic]."


def test_figures_that_the_answer_does_not_show_are_not_told() -> None:
    _, whole = conversed(ScriptedModel(calls(look_up()), said("Enough, of [account.limit].")), toolbox())
    assert whole.figures == ()
    assert whole.live


def test_several_calls_of_one_reply_have_a_result_each_in_order() -> None:
    model = ScriptedModel(
        calls(
            look_up("c1"),
            ToolCall("c2", "sell", {}),
            look_up("c3", account="broken"),
            look_up("c4", user="u-2"),
        ),
        said("Well."),
    )
    conversed(model, toolbox())
    results = [block for block in model.prompts[1].messages[2].blocks if isinstance(block, ToolResult)]
    assert [(result.call_id, result.failed) for result in results] == [
        ("c1", False),
        ("c2", True),
        ("c3", True),
        ("c4", True),
    ]
    assert "no such tool" in results[1].text
    assert results[2].text == FAILED
    assert "user" in results[3].text


def texts_of(message: PromptMessage) -> str:
    return "\n".join(block.text for block in message.blocks if isinstance(block, Block))


@STREAMED
def test_after_the_last_round_the_model_is_asked_once_more_without_tools(streamed: bool) -> None:
    model = ScriptedModel(
        *(calls(look_up(f"c{number}"), text=f"Look {number}.") for number in range(MOST_ROUNDS)),
        calls(look_up("again"), text="It is [account.balance]."),
    )
    _, whole = conversed(model, toolbox(), streamed=streamed)
    assert len(model.prompts) == MOST_ROUNDS + 1
    last = model.prompts[-1]
    # A prompt without tools has no block of a call, which a provider would refuse.
    assert last.tools == ()
    assert all(isinstance(block, Block) for message in last.messages for block in message.blocks)
    assert [message.role for message in last.messages] == ["user"] + ["assistant", "user"] * MOST_ROUNDS
    assert last.messages[0] == model.prompts[0].messages[0]
    assert texts_of(last.messages[1]) == "Look 0."
    assert "[account.balance]: what is on the account" in texts_of(last.messages[2])
    # What it asks for now is not done.
    assert whole.text.endswith("\n\nIt is [account.balance].")
    assert whole.usage.model_calls == MOST_ROUNDS + 1
    assert whole.figures == ("account.balance",)


def test_a_call_without_words_is_told_in_words_when_the_tools_are_gone() -> None:
    model = ScriptedModel(*(calls(look_up(f"c{number}")) for number in range(MOST_ROUNDS)), said("Well."))
    conversed(model, toolbox())
    assert all(texts_of(message).strip() for message in model.prompts[-1].messages)


def test_no_more_than_so_many_calls_are_made() -> None:
    made: list[str] = []

    def count(arguments: LookArguments, _: ToolContext) -> ToolOutcome:
        made.append(arguments.account)
        return ToolOutcome(text="Yes.")

    box = toolbox(replace(LOOK, function=count))
    wanted = [look_up(f"c{number}", account=str(number)) for number in range(MOST_CALLS + 3)]
    model = ScriptedModel(calls(*wanted[:2]), calls(*wanted[2:]), said("Well."))
    _, whole = conversed(model, box)
    assert made == [str(number) for number in range(MOST_CALLS)]
    assert whole.text == "Well."
    assert len(model.prompts) == 3
    assert model.prompts[-1].tools == ()
    assert texts_of(model.prompts[-1].messages[-1]).count("No more calls") == 3


def test_calls_that_fail_count_too() -> None:
    unknown = [calls(*(ToolCall(f"c{n}", "sell", {}) for n in range(MOST_CALLS // 2))) for _ in range(2)]
    model = ScriptedModel(*unknown, said("Well."))
    conversed(model, toolbox())
    assert [bool(each.tools) for each in model.prompts] == [True, True, False]


class Stopwatch:
    """A clock that moves on with each call of a model or a tool."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_when_the_time_is_over_no_tool_is_called_and_the_model_answers_with_what_there_is() -> None:
    watch, made = Stopwatch(), []

    def slow(arguments: LookArguments, context: ToolContext) -> ToolOutcome:
        made.append((arguments.account, context.seconds))
        watch.seconds += 4
        return ToolOutcome(text="Yes.")

    def thinking(_: Prompt) -> Reply:
        watch.seconds += 7
        return calls(look_up("c1", account="a"), look_up("c2", account="b"))

    model = ScriptedModel(thinking, said("Well."))
    _, whole = conversed(model, toolbox(replace(LOOK, function=slow)), seconds=20, monotonic=watch)
    # Tools have half of the 20 seconds: 3 were left for the first call, none for the second.
    assert made == [("a", 3.0)]
    assert whole.text == "Well."
    assert model.prompts[-1].tools == ()
    assert NO_TIME in texts_of(model.prompts[-1].messages[-1])


def test_a_slow_model_is_asked_once_even_when_the_time_is_over() -> None:
    watch = Stopwatch()
    model, box = ScriptedModel(said("Well.")), toolbox()
    _, whole = conversed(model, box, seconds=0, monotonic=watch)
    assert whole.text == "Well."
    assert model.prompts == [prompt(box)]


def test_a_call_that_no_offered_tool_answers_is_not_an_answer() -> None:
    """A model that calls a tool although it was offered none gets no second chance to do so."""
    box = Toolbox([], NOW, "UTC")
    model = ScriptedModel(calls(look_up(), text="Hm."))
    _, whole = conversed(model, box)
    assert whole.text == "Hm."
    assert len(model.prompts) == 1


def test_a_model_that_says_nothing_leaves_the_answer_empty() -> None:
    pieces, whole = conversed(ScriptedModel(said(" \n")), toolbox())
    assert (pieces, whole.text) == ([], "")


@STREAMED
@pytest.mark.parametrize("error", [ModelUnavailable("timeout"), ModelRefused("refused")])
def test_an_error_of_the_model_is_raised_in_any_round(error: Exception, streamed: bool) -> None:
    with pytest.raises(type(error)):
        conversed(ScriptedModel(error), toolbox(), streamed=streamed)
    with pytest.raises(type(error)):
        conversed(ScriptedModel(calls(look_up()), error), toolbox(), streamed=streamed)


def test_a_stream_without_an_end_is_malformed() -> None:
    class Cut(ScriptedModel):
        def stream(self, prompt: Prompt) -> Iterator[str | Reply]:
            yield "It is"

    with pytest.raises(MalformedOutput):
        conversed(Cut(), toolbox(), streamed=True)


def test_the_prefix_never_changes() -> None:
    model = ScriptedModel(*(calls(look_up(f"c{number}")) for number in range(3)), said("Well."))
    conversed(model, toolbox())
    for earlier, later in zip(model.prompts, model.prompts[1:], strict=False):
        assert later.messages[: len(earlier.messages)] == earlier.messages
        assert (later.system, later.tools) == (earlier.system, earlier.tools)
