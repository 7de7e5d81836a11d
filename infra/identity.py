"""Who issues the tokens: a user pool of Amazon Cognito that is made here, or any OIDC issuer there is."""

from __future__ import annotations

from typing import cast

from aws_cdk import Aws, Duration, Fn, RemovalPolicy
from aws_cdk import aws_cognito as cognito
from constructs import Construct

from infra.acknowledged import acknowledge
from infra.outputs import tell
from infra.settings import DeploymentSettings
from noted.api.routes import ERASE, READ, WRITE
from noted.identity import RESOURCE_SERVER

# A token that was stolen, or whose user was blocked, is good for this long at most.
_TOKEN_LIFE = Duration.minutes(15)
_SCOPES = {
    READ: "Read what is remembered",
    WRITE: "Say something, and judge, correct and erase what is remembered",
    ERASE: "Erase people on their behalf",
}


class Identity(Construct):
    """`issuer` and `audiences`: whose tokens are accepted, and for whom they must have been issued."""

    issuer: str
    audiences: list[str]

    def __init__(self, scope: Construct, construct_id: str, settings: DeploymentSettings) -> None:
        super().__init__(scope, construct_id)
        if settings.identity == "cognito":
            pool = _UserPool(self, "UserPool", settings)
            self.issuer = pool.user_pool_provider_url
            # Its access tokens have no audience: the id of the client is what the gateway looks at instead.
            self.audiences = pool.clients
        else:
            self.issuer = settings.token_issuer
            self.audiences = [settings.token_audience]
        tell(self, "Issuer", "Whose tokens are accepted", self.issuer)


class _UserPool(cognito.UserPool):
    """People that an administrator has let in, and a client for compliance systems.

    Users' rows are found by ids made of the pool's address and a user's subject: whoever loses the pool has
    lost whose memory is whose. So nothing below may change of which CloudFormation says that it replaces a
    pool: how people sign in, and which attributes there are.
    """

    def __init__(self, scope: Construct, construct_id: str, settings: DeploymentSettings) -> None:
        protected = settings.deletion_protection
        super().__init__(
            scope,
            construct_id,
            user_pool_name=settings.prefix,
            feature_plan=cognito.FeaturePlan.LITE,
            self_sign_up_enabled=False,
            sign_in_aliases=cognito.SignInAliases(email=True),
            sign_in_case_sensitive=False,
            password_policy=cognito.PasswordPolicy(
                min_length=12,
                require_lowercase=True,
                require_uppercase=True,
                require_digits=True,
                require_symbols=True,
            ),
            mfa=cognito.Mfa.OFF,
            account_recovery=cognito.AccountRecovery.EMAIL_ONLY,
            deletion_protection=protected,
            removal_policy=RemovalPolicy.RETAIN if protected else RemovalPolicy.DESTROY,
        )
        acknowledge(
            self,
            "Cognito's login page has a second factor set up where everybody must have one, and nowhere "
            "else: a choice of one's own takes a token that may change the person's attributes too, which "
            "no app gets. Whether everybody must is a deployer's decision, here or at another issuer.",
            "AwsSolutions-COG2",
        )
        acknowledge(
            self,
            "The plan with threat protection is priced by user, which a deployer decides by an issuer of "
            "their own; people are let in one by one, and sign in with a password of four kinds.",
            "AwsSolutions-COG8",
        )
        offered = {
            name: cognito.ResourceServerScope(scope_name=name, scope_description=description)
            for name, description in _SCOPES.items()
        }
        service = self.add_resource_server(
            "Service", identifier=RESOURCE_SERVER, scopes=list(offered.values())
        )

        def scopes(*names: str) -> list[cognito.OAuthScope]:
            return [cognito.OAuthScope.resource_server(service, offered[name]) for name in names]

        app = self.add_client(
            "App",
            user_pool_client_name=f"{settings.prefix}-app",
            # An app on a person's device keeps no secret: it proves by PKCE that it began the login.
            generate_secret=False,
            o_auth=cognito.OAuthSettings(
                flows=cognito.OAuthFlows(authorization_code_grant=True),
                scopes=[cognito.OAuthScope.OPENID, *scopes(READ, WRITE)],
                callback_urls=list(settings.callback_urls),
                logout_urls=list(settings.callback_urls),
            ),
            supported_identity_providers=[cognito.UserPoolClientIdentityProvider.COGNITO],
            access_token_validity=_TOKEN_LIFE,
            id_token_validity=_TOKEN_LIFE,
            refresh_token_validity=Duration.days(30),
            enable_token_revocation=True,
            prevent_user_existence_errors=True,
        )
        desk = self.add_client(
            "Compliance",
            user_pool_client_name=f"{settings.prefix}-compliance",
            generate_secret=True,
            o_auth=cognito.OAuthSettings(
                flows=cognito.OAuthFlows(client_credentials=True), scopes=scopes(ERASE)
            ),
            access_token_validity=_TOKEN_LIFE,
            prevent_user_existence_errors=True,
        )
        for client in (app, desk):
            # Without a list Cognito also lets people log in past the page, for tokens without our scopes.
            made = cast("cognito.CfnUserPoolClient", client.node.default_child)
            made.explicit_auth_flows = ["ALLOW_REFRESH_TOKEN_AUTH"]
        self.clients = [app.user_pool_client_id, desk.user_pool_client_id]
        address = self._address(settings)
        tell(self, "UserPoolId", "Where users are created", self.user_pool_id)
        tell(self, "AppClientId", "The client of apps: code with PKCE", app.user_pool_client_id)
        tell(self, "ComplianceClientId", "The client of compliance systems", desk.user_pool_client_id)
        tell(self, "LoginAddress", "Where a login begins", f"{address}/oauth2/authorize")
        tell(self, "TokenAddress", "Where a code or a secret becomes a token", f"{address}/oauth2/token")

    def _address(self, settings: DeploymentSettings) -> str:
        # Unique in the Region: the first part of the UUID in the stack's ARN, which names no account.
        unique = Fn.select(0, Fn.split("-", Fn.select(2, Fn.split("/", Aws.STACK_ID))))
        name = Fn.join("-", [settings.prefix, unique])
        domain = self.add_domain("Domain", cognito_domain=cognito.CognitoDomainOptions(domain_prefix=name))
        return domain.base_url()
