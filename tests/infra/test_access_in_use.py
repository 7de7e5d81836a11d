"""The rights of `infra.access` against what the functions do: every call of each function to a table, in a
walk through all that users and schedules can ask for, is compared with what its role would allow."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from infra.access import ACCESS, ACROSS_USERS, GUARDING
from infra.session_policies import GROUPS
from noted import ids
from noted.api.http import Handler
from noted.api.routes import ERASE, READ, ROUTES, WRITE
from noted.identity import Principal
from noted.runtime import Runtime
from noted.settings import Settings
from noted.store import keys
from noted.store.tables import CONTROL, KEYS, create_tables
from tests.erasing import SIGNER
from tests.infra.policy_evaluator import Request, allows
from tests.infra.recording import Operation, RecordedRuntime, requests
from tests.infra.test_session_policies import policy, session_roles
from tests.store.builders import SECRETS, FixedClock, principal
from tests.wrapping import MemoryWrapper

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from local.dynamodb import DynamoDBLocal

pytestmark = pytest.mark.xdist_group("infra")

# Operation, table, index.
Right = tuple[str, str, str | None]

GRANTED: dict[str, set[Right]] = {
    function: {
        (action, entry.table.name, entry.index.name if entry.index else None)
        for entry in (*entries, *GUARDING)
        for action in entry.actions
    }
    for function, entries in ACCESS.items()
}
_PARTS = {
    "Put": "PutItem",
    "Update": "UpdateItem",
    "Delete": "DeleteItem",
    "ConditionCheck": "ConditionCheckItem",
}


def rights_needed(operation: str, parameters: dict[str, Any], prefix: str) -> set[Right]:
    """The rights that IAM asks for; a transaction needs one for each of its parts."""
    if operation == "TransactWriteItems":
        return {
            (_PARTS[part], write["TableName"].removeprefix(prefix), None)
            for item in parameters["TransactItems"]
            for part, write in item.items()
        }
    if operation in ("BatchGetItem", "BatchWriteItem"):
        return {(operation, table.removeprefix(prefix), None) for table in parameters["RequestItems"]}
    return {(operation, parameters["TableName"].removeprefix(prefix), parameters.get("IndexName"))}


@dataclass
class Service:
    """The functions over one database, each with a client of its own that is listened to."""

    database: DynamoDBClient
    prefix: str
    handlers: dict[str, Handler] = field(default_factory=dict)
    used: dict[str, set[Right]] = field(default_factory=lambda: defaultdict(set))
    clock: FixedClock = field(default_factory=FixedClock)
    sent: list[str] = field(default_factory=list)
    wrapper: MemoryWrapper = field(default_factory=MemoryWrapper)
    operations: list[Operation] = field(default_factory=list)

    def send(self, body: str, group: str) -> None:
        """The queue's end that functions see."""
        self.sent.append(body)

    def call(
        self, user: str, route: str, body: object = None, *, status: int = 200, key: str = "", **names: str
    ) -> dict[str, Any]:
        """One request, as the gateway hands it on, with an idempotency key if one is given."""
        method, path = route.split(" ")
        [served] = [each for each in ROUTES if (each.method, each.path) == (method, path)]
        claims = {"sub": user, "iss": "https://issuer.test", "scope": f"{READ} {WRITE} {ERASE}"}
        event = {
            "routeKey": route,
            "rawPath": path.format(**names),
            "pathParameters": names,
            "headers": {"idempotency-key": key} if key else {},
            "body": None if body is None else json.dumps(body),
            "requestContext": {"authorizer": {"jwt": {"claims": claims}}},
        }
        reply = self.handlers[served.function](event, None)
        assert reply["statusCode"] == status, reply["body"]
        return dict(json.loads(reply["body"]))

    def schedule(self, function: str, work: str) -> dict[str, Any]:
        """One call of the schedule."""
        return self.handlers[function]({"noted": work}, None)

    def deliver(self) -> None:
        """Hands all messages to the worker, which fails none."""
        records = [
            {
                "messageId": str(number),
                "receiptHandle": "handle",
                "body": body,
                "attributes": {"ApproximateReceiveCount": "1"},
                "messageAttributes": {},
                "eventSource": "aws:sqs",
                "eventSourceARN": "arn:aws:sqs:eu-west-1:123456789012:queue",
            }
            for number, body in enumerate(self.sent)
        ]
        self.sent.clear()
        assert self.handlers["extraction"]({"Records": records}, None) == {"batchItemFailures": []}


@pytest.fixture(scope="module")
def service(dynamodb_local: DynamoDBLocal) -> Iterator[Service]:
    """The five functions over tables of their own, after the walk."""
    with ExitStack() as clients:

        def client() -> DynamoDBClient:
            made: DynamoDBClient = boto3.client(
                "dynamodb", region_name="eu-west-1", endpoint_url=dynamodb_local.endpoint
            )
            clients.callback(made.close)
            return made

        service = Service(client(), "access")
        create_tables(service.database, service.prefix)
        for function in ACCESS:
            build = import_module(f"functions.{function}.handler").build
            service.handlers[function] = build(_runtime(service, function, client()))
        _walk(service)
        yield service


def _runtime(service: Service, function: str, client: DynamoDBClient) -> Runtime:
    def listen(params: dict[str, Any], model: Any, **_: object) -> None:
        service.used[function] |= rights_needed(model.name, params, f"{service.prefix}-")

    client.meta.events.register("before-parameter-build.dynamodb", listen)
    return RecordedRuntime(
        function,
        service.operations,
        Settings(table_prefix=service.prefix),
        secrets=lambda: SECRETS,
        dynamodb=lambda: client,
        queue=lambda: service,
        key_wrapper=lambda: service.wrapper,
        receipt_signer=lambda: SIGNER,
        clock=service.clock,
        drained=lambda _: True,
        environment={},
    )


def _walk(service: Service) -> None:
    """All that users and schedules ask for, and the ways that a write takes when something came between."""
    conversation_id = _converse(service)
    _learn(service)
    _rest(service)
    _index(service)
    _judge(service)
    _look(service, conversation_id)
    _own(service)
    _erase(service, conversation_id)
    _comply(service)


_CONVERSATION = "/v1/conversations/{conversation_id}"


def _converse(service: Service) -> str:
    for _ in range(2):  # the second time the key answers
        begun = service.call("alice", "POST /v1/conversations", {}, status=201, key="begin")
    conversation_id = str(begun["conversation_id"])
    turn_id = ""
    for message, route in (
        ("I live in Lisbon.", "answer"),
        ("Remember that I am allergic to peanuts.", "remember"),
        ("What did I tell you?", "recollection"),
    ):
        said = service.call(
            "alice",
            f"POST {_CONVERSATION}/turns",
            {"message": message},
            status=201,
            key=route,
            conversation_id=conversation_id,
        )
        assert said["route"] == route
        turn_id = turn_id or said["turn_id"]
    path = f"POST {_CONVERSATION}/turns:retry"
    service.call("alice", path, {}, status=201, key="retry", conversation_id=conversation_id)
    recorded = {"user": "I work as a nurse.", "assistant": "I see."}
    path = f"POST {_CONVERSATION}/turns:record"
    service.call("alice", path, recorded, status=201, conversation_id=conversation_id)
    # Work that fails gives its key back.
    nowhere = ids.at(ids.CONVERSATION, service.clock.now())
    service.call("alice", path, recorded, status=404, key="nowhere", conversation_id=nowhere)
    service.call("alice", "GET /v1/conversations")
    service.call("alice", f"GET {_CONVERSATION}", conversation_id=conversation_id)
    service.call("alice", f"GET {_CONVERSATION}/turns", conversation_id=conversation_id)
    saved = f"GET {_CONVERSATION}/turns/{{turn_id}}/saved"
    service.call("alice", saved, conversation_id=conversation_id, turn_id=turn_id)
    service.call("visitor", "GET /v1/conversations")
    return conversation_id


def _rest(service: Service) -> None:
    # As many turns as cut a window; then nothing for an hour.
    begun = service.call("dora", "POST /v1/conversations", {}, status=201)
    for number in range(20):
        service.call(
            "dora",
            f"POST {_CONVERSATION}/turns:record",
            {"user": f"I own {number} boats.", "assistant": "I see."},
            status=201,
            conversation_id=str(begun["conversation_id"]),
        )
    service.deliver()
    service.clock.forward(hours=1)
    assert service.schedule("extraction", "sweep-episodes")["sent"] >= 1
    service.deliver()
    assert service.call("dora", "GET /v1/episodes")["items"]


def _learn(service: Service) -> None:
    # The queue lost a message: its turn is found by the mark that stands with it.
    lost = service.sent.pop()
    service.deliver()
    service.clock.forward(minutes=10)
    assert service.schedule("extraction", "sweep-outbox") == {"sent": 1}
    assert service.sent == [lost]
    # A restore lost where the user stands: the ledger is asked which generations are over.
    row = {"pk": {"S": keys.owner(principal("alice"))}, "sk": {"S": keys.META}}
    table = f"{service.prefix}-{CONTROL.name}"
    standing = service.database.get_item(TableName=table, Key=row)["Item"]
    service.database.delete_item(TableName=table, Key=row)
    service.deliver()
    service.database.put_item(TableName=table, Item=standing)


def _index(service: Service) -> None:
    # As many facts as get an index, and as many changes as are folded into it, by each function that writes.
    for start in (0, 80):
        facts = [{"text": f"Owns boat {number}", "kind": "fact"} for number in range(start, start + 80)]
        service.call("ed", "POST /v1/facts:batch", {"facts": facts})
    begun = service.call("ed", "POST /v1/conversations", {}, status=201)
    conversation_id = str(begun["conversation_id"])
    for number in range(20):
        recorded = {"user": f"I sold boat {number} to a friend.", "assistant": "I see."}
        path = f"POST {_CONVERSATION}/turns:record"
        service.call("ed", path, recorded, status=201, conversation_id=conversation_id)
    service.deliver()
    path = f"POST {_CONVERSATION}/turns"
    service.call("ed", path, {"message": "Which boats?"}, status=201, conversation_id=conversation_id)
    service.call("ed", "POST /v1/recall", {"query": "boat 7"})


def _judge(service: Service) -> None:
    cello = {"text": "Plays the cello", "kind": "fact"}
    told = service.call("bob", "POST /v1/facts", cello, status=201, key="told")
    retire = {"facts": [{"text": "Plans to retire at 55", "kind": "goal"}]}
    service.call("bob", "POST /v1/facts:batch", retire)
    judge, confirmed = "POST /v1/facts/{fact_id}/verdicts", {"verdict": "confirmed"}
    for _ in range(2):
        service.call("bob", judge, confirmed, status=201, key="judged", fact_id=told["fact_id"])
    nothing = ids.at(ids.FACT, service.clock.now())
    service.call("bob", judge, confirmed, status=404, key="nothing", fact_id=nothing)
    # A refusal too tells the client which epoch it should know.
    service.call("bob", "POST /v1/facts", {"kind": "fact"}, status=422)
    viola = {"text": "Plays the viola"}
    service.call("bob", "PATCH /v1/facts/{fact_id}", viola, fact_id=told["fact_id"])


def _own(service: Service) -> None:
    # What a user sets, takes out and brings back; and the rows that end sooner for it.
    service.call("alice", "GET /v1/settings")
    document = service.call("alice", "GET /v1/export")
    taken = {name: document[name] for name in ("format", "version", "conversations", "turns", "facts")}
    for _ in range(2):
        service.call("frida", "POST /v1/import", taken, key="import")
    service.call("frida", "PUT /v1/settings", {"retention_days": 30})
    service.clock.forward(minutes=10)
    assert service.schedule("extraction", "sweep-outbox")["sent"] >= 1
    service.deliver()
    assert {each["expires_at"][:4] for each in service.call("frida", "GET /v1/facts")["items"]} == {"2026"}


def _look(service: Service, conversation_id: str) -> None:
    service.call("alice", "POST /v1/recall", {"query": "home", "conversation_id": conversation_id})
    for fact in service.call("bob", "GET /v1/facts")["items"]:
        service.call("bob", "GET /v1/facts/{fact_id}", fact_id=fact["fact_id"])
    service.call("visitor", "GET /v1/facts")


def _erase(service: Service, conversation_id: str) -> None:
    fact = service.call("bob", "GET /v1/facts")["items"][0]
    service.call("bob", "DELETE /v1/facts/{fact_id}", status=202, fact_id=fact["fact_id"])
    service.call("alice", f"DELETE {_CONVERSATION}", status=202, conversation_id=conversation_id)
    # What an erasure of everything has to destroy with the rows.
    partition = keys.partition(principal("bob"), 1)
    service.database.put_item(
        TableName=f"{service.prefix}-{KEYS.name}", Item={"pk": {"S": partition}, "sk": {"S": "KEY"}}
    )
    for user in ("bob", "visitor"):
        service.call(user, "DELETE /v1/memory", status=202)
    request = {
        "subject_request_id": "6b2f1c9e-1d1e-4c0e-9a55-7f9f0c0f7f10",
        "subject": "alice",
        "regulation": "gdpr",
        "submitted_time": "2026-03-10T12:00:00Z",
    }
    for _ in range(2):
        service.call("compliance", "POST /v1/admin/erasures", request, status=202)
    # To the receipt, and to the late check a day after it.
    for _ in range(3):
        service.schedule("erasure", "run-erasures")
        service.clock.forward(hours=25)
    done = service.call(
        "compliance",
        "GET /v1/admin/erasures/{subject_request_id}",
        subject_request_id=request["subject_request_id"],
    )
    assert done["status"] == "complete"
    service.call("alice", "GET /v1/erasures/{erasure_id}", erasure_id=done["erasure_id"])


def _comply(service: Service) -> None:
    # Who is asked for in vain, who is there, and a whole organisation.
    nobody = {
        "subject_request_id": "6b2f1c9e-1d1e-4c0e-9a55-7f9f0c0f7f11",
        "subject": "nobody",
        "submitted_time": "2026-03-10T12:00:00Z",
    }
    service.call("compliance", "POST /v1/admin/erasures", nobody, status=404)
    assert service.call("compliance", "GET /v1/admin/users")["count"] >= 4
    assert len(service.call("compliance", "GET /v1/admin/activity")["items"]) >= 2
    path, request_id = "/v1/admin/organisation-erasures", "6b2f1c9e-1d1e-4c0e-9a55-7f9f0c0f7f12"
    asked = {"request_id": request_id, "submitted_time": "2026-03-10T12:00:00Z"}
    service.call("compliance", f"POST {path}", asked, status=202)
    approvals = f"POST {path}/{{request_id}}/approvals"
    service.call("second", approvals, status=202, request_id=request_id)
    for _ in range(4):
        service.schedule("erasure", "run-erasures")
        service.clock.forward(seconds=5)
    done = service.call("second", f"GET {path}/{{request_id}}", request_id=request_id)
    assert done["request_status"] == "completed"
    assert done["counts"]["completed"] >= 4
    assert service.call("ed", "GET /v1/activity")["items"][0]["actor"] == "compliance"


@pytest.mark.parametrize("function", sorted(ACCESS))
def test_a_function_is_allowed_all_that_it_does(service: Service, function: str) -> None:
    assert service.used[function] - GRANTED[function] == set()


@pytest.mark.parametrize("function", sorted(ACCESS))
def test_a_function_does_all_that_it_is_allowed(service: Service, function: str) -> None:
    assert GRANTED[function] - service.used[function] == set()


@pytest.mark.parametrize("together", [False, True], ids=["each part", "all parts together"])
def test_the_conditions_of_a_role_hold_of_all_that_its_function_does(
    service: Service, template: dict[str, Any], functions: dict[str, str], together: bool
) -> None:
    swept = set()
    for operation in service.operations:
        function = template["Resources"][functions[operation.function]]
        statements = policy(template["Resources"], function["Properties"]["Role"]["Fn::GetAtt"][0])
        judged = [each for each in statements if "dynamodb:" in str(each["Action"])]
        for asked in requests(operation, f"{service.prefix}-", principal("x"), SECRETS, together=together):
            assert allows(judged, asked), asked
            if operation.function == "erasure" and asked.action == "dynamodb:Query":
                swept |= {(asked.resource, *asked.values("dynamodb:Attributes"))}
    # The sweeps were among them, with what they may name.
    assert {
        ("memory", "conversation_id", "pk", "sk"),
        ("verdicts", "pk", "sk"),
        ("keys", "pk", "sk"),
    } <= swept


def test_an_erasure_has_no_row_that_it_deletes_given_back(service: Service) -> None:
    # No policy can refuse what a transaction gives back where its condition fails.
    deleted = [
        part["Delete"]
        for operation in service.operations
        if operation.function == "erasure" and operation.name == "TransactWriteItems"
        for part in operation.parameters["TransactItems"]
        if "Delete" in part
    ]
    assert [each for each in deleted if "ConditionExpression" in each]
    assert [each for each in deleted if "ReturnValuesOnConditionCheckFailure" in each] == []


# With session policies: what a function does for a user is done in a session of that user.


@pytest.fixture(scope="module")
def session_policies(synthesise: Callable[..., dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The statements of each group's session role."""
    resources = synthesise(session_policies=True)["Resources"]
    return {group: policy(resources, role) for group, role in session_roles(resources).items()}


def in_sessions(service: Service) -> list[tuple[Operation, Principal]]:
    """What was done through a user's own client."""
    return [(operation, operation.user) for operation in service.operations if operation.user]


def _lists(request: Request) -> bool:
    """Whether it is about a list of an organisation's users alone, which all of them are put into."""
    return all(key.startswith("ORG#") for key in request.values("dynamodb:LeadingKeys"))


@pytest.mark.parametrize("together", [False, True], ids=["each part", "all parts together"])
def test_a_session_reaches_all_that_is_its_users_and_nothing_of_others(
    service: Service, session_policies: dict[str, list[dict[str, Any]]], together: bool
) -> None:
    done = in_sessions(service)
    users = {user for _, user in done}
    assert {operation.function for operation, _ in done} == set(GROUPS)
    assert len(users) >= 4
    kinds = {operation.name for operation, _ in done}
    assert {"BatchGetItem", "Query", "TransactWriteItems"} <= kinds
    for operation, user in done:
        statements = session_policies[operation.function]
        for other in users:
            asked = requests(operation, f"{service.prefix}-", other, SECRETS, together=together)
            judged = [request for request in asked if other == user or not _lists(request)]
            decided = {allows(statements, request) for request in judged}
            assert decided <= {other == user}, (operation, asked)
        without = [
            Request(request.action, request.resource, {**request.context, "dynamodb:LeadingKeys": ()})
            for request in requests(operation, f"{service.prefix}-", user, SECRETS, together=together)
        ]
        assert not any(allows(statements, request) for request in without)


def test_a_transaction_spans_the_tables_of_one_user(service: Service) -> None:
    spanned = {
        frozenset(request.resource for request in asked)
        for operation, user in in_sessions(service)
        if operation.name == "TransactWriteItems"
        for asked in [requests(operation, f"{service.prefix}-", user, SECRETS, together=False)]
    }
    assert any({"control", "memory", "verdicts"} <= tables for tables in spanned)
    assert any({"control", "keys"} <= tables for tables in spanned)


@pytest.mark.parametrize("function", GROUPS)
def test_what_is_done_for_no_one_user_is_done_with_the_functions_own_rights(
    service: Service, function: str
) -> None:
    granted = {
        (action, entry.table.name + (f"/index/{entry.index.name}" if entry.index else ""))
        for entry in (*ACROSS_USERS.get(function, ()), *GUARDING)
        for action in entry.actions
    }
    used = {
        (request.action.removeprefix("dynamodb:"), request.resource)
        for operation in service.operations
        if operation.function == function and operation.user is None
        for request in requests(operation, f"{service.prefix}-", principal("x"), SECRETS, together=False)
    }
    assert used == granted
