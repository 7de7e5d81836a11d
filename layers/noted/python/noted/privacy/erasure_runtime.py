"""What erases, put together from the parts of a runtime."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from noted.deadline import NO_DEADLINE, Deadline
from noted.errors import Unavailable
from noted.privacy.erasure_worker import Worker
from noted.privacy.replaying import Replay
from noted.privacy.satellites import Subject, Subjects
from noted.store.database import Database
from noted.store.erasure_jobs import Jobs
from noted.store.replay_log import ReplayLog

if TYPE_CHECKING:
    from noted.runtime import Runtime

logger = logging.getLogger("noted.privacy")


def erasure_worker(runtime: Runtime, deadline: Deadline = NO_DEADLINE) -> Worker:
    """What goes on with accepted erasures, until a deadline."""
    database = _database(runtime, deadline)
    return Worker(
        jobs=Jobs(database),
        repository_of=lambda principal: runtime.repository_in_repair(principal, deadline),
        drained=runtime.drained,
        clock=runtime.clock,
        signer=lambda: runtime.receipt_signer,
        wrapper=lambda: runtime.key_wrapper,
        satellites=runtime.satellites,
        subjects=lambda: Subjects(runtime.secrets),
        owner_of=lambda erasure_id: ReplayLog(database, runtime.secrets).owner(erasure_id),
        deadline=deadline,
    )


def replay(runtime: Runtime, deadline: Deadline = NO_DEADLINE) -> Replay:
    """What does erasures again after a restore, until a deadline."""
    database = _database(runtime, deadline)
    return Replay(
        tables=runtime.tables_in_use,
        log=ReplayLog(database, runtime.secrets),
        jobs=Jobs(database),
        repository_of=lambda principal: runtime.repository_in_repair(principal, deadline),
        wrapper=lambda: runtime.key_wrapper,
        clock=runtime.clock,
        deadline=deadline,
    )


def replay_where_restored(runtime: Runtime, deadline: Deadline) -> None:
    """Goes on with a replay where one is due. Where that cannot be known, the service refuses until it is."""
    try:
        replay(runtime, deadline).where_restored()
    except Unavailable as error:
        reason = type(error.__cause__ or error).__name__
        logger.error("replay interrupted", extra={"error_type": reason})


def sealed_subject(
    runtime: Runtime, claims: Mapping[str, object], subject: str | None = None
) -> Callable[[str], bytes]:
    """Seals whom an erasure means, by the verified claims of who asks for it; `subject` names another person
    of the same issuer and organisation."""
    meant = Subject(subject or str(claims["sub"]), str(claims.get("iss", "")), str(claims.get("org") or ""))
    return lambda erasure_id: Subjects(runtime.secrets).seal(meant, erasure_id)


def _database(runtime: Runtime, deadline: Deadline) -> Database:
    return Database(runtime.dynamodb, runtime.settings.table_prefix, runtime.clock, deadline=deadline)
