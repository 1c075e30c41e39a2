"""The truth on small tables: every measure and extension, computed slowly and obviously.

It follows the definitions row by row and shares no code with the library except the model of a
constraint. Tests compare the library with it; it is fit for about fifteen conflicting rows.

A table is a list of rows, a row a dict from column name to a Python value. None is NULL, and so
is a float NaN. A conflict graph is over row positions (0, 1, ...).
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import combinations
from typing import Any

from scipy.optimize import linprog
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from candling.rules.conditions import (
    And,
    Call,
    Comparison,
    Condition,
    InList,
    IsNull,
    Matches,
    Not,
    Or,
    Term,
)
from candling.rules.constraint import Column, Constant, Constraint, Op, Predicate

Cell = bool | int | float | Decimal | str | date | datetime | None
Row = Mapping[str, Cell]
Edge = tuple[int, int]

_COMPARE: dict[Op, Callable[[Any, Any], bool]] = {
    Op.EQ: operator.eq,
    Op.NE: operator.ne,
    Op.LT: operator.lt,
    Op.LE: operator.le,
    Op.GT: operator.gt,
    Op.GE: operator.ge,
}


# Constraints on rows


def _is_null(value: Cell) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _comparable(value: Cell) -> tuple[str, Any]:
    """The kind of a value that is not NULL, and the value as it compares within that kind.

    Python compares numbers of all types exactly, and strings by code point. A boolean is not a
    number, and a date is the midnight it begins with.
    """
    if isinstance(value, bool):
        return "boolean", value
    if isinstance(value, int | float | Decimal | Fraction):
        return "number", value
    if isinstance(value, str):
        return "string", value
    if isinstance(value, datetime):  # before date: a datetime is a date to Python
        return "moment", value
    if isinstance(value, date):
        return "moment", datetime.combine(value, time.min)
    raise TypeError(f"no rule can compare a {type(value).__name__}")


# Conditions on one row: true, false, or unknown (None)


def truth(condition: Condition, row: Row) -> bool | None:
    """Whether a condition holds in a row, by SQL's logic of three values."""
    match condition:
        case Not():
            inner = truth(condition.part, row)
            return None if inner is None else not inner
        case And():
            found = [truth(part, row) for part in condition.parts]
            return False if False in found else None if None in found else True
        case Or():
            found = [truth(part, row) for part in condition.parts]
            return True if True in found else None if None in found else False
        case IsNull():
            return _is_null(row[condition.column.name])
        case Matches():
            text = row[condition.column.name]
            return None if text is None else _found(condition.pattern.text, str(text))
        case InList():
            found = [
                truth(Comparison(condition.column, Op.EQ, value), row) for value in condition.values
            ]
            return None if None in found else True in found
        case Comparison():
            left, right = _value(condition.left, row), _value(condition.right, row)
            if _is_null(left) or _is_null(right):
                return None
            if isinstance(left, _Days) or isinstance(right, _Days):
                return _COMPARE[condition.op](_days(left), _days(right))
            left_kind, left_key = _comparable(left)
            right_kind, right_key = _comparable(right)
            if left_kind != right_kind:
                raise TypeError(f"a {left_kind} does not compare with a {right_kind}")
            if isinstance(left_key, float) or isinstance(right_key, float):
                left_key, right_key = float(left_key), float(right_key)
            return _COMPARE[condition.op](left_key, right_key)


def _found(pattern: str, text: str) -> bool:
    """Whether a pattern is found; Python's `$` would match before a last line feed, too."""
    ends = re.sub(r"(?<!\\)((?:\\\\)*)\$", r"\1\\Z", pattern)
    return re.search(ends, text, re.ASCII) is not None


@dataclass(frozen=True)
class _Days:
    """A date that was computed, in days since 1970."""

    number: Fraction | float


_FIRST = date(1970, 1, 1)


def _days(moment: Any) -> Any:
    if isinstance(moment, _Days):
        return moment.number
    if isinstance(moment, datetime):
        since = moment - datetime.combine(_FIRST, time.min)
        return Fraction(since // timedelta(microseconds=1), 86_400 * 10**6)
    return (moment - _FIRST).days


def _value(term: Term, row: Row) -> Any:
    """The value of a term; None where it is unknown."""
    match term:
        case Column():
            return row[term.name]
        case Constant():
            return term.value
        case Call():
            values = [_value(inner, row) for inner in term.terms]
            if any(map(_is_null, values)):
                return None
            return _computed(term.function, values)


def _computed(function: str, values: list[Any]) -> Any:
    if function == "length":
        return len(values[0])
    if any(isinstance(value, date | _Days) for value in values):
        return _with_days(function, *values)
    numbers: list[Any] = [v if isinstance(v, float) else Fraction(v) for v in values]
    if any(isinstance(v, float) for v in numbers) or function == "/":
        numbers = [float(v) for v in numbers]
        if any(v != 0 and not 1e-75 <= abs(v) <= 1e75 for v in numbers):
            return None
    match function, numbers:
        case "abs", [one]:
            return abs(one)
        case "+", [one, two]:
            return one + two
        case "-", [one, two]:
            return one - two
        case "*", [one, two]:
            return one * two
        case "/", [one, two]:
            return None if two == 0 else one / two
        case "%", [one, two]:
            return None if two == 0 else one - two * math.trunc(one / two)
    raise TypeError(function)


def _with_days(function: str, one: Any, two: Any) -> Any:
    if isinstance(two, int | float | Decimal | Fraction):
        number = two if isinstance(two, float) else Fraction(two)
        days = _days(one)
        return _Days(days + number if function == "+" else days - number)
    if isinstance(one, datetime) or isinstance(two, datetime):
        first, second = (_comparable(value)[1] for value in (one, two))
        return float((first - second) // timedelta(microseconds=1) * 1000) / 86_400e9
    return Fraction(_days(one) - _days(two))


def _holds(predicate: Predicate, t1: Row, t2: Row) -> bool:
    if predicate.left.condition is not None:
        return truth(predicate.left.condition, t1 if predicate.left.row == 1 else t2) is True

    def value(operand: Column | Constant) -> Cell:
        if isinstance(operand, Constant):
            return operand.value
        return (t1 if operand.row == 1 else t2)[operand.name]

    left, right = value(predicate.left), value(predicate.right)
    finite = isinstance(left, float) and math.isfinite(left)
    if finite and isinstance(predicate.right, Constant) and isinstance(right, Decimal):
        right = float(right)  # the nearest number that the column can hold, as in SQL
    if _is_null(left) or _is_null(right):
        return False
    left_kind, left_key = _comparable(left)
    right_kind, right_key = _comparable(right)
    if left_kind != right_kind:
        raise TypeError(f"a {left_kind} does not compare with a {right_kind}")
    return _COMPARE[predicate.op](left_key, right_key)


def violates_row(constraint: Constraint, a: Row) -> bool:
    """Whether `a` alone breaks a one-row constraint. No single row breaks a pair constraint."""
    return constraint.rows == 1 and all(_holds(p, a, a) for p in constraint.predicates)


def violates_pair(constraint: Constraint, a: Row, b: Row) -> bool:
    """Whether two distinct rows, in either order, break a pair constraint.

    The rows may be equal in every column. No pair breaks a one-row constraint: its rows do, each
    for itself.
    """
    return constraint.rows == 2 and (
        all(_holds(p, a, b) for p in constraint.predicates)
        or all(_holds(p, b, a) for p in constraint.predicates)
    )


# The conflict graph


@dataclass(frozen=True)
class Conflicts:
    """The minimal inconsistent sets of a table: single rows, and pairs of the other rows."""

    rows: int
    self_inconsistent: frozenset[int]
    edges: frozenset[Edge]  # (i, j) with i < j

    def __post_init__(self) -> None:
        if not all(0 <= i < self.rows for i in self.self_inconsistent):
            raise ValueError("a self-inconsistent row is not in the table")
        if not all(0 <= i < j < self.rows for i, j in self.edges):
            raise ValueError("an edge is not a pair (i, j) of rows with i < j")
        if any(i in self.self_inconsistent for edge in self.edges for i in edge):
            raise ValueError("a pair that contains a self-inconsistent row is not minimal")

    def neighbours(self, i: int) -> frozenset[int]:
        """The rows that row `i` conflicts with."""
        return frozenset(j for edge in self.edges if i in edge for j in edge if j != i)


def conflicts(rows: Sequence[Row], constraints: Iterable[Constraint]) -> Conflicts:
    """The conflict graph of a table."""
    rules = list(constraints)
    alone = frozenset(
        i for i, row in enumerate(rows) if any(violates_row(rule, row) for rule in rules)
    )
    edges = frozenset(
        (i, j)
        for i, j in combinations(range(len(rows)), 2)
        if i not in alone
        and j not in alone
        and any(violates_pair(rule, rows[i], rows[j]) for rule in rules)
    )
    return Conflicts(len(rows), alone, edges)


# Measures


def drastic(graph: Conflicts) -> int:
    """1 if the table is inconsistent, else 0."""
    return 1 if graph.self_inconsistent or graph.edges else 0


def minimal_inconsistent(graph: Conflicts) -> int:
    """The number of minimal inconsistent sets."""
    return len(graph.self_inconsistent) + len(graph.edges)


def problematic(graph: Conflicts) -> int:
    """The number of rows in some minimal inconsistent set."""
    return len(graph.self_inconsistent) + len(_touched(graph.edges))


def repair_exact(graph: Conflicts) -> int:
    """The least number of rows whose removal leaves a consistent table."""
    return len(graph.self_inconsistent) + _vertex_cover(graph.edges)


def repair(graph: Conflicts) -> Fraction:
    """The linear relaxation of `repair_exact`: a multiple of 1/2, solved in two ways."""
    by_program = _fractional_cover(graph)
    by_flow = Fraction(extension(graph, 1, 1), 2)
    assert by_program == by_flow, f"linear program {by_program}, flow {by_flow}"
    return len(graph.self_inconsistent) + by_program


def repair_number(
    rows: Sequence[Row], constraints: Sequence[Constraint], parts: Iterable[Sequence[int]]
) -> Fraction:
    """The largest of the linear program's value and the smallest repairs under parts of the rules.

    Rows that break a rule alone count once, and are out of all parts.
    """
    whole = conflicts(rows, constraints)
    rest = [row for i, row in enumerate(rows) if i not in whole.self_inconsistent]
    found = repair(whole)
    for part in parts:
        own = conflicts(rest, [constraints[number] for number in part])
        found = max(found, Fraction(len(whole.self_inconsistent) + repair_exact(own)))
    return found


def maximal_consistent(graph: Conflicts) -> int:
    """The number of maximal consistent subsets of the rows (not its logarithm).

    1 on a consistent table, the empty one included.
    """
    # A row without conflicts is in every maximal consistent subset, so the others decide.
    nodes = sorted(_touched(graph.edges))
    consistent = [
        frozenset(subset)
        for size in range(len(nodes) + 1)
        for subset in combinations(nodes, size)
        if not any(edge in graph.edges for edge in combinations(subset, 2))
    ]
    every = set(consistent)
    return sum(not any(s | {v} in every for v in nodes if v not in s) for s in consistent)


def max_degree(graph: Conflicts) -> int:
    """The most pairs that one row is in. Self-inconsistent rows are in none."""
    return max((len(graph.neighbours(i)) for i in range(graph.rows)), default=0)


def _touched(edges: Iterable[Edge]) -> frozenset[int]:
    return frozenset(i for edge in edges for i in edge)


def _vertex_cover(edges: frozenset[Edge]) -> int:
    if not edges:
        return 0
    # One end of any edge must go; try both.
    return 1 + min(
        _vertex_cover(frozenset(edge for edge in edges if end not in edge)) for end in min(edges)
    )


def _fractional_cover(graph: Conflicts) -> Fraction:
    """Minimise the sum of x over rows, with x_i + x_j >= 1 on every edge and 0 <= x <= 1."""
    if not graph.edges:
        return Fraction(0)
    at_most_minus_one = [
        [-1.0 if i in edge else 0.0 for i in range(graph.rows)] for edge in sorted(graph.edges)
    ]
    solution = linprog(
        c=[1.0] * graph.rows,
        A_ub=at_most_minus_one,
        b_ub=[-1.0] * len(graph.edges),
        bounds=(0, 1),
        method="highs",
    )
    assert solution.success, solution.message
    value = Fraction(round(2 * solution.fun), 2)
    assert abs(solution.fun - float(value)) < 1e-6, f"{solution.fun} is no multiple of 1/2"
    return value


# Extensions


def extension(graph: Conflicts, a: int, b: int) -> int:
    """F(a, b): the maximum flow on the bipartite double cover of the pairs.

    Each row has a left and a right copy. Arcs: source to left copies with capacity `a`, right
    copies to sink with capacity `b`, and for each edge {u, v} left u to right v and left v to
    right u with capacity 1.

    Self-inconsistent rows have no arcs and are NOT counted: the extension of a measure is
    F(t, 1), or half of F(1, 1) or F(t, t), plus their number.
    """
    n = graph.rows
    source, sink = 2 * n, 2 * n + 1
    capacity = {(source, i): a for i in range(n)}
    capacity |= {(n + i, sink): b for i in range(n)}
    capacity |= {(i, n + j): 1 for i, j in graph.edges}
    capacity |= {(j, n + i): 1 for i, j in graph.edges}

    matrix = [[capacity.get((i, j), 0) for j in range(2 * n + 2)] for i in range(2 * n + 2)]
    return int(maximum_flow(csr_array(matrix, dtype="int32"), source, sink).flow_value)


def edge_addition(graph: Conflicts, threshold: int, order: Sequence[Edge]) -> frozenset[Edge]:
    """The edges that the paper's edge addition keeps.

    Takes the edges in the given order and keeps one if both of its ends have fewer than
    `threshold` kept edges so far. `order` names every edge of the graph once, as (i, j), i < j.
    """
    if sorted(order) != sorted(graph.edges):
        raise ValueError("the order must name every edge of the graph exactly once")
    degree = dict.fromkeys(range(graph.rows), 0)
    kept = set()
    for i, j in order:
        if degree[i] < threshold and degree[j] < threshold:
            kept.add((i, j))
            degree[i] += 1
            degree[j] += 1
    return frozenset(kept)
