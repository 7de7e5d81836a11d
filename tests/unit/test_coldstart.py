"""The evaluation of cold starts: its arithmetic, and how it reads what Python tells."""

from __future__ import annotations

import pytest

from evals.coldstart.__main__ import BARE, compared
from evals.coldstart.imports import by_package

TOLD = """\
import time: self [us] | cumulative | imported package
import time:       100 |        100 |   json.decoder
import time:       250 |        350 | json
import time:      1200 |       1200 |     botocore.utils
import time:       300 |       1500 |   botocore
import time:        50 |       1550 | boto3
a line of the program itself
"""


def test_an_import_is_counted_once_and_without_what_it_imports() -> None:
    found = by_package(TOLD, frozenset({"json"}))
    assert found == {"botocore": 1.5, "the standard library": 0.35, "boto3": 0.05}
    assert list(found) == ["botocore", "the standard library", "boto3"]


def test_a_ratio_is_taken_round_by_round() -> None:
    # The machine was three times as slow in the second round, for both.
    costs = compared({BARE: [100, 300, 110], "recall": [150, 450, 176]})
    assert costs[BARE].ratio == 1
    assert costs["recall"].ratio == pytest.approx(1.5)
    assert costs["recall"].milliseconds == 176
