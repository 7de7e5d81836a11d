"""The prompt for a message, for clients that call a model themselves: nothing is stored, no model called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noted.context import layout
from noted.context.lettering import lettered
from noted.conversation.answering import masked
from noted.conversation.outcome import Context, Tokens
from noted.conversation.window import WINDOW
from noted.errors import InvalidRequest
from noted.privacy.masking import Masker, unmasked

if TYPE_CHECKING:
    from noted.conversation.preparing import Preparing
    from noted.store.memory import Memory
    from noted.store.repository import Standing


class Contexts:
    """Makes the contexts of one user."""

    def __init__(self, memory: Memory, standing: Standing, preparing: Preparing, masker: Masker) -> None:
        self._memory = memory
        self._standing = standing
        self._preparing = preparing
        self._masker = masker

    def context(self, conversation_id: str, text: str, budget_tokens: int) -> Context:
        """The prompt for a message, of at most `budget_tokens` tokens; where the replayed turns do not fit,
        the oldest are left out. Raises NotFound, and InvalidRequest when the rest does not fit either."""
        conversation, window = self._memory.conversations.thread(conversation_id, WINDOW.most)
        message = masked(self._masker, text, (), remember=True)
        on = not (conversation.incognito or self._standing.paused)
        gathered = self._preparing.gathered(conversation, window, message, on=on)
        room = budget_tokens
        while True:
            prepared = gathered.laid_out(room)
            prompt, letters = lettered(prepared.prompt)
            tokens = Tokens(*layout.prompt_tokens(prompt))
            if tokens.total <= budget_tokens:
                break
            if tokens.history == 0:
                raise InvalidRequest([("budget_tokens", f"leaves no room: {tokens.total} tokens are needed")])
            # What is left out goes in short into the summary, so the room has to be looked at again.
            room = max(min(room, tokens.history) - (tokens.total - budget_tokens), 0)
        return Context(
            prompt=prompt,
            tokens=tokens,
            placeholders={token: unmasked(name, prepared.entities) for token, name in letters.ids.items()},
            recalled=prepared.recalled,
            degraded=prepared.degraded,
        )
