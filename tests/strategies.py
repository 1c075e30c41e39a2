"""Hypothesis strategies: small typed tables with rules that fit them, and conflict graphs.

Values come from small pools, so ties, duplicates and NULLs are common. Numbers are small multiples
of 1/4 (and infinities): every number type holds them exactly, so a comparison across number types
has one right answer.
"""

# ruff: noqa: DTZ001 - a timestamp without a zone is what is tested

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from itertools import combinations

import pyarrow as pa
from hypothesis import strategies as st

from candling.rules.conditions import (
    And,
    Call,
    Comparison,
    Condition,
    IsNull,
    Matches,
    Not,
    Or,
    Term,
    make_list,
    predicates_of,
)
from candling.rules.constraint import (
    Column,
    ColumnType,
    Constant,
    Constraint,
    ConstraintSet,
    Op,
    Predicate,
    RowNumber,
    Value,
)
from candling.rules.patterns import Pattern, like
from tests.oracle import Cell, Conflicts

TableAndRules = tuple[dict[str, str], list[dict[str, Cell]], ConstraintSet]


@dataclass(frozen=True)
class _Type:
    """What a column of one type name is in Arrow and in rules, and which values it draws from."""

    arrow: pa.DataType
    kind: ColumnType
    values: tuple[Cell, ...]  # without NULL
    constants: tuple[Value, ...]


_STRINGS = (
    *("a", "b", "A", "", "a ", "it's", "10", "9", "NULL"),
    *("é", "e\u0301"),  # one letter to a reader, two strings by code point
    *("\uff5e", "\U0001f600"),  # in this order by code point, in the other by UTF-16 unit
)
_DATES = (date(1969, 12, 31), date(2000, 2, 29), date(2024, 1, 1))
_MOMENTS = (
    datetime(1969, 12, 31, 23, 59, 59, 999_999),
    datetime(2000, 2, 29),  # midnight: equal to a date
    datetime(2000, 2, 29, 12),
    datetime(2024, 1, 1),
    datetime(2024, 1, 1, 0, 0, 0, 1),
)
_DECIMALS = tuple(Decimal(text) for text in ("-1.00", "0.00", "0.25", "1.00", "1.50", "2.00"))

_TYPES = {
    "int64": _Type(pa.int64(), ColumnType.NUMBER, (-1, 0, 1, 2, 3), (0, 1, 2, Decimal("1.5"))),
    "float64": _Type(
        pa.float64(),
        ColumnType.NUMBER,
        (math.nan, -1.0, -0.0, 0.0, 0.5, 1.0, 1.5, 2.0, math.inf, -math.inf),
        (0, 1, Decimal("0.5"), Decimal("1.50")),
    ),
    "decimal": _Type(pa.decimal128(10, 2), ColumnType.NUMBER, _DECIMALS, (0, 1, Decimal("1.5"))),
    "string": _Type(pa.string(), ColumnType.STRING, _STRINGS, _STRINGS),
    "bool": _Type(pa.bool_(), ColumnType.BOOLEAN, (False, True), (False, True)),
    "date": _Type(pa.date32(), ColumnType.DATE, _DATES, (*_DATES, _MOMENTS[1], _MOMENTS[2])),
    "timestamp": _Type(pa.timestamp("us"), ColumnType.TIMESTAMP, _MOMENTS, (*_MOMENTS, _DATES[2])),
}
# No two names differ by case alone, which some engines cannot hold.
_NAMES = ("a", "b", "c", "d", "weight", "order", "two words", "größe")

_COMPARABLE = {
    **{kind: frozenset({kind}) for kind in ColumnType},
    ColumnType.DATE: frozenset({ColumnType.DATE, ColumnType.TIMESTAMP}),
    ColumnType.TIMESTAMP: frozenset({ColumnType.DATE, ColumnType.TIMESTAMP}),
}

_ORDERS = (Op.LT, Op.LE, Op.GT, Op.GE)
_ops = st.sampled_from((Op.EQ, *Op))
_orders = st.sampled_from(_ORDERS)
_row_numbers: st.SearchStrategy[RowNumber] = st.sampled_from((1, 2))


def arrow_schema(columns: dict[str, str]) -> pa.Schema:
    """The Arrow schema of columns given as name -> type name."""
    return pa.schema([(name, _TYPES[type_name].arrow) for name, type_name in columns.items()])


def column_types(columns: dict[str, str]) -> dict[str, ColumnType]:
    """The columns as the rules see them."""
    return {name: _TYPES[type_name].kind for name, type_name in columns.items()}


def to_arrow(columns: dict[str, str], rows: list[dict[str, Cell]]) -> pa.Table:
    """The table in Arrow; None becomes NULL, a NaN stays a NaN."""
    return pa.Table.from_pylist(rows, schema=arrow_schema(columns))


# Tables


@dataclass(frozen=True)
class _Pools:
    """The columns of one table, and the few values that its cells and its rules draw from."""

    columns: dict[str, str]
    cells: dict[str, list[Cell]]  # per type name, shared by its columns
    constants: dict[str, list[Value]]

    @property
    def names(self) -> st.SearchStrategy[str]:
        return st.sampled_from(sorted(self.columns))


def _as_constant(value: Cell) -> list[Value]:
    """The value as a rule writes it; nothing for what a rule cannot write."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return []
    return [Decimal(str(value)) if isinstance(value, float) else value]


@st.composite
def _pools(draw: st.DrawFn) -> _Pools:
    # Few types per table, so that columns of the same type are common.
    types = draw(st.lists(st.sampled_from(tuple(_TYPES)), min_size=1, max_size=3, unique=True))
    size = draw(st.integers(2, 5))
    names = draw(st.permutations(_NAMES))[:size]
    cells: dict[str, list[Cell]] = {}
    constants: dict[str, list[Value]] = {}
    for name in types:
        values = draw(st.permutations(_TYPES[name].values))[: draw(st.integers(2, 4))]
        constants[name] = [constant for value in values for constant in _as_constant(value)]
        constants[name].append(draw(st.sampled_from(_TYPES[name].constants)))
        cells[name] = [*values, None] if draw(st.booleans()) else list(values)
    return _Pools({name: draw(st.sampled_from(types)) for name in names}, cells, constants)


@st.composite
def _rows(draw: st.DrawFn, pools: _Pools) -> list[dict[str, Cell]]:
    cells = {name: st.sampled_from(pools.cells[of]) for name, of in pools.columns.items()}
    # Not integers(0, 9), which favours the ends: tables of several rows say most.
    size = draw(st.sampled_from((2, 3, 4, 5, 6, 7, 8, 9, 1, 0)))
    # Fresh rows first, then copies of them: equal rows are common.
    fresh = size - draw(st.integers(0, size // 2))
    rows = [{name: draw(cell) for name, cell in cells.items()} for _ in range(fresh)]
    return rows + [dict(draw(st.sampled_from(rows))) for _ in range(size - fresh)]


# Rules


def _same(name: str, op: Op = Op.EQ) -> Predicate:
    """A column of the first row against the same column of the second."""
    return Predicate(Column(1, name), op, Column(2, name))


@st.composite
def _distinct(draw: st.DrawFn, pools: _Pools, least: int, most: int | None = None) -> list[str]:
    """`least` to `most` (default `least`) distinct column names, as far as there are so many."""
    size = draw(st.integers(least, min(most or least, len(pools.columns))))
    return draw(st.permutations(sorted(pools.columns)))[:size]


@st.composite
def _maybe_equal(draw: st.DrawFn, pools: _Pools) -> list[Predicate]:
    names = draw(st.lists(pools.names, max_size=1))
    return [_same(name) for name in names]


@st.composite
def _condition(draw: st.DrawFn, pools: _Pools, row: RowNumber) -> Predicate:
    """A column of one row against a constant."""
    name = draw(pools.names)
    constant = draw(st.sampled_from(pools.constants[pools.columns[name]]))
    return Predicate(Column(row, name), draw(_ops), Constant(constant))


@st.composite
def _comparison(
    draw: st.DrawFn, pools: _Pools, left_row: RowNumber, right_row: RowNumber
) -> Predicate:
    """A column against a column that it compares with, often itself or one of the same type."""
    columns, kinds = pools.columns, column_types(pools.columns)
    left = draw(pools.names)
    comparable = [name for name in sorted(columns) if kinds[name] in _COMPARABLE[kinds[left]]]
    if left_row == right_row and len(comparable) > 1:
        comparable.remove(left)  # a cell against itself says too little to be drawn often
    same_type = [name for name in comparable if columns[name] == columns[left]]
    right = draw(st.sampled_from(draw(st.sampled_from((same_type or comparable, comparable)))))
    return Predicate(Column(left_row, left), draw(_ops), Column(right_row, right))


@st.composite
def _functional_dependency(draw: st.DrawFn, pools: _Pools) -> list[Predicate]:
    *lhs, rhs = draw(_distinct(pools, 2, 3))
    return [*(_same(name) for name in lhs), _same(rhs, Op.NE)]


@st.composite
def _conditional_dependency(draw: st.DrawFn, pools: _Pools) -> list[Predicate]:
    condition = draw(_condition(pools, 1))
    twin = Predicate(Column(2, condition.left.name), condition.op, condition.right)
    return [condition, twin, *draw(_functional_dependency(pools))]


@st.composite
def _key(draw: st.DrawFn, pools: _Pools) -> list[Predicate]:
    return [_same(name) for name in draw(_distinct(pools, 1, 2))]


@st.composite
def _order_rule(draw: st.DrawFn, pools: _Pools) -> list[Predicate]:
    first, second = draw(_distinct(pools, 2))
    ordered = [_same(first, draw(_orders)), _same(second, draw(_orders))]
    return draw(_maybe_equal(pools)) + ordered


# Conditions on one row

_PATTERNS = (
    "a",
    "^a",
    "a$",
    "^[a-z]+$",
    r"\d",
    r"^\w+ ?$",
    "[^a]",
    "^.?$",
    "é|b",
    "^(?:a|it's)*$",
    "",
)
_NUMBERS = tuple(Constant(value) for value in (0, 1, 2, Decimal("1.5"), -366))
_LIKES = ("a%", "%a", "_", "%", "%'_", "")


def _number_terms(pools: _Pools) -> st.SearchStrategy[Term]:
    """Numbers, and arithmetic of them: sums and products of small multiples of 1/4 are exact."""
    names = [n for n in sorted(pools.columns) if _kind(pools, n) is ColumnType.NUMBER]
    texts = [n for n in sorted(pools.columns) if _kind(pools, n) is ColumnType.STRING]
    dates = [n for n in sorted(pools.columns) if pools.columns[n] in {"date", "timestamp"}]
    columns: st.SearchStrategy[Term] = st.sampled_from(
        [Column(1, name) for name in names]
        + [Call("length", (Column(1, name),)) for name in texts]
        + [Call("-", (Column(1, a), Column(1, b))) for a in dates for b in dates]
    )
    constants: st.SearchStrategy[Term] = st.sampled_from(_NUMBERS)
    signs = st.sampled_from(("+", "-", "*", "/"))
    sums = st.builds(
        lambda sign, one, two: Call(sign, (one, two)), signs, columns, st.one_of(columns, constants)
    )
    return st.one_of(columns, sums, columns.map(lambda term: Call("abs", (term,))))


def _kind(pools: _Pools, name: str) -> ColumnType:
    return _TYPES[pools.columns[name]].kind


@st.composite
def _leaf(draw: st.DrawFn, pools: _Pools) -> Condition:
    name = draw(pools.names)
    column = Column(1, name)
    constants = st.sampled_from(pools.constants[pools.columns[name]]).map(Constant)
    kinds = ["missing", "compare", "list", "columns"]
    if _kind(pools, name) is ColumnType.STRING:
        kinds += ["matches", "like"]
    if {pools.columns[n] for n in pools.columns} - {"bool"}:
        kinds += ["terms"]
    if pools.columns[name] == "date":
        kinds += ["later"]
    match draw(st.sampled_from(kinds)):
        case "missing":
            return IsNull(column)
        case "compare":
            return Comparison(column, draw(_ops), draw(constants))
        case "list":
            return make_list(column, draw(st.lists(constants, min_size=1, max_size=4)))
        case "columns":
            found = draw(_comparison(pools, 1, 1))
            return Comparison(found.left, found.op, found.right)
        case "later":
            days = Call(draw(st.sampled_from("+-")), (column, draw(st.sampled_from(_NUMBERS))))
            moments = [
                n for n in sorted(pools.columns) if pools.columns[n] in {"date", "timestamp"}
            ]
            other = st.one_of(constants, st.sampled_from(moments).map(lambda n: Column(1, n)))
            return Comparison(days, draw(_ops), draw(other))
        case "matches":
            return Matches(column, Pattern(draw(st.sampled_from(_PATTERNS))))
        case "like":
            return Matches(column, like(draw(st.sampled_from(_LIKES))))
        case "terms":
            terms = _number_terms(pools)
            other = st.one_of(terms, st.sampled_from(_NUMBERS))
            return Comparison(draw(terms), draw(_ops), draw(other))
    raise AssertionError


def conditions(pools: _Pools) -> st.SearchStrategy[Condition]:
    """Any condition on one row of a table."""
    return st.recursive(
        _leaf(pools),
        lambda inner: st.one_of(
            inner.map(Not),
            st.lists(inner, min_size=2, max_size=3).map(lambda parts: And(tuple(parts))),
            st.lists(inner, min_size=2, max_size=3).map(lambda parts: Or(tuple(parts))),
        ),
        max_leaves=4,
    )


@st.composite
def _checked_rule(draw: st.DrawFn, pools: _Pools) -> list[Predicate]:
    """What a condition forbids where it is false."""
    return predicates_of(Not(draw(conditions(pools))))


@st.composite
def _conditions_on_rows(draw: st.DrawFn, pools: _Pools) -> list[Predicate]:
    """A dependency or a key among rows that meet a condition; or conditions of two kinds."""
    alike = draw(conditions(pools))
    other = alike if draw(st.booleans()) else draw(conditions(pools))
    pairs = draw(st.one_of(_functional_dependency(pools), _key(pools)))
    return [*pairs, *predicates_of(alike, 1), *predicates_of(other, 2)]


@st.composite
def _one_row_rule(draw: st.DrawFn, pools: _Pools) -> list[Predicate]:
    predicate = st.one_of(_condition(pools, 1), _comparison(pools, 1, 1))
    return [draw(predicate) for _ in range(draw(st.sampled_from((1, 2, 3))))]


@st.composite
def _cross_column_rule(draw: st.DrawFn, pools: _Pools) -> list[Predicate]:
    crosses = draw(st.lists(_comparison(pools, 1, 2), min_size=1, max_size=2))
    return draw(_maybe_equal(pools)) + crosses


@st.composite
def _one_sided_rule(draw: st.DrawFn, pools: _Pools) -> list[Predicate]:
    row = draw(_row_numbers)
    alone = st.one_of(_condition(pools, row), _comparison(pools, row, row))
    linked = st.builds(_same, pools.names, _ops)
    return [*draw(st.lists(alone, min_size=1, max_size=2)), draw(linked)]


@st.composite
def _product_rule(draw: st.DrawFn, pools: _Pools) -> list[Predicate]:
    """No predicate links the two rows: one kind of row may not meet another."""
    return [draw(_condition(pools, 1)), draw(_condition(pools, 2))]


@st.composite
def _mixed_rule(draw: st.DrawFn, pools: _Pools) -> list[Predicate]:
    row = draw(_row_numbers)
    loose = st.sampled_from((Op.NE, Op.LE, Op.NE, Op.GE))
    linked = draw(st.lists(st.builds(_same, pools.names, loose), max_size=3))
    linked.append(draw(_comparison(pools, row, 2 if row == 1 else 1)))
    alone = st.one_of(_condition(pools, row), _comparison(pools, row, row))
    return draw(st.permutations(linked + draw(st.lists(alone, max_size=1))))


_RULES = (
    _functional_dependency,
    _conditional_dependency,
    _key,
    _order_rule,
    _one_row_rule,
    _cross_column_rule,
    _one_sided_rule,
    _product_rule,
    _mixed_rule,
    _checked_rule,
    _conditions_on_rows,
)


def _rules(pools: _Pools) -> st.SearchStrategy[Constraint]:
    shapes = st.one_of([shape(pools) for shape in _RULES])
    return shapes.map(lambda predicates: Constraint(tuple(predicates)))


@st.composite
def tables_and_rules(draw: st.DrawFn) -> TableAndRules:
    """Columns (name -> type name, see `to_arrow`), 0 to 9 rows, and 1 to 4 rules that fit."""
    pools = draw(_pools())
    rows = draw(_rows(pools))
    constraints = [draw(_rules(pools)) for _ in range(draw(st.sampled_from((1, 2, 3))))]
    if draw(st.booleans()):  # so that both kinds of inconsistency meet in one table
        constraints.append(Constraint(tuple(draw(_one_row_rule(pools)))))
    return pools.columns, rows, ConstraintSet(tuple(constraints))


# Conflict graphs


@st.composite
def conflict_graphs(draw: st.DrawFn, max_rows: int = 8) -> Conflicts:
    """Any conflict graph of up to `max_rows` rows, some of them self-inconsistent at times."""
    rows = draw(st.integers(0, max_rows))
    numbers = range(rows)
    alone = frozenset(draw(st.sets(st.sampled_from(numbers), max_size=2)) if rows else ())
    pairs = list(combinations([i for i in numbers if i not in alone], 2))
    if not pairs:
        return Conflicts(rows, alone, frozenset())
    few = st.frozensets(st.sampled_from(pairs))
    many = few.map(lambda missing: frozenset(pairs) - missing)
    return Conflicts(rows, alone, draw(st.one_of(few, many)))
