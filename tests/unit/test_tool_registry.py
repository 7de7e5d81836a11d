"""Which of the deployer's tools are on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import noted
from functions.answer.tools.registry import AVAILABLE, enabled
from noted.conversation.memory_tools import OWN_TOOLS

FUNCTION = Path(__file__).parents[2] / "functions" / "answer"
LIBRARY = Path(noted.__file__).parents[1]


@pytest.mark.parametrize("environment", [{}, {"NOTED_TOOLS": ""}, {"NOTED_TOOLS": " , recall"}])
def test_none_is_on_unless_it_is_named(environment: dict[str, str]) -> None:
    assert enabled(environment) == ()


def test_those_that_are_named_are_on_each_once_and_in_one_order() -> None:
    for names in ("savings,exchange_rates", " exchange_rates, recall, savings,savings"):
        assert [tool.name for tool in enabled({"NOTED_TOOLS": names})] == ["exchange_rates", "savings"]


def test_a_name_that_is_none_is_refused() -> None:
    there_are = "there are exchange_rates, recall, remember, savings"
    with pytest.raises(ValueError, match=f"NOTED_TOOLS names weather; {there_are}"):
        enabled({"NOTED_TOOLS": "savings,weather"})


def test_a_tools_own_setting_counts_only_while_it_is_on() -> None:
    wrong = {"NOTED_EXCHANGE_RATES_URL": "nowhere"}
    assert [tool.name for tool in enabled(wrong | {"NOTED_TOOLS": "savings"})] == ["savings"]
    with pytest.raises(ValueError, match="NOTED_EXCHANGE_RATES_URL"):
        enabled(wrong | {"NOTED_TOOLS": "exchange_rates"})


def test_every_tool_is_listed_by_its_own_name_beside_the_agents_own() -> None:
    assert {tool.name for tool in enabled({"NOTED_TOOLS": ",".join(AVAILABLE)})} == AVAILABLE.keys()
    assert not OWN_TOOLS & AVAILABLE.keys()


def test_the_folder_is_a_package_of_its_own_in_a_function() -> None:
    """There the function's folder is the root of what can be imported."""
    program = (
        "from tools.registry import AVAILABLE, enabled\n"
        "print(len(enabled({'NOTED_TOOLS': ','.join(AVAILABLE)})) == len(AVAILABLE))"
    )
    elsewhere = [path for path in sys.path if path not in ("", str(FUNCTION.parents[1]))]
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        env={"PYTHONPATH": ":".join([str(FUNCTION), str(LIBRARY), *elsewhere])},
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "True", done.stderr
