"""What follows an answer, off its path: facts are learnt, windows are cut, episodes are written."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from noted.api.http import Handler, function_handler
from noted.conversation.compacting import compact
from noted.conversation.resting import Resting, sweep_rested
from noted.facts.keeping import Keeper
from noted.facts.learning import STALE_AFTER, learn, sweep_outbox
from noted.facts.reindexing import reindex
from noted.runtime import Runtime
from noted.store.database import Database
from noted.store.outbox import Outbox
from noted.store.queue import EpisodeJob, ExtractionJob, Job, SummaryJob, read_job
from noted.store.unembedded import Unembedded

SWEEP_OUTBOX = "sweep-outbox"
SWEEP_EPISODES = "sweep-episodes"
REINDEX = "reindex"

_FAILURES = {
    ExtractionJob: "extraction failed",
    SummaryJob: "summary failed",
    EpisodeJob: "episode failed",
}

logger = logging.getLogger("noted.extraction")


def build(runtime: Runtime) -> Handler:
    """The function over a runtime."""
    clock, settings = runtime.clock, runtime.settings
    rest = timedelta(seconds=settings.episode_after_seconds)

    def work_off(job: Job, record: SQSRecord) -> None:
        repository = runtime.repository(job.principal)
        last_try = int(record.attributes.approximate_receive_count) >= settings.max_receives
        if isinstance(job, SummaryJob):
            compact(
                job,
                repository,
                runtime.extraction_model,
                runtime.queue,
                clock,
                runtime.masker,
                last_try=last_try,
            )
        elif isinstance(job, EpisodeJob):
            Resting(
                runtime.extraction_model, runtime.embedder, settings.retention, clock, rest, runtime.masker
            ).write(job, repository)
        else:
            learn(
                job,
                repository,
                lambda memory: Keeper(
                    runtime.extraction_model, runtime.embedder, memory.sealer, settings.retention
                ),
                clock,
                last_try=last_try,
                every=settings.extraction_every,
            )

    def worked_off(record: SQSRecord) -> None:
        failure = "extraction failed"
        try:
            job = read_job(record.body)
            failure = _FAILURES[type(job)]
            work_off(job, record)
        except Exception as error:
            logger.warning(failure, extra={"error_type": type(error).__name__})
            raise

    def handle(event: dict[str, Any], context: object) -> dict[str, Any]:
        if event.get("noted") == REINDEX:
            unembedded = Unembedded(Database(runtime.dynamodb, settings.table_prefix, clock))
            return {"embedded": reindex(unembedded, runtime.repository, runtime.embedder, clock.now())}
        if event.get("noted") in (SWEEP_OUTBOX, SWEEP_EPISODES):
            return {"sent": sweep(event["noted"], event.get("older_than_seconds"))}
        # Without this, one batch of nothing but failures would be an error of the function and hide which.
        processor = BatchProcessor(event_type=EventType.SQS, raise_on_entire_batch_failure=False)
        return dict(process_partial_response(event, worked_off, processor, context))  # type: ignore[arg-type]

    def sweep(work: str, age: float | None) -> int:
        outbox = Outbox(Database(runtime.dynamodb, settings.table_prefix, clock))
        if work == SWEEP_EPISODES:
            return sweep_rested(outbox, runtime.queue, clock.now(), rest)
        older_than = STALE_AFTER if age is None else timedelta(seconds=age)
        return sweep_outbox(outbox, runtime.queue, clock.now(), older_than)

    return handle


handler = function_handler(build)
