"""What the tests of the collected cases share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from noted.clock import instant
from tests.api.conftest import ServiceUnderTest
from tests.api.helpers import (
    Json,
    principal,
)
from tests.standin import Call, Say
from tests.standin.replies import Reply

if TYPE_CHECKING:
    from noted.facts.fact import Fact

Cases = dict[str, Json]

# What a client asks who wants to hear everything.
TELL_ME = "What did I tell you?"


def parts(cases: Cases, name: str) -> tuple[Json, Json]:
    """What a case gives, and what then holds."""
    return cases[f"open-{name}"]["given"], cases[f"open-{name}"]["then"]


def counted(service: ServiceUnderTest) -> Counter[str]:
    """How many calls of each purpose the models have had."""
    return Counter({purpose: len(calls) for purpose, calls in service.standin.calls.items()})


def stop_clock(monkeypatch: pytest.MonkeyPatch, service: ServiceUnderTest, at: str | datetime) -> None:
    """Lets the service's clock stand still at an instant."""
    moment = instant(at) if isinstance(at, str) else at
    monkeypatch.setattr(service.runtime.clock, "now", lambda: moment)


def store(service: ServiceUnderTest, subject: str, stored: Iterable[Fact]) -> None:
    """Puts facts into a user's memory that no client could tell."""
    repository = service.runtime.repository(principal(service, subject))
    repository.memory(repository.admit().generation).facts.add(list(stored))


def logged(caplog: pytest.LogCaptureFixture) -> str:
    """Everything that the service's own log records hold, fields and all."""
    ours = [entry for entry in caplog.records if entry.name.split(".")[0] in ("noted", "local")]
    return "\n".join(str(vars(entry)) for entry in ours)


def timed_out(call: Call) -> Reply:
    """What a server says that timed out and quotes what it was sent."""
    return Say(status=408, body={"error": {"message": f"timed out on: {call.prompt}"}})
