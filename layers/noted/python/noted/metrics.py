"""What the service measures of itself: log lines in CloudWatch's embedded metric format.

CloudWatch makes metrics of such lines without another request: the object `_aws` names the members of a line
that are metrics and those that are dimensions ("Specification: Embedded metric format" in the guide of
CloudWatch). The namespace is added where the line is printed (`noted.logs`), since it is the deployment's.

A line holds counts, times and the members of closed sets, such as the names of routes and rules: no text, and
nothing of a user. What is measured, and by which dimensions, is in the families below and nowhere else.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

COUNT, MILLISECONDS, SECONDS = "Count", "Milliseconds", "Seconds"

logger = logging.getLogger("noted.metrics")


def namespace(prefix: str) -> str:
    """The namespace of a deployment's metrics: two in one account and Region have different prefixes."""
    return f"Noted/{prefix}"


@dataclass(frozen=True)
class Family:
    """Metrics that one line carries together, with their units. `dimensions` is by what all of them are told
    apart; `totals` names those that are told by `total_dimensions` as well. `level` is that of the line."""

    message: str
    units: Mapping[str, str]
    dimensions: tuple[str, ...] = ()
    totals: tuple[str, ...] = ()
    total_dimensions: tuple[str, ...] = ()
    level: int = logging.INFO

    def line(
        self, at: datetime, values: Mapping[str, float], dimensions: Mapping[str, str]
    ) -> dict[str, Any]:
        """The members of a line. What has no value is no metric of this line. Raises ValueError for a name
        that the family does not have."""
        if not values.keys() <= self.units.keys() or dimensions.keys() != set(self.dimensions):
            raise ValueError(f"not of the metrics of {self.message!r}")
        directives = [self._directive(tuple(values), self.dimensions)]
        if totals := [name for name in self.totals if name in values]:
            directives.append(self._directive(totals, self.total_dimensions))
        emf = {"Timestamp": int(at.timestamp() * 1000), "CloudWatchMetrics": directives}
        return {"_aws": emf, **dimensions, **values}

    def _directive(self, names: list[str] | tuple[str, ...], dimensions: tuple[str, ...]) -> dict[str, Any]:
        metrics = [{"Name": name, "Unit": self.units[name]} for name in names]
        return {"Dimensions": [list(dimensions)], "Metrics": metrics}


def write(
    family: Family,
    at: datetime,
    values: Mapping[str, float],
    *,
    told: Mapping[str, Any] | None = None,
    log: logging.Logger = logger,
    **dimensions: str,
) -> None:
    """Writes the line of a family. `told` goes into it beside the metrics, as fields of the log."""
    # A line of no interest is not even made: an evaluation takes thousands of turns.
    if log.isEnabledFor(family.level):
        extra = {**family.line(at, values, dimensions), **(told or {})}
        log.log(family.level, family.message, extra=extra)


def _alarm(message: str, name: str) -> Family:
    return Family(message, {name: COUNT}, level=logging.ERROR)


TOKENS = ("InputTokens", "OutputTokens", "CacheReadTokens", "CacheWriteTokens")

# A call of a language model has its tokens, one of an embedder its texts. Requests are more than Calls where
# a second try was made.
MODEL_CALLS = Family(
    "model called",
    {
        "Calls": COUNT,
        "Requests": COUNT,
        **dict.fromkeys(TOKENS, COUNT),
        "Texts": COUNT,
        "Characters": COUNT,
        "Duration": MILLISECONDS,
    },
    ("purpose", "model", "outcome"),
    totals=TOKENS,
    total_dimensions=("model",),
)
TURNS = Family(
    "turn taken", {"Turns": COUNT, "DegradedTurns": COUNT, "TurnDuration": MILLISECONDS}, ("route",)
)
RECALLS = Family(
    "recalled",
    {"Recalls": COUNT, "DegradedRecalls": COUNT, "RecalledFacts": COUNT, "RecallDuration": MILLISECONDS},
    ("source",),
)
EXTRACTIONS = Family("turn extracted", {"ExtractedTurns": COUNT, "FactsKept": COUNT}, ("outcome",))
DROPPED_FACTS = Family("facts dropped", {"FactsDropped": COUNT}, ("reason",))
WRITE_CONFLICTS = Family("write conflict", {"WriteConflicts": COUNT})
BREAKER_OPENINGS = Family(
    "breaker opened", {"BreakerOpenings": COUNT}, ("dependency",), level=logging.WARNING
)
ERASURES = Family("erasure under way", {"ErasureAge": SECONDS})
RECEIPTS = Family("receipt written", {"Receipts": COUNT, "ErasureDuration": SECONDS}, ("scope",))
# The issuer gives no keys, or the check itself failed: `error_type` says which. A bad token is none of them.
UNCHECKED_TOKENS = Family("token not checked", {"UncheckedTokens": COUNT}, level=logging.ERROR)

# What nobody may overlook: errors in the log, each with an alarm (infra/monitoring.py, docs/runbook.md).
ERASURE_OVERDUE = _alarm("erasure older than 24 h", "ErasuresOverdue")
FOUND_LATE = _alarm("rows found a day after an erasure", "ErasedRowsFoundLate")
RESTORED = _alarm("tables restored: the service refuses until the ledger has been replayed", "TablesRestored")
COMPLIANCE_BREAKER = _alarm("compliance breaker open", "ComplianceBreakerOpened")
KEY_ENDANGERED = _alarm("somebody schedules the deletion of a key, or disables it", "KeysEndangered")

ALARMS = (ERASURE_OVERDUE, FOUND_LATE, RESTORED, COMPLIANCE_BREAKER, KEY_ENDANGERED)
FAMILIES = (
    MODEL_CALLS,
    TURNS,
    RECALLS,
    EXTRACTIONS,
    DROPPED_FACTS,
    WRITE_CONFLICTS,
    BREAKER_OPENINGS,
    ERASURES,
    RECEIPTS,
    UNCHECKED_TOKENS,
    *ALARMS,
)


def dropped(reasons: Mapping[str, int], at: datetime) -> None:
    """Writes how many proposed facts each rule dropped."""
    for reason, count in reasons.items():
        write(DROPPED_FACTS, at, {"FactsDropped": count}, reason=reason)
