"""DynamoDB Local as this project runs it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
import pytest

from local.dynamodb import DynamoDBLocal, DynamoDBLocalError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# Starts an engine in the folder given, says its port, and waits for its own end.
PARENT = """
import sys, time
from pathlib import Path
from local.dynamodb import DynamoDBLocal

engine = DynamoDBLocal().start(Path(sys.argv[1]))
print(engine.endpoint.rsplit(":", 1)[1], flush=True)
time.sleep(600)
"""


def client_of(engine: DynamoDBLocal) -> DynamoDBClient:
    client: DynamoDBClient = boto3.client("dynamodb", region_name="eu-west-1", endpoint_url=engine.endpoint)
    return client


def create_notes(client: DynamoDBClient, name: str) -> None:
    client.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
    )


def accepts(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=10):
            return True
    except OSError:
        return False


def test_a_table_that_was_created_is_usable(dynamodb_local: DynamoDBLocal, table_prefix: str) -> None:
    client = client_of(dynamodb_local)
    create_notes(client, table_prefix)

    client.put_item(TableName=table_prefix, Item={"pk": {"S": "a"}, "text": {"S": "Prefers tea"}})

    item = client.get_item(TableName=table_prefix, Key={"pk": {"S": "a"}}, ConsistentRead=True)["Item"]
    assert item == {"pk": {"S": "a"}, "text": {"S": "Prefers tea"}}


def test_it_listens_on_the_loopback_address_alone(dynamodb_local: DynamoDBLocal) -> None:
    # A server on all interfaces of a machine also answers at the other addresses of its loopback interface.
    port = int(dynamodb_local.endpoint.removeprefix("http://127.0.0.1:"))

    assert accepts("127.0.0.1", port)
    assert not accepts("127.0.0.2", port)
    assert not accepts("::1", port)


def test_what_was_written_survives_a_kill_of_the_engine(tmp_path: Path) -> None:
    with DynamoDBLocal().start(tmp_path) as engine:
        client = client_of(engine)
        create_notes(client, "notes")
        for number in range(20):
            client.put_item(TableName="notes", Item={"pk": {"S": f"note-{number}"}})
        os.kill(engine.pid, signal.SIGKILL)

    with DynamoDBLocal().start(tmp_path) as engine:
        items = client_of(engine).scan(TableName="notes", ConsistentRead=True)["Items"]

    assert {item["pk"]["S"] for item in items} == {f"note-{number}" for number in range(20)}


def test_it_ends_with_a_parent_that_was_killed(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT, str(tmp_path)], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        port = int(parent.stdout.readline())
        parent.kill()

    deadline = time.monotonic() + 60
    while accepts("127.0.0.1", port):
        assert time.monotonic() < deadline, "the engine outlived its parent"
        time.sleep(0.1)
    with DynamoDBLocal().start(tmp_path) as engine:
        assert client_of(engine).list_tables()["TableNames"] == []


def test_a_stopped_engine_starts_again_at_the_same_port(tmp_path: Path) -> None:
    engine = DynamoDBLocal().start(tmp_path)
    endpoint = engine.endpoint
    engine.stop()
    engine.stop()

    with DynamoDBLocal().start(tmp_path, int(endpoint.rsplit(":", 1)[1])) as again:
        assert again.endpoint == endpoint


def test_a_folder_serves_one_engine_at_a_time(tmp_path: Path) -> None:
    with DynamoDBLocal().start(tmp_path), pytest.raises(DynamoDBLocalError, match="in use by another"):
        DynamoDBLocal().start(tmp_path)


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(DynamoDBLocalError, match=f"Port {port} of 127.0.0.1 could not be taken"):
            DynamoDBLocal().start(None, port)


def test_a_broken_database_file_is_reported_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "shared-local-instance.db").write_bytes(b"no database" * 500)

    with pytest.raises(DynamoDBLocalError, match="is its database file broken"):
        DynamoDBLocal().start(tmp_path)


def test_an_engine_that_is_not_running_has_no_endpoint() -> None:
    with pytest.raises(DynamoDBLocalError, match="not running"):
        _ = DynamoDBLocal().endpoint
