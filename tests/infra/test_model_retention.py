"""That Bedrock keeps nothing of what models are told: in the template, and what the function does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from functions.model_retention.handler import build
from noted.models.bedrock_account import BedrockAccount, KeptByBedrock

pytestmark = pytest.mark.xdist_group("infra")


class Account:
    """The two switches of an account, as Bedrock's client reaches them."""

    def __init__(self, mode: str = "inherit", log: dict[str, Any] | None = None) -> None:
        self.mode = mode
        self.log = log

    def put_account_data_retention(self, **request: Any) -> dict[str, Any]:
        self.mode = request["mode"]
        return request

    def get_account_data_retention(self) -> dict[str, Any]:
        return {"mode": self.mode}

    def get_model_invocation_logging_configuration(self) -> dict[str, Any]:
        return {"ResponseMetadata": {}} | ({"loggingConfig": self.log} if self.log is not None else {})


def deployed(account: Any, request: str = "Create") -> dict[str, Any]:
    """What CloudFormation is told."""
    told: list[tuple[str, dict[str, Any]]] = []
    event = {
        "RequestType": request,
        "ResponseURL": "https://cloudformation.example/answer",
        "StackId": "stack",
        "RequestId": "request",
        "LogicalResourceId": "Mode",
    }
    build(BedrockAccount(account), lambda address, answer: told.append((address, answer)))(event, None)
    [(address, answer)] = told
    assert address == "https://cloudformation.example/answer"
    assert (answer["StackId"], answer["RequestId"], answer["LogicalResourceId"]) == (
        "stack",
        "request",
        "Mode",
    )
    assert answer["PhysicalResourceId"]
    return answer


def daily(account: Account) -> None:
    build(BedrockAccount(account), lambda *_: pytest.fail("nobody asked"))({"noted": "check-retention"}, None)


@pytest.mark.parametrize("request_type", ["Create", "Update"])
def test_a_deployment_has_bedrock_keep_nothing(request_type: str) -> None:
    account = Account("default")
    assert deployed(account, request_type)["Status"] == "SUCCESS"
    assert account.mode == "none"


def test_a_deletion_leaves_the_account_as_it_is() -> None:
    account = Account("none")
    assert deployed(account, "Delete")["Status"] == "SUCCESS"
    assert account.mode == "none"


@pytest.mark.parametrize(
    "log",
    [
        {"textDataDeliveryEnabled": True, "embeddingDataDeliveryEnabled": False},
        {"textDataDeliveryEnabled": False, "embeddingDataDeliveryEnabled": True},
        {"s3Config": {"bucketName": "calls"}},
    ],
)
def test_while_calls_of_models_are_logged_nothing_is_deployed_and_nothing_set(log: dict[str, Any]) -> None:
    account = Account("default", log)
    answer = deployed(account)
    assert answer["Status"] == "FAILED"
    assert "delete-model-invocation-logging-configuration" in answer["Reason"]
    assert account.mode == "default"
    account.mode = "none"
    with pytest.raises(KeptByBedrock):
        daily(account)


def test_a_log_without_texts_may_be() -> None:
    log = {
        "textDataDeliveryEnabled": False,
        "embeddingDataDeliveryEnabled": False,
        "imageDataDeliveryEnabled": True,
    }
    account = Account("inherit", log)
    assert deployed(account)["Status"] == "SUCCESS"
    daily(account)


def test_an_account_that_may_not_be_set_fails_the_deployment_instead_of_hanging_it() -> None:
    class Closed(Account):
        def put_account_data_retention(self, **request: Any) -> dict[str, Any]:
            raise PermissionError(str(request))

    answer = deployed(Closed())
    assert answer["Status"] == "FAILED"
    assert "PermissionError" in answer["Reason"]


@pytest.mark.parametrize("mode", ["inherit", "default", "aws_review", "provider_data_share"])
def test_a_day_later_it_is_seen_that_somebody_has_set_it_back(mode: str) -> None:
    daily(Account("none"))
    with pytest.raises(KeptByBedrock, match=mode):
        daily(Account(mode))


def test_it_runs_at_the_deployment_and_each_day_and_an_alarm_hangs_on_it(
    template: dict[str, Any], functions: dict[str, str], resources: Callable[[str], dict[str, Any]]
) -> None:
    arn = {"Fn::GetAtt": [functions["model_retention"], "Arn"]}
    [asked] = [each for each in template["Resources"].values() if each["Type"] == "Custom::ModelRetention"]
    assert asked["Properties"]["ServiceToken"] == arn
    [rule] = [
        each["Properties"]
        for each in resources("Events::Rule").values()
        if each["Properties"]["Targets"][0]["Arn"] == arn
    ]
    assert rule["ScheduleExpression"] == "rate(1 day)"
    watched = [
        alarm["Properties"]
        for alarm in resources("CloudWatch::Alarm").values()
        if {"Name": "FunctionName", "Value": {"Ref": functions["model_retention"]}}
        in alarm["Properties"].get("Dimensions", [])
    ]
    assert [(alarm["MetricName"], alarm["Threshold"]) for alarm in watched] == [("Errors", 1)]


def test_without_a_model_of_bedrock_or_when_it_is_told_not_to_nobody_touches_the_account(
    synthesise: Callable[..., dict[str, Any]], browsers: dict[str, Any]
) -> None:
    offline = synthesise(model="offline", extraction_model=None, embedder="local")
    for template in (offline, browsers):
        assert "DataRetention" not in str(template)
        assert "noted-model_retention" not in str(template)
