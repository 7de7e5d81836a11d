"""The functions in the template: what they run on, for how long, with which settings, and where they log."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.xdist_group("infra")

# The gateway gives up after 30 s; nobody waits for the worker, and erasures are swept beside the calls.
TIMEOUTS = {
    "answer": 29,
    "stream": 29,
    "authorizer": 10,
    "recall": 29,
    "verdicts": 29,
    "extraction": 60,
    "erasure": 120,
    "model_retention": 60,
}
EVERYWHERE = {
    "NOTED_MODEL",
    "NOTED_EXTRACTION_MODEL",
    "NOTED_EMBEDDER",
    "NOTED_RETENTION",
    "NOTED_TABLE_PREFIX",
    "NOTED_SECRET_ARN",
    "OMP_NUM_THREADS",
}
MASKING = {"NOTED_NAMES", "NOTED_PHONE_REGION"}
BESIDES = {
    "answer": {
        "NOTED_KMS_KEY",
        "NOTED_TOKEN_CLIENTS",
        "NOTED_QUEUE_URL",
        "NOTED_TOOLS",
        "NOTED_LINK_HOSTS",
        "NOTED_RERANKER",
        *MASKING,
    },
    "stream": {
        "NOTED_KMS_KEY",
        "NOTED_TOKEN_CLIENTS",
        "NOTED_QUEUE_URL",
        "NOTED_TOOLS",
        "NOTED_LINK_HOSTS",
        "NOTED_RERANKER",
        "AWS_LAMBDA_EXEC_WRAPPER",
        *MASKING,
    },
    "recall": {"NOTED_KMS_KEY", "NOTED_TOKEN_CLIENTS", "NOTED_RERANKER", *MASKING},
    "verdicts": {"NOTED_KMS_KEY", "NOTED_TOKEN_CLIENTS", *MASKING},
    "extraction": {
        "NOTED_KMS_KEY",
        "NOTED_QUEUE_URL",
        "NOTED_DEAD_LETTERS_URL",
        "NOTED_EXTRACTION_EVERY",
        "NOTED_EPISODE_AFTER_SECONDS",
    },
    "erasure": {
        "NOTED_TOKEN_CLIENTS",
        "NOTED_ERASURE_AUTH_AGE_SECONDS",
        "NOTED_DRAIN_SECONDS",
        "NOTED_COMPLIANCE_DAILY_REQUESTS",
        "NOTED_RECEIPT_KEY",
        "NOTED_ERASURE_CONNECTORS",
    },
}
EACH = pytest.mark.parametrize("name", sorted(TIMEOUTS))
# Those that serve users: the others check tokens and look after an account, and know of nothing else.
EACH_THAT_SERVES = pytest.mark.parametrize(
    "name", sorted(TIMEOUTS.keys() - {"authorizer", "model_retention"})
)


@pytest.fixture(scope="session")
def properties(template: dict[str, Any], functions: dict[str, str]) -> dict[str, dict[str, Any]]:
    """What the template says of a function, by the name of its folder."""
    return {name: template["Resources"][logical_id]["Properties"] for name, logical_id in functions.items()}


def variables(function: dict[str, Any]) -> dict[str, Any]:
    return dict(function["Environment"]["Variables"])


def test_there_are_these_functions_and_no_other(functions: dict[str, str]) -> None:
    assert functions.keys() == TIMEOUTS.keys()


@EACH
def test_a_function_runs_the_handler_of_its_folder_on_the_two_layers(
    properties: dict[str, Any], resources: Callable[[str], dict[str, Any]], name: str
) -> None:
    function = properties[name]
    assert function["Runtime"] == "python3.13"
    assert function["Architectures"] == ["arm64"]
    assert function["Handler"] == "handler.handler"
    layers = {layer["Ref"] for layer in function["Layers"]}
    assert layers == resources("Lambda::LayerVersion").keys()
    assert len(layers) == 2
    assert {layer["DeletionPolicy"] for layer in resources("Lambda::LayerVersion").values()} == {"Delete"}


def test_no_two_functions_have_the_same_code_but_the_two_that_answer(properties: dict[str, Any]) -> None:
    assert properties["stream"]["Code"] == properties["answer"]["Code"]
    assert len({str(function["Code"]) for function in properties.values()}) == len(properties) - 1


@EACH
def test_a_function_stops_in_time(properties: dict[str, Any], name: str) -> None:
    assert properties[name]["Timeout"] == TIMEOUTS[name]


@EACH_THAT_SERVES
def test_a_function_gets_its_settings_and_no_others(properties: dict[str, Any], name: str) -> None:
    assert variables(properties[name]).keys() == EVERYWHERE | BESIDES.get(name, set())


@EACH_THAT_SERVES
def test_the_settings_are_those_of_the_deployment(
    properties: dict[str, Any], resources: Callable[[str], dict[str, Any]], name: str
) -> None:
    (secret_id,) = resources("SecretsManager::Secret")
    expected = {
        "NOTED_MODEL": "bedrock:eu.anthropic.claude-haiku-4-5-20251001-v1:0",
        "NOTED_EXTRACTION_MODEL": "bedrock:amazon.nova-lite-v1:0",
        "NOTED_EMBEDDER": "bedrock:cohere.embed-multilingual-v3",
        "NOTED_RETENTION": '{"turn_days": 30}',
        "NOTED_TABLE_PREFIX": "noted",
        "NOTED_SECRET_ARN": {"Ref": secret_id},
        "OMP_NUM_THREADS": "1",
    }
    assert variables(properties[name]).items() >= expected.items()


def test_an_erasure_waits_for_every_writer_that_may_still_run(properties: dict[str, Any]) -> None:
    drain = int(variables(properties["erasure"])["NOTED_DRAIN_SECONDS"])
    # Five minutes beyond: as long as a warm function may keep anything of a user's.
    assert drain >= max(function["Timeout"] for function in properties.values()) + 300
    assert drain <= 15 * 60


@EACH
def test_a_function_logs_to_its_own_group_for_fourteen_days(
    properties: dict[str, Any], resources: Callable[[str], dict[str, Any]], name: str
) -> None:
    groups = resources("Logs::LogGroup")
    own = groups[properties[name]["LoggingConfig"]["LogGroup"]["Ref"]]["Properties"]
    assert own["LogGroupName"] == f"/aws/lambda/noted-{name}"
    assert own["RetentionInDays"] == 14
    # And one for each of the two gateways.
    assert len(groups) == len(properties) + 2


def test_logs_can_be_kept_for_less(synthesise: Callable[..., dict[str, Any]]) -> None:
    groups = [
        resource["Properties"]["RetentionInDays"]
        for resource in synthesise(log_retention_days=7)["Resources"].values()
        if resource["Type"] == "AWS::Logs::LogGroup"
    ]
    assert groups == [7] * (len(TIMEOUTS) + 2)


def test_functions_share_what_the_account_may_run_at_once_unless_some_is_kept_for_them(
    properties: dict[str, Any], browsers: dict[str, Any]
) -> None:
    # A new account may have room for ten at once, of which none can be kept: a deployment would fail.
    assert not any("ReservedConcurrentExecutions" in function for function in properties.values())
    kept = {
        each["Properties"]["FunctionName"]: each["Properties"]["ReservedConcurrentExecutions"]
        for each in browsers["Resources"].values()
        if "ReservedConcurrentExecutions" in each["Properties"]
    }
    assert kept == {"noted-answer": 40, "noted-extraction": 25}
    [mapping] = [
        each["Properties"]
        for each in browsers["Resources"].values()
        if each["Type"] == "AWS::Lambda::EventSourceMapping"
    ]
    assert mapping["ScalingConfig"] == {"MaximumConcurrency": 20}


def test_the_secret_is_random_long_and_never_deleted(resources: Callable[[str], dict[str, Any]]) -> None:
    (secret,) = resources("SecretsManager::Secret").values()
    # Ids are made from it: another way to generate it would be another secret, and all data lost.
    assert secret["Properties"]["GenerateSecretString"] == {"ExcludePunctuation": True, "PasswordLength": 64}
    assert (secret["DeletionPolicy"], secret["UpdateReplacePolicy"]) == ("Retain", "Retain")
