"""DynamoDB's expressions, compiled once each: conditions, filters, key conditions, updates and projections.
They name attributes of the top level only."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, Literal, TypeVar

from tests.dynamodb_double.values import Item, Value, added, compared, same

_TOKEN = re.compile(r"\s*(<=|>=|<>|[=<>(),+-]|[#:]?[A-Za-z0-9_]+)")
_ORDERS: dict[str, Callable[[int], bool]] = {
    "<": lambda order: order < 0,
    "<=": lambda order: order <= 0,
    ">": lambda order: order > 0,
    ">=": lambda order: order >= 0,
}


class Invalid(Exception):
    """An expression that DynamoDB refuses, for this item or for every one."""


@dataclass(frozen=True)
class Words:
    """What the names and values of one request stand for."""

    names: Mapping[str, str]
    values: Mapping[str, Value]

    def name(self, token: str) -> str:
        """The attribute that a name in an expression means."""
        if not token.startswith("#"):
            return token
        if token not in self.names:
            raise Invalid("an expression attribute name is not defined")
        return self.names[token]

    def value(self, token: str) -> Value:
        """The value that stands for a token."""
        if token not in self.values:
            raise Invalid("an expression attribute value is not defined")
        return self.values[token]


Test = Callable[[Item, Words], bool]
Operand = Callable[[Item, Words], Value | None]
Change = Callable[[Item, Words], tuple[str, Value | None]]
Meaning = TypeVar("Meaning")
Bound = tuple[str, Literal["=", "<", "<=", ">", ">=", "begins_with"], str]


@dataclass(frozen=True)
class Compiled(Generic[Meaning]):
    """What an expression means, and which names and values of a request it uses."""

    meaning: Meaning
    used: frozenset[str]


@cache
def condition(text: str) -> Compiled[Test]:
    """A condition or filter."""
    parser = _Parser(text)
    test = parser.disjunction()
    parser.end()
    return Compiled(test, parser.used)


@cache
def key_condition(text: str) -> Compiled[tuple[Bound, ...]]:
    """The bounds that a key condition sets, all of which hold."""
    parser = _Parser(text)
    bounds = [parser.bound()]
    while parser.taken("AND"):
        bounds.append(parser.bound())
    parser.end()
    return Compiled(tuple(bounds), parser.used)


@cache
def update(text: str) -> Compiled[tuple[Change, ...]]:
    """The attributes that an update sets, or removes with None, each worked out from the item before it."""
    parser = _Parser(text)
    changes: list[Change] = []
    while not parser.finished:
        clause = parser.clause()
        changes.append(clause())
        while parser.taken(","):
            changes.append(clause())
    return Compiled(tuple(changes), parser.used)


@cache
def projection(text: str) -> Compiled[tuple[str, ...]]:
    """The names of the attributes that are returned."""
    parser = _Parser(text)
    names = [parser.path()]
    while parser.taken(","):
        names.append(parser.path())
    parser.end()
    return Compiled(tuple(names), parser.used)


class _Parser:
    """Reads one expression by recursive descent."""

    def __init__(self, text: str) -> None:
        self._tokens: list[str] = []
        place, text = 0, text.strip()
        while place < len(text):
            found = _TOKEN.match(text, place)
            if not found:
                raise Invalid("an expression has a syntax error")
            self._tokens.append(found[1])
            place = found.end()
        self._at = 0

    @property
    def used(self) -> frozenset[str]:
        return frozenset(token for token in self._tokens if token[0] in "#:")

    @property
    def finished(self) -> bool:
        return self._at == len(self._tokens)

    def end(self) -> None:
        if not self.finished:
            raise Invalid("an expression has a syntax error")

    def next(self) -> str:
        if self.finished:
            raise Invalid("an expression has a syntax error")
        self._at += 1
        return self._tokens[self._at - 1]

    def taken(self, token: str) -> bool:
        """Goes past a token if it comes next; keywords in any case."""
        if not self.finished and self._tokens[self._at].upper() == token:
            self._at += 1
            return True
        return False

    def need(self, token: str) -> None:
        if not self.taken(token):
            raise Invalid("an expression has a syntax error")

    def path(self) -> str:
        token = self.next()
        if token[0] == ":" or not re.fullmatch(r"#?\w+", token):
            raise Invalid("an expression has a syntax error")
        return token

    # Conditions

    def disjunction(self) -> Test:
        tests = [self._conjunction()]
        while self.taken("OR"):
            tests.append(self._conjunction())
        return tests[0] if len(tests) == 1 else lambda item, words: any(test(item, words) for test in tests)

    def _conjunction(self) -> Test:
        tests = [self._negation()]
        while self.taken("AND"):
            tests.append(self._negation())
        return tests[0] if len(tests) == 1 else lambda item, words: all(test(item, words) for test in tests)

    def _negation(self) -> Test:
        if self.taken("NOT"):
            test = self._negation()
            return lambda item, words: not test(item, words)
        if self.taken("("):
            test = self.disjunction()
            self.need(")")
            return test
        return self._predicate()

    def _predicate(self) -> Test:
        token = self._tokens[self._at] if not self.finished else ""
        if token in ("attribute_exists", "attribute_not_exists"):
            name, wanted = self._argument(), token == "attribute_exists"
            return lambda item, words: (words.name(name) in item) is wanted
        if token == "begins_with":
            bound = self.bound()
            return lambda item, words: _within(item, words, bound)
        left, operator, right = self._operand(), self.next(), self._operand()
        if operator == "=":
            return lambda item, words: _equal(left(item, words), right(item, words))
        if operator == "<>":
            return lambda item, words: not _equal(left(item, words), right(item, words))
        if operator not in _ORDERS:
            raise Invalid("an expression has a syntax error")
        holds = _ORDERS[operator]

        def ordered(item: Item, words: Words) -> bool:
            one, other = left(item, words), right(item, words)
            order = compared(one, other) if one is not None and other is not None else None
            return order is not None and holds(order)

        return ordered

    def _argument(self) -> str:
        self.next()
        self.need("(")
        name = self.path()
        self.need(")")
        return name

    def bound(self) -> Bound:
        """One comparison of an attribute with a value."""
        if self.taken("BEGINS_WITH"):
            self.need("(")
            name = self.path()
            self.need(",")
            value = self.next()
            self.need(")")
            return name, "begins_with", value
        name, operator, value = self.path(), self.next(), self.next()
        if operator not in ("=", "<", "<=", ">", ">=") or value[0] != ":":
            raise Invalid("a key condition has a syntax error")
        return name, operator, value  # type: ignore[return-value]  # it is one of the five

    def _operand(self) -> Operand:
        token = self.next()
        if token[0] == ":":
            return lambda _, words: words.value(token)
        if not re.fullmatch(r"#?\w+", token):
            raise Invalid("an expression has a syntax error")
        return lambda item, words: item.get(words.name(token))

    # Updates

    def clause(self) -> Callable[[], Change]:
        """What reads the changes of the clause that begins here."""
        clauses = {"SET": self.setting, "REMOVE": self.removing, "ADD": self.adding}
        keyword = self.next().upper()
        if keyword not in clauses:
            raise Invalid("an update has a syntax error")
        return clauses[keyword]

    def setting(self) -> Change:
        name = self.path()
        self.need("=")
        left = self._term()
        sign = 1 if self.taken("+") else -1 if self.taken("-") else 0
        right = self._term() if sign else None

        def change(item: Item, words: Words) -> tuple[str, Value | None]:
            value = _there(left(item, words))
            return words.name(name), added(value, _there(right(item, words)), sign) if right else value

        return change

    def removing(self) -> Change:
        name = self.path()
        return lambda item, words: (words.name(name), None)

    def adding(self) -> Change:
        name, value = self.path(), self.next()

        def change(item: Item, words: Words) -> tuple[str, Value | None]:
            attribute = words.name(name)
            number = words.value(value)
            return attribute, added(item.get(attribute, {"N": "0"}), number)

        return change

    def _term(self) -> Operand:
        if self.taken("LIST_APPEND"):
            first, second = self._two()
            return lambda item, words: _appended(_there(first(item, words)), _there(second(item, words)))
        if self.taken("IF_NOT_EXISTS"):
            first, second = self._two()
            return lambda item, words: (
                found if (found := first(item, words)) is not None else second(item, words)
            )
        return self._operand()

    def _two(self) -> tuple[Operand, Operand]:
        self.need("(")
        first = self._term()
        self.need(",")
        second = self._term()
        self.need(")")
        return first, second


def _equal(one: Value | None, other: Value | None) -> bool:
    return one is not None and other is not None and same(one, other)


def _there(value: Value | None) -> Value:
    if value is None:
        raise Invalid("an expression refers to an attribute that does not exist in the item")
    return value


def _appended(one: Value, other: Value) -> Value:
    if "L" not in one or "L" not in other:
        raise TypeError
    return {"L": [*one["L"], *other["L"]]}


def _within(item: Item, words: Words, bound: Bound) -> bool:
    return within(item.get(words.name(bound[0])), bound[1], words.value(bound[2]))


def within(value: Value | None, operator: str, limit: Value) -> bool:
    """Whether a value keeps to a bound."""
    if value is None:
        return False
    if operator == "=":
        return same(value, limit)
    if operator == "begins_with":
        [(kind, content)], [(limit_kind, start)] = value.items(), limit.items()
        return kind == limit_kind and kind in ("S", "B") and bool(content.startswith(start))
    order = compared(value, limit)
    return order is not None and _ORDERS[operator](order)


def words_of(parameters: Mapping[str, Any], *used: frozenset[str]) -> Words:
    """The names and values of a request, all of which its expressions must use."""
    names, values = (
        parameters.get("ExpressionAttributeNames", {}),
        parameters.get("ExpressionAttributeValues", {}),
    )
    needed = frozenset[str]().union(*used)
    if not needed >= names.keys() | values.keys():
        raise Invalid("a name or value is unused in the expressions")
    if not needed <= names.keys() | values.keys():
        raise Invalid("a name or value is not defined")
    return Words(names, values)
