"""What a deployer may write in cdk.json, and what is said about a mistake."""

from __future__ import annotations

import json
from typing import Any

import pytest

from infra.settings import DeploymentSettings

CONTEXT: dict[str, Any] = {
    "environment": "prod",
    "environments": {"dev": {}, "prod": {}},
    "prefix": "noted",
    "region": "eu-central-1",
    "model": "bedrock:eu.anthropic.claude-haiku-4-5-20251001-v1:0",
    "extraction_model": None,
    "embedder": "bedrock:amazon.titan-embed-text-v2:0",
    "reranker": "none",
    "zero_retention": True,
    "identity": "oidc",
    "callback_urls": ["http://localhost:8788/"],
    "token_issuer": "https://login.example.org/realm",
    "token_audience": "noted",
    "token_clients": [],
    "cors_origins": [],
    "page": False,
    "requests_per_second": 100,
    "model_requests_per_second": 20,
    "erasure_auth_age_seconds": 600,
    "tools": ["recall", "remember"],
    "link_hosts": [],
    "names": "none",
    "phone_region": None,
    "extraction_every": 1,
    "extraction_concurrency": 10,
    "reserved_concurrency": {},
    "episode_after_seconds": 1800,
    "compliance_daily_requests": 100,
    "retention": {},
    "log_retention_days": 14,
    "alarms": True,
    "alarm_email": None,
    "daily_cost_alarm_usd": None,
    "prices": {},
    "tracing": False,
    "gateway_log_role": True,
    "session_policies": False,
    "erasure_connectors": [],
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


def test_link_hosts_are_a_list_or_hosts_with_commas() -> None:
    assert read().link_hosts == ""
    assert read(link_hosts=["docs.example.com", "example.org"]).link_hosts == "docs.example.com,example.org"
    assert read(link_hosts="docs.example.com, localhost").link_hosts == "docs.example.com,localhost"


@pytest.mark.parametrize(
    "name,listed",
    [
        ("cors_origins", ["https://a.example.com", "http://localhost:3000"]),
        ("callback_urls", ["https://a.example.com/", "com.example.app:/done"]),
        ("token_clients", ["web", "ios"]),
        ("tools", ["recall"]),
        ("link_hosts", ["docs.example.com", "example.org"]),
    ],
)
def test_a_list_on_the_command_line_is_written_as_in_cdk_json_or_with_commas(
    name: str, listed: list[str]
) -> None:
    wanted = getattr(read(**{name: listed}), name)
    assert wanted
    for text in (json.dumps(listed), f" {json.dumps(listed, indent=1)} ", ", ".join(listed)):
        assert getattr(read(**{name: text}), name) == wanted
    assert read(tools="[]").tools == ""


def test_connectors_of_erasures_are_a_list_of_https_addresses() -> None:
    connectors = [{"name": "crm", "url": "https://crm.example.com/erasures"}]
    assert read().erasure_connectors == "[]"
    assert json.loads(read(erasure_connectors=connectors).erasure_connectors) == connectors
    assert json.loads(read(erasure_connectors=json.dumps(connectors)).erasure_connectors) == connectors


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
        ("link_hosts", ["https://docs.example.com"]),
        ("link_hosts", ["*.example.com"]),
        ("erasure_connectors", None),
        ("erasure_connectors", {"name": "crm", "url": "https://crm.example.com/"}),
        ("erasure_connectors", [{"name": "crm", "url": "http://crm.example.com/"}]),
        # In a function nothing listens there.
        ("erasure_connectors", [{"name": "crm", "url": "http://127.0.0.1/"}]),
        ("tools", ["recall", 1]),
        ("names", "presidio"),
        ("names", None),
        ("phone_region", "gb"),
        ("phone_region", ""),
        ("extraction_every", 0),
        ("extraction_every", 11),
        ("extraction_every", None),
        ("compliance_daily_requests", 0),
        ("compliance_daily_requests", None),
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
        ("token_clients", None),
        ("token_clients", ["web", 1]),
        ("token_clients", ["a b"]),
        ("token_clients", ["a,b"]),
        ("erasure_auth_age_seconds", 59),
        ("erasure_auth_age_seconds", None),
        ("session_policies", None),
        ("session_policies", "sometimes"),
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
        ("identity", None),
        ("identity", "auth0"),
        ("zero_retention", None),
        ("gateway_log_role", "sometimes"),
        ("callback_urls", None),
        ("callback_urls", ["http://app.example.com/"]),
        ("callback_urls", ["https://app.example.com/*"]),
        ("callback_urls", ["https://app.example.com/#token"]),
        ("callback_urls", ["javascript:alert(1)"]),
        # Whoever may call is named: a star would be every page of the world.
        ("page", "web"),
        ("cors_origins", ["*"]),
        ("cors_origins", '["https://app.example.com"'),
        ("cors_origins", '["https://app.example.com", 7]'),
        ("cors_origins", '{"origin": "https://app.example.com"}'),
        ("cors_origins", ["https://*.example.com"]),
        ("cors_origins", ["https://app.example.com/"]),
        ("cors_origins", ["http://app.example.com"]),
        ("requests_per_second", 0),
        ("model_requests_per_second", "many"),
        ("extraction_concurrency", 1),
        ("extraction_concurrency", 1001),
        ("reserved_concurrency", None),
        ("reserved_concurrency", {"answer": 0}),
        ("reserved_concurrency", {"answers": 5}),
        ("reserved_concurrency", "answer: 5"),
        # Messages that find no worker would end among the dead letters.
        ("reserved_concurrency", {"extraction": 9}),
        ("environment", None),
        ("environment", "test"),
        ("environments", None),
        ("environments", {"prod": None}),
    ],
)
def test_a_mistake_is_refused_by_the_name_of_the_setting(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=rf"cdk\.json: {name} must be "):
        read(**{name: value})


COGNITO = {"identity": "cognito", "token_issuer": None, "token_audience": None}


def test_a_user_pool_needs_no_issuer_and_takes_none() -> None:
    settings = read(**COGNITO, callback_urls="https://app.example.com/,org.example.app:/login")
    assert (settings.identity, settings.token_issuer, settings.token_audience) == ("cognito", "", "")
    assert settings.callback_urls == ("https://app.example.com/", "org.example.app:/login")
    for name in ("token_issuer", "token_audience"):
        # Whoever names an issuer believes that its tokens are accepted.
        with pytest.raises(ValueError, match=rf"cdk\.json: {name} must be null"):
            read(**COGNITO | {name: CONTEXT[name]})
    with pytest.raises(ValueError, match=r"cdk\.json: callback_urls must be"):
        read(**COGNITO, callback_urls=[])


@pytest.mark.parametrize("prefix", ["aws-memory", "my-amazon", "cognito"])
def test_cognito_keeps_some_names_to_itself(prefix: str) -> None:
    assert read(prefix=prefix).prefix == prefix
    with pytest.raises(ValueError, match=r"cdk\.json: prefix must be without"):
        read(**COGNITO, prefix=prefix)


def test_an_environment_decides_what_is_not_decided_for_all() -> None:
    environments = {
        "dev": {"prefix": "noted-dev", "deletion_protection": False},
        "prod": {"prefix": "noted", "deletion_protection": True},
    }
    undecided = {"environments": environments, "prefix": None, "deletion_protection": None}
    dev, prod = read(**undecided, environment="dev"), read(**undecided, environment="prod")
    assert (dev.environment, dev.prefix, dev.deletion_protection) == ("dev", "noted-dev", False)
    assert (prod.environment, prod.prefix, prod.deletion_protection) == ("prod", "noted", True)
    # As the command line does it: -c prefix=mine.
    assert read(**undecided | {"prefix": "mine"}, environment="dev").prefix == "mine"


@pytest.mark.parametrize("name", ["prefx", "environment", "environments"])
def test_what_an_environment_cannot_decide_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=rf"cdk\.json: environments\.dev\.{name} must be a setting"):
        read(environments={"dev": {name: "x"}, "prod": {}})


def test_which_models_are_bedrocks_is_known() -> None:
    assert read().calls_bedrock
    assert read(model="offline", embedder="local", reranker="bedrock:cohere.rerank-v3-5:0").calls_bedrock
    assert not read(model="offline", embedder="local").calls_bedrock
