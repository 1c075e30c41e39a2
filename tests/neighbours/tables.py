"""Tables with rules that fit them and rows to add, drawn from any source of randomness.

The same code serves long runs, which are repeated by their seed, and Hypothesis. A case is about
one type, drawn uniformly, and one kind of rule. A column has few values, which are close together
in its type or at its ends. Few rows are in conflict: where nearly all are, a wrong comparison
hides none of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import combinations
from random import Random

import numpy as np

from candling.rules import (
    Column,
    ColumnType,
    Constant,
    Constraint,
    ConstraintSet,
    Op,
    Rules,
    TypeLine,
    compile_rules,
)
from candling.rules.constraint import Predicate, RowNumber
from candling.rules.constraint import Value as Literal
from candling.rules.types import type_rule
from tests.neighbours.values import (
    DAY,
    NULL,
    PLAIN,
    TYPES,
    Type,
    Value,
    extremes,
    infinite,
    small,
    together,
)
from tests.oracle import Cell, violates_pair, violates_row

Row = tuple[Value, ...]

SOURCES = {
    "duckdb": {
        "caller": "duckdb",
        "berlin": "duckdb",
        "nocase": "duckdb",
        "file": "duckdb",
        "arrow": "arrow",
        "parquet": "parquet",
        "pandas": "frames",
        "polars": "frames",
        "csv": "csv",
        "json": "cells",
        "excel": "cells",
        "sqlite": "cells",
        "objects": "cells",
    },
    "postgres": {"caller": "postgres", "berlin": "postgres", "address": "postgres by address"},
    "spark": {
        "table": "spark",
        "berlin": "spark",
        "parquet": "parquet on spark",
        "csv": "csv",
        "json": "cells",
    },
}
"""Where a table of an engine comes from, and whose types it has."""
_WEIGHTS = {"caller": 4, "berlin": 4, "nocase": 2, "table": 2}
_MOMENTS = {ColumnType.DATE, ColumnType.TIMESTAMP}
_ORDERS = (Op.LT, Op.LE, Op.GT, Op.GE)
_CONSTANTS: dict[ColumnType, tuple[Literal, ...]] = {
    ColumnType.NUMBER: (0, 1, -1, 300, -(2**63) - 1, 2**64, Decimal("0.5"), Decimal("0.1")),
    ColumnType.STRING: ("", "a", "A", "a ", "é", "m", "\uffff", "8", "\0"),
    ColumnType.BOOLEAN: (False, True),
    ColumnType.DATE: (date(1, 1, 1), date(2023, 10, 29), date(9999, 12, 31)),
    ColumnType.TIMESTAMP: (
        date(2023, 10, 29),
        datetime(2023, 10, 29, 1, 10),  # noqa: DTZ001 - constants have no zone
        datetime(1, 1, 1),  # noqa: DTZ001
        datetime(9999, 12, 31, 23, 59, 59, 999_999),  # noqa: DTZ001
    ),
}


@dataclass(frozen=True)
class Case:
    """A table, its rules, and rows of which each makes a neighbour, with the place it goes to."""

    engine: str
    source: str
    columns: dict[str, Type]
    rules: ConstraintSet
    rows: tuple[Row, ...]
    more: tuple[tuple[int, Row], ...]
    together: bool = False  # every choice of the rows to add is a table

    @property
    def tables(self) -> dict[frozenset[int], tuple[Row, ...]]:
        """The table and those with more rows, by the numbers of the rows that were added."""
        sizes = range(len(self.more) + 1) if self.together else range(2)
        numbers = range(len(self.more))
        return {
            frozenset(added): self._with(added)
            for size in sizes
            for added in combinations(numbers, size)
        }

    @property
    def neighbours(self) -> Iterator[tuple[frozenset[int], int]]:
        """Tables that have a neighbour, and the number of the row that makes it."""
        tables = self.tables
        for added in tables:
            for number in range(len(self.more)):
                if number not in added and added | {number} in tables:
                    yield added, number

    def neighbour(self, added: frozenset[int], number: int) -> Case:
        """The case of two tables of this one."""
        place, row = self.more[number]
        place += sum((self.more[other][0], other) < (place, number) for other in added)
        return replace(self, rows=self._with(added), more=((place, row),))

    def _with(self, added: Iterable[int]) -> tuple[Row, ...]:
        rows = list(self.rows)
        for _, place, row in sorted(((n, *self.more[n]) for n in added), key=_last_place):
            rows.insert(place, row)
        return tuple(rows)

    @property
    def judged(self) -> bool:
        """Whether the oracle can tell the truth of these rules."""
        return all(
            isinstance(p.right, Column) or _held(p.right.value, self.columns[p.left.name])
            for rule in self.rules
            for p in rule.predicates
        )

    @property
    def typed(self) -> dict[str, Type]:
        """The columns whose texts are read as another type."""
        return {
            name: of
            for name, of in self.columns.items()
            if of.stated is not None and of.stated.kind != "text"
        }

    @property
    def compiled(self) -> Rules:
        """The rules with those of types, in the order of the table: stated first."""
        ordered = sorted(self.typed.items(), key=lambda item: item[1].implied)
        return compile_rules(self.rules).with_types(
            type_rule(name, of.stated) for name, of in ordered if of.stated is not None
        )

    @property
    def implies_types(self) -> bool:
        """Whether rules imply the types that they are to imply."""
        implied = {
            p.left.name for r in self.rules for p in r.predicates if isinstance(p.right, Constant)
        }
        return {name for name, of in self.columns.items() if of.implied} <= implied

    @property
    def unordered(self) -> bool:
        """Whether a rule asks for the order of texts without a type."""
        across = [p for rule in self.rules for p in rule.predicates]
        implied = {p.left.name for p in across if isinstance(p.right, Constant)}
        free = {name for name, of in self.columns.items() if of.name == "untyped"} - implied
        return any(
            p.op in _ORDERS and isinstance(p.right, Column) and free & {p.left.name, p.right.name}
            for p in across
        )

    @property
    def refusable(self) -> bool:
        """Whether the schema may be the reason to refuse these rules."""
        if self.unordered:
            return True
        unread = self.engine == "spark" and self.source == "parquet"  # by Spark, of some types
        return unread or not all(of.form for of in self.columns.values())

    @property
    def refused(self) -> bool:
        """Whether a rule reads a column of a type without a form."""
        return self.unordered or not all(self.columns[name].form for name in self.rules.columns)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The types that the rules read."""
        return tuple(sorted({self.columns[name].name for name in self.rules.columns}))

    def __str__(self) -> str:
        lines = [f"{self.engine}, {self.source}"]
        lines += [f"  column {name}: {of.declared or of.name}" for name, of in self.columns.items()]
        lines += [f"  rule {rule}" for rule in self.rules]
        lines += [f"  row {tuple(v.put for v in row)}" for row in self.rows]
        lines += [f"  one more at {at}: {tuple(v.put for v in row)}" for at, row in self.more]
        return "\n".join(lines)


def _last_place(inserted: tuple[int, int, Row]) -> tuple[int, int]:
    """Sorts rows so that inserting one moves none that follows."""
    number, place, _ = inserted
    return -place, -number


def _held(value: Literal, column: Type) -> bool:
    """Whether a column of floats holds this constant exactly: else it is rounded."""
    if column.width is None:
        return True
    assert isinstance(value, int | Decimal)
    with np.errstate(over="ignore"):
        near = float(np.dtype(f"f{column.width}").type(float(value)))
    return math.isfinite(near) and Decimal(near) == value


def oracle_cells(case: Case) -> list[dict[str, Cell]]:
    """The rows as the oracle takes them: also whether a cell does not fit its type."""
    names = {
        name: type_rule(name, of.stated).predicates[0].left.name
        for name, of in case.typed.items()
        if of.stated is not None
    }
    return [
        {name: value.cell for name, value in zip(case.columns, row, strict=True)}
        | {
            names[name]: not value.fits
            for name, value in zip(case.columns, row, strict=True)
            if name in names
        }
        for row in case.rows
    ]


def oracle_rule(rule: Constraint) -> Constraint:
    """The rule with points in time as the nanoseconds that cells have for them."""

    def of(p: Predicate) -> Predicate:
        if not isinstance(p.right, Constant) or not isinstance(p.right.value, date):
            return p
        return replace(p, right=Constant(_nanoseconds(p.right.value)))

    return replace(rule, predicates=tuple(map(of, rule.predicates)))


def _nanoseconds(value: date) -> int:
    start = datetime(1970, 1, 1)  # noqa: DTZ001
    if not isinstance(value, datetime):
        return (value.toordinal() - start.toordinal()) * DAY
    return (value - start) // timedelta(microseconds=1) * 1000


# ---------------------------------------------------------------------------------------- drawing


def draw_case(
    random: Random,
    engine: str,
    *,
    source: Sequence[str] | None = None,
    about: str | None = None,
    more: int = 3,
) -> Case:
    """A case on an engine, about some type; each choice of `more` rows makes a table."""
    families = SOURCES[engine]
    sources = [
        name
        for name, family in families.items()
        if (not source or name in source) and _asked(family, about)
    ]
    (place,) = random.choices(sources, [_WEIGHTS.get(name, 1) for name in sources])
    family = families[place]
    asked = _asked(family, about)
    # A type that nothing states is one of many, and what is most easily got wrong.
    weights = [30 if of.name == "untyped" else 4 if of.form else 1 for of in asked]
    focus = random.choices(asked, weights)[0]
    (kind,) = random.choices(list(_SCENARIOS), [share for share, _ in _SCENARIOS.values()])
    plain = next(of for of in TYPES[family] if of.name == PLAIN[family])
    columns = _columns(random, TYPES[family], focus, plain, _SCENARIOS[kind][1])
    numbers = small(family)
    pools = {
        name: list(numbers) if of is plain and name != "a" else _pool(random, of)
        for name, of in columns.items()
    }
    rules = with_types(_Rules(random, columns, pools).of(kind), columns)
    rows = _Rows(
        random, pools, [oracle_rule(rule) for rule in rules], extremes(focus), random.random() < 0.7
    )
    table = rows.table(random.choice((0, 2, 3, 4, 4, 5, 5, 6, 6, 7, 8)))
    extra = tuple((random.randrange(len(table) + 1), rows.any(table)) for _ in range(more))
    return Case(engine, place, columns, rules, tuple(table), extra, together=True)


def with_types(rules: Iterable[Constraint], columns: Mapping[str, Type]) -> ConstraintSet:
    """The rules with lines for types that are stated, and rules that imply the others."""
    lines = [
        TypeLine(name, of.stated) for name, of in columns.items() if of.stated and not of.implied
    ]
    implying = [
        Constraint((Predicate(Column(1, name), Op.LT, Constant(-(10**9))),))
        for name, of in columns.items()
        if of.implied
    ]
    return ConstraintSet((*rules, *implying), types=tuple(lines))


def _asked(family: str, about: str | None) -> list[Type]:
    return [of for of in TYPES[family] if about in (None, of.name)]


# How often each kind of rule is drawn, and how many columns it has beside the one in question.
_SCENARIOS = {
    "order": (10, (1,)),
    "grouped order": (2, (2,)),
    "dependency": (3, (1, 1, 2)),
    "chain": (3, (2, 3)),
    "constant": (4, (1,)),
    "any": (2, (1, 2, 3)),
}


def _columns(
    random: Random, types: Sequence[Type], focus: Type, plain: Type, counts: Sequence[int]
) -> dict[str, Type]:
    """One of the type in question; the others mostly plain, or of one that it compares with."""
    near = [of for of in types if _comparable(of, focus) and of.form]
    others = [*[plain] * 6, focus, random.choice(near or [focus])]
    names = ("b", "c", "d")[: random.choice(counts)]
    return {"a": focus} | {name: random.choice(others) for name in names}


@dataclass(frozen=True)
class _Rows:
    """Draws rows, most of which are in no conflict."""

    random: Random
    pools: dict[str, list[Value]]
    rules: list[Constraint]
    ends: list[Value]  # of the type in question
    various: bool  # rather values of it that no other row has

    def table(self, size: int) -> list[Row]:
        """Rows without conflicts where there are any, and then one to three with few."""
        wrong = min(size, self.random.choice((1, 2, 2, 3)))
        rows: list[Row] = []
        for _ in range(size - wrong):
            rows.append(self._best(rows, 0))
        for _ in range(wrong):
            rows.append(self._best(rows, 1))
        self.random.shuffle(rows)
        return rows

    def any(self, rows: Sequence[Row]) -> Row:
        """A row beside a table: with no conflict, with few, or with any number."""
        wanted = self.random.choice((0, 1, 1, 1, None))
        return self._row() if wanted is None else self._best(rows, wanted)

    def _best(self, rows: Sequence[Row], wanted: int) -> Row:
        """One whose number of conflicts is near the wanted one; rather various, or of an end."""
        drawn = [self._row() for _ in range(50 if wanted else 16)]
        known = {row[0] for row in rows}
        return min(
            drawn,
            key=lambda new: (
                abs(self._conflicts(new, rows) - wanted),
                new[0] not in self.ends if wanted else self.various and new[0] in known,
            ),
        )

    def _row(self) -> Row:
        return tuple(self.random.choice(pool) for pool in self.pools.values())

    def _conflicts(self, new: Row, rows: Sequence[Row]) -> int:
        one = self._cells(new)
        alone = sum(violates_row(rule, one) for rule in self.rules)
        return alone + sum(
            any(violates_pair(rule, one, self._cells(row)) for rule in self.rules) for row in rows
        )

    def _cells(self, row: Row) -> dict[str, Cell]:
        return {name: value.cell for name, value in zip(self.pools, row, strict=True)}


def _comparable(one: Type, two: Type) -> bool:
    return one.kind is two.kind or {one.kind, two.kind} <= _MOMENTS


def _pool(random: Random, of: Type) -> list[Value]:
    """Few values: close together, or with the ends of the type, or from anywhere."""
    start = random.randrange(len(of.values))
    near = (of.values * 2)[start : start + min(6, len(of.values))]
    kind = random.choices(("near", "ends", "any"), (6, 3, 1))[0]
    if (close := together(of)) and random.random() < 0.4:
        pool = _few(random, random.choice(close))
    elif kind == "any":
        pool = _few(random, of.values)
    else:
        pool = _few(random, near)
    ends = infinite(of) or (extremes(of) if kind == "ends" else [])
    if ends and random.random() < 0.6:
        pool += random.sample(ends, min(len(ends), random.choice((1, 2))))
    return [*pool, NULL] if random.random() < 0.2 else pool


def _few(random: Random, values: Sequence[Value]) -> list[Value]:
    return random.sample(values, min(len(values), random.randint(3, 5)))


class _Rules:
    """Draws rules of every kind over the columns of one table."""

    def __init__(
        self, random: Random, columns: dict[str, Type], pools: dict[str, list[Value]]
    ) -> None:
        self.random = random
        self.columns = columns
        self.pools = pools

    def of(self, scenario: str) -> list[Constraint]:
        match scenario:
            case "order":
                kinds = [self.order]
            case "grouped order":
                kinds = [self.grouped]
            case "dependency":
                kinds = [self.random.choice((self.dependency, self.dependency, self.key))]
            case "chain":
                return self.chain()
            case "constant":
                kinds = [self.random.choice((self.row, self.conditional, self.product, self.order))]
                kinds += [self.dependency] * self.random.choice((0, 0, 1))
            case _:
                every = [self.order, self.grouped, self.dependency, self.key, self.mixed]
                every += [self.cross, self.cross, self.row, self.conditional, self.product]
                kinds = [self.random.choice(every) for _ in range(self.random.choice((1, 1, 2, 3)))]
        return [Constraint(tuple(kind())) for kind in kinds]

    def dependency(self) -> list[Predicate]:
        *left, right = self._names(2, 3)
        return [*map(self._same, left), self._same(right, Op.NE)]

    def chain(self) -> list[Constraint]:
        """Two dependencies or keys or more, whose left sides lie in each other."""
        names = self._names(3, 4)
        rules = []
        for size in range(1, len(names)):
            rule = [*map(self._same, names[:size])]
            if self.random.random() < 0.7:
                rule.append(self._same(self.random.choice(names[size:]), Op.NE))
            rules.append(Constraint(tuple(rule)))
        return rules

    def key(self) -> list[Predicate]:
        return [self._same(name) for name in self._names(1, 2)]

    def order(self) -> list[Predicate]:
        """Without equality columns, at times with a condition."""
        names = self._names(2, 2)
        ordered = [self._same(name, self.random.choice(_ORDERS)) for name in names]
        return [*ordered, *self._conditions(0.1)]

    def grouped(self) -> list[Predicate]:
        """An order rule with an equality column, if there are columns for it."""
        *equal, first, second = self._names(3, 3)
        ordered = [self._same(name, self.random.choice(_ORDERS)) for name in (first, second)]
        return [*map(self._same, equal), *ordered]

    def conditional(self) -> list[Predicate]:
        condition = self._condition(1)
        twin = replace(condition, left=replace(condition.left, row=2))
        if isinstance(twin.right, Column):
            twin = replace(twin, right=replace(twin.right, row=2))
        return [condition, twin, *self.dependency()]

    def row(self) -> list[Predicate]:
        return [self._condition(1) for _ in range(self.random.choice((1, 1, 2)))]

    def cross(self) -> list[Predicate]:
        """Columns of one row against columns of the other."""
        found = [self._across() for _ in range(self.random.choice((1, 2)))]
        return found + [self._same(name) for name in self._names(0, 1)]

    def mixed(self) -> list[Predicate]:
        found = [self._across() for _ in range(self.random.choice((1, 2, 3)))]
        found += [self._same(name, self.random.choice(list(Op))) for name in self._names(0, 2)]
        return found + self._conditions(0.5)

    def product(self) -> list[Predicate]:
        return [self._condition(1), self._condition(2)]

    def _names(self, least: int, most: int) -> list[str]:
        """Different columns in any order, among them mostly the one in question."""
        count = min(self.random.randint(least, most), len(self.columns))
        names = self.random.sample(list(self.columns), count)
        if names and "a" not in names and self.random.random() < 0.7:
            names[self.random.randrange(count)] = "a"
        return names

    def _name(self) -> str:
        return "a" if self.random.random() < 0.5 else self.random.choice(list(self.columns))

    def _same(self, name: str, op: Op = Op.EQ) -> Predicate:
        return Predicate(Column(1, name), op, Column(2, name))

    def _across(self) -> Predicate:
        left = self._name()
        right = self.random.choice(self._near(left))
        rows: tuple[RowNumber, RowNumber] = self.random.choice(((1, 2), (2, 1)))
        op = self.random.choice(list(Op))
        return Predicate(Column(rows[0], left), op, Column(rows[1], right))

    def _near(self, name: str) -> list[str]:
        """Columns that it compares with."""
        return [n for n, of in self.columns.items() if _comparable(of, self.columns[name])]

    def _conditions(self, share: float) -> list[Predicate]:
        row: RowNumber = self.random.choice((1, 2))
        return [self._condition(row)] if self.random.random() < share else []

    def _condition(self, row: RowNumber) -> Predicate:
        """A column against a constant or another column of the same row."""
        name = self._name()
        op = self.random.choice(list(Op))
        literals = self._literals(name)
        others = [near for near in self._near(name) if near != name]
        if literals and (not others or self.random.random() < 0.7):
            return Predicate(Column(row, name), op, Constant(self.random.choice(literals)))
        return Predicate(Column(row, name), op, Column(row, self.random.choice(others or [name])))

    def _literals(self, name: str) -> list[Literal]:
        of = self.columns[name]
        drawn = [found for v in self.pools[name] for found in _literal(v.cell, of.kind)]
        return [*drawn, *drawn, *_CONSTANTS.get(of.kind, ())]


def _literal(cell: Cell, kind: ColumnType) -> list[Literal]:
    """A cell as a rule can write it, if it can."""
    if cell is None or kind not in _CONSTANTS:
        return []
    if kind not in _MOMENTS:
        if not isinstance(cell, float):
            return [cell]
        return [Decimal(cell)] if math.isfinite(cell) else []
    assert isinstance(cell, int | float)
    if abs(cell) > 10**22 or cell % 1000:
        return []
    try:
        moment = datetime(1970, 1, 1) + timedelta(microseconds=int(cell) // 1000)  # noqa: DTZ001
    except OverflowError:
        return []
    return [moment.date() if kind is ColumnType.DATE else moment]
