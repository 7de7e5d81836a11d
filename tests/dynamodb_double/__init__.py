"""A DynamoDB in memory, as far as the store uses one: the same client calls and the same refusals, without a
server. `tests/store` runs on it beside DynamoDB Local and moto, and a differential test holds it against
DynamoDB Local; what it does not know, it refuses loudly instead of guessing."""

from tests.dynamodb_double.client import DynamoDBDouble, Operation, as_client

__all__ = ["DynamoDBDouble", "Operation", "as_client"]
