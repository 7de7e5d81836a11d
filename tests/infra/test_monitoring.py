"""Each alarm by what it hangs on, against what the service says and the runbook explains."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from noted import metrics
from noted.store.tables import TABLES

from .conftest import PROFILE, ROOT, Template

Alarm = dict[str, Any]
RUNBOOK = ROOT / "docs" / "runbook.md"
OWN = {name: family for family in metrics.FAMILIES for name in family.units}


def of_type(template: Template, kind: str) -> list[dict[str, Any]]:
    return [each["Properties"] for each in template["Resources"].values() if each["Type"] == f"AWS::{kind}"]


@pytest.fixture(scope="session")
def alarms(template: Template) -> dict[str, Alarm]:
    """The alarms by their names."""
    return {alarm["AlarmName"]: alarm for alarm in of_type(template, "CloudWatch::Alarm")}


def looked_at(alarm: Alarm) -> list[Alarm]:
    """The metrics behind an alarm."""
    if "MetricName" in alarm:
        return [alarm]
    return [each["MetricStat"]["Metric"] for each in alarm["Metrics"] if "MetricStat" in each]


def named(metric: Alarm) -> dict[str, Any]:
    return {each["Name"]: each["Value"] for each in metric.get("Dimensions", ())}


def test_every_alarm_is_told_and_says_which_section_of_the_runbook_helps(
    alarms: dict[str, Alarm], template: Template
) -> None:
    [topic] = [name for name, each in template["Resources"].items() if each["Type"] == "AWS::SNS::Topic"]
    headings = re.findall(r"^## (.+)$", RUNBOOK.read_text(), re.MULTILINE)
    anchors = {heading.lower().replace(" ", "-") for heading in headings}
    sections = set()
    for name, alarm in alarms.items():
        assert name.startswith("noted-")
        assert alarm["AlarmActions"] == alarm["OKActions"] == [{"Ref": topic}]
        [section] = re.findall(r"docs/runbook\.md#([a-z-]+)$", alarm["AlarmDescription"])
        sections.add(section)
    assert sections <= anchors
    # And none is explained that there is not.
    assert {anchor for anchor in anchors if not anchor.startswith("how-to-")} == sections


def test_metrics_of_the_service_are_ones_that_it_writes_of_this_deployment(alarms: dict[str, Alarm]) -> None:
    seen = set()
    for alarm in alarms.values():
        for metric in looked_at(alarm):
            if metric["Namespace"].startswith("AWS/"):
                continue
            assert metric["Namespace"] == metrics.namespace("noted") == "Noted/noted"
            family = OWN[metric["MetricName"]]
            told = {family.dimensions}
            if metric["MetricName"] in family.totals:
                told.add(family.total_dimensions)
            assert tuple(named(metric)) in told
            seen.add(metric["MetricName"])
    # What nobody may overlook has an alarm each.
    assert seen == {name for family in metrics.ALARMS for name in family.units} | set(metrics.TOKENS)


@pytest.mark.parametrize("family", metrics.ALARMS, ids=lambda family: family.message)
def test_what_nobody_may_overlook_is_an_alarm_the_first_time(
    alarms: dict[str, Alarm], family: metrics.Family
) -> None:
    [name] = family.units
    [alarm] = [each for each in alarms.values() if each.get("MetricName") == name]
    assert (alarm["Statistic"], alarm["Threshold"], alarm["EvaluationPeriods"]) == ("Sum", 1, 1)
    assert alarm["ComparisonOperator"] == "GreaterThanOrEqualToThreshold"
    assert alarm["TreatMissingData"] == "notBreaching"


def test_functions_are_watched_for_errors_throttles_and_runs_near_their_timeout(
    alarms: dict[str, Alarm], template: Template
) -> None:
    functions = {
        name: each["Properties"]
        for name, each in template["Resources"].items()
        if each["Type"] == "AWS::Lambda::Function" and "FunctionName" in each["Properties"]
    }
    serving = [name for name, each in functions.items() if not each["FunctionName"].endswith("retention")]
    assert len(serving) == 7
    for logical_id in serving:
        own = [each for each in alarms.values() if named(each) == {"FunctionName": {"Ref": logical_id}}]
        by_metric = {each["MetricName"]: each for each in own}
        assert by_metric.keys() >= {"Errors", "Throttles", "Duration"}
        seconds = functions[logical_id]["Timeout"]
        assert by_metric["Duration"]["Threshold"] == pytest.approx(900 * seconds)
        assert by_metric["Duration"]["Statistic"] == "Maximum"


def test_a_schedule_that_stands_still_is_an_alarm_by_its_silence(
    alarms: dict[str, Alarm], functions: dict[str, str]
) -> None:
    for name in ("extraction", "erasure"):
        alarm = alarms[f"noted-{name}-stopped"]
        assert (alarm["MetricName"], alarm["TreatMissingData"]) == ("Invocations", "breaching")
        assert named(alarm) == {"FunctionName": {"Ref": functions[name]}}
        assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("LessThanThreshold", 1)
        assert alarm["Period"] * alarm["EvaluationPeriods"] == 900


def test_old_messages_are_an_alarm_as_dead_ones_are(alarms: dict[str, Alarm], template: Template) -> None:
    queues = {
        name: each["Properties"]
        for name, each in template["Resources"].items()
        if each["Type"] == "AWS::SQS::Queue"
    }
    [queue] = [name for name, each in queues.items() if "RedrivePolicy" in each]
    age = alarms["noted-extraction-age"]
    assert (age["MetricName"], age["Threshold"]) == ("ApproximateAgeOfOldestMessage", 900)
    assert named(age) == {"QueueName": {"Fn::GetAtt": [queue, "QueueName"]}}


@pytest.mark.parametrize(
    "api,failed,dimension", [("api", "5xx", "ApiId"), ("streaming-api", "5XXError", "ApiName")]
)
def test_both_apis_are_watched_for_their_errors_and_their_latency(
    alarms: dict[str, Alarm], template: Template, api: str, failed: str, dimension: str
) -> None:
    [http] = [
        name for name, each in template["Resources"].items() if each["Type"] == "AWS::ApiGatewayV2::Api"
    ]
    [rest] = of_type(template, "ApiGateway::RestApi")
    value = {"ApiId": {"Ref": http}, "ApiName": rest["Name"]}[dimension]
    failing, slow = alarms[f"noted-{api}-failing"], alarms[f"noted-{api}-slow"]
    assert {each["MetricName"] for each in looked_at(failing)} == {failed, "Count"}
    for metric in (*looked_at(failing), slow):
        assert (metric["Namespace"], named(metric)) == ("AWS/ApiGateway", {dimension: value})
    assert failing["Threshold"] == 5
    assert (slow["MetricName"], slow["ExtendedStatistic"], slow["Threshold"]) == ("Latency", "p95", 15_000)


def test_throttles_of_every_table_count(alarms: dict[str, Alarm], template: Template) -> None:
    made = {
        name for name, each in template["Resources"].items() if each["Type"] == "AWS::DynamoDB::GlobalTable"
    }
    found = {
        (named(each)["TableName"]["Ref"], each["MetricName"])
        for each in looked_at(alarms["noted-tables-throttled"])
    }
    assert len(made) == len(TABLES)
    assert found == {(name, f"{kind}ThrottleEvents") for name in made for kind in ("Read", "Write")}


def test_the_cost_of_a_day_is_tokens_by_the_prices_of_the_models(alarms: dict[str, Alarm]) -> None:
    alarm = alarms["noted-daily-cost"]
    terms = {
        each["Id"]: (named(each["MetricStat"]["Metric"])["model"], each["MetricStat"]["Metric"]["MetricName"])
        for each in alarm["Metrics"]
        if "MetricStat" in each
    }
    [expression] = [each["Expression"] for each in alarm["Metrics"] if "Expression" in each]
    sum_of = re.fullmatch(r"SUM\(\[(.+)\]\) / 1000000", expression)
    assert sum_of
    haiku, nova = f"bedrock:{PROFILE}", "bedrock:amazon.nova-lite-v1:0"
    # A million tokens read, 600,000 of them from the cache and 100,000 into it, and 50,000 written:
    # 0.3 * 1 + 0.6 * 0.1 + 0.1 * 1.25 + 0.05 * 5 = 0.735 USD. The other: 2 * 0.06 + 1 * 0.24 = 0.36 USD.
    used = {
        (haiku, "InputTokens"): 1_000_000,
        (haiku, "CacheReadTokens"): 600_000,
        (haiku, "CacheWriteTokens"): 100_000,
        (haiku, "OutputTokens"): 50_000,
        (nova, "InputTokens"): 2_000_000,
        (nova, "CacheReadTokens"): 0,
        (nova, "CacheWriteTokens"): 0,
        (nova, "OutputTokens"): 1_000_000,
    }
    factors = re.findall(r"(m\d+) \* (-?[\d.]+)", sum_of[1])
    assert used.keys() == {terms[name] for name, _ in factors}
    cost = sum(used[terms[name]] * float(price) for name, price in factors) / 1_000_000
    assert cost == pytest.approx(0.735 + 0.36)
    assert alarm["Threshold"] == 25
    assert {each["MetricStat"]["Period"] for each in alarm["Metrics"] if "MetricStat" in each} == {86_400}


def test_what_is_done_to_a_key_is_said_by_a_function(template: Template, functions: dict[str, str]) -> None:
    [rule] = [each for each in of_type(template, "Events::Rule") if "EventPattern" in each]
    pattern = rule["EventPattern"]
    assert pattern["detail"]["eventName"] == ["ScheduleKeyDeletion", "DisableKey"]
    told = json.dumps(pattern["detail"]["$or"])
    keys = [
        name
        for name, each in template["Resources"].items()
        if each["Type"] == "AWS::KMS::Key" and "Alerts" not in name
    ]
    assert len(keys) == 2
    assert all(name in told for name in keys)
    [target] = rule["Targets"]
    assert target["Arn"] == {"Fn::GetAtt": [functions["erasure"], "Arn"]}
    assert json.loads(target["Input"]) == {"noted": "key-endangered"}


def test_nobody_but_the_alarms_of_this_deployment_may_publish(template: Template) -> None:
    [policy] = of_type(template, "SNS::TopicPolicy")
    statements = policy["PolicyDocument"]["Statement"]
    [allowed] = [each for each in statements if each["Effect"] == "Allow"]
    assert allowed["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
    assert "alarm:noted-*" in json.dumps(allowed["Condition"]["ArnLike"])
    assert allowed["Condition"]["StringEquals"] == {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}
    denied = [each["Condition"]["Bool"] for each in statements if each["Effect"] == "Deny"]
    assert {"aws:PrincipalIsAWSService": "false"} in denied
    assert {"aws:SecureTransport": "false"} in denied
    [topic] = of_type(template, "SNS::Topic")
    assert topic["KmsMasterKeyId"]
    [subscription] = of_type(template, "SNS::Subscription")
    assert (subscription["Protocol"], subscription["Endpoint"]) == ("email", "ops@example.org")


def test_the_dashboard_shows_metrics_that_there_are(template: Template) -> None:
    [board] = of_type(template, "CloudWatch::Dashboard")
    body = json.dumps(board["DashboardBody"])
    searched = re.findall(r"SEARCH\('\{Noted/noted,?([a-z,]*)\} MetricName=\W+(\w+)", body)
    assert len(searched) >= 10
    for dimensions, name in searched:
        assert OWN[name].dimensions == tuple(dimensions.split(","))


def test_tracing_is_lambdas_own_and_off_unless_it_is_asked_for(
    browsers: Template, template: Template
) -> None:
    def traced(each: Template) -> set[str | None]:
        functions = of_type(each, "Lambda::Function")
        return {
            function.get("TracingConfig", {}).get("Mode")
            for function in functions
            if "FunctionName" in function
        }

    assert (traced(browsers), traced(template)) == ({"Active"}, {None})
    assert "xray:" not in json.dumps(template)
    # The stage of the REST API would put addresses with ids in them into its traces.
    assert not any(each.get("TracingEnabled") for each in of_type(browsers, "ApiGateway::Stage"))


def test_a_deployment_may_do_without_alarms(browsers: Template) -> None:
    assert not of_type(browsers, "CloudWatch::Alarm")
    assert not of_type(browsers, "SNS::Topic")
    assert of_type(browsers, "CloudWatch::Dashboard")
