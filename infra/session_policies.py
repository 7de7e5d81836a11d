"""The second wall around each user's rows: roles that reach one user's rows alone, by session tags.

A function whose settings say so has no right of its own to a user's rows. It assumes its session role with
tags that name the organisation, the user and the user's name in the ledger, and the role's policy holds each
request to partitions that begin with them.

`ForAllValues` is true of a request without a leading key, such as a Scan or PartiQL: so neither is ever
allowed, and each statement asks that there is a leading key (`Null` false). An index has partitions of its
own, which do not begin with a user: no statement names one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.access import ACCESS, Access
from infra.tables import Tables
from noted.store.sessions import ORGANISATION_TAG, REFERENCE_TAG, USER_TAG
from noted.store.tables import CONTROL, Table

# Erasure is not among them: it works for all users, through jobs that lie in no user's partition.
GROUPS = ("answer", "recall", "verdicts", "extraction")

_TAGS = (ORGANISATION_TAG, USER_TAG, REFERENCE_TAG)
_OWNER = f"${{aws:PrincipalTag/{ORGANISATION_TAG}}}#${{aws:PrincipalTag/{USER_TAG}}}"
# The user's standing, everything in any generation, and the user's receipts. All tables have all three: how
# IAM sees the keys of a transaction over several tables is not documented, and each of them is the user's.
OWN_PARTITIONS = (_OWNER, f"{_OWNER}#g*", f"${{aws:PrincipalTag/{REFERENCE_TAG}}}")
# A user who is new is put into one of the sixteen lists of their organisation, which nobody but a compliance
# system reads.
LISTS_OF_USERS = f"ORG#${{aws:PrincipalTag/{ORGANISATION_TAG}}}#?"


class SessionRole(iam.Role):
    """What functions of one group may do with the rows of the user whose session it is."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        tables: Tables,
        access: Iterable[Access],
        functions: Sequence[lambda_.Function],
    ) -> None:
        super().__init__(
            scope,
            construct_id,
            description="Reaches the rows of one user, named by the session's tags",
            assumed_by=iam.CompositePrincipal(*(_tagged(function) for function in functions)),
        )
        for statement in statements(tables, access):
            self.add_to_policy(statement)
        for function in functions:
            function.add_environment("NOTED_SESSION_ROLE", self.role_arn)
            function.add_to_role_policy(
                iam.PolicyStatement(actions=["sts:AssumeRole", "sts:TagSession"], resources=[self.role_arn])
            )


class SessionRoles(Construct):
    """A role for each group of functions; `functions` are those of a group by its name."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        tables: Tables,
        functions: Mapping[str, Sequence[lambda_.Function]],
    ) -> None:
        super().__init__(scope, construct_id)
        for group in GROUPS:
            SessionRole(self, group.capitalize(), tables, ACCESS[group], functions[group])


def statements(tables: Tables, access: Iterable[Access]) -> list[iam.PolicyStatement]:
    """The same rights as the function would have, within one user's partitions; none to an index."""
    actions: dict[Table, set[str]] = {}
    for entry in access:
        if entry.index is None:
            actions.setdefault(entry.table, set()).update(entry.actions)
    allowed = []
    for table, operations in actions.items():
        plain = operations - {"PutItem"} if table is CONTROL else operations
        if plain:
            allowed.append(_within(tables.arn(table), plain, OWN_PARTITIONS))
        if plain != operations:
            listing = (*OWN_PARTITIONS, LISTS_OF_USERS)
            allowed.append(_within(tables.arn(table), {"PutItem"}, listing))
    return allowed


def _within(resource: str, operations: Iterable[str], partitions: Sequence[str]) -> iam.PolicyStatement:
    return iam.PolicyStatement(
        actions=[f"dynamodb:{operation}" for operation in sorted(operations)],
        resources=[resource],
        conditions={
            "ForAllValues:StringLike": {"dynamodb:LeadingKeys": list(partitions)},
            "Null": {"dynamodb:LeadingKeys": "false"},
        },
    )


def _tagged(function: lambda_.Function) -> iam.IPrincipal:
    if function.role is None:
        raise ValueError("the function has no role")
    # Nobody gets a session without all three tags, or with any other.
    conditions = {
        "StringLike": {f"aws:RequestTag/{tag}": f"{tag}_*" for tag in _TAGS},
        "ForAllValues:StringEquals": {"aws:TagKeys": list(_TAGS)},
    }
    return iam.PrincipalWithConditions(
        iam.ArnPrincipal(function.role.role_arn), conditions
    ).with_session_tags()
