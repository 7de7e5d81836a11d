"""The service and the stand-in for its models, as the tests of the interface have them."""

from __future__ import annotations

import pytest

from tests.api.conftest import issuer_folder, service, start_service
from tests.standin import standin

__all__ = ["issuer_folder", "service", "standin", "start_service"]


@pytest.fixture
def no_deletion(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps the sweep, which deletes expired rows as time to live does in the cloud, from coming first."""
    monkeypatch.setattr("noted.store.expiry.delete_expired", lambda *_: 0)
