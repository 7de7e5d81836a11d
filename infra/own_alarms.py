"""Alarms on what the service says of itself (`noted.metrics`)."""

from __future__ import annotations

from dataclasses import dataclass

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch

from infra.alerts import Alerts, Condition, measured
from infra.settings import DeploymentSettings
from noted import metrics
from noted.conversation.turn import Route

_FIVE_MINUTES, _HOUR, _DAY = Duration.minutes(5), Duration.hours(1), Duration.days(1)
_SLOW_MILLISECONDS = 15_000


@dataclass(frozen=True)
class _Said:
    """An alarm stands for `period` after it was said, or for two of them where it is said once in each for as
    long as it lasts (`again`): only then is its end told."""

    family: metrics.Family
    section: str
    description: str
    period: Duration
    again: bool = False


_SAID = (
    _Said(
        metrics.ERASURE_OVERDUE,
        "erasure-overdue",
        "An erasure is not finished a day after it was asked for.",
        _HOUR,
        again=True,
    ),
    _Said(
        metrics.FOUND_LATE,
        "erased-rows-found",
        "Rows were found a day after the receipt of their erasure.",
        _DAY,
    ),
    _Said(
        metrics.RESTORED,
        "tables-restored",
        "A table was restored: nothing is served until the ledger has been replayed.",
        _FIVE_MINUTES,
        again=True,
    ),
    _Said(
        metrics.COMPLIANCE_BREAKER,
        "compliance-breaker",
        "So much was erased in an organisation today that erasures on behalf of others are held up.",
        _HOUR,
    ),
    _Said(
        metrics.KEY_ENDANGERED,
        "key-endangered",
        "Somebody schedules the deletion of a key, or disables it. Without it memory is unreadable.",
        _DAY,
    ),
)


def watch_service(alerts: Alerts, settings: DeploymentSettings) -> None:
    """What nobody may overlook, tokens that cannot be checked, slow turns, and what models cost."""
    namespace = metrics.namespace(settings.prefix)
    for said in _SAID:
        [name] = said.family.units
        # What is said again may be a little late.
        lasting = Condition(periods=2 if said.again else 1, within=said.again, ends=said.again)
        metric = measured(namespace, name, "Sum", said.period)
        alerts.when(said.section, said.section, said.description, metric, lasting)
    [name] = metrics.UNCHECKED_TOKENS.units
    alerts.when(
        "tokens-unchecked",
        "tokens-unchecked",
        "The API that streams cannot check tokens, and refuses them.",
        measured(namespace, name, "Sum", _FIVE_MINUTES),
        # A new container that did not reach the issuer once tries again after ten seconds.
        Condition(periods=2),
    )
    _watch_turns(alerts, namespace)
    if settings.daily_cost_alarm_usd:
        _watch_cost(alerts, namespace, settings)


def _watch_turns(alerts: Alerts, namespace: str) -> None:
    """Not by what the gateways measure: a client that waits for what was saved waits there on purpose."""
    turns = {
        f"m{number}": measured(namespace, "TurnDuration", "p95", _FIVE_MINUTES, {"route": str(route)})
        for number, route in enumerate(Route)
    }
    alerts.when(
        "turns-slow",
        "turns-slow",
        f"One turn of a route in twenty takes {_SLOW_MILLISECONDS // 1000} s or longer.",
        cloudwatch.MathExpression(
            expression=f"MAX([{', '.join(turns)}])", using_metrics=turns, period=_FIVE_MINUTES
        ),
        Condition(_SLOW_MILLISECONDS, periods=3),
    )


def _watch_cost(alerts: Alerts, namespace: str, settings: DeploymentSettings) -> None:
    tokens, terms = dict[str, cloudwatch.IMetric](), list[str]()
    for model in sorted({settings.model, settings.extraction_model} & settings.prices.keys()):
        whole, output, read, written = settings.prices[model]
        # What the cache gave and took is counted in the input as well.
        prices = (whole, output, read - whole, written - whole)
        for name, price in zip(metrics.TOKENS, prices, strict=True):
            term = f"m{len(tokens)}"
            tokens[term] = measured(namespace, name, "Sum", _DAY, {"model": model})
            terms.append(f"{term} * {round(price, 6)}")
    alerts.when(
        "daily-cost",
        "daily-cost",
        f"Language models cost {settings.daily_cost_alarm_usd} USD a day or more.",
        cloudwatch.MathExpression(
            # A model that was not called has no metrics, and adds nothing.
            expression=f"SUM([{', '.join(terms)}]) / 1000000",
            using_metrics=tokens,
            period=_DAY,
        ),
        Condition(settings.daily_cost_alarm_usd),
    )
