"""What is left in an account of a deployment that was taken away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rehearsal.emulator import Emulator

# What is the account's and not the deployment's stays: what `cdk bootstrap` made, and the role with which API
# Gateway writes the logs of all REST APIs.
_OF_THE_ACCOUNT = ("CDKToolkit", "cdk-", "RestApiCloudWatchRole")


def leftovers(emulator: Emulator) -> list[str]:
    """Each resource that is left, as its kind and name. Keys of KMS that wait for their deletion are none: no
    key is deleted sooner than a week after it was asked for."""
    return [
        f"{kind} {name}" for kind, name in _all(emulator) if not any(mark in name for mark in _OF_THE_ACCOUNT)
    ]


def keys_pending_deletion(emulator: Emulator) -> int:
    """How many keys wait for their deletion."""
    return sum(state == "PendingDeletion" for _, state in _keys(emulator.client("kms")))


def _all(emulator: Emulator) -> Iterator[tuple[str, str]]:
    client = emulator.client
    for stack in client("cloudformation").describe_stacks()["Stacks"]:
        if stack["StackStatus"] != "DELETE_COMPLETE":
            yield "stack", stack["StackName"]
    yield from (("table", name) for name in client("dynamodb").list_tables()["TableNames"])
    functions = client("lambda")
    yield from (("function", each["FunctionName"]) for each in functions.list_functions()["Functions"])
    yield from (("layer", each["LayerName"]) for each in functions.list_layers()["Layers"])
    mappings = functions.list_event_source_mappings()["EventSourceMappings"]
    yield from (("event source", each["EventSourceArn"]) for each in mappings)
    yield from (("queue", url) for url in client("sqs").list_queues().get("QueueUrls", ()))
    # One that keeps for ever is the emulator's: it makes it anew for a call that ends after its log is gone.
    # In AWS that would take the function's role, which may not.
    groups = client("logs").describe_log_groups()["logGroups"]
    ours = (each["logGroupName"] for each in groups if "retentionInDays" in each)
    yield from (("log group", name) for name in ours)
    yield from (("HTTP API", each["Name"]) for each in client("apigatewayv2").get_apis()["Items"])
    yield from (("REST API", each["name"]) for each in client("apigateway").get_rest_apis()["items"])
    yield from (("rule", each["Name"]) for each in client("events").list_rules()["Rules"])
    yield from (("role", each["RoleName"]) for each in client("iam").list_roles()["Roles"])
    secrets = client("secretsmanager").list_secrets(IncludePlannedDeletion=True)["SecretList"]
    yield from (("secret", each["Name"]) for each in secrets)
    yield from (("topic", each["TopicArn"]) for each in client("sns").list_topics()["Topics"])
    monitoring = client("cloudwatch")
    yield from (("alarm", each["AlarmName"]) for each in monitoring.describe_alarms()["MetricAlarms"])
    boards = monitoring.list_dashboards().get("DashboardEntries", ())
    yield from (("dashboard", each["DashboardName"]) for each in boards)
    yield from (("key", name) for name, state in _keys(client("kms")) if state != "PendingDeletion")
    aliases = client("kms").list_aliases()["Aliases"]
    yield from (("alias", each["AliasName"]) for each in aliases if "alias/aws/" not in each["AliasName"])


def _keys(client: Any) -> Iterator[tuple[str, str]]:
    for each in client.list_keys()["Keys"]:
        yield each["KeyId"], client.describe_key(KeyId=each["KeyId"])["KeyMetadata"]["KeyState"]
