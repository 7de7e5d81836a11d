"""The API that streams: the calls whose answer is told while it is made. An HTTP API cannot; a REST API can,
since its integration may invoke a function with `InvokeWithResponseStream`."""

from __future__ import annotations

from aws_cdk import CfnOutput, Duration
from aws_cdk import aws_apigateway as apigateway
from constructs import Construct

from infra.functions import Functions
from infra.settings import DeploymentSettings
from noted.api.routes import ROUTES


class Streaming(Construct):
    """A REST API has no authorizer for JWTs, so a function verifies tokens, by the rules of the HTTP API's.
    Its decision is for one request and is not cached, since a cached one would outlive its token."""

    def __init__(
        self, scope: Construct, construct_id: str, settings: DeploymentSettings, functions: Functions
    ) -> None:
        super().__init__(scope, construct_id)
        api = apigateway.RestApi(
            self,
            "RestApi",
            rest_api_name=f"{settings.prefix}-stream",
            description="Answers of the memory layer as server-sent events",
            endpoint_types=[apigateway.EndpointType.REGIONAL],
            deploy_options=apigateway.StageOptions(stage_name="stream"),
        )
        # The address is told below, by its own name.
        api.node.try_remove_child("Endpoint")
        authorizer = apigateway.RequestAuthorizer(
            self,
            "Tokens",
            handler=functions["authorizer"],
            identity_sources=[apigateway.IdentitySource.header("Authorization")],
            results_cache_ttl=Duration.seconds(0),
        )
        integration = apigateway.LambdaIntegration(
            functions["stream"],
            response_transfer_mode=apigateway.ResponseTransferMode.STREAM,
            allow_test_invoke=False,
        )
        for route in ROUTES:
            if route.streams:
                api.root.resource_for_path(route.path).add_method(
                    route.method,
                    integration,
                    authorizer=authorizer,
                    authorization_type=apigateway.AuthorizationType.CUSTOM,
                )
        CfnOutput(
            self,
            "StreamingAddress",
            description="Where answers stream, under the paths of the API",
            value=api.url.removesuffix("/"),
        )
