"""Refusals in the shape in which botocore raises them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from botocore.exceptions import ClientError


class Exceptions:
    """`client.exceptions`: a class for each code."""

    def __getattr__(self, code: str) -> type[ClientError]:
        return error_class(code)


@cache
def error_class(code: str) -> type[ClientError]:
    """The class of errors of one code."""
    return type(code, (ClientError,), {})


def refusal(operation: str, code: str, message: str = "refused", **fields: Any) -> ClientError:
    """An error of DynamoDB; `fields` stand beside it in the response."""
    status = 500 if code == "InternalServerError" else 400
    response: Any = {
        "Error": {"Code": code, "Message": message},
        "ResponseMetadata": {"HTTPStatusCode": status},
        **fields,
    }
    return error_class(code)(response, operation)


def condition_failed(operation: str, item: Mapping[str, Any] | None) -> ClientError:
    """A condition that did not hold, with the item as it is, if that was asked for and there is one."""
    found = {"Item": dict(item)} if item is not None else {}
    return refusal(operation, "ConditionalCheckFailedException", "The conditional request failed", **found)


def cancelled(reasons: Sequence[Mapping[str, Any]]) -> ClientError:
    """A transaction of which nothing was written; a reason for each of its items."""
    codes = ", ".join(reason["Code"] for reason in reasons)
    return refusal(
        "TransactWriteItems",
        "TransactionCanceledException",
        f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]",
        CancellationReasons=list(reasons),
    )
