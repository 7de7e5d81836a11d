"""Deleting what an erasure has to find, from the top until there is nothing: a sweep that is cut short is
simply done again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noted.store.erasure_jobs import Job, Scope, counted

if TYPE_CHECKING:
    from noted.store.erasing import Erasing


def swept(job: Job, erasing: Erasing) -> Job:
    """The job with what was deleted added to its counts; afterwards its places are empty."""
    job = _emptied(job, erasing)
    if job.scope is Scope.CONVERSATION:
        # While its facts were still there, an index may have been built of them.
        erasing.drop_index(job)
        job = _emptied(job, erasing)
    return job


def _emptied(job: Job, erasing: Erasing) -> Job:
    # What an extraction committed between the look and the deletion of its turn is found by the next look,
    # and with the turn gone there is no more to come.
    while any((found := erasing.remains(job)).values()):
        erasing.delete(found)
        job = counted(job, found)
    return job
