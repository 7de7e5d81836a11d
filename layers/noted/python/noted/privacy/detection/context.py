"""The words before a number that say what it is."""

from __future__ import annotations

import re

_REACH = 40  # characters: "my passport, which I renewed in May, is number" and not the sentence before


def before(text: str, start: int, reach: int = _REACH) -> str:
    """What stands before a place without case: on its line, or where that is blank, on the one above."""
    lines = text[max(0, start - reach) : start].casefold().rsplit("\n", 2)
    return lines[-1] if lines[-1].strip() or len(lines) == 1 else lines[-2]


def last_place(pattern: re.Pattern[str], words: str) -> int:
    """Where the last match of a pattern in these words ends, or -1."""
    return max((match.end() for match in pattern.finditer(words)), default=-1)


_WHOLE = re.compile(r"(?<![\w.,;|/\"'])[-+]?\d{1,3},$")
_GOES_ON = re.compile(r"\d+|\d{3}(?:[ .]\d{3})+|\d{3}\.\d+")
_THOUSANDS = re.compile(r"\d{1,3}(?:[ .]\d{3})+")
_FRACTION = re.compile(r",\d\d?(?![\d,])")
_LIST_GOES_ON = re.compile(r"[,;|]\S")


def is_part_of_number(text: str, start: int, end: int) -> bool:
    """Whether a comma makes the digits of a place the thousands or the fraction of one longer number, as in
    48,8566140 and 1 250 000,50, and does not part two values, as in "Ann,30,0612345678"."""
    digits = text[start:end]
    if _THOUSANDS.fullmatch(digits) and _FRACTION.match(text, end):
        return True
    is_behind = _GOES_ON.fullmatch(digits) and _WHOLE.search(text[max(0, start - 8) : start])
    return bool(is_behind) and not _LIST_GOES_ON.match(text, end)


# Numbers that a user wants remembered and found again, and that are no personal value.
OTHER_NUMBER = re.compile(
    r"""\b(?:order|invoice|ticket|booking|reservation|confirmation|tracking|parcel|shipment|reference|ref|sku
    |isbn|issn|ean|upc|article|item|product|part|serial|model|version|build|release|firmware|room|flight
    |case|issue|bug|article|page|line|chapter|section|lot|batch|gate|seat|loan|policy|claim|contract|member
    |customer|bestell\w*|auftrag\w*|rechnung\w*|commande|facture|pedido|factura|fattura|ordine
    |سفارش|فاکتور|طلب|заказ\w*)\b
    |[\#№]\s?$|(?:订单|訂單|注文)""",
    re.VERBOSE,
)
