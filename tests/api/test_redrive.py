"""Dead letters that are sent again when what made them fail is mended: for what is still there alone."""

from __future__ import annotations

from local.gateway import Context
from local.service import load_functions

from .conftest import ServiceUnderTest
from .helpers import begin, erase, facts, saved, say, texts


def test_only_what_can_still_be_done_is_sent_again(service: ServiceUnderTest) -> None:
    alice, bob, carol = (service.client(name) for name in ("alice", "bob", "carol"))
    extraction = load_functions()["extraction"](service.runtime)

    def redriven() -> object:
        return extraction({"noted": "redrive"}, Context("extraction", timeout=60))

    assert redriven() == {"sent": 0, "dropped": 0, "left": 0}
    service.standin.reply("extraction", "no JSON")
    kept, gone = begin(alice), begin(alice)
    turn = say(alice, kept, "I like jazz")
    say(alice, gone, "I like tea")
    say(bob, begin(bob), "I like jazz")
    say(carol, begin(carol), "I like jazz")
    service.queue.drain()
    # Of the four dead letters, what one is about was erased, and the user of another erased everything.
    erase(bob)
    erase(alice, f"/v1/conversations/{gone}")
    service.standin.reply("extraction", service.standin.facts("Likes jazz", quote="I like jazz"))
    assert redriven() == {"sent": 2, "dropped": 2, "left": 0}
    service.queue.drain()
    assert saved(alice, turn)["status"] == "done"
    assert texts(facts(alice)) == texts(facts(carol)) == ["Likes jazz"]
    assert facts(bob) == []
    calls = len(service.standin.calls["extraction"])
    assert redriven() == {"sent": 0, "dropped": 0, "left": 0}
    assert len(service.standin.calls["extraction"]) == calls
