"""What an activity costs in a month: pure arithmetic over counts and prices.

A month has 730 hours. Nothing here is measured: counts come from `evals.load.walk`, and what cannot be
counted without AWS (how long a model takes, how long a round trip is) is a field of `Assumed`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evals.load.prices import usd

HOURS = 730
MINUTES, SECONDS = HOURS * 60, HOURS * 3600
_GB = 1024**3
# Where the second price of API Gateway begins, requests a month.
_API_TIER = 300e6


@dataclass(frozen=True)
class Activity:
    """What one user does in a month, and what they have: `facts` and `turns_kept` are rows at rest. Of each
    turn the client asks once what was saved."""

    turns: float = 30
    conversations: float = 3
    recalls: float = 5
    fact_lists: float = 4
    turn_lists: float = 6
    told: float = 1
    judged: float = 2
    erased: float = 0.01
    facts: float = 200
    turns_kept: float = 90

    def calls(self) -> dict[str, float]:
        """How often each counted call is made, by its name there. Those behind the queue are among them."""
        return {
            "begin": self.conversations,
            "turn": self.turns,
            "extraction": self.turns,
            "saved": self.turns,
            "recall": self.recalls,
            "facts": self.fact_lists,
            "turns": self.turn_lists,
            "tell": self.told,
            "judge": self.judged,
            "episode": self.conversations,
            "erase": self.erased,
        }


@dataclass(frozen=True)
class Assumed:
    """What cannot be counted here. Milliseconds unless told otherwise. `processor_share` is what a function
    of 1,024 MB has of a processor (Lambda's guide: 1,769 MB are one); `processor_speed` is how many times
    slower than the counting machine that one is. `peak` is the busiest second against the mean of a month.
    `platform_log_bytes` are the lines that Lambda writes of a call, `access_log_bytes` the API's one."""

    memory_gb: float = 1.0
    answer: float = 2_500
    background_model: float = 1_500
    embedding: float = 80
    round_trip: float = 5
    kms: float = 10
    processor_share: float = 1_024 / 1_769
    processor_speed: float = 1.0
    saved_wait: float = 2_000
    characters_per_token: float = 4
    platform_log_bytes: float = 400
    access_log_bytes: float = 170
    peak: float = 4


# What no client calls: it follows a turn, or the end of a conversation.
BEHIND = frozenset({"extraction", "episode"})


def billed_ms(call: str, count: Mapping[str, Any], assumed: Assumed) -> float:
    """How long the invocations of a call are paid for: its round trips and models one after the other, and
    its own work at the function's share of a processor. Some of these overlap, so it is rather too much."""
    waits = count["database_calls"] * assumed.round_trip + count["kms_calls"] * assumed.kms
    models = count["embedded_texts"] and assumed.embedding
    if call == "turn":
        models += assumed.answer
    elif call in BEHIND:
        models += assumed.background_model
    elif call == "saved":
        waits += assumed.saved_wait
    own = count["processor_ms"] * assumed.processor_speed / assumed.processor_share
    return float(waits + models + own)


def sum_of(units: Mapping[str, float]) -> float:
    """Units of all tables and indexes."""
    return sum(units.values())


def share_of_turn(counts: Mapping[str, Mapping[str, Any]], kind: str, place: str) -> float:
    """Units of one turn with all that follows it: its extraction, and the look at what was saved."""
    return sum(float(counts[call][kind].get(place, 0.0)) for call in ("turn", "extraction", "saved"))


def month(
    users: float,
    activity: Activity,
    counts: Mapping[str, Mapping[str, Any]],
    kept: Mapping[str, float],
    assumed: Assumed,
) -> dict[str, float]:
    """What the activity of so many users costs in a month, by what is paid for, in US dollars, without what
    the stack costs idle. `counts` are those of each call; `kept` has `fact_bytes` and `turn_bytes`, the bytes
    of one, and `metrics`, how many custom metrics are told of."""
    bill = dict.fromkeys(
        (
            "API Gateway",
            "data out",
            "Lambda",
            "DynamoDB reads",
            "DynamoDB writes",
            "DynamoDB storage",
            "KMS",
            "SQS",
            "logs",
            "metrics",
            "answering model",
            "background models",
            "embedding",
        ),
        0.0,
    )
    requests = 0.0
    for call, often in activity.calls().items():
        count, times = counts[call], often * users
        over_http = call not in BEHIND
        requests += times * over_http
        bill["data out"] += times * count["reply_bytes"] / _GB * usd("data_out")
        bill["Lambda"] += times * (
            count["invocations"] * usd("lambda_request")
            + billed_ms(call, count, assumed) / 1000 * assumed.memory_gb * usd("lambda_gb_second")
        )
        bill["DynamoDB reads"] += times * sum_of(count["read_units"]) * usd("read_unit")
        bill["DynamoDB writes"] += times * sum_of(count["write_units"]) * usd("write_unit")
        bill["KMS"] += times * count["kms_calls"] * usd("kms_request")
        # Sent, received and deleted; a full batch would share the last two.
        bill["SQS"] += times * count["messages"] * 3 * usd("queue_request")
        lines = count["log_bytes"] + count["invocations"] * assumed.platform_log_bytes
        lines += over_http * assumed.access_log_bytes
        bill["logs"] += times * lines / _GB * usd("log_gb")
        model = "background models" if call in BEHIND else "answering model"
        bill[model] += times * (
            count["input_tokens"] * usd("model_input_token")
            + count["output_tokens"] * usd("model_output_token")
        )
        tokens = count["embedded_characters"] / assumed.characters_per_token
        bill["embedding"] += times * tokens * usd("embedded_token")
    bill["KMS"] += activity.erased * users * usd("kms_sign")
    bill["metrics"] = kept["metrics"] * usd("metric_month")
    bill["API Gateway"] = api_gateway(requests)
    stored = users * (activity.facts * kept["fact_bytes"] + activity.turns_kept * kept["turn_bytes"]) / _GB
    bill["DynamoDB storage"] = stored * (usd("table_gb_month") + usd("recovery_gb_month"))
    return bill


def api_gateway(requests: float) -> float:
    """The price of so many requests in a month.

    >>> round(api_gateway(400e6), 2)
    390.0
    """
    return min(requests, _API_TIER) * usd("api_request") + max(requests - _API_TIER, 0) * usd(
        "api_request_beyond"
    )


def idle(
    stack: Mapping[str, float], counts: Mapping[str, Mapping[str, Any]], assumed: Assumed
) -> dict[str, float]:
    """What a deployment without a single user costs in a month. `stack` has the numbers of `keys`,
    `rotated_keys`, `secrets`, `alarm_metrics` and `pollers`; the schedules are among the counted calls."""
    works = ("sweep-outbox", "sweep-episodes", "reindex", "run-erasures")
    schedules = dict.fromkeys(("Lambda", "DynamoDB", "logs"), 0.0)
    for work in works:
        count = counts[work]
        schedules["Lambda"] += MINUTES * (
            usd("lambda_request")
            + billed_ms(work, count, assumed) / 1000 * assumed.memory_gb * usd("lambda_gb_second")
        )
        schedules["DynamoDB"] += MINUTES * sum_of(count["read_units"]) * usd("read_unit")
        lines = count["log_bytes"] + assumed.platform_log_bytes
        schedules["logs"] += MINUTES * lines / _GB * usd("log_gb")
    return {
        "KMS keys": stack["keys"] * usd("kms_key_month"),
        "secret": stack["secrets"] * usd("secret_month"),
        "alarms": stack["alarm_metrics"] * usd("alarm_metric_month"),
        "schedules: Lambda": schedules["Lambda"],
        "schedules: DynamoDB": schedules["DynamoDB"],
        "schedules: logs": schedules["logs"],
        # Each poller waits 20 seconds for a message and asks again.
        "queue polled": stack["pollers"] * SECONDS / 20 * usd("queue_request"),
    }


def a_million_turns(bill: Mapping[str, float], users: float, activity: Activity) -> float:
    """A month's bill for each million turns in it."""
    return sum(bill.values()) / (users * activity.turns) * 1e6
