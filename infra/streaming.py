"""The API that streams: the calls whose answer is told while it is made. An HTTP API cannot; a REST API can,
since its integration may invoke a function with `InvokeWithResponseStream`."""

from __future__ import annotations

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_apigateway as apigateway
from constructs import Construct

from infra.acknowledged import acknowledge
from infra.browsers import PREFLIGHT_HOURS, SENT
from infra.functions import Functions
from infra.logs import AccessLog, access_line
from infra.outputs import tell
from infra.settings import DeploymentSettings
from noted.api.routes import ROUTES


class Streaming(Construct):
    """A REST API has no authorizer for JWTs, so a function verifies tokens, by the rules of the HTTP API's.
    Its decision is for one request and is not cached, since a cached one would outlive its token."""

    def __init__(
        self, scope: Construct, construct_id: str, settings: DeploymentSettings, functions: Functions
    ) -> None:
        super().__init__(scope, construct_id)
        self.api_name = f"{settings.prefix}-stream"
        api = apigateway.RestApi(
            self,
            "RestApi",
            rest_api_name=self.api_name,
            description="Answers of the memory layer as server-sent events",
            endpoint_types=[apigateway.EndpointType.REGIONAL],
            deploy_options=apigateway.StageOptions(
                stage_name="stream",
                # Every one of its routes has models called.
                throttling_rate_limit=settings.model_requests_per_second,
                throttling_burst_limit=2 * settings.model_requests_per_second,
                access_log_destination=apigateway.LogGroupLogDestination(AccessLog(self, settings, "stream")),
                access_log_format=apigateway.AccessLogFormat.custom(
                    access_line("$context.httpMethod $context.resourcePath")
                ),
            ),
            # What a REST API writes, it writes with a role of the account in this Region. It stays when the
            # stack goes: the account would go on naming a role that is no more, and every other REST API
            # there would fall silent.
            cloud_watch_role=settings.gateway_log_role,
            cloud_watch_role_removal_policy=RemovalPolicy.RETAIN if settings.gateway_log_role else None,
            default_cors_preflight_options=_cors(settings),
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
        if settings.cors_origins:
            functions["stream"].add_environment("NOTED_CORS_ORIGINS", " ".join(settings.cors_origins))
            for kind in (apigateway.ResponseType.DEFAULT_4_XX, apigateway.ResponseType.DEFAULT_5_XX):
                # A page has to see that its token is too old; there is nothing in such a reply to be kept
                # from another page.
                api.add_gateway_response(
                    kind.response_type,
                    type=kind,
                    response_headers={"Access-Control-Allow-Origin": "method.request.header.Origin"},
                )
        _acknowledge(api)
        address = api.url.removesuffix("/")
        tell(self, "StreamingAddress", "Where answers stream, under the paths of the API", address)


def _acknowledge(api: apigateway.RestApi) -> None:
    acknowledge(
        api,
        "The function checks each body against a closed model and says which field is wrong, as the HTTP API "
        "has it; it does so before anything is spent on a model.",
        "AwsSolutions-APIG2",
    )
    acknowledge(
        api,
        "Which web ACL stands before an address is a decision of the account: it is attached to the stage by "
        "its ARN. Without one, calls are throttled and nobody passes without a token.",
        "AwsSolutions-APIG3",
    )
    acknowledge(
        api,
        "Beside the access log there would be an execution log, which can hold what users say.",
        "AwsSolutions-APIG6",
    )
    acknowledge(
        api,
        "Every method has the authorizer of this deployment, which takes any OIDC issuer and Cognito alike, "
        "and asks for the scope of the route.",
        "AwsSolutions-COG4",
    )
    acknowledge(
        api,
        "It is the role that API Gateway documents for its logs: of the account, in this Region, for API "
        "Gateway alone.",
        "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/"
        "AmazonAPIGatewayPushToCloudWatchLogs]",
    )
    acknowledge(api, "Calls are traced in the functions, where that is set.", "Serverless-APIGWXrayEnabled")


def _cors(settings: DeploymentSettings) -> apigateway.CorsOptions | None:
    if not settings.cors_origins:
        return None
    return apigateway.CorsOptions(
        allow_origins=list(settings.cors_origins),
        allow_methods=sorted({route.method for route in ROUTES if route.streams}),
        allow_headers=list(SENT),
        max_age=Duration.hours(PREFLIGHT_HOURS),
    )
