"""The stack: it puts the constructs together and decides nothing itself but what must come first."""

from __future__ import annotations

from aws_cdk import Environment, Stack, Tags
from aws_cdk import aws_events as events
from constructs import Construct

from infra.api import Api
from infra.erasure import Erasure
from infra.extraction import Extraction
from infra.functions import Functions
from infra.identity import Identity
from infra.keys import WrappingKey
from infra.model_retention import ModelRetention
from infra.monitoring import Monitoring
from infra.secret import ServiceSecret
from infra.settings import DeploymentSettings
from infra.streaming import Streaming
from infra.tables import Tables
from infra.watched import Watched
from infra.web import Web


class NotedStack(Stack):
    """One deployment of the service, in one Region.

    What outlives a deployment that is rolled back stands in the way of the next one: tables have fixed names.
    So what is most likely refused comes before it: an account that keeps what models are told, an issuer that
    cannot be reached.
    """

    def __init__(self, scope: Construct, construct_id: str, settings: DeploymentSettings) -> None:
        super().__init__(
            scope,
            construct_id,
            stack_name=settings.prefix,
            description="A memory layer that its users own",
            env=Environment(region=settings.region),
        )
        tables = Tables(self, "Tables", settings)
        secret = ServiceSecret(self, "Secret", settings)
        key = WrappingKey(self, "WrappingKey", settings)
        identity = Identity(self, "Identity", settings)
        functions = Functions(self, "Functions", settings, tables, secret, key, identity)
        extraction = Extraction(
            self,
            "Extraction",
            settings,
            worker=functions["extraction"],
            worker_timeout=functions.timeout("extraction"),
            # The worker sends again what never reached the queue.
            senders=(functions["answer"], functions["stream"], functions["extraction"]),
        )
        erasure = Erasure(self, "Erasure", settings, functions["erasure"])
        api = Api(self, "Api", settings, identity, functions)
        streaming = Streaming(self, "Streaming", settings, functions)
        lasting: list[Construct] = [tables, secret, key, erasure.receipt_key]
        for each in lasting:
            each.node.add_dependency(api.tokens)
        lasting += [identity, streaming]
        if settings.page:
            lasting.append(Web(self, "Web", settings, api.address))
        schedules: dict[str, events.Rule] = {"extraction": extraction.schedule, "erasure": erasure.schedule}
        if "model_retention" in functions:
            retention = ModelRetention(self, "ModelRetention", functions["model_retention"])
            for each in lasting:
                each.node.add_dependency(retention.mode)
            schedules["model_retention"] = retention.schedule
        watched = Watched(
            functions=functions.all,
            schedules=schedules,
            http_api=api.api_id,
            streaming_api=streaming.api_name,
            queue=extraction.queue,
            dead_letters=extraction.dead_letters,
            tables=tables.all,
            keys=(key, erasure.receipt_key),
        )
        Monitoring(self, "Monitoring", settings, watched)
        # What a bill and an inventory can be sorted by.
        Tags.of(self).add("application", "noted")
        Tags.of(self).add("environment", settings.environment)
