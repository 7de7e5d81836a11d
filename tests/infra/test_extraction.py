"""The queue of extractions in the template, its dead letters, and the work that is done each minute."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.xdist_group("infra")

FOURTEEN_DAYS = 14 * 24 * 3600


@pytest.fixture(scope="session")
def mapping(resources: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
    """What takes messages to the worker."""
    (only,) = resources("Lambda::EventSourceMapping").values()
    return dict(only["Properties"])


@pytest.fixture(scope="session")
def queue_id(mapping: dict[str, Any]) -> str:
    """The logical id of the queue that the worker reads."""
    return str(mapping["EventSourceArn"]["Fn::GetAtt"][0])


@pytest.fixture(scope="session")
def queue(resources: Callable[[str], dict[str, Any]], queue_id: str) -> dict[str, Any]:
    """The queue that the worker reads."""
    return dict(resources("SQS::Queue")[queue_id]["Properties"])


@pytest.fixture(scope="session")
def dead_letters_id(queue: dict[str, Any]) -> str:
    """The logical id of the queue of dead letters."""
    return str(queue["RedrivePolicy"]["deadLetterTargetArn"]["Fn::GetAtt"][0])


def test_the_extraction_function_is_the_worker(mapping: dict[str, Any], functions: dict[str, str]) -> None:
    assert mapping["FunctionName"] == {"Ref": functions["extraction"]}
    assert mapping["BatchSize"] == 5
    assert mapping["ScalingConfig"] == {"MaximumConcurrency": 10}


def test_a_message_stays_hidden_until_every_try_of_its_batch_is_over(
    queue: dict[str, Any],
    mapping: dict[str, Any],
    functions: dict[str, str],
    template: dict[str, Any],
) -> None:
    # The clock starts when a message is received, so the window in which a batch is gathered counts too.
    worker = template["Resources"][functions["extraction"]]["Properties"]
    assert worker["Timeout"] == 60
    assert queue["VisibilityTimeout"] >= 6 * 60 + mapping.get("MaximumBatchingWindowInSeconds", 0)
    assert queue["VisibilityTimeout"] >= 365


def test_the_worker_may_do_with_the_queue_what_lambda_asks_for_and_send(
    resources: Callable[[str], dict[str, Any]],
    template: dict[str, Any],
    functions: dict[str, str],
    queue_id: str,
    mapping: dict[str, Any],
) -> None:
    role = template["Resources"][functions["extraction"]]["Properties"]["Role"]["Fn::GetAtt"][0]
    policies = {
        name: policy["Properties"]
        for name, policy in resources("IAM::Policy").items()
        if {"Ref": role} in policy["Properties"]["Roles"]
    }
    rights = {
        action
        for policy in policies.values()
        for statement in policy["PolicyDocument"]["Statement"]
        if statement["Resource"] == {"Fn::GetAtt": [queue_id, "Arn"]}
        for action in (
            statement["Action"] if isinstance(statement["Action"], list) else [statement["Action"]]
        )
    }
    # Those of AWSLambdaSQSQueueExecutionRole; the sweep of the outbox sends.
    asked = {"sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"}
    assert rights == asked | {"sqs:SendMessage"}
    # Lambda refuses to take messages to a function whose role does not have them yet.
    assert {*policies} <= {*template["Resources"][functions["extraction"]]["DependsOn"]}


def test_a_message_that_fails_does_not_take_its_batch_with_it(mapping: dict[str, Any]) -> None:
    assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]


def test_a_message_that_fails_three_times_is_kept_for_fourteen_days(
    queue: dict[str, Any], dead_letters_id: str, resources: Callable[[str], dict[str, Any]]
) -> None:
    assert queue["RedrivePolicy"]["maxReceiveCount"] == 3
    dead_letters = resources("SQS::Queue")[dead_letters_id]["Properties"]
    assert dead_letters["MessageRetentionPeriod"] == FOURTEEN_DAYS


def test_one_dead_letter_raises_the_alarm(
    dead_letters_id: str, resources: Callable[[str], dict[str, Any]]
) -> None:
    alarms = [alarm["Properties"] for alarm in resources("CloudWatch::Alarm").values()]
    (alarm,) = (alarm for alarm in alarms if alarm.get("MetricName") == "ApproximateNumberOfMessagesVisible")
    assert alarm["Namespace"] == "AWS/SQS"
    assert alarm["Dimensions"] == [
        {"Name": "QueueName", "Value": {"Fn::GetAtt": [dead_letters_id, "QueueName"]}}
    ]
    assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("GreaterThanOrEqualToThreshold", 1)
    assert (alarm["Statistic"], alarm["EvaluationPeriods"]) == ("Maximum", 1)


def test_queues_are_encrypted_and_refuse_connections_that_are_not(
    resources: Callable[[str], dict[str, Any]],
) -> None:
    queues = resources("SQS::Queue")
    assert all(queue["Properties"]["SqsManagedSseEnabled"] is True for queue in queues.values())
    refusing = {
        policy["Properties"]["Queues"][0]["Ref"]
        for policy in resources("SQS::QueuePolicy").values()
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]
        if statement["Effect"] == "Deny"
        and statement["Principal"] == {"AWS": "*"}
        and statement["Action"] == "sqs:*"
        and statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    }
    assert refusing == queues.keys()


def test_the_queue_is_a_standard_one_so_that_no_user_waits_behind_anothers_failure(
    resources: Callable[[str], dict[str, Any]],
) -> None:
    assert not any(queue["Properties"].get("FifoQueue") for queue in resources("SQS::Queue").values())


def test_only_what_answers_and_the_sweep_know_the_queue(
    template: dict[str, Any], functions: dict[str, str], queue_id: str
) -> None:
    knowing = {
        name
        for name, logical_id in functions.items()
        if {"Ref": queue_id}
        == template["Resources"][logical_id]["Properties"]
        .get("Environment", {"Variables": {}})["Variables"]
        .get("NOTED_QUEUE_URL")
    }
    assert knowing == {"answer", "stream", "extraction"}


def test_nobody_else_sends_whatever_rights_they_have(
    resources: Callable[[str], dict[str, Any]],
    template: dict[str, Any],
    functions: dict[str, str],
    queue_id: str,
) -> None:
    [denied] = [
        statement
        for policy in resources("SQS::QueuePolicy").values()
        if policy["Properties"]["Queues"] == [{"Ref": queue_id}]
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]
        if statement["Action"] == "sqs:SendMessage"
    ]
    roles = [
        template["Resources"][functions[name]]["Properties"]["Role"]
        for name in ("answer", "stream", "extraction")
    ]
    assert denied == {
        "Action": "sqs:SendMessage",
        "Effect": "Deny",
        "Principal": {"AWS": "*"},
        "Resource": {"Fn::GetAtt": [queue_id, "Arn"]},
        "Condition": {"ArnNotEquals": {"aws:PrincipalArn": roles}},
    }


def test_every_permission_to_call_a_function_names_what_may(
    resources: Callable[[str], dict[str, Any]],
) -> None:
    # Without its ARN, any API or rule of anybody's account could have the function called.
    for permission in resources("Lambda::Permission").values():
        assert permission["Properties"]["Principal"] in ("apigateway.amazonaws.com", "events.amazonaws.com")
        assert permission["Properties"]["SourceArn"]


@pytest.mark.parametrize(
    "function,works",
    [("extraction", ["sweep-outbox", "sweep-episodes", "reindex"]), ("erasure", ["run-erasures"])],
)
def test_work_is_done_each_minute_by_a_function_that_the_schedule_may_call(
    resources: Callable[[str], dict[str, Any]], functions: dict[str, str], function: str, works: list[str]
) -> None:
    arn = {"Fn::GetAtt": [functions[function], "Arn"]}
    rules = {
        name: rule["Properties"]
        for name, rule in resources("Events::Rule").items()
        if rule["Properties"]["Targets"][0]["Arn"] == arn and "ScheduleExpression" in rule["Properties"]
    }
    ((rule_id, rule),) = rules.items()
    assert rule["ScheduleExpression"] == "rate(1 minute)"
    assert rule["State"] == "ENABLED"
    assert [json.loads(target["Input"]) for target in rule["Targets"]] == [{"noted": work} for work in works]
    allowed = [permission["Properties"] for permission in resources("Lambda::Permission").values()]
    assert {
        "Action": "lambda:InvokeFunction",
        "FunctionName": arn,
        "Principal": "events.amazonaws.com",
        "SourceArn": {"Fn::GetAtt": [rule_id, "Arn"]},
    } in allowed
