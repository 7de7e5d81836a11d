"""A stand-in model server for tests: real HTTP, OpenAI's protocol, and only the replies that a test asks for.

    with StandIn() as standin:
        standin.reply("extraction", standin.facts(("Lives in Porto", "I live in Porto")))
        ...
        assert standin.calls["extraction"][0].user == "I live in Porto"

A `conftest.py` gets the fixture by importing `standin` from here.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.standin.replies import Call, Say, embedding_of
from tests.standin.server import StandIn

__all__ = ["Call", "Say", "StandIn", "embedding_of", "standin"]


@pytest.fixture
def standin() -> Iterator[StandIn]:
    """A stand-in server of this test's own."""
    with StandIn() as server:
        yield server
