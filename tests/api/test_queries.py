"""What is searched for when a message can only be understood with the conversation before it."""

from __future__ import annotations

from tests.api.conftest import ServiceUnderTest, StartService
from tests.api.helpers import begin, record, say, tell, texts
from tests.standin.replies import Say

PHONE = "+44 20 7946 0958"


def searched(service: ServiceUnderTest) -> str:
    """The text of the last query that was embedded."""
    text: str = service.standin.calls["embedding"][-1].body["input"][-1]
    return text


def test_a_follow_up_is_reworded_by_a_model_that_reads_the_last_turns(start_service: StartService) -> None:
    service = start_service(NOTED_RECALL_BUDGET_SECONDS="20")
    alice = service.client("alice")
    conversation = begin(alice)
    record(alice, conversation, f"My sister Ana has {PHONE}", "I see.", remember=False)
    tell(alice, "Sister Ana lives in London")
    service.standin.reply("query", {"query": "Where does Ana live?", "since": None, "until": None})
    turn = say(alice, conversation, "And where does she live?", remember=False)
    assert texts(turn["recalled"]) == ["Sister Ana lives in London"]
    assert searched(service) == "Where does Ana live?"
    [call] = service.standin.calls["query"]
    assert "My sister Ana has <PHONE_A>" in call.user
    assert PHONE not in call.prompt
    assert turn["usage"]["by_purpose"]["query"]["model_calls"] == 1
    assert turn["degraded"] == []


def test_a_message_that_stands_for_itself_costs_no_call(service: ServiceUnderTest) -> None:
    alice = service.client("alice")
    conversation = begin(alice)
    tell(alice, "Lives in Porto")
    say(alice, conversation, "And where does she live?", remember=False)  # there is nothing before it
    say(alice, conversation, "Which restaurant in Porto has good fish?", remember=False)
    assert service.standin.calls["query"] == []


def test_earlier_words_stand_in_for_a_model_that_is_late(start_service: StartService) -> None:
    service = start_service(NOTED_RECALL_BUDGET_SECONDS="1")
    alice = service.client("alice")
    conversation = begin(alice)
    record(alice, conversation, "Tell me about my sister Ana", "I see.", remember=False)
    tell(alice, "Sister Ana lives in London")
    service.standin.reply("query", Say('{"query": "too late"}', delay=5))
    turn = say(alice, conversation, "And where does she live?", remember=False)
    assert texts(turn["recalled"]) == ["Sister Ana lives in London"]
    assert "query" in turn["degraded"]
    assert "Tell me about my sister Ana" in searched(service)


def test_a_query_that_names_what_nobody_named_is_not_searched_for(start_service: StartService) -> None:
    service = start_service(NOTED_RECALL_BUDGET_SECONDS="20")
    alice = service.client("alice")
    conversation = begin(alice)
    record(alice, conversation, "Tell me about my sister Ana", "I see.", remember=False)
    tell(alice, "Sister Ana lives in London")
    service.standin.reply("query", {"query": "Where does Maria Lopez live?", "since": None, "until": None})
    turn = say(alice, conversation, "And where does she live?", remember=False)
    assert "Lopez" not in searched(service)
    assert "query" in turn["degraded"]
