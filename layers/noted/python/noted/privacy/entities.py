"""Personal values as entities: their types, the ids that stand for them in stored text, and their words.

A stored text holds an id such as `⟦phone:kqzxmhwbtrnvdlcs⟧` where the user wrote a value: the type, and 16
letters that only the user's key can make from the value. They are letters, so that no rule about figures
sees a number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum


class EntityType(StrEnum):
    """What a personal value is. TEXT is no personal value: it is typed text that looks like an id."""

    PHONE = "phone"
    EMAIL = "email"
    IBAN = "iban"
    CARD = "card"
    ACCOUNT = "account"
    WALLET = "wallet"
    NATIONAL_ID = "national_id"
    PASSPORT = "passport"
    LICENCE = "licence"
    BIRTH_DATE = "birth_date"
    IP = "ip"
    MAC = "mac"
    SECRET = "secret"  # noqa: S105 (the name of a type)
    PERSON = "person"
    ADDRESS = "address"
    TEXT = "text"


WORDS: Mapping[EntityType, str] = {
    EntityType.PHONE: "phone number",
    EntityType.EMAIL: "e-mail address",
    EntityType.IBAN: "IBAN bank account",
    EntityType.CARD: "card number",
    EntityType.ACCOUNT: "bank account number",
    EntityType.WALLET: "wallet address",
    EntityType.NATIONAL_ID: "identity number",
    EntityType.PASSPORT: "passport number",
    EntityType.LICENCE: "driving licence number",
    EntityType.BIRTH_DATE: "date of birth",
    EntityType.IP: "IP address",
    EntityType.MAC: "device address",
    EntityType.SECRET: "secret",
    EntityType.PERSON: "person",
    EntityType.ADDRESS: "postal address",
    EntityType.TEXT: "text",
}

ENTITY = re.compile(rf"⟦(?P<type>{'|'.join(EntityType)}):(?P<letters>[a-z]{{16}})⟧")

_LETTERS = 16  # 26^16 is above 2^75: among a million values of a user, none meet


def entity_id(entity_type: EntityType, blinded: bytes) -> str:
    """The id for a value: `blinded` is what the user's key makes of type and value, at least 16 bytes."""
    number, letters = int.from_bytes(blinded[:16]), ""
    for _ in range(_LETTERS):
        number, place = divmod(number, 26)
        letters += chr(ord("a") + place)
    return f"⟦{entity_type}:{letters}⟧"


def type_of(identity: str) -> EntityType:
    """The type of the value that an id stands for. Raises ValueError for what is no id."""
    match = ENTITY.fullmatch(identity)
    if match is None:
        raise ValueError("not the id of an entity")
    return EntityType(match["type"])


def nobody(entity_type: EntityType) -> str:
    """What is said where a value cannot be told: "that phone number"."""
    return f"that {WORDS[entity_type]}"


def occurring(entities: Mapping[str, str], *texts: str) -> dict[str, str]:
    """Those of the entities whose ids stand in the texts, in order of appearance."""
    found = (match.group() for text in texts for match in ENTITY.finditer(text))
    return {identity: entities[identity] for identity in found if identity in entities}


def ids_in(texts: Iterable[str]) -> list[str]:
    """The ids in these texts, each once, in order of appearance."""
    return list(dict.fromkeys(match.group() for text in texts for match in ENTITY.finditer(text)))


def in_words(text: str, *, with_letters: bool = False) -> str:
    """The text with a plain word for each id ("phone number"): what is embedded, since the letters of an id
    mean nothing. `with_letters` keeps them behind the word: what is searched by words, where the same value
    in a query has the same letters, and no others do."""
    kept = r"\g<letters>" if with_letters else ""
    return ENTITY.sub(lambda match: f"{WORDS[EntityType(match['type'])]} {match.expand(kept)}".rstrip(), text)
