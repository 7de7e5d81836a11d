"""Letters that are put in the place of others before texts are compared."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

Letters = Mapping[int, str]

# Words that are written with and without their accents are compared without.
LATIN: Letters = {
    code: base
    for code in range(0xC0, 0x250)
    if (base := unicodedata.normalize("NFD", chr(code))[0]).isascii() and base.isalpha()
}
