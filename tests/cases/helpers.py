"""What the tests of the collected cases share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from functions.answer.tools import registry
from noted.clock import instant
from noted.conversation.tools import Arguments, LabelledFigure, Tool, ToolContext, ToolOutcome
from tests.api.conftest import ServiceUnderTest, StartService
from tests.api.helpers import Json, ok, principal
from tests.standin import Call, Say
from tests.standin.replies import Reply

if TYPE_CHECKING:
    import httpx

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


def context(client: httpx.Client, conversation_id: str, message: str, **fields: object) -> Json:
    """The prompt for a message, for a client that calls a model itself. Nothing is stored."""
    body = {"message": message, **fields}
    return ok(client.post(f"/v1/conversations/{conversation_id}/context", json=body))


class NoArguments(Arguments):
    """The customer's own account, whichever that is."""


def deploy(
    monkeypatch: pytest.MonkeyPatch,
    start_service: StartService,
    figures: Mapping[str, str | None],
    **environment: str,
) -> ServiceUnderTest:
    """A service whose deployer has a tool for each namespace of these labels, which gives their values;
    without one it is there and never asked."""
    tools = [_tool(label, value) for label, value in figures.items()]
    deployed = {tool.name: partial(_made, tool) for tool in tools}
    monkeypatch.setattr(registry, "AVAILABLE", {**registry.AVAILABLE, **deployed})
    return start_service(NOTED_TOOLS=",".join(["recall", "remember", *deployed]), **environment)


def _made(tool: Tool[Any], _: Mapping[str, str]) -> Tool[Any]:
    return tool


def _tool(label: str, value: str | None) -> Tool[Any]:
    namespace, _, name = label.partition(".")
    given = () if value is None else (LabelledFigure(name, value, f"the {name} of the {namespace}"),)

    def look_up(_: NoArguments, __: ToolContext) -> ToolOutcome:
        return ToolOutcome(given)

    return Tool(namespace, f"Looks up the {namespace}.", NoArguments, look_up, namespace=namespace)
