"""What one currency is worth in another, by the daily reference rates of the European Central Bank.

The feed is public, needs no account, and gives about thirty rates to the euro, set on working days at about
16:00 Central European time; rates between two other currencies are worked out over the euro. They are for
information, not what a bank would pay. The feed's format: elements `Cube`, of which one has the day as its
`time` and those in it a `currency` and a `rate` to one euro.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation, localcontext
from functools import partial
from typing import Annotated
from xml.parsers import expat

from pydantic import Field

from noted.conversation.tools import Arguments, LabelledFigure, Tool, ToolContext, ToolOutcome

from .fetching import checked_url, fetched

NAME = "exchange_rates"
SETTING = "NOTED_EXCHANGE_RATES_URL"
_FEED = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"
_MOST_BYTES = 64 * 1024  # the feed has about 2 KB
_SIGNIFICANT_DIGITS = 5  # as the feed gives them
_CENT = Decimal("0.01")
_MOST = Decimal(10) ** 12

Currency = Annotated[str, Field(pattern="^[A-Z]{3}$")]


class ExchangeArguments(Arguments):
    """Two currencies, and an amount if one is to be converted."""

    source: Annotated[Currency, Field(description="ISO code of the currency to convert from.")]
    target: Annotated[Currency, Field(description="ISO code of the currency to convert into.")]
    amount: Annotated[
        Decimal | None,
        Field(gt=0, le=_MOST, decimal_places=4, description="How much of the source, to convert it."),
    ] = None


@dataclass(frozen=True)
class Rates:
    """How much of each currency a euro is worth, by ISO code, and the day of these rates."""

    day: date
    to_euro: Mapping[str, Decimal]


class MalformedFeed(Exception):
    """The document is no list of rates."""


def tool(environment: Mapping[str, str]) -> Tool[ExchangeArguments]:
    """The tool over the feed that `NOTED_EXCHANGE_RATES_URL` names. Raises ValueError for an address that is
    none."""
    url = checked_url(SETTING, environment.get(SETTING) or _FEED)
    return Tool(
        NAME,
        "Looks up the latest daily reference rate between two currencies, and converts an amount.",
        ExchangeArguments,
        partial(exchanged, url),
        namespace="rate",
        live=True,
    )


def exchanged(url: str, arguments: ExchangeArguments, context: ToolContext) -> ToolOutcome:
    """The rate, its day, and the amount converted. Raises NotFetched and MalformedFeed."""
    rates = read_rates(fetched(url, seconds=context.seconds, most_bytes=_MOST_BYTES))
    source, target = arguments.source, arguments.target
    missing = [code for code in (source, target) if code not in rates.to_euro]
    if missing:
        return ToolOutcome(text=f"There is no rate for {' and '.join(missing)}.", failed=True)
    with localcontext() as decimals:
        decimals.rounding = ROUND_HALF_UP
        rate = rates.to_euro[target] / rates.to_euro[source]
        pair = f"{source}_{target}".lower()
        figures = [
            LabelledFigure(
                pair, _significant(rate), f"how many {target} are worth as much as a single {source}"
            ),
            LabelledFigure("day", rates.day.isoformat(), "the day of the rate, year first"),
        ]
        if arguments.amount is not None:
            converted = (arguments.amount * rate).quantize(_CENT)
            figures.append(
                LabelledFigure(
                    f"{pair}_amount", f"{converted:,}", f"the amount in {target}, without its code"
                )
            )
    return ToolOutcome(tuple(figures), "This is a reference rate; what a bank pays differs.")


def read_rates(document: bytes) -> Rates:
    """The rates of the feed's document, the euro's own among them. Raises MalformedFeed.

    A document type is refused: entities that it declares can make a small document enormous.
    """
    days: list[date] = []
    to_euro = {"EUR": Decimal(1)}

    def start(name: str, attributes: dict[str, str]) -> None:
        if name.rpartition(":")[2] != "Cube":
            return
        if "time" in attributes:
            days.append(date.fromisoformat(attributes["time"]))
        if "currency" in attributes:
            to_euro[attributes["currency"]] = _rate(attributes.get("rate", ""))

    def refuse(*_: object) -> None:
        raise MalformedFeed

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(document, True)
    except (expat.ExpatError, ValueError):
        raise MalformedFeed from None
    if len(days) != 1 or len(to_euro) == 1:
        raise MalformedFeed
    return Rates(days[0], to_euro)


def _rate(text: str) -> Decimal:
    try:
        rate = Decimal(text)
    except InvalidOperation:
        raise MalformedFeed from None
    if not rate.is_finite() or rate <= 0:
        raise MalformedFeed
    return rate


def _significant(rate: Decimal) -> str:
    """The rate to five significant digits, never with fewer than two places: 1.0705, 171.94, 17,487.21."""
    places = max(2, _SIGNIFICANT_DIGITS - 1 - rate.adjusted())
    return f"{rate.quantize(Decimal(1).scaleb(-places)):,}"
