"""The session roles in the template: who may take them, with which tags, and what they reach."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError

from infra.access import ACCESS
from noted.errors import Unavailable
from noted.identity import Principal, subject_reference
from noted.store import keys
from noted.store.sessions import Credentials, SessionClients
from tests.infra.policy_evaluator import Request, allows
from tests.infra.test_permissions import text
from tests.store.builders import SECRETS, principal

pytestmark = pytest.mark.xdist_group("infra")

GROUPS = {"answer", "recall", "verdicts", "extraction"}
ALICE, BOB = principal("alice"), principal("bob")
ROLE = "arn:aws:iam::123456789012:role/noted-sessions-recall"


@pytest.fixture(scope="session")
def walled(synthesise: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    """The template with session policies."""
    return dict(synthesise(session_policies=True)["Resources"])


def of_type(resources: dict[str, Any], kind: str) -> dict[str, dict[str, Any]]:
    return {name: each["Properties"] for name, each in resources.items() if each["Type"] == f"AWS::{kind}"}


def session_roles(resources: dict[str, Any]) -> dict[str, str]:
    """The logical ids of the session roles by the name of their group."""
    return {
        name.removeprefix("FunctionsSessions")[:-8].lower(): name
        for name in of_type(resources, "IAM::Role")
        if name.startswith("FunctionsSessions")
    }


def policy(resources: dict[str, Any], role: str) -> list[dict[str, Any]]:
    """A role's statements with the names of tables in the places of their ARNs."""
    tables = {
        f"${{{name}.Arn}}": properties["TableName"].removeprefix("noted-")
        for name, properties in of_type(resources, "DynamoDB::GlobalTable").items()
    }
    statements = []
    for each in of_type(resources, "IAM::Policy").values():
        if {"Ref": role} in each["Roles"]:
            statements += each["PolicyDocument"]["Statement"]
    found = []
    for statement in statements:
        listed = statement["Resource"] if isinstance(statement["Resource"], list) else [statement["Resource"]]
        names = []
        for resource in map(text, listed):
            arn, separator, index = resource.partition("/")
            names.append(tables.get(arn, arn) + separator + index)
        found.append(statement | {"Resource": names})
    return found


def dynamodb_statements(statements: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for statement in statements:
        if "dynamodb:" in str(statement["Action"]):
            yield statement


def test_without_the_setting_there_is_no_session_role(template: dict[str, Any]) -> None:
    assert session_roles(template["Resources"]) == {}
    assert "sts:TagSession" not in json.dumps(template)


def test_there_is_a_role_for_each_group_that_its_functions_alone_assume(walled: dict[str, Any]) -> None:
    roles = session_roles(walled)
    assert roles.keys() == GROUPS
    functions = of_type(walled, "Lambda::Function")
    for group, role in roles.items():
        names = {"answer", "stream"} if group == "answer" else {group}
        owners = {
            function["Role"]["Fn::GetAtt"][0]
            for function in functions.values()
            if function["FunctionName"].removeprefix("noted-") in names
        }
        trusts = of_type(walled, "IAM::Role")[role]["AssumeRolePolicyDocument"]["Statement"]
        assumed = set()
        for trust in trusts:
            assert trust["Effect"] == "Allow"
            actions = trust["Action"] if isinstance(trust["Action"], list) else [trust["Action"]]
            assert set(actions) <= {"sts:AssumeRole", "sts:TagSession"}
            # All three tags and no other, each of the fixed form.
            assert trust["Condition"] == {
                "StringLike": {f"aws:RequestTag/{tag}": f"{tag}_*" for tag in "ous"},
                "ForAllValues:StringEquals": {"aws:TagKeys": ["o", "u", "s"]},
            }
            principals = trust["Principal"]["AWS"]
            for each in principals if isinstance(principals, list) else [principals]:
                assumed |= {(each["Fn::GetAtt"][0], action) for action in actions}
        assert assumed == {
            (owner, f"sts:{name}") for owner in owners for name in ("AssumeRole", "TagSession")
        }
        for function in functions.values():
            variables = function.get("Environment", {}).get("Variables", {})
            mine = function["FunctionName"].removeprefix("noted-") in names
            assert (variables.get("NOTED_SESSION_ROLE") == {"Fn::GetAtt": [role, "Arn"]}) is mine


def test_every_statement_holds_to_leading_keys_and_none_reads_without(walled: dict[str, Any]) -> None:
    for group, role in session_roles(walled).items():
        statements = policy(walled, role)
        granted = set()
        for statement in statements:
            conditions = statement["Condition"]
            assert conditions["Null"] == {"dynamodb:LeadingKeys": "false"}
            assert conditions.keys() == {"Null", "ForAllValues:StringLike"}
            assert conditions["ForAllValues:StringLike"].keys() == {"dynamodb:LeadingKeys"}
            actions = statement["Action"]
            for action in actions if isinstance(actions, list) else [actions]:
                assert "*" not in action
                assert not action.startswith(("dynamodb:Scan", "dynamodb:PartiQL"))
                assert not action.startswith(("dynamodb:List", "dynamodb:Describe", "dynamodb:Export"))
                granted |= {(action.removeprefix("dynamodb:"), name) for name in statement["Resource"]}
        # Neither more nor less than the function may do without a session, but for the indexes.
        assert granted == {
            (action, entry.table.name)
            for entry in ACCESS[group]
            for action in entry.actions
            if entry.index is None
        }


def test_the_functions_themselves_reach_nobodys_rows(walled: dict[str, Any]) -> None:
    for function in of_type(walled, "Lambda::Function").values():
        name, role = function["FunctionName"].removeprefix("noted-"), function["Role"]["Fn::GetAtt"][0]
        reached = [
            (statement["Action"], statement["Resource"])
            for statement in dynamodb_statements(policy(walled, role))
            # What tells a restored table is nobody's row.
            if statement["Action"] != "dynamodb:DescribeTable"
            and "SERVICE" not in str(statement.get("Condition"))
        ]
        if name in {"answer", "stream", "recall", "verdicts"}:
            assert reached == []
        if name == "extraction":
            # Marks of work left undone, of all users: found in the index, renewed and taken off.
            assert sorted(reached) == [
                ("dynamodb:Query", ["memory/index/outbox"]),
                ("dynamodb:UpdateItem", ["memory"]),
            ]


def session_of(user: Principal, *leading: str) -> dict[str, tuple[str, ...]]:
    return {
        "aws:PrincipalTag/o": (user.organisation,),
        "aws:PrincipalTag/u": (user.user,),
        "aws:PrincipalTag/s": (subject_reference(user, SECRETS),),
        "dynamodb:LeadingKeys": leading,
    }


def own(user: Principal) -> list[str]:
    """A user's partitions."""
    generations = [keys.partition(user, generation) for generation in (1, 2, 999_999_999)]
    return [keys.owner(user), *generations, subject_reference(user, SECRETS)]


@pytest.mark.parametrize("group", sorted(GROUPS))
def test_a_session_reaches_its_users_partitions_and_no_others(walled: dict[str, Any], group: str) -> None:
    statements = policy(walled, session_roles(walled)[group])
    rights = {(action, table) for entry in statements for action, table in pairs(entry)}
    foreign = [
        *own(BOB),
        # Of the same letters, but not the same user; and what is nobody's.
        ALICE.organisation,
        f"{ALICE.owner}a",
        f"{ALICE.owner}a#g1",
        f"{ALICE.organisation}#{BOB.user}#g1",
        f"{BOB.organisation[:-1]}x#{ALICE.user}#g1",
        ALICE.owner.upper(),
        "ERASE#er_00000000000000000000000000",
        "REPLAY",
        "*",
        "",
    ]
    for action, table in rights:
        for key in own(ALICE):
            assert allows(statements, Request(action, table, session_of(ALICE, key))), (action, table, key)
        for key in foreign:
            assert not allows(statements, Request(action, table, session_of(ALICE, key))), (action, key)
            both = session_of(ALICE, own(ALICE)[0], key)
            assert not allows(statements, Request(action, table, both)), (action, key)
        assert not allows(statements, Request(action, table, session_of(ALICE)))
        assert not allows(
            statements, Request(action, f"{table}/index/outbox", session_of(ALICE, own(ALICE)[0]))
        )
        untagged = {"dynamodb:LeadingKeys": (own(ALICE)[1],)}
        assert not allows(statements, Request(action, table, untagged))


def pairs(statement: dict[str, Any]) -> Iterator[tuple[str, str]]:
    actions = statement["Action"]
    for action in actions if isinstance(actions, list) else [actions]:
        for table in statement["Resource"]:
            yield action, table


def test_a_new_user_is_put_into_a_list_that_no_session_reads(walled: dict[str, Any]) -> None:
    shard = keys.user_list(ALICE.organisation, "7")
    for group, role in session_roles(walled).items():
        statements = policy(walled, role)
        may = {
            action
            for entry in statements
            for action, table in pairs(entry)
            if allows([entry], Request(action, table, session_of(ALICE, shard)))
        }
        assert may == ({"dynamodb:PutItem"} if group in ("answer", "verdicts") else set())


class Sts:
    """STS as a function sees it; time stands until a test moves it."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 10, 12, tzinfo=UTC)
        self.asked: list[dict[str, Any]] = []
        self.down = False

    def assume_role(self, **parameters: Any) -> dict[str, Any]:
        if self.down:
            raise ClientError({"Error": {"Code": "AccessDenied"}}, "AssumeRole")
        self.asked.append(parameters)
        number = len(self.asked)
        return {
            "Credentials": {
                "AccessKeyId": f"key-{number}",
                "SecretAccessKey": "secret",
                "SessionToken": "token",
                "Expiration": self.now + timedelta(seconds=parameters["DurationSeconds"]),
            }
        }


def made(credentials: Credentials) -> Any:
    return [credentials["AccessKeyId"]]


@pytest.fixture
def sts() -> Sts:
    return Sts()


def clients(sts: Sts, role: str = ROLE, most: int = 256) -> SessionClients:
    return SessionClients(role, sts, made, now=lambda: sts.now, most=most)


def test_a_client_is_for_one_user_whom_the_tags_name(sts: Sts) -> None:
    sessions = clients(sts)
    alices = sessions.of(ALICE, "s_alice")
    assert sessions.of(BOB, "s_bob") != alices
    assert sessions.of(ALICE, "s_alice") is alices
    assert [asked["Tags"] for asked in sts.asked] == [
        [
            {"Key": "o", "Value": user.organisation},
            {"Key": "u", "Value": user.user},
            {"Key": "s", "Value": reference},
        ]
        for user, reference in ((ALICE, "s_alice"), (BOB, "s_bob"))
    ]
    assert {asked["RoleArn"] for asked in sts.asked} == {ROLE}
    # Role chaining: an hour at most.
    assert {asked["DurationSeconds"] for asked in sts.asked} == {3600}


def test_the_same_user_in_another_organisation_is_another(sts: Sts) -> None:
    sessions = clients(sts)
    elsewhere = Principal("o_" + "a" * 26, ALICE.user)
    assert sessions.of(ALICE, "s_alice") is not sessions.of(elsewhere, "s_alice")


def test_credentials_are_renewed_before_they_run_out(sts: Sts) -> None:
    sessions = clients(sts)
    first = sessions.of(ALICE, "s_alice")
    sts.now += timedelta(minutes=49, seconds=59)
    assert sessions.of(ALICE, "s_alice") is first
    sts.now += timedelta(seconds=1)
    assert sessions.of(ALICE, "s_alice") is not first


def test_no_more_clients_are_kept_than_that(sts: Sts) -> None:
    sessions = clients(sts, most=2)
    users = [principal(name) for name in ("a", "b", "c")]
    for user in users:
        sessions.of(user, "s")
    sessions.of(users[2], "s")
    sessions.of(users[1], "s")
    assert len(sts.asked) == 3
    sessions.of(users[0], "s")
    assert len(sts.asked) == 4


def test_without_sts_the_memory_cannot_be_reached_and_nobody_elses_client_is_taken(sts: Sts) -> None:
    sessions = clients(sts)
    sessions.of(BOB, "s_bob")
    sts.down = True
    with pytest.raises(Unavailable):
        sessions.of(ALICE, "s_alice")
