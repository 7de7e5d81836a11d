"""The settings of a running service, read once from the environment and checked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from noted.clock import instant
from noted.retention import Retention

_OFFLINE = "offline"


@dataclass(frozen=True)
class Settings:
    """`model`, `extraction_model` and `embedder` are of the forms `bedrock:<id>`, `openai:<model>`, and
    `offline` (a language model) or `local` (an embedder). `drain_seconds` is how long a writer that began
    before an erasure may still run: at least the longest timeout of any function that writes.
    `recall_budget_seconds` is how long an answer waits for the embedding of its question before it goes on
    with what words alone find. `max_receives` is how often the queue hands a message out before it puts it
    with the dead letters."""

    model: str = _OFFLINE
    extraction_model: str = _OFFLINE
    embedder: str = "local"
    table_prefix: str = "noted"
    queue_url: str | None = None
    now: datetime | None = None
    drain_seconds: int = 900
    recall_budget_seconds: float = 0.3
    max_receives: int = 3
    retention: Retention = field(default_factory=Retention)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """Raises ValueError, naming the variable, for a value that cannot be used."""
        model = _model("NOTED_MODEL", environment.get("NOTED_MODEL") or _OFFLINE, _OFFLINE)
        extraction = environment.get("NOTED_EXTRACTION_MODEL") or model
        return cls(
            model=model,
            extraction_model=_model("NOTED_EXTRACTION_MODEL", extraction, _OFFLINE),
            embedder=_model("NOTED_EMBEDDER", environment.get("NOTED_EMBEDDER") or "local", "local"),
            table_prefix=environment.get("NOTED_TABLE_PREFIX") or "noted",
            queue_url=environment.get("NOTED_QUEUE_URL"),
            now=_now(environment),
            drain_seconds=int(environment.get("NOTED_DRAIN_SECONDS") or cls.drain_seconds),
            recall_budget_seconds=float(
                environment.get("NOTED_RECALL_BUDGET_SECONDS") or cls.recall_budget_seconds
            ),
            retention=Retention.read(environment.get("NOTED_RETENTION")),
        )


def _model(variable: str, value: str, builtin: str) -> str:
    provider, _, name = value.partition(":")
    if value == builtin or (provider in ("bedrock", "openai") and name):
        return value
    raise ValueError(f"{variable} must be bedrock:<id>, openai:<model> or {builtin}")


def _now(environment: Mapping[str, str]) -> datetime | None:
    value = environment.get("NOTED_NOW")
    if not value:
        return None
    if "AWS_LAMBDA_FUNCTION_NAME" in environment:
        raise ValueError("NOTED_NOW starts the clock for tests and demos and is refused in Lambda")
    try:
        return instant(value)
    except ValueError:
        raise ValueError("NOTED_NOW must be an RFC 3339 instant such as 2026-03-10T12:00:00Z") from None
