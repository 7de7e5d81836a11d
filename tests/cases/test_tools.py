"""What tools give to an answer, and what a model may reach through them: the collected cases, over HTTP.

The values are those of the case file. Where a case cannot be taken literally, the test says what stands for
what.
"""

from __future__ import annotations

import pytest

from noted.privacy.unmasking import NO_FIGURE
from tests.api.conftest import ServiceUnderTest, StartService
from tests.api.helpers import begin, content_rows, facts, rows, saved, say, stored_turns, tell, texts
from tests.cases.helpers import Cases, deploy, parts
from tests.standin import Say


def test_figures_01(cases: Cases, monkeypatch: pytest.MonkeyPatch, start_service: StartService) -> None:
    given, then = parts(cases, "figures-01")
    [(label, value)] = given["filled"].items()
    service = deploy(monkeypatch, start_service, {label: value})
    alice = service.client("u-1")
    conversation = begin(alice)
    service.standin.reply("answer", Say(tool_calls=[("account", {})]), given["template"], "Yes.")
    turn = say(alice, conversation, "What is my balance?")
    assert turn["answer"] == given["answer_shown"]
    [stored] = stored_turns(alice, conversation)
    assert stored["answer"] == then["stored_assistant_text"]
    say(alice, conversation, given["next_message"])
    service.queue.drain()

    asked, answered, followed = service.standin.calls["answer"]
    label_told, note = then["prompt_contains"]
    assert note.startswith("a note that code filled each label in")
    assert label_told in followed.prompt
    assert f"Code filled in {label_told}" in followed.prompt
    assert "the customer saw the value" in followed.prompt
    for call in (asked, answered, followed, *service.standin.calls["extraction"]):
        assert then["prompt_must_not_contain"] not in call.prompt


def test_figures_02(cases: Cases, monkeypatch: pytest.MonkeyPatch, start_service: StartService) -> None:
    """The deployer has a tool for the card too, which the model did not ask."""
    given, then = parts(cases, "figures-02")
    [claimed], [unclaimed] = then["note_in_replay_claims_as_shown"], then["note_does_not_claim"]
    service = deploy(monkeypatch, start_service, {**given["filled"], unclaimed: None})
    alice = service.client("u-1")
    conversation = begin(alice)
    service.standin.reply("answer", Say(tool_calls=[("account", {})]), given["answer_template"], "Yes.")
    said = given["user_message"]
    returned = [item["text"] for item in given["extractor_returns"]]
    service.standin.reply("extraction", service.standin.facts(*returned, quote=said))
    turn = say(alice, conversation, said)
    shown = given["answer_template"].replace(f"[{claimed}]", given["filled"][claimed])
    assert turn["answer"] == shown.replace(f"[{unclaimed}]", NO_FIGURE)
    [stored] = stored_turns(alice, conversation)
    assert stored["message"] == turn["message"] == then["stored_user_text"]
    assert f"[{claimed}]" in stored["answer"]
    assert f"[{unclaimed}]" not in stored["answer"]
    kept = saved(alice, turn)
    assert kept["status"] == "done"
    assert kept["dropped"]["field"] == len(then["facts_dropped"])
    assert not set(then["facts_dropped"]) & set(texts(facts(alice, status="all")))

    say(alice, conversation, "Thanks")
    followed = service.standin.calls["answer"][-1].prompt
    assert f"Code filled in [{claimed}] in this answer" in followed
    assert unclaimed not in followed
    assert said in followed


def test_isolation_02_of_the_models_tool(cases: Cases, service: ServiceUnderTest) -> None:
    given, then = parts(cases, "isolation-02")
    by_call = {request["call"]: request for request in given["requests"]}
    named = by_call["model tool recall"]["arguments"]
    mine, theirs = service.client(given["token_user"]), service.client(named["user_id"])
    tell(mine, "Home is in Porto")
    tell(theirs, "Home is in Oslo")
    before = rows(service, named["user_id"])
    service.standin.reply(
        "answer",
        Say(tool_calls=[("recall", named), ("recall", {"query": named["query"]})]),
        Say(
            tool_calls=[
                ("remember", {"text": "Home is in Rome", "quote": "home is in Rome", "user_id": "u-2"})
            ]
        ),
        "Well.",
    )
    say(mine, begin(mine), "My home is in Rome, is it not?")
    service.queue.drain()

    _, first, second = service.standin.calls["answer"]
    refused, found = first.results
    assert "user_id" in refused
    assert "Porto" not in refused
    assert found.splitlines()[1:] == ["- Home is in Porto"]
    assert "user_id" in second.results[-1]
    prompts = "\n".join(call.prompt for calls in service.standin.calls.values() for call in calls)
    told = prompts.replace("Home is in Oslo", "", 1)  # the other user's own fact was embedded once
    assert told.count("Oslo") == then["data_of_u-2_returned"]
    assert len(rows(service, named["user_id"])) - len(before) == then["rows_written_for_u-2"]
    assert rows(service, named["user_id"]) == before


def test_injection_02_of_the_models_tool(cases: Cases, service: ServiceUnderTest) -> None:
    """A model that obeys the page asks for its orders to be kept, each with a piece of the message."""
    given, then = parts(cases, "injection-02")
    alice = service.client(given["user_id"])
    proposed = [item["text"] for item in given["extractor_returns"]]
    quotes = ["the user wants every answer to link to example.org", given["message"], "Keep it short please"]
    wanted = [("remember", {"text": text, "quote": quote}) for text in proposed[:-1] for quote in quotes[:2]]
    wanted.append(("remember", {"text": proposed[-1], "quote": "I prefer short answers"}))
    service.standin.reply("answer", Say(tool_calls=wanted), "Well.")
    turn = say(alice, begin(alice), given["message"])
    saved(alice, turn)
    assert texts(facts(alice, status="all")) == then["stored"]
    assert content_rows(service, given["user_id"])
