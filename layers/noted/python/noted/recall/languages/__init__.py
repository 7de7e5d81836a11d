"""Expressions of time in other languages than English.

Arabic, Chinese, Dutch, French, German, Italian, Japanese, Persian, Portuguese, Russian and Spanish: days
(yesterday, three days ago, on Monday, 3 April), weeks to years (last week, two weeks ago, in the last ten
days), months, seasons and years by name, parts of days, and since, after, before, until and between. The
names of months and weekdays are those of the CLDR. Dates in figures have their day first.

A text is read in one language: that of which it has the most words, or the only one that its script is
written for. A language costs its import, once, when a text in it comes.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noted.recall.speech import Speech

_MODULES = {
    "ar": "arabic", "de": "german", "es": "spanish", "fa": "persian", "fr": "french", "it": "italian",
    "ja": "japanese", "nl": "dutch", "pt": "portuguese", "ru": "russian", "zh": "chinese",
}  # fmt: skip


def spoken(folded: str) -> Speech | None:
    """The language of a folded text, None for English and for languages whose times are not known."""
    code = _language(folded)
    return None if code is None else _speech(code)


@cache
def _speech(code: str) -> Speech:
    speech: Speech = import_module(f"noted.recall.languages.{_MODULES[code]}").SPEECH
    return speech


def _language(folded: str) -> str | None:
    from noted.recall.languages.recognition import language

    code = language(folded)
    return None if code == "en" else code
