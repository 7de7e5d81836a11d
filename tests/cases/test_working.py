"""The queue's worker and the tables: the collected cases, through the running service.

The values are those of the case file. Where a case cannot be taken literally, the test says what stands for
what.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta

import pytest

from functions.extraction.handler import build
from local.gateway import Context
from noted.clock import instant
from tests.api.conftest import ServiceUnderTest, StartService
from tests.api.helpers import (
    Json,
    begin,
    content_rows,
    facts,
    job,
    judge,
    recall,
    rows,
    say,
    tell,
    texts,
)
from tests.cases.helpers import Cases, parts, stop_clock, store
from tests.standin import Call
from tests.standin.replies import Reply
from tests.store import builders


@pytest.mark.parametrize("run", ["as given", "all succeed", "all fail"])
def test_sqs_01(cases: Cases, service: ServiceUnderTest, run: str) -> None:
    """The service's own queue is stopped, and its function is given the batch by hand. A model that fails for
    one turn stands for the record that raises."""
    given, then = parts(cases, "sqs-01")
    assert run in given["runs"]
    alice, standin = service.client("u-1"), service.standin
    service.queue.stop()
    turns = {name: say(alice, begin(alice), f"I own the item {name}") for name in given["records"]}
    raising = {name for name, behaviour in given["behaviour"].items() if behaviour == "raises"}
    not_json = given["behaviour"].keys() - raising
    if run == "all succeed":
        raising, not_json = set(), set()
    elif run == "all fail":
        raising = set(given["records"])

    def extract(call: Call) -> Reply:
        name = call.user[-1]
        return 500 if name in raising else standin.facts(f"Owns item {name}", quote=call.user)

    standin.reply("extraction", extract)
    event = {
        "Records": [
            {
                "messageId": name,
                "receiptHandle": name,
                "body": "not JSON" if name in not_json else job(service, "u-1", turns[name]).body(),
                "attributes": {"ApproximateReceiveCount": "1"},
                "messageAttributes": {},
                "eventSource": "aws:sqs",
                "eventSourceARN": "arn:aws:sqs:eu-west-1:000000000000:queue",
                "awsRegion": "eu-west-1",
            }
            for name in given["records"]
        ]
    }
    answer = build(service.runtime)(event, Context("extraction", timeout=60))
    stored = {fact["text"].removeprefix("Owns item ") for fact in facts(alice, status="all")}
    if run == "as given":
        assert answer == {"batchItemFailures": then["run1"]["batchItemFailures"]}
        assert stored == set(then["run1"]["facts_stored_for"])
    elif run == "all succeed":
        assert answer == then["run2"]
        assert stored == set(given["records"])
    else:
        assert answer == {"batchItemFailures": [{"itemIdentifier": name} for name in given["records"]]}
        assert stored == set()


@pytest.mark.usefixtures("no_deletion")
def test_dynamodb_01(cases: Cases, start_service: StartService, monkeypatch: pytest.MonkeyPatch) -> None:
    given, then = parts(cases, "dynamodb-01")
    days = given["write"]["ttl_days"]
    service = start_service(NOTED_RETENTION=json.dumps({"fact_days": {"other": days}}))
    now = datetime.fromtimestamp(given["now_epoch"], UTC)
    stop_clock(monkeypatch, service, now)
    names = [item["id"] for item in given["items"]]
    said = now - timedelta(days=1)
    store(
        service,
        "u-1",
        [
            builders.fact(
                f"Owns item {item['id']}",
                created_at=said,
                last_confirmed_at=said,
                expires_at=datetime.fromtimestamp(item["expires_at"], UTC) if item["expires_at"] else None,
            )
            for item in given["items"]
        ],
    )
    stored = [row for row in content_rows(service, "u-1") if row["sk"]["S"].startswith("FACT#")]
    assert len(stored) == len(names)

    alice = service.client("u-1")
    for returned in (facts(alice), facts(alice, status="all"), recall(alice, "item")["items"]):
        assert sorted(text[-1] for text in texts(returned)) == then["returned"]
    written = tell(alice, "Owns a kite")
    [row] = [row for row in rows(service, "u-1") if row["sk"]["S"] == f"FACT#{written['fact_id']}"]
    assert row["expires_at"] == {"N": str(then["written_expires_at"])}
    assert instant(written["expires_at"]) == datetime.fromtimestamp(then["written_expires_at"], UTC)


@pytest.mark.usefixtures("no_deletion")
def test_dynamodb_02(cases: Cases, service: ServiceUnderTest) -> None:
    """Each page that DynamoDB gives is cut to the case's number of rows. Of the newest facts the first ones
    have expired, a whole page of them, and the others are rejected."""
    given, then = parts(cases, "dynamodb-02")
    count, unfit, fit = map(int, re.findall(r"\d+", given["partition"]))
    want, page_limit = given["request"]["want"], given["request"]["page_limit"]
    assert (count - unfit, fit) == (fit, want)
    expired = page_limit + 2
    long_ago = datetime(2020, 1, 1, tzinfo=UTC)
    store(
        service,
        given["user_id"],
        [
            builders.fact(f"Owns item {n}", n, expires_at=long_ago if n >= count - expired else None)
            for n in range(count)
        ],
    )
    alice = service.client(given["user_id"])
    known = facts(alice, status="all")
    assert len(known) == count - expired
    for fact in known[:-fit]:
        judge(alice, fact, "rejected")

    asked: list[Json] = []

    def cut(params: Json, **_: object) -> None:
        params["Limit"] = page_limit
        asked.append(dict(params))

    service.runtime.dynamodb.meta.events.register("provide-client-params.dynamodb.Query", cut)
    found = recall(alice, "Which item?", limit=want)["items"]
    assert len(found) == then["returned"]
    assert set(texts(found)) == {f"Owns item {n}" for n in range(fit)}
    of_facts = [params for params in asked if "FACT#" in str(params)]
    assert len(of_facts) > (count - expired) // page_limit
    assert len(facts(alice, limit=want)) == then["returned"]
