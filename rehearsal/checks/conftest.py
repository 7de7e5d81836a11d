"""The deployment as the service under test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.standin import standin

if TYPE_CHECKING:
    from tests.api.conftest import ServiceUnderTest, StartService

__all__ = ["service", "standin"]


@pytest.fixture
def service(start_deployed: StartService) -> ServiceUnderTest:
    """Clients of the deployment, in an organisation of this test's own."""
    return start_deployed()
