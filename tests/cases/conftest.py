"""The service and the stand-in for its models, as the tests of the interface have them."""

from __future__ import annotations

from tests.api.conftest import service, start_service
from tests.standin import standin

__all__ = ["service", "standin", "start_service"]
