"""WordPiece, as uncased BERT models read text (Devlin et al. 2019), with the places of the pieces."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_LONGEST_WORD = 100  # characters; a longer word is unknown
_IDEOGRAPHS = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2CEAF), (0x2F800, 0x2FA1F))


@dataclass(frozen=True)
class Piece:
    """A piece of the vocabulary at `start` to `end`; pieces of one word share its number."""

    number: int
    start: int
    end: int
    word: int


def pieces(text: str, vocabulary: Mapping[str, int]) -> list[Piece]:
    """The pieces of a text, without those that models want at its ends."""
    found: list[Piece] = []
    for word, characters in enumerate(_words(text)):
        found += _split(characters, word, vocabulary)
    return found


def _split(characters: list[tuple[str, int]], word: int, vocabulary: Mapping[str, int]) -> list[Piece]:
    """The longest piece that fits at each place; the whole word is unknown if none does."""
    letters = "".join(form for form, _ in characters)
    unknown = [Piece(vocabulary["[UNK]"], characters[0][1], characters[-1][1] + 1, word)]
    if len(letters) > _LONGEST_WORD:
        return unknown
    found: list[Piece] = []
    start = 0
    while start < len(letters):
        for end in range(len(letters), start, -1):
            number = vocabulary.get(("##" if start else "") + letters[start:end])
            if number is not None:
                found.append(Piece(number, characters[start][1], characters[end - 1][1] + 1, word))
                start = end
                break
        else:
            return unknown
    return found


def _words(text: str) -> Iterator[list[tuple[str, int]]]:
    """The words: each letter in small and without accents, and where it comes from. A mark is a word of its
    own, and so is an ideograph."""
    word: list[tuple[str, int]] = []
    for place, character in enumerate(text):
        category = unicodedata.category(character)
        if category.startswith("Z") or character in "\t\n\r":
            if word:
                yield word
            word = []
        elif category.startswith("C") or character == "\ufffd":
            continue
        elif _stands_alone(character, category):
            if word:
                yield word
            word = []
            yield [(character, place)]
        else:
            word += [(form, place) for form in _plain(character)]
    if word:
        yield word


def _stands_alone(character: str, category: str) -> bool:
    code = ord(character)
    is_mark = category.startswith("P") or (code < 128 and not character.isalnum())
    return is_mark or any(first <= code <= last for first, last in _IDEOGRAPHS)


def _plain(character: str) -> str:
    apart = unicodedata.normalize("NFD", character)
    return "".join(form for form in apart if unicodedata.category(form) != "Mn").lower()
