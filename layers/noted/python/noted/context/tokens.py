"""How many tokens a text takes, without any model's tokenizer.

A token of the common tokenizers covers about four bytes of UTF-8 in English text, and so in most others: a
Cyrillic letter has two bytes and a Chinese character three, and they take about half a token and about three
quarters of one. An estimate that is the same everywhere serves budgets better than one model's exact count.
"""

from __future__ import annotations

_BYTES_PER_TOKEN = 4


def estimate(text: str) -> int:
    """Tokens of a text, rounded up."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // _BYTES_PER_TOKEN)
