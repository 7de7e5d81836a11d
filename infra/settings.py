"""What a deployer decides, read from the context in cdk.json (or `-c name=value`) and checked.

| name | meaning |
|---|---|
| `prefix` | begins the names of the stack, its tables and functions: two deployments in one account differ |
| `region` | where everything is, the models included |
| `model` | what answers: `bedrock:<model or inference profile id>`, or `offline` for a rehearsal |
| `extraction_model` | what works in the background, of the same forms; null: the same model |
| `embedder` | what turns texts into vectors: `bedrock:<model id>`, multilingual as users are, or `local` |
| `reranker` | what orders the best of a recall again: `none`, or `bedrock:<model id>` |
| `token_issuer` | the OIDC issuer whose tokens are accepted |
| `token_audience` | the audience that a token must name |
| `tools` | what the answering model may call, by name: `recall`, `remember`, and a deployer's own |
| `names` | what looks for names in what users say: `none`, `comprehend`, or `comprehend:es` for Spanish |
| `phone_region` | where telephone numbers without a country code belong, such as `GB`; null: nowhere |
| `extraction_every` | how many turns of a conversation are extracted in one call, 1 to 10 |
| `episode_after_seconds` | how long a conversation rests before its episode is written |
| `retention` | days for which things are kept, such as `{"turn_days": 30, "fact_days": {"project": 90}}` |
| `log_retention_days` | 1, 3, 5, 7 or 14: an erasure promises that logs are gone after 14 days |
| `deletion_protection` | true: nobody deletes the tables and the secret by mistake; they outlive the stack |
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from noted.retention import Retention

BEDROCK = "bedrock:"

_LOG_RETENTION_DAYS = (1, 3, 5, 7, 14)
# A role reaches Bedrock without a key; the key of another server would have to be kept in this stack. And a
# `global.` profile sends what a user said to any Region of the world, where the deployer chose one.
_MODEL = "bedrock:<id of a model or of an inference profile that is not global> or {}"
_BEDROCK_ID = re.compile(r"(?!global\.)[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?")

_T = TypeVar("_T")


@dataclass(frozen=True)
class DeploymentSettings:
    """One deployment of the service."""

    prefix: str
    region: str
    model: str
    extraction_model: str
    embedder: str
    reranker: str
    token_issuer: str
    token_audience: str
    tools: str
    names: str
    phone_region: str
    extraction_every: int
    episode_after_seconds: int
    retention: str
    log_retention_days: int
    deletion_protection: bool

    @classmethod
    def from_context(cls, context: Callable[[str], Any]) -> DeploymentSettings:
        """`context` gives the value of a name, None if it has none. Raises ValueError, naming the setting."""

        def read(name: str, check: Callable[[Any], _T | None], wanted: str) -> _T:
            checked = check(context(name))
            if checked is None:
                raise ValueError(f"cdk.json: {name} must be {wanted}")
            return checked

        model = read("model", _model("offline"), _MODEL.format("offline"))
        extraction_model = model
        if context("extraction_model") is not None:
            extraction_model = read("extraction_model", _model("offline"), _MODEL.format("offline"))
        return cls(
            prefix=read("prefix", _matching("[a-z][a-z0-9-]{0,30}"), "up to 31 of a-z, 0-9 and hyphens"),
            region=read("region", _matching(r"[a-z]{2}(-[a-z]+)+-\d"), "a Region such as eu-central-1"),
            model=model,
            extraction_model=extraction_model,
            embedder=read("embedder", _model("local"), _MODEL.format("local")),
            reranker=read("reranker", _model("none"), _MODEL.format("none")),
            token_issuer=read("token_issuer", _matching(r"https://[^\s?#]+"), "the https URL of an issuer"),
            token_audience=read("token_audience", _matching(r"\S+"), "the audience of the tokens"),
            tools=read("tools", _names_of_tools, 'a list of names such as ["recall", "remember"]'),
            names=read(
                "names", _one_of("none", "comprehend", "comprehend:es"), "none, comprehend or comprehend:es"
            ),
            phone_region=read("phone_region", _region, "a country such as GB, or null"),
            extraction_every=read("extraction_every", _turns, "a whole number of turns, 1 to 10"),
            episode_after_seconds=read(
                "episode_after_seconds", _seconds, "a whole number of seconds, at least 60"
            ),
            retention=read("retention", _retention, "an object of whole days, at least 1, by what is kept"),
            log_retention_days=read("log_retention_days", _log_retention, "1, 3, 5, 7 or 14"),
            deletion_protection=read("deletion_protection", _boolean, "true or false"),
        )


def _model(builtin: str) -> Callable[[Any], str | None]:
    def check(value: Any) -> str | None:
        if not isinstance(value, str):
            return None
        named = value.startswith(BEDROCK) and _BEDROCK_ID.fullmatch(value.removeprefix(BEDROCK))
        return value if value == builtin or named else None

    return check


def _matching(pattern: str) -> Callable[[Any], str | None]:
    return lambda value: value if isinstance(value, str) and re.fullmatch(pattern, value) else None


def _names_of_tools(value: Any) -> str | None:
    names = value.split(",") if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return None
    named = [name.strip() for name in names if name.strip()]
    return ",".join(named) if all(re.fullmatch("[a-z][a-z0-9_]*", name) for name in named) else None


def _one_of(*choices: str) -> Callable[[Any], str | None]:
    return lambda value: value if value in choices else None


def _region(value: Any) -> str | None:
    if value is None:
        return ""
    return value if isinstance(value, str) and re.fullmatch("[A-Z]{2}", value) else None


def _turns(value: Any) -> int | None:
    return int(str(value)) if re.fullmatch("[1-9]|10", str(value)) else None


def _seconds(value: Any) -> int | None:
    text = str(value)
    return int(text) if re.fullmatch("[0-9]{1,7}", text) and int(text) >= 60 else None


def _retention(value: Any) -> str | None:
    text = value if isinstance(value, str) else json.dumps(value)
    try:
        Retention.read(text)
    except ValueError:
        return None
    return text


def _log_retention(value: Any) -> int | None:
    return next((days for days in _LOG_RETENTION_DAYS if str(days) == str(value)), None)


def _boolean(value: Any) -> bool | None:
    # The command line's -c hands every value over as a string.
    return {"true": True, "false": False}.get(str(value).lower())
