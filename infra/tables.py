"""The tables, from the description that the functions and the local server share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from aws_cdk import RemovalPolicy, Tags
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.access import Access
from infra.settings import DeploymentSettings
from noted.store import tables


class Tables(Construct):
    """The five tables, on demand, encrypted, named `<prefix>-<name>`.

    They are encrypted under a key of DynamoDB's own, which costs nothing and cannot fail. It is the outer of
    two: what users say is sealed under a key of each user's before, which the wrapping key of this account
    opens, and that one can be disabled. What this one alone covers are ids, times and states.
    """

    def __init__(self, scope: Construct, construct_id: str, settings: DeploymentSettings) -> None:
        super().__init__(scope, construct_id)
        self._tables = {table: self._table(table, settings) for table in tables.TABLES}
        # A backup of the keys would open rows that were erased since. No plan is made here; one of the
        # account that takes all tables has to leave out those with this tag.
        Tags.of(self._tables[tables.KEYS]).add("backup", "never")

    def arn(self, table: tables.Table) -> str:
        """The ARN of a table."""
        return self._tables[table].table_arn

    @property
    def all(self) -> Mapping[tables.Table, dynamodb.TableV2]:
        """Every table, by its description."""
        return self._tables

    def allow(self, function: lambda_.Function, access: Iterable[Access]) -> None:
        """Lets a function do what is listed, on the tables and indexes that are named, and nothing else."""
        for entry in access:
            arn = self._tables[entry.table].table_arn
            function.add_to_role_policy(
                iam.PolicyStatement(
                    actions=[f"dynamodb:{action}" for action in entry.actions],
                    resources=[f"{arn}/index/{entry.index.name}" if entry.index else arn],
                    conditions=entry.conditions() or None,
                )
            )

    def _table(self, table: tables.Table, settings: DeploymentSettings) -> dynamodb.TableV2:
        return dynamodb.TableV2(
            self,
            table.name.capitalize(),
            table_name=f"{settings.prefix}-{table.name}",
            partition_key=_string(tables.PARTITION_KEY),
            sort_key=_string(tables.SORT_KEY),
            billing=dynamodb.Billing.on_demand(),
            encryption=dynamodb.TableEncryptionV2.dynamo_owned_key(),
            time_to_live_attribute=tables.EXPIRY,
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=True, recovery_period_in_days=table.recovery_days
            ),
            global_secondary_indexes=[
                dynamodb.GlobalSecondaryIndexPropsV2(
                    index_name=index.name,
                    partition_key=_string(index.partition),
                    sort_key=dynamodb.Attribute(name=index.sort, type=dynamodb.AttributeType.NUMBER),
                    projection_type=dynamodb.ProjectionType.KEYS_ONLY,
                )
                for index in table.indexes
            ],
            deletion_protection=settings.deletion_protection,
            removal_policy=RemovalPolicy.RETAIN if settings.deletion_protection else RemovalPolicy.DESTROY,
        )


def _string(name: str) -> dynamodb.Attribute:
    return dynamodb.Attribute(name=name, type=dynamodb.AttributeType.STRING)
