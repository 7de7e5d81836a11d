"""The settings of a running service, read once from the environment and checked."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from noted.clock import instant
from noted.identity import TokenRules
from noted.retention import Retention

if TYPE_CHECKING:
    from noted.privacy.connectors import Connector

_OFFLINE = "offline"


@dataclass(frozen=True)
class Settings:
    """`model`, `extraction_model` and `embedder` are of the forms `bedrock:<id>`, `openai:<model>`, and
    `offline` (a language model) or `local` (an embedder); `reranker` is `none` or `bedrock:<id>`.
    `drain_seconds` is how long a writer that began before an erasure may still run: at least the longest
    timeout of any function that writes. `recall_budget_seconds` is how long an answer waits for the
    embedding of its question before it goes on with what words alone find. `episode_after_seconds` is how
    long a conversation rests before it gets its episode. `max_receives` is how often the queue hands a
    message out before it puts it with the dead letters; `extraction_every` how many turns of a conversation
    are extracted in one call, once they are so many or the first of them is two minutes old. `tools` names
    what the answering model may call. `names` says what looks for names of people in what users say:
    `none`, `local`, or `comprehend`; `phone_region` (ISO 3166) is where telephone numbers without a country
    code belong. `token_rules` is what is asked of tokens beyond their signature. `session_role` is the role
    under which one user's rows are reached, None where the function's own reaches those of all.
    `compliance_daily_requests` is how many erasures one compliance system may begin in a day.
    `erasure_connectors` are the places outside of the tables that are told of an erasure. `link_hosts` are
    the hosts that an answer may link to, besides what the user typed."""

    model: str = _OFFLINE
    extraction_model: str = _OFFLINE
    embedder: str = "local"
    reranker: str = "none"
    table_prefix: str = "noted"
    queue_url: str | None = None
    dead_letters_url: str | None = None
    now: datetime | None = None
    drain_seconds: int = 900
    recall_budget_seconds: float = 0.3
    episode_after_seconds: float = 1800
    max_receives: int = 3
    extraction_every: int = 1
    tools: tuple[str, ...] = ("recall", "remember")
    names: str = "none"
    phone_region: str | None = None
    retention: Retention = field(default_factory=Retention)
    erasure_connectors: tuple[Connector, ...] = ()
    token_rules: TokenRules = field(default_factory=TokenRules)
    session_role: str | None = None
    compliance_daily_requests: int = 100
    link_hosts: tuple[str, ...] = ()

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """Raises ValueError, naming the variable, for a value that cannot be used."""
        model = _model("NOTED_MODEL", environment.get("NOTED_MODEL") or _OFFLINE, _OFFLINE)
        extraction = environment.get("NOTED_EXTRACTION_MODEL") or model
        return cls(
            model=model,
            extraction_model=_model("NOTED_EXTRACTION_MODEL", extraction, _OFFLINE),
            embedder=_model("NOTED_EMBEDDER", environment.get("NOTED_EMBEDDER") or "local", "local"),
            reranker=_reranker(environment.get("NOTED_RERANKER") or cls.reranker),
            table_prefix=environment.get("NOTED_TABLE_PREFIX") or "noted",
            queue_url=environment.get("NOTED_QUEUE_URL"),
            dead_letters_url=environment.get("NOTED_DEAD_LETTERS_URL"),
            now=_now(environment),
            drain_seconds=int(environment.get("NOTED_DRAIN_SECONDS") or cls.drain_seconds),
            recall_budget_seconds=float(
                environment.get("NOTED_RECALL_BUDGET_SECONDS") or cls.recall_budget_seconds
            ),
            episode_after_seconds=float(
                environment.get("NOTED_EPISODE_AFTER_SECONDS") or cls.episode_after_seconds
            ),
            extraction_every=_every(environment.get("NOTED_EXTRACTION_EVERY") or "1"),
            tools=_tools(environment.get("NOTED_TOOLS")),
            names=_names(environment.get("NOTED_NAMES") or cls.names),
            phone_region=_region(environment.get("NOTED_PHONE_REGION")),
            retention=Retention.read(environment.get("NOTED_RETENTION")),
            erasure_connectors=_connectors(environment.get("NOTED_ERASURE_CONNECTORS")),
            token_rules=_token_rules(environment),
            session_role=environment.get("NOTED_SESSION_ROLE"),
            compliance_daily_requests=_daily_requests(environment.get("NOTED_COMPLIANCE_DAILY_REQUESTS")),
            link_hosts=_hosts(environment.get("NOTED_LINK_HOSTS", "")),
        )


def _daily_requests(value: str | None) -> int:
    if not re.fullmatch("[1-9][0-9]{0,6}", value or "1"):
        raise ValueError("NOTED_COMPLIANCE_DAILY_REQUESTS must be a whole number of requests, at least 1")
    return int(value or Settings.compliance_daily_requests)


def _token_rules(environment: Mapping[str, str]) -> TokenRules:
    clients = (each.strip() for each in environment.get("NOTED_TOKEN_CLIENTS", "").split(","))
    age = environment.get("NOTED_ERASURE_AUTH_AGE_SECONDS") or str(TokenRules.erasure_auth_age_seconds)
    if not re.fullmatch("[1-9][0-9]{0,6}", age):
        raise ValueError("NOTED_ERASURE_AUTH_AGE_SECONDS must be a whole number of seconds")
    return TokenRules(frozenset(filter(None, clients)), int(age))


def _reranker(value: str) -> str:
    if value == "none" or re.fullmatch(r"bedrock:.+", value):
        return value
    raise ValueError("NOTED_RERANKER must be bedrock:<id> or none")


def _connectors(value: str | None) -> tuple[Connector, ...]:
    if not value:
        return ()
    from noted.privacy.connectors import read_connectors

    try:
        return read_connectors(value)
    except ValueError as error:
        raise ValueError(f"NOTED_ERASURE_CONNECTORS {error}") from None


def _every(value: str) -> int:
    if re.fullmatch("[1-9]|10", value):
        return int(value)
    raise ValueError("NOTED_EXTRACTION_EVERY must be a number of turns from 1 to 10")


def _model(variable: str, value: str, builtin: str) -> str:
    provider, _, name = value.partition(":")
    if value == builtin or (provider in ("bedrock", "openai") and name):
        return value
    raise ValueError(f"{variable} must be bedrock:<id>, openai:<model> or {builtin}")


def _tools(names: str | None) -> tuple[str, ...]:
    if names is None:
        return Settings.tools
    return tuple(name for each in names.split(",") if (name := each.strip()))


def _hosts(value: str) -> tuple[str, ...]:
    hosts = tuple(host.casefold() for each in value.split(",") if (host := each.strip()))
    label = r"[a-z0-9][a-z0-9-]{0,62}"
    if not all(re.fullmatch(rf"(?:{label}\.)*{label}", host) for host in hosts):
        raise ValueError("NOTED_LINK_HOSTS must be hosts such as docs.example.com, separated by commas")
    return hosts


def _names(value: str) -> str:
    if not re.fullmatch("none|local|comprehend(:[a-z]{2})?", value):
        raise ValueError("NOTED_NAMES must be none, local, comprehend or comprehend:<language>")
    return value


def _region(value: str | None) -> str | None:
    if value and not re.fullmatch(r"[A-Z]{2}", value):
        raise ValueError("NOTED_PHONE_REGION must be a country such as GB")
    return value or None


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
