"""The store's tests run on three implementations of DynamoDB that share no code: moto, DynamoDB Local, and
the double on which the whole service is tested in any order of events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import boto3
import pytest
from moto import mock_aws

from tests.dynamodb_double import DynamoDBDouble, as_client

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from local.dynamodb import DynamoDBLocal


@pytest.fixture(params=["moto", "dynamodb-local", "double"])
def dynamodb(request: pytest.FixtureRequest) -> Iterator[DynamoDBClient]:
    """A DynamoDB client of boto3, or what is called like one. Moto and the double start empty; DynamoDB Local
    serves all tests of a worker."""
    if request.param == "moto":
        with mock_aws():
            yield boto3.client("dynamodb", region_name="eu-west-1")
    elif request.param == "double":
        yield as_client(DynamoDBDouble())
    else:
        engine: DynamoDBLocal = request.getfixturevalue("dynamodb_local")
        client = boto3.client("dynamodb", region_name="eu-west-1", endpoint_url=engine.endpoint)
        yield client
        client.close()


@pytest.fixture
def tables(dynamodb: DynamoDBClient, table_prefix: str) -> str:
    """The five tables, empty and usable. Gives the prefix of their names."""
    from noted.store.tables import create_tables

    create_tables(dynamodb, table_prefix)
    return table_prefix
