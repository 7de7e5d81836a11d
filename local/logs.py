"""Logs of one machine: a line a record on standard error, of the same fields as in the cloud."""

from __future__ import annotations

import sys
from typing import TextIO

from noted import logs


def configure(stream: TextIO = sys.stderr) -> None:
    """Sends all logs to `stream`."""
    logs.configure(logs.TextLines(), stream)
