"""The languages in which the gate reads who speaks and what is asked: one module of word lists each."""

from __future__ import annotations

from noted.privacy.gate.languages.dutch import DUTCH
from noted.privacy.gate.languages.english import ENGLISH
from noted.privacy.gate.languages.french import FRENCH
from noted.privacy.gate.languages.german import GERMAN
from noted.privacy.gate.languages.italian import ITALIAN
from noted.privacy.gate.languages.language import Language
from noted.privacy.gate.languages.portuguese import PORTUGUESE
from noted.privacy.gate.languages.spanish import SPANISH

LANGUAGES: tuple[Language, ...] = (ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH)

__all__ = ["LANGUAGES", "Language"]
