"""Each alarm by what it hangs on, against what the service says and the runbook explains."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from noted import metrics
from noted.conversation.turn import Route
from noted.privacy import erasure_worker
from noted.store.tables import OPEN_JOBS, OUTBOX, TABLES

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


def period(alarm: Alarm) -> int:
    """Of all that is behind an alarm, in seconds."""
    periods = {each["MetricStat"]["Period"] for each in alarm.get("Metrics", ()) if "MetricStat" in each}
    [seconds] = periods or {alarm["Period"]}
    return int(seconds)


def expression(alarm: Alarm) -> str:
    [written] = [each["Expression"] for each in alarm["Metrics"] if "Expression" in each]
    return str(written)


# How often what lasts is said anew: overdue erasures by their worker, a restore by each minute's run, and
# what Bedrock keeps by the daily look.
SAID_AGAIN = {
    "noted-erasure-overdue": erasure_worker._WARN_EVERY,
    "noted-tables-restored": timedelta(minutes=1),
    "noted-model-retention": timedelta(days=1),
}
# What is said when it happens, and at no other time: that it is over is known by nobody.
SAID_ONCE = {"noted-erased-rows-found", "noted-compliance-breaker", "noted-key-endangered"}


def test_every_alarm_is_told_and_says_which_section_of_the_runbook_helps(
    alarms: dict[str, Alarm], template: Template
) -> None:
    [topic] = [name for name, each in template["Resources"].items() if each["Type"] == "AWS::SNS::Topic"]
    headings = re.findall(r"^## (.+)$", RUNBOOK.read_text(), re.MULTILINE)
    anchors = {heading.lower().replace(" ", "-") for heading in headings}
    sections = set()
    for name, alarm in alarms.items():
        assert name.startswith("noted-")
        assert alarm["AlarmActions"] == [{"Ref": topic}]
        assert alarm.get("OKActions") == (None if name in SAID_ONCE else [{"Ref": topic}])
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
    overlooked = {name for family in metrics.ALARMS for name in family.units}
    assert seen == overlooked | {*metrics.UNCHECKED_TOKENS.units, "TurnDuration", *metrics.TOKENS}


@pytest.mark.parametrize("family", metrics.ALARMS, ids=lambda family: family.message)
def test_what_nobody_may_overlook_is_an_alarm_the_first_time(
    alarms: dict[str, Alarm], family: metrics.Family
) -> None:
    [name] = family.units
    [alarm] = [each for each in alarms.values() if each.get("MetricName") == name]
    assert (alarm["Statistic"], alarm["Threshold"]) == ("Sum", 1)
    assert alarm.get("DatapointsToAlarm", alarm["EvaluationPeriods"]) == 1
    assert alarm["ComparisonOperator"] == "GreaterThanOrEqualToThreshold"
    assert alarm["TreatMissingData"] == "notBreaching"


@pytest.mark.parametrize("name", SAID_AGAIN)
def test_an_alarm_stands_for_as_long_as_what_it_is_about(alarms: dict[str, Alarm], name: str) -> None:
    alarm = alarms[name]
    # One late word of it, and the alarm still stands.
    assert alarm["DatapointsToAlarm"] == 1
    assert alarm["EvaluationPeriods"] == 2
    assert period(alarm) >= SAID_AGAIN[name].total_seconds()


@pytest.mark.parametrize(
    "name,seconds",
    [
        ("noted-erased-rows-found", 86_400),
        ("noted-compliance-breaker", 3_600),
        ("noted-key-endangered", 86_400),
    ],
)
def test_what_is_said_once_is_an_alarm_for_a_while(alarms: dict[str, Alarm], name: str, seconds: int) -> None:
    assert period(alarms[name]) == seconds
    assert {name for name, alarm in alarms.items() if "OKActions" not in alarm} == SAID_ONCE


def test_no_alarm_looks_at_more_or_further_than_cloudwatch_lets_it(alarms: dict[str, Alarm]) -> None:
    # The reference of PutMetricAlarm: ten metrics in an expression, a week in all, and a day where a period
    # is shorter than an hour.
    for name, alarm in alarms.items():
        assert len(looked_at(alarm)) <= 10, name
        reach = period(alarm) * alarm["EvaluationPeriods"]
        assert reach <= (86_400 if period(alarm) < 3_600 else 604_800), name


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
        refuses = functions[logical_id]["FunctionName"].endswith("authorizer")
        assert by_metric.keys() == {"Throttles", "Duration"} | (set() if refuses else {"Errors"})
        seconds = functions[logical_id]["Timeout"]
        assert by_metric["Duration"]["Threshold"] == pytest.approx(900 * seconds)
        assert by_metric["Duration"]["Statistic"] == "Maximum"


def test_a_request_that_is_refused_is_part_of_no_alarm(
    alarms: dict[str, Alarm], functions: dict[str, str], template: Template
) -> None:
    # For a gateway to answer 401 its authorizer must raise, which Lambda counts among the errors.
    authorizer = {"Ref": functions["authorizer"]}
    refusing = [
        each
        for alarm in alarms.values()
        for each in looked_at(alarm)
        if named(each).get("FunctionName") == authorizer and each["MetricName"] == "Errors"
    ]
    assert refusing == []
    # A gateway's own refusals are 4xx.
    gateways = {
        each["MetricName"]
        for alarm in alarms.values()
        for each in looked_at(alarm)
        if each["Namespace"] == "AWS/ApiGateway"
    }
    assert gateways == {"5xx", "5XXError", "Count"}
    [board] = of_type(template, "CloudWatch::Dashboard")
    shown = json.dumps(board["DashboardBody"])
    ours = json.dumps(authorizer)
    assert not re.search(r"Errors[^]]{0,60}" + re.escape(ours), shown)
    assert re.search(r"Throttles[^]]{0,60}" + re.escape(ours), shown)
    # What it fails at is said by itself, of this deployment.
    alarm = alarms["noted-tokens-unchecked"]
    assert (alarm["MetricName"], alarm["Statistic"], alarm["EvaluationPeriods"]) == (
        "UncheckedTokens",
        "Sum",
        2,
    )
    variables = template["Resources"][functions["authorizer"]]["Properties"]["Environment"]["Variables"]
    assert metrics.namespace(variables["NOTED_TABLE_PREFIX"]) == alarm["Namespace"]


def scheduled(template: Template) -> dict[str, list[str]]:
    """The rules with a schedule, and the functions that each calls."""
    return {
        name: [target["Arn"]["Fn::GetAtt"][0] for target in each["Properties"]["Targets"]]
        for name, each in template["Resources"].items()
        if each["Type"] == "AWS::Events::Rule" and "ScheduleExpression" in each["Properties"]
    }


def test_each_schedule_that_stands_still_is_an_alarm_whoever_else_calls_the_function(
    alarms: dict[str, Alarm], functions: dict[str, str], template: Template
) -> None:
    stopped = {name: alarm for name, alarm in alarms.items() if name.endswith("-stopped")}
    watched = {}
    for name, alarm in stopped.items():
        [metric] = looked_at(alarm)
        # Of the function itself, an answer or a message would count as well.
        assert (metric["Namespace"], metric["MetricName"]) == ("AWS/Events", "Invocations")
        assert named(metric).keys() == {"RuleName"}
        watched[named(metric)["RuleName"]["Ref"]] = name.removeprefix("noted-").removesuffix("-stopped")
        # EventBridge says nothing of a rule that calls nobody: that, too, is a call too few.
        assert expression(alarm) == "FILL(calls, 0)"
        assert alarm["TreatMissingData"] == "breaching"
        assert (alarm["ComparisonOperator"], alarm["Threshold"]) == ("LessThanThreshold", 1)
        every = template["Resources"][named(metric)["RuleName"]["Ref"]]["Properties"]["ScheduleExpression"]
        wanted = {"rate(1 minute)": (300, 3), "rate(1 day)": (86_400, 2)}[every]
        assert (period(alarm), alarm["EvaluationPeriods"]) == wanted
        # And none that was just made is taken for one that stopped.
        minutes = alarm["WarmUpConfiguration"]["WarmUpPeriodDurationInMinutes"]
        assert minutes * 60 == period(alarm) * alarm["EvaluationPeriods"]
        assert minutes <= 2_880
    assert {rule: {functions[name]} for rule, name in watched.items()} == {
        rule: set(called) for rule, called in scheduled(template).items()
    }
    assert set(watched.values()) == {"extraction", "erasure", "model_retention"}
    assert {name for name, alarm in alarms.items() if "WarmUpConfiguration" in alarm} == stopped.keys()


def test_a_call_that_a_rule_may_not_make_is_an_alarm(alarms: dict[str, Alarm], template: Template) -> None:
    rules = {name for name, each in template["Resources"].items() if each["Type"] == "AWS::Events::Rule"}
    refused = looked_at(alarms["noted-calls-refused"])
    assert {(each["Namespace"], each["MetricName"]) for each in refused} == {
        ("AWS/Events", "FailedInvocations")
    }
    assert {named(each)["RuleName"]["Ref"] for each in refused} == rules
    assert len(rules) == len(refused) == 4


def test_a_deployment_that_lets_bedrock_be_has_no_alarm_on_it(
    synthesise: Callable[..., Template],
) -> None:
    found = {each["AlarmName"] for each in of_type(synthesise(zero_retention=False), "CloudWatch::Alarm")}
    assert "noted-extraction-stopped" in found
    assert not any("retention" in name for name in found)


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
def test_both_apis_are_watched_for_their_errors(
    alarms: dict[str, Alarm], template: Template, api: str, failed: str, dimension: str
) -> None:
    [http] = [
        name for name, each in template["Resources"].items() if each["Type"] == "AWS::ApiGatewayV2::Api"
    ]
    [rest] = of_type(template, "ApiGateway::RestApi")
    value = {"ApiId": {"Ref": http}, "ApiName": rest["Name"]}[dimension]
    failing = alarms[f"noted-{api}-failing"]
    assert {each["MetricName"] for each in looked_at(failing)} == {failed, "Count"}
    for metric in looked_at(failing):
        assert (metric["Namespace"], named(metric)) == ("AWS/ApiGateway", {dimension: value})
    assert failing["Threshold"] == 5


def test_slow_turns_are_an_alarm_and_not_who_waits_on_purpose(alarms: dict[str, Alarm]) -> None:
    alarm = alarms["noted-turns-slow"]
    stats = [each["MetricStat"] for each in alarm["Metrics"] if "MetricStat" in each]
    assert {each["Stat"] for each in stats} == {"p95"}
    assert {each["MetricName"] for each in looked_at(alarm)} == {"TurnDuration"}
    assert [named(each) for each in looked_at(alarm)] == [{"route": route} for route in Route]
    assert expression(alarm) == "MAX([m0, m1, m2])"
    assert (alarm["Threshold"], alarm["EvaluationPeriods"]) == (15_000, 3)
    # A gateway's latency counts the look at what was saved, which waits for it.
    assert not any(each["MetricName"] == "Latency" for each in alarms.values() if "MetricName" in each)


@pytest.mark.parametrize("kind", ["Read", "Write"])
def test_throttles_of_every_table_and_of_every_index_count(
    alarms: dict[str, Alarm], template: Template, kind: str
) -> None:
    made = {
        each["Properties"]["TableName"].removeprefix("noted-"): (name, each["Properties"])
        for name, each in template["Resources"].items()
        if each["Type"] == "AWS::DynamoDB::GlobalTable"
    }
    alarm = alarms[f"noted-{kind.lower()}s-throttled"]
    assert {each["MetricName"] for each in looked_at(alarm)} == {f"{kind}ThrottleEvents"}
    found = {
        (named(each)["TableName"]["Ref"], named(each).get("GlobalSecondaryIndexName"))
        for each in looked_at(alarm)
    }
    indexes = {
        (name, index["IndexName"])
        for name, properties in made.values()
        for index in properties.get("GlobalSecondaryIndexes", ())
    }
    assert len(made) == len(TABLES)
    assert indexes == {(made["memory"][0], OUTBOX.name), (made["control"][0], OPEN_JOBS.name)}
    assert found == {(name, None) for name, _ in made.values()} | indexes
    # Each filled: of a table that is not throttled DynamoDB says nothing, and an alarm would stay as it was.
    assert expression(alarm) == "SUM([" + ", ".join(f"FILL(m{n}, 0)" for n in range(len(found))) + "])"


def test_the_cost_of_a_day_is_tokens_by_the_prices_of_the_models(alarms: dict[str, Alarm]) -> None:
    alarm = alarms["noted-daily-cost"]
    terms = {
        each["Id"]: (named(each["MetricStat"]["Metric"])["model"], each["MetricStat"]["Metric"]["MetricName"])
        for each in alarm["Metrics"]
        if "MetricStat" in each
    }
    sum_of = re.fullmatch(r"SUM\(\[(.+)\]\) / 1000000", expression(alarm))
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
    # It comes once: neither EventBridge nor Lambda may give it up at the first failure.
    assert "RetryPolicy" not in target
    given_up = [each["FunctionName"]["Ref"] for each in of_type(template, "Lambda::EventInvokeConfig")]
    assert given_up == [functions["extraction"]]


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
