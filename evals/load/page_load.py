"""The part of docs/cost.md about a run: latencies by call and rate, and what was there afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evals.load.figures import PERCENTS, saturated
from evals.report_tables import NOT_MEASURED, table

_HOW = """\
## What one machine bears

    .venv/bin/python -m evals load run --results evals/results

The server runs as `make run` starts it, with tables on the disk, and models stand in with a known delay
({answer_ms:g} ms an answer, {background_ms:g} ms an extraction, {embedding_ms:g} ms an embedding). The load
is *open*: all instants are drawn before the first call (Poisson arrivals), each call is made at its instant
whatever became of those before, and its latency counts from that instant. Of the calls half are turns, a
fifth are recalls, the others lists, own facts and verdicts; one user is erased in each step. A rate is kept
up for {seconds:g} seconds. {users} users call.

Measured on {date}, on {processors} processors (load average {load_average_before} before and
{load_average_after} after), with the load generator, the models and the database on the same
machine. Milliseconds here mean nothing elsewhere; what counts is how they change with the rate."""


def load_section(load: Mapping[str, Any] | None) -> str:
    """How it was measured, the table, and what the check found."""
    if load is None:
        return f"## What one machine bears\n\n{NOT_MEASURED}"
    how = _HOW.format(date=load["measured_on"], **load["asked"], **load["machine"])
    rows = []
    for step, ratio in zip(load["steps"], load["ratios"], strict=True):
        for call in ("turn", "recall", "facts", "turns"):
            if latency := step["latency_ms"].get(call):
                times = ratio["times_first"].get(call, {})
                cells = (f"{latency[name]:,.0f} ({_times(times.get(name, 1))})" for name in _names())
                calls = str(latency["calls"])
                rate, done = f"{step['rate']:g}", f"{step['throughput']:g}"
                rows.append((rate, done, call, calls, *cells, "" if call != "turn" else _errors(step)))
    columns = (
        "offered/s",
        "done/s",
        "call",
        "calls",
        *(f"{name}, ms (× first)" for name in _names()),
        "errors",
    )
    parts = [how, "![Latency and throughput](cost-load.svg)", table(columns, rows), _end(load), _after(load)]
    return "\n\n".join(parts)


def held(load: Mapping[str, Any] | None) -> str:
    """What a run says of writes that were acknowledged, in a sentence."""
    if load is None:
        return "What one machine bears was not measured."
    after = load["after"]
    lost, left = sum(after["lost"].values()), sum(after["left"].values())
    crash = ", with a crash at its end" if after["crashed"] else ""
    return (
        f"Under an open load on one machine{crash}, {lost} acknowledged writes were lost, and something was "
        f"left of {left} users who were erased meanwhile (`python -m evals load run`)."
    )


def turns_of(load: Mapping[str, Any]) -> list[tuple[float, Mapping[str, float]]]:
    """The latencies of turns at each rate."""
    return [
        (step["rate"], step["latency_ms"]["turn"]) for step in load["steps"] if "turn" in step["latency_ms"]
    ]


def _end(load: Mapping[str, Any]) -> str:
    most = load["most_throughput"]
    if load["saturated_at"] is None:
        return f"None of these rates saturated it; at the last one {most:g} calls a second were done."
    before = [step["rate"] for step in load["steps"] if not saturated(step)]
    held = f" It kept up with {before[-1]:g}." if before else ""
    return (
        f"At {load['saturated_at']:g} calls a second it is saturated: less than nine tenths of what is "
        f"offered is done in time, {most:g} a second at most.{held} From there on latencies grow with the "
        "length of the step, as a closed loop would not have shown."
    )


def _after(load: Mapping[str, Any]) -> str:
    after = load["after"]
    checked, extractions = after["checked"], after["extractions"]
    crash = "The server was then killed and started again on what it had left. " if after["crashed"] else ""
    lost, left = sum(after["lost"].values()), sum(after["left"].values())
    unfinished = ", ".join(f"{count} {name}" for name, count in after["unfinished"].items()) or "nothing"
    ends = ", ".join(f"{count} {status}" for status, count in sorted(extractions.items()))
    return (
        f"{crash}Of what had been acknowledged, {checked.get('turns', 0):,} turns, "
        f"{checked.get('facts', 0):,} facts and {checked.get('verdicts', 0):,} verdicts were looked for over "
        f"HTTP: {lost} were lost. {checked.get('erasures', 0)} users had been erased in the middle of the "
        f"load: something was left of {left}. Extractions: {ends or 'none'}; still unfinished when the "
        f"check gave up waiting: {unfinished}."
    )


def _names() -> list[str]:
    return [f"p{each}" for each in PERCENTS]


def _times(ratio: float) -> str:
    return f"{ratio:.1f}" if ratio < 10 else f"{ratio:.0f}"


def _errors(step: Mapping[str, Any]) -> str:
    return ", ".join(f"{count} × {kind}" for kind, count in step["errors"].items()) or "0"
