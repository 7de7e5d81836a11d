"""What clients, the queue and the schedule do to the service, and what each of them may conclude from an
answer or from none. Every answer and every prompt is looked at for words that may not be in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from noted.identity import principal_of
from noted.models.seam import Purpose
from tests.dynamodb_double.tables import Key
from tests.stateful.models import word, words_in
from tests.stateful.oracle import Oracle, Sight, Word
from tests.stateful.service import MOST_RECEIVES, PREFIX, SECRETS, Crash, Message, Plan, Reply, Service

USERS = ("alice", "bob")
# Facts that are learnt from what a user said on one day (docs/held-facts.md).
LEARNT_A_DAY = 50
_KEY_IS_GOOD = timedelta(hours=23)
_OWNERS = {principal_of({"sub": user, "iss": "https://issuer.test"}, SECRETS).owner: user for user in USERS}


@dataclass
class Request:
    """A request as a client keeps it until it is answered: with the epoch and the key of its first
    sending."""

    method: str
    path: str
    user: str
    body: object
    answered: Callable[[Reply], None]
    unheard: Callable[[], None]
    key: str | None = None
    epoch: int | None = None
    conversation: str | None = None
    is_answered: bool = False
    sent_at: datetime | None = None


@dataclass
class _Work:
    """What is being done, and since which moment: what was erased before may not be in its prompts."""

    user: str | None
    conversation: str | None
    began: int


@dataclass
class Conversation:
    """A conversation as its client knows it."""

    id: str
    user: str
    epoch: int
    private: bool
    used_at: datetime


@dataclass
class Clients:
    """All users' clients together, and everything else that acts on the service from outside."""

    conversations: list[Conversation] = field(default_factory=list)
    unanswered: list[Request] = field(default_factory=list)
    answered: list[Request] = field(default_factory=list)
    erasures: dict[str, str] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.oracle = Oracle()
        self.service = Service(self._prompted)
        self.restoring = False
        self._known: dict[str, int] = {}
        self._working: list[_Work] = []
        self._numbers = 0

    @property
    def now(self) -> datetime:
        return self.service.clock.now()

    def number(self) -> int:
        """A number that was not given before."""
        self._numbers += 1
        return self._numbers

    def mine(self, user: str) -> list[Conversation]:
        """A user's conversations that a client still has."""
        return [
            each
            for each in self.conversations
            if each.user == user
            and each.id not in self.oracle.erased
            and each.epoch == self.oracle.epoch(user)
        ]

    # Writes

    def begin(self, user: str, private: bool) -> Request:
        """Begins a conversation."""

        def answered(reply: Reply) -> None:
            if reply.status == 201:
                known = Conversation(reply.body["conversation_id"], user, reply.epoch or 0, private, self.now)
                self.conversations.append(known)

        return self._posted("/v1/conversations", user, {"incognito": private}, answered)

    def say(self, chat: Conversation, kind: str) -> Request:
        """Says something with a word of its own: a statement, one that is only to be remembered, one that is
        not, one that another system answered."""
        told = Word(word(self.number()), chat.user, self.oracle.epoch(chat.user), chat.id)
        told.home, told.private = kind == "home", chat.private
        told.learns = kind != "forgettable" and not chat.private
        statement = f"I live in {told.word}." if told.home else f"I like the {told.word} tea."
        text = f"Remember that {statement[0].lower()}{statement[1:]}" if kind == "remember" else statement
        body: dict[str, Any] = {"message": text}
        path = f"/v1/conversations/{chat.id}/turns"
        if kind == "recorded":
            path, body = f"{path}:record", {"user": text, "assistant": "ok"}
        if kind == "forgettable":
            body["remember"] = False
        self.oracle.words[told.word] = told

        def answered(reply: Reply) -> None:
            if reply.status != 201:
                if reply.status != 409 and told.live is Sight.NO:
                    told.learns = False
                return
            self._said(told, chat, reply.body, kind)

        def unheard() -> None:
            if told.learns and told.live is Sight.NO:
                told.live = Sight.MAYBE

        return self._posted(path, chat.user, body, answered, unheard, chat.id)

    def _said(self, told: Word, chat: Conversation, turn: dict[str, Any], kind: str) -> None:
        again = told.turn is not None
        told.turn, memory = turn["turn_id"], turn["memory"]
        if again:
            return
        told.said_at = chat.used_at = self.now
        self.expect(memory in ("queued", "saved", "skipped"), f"memory is {memory}")
        if told.private or kind == "forgettable":
            self.expect(memory == "skipped", "what is not to be remembered was taken for memory")
        if kind == "remember" and not told.private:
            self.expect(
                (turn["answer"] == "Noted.") is (memory == "saved"), "Noted was not said of what is kept"
            )
        told.learns = memory != "skipped"
        told.live = Sight.NO if memory == "skipped" else max(told.live, Sight.MAYBE, key=list(Sight).index)
        if memory == "saved":
            self.oracle.kept(told, self.now)
        self.oracle.settle(told)

    def ask(self, chat: Conversation) -> Request:
        """Asks what is known."""
        body = {"message": "What did I tell you?", "remember": False}
        answered, unheard = self._telling(chat)
        path = f"/v1/conversations/{chat.id}/turns"
        return self._posted(path, chat.user, body, answered, unheard, chat.id)

    def again(self, chat: Conversation) -> Request:
        """Has the last message answered again. One that asked to remember what was erased since asks for it
        anew."""
        repeated, unrepeated = self._telling(chat)

        def answered(reply: Reply) -> None:
            repeated(reply)
            said = words_in(reply.body["message"]) if reply.status == 201 else []
            told = self.oracle.words[said[0]] if said else None
            if told and told.fact_erased and reply.body["memory"] == "saved":
                self._anew(told, Sight.YES)

        def unheard() -> None:
            unrepeated()
            for told in self.oracle.of(chat.user):
                if told.conversation == chat.id and told.fact_erased:
                    self._anew(told, Sight.MAYBE)

        path = f"/v1/conversations/{chat.id}/turns:retry"
        return self._posted(path, chat.user, {}, answered, unheard, chat.id)

    def _anew(self, told: Word, live: Sight) -> None:
        if told.gone_at is None:
            told.fact_erased, told.banned_at, told.live = False, None, live

    def _telling(self, chat: Conversation) -> tuple[Callable[[Reply], None], Callable[[], None]]:
        """What is known of facts that an answer may have repeated."""

        def answered(reply: Reply) -> None:
            for found in words_in(reply.text) if reply.status == 201 else ():
                self.oracle.words[found].told_in[chat.id] = None

        def unheard() -> None:
            for each in self.oracle.of(chat.user):
                if each.epoch == chat.epoch:
                    each.told_in[chat.id] = None

        return answered, unheard

    def tell(self, user: str) -> Request:
        """An entry of the user's own."""
        told = Word(word(self.number()), user, self.oracle.epoch(user), confirmed=True)
        self.oracle.words[told.word] = told

        def answered(reply: Reply) -> None:
            if reply.status == 201:
                if not told.extracted:
                    told.fact_id = reply.body["fact_id"]
                    self.oracle.kept(told, self.now)
                self.oracle.settle(told)
            elif reply.status != 409:
                told.live = Sight.NO

        def unheard() -> None:
            told.live = max(told.live, Sight.MAYBE, key=list(Sight).index)

        return self._posted(
            "/v1/facts", user, {"text": f"Likes the {told.word} tea", "kind": "fact"}, answered, unheard
        )

    def judge(self, fact: Word, verdict: str) -> Request:
        """A verdict on a fact."""
        unsure = False

        def answered(reply: Reply) -> None:
            if reply.status != 201:
                return
            if unsure:
                # It may have been given at the first sending, before others that stand since, or now.
                unheard()
                return
            if verdict == "confirmed":
                stands = not fact.fact_erased and fact.gone_at is None and fact.corrected is not Sight.YES
                if stands and (fact.live is Sight.MAYBE or fact.corrected is Sight.MAYBE):
                    fact.banned_at, fact.live = None, Sight.MAYBE
                elif stands:
                    fact.banned_at = None
                    self.oracle.kept(fact, self.now)
                fact.confirmed = True
            elif fact.gone_at is None:
                self.oracle.banned(fact)

        def unheard() -> None:
            nonlocal unsure
            unsure = True
            self._unsure(fact)
            if verdict == "confirmed":
                fact.confirmed = True
                if fact.gone_at is None and not fact.fact_erased and fact.corrected is not Sight.YES:
                    fact.banned_at, fact.live = None, Sight.MAYBE

        path = f"/v1/facts/{fact.fact_id}/verdicts"
        return self._posted(path, fact.user, {"verdict": verdict}, answered, unheard)

    def correct(self, fact: Word) -> Request:
        """A correction of a fact."""
        told = Word(word(self.number()), fact.user, self.oracle.epoch(fact.user), confirmed=True)
        self.oracle.words[told.word] = told

        def answered(reply: Reply) -> None:
            if reply.status == 200:
                told.fact_id = reply.body["fact_id"]
                self.oracle.kept(told, self.now)
                self.oracle.banned(fact)
                fact.corrected = Sight.YES
                self.oracle.settle(told)

        def unheard() -> None:
            told.live, fact.corrected = Sight.MAYBE, Sight.MAYBE
            self._unsure(fact)

        body = {"text": f"Likes the {told.word} tea"}
        return Request("PATCH", f"/v1/facts/{fact.fact_id}", fact.user, body, answered, unheard)

    def erase_fact(self, fact: Word) -> Request:
        """An erasure of a fact."""

        def answered(reply: Reply) -> None:
            if reply.status == 202:
                self.erasures[reply.body["erasure_id"]] = fact.user
                self.oracle.banned(fact, erased=True)

        def unheard() -> None:
            found = self.look("GET", f"/v1/facts/{fact.fact_id}", fact.user)
            if found is not None and found.status == 404:
                self.oracle.banned(fact, erased=True)

        return Request("DELETE", f"/v1/facts/{fact.fact_id}", fact.user, None, answered, unheard)

    def erase_conversation(self, chat: Conversation) -> Request:
        """An erasure of a conversation."""

        def answered(reply: Reply) -> None:
            if reply.status == 202:
                self.erasures[reply.body["erasure_id"]] = chat.user
                self.oracle.erased_conversation(chat.id)

        def unheard() -> None:
            found = self.look("GET", f"/v1/conversations/{chat.id}", chat.user)
            if found is not None and found.status == 404:
                # The fence is there; its facts go with the job, and no answer has said that they are gone.
                self.oracle.erased.add(chat.id)
                for each in self.oracle.words.values():
                    if each.conversation == chat.id:
                        each.live, each.learns = Sight.MAYBE, False
                        each.turn = None

        return Request("DELETE", f"/v1/conversations/{chat.id}", chat.user, None, answered, unheard)

    def erase_everything(self, user: str, officer: bool) -> Request:
        """An erasure of everything, by the user or by a compliance system."""

        def answered(reply: Reply) -> None:
            if reply.status == 202:
                if not officer:
                    self.erasures[reply.body["erasure_id"]] = user
                self._learn_epoch(user)

        def unheard() -> None:
            self._learn_epoch(user)

        if officer:
            body = {
                "subject_request_id": f"00000000-0000-4000-8000-{self.number():012d}",
                "subject": user,
                "regulation": "gdpr",
                "submitted_time": self.now.isoformat().replace("+00:00", "Z"),
            }
            return Request("POST", "/v1/admin/erasures", "officer", body, answered, unheard)
        return Request("DELETE", "/v1/memory", user, None, answered, unheard)

    def pause(self, user: str, paused: bool) -> Request:
        """Turns memory off or on."""

        def answered(reply: Reply) -> None:
            if reply.status == 200:
                self.oracle.paused[user] = paused

        def unheard() -> None:
            found = self.look("GET", "/v1/settings", user)
            if found is not None and found.status == 200:
                self.oracle.paused[user] = found.body["memory"] == "paused"

        body = {"memory": "paused" if paused else "on"}
        return Request("PUT", "/v1/settings", user, body, answered, unheard)

    # Sending

    def send(self, request: Request, plan: Plan | None = None) -> Reply | None:
        """Sends a request and concludes from the answer what it says; None if there is none."""
        if request.sent_at is None:
            request.epoch, request.sent_at = self._known.get(request.user), self.now
        began = self.oracle.now()
        work = _Work(request.user, request.conversation, began)
        try:
            with self._at_work(work):
                reply = self.service.ask(
                    request.method,
                    request.path,
                    request.user,
                    request.body,
                    key=request.key,
                    epoch=request.epoch,
                    plan=plan,
                )
        except Crash:
            request.unheard()
            if request.key is not None:
                self.unanswered.append(request)
            return None
        self._look_at(reply, request, began)
        # The same key does the work once: a second answer tells nothing new.
        if not request.is_answered:
            request.answered(reply)
        request.is_answered = request.is_answered or reply.status < 400
        if request.key is not None:
            self.answered.append(request)
        return reply

    def give_up(self) -> None:
        """Clients send nothing again for which the key is about to mean something new."""
        for waiting in (self.unanswered, self.answered):
            waiting[:] = [each for each in waiting if each.sent_at and self.now - each.sent_at < _KEY_IS_GOOD]

    def look(self, method: str, path: str, user: str, body: object = None) -> Reply | None:
        """A read."""
        request = Request(method, path, user, body, lambda _: None, lambda: None)
        return self.send(request)

    def deliver(self, message: Message, plan: Plan | None = None) -> None:
        """Hands a message to the worker, as the queue does: what is not worked off comes again, and the third
        time lies with the dead letters."""
        job = json.loads(message.body)
        told = self.oracle.of_turn(job.get("t", ""))
        owner = f"{job['o']}#{job['u']}"
        user = self.user_of(owner)
        work = _Work(user, job["c"], self.oracle.now())
        paused = bool(user and self.oracle.paused.get(user))
        try:
            with self._at_work(work):
                done = self.service.deliver(message, plan)
        except Crash:
            done = False
        else:
            self.expect(done or plan is not None or self.restoring, "a message was not worked off")
        if not done:
            kept = message.receives < MOST_RECEIVES
            (self.service.queue.append(message) if kept else self.service.dead_letters.append(message.body))
            if told:
                told.tried = True
                if not kept:
                    self.oracle.unlearnt(told)
            return
        if told is None or told.extracted or told.turn is None or not told.learns or told.gone_at is not None:
            return
        if not told.must_be_said(self.now) or (plan is not None and self.oracle.paused.get(told.user)):
            # Its turn had ended, or memory was off by then, or was turned off in the middle.
            self.oracle.unlearnt(told)
        elif plan is not None:
            told.tried = True
        elif paused:
            self.oracle.unlearnt(told)
        elif sum(each.turn is not None for each in self.oracle.of(told.user)) > LEARNT_A_DAY:
            # The day may have no room for it.
            told.tried = True
            self.oracle.unlearnt(told)
        else:
            self.oracle.kept(told, self.now)

    def scheduled(self, function: str, work: str, plan: Plan | None = None) -> int:
        """A pass of the schedule; how much it did."""
        try:
            with self._at_work(_Work(None, None, self.oracle.now())):
                done = self.service.scheduled(function, work, plan)
        except Crash:
            return 1
        return int(next(iter(done.values())))

    def forget_since(self, moment: int) -> None:
        """Rows were put back to how they were at a moment: what was written since may be lost, and verdicts
        with it; what was erased must not come back."""
        # The keys of requests are among what is lost: whatever is sent again now would be done again.
        self.unanswered.clear()
        self.answered.clear()
        for told in self.oracle.words.values():
            told.turn, told.said_at = None, None
            if told.gone_at is not None or told.fact_erased:
                continue
            if told.corrected is Sight.YES:
                told.corrected = Sight.MAYBE
            if told.banned_at is not None and told.banned_at > moment:
                told.banned_at = None
                told.live = Sight.MAYBE
            if told.live is not Sight.NO or told.learns:
                told.live = Sight.MAYBE

    def is_served_again(self) -> None:
        """After a restore: what the users have set is read again."""
        self.restoring = False
        for user in USERS:
            found = self.look("GET", "/v1/settings", user)
            if found is not None and found.status == 200:
                self.oracle.paused[user] = found.body["memory"] == "paused"

    def user_of(self, owner: str) -> str | None:
        """The user of a partition."""
        return _OWNERS.get(owner)

    def rows(self) -> Iterator[tuple[str, Key, dict[str, Any]]]:
        """Every row, with the table's short name."""
        for table, key, item in self.service.database.rows():
            yield table.removeprefix(f"{PREFIX}-"), key, item

    def expect(self, holds: bool, what: str) -> None:
        """Notes what is wrong; it is told at the end of the step, since the service would swallow it."""
        if not holds:
            self.wrong.append(what)

    @contextmanager
    def _at_work(self, work: _Work) -> Iterator[None]:
        self._working.append(work)
        try:
            yield
        finally:
            self._working.pop()

    def _posted(
        self,
        path: str,
        user: str,
        body: object,
        answered: Callable[[Reply], None],
        unheard: Callable[[], None] = lambda: None,
        conversation: str | None = None,
    ) -> Request:
        key = f"key-{self.number()}"
        return Request("POST", path, user, body, answered, unheard, key=key, conversation=conversation)

    def _unsure(self, fact: Word) -> None:
        if fact.live is Sight.YES:
            fact.live = Sight.MAYBE

    def _learn_epoch(self, user: str) -> None:
        found = self.look("GET", "/v1/settings", user)
        if found is not None and found.epoch is not None and found.epoch > self.oracle.epoch(user):
            self.oracle.erased_everything(user, found.epoch)

    def _look_at(self, reply: Reply, request: Request, began: int) -> None:
        where = f"{request.method} {request.path}"
        self.expect(
            reply.status < 500 or (self.restoring and reply.status == 503), f"{where}: {reply.status}"
        )
        if reply.epoch is not None:
            # The answer to a call in whose middle another one erased everything tells the epoch before.
            self._known[request.user] = max(reply.epoch, self._known.get(request.user, 0))
        for found in words_in(reply.text):
            told = self.oracle.words[found]
            self.expect(told.user == request.user, f"{where}: {found} is another user's")
            self.expect(not told.is_gone(began), f"{where}: {found} was erased")
            self.expect(reply.status < 400, f"{where}: {found} in an error")

    def _prompted(self, purpose: Purpose, found: list[str]) -> None:
        work = self._working[-1]
        private = next((each.private for each in self.conversations if each.id == work.conversation), False)
        for each in found:
            told, where = self.oracle.words[each], f"prompt for {purpose}: {each}"
            self.expect(work.user is not None and told.user == work.user, f"{where} is another user's")
            self.expect(not told.is_gone(work.began), f"{where} was erased")
            if told.conversation == work.conversation and told.conversation is not None:
                continue
            if told.is_told(work.began):
                continue
            self.expect(not told.is_banned(work.began), f"{where} is not to be told")
            # What is erased in the middle of a call may stand in its prompt yet.
            ends_now = told.gone_at is not None and told.gone_at >= work.began
            known = told.learns or told.live is not Sight.NO or ends_now
            self.expect(known, f"{where} was not to be remembered")
            self.expect(not private, f"{where} was recalled in private")
            self.expect(
                purpose not in (Purpose.EXTRACTION, Purpose.SUMMARY, Purpose.EPISODE),
                f"{where} was told elsewhere",
            )
