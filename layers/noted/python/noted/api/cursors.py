"""Cursors of lists: sealed, so that nobody reads or makes one, and bound to the user and the query."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Sequence

from noted.errors import Malformed
from noted.privacy.sealing import CannotOpen, Place, Sealer


class Cursors:
    """The cursors of one query of one user: `query` is its route and every parameter that shapes the list."""

    def __init__(self, sealer: Sealer, query: Sequence[str | None]) -> None:
        self._sealer = sealer
        self._place = Place("cursor", "", json.dumps(list(query)), "after")

    def give(self, after: str | None) -> str | None:
        """The cursor that goes on behind a position; None at the end of the list."""
        if after is None:
            return None
        return base64.urlsafe_b64encode(self._sealer.seal(after.encode(), self._place)).decode().rstrip("=")

    def take(self, cursor: str | None) -> str | None:
        """The position that a cursor goes on behind, None for the beginning. Raises Malformed for any text
        that is not a cursor of this very query and user."""
        if not cursor:
            return None
        try:
            padded = cursor + "=" * (-len(cursor) % 4)
            sealed = base64.b64decode(padded, altchars=b"-_", validate=True)
            return self._sealer.open(sealed, self._place).decode()
        except (CannotOpen, binascii.Error, ValueError):
            raise Malformed("The cursor does not belong to this list.") from None
