"""The HTTP API: every route of the service, and the check of tokens before any function runs."""

from __future__ import annotations

from urllib.parse import urlsplit

from aws_cdk import Annotations, CfnOutput
from aws_cdk import aws_apigatewayv2 as apigateway
from aws_cdk import aws_apigatewayv2_authorizers as authorizers
from aws_cdk import aws_apigatewayv2_integrations as integrations
from constructs import Construct

from infra.functions import Functions
from infra.settings import DeploymentSettings
from noted.api.routes import ROUTES


class Api(Construct):
    """Tokens are verified against the issuer's published keys: signature, issuer, audience, times, and the
    scope of the route. A path that is no route of the service reaches no function."""

    def __init__(
        self, scope: Construct, construct_id: str, settings: DeploymentSettings, functions: Functions
    ) -> None:
        super().__init__(scope, construct_id)
        if urlsplit(settings.token_issuer).hostname == "issuer.example.com":
            # The gateway asks the issuer for its keys when it is made; by then the tables are there.
            Annotations.of(self).add_warning_v2(
                "noted:tokenIssuer", "token_issuer in cdk.json is an example: a deployment will fail."
            )
        api = apigateway.HttpApi(
            self, "HttpApi", api_name=settings.prefix, description="A memory layer that its users own"
        )
        authorizer = authorizers.HttpJwtAuthorizer(
            "Tokens", settings.token_issuer, jwt_audience=[settings.token_audience]
        )
        served_by = {
            name: integrations.HttpLambdaIntegration(
                name.capitalize(),
                functions[name],
                # One permission a function instead of one a route: a policy holds 20 KB, some fifty of them.
                scope_permission_to_route=False,
            )
            for name in sorted({route.function for route in ROUTES})
        }
        for route in ROUTES:
            apigateway.HttpRoute(
                self,
                f"{route.method} {route.path}",
                http_api=api,
                route_key=apigateway.HttpRouteKey.with_(route.path, apigateway.HttpMethod[route.method]),
                integration=served_by[route.function],
                authorizer=authorizer if route.scope else apigateway.HttpNoneAuthorizer(),
                authorization_scopes=[route.scope] if route.scope else None,
            )
        CfnOutput(self, "Address", description="Where the API answers", value=api.api_endpoint)
