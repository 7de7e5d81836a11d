"""A world for each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from moto import mock_aws

from tests.faults.world import World


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A service of this test alone, in good health."""
    with mock_aws():
        yield World(monkeypatch)
