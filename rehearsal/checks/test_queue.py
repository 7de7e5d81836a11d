"""SQS, the function that works it off, and what becomes of messages that fail; what the schedules do."""

from __future__ import annotations

import pytest

from noted.store.queue import ExtractionJob
from rehearsal.deployment import Deployment
from tests.api.conftest import ServiceUnderTest
from tests.api.helpers import begin, eventually, learn, saved, say


def test_a_message_that_fails_once_is_worked_off_when_it_comes_again(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    learnt = service.standin.facts(("Likes jazz", "I like jazz"))
    service.standin.reply("extraction", 400, learnt)
    turn = say(alice, begin(alice), "I like jazz")
    found = eventually(lambda: (reply := saved(alice, turn)) and reply["facts"])
    assert [fact["text"] for fact in found] == ["Likes jazz"]


def test_a_message_that_always_fails_ends_among_the_dead_letters_and_holds_no_text(
    service: ServiceUnderTest, deployment: Deployment
) -> None:
    queues, alice, bob = deployment.queues, service.client("alice"), service.client("bob")
    queues.empty(queues.dead_letters)
    service.standin.reply("extraction", 400)
    failing = say(alice, begin(alice), "I like jazz")
    eventually(lambda: queues.waiting(queues.dead_letters), 120)
    # The rest of the queue went on.
    learn(service, bob, "I like tea", "Likes tea")
    [body] = queues.empty(queues.dead_letters)
    assert ExtractionJob.read(body).turn_id == failing["turn_id"]
    assert "jazz" not in body
    assert saved(alice, failing, wait=0)["status"] == "failed"


def test_nobody_but_the_functions_may_send(deployment: Deployment) -> None:
    client = deployment.emulator.client("sqs")
    with pytest.raises(client.exceptions.ClientError) as refused:
        client.send_message(QueueUrl=deployment.queues.url, MessageBody="{}")
    assert refused.value.response["Error"]["Code"] == "AccessDenied"


def test_the_schedules_call_their_functions(deployment: Deployment) -> None:
    """The rules of the template, each minute: what they send is in the event of no other caller."""
    rules = deployment.emulator.client("events").list_rules()["Rules"]
    assert [rule["ScheduleExpression"] for rule in rules] == ["rate(1 minute)"] * len(rules)
    assert rules

    def called() -> bool:
        counts = deployment.emulator.client("logs").filter_log_events(
            logGroupName=f"/aws/lambda/{deployment.function('extraction')}", filterPattern="START"
        )
        return bool(counts["events"])

    eventually(called, 120)
