"""What a deployer decides, read from the context in cdk.json (or `-c name=value`) and checked.

| name | meaning |
|---|---|
| `environment` | which of `environments` is deployed, such as `dev` |
| `environments` | by name, what each decides for itself; what stands beside them, or in `-c`, holds in all |
| `prefix` | begins the names of the stack, its tables and functions: two deployments in one account differ |
| `region` | where everything is, the models included |
| `model` | what answers: `bedrock:<model or inference profile id>`, or `offline` for a rehearsal |
| `extraction_model` | what works in the background, of the same forms; null: the same model |
| `embedder` | what turns texts into vectors: `bedrock:<model id>`, multilingual as users are, or `local` |
| `reranker` | what orders the best of a recall again: `none`, or `bedrock:<model id>` |
| `zero_retention` | true: Bedrock is told to keep nothing, for the whole account in this Region |
| `identity` | who issues tokens: `cognito`, a user pool that is made, or `oidc`, an issuer that there is |
| `callback_urls` | with `cognito`: where a login may return to, such as `https://app.example.com/` |
| `token_issuer` | with `oidc`: the issuer whose tokens are accepted; else null |
| `token_audience` | with `oidc`: the audience that a token must name; else null |
| `token_clients` | the clients (`azp`, `client_id`) whose tokens are accepted; an empty list: any |
| `page` | true: a bucket and a CloudFront distribution for a page of yours, with the API under its address |
| `cors_origins` | the web pages that may call, such as `https://app.example.com`; an empty list: none |
| `requests_per_second` | how many requests each API lets through, all users together; twice as many at once |
| `model_requests_per_second` | the same for each route that has models called |
| `erasure_auth_age_seconds` | how old a login may be when a user erases, if the token tells (`auth_time`) |
| `tools` | what the answering model may call, by name: `recall`, `remember`, and a deployer's own |
| `link_hosts` | the hosts that an answer may link to, such as `docs.example.com`; an empty list: none |
| `names` | what looks for names in what users say: `none`, `comprehend`, or `comprehend:es` for Spanish |
| `phone_region` | where telephone numbers without a country code belong, such as `GB`; null: nowhere |
| `extraction_every` | how many turns of a conversation are extracted in one call, 1 to 10 |
| `extraction_concurrency` | how many workers extract at once, 2 to 1000 |
| `reserved_concurrency` | executions kept for functions, such as `{"answer": 50}` (docs/deploy.md) |
| `episode_after_seconds` | how long a conversation rests before its episode is written |
| `retention` | days for which things are kept, such as `{"turn_days": 30, "fact_days": {"project": 90}}` |
| `compliance_daily_requests` | how many erasures one compliance system may begin in a day |
| `log_retention_days` | 1, 3, 5, 7 or 14: an erasure promises that logs are gone after 14 days |
| `alarms` | true: alarms, and a topic that tells them (docs/monitoring.md says what they cost) |
| `alarm_email` | who gets a mail when an alarm is raised; null: nobody yet |
| `daily_cost_alarm_usd` | how much language models may cost in a day before it is an alarm; null: any |
| `prices` | by model what a million tokens cost: `{"input", "output", "cache_read", "cache_write"}`, in USD |
| `tracing` | true: X-Ray traces the functions (docs/monitoring.md) |
| `gateway_log_role` | true: API Gateway gets the role with which it writes logs, one an account and Region |
| `erasure_connectors` | places outside that are told of an erasure: a list of `{"name", "url"}`, https |
| `session_policies` | true: a user's rows are reached in a session of that user (docs/isolation.md) |
| `deletion_protection` | true: nobody deletes tables, keys or user pool by mistake; they outlive the stack |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from infra import checks

# A role reaches Bedrock without a key; the key of another server would have to be kept in this stack. And a
# `global.` profile sends what a user said to any Region of the world, where the deployer chose one.
_MODEL = "bedrock:<id of a model or of an inference profile that is not global> or {}"
# Words that Cognito keeps to itself in the names of login pages, which begin with the prefix.
_RESERVED = ("amazon", "aws", "cognito")

_T = TypeVar("_T")
_Read = Callable[[str], Any]


@dataclass(frozen=True)
class DeploymentSettings:
    """One deployment of the service."""

    environment: str
    prefix: str
    region: str
    model: str
    extraction_model: str
    embedder: str
    reranker: str
    zero_retention: bool
    identity: str
    callback_urls: tuple[str, ...]
    token_issuer: str
    token_audience: str
    token_clients: str
    cors_origins: tuple[str, ...]
    page: bool
    requests_per_second: int
    model_requests_per_second: int
    erasure_auth_age_seconds: int
    tools: str
    link_hosts: str
    names: str
    phone_region: str
    extraction_every: int
    extraction_concurrency: int
    reserved_concurrency: Mapping[str, int]
    episode_after_seconds: int
    retention: str
    compliance_daily_requests: int
    log_retention_days: int
    alarms: bool
    alarm_email: str
    daily_cost_alarm_usd: float
    prices: Mapping[str, tuple[float, ...]]
    tracing: bool
    gateway_log_role: bool
    session_policies: bool
    erasure_connectors: str
    deletion_protection: bool

    @property
    def calls_bedrock(self) -> bool:
        """Whether any of its models is one of Bedrock."""
        models = (self.model, self.extraction_model, self.embedder, self.reranker)
        return any(model.startswith(checks.BEDROCK) for model in models)

    @classmethod
    def from_context(cls, context: Callable[[str], Any]) -> DeploymentSettings:
        """`context` gives the value of a name, None if it has none. Raises ValueError, naming the setting."""
        environment, value = _environment(context, {each.name for each in fields(cls)})

        def read(name: str, check: checks.Check[_T], wanted: str) -> _T:
            checked = check(value(name))
            if checked is None:
                raise ValueError(f"cdk.json: {name} must be {wanted}")
            return checked

        offline = checks.model("offline"), _MODEL.format("offline")
        model = read("model", *offline)
        cognito = read("identity", checks.one_of("cognito", "oidc"), "cognito or oidc") == "cognito"
        issuer = checks.matching(r"https://[^\s?#]+"), "the https URL of an issuer"
        audience = checks.matching(r"\S+"), "the audience of the tokens"
        unused = _nothing, "null while identity is cognito"
        seconds = checks.whole(60, 9_999_999), "a whole number of seconds, at least 60"
        rate = checks.whole(1, 10_000), "a whole number of requests, 1 to 10000"
        settings = cls(
            environment=environment,
            prefix=read(
                "prefix", checks.matching("[a-z][a-z0-9-]{0,30}"), "up to 31 of a-z, 0-9 and hyphens"
            ),
            region=read("region", checks.matching(r"[a-z]{2}(-[a-z]+)+-\d"), "a Region such as eu-central-1"),
            model=model,
            extraction_model=model
            if value("extraction_model") is None
            else read("extraction_model", *offline),
            embedder=read("embedder", checks.model("local"), _MODEL.format("local")),
            reranker=read("reranker", checks.model("none"), _MODEL.format("none")),
            zero_retention=read("zero_retention", checks.boolean, "true or false"),
            identity="cognito" if cognito else "oidc",
            callback_urls=read(
                "callback_urls", checks.callbacks, 'a list of addresses such as ["https://app.example.com/"]'
            ),
            token_issuer=read("token_issuer", *(unused if cognito else issuer)),
            token_audience=read("token_audience", *(unused if cognito else audience)),
            token_clients=read(
                "token_clients", checks.clients, 'a list of client ids such as ["web", "ios"]'
            ),
            page=read("page", checks.boolean, "true or false"),
            cors_origins=read(
                "cors_origins", checks.origins, 'a list of origins such as ["https://app.example.com"]'
            ),
            requests_per_second=read("requests_per_second", *rate),
            model_requests_per_second=read("model_requests_per_second", *rate),
            erasure_auth_age_seconds=read("erasure_auth_age_seconds", *seconds),
            tools=read("tools", checks.tools, 'a list of names such as ["recall", "remember"]'),
            link_hosts=read("link_hosts", checks.hosts, 'a list of hosts such as ["docs.example.com"]'),
            names=read(
                "names",
                checks.one_of("none", "comprehend", "comprehend:es"),
                "none, comprehend or comprehend:es",
            ),
            phone_region=read(
                "phone_region",
                checks.nothing_or(checks.matching("[A-Z]{2}")),
                "a country such as GB, or null",
            ),
            extraction_every=read(
                "extraction_every", checks.whole(1, 10), "a whole number of turns, 1 to 10"
            ),
            extraction_concurrency=read(
                "extraction_concurrency", checks.whole(2, 1000), "a whole number of workers, 2 to 1000"
            ),
            reserved_concurrency=read(
                "reserved_concurrency",
                checks.concurrency,
                'an object of whole numbers, at least 1, by function, such as {"answer": 50}',
            ),
            episode_after_seconds=read("episode_after_seconds", *seconds),
            retention=read(
                "retention", checks.retention, "an object of whole days, at least 1, by what is kept"
            ),
            compliance_daily_requests=read(
                "compliance_daily_requests",
                checks.whole(1, 9_999_999),
                "a whole number of requests, at least 1",
            ),
            log_retention_days=read("log_retention_days", checks.log_retention, "1, 3, 5, 7 or 14"),
            alarms=read("alarms", checks.boolean, "true or false"),
            alarm_email=read(
                "alarm_email",
                checks.nothing_or(checks.matching(r"[^@\s]+@[^@\s]+")),
                "an address such as ops@example.com, or null",
            ),
            daily_cost_alarm_usd=read(
                "daily_cost_alarm_usd", checks.dollars_or_nothing, "a number of US dollars, or null"
            ),
            prices=read(
                "prices",
                checks.prices,
                'an object by model of {"input", "output", "cache_read", "cache_write"}, in USD a million',
            ),
            tracing=read("tracing", checks.boolean, "true or false"),
            gateway_log_role=read("gateway_log_role", checks.boolean, "true or false"),
            session_policies=read("session_policies", checks.boolean, "true or false"),
            erasure_connectors=read(
                "erasure_connectors", checks.connectors, 'a list of {"name", "url"} with https addresses'
            ),
            deletion_protection=read("deletion_protection", checks.boolean, "true or false"),
        )
        _agree(settings)
        return settings


def refuse_unknown(names: Iterable[str]) -> None:
    """Raises ValueError for a name of the context that was meant for a setting and is none: a slip such as
    `-c enviroment=dev` would deploy something else. What is the CDK's own has signs in its names that no
    setting has."""
    known = {each.name for each in fields(DeploymentSettings)} | {"environments"}
    for name in sorted(set(names) - known):
        if name.isidentifier() or name.replace("-", "_") in known:
            raise ValueError(f"cdk.json: {name} must be a setting")


def _environment(context: Callable[[str], Any], known: set[str]) -> tuple[str, _Read]:
    environments = context("environments")
    if not isinstance(environments, dict) or not all(
        isinstance(each, dict) for each in environments.values()
    ):
        raise ValueError('cdk.json: environments must be an object of objects, such as {"dev": {}}')
    for name, decided in environments.items():
        if unknown := sorted(decided.keys() - (known - {"environment"})):
            raise ValueError(f"cdk.json: environments.{name}.{unknown[0]} must be a setting")
    chosen = context("environment")
    if chosen not in environments:
        raise ValueError(f"cdk.json: environment must be one of {', '.join(sorted(environments))}")

    def value(name: str) -> Any:
        everywhere = context(name)
        return environments[chosen].get(name) if everywhere is None else everywhere

    return str(chosen), value


def _agree(settings: DeploymentSettings) -> None:
    models = {settings.model, settings.extraction_model}
    if unpriced := sorted(models - settings.prices.keys() if settings.daily_cost_alarm_usd else ()):
        raise ValueError(f"cdk.json: prices must name {unpriced[0]} where daily_cost_alarm_usd is set")
    if settings.identity == "cognito" and any(word in settings.prefix for word in _RESERVED):
        raise ValueError(f"cdk.json: prefix must be without {', '.join(_RESERVED)} while identity is cognito")
    if settings.identity == "cognito" and not settings.callback_urls:
        raise ValueError("cdk.json: callback_urls must be at least one while identity is cognito")
    kept = settings.reserved_concurrency.get("extraction")
    if kept is not None and kept < settings.extraction_concurrency:
        # Messages that find no worker are tried again and end among the dead letters.
        raise ValueError(
            "cdk.json: reserved_concurrency must be at least extraction_concurrency for extraction"
        )


def _nothing(value: Any) -> str | None:
    return "" if value is None else None
