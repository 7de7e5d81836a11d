"""The key that signs receipts, and what must not go unseen of erasures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.xdist_group("infra")


def test_only_the_erasure_function_signs_and_it_opens_nothing(
    functions: dict[str, str], template: dict[str, Any], resources: Callable[[str], dict[str, Any]]
) -> None:
    [(key, signing)] = [
        (name, each["Properties"])
        for name, each in resources("KMS::Key").items()
        if each["Properties"].get("KeyUsage") == "SIGN_VERIFY"
    ]
    assert signing["KeySpec"] == "ECC_NIST_P256"
    role = template["Resources"][functions["erasure"]]["Properties"]["Role"]["Fn::GetAtt"][0]
    signers, rights = [], set()
    for policy in resources("IAM::Policy").values():
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]:
            actions = statement["Action"] if isinstance(statement["Action"], list) else [statement["Action"]]
            if {"Ref": role} in policy["Properties"]["Roles"]:
                rights |= {action for action in actions if action.startswith("kms:")}
            if "kms:Sign" in actions:
                assert statement["Resource"] == {"Fn::GetAtt": [key, "Arn"]}
                signers += policy["Properties"]["Roles"]
    assert signers == [{"Ref": role}]
    assert rights == {"kms:GetPublicKey", "kms:Sign"}


def test_nobody_deletes_it_unless_the_protection_is_taken_off_first(
    template: dict[str, Any], synthesise: Callable[..., dict[str, Any]]
) -> None:
    def key(made: dict[str, Any]) -> dict[str, Any]:
        [found] = [
            each
            for each in made["Resources"].values()
            if each["Type"] == "AWS::KMS::Key" and each["Properties"].get("KeyUsage") == "SIGN_VERIFY"
        ]
        return dict(found)

    def denied(made: dict[str, Any]) -> list[Any]:
        statements = key(made)["Properties"]["KeyPolicy"]["Statement"]
        return [(each["Principal"], each["Action"]) for each in statements if each["Effect"] == "Deny"]

    assert denied(template) == [({"AWS": "*"}, ["kms:DisableKey", "kms:ScheduleKeyDeletion"])]
    assert key(template)["DeletionPolicy"] == "Retain"
    unprotected = synthesise(deletion_protection=False)
    assert denied(unprotected) == []
    assert key(unprotected)["DeletionPolicy"] == "Delete"
