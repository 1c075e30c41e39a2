"""CONoise, which makes random pairs of rows violate random rules: for experiments only."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from candling.rules import Column, ConstraintSet, Op, Predicate, check_schema
from candling_paper.kinds import Key, as_comparable, column_type, kind_of
from candling_paper.noise import check_columns, replaced

_COPIES = (Op.EQ, Op.LE, Op.GE)
_STRICT = {Op.LE: Op.LT, Op.GE: Op.GT}


def conoise(table: pa.Table, rules: ConstraintSet, *, iterations: int, seed: int) -> pa.Table:
    """A copy of `table` in which `iterations` random pairs of rows were made to violate a rule.

    Each iteration draws a constraint and two distinct rows, t1 and t2, uniformly, and goes once
    through the predicates in order (an FD is equalities and one `!=`). One that holds is left
    alone. For `=`, `<=` and `>=` one side, drawn at random, is copied to the other. For `<`, `>`
    and `!=` one of the two cells, drawn at random, becomes a value drawn uniformly from those
    distinct values that its column had at the start with which the predicate holds; if there is
    none, a value made up beyond the other side: a number or date no farther off than the column's
    values are apart, a string with a letter more (or without its last letter, for `<`).

    A constant stays, so the cell changes. A value is copied only to a column that holds it
    exactly; a side that cannot change leaves it to the other, and `<=` may become `<`. NULL and
    NaN satisfy nothing and are overwritten: a predicate on two NULLs changes both cells, any other
    one cell at most. A later predicate may undo an earlier one if they share a cell, and what no
    value satisfies (`t1.A < t1.A`) stays as it is, so a pair of such a rule may stay clean.

    Args:
        table: Rows, as a rule clean. Strings, numbers, booleans, dates and timestamps can change.
        rules: Drawn from with equal probability. Columns that they do not read do not change.
        iterations: How many pairs. With one seed, more iterations begin with those of fewer.
        seed: The same seed on the same table gives the same result.

    Raises:
        ConstraintError: The rules do not fit the table.
        ValueError: There is no rule, there are fewer than two rows, `iterations` is negative,
            a column has a type that cannot be changed, or a rule has conditions beyond the
            comparisons of the paper.
    """
    if iterations < 0:
        raise ValueError(f"expected iterations >= 0, got {iterations=}")
    for rule in rules:
        if any(c.condition or c.position is not None for p in rule.predicates for c in p.columns):
            raise ValueError(f"CONoise knows comparisons of columns and constants only: {rule}")
    check_schema(rules, {field.name: column_type(field.type) for field in table.schema})
    check_columns(table, rules.columns)
    if not iterations:
        return table
    if not len(rules):
        raise ValueError("the table has no rule to violate")
    if table.num_rows < 2:
        raise ValueError(f"two distinct rows cannot be drawn from {table.num_rows}")

    rng = np.random.default_rng(seed)
    columns = {name: _Cells(table.column(name)) for name in rules.columns}
    for _ in range(iterations):
        constraint = rules.constraints[rng.integers(len(rules))]
        first, second = int(rng.integers(table.num_rows)), int(rng.integers(table.num_rows - 1))
        second += second >= first
        for predicate in constraint.predicates:
            _satisfy(predicate, columns, (first, second), rng)
    for name, cells in columns.items():
        position = table.column_names.index(name)
        table = table.set_column(position, table.schema.field(position), cells.written())
    return table


@dataclass(frozen=True, slots=True)
class _Cell:
    column: _Cells
    row: int

    @property
    def key(self) -> Key:
        return self.column[self.row]


def _satisfy(
    predicate: Predicate,
    columns: Mapping[str, _Cells],
    rows: tuple[int, int],
    rng: np.random.Generator,
) -> None:
    """Make a predicate hold on two rows, if some value does that."""

    def cell(column: Column) -> _Cell:
        return _Cell(columns[column.name], rows[column.row - 1])

    left, op = cell(predicate.left), predicate.op
    if isinstance(predicate.right, Column):
        right = cell(predicate.right)
        if not _holds(left.key, op, right.key):
            _change_either(left, op, right, rng)
    else:
        constant = left.column.kind.constant(predicate.right.value)
        if not _holds(left.key, op, constant):
            _change_first([(left, op, constant)], rng)


def _holds(left: Key, op: Op, right: Key) -> bool:
    return left is not None and right is not None and bool(op.compare(left, right))


def _change_either(left: _Cell, op: Op, right: _Cell, rng: np.random.Generator) -> None:
    """Change one of two cells, drawn at random, so that `op` holds; if it cannot, the other."""
    if left == right and op not in _COPIES:
        return  # no value differs from itself
    sides = [(left, op, right), (right, op.flipped, left)]
    if rng.integers(2):
        sides.reverse()
    if left.key is None and right.key is None:
        _fill(sides[0][2], rng)
    _change_first([(cell, way, other.key) for cell, way, other in sides], rng)


def _change_first(sides: list[tuple[_Cell, Op, Key]], rng: np.random.Generator) -> None:
    """Change the first cell that can be changed: its operator, and the value it compares with."""
    # What cannot be copied to a cell can still be passed by it.
    passing = [(cell, _STRICT[op], other) for cell, op, other in sides if op in _STRICT]
    for cell, op, other in sides + passing:
        if _change(cell, op, other, rng):
            return


def _fill(cell: _Cell, rng: np.random.Generator) -> None:
    """Give a NULL cell a value of the active domain, if there is one."""
    key = cell.column.any_value(rng)
    if key is not None:
        cell.column[cell.row] = key


def _change(cell: _Cell, op: Op, other: Key, rng: np.random.Generator) -> bool:
    """Give a cell a value that is `op` the other side's; whether there was one."""
    if other is None:
        return False
    if op in _COPIES:
        key = other if cell.column.kind.holds(other) else None
    else:
        key = cell.column.value(op, other, rng)
    if key is not None:
        cell.column[cell.row] = key
    return key is not None


class _Cells:
    """A column whose cells change one at a time, and the values that it had at the start."""

    def __init__(self, column: pa.ChunkedArray) -> None:
        self.kind = kind_of(column.type)
        self._start = column.combine_chunks()
        self._comparable = as_comparable(self._start)
        self._changed: dict[int, Key] = {}

    def __getitem__(self, row: int) -> Key:
        """The key of the value in a row now; None for NULL and NaN."""
        return self._changed[row] if row in self._changed else self._key(self._comparable[row])

    def __setitem__(self, row: int, key: Key) -> None:
        self._changed[row] = key

    def any_value(self, rng: np.random.Generator) -> Key:
        """A value of the active domain; None if the column was nothing but NULL."""
        size = len(self._domain)
        return self._key(self._domain[int(rng.integers(size))]) if size else None

    def value(self, op: Op, other: Key, rng: np.random.Generator) -> Key:
        """A value that is `op` (`<`, `>` or `!=`) `other`; None if the type has none."""
        before = bisect_left(self._domain, other, key=self._key)
        after = bisect_right(self._domain, other, lo=before, key=self._key)
        below = before if op is not Op.GT else 0
        above = len(self._domain) - after if op is not Op.LT else 0
        if below + above:
            drawn = int(rng.integers(below + above))
            return self._key(self._domain[drawn if drawn < below else after + drawn - below])
        made_up = self.kind.beyond(op, other, self._ends, rng)
        fitting = (key for key in made_up if self.kind.holds(key) and op.compare(key, other))
        return next(fitting, None)

    def written(self) -> pa.Array:
        """The column as it is now."""
        rows = np.array(list(self._changed), dtype=np.int64)
        return replaced(self._start, rows, self.kind.stored(list(self._changed.values())))

    def _key(self, scalar: pa.Scalar) -> Key:
        value = scalar.as_py()
        return None if value is None else self.kind.key(value)

    @cached_property
    def _domain(self) -> pa.Array:
        """The distinct values at the start, sorted."""
        values = pc.unique(self._comparable.drop_null())
        if pa.types.is_floating(values.type):
            values = values.filter(pc.invert(pc.is_nan(values)))
        return values.take(pc.sort_indices(values))

    @cached_property
    def _ends(self) -> tuple[Key, Key]:
        """The least and the greatest finite value at the start; zeros if there is none."""
        values = self._domain
        if pa.types.is_floating(values.type):
            values = values.filter(pc.is_finite(values))
        return (self._key(values[0]), self._key(values[-1])) if len(values) else (0, 0)
