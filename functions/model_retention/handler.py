"""Sees to it that Bedrock keeps nothing of what models are told: at a deployment, as a custom resource of
CloudFormation, and then each day. It reaches no table and no secret."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any
from urllib.request import Request, urlopen

from noted.models.bedrock_account import BedrockAccount, KeptByBedrock, bedrock_control

Handler = Callable[[dict[str, Any], object], None]
# There is one such resource in an account and Region, whoever asks for it.
_RESOURCE = "bedrock-keeps-nothing"
_TIMEOUT = 10


def build(account: BedrockAccount, tell: Callable[[str, dict[str, Any]], None]) -> Handler:
    """The function. `tell` sends CloudFormation, at an address that it gave, what came of its request.

    Any other event is the daily check, which raises KeptByBedrock: the alarm hangs on the function's errors.
    A deletion changes nothing, since another deployment may rely on it.
    """

    def handle(event: dict[str, Any], _: object) -> None:
        if "RequestType" not in event:
            account.check()
            return
        reason = ""
        if event["RequestType"] != "Delete":
            try:
                account.keep_nothing()
            except KeptByBedrock as kept:
                reason = str(kept)
            except Exception as error:  # noqa: BLE001 (a deployment that hears nothing waits for an hour)
                reason = f"Bedrock could not be told to keep nothing: {type(error).__name__}: {error}"
        tell(
            event["ResponseURL"],
            {
                "Status": "FAILED" if reason else "SUCCESS",
                "Reason": reason,
                "PhysicalResourceId": _RESOURCE,
                **{name: event[name] for name in ("StackId", "RequestId", "LogicalResourceId")},
            },
        )

    return handle


def put(address: str, answer: dict[str, Any]) -> None:
    """Sends the answer to CloudFormation. Raises OSError, ValueError."""
    if not address.startswith("https://"):
        raise ValueError("not an https address")
    request = Request(  # noqa: S310 (https, see above)
        address, json.dumps(answer).encode(), headers={"Content-Type": ""}, method="PUT"
    )
    with urlopen(request, timeout=_TIMEOUT) as response:  # noqa: S310
        response.read()


def handler(event: dict[str, Any], context: object) -> None:
    """The Lambda entry point."""
    build(BedrockAccount(bedrock_control(os.environ)), put)(event, context)
