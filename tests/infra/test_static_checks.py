"""What cdk-nag and cfn-lint say of the whole stack: nothing that was not argued beside what it is about."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.xdist_group("infra")

ROOT = Path(__file__).resolve().parents[2]
# On top of cdk.json: all that adds a resource or a right.
WHOLE = {
    "identity": "cognito",
    "names": "comprehend",
    "session_policies": True,
    "cors_origins": "https://app.example.org",
    "alarm_email": "ops@example.org",
    "gateway_log_role": True,
    "zero_retention": True,
    "tracing": False,
    "page": True,
    "deletion_protection": True,
}

# A rule, and the path of the construct that it is about.
Finding = tuple[str, str]


@dataclass
class Run:
    """What cdk-nag found, what is acknowledged with which reason, and where that is no single resource."""

    findings: set[Finding]
    acknowledged: dict[Finding, str] = field(default_factory=dict)
    on_groups: list[str] = field(default_factory=list)


def checked(folder: Path) -> Run:
    import aws_cdk
    from cdk_nag import AwsSolutionsChecks, ServerlessChecks

    from infra.settings import DeploymentSettings
    from infra.stack import NotedStack

    context = json.loads((ROOT / "cdk.json").read_text())["context"] | WHOLE
    app = aws_cdk.App(context={**context, "aws:cdk:bundling-stacks": []}, outdir=str(folder))
    NotedStack(app, "Noted", DeploymentSettings.from_context(app.node.try_get_context))
    # An aspect that is added as such raises since cdk-nag 3.
    aws_cdk.Validations.of(app).add_plugins(AwsSolutionsChecks(app), ServerlessChecks(app))
    try:
        app.synth()
    except RuntimeError as error:
        if not str(error).startswith("ValidationFailed"):
            raise
    report = json.loads((folder / "validation-report.json").read_text())
    run = Run(
        {
            (violation["ruleName"], construct["constructPath"])
            for plugin in report["pluginReports"]
            for violation in plugin["violations"]
            for construct in violation["violatingConstructs"]
            # What the stack itself says of a machine without the functions' Python.
            if violation["ruleName"] != "Annotation::noted:byte-code"
        }
    )
    for construct in app.node.find_all():
        for entry in construct.node.metadata:
            if entry.type == "aws:cdk:acknowledged-rules":
                for rule, reason in dict(entry.data).items():
                    run.acknowledged[rule.removeprefix("Annotation::"), construct.node.path] = reason
                if not isinstance(construct, aws_cdk.Resource):
                    run.on_groups.append(construct.node.path)
    return run


@pytest.fixture(scope="module")
def argued(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The stack as it is."""
    return checked(tmp_path_factory.mktemp("argued"))


@pytest.fixture(scope="module")
def unargued(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """The stack as if nothing had been acknowledged."""
    from infra import acknowledged

    class Nothing:
        @classmethod
        def of(cls, _: object) -> Nothing:
            return cls()

        def acknowledge(self, *_: object) -> None:
            return None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(acknowledged, "Validations", Nothing)
        yield checked(tmp_path_factory.mktemp("unargued"))


def test_cdk_nag_finds_nothing_that_is_not_acknowledged(argued: Run) -> None:
    assert argued.findings == set()


def test_all_that_is_acknowledged_is_found_without_it(argued: Run, unargued: Run) -> None:
    # Nothing is acknowledged that is not there, so no argument outlives what it was about.
    assert unargued.acknowledged == {}
    assert argued.acknowledged
    stale = [
        (rule, path)
        for rule, path in argued.acknowledged
        if not any(rule == found and place.startswith(f"{path}/") for found, place in unargued.findings)
    ]
    assert stale == []


def test_each_is_acknowledged_on_one_resource_and_with_a_reason(argued: Run) -> None:
    assert argued.on_groups == []
    assert all(len(reason) > 20 for reason in argued.acknowledged.values())


def test_nothing_is_acknowledged_but_where_it_is_argued() -> None:
    # One way to do it, which takes a construct and a reason: no other module speaks to the checks itself.
    speaking = [
        path.name for path in (ROOT / "infra").glob("*.py") if "Validations" in path.read_text("utf-8")
    ]
    assert speaking == ["acknowledged.py"]


# W3005: that a dependency is also implied. The CDK names a role's policies beside the role itself, so that a
# function is not made before it may do what it does.
IGNORED = ["W3005"]


def linted(template: dict[str, Any]) -> list[str]:
    from cfnlint.api import lint
    from cfnlint.config import ManualArgs

    config = ManualArgs(ignore_checks=IGNORED, regions=["eu-central-1"])
    return [f"{match.rule.id} {match.message}" for match in lint(json.dumps(template), config=config)]


def test_cfn_lint_finds_nothing(synthesise: Callable[..., dict[str, Any]]) -> None:
    whole = synthesise(token_issuer=None, token_audience=None, **WHOLE)
    assert linted(whole) == []
    # And it would: a queue in it whose time is a word.
    queue = {"Type": "AWS::SQS::Queue", "Properties": {"VisibilityTimeout": "soon"}}
    [found] = linted({"Resources": {"Queue": queue}})
    assert found.startswith("E3012 ")
