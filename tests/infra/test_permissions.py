"""What each function's role may do. The rights are written out here by hand, from the design."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.xdist_group("infra")

FUNCTIONS = ("answer", "authorizer", "erasure", "extraction", "recall", "stream", "verdicts")
EACH = pytest.mark.parametrize("name", FUNCTIONS)
# It checks tokens: no secret, no table, no model.
EACH_BUT_THE_AUTHORIZER = pytest.mark.parametrize("name", sorted({*FUNCTIONS} - {"authorizer"}))

# Actions, resource, condition; in the texts "${X}" stands for what the template refers to.
Statement = tuple[frozenset[str], str, str]


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def text(value: Any) -> str:
    """A resource or condition as a text."""
    if isinstance(value, str):
        return value
    if "Ref" in value:
        return f"${{{value['Ref']}}}"
    if "Fn::GetAtt" in value:
        return f"${{{'.'.join(value['Fn::GetAtt'])}}}"
    if "Fn::Join" in value:
        separator, parts = value["Fn::Join"]
        return str(separator.join(map(text, parts)))
    raise AssertionError(f"not a resource: {value}")


@pytest.fixture(scope="session")
def roles(template: dict[str, Any], functions: dict[str, str]) -> dict[str, str]:
    """The logical ids of the roles by the names of the functions."""
    return {
        name: template["Resources"][logical_id]["Properties"]["Role"]["Fn::GetAtt"][0]
        for name, logical_id in functions.items()
    }


@pytest.fixture(scope="session")
def statements(
    resources: Callable[[str], dict[str, Any]], roles: dict[str, str]
) -> dict[str, list[Statement]]:
    """What each function may do, one entry a statement and resource."""
    allowed: dict[str, list[Statement]] = {name: [] for name in roles}
    owners = {role: name for name, role in roles.items()}
    for policy in resources("IAM::Policy").values():
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]:
            assert statement["Effect"] == "Allow"
            assert statement.keys() <= {"Effect", "Action", "Resource", "Condition"}
            condition = statement.get("Condition", {}).get("StringEquals", {})
            assert condition.keys() <= {"bedrock:InferenceProfileArn", "kms:EncryptionContext:service"}
            entries = [
                (
                    frozenset(listed(statement["Action"])),
                    text(resource),
                    "".join(text(value) for value in condition.values()),
                )
                for resource in listed(statement["Resource"])
            ]
            for role in policy["Properties"]["Roles"]:
                allowed[owners[role["Ref"]]] += entries
    return allowed


@pytest.fixture(scope="session")
def table_rights(
    statements: dict[str, list[Statement]], resources: Callable[[str], dict[str, Any]]
) -> dict[str, dict[str, set[str]]]:
    """What each function may do with tables (`memory`) and indexes (`memory/index/outbox`)."""
    names = {
        f"${{{logical_id}.Arn}}": table["Properties"]["TableName"].removeprefix("noted-")
        for logical_id, table in resources("DynamoDB::GlobalTable").items()
    }
    rights: dict[str, dict[str, set[str]]] = {name: {} for name in statements}
    for function, entries in statements.items():
        for actions, resource, _ in entries:
            operations = {action.removeprefix("dynamodb:") for action in actions if "dynamodb" in action}
            if operations:
                arn, separator, index = resource.partition("/")
                # A KeyError: a statement that names no table of the stack.
                rights[function].setdefault(names[arn] + separator + index, set()).update(operations)
    return rights


def test_each_function_has_a_role_of_its_own_that_only_lambda_takes(
    roles: dict[str, str], resources: Callable[[str], dict[str, Any]]
) -> None:
    assert sorted(roles) == sorted([*FUNCTIONS, "model_retention"])
    assert len(set(roles.values())) == len(roles)
    takers: dict[str, str] = {}
    for name, role in resources("IAM::Role").items():
        (trust,) = role["Properties"]["AssumeRolePolicyDocument"]["Statement"]
        takers[name] = trust["Principal"]["Service"]
    (account,) = (each["Properties"] for each in resources("ApiGateway::Account").values())
    # And the one with which API Gateway writes the log of a REST API.
    logging = {account["CloudWatchRoleArn"]["Fn::GetAtt"][0]: "apigateway.amazonaws.com"}
    assert takers == dict.fromkeys(roles.values(), "lambda.amazonaws.com") | logging


@EACH
def test_a_role_has_no_rights_from_elsewhere(
    roles: dict[str, str], resources: Callable[[str], dict[str, Any]], name: str
) -> None:
    properties = resources("IAM::Role")[roles[name]]["Properties"]
    assert "ManagedPolicyArns" not in properties
    assert "Policies" not in properties
    assert resources("IAM::ManagedPolicy") == {}


@EACH
def test_no_right_is_a_pattern(statements: dict[str, list[Statement]], name: str) -> None:
    # The one exception: a profile's model in the Regions of its geography, through this profile alone.
    patterns = [
        (actions, resource)
        for actions, resource, condition in statements[name]
        if "*" in resource + "".join(actions) and not condition
    ]
    assert patterns == []


STANDING = {"control": {"GetItem"}, "ledger": {"Query"}}
ADMITTING = {"control": {"GetItem", "PutItem", "UpdateItem"}, "ledger": {"Query"}}
WRITING = {"BatchGetItem", "GetItem", "PutItem", "UpdateItem"}
# Whether a table was restored since the ledger knew it last.
GUARDING = {
    "control": {"DescribeTable"},
    "memory": {"DescribeTable"},
    "verdicts": {"DescribeTable"},
    "keys": {"DescribeTable"},
    "ledger": {"DescribeTable", "GetItem"},
}
TABLE_RIGHTS: dict[str, dict[str, set[str]]] = {
    "answer": ADMITTING
    | {"memory": WRITING | {"ConditionCheckItem", "Query"}, "keys": {"GetItem", "PutItem"}},
    "stream": ADMITTING
    | {"memory": WRITING | {"ConditionCheckItem", "Query"}, "keys": {"GetItem", "PutItem"}},
    "authorizer": {},
    "recall": STANDING
    | {
        "control": {"GetItem", "Query"},
        "memory": {"BatchGetItem", "GetItem", "Query"},
        "verdicts": {"Query"},
        "keys": {"GetItem"},
    },
    "verdicts": ADMITTING
    | {
        "control": {"GetItem", "PutItem", "Query", "UpdateItem"},
        "memory": WRITING | {"Query"},
        "verdicts": {"GetItem", "PutItem", "Query"},
        "keys": {"GetItem", "PutItem"},
    },
    "extraction": STANDING
    | {
        "control": {"GetItem", "UpdateItem"},
        "memory": WRITING | {"Query"},
        "memory/index/outbox": {"Query"},
        "keys": {"GetItem"},
    },
    "erasure": {
        "control": {"BatchGetItem", "DeleteItem", "GetItem", "PutItem", "Query", "UpdateItem"},
        "control/index/open_jobs": {"Query"},
        "memory": {"BatchWriteItem", "DeleteItem", "GetItem", "Query"},
        "memory/index/outbox": {"Query"},
        "verdicts": {"BatchWriteItem", "Query"},
        "keys": {"BatchWriteItem", "Query"},
        "ledger": {"GetItem", "PutItem", "Query"},
    },
}


@EACH
def test_a_function_may_do_with_tables_what_it_does_and_no_more(
    table_rights: dict[str, dict[str, set[str]]], name: str
) -> None:
    guarding = {} if name == "authorizer" else GUARDING
    tables = guarding.keys() | TABLE_RIGHTS[name].keys()
    assert table_rights[name] == {
        table: guarding.get(table, set()) | TABLE_RIGHTS[name].get(table, set()) for table in tables
    }


def test_of_the_ledger_a_function_that_serves_reads_people_and_what_it_knows_of_the_tables(
    resources: Callable[[str], dict[str, Any]], roles: dict[str, str]
) -> None:
    (ledger,) = (
        logical_id
        for logical_id, table in resources("DynamoDB::GlobalTable").items()
        if table["Properties"]["TableName"] == "noted-ledger"
    )
    within: dict[str, set[tuple[str, str]]] = {role: set() for role in roles.values()}
    for policy in resources("IAM::Policy").values():
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]:
            if {"Fn::GetAtt": [ledger, "Arn"]} not in listed(statement["Resource"]):
                continue
            condition = dict(statement.get("Condition", {}))
            if condition:
                assert condition.pop("Null") == {"dynamodb:LeadingKeys": "false"}
            named = {each for keys in condition.values() for each in listed(keys["dynamodb:LeadingKeys"])}
            partitions = named or {"any"}
            for action in listed(statement["Action"]):
                for role in policy["Properties"]["Roles"]:
                    within[role["Ref"]] |= {(action, partition) for partition in partitions}
    serving = {
        ("dynamodb:DescribeTable", "any"),
        ("dynamodb:GetItem", "SERVICE"),
        ("dynamodb:Query", "s_*"),
    }
    for name in ("answer", "stream", "recall", "verdicts", "extraction"):
        assert within[roles[name]] == serving
    assert within[roles["authorizer"]] == set()
    own = {("dynamodb:GetItem", "any"), ("dynamodb:PutItem", "any"), ("dynamodb:Query", "any")}
    assert within[roles["erasure"]] == {*serving, *own} - {("dynamodb:Query", "s_*")}


def test_verdicts_are_append_only_for_all_but_erasures(
    table_rights: dict[str, dict[str, set[str]]],
) -> None:
    changing = {"BatchWriteItem", "DeleteItem", "UpdateItem", "PartiQLUpdate", "PartiQLDelete"}
    able = {name for name, rights in table_rights.items() if rights.get("verdicts", set()) & changing}
    adding = {name for name, rights in table_rights.items() if "PutItem" in rights.get("verdicts", set())}
    assert able == {"erasure"}
    assert adding == {"verdicts"}


def test_only_erasures_delete(table_rights: dict[str, dict[str, set[str]]]) -> None:
    deleting = {
        name
        for name, rights in table_rights.items()
        for operations in rights.values()
        if operations & {"BatchWriteItem", "DeleteItem", "PartiQLDelete"}
    }
    assert deleting == {"erasure"}


def test_recall_writes_nothing(table_rights: dict[str, dict[str, set[str]]]) -> None:
    reading = {"BatchGetItem", "DescribeTable", "GetItem", "Query"}
    assert set().union(*table_rights["recall"].values()) == reading


@EACH
def test_a_function_writes_to_its_own_logs_and_creates_none(
    statements: dict[str, list[Statement]],
    template: dict[str, Any],
    functions: dict[str, str],
    name: str,
) -> None:
    group = template["Resources"][functions[name]]["Properties"]["LoggingConfig"]["LogGroup"]["Ref"]
    rights = [
        (actions, resource)
        for actions, resource, _ in statements[name]
        if any(action.startswith("logs:") for action in actions)
    ]
    assert rights == [(frozenset({"logs:CreateLogStream", "logs:PutLogEvents"}), f"${{{group}.Arn}}")]


def test_what_streams_may_do_what_answers_may_and_nothing_else(
    statements: dict[str, list[Statement]],
) -> None:
    def beside_logs(name: str) -> set[Statement]:
        return {entry for entry in statements[name] if not any(a.startswith("logs:") for a in entry[0])}

    assert beside_logs("stream") == beside_logs("answer")


def test_what_checks_tokens_may_only_log(statements: dict[str, list[Statement]]) -> None:
    assert [actions for actions, _, _ in statements["authorizer"]] == [
        {"logs:CreateLogStream", "logs:PutLogEvents"}
    ]


def test_what_looks_after_the_account_sees_two_of_its_settings_and_sets_one(
    statements: dict[str, list[Statement]],
) -> None:
    rights = {(actions, resource) for actions, resource, _ in statements["model_retention"]}
    # Settings of the account have no resource that could be named.
    assert {resource for actions, resource in rights if resource == "*"} == {"*"}
    assert {action for actions, resource in rights for action in actions if resource == "*"} == {
        "bedrock:GetAccountDataRetention",
        "bedrock:GetModelInvocationLoggingConfiguration",
        "bedrock:PutAccountDataRetention",
    }
    assert {action for actions, resource in rights for action in actions if resource != "*"} == {
        "logs:CreateLogStream",
        "logs:PutLogEvents",
    }


@EACH_BUT_THE_AUTHORIZER
def test_a_function_reads_the_one_secret(
    statements: dict[str, list[Statement]], resources: Callable[[str], dict[str, Any]], name: str
) -> None:
    (secret_id,) = resources("SecretsManager::Secret")
    rights = [
        (actions, resource)
        for actions, resource, _ in statements[name]
        if any(action.startswith("secretsmanager:") for action in actions)
    ]
    assert rights == [(frozenset({"secretsmanager:GetSecretValue"}), f"${{{secret_id}}}")]


def test_the_answer_and_the_sweep_send_and_only_the_worker_receives(
    statements: dict[str, list[Statement]],
) -> None:
    def able(action: str) -> set[str]:
        return {
            name for name, entries in statements.items() for actions, _, _ in entries if action in actions
        }

    assert able("sqs:SendMessage") == {"answer", "stream", "extraction"}
    assert able("sqs:ReceiveMessage") == able("sqs:DeleteMessage") == {"extraction"}


MODELS = {
    "answer": {"eu.anthropic.claude-haiku-4-5-20251001-v1:0", "amazon.nova-lite-v1:0"},
    "stream": {"eu.anthropic.claude-haiku-4-5-20251001-v1:0", "amazon.nova-lite-v1:0"},
    "recall": set(),
    "verdicts": set(),
    "extraction": {"amazon.nova-lite-v1:0"},
}


@EACH
def test_a_function_calls_the_models_of_its_work(statements: dict[str, list[Statement]], name: str) -> None:
    called = {
        resource.rpartition("/")[2]
        for actions, resource, condition in statements[name]
        if "bedrock:InvokeModel" in actions and not condition
    }
    actions = {
        action for actions, _, _ in statements[name] for action in actions if action.startswith("bedrock:")
    }
    if name in ("erasure", "authorizer"):
        assert (called, actions) == (set(), set())
    else:
        assert called == MODELS[name] | {"cohere.embed-multilingual-v3"}
        assert actions - {"bedrock:InvokeModelWithResponseStream"} == {"bedrock:InvokeModel"}


def test_names_are_looked_for_only_where_that_is_set_and_by_what_masks(
    synthesise: Callable[..., dict[str, Any]],
) -> None:
    def able(**settings: str) -> set[str]:
        policies = [
            resource["Properties"]
            for resource in synthesise(**settings)["Resources"].values()
            if resource["Type"] == "AWS::IAM::Policy"
        ]
        return {
            role["Ref"].removeprefix("Functions").partition("Role")[0].lower()
            for policy in policies
            for statement in policy["PolicyDocument"]["Statement"]
            if "comprehend:DetectPiiEntities" in listed(statement["Action"])
            for role in policy["Roles"]
        }

    assert able() == set()
    assert able(names="comprehend") == {"answer", "stream", "recall", "verdicts"}


def test_only_an_answer_comes_in_pieces_and_only_from_the_model_that_answers(
    statements: dict[str, list[Statement]],
) -> None:
    streaming = {
        (name, resource.rpartition("/")[2].removeprefix("eu."))
        for name, entries in statements.items()
        for actions, resource, _ in entries
        if "bedrock:InvokeModelWithResponseStream" in actions
    }
    model = "anthropic.claude-haiku-4-5-20251001-v1:0"
    assert streaming == {("answer", model), ("stream", model)}


def test_a_profile_reaches_its_model_in_its_geography_and_only_through_itself(
    statements: dict[str, list[Statement]],
) -> None:
    profile = (
        "arn:aws:bedrock:eu-central-1:${AWS::AccountId}:"
        "inference-profile/eu.anthropic.claude-haiku-4-5-20251001-v1:0"
    )
    routed = {
        (resource, condition)
        for _, resource, condition in statements["answer"]
        if "bedrock" in resource and condition
    }
    assert routed == {
        (f"arn:aws:bedrock:{region}::foundation-model/anthropic.claude-haiku-4-5-20251001-v1:0", profile)
        for region in ("eu-central-1", "eu-*")
    }
    assert profile in {resource for _, resource, _ in statements["answer"]}


def test_a_rehearsal_without_models_has_no_right_to_any(
    synthesise: Callable[..., dict[str, Any]],
) -> None:
    template = synthesise(model="offline", extraction_model=None, embedder="local")
    policies = [
        resource for resource in template["Resources"].values() if resource["Type"] == "AWS::IAM::Policy"
    ]
    assert len(policies) == len(FUNCTIONS)
    assert "bedrock:" not in str(policies)
