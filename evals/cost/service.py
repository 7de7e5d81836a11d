"""A conversation through the real service, over HTTP: the usage that its replies report, and the metrics that
it writes of all calls, those behind the answers as well.

The service runs in this process over tables in memory. Its models are the stand-in of the tests, which counts
tokens and tells how much of each prompt it has in common with the prompts before, as a caching server would.
"""

from __future__ import annotations

import logging
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from rich.table import Table

from evals.cost.conversation import Talk
from local.dynamodb import DynamoDBLocal
from local.listener import listen
from local.service import Service, dynamodb_client
from noted.settings import Settings

_USAGE = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", "model_calls")
_METRICS = ("InputTokens", "CacheReadTokens", "CacheWriteTokens", "OutputTokens", "Requests")


@dataclass(frozen=True)
class Played:
    """What a conversation cost: `usage` of each turn as its reply has it, and the metrics of all calls,
    summed by purpose."""

    usage: list[dict[str, Any]]
    metrics: dict[str, Counter[str]]


class _Metrics(logging.Handler):
    """Sums the metrics in the log by their purpose."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.sums: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def emit(self, record: logging.LogRecord) -> None:
        line = vars(record)
        for directive in line.get("_aws", {}).get("CloudWatchMetrics", ()):
            if "purpose" not in directive["Dimensions"][0]:
                continue  # the same tokens once more, by model alone
            for metric in directive["Metrics"]:
                self.sums[line["purpose"]][metric["Name"]] += line[metric["Name"]]


def play(talk: Talk) -> Played:
    """Says each message of a conversation to a service of its own."""
    from tests.standin import StandIn

    metrics = _Metrics()
    logger = logging.getLogger("noted.models")
    logger.setLevel(logging.INFO)
    with (
        tempfile.TemporaryDirectory() as data,
        DynamoDBLocal().start(None) as engine,
        listen(0) as listening,
        StandIn() as models,
    ):
        models.reply("answer", *(turn.answer for turn in talk.turns))
        service = Service(
            Settings.from_environment(models.environment),
            data=Path(data),
            dynamodb=dynamodb_client(engine.endpoint),
            environment=models.environment,
        )
        service.start(listening)
        logger.addHandler(metrics)
        try:
            return Played(_said(service, talk), dict(metrics.sums))
        finally:
            logger.removeHandler(metrics)
            service.stop()


def _said(service: Service, talk: Talk) -> list[dict[str, Any]]:
    headers = {"Authorization": f"Bearer {service.issuer.token('alice')}"}
    with httpx.Client(base_url=service.url, headers=headers, timeout=60, trust_env=False) as client:
        begun = client.post("/v1/conversations", json={}).raise_for_status().json()
        turns = f"/v1/conversations/{begun['conversation_id']}/turns"
        usage = []
        for turn in talk.turns:
            reply = client.post(turns, json={"message": turn.message}).raise_for_status().json()
            usage.append(reply["usage"])
            # A turn's extraction, and a summary where one is due, end before the next message.
            service.queue.drain()
        return usage


def tables(played: Played) -> Iterator[Table]:
    """The usage of each turn and its sum; then the metrics by purpose."""
    reported = _table("turn", "usage in the replies")
    for number, usage in enumerate(played.usage, 1):
        counts = [usage[name] for name in _USAGE]
        reported.add_row(str(number), *_cells(counts), end_section=number == len(played.usage))
    reported.add_row("all", *_cells([sum(usage[name] for usage in played.usage) for name in _USAGE]))
    yield reported
    written = _table("purpose", "metrics of all calls")
    for purpose, sums in played.metrics.items():
        written.add_row(purpose, *_cells([sums[name] for name in _METRICS]))
    yield written


def _table(first: str, title: str) -> Table:
    table = Table(first, title=title)
    for name in (*_USAGE, "cached"):
        table.add_column(name.replace("_", " "), justify="right")
    return table


def _cells(counts: Sequence[int]) -> list[str]:
    sent, read, *_ = counts
    return [*(f"{count:,}" for count in counts), f"{read / sent:.0%}" if sent else ""]
