"""What is set by hand after a deployment, since MiniStack's CloudFormation leaves it out, and what a
rehearsal decides beyond cdk.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rehearsal.assembly import Assembly
from rehearsal.emulator import Emulator

_TABLES = ("AWS::DynamoDB::GlobalTable", "AWS::DynamoDB::Table")


def set_what_was_left_out(emulator: Emulator, stack: str, assembly: Assembly) -> list[str]:
    """Sets time to live, recovery and CORS as the template says, and tells what it had to set."""
    database, gateway = emulator.client("dynamodb"), emulator.client("apigatewayv2")
    done: list[str] = []
    for name, kind, properties in _created(emulator, stack, assembly):
        if kind in _TABLES:
            done += _table(database, name, properties)
        cors = properties.get("CorsConfiguration") if kind == "AWS::ApiGatewayV2::Api" else None
        if cors and not gateway.get_api(ApiId=name).get("CorsConfiguration"):
            gateway.update_api(ApiId=name, CorsConfiguration=cors)
            done.append(f"CORS of {name}")
    return done


def use_stand_in(emulator: Emulator, prefix: str, variables: Mapping[str, str], drain_seconds: int) -> None:
    """Puts the models of all functions of a deployment behind the stand-in that `variables` name, and lets an
    erasure wait `drain_seconds` for writers instead of minutes: nothing writes that long here."""
    functions = emulator.client("lambda")
    for page in functions.get_paginator("list_functions").paginate():
        for function in page["Functions"]:
            present = function.get("Environment", {}).get("Variables", {})
            if not function["FunctionName"].startswith(f"{prefix}-") or "NOTED_MODEL" not in present:
                continue
            changed = present | dict(variables)
            if "NOTED_DRAIN_SECONDS" in present:
                changed["NOTED_DRAIN_SECONDS"] = str(drain_seconds)
            functions.update_function_configuration(
                FunctionName=function["FunctionName"], Environment={"Variables": changed}
            )


def _created(
    emulator: Emulator, stack: str, assembly: Assembly
) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    found = emulator.client("cloudformation").describe_stack_resources(StackName=stack)["StackResources"]
    described = assembly.template["Resources"]
    for resource in found:
        properties = described.get(resource["LogicalResourceId"], {}).get("Properties", {})
        yield resource["PhysicalResourceId"], resource["ResourceType"], properties


def _table(database: Any, name: str, properties: Mapping[str, Any]) -> Iterator[str]:
    expiry = properties.get("TimeToLiveSpecification")
    state = database.describe_time_to_live(TableName=name)["TimeToLiveDescription"]["TimeToLiveStatus"]
    if expiry and state == "DISABLED":
        database.update_time_to_live(TableName=name, TimeToLiveSpecification=expiry)
        yield f"time to live of {name}"
    # Of a global table it stands with each Region.
    [replica] = properties.get("Replicas", [properties])
    backups = database.describe_continuous_backups(TableName=name)["ContinuousBackupsDescription"]
    recovery = replica.get("PointInTimeRecoverySpecification")
    if recovery and backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "DISABLED":
        database.update_continuous_backups(
            TableName=name,
            PointInTimeRecoverySpecification={
                "PointInTimeRecoveryEnabled": recovery["PointInTimeRecoveryEnabled"],
                "RecoveryPeriodInDays": recovery["RecoveryPeriodInDays"],
            },
        )
        yield f"recovery of {name}"
