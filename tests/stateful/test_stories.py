"""Each wall by which a promise is kept stands."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.stateful.stories import STORIES


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
def test_the_wall_stands(story: Callable[[], None]) -> None:
    story()
