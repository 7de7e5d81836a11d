"""What one call of a function asks of the services around it, counted from the call itself.

DynamoDB's units are those that DynamoDB Local reports (`ReturnConsumedCapacity`), indexes included, by the
rules of its guide: a read unit is 4 KB strongly consistent, a write unit 1 KB, a transaction costs twice. It
leaves out what is not there, for which DynamoDB takes the least there is: the keys of a BatchGetItem that
have no item, and a Query that finds nothing. That is added.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import Any

from noted.logs import METRICS, JsonLines
from noted.privacy.wrapping import KeyWrapper

Units = defaultdict[str, float]

_READS = frozenset({"GetItem", "BatchGetItem", "Query", "TransactGetItems"})
_WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"})
_TOKENS = {
    "InputTokens": "input_tokens",
    "OutputTokens": "output_tokens",
    "Texts": "embedded_texts",
    "Characters": "embedded_characters",
}


@dataclass
class Count:
    """What was asked. Units by table, or by table and index; `log_bytes` are those of the function's own
    lines; `processor_ms` is the processor time of this machine; `metrics` are the names and dimensions of the
    metrics that were told of."""

    invocations: float = 0
    database_calls: float = 0
    read_units: Units = field(default_factory=lambda: defaultdict(float))
    write_units: Units = field(default_factory=lambda: defaultdict(float))
    kms_calls: float = 0
    messages: float = 0
    model_calls: float = 0
    input_tokens: float = 0
    output_tokens: float = 0
    embedded_texts: float = 0
    embedded_characters: float = 0
    reply_bytes: float = 0
    log_lines: float = 0
    log_bytes: float = 0
    processor_ms: float = 0
    metrics: set[str] = field(default_factory=set)

    def __add__(self, other: Count) -> Count:
        parts = {each.name: getattr(self, each.name) for each in fields(self)}
        for name, value in parts.items():
            more = getattr(other, name)
            if isinstance(value, defaultdict):
                parts[name] = defaultdict(float, value)
                for key, units in more.items():
                    parts[name][key] += units
            else:
                parts[name] = value | more if isinstance(value, set) else value + more
        return Count(**parts)

    def __truediv__(self, number: float) -> Count:
        """The mean of so many calls that were added up."""
        parts: dict[str, Any] = {each.name: getattr(self, each.name) for each in fields(self)}
        for name, value in parts.items():
            if isinstance(value, defaultdict):
                parts[name] = defaultdict(float, {key: units / number for key, units in value.items()})
            elif not isinstance(value, set):
                parts[name] = value / number
        return Count(**parts)

    def as_json(self) -> dict[str, Any]:
        """All of it, rounded; of the metrics how many there are."""
        told: dict[str, Any] = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, defaultdict):
                told[each.name] = {key: round(units, 2) for key, units in sorted(value.items())}
            else:
                told[each.name] = len(value) if isinstance(value, set) else round(value, 2)
        return told


class Meter(logging.Handler):
    """Counts while it is `counted`. It listens to a client of DynamoDB and to the log, wraps a key wrapper,
    and is the queue's end that functions see."""

    def __init__(self, client: Any, prefix: str) -> None:
        super().__init__(logging.INFO)
        self.setFormatter(JsonLines("Noted/noted"))
        self._prefix = prefix + "-"
        self._count = Count()
        # A recall reads facts and episodes at the same time, each in a thread of its own.
        self._asked = threading.local()
        self._counting = threading.Lock()
        self.sent: list[str] = []
        client.meta.events.register("before-parameter-build.dynamodb", self._ask)
        client.meta.events.register("after-call.dynamodb", self._answered)

    @contextmanager
    def counted(self) -> Iterator[Count]:
        """Counts one invocation."""
        self._count = count = Count(invocations=1)
        logger = logging.getLogger("noted")
        logger.setLevel(logging.INFO)
        logger.addHandler(self)
        began = time.process_time()
        try:
            yield count
        finally:
            count.processor_ms += (time.process_time() - began) * 1000
            logger.removeHandler(self)
            # What comes between two counts belongs to neither.
            self._count = Count()

    def send(self, body: str, group: str) -> None:
        """Keeps a message of the queue."""
        del group
        self._count.messages += 1
        self.sent.append(body)

    def emit(self, record: logging.LogRecord) -> None:
        """Counts a line of the log, and what its metrics tell of models."""
        self._count.log_lines += 1
        self._count.log_bytes += len(self.format(record).encode())
        line = vars(record)
        for directive in line.get(METRICS, {}).get("CloudWatchMetrics", ()):
            for dimensions in directive["Dimensions"]:
                place = " ".join(str(line[name]) for name in dimensions)
                self._count.metrics |= {f"{each['Name']} {place}" for each in directive["Metrics"]}
        if "InputTokens" in line or "Texts" in line:
            self._count.model_calls += 1
            for name, counted in _TOKENS.items():
                setattr(self._count, counted, getattr(self._count, counted) + line.get(name, 0))

    def wrapping(self, inner: KeyWrapper) -> KeyWrapper:
        """A wrapper that counts what would be a call of KMS."""
        return _Wrapper(inner, self)

    def called_kms(self) -> None:
        """Counts a call of KMS."""
        self._count.kms_calls += 1

    def _ask(self, params: dict[str, Any], model: Any, **_: Any) -> None:
        if model.name in _READS | _WRITES:
            params["ReturnConsumedCapacity"] = "INDEXES"
        self._asked.parameters = dict(params)

    def _answered(self, model: Any, parsed: Mapping[str, Any], **_: Any) -> None:
        with self._counting:
            self._add(model, parsed)

    def _add(self, model: Any, parsed: Mapping[str, Any]) -> None:
        self._count.database_calls += 1
        told = parsed.get("ConsumedCapacity") or []
        units = self._count.read_units if model.name in _READS else self._count.write_units
        for each in told if isinstance(told, list) else [told]:
            table = each["TableName"].removeprefix(self._prefix)
            units[table] += each["Table"]["CapacityUnits"]
            for index, used in each.get("GlobalSecondaryIndexes", {}).items():
                units[f"{table}/{index}"] += used["CapacityUnits"]
        if model.name == "Query" and not parsed["Items"]:
            place = self._asked.parameters["TableName"].removeprefix(self._prefix)
            place += f"/{index}" if (index := self._asked.parameters.get("IndexName")) else ""
            units[place] += 1.0 if self._asked.parameters.get("ConsistentRead") else 0.5
        if model.name == "BatchGetItem":
            for table, wanted in self._asked.parameters["RequestItems"].items():
                absent = len(wanted["Keys"]) - len(parsed["Responses"].get(table, ()))
                units[table.removeprefix(self._prefix)] += absent * (
                    1.0 if wanted.get("ConsistentRead") else 0.5
                )


class _Wrapper:
    def __init__(self, inner: KeyWrapper, meter: Meter) -> None:
        self._inner = inner
        self._meter = meter

    def new(self, partition: str) -> tuple[bytes, bytes]:
        self._meter.called_kms()
        return self._inner.new(partition)

    def unwrap(self, wrapped: bytes, partition: str) -> bytes:
        self._meter.called_kms()
        return self._inner.unwrap(wrapped, partition)

    def destroy(self, partition: str) -> None:
        # With KMS nothing is called: an erasure deletes the row with the wrapped key.
        self._inner.destroy(partition)
