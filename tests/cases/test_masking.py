"""Placeholders, in prompts and in answers that stream: the collected cases, over HTTP.

The values are those of the case file. Where a case cannot be taken literally, the test says what stands for
what.
"""

from __future__ import annotations

import json
import re
import threading
from itertools import accumulate
from typing import TYPE_CHECKING

import pytest

from noted.facts.fact import Source
from tests.api.helpers import begin, facts, record, saved, say, stored_turns, tell, texts, turns_of
from tests.api.test_streams import streamed
from tests.cases.helpers import Cases, context, deploy, parts, store
from tests.standin import Say
from tests.store import builders

if TYPE_CHECKING:
    import httpx

    from tests.api.conftest import ServiceUnderTest, StartService
    from tests.standin import Call


def test_placeholders_01(cases: Cases, service: ServiceUnderTest) -> None:
    """The turns come from a client that masks its texts itself, so its placeholders stand in them."""
    given, then = parts(cases, "placeholders-01")
    user, assistant = given["stored_turns"]
    assert (user["role"], assistant["role"]) == ("user", "assistant")
    alice = service.client("u-1")
    conversation = begin(alice)
    record(alice, conversation, user["text"], assistant["text"], remember=False)

    built = context(alice, conversation, given["current_message"])
    *replayed, current = [message["content"] for message in built["messages"]]
    assert replayed == then["replayed"]
    assert current.endswith(f"\n\n{then['current']}")
    assert "[earlier" not in current
    again = context(alice, conversation, given["current_message"])
    assert again == built
    assert then["second_build"] == "identical, no '[earlier earlier'"
    assert "[earlier earlier" not in json.dumps(again)

    # The prompt of an answer is the same one, and in the next prompt this message is an earlier one too.
    for _ in range(2):
        say(alice, conversation, given["current_message"], remember=False)
    first, second = service.standin.calls["answer"]
    assert [message["content"] for message in first.messages[1:]] == [*replayed, current]
    older = given["current_message"].replace("<PERSON_A>", "[earlier PERSON_A]")
    assert [message["content"] for message in second.messages[1:-1]] == [*replayed, older, "ok"]
    assert second.user == current
    assert "[earlier earlier" not in second.prompt

    stored, *_ = stored_turns(alice, conversation)
    assert then["stored_turns_unchanged"]
    assert [stored["message"], stored["answer"]] == [user["text"], assistant["text"]]


def test_placeholders_02(cases: Cases, service: ServiceUnderTest) -> None:
    """The two turns that the facts come from were masked by a client, each with letters of its own. What is
    typed so is not learnt any more, but such facts are stored. They are asked for in the conversation that
    they were told in, behind its history, and in a new one."""
    given, then = parts(cases, "placeholders-02")
    alice, standin = service.client(given["user_id"]), service.standin
    [token] = given["current_map"]
    by_turn = {fact["source_turn"]: fact["text"] for fact in given["facts"]}
    told = begin(alice)
    for number in range(1, max(by_turn) + 1):
        if number in by_turn:
            message = f"My {by_turn[number][0].lower()}{by_turn[number][1:]}"
            standin.reply("extraction", standin.facts(by_turn[number], quote=message))
            turn = record(alice, told, message)
            assert saved(alice, turn)["facts"] == []
            source = Source(told, turn["turn_id"], message)
            fact = builders.fact(by_turn[number], number, source=source, expires_at=None)
            store(service, given["user_id"], [fact])
        else:
            record(alice, told, f"Good day, {token}", f"Good day, {token}", remember=False)

    prompts = []
    for conversation in (told, begin(alice)):
        built = context(alice, conversation, given["current_message"])
        assert built["messages"][-1]["content"].endswith(f"\n\n{given['current_message']}")
        prompts.append("\n".join([*built["system"], *(each["content"] for each in built["messages"])]))
        say(alice, conversation, given["current_message"], remember=False)
        prompts.append(standin.calls["answer"][-1].prompt)
    assert "Good day, [earlier PERSON_A]" in prompts[0]
    for prompt in prompts:
        assert prompt.count(token) == 1
        assert prompt.endswith(given["current_message"])
        names = [
            re.findall(rf"^- {re.escape(fact['text'].removesuffix(token))}(.+)$", prompt, re.MULTILINE)
            for fact in given["facts"]
        ]
        [sister], [landlord] = names
        assert sister != landlord
        assert token not in (sister, landlord)
        assert all("PERSON_A" in name for name in (sister, landlord))
    assert then["stored_text"] == "unchanged"
    assert sorted(texts(facts(alice))) == sorted(by_turn.values())


def test_placeholders_02_of_names_that_are_masked_here(cases: Cases, start_service: StartService) -> None:
    """Names stand for the placeholders: here one person has one letter, and two persons never one."""
    given, _ = parts(cases, "placeholders-02")
    people = {"<PERSON_A>": "Tom Baker", "f1": "Maria Santos", "f2": "Piotr Nowak"}
    service = start_service(NOTED_NAMES="local")
    alice = service.client(given["user_id"])
    named = [fact["text"].replace("<PERSON_A>", people[fact["id"]]) for fact in given["facts"]]
    for text in named:
        assert tell(alice, text)["text"] == text
    message = given["current_message"].replace("<PERSON_A>", people["<PERSON_A>"])
    turn = say(alice, begin(alice), message, remember=False)
    [call] = service.standin.calls["answer"]
    letters = [
        re.findall(rf"{re.escape(start)}(<PERSON_[A-Z]>)", call.prompt)
        for start in ("- Sister is ", "- Landlord is ", "Invite ")
    ]
    assert [len(found) for found in letters] == [1, 1, 1]
    assert len({found[0] for found in letters}) == len(people)
    assert not any(person in call.prompt for person in people.values())
    assert turn["message"] == message
    assert sorted(texts(facts(alice))) == sorted(named)


# Seconds: less than the answer of a model may take, so that a chunk which is late is told as such.
_PATIENCE = 15


class Stream:
    """What the client of a stream has seen, for a model that waits for it before it goes on."""

    def __init__(self, chunks: list[str], known: dict[str, str]) -> None:
        self.pieces: list[str] = []
        self.late: list[int] = []
        self._due = [self._settled("".join(chunks[:number]), known) for number in range(len(chunks) + 1)]
        self._changed = threading.Condition()

    def seen(self, piece: str) -> None:
        with self._changed:
            self.pieces.append(piece)
            self._changed.notify_all()

    def before_chunk(self, number: int) -> None:
        """Waits until the client has all of the chunks before this one, save what may become a token. If it
        does not get that, the stream goes on and the number of the chunk is kept."""
        due = self._due[min(number, len(self._due) - 1)]
        with self._changed:
            seen = self._changed.wait_for(
                lambda: bool(self.late) or "".join(self.pieces).startswith(due), _PATIENCE
            )
            if not seen:
                self.late.append(number)

    @staticmethod
    def _settled(raw: str, known: dict[str, str]) -> str:
        """What is to be shown of a text of which more comes: its end waits only if a known token begins with
        it, so what is held back is shorter than that token."""
        kept = min(
            (
                len(raw) - size
                for token in known
                for size in range(1, len(token))
                if raw.endswith(token[:size])
            ),
            default=len(raw),
        )
        shown = raw[:kept]
        for token, value in known.items():
            shown = shown.replace(token, value)
        return shown


def _talk(client: httpx.Client, message: str, stream: Stream) -> str:
    """Says something, and gives the answer that the turn at the end of the stream has."""
    with streamed(client, turns_of(begin(client)), {"message": message}) as (_, events):
        for name, data in events:
            if name == "delta":
                stream.seen(data["text"])
        assert name == "turn"
        answer: str = data["answer"]
        return answer


def test_streaming_01(cases: Cases, monkeypatch: pytest.MonkeyPatch, start_service: StartService) -> None:
    """The map comes from masking a message with that name, and the field from a tool. The model sends no
    chunk before the client has seen all that it may see of those before it."""
    given, then = parts(cases, "streaming-01")
    [(token, name)], [(label, value)] = given["map"].items(), given["fields"].items()
    service = deploy(monkeypatch, start_service, given["fields"], NOTED_NAMES="local")
    alice, chunks = service.client("u-1"), given["chunks"]
    stream = Stream(chunks, {token: name, f"[{label}]": value})
    namespace = label.partition(".")[0]
    told = Say(
        "".join(chunks), split=list(accumulate(map(len, chunks[:-1]))), before_chunk=stream.before_chunk
    )
    service.standin.reply("answer", Say(tool_calls=[(namespace, {})]), told)
    answer = _talk(alice, f"My name is {name}, what is my balance?", stream)

    asked, called = service.standin.calls["answer"]
    assert asked.user.endswith(f"My name is {token}, what is my balance?")
    assert not any(secret in _sent(call) for call in (asked, called) for secret in (name, value))
    assert "".join(stream.pieces) == answer == then["joined"]
    assert not any(part in piece for part in then["no_chunk_contains"] for piece in stream.pieces)
    assert then["held_back_at_most"] == "the longest known token"
    assert stream.late == []
    assert then["end_of_stream"] == "everything flushed"


def _sent(call: Call) -> str:
    return json.dumps(call.body, ensure_ascii=False)
