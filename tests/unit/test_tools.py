"""A tool: its definition, its arguments, and what may come out of it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from decimal import Decimal
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, field_validator

from noted.conversation.tools import (
    ARGUMENT_CHARACTERS,
    MEANING_CHARACTERS,
    MOST_FIGURES,
    VALUE_CHARACTERS,
    Arguments,
    ArgumentsRefused,
    LabelledFigure,
    Tool,
    ToolContext,
    ToolFault,
    ToolOutcome,
    definitions,
)


class AccountArguments(Arguments):
    """Which account."""

    name: Annotated[str, Field(max_length=40, description="What the customer calls it.")]
    months: Annotated[int, Field(ge=1, le=12)] = 1
    least: Decimal = Decimal(0)

    @field_validator("name")
    @classmethod
    def _is_known(cls, name: str) -> str:
        if name == "unknown":
            raise ValueError(f"no account is called {name}")
        return name


def nothing(_: AccountArguments, __: ToolContext) -> ToolOutcome:
    return ToolOutcome()


ACCOUNT = Tool("balance", "Looks up a balance.", AccountArguments, nothing, namespace="account")
BALANCE = LabelledFigure("balance", "1,523.40", "what is on the account")


def test_a_model_is_told_the_name_the_description_and_a_closed_schema() -> None:
    definition = ACCOUNT.definition
    assert (definition.name, definition.description) == ("balance", "Looks up a balance.")
    assert definition.parameters["type"] == "object"
    assert definition.parameters["additionalProperties"] is False
    assert definition.parameters["required"] == ["name"]
    assert definition.parameters["properties"]["name"] == {
        "description": "What the customer calls it.",
        "maxLength": 40,
        "type": "string",
    }
    assert definition.parameters["properties"]["months"] == {
        "default": 1,
        "maximum": 12,
        "minimum": 1,
        "type": "integer",
    }
    assert "title" not in str(definition.parameters)
    assert "Which account" not in str(definition.parameters)


def test_an_argument_may_be_called_title() -> None:
    class Titled(Arguments):
        title: str

    parameters = Tool("book", "Finds a book.", Titled, lambda *_: ToolOutcome()).definition.parameters
    assert parameters["properties"] == {"title": {"type": "string"}}
    assert parameters["required"] == ["title"]


def test_definitions_are_told_in_one_order_and_are_the_same_bytes_in_every_process() -> None:
    other = replace(ACCOUNT, name="aaa", namespace="")
    assert definitions([ACCOUNT, other]) == definitions([other, ACCOUNT])
    assert [each.name for each in definitions([ACCOUNT, other])] == ["aaa", "balance"]
    program = (
        "import json\nfrom noted.conversation.memory_tools import RememberArguments\n"
        "from noted.conversation.tools import Tool\n"
        "tool = Tool('t', 'd', RememberArguments, print)\nprint(json.dumps(tool.definition.parameters))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "Balance"},
        {"name": ""},
        {"name": "b" * 65},
        {"name": "get-balance"},
        {"description": " "},
        {"namespace": "Account"},
        {"namespace": "account.of"},
        {"seconds": 0},
    ],
)
def test_a_definition_that_cannot_be_used_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="tool"):
        replace(ACCOUNT, **changes)


def test_a_tool_that_would_take_any_argument_is_refused() -> None:
    class Open(Arguments):
        model_config = ConfigDict(extra="allow")

    with pytest.raises(ValueError, match="arguments that it does not have"):
        Tool("open", "Takes anything.", Open, lambda *_: ToolOutcome())
    assert issubclass(Open, BaseModel)


def test_two_tools_cannot_share_a_name_or_a_namespace() -> None:
    for other in (replace(ACCOUNT, namespace="other"), replace(ACCOUNT, name="other")):
        with pytest.raises(ValueError, match="of its own"):
            definitions([ACCOUNT, other])


def test_arguments_are_read_with_their_types_and_defaults() -> None:
    read = ACCOUNT.read({"name": "home", "least": 0.1})
    assert (read.name, read.months, read.least) == ("home", 1, Decimal("0.1"))


@pytest.mark.parametrize(
    "given, told",
    [
        ({}, "name: "),
        ({"name": "home", "user_id": "u-2"}, "user_id: "),
        ({"name": "home", "months": 13}, "months: "),
        ({"name": "home", "months": "soon"}, "months: "),
        ({"name": 7}, "name: "),
        ({"name": "home", "least": float("nan")}, "least: "),
        ({"name": "x" * ARGUMENT_CHARACTERS}, "too long"),
        ({"name": {1, 2}}, "cannot be read"),
    ],
)
def test_wrong_arguments_are_refused_by_name(given: dict[str, Any], told: str) -> None:
    with pytest.raises(ArgumentsRefused, match=told):
        ACCOUNT.read(given)


def test_arguments_that_are_nested_without_end_are_refused() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ArgumentsRefused, match="cannot be read"):
        ACCOUNT.read({"name": deep})


def test_a_refusal_repeats_no_argument_that_holds_a_personal_value() -> None:
    with pytest.raises(ArgumentsRefused, match="no account is called unknown"):
        ACCOUNT.read({"name": "unknown"})
    with pytest.raises(ArgumentsRefused) as refused:
        replace(ACCOUNT, needs_values=True).read({"name": "unknown"})
    assert str(refused.value) == "name: is not right"


@pytest.mark.parametrize(
    "outcome",
    [
        ToolOutcome((BALANCE,)),
        ToolOutcome((BALANCE,), "As of this morning. One of them is for the children."),
        ToolOutcome((replace(BALANCE, value="1\u202f523,40", meaning="le solde"),)),
        ToolOutcome((replace(BALANCE, value="Approved"),), "Loans are paid within a week."),
        ToolOutcome(text="There is no account of that name.", failed=True),
        # What the model wrote itself is no news to it.
        ToolOutcome((replace(BALANCE, meaning="the balance in 6 months"),)),
        ToolOutcome((replace(BALANCE, value="6"),), "The balance after 6 months."),
        # A label stands for a number and is none.
        ToolOutcome((BALANCE,), "Compare it with [account.balance_2]."),
    ],
)
def test_outcomes_that_may_be_used(outcome: ToolOutcome) -> None:
    ACCOUNT.check(outcome, {"name": "home", "months": 6})


@pytest.mark.parametrize(
    "outcome",
    [
        ToolOutcome((replace(BALANCE, name="Balance"),)),
        ToolOutcome((replace(BALANCE, name="bal.ance"),)),
        ToolOutcome((replace(BALANCE, value=""),)),
        ToolOutcome((replace(BALANCE, value="two\nlines"),)),
        ToolOutcome((replace(BALANCE, value="hid\u200bden"),)),
        ToolOutcome((replace(BALANCE, value="9" * (VALUE_CHARACTERS + 1)),)),
        ToolOutcome((replace(BALANCE, meaning=" "),)),
        ToolOutcome((replace(BALANCE, meaning="m" * (MEANING_CHARACTERS + 1)),)),
        ToolOutcome(tuple(replace(BALANCE, name=f"b{n}") for n in range(MOST_FIGURES + 1))),
        # The model is told the label, never the value, and no other number.
        ToolOutcome((BALANCE,), "It is 1,523.40 now."),
        ToolOutcome((replace(BALANCE, meaning="1523.4 EUR"),)),
        ToolOutcome((replace(BALANCE, value="Approved"),), "It was approved."),
        ToolOutcome(text="Error 42."),
        ToolOutcome(text="Reference ٤٢"),
    ],
)
def test_outcomes_that_break_a_rule_are_faults(outcome: ToolOutcome) -> None:
    with pytest.raises(ToolFault):
        ACCOUNT.check(outcome, {"name": "home", "months": 6})


def test_a_tool_that_says_so_may_state_numbers_but_never_a_figures_value() -> None:
    numbers = replace(ACCOUNT, numbers_in_text=True)
    numbers.check(ToolOutcome((BALANCE,), "There are 3 accounts."), {"name": "home"})
    with pytest.raises(ToolFault):
        numbers.check(ToolOutcome((BALANCE,), "There are 3 accounts with 1,523.40."), {"name": "home"})


def test_a_tool_without_a_namespace_gives_no_figure() -> None:
    with pytest.raises(ToolFault):
        replace(ACCOUNT, namespace="").check(ToolOutcome((BALANCE,)), {})
