"""The flows in good health: what the faults are compared with."""

from __future__ import annotations

import pytest

from tests.faults.flows import Flow, flows
from tests.faults.world import World


@pytest.mark.parametrize("flow", flows(), ids=lambda flow: flow.name)
def test_a_flow_does_its_work_once_for_a_key(world: World, flow: Flow) -> None:
    flow.ready(world)
    first = flow.send(world)
    assert (first.status, flow.seen(world)) == (flow.status, flow.expected)
    if flow.keyed:
        assert flow.send(world).body == first.body
        assert flow.seen(world) == flow.expected
