"""The stack: it puts the constructs together and decides nothing itself."""

from __future__ import annotations

from aws_cdk import Environment, Stack
from constructs import Construct

from infra.api import Api
from infra.erasure import Erasure
from infra.extraction import Extraction
from infra.functions import Functions
from infra.secret import ServiceSecret
from infra.settings import DeploymentSettings
from infra.streaming import Streaming
from infra.tables import Tables


class NotedStack(Stack):
    """One deployment of the service, in one Region."""

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
        functions = Functions(self, "Functions", settings, tables, secret)
        Extraction(
            self,
            "Extraction",
            worker=functions["extraction"],
            worker_timeout=functions.timeout("extraction"),
            # The worker sends again what never reached the queue.
            senders=(functions["answer"], functions["stream"], functions["extraction"]),
        )
        Erasure(self, "Erasure", functions["erasure"])
        Api(self, "Api", settings, functions)
        Streaming(self, "Streaming", settings, functions)
