"""Takes invocations one after another, as the managed runtime does, and streams what the function makes."""

from __future__ import annotations

import importlib
import json
import os
import time
from collections.abc import Callable, Mapping, MutableMapping
from itertools import chain
from typing import TYPE_CHECKING, Any

from noted.streaming import rest

if TYPE_CHECKING:
    from noted.streaming.runtime_api import Invocation, RuntimeApi

Handler = Callable[[dict[str, Any], object], dict[str, Any]]


class Context:
    """What Lambda tells a function about its invocation. `streams`: a result's body may be an iterator."""

    streams = True

    def __init__(self, invocation: Invocation, environment: Mapping[str, str]) -> None:
        self.aws_request_id = invocation.request_id
        self.invoked_function_arn = invocation.function_arn
        self.function_name = environment.get("AWS_LAMBDA_FUNCTION_NAME", "")
        self.function_version = environment.get("AWS_LAMBDA_FUNCTION_VERSION", "")
        self.memory_limit_in_mb = environment.get("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "")
        self.log_group_name = environment.get("AWS_LAMBDA_LOG_GROUP_NAME", "")
        self.log_stream_name = environment.get("AWS_LAMBDA_LOG_STREAM_NAME", "")
        self._deadline = invocation.deadline

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until the invocation is cut off."""
        return max(self._deadline - int(time.time() * 1000), 0)


def run(api: RuntimeApi, environment: MutableMapping[str, str] = os.environ) -> int:
    """Loads the function that `_HANDLER` names (`module.name`) and serves it until the process is ended.
    Returns 1 if it cannot be loaded. Raises what `RuntimeApi.next` raises; Lambda then starts anew."""
    try:
        module, _, name = environment["_HANDLER"].rpartition(".")
        handler: Handler = getattr(importlib.import_module(module), name)
    except Exception as error:  # noqa: BLE001 (whatever it is, Lambda is to hear of it)
        api.not_started(error)
        return 1
    while True:
        serve(api, handler, environment)


def serve(api: RuntimeApi, handler: Handler, environment: MutableMapping[str, str]) -> None:
    """One invocation, from its event to the end of its response."""
    invocation = api.next()
    if invocation.trace_id:
        # Where the X-Ray SDK looks for it.
        environment["_X_AMZN_TRACE_ID"] = invocation.trace_id
    try:
        event = rest.http_event(json.loads(invocation.payload))
        result = handler(event, Context(invocation, environment))
        origins = environment.get("NOTED_CORS_ORIGINS", "").split()
        pieces = rest.response(result, rest.cors(event, origins))
        head = next(pieces)
    except Exception as error:  # noqa: BLE001 (the last line before Lambda: it must hear of it)
        api.failed(invocation.request_id, error)
        return
    api.respond(invocation.request_id, rest.CONTENT_TYPE, chain((head,), pieces))
