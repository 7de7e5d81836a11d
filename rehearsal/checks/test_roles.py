"""That the emulator holds each function to its role, and that the roles hold what they promise.

A session of a function's role is taken by letting the role trust everybody for the length of a test: the
rules of IAM then decide, as the emulator knows them, and not the test.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from rehearsal.deployment import Deployment
from tests.api.conftest import ServiceUnderTest
from tests.api.helpers import problem, tell

Client = Callable[[str, str], Any]
DENIED = ("AccessDenied", "AccessDeniedException")


@pytest.fixture
def as_function(deployment: Deployment) -> Iterator[Client]:
    """A client of a service with the rights of a function: `as_function("recall", "dynamodb")`."""
    import boto3

    roles, sessions = deployment.emulator.client("iam"), deployment.emulator.client("sts")
    functions = deployment.emulator.client("lambda")
    trusted: dict[str, str] = {}

    def client(function: str, service: str) -> Any:
        arn = functions.get_function_configuration(FunctionName=deployment.function(function))["Role"]
        name = arn.rpartition("/")[2]
        if name not in trusted:
            trusted[name] = json.dumps(roles.get_role(RoleName=name)["Role"]["AssumeRolePolicyDocument"])
            ours = {"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}
            policy = {"Version": "2012-10-17", "Statement": [ours]}
            roles.update_assume_role_policy(RoleName=name, PolicyDocument=json.dumps(policy))
        given = sessions.assume_role(RoleArn=arn, RoleSessionName="rehearsal")["Credentials"]
        return boto3.client(
            service,
            endpoint_url=deployment.address,
            verify=deployment.authority,
            region_name=deployment.region,
            aws_access_key_id=given["AccessKeyId"],
            aws_secret_access_key=given["SecretAccessKey"],
            aws_session_token=given["SessionToken"],
        )

    yield client
    for name, policy in trusted.items():
        roles.update_assume_role_policy(RoleName=name, PolicyDocument=policy)


def refused(call: Callable[[], object]) -> bool:
    from botocore.exceptions import ClientError

    try:
        call()
    except ClientError as error:
        return error.response["Error"]["Code"] in DENIED
    return False


def test_what_each_function_may_not_do_is_refused(as_function: Client, deployment: Deployment) -> None:
    key = {"pk": {"S": "nobody"}, "sk": {"S": "nothing"}}
    recall, verdicts = as_function("recall", "dynamodb"), as_function("verdicts", "dynamodb")
    erasure, answer = as_function("erasure", "dynamodb"), as_function("answer", "dynamodb")
    memory, judged = deployment.table("memory"), deployment.table("verdicts")
    assert not refused(lambda: recall.get_item(TableName=memory, Key=key))
    assert refused(lambda: recall.put_item(TableName=memory, Item=key))
    assert refused(lambda: recall.scan(TableName=memory))
    # A verdict is appended, and neither changed nor taken away.
    assert refused(lambda: verdicts.delete_item(TableName=judged, Key=key))
    assert refused(lambda: verdicts.update_item(TableName=judged, Key=key))
    # Of the ledger's own rows only the one of the service is read by whom the ledger does not concern.
    assert refused(lambda: answer.get_item(TableName=deployment.table("ledger"), Key=key))
    assert refused(lambda: answer.delete_item(TableName=memory, Key=key))
    assert refused(lambda: erasure.put_item(TableName=judged, Item=key))
    # Nor does an erasure put by the batch in which it deletes, or delete so that the row comes back.
    told = {"PutRequest": {"Item": key | {"note": {"S": "forged"}}}}
    assert refused(lambda: erasure.batch_write_item(RequestItems={judged: [told]}))
    assert not refused(
        lambda: erasure.batch_write_item(RequestItems={judged: [{"DeleteRequest": {"Key": key}}]})
    )
    assert refused(lambda: erasure.delete_item(TableName=memory, Key=key, ReturnValues="ALL_OLD"))
    deleted = {"Delete": {"TableName": memory, "Key": key}}
    assert not refused(lambda: erasure.transact_write_items(TransactItems=[deleted]))
    # Who answers makes no erasure of anybody: what carries them out believes what it finds.
    forged = {"pk": {"S": "ERASE#er_00000000000000000000000000"}, "sk": {"S": "JOB"}}
    assert refused(lambda: answer.put_item(TableName=deployment.table("control"), Item=forged))
    assert refused(lambda: answer.get_item(TableName=deployment.table("control"), Key=forged))


def test_a_data_key_is_opened_in_its_context_alone_and_never_by_erasure(
    as_function: Client, deployment: Deployment
) -> None:
    [wrapping] = [
        alias["TargetKeyId"]
        for alias in deployment.emulator.client("kms").list_aliases()["Aliases"]
        if alias["AliasName"] == f"alias/{deployment.stack}"
    ]
    answer, recall, erasure = (as_function(each, "kms") for each in ("answer", "recall", "erasure"))
    context = {"service": "noted", "organisation": "o", "user": "u", "generation": "1"}

    def new(client: Any, given: dict[str, str]) -> Any:
        return client.generate_data_key(KeyId=wrapping, KeySpec="AES_256", EncryptionContext=given)

    made = new(answer, context)
    assert refused(lambda: new(answer, context | {"service": "another"}))
    assert refused(lambda: new(answer, {"service": "noted"}))
    assert refused(lambda: new(recall, context))
    wrapped = made["CiphertextBlob"]
    opened = recall.decrypt(KeyId=wrapping, CiphertextBlob=wrapped, EncryptionContext=context)
    assert opened["Plaintext"] == made["Plaintext"]
    foreign = context | {"user": "another"}
    with pytest.raises(recall.exceptions.InvalidCiphertextException):
        recall.decrypt(KeyId=wrapping, CiphertextBlob=wrapped, EncryptionContext=foreign)
    assert refused(lambda: erasure.decrypt(KeyId=wrapping, CiphertextBlob=wrapped, EncryptionContext=context))


def test_a_function_whose_right_is_taken_away_says_that_it_cannot(
    service: ServiceUnderTest, deployment: Deployment
) -> None:
    roles, alice = deployment.emulator.client("iam"), service.client("alice")
    functions = deployment.emulator.client("lambda")
    tell(alice, "Likes jazz")
    found = functions.get_function_configuration(FunctionName=deployment.function("recall"))
    role = found["Role"].rpartition("/")[2]
    deny = {"Effect": "Deny", "Action": "dynamodb:Query", "Resource": "*"}
    roles.put_role_policy(
        RoleName=role,
        PolicyName="rehearsal",
        PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [deny]}),
    )
    try:
        refusal = problem(alice.get("/v1/facts"), 503, "unavailable")
        assert "jazz" not in json.dumps(refusal)
    finally:
        roles.delete_role_policy(RoleName=role, PolicyName="rehearsal")
    assert [fact["text"] for fact in alice.get("/v1/facts").json()["items"]] == ["Likes jazz"]
