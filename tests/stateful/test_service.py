"""The whole service in any order of events. `NOTED_STATEFUL_EXAMPLES` asks for more than the usual 300
examples; `python -m tests.stateful 10000` runs as many by hand and tells how far it is."""

from __future__ import annotations

import os

import pytest

from tests.stateful.parts import run

PARTS = 12
EXAMPLES = int(os.environ.get("NOTED_STATEFUL_EXAMPLES") or 300)


@pytest.mark.parametrize("part", range(PARTS))
def test_what_users_were_told_is_so_whatever_happens(part: int) -> None:
    print(f"seed {part}, {EXAMPLES // PARTS} examples")  # noqa: T201
    run(part, EXAMPLES // PARTS)
