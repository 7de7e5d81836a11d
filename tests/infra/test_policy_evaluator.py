"""The evaluator of policies against examples of AWS's documentation, decided by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.infra.policy_evaluator import Request, allows

TABLE = "arn:aws:dynamodb:us-west-2:123456789012:table/GameScores"

# DynamoDB Developer Guide, "Using IAM policy conditions for fine-grained access control": a player reaches
# the items whose partition key is the player's own id.
GAME_SCORES: list[dict[str, Any]] = [
    {
        "Sid": "AllowAccessToOnlyItemsMatchingUserID",
        "Effect": "Allow",
        "Action": ["dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:PutItem"],
        "Resource": [TABLE],
        "Condition": {
            "ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${www.amazon.com:user_id}"]},
        },
    }
]


def of_player(action: str, *keys: str, player: str | None = "alice", resource: str = TABLE) -> Request:
    context = {"dynamodb:LeadingKeys": keys}
    return Request(action, resource, context | ({"www.amazon.com:user_id": (player,)} if player else {}))


@pytest.mark.parametrize(
    "request_,allowed",
    [
        (of_player("dynamodb:GetItem", "alice"), True),
        (of_player("dynamodb:GetItem", "bob"), False),
        (of_player("dynamodb:BatchGetItem", "alice", "alice"), True),
        (of_player("dynamodb:BatchGetItem", "alice", "bob"), False),
        (of_player("dynamodb:DeleteItem", "alice"), False),
        (of_player("dynamodb:getitem", "alice"), True),
        (of_player("dynamodb:GetItem", "alice", resource=f"{TABLE}2"), False),
        (of_player("dynamodb:Query", "alice", resource=f"{TABLE}/index/GameTitleIndex"), False),
        # Nobody is logged in, so the variable stands for nothing.
        (of_player("dynamodb:GetItem", "alice", player=None), False),
        (of_player("dynamodb:GetItem", "${www.amazon.com:user_id}", player=None), False),
        # The trap: without a leading key, "all values" are equal.
        (of_player("dynamodb:Query"), True),
    ],
)
def test_the_players_of_the_developer_guide(request_: Request, allowed: bool) -> None:
    assert allows(GAME_SCORES, request_) is allowed


def test_a_request_without_the_key_is_refused_where_null_says_so() -> None:
    # IAM User Guide, "Condition operators": with "Null": "false" the key must be there.
    [statement] = GAME_SCORES
    asked = [statement | {"Condition": {**statement["Condition"], "Null": {"dynamodb:LeadingKeys": "false"}}}]
    assert not allows(asked, of_player("dynamodb:Query"))
    assert allows(asked, of_player("dynamodb:Query", "alice"))
    absent = [statement | {"Condition": {"Null": {"dynamodb:LeadingKeys": "true"}}}]
    assert allows(absent, of_player("dynamodb:Query"))
    assert not allows(absent, of_player("dynamodb:Query", "alice"))


@pytest.mark.parametrize("tag,allowed", [("Blue", True), ("blue", False), (None, False)])
def test_a_tag_of_the_caller_takes_the_place_of_its_variable(tag: str | None, allowed: bool) -> None:
    # IAM User Guide, "Controlling access to AWS resources using tags": the caller's tag must be the
    # resource's.
    statement = {
        "Effect": "Allow",
        "Action": "ec2:startInstances",
        "Resource": "arn:aws:ec2:*:*:instance/*",
        "Condition": {"StringEquals": {"ec2:ResourceTag/Team": "${aws:PrincipalTag/Team}"}},
    }
    context = {"ec2:ResourceTag/Team": ("Blue",)} | ({"aws:PrincipalTag/Team": (tag,)} if tag else {})
    request = Request("ec2:StartInstances", "arn:aws:ec2:eu-west-1:123456789012:instance/i-1", context)
    assert allows([statement], request) is allowed


@pytest.mark.parametrize(
    "pattern,value,allowed",
    [
        ("key*", "key-east-1", True),
        ("key-???", "key-abc", True),
        ("key-???", "key-ab", False),
        ("key*", "Key-east-1", False),
        ("k.y", "key", False),
    ],
)
def test_like_knows_two_wildcards_and_minds_case(pattern: str, value: str, allowed: bool) -> None:
    condition = {"StringLike": {"kms:Alias": pattern}}
    statement = {"Effect": "Allow", "Action": "kms:*", "Resource": "*", "Condition": condition}
    assert allows([statement], Request("kms:Decrypt", "key", {"kms:Alias": (value,)})) is allowed


def test_one_of_several_values_is_enough_for_any_and_not_for_all() -> None:
    # IAM User Guide, "Condition context keys with multiple values": tag keys "environment" and "costcenter".
    def decided(quantifier: str, *tags: str) -> bool:
        condition = {f"{quantifier}:StringEquals": {"aws:TagKeys": ["environment", "costcenter"]}}
        statement = {"Effect": "Allow", "Action": "*", "Resource": "*", "Condition": condition}
        return allows([statement], Request("ec2:RunInstances", "x", {"aws:TagKeys": tags}))

    assert decided("ForAllValues", "environment", "costcenter")
    assert not decided("ForAllValues", "environment", "owner")
    assert decided("ForAnyValue", "environment", "owner")
    assert not decided("ForAnyValue", "owner")
    assert not decided("ForAnyValue")
    assert decided("ForAllValues")


def test_a_denial_wins_and_nothing_is_allowed_by_itself() -> None:
    everything = {"Effect": "Allow", "Action": "s3:*", "Resource": "*"}
    denied = {"Effect": "Deny", "Action": "s3:DeleteBucket", "Resource": "arn:aws:s3:::kept*"}
    assert allows([everything, denied], Request("s3:DeleteBucket", "arn:aws:s3:::other"))
    assert not allows([everything, denied], Request("s3:DeleteBucket", "arn:aws:s3:::kept-1"))
    assert not allows([denied], Request("s3:GetObject", "arn:aws:s3:::other"))
    assert not allows([], Request("s3:GetObject", "arn:aws:s3:::other"))


@pytest.mark.parametrize(
    "statement",
    [
        {"Effect": "Allow", "NotAction": "s3:*", "Resource": "*"},
        {"Effect": "Allow", "Action": "*", "Resource": "*", "Condition": {"DateLessThan": {"x": "1"}}},
        {"Effect": "Allow", "Action": "*", "Resource": "*", "Condition": {"NullIfExists": {"x": "1"}}},
        {"Effect": "Allow", "Action": "*", "Resource": "*", "Condition": {"StringLike": {"x": "${*}"}}},
    ],
)
def test_what_it_does_not_know_it_does_not_judge(statement: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="judge"):
        allows([statement], Request("s3:GetObject", "x", {"x": ("y",)}))


# The same guide, "Grant permissions that limit access to specific attributes in a table".
TOP_SCORES: list[dict[str, Any]] = [
    {
        "Effect": "Allow",
        "Action": ["dynamodb:GetItem", "dynamodb:Query"],
        "Resource": [TABLE],
        "Condition": {
            "ForAllValues:StringEquals": {"dynamodb:Attributes": ["UserId", "TopScore"]},
            "StringEqualsIfExists": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES"},
        },
    }
]


@pytest.mark.parametrize(
    "attributes,select,allowed",
    [
        (("UserId", "TopScore"), ("SPECIFIC_ATTRIBUTES",), True),
        (("UserId", "TopScore"), (), True),
        (("UserId", "Wins"), ("SPECIFIC_ATTRIBUTES",), False),
        (("UserId",), ("ALL_ATTRIBUTES",), False),
        # Which is why the key has to be asked for by `Null` beside it.
        ((), (), True),
    ],
)
def test_an_operator_that_ends_so_holds_where_its_key_is_absent(
    attributes: tuple[str, ...], select: tuple[str, ...], allowed: bool
) -> None:
    context = {"dynamodb:Attributes": attributes, "dynamodb:Select": select}
    assert allows(TOP_SCORES, Request("dynamodb:Query", TABLE, context)) is allowed


@pytest.mark.parametrize(
    "enclosing,allowed",
    [
        (("TransactWriteItems",), True),
        (("TransactGetItems",), True),
        (("BatchWriteItem",), False),
        ((), False),
    ],
)
def test_a_condition_on_any_value_asks_for_one(enclosing: tuple[str, ...], allowed: bool) -> None:
    # DynamoDB Developer Guide, "Using IAM with DynamoDB transactions": allow only transactional operations.
    statement = {
        "Effect": "Allow",
        "Action": ["dynamodb:DeleteItem", "dynamodb:GetItem"],
        "Resource": [TABLE],
        "Condition": {
            "ForAnyValue:StringEquals": {
                "dynamodb:EnclosingOperation": ["TransactWriteItems", "TransactGetItems"]
            }
        },
    }
    asked = Request("dynamodb:DeleteItem", TABLE, {"dynamodb:EnclosingOperation": enclosing})
    assert allows([statement], asked) is allowed
