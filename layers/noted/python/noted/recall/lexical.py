"""The lexical leg of recall: words, and how well each document answers them by BM25.

Exact over the documents given, with the inverse document frequencies of those same documents: one user's
own. `tokens` cuts a text; `pack` is the form to store beside a fact, so that a query stems its own words and
no one else's; `Index` ranks packed documents. It finds what an embedding blurs: numbers, names, emoji.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from zlib import crc32

import Stemmer

if TYPE_CHECKING:
    from numpy import float64, intp, uint32
    from numpy.typing import NDArray

# Saturation and length normalisation (Robertson and Zaragoza 2009). For long documents 1.2 to 2 and 0.5 to
# 0.8 are usual; a fact is a sentence, where a word said twice or a few words more say little. Measured by
# `evals.recall`, and flat around these.
K1 = 0.6
B = 0.3

_ENGLISH = """
    a about above after again against all am an and any are as at be because been before being below between
    both but by can could did do does doing down during each few for from further had has have having he her
    here hers herself him himself his how i if in into is it its itself just me mine more most my myself no
    nor not of off on once only or other our ours ourselves out over own same she should so some such than
    that the their theirs them themselves then there these they this those through to too under until up
    very was we were what when where which while who whom whose why will with would you your yours yourself
    yourselves
"""
# Of scripts in which they stand for nothing else; as `_fold` leaves them. Among few facts their rarity alone
# would make them weigh as much as any word.
_CYRILLIC = """
    а без бы был была были было быть в во вы где да для до его ее если есть же за и из или их к как какая
    какие какого какое какой какую ко когда кто ли мне мной мои мой моя моего моей мы на не него нее ни но о
    об он она они оно от по при с себя со так там то ты у что это этот я
"""
_ARABIC_AND_PERSIAN = """
    فی من علی الی عن مع ما ماذا هل هو هی انا انت لی او ان کان کانت هذا هذه التی الذی این متی کیف و
    در به از با که را یا یک ان است بود هست چه چیست کجا کی تو شما برای
"""
_HEBREW = "של על עם את אני אתה הוא היא הם זה זו מה מי איפה מתי איך לי יש אין לא כן גם או אל כל איזה אילו"
_ORDINALS = {"st", "nd", "rd", "th"}
_PERSIAN_AFFIXES = {"ها", "های", "می", "نمی"}  # what a zero-width non-joiner splits from a word
STOP_WORDS = (
    frozenset(f"{_ENGLISH} {_CYRILLIC} {_ARABIC_AND_PERSIAN} {_HEBREW}".split())
    | _ORDINALS
    | _PERSIAN_AFFIXES
)

# What may stand between the parts of one word or number.
CONNECTORS = "-\u2010\u2011_./:,@+&'\u2019"
_IN_ASCII = re.compile(f"[a-z0-9]+(?:[{CONNECTORS}][a-z0-9]+)*")

_CONNECTOR = re.compile(f"[{CONNECTORS}]")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_FIGURE = re.compile(r"\d+(?:[.,]\d+)+")
_LETTERS_AND_NUMBER = re.compile(r"([a-z]{2,})(\d+)|(\d+)([a-z]{2,})")
_NEGATION = re.compile("n['\u2019]t$")
_ENDING = re.compile("['\u2019](?:s|d|m|ll|re|ve)$")

# One stemmer a script, by the first letter, so that the same word has the same stem wherever it stands. Latin
# gets the English one whatever the language, since a single word does not tell its language: a word of
# another language still meets itself, and only its own inflections can be missed. Arabic script has a rule of
# its own below, because Arabic and Persian share it and the stemmer of one mutilates the other.
_STEMMERS = (
    ("a", "z", "english"),
    ("\u0370", "\u03ff", "greek"),
    ("\u0400", "\u04ff", "russian"),
    ("\u0530", "\u058f", "armenian"),
    ("\u0900", "\u097f", "hindi"),
    ("\u0b80", "\u0bff", "tamil"),
)
_ARTICLE = re.compile("^(?:[وبکف]?ال|لل)(?=...)")
_PLURAL_OR_HERS = re.compile("(?<=...)ها(?:ی|یی)?$")
_per_thread = threading.local()  # a Snowball stemmer must not be shared between threads


def tokens(text: str) -> list[str]:
    """The words of a text, in order, folded and stemmed, without stop words; [] where there are none.

    Numbers stay whole ("1,200" is `1200`, "55.5" is `55.5`), ids whole and in parts ("PO-7741": `po7741`,
    `po`, `7741`), hyphenated words joined and in parts. An emoji is a word, whatever its skin tone. Scripts
    without blanks give overlapping pairs of characters, and Chinese and Korean each character as well.

    >>> tokens("Order PO-7741 cost 1,200 euros 🎉")
    ['order', 'po7741', 'po', '7741', 'cost', '1200', 'euro', '🎉']
    >>> tokens("我在上海")
    ['我', '我在', '在', '在上', '上', '上海', '海']
    """
    if not text.isascii():
        return list(_mixed(text))
    stem = _stemmer("english").stemWord
    words: list[str] = []
    for found in _IN_ASCII.findall(text.lower()):
        if not found.isalpha():
            words.extend(_words(found))
        elif found not in STOP_WORDS:
            words.append(stem(found))
    return words


def _mixed(text: str) -> Iterator[str]:
    from noted.recall import scripts

    for part, whole in scripts.parts(scripts.fold(text)):
        if whole:
            yield part
        else:
            yield from _words(part)


def _words(found: str) -> Iterator[str]:
    """The tokens of a run of letters and digits that connectors may hold together."""
    if found.isalpha():
        yield from _word(found)
        return
    if _THOUSANDS.fullmatch(found):
        yield found.replace(",", "")
        return
    if _FIGURE.fullmatch(found):
        yield found.replace(",", ".")
        return
    if _NEGATION.search(found):
        return
    parts = _CONNECTOR.split(_ENDING.sub("", found))
    if len(parts) > 1:
        # Groups of digits keep a mark between them, or 19:30 would be the year 1930.
        yield from _word("".join(parts) if any(not part.isdecimal() for part in parts) else "-".join(parts))
    for part in parts:
        yield from _word(part)
        split = _LETTERS_AND_NUMBER.fullmatch(part)
        if split:
            yield from (piece for piece in split.groups() if piece and piece not in STOP_WORDS)


def _word(word: str) -> Iterator[str]:
    if word not in STOP_WORDS:
        yield _stem(word)


def _stem(word: str) -> str:
    first = word[0]
    if "\u0620" <= first <= "\u06ff":
        return _PLURAL_OR_HERS.sub("", _ARTICLE.sub("", word))
    for start, end, language in _STEMMERS:
        if start <= first <= end:
            return word if any(map(str.isdigit, word)) else str(_stemmer(language).stemWord(word))
    return word


def _stemmer(language: str) -> Stemmer.Stemmer:
    stemmers: dict[str, Stemmer.Stemmer] = _per_thread.__dict__
    if language not in stemmers:
        # Without its cache, in which one user's words would outlive the request and an erasure.
        stemmers[language] = Stemmer.Stemmer(language, 0)
    return stemmers[language]


def pack(words: Sequence[str]) -> bytes:
    """The stored form of a document: the CRC-32 of each token, four bytes each, little-endian.

    Two words share a number with a chance of 1 in 4.3 thousand million, so a query word meets a wrong one
    among 10,000 different words about twice in a million queries. It cannot be read as text, but a vocabulary
    can be tried out against it, so it is sealed like the text.
    """
    return b"".join(crc32(word.encode()).to_bytes(4, "little") for word in words)


class Index:
    """BM25 over packed documents (see `pack`), built for one recall and thrown away.

    Building costs one pass over the bytes; each distinct word of a query one comparison with all tokens.
    Raises ValueError when a document is not a whole number of tokens.
    """

    def __init__(self, packed: Sequence[bytes]) -> None:
        import numpy as np

        if any(len(document) % 4 for document in packed):
            raise ValueError("a packed document holds four bytes a token")
        lengths = np.fromiter(map(len, packed), dtype=np.intp, count=len(packed)) // 4
        self._tokens = np.frombuffer(b"".join(packed), dtype="<u4")
        self._document = np.repeat(np.arange(len(packed)), lengths)
        self._measure(lengths)

    def _measure(self, lengths: NDArray[intp]) -> None:
        """Takes the number of tokens of each document."""
        self.size = len(lengths)
        mean = float(lengths.mean()) if lengths.any() else 1.0
        self._norm = K1 * (1 - B + B * lengths / mean)

    def _occurrences(self, codes: NDArray[uint32]) -> tuple[NDArray[intp], NDArray[intp]]:
        """Every occurrence of one of the codes: the place of its document, and its own place in `codes`."""
        import numpy as np

        order = np.argsort(codes)
        nearest = np.take(order, np.searchsorted(codes, self._tokens, sorter=order), mode="clip")
        found = codes[nearest] == self._tokens
        return self._document[found], nearest[found]

    def postings(self, words: Sequence[str]) -> tuple[NDArray[intp], NDArray[intp], NDArray[intp]]:
        """Where the words, all different, occur: for each pair that meets, the place of the document, the
        place of the word in `words`, and how often that document holds it."""
        import numpy as np

        if not words:
            nothing = np.zeros(0, dtype=np.intp)
            return nothing, nothing, nothing
        codes = np.array([crc32(word.encode()) for word in words], dtype=np.uint32)
        places, found = self._occurrences(codes)
        pairs, counts = np.unique(places * len(words) + found, return_counts=True)
        documents, which = np.divmod(pairs, len(words))
        return documents, which, counts

    def rarity(self, document_frequencies: NDArray[intp]) -> NDArray[float64]:
        """The inverse document frequency of words that so many documents hold, always positive."""
        import numpy as np

        return np.log1p(
            (self.size - document_frequencies + 0.5) / (document_frequencies + 0.5), dtype=np.float64
        )

    def scores(self, words: Sequence[str]) -> NDArray[float64]:
        """The BM25 score of each document for the words of a query, 0 where it holds none of them.

        A word given twice counts twice.
        """
        import numpy as np

        asked = Counter(words)
        documents, which, counts = self.postings(list(asked))
        weights = np.array(list(asked.values())) * self.rarity(np.bincount(which, minlength=len(asked)))
        gains = weights[which] * counts * (K1 + 1) / (counts + self._norm[documents])
        return np.asarray(np.bincount(documents, weights=gains, minlength=self.size), dtype=np.float64)
