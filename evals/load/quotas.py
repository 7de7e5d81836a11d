"""Which quota ends a deployment first: pure arithmetic over the load of its busiest second.

Quotas of AWS are defaults in us-east-1, of which most are raised on request; those of this project are
settings of `cdk.json` or stand in its code. `bites_at` is how many users of the activity reach one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from evals.load.bill import BEHIND, SECONDS, Activity, Assumed, billed_ms, share_of_turn
from noted.store.marks import SHARDS

# A sweep takes so many of a shard, or so many jobs, once a minute (`Outbox.rested`, `Jobs.due`).
_RESTED_A_SHARD, _ERASURES_A_SWEEP = 100, 25
_WRITERS_DRAIN_SECONDS = 120 + 300  # the longest timeout and its margin (infra/functions.py)
# A job is taken each minute until every writer that began before it has ended, and once more a day later.
TAKES = math.ceil(_WRITERS_DRAIN_SECONDS / 60) + 2
# Looked at once a minute by each container that runs (noted.store.restoring).
_TABLES, _LOOKS_A_SECOND = 5, 1 / 60
_CLAUDE_OUTPUT_WEIGHT = 5

_GUIDE = "AWS's guide"
_PARTITION = "repost.aws, on-demand-table-throttling-dynamodb, 2026"
_CODE = "this project's code"


@dataclass(frozen=True)
class Quota:
    """`limit` is in the unit of its name. `raised_by`: `deployer` (a setting), `request` (AWS), or `code`.
    `mean`: it is held against the mean of a month, since what waits is worked off later."""

    key: str
    name: str
    limit: float
    raised_by: str
    source: str
    mean: bool = False


def quotas(settings: Mapping[str, Any]) -> list[Quota]:
    """All of them; `settings` is the context of cdk.json."""
    setting = "cdk.json: {}"
    dynamodb = f"{_GUIDE}, quotas of DynamoDB, 2026"
    warm = f"{_PARTITION}; warm throughput raises it"
    return [
        Quota(
            "stack_turns",
            "turns/s that the stack lets through",
            settings["model_requests_per_second"],
            "deployer",
            setting.format("model_requests_per_second"),
        ),
        Quota(
            "stack_requests",
            "requests/s that the stack lets through",
            settings["requests_per_second"],
            "deployer",
            setting.format("requests_per_second"),
        ),
        Quota(
            "stack_workers",
            "extraction workers at once",
            settings["extraction_concurrency"],
            "deployer",
            setting.format("extraction_concurrency"),
            mean=True,
        ),
        Quota(
            "bedrock",
            "Bedrock, tokens/min of Claude Haiku 4.5",
            5e6,
            "request",
            "alphagov/govuk-infrastructure, pull 4190, May 2026: of one account, others may have less",
        ),
        Quota("lambda", "Lambda, executions at once", 1_000, "request", f"{_GUIDE}, Lambda quotas, 2026"),
        Quota("api", "API Gateway, requests/s", 10_000, "request", f"{_GUIDE}, API Gateway quotas, 2026"),
        Quota("new_writes", "table memory while new, write units/s", 4_000, "request", warm),
        Quota("new_reads", "table memory while new, read units/s", 12_000, "request", warm),
        Quota("writes", "table memory, write units/s", 40_000, "request", dynamodb),
        Quota("reads", "table memory, read units/s", 40_000, "request", dynamodb),
        Quota(
            "outbox",
            f"index outbox, write units/s over {SHARDS} work and {SHARDS} rest shards",
            1_000 * 2 * SHARDS,
            "code",
            f"{_PARTITION}: 1,000 a partition",
        ),
        Quota("open_jobs", "index open_jobs, write units/s of its one partition", 1_000, "code", _PARTITION),
        Quota(
            "episodes",
            f"episodes begun/min, {_RESTED_A_SHARD} a shard and sweep",
            _RESTED_A_SHARD * SHARDS,
            "code",
            f"{_CODE}, noted/store/outbox.py",
            mean=True,
        ),
        Quota(
            "erasures",
            f"takes of erasure jobs/min, {TAKES} an erasure",
            _ERASURES_A_SWEEP,
            "code",
            f"{_CODE}, noted/store/erasure_jobs.py",
            mean=True,
        ),
        Quota("kms", "KMS, symmetric requests/s", 100_000, "request", f"{_GUIDE}, KMS request quotas, 2026"),
        Quota(
            "sts",
            "STS, AssumeRole/s, where session_policies is on",
            600,
            "request",
            "as commonly known; AWS's page could not be read",
        ),
        Quota(
            "describe",
            "DynamoDB, DescribeTable/s",
            2_500,
            "request",
            "as commonly known; AWS's page could not be read",
        ),
    ]


def load(activity: Activity, counts: Mapping[str, Mapping[str, Any]], assumed: Assumed) -> dict[str, float]:
    """What one user asks of each quota, by its key, on average over a month."""
    rates = {call: often / SECONDS for call, often in activity.calls().items()}

    def total(value: Callable[[str, Mapping[str, Any]], float]) -> float:
        return sum(rate * value(call, counts[call]) for call, rate in rates.items())

    def units(kind: str, place: str) -> float:
        return total(lambda _, count: count[kind].get(place, 0.0))

    at_once = total(lambda call, count: billed_ms(call, count, assumed) / 1000)
    over_http = sum(rate for call, rate in rates.items() if call not in BEHIND)
    writes, reads = units("write_units", "memory"), units("read_units", "memory")
    return {
        "stack_turns": rates["turn"],
        "stack_requests": over_http,
        "stack_workers": total(lambda call, count: billed_ms(call, count, assumed) / 1000 * (call in BEHIND)),
        # Bedrock holds an output token of Claude 4 models against the quota five times.
        "bedrock": 60
        * total(lambda _, count: count["input_tokens"] + _CLAUDE_OUTPUT_WEIGHT * count["output_tokens"]),
        "lambda": at_once,
        "api": over_http,
        "new_writes": writes,
        "new_reads": reads,
        "writes": writes,
        "reads": reads,
        "outbox": units("write_units", "memory/outbox"),
        "open_jobs": units("write_units", "control/open_jobs"),
        "episodes": 60 * rates["begin"],
        "erasures": 60 * rates["erase"] * TAKES,
        "kms": total(lambda _, count: count["kms_calls"]),
        "sts": total(lambda call, count: count["invocations"] * (call != "erase")),
        "describe": at_once * _TABLES * _LOOKS_A_SECOND,
    }


def bites(known: list[Quota], asked: Mapping[str, float], peak: float) -> list[dict[str, Any]]:
    """Each quota with the number of users that reach it, the first to bite first. `peak` is the busiest
    second against the mean."""
    found = []
    for quota in known:
        of_one = asked[quota.key] * (1 if quota.mean else peak)
        found.append(
            {
                "key": quota.key,
                "quota": quota.name,
                "limit": quota.limit,
                "bites_at": round(quota.limit / of_one) if of_one else None,
                "raised_by": quota.raised_by,
                "source": quota.source,
            }
        )
    return sorted(found, key=lambda each: each["bites_at"] or math.inf)


def over(users: float, found: list[dict[str, Any]]) -> list[str]:
    """The keys of the quotas that so many users are over, the first to bite first."""
    return [each["key"] for each in found if each["bites_at"] is not None and each["bites_at"] < users]


def hottest_partition(counts: Mapping[str, Mapping[str, Any]], seconds: float) -> dict[str, float]:
    """How much one user who says a turn each so many seconds uses of the 1,000 write and 3,000 read units a
    second of a partition, if all of theirs lies in one."""
    writes = share_of_turn(counts, "write_units", "memory")
    reads = share_of_turn(counts, "read_units", "memory")
    return {"write": writes / seconds / 1_000, "read": reads / seconds / 3_000}
