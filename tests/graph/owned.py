"""Small tables whose rows have persons, and the linear programs of their numbers: the oracle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from scipy.optimize import linprog

import candling
from candling.rules.constraint import ConstraintSet
from candling.tables import open_table, read_rows
from candling.tables.classes import Classes, OwnedClasses
from tests import oracle

COLUMNS = "abcd"
RULES = {
    "dependency": "a -> b",
    "one left side": "a -> b\na -> c",
    "chain": "a -> b\nb -> c",
    "dependencies and a row rule": "a -> b\nc -> d\nnot(t1.d = 0)",
    "marriages": "a -> b\nb -> a\nc -> d\nd -> c\nkey(a, c)",
    "key": "key(a)",
    "key and dependency": "key(a)\nb -> c",
    "keys": "key(a, b)\nkey(c)\nd -> c",
    "order": "not(t1.a < t2.a and t1.b > t2.b)",
    "order in groups": "not(t1.c = t2.c and t1.a < t2.a and t1.b > t2.b)\nd -> a",
    "order with ties": "not(t1.c = t2.c and t1.a <= t2.a and t1.b >= t2.b)",
    "order, one tie": "not(t1.c = t2.c and t1.a < t2.a and t1.b >= t2.b)\nkey(d)",
    "ties, key, dependency, row rule": (
        "not(t1.a <= t2.a and t1.b >= t2.b)\nkey(c)\nd -> b\nnot(t1.b = 2)"
    ),
    "differ twice": "not(t1.a != t2.a and t1.b != t2.b and t1.c = t2.c)\nnot(t1.a = t1.b)",
    "two columns": "not(t1.a < t2.b)",
    "joined by two columns": "not(t1.a = t2.b and t1.c != t2.d)",
    "conditions": "not(t1.a = 1 and t2.a = 2)\na -> d",
    "conditional dependency": "not(t1.a = t2.a and t1.b != t2.b and t1.c = 1 and t2.c = 1)",
}


@dataclass(frozen=True)
class OwnedRows:
    """Rows over the columns a to d, each with its person; None is NULL."""

    rows: list[dict[str, oracle.Cell]]
    persons: list[int]
    rules: ConstraintSet

    @cached_property
    def owned(self) -> OwnedClasses:
        """What a release would see: equal rows of a person are one line."""
        schema = pa.schema([(name, pa.int64()) for name in COLUMNS])
        table = open_table(pa.Table.from_pylist(self.rows, schema=schema))
        return own(read_rows(table, list(self.rules)), self.persons)

    def without(self, person: int) -> OwnedRows:
        """The table without one of the persons."""
        kept = [(r, p) for r, p in zip(self.rows, self.persons, strict=True) if p != person]
        return OwnedRows([r for r, _ in kept], [p for _, p in kept], self.rules)


def own(classes: Classes, persons: Sequence[int]) -> OwnedClasses:
    """The classes of each person, of classes with one row each."""
    numbers = np.unique(np.array(persons, np.int64), return_inverse=True)[1]
    lines = np.vstack([numbers, classes.codes])
    lines, weights = np.unique(lines, axis=1, return_counts=True)
    codes = lines[1:].astype(np.int32)
    merged = Classes(classes.rows, codes, weights.astype(np.int64), classes.rules)
    return OwnedClasses(merged, lines[0].astype(np.int64))


def draw_rows(name: str, number: int, *, most: int = 14) -> OwnedRows:
    """A random table under some of the rules: with NULL, repeated rows or few errors at times."""
    rng = np.random.default_rng([number, *name.encode()])
    size = int(rng.integers(1, most))
    values = rng.integers(-int(number % 3 == 0), rng.integers(1, 6), (size, len(COLUMNS)))
    if number % 4 == 1:  # mostly right, a few wrong
        values = np.where(rng.random(values.shape) < 0.8, 0, values)
    if number % 5 == 2:
        values = values[rng.integers(0, size, size)]
    rows: list[dict[str, oracle.Cell]] = [
        {c: None if v < 0 else int(v) for c, v in zip(COLUMNS, row, strict=True)} for row in values
    ]
    persons = rng.integers(0, rng.integers(1, max(2, size // 2) + 1), size).tolist()
    return OwnedRows(rows, persons, candling.parse_constraints(RULES[name]))


Column = tuple[tuple[int, ...], dict[int, int]]  # rows whose room it takes, and what of each person


def repair_program(table: OwnedRows) -> list[Column]:
    """A column for each wrong row and each conflict."""
    return _columns(table, ordered=False)


def problematic_program(table: OwnedRows) -> list[Column]:
    """A column for each wrong row, and for each row and a row that it conflicts with."""
    return _columns(table, ordered=True)


def conflicts_program(table: OwnedRows) -> list[Column]:
    """A column for each wrong row and each conflict, which takes part once."""
    true, persons = oracle.conflicts(table.rows, table.rules), table.persons
    columns: list[Column] = [((i,), {persons[i]: 1}) for i in true.self_inconsistent]
    for number, (i, j) in enumerate(true.edges, len(persons)):
        columns.append(((number,), dict.fromkeys((persons[i], persons[j]), 1)))
    return columns


def _columns(table: OwnedRows, *, ordered: bool) -> list[Column]:
    true, persons = oracle.conflicts(table.rows, table.rules), table.persons
    columns: list[Column] = [((i,), {persons[i]: 1}) for i in true.self_inconsistent]
    for i, j in true.edges:
        if ordered:
            part = dict.fromkeys((persons[i], persons[j]), 1)
            columns += [((i,), part), ((j,), part)]
        else:
            part = {persons[i]: 1, persons[j]: 1} if persons[i] != persons[j] else {persons[i]: 2}
            columns.append(((i, j), part))
    return columns


def solve(columns: list[Column], capacity: int) -> int:
    """Twice the largest sum: 1 for each row, `capacity` for each person."""
    if not columns:
        return 0
    rows = sorted({row for own, _ in columns for row in own})
    persons = sorted({person for _, part in columns for person in part})
    used = np.zeros((len(rows) + len(persons), len(columns)))
    for k, (own, part) in enumerate(columns):
        used[[rows.index(row) for row in own], k] = 1
        for person, amount in part.items():
            used[len(rows) + persons.index(person), k] = amount
    room = np.repeat([1.0, float(capacity)], [len(rows), len(persons)])
    found = -2 * linprog(-np.ones(len(columns)), A_ub=used, b_ub=room, bounds=(0, None)).fun
    value: int = round(found)
    assert abs(found - value) < 1e-6
    return value
