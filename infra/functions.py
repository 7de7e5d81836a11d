"""The functions: each its own role and log group, and no right that it does not use. Each has its own code,
but for `stream`, which is `answer` on a client of the Runtime API that streams."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from aws_cdk import Duration, RemovalPolicy, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.access import ACCESS
from infra.layers import ARCHITECTURE, RUNTIME, SOURCE_ONLY, Layers
from infra.models import allow_model, allow_names
from infra.secret import ServiceSecret
from infra.settings import DeploymentSettings
from infra.tables import Tables

_FUNCTIONS = Path(__file__).parents[1] / "functions"


@dataclass(frozen=True)
class _Limits:
    """`timeout` is in seconds; `models` names the settings whose models the function calls; `masks`: it takes
    texts of users, and looks for personal values in them."""

    timeout: int
    models: tuple[str, ...] = ()
    masks: bool = False


# The gateway gives up after 30 s, so a function that answers gives up just before and can still say so. The
# erasure function sweeps beside its calls, and a sweep may take longer.
_ANSWER = _Limits(29, ("model", "extraction_model", "embedder", "reranker"), masks=True)
_LIMITS = {
    "answer": _ANSWER,
    "stream": _ANSWER,
    "recall": _Limits(29, ("embedder", "reranker"), masks=True),
    "verdicts": _Limits(29, ("embedder",), masks=True),
    "extraction": _Limits(60, ("extraction_model", "embedder")),
    "erasure": _Limits(120),
}
# Reads the issuer's keys, at most twice 3 s, and no table, secret or model.
_AUTHORIZER_TIMEOUT = 10
# Beyond the longest timeout: clocks of two machines differ, and a warm function may keep what is a user's
# in its memory for five minutes at most.
_DRAIN_MARGIN = 300
_LOG_RETENTION = {
    1: logs.RetentionDays.ONE_DAY,
    3: logs.RetentionDays.THREE_DAYS,
    5: logs.RetentionDays.FIVE_DAYS,
    7: logs.RetentionDays.ONE_WEEK,
    14: logs.RetentionDays.TWO_WEEKS,
}


class Functions(Construct):
    """The functions by the name of their folder."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        settings: DeploymentSettings,
        tables: Tables,
        secret: ServiceSecret,
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
            tables.allow(function, ACCESS[_folder(name)])
            secret.allow(function)
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
        drain = max(limits.timeout for limits in _LIMITS.values()) + _DRAIN_MARGIN
        self["erasure"].add_environment("NOTED_DRAIN_SECONDS", str(drain))
        self["extraction"].add_environment("NOTED_EXTRACTION_EVERY", str(settings.extraction_every))
        rest = str(settings.episode_after_seconds)
        self["extraction"].add_environment("NOTED_EPISODE_AFTER_SECONDS", rest)
        self["stream"].add_environment("AWS_LAMBDA_EXEC_WRAPPER", "/opt/bin/noted-stream")
        tokens = {
            "NOTED_TOKEN_ISSUER": settings.token_issuer,
            "NOTED_TOKEN_AUDIENCE": settings.token_audience,
        }
        self._functions["authorizer"] = self._function(
            "authorizer", settings, layers, tokens, Duration.seconds(_AUTHORIZER_TIMEOUT)
        )

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
        log_group = logs.LogGroup(
            self,
            f"{name.capitalize()}Logs",
            log_group_name=f"/aws/lambda/{function_name}",
            retention=_LOG_RETENTION[settings.log_retention_days],
            removal_policy=RemovalPolicy.DESTROY,
        )
        # Lambda's managed policy would let a function write to every log group of the account.
        role = iam.Role(
            self,
            f"{name.capitalize()}Role",
            assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
            description=f"What the function {function_name} may do",
        )
        log_group.grant_write(role)
        return lambda_.Function(
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
            environment=environment,
        )


def _folder(name: str) -> str:
    """The folder of the handler that a function runs, and by which its rights to tables are known."""
    return "answer" if name == "stream" else name
