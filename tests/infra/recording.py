"""What a function asks of DynamoDB and for whom, and how IAM would see each request."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from infra.session_policies import GROUPS
from noted.identity import Principal, Secrets, subject_reference
from noted.runtime import Runtime
from tests.infra.policy_evaluator import Request

_PARTS = {
    "Put": "PutItem",
    "Update": "UpdateItem",
    "Delete": "DeleteItem",
    "ConditionCheck": "ConditionCheckItem",
}


@dataclass(frozen=True)
class Operation:
    """One operation of a function; `user` is whose client it went through, None for the function's own."""

    function: str
    user: Principal | None
    name: str
    parameters: Mapping[str, Any]


class _Recorded:
    """A client that writes down what is asked of it."""

    def __init__(self, client: Any, record: Callable[[str, Mapping[str, Any]], None]) -> None:
        self._client = client
        self._record = record

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._client, name)
        operation = self._client.meta.method_to_api_mapping.get(name)
        if operation is None:
            return found

        def recorded(**parameters: Any) -> Any:
            self._record(operation, copy.deepcopy(parameters))
            return found(**parameters)

        return recorded


class RecordedRuntime(Runtime):
    """A runtime whose every operation of DynamoDB is written down. In a function that has session policies
    each user's rows are reached through a client of that user."""

    def __init__(self, function: str, operations: list[Operation], *arguments: Any, **parts: Any) -> None:
        client = parts.pop("dynamodb")
        self._function = function
        self._operations = operations
        self._plain = client
        super().__init__(*arguments, dynamodb=lambda: self._through(None), **parts)

    def client_of(self, principal: Principal) -> Any:
        return self._through(principal) if self._function in GROUPS else self.dynamodb

    def _through(self, user: Principal | None) -> Any:
        def record(name: str, parameters: Mapping[str, Any]) -> None:
            self._operations.append(Operation(self._function, user, name, parameters))

        return cast("Any", _Recorded(self._plain(), record))


def requests(
    operation: Operation, prefix: str, user: Principal, secrets: Secrets, *, together: bool
) -> list[Request]:
    """The requests that IAM would judge, in the session of a user: one for each part of a transaction.
    `together`: each of them has the leading keys of all parts."""
    parts = list(_parts(operation, prefix))
    every = tuple(key for _, _, found in parts for key in found)
    tags = {
        "aws:PrincipalTag/o": (user.organisation,),
        "aws:PrincipalTag/u": (user.user,),
        "aws:PrincipalTag/s": (subject_reference(user, secrets),),
    }
    return [
        Request(
            f"dynamodb:{action}",
            resource,
            tags | _told(operation) | {"dynamodb:LeadingKeys": every if together else found},
        )
        for action, resource, found in parts
    ]


def _told(operation: Operation) -> dict[str, tuple[str, ...]]:
    """Of a read which attributes it names, and that it asks for these alone or for all; of a batch of writes
    which it brings; and of what a transaction it is part."""
    parameters = operation.parameters
    if operation.name == "TransactWriteItems":
        return {"dynamodb:EnclosingOperation": (operation.name,)}
    if operation.name == "BatchWriteItem":
        writes = [write for table in parameters["RequestItems"].values() for write in table]
        places = [part.get("Key") or part["Item"] for write in writes for part in write.values()]
        return {"dynamodb:Attributes": tuple(sorted({name for place in places for name in place}))}
    if operation.name not in ("GetItem", "Query"):
        return {}
    aliases = parameters.get("ExpressionAttributeNames", {})
    told = ", ".join(
        parameters.get(f"{kind}Expression", "") for kind in ("KeyCondition", "Projection", "Filter")
    )
    words = re.findall(r"(?<![:#\w])#?[A-Za-z_]\w*(?!\w|\()", told)
    names = tuple(sorted({aliases.get(word, word) for word in words} - {"AND"}))
    select = "SPECIFIC_ATTRIBUTES" if "ProjectionExpression" in parameters else "ALL_ATTRIBUTES"
    return {"dynamodb:Attributes": names, "dynamodb:Select": (parameters.get("Select", select),)}


def _parts(operation: Operation, prefix: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    parameters = operation.parameters
    if operation.name == "TransactWriteItems":
        for item in parameters["TransactItems"]:
            for part, write in item.items():
                yield _PARTS[part], write["TableName"].removeprefix(prefix), (_key(write),)
    elif operation.name == "BatchGetItem":
        for table, wanted in parameters["RequestItems"].items():
            found = tuple(key["pk"]["S"] for key in wanted["Keys"])
            yield operation.name, table.removeprefix(prefix), found
    elif operation.name == "BatchWriteItem":
        for table, writes in parameters["RequestItems"].items():
            found = tuple(_key(write) for entry in writes for write in entry.values())
            yield operation.name, table.removeprefix(prefix), found
    elif operation.name == "DescribeTable":
        yield operation.name, parameters["TableName"].removeprefix(prefix), ()
    else:
        resource = parameters["TableName"].removeprefix(prefix)
        if "IndexName" in parameters:
            resource += f"/index/{parameters['IndexName']}"
        yield operation.name, resource, (_key(parameters),)


def _key(parameters: Mapping[str, Any]) -> str:
    place = parameters.get("Key") or parameters.get("Item")
    if place:
        return str(place["pk"]["S"])
    # Of a Query: the partition key is compared with a value, for equality.
    [name] = re.findall(r"^(?:pk|#p) = (:\w+)", parameters["KeyConditionExpression"])
    return str(parameters["ExpressionAttributeValues"][name]["S"])
