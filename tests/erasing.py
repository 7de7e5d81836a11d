"""What carries erasures to their end, for tests of the store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from cryptography.hazmat.primitives.asymmetric import ec

from noted.clock import Clock
from noted.identity import Principal, Secrets
from noted.privacy.erasure_worker import Worker
from noted.privacy.satellites import Satellite, Subjects
from noted.privacy.signing import KeySigner
from noted.privacy.wrapping import KeyWrapper
from noted.store.database import Database
from noted.store.erasure_jobs import Jobs
from noted.store.replay_log import ReplayLog
from noted.store.repository import Repository

SIGNER = KeySigner(ec.generate_private_key(ec.SECP256R1()))


def worker(
    database: Database,
    repository_of: Callable[[Principal], Repository],
    secrets: Secrets,
    wrapper: KeyWrapper,
    clock: Clock,
    *,
    drained: Callable[[datetime], bool] = lambda _: True,
    satellites: Sequence[Satellite] = (),
) -> Worker:
    """A worker for whom, unless it is said otherwise, every older writer has ended and nothing is outside."""
    return Worker(
        jobs=Jobs(database),
        repository_of=repository_of,
        drained=drained,
        clock=clock,
        signer=lambda: SIGNER,
        wrapper=lambda: wrapper,
        satellites=satellites,
        subjects=lambda: Subjects(secrets),
        owner_of=ReplayLog(database, secrets).owner,
    )
