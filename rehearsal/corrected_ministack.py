"""MiniStack with corrections, for the version that requirements/rehearsal.txt pins. Run by its own
interpreter, where nothing of this project can be imported.

- A policy may ask which partitions a request to DynamoDB names (`dynamodb:LeadingKeys`), which attributes a
  batch of writes brings (`dynamodb:Attributes`), of what a write is part (`dynamodb:EnclosingOperation`),
  and with which context a request to KMS comes (`kms:EncryptionContext:...`). MiniStack tells policies none
  of them, so each statement that asks would refuse everything, or, without its `Null`, allow everything.
- `aws:PrincipalArn` of a function is the ARN of its role (IAM user guide, global condition keys), and that of
  its session in MiniStack.
- What allows to talk to a model of Bedrock is the right to invoke it (`bedrock:InvokeModel`, Bedrock API
  reference, Converse), and in MiniStack one of its own, which IAM does not know.
- `Ref` of a secret is its ARN in CloudFormation, and its name in MiniStack.
- A REST API may invoke a function by `response-streaming-invocations`. MiniStack does not know such an
  integration; here it invokes the function as usual, and the reply comes as a whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ministack import app
from ministack.core import iam_actions, iam_evaluator
from ministack.services import apigateway_v1, secretsmanager
from ministack.services.cloudformation import provisioners

_PARTITION_KEY = "pk"
_TRANSACTIONS = ("TransactWriteItems", "TransactGetItems")
# A partition that a condition on a key names: `#p = :p`, or with the name as it is. Of an index, its own.
_EQUALS = re.compile(r"\s*(#?\w+)\s*=\s*(:\w+)")
_RIGHTS_OF_BEDROCK = {
    "bedrock:Converse": "bedrock:InvokeModel",
    "bedrock:ConverseStream": "bedrock:InvokeModelWithResponseStream",
}
_SESSION = re.compile(r"arn:(aws[\w-]*):sts::(\d{12}):assumed-role/([^/]+)/.+")


def leading_keys(action: str, request: Mapping[str, Any]) -> set[str]:
    """The partitions that a request to DynamoDB names, of all its tables together."""
    operation = action.partition(":")[2]
    if operation in _TRANSACTIONS:
        parts = [part for item in request.get("TransactItems", ()) for part in item.values()]
        return {key for part in parts for key in _of_one(part)}
    if operation == "BatchGetItem":
        keys = [key for table in request.get("RequestItems", {}).values() for key in table.get("Keys", ())]
        return {value for key in keys for value in _values(key)}
    if operation == "BatchWriteItem":
        writes = [write for table in request.get("RequestItems", {}).values() for write in table]
        return {key for write in writes for part in write.values() for key in _of_one(part)}
    if operation == "Query":
        return set(_queried(request))
    return set(_of_one(request))


def brought(request: Mapping[str, Any]) -> set[str]:
    """The attributes that a batch of writes names, those of keys too."""
    writes = [write for table in request.get("RequestItems", {}).values() for write in table]
    parts = [part for write in writes for part in write.values()]
    return {name for part in parts for name in part.get("Key") or part.get("Item") or {}}


def _of_one(part: Mapping[str, Any]) -> Iterator[str]:
    yield from _values(part.get("Key") or part.get("Item") or {})


def _values(key: Mapping[str, Any]) -> Iterator[str]:
    if _PARTITION_KEY in key:
        yield from map(str, key[_PARTITION_KEY].values())


def _queried(request: Mapping[str, Any]) -> Iterator[str]:
    names, values = request.get("ExpressionAttributeNames", {}), request.get("ExpressionAttributeValues", {})
    for part in re.split(r"\s+AND\s+", request.get("KeyConditionExpression", ""), flags=re.IGNORECASE):
        found = _EQUALS.fullmatch(part.strip(" ()"))
        if found and names.get(found[1], found[1]) == _PARTITION_KEY:
            yield from map(str, values[found[2]].values())


def _tell_conditions() -> None:
    told_before = iam_actions.request_tag_context

    def told(service: str, action: str, body: bytes, parameters: Any) -> dict[str, Any]:
        context: dict[str, Any] = told_before(service, action, body, parameters)
        if service == "dynamodb":
            request, operation = json.loads(body or b"{}"), action.partition(":")[2]
            if keys := leading_keys(action, request):
                context["dynamodb:LeadingKeys"] = sorted(keys)
            if operation == "BatchWriteItem":
                context["dynamodb:Attributes"] = sorted(brought(request))
            if operation in _TRANSACTIONS:
                context["dynamodb:EnclosingOperation"] = operation
        if service == "kms":
            given = json.loads(body or b"{}").get("EncryptionContext") or {}
            context |= {f"kms:EncryptionContext:{name}": value for name, value in given.items()}
        return context

    iam_actions.request_tag_context = told


def _tell_roles() -> None:
    resolve = iam_evaluator._resolve_condition_key

    def resolved(key: str, context: Any) -> Any:
        value = resolve(key, context)
        if key.lower() == "aws:principalarn" and (session := _SESSION.fullmatch(str(value))):
            return f"arn:{session[1]}:iam::{session[2]}:role/{session[3]}"
        return value

    iam_evaluator._resolve_condition_key = resolved


def _ask_for_the_rights_of_bedrock() -> None:
    extract = iam_actions.extract_iam_action

    def extracted(*arguments: Any) -> Any:
        action = extract(*arguments)
        return _RIGHTS_OF_BEDROCK.get(action, action)

    iam_actions.extract_iam_action = extracted


def _invoke_instead_of_streaming() -> None:
    extract = apigateway_v1._extract_lambda_ref_from_integration_uri

    def extracted(uri: str) -> Any:
        return extract(uri.replace("/response-streaming-invocations", "/invocations"))

    apigateway_v1._extract_lambda_ref_from_integration_uri = extracted


def _refer_to_secrets_by_arn() -> None:
    handlers = provisioners._RESOURCE_HANDLERS["AWS::SecretsManager::Secret"]
    create, update, delete = handlers["create"], handlers["update"], handlers["delete"]

    def name_of(arn: str) -> str:
        names = [name for name, secret in secretsmanager._secrets.items() if secret["ARN"] == arn]
        return names[0] if names else arn

    def created(*arguments: Any) -> tuple[str, dict[str, str]]:
        _, attributes = create(*arguments)
        return attributes["Arn"], attributes

    def updated(physical_id: str, *arguments: Any, **named: Any) -> tuple[str, dict[str, str]]:
        _, attributes = update(name_of(physical_id), *arguments, **named)
        return attributes["Arn"], attributes

    def deleted(physical_id: str, *arguments: Any) -> None:
        delete(name_of(physical_id), *arguments)

    handlers |= {"create": created, "update": updated, "delete": deleted}


if __name__ == "__main__":
    _tell_conditions()
    _tell_roles()
    _ask_for_the_rights_of_bedrock()
    _refer_to_secrets_by_arn()
    _invoke_instead_of_streaming()
    app.main()
