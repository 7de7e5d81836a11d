"""What each role is refused, by its policies in the template and the rules of IAM; and beside it what is near
to that and allowed, so that no refusal holds because a request was made up wrongly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from infra.iam_table import SHOWN, document
from tests.infra.policy_evaluator import Request, allows
from tests.infra.test_permissions import text

pytestmark = pytest.mark.xdist_group("infra")

ROOT = Path(__file__).resolve().parents[2]
Role = list[dict[str, Any]]

USER = "o_aaaaaaaaaaaaaaaaaaaaaaaaaa#u_aaaaaaaaaaaaaaaaaaaaaaaaaa#g1"
PERSON = "s_aaaaaaaaaaaaaaaaaaaaaaaaaa"
WHOLE_CONTEXT = {
    f"kms:EncryptionContext:{name}": (value,)
    for name, value in (("service", "noted"), ("organisation", "o"), ("user", "u"), ("generation", "1"))
}
ACCOUNT = "123456789012"
HAIKU = "anthropic.claude-haiku-4-5-20251001-v1:0"
PROFILE = f"arn:aws:bedrock:eu-central-1:{ACCOUNT}:inference-profile/eu.{HAIKU}"
NOVA = "arn:aws:bedrock:eu-central-1::foundation-model/amazon.nova-lite-v1:0"


@pytest.fixture(scope="module")
def shown(synthesise: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    """The template of docs/iam.md."""
    return synthesise(**SHOWN)


@pytest.fixture(scope="module")
def roles(shown: dict[str, Any]) -> dict[str, Role]:
    """The statements of each function's role, with resources by name."""
    resources = shown["Resources"]
    owners = {
        each["Properties"]["Role"]["Fn::GetAtt"][0]: each["Properties"]["FunctionName"].removeprefix("noted-")
        for each in resources.values()
        if each["Type"] == "AWS::Lambda::Function"
    }
    names = {f"${{{name}.Arn}}": _name(each, owners) for name, each in resources.items()}
    names |= {f"${{{name}}}": "secret" for name, each in resources.items() if "Secret" in each["Type"]}
    found: dict[str, Role] = {owner: [] for owner in owners.values()}
    for policy in resources.values():
        if policy["Type"] != "AWS::IAM::Policy":
            continue
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]:
            read = statement | {
                "Resource": [_named(_text(each), names) for each in _listed(statement["Resource"])],
                "Condition": {
                    operator: {key: [_text(each) for each in _listed(wanted)] for key, wanted in keys.items()}
                    for operator, keys in statement.get("Condition", {}).items()
                },
            }
            for role in policy["Properties"]["Roles"]:
                found[owners[role["Ref"]]].append(read)
    return found


def _name(resource: Mapping[str, Any], owners: Mapping[str, str]) -> str:
    properties = resource.get("Properties", {})
    kind = resource["Type"]
    if kind == "AWS::DynamoDB::GlobalTable":
        return str(properties["TableName"].removeprefix("noted-"))
    if kind == "AWS::KMS::Key":
        return "receipt key" if "KeySpec" in properties else "wrapping key"
    if kind == "AWS::SQS::Queue":
        return "queue" if "RedrivePolicy" in properties else "dead letters"
    return (
        f"log of {properties['LogGroupName'].rpartition('-')[2]}" if kind == "AWS::Logs::LogGroup" else kind
    )


def _named(resource: str, names: Mapping[str, str]) -> str:
    arn, separator, index = resource.partition("/index")
    return names.get(arn, arn) + separator + index


def _text(value: Any) -> str:
    return text(value).replace("${AWS::AccountId}", ACCOUNT)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


@dataclass(frozen=True)
class Asked:
    """A request, and the function that makes it."""

    function: str
    action: str
    resource: str
    context: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.function}-{self.action}-{self.resource}".replace(" ", "_")


def rows(
    *partitions: str, names: tuple[str, ...] = (), select: str = "", within: str = "", returns: str = ""
) -> dict[str, tuple[str, ...]]:
    """The condition keys of a request of DynamoDB."""
    return {
        "dynamodb:LeadingKeys": partitions,
        "dynamodb:Attributes": names,
        "dynamodb:Select": (select,) if select else (),
        "dynamodb:EnclosingOperation": (within,) if within else (),
        "dynamodb:ReturnValues": (returns,) if returns else (),
    }


def of(function: str, resource: str, *operations: str, **more: Any) -> list[Asked]:
    """Operations of a function on one user's rows."""
    return [Asked(function, f"dynamodb:{each}", resource, rows(USER, **more)) for each in operations]


# What there is in `control` beside users: erasures and requests for them, of a person and of an organisation,
# what compliance systems asked for, and the lists of an organisation's users.
OWNER = USER.rpartition("#")[0]
LIST = "ORG#o_aaaaaaaaaaaaaaaaaaaaaaaaaa#7"
REQUEST = "6b2f1c9e-1d1e-4c0e-9a55-7f9f0c0f7f10"
NOT_OF_A_USER = (
    "ERASE#er_01ARZ3NDEKTSV4RRFFQ69G5FAV",
    f"REQUEST#o_aaaaaaaaaaaaaaaaaaaaaaaaaa#{REQUEST}",
    f"ORGERASE#o_aaaaaaaaaaaaaaaaaaaaaaaaaa#{REQUEST}",
    f"QUOTA#{PERSON}",
    "BREAKER#o_aaaaaaaaaaaaaaaaaaaaaaaaaa",
    f"AUDIT#{PERSON}",
)
CHANGING = ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem")
SERVING = ("answer", "stream", "recall", "verdicts", "extraction")
ALL = (*SERVING, "erasure", "authorizer", "model_retention")
WITHOUT_ROWS = ("authorizer", "model_retention")

REFUSED = [
    # Recall reads: no fact, no verdict, no user and no key comes to be, changes or goes.
    *(each for table in ("memory", "verdicts", "control", "keys") for each in of("recall", table, *CHANGING)),
    # The worker keeps facts, as who answers and who takes corrections also may; it deletes none, judges none,
    # and begins nobody's memory.
    *of("extraction", "memory", "DeleteItem", "BatchWriteItem"),
    *of("extraction", "verdicts", "GetItem", "Query", *CHANGING),
    *of("extraction", "keys", "PutItem"),
    *of("extraction", "control", "PutItem"),
    Asked("extraction", "kms:GenerateDataKey", "wrapping key", WHOLE_CONTEXT),
    # A verdict is put beside the others, and none is changed or taken back. That a put replaces none is a
    # condition of the write, which no policy can ask for.
    *of("verdicts", "verdicts", "UpdateItem", "DeleteItem", "BatchWriteItem"),
    *of("verdicts", "memory", "DeleteItem", "BatchWriteItem"),
    # An answer judges nothing, deletes nothing and takes nothing from the queue.
    *(each for name in ("answer", "stream") for each in of(name, "verdicts", "GetItem", "Query", *CHANGING)),
    *(each for name in ("answer", "stream") for each in of(name, "memory", "DeleteItem", "BatchWriteItem")),
    *(Asked(name, "sqs:ReceiveMessage", "queue") for name in ("answer", "stream", "recall", "erasure")),
    # A data key is never replaced by who uses it, nor destroyed but by an erasure.
    *(
        each
        for name in SERVING
        for each in of(name, "keys", "UpdateItem", "DeleteItem", "BatchWriteItem", "Query")
    ),
    # Of the ledger who serves reads people's erasures, and writes nothing.
    *(
        Asked(name, "dynamodb:Query", "ledger", rows(partition))
        for name in SERVING
        for partition in ("SERVICE", "REPLAY", USER)
    ),
    *(Asked(name, "dynamodb:Query", "ledger", rows(PERSON, "REPLAY")) for name in SERVING),
    *(Asked(name, "dynamodb:Query", "ledger") for name in SERVING),
    *(Asked(name, "dynamodb:GetItem", "ledger", rows(PERSON)) for name in SERVING),
    *(
        Asked(name, f"dynamodb:{each}", "ledger", rows(PERSON))
        for name in SERVING
        for each in ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem")
    ),
    # Of `control` who serves reaches users: it forges no erasure, whose word the eraser takes, resets no
    # quota, and reads no record of a compliance call.
    *(
        Asked(name, f"dynamodb:{each}", "control", rows(*partitions))
        for name in SERVING
        for each in ("GetItem", "BatchGetItem", "PutItem", "UpdateItem", "Query")
        for other in NOT_OF_A_USER
        for partitions in ((other,), (OWNER, other))
    ),
    *(
        Asked(name, f"dynamodb:{each}", "control", rows(LIST))
        for name in SERVING
        for each in ("GetItem", "UpdateItem", "Query")
    ),
    *(Asked(name, "dynamodb:Query", "control", rows(OWNER)) for name in SERVING),
    *(
        Asked(name, f"dynamodb:{each}", "control")
        for name in SERVING
        for each in ("GetItem", "PutItem", "UpdateItem", "Query")
    ),
    # An erasure writes nothing of what it sweeps: a batch may hold puts beside deletes, and these bring more
    # than keys.
    *of("erasure", "memory", "BatchWriteItem", names=("pk", "sk", "content")),
    *of("erasure", "verdicts", "BatchWriteItem", names=("pk", "sk", "verdict")),
    *of("erasure", "keys", "BatchWriteItem", names=("pk", "sk", "wrapped")),
    # Nor has it a row given back as it deletes it: a transaction does not.
    *of("erasure", "memory", "DeleteItem", returns="ALL_OLD"),
    *of("erasure", "memory", "DeleteItem"),
    *of("erasure", "memory", "DeleteItem", within="TransactGetItems"),
    # An erasure lists the keys of rows and nothing else of them, and no data key opens for it.
    *of("erasure", "memory", "Query", names=("pk", "sk", "sealed"), select="SPECIFIC_ATTRIBUTES"),
    *of("erasure", "memory", "Query", names=("pk",), select="ALL_ATTRIBUTES"),
    *of("erasure", "memory", "Query"),
    *of("erasure", "memory", "GetItem", names=("pk", "sk", "content"), select="SPECIFIC_ATTRIBUTES"),
    *of("erasure", "memory", "GetItem"),
    *of("erasure", "verdicts", "Query", names=("pk", "sk", "note"), select="SPECIFIC_ATTRIBUTES"),
    *of("erasure", "verdicts", "Query"),
    *of("erasure", "verdicts", "GetItem", "PutItem", "UpdateItem"),
    *of("erasure", "memory", "PutItem", "UpdateItem", "BatchGetItem"),
    *of("erasure", "keys", "GetItem", "PutItem", "UpdateItem"),
    *of("erasure", "keys", "Query", names=("pk", "sk", "wrapped"), select="SPECIFIC_ATTRIBUTES"),
    *(
        Asked("erasure", f"kms:{each}", "wrapping key", WHOLE_CONTEXT)
        for each in ("Decrypt", "GenerateDataKey")
    ),
    Asked("erasure", "bedrock:InvokeModel", PROFILE),
    Asked("erasure", "sqs:SendMessage", "queue"),
    # A receipt in the ledger is put, and none is taken away: not even by an erasure. That a put replaces no
    # receipt is a condition of the write, which no policy can ask for.
    *(
        Asked("erasure", f"dynamodb:{each}", "ledger", rows(PERSON))
        for each in ("UpdateItem", "DeleteItem", "BatchWriteItem")
    ),
    # Who checks tokens or looks after the account has nothing to do with anybody.
    *(
        each
        for name in WITHOUT_ROWS
        for table in ("control", "memory", "verdicts", "keys", "ledger")
        for each in of(name, table, "DescribeTable", "GetItem", "Query", *CHANGING)
    ),
    *(Asked(name, "secretsmanager:GetSecretValue", "secret") for name in WITHOUT_ROWS),
    *(Asked(name, "kms:Decrypt", "wrapping key", WHOLE_CONTEXT) for name in WITHOUT_ROWS),
    *(Asked(name, "bedrock:InvokeModel", NOVA) for name in WITHOUT_ROWS),
    # Only an erasure signs.
    *(Asked(name, "kms:Sign", "receipt key") for name in ALL if name != "erasure"),
    # Each model for its work: background calls reach neither the answering model nor, without its profile, a
    # foundation model behind it.
    Asked("extraction", "bedrock:InvokeModel", PROFILE),
    *(Asked(name, "bedrock:InvokeModel", NOVA) for name in ("recall", "verdicts")),
    *(
        Asked(name, "bedrock:InvokeModel", f"arn:aws:bedrock:eu-west-1::foundation-model/{HAIKU}")
        for name in ("answer", "stream")
    ),
    *(
        Asked(
            "answer",
            "bedrock:InvokeModel",
            f"arn:aws:bedrock:us-east-1::foundation-model/{HAIKU}",
            {"bedrock:InferenceProfileArn": (PROFILE,)},
        ),
    ),
    # A data key opens with the whole context alone.
    *(
        Asked("answer", "kms:Decrypt", "wrapping key", {**WHOLE_CONTEXT, f"kms:EncryptionContext:{name}": ()})
        for name in ("service", "organisation", "user", "generation")
    ),
    # What nobody may.
    *(
        Asked(name, action, table, rows(USER))
        for name in ALL
        for table in ("memory", "ledger")
        for action in (
            "dynamodb:Scan",
            "dynamodb:PartiQLSelect",
            "dynamodb:PartiQLDelete",
            "dynamodb:CreateBackup",
            "dynamodb:DeleteTable",
            "dynamodb:ExportTableToPointInTime",
            "dynamodb:RestoreTableToPointInTime",
            "dynamodb:UpdateContinuousBackups",
            "dynamodb:UpdateTable",
            "dynamodb:UpdateTimeToLive",
        )
    ),
    *(
        Asked(name, f"kms:{action}", "wrapping key", WHOLE_CONTEXT)
        for name in ALL
        for action in ("ScheduleKeyDeletion", "DisableKey", "PutKeyPolicy", "CreateGrant", "ReEncryptFrom")
    ),
    *(Asked(name, "secretsmanager:PutSecretValue", "secret") for name in ALL),
    *(Asked(name, "logs:PutLogEvents", f"log of {other}") for name in ALL for other in ALL if other != name),
    *(Asked(name, "logs:FilterLogEvents", f"log of {name}") for name in ALL),
    *(Asked(name, "iam:PassRole", "*") for name in ALL),
    *(Asked(name, "lambda:InvokeFunction", "*") for name in ALL),
]


@pytest.mark.parametrize("asked", REFUSED, ids=str)
def test_it_is_refused(roles: dict[str, Role], asked: Asked) -> None:
    request = Request(asked.action, asked.resource, asked.context)
    assert not allows(roles[asked.function], request)


ALLOWED = [
    *of("recall", "memory", "GetItem", "Query"),
    *of("extraction", "memory", "PutItem", "UpdateItem"),
    *of("extraction", "keys", "GetItem"),
    *of("verdicts", "verdicts", "PutItem", "Query"),
    *of("answer", "keys", "GetItem", "PutItem"),
    Asked("answer", "sqs:SendMessage", "queue"),
    Asked("extraction", "sqs:ReceiveMessage", "queue"),
    Asked("answer", "kms:Decrypt", "wrapping key", WHOLE_CONTEXT),
    Asked("answer", "kms:GenerateDataKey", "wrapping key", WHOLE_CONTEXT),
    *(Asked(name, "dynamodb:Query", "ledger", rows(PERSON)) for name in SERVING),
    *(Asked(name, "dynamodb:GetItem", "ledger", rows("SERVICE")) for name in SERVING),
    *of("erasure", "memory", "Query", names=("pk", "sk"), select="SPECIFIC_ATTRIBUTES"),
    *of("erasure", "memory", "Query", names=("pk", "sk", "conversation_id"), select="SPECIFIC_ATTRIBUTES"),
    *of("erasure", "memory", "GetItem", names=("pk", "sk", "copied_as"), select="SPECIFIC_ATTRIBUTES"),
    *of("erasure", "memory", "DeleteItem", within="TransactWriteItems"),
    # Whether AWS tells the attributes of a delete's key is not documented: it may be either.
    *(
        each
        for table in ("memory", "verdicts", "keys")
        for names in ((), ("pk", "sk"))
        for each in of("erasure", table, "BatchWriteItem", names=names)
    ),
    *of("erasure", "verdicts", "Query", names=("pk", "sk"), select="SPECIFIC_ATTRIBUTES"),
    *of("erasure", "keys", "Query", names=("pk", "sk"), select="SPECIFIC_ATTRIBUTES"),
    *(
        Asked("erasure", f"dynamodb:{each}", "control", rows(partition))
        for each in ("GetItem", "PutItem", "UpdateItem", "Query")
        for partition in NOT_OF_A_USER
    ),
    *(
        Asked(name, f"dynamodb:{each}", "control", rows(partition))
        for name in ("answer", "stream", "verdicts")
        for each, partition in (
            ("GetItem", OWNER),
            ("UpdateItem", OWNER),
            ("PutItem", OWNER),
            ("PutItem", LIST),
        )
    ),
    *(
        Asked(name, "dynamodb:PutItem", "control", rows(OWNER, LIST))
        for name in ("answer", "stream", "verdicts")
    ),
    *(Asked("extraction", f"dynamodb:{each}", "control", rows(OWNER)) for each in ("GetItem", "UpdateItem")),
    Asked("recall", "dynamodb:GetItem", "control", rows(OWNER)),
    *(Asked(name, "dynamodb:Query", "control", rows(PERSON)) for name in ("recall", "verdicts")),
    Asked("erasure", "dynamodb:PutItem", "ledger", rows(PERSON)),
    Asked("erasure", "kms:Sign", "receipt key"),
    Asked("answer", "bedrock:InvokeModel", PROFILE),
    Asked("extraction", "bedrock:InvokeModel", NOVA),
    Asked(
        "answer",
        "bedrock:InvokeModel",
        f"arn:aws:bedrock:eu-west-1::foundation-model/{HAIKU}",
        {"bedrock:InferenceProfileArn": (PROFILE,)},
    ),
    Asked("recall", "secretsmanager:GetSecretValue", "secret"),
    *(Asked(name, "logs:PutLogEvents", f"log of {name}") for name in ALL),
    *(Asked(name, "dynamodb:DescribeTable", "memory") for name in (*SERVING, "erasure")),
]


@pytest.mark.parametrize("asked", ALLOWED, ids=str)
def test_what_is_near_it_is_allowed(roles: dict[str, Role], asked: Asked) -> None:
    assert allows(roles[asked.function], Request(asked.action, asked.resource, asked.context))


def test_the_table_of_rights_is_that_of_the_template(shown: dict[str, Any]) -> None:
    # Out of date: .venv/bin/python -m infra.iam_table > docs/iam.md
    assert (ROOT / "docs" / "iam.md").read_text("utf-8") == document(shown)
