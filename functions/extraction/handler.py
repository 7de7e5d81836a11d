"""What follows an answer: facts are learnt from turns, off the answer's path."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from noted.api.http import Handler, function_handler
from noted.facts.keeping import Keeper
from noted.facts.learning import STALE_AFTER, learn, sweep_outbox
from noted.runtime import Runtime
from noted.store.database import Database
from noted.store.outbox import Outbox
from noted.store.queue import ExtractionJob

SWEEP_OUTBOX = "sweep-outbox"

logger = logging.getLogger("noted.extraction")


def build(runtime: Runtime) -> Handler:
    """The function over a runtime."""
    clock, settings = runtime.clock, runtime.settings

    def learn_from(record: SQSRecord) -> None:
        try:
            job = ExtractionJob.read(record.body)
            learn(
                job,
                runtime.repository(job.principal),
                lambda memory: Keeper(
                    runtime.extraction_model, runtime.embedder, memory.sealer, settings.retention
                ),
                clock,
                last_try=int(record.attributes.approximate_receive_count) >= settings.max_receives,
            )
        except Exception as error:
            logger.warning("extraction failed", extra={"error_type": type(error).__name__})
            raise

    def handle(event: dict[str, Any], context: object) -> dict[str, Any]:
        if event.get("noted") == SWEEP_OUTBOX:
            age = event.get("older_than_seconds")
            older_than = STALE_AFTER if age is None else timedelta(seconds=age)
            outbox = Outbox(Database(runtime.dynamodb, settings.table_prefix, clock))
            return {"sent": sweep_outbox(outbox, runtime.queue, clock.now(), older_than)}
        # Without this, one batch of nothing but failures would be an error of the function and hide which.
        processor = BatchProcessor(event_type=EventType.SQS, raise_on_entire_batch_failure=False)
        return dict(process_partial_response(event, learn_from, processor, context))  # type: ignore[arg-type]

    return handle


handler = function_handler(build)
