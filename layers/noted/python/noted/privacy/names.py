"""Names of people and postal addresses, which have no form that a rule could know.

What finds them is chosen by a setting: `none`, `local`, a small model that runs in the process, or
`comprehend`, Amazon Comprehend. It sees the text after the rules, with blanks where they found a value: a
card or an IBAN is handed to nobody.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from noted.errors import ModelUnavailable
from noted.privacy.detection.span import Span
from noted.privacy.entities import EntityType
from noted.text.folding import fold

if TYPE_CHECKING:
    from mypy_boto3_comprehend import ComprehendClient
    from mypy_boto3_comprehend.literals import LanguageCodeType


class NameDetector(Protocol):
    """Finds names in a text."""

    def names(self, text: str) -> list[Span]:
        """The names and addresses, in order, without overlap. Raises ModelUnavailable."""
        ...


# What Comprehend calls what. Its other types are left to the rules, or are no value that is kept apart (ages,
# dates, links).
_TYPES = {
    "NAME": EntityType.PERSON,
    "ADDRESS": EntityType.ADDRESS,
    "PASSPORT_NUMBER": EntityType.PASSPORT,
    "DRIVER_ID": EntityType.LICENCE,
    "PASSWORD": EntityType.SECRET,
    "BANK_ACCOUNT_NUMBER": EntityType.ACCOUNT,
}
LANGUAGES = ("en", "es")  # those in which Comprehend detects personal data
_MOST_BYTES = 100_000  # of one call's text, in UTF-8
_SURE = 0.8


class ComprehendNames:
    """Amazon Comprehend's DetectPiiEntities. Raises ValueError for a language that it does not know.

    A text that is not in a Latin script is not sent: in none of the languages could it be read.
    """

    def __init__(self, client: ComprehendClient, language: str = "en", sure: float = _SURE) -> None:
        if language not in LANGUAGES:
            raise ValueError(f"names can be detected in {' and '.join(LANGUAGES)}")
        self._client = client
        self._language: LanguageCodeType = "es" if language == "es" else "en"
        self._sure = sure

    def names(self, text: str) -> list[Span]:
        """Raises ModelUnavailable."""
        from botocore.exceptions import BotoCoreError, ClientError

        found: list[Span] = []
        for start, piece in _pieces(text):
            if not _is_latin(piece):
                continue
            try:
                reply = self._client.detect_pii_entities(Text=piece, LanguageCode=self._language)
            except ClientError as error:
                raise ModelUnavailable(error.response.get("Error", {}).get("Code", "refused")) from None
            except BotoCoreError as error:
                raise ModelUnavailable(type(error).__name__) from None
            for entity in reply["Entities"]:
                kind = _TYPES.get(entity.get("Type", ""))
                begin, end = entity.get("BeginOffset", 0), entity.get("EndOffset", 0)
                if kind and entity.get("Score", 0.0) >= self._sure and 0 <= begin < end <= len(piece):
                    found.append(Span(start + begin, start + end, kind, canonical(piece[begin:end])))
        return found


def canonical(name: str) -> str:
    """The form in which two names are one: without case, accents' spelling and the width of blanks."""
    return fold(name)


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """The text in pieces that one call takes, cut at line ends or blanks where there are any."""
    start = 0
    while start < len(text):
        end = min(len(text), start + _MOST_BYTES // 4)  # a character has at most four bytes
        if end < len(text):
            cut = max(text.rfind("\n", start, end), text.rfind(" ", start, end))
            end = cut + 1 if cut > start else end
        yield start, text[start:end]
        start = end


def _is_latin(text: str) -> bool:
    letters = [character for character in text if character.isalpha()]
    latin = sum(character < "\u0250" or "\u1e00" <= character < "\u1f00" for character in letters)
    return bool(letters) and 2 * latin >= len(letters)


def names_detector(setting: str) -> NameDetector | None:
    """What the setting asks for: `none`, `local`, or `comprehend`, with a language other than English after
    a colon (`comprehend:es`). Raises ValueError, and ModelUnavailable where there is no local model."""
    choice, _, language = setting.partition(":")
    if setting == "none":
        return None
    if setting == "local":
        from noted.privacy.local_names import LocalNames

        return LocalNames()
    if choice == "comprehend":
        import boto3
        from botocore.config import Config

        config = Config(connect_timeout=1, read_timeout=2, retries={"total_max_attempts": 2})
        return ComprehendNames(boto3.client("comprehend", config=config), language or "en")
    raise ValueError("names are detected by none, local or comprehend")
