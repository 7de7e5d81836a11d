"""The price of a deployment and its quotas, by numbers worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from evals.load import deployment, peers, quotas, stack
from evals.load.bill import (
    Activity,
    Assumed,
    a_million_turns,
    api_gateway,
    billed_ms,
    idle,
    month,
    share_of_turn,
)
from evals.load.page import page
from evals.load.prices import PRICES


def count(**of: Any) -> dict[str, Any]:
    """A counted call that asks for nothing but these."""
    nothing = dict.fromkeys(
        (
            *("database_calls", "kms_calls", "messages", "model_calls", "input_tokens", "output_tokens"),
            *("embedded_texts", "embedded_characters", "reply_bytes", "log_lines", "log_bytes"),
            *("processor_ms", "metrics"),
        ),
        0.0,
    )
    return {"invocations": 1, "read_units": {}, "write_units": {}, **nothing, **of}


ONLY_TURNS = Activity(
    turns=10, conversations=0, recalls=0, fact_lists=0, turn_lists=0, told=0, judged=0, erased=0
)
CALLS: Mapping[str, Mapping[str, Any]] = {
    **{call: count() for call in Activity().calls()},
    **dict.fromkeys(("sweep-outbox", "sweep-episodes", "reindex", "run-erasures"), count()),
    "turn": count(
        database_calls=8,
        kms_calls=1,
        messages=1,
        input_tokens=2_000,
        output_tokens=200,
        embedded_texts=1,
        embedded_characters=400,
        read_units={"control": 1, "memory": 19},
        write_units={"memory": 12, "memory/outbox": 4},
        log_bytes=1_000,
        reply_bytes=4_096,
        processor_ms=20,
    ),
}
KEPT = {"fact_bytes": 2_000, "turn_bytes": 3_000, "metrics": 40}
# Half a processor, so that the sums stay round.
ASSUMED = Assumed(processor_share=0.5, access_log_bytes=200, platform_log_bytes=400)


def test_a_turn_is_paid_for_as_long_as_it_waits_and_works() -> None:
    # 8 round trips of 5 ms, one call of KMS of 10, an embedding of 80, an answer of 2,500, and 20 ms of work
    # that take 40 at half a processor.
    assert billed_ms("turn", CALLS["turn"], ASSUMED) == 40 + 10 + 80 + 2_500 + 40
    assert billed_ms("extraction", count(), ASSUMED) == 1_500
    assert billed_ms("saved", count(), ASSUMED) == 2_000
    assert billed_ms("recall", count(database_calls=2), ASSUMED) == 10


def test_a_month_of_turns_by_hand() -> None:
    bill = month(1_000, ONLY_TURNS, CALLS, KEPT, ASSUMED)
    # Ten thousand turns; each is followed by an extraction and a look at what was saved.
    assert bill["API Gateway"] == pytest.approx(20_000 * 1e-6)
    assert bill["data out"] == pytest.approx(10_000 * 4_096 / 2**30 * 0.09)
    seconds = 10_000 * (2.67 + 1.5 + 2.0)
    assert bill["Lambda"] == pytest.approx(30_000 * 0.2e-6 + seconds * 0.0000133334)
    assert bill["DynamoDB reads"] == pytest.approx(10_000 * 20 * 0.125e-6)
    assert bill["DynamoDB writes"] == pytest.approx(10_000 * 16 * 0.625e-6)
    assert bill["KMS"] == pytest.approx(10_000 * 0.03e-4)
    assert bill["SQS"] == pytest.approx(10_000 * 3 * 0.4e-6)
    # A turn: 1,000 of its own, 400 of Lambda and 200 of the API; an extraction 400; a look 600.
    assert bill["logs"] == pytest.approx(10_000 * 2_600 / 2**30 * 0.5)
    assert bill["answering model"] == pytest.approx(10_000 * (2_000 * 1.1e-6 + 200 * 5.5e-6))
    assert bill["background models"] == 0
    assert bill["embedding"] == pytest.approx(10_000 * 100 * 0.1e-6)
    # 200 facts of 2,000 bytes and 90 turns of 3,000 for each of a thousand users, and the same for recovery.
    assert bill["DynamoDB storage"] == pytest.approx(670e6 / 2**30 * 0.45)
    assert bill["metrics"] == pytest.approx(12)
    assert a_million_turns(bill, 1_000, ONLY_TURNS) == pytest.approx(100 * sum(bill.values()))
    assert deployment.memory(bill).keys() == bill.keys() - {"answering model"}


def test_the_bill_is_linear_in_users_but_for_what_is_fixed_and_tiered() -> None:
    one, many = (month(users, Activity(), CALLS, KEPT, ASSUMED) for users in (1_000, 2_000))
    for name, usd in one.items():
        assert many[name] == pytest.approx(usd if name == "metrics" else 2 * usd)


def test_an_erasure_signs_its_receipt() -> None:
    erasing = Activity(0, 0, 0, 0, 0, 0, 0, erased=1, facts=0, turns_kept=0)
    bill = month(10_000, erasing, CALLS, KEPT, ASSUMED)
    assert bill["KMS"] == pytest.approx(0.15)  # 15 cents for ten thousand signatures


@pytest.mark.parametrize("requests, usd", [(1e6, 1.0), (300e6, 300.0), (301e6, 300.9), (1_300e6, 300 + 900)])
def test_the_gateway_has_two_prices(requests: float, usd: float) -> None:
    assert api_gateway(requests) == pytest.approx(usd)


def test_idle_is_keys_secret_alarms_and_schedules() -> None:
    parts = {"keys": 3, "secrets": 1, "alarm_metrics": 57, "pollers": 5}
    sweeps = {
        work: count(read_units={"memory/outbox": 4}, database_calls=20, log_bytes=600)
        for work in ("sweep-outbox", "sweep-episodes", "reindex", "run-erasures")
    }
    price = idle(parts, sweeps, ASSUMED)
    assert (price["KMS keys"], price["secret"]) == (3.0, 0.4)
    assert price["alarms"] == pytest.approx(5.7)
    # 43,800 minutes of four calls of 100 ms each.
    assert price["schedules: Lambda"] == pytest.approx(175_200 * (0.2e-6 + 0.1 * 0.0000133334))
    assert price["schedules: DynamoDB"] == pytest.approx(175_200 * 4 * 0.125e-6)
    assert price["schedules: logs"] == pytest.approx(175_200 * 1_000 / 2**30 * 0.5)
    assert price["queue polled"] == pytest.approx(5 * 131_400 * 0.4e-6)


def test_parts_are_counted_in_a_template() -> None:
    metric: dict[str, Any] = {"MetricStat": {}}
    resources: list[dict[str, Any]] = [
        {"Type": "AWS::KMS::Key", "Properties": {"EnableKeyRotation": True}},
        {"Type": "AWS::KMS::Key", "Properties": {"KeySpec": "ECC_NIST_P256"}},
        {"Type": "AWS::SecretsManager::Secret"},
        {"Type": "AWS::CloudWatch::Alarm", "Properties": {"MetricName": "Errors"}},
        # An expression is free, what it reads is not.
        {
            "Type": "AWS::CloudWatch::Alarm",
            "Properties": {"Metrics": [{"Expression": "a/b"}, metric, metric]},
        },
        {"Type": "AWS::CloudWatch::Dashboard"},
        {"Type": "AWS::SQS::Queue"},
    ]
    assert stack.parts(resources) == {
        "keys": 2,
        "rotated_keys": 1,
        "secrets": 1,
        "alarms": 2,
        "alarm_metrics": 3,
        "dashboards": 1,
        "pollers": 5,
    }


def test_each_quota_bites_where_the_load_of_so_many_users_reaches_it() -> None:
    known = quotas.quotas(
        {"model_requests_per_second": 20, "requests_per_second": 100, "extraction_concurrency": 10}
    )
    asked = quotas.load(ONLY_TURNS, CALLS, ASSUMED)
    assert {quota.key for quota in known} == asked.keys()
    found = {each["key"]: each["bites_at"] for each in quotas.bites(known, asked, peak=4)}
    second = 2_628_000  # of a month
    # Ten turns a month, four times as many in the busiest second, 20 a second at most.
    assert found["stack_turns"] == second * 20 / 40
    assert found["stack_requests"] == second * 100 / 80
    assert found["new_writes"] == pytest.approx(second * 4_000 / (40 * 12), abs=1)
    assert found["outbox"] == pytest.approx(second * 16_000 / (40 * 4), abs=1)
    assert found["lambda"] == pytest.approx(second * 1_000 / (40 * (2.67 + 1.5 + 2.0)), abs=1)
    # An output token counts five times; a minute has sixty seconds.
    assert found["bedrock"] == pytest.approx(second * 5e6 / 60 / (40 * 3_000), abs=1)
    # What waits in the queue is held against the mean.
    assert found["stack_workers"] == pytest.approx(second * 10 / (10 * 1.5), abs=1)
    assert found["episodes"] is None
    assert found["erasures"] is None


def test_an_erasure_is_taken_each_minute_until_all_writers_have_ended() -> None:
    # Due at once, then after each of 420 s by the minute, and the day after.
    assert quotas.TAKES == 9
    once = Activity(0, 0, 0, 0, 0, 0, 0, erased=1)
    asked = quotas.load(once, CALLS, ASSUMED)
    [found] = [
        each
        for each in quotas.bites(
            quotas.quotas(
                {"model_requests_per_second": 1, "requests_per_second": 1, "extraction_concurrency": 1}
            ),
            asked,
            peak=4,
        )
        if each["key"] == "erasures"
    ]
    # 25 a minute by 43,800 minutes, by nine.
    assert found["bites_at"] == round(25 * 43_800 / 9)


def test_the_first_to_bite_comes_first_and_what_never_bites_last() -> None:
    known = [
        quotas.Quota("slow", "slow", 10, "request", ""),
        quotas.Quota("never", "never", 10, "request", ""),
        quotas.Quota("fast", "fast", 10, "code", ""),
    ]
    found = quotas.bites(known, {"slow": 0.1, "never": 0.0, "fast": 1.0}, peak=2)
    assert [(each["key"], each["bites_at"]) for each in found] == [("fast", 5), ("slow", 50), ("never", None)]
    assert quotas.over(6, found) == ["fast"]
    assert quotas.over(1_000, found) == ["fast", "slow"]


def test_a_partition_is_used_by_one_users_turns() -> None:
    assert share_of_turn(CALLS, "write_units", "memory") == 12
    used = quotas.hottest_partition(CALLS, 60)
    assert used == pytest.approx({"write": 12 / 60 / 1_000, "read": 19 / 60 / 3_000})


def test_agentcore_by_hand() -> None:
    activity = Activity(turns=30, recalls=5, facts=200)
    # 30 events, 200 records and 35 retrievals a user.
    assert peers.agentcore(1_000, activity) == pytest.approx(1_000 * (0.0075 + 0.15 + 0.0175))


def test_opensearch_has_a_floor_and_then_grows_with_the_graph() -> None:
    activity = Activity(facts=200)
    assert peers.vector_bytes() == pytest.approx(1.1 * (4_096 + 128))
    assert peers.ocus(0, activity) == 2
    assert peers.opensearch(0, activity) == pytest.approx(2 * 0.24 * 730)
    graph = 1e6 * 200 * 1.1 * 4_224
    assert peers.ocus(1e6, activity) == pytest.approx(1 + 2 * graph / (6 * 2**30))
    assert peers.ocus(1e6, activity, 32) == pytest.approx(1 + 2 * 2e8 * 1.1 * 256 / (6 * 2**30))


def test_every_price_has_a_unit_and_a_source() -> None:
    for price in {**PRICES, **peers.PRICES}.values():
        assert price.usd > 0
        assert price.unit
        assert price.source


def test_the_page_is_drawn_from_what_was_worked_out() -> None:
    parts = {
        "keys": 3,
        "rotated_keys": 2,
        "secrets": 1,
        "alarms": 38,
        "alarm_metrics": 57,
        "dashboards": 1,
        "pollers": 5,
    }
    settings = {"model_requests_per_second": 20, "requests_per_second": 100, "extraction_concurrency": 10}
    worked = deployment.worked_out({"cold": CALLS, "warm": CALLS}, KEPT, parts, settings)
    text = page({"measured_on": "2026-11-30", **worked}, None)
    assert f"costs {sum(worked['idle'].values()):.2f} US dollars a month" in text
    assert "| AgentCore Memory | 0.00 | 175 | 175,000 | 17,500,000 |" in text
    assert "Not measured here." in text
    assert "{" not in text
