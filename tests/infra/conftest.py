"""The template that CloudFormation gets, as plain data. It is synthesised once for each set of settings."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

Template = dict[str, Any]
Resource = dict[str, Any]

ROOT = Path(__file__).resolve().parents[2]
PROFILE = "eu.anthropic.claude-haiku-4-5-20251001-v1:0"
# Not what cdk.json says: a deployer may change that, and these tests must not mind.
SETTINGS = {
    "prefix": "noted",
    "region": "eu-central-1",
    "model": f"bedrock:{PROFILE}",
    "extraction_model": "bedrock:amazon.nova-lite-v1:0",
    "embedder": "bedrock:cohere.embed-multilingual-v3",
    "identity": "oidc",
    "token_issuer": "https://login.example.org/realm",
    "token_audience": "memory-clients",
    "retention": '{"turn_days": 30}',
    "compliance_daily_requests": 40,
    "log_retention_days": 14,
    "alarms": True,
    "alarm_email": "ops@example.org",
    "daily_cost_alarm_usd": 25,
    "prices": {
        f"bedrock:{PROFILE}": {"input": 1, "output": 5, "cache_read": 0.1, "cache_write": 1.25},
        "bedrock:amazon.nova-lite-v1:0": {
            "input": 0.06,
            "output": 0.24,
            "cache_read": 0.015,
            "cache_write": 0.06,
        },
        "offline": {"input": 0, "output": 0, "cache_read": 0, "cache_write": 0},
    },
    "requests_per_second": 60,
    "model_requests_per_second": 7,
    "deletion_protection": True,
}


@pytest.fixture(scope="session")
def synthesise(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Template]:
    """Synthesises the stack with settings that differ from those above; layers are not built."""
    # Here, since an import of aws_cdk starts Node, which must have been put on the path.
    from aws_cdk import App
    from aws_cdk.assertions import Template as Assertions

    from infra.settings import DeploymentSettings
    from infra.stack import NotedStack

    flags = json.loads((ROOT / "cdk.json").read_text())["context"]

    @cache
    def synthesised(**changes: Any) -> Template:
        context = {**flags, **SETTINGS, **changes, "aws:cdk:bundling-stacks": []}
        app = App(context=context, outdir=str(tmp_path_factory.mktemp("cdk.out")))
        stack = NotedStack(app, "Noted", DeploymentSettings.from_context(app.node.try_get_context))
        return dict(Assertions.from_stack(stack).to_json())

    return synthesised


@pytest.fixture(scope="session")
def template(synthesise: Callable[..., Template]) -> Template:
    """The template of the settings above."""
    return synthesise()


@pytest.fixture(scope="session")
def browsers(synthesise: Callable[..., Template]) -> Template:
    """A deployment to try out, with a user pool of its own and pages that may call: all that the one of the
    settings above is not."""
    return synthesise(
        environment="dev",
        identity="cognito",
        token_issuer=None,
        token_audience=None,
        callback_urls="https://app.example.org/,http://localhost:8788/",
        cors_origins="https://app.example.org,http://localhost:3000",
        reserved_concurrency='{"answer": 40, "extraction": 25}',
        extraction_concurrency=20,
        zero_retention=False,
        gateway_log_role=False,
        alarms=False,
        tracing=True,
        deletion_protection=False,
    )


@pytest.fixture(scope="session")
def resources(template: Template) -> Callable[[str], dict[str, Resource]]:
    """The resources of a type, such as `SQS::Queue`, by their logical id."""

    def of_type(kind: str) -> dict[str, Resource]:
        return {
            name: resource
            for name, resource in template["Resources"].items()
            if resource["Type"] == f"AWS::{kind}"
        }

    return of_type


@pytest.fixture(scope="session")
def functions(resources: Callable[[str], dict[str, Resource]]) -> dict[str, str]:
    """The logical ids of the functions by the name of their folder."""
    return {
        resource["Properties"]["FunctionName"].removeprefix("noted-"): logical_id
        for logical_id, resource in resources("Lambda::Function").items()
    }
