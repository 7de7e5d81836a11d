"""The service as a client meets it: over HTTP, in this process or as a process of its own."""

from __future__ import annotations

import os
import re
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from local.dynamodb import DynamoDBLocal
from local.issuer import DEFAULT_SCOPES, Issuer
from local.listener import listen
from local.queue import LocalQueue
from local.service import Service, dynamodb_client
from noted.runtime import Runtime
from noted.settings import Settings
from tests.standin import StandIn, standin

__all__ = ["ServerProcess", "ServiceUnderTest", "server_process", "service", "standin", "start_service"]

ROOT = Path(__file__).resolve().parents[2]
# The service under test speaks plain HTTP: reading the machine's certificates for each client is time lost.
_NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class Clients:
    """Makes clients of a service, each with a user's token, and closes them at the end."""

    def __init__(self, url: str, issuer: Issuer, tls: ssl.SSLContext = _NO_TLS) -> None:
        self.url = url
        self.issuer = issuer
        self._tls = tls
        self._open = ExitStack()

    def token(self, subject: str, scopes: Sequence[str] = DEFAULT_SCOPES, ttl: int = 3600) -> str:
        """A token of the service's issuer."""
        return self.issuer.token(subject, scopes, ttl=ttl)

    def client(self, subject: str, scopes: Sequence[str] = DEFAULT_SCOPES) -> httpx.Client:
        """A client that acts for one user."""
        headers = {"Authorization": f"Bearer {self.token(subject, scopes)}"}
        client = httpx.Client(
            base_url=self.url, headers=headers, timeout=60, trust_env=False, verify=self._tls
        )
        return self._open.enter_context(client)

    def close(self) -> None:
        """Closes all clients."""
        self._open.close()


class ServiceUnderTest(Clients):
    """A whole service in this process, over tables of its own, with the stand-in for every model."""

    def __init__(self, inner: Service, stand_in: StandIn) -> None:
        super().__init__(inner.url, inner.issuer)
        self.standin = stand_in
        self.queue: LocalQueue = inner.queue
        self.runtime: Runtime = inner.runtime

    def claims(self, subject: str) -> Mapping[str, str]:
        """What tells a user from all others in their tokens."""
        return {"sub": subject, "iss": self.issuer.address}


StartService = Callable[..., ServiceUnderTest]


@pytest.fixture(scope="session")
def issuer_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The keys of an issuer, made once: to make them takes longer than most tests."""
    folder = tmp_path_factory.mktemp("issuer")
    Issuer(folder).keys()
    return folder


@pytest.fixture
def start_service(
    request: pytest.FixtureRequest, table_prefix: str, standin: StandIn, tmp_path: Path
) -> Iterator[StartService]:
    """Starts a service whose settings differ: `start_service(NOTED_NOW="2026-03-10T12:00:00Z")`. In a
    rehearsal (rehearsal/plugin.py) it is the one that is deployed."""
    if request.config.pluginmanager.has_plugin("rehearsal.plugin"):
        yield request.getfixturevalue("start_deployed")
        return
    dynamodb_local: DynamoDBLocal = request.getfixturevalue("dynamodb_local")
    shutil.copytree(request.getfixturevalue("issuer_folder"), tmp_path / "noted" / "issuer")
    with ExitStack() as parts:

        def start(**environment: str) -> ServiceUnderTest:
            settings = standin.environment | {"NOTED_TABLE_PREFIX": table_prefix} | environment
            inner = Service(
                Settings.from_environment(settings),
                data=tmp_path / "noted",
                dynamodb=dynamodb_client(dynamodb_local.endpoint),
                environment=settings,
            )
            parts.callback(inner.stop)
            inner.start(listen(0))
            under_test = ServiceUnderTest(inner, standin)
            parts.callback(under_test.close)
            return under_test

        yield start


@pytest.fixture
def service(start_service: StartService) -> ServiceUnderTest:
    """A service with the usual settings."""
    return start_service()


class ServerProcess(Clients):
    """`noted serve` as a process of its own. What it prints is kept in `output`."""

    def __init__(self, data: Path, environment: Mapping[str, str]) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        usual = {
            name: value for name, value in os.environ.items() if not name.startswith(("NOTED_", "OPENAI_"))
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "local.cli", "serve"],
            cwd=ROOT,
            env=usual | {"NOTED_DATA": str(data), "NOTED_PORT": "0"} | dict(environment),
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        self._printed: list[str] = []
        super().__init__(self._ready(), Issuer(data / "issuer"))

    @property
    def output(self) -> str:
        """What was printed so far until it was ready, and all that was logged."""
        self._log.seek(0)
        return "".join(self._printed) + self._log.read().decode()

    def kill(self) -> None:
        """Ends it without warning, as a crash would."""
        self.process.kill()
        self.process.wait()

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Asks it to end and returns its exit code."""
        self.process.send_signal(number)
        rest, _ = self.process.communicate(timeout=60)
        self._printed.append(rest)
        return self.process.returncode

    def close(self) -> None:
        """Ends it, if it still runs."""
        super().close()
        if self.process.poll() is None:
            self.kill()
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._log.close()

    def _ready(self) -> str:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._printed.append(line)
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                return found[0]
        self.process.wait()
        raise RuntimeError(f"the server did not start:\n{self.output}")


@pytest.fixture
def server_process() -> Iterator[Callable[[Path, Mapping[str, str]], ServerProcess]]:
    """Starts servers: `server_process(data_dir, {"NOTED_NOW": …})`. All are ended with the test."""
    with ExitStack() as parts:

        def start(data: Path, environment: Mapping[str, str]) -> ServerProcess:
            server = ServerProcess(data, environment)
            parts.callback(server.close)
            return server

        yield start
