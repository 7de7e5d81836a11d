"""The functions of the service over one database, called one by one as the gateway, the queue and the
schedules call them, with a meter on all that they ask for."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec

from evals.load.counting import Count, Meter
from evals.units import size
from local import gateway
from local.keys import KeyFolder
from local.service import dynamodb_client
from noted.api.http import Handler
from noted.api.routes import ERASE, READ, ROUTES, WRITE
from noted.clock import SystemClock
from noted.identity import Secrets
from noted.privacy.signing import KeySigner
from noted.runtime import Runtime
from noted.settings import Settings
from noted.store.tables import TABLES, create_tables


class _Clock(SystemClock):
    """The machine's, some time ahead: an erasure waits between its steps."""

    def __init__(self) -> None:
        super().__init__()
        self.ahead = timedelta()

    def now(self) -> datetime:
        return super().now() + self.ahead


class Functions:
    """The functions over one database, with a meter. `cold`: each invocation has a container of its own."""

    def __init__(self, folder: Path, endpoint: str, environment: Mapping[str, str]) -> None:
        client = dynamodb_client(endpoint)
        settings = Settings.from_environment(environment)
        create_tables(client, settings.table_prefix)
        self.client, self.prefix = client, settings.table_prefix
        self.meter = Meter(client, settings.table_prefix)
        self.clock = _Clock()
        self.cold = True
        wrapper, signer = KeyFolder(folder), KeySigner(ec.generate_private_key(ec.SECP256R1()))
        secrets = Secrets(b"0" * 64)
        self._runtime: Callable[[], Runtime] = lambda: Runtime(
            settings,
            secrets=lambda: secrets,
            dynamodb=lambda: client,
            queue=lambda: self.meter,
            key_wrapper=lambda: self.meter.wrapping(wrapper),
            receipt_signer=lambda: signer,
            clock=self.clock,
            drained=lambda _: True,
            environment=environment,
        )
        self._warm: dict[str, Handler] = {}

    def call(self, user: str, route: str, body: object = None, **names: str) -> tuple[dict[str, Any], Count]:
        """One request, as the gateway hands it on; its reply and what it asked for. Raises ValueError for a
        reply that is no success."""
        method, path = route.split(" ")
        [served] = [each for each in ROUTES if (each.method, each.path) == (method, path)]
        claims = {"sub": user, "iss": "https://issuer.example", "scope": f"{READ} {WRITE} {ERASE}"}
        event = {
            "routeKey": route,
            "rawPath": path.format(**names),
            "pathParameters": names,
            "headers": {},
            "body": None if body is None else json.dumps(body),
            "requestContext": {"authorizer": {"jwt": {"claims": claims}}},
        }
        reply, count = self._invoke(served.function, event)
        if not 200 <= reply["statusCode"] < 300:
            raise ValueError(f"{route}: {reply['statusCode']} {reply['body']}")
        count.reply_bytes += len(reply["body"].encode())
        return dict(json.loads(reply["body"])), count

    def look(self, user: str, route: str, body: object = None, **names: str) -> tuple[dict[str, Any], Count]:
        """A call that changes nothing, the second one where the container is to know the user."""
        if not self.cold:
            self.call(user, route, body, **names)
        return self.call(user, route, body, **names)

    def schedule(self, function: str, work: str) -> tuple[dict[str, Any], Count]:
        """One call of a schedule."""
        return self._invoke(function, {"noted": work})

    def deliver(self) -> Count:
        """Hands each message to the worker in a batch of its own. Raises ValueError if one fails."""
        sum_of_all = Count()
        while self.meter.sent:
            record = {
                "messageId": "0",
                "receiptHandle": "handle",
                "body": self.meter.sent.pop(0),
                "attributes": {"ApproximateReceiveCount": "1"},
                "messageAttributes": {},
                "eventSource": "aws:sqs",
                "eventSourceARN": "arn:aws:sqs:us-east-1:000000000000:queue",
            }
            result, count = self._invoke("extraction", {"Records": [record]})
            if result["batchItemFailures"]:
                raise ValueError("a message failed")
            sum_of_all += count
        return sum_of_all

    def stored_bytes(self) -> int:
        """The bytes of all rows, as they are charged: with 100 bytes a row for its key's index."""
        scan = self.client.get_paginator("scan")
        pages = (page for each in TABLES for page in scan.paginate(TableName=f"{self.prefix}-{each.name}"))
        return sum(100 + size(item) for page in pages for item in page["Items"])

    def _invoke(self, function: str, event: dict[str, Any]) -> tuple[dict[str, Any], Count]:
        handler = self._handler(function)
        with self.meter.counted() as count:
            result: Any = handler(event, gateway.Context(function, timeout=60))
        return dict(result), count

    def _handler(self, function: str) -> Handler:
        if function in self._warm and not self.cold:
            return self._warm[function]
        build: Callable[[Runtime], Handler] = import_module(f"functions.{function}.handler").build
        runtime = self._runtime()
        # Once a minute a container looks whether tables were restored, for whoever asks then.
        runtime.tables_in_use.refuse_unless_replayed()
        self._warm[function] = build(runtime)
        return self._warm[function]
