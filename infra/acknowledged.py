"""Findings of cdk-nag that were looked at and stay: each is acknowledged beside what it is about, by its
exact id, for that construct and what is in it alone, with the reason."""

from __future__ import annotations

from aws_cdk import Acknowledgment, Validations
from constructs import IConstruct


def acknowledge(construct: IConstruct, reason: str, *findings: str) -> None:
    """Keeps findings about a construct out of the checks' report, all for the same reason."""
    Validations.of(construct).acknowledge(*(Acknowledgment(id=each, reason=reason) for each in findings))


def acknowledge_pattern(role: IConstruct | None, resource: str, reason: str) -> None:
    """The same for a right whose resource is a pattern, with the resource as it stands in the policy."""
    if role is not None:
        acknowledge(role, reason, f"AwsSolutions-IAM5[Resource::{resource}]")
