"""The whole service on one machine, over a DynamoDB that is handed in: the five functions behind the HTTP
front, the queue that feeds extraction, and the schedules that find work left undone."""

from __future__ import annotations

import importlib
import logging
import os
import socket
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from local import gateway
from local.dead_letters import DeadLetterFile
from local.erasures import ErasureFolder
from local.front import Front, Handler
from local.invocations import Invocations
from local.issuer import Issuer
from local.keys import KeyFolder
from local.listener import Listener
from local.queue import LocalQueue
from local.receipt_key import receipt_signer
from local.schedule import Schedule
from local.secret import service_secret
from noted.api.routes import ROUTES
from noted.clock import SystemClock
from noted.runtime import Runtime
from noted.settings import Settings
from noted.store.database import Database
from noted.store.tables import create_tables

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

FUNCTIONS = ("answer", "recall", "verdicts", "erasure", "extraction")

# Most threads only wait, for a model or for facts to be saved; they must not keep the others from running.
_THREADS = 128
_SWEEP_SECONDS, _ERASURE_SECONDS, _EXPIRY_SECONDS = 5, 1, 60
# A mark can lie in the future: the last process may have had a clock that NOTED_NOW set.
_CENTURY = 100 * 365 * 24 * 3600
_LOG = logging.getLogger("noted.service")


def dynamodb_client(endpoint: str) -> DynamoDBClient:
    """A client of the DynamoDB at `endpoint`, with made-up credentials: whatever profile and keys the
    environment names are for other services."""
    import boto3
    import botocore.session
    from botocore.config import Config

    core = botocore.session.Session(session_vars={"profile": (None, None, None, None)})
    session = boto3.Session(
        aws_access_key_id="local",
        aws_secret_access_key="local",  # noqa: S106 - DynamoDB Local asks for one and checks none
        region_name="us-east-1",
        botocore_session=core,
    )
    config = Config(
        max_pool_connections=_THREADS,
        connect_timeout=2,
        read_timeout=10,
        retries={"mode": "standard", "total_max_attempts": 3},
    )
    client: DynamoDBClient = session.client("dynamodb", endpoint_url=endpoint, config=config)
    return client


def load_functions() -> dict[str, Callable[[Runtime], Handler]]:
    """What builds each function. The first call imports them, which takes seconds."""
    return {name: importlib.import_module(f"functions.{name}.handler").build for name in FUNCTIONS}


class Service:
    """`data`: the folder of the secret, the issuer's keys and the dead letters."""

    def __init__(
        self,
        settings: Settings,
        *,
        data: Path,
        dynamodb: DynamoDBClient,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        secrets = service_secret(data)
        wrapper = KeyFolder(data)
        signer = receipt_signer(data)
        clock = SystemClock(settings.now)
        self.issuer = Issuer(data / "issuer")
        dead_letters = data / "dead-letters.jsonl"
        self.queue = LocalQueue(dead_letters, max_receive_count=settings.max_receives)
        self._invocations = Invocations(clock)
        self._erasures = ErasureFolder(data, Database(dynamodb, settings.table_prefix, clock))
        self.runtime = Runtime(
            settings,
            secrets=lambda: secrets,
            dynamodb=lambda: dynamodb,
            queue=lambda: self.queue,
            key_wrapper=lambda: wrapper,
            receipt_signer=lambda: signer,
            clock=clock,
            drained=self._invocations.drained,
            dead_letters=lambda: DeadLetterFile(dead_letters),
            environment=environment,
        )
        self._schedule = Schedule()
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="function")
        self._handlers: dict[str, Handler] = {}
        self._listener: Listener | None = None

    @property
    def url(self) -> str:
        """Where it is served. Only after `start`."""
        if self._listener is None:
            raise RuntimeError("the service has not been started")
        return self._listener.url

    def load_models(self) -> None:
        """Makes the models, so that the first message does not wait for it; the weights of the local embedder
        are read in the background. Raises ValueError when the environment lacks what a provider needs."""
        _ = self.runtime.language_model, self.runtime.extraction_model
        if self.runtime.settings.embedder == "local":
            threading.Thread(target=self._warm, name="warm", daemon=True).start()
        else:
            _ = self.runtime.embedder

    def start(self, listening: socket.socket) -> None:
        """Creates the tables that are missing and begins to serve on `listening`."""
        create_tables(self.runtime.dynamodb, self.runtime.settings.table_prefix)
        self.issuer.keys()  # a key file that cannot be used is told now, not to the first request
        self._handlers = {name: build(self.runtime) for name, build in load_functions().items()}
        self._handlers["erasure"] = self._remembered(self._handlers["erasure"])
        self._erase_again()
        front = Front(
            self._handlers,
            routes=ROUTES,
            issuer=self.issuer,
            pool=self._pool,
            running=self._invocations.running,
            most=_THREADS,
        )
        self.queue.start(lambda event: self._invoke("extraction", event))
        # What the last process had in its queue went with it: everything that is marked is sent again now.
        self._invoke("extraction", {"noted": "sweep-outbox", "older_than_seconds": -_CENTURY})
        self._listener = Listener(front, listening)
        self._listener.start()
        self._every(_SWEEP_SECONDS, "outbox", "extraction", {"noted": "sweep-outbox"})
        self._every(_SWEEP_SECONDS, "episodes", "extraction", {"noted": "sweep-episodes"})
        self._every(_SWEEP_SECONDS, "vectors", "extraction", {"noted": "reindex"})
        self._every(_ERASURE_SECONDS, "erasures", "erasure", {"noted": "run-erasures"})
        self._schedule.every(_EXPIRY_SECONDS, "expiry", self._delete_expired)

    def stop(self) -> None:
        """Takes no more work and gives what is running a few seconds to end."""
        if self._listener is not None:
            self._listener.stop()
        self._schedule.stop()
        self.queue.stop()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def replay_ledger(self) -> dict[str, Any]:
        """Does every erasure again that the ledger knows of, without serving: for a folder whose rows come
        from a backup."""
        create_tables(self.runtime.dynamodb, self.runtime.settings.table_prefix)
        self._handlers = {"erasure": load_functions()["erasure"](self.runtime)}
        self._erasures.put_back()
        done: Any = self._invoke("erasure", {"noted": "replay"})
        return dict(done)

    def redrive(self, seconds: float) -> dict[str, Any]:
        """Sends the dead letters again that still mean something, without serving, and waits up to so many
        seconds until they are worked off. Raises TimeoutError."""
        create_tables(self.runtime.dynamodb, self.runtime.settings.table_prefix)
        self._handlers = {"extraction": load_functions()["extraction"](self.runtime)}
        done: Any = self._invoke("extraction", {"noted": "redrive"})
        self.queue.start(lambda event: self._invoke("extraction", event))
        self.queue.drain(seconds)
        return dict(done)

    def _every(self, seconds: float, name: str, function: str, event: dict[str, Any]) -> None:
        self._schedule.every(seconds, name, lambda: self._invoke(function, event))

    def _invoke(self, function: str, event: dict[str, Any]) -> object:
        with self._invocations.running():
            return self._handlers[function](event, gateway.Context(function, timeout=60))

    def _remembered(self, erasure: Handler) -> Handler:
        """The function, which answers a request only when the folder knows of what it erased."""

        def handler(event: dict[str, Any], context: Any) -> Any:
            answer = erasure(event, context)
            if "requestContext" in event:
                self._erasures.keep()
            return answer

        return handler

    def _erase_again(self) -> None:
        back = self._erasures.put_back()
        if back:
            _LOG.error(
                "the database is older than erasures that were asked for: they are done again",
                extra={"erasures": back},
            )
            # What does not end within this call goes on each second, and nothing is served until then.
            self._invoke("erasure", {"noted": "replay"})
        self._erasures.keep()

    def _delete_expired(self) -> None:
        from noted.store.expiry import delete_expired

        self._erasures.keep()  # those of an organisation begin without a request
        self._erasures.delete_expired(self.runtime.clock.now())
        runtime = self.runtime
        delete_expired(runtime.dynamodb, runtime.settings.table_prefix, runtime.clock.now())

    def _warm(self) -> None:
        try:
            self.runtime.embedder.embed_query("warm")
        except Exception as error:  # noqa: BLE001 - recall does without, and says so
            _LOG.warning("embedder not ready", extra={"error_type": type(error).__name__})
