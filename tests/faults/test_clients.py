"""Clients that come back from offline, and too many of them at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import httpx
import pytest

from local.front import Front
from local.issuer import Issuer
from local.listener import Listener, listen
from noted.api.routes import Route
from tests.faults.flows import Flow, flows
from tests.faults.injection import WRITES
from tests.faults.world import FORGET_ALL, World


@pytest.mark.parametrize("flow", flows(), ids=lambda flow: flow.name)
def test_what_an_offline_client_sends_after_an_erasure_is_refused(world: World, flow: Flow) -> None:
    """F40"""
    flow.ready(world)
    before = int(world.ask("GET /v1/facts").headers["Memory-Epoch"])
    world.ok(FORGET_ALL, status=202)
    world.run_erasures()
    rows, writes = world.rows(), world.faults.counted(WRITES)
    response = flow.send(world, epoch=before)
    assert (response.status, response.kind) == (409, "epoch-changed")
    assert response.headers["Memory-Epoch"] == str(before + 1)
    assert world.rows() == rows
    # The one write that was tried is the one whose condition is the epoch.
    assert world.faults.counted(WRITES) <= writes + 1
    assert world.texts("all") == []


@pytest.mark.parametrize("flow", [flow for flow in flows() if flow.keyed], ids=lambda flow: flow.name)
def test_a_key_from_before_an_erasure_brings_nothing_back(world: World, flow: Flow) -> None:
    flow.ready(world)
    assert flow.send(world).status == flow.status
    world.ok(FORGET_ALL, status=202)
    response = flow.send(world)
    # What needs something that was erased finds nothing; what needs nothing is done anew.
    assert response.status in (flow.status, 404)
    assert len(world.texts("all")) <= len(flow.body.get("facts", [1]) if isinstance(flow.body, dict) else [])


def test_beyond_what_it_does_at_once_a_client_is_told_when_to_come_back(tmp_path: Path) -> None:
    """F20: the front of one machine refuses as Lambda does, and an answer that runs is not held up."""
    entered, release = threading.Event(), threading.Event()

    def slow(event: dict[str, Any], context: object) -> dict[str, Any]:
        entered.set()
        assert release.wait(30)
        return {"statusCode": 200, "body": "{}"}

    with ThreadPoolExecutor(4) as pool:
        front = Front(
            {"recall": slow},
            routes=[Route("GET", "/v1/health", "recall", None, "")],
            issuer=Issuer(tmp_path),
            pool=pool,
            running=nullcontext,
            most=1,
        )
        listener = Listener(front, listen(0))
        listener.start()
        try:
            with httpx.Client(base_url=listener.url, trust_env=False, timeout=30) as client:
                first = pool.submit(client.get, "/v1/health")
                assert entered.wait(30)
                refused = client.get("/v1/health")
                assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
                assert refused.headers["content-type"] == "application/problem+json"
                assert refused.json()["type"].endswith(":too-many-requests")
                release.set()
                assert first.result().status_code == 200
                assert client.get("/v1/health").status_code == 200
        finally:
            release.set()
            listener.stop()
