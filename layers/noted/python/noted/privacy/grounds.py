"""On what grounds an erasure is asked for on somebody's behalf."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Grounds:
    """The law that is named, a reason from a closed list, and when the person asked for it."""

    regulation: str
    reason: str
    submitted_at: datetime
