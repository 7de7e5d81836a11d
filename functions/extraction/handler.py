"""What follows an answer, off its path: facts are learnt, windows are cut, episodes are written."""

from __future__ import annotations

import logging
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response

from noted.api.http import Handler, function_handler
from noted.conversation.compacting import compact
from noted.conversation.resting import Resting, sweep_rested
from noted.deadline import Deadline
from noted.facts.keeping import Keeper
from noted.facts.learning import STALE_AFTER, learn, sweep_outbox
from noted.facts.reindexing import reindex
from noted.models.hurrying import Hurrying
from noted.preferring import limit
from noted.redriving import redrive
from noted.store.database import Database
from noted.store.outbox import Outbox
from noted.store.queue import EpisodeJob, ExtractionJob, Job, RetentionJob, SummaryJob, read_job
from noted.store.unembedded import Unembedded

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

    from noted.runtime import Runtime

SWEEP_OUTBOX = "sweep-outbox"
SWEEP_EPISODES = "sweep-episodes"
REINDEX = "reindex"
# By hand, when what made messages fail is mended.
REDRIVE = "redrive"

_WORK = {
    ExtractionJob: "extraction",
    SummaryJob: "summary",
    EpisodeJob: "episode",
    RetentionJob: "retention",
}

# With less, a message is given back at once, instead of being cut off in the middle.
_LEAST_SECONDS = 5.0

logger = logging.getLogger("noted.extraction")


def build(runtime: Runtime) -> Handler:
    """The function over a runtime."""
    clock, settings = runtime.clock, runtime.settings
    rest = timedelta(seconds=settings.episode_after_seconds)

    def work_off(job: Job, record: SQSRecord, deadline: Deadline) -> None:
        deadline.check(_LEAST_SECONDS)
        repository = runtime.repository(job.principal, deadline)
        model = Hurrying(runtime.extraction_model, deadline)
        last_try = int(record.attributes.approximate_receive_count) >= settings.max_receives
        if isinstance(job, SummaryJob):
            compact(
                job,
                repository,
                model,
                runtime.queue,
                clock,
                runtime.masker,
                last_try=last_try,
            )
        elif isinstance(job, EpisodeJob):
            Resting(model, runtime.embedder, clock, rest, runtime.masker).write(job, repository)
        elif isinstance(job, RetentionJob):
            limit(job, repository)
        else:
            learn(
                job,
                repository,
                lambda memory, standing: Keeper(
                    model,
                    runtime.embedder,
                    memory.sealer,
                    memory.retention,
                    standing.preferences.special_categories,
                ),
                clock,
                last_try=last_try,
                every=settings.extraction_every,
                clean_since=runtime.tables_in_use.clean_since,
            )

    def worked_off(record: SQSRecord, deadline: Deadline) -> None:
        work = "unknown"
        try:
            job = read_job(record.body)
            work = _WORK[type(job)]
            work_off(job, record, deadline)
        except Exception as error:
            logger.warning("work failed", extra={"work": work, "error_type": type(error).__name__})
            raise

    def handle(event: dict[str, Any], context: object) -> dict[str, Any]:
        deadline = Deadline.of(context)
        database = Database(runtime.dynamodb, settings.table_prefix, clock, deadline=deadline)
        if event.get("noted") in (REINDEX, REDRIVE):
            return _repaired(event["noted"], runtime, database, deadline)
        if event.get("noted") in (SWEEP_OUTBOX, SWEEP_EPISODES):
            outbox, age = Outbox(database), event.get("older_than_seconds")
            return {"sent": sweep(event["noted"], outbox, age, deadline)}
        # Without this, one batch of nothing but failures would be an error of the function and hide which.
        processor = BatchProcessor(event_type=EventType.SQS, raise_on_entire_batch_failure=False)
        handled = partial(worked_off, deadline=deadline)
        return dict(process_partial_response(event, handled, processor, context))  # type: ignore[arg-type]

    def sweep(work: str, outbox: Outbox, age: float | None, deadline: Deadline) -> int:
        if work == SWEEP_EPISODES:
            return sweep_rested(outbox, runtime.queue, clock.now(), rest, deadline)
        older_than = STALE_AFTER if age is None else timedelta(seconds=age)
        return sweep_outbox(outbox, runtime.queue, clock.now(), older_than, deadline)

    return handle


def _repaired(work: str, runtime: Runtime, database: Database, deadline: Deadline) -> dict[str, Any]:
    """What was left behind, by a failure of the embedder or of anything else, is done after all."""
    if work == REINDEX:
        unembedded, now = Unembedded(database), runtime.clock.now()
        return {"embedded": reindex(unembedded, runtime.repository, runtime.embedder, now, deadline)}
    done = redrive(
        runtime.dead_letters,
        lambda principal: runtime.repository(principal, deadline),
        runtime.queue,
        deadline,
    )
    return vars(done)


handler = function_handler(build)
