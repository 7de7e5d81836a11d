"""The server process: what it prints, what it refuses, how it ends and what it survives."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.conftest import ROOT, ServerProcess


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    process = ServerProcess(tmp_path / "data", {"OPENAI_API_KEY": "made up"})
    yield process
    process.close()


def refused(environment: dict[str, str]) -> str:
    """What a server that does not start says on standard error."""
    ended = subprocess.run(
        [sys.executable, "-m", "local.cli", "serve"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ended.returncode == 1
    assert "Traceback" not in ended.stderr
    return ended.stderr


def test_it_says_what_it_runs_on_and_stops_cleanly(server: ServerProcess, tmp_path: Path) -> None:
    (line,) = (line for line in server.output.splitlines() if "ready" in line)
    assert "model offline (OPENAI_API_KEY is set; NOTED_MODEL=openai:<model> would use it)" in line
    assert "extraction model offline" in line
    assert "embedder local" in line
    assert "store DynamoDB Local" in line
    assert f"data {tmp_path / 'data'}" in line
    assert server.client("alice").get("/v1/health").json()["status"] == "ok"
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700

    another_port = {"NOTED_DATA": str(tmp_path / "data"), "NOTED_PORT": "0"}
    assert "Another server works on" in refused(another_port)
    port = server.url.rpartition(":")[2]
    assert f"Port {port}" in refused({"NOTED_DATA": str(tmp_path / "other"), "NOTED_PORT": port})

    assert server.stop(signal.SIGTERM) == 0
    assert "Noted has stopped." in server.output


def test_a_call_that_waits_does_not_hold_up_the_end(server: ServerProcess) -> None:
    port = int(server.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=60) as waiting:
        # A request that is never finished.
        waiting.sendall(b"POST /v1/facts HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n")
        assert server.stop(signal.SIGINT) == 0


def test_what_was_told_survives_a_crash_and_work_that_was_queued_is_done(
    server: ServerProcess, tmp_path: Path
) -> None:
    alice = server.client("alice")
    conversation = alice.post("/v1/conversations").json()["conversation_id"]
    path = f"/v1/conversations/{conversation}/turns"
    saved_url = alice.post(path, json={"message": "I live in Porto."}).json()["saved_url"]
    server.kill()

    again = ServerProcess(tmp_path / "data", {})
    try:
        alice = again.client("alice")
        saved = alice.get(saved_url, params={"wait": 25}).json()
        assert saved["status"] == "done", again.output
        assert [fact["text"] for fact in saved["facts"]] == ["Lives in Porto"]
        assert [fact["text"] for fact in alice.get("/v1/facts").json()["items"]] == ["Lives in Porto"]
    finally:
        again.close()


@pytest.mark.parametrize(
    "name,value",
    [("NOTED_PORT", "http"), ("NOTED_PORT", "65536"), ("NOTED_MODEL", "gpt"), ("NOTED_NOW", "yesterday")],
)
def test_a_setting_that_cannot_be_used_is_named(tmp_path: Path, name: str, value: str) -> None:
    assert name in refused({"NOTED_DATA": str(tmp_path), name: value})


def test_a_model_whose_provider_is_not_set_up_is_told(tmp_path: Path) -> None:
    environment = {"NOTED_DATA": str(tmp_path), "NOTED_PORT": "0", "NOTED_MODEL": "openai:some-model"}
    assert "OPENAI" in refused(environment)


def test_a_broken_secret_is_told_and_kept(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("short")
    assert "secret" in refused({"NOTED_DATA": str(tmp_path), "NOTED_PORT": "0"})
    assert (tmp_path / "secret").read_text() == "short"
