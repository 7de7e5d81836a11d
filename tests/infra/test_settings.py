"""What a deployer may write in cdk.json, and what is said about a mistake."""

from __future__ import annotations

from typing import Any

import pytest

from infra.settings import DeploymentSettings

CONTEXT: dict[str, Any] = {
    "prefix": "noted",
    "region": "eu-central-1",
    "model": "bedrock:eu.anthropic.claude-haiku-4-5-20251001-v1:0",
    "extraction_model": None,
    "embedder": "bedrock:amazon.titan-embed-text-v2:0",
    "reranker": "none",
    "token_issuer": "https://login.example.org/realm",
    "token_audience": "noted",
    "tools": ["recall", "remember"],
    "names": "none",
    "phone_region": None,
    "extraction_every": 1,
    "episode_after_seconds": 1800,
    "retention": {},
    "log_retention_days": 14,
    "deletion_protection": True,
}


def read(**changes: object) -> DeploymentSettings:
    return DeploymentSettings.from_context((CONTEXT | changes).get)


def test_the_background_calls_use_the_same_model_unless_one_is_named() -> None:
    assert read().extraction_model == "bedrock:eu.anthropic.claude-haiku-4-5-20251001-v1:0"
    assert read(extraction_model="bedrock:amazon.nova-micro-v1:0").extraction_model == (
        "bedrock:amazon.nova-micro-v1:0"
    )


def test_tools_are_a_list_or_names_with_commas() -> None:
    assert read(tools=[]).tools == ""
    assert read(tools="recall, savings").tools == "recall,savings"


def test_a_rehearsal_needs_no_model() -> None:
    settings = read(model="offline", embedder="local")
    assert (settings.model, settings.extraction_model, settings.embedder) == ("offline", "offline", "local")


def test_values_from_the_command_line_are_texts() -> None:
    settings = read(log_retention_days="7", deletion_protection="false", retention='{"turn_days": 30}')
    assert settings.log_retention_days == 7
    assert settings.retention == '{"turn_days": 30}'
    assert settings.deletion_protection is False
    assert read(deletion_protection="true").deletion_protection is True


@pytest.mark.parametrize(
    "name,value",
    [
        ("prefix", ""),
        ("prefix", "Noted"),
        ("prefix", "noted_memory"),
        ("prefix", "n" * 32),
        ("region", "europe"),
        ("region", None),
        ("model", None),
        ("reranker", None),
        ("reranker", "cohere.rerank-v3-5:0"),
        ("tools", None),
        ("tools", "Recall"),
        ("tools", ["recall", 1]),
        ("names", "presidio"),
        ("names", None),
        ("phone_region", "gb"),
        ("phone_region", ""),
        ("extraction_every", 0),
        ("extraction_every", 11),
        ("extraction_every", None),
        ("episode_after_seconds", 59),
        ("episode_after_seconds", 60.5),
        ("episode_after_seconds", None),
        ("model", "anthropic.claude-haiku-4-5-20251001-v1:0"),
        ("model", "bedrock:"),
        ("model", "bedrock:*"),
        ("model", "local"),
        # What a user said would go to any Region of the world.
        ("model", "bedrock:global.anthropic.claude-haiku-4-5-20251001-v1:0"),
        # The stack keeps no key for such a server.
        ("model", "openai:gpt-5.5"),
        ("extraction_model", "bedrock:global.amazon.nova-2-lite-v1:0"),
        ("embedder", "offline"),
        ("token_issuer", "http://login.example.org/realm"),
        ("token_issuer", "login.example.org"),
        ("token_issuer", None),
        ("token_audience", ""),
        ("token_audience", ["noted"]),
        ("retention", None),
        ("retention", {"turn_days": 0}),
        ("retention", {"conversation_days": 30}),
        ("retention", "thirty days"),
        # A receipt says that logs are gone after fourteen days.
        ("log_retention_days", 30),
        ("log_retention_days", True),
        ("log_retention_days", None),
        ("deletion_protection", "maybe"),
        ("deletion_protection", None),
    ],
)
def test_a_mistake_is_refused_by_the_name_of_the_setting(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=rf"cdk\.json: {name} must be "):
        read(**{name: value})
