"""Accounts and cards: IBAN, payment cards, wallets, and account numbers that are named as such."""

from __future__ import annotations

import re
from collections.abc import Iterator

from noted.privacy.detection.context import before
from noted.privacy.detection.span import Span
from noted.privacy.entities import EntityType

_IBAN = re.compile(r"(?<![\w])[A-Za-z]{2}\d\d(?:[ -]?[A-Za-z0-9]){11,30}(?![A-Za-z0-9])")
_IBAN_LENGTHS = (15, 34)  # ISO 13616: Norway has 15, no country more than 34
# Twelve digits and more behind a point are a fraction; behind a comma they are the next value of a list.
_DIGITS = re.compile(r"(?<![\w])(?<!\d\.)\d(?:[ -]?\d){11,}(?![\w])")
_SHORTEST_GROUP = 3
_GROUP = re.compile(r"\d+")
# Issuer ranges of ISO/IEC 7812 with the lengths that the networks use.
_CARD = re.compile(
    r"""4\d{15}(?:\d{3})? | 5[1-5]\d{14} | 2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}
      | 3[47]\d{13} | 3(?:0[0-5]|[689]\d)\d{11,16} | 35\d{14,17} | (?:6011|64[4-9]\d|65\d\d)\d{12,15}
      | 62\d{14,17} | 220[0-4]\d{12,15} | (?:60|8[12])\d{14} | (?:5[06-8]|6\d)\d{14,17}""",
    re.VERBOSE,
)
# What is as long as other numbers, and counts only beside a word for it: old Visa and Maestro, old JCB.
_SHORT_CARD = re.compile(r"4\d{12}|(?:5[06-8]|6\d)\d{10,13}|(?:1800|2131)\d{11}")
_CARD_WORD = re.compile(
    r"\b(?:card|visa|master\s?card|maestro|amex|american express|jcb|diners|discover|cc|credit|debit|karte"
    r"|carte|tarjeta|carta|cartão|карт\w*|کارت|بطاقة)\b|卡"
)
_ACCOUNT = re.compile(
    r"\b(?:bank |checking |savings |current |giro)?(?:account|acct|a/c|konto|cuenta|compte|conto)"
    r"(?: number| no\.?| num|nummer|\s?#| n[°º])(?: is| ist|:)? ?(?P<value>\d(?:[ -]?\d){5,16})"
    r"(?![\w]|\.\d)"
    r"|\b(?:routing|sort[ -]code|blz|bsb|ifsc)(?: number| no\.?| code)?(?: is|:)? ?"
    r"(?P<code>\d(?:[ -]?\d){5,8})(?![\w]|\.\d)",
    re.IGNORECASE,
)
_BITCOIN = re.compile(r"(?<![\w])(?:bc1[a-z0-9]{11,71}|[13][1-9A-HJ-NP-Za-km-z]{25,34})(?![\w])")
_ETHEREUM = re.compile(r"(?<![\w])0x[0-9a-fA-F]{40}(?![\w])")


def ibans(text: str) -> Iterator[Span]:
    """The IBANs of a folded text, by their country's structure and both of their checks."""
    place = 0
    while match := _IBAN.search(text, place):
        place = match.end()
        end = _iban_end(match.group())
        if end:
            compact = re.sub("[ -]", "", match.group()[:end]).upper()
            yield Span(match.start(), match.start() + end, EntityType.IBAN, compact)
            place = match.start() + end


def _iban_end(candidate: str) -> int | None:
    """How much of a candidate is an IBAN: it may go on into the words that follow."""
    from stdnum import iban

    ends = [index for index in range(len(candidate), 14, -1) if not candidate[index : index + 1].isalnum()]
    for end in ends:
        length = sum(character.isalnum() for character in candidate[:end])
        if _IBAN_LENGTHS[0] <= length <= _IBAN_LENGTHS[1] and iban.is_valid(candidate[:end], False):
            return end
    return None


def cards(text: str) -> Iterator[Span]:
    """The card numbers of a folded text: an issuer's range and Luhn's check, at the edges of groups."""
    for match in _DIGITS.finditer(text):
        groups = [found.span() for found in _GROUP.finditer(match.group())]
        digits = [match.group()[start:end] for start, end in groups]
        first = 0
        while first < len(groups):
            last = _card_end(digits, first, text, match.start() + groups[first][0])
            if last is None:
                first += 1
                continue
            number = "".join(digits[first : last + 1])
            yield Span(
                match.start() + groups[first][0], match.start() + groups[last][1], EntityType.CARD, number
            )
            first = last + 1


def _card_end(digits: list[str], first: int, text: str, start: int) -> int | None:
    """The last group of the card number that begins with group `first`: the longest reading that passes."""
    number, lengths = "", list[tuple[int, str]]()
    for place in range(first, len(digits)):
        if len(digits[place]) < _SHORTEST_GROUP:
            break  # cards are printed in groups of three to six; 57 68 61 74 is something else
        number += digits[place]
        if len(number) > 19:
            break
        if len(number) >= 12:
            lengths.append((place, number))
    for place, candidate in reversed(lengths):
        known = _CARD.fullmatch(candidate) or (
            _SHORT_CARD.fullmatch(candidate) and _CARD_WORD.search(before(text, start))
        )
        if known and luhn(candidate):
            return place
    return None


def luhn(digits: str) -> bool:
    """Whether the last digit is the one that Luhn's algorithm (ISO/IEC 7812-1) asks for."""
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + sum(doubled)) % 10 == 0


def account_numbers(text: str) -> Iterator[Span]:
    """Numbers of bank accounts and banks that are named as such, and addresses of wallets."""
    for match in _ACCOUNT.finditer(text):
        group = "value" if match["value"] else "code"
        yield Span(*match.span(group), EntityType.ACCOUNT, re.sub(r"\D", "", match[group]))
    for match in _ETHEREUM.finditer(text):
        yield Span(*match.span(), EntityType.WALLET, match.group().casefold())
    for match in _BITCOIN.finditer(text):
        from stdnum import bitcoin

        if bitcoin.is_valid(match.group()):
            yield Span(*match.span(), EntityType.WALLET, match.group())
