"""What a user may see, must see and must not see, worked out from the calls that they made and what they were
answered; nothing of it looks at the service."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum

from tests.stateful.service import FACT_DAYS, TURN_DAYS

# Ends are rounded up to whole seconds; near one either answer is right.
_NEAR = timedelta(seconds=3)


class Sight(Enum):
    """Whether something is to be seen. `MAYBE`: the work was asked for and nobody has heard of its end."""

    NO = "no"
    MAYBE = "maybe"
    YES = "yes"


@dataclass
class Word:
    """One marked word, told once. `live`: whether a fact with it is live. `gone_at` is the moment by which
    everything that held it was erased, `banned_at` the one by which its fact was denied, corrected or erased;
    `fact_erased` and `corrected` say which: no verdict brings it back then.
    `tried`: a worker that was hindered may have stored its fact. `told_in` has the conversations in which an
    answer repeated it: their history goes on telling it, as what was said there, until they are erased
    themselves, by the moment that stands beside them. A moment is a number that goes up with every call and
    answer."""

    word: str
    user: str
    epoch: int
    conversation: str | None = None
    turn: str | None = None
    home: bool = False
    learns: bool = True
    private: bool = False
    extracted: bool = False
    tried: bool = False
    extracted_at: int | None = None
    live: Sight = Sight.NO
    confirmed: bool = False
    gone_at: int | None = None
    banned_at: int | None = None
    fact_erased: bool = False
    corrected: Sight = Sight.NO
    told_in: dict[str, int | None] = field(default_factory=dict)
    fact_id: str | None = None
    said_at: datetime | None = None
    expires_at: datetime | None = None

    def is_gone(self, by: int) -> bool:
        """Whether nothing may hold it any more, for a call that began at a moment."""
        return self._is_lost(by) and not self.is_told(by)

    def is_told(self, by: int) -> bool:
        """Whether the history of a conversation may tell it, for such a call."""
        return any(end is None or by <= end for end in self.told_in.values())

    def tellers(self) -> Iterator[str]:
        """The conversations whose history goes on telling it."""
        return (conversation for conversation, end in self.told_in.items() if end is None)

    def ends(self, conversation: str, moment: int) -> None:
        """A conversation was erased: nothing of it tells the word any more."""
        if self.told_in.get(conversation, moment) is None:
            self.told_in[conversation] = moment

    def _is_lost(self, by: int) -> bool:
        return self.gone_at is not None and self.gone_at < by

    def is_banned(self, by: int) -> bool:
        """Whether no prompt, recall or list of live facts may tell its fact, for such a call."""
        return self._is_lost(by) or (self.banned_at is not None and self.banned_at < by)

    def has_expired(self, now: datetime) -> bool:
        """Whether its fact must not be seen any more since its time is over."""
        return self.expires_at is not None and now >= self.expires_at + _NEAR

    def must_be_live(self, now: datetime) -> bool:
        """Whether its fact has to be in the list of live facts."""
        return self.live is Sight.YES and self.expires_at is not None and now < self.expires_at - _NEAR

    def must_be_said(self, now: datetime) -> bool:
        """Whether its turn has to be among the turns of its conversation."""
        stored = self.turn is not None and self.gone_at is None and self.said_at is not None
        return stored and self.said_at is not None and now < self.said_at + timedelta(days=TURN_DAYS) - _NEAR


@dataclass
class Oracle:
    """All users. `erased` has the conversations whose erasure was answered or seen, `doomed` those of which
    only the erasing can still be heard."""

    moment: int = 0
    words: dict[str, Word] = field(default_factory=dict)
    epochs: dict[str, int] = field(default_factory=dict)
    paused: dict[str, bool] = field(default_factory=dict)
    erased: set[str] = field(default_factory=set)

    def now(self) -> int:
        """The next moment."""
        self.moment += 1
        return self.moment

    def epoch(self, user: str) -> int:
        """The generation of a user's memory."""
        return self.epochs.get(user, 1)

    def of(self, user: str) -> Iterator[Word]:
        """The words that a user told."""
        return (each for each in self.words.values() if each.user == user)

    def of_turn(self, turn: str) -> Word | None:
        """The word that was told in a turn."""
        return next((each for each in self.words.values() if each.turn == turn), None)

    def of_fact(self, fact_id: str) -> Word | None:
        """The word of a fact that was seen."""
        return next((each for each in self.words.values() if each.fact_id == fact_id), None)

    def unlearnt(self, word: Word) -> None:
        """Nothing is learnt from it any more."""
        word.learns, word.live = False, Sight.MAYBE if word.tried else Sight.NO

    def kept(self, word: Word, now: datetime) -> None:
        """Its fact is known to have been stored."""
        word.extracted = True
        if word.extracted_at is None:
            word.extracted_at = self.now()
        if word.gone_at is None and word.banned_at is None:
            word.expires_at = now + timedelta(days=FACT_DAYS)
            # What else fills the same field of the profile may end it: which one stands is asked at the end.
            word.live = Sight.MAYBE if word.home else Sight.YES

    def erased_everything(self, user: str, epoch: int) -> None:
        """An erasure was answered: the user's generation is now `epoch`."""
        self.epochs[user] = epoch
        for word in self.of(user):
            if word.epoch < epoch:
                self.lost(word)
                for conversation in word.told_in:
                    word.ends(conversation, self.moment)

    def erased_conversation(self, conversation: str) -> None:
        """An erasure of a conversation was answered."""
        self.erased.add(conversation)
        for word in self.words.values():
            if word.conversation == conversation:
                self.lost(word)
            word.ends(conversation, self.moment)

    def lost(self, word: Word) -> None:
        """Nothing may hold a word from now on."""
        word.live = Sight.NO
        if word.gone_at is None:
            word.gone_at = self.now()

    def banned(self, word: Word, *, erased: bool = False) -> None:
        """Its fact may not be told from now on."""
        word.live = Sight.NO
        word.fact_erased = word.fact_erased or erased
        if word.banned_at is None:
            word.banned_at = self.now()

    def settle(self, word: Word) -> None:
        """After the answer to a write that began before something was erased: what it wrote is gone too."""
        if word.epoch < self.epoch(word.user) or word.conversation in self.erased:
            self.lost(word)
