"""What a person only imagines, supposes or plays: their words, and yet no statement about them."""

from __future__ import annotations

import re
from collections.abc import Iterator

# What is only imagined, played or supposed: of one line, and of all that follows where a part is played.
_IMAGINED = re.compile(
    r"(?:^|(?<=[.!?\n] ))(?:(?:ok|okay|so|now|hey|hi|please|just)\b[, ]*){0,2}"
    r"(?:(?P<played>let'?s (?:role-?play|pretend|play (?!it))|role-?play|lass uns (?:ein )?rollenspiel"
    r"|jeu de rôle|juego de rol|gioco di ruolo)|in (?:this|my|the) (?:story|novel|scenario"
    r"|script|role-?play)\b"
    r"|imagine (?!my|the|how|what)|suppose (?!i should|it)|hypothetically|let'?s (?:say|assume|imagine)"
    r"|assume(?: that)? (?:i|we|my)\b|for the sake of argument|as a thought experiment|what if\b"
    r"|stell(?:e|en sie)? (?:dir|sich) vor|angenommen|nehmen wir an|mal angenommen|imagin(?:e|ons|ez) qu"
    r"|supposons|suppose qu|imagina que|imagínate|supongamos|supón|immagina|supponiamo|metti che|imagine que"
    r"|suponha|vamos supor|stel je voor|stel dat|gesteld dat|hypothetisch)",
    re.IGNORECASE | re.MULTILINE,
)


def imagined(text: str) -> Iterator[tuple[int, int]]:
    """Where it stands: to the end of the line, and to the end of the text where a part is played."""
    for match in _IMAGINED.finditer(text):
        end = -1 if match["played"] else text.find("\n", match.end())
        yield match.start(), end if end >= 0 else len(text)
