"""What every resource of the interface has in common."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, PlainSerializer

from noted.clock import timestamp

Time = Annotated[datetime, PlainSerializer(timestamp, return_type=str)]

Item = TypeVar("Item", bound=BaseModel)


class Reply(BaseModel):
    """A body of a reply. Its checks are built when it is first used: a function serves a few of them, and a
    cold start would pay for all."""

    model_config = ConfigDict(defer_build=True)


class Page(Reply, Generic[Item]):
    """A page of a list. `next_cursor` goes on behind it; null at the end."""

    items: list[Item]
    next_cursor: str | None
