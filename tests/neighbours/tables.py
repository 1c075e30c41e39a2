"""Tables with rules that fit them and rows to add, drawn from any source of randomness.

The same code serves long runs, which are repeated by their seed, and Hypothesis. One column is of
the type that the case is about; the rules prefer it. Columns draw from few values, often such as
stand side by side in their type, so ties and near misses are common.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from random import Random

import numpy as np

from candling.constraints import Column, ColumnType, Constant, Constraint, ConstraintSet, Op
from candling.constraints.model import Predicate, RowNumber
from candling.constraints.model import Value as Literal
from tests.neighbours.values import DAY, NULL, PLAIN, TYPES, Type, Value
from tests.oracle import Cell, violates_pair, violates_row

Row = tuple[Value, ...]

SOURCES = {
    "duckdb": {
        "caller": "duckdb",
        "berlin": "duckdb",
        "nocase": "duckdb",
        "file": "duckdb",
        "arrow": "arrow",
        "parquet": "arrow",
        "pandas": "frames",
        "polars": "frames",
    },
    "postgres": {"caller": "postgres", "berlin": "postgres", "address": "postgres by address"},
    "spark": {"table": "spark", "berlin": "spark", "parquet": "arrow"},
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

    @property
    def tables(self) -> Iterator[tuple[Row, ...]]:
        """The table, and then its neighbours."""
        yield self.rows
        for place, row in self.more:
            yield (*self.rows[:place], row, *self.rows[place:])

    @property
    def judged(self) -> bool:
        """Whether the oracle can tell the truth of these rules."""
        return all(
            self.columns[p.left.name].exact
            and (
                self.columns[p.right.name].exact
                if isinstance(p.right, Column)
                else _held(p.right.value, self.columns[p.left.name])
            )
            for rule in self.rules
            for p in rule.predicates
        )

    @property
    def kinds(self) -> tuple[str, ...]:
        """The types that the rules read."""
        return tuple(sorted({self.columns[name].name for name in self.rules.columns}))

    def __str__(self) -> str:
        lines = [f"{self.engine}, {self.source}"]
        lines += [f"  column {name}: {of.declared}" for name, of in self.columns.items()]
        lines += [f"  rule {rule}" for rule in self.rules]
        lines += [f"  row {tuple(v.put for v in row)}" for row in self.rows]
        lines += [f"  one more at {at}: {tuple(v.put for v in row)}" for at, row in self.more]
        return "\n".join(lines)


def _held(value: Literal, column: Type) -> bool:
    """Whether a column of floats holds this constant exactly: else it is rounded."""
    if column.width is None:
        return True
    assert isinstance(value, int | Decimal)
    with np.errstate(over="ignore"):
        near = float(np.dtype(f"f{column.width}").type(float(value)))
    return math.isfinite(near) and Decimal(near) == value


def oracle_cells(case: Case) -> list[dict[str, Cell]]:
    """The rows as the oracle takes them."""
    return [
        dict(zip(case.columns, (value.cell for value in row), strict=True)) for row in case.rows
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
    source: str | None = None,
    about: str | None = None,
    more: int = 5,
) -> Case:
    """A case on an engine, about some type; `more` rows make as many neighbours."""
    sources = SOURCES[engine]
    if source is None:
        source = random.choices(list(sources), [_WEIGHTS.get(s, 1) for s in sources])[0]
    family = sources[source]
    plain = next(of for of in TYPES[family] if of.name == PLAIN[family])
    asked = [of for of in TYPES[family] if of.name == about] or TYPES[family]
    (focus,) = random.choices(asked, [of.often for of in asked])
    columns = _columns(random, TYPES[family], focus, plain)
    pools = {name: _pool(random, of, plain=of is plain) for name, of in columns.items()}
    draw = _Rules(random, columns, pools)
    rules = ConstraintSet(tuple(draw.rule() for _ in range(random.choice((1, 1, 1, 2, 3)))))

    def row() -> Row:
        return tuple(random.choice(pools[name]) for name in columns)

    size = random.choice((0, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, 6, 8, 10, 12))
    sparse = random.random() < 0.7
    judge = _Judge(list(columns), [oracle_rule(rule) for rule in rules])
    rows: list[Row] = []
    for _ in range(size):
        drawn = [row() for _ in range(5 if sparse else 1)]
        rows.append(min(drawn, key=lambda new: max(judge.conflicts(new, rows), 1)))
    extra = tuple((random.randrange(size + 1), row()) for _ in range(more))
    return Case(engine, source, columns, rules, tuple(rows), extra)


@dataclass(frozen=True)
class _Judge:
    """Counts conflicts. Where nearly all rows are in some, a comparison gone wrong hides none."""

    names: list[str]
    rules: list[Constraint]

    def conflicts(self, new: Row, rows: Sequence[Row]) -> int:
        """Of a new row, alone and with the others; one is as good as none, to have some."""
        one = self._cells(new)
        alone = sum(violates_row(rule, one) for rule in self.rules)
        return alone + sum(
            any(violates_pair(rule, one, self._cells(row)) for rule in self.rules) for row in rows
        )

    def _cells(self, row: Row) -> dict[str, Cell]:
        return {name: value.cell for name, value in zip(self.names, row, strict=True)}


def _columns(random: Random, types: Sequence[Type], focus: Type, plain: Type) -> dict[str, Type]:
    """Two to four columns: of the type in question, of one that it compares with, and plain."""
    near = [of for of in types if _comparable(of, focus)]
    others = [focus, random.choice(near), plain, plain, random.choice(types)]
    count = random.choice((1, 1, 2, 3))
    return {"a": focus} | {name: random.choice(others) for name in ("b", "c", "d")[:count]}


def _comparable(one: Type, two: Type) -> bool:
    return one.kind is two.kind or {one.kind, two.kind} <= _MOMENTS


def _pool(random: Random, of: Type, *, plain: bool) -> list[Value]:
    """Few values: some that stand side by side, some from anywhere; plain ones without ends."""
    values = of.values[1:6] if plain else of.values
    start = random.randrange(len(values))
    near = (values * 2)[start : start + 4]
    pool = [random.choice(near) for _ in range(random.choice((1, 2, 3)))]
    pool += [random.choice(values) for _ in range(random.choice((1, 2)))]
    if random.random() < 0.25:
        pool.append(NULL)
    return pool


class _Rules:
    """Draws rules of every kind over the columns of one table."""

    def __init__(
        self, random: Random, columns: dict[str, Type], pools: dict[str, list[Value]]
    ) -> None:
        self.random = random
        self.columns = columns
        self.pools = pools

    def rule(self) -> Constraint:
        kinds = {self.order: 10, self.dependency: 4, self.cross: 4, self.key: 2, self.mixed: 2}
        kinds |= {self.row: 2, self.conditional: 2, self.product: 1}
        (kind,) = self.random.choices(list(kinds), list(kinds.values()))
        return Constraint(tuple(kind()))

    def dependency(self) -> list[Predicate]:
        *left, right = self._names(2, 3)
        return [*map(self._same, left), self._same(right, Op.NE)]

    def key(self) -> list[Predicate]:
        return [self._same(name) for name in self._names(1, 2)]

    def order(self) -> list[Predicate]:
        """With or without equality columns, at times with a condition."""
        names = self._names(2, 3)
        ordered = [self._same(name, self.random.choice(_ORDERS)) for name in names[:2]]
        return [*map(self._same, names[2:]), *ordered, *self._conditions(0.15)]

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
