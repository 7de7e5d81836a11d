"""The whole service in this process: the real functions behind the local gateway's events, each a process of
its own, over DynamoDB's double, with the clock and the queue in the test's hand."""

from __future__ import annotations

import json
import logging
import random
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from cryptography.hazmat.primitives.asymmetric import ec
from starlette.requests import Request

from local import gateway
from local.routing import Match, Routing
from local.service import load_functions
from noted.api.routes import ERASE, READ, ROUTES, WRITE
from noted.conversation.window import WINDOW
from noted.identity import Secrets
from noted.privacy.sealing import Place, Sealer
from noted.privacy.signing import KeySigner
from noted.retention import Retention
from noted.runtime import Runtime
from noted.settings import Settings
from noted.store.tables import create_tables
from tests.dynamodb_double import DynamoDBDouble, Operation, as_client
from tests.stateful.models import HashingEmbedder, ScriptedModel, Seen, words_in
from tests.wrapping import MemoryWrapper

PREFIX = "noted"
START = datetime(2026, 3, 10, 12, tzinfo=UTC)
FACT_DAYS, TURN_DAYS, EPISODE_DAYS = 5, 3, 4
RETENTION = Retention(
    turn_days=TURN_DAYS,
    fact_days=dict.fromkeys(Retention().fact_days, FACT_DAYS),
    held_days=2,
    verdict_days=30,
    episode_days=EPISODE_DAYS,
)
MOST_RECEIVES = 3
SECRETS = Secrets(b"a secret of the tests, 32 bytes or more")
_SIGNER = KeySigner(ec.derive_private_key(7, ec.SECP256R1()))
_ROUTING = Routing(ROUTES)


class Crash(BaseException):
    """The process is gone: nothing of it runs any more, no handler of exceptions either."""


class Clock:
    """Stands still but for a millisecond an invocation, and when the test moves it."""

    def __init__(self) -> None:
        self.at = START

    def now(self) -> datetime:
        return self.at

    def forward(self, **time: float) -> None:
        self.at += timedelta(**time)


@dataclass
class Message:
    """A message of the queue, and how often it was handed out."""

    body: str
    receives: int = 0


@dataclass(frozen=True)
class Reply:
    """What a client gets."""

    status: int
    text: str
    epoch: int | None

    @property
    def body(self) -> Any:
        return json.loads(self.text)


@dataclass(frozen=True)
class Plan:
    """What happens at one database operation of an invocation, the one counted from 1 or the first that
    `when` chooses: the process dies before or after it, or other work is done before it."""

    at: int = 0
    crash: str | None = None
    work: Callable[[], None] | None = None
    when: Callable[[Operation], bool] = lambda _: False


@dataclass
class _Frame:
    plan: Plan | None
    operations: int = 0
    dead: bool = False
    done: bool = False


@dataclass
class Service:
    """`seen` is told of every prompt, `answer` is what the model answers."""

    seen: Seen
    clock: Clock = field(default_factory=Clock)
    queue: list[Message] = field(default_factory=list)
    dead_letters: list[str] = field(default_factory=list)
    answer: str = "ok"
    log: list[str] = field(default_factory=list)
    sealed: dict[bytes, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.database = DynamoDBDouble()
        create_tables(as_client(self.database), PREFIX)
        self.database.before, self.database.after = self._before, self._after
        self.wrapper = MemoryWrapper()
        self._processes: dict[str, Any] = {}
        self._frames: list[_Frame] = []

    # What clients, the queue and the schedule do

    def ask(
        self,
        method: str,
        path: str,
        user: str,
        body: object = None,
        *,
        key: str | None = None,
        epoch: int | None = None,
        plan: Plan | None = None,
    ) -> Reply:
        """One request. Raises Crash when nothing comes back."""
        address, _, query = path.partition("?")
        match = _ROUTING.find(method, address)
        assert isinstance(match, Match), path
        headers = {"content-type": "application/json", "idempotency-key": key, "if-memory-epoch": epoch}
        scope = {
            "type": "http",
            "method": method,
            "path": address,
            "query_string": query.encode(),
            "http_version": "1.1",
            "headers": [
                (name.encode(), str(value).encode()) for name, value in headers.items() if value is not None
            ],
        }
        now = self.clock.now().timestamp()
        scopes = (READ, WRITE, ERASE)
        claims = {
            "sub": user,
            "iss": "https://issuer.test",
            "scope": " ".join(scopes),
            "token_use": "access",
            "iat": int(now),
            "auth_time": int(now),
            "exp": int(now) + 3600,
        }
        sent = b"" if body is None else json.dumps(body).encode()
        grant = gateway.Grant(claims, scopes)
        event = gateway.event(match, Request(scope), sent, grant=grant, now=now)
        result = self.invoke(match.route.function, event, plan)
        epoch_header = result["headers"].get("Memory-Epoch")
        return Reply(result["statusCode"], str(result["body"]), int(epoch_header) if epoch_header else None)

    def deliver(self, message: Message, plan: Plan | None = None) -> bool:
        """Hands a message to the worker; whether it was worked off. Raises Crash."""
        message.receives += 1
        record = {
            "messageId": "1",
            "receiptHandle": "handle",
            "body": message.body,
            "attributes": {"ApproximateReceiveCount": str(message.receives)},
            "messageAttributes": {},
            "eventSource": "aws:sqs",
            "eventSourceARN": "arn:aws:sqs:eu-west-1:123456789012:queue",
        }
        return not self.invoke("extraction", {"Records": [record]}, plan)["batchItemFailures"]

    def scheduled(self, function: str, work: str, plan: Plan | None = None) -> dict[str, Any]:
        """A pass of the schedule. Raises Crash."""
        return self.invoke(function, {"noted": work}, plan)

    def send(self, body: str, group: str) -> None:
        """The queue's end that functions see."""
        self.queue.append(Message(body))

    # How

    def invoke(self, function: str, event: dict[str, Any], plan: Plan | None = None) -> dict[str, Any]:
        """Runs a function. What it did with the plan is in what happened to the tables."""
        self.clock.forward(milliseconds=1)
        self._frames.append(_Frame(plan))
        try:
            result: dict[str, Any] = self._process(function)(event, gateway.Context(function, timeout=3600))
            return result
        except Crash:
            # The next invocation finds another process, which knows nothing of what this one had cached.
            del self._processes[function]
            raise
        finally:
            self._frames.pop()

    def _process(self, function: str) -> Any:
        if function not in self._processes:
            runtime = Runtime(
                Settings(
                    table_prefix=PREFIX,
                    retention=RETENTION,
                    recall_budget_seconds=60,
                    max_receives=MOST_RECEIVES,
                ),
                secrets=lambda: SECRETS,
                dynamodb=lambda: as_client(self.database),
                queue=lambda: self,
                key_wrapper=lambda: self.wrapper,
                receipt_signer=lambda: _SIGNER,
                clock=self.clock,
                environment={},
            )
            model = ScriptedModel(self.seen, lambda: self.answer)
            vars(runtime).update(
                language_model=model, extraction_model=model, embedder=HashingEmbedder(), reranker=None
            )
            self._processes[function] = load_functions()[function](runtime)
        return self._processes[function]

    def _before(self, operation: Operation) -> None:
        if not self._frames:
            return
        frame = self._frames[-1]
        if frame.dead:
            raise Crash
        frame.operations += 1
        if frame.plan is None or frame.done:
            return
        if frame.operations != frame.plan.at and not frame.plan.when(operation):
            return
        if frame.plan.crash == "before":
            frame.dead = True
            raise Crash
        if frame.plan.work is not None:
            frame.done = True
            frame.plan.work()

    def _after(self, _: Operation) -> None:
        if not self._frames:
            return
        frame = self._frames[-1]
        if frame.plan is not None and frame.plan.crash == "after" and frame.operations == frame.plan.at:
            frame.dead = True
            raise Crash


class _Inline:
    """An executor that does everything at once, so that the same steps are the same operations."""

    def submit(self, work: Callable[..., Any], *parts: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(work(*parts, **named))
        except Exception as error:  # noqa: BLE001 (the caller gets it)
            future.set_exception(error)
        return future


class _Now:
    """A thread that has ended by the time that it was started."""

    def __init__(self, target: Callable[..., None], args: tuple[Any, ...] = (), **_: Any) -> None:
        self._target, self._args = target, args

    def start(self) -> None:
        self._target(*self._args)


class _Log(logging.Handler):
    def __init__(self, lines: list[str]) -> None:
        super().__init__()
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        line = f"{record.getMessage()} {vars(record)}"
        if words_in(line):
            self._lines.append(line)


@contextmanager
def deterministic(service: Service, seed: int) -> Iterator[None]:
    """Takes chance and time out of the service: ids come from a seed, nothing waits, nothing runs beside
    anything, and limits that take hundreds of facts are reached with a few. What is sealed is noted, and what
    is logged is looked at."""
    chance = random.Random(seed)
    sealing = Sealer.seal

    def seal(self: Sealer, content: bytes, place: Place) -> bytes:
        sealed = sealing(self, content, place)
        service.sealed[sealed] = content
        return sealed

    logger, handler = logging.getLogger("noted"), _Log(service.log)
    logger.addHandler(handler)
    level, propagates = logger.level, logger.propagate
    logger.setLevel(logging.INFO)
    logger.propagate = False
    inline = _Inline()
    with ExitStack() as patches:
        for name, value in {
            "noted.ids.secrets.token_bytes": chance.randbytes,
            "time.sleep": lambda _: None,
            "noted.conversation.preparing._threads": lambda: inline,
            "noted.recall.search._embedding_threads": lambda: inline,
            "noted.conversation.toolbox._threads": lambda: inline,
            "noted.models.background.threading": SimpleNamespace(Thread=_Now, Event=threading.Event),
            "noted.store.index_folding.FEWEST": 3,
            "noted.store.index._FOLDED_AFTER": 4,
            "noted.recall.index_telling.FEWEST": 1,
            "noted.store.snapshots.KEPT": timedelta(days=1),
            "noted.privacy.sealing.Sealer.seal": seal,
        }.items():
            patches.enter_context(patch(name, value))
        small = {"low": 2, "high": 4}
        usual = {name: getattr(WINDOW, name) for name in small}
        vars(WINDOW).update(small)
        try:
            yield
        finally:
            vars(WINDOW).update(usual)
            logger.removeHandler(handler)
            logger.setLevel(level)
            logger.propagate = propagates
