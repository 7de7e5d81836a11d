"""What else can hold memories, at the same activity: idle and running, by list prices with source and date.

None of these does the same as Noted or as another of them; `differs` says what. The model that answers is in
nobody's price, since every client pays it. Where a price could not be read it is a field, and says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from evals.load.bill import HOURS, Activity
from evals.load.prices import Price, usd

DIMENSIONS, _LINKS = 1_024, 16
_GB, _GIB = 1e9, 1024**3
# Of turns that state a fact, as in the counted walk.
LEARNT_A_TURN = 0.4

PRICES = {
    "agentcore_event": Price(
        0.25e-3, "event of short-term memory", "factualminds.com, AgentCore pricing, June 2026, and others"
    ),
    "agentcore_record_month": Price(
        0.75e-3,
        "record of long-term memory and month, built-in extraction and its model included",
        "the same",
    ),
    "agentcore_retrieval": Price(0.50e-3, "retrieval", "the same"),
    "ocu_hour": Price(
        0.24, "OCU-hour of OpenSearch Serverless", "cloudburn.io/blog/amazon-opensearch-pricing, March 2026"
    ),
    "ocu_gb_month": Price(0.024, "GB-month of OpenSearch Serverless", "c3x.dev, June 2026"),
    "postgres_hour": Price(
        0.130, "hour of RDS db.t4g.medium in two zones", "infratally.com, RDS pricing, 2026"
    ),
    "postgres_gb_month": Price(
        2 * 0.115, "GB-month of its disks, twice for two zones", "usage.ai, RDS pricing, June 2026"
    ),
    "container_vcpu_hour": Price(
        0.04048, "vCPU-hour of Fargate", "as commonly known; AWS's page could not be read"
    ),
    "container_gb_hour": Price(
        0.004445, "GB-hour of Fargate", "as commonly known; AWS's page could not be read"
    ),
    "mem0_starter_month": Price(
        19.0, "month of mem0's plan Starter", "comparisons in public repositories, 2026; not mem0's page"
    ),
    "mem0_pro_month": Price(249.0, "month of mem0's plan Pro", "the same"),
}


@dataclass(frozen=True)
class Peer:
    """`idle` and `running` are US dollars a month, `running` with `idle` in it and None where a size has no
    price here."""

    name: str
    idle: float
    running: Mapping[str, float | None]
    differs: str


def agentcore(users: float, activity: Activity) -> float:
    """AgentCore Memory: an event a turn, all facts as records, a retrieval a turn and a recall."""
    return users * (
        activity.turns * PRICES["agentcore_event"].usd
        + activity.facts * PRICES["agentcore_record_month"].usd
        + (activity.turns + activity.recalls) * PRICES["agentcore_retrieval"].usd
    )


def vector_bytes(dimensions: int = DIMENSIONS, compression: float = 1) -> float:
    """The memory of a vector in an HNSW graph, by OpenSearch's guide: 1.1 × (4 bytes a dimension + 8 bytes a
    link). `compression` is of the vector alone.

    >>> round(vector_bytes())
    4646
    """
    return 1.1 * (4 * dimensions / compression + 8 * _LINKS)


def ocus(users: float, activity: Activity, compression: float = 1) -> float:
    """How many OCUs hold the graphs of all facts in memory (6 GiB each), twice for redundancy, with the least
    there is for a collection: half an OCU and its twin for indexing, and the same for search."""
    graph = users * activity.facts * vector_bytes(compression=compression)
    return 1 + max(1.0, 2 * graph / (6 * _GIB))


def opensearch(users: float, activity: Activity, compression: float = 1) -> float:
    """OpenSearch Serverless, classic: OCUs, and the storage of vectors and a kilobyte of text each."""
    stored = users * activity.facts * (4 * DIMENSIONS + 1_024) / _GB
    hourly = ocus(users, activity, compression) * PRICES["ocu_hour"].usd
    return hourly * HOURS + stored * PRICES["ocu_gb_month"].usd


def mem0_idle() -> float:
    """mem0's server twice (half a vCPU and a GB each) and PostgreSQL with pgvector in two zones, 20 GB."""
    server = 0.5 * PRICES["container_vcpu_hour"].usd + PRICES["container_gb_hour"].usd
    return (2 * server + PRICES["postgres_hour"].usd) * HOURS + 20 * PRICES["postgres_gb_month"].usd


def mem0_models(users: float, activity: Activity, extraction: Mapping[str, Any]) -> float:
    """One extraction a turn, taken to cost what Noted's does, though mem0's prompt is longer; and its
    embeddings, one a turn, one a recall and one a fact."""
    tokens = extraction["input_tokens"] * usd("model_input_token") + extraction["output_tokens"] * usd(
        "model_output_token"
    )
    embedded = activity.turns * (1 + LEARNT_A_TURN) + activity.recalls
    return users * (activity.turns * float(tokens) + embedded * 50 * usd("embedded_token"))


def peers(sizes: tuple[int, ...], activity: Activity, counts: Mapping[str, Mapping[str, Any]]) -> list[Peer]:
    """All of them at these numbers of users."""

    def at(price: Any) -> dict[str, float | None]:
        return {str(users): price(users) for users in sizes}

    extraction, few = counts["extraction"], replace(activity, facts=20)
    # One instance of the size that is priced holds the vectors of a thousand users in its memory, not more.
    small = sizes[0]
    mem0 = {
        str(users): mem0_idle() + mem0_models(users, activity, extraction) if users <= small else None
        for users in sizes
    }
    return [
        Peer(
            "AgentCore Memory",
            0.0,
            at(lambda users: agentcore(users, activity)),
            "managed; extraction and its model are in the price. One strategy is counted; each more one adds "
            "records. No conversation is served. Most of it is paid for records that are kept: with 20 facts "
            f"a user in the place of {activity.facts:g} it is {agentcore(1, few):.2f} dollars a user",
        ),
        Peer(
            "mem0 on PostgreSQL",
            mem0_idle(),
            mem0,
            "open source, run by oneself: two small containers and a database in two zones. No gateway, "
            "tokens, logs or operation are in the price. Larger sizes need larger databases, not priced here",
        ),
        Peer(
            "mem0's platform",
            PRICES["mem0_starter_month"].usd,
            dict.fromkeys(map(str, sizes)),
            "19 and 249 dollars a month; what a plan holds could not be read, so nothing is worked out",
        ),
        Peer(
            "OpenSearch Serverless, classic",
            opensearch(0, activity),
            at(lambda users: opensearch(users, activity)),
            "a vector store alone, with redundancy: no extraction, users, keys or erasure. Full vectors in "
            "memory; that is how an index is sized without compression",
        ),
        Peer(
            "OpenSearch Serverless, vectors compressed 32 times",
            opensearch(0, activity, 32),
            at(lambda users: opensearch(users, activity, 32)),
            "finds less, and reads full vectors again from disk",
        ),
        Peer(
            "OpenSearch Serverless, next generation",
            0.0,
            dict.fromkeys(map(str, sizes)),
            "since May 2026: nothing after ten minutes without a request, then 10 to 30 seconds for the next "
            "one (AWS's guide). How many OCUs a load takes could not be read",
        ),
    ]
