"""What docs/deploy.md and docs/runbook.md tell to run: that it can be, without running it in an account."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import botocore.session
import pytest

from infra.settings import DeploymentSettings, refuse_unknown
from tests.infra.commands import blocks, commands, context, mistake, options
from tests.infra.conftest import ROOT, Template

pytestmark = pytest.mark.xdist_group("infra")

DEPLOY, RUNBOOK = ROOT / "docs" / "deploy.md", ROOT / "docs" / "runbook.md"
PAGES = pytest.mark.parametrize("page", [DEPLOY, RUNBOOK], ids=lambda page: page.stem)
CDK = ROOT / "node_modules" / ".bin" / "cdk"


@pytest.fixture(scope="module")
def session() -> Any:
    return botocore.session.Session()


@cache
def cdk_options(command: str) -> set[str]:
    """As the command line itself tells them."""
    told = subprocess.run([CDK, command, "--help"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"--([a-z][a-z-]+)", told))


@PAGES
def test_bash_can_read_what_is_pasted(page: Path) -> None:
    text = "\n".join(blocks(page)).replace("<this repository>", "repository")
    # A query of CloudWatch is no command.
    text = "\n".join(line for line in text.splitlines() if not line.startswith("filter "))
    text = text.replace("<key>", "key")
    read = subprocess.run(["/bin/bash", "-n"], input=text, capture_output=True, text=True, check=False)
    assert (read.returncode, read.stderr) == (0, "")


@PAGES
def test_the_cli_of_aws_knows_its_commands_and_options(page: Path, session: Any) -> None:
    calls = [words for words in commands(page) if words[0] == "aws"]
    assert len(calls) > 10
    assert [found for words in calls if (found := mistake(words, session))] == []


def test_a_command_that_there_is_not_would_be_found(session: Any) -> None:
    def wrong(call: str) -> str:
        return mistake(call.split(), session)

    assert wrong("aws kms enable-key --key-id k") == ""
    assert wrong("aws kms enable-keys --key-id k") == "kms: no enable-keys"
    assert wrong("aws kms enable-key --key k") == "kms enable-key: --key"
    assert wrong("aws kms enable-key --region r") == "kms enable-key: no --key-id"
    assert wrong("aws kmz enable-key") == "no service kmz"


@PAGES
def test_the_cli_of_cdk_knows_its_commands_and_options(page: Path) -> None:
    calls = [words for words in commands(page) if words[0] == "cdk"]
    for _, command, *rest in calls:
        assert set(options(rest)) <= cdk_options(command), command
    assert calls or page == RUNBOOK


@PAGES
def test_what_is_set_on_the_command_line_is_a_setting_with_a_value_that_it_may_have(page: Path) -> None:
    written = json.loads((ROOT / "cdk.json").read_text())["context"]
    spoken = [shlex.split(text) for text in re.findall(r"`(-c [^`]*)`", page.read_text())]
    given = [context(words) for words in [*commands(page), *spoken]]
    given = [pairs for pairs in given if pairs.keys() != {"name"} and "<name>" not in pairs.values()]
    assert len([pairs for pairs in given if pairs]) > (page == DEPLOY) * 6
    for pairs in given:
        refuse_unknown(pairs)
        DeploymentSettings.from_context((written | pairs).get)


def test_each_output_that_is_read_is_told_and_each_that_is_told_is_on_the_page(
    synthesise: Callable[..., Template], browsers: Template, template: Template
) -> None:
    told = set(browsers["Outputs"]) | set(template["Outputs"]) | set(synthesise(page=True)["Outputs"])
    text = DEPLOY.read_text()
    read = set(re.findall(r"\$\(out (\w+)\)", text))
    assert read
    assert read <= told
    [table] = re.findall(r"## What a client needs\n(.*?)\n## ", text, re.DOTALL)
    assert set(re.findall(r"`(\w+)`", table)) == told


def test_the_table_of_environments_agrees_with_cdk_json() -> None:
    environments = json.loads((ROOT / "cdk.json").read_text())["context"]["environments"]
    [heads] = re.findall(r"^\| \| `(\w+)` \| `(\w+)` \|$", DEPLOY.read_text(), re.MULTILINE)
    assert set(heads) == environments.keys()
    [prefixes] = re.findall(r"^\| names begin with \| `(.+)` \| `(.+)` \|$", DEPLOY.read_text(), re.MULTILINE)
    assert [environments[name]["prefix"] for name in heads] == list(prefixes)
    [alarms] = re.findall(r"^\| alarms, .* \| (.+) \| (.+) \|$", DEPLOY.read_text(), re.MULTILINE)
    assert [environments[name]["alarms"] for name in heads] == [each == "there" for each in alarms]


def test_what_the_runbook_names_is_in_the_stack(template: Template) -> None:
    named = json.dumps(
        [
            (resource["Type"].rpartition("::")[2], value)
            for resource in template["Resources"].values()
            for key, value in resource["Properties"].items()
            if key in ("AlarmName", "FunctionName", "LogGroupName", "AliasName") and isinstance(value, str)
        ]
    )
    calls = "\n".join([*blocks(RUNBOOK), *re.findall(r"`([^`]*\$P[^`]*)`", RUNBOOK.read_text())])
    wanted = set(re.findall(r"[\w/]*\$P(?:-[\w-]+)?", calls)) - {"$P"}
    assert len(wanted) > 5
    missing = {name for name in wanted if f'"{name.replace("$P", "noted")}"' not in named}
    assert missing == set()
