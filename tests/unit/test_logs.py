"""What stands in a log: every call of a logger in the project, and how a record is written down."""

from __future__ import annotations

import ast
import io
import json
import logging
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from noted import logs, metrics

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [
    path
    for folder in ("layers/noted/python/noted", "functions", "local")
    for path in sorted((ROOT / folder).rglob("*.py"))
]
METRICS = ROOT / "layers/noted/python/noted/metrics.py"
LEVELS = {"debug", "info", "warning", "error", "exception", "critical", "log"}


def is_logger(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id.lower() in ("logger", "_log", "log")


def calls(module: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """The calls of a module that write a line: those of a logger, and those of `noted.metrics`."""
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner, name = node.func.value, node.func.attr
            if is_logger(owner) and name in LEVELS:
                yield "log", node
            elif isinstance(owner, ast.Name) and owner.id == "metrics" and name == "write":
                yield "metrics", node


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((each.value for each in call.keywords if each.arg == name), None)


def around(module: ast.Module, call: ast.Call) -> ast.AST:
    """The innermost function that makes a call."""
    functions = [
        each
        for each in ast.walk(module)
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and call in ast.walk(each)
    ]
    return functions[-1] if functions else module


def literal_keys(node: ast.expr, scope: ast.AST) -> set[str]:
    """The keys of a dictionary that is written out, here or where the name it goes by is given."""
    if isinstance(node, ast.Name):
        [value] = [value for name, value in assigned(scope) if name == node.id]
        return literal_keys(value, scope)
    assert isinstance(node, ast.Dict), ast.unparse(node)
    assert all(isinstance(key, ast.Constant) for key in node.keys), ast.unparse(node)
    return {str(key.value) for key in node.keys if isinstance(key, ast.Constant)}


def assigned(scope: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """What names are given in a function, one by one or side by side."""
    for each in ast.walk(scope):
        if isinstance(each, ast.Assign):
            for target in each.targets:
                if isinstance(target, ast.Tuple) and isinstance(each.value, ast.Tuple):
                    pairs = zip(target.elts, each.value.elts, strict=True)
                else:
                    pairs = zip([target], [each.value], strict=True)
                yield from ((name.id, value) for name, value in pairs if isinstance(name, ast.Name))


def test_every_line_is_a_fixed_text_with_fields_of_the_list() -> None:
    used: set[str] = set()
    found = 0
    for path in SOURCES:
        if path == METRICS:
            continue  # where the families are, whose texts and names are tested below
        module = ast.parse(path.read_text())
        for kind, call in calls(module):
            found += 1
            where = f"{path.relative_to(ROOT)}:{call.lineno}"
            carried = keyword(call, "extra" if kind == "log" else "told")
            if kind == "log":
                assert len(call.args) == 1, f"{where}: arguments could be anything"
                [text] = call.args
                assert isinstance(text, ast.Constant), f"{where}: not a fixed text"
                assert isinstance(text.value, str), where
                assert {each.arg for each in call.keywords} <= {"extra"}, where
            if carried is None:
                continue
            if ast.unparse(carried) == "vars(done)" and path.name == "redriving.py":
                fields = {"sent", "dropped", "left"}
            else:
                fields = literal_keys(carried, around(module, call))
            assert fields <= set(logs.FIELDS), f"{where}: {sorted(fields - set(logs.FIELDS))}"
            used |= fields
    assert found > 50
    assert sorted(set(logs.FIELDS) - used) == []


def test_families_have_fixed_texts_and_names_that_are_told_apart() -> None:
    names = [name for family in metrics.FAMILIES for name in family.units]
    assert len(set(names)) == len(names)
    for family in metrics.FAMILIES:
        assert family.message
        assert not set(family.units) & set(family.dimensions)
        assert set(family.totals) <= set(family.units)
        assert set(family.total_dimensions) <= set(family.dimensions)
        # Nothing by which a user could be known, and what is by no closed set would cost without end.
        assert set(family.dimensions) <= {
            *("purpose", "model", "outcome", "route", "source", "reason", "dependency", "scope"),
        }


def test_a_family_takes_no_name_that_is_not_its_own() -> None:
    at = datetime.fromisoformat("2026-03-10T12:00:00+00:00")
    with pytest.raises(ValueError, match="turn taken"):
        metrics.TURNS.line(at, {"Turns": 1, "Users": 1}, {"route": "answer"})
    with pytest.raises(ValueError, match="turn taken"):
        metrics.TURNS.line(at, {"Turns": 1}, {"user": "alice"})


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """What a function writes."""
    root, stream = logging.getLogger(), io.StringIO()
    before = root.handlers[:], root.level
    formatter = logs.JsonLines("Noted/test")
    formatter.request_id = "8f5c"
    logs.configure(formatter, stream)
    yield stream
    root.handlers[:], root.level = before


def written(lines: io.StringIO) -> dict[str, Any]:
    [line] = lines.getvalue().splitlines()
    return dict(json.loads(line))


def test_a_function_writes_json_with_the_metrics_of_its_deployment(lines: io.StringIO) -> None:
    at = datetime.fromisoformat("2026-03-10T12:00:00+00:00")
    metrics.write(metrics.TURNS, at, {"Turns": 1, "TurnDuration": 812}, route="answer")
    line = written(lines)
    assert (line["level"], line["logger"], line["message"]) == ("INFO", "noted.metrics", "turn taken")
    assert (line["request_id"], line["route"], line["Turns"], line["TurnDuration"]) == (
        *("8f5c", "answer", 1, 812),
    )
    assert line["timestamp"].endswith("Z")
    assert line["_aws"] == {
        "Timestamp": 1_773_144_000_000,
        "CloudWatchMetrics": [
            {
                "Namespace": "Noted/test",
                "Dimensions": [["route"]],
                "Metrics": [
                    {"Name": "Turns", "Unit": "Count"},
                    {"Name": "TurnDuration", "Unit": "Milliseconds"},
                ],
            }
        ],
    }


def test_nothing_but_words_and_numbers_under_known_names_is_written(lines: io.StringIO) -> None:
    try:
        int("Alice likes tea")
    except ValueError:
        logging.getLogger("noted.api").exception(
            "unforeseen error",
            extra={
                "route": "/v1/facts/{fact_id}",
                "reason": "Alice likes tea",
                "query": "tea",
                "dropped": {"quote": 2},
                "counts": {"Alice likes": 1},
                "tables": ["memory", "Alice likes"],
            },
        )
    line = written(lines)
    assert "Alice" not in lines.getvalue()
    assert line["error_type"] == "ValueError"
    assert line["route"] == "/v1/facts/{fact_id}"
    assert line["dropped"] == {"quote": 2}
    assert line.keys().isdisjoint({"reason", "query", "counts", "tables"})


def test_a_library_is_not_quoted_in_a_function_either(lines: io.StringIO) -> None:
    logging.getLogger("botocore").warning("could not send %s", {"content": "Alice likes tea"})
    assert written(lines)["message"].startswith("test_logs.")
    assert "Alice" not in lines.getvalue()


def test_a_function_that_fails_ends_with_the_type_of_its_error_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from noted.api.http import FunctionFailedError, function_handler

    root = logging.getLogger()
    before = root.handlers[:], root.level
    monkeypatch.setenv("NOTED_TABLE_PREFIX", "test")

    def fails(_: object) -> Any:
        def handle(event: dict[str, Any], context: object) -> dict[str, Any]:
            raise ValueError("Alice likes tea")

        return handle

    try:
        with pytest.raises(FunctionFailedError) as failed:
            function_handler(fails)({}, None)
    finally:
        root.handlers[:], root.level = before
    assert str(failed.value) == "ValueError"
    assert failed.value.__suppress_context__
    [line] = capsys.readouterr().out.splitlines()
    assert json.loads(line)["error_type"] == "ValueError"
