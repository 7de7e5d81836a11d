"""Logs of fields that are known to hold no user text, in a function and on one machine alike.

A message of a library can quote what it worked on, a request or a prompt, and so can the text of an error. So
only the loggers of this project have their messages written, which are fixed texts; of any other record the
logger, the place and the error's type are. What a record carries beside its message is written if its name is
on the list below and its value is a number, a truth value, a word without blanks, or a list or map of these.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TextIO

from noted.clock import timestamp
from noted.metrics import FAMILIES, namespace

OURS = ("noted", "local")
METRICS = "_aws"

_MEASURED = (name for family in FAMILIES for name in (*family.dimensions, *family.units))
# What a record may carry in `extra`. Anything else is left out.
FIELDS = (
    *("function", "method", "route", "status", "ms", "job", "work", "error_type", "reason"),
    *("message_id", "outcome", "tool", "dropped", "refused", "turns", "pinned", "sendings", "rows"),
    *("facts", "dependency", "allowed_today", "erasures", "store", "attempts", "scope", "step"),
    *("unfinished", "counts", "indexed", "tables", "sent", "left"),
)
_WRITTEN = tuple(dict.fromkeys((*FIELDS, *_MEASURED)))
_WORD = re.compile(r"[\w.:/{}+@-]{1,200}")


def message_of(record: logging.LogRecord) -> str:
    """The fixed text of a record of ours, the place of any other. Arguments, which could be anything, stay
    out."""
    ours = record.name.split(".")[0] in OURS
    return str(record.msg) if ours else f"{record.module}.{record.funcName}"


def fields_of(record: logging.LogRecord) -> dict[str, Any]:
    """What is written of a record beside its message."""
    carried = vars(record)
    fields = {name: carried[name] for name in _WRITTEN if name in carried and _is_plain(carried[name])}
    if record.exc_info and record.exc_info[0]:
        fields["error_type"] = record.exc_info[0].__name__
    return fields


class JsonLines(logging.Formatter):
    """A line of JSON a record, as CloudWatch reads it, with the metrics that the record carries. `request_id`
    is that of the invocation: a container has one at a time."""

    def __init__(self, metrics_namespace: str) -> None:
        super().__init__()
        self._namespace = metrics_namespace
        self.request_id: str | None = None

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "timestamp": timestamp(datetime.fromtimestamp(record.created, UTC)),
            "level": record.levelname,
            "logger": record.name,
            "message": message_of(record),
        }
        if self.request_id:
            line["request_id"] = self.request_id
        line |= fields_of(record)
        if measured := vars(record).get(METRICS):
            directives = [{"Namespace": self._namespace, **each} for each in measured["CloudWatchMetrics"]]
            line[METRICS] = {**measured, "CloudWatchMetrics": directives}
        return json.dumps(line, ensure_ascii=False)


class TextLines(logging.Formatter):
    """`time LEVEL logger: message field=value …`, for a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        details = "".join(f" {name}={value}" for name, value in fields_of(record).items())
        time_of_day = self.formatTime(record, "%H:%M:%S")
        return f"{time_of_day} {record.levelname} {record.name}: {message_of(record)}{details}"


def configure(formatter: logging.Formatter, stream: TextIO | None = None) -> None:
    """Sends all logs to `stream` (standard error if none is given), in the place of whatever a runtime has
    set up: ours from INFO on, those of libraries from WARNING on."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(formatter)
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    for name in OURS:
        logging.getLogger(name).setLevel(logging.INFO)


def configure_function(prefix: str = "noted") -> JsonLines:
    """Logs of a function of the deployment with that prefix. Gives what formats them."""
    lines = JsonLines(namespace(prefix))
    configure(lines, sys.stdout)
    return lines


def _is_plain(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(map(_is_plain, value.keys())) and all(map(_is_plain, value.values()))
    if isinstance(value, list | tuple | set | frozenset):
        return all(map(_is_plain, value))
    if isinstance(value, str):
        return _WORD.fullmatch(value) is not None
    return value is None or isinstance(value, bool | int | float)
