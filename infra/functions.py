"""The functions: each its own role and log group, and no right that it does not use. Each has its own code,
but for `stream`, which is `answer` on a client of the Runtime API that streams."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from aws_cdk import Duration, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.access import ACCESS, ACROSS_USERS, GUARDING
from infra.acknowledged import acknowledge, acknowledge_pattern
from infra.identity import Identity
from infra.keys import WrappingKey
from infra.layers import ARCHITECTURE, RUNTIME, SOURCE_ONLY, Layers
from infra.logs import Log
from infra.models import allow_model, allow_names
from infra.secret import ServiceSecret
from infra.session_policies import GROUPS, SessionRoles
from infra.settings import DeploymentSettings
from infra.tables import Tables

_FUNCTIONS = Path(__file__).parents[1] / "functions"


@dataclass(frozen=True)
class _Limits:
    """`timeout` is in seconds; `models` names the settings whose models the function calls; `masks`: it takes
    texts of users, and looks for personal values in them; `opens`: it reads what users told; `creates`: it
    may be the first to store something of a user."""

    timeout: int
    models: tuple[str, ...] = ()
    masks: bool = False
    opens: bool = True
    creates: bool = False


# The gateway gives up after 30 s, so a function that answers gives up just before and can still say so. The
# erasure function sweeps beside its calls, and a sweep may take longer.
_ANSWER = _Limits(29, ("model", "extraction_model", "embedder", "reranker"), masks=True, creates=True)
_LIMITS = {
    "answer": _ANSWER,
    "stream": _ANSWER,
    "recall": _Limits(29, ("embedder", "reranker"), masks=True),
    "verdicts": _Limits(29, ("embedder",), masks=True, creates=True),
    "extraction": _Limits(60, ("extraction_model", "embedder")),
    "erasure": _Limits(120, opens=False),
}
# Reads the issuer's keys, at most twice 3 s, and no table, secret or model.
_AUTHORIZER_TIMEOUT = 10
# Beyond the longest timeout: clocks of two machines differ, and a warm function may keep what is a user's
# in its memory for five minutes at most.
_DRAIN_MARGIN = 300
# Three calls of Bedrock and an answer to CloudFormation.
_MODEL_RETENTION_TIMEOUT = 60


class Functions(Construct):
    """The functions by the name of their folder."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        settings: DeploymentSettings,
        tables: Tables,
        secret: ServiceSecret,
        key: WrappingKey,
        identity: Identity,
    ) -> None:
        super().__init__(scope, construct_id)
        layers = Layers(self, "Layers")
        environment = {
            "NOTED_MODEL": settings.model,
            "NOTED_EXTRACTION_MODEL": settings.extraction_model,
            "NOTED_EMBEDDER": settings.embedder,
            "NOTED_TABLE_PREFIX": settings.prefix,
            "NOTED_RETENTION": settings.retention,
            "NOTED_SECRET_ARN": secret.secret_arn,
            # Numeric libraries that start a thread a core stand in each other's way in a function.
            "OMP_NUM_THREADS": "1",
        }
        self._functions = {
            name: self._function(name, settings, layers, environment, Duration.seconds(limits.timeout))
            for name, limits in _LIMITS.items()
        }
        for name, function in self._functions.items():
            group = _folder(name)
            by_session = settings.session_policies and group in GROUPS
            tables.allow(function, GUARDING)
            tables.allow(function, ACROSS_USERS.get(group, ()) if by_session else ACCESS[group])
            secret.allow(function)
            if _LIMITS[name].opens:
                key.allow(function, creating=_LIMITS[name].creates)
            for model in sorted({getattr(settings, setting) for setting in _LIMITS[name].models}):
                streams = model == settings.model and "model" in _LIMITS[name].models
                allow_model(function, Stack.of(self), model, streams=streams)
            if _LIMITS[name].masks:
                function.add_environment("NOTED_NAMES", settings.names)
                function.add_environment("NOTED_PHONE_REGION", settings.phone_region)
                if settings.names != "none":
                    allow_names(function)
            if "reranker" in _LIMITS[name].models:
                function.add_environment("NOTED_RERANKER", settings.reranker)
            if "model" in _LIMITS[name].models:
                function.add_environment("NOTED_TOOLS", settings.tools)
                function.add_environment("NOTED_LINK_HOSTS", settings.link_hosts)
            if name != "extraction":
                function.add_environment("NOTED_TOKEN_CLIENTS", settings.token_clients)
        if settings.session_policies:
            named = {group: [self[name] for name in _LIMITS if _folder(name) == group] for group in GROUPS}
            SessionRoles(self, "Sessions", tables, named)
        age = str(settings.erasure_auth_age_seconds)
        self["erasure"].add_environment("NOTED_ERASURE_AUTH_AGE_SECONDS", age)
        drain = max(limits.timeout for limits in _LIMITS.values()) + _DRAIN_MARGIN
        self["erasure"].add_environment("NOTED_DRAIN_SECONDS", str(drain))
        quota = str(settings.compliance_daily_requests)
        self["erasure"].add_environment("NOTED_COMPLIANCE_DAILY_REQUESTS", quota)
        self["extraction"].add_environment("NOTED_EXTRACTION_EVERY", str(settings.extraction_every))
        rest = str(settings.episode_after_seconds)
        self["extraction"].add_environment("NOTED_EPISODE_AFTER_SECONDS", rest)
        self["stream"].add_environment("AWS_LAMBDA_EXEC_WRAPPER", "/opt/bin/noted-stream")
        tokens = {
            # It begins the name of the deployment's metrics as well.
            "NOTED_TABLE_PREFIX": settings.prefix,
            "NOTED_TOKEN_ISSUER": identity.issuer,
            "NOTED_TOKEN_AUDIENCE": " ".join(identity.audiences),
        }
        self._functions["authorizer"] = self._function(
            "authorizer", settings, layers, tokens, Duration.seconds(_AUTHORIZER_TIMEOUT)
        )
        if settings.calls_bedrock and settings.zero_retention:
            self._functions["model_retention"] = self._function(
                "model_retention", settings, layers, {}, Duration.seconds(_MODEL_RETENTION_TIMEOUT)
            )

    @property
    def all(self) -> Mapping[str, lambda_.Function]:
        """Every function, by name."""
        return self._functions

    def __contains__(self, name: str) -> bool:
        return name in self._functions

    def __getitem__(self, name: str) -> lambda_.Function:
        return self._functions[name]

    def timeout(self, name: str) -> Duration:
        """How long a function may run."""
        return Duration.seconds(_LIMITS[name].timeout)

    def _function(
        self,
        name: str,
        settings: DeploymentSettings,
        layers: Layers,
        environment: dict[str, str],
        timeout: Duration,
    ) -> lambda_.Function:
        function_name = f"{settings.prefix}-{name}"
        log_group = Log(self, f"{name.capitalize()}Logs", settings, f"/aws/lambda/{function_name}")
        # Lambda's managed policy would let a function write to every log group of the account.
        role = iam.Role(
            self,
            f"{name.capitalize()}Role",
            assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
            description=f"What the function {function_name} may do",
        )
        log_group.grant_write(role)
        function = lambda_.Function(
            self,
            name.capitalize(),
            function_name=function_name,
            runtime=RUNTIME,
            architecture=ARCHITECTURE,
            handler="handler.handler",
            code=lambda_.Code.from_asset(str(_FUNCTIONS / _folder(name)), exclude=SOURCE_ONLY),
            layers=[layers.noted, layers.dependencies],
            role=role,
            log_group=log_group,
            memory_size=1024,
            timeout=timeout,
            # Lambda's own: nothing is imported for it, and where it is off there is nothing of it.
            tracing=lambda_.Tracing.ACTIVE if settings.tracing else None,
            reserved_concurrent_executions=settings.reserved_concurrency.get(name),
            environment=environment,
        )
        _acknowledge(function, traced=settings.tracing)
        return function


def _acknowledge(function: lambda_.Function, *, traced: bool) -> None:
    acknowledge(
        function,
        "The layer is locked and byte-compiled for this Python: another one is a change of both.",
        "AwsSolutions-L1",
        "Serverless-LambdaLatestVersion",
    )
    acknowledge(
        function,
        "A gateway waits for what it asked for, a schedule asks again within a minute or a day and an alarm "
        "tells of its failures; what a queue asked for has dead letters there.",
        "Serverless-LambdaDLQ",
    )
    if traced:
        acknowledge_pattern(function.role, "*", "X-Ray knows no resource to which a trace could be sent.")
    else:
        acknowledge(
            function,
            "Tracing is a setting, and off where nobody asked for it: X-Ray keeps traces for 30 days.",
            "Serverless-LambdaTracing",
        )


def _folder(name: str) -> str:
    """The folder of the handler that a function runs, and by which its rights to tables are known."""
    return "answer" if name == "stream" else name
