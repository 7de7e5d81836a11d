"""The first wall, proven on the source itself: who may reach a table, make a key, or keep anything from one
request to the next. A rule that fails names the file and the line."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "layers" / "noted" / "python" / "noted"
STORE = LIBRARY / "store"
FOLDERS = (LIBRARY, ROOT / "functions", ROOT / "local", ROOT / "evals", ROOT / "infra")

# Every operation of DynamoDB's client that reads or writes rows, whatever it is called on. `query` is also
# what the store and a request call theirs: it is looked for by what it is called with.
ROW_OPERATIONS = {
    "batch_execute_statement",
    "batch_get_item",
    "batch_write_item",
    "delete_item",
    "execute_statement",
    "execute_transaction",
    "export_table_to_point_in_time",
    "get_item",
    "put_item",
    "scan",
    "transact_get_items",
    "transact_write_items",
    "update_item",
}
REQUESTED = {"RequestItems", "TransactItems", "KeyConditionExpression"}
PARTIQL = {"execute_statement", "batch_execute_statement", "execute_transaction"}


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"), str(path))


def modules(*folders: Path) -> Iterator[Path]:
    for folder in folders:
        yield from sorted(folder.rglob("*.py"))


def at(path: Path, node: ast.AST) -> str:
    return f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)}"


def imported(path: Path) -> Iterator[tuple[ast.AST, str]]:
    """The full name of everything that a module imports, anywhere in it."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = node.module or ""
            if node.level:
                place = path.relative_to(ROOT).with_suffix("").parts[: -node.level]
                package = ".".join([*place, package]).removeprefix("layers.noted.python.").rstrip(".")
            yield from ((node, f"{package}.{alias.name}") for alias in node.names)


def within(path: Path, *places: Path) -> bool:
    return any(path == place or place in path.parents for place in places)


def calls(path: Path) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree(path)) if isinstance(node, ast.Call))


def named(node: ast.expr) -> str:
    """The last part of what is called."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def test_keys_are_made_in_the_store_and_nowhere_else() -> None:
    found = [
        at(path, node)
        for path in modules(*FOLDERS)
        if not within(path, STORE)
        for node, name in imported(path)
        if name == "noted.store.keys" or name.startswith("noted.store.keys.")
    ]
    assert found == []


def test_clients_of_the_tables_are_made_in_the_runtime_and_on_one_machine() -> None:
    places = (LIBRARY / "runtime.py", ROOT / "local", ROOT / "evals")
    found = [
        at(path, call)
        for path in modules(*FOLDERS)
        if not within(path, *places)
        for call in calls(path)
        if named(call.func) in ("client", "resource", "create_client")
        and any(isinstance(each, ast.Constant) and each.value == "dynamodb" for each in call.args)
    ]
    assert found == []


# Where the SDK is imported at all, and what for: models and names are services without rows.
SDK = (
    STORE,
    LIBRARY / "runtime.py",
    LIBRARY / "models" / "bedrock.py",
    LIBRARY / "models" / "bedrock_account.py",
    LIBRARY / "privacy" / "names.py",
    ROOT / "local",
    ROOT / "evals",
)


def test_the_sdk_is_imported_where_a_service_is_called() -> None:
    found = [
        f"{at(path, node)} {name}"
        for path in modules(*FOLDERS)
        if not within(path, *SDK)
        for node, name in imported(path)
        if name.partition(".")[0] in ("boto3", "botocore", "aiobotocore")
    ]
    assert found == []


def test_rows_are_read_and_written_by_the_database_alone() -> None:
    # The sweep of what has expired, on one machine, looks at all rows: DynamoDB does that by itself.
    places = (STORE / "database.py", STORE / "expiry.py", ROOT / "evals")
    found = [
        at(path, call)
        for path in modules(*FOLDERS)
        if not within(path, *places)
        for call in calls(path)
        if named(call.func) in ROW_OPERATIONS or REQUESTED & {each.arg for each in call.keywords}
    ]
    assert found == []


def test_nothing_speaks_partiql_and_one_machines_sweep_alone_scans() -> None:
    found = []
    for path in modules(*FOLDERS):
        for call in calls(path):
            paginated = named(call.func) == "get_paginator" and ast.unparse(call.args[0]) == "'scan'"
            if named(call.func) in PARTIQL:
                found.append(at(path, call))
            if (named(call.func) == "scan" or paginated) and not within(path, ROOT / "evals"):
                found.append(at(path, call))
    assert [each.partition(":")[0] for each in found] == [str((STORE / "expiry.py").relative_to(ROOT))]


def test_the_names_of_keys_and_tables_are_the_stores() -> None:
    secret = {"pk", "sk"}
    found = [
        at(path, node)
        for path in modules(LIBRARY, ROOT / "functions")
        if not within(path, STORE)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Constant) and node.value in secret
    ]
    assert found == []


def test_a_handler_makes_no_call_of_a_client() -> None:
    clients = {"dynamodb", "client", "_client", "sqs", "sts", "kms"}
    found = [
        at(path, call)
        for path in modules(ROOT / "functions")
        for call in calls(path)
        if isinstance(call.func, ast.Attribute) and named(call.func.value) in clients
    ]
    assert found == []


# What lives as long as the process.

MUTABLE_CALLS = {
    *("dict", "list", "set", "bytearray", "defaultdict", "deque", "Counter", "OrderedDict", "ChainMap"),
    *("WeakKeyDictionary", "WeakValueDictionary", "local", "ContextVar", "Queue", "LRUCache", "TTLCache"),
}
MUTATING = {
    *("append", "extend", "insert", "remove", "pop", "popitem", "clear", "update", "setdefault", "add"),
    *("discard", "appendleft", "move_to_end", "sort", "reverse", "put", "set"),
}
# What may keep something from one request to the next, and why it can be nothing of a user's.
KEPT = {
    "models/local.py:_engines": "the embedder's loaded weights",
    "recall/lexical.py:_per_thread": "a stemmer for each thread, whose own memory is switched off",
}
# What a function that keeps its results may be given: a word of our own lists or files, or one character.
OF_OUR_OWN = {"category", "character", "code", "field", "folder", "language", "letter"}


def place(path: Path) -> str:
    base = LIBRARY if within(path, LIBRARY) else ROOT
    return str(path.relative_to(base))


def shared(path: Path) -> Iterator[tuple[str, ast.expr]]:
    """What a module and its classes hold, by name: one value for everybody who uses it."""
    body = tree(path).body
    classes = [each for each in ast.walk(tree(path)) if isinstance(each, ast.ClassDef)]
    for node in [*body, *(line for each in classes for line in each.body)]:
        if isinstance(node, ast.Assign):
            yield from ((ast.unparse(target), node.value) for target in node.targets)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield ast.unparse(node.target), node.value


def changed(path: Path) -> set[str]:
    """The names of what a module's code changes in place, or binds anew from within a function."""
    found: set[str] = set()
    functions = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    bodies = [each for each in ast.walk(tree(path)) if isinstance(each, functions)]
    for node in (inner for body in bodies for inner in ast.walk(body)):
        if isinstance(node, ast.Global):
            found |= set(node.names)
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            found.add(named(node.value))
        elif isinstance(node, ast.AugAssign):
            found.add(named(node.target))
        elif (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATING
        ):
            found.add(named(node.func.value))
    return found


def test_what_is_shared_by_all_requests_never_changes() -> None:
    kept = set()
    for path in modules(LIBRARY, ROOT / "functions"):
        changes = changed(path)
        for name, value in shared(path):
            alive = isinstance(value, ast.Call) and named(value.func) in MUTABLE_CALLS and not value.args
            container = isinstance(
                value, ast.Dict | ast.List | ast.Set | ast.DictComp | ast.ListComp | ast.SetComp
            )
            if alive or (container and name in changes):
                kept.add(f"{place(path)}:{name}")
    assert kept == KEPT.keys()


def test_no_module_keeps_what_its_functions_were_given() -> None:
    found = [
        f"{at(path, node)} {node.name}"
        for path in modules(LIBRARY, ROOT / "functions")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for decorator in node.decorator_list
        if named(decorator.func if isinstance(decorator, ast.Call) else decorator) in ("cache", "lru_cache")
        and {each.arg for each in (*node.args.args, *node.args.kwonlyargs)} - OF_OUR_OWN
    ]
    assert found == []


def test_nothing_is_bound_anew_from_within_a_function() -> None:
    found = [
        at(path, node)
        for path in modules(LIBRARY, ROOT / "functions")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Global)
    ]
    assert found == []


@pytest.mark.parametrize(
    "source,names",
    [
        ("_seen = {}\ndef f(x):\n    _seen[x] = 1\n", {"_seen"}),
        ("_seen = []\ndef f(x):\n    _seen.append(x)\n", {"_seen"}),
        ("_total = 0\ndef f():\n    global _total\n    _total += 1\n", {"_total"}),
        ("class A:\n    seen = set()\n    def f(self, x):\n        self.seen.add(x)\n", {"seen"}),
        ("ONE = {1: 2}\ndef f(x):\n    return ONE[x]\n", set()),
    ],
)
def test_the_look_at_changes_sees_them(tmp_path: Path, source: str, names: set[str]) -> None:
    path = tmp_path / "module.py"
    path.write_text(source)
    assert changed(path) == names
