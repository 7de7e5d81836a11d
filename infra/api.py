"""The HTTP API: every route of the service, and the check of tokens before any function runs."""

from __future__ import annotations

from collections.abc import Mapping

from aws_cdk import Duration
from aws_cdk import aws_apigatewayv2 as apigateway
from aws_cdk import aws_apigatewayv2_authorizers as authorizers
from aws_cdk import aws_apigatewayv2_integrations as integrations
from constructs import Construct, IConstruct

from infra.acknowledged import acknowledge
from infra.browsers import PREFLIGHT_HOURS, SENT
from infra.functions import Functions
from infra.identity import Identity
from infra.logs import AccessLog, access_line
from infra.outputs import tell
from infra.settings import DeploymentSettings
from noted.api.routes import ROUTES
from noted.identity import scope_forms
from noted.streaming.rest import EXPOSED


class Api(Construct):
    """Tokens are verified against the issuer's published keys: signature, issuer, audience, times, and the
    scope of the route. A path that is no route of the service reaches no function."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        settings: DeploymentSettings,
        identity: Identity,
        functions: Functions,
    ) -> None:
        super().__init__(scope, construct_id)
        self._settings = settings
        self._api = apigateway.HttpApi(
            self,
            "HttpApi",
            api_name=settings.prefix,
            description="A memory layer that its users own",
            cors_preflight=_cors(settings),
        )
        authorizer = authorizers.HttpJwtAuthorizer("Tokens", identity.issuer, jwt_audience=identity.audiences)
        served_by = {
            name: integrations.HttpLambdaIntegration(
                name.capitalize(),
                functions[name],
                # One permission a function instead of one a route: a policy holds 20 KB, some fifty of them.
                scope_permission_to_route=False,
            )
            for name in sorted({route.function for route in ROUTES})
        }
        costly = {}
        for route in ROUTES:
            made = apigateway.HttpRoute(
                self,
                f"{route.method} {route.path}",
                http_api=self._api,
                route_key=apigateway.HttpRouteKey.with_(route.path, apigateway.HttpMethod[route.method]),
                integration=served_by[route.function],
                authorizer=authorizer if route.scope else apigateway.HttpNoneAuthorizer(),
                authorization_scopes=[form for scope in route.admits for form in scope_forms(scope)] or None,
            )
            if not route.scope:
                acknowledge(
                    made,
                    "Whether it answers, its description and the keys of receipts are for everybody.",
                    "AwsSolutions-APIG4",
                )
            if route.calls_models:
                costly[f"{route.method} {route.path}"] = made
        self._limit(costly)
        tell(self, "Address", "Where the API answers", self._api.api_endpoint)
        keys = f"{self._api.api_endpoint}/v1/receipt-keys"
        tell(self, "ReceiptKeys", "The keys that receipts of erasures are signed with", keys)

    @property
    def api_id(self) -> str:
        """The id by which CloudWatch knows the API."""
        return self._api.api_id

    @property
    def tokens(self) -> IConstruct:
        """The authorizer. The gateway makes none for an issuer that it cannot reach."""
        return self._api.node.find_child("Tokens")

    @property
    def address(self) -> str:
        """Where it answers."""
        return self._api.api_endpoint

    def _limit(self, costly: Mapping[str, apigateway.HttpRoute]) -> None:
        """Limits how often routes are called, all users together, and has each call written down."""
        default = self._api.default_stage
        stage = default.node.default_child if default else None
        if default is None or not isinstance(stage, apigateway.CfnStage):
            raise TypeError("the API has no stage")
        rate = self._settings.requests_per_second
        stage.default_route_settings = apigateway.CfnStage.RouteSettingsProperty(
            throttling_rate_limit=rate, throttling_burst_limit=2 * rate
        )
        rate = self._settings.model_requests_per_second
        slower = {"ThrottlingRateLimit": rate, "ThrottlingBurstLimit": 2 * rate}
        # Handed to CloudFormation as it stands, so the names are CloudFormation's.
        stage.route_settings = dict.fromkeys(costly, slower)
        # A stage that names a route which is not there yet is refused.
        default.node.add_dependency(*costly.values())
        stage.access_log_settings = apigateway.CfnStage.AccessLogSettingsProperty(
            destination_arn=AccessLog(self, self._settings, "api").log_group_arn,
            format=access_line("$context.routeKey"),
        )


def _cors(settings: DeploymentSettings) -> apigateway.CorsPreflightOptions | None:
    if not settings.cors_origins:
        return None
    return apigateway.CorsPreflightOptions(
        allow_origins=list(settings.cors_origins),
        allow_methods=[
            apigateway.CorsHttpMethod[method] for method in sorted({route.method for route in ROUTES})
        ],
        allow_headers=list(SENT),
        expose_headers=list(EXPOSED),
        max_age=Duration.hours(PREFLIGHT_HOURS),
    )
