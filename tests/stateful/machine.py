"""Users, a queue that delivers late, twice and in any order, processes that die at any operation of the
database, erasures in the middle of everything, restores and the passing of time: in any order that a search
comes upon. After every step the service must be as its users were told that it is, and when all work is done
nothing may be left of what was erased."""

from __future__ import annotations

from contextlib import ExitStack

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.dynamodb_double.client import Snapshot
from tests.stateful import checks
from tests.stateful.client import USERS, Clients, Conversation, Request
from tests.stateful.oracle import Sight, Word
from tests.stateful.service import PREFIX, Plan, deterministic

users = st.sampled_from(USERS)
picks = st.integers(0, 7)
kinds = st.sampled_from(["tea", "tea", "home", "remember", "forgettable", "recorded"])
crashes = st.builds(Plan, at=st.integers(1, 14), crash=st.sampled_from(["before", "after"]))
faults = st.one_of(st.none(), st.none(), st.none(), crashes)
# What is done at once in the middle of something else.
deeds = st.sampled_from(
    ["erase everything", "erase conversation", "erase fact", "reject", "say", "pause", "deliver", "erasures"]
)
DATA = ("memory", "verdicts")
CONTROL = ("control", "keys")


class Service(RuleBasedStateMachine):
    """The whole service with two users and a compliance system."""

    def __init__(self) -> None:
        super().__init__()
        self.clients = Clients()
        self.service, self.oracle = self.clients.service, self.clients.oracle
        self._open = ExitStack()
        self._open.enter_context(deterministic(self.service, seed=1))
        self._generations: dict[str, int] = {}
        self._verdicts: dict[tuple[str, str], object] = {}
        self._backup: Snapshot | None = None
        self._backed_up_at = 0

    @initialize()
    def begin(self) -> None:
        self.clients.scheduled("erasure", "run-erasures")
        for user in USERS:
            self.clients.send(self.clients.begin(user, private=False))

    # What users do

    @rule(user=users, private=st.booleans(), fault=faults)
    def begin_conversation(self, user: str, private: bool, fault: Plan | None) -> None:
        self.clients.send(self.clients.begin(user, private), fault)

    @rule(
        user=users,
        pick=picks,
        said=st.lists(kinds, min_size=1, max_size=4),
        learnt=st.booleans(),
        fault=faults,
    )
    def say(self, user: str, pick: int, said: list[str], learnt: bool, fault: Plan | None) -> None:
        chat = self._chat(user, pick)
        for number, kind in enumerate(said, start=1):
            self.clients.send(self.clients.say(chat, kind), fault if number == len(said) else None)
        if learnt:
            self._drain()

    @rule(user=users, pick=picks)
    def ask_what_is_known(self, user: str, pick: int) -> None:
        self.clients.send(self.clients.ask(self._chat(user, pick)))

    @rule(user=users, pick=picks, fault=faults)
    def have_it_answered_again(self, user: str, pick: int, fault: Plan | None) -> None:
        self.clients.send(self.clients.again(self._chat(user, pick)), fault)

    @rule(user=users, fault=faults)
    def tell(self, user: str, fault: Plan | None) -> None:
        self.clients.send(self.clients.tell(user), fault)

    @rule(
        user=users, pick=picks, verdict=st.sampled_from(["confirmed", "rejected", "inaccurate"]), fault=faults
    )
    def judge(self, user: str, pick: int, verdict: str, fault: Plan | None) -> None:
        if fact := self._fact(user, pick, told=True):
            self.clients.send(self.clients.judge(fact, verdict), fault)

    @rule(user=users, pick=picks, fault=faults)
    def correct(self, user: str, pick: int, fault: Plan | None) -> None:
        fact = self._fact(user, pick, told=True)
        if fact and not fact.home:
            self.clients.send(self.clients.correct(fact), fault)

    @rule(user=users, pick=picks, fault=faults)
    def erase_fact(self, user: str, pick: int, fault: Plan | None) -> None:
        if fact := self._fact(user, pick, told=True):
            self._erase(self.clients.erase_fact(fact), user, fault)

    @rule(user=users, pick=picks, fault=faults)
    def erase_conversation(self, user: str, pick: int, fault: Plan | None) -> None:
        self._erase(self.clients.erase_conversation(self._chat(user, pick)), user, fault)

    @rule(user=users, officer=st.booleans(), fault=faults)
    def erase_everything(self, user: str, officer: bool, fault: Plan | None) -> None:
        if sum(each.live is not Sight.NO for each in self.oracle.of(user)) < 2:
            return
        self._erase(self.clients.erase_everything(user, officer), user, fault)

    @rule(user=users, paused=st.sampled_from([False, False, True]), fault=faults)
    def pause_or_resume(self, user: str, paused: bool, fault: Plan | None) -> None:
        self.clients.send(self.clients.pause(user, paused), fault)

    @rule(user=users, pick=picks)
    def recall(self, user: str, pick: int) -> None:
        if words := list(self.oracle.of(user)):
            checks.recall_finds(self.clients, user, words[-1 - pick % len(words)])

    @rule(user=users, pick=picks)
    def look_at_everything(self, user: str, pick: int) -> None:
        checks.turns_are_there(self.clients, user)
        checks.history_is_of_this_user(self.clients, user)
        path = f"/v1/conversations/{self._chat(user, pick).id}/context"
        self.clients.look("POST", path, user, {"message": "Which tea?"})
        self.clients.look("GET", "/v1/episodes", user)
        self.clients.look("GET", "/v1/profile", user)

    # What goes wrong on the way

    @precondition(lambda self: self.clients.unanswered)
    @rule(pick=picks, fault=faults)
    def resend_what_was_not_answered(self, pick: int, fault: Plan | None) -> None:
        waiting = self.clients.unanswered
        self.clients.send(waiting.pop(pick % len(waiting)), fault)

    @precondition(lambda self: self.clients.answered)
    @rule(pick=picks)
    def resend_what_was_answered(self, pick: int) -> None:
        done = self.clients.answered
        self.clients.send(done[-1 - pick % len(done)])

    @precondition(lambda self: self.service.queue)
    @rule(pick=picks, again=st.booleans(), fault=faults)
    def deliver(self, pick: int, again: bool, fault: Plan | None) -> None:
        queue = self.service.queue
        message = queue.pop(pick % len(queue))
        if again:
            queue.append(type(message)(message.body, message.receives))
        self.clients.deliver(message, fault)

    @rule(
        user=users,
        pick=picks,
        first=st.sampled_from(["deliver", "say", "tell", "begin", "remember"]),
        at=st.integers(1, 16),
        deed=deeds,
    )
    def do_in_the_middle(self, user: str, pick: int, first: str, at: int, deed: str) -> None:
        plan = Plan(at, work=lambda: self._do(deed, user, pick))
        if first == "deliver" and self.service.queue:
            self.clients.deliver(self.service.queue.pop(pick % len(self.service.queue)), plan)
        elif first == "begin":
            self.clients.send(self.clients.begin(user, private=False), plan)
        elif first == "tell":
            self.clients.send(self.clients.tell(user), plan)
        else:
            kind = "remember" if first == "remember" else "tea"
            self.clients.send(self.clients.say(self._chat(user, pick), kind), plan)

    # What the schedule does

    @rule(work=st.sampled_from(["sweep-outbox", "sweep-episodes", "reindex"]), fault=faults)
    def sweep(self, work: str, fault: Plan | None) -> None:
        self.clients.scheduled("extraction", work, fault)

    @rule(fault=faults)
    def run_erasures(self, fault: Plan | None) -> None:
        self.clients.scheduled("erasure", "run-erasures", fault)
        if self.clients.restoring and fault is None:
            # A process that has refused goes on with it for two seconds.
            self.service.clock.forward(seconds=3)
            self.clients.is_served_again()

    @rule(minutes=st.sampled_from([1, 3, 16, 35, 60 * 12, 60 * 24 * 2]))
    def let_time_pass(self, minutes: int) -> None:
        self.service.clock.forward(minutes=minutes)
        self.clients.give_up()

    # Backups

    @rule()
    def back_up(self) -> None:
        if not self.clients.restoring:
            self._backup, self._backed_up_at = self.service.database.copy(), self.oracle.now()

    @precondition(lambda self: self._backup is not None)
    @rule(whole=st.booleans(), replayed=st.sampled_from([True, True, True, False]))
    def restore(self, whole: bool, replayed: bool) -> None:
        assert self._backup is not None
        tables = (*DATA, *CONTROL) if whole else DATA
        self.service.database.restore(self._backup, *(f"{PREFIX}-{name}" for name in tables))
        # Longer than a process trusts what it knows of the tables.
        self.service.clock.forward(minutes=2)
        self.clients.restoring = True
        self._verdicts = {}
        self.clients.forget_since(self._backed_up_at)
        if replayed:
            self.run_erasures(fault=None)

    # What must always be so

    @invariant()
    def all_is_as_told(self) -> None:
        for user in USERS:
            checks.facts_are_as_told(self.clients, user)
        checks.nothing_leaks(self.clients)
        verdicts, generations = checks.verdicts(self.clients), checks.generations(self.clients)
        for key in verdicts.keys() & self._verdicts.keys():
            self.clients.expect(verdicts[key] == self._verdicts[key], "a verdict was changed")
        if not self.clients.restoring:
            for owner, generation in self._generations.items():
                self.clients.expect(generations.get(owner, 0) >= generation, "a generation went down")
            self._generations = generations
        self._verdicts = dict(verdicts)
        checks.told_nothing_wrong(self.clients)

    def teardown(self) -> None:
        try:
            if not self.clients.wrong:
                self._come_to_rest()
                checks.told_nothing_wrong(self.clients)
        finally:
            self._open.close()

    def _come_to_rest(self) -> None:
        clients = self.clients
        self.run_erasures(fault=None)
        self.service.clock.forward(minutes=2)
        while clients.unanswered:
            clients.send(clients.unanswered.pop(0))
        for _ in range(3):
            self._drain()
            self.service.clock.forward(minutes=3)
            clients.scheduled("extraction", "sweep-outbox")
        self._drain()
        self.service.clock.forward(minutes=20)
        while clients.scheduled("erasure", "run-erasures"):
            self.service.clock.forward(minutes=1)
        clients.scheduled("extraction", "sweep-episodes")
        self._drain()
        checks.learnt_once(clients)
        checks.receipts_are_complete(clients)
        for user in USERS:
            checks.facts_are_as_told(clients, user)
            checks.history_is_of_this_user(clients, user)
            checks.turns_are_there(clients, user)
            checks.last_home_stands(clients, user)
        checks.everything_erased_is_gone(clients)
        checks.nothing_leaks(clients)

    def _drain(self) -> None:
        while self.service.queue:
            self.clients.deliver(self.service.queue.pop(0))

    # How

    def _erase(self, request: Request, user: str, fault: Plan | None) -> None:
        others = {other: checks.rows_of(self.clients, other) for other in USERS if other != user}
        self.clients.send(request, fault)
        for other, before in others.items():
            same = checks.rows_of(self.clients, other) == before
            self.clients.expect(same, f"an erasure for {user} touched {other}")

    def _do(self, deed: str, user: str, pick: int) -> None:
        clients, fact, chat = self.clients, self._fact(user, pick), self._chat(user, pick)
        if deed == "erase everything":
            clients.send(clients.erase_everything(user, officer=False))
        elif deed == "pause":
            clients.send(clients.pause(user, paused=True))
        elif deed == "erasures":
            clients.send(clients.erase_everything(user, officer=False))
            clients.scheduled("erasure", "run-erasures")
        elif deed == "deliver" and self.service.queue:
            clients.deliver(self.service.queue.pop(0))
        elif deed == "erase fact" and fact:
            clients.send(clients.erase_fact(fact))
        elif deed == "reject" and fact:
            clients.send(clients.judge(fact, "rejected"))
        elif deed == "erase conversation":
            clients.send(clients.erase_conversation(chat))
        elif deed == "say":
            clients.send(clients.say(chat, "remember"))

    def _chat(self, user: str, pick: int) -> Conversation:
        """One of a user's conversations; one is begun if there is none. While nothing is served, one that is
        not there."""
        if not (mine := self.clients.mine(user)):
            self.clients.send(self.clients.begin(user, private=False))
            mine = self.clients.mine(user) or [_nowhere(user, self.clients)]
        return mine[pick % len(mine)]

    def _fact(self, user: str, pick: int, *, told: bool = False) -> Word | None:
        """One of a user's facts that were seen in a list; with `told` one is told if there is none."""
        epoch = self.oracle.epoch(user)
        if told and not any(each.fact_id and each.epoch == epoch for each in self.oracle.of(user)):
            self.clients.send(self.clients.tell(user))
        known = [
            each
            for each in self.oracle.of(user)
            if each.fact_id and each.epoch == epoch and each.gone_at is None and not each.fact_erased
        ]
        return known[pick % len(known)] if known else None


def _nowhere(user: str, clients: Clients) -> Conversation:
    """A conversation that does not exist."""
    return Conversation("cv_" + "0" * 26, user, clients.oracle.epoch(user), False, clients.now)
