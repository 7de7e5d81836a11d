"""Two users at once, with messages delivered twice and out of order: nothing lost, doubled or mixed up."""

from __future__ import annotations

import random
import re
import uuid
from concurrent.futures import ThreadPoolExecutor

from tests.api.conftest import ServiceUnderTest
from tests.api.helpers import (
    Json,
    begin,
    content_rows,
    facts,
    job,
    pages,
    principal,
    recall,
    rows,
    say,
    stored_turns,
    texts,
)
from tests.standin import Call
from tests.standin.replies import Reply, extraction_item

USERS = ("alice", "alice1")  # one name begins with the other
CONVERSATIONS, TURNS = 20, 2
SEED = 20260310
LETTERS = str.maketrans("0123456789", "ghijklmnop")  # no digit that the message does not state


def message(subject: str, conversation: int, turn: int) -> str:
    return f"I own {subject} item {conversation} of box {100 + turn}"


def own_item(call: Call) -> Reply:
    """The one fact of a message, worded in another way each time, as models do."""
    wording = f"{random.choice(('Owns', 'Has'))} {uuid.uuid4().hex.translate(LETTERS)}"
    return {"facts": [extraction_item(call.user.replace("I own", wording), call.user)]}


def item(text: str) -> str:
    """What a message or a fact is about, whatever its wording."""
    return re.search(r"alice1? item \d+ of box \d+", text)[0]  # type: ignore[index]


def test_two_users_in_twenty_conversations_each(service: ServiceUnderTest) -> None:
    service.standin.reply("extraction", own_item)
    clients = {subject: service.client(subject) for subject in USERS}

    def converse(task: tuple[str, int]) -> tuple[str, list[Json]]:
        subject, number = task
        conversation = begin(clients[subject])
        return subject, [
            say(clients[subject], conversation, message(subject, number, turn)) for turn in range(TURNS)
        ]

    tasks = [(subject, number) for number in range(CONVERSATIONS) for subject in USERS]
    with ThreadPoolExecutor(8) as pool:
        conversations = list(pool.map(converse, tasks))
    jobs = [job(service, subject, turn) for subject, turns in conversations for turn in turns] * 2
    random.Random(SEED).shuffle(jobs)
    for each in jobs:
        service.queue.send(each.body(), each.principal.owner)
    service.queue.drain(120)

    for subject in USERS:
        client = clients[subject]
        said = {message(subject, c, t) for c in range(CONVERSATIONS) for t in range(TURNS)}
        mine = {turns[0]["conversation_id"]: turns for owner, turns in conversations if owner == subject}
        listed = pages(client, "/v1/conversations")
        assert {each["conversation_id"] for each in listed} == mine.keys()
        assert len(listed) == CONVERSATIONS
        for conversation, turns in mine.items():
            stored = stored_turns(client, conversation)
            assert [turn["message"] for turn in stored] == [turn["message"] for turn in turns]
            assert [turn["turn_id"] for turn in stored] == [turn["turn_id"] for turn in turns]
        known = facts(client, status="all")
        assert sorted(map(item, texts(known))) == sorted(map(item, said))
        turns_of_facts = {fact["source"]["turn_id"]: fact["source"]["quote"] for fact in known}
        assert turns_of_facts == {turn["turn_id"]: turn["message"] for ts in mine.values() for turn in ts}
        found = texts(recall(client, "Which item of which box do I own?", limit=100)["items"])
        assert sorted(found) == sorted(texts(known))
        assert all(
            turn["recalled"] == [] or owns(subject, turn["recalled"]) for ts in mine.values() for turn in ts
        )

        # A conversation's two rows; a turn, its extraction mark and its fact; the revision of all facts, and
        # the data key.
        kept = content_rows(service, subject)
        assert len(kept) == CONVERSATIONS * 2 + CONVERSATIONS * TURNS * 3 + 2
        partitions = {row["pk"]["S"] for row in kept}
        assert partitions == {f"{principal(service, subject).owner}#g1"}
        # Nothing is still to be done; the conversations rest, and wait for their episodes.
        assert not [row for row in kept if not row.get("outbox", {"S": "rest-"})["S"].startswith("rest-")]

    # Every row of the service is one of theirs, but for the list of users and what is known of the tables.
    owned = [row for row in rows(service) if not row["pk"]["S"].startswith(("ORG#", "SERVICE"))]
    assert len(owned) == sum(len(rows(service, subject)) for subject in USERS)
    # No prompt that was made for the one held a word of the other.
    for calls in service.standin.calls.values():
        for call in calls:
            assert len(set(re.findall(r"\b(alice1?) item", call.prompt))) <= 1


def owns(subject: str, recalled: list[Json]) -> bool:
    """Whether all facts are of this user."""
    return all(item(text).startswith(f"{subject} item") for text in texts(recalled))


def test_turns_that_are_sent_to_one_conversation_at_once_are_all_kept(service: ServiceUnderTest) -> None:
    service.standin.reply("extraction", own_item)
    alice = service.client("alice")
    conversation = begin(alice)
    said = [message("alice", number, number) for number in range(12)]
    with ThreadPoolExecutor(12) as pool:
        turns = list(pool.map(lambda each: say(alice, conversation, each), said))
    service.queue.drain()
    stored = stored_turns(alice, conversation)
    assert sorted(turn["message"] for turn in stored) == sorted(said)
    assert {turn["turn_id"] for turn in stored} == {turn["turn_id"] for turn in turns}
    assert len(facts(alice)) == 12
