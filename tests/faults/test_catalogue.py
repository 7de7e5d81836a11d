"""The catalogue against the tests that it names, the document made of it, and the open list of faults."""

from __future__ import annotations

import ast
import json
from pathlib import Path

from tests.faults.__main__ import DOCUMENT, written
from tests.faults.catalogue import FAULTS, INVARIANTS

ROOT = Path(__file__).parents[2]


def test_the_document_is_what_the_catalogue_says() -> None:
    """`python -m tests.faults` writes it."""
    text = DOCUMENT.read_text("utf-8")
    assert written(text) == text


def test_every_test_that_is_named_is_there() -> None:
    defined: dict[str, set[str]] = {}
    for test in (test for each in (*FAULTS, *INVARIANTS) for test in each.tests):
        file, _, name = test.partition("::")
        if file not in defined:
            tree = ast.parse((ROOT / file).read_text("utf-8"))
            defined[file] = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert name in defined[file], test


def test_every_fault_of_the_open_list_is_here(shared_dir: Path) -> None:
    listed = (shared_dir / "security" / "faults_open.jsonl").read_text("utf-8").splitlines()
    assert {fault.id for fault in FAULTS} == {json.loads(line)["id"] for line in listed}


def test_every_invariant_has_a_test_and_every_fault_an_invariant() -> None:
    numbers = [each.number for each in INVARIANTS]
    assert numbers == list(range(1, 21))
    assert all(fault.tests and set(fault.invariants) <= set(numbers) for fault in FAULTS)
    assert all(each.tests for each in INVARIANTS)
