"""What was erased on one machine, kept beside its database: a folder with one file an erasure. All tables are
in one file there, and an earlier copy of it knows nothing of the erasures since; this folder does."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

from local.files import create_private, private_folder, remove
from noted.store.database import Database
from noted.store.replay_copy import copies, put_back
from noted.store.tables import EXPIRY


class ErasureFolder:
    """`<data>/erasures`. A file is named after the erasure's id."""

    def __init__(self, data: Path, database: Database) -> None:
        self._folder = private_folder(private_folder(data) / "erasures")
        self._database = database

    def keep(self) -> None:
        """Copies what is not here yet; when it returns the copies are on the disk."""
        for erasure_id, row in copies(self._database):
            path = self._folder / erasure_id
            if not path.exists():
                create_private(path, row)

    def put_back(self) -> int:
        """Tells the tables of the erasures that they know nothing of; how many those are."""
        return sum(put_back(self._database, path.read_bytes()) for path in self._paths())

    def delete_expired(self, now: datetime) -> None:
        """Deletes the copies of rows whose time ended before `now`."""
        for path in self._paths():
            if json.loads(path.read_bytes())[EXPIRY] <= now.timestamp():
                remove(path)

    def _paths(self) -> list[Path]:
        return sorted(path for path in self._folder.iterdir() if not path.name.startswith("."))
