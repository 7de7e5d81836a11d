"""Bedrock keeps nothing of what models are told: set at a deployment, looked at each day."""

from __future__ import annotations

from aws_cdk import CustomResource, Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.acknowledged import acknowledge, acknowledge_pattern


class ModelRetention(Construct):
    """The mode is an account's, in one Region, so it holds for everything else there that calls Bedrock too;
    and it stays when this stack goes. `mode`: what a deployment fails on where calls of models are logged."""

    def __init__(self, scope: Construct, construct_id: str, function: lambda_.Function) -> None:
        super().__init__(scope, construct_id)
        function.add_to_role_policy(
            iam.PolicyStatement(
                actions=[
                    "bedrock:GetAccountDataRetention",
                    "bedrock:GetModelInvocationLoggingConfiguration",
                    "bedrock:PutAccountDataRetention",
                ],
                # Settings of an account: there is no resource to name.
                resources=["*"],
            )
        )
        acknowledge_pattern(function.role, "*", "They are settings of the account, which have no resource.")
        self.mode = CustomResource(
            self,
            "Mode",
            service_token=function.function_arn,
            resource_type="Custom::ModelRetention",
            properties={"Mode": "none"},
        )
        self.schedule = events.Rule(
            self,
            "Daily",
            description="Whether Bedrock still keeps nothing",
            schedule=events.Schedule.rate(Duration.days(1)),
            targets=[
                targets.LambdaFunction(
                    function, event=events.RuleTargetInput.from_object({"noted": "check-retention"})
                )
            ],
        )
        acknowledge(self.schedule, "It asks again the next day.", "Serverless-EventBusDLQ")
