"""An episode: what one conversation was about, written once it rests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True)
class Episode:
    """A conversation has one episode; when it goes on and rests again, another takes its place.

    `began_at` and `ended_at` are when the first and the last thing in it were said. `words` are the packed
    tokens of the text by which it is found, `vector` the packed embedding of it by the model named in
    `embedder`. The text is masked: `entities` holds, by its id, what each id in it stands for.
    """

    episode_id: str
    conversation_id: str
    text: str
    began_at: datetime
    ended_at: datetime
    created_at: datetime
    expires_at: datetime
    words: bytes | None = None
    vector: bytes | None = None
    embedder: str | None = None
    entities: Mapping[str, str] = field(default_factory=dict)
