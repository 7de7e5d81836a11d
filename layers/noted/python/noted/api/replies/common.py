"""What every resource of the interface has in common."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Generic, TypeVar

from pydantic import BaseModel, PlainSerializer

from noted.clock import timestamp

Time = Annotated[datetime, PlainSerializer(timestamp, return_type=str)]

Item = TypeVar("Item", bound=BaseModel)


class Page(BaseModel, Generic[Item]):
    """A page of a list. `next_cursor` goes on behind it; null at the end."""

    items: list[Item]
    next_cursor: str | None
