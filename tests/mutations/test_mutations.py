"""Without its wall, each story ends badly: what would notice that a wall is gone is known to notice."""

from __future__ import annotations

from contextlib import ExitStack
from unittest.mock import patch

import pytest

from tests.mutations.walls import MUTATIONS, Mutation


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_a_wall_that_is_gone_is_missed(mutation: Mutation) -> None:
    with ExitStack() as patches:
        for place, value in mutation.put.items():
            patches.enter_context(patch(place, value))
        # pytest's own failures, such as an exception that did not come, are no AssertionError.
        with pytest.raises((AssertionError, pytest.fail.Exception)) as missed:
            mutation.story()
    print(f"{mutation.name}: {mutation.story.__name__}: {str(missed.value)[:100]}")  # noqa: T201
