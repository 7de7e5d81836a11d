"""Logs of one machine: a line a record on standard error, made of fields that are known to hold no user text.

A message of a library can quote what it worked on, a request or a prompt. So only the loggers of this project
have their messages written; of any other record the logger, the place and the error's type are.
"""

from __future__ import annotations

import logging
import sys
from typing import Any, TextIO

_OURS = ("noted", "local")
# What a record may carry in `extra`. Anything else is left out.
_FIELDS = (
    "function",
    "method",
    "route",
    "status",
    "ms",
    "job",
    "error_type",
    "request_id",
    "message_id",
    "conversation_id",
    "turn_id",
    "erasure_id",
    "count",
    "outcome",
    "purpose",
    "model",
    "tool",
    "Calls",
    "InputTokens",
    "OutputTokens",
    "CacheReadTokens",
    "CacheWriteTokens",
    "Texts",
    "Characters",
    "Duration",
)


class AllowListFormatter(logging.Formatter):
    """`time LEVEL logger: message field=value …`"""

    def format(self, record: logging.LogRecord) -> str:
        ours = record.name.split(".")[0] in _OURS
        # The message of a record of ours is a fixed text; arguments could be anything and stay out.
        message = str(record.msg) if ours else f"{record.module}.{record.funcName}"
        fields: dict[str, Any] = {name: getattr(record, name) for name in _FIELDS if hasattr(record, name)}
        if record.exc_info and record.exc_info[0]:
            fields["error_type"] = record.exc_info[0].__name__
        details = "".join(f" {name}={value}" for name, value in fields.items())
        return f"{self.formatTime(record, '%H:%M:%S')} {record.levelname} {record.name}: {message}{details}"


def configure(stream: TextIO = sys.stderr) -> None:
    """Sends all logs to `stream`: ours from INFO on, those of libraries from WARNING on."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(AllowListFormatter())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    for name in _OURS:
        logging.getLogger(name).setLevel(logging.INFO)
