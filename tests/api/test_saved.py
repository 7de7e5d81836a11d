"""What was kept from a turn: pending until its extraction has ended, then told."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from tests.api.conftest import ServiceUnderTest
from tests.api.helpers import (
    FACT,
    TURN,
    Json,
    begin,
    erase,
    eventually,
    facts,
    fits,
    held,
    ok,
    problem,
    saved,
    say,
    texts,
    wrong_fields,
)
from tests.standin import Say

# `dropped` says by rule what was refused, `asks` what it lacked a consent for, `usage` what it cost; the
# contract names the other three.
SAVED: Json = {
    "status": ("pending", "done", "failed", "skipped"),
    "facts": [FACT],
    "error_type": (None, str),
    "dropped": dict,
    "asks": list,
    "usage": TURN["usage"],
}
NO_TOKENS: Json = dict.fromkeys(TURN["usage"], 0) | {"by_purpose": {}}
NOTHING: Json = {"facts": [], "dropped": {}, "asks": [], "error_type": None, "usage": NO_TOKENS}


def test_it_is_pending_while_the_model_reads_and_done_afterwards(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    said = service.standin.facts(("Likes jazz", "I like jazz"), ("Wonders about rain?", "Will it rain?"))
    with held(service.standin, "extraction", said) as extraction:
        turn = say(alice, begin(alice), "I like jazz. Will it rain?")
        extraction.wait_for_call()
        pending = saved(alice, turn, wait=0)
        assert fits(pending, SAVED)
        assert (pending["status"], pending["facts"], pending["error_type"]) == ("pending", [], None)
        assert facts(alice) == []
    done = saved(alice, turn)
    assert fits(done, SAVED)
    assert (done["status"], texts(done["facts"]), done["error_type"]) == ("done", ["Likes jazz"], None)
    assert done["dropped"] == {"question": 1}
    assert done["usage"]["by_purpose"]["extraction"]["model_calls"] == 1
    assert done["facts"] == facts(alice)


def test_who_waits_is_told_when_it_is_done(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    said = service.standin.facts(("Likes jazz", "I like jazz"))
    with ThreadPoolExecutor() as pool, held(service.standin, "extraction", said) as extraction:
        turn = say(alice, begin(alice), "I like jazz")
        waiting = pool.submit(saved, alice, turn, 25)
        extraction.wait_for_call()
        assert not waiting.done()
        extraction.release()
        assert texts(waiting.result()["facts"]) == ["Likes jazz"]


def test_who_has_waited_long_enough_is_told_that_it_is_pending(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    with held(service.standin, "extraction", {"facts": []}):
        turn = say(alice, begin(alice), "I like jazz")
        assert saved(alice, turn, wait=1)["status"] == "pending"


def test_a_failure_is_told_by_its_type_until_a_later_try_succeeds(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    secret = Say(status=500, body={"error": {"message": "I like jazz"}})
    # The call itself tries twice; then the queue sends the turn again.
    service.standin.reply(
        "extraction", secret, secret, service.standin.facts("Likes jazz", quote="I like jazz")
    )
    turn = say(alice, begin(alice), "I like jazz")
    failed = saved(alice, turn)
    assert fits(failed, SAVED)
    assert (failed["status"], failed["facts"], failed["error_type"]) == ("failed", [], "ModelUnavailable")

    def done() -> Json | None:
        now = saved(alice, turn)
        return now if now["status"] == "done" else None

    then = eventually(done)
    assert (texts(then["facts"]), then["error_type"]) == (["Likes jazz"], None)


def test_a_turn_that_is_not_to_be_remembered_is_skipped(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    for turn in (
        say(alice, begin(alice), "I like jazz", remember=False),
        say(alice, begin(alice, incognito=True), "I like jazz"),
        say(alice, begin(alice), "Remember that I like jazz", remember=False),
    ):
        assert saved(alice, turn) == NOTHING | {"status": "skipped"}


def test_a_question_about_memory_is_done_and_kept_nothing(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    turn = say(alice, begin(alice), "What did I tell you?")
    assert saved(alice, turn) == NOTHING | {"status": "done"}
    service.queue.drain()
    assert service.standin.calls["extraction"] == []


def test_a_fact_that_was_erased_is_not_told(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    service.standin.reply(
        "extraction", service.standin.facts("Likes jazz", "Likes tea", quote="jazz and tea")
    )
    turn = say(alice, begin(alice), "I like jazz and tea")
    [jazz, _] = sorted(saved(alice, turn)["facts"], key=lambda fact: str(fact["text"]))
    erase(alice, f"/v1/facts/{jazz['fact_id']}")
    assert texts(saved(alice, turn)["facts"]) == ["Likes tea"]


def test_a_wait_has_0_to_25_seconds(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    turn = say(alice, begin(alice), "Hello", remember=False)
    for wait in ("26", "-1", "0.5", "long", ""):
        assert wrong_fields(alice.get(turn["saved_url"], params={"wait": wait})) == {"wait"}
    ok(alice.get(turn["saved_url"], params={"wait": "25"}))
    ok(alice.get(turn["saved_url"]))


def test_a_turn_is_found_in_its_own_conversation_alone(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    turn = say(alice, begin(alice), "Hello")
    other = begin(alice)
    problem(alice.get(f"/v1/conversations/{other}/turns/{turn['turn_id']}/saved"), 404, "not-found")
