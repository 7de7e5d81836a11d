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
