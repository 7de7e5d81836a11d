"""For pytest: the deployment takes the place of the service in this process, for the tests of the API that
say nothing of settings, clock or parts of a process. `NOTED_REHEARSAL` names the file of the deployment.

Every test has an organisation of its own, so that none meets what another left.
"""

from __future__ import annotations

import json
import os
import secrets
import ssl
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from local.issuer import DEFAULT_SCOPES, DEFAULT_TTL, Issuer
from rehearsal.deployment import Deployment
from tests.standin.handler import Server, handler
from tests.standin.replies import Call, Say
from tests.standin.server import StandIn

if TYPE_CHECKING:
    from tests.api.conftest import ServiceUnderTest, StartService

_WORK_SECONDS = 1
_DRAIN_SECONDS = 10
_HIDDEN_SECONDS = 6
_counts: Counter[str] = Counter()


class Models:
    """Where the functions look for models: what the stand-in of the test that runs would say."""

    def __init__(self) -> None:
        self.standin = StandIn()

    def respond(self, call: Call) -> Say:
        """What it says."""
        return self.standin.respond(call)


class OrganisationIssuer(Issuer):
    """Issues tokens whose organisation is this test's own."""

    def __init__(self, folder: Path, address: str, test: str) -> None:
        super().__init__(folder, address=address)
        self._test = test

    def organisation(self, name: str | None) -> str:
        """An organisation of this test: the one that `name` names, or the one of tokens that name none."""
        return f"{name or 'none'}-{self._test}"

    def token(
        self,
        subject: str,
        scopes: Sequence[str] = DEFAULT_SCOPES,
        *,
        ttl: int = DEFAULT_TTL,
        organisation: str | None = None,
    ) -> str:
        """As an issuer's, of an organisation of this test."""
        return super().token(subject, scopes, ttl=ttl, organisation=self.organisation(organisation))


@pytest.fixture(scope="session")
def deployment() -> Deployment:
    """What is deployed."""
    return Deployment.read(Path(os.environ["NOTED_REHEARSAL"]))


@pytest.fixture(scope="session")
def models(deployment: Deployment) -> Iterator[Models]:
    """The stand-ins of all tests, one after the other, at one address."""
    models = Models()
    server = Server(handler(models.respond), deployment.model_port)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield models
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="session")
def _failures_come_back(deployment: Deployment) -> Iterator[None]:
    """A failed message comes back after seconds, and not after the minutes that the template says."""
    before = int(deployment.queues.attributes(deployment.queues.url)["VisibilityTimeout"])
    deployment.queues.show_again_after(_HIDDEN_SECONDS)
    yield
    deployment.queues.show_again_after(before)


@pytest.fixture(scope="session")
def _erasures_go_on(deployment: Deployment) -> Iterator[None]:
    """Has due erasures worked on each second, which the deployment's own schedule does each minute."""
    stopping = threading.Event()

    def work() -> None:
        while not stopping.wait(_WORK_SECONDS):
            deployment.invoke("erasure", {"noted": "run-erasures"})

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    yield
    stopping.set()
    thread.join(60)


@pytest.fixture
def start_deployed(
    deployment: Deployment,
    models: Models,
    standin: StandIn,
    _erasures_go_on: None,
    _failures_come_back: None,
) -> Iterator[StartService]:
    """Gives the deployment in the place of a service that is started. Skips for settings of its own."""
    from tests.api.conftest import Clients

    class Deployed(Clients):
        def __init__(self, issuer: OrganisationIssuer) -> None:
            tls = ssl.create_default_context(cafile=deployment.authority)
            super().__init__(deployment.url, issuer, tls)
            self.issuer: OrganisationIssuer = issuer
            self.standin = standin
            self.queue = deployment.queues
            self.runtime = deployment.runtime

        def claims(self, subject: str) -> dict[str, str]:
            return {"sub": subject, "iss": self.issuer.address, "org": self.issuer.organisation(None)}

    models.standin = standin
    test = secrets.token_hex(6)
    deployed = Deployed(OrganisationIssuer(Path(deployment.issuer_keys), deployment.issuer, test))

    def start(**environment: str) -> ServiceUnderTest:
        if environment:
            pytest.skip("asks for settings of its own")
        under_test: Any = deployed
        return cast("ServiceUnderTest", under_test)

    yield start
    deployed.close()
    # What this test left in the queue would ask the next one's models.
    with suppress(TimeoutError):
        deployment.queues.drain(_DRAIN_SECONDS)
    deployment.queues.purge()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Counts outcomes: of a test's own part, and of what failed around it."""
    if report.when == "call" or report.outcome != "passed":
        _counts[report.outcome] += 1


def pytest_sessionfinish() -> None:
    """Writes the counts beside the file of the deployment."""
    Path(os.environ["NOTED_REHEARSAL"]).with_suffix(".counts").write_text(json.dumps(_counts))
