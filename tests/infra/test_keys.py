"""The key that wraps data keys: who may use it, for what, and that nobody deletes it by accident."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.xdist_group("infra")

OPENING = {"kms:Decrypt"}
CREATING = {"kms:Decrypt", "kms:GenerateDataKey"}
# An erasure deletes and reads nothing; what checks tokens knows of no user.
MAY = {
    "answer": CREATING,
    "stream": CREATING,
    "verdicts": CREATING,
    "recall": OPENING,
    "extraction": OPENING,
}


def wrapping_key(template: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    [found] = [
        (logical_id, resource)
        for logical_id, resource in template["Resources"].items()
        if resource["Type"] == "AWS::KMS::Key"
        and resource["Properties"]["Description"].startswith("Wraps the data keys of users")
    ]
    return found


def test_each_function_uses_it_for_its_work_and_only_with_the_whole_context(
    template: dict[str, Any], functions: dict[str, str], resources: Callable[[str], dict[str, Any]]
) -> None:
    key, _ = wrapping_key(template)
    roles = {
        template["Resources"][logical_id]["Properties"]["Role"]["Fn::GetAtt"][0]: name
        for name, logical_id in functions.items()
    }
    able: dict[str, set[str]] = {}
    for policy in resources("IAM::Policy").values():
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]:
            actions = statement["Action"] if isinstance(statement["Action"], list) else [statement["Action"]]
            if statement["Resource"] != {"Fn::GetAtt": [key, "Arn"]}:
                # Nothing that unwraps is allowed on any other resource.
                assert not {"kms:*", *CREATING} & {*actions}
                continue
            assert statement["Condition"] == {
                "StringEquals": {"kms:EncryptionContext:service": "noted"},
                "Null": {
                    f"kms:EncryptionContext:{name}": "false"
                    for name in ("service", "organisation", "user", "generation")
                },
            }
            for role in policy["Properties"]["Roles"]:
                able.setdefault(roles[role["Ref"]], set()).update(actions)
    assert able == MAY


def test_it_is_rotated_and_outlives_the_stack(template: dict[str, Any]) -> None:
    _, key = wrapping_key(template)
    assert key["Properties"]["EnableKeyRotation"] is True
    assert (key["DeletionPolicy"], key["UpdateReplacePolicy"]) == ("Retain", "Retain")


def denied(template: dict[str, Any]) -> list[Any]:
    _, key = wrapping_key(template)
    return [
        (statement["Principal"], statement["Action"])
        for statement in key["Properties"]["KeyPolicy"]["Statement"]
        if statement["Effect"] == "Deny"
    ]


def test_nobody_deletes_it_unless_the_protection_is_taken_off_first(
    template: dict[str, Any], synthesise: Callable[..., dict[str, Any]]
) -> None:
    assert denied(template) == [({"AWS": "*"}, ["kms:DisableKey", "kms:ScheduleKeyDeletion"])]
    unprotected = synthesise(deletion_protection=False)
    assert denied(unprotected) == []
    assert wrapping_key(unprotected)[1]["DeletionPolicy"] == "Delete"
