"""One normal form for all rules that forbid the same pairs of rows, and the kind that it shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from enum import StrEnum
from typing import Any

from candling.records import dataclass
from candling.rules.conditions import Not, make_list, make_predicate, shortest
from candling.rules.constraint import Column, ColumnType, Constant, Constraint, Op, Predicate

# Which of less, equal and greater a comparison allows; NULL allows none of them, whatever the
# operator, so comparisons of the same two operands combine like these sets.
_ALLOWS = {
    Op.EQ: frozenset("="),
    Op.NE: frozenset("<>"),
    Op.LT: frozenset("<"),
    Op.LE: frozenset("<="),
    Op.GT: frozenset(">"),
    Op.GE: frozenset(">="),
}
_BY_ALLOWED = {allowed: op for op, allowed in _ALLOWS.items()}
_ORDERS = {Op.LT, Op.LE, Op.GT, Op.GE}
_OP_ORDER = {op: rank for rank, op in enumerate(Op)}


def canonical(constraint: Constraint) -> Constraint:
    """The normal form of a constraint; label, line and text are kept.

    Each predicate has its constant on the right and its columns in a fixed order; comparisons of
    the same two operands are merged, and so are constants that one column must differ from;
    predicates are sorted. Of the two forms that exchanging the
    rows gives, it is the smaller. Where all else is symmetric, `t1.B < t2.B` forbids the same
    unordered pairs as `t1.B != t2.B` and becomes that, so that it is seen to be an FD.
    """
    predicates = normalize(constraint.predicates)
    mirrored = mirror(predicates)
    if constraint.rows == 1:
        predicates = predicates if predicates[0].left.row == 1 else mirrored
    elif predicates != mirrored:
        predicates = _drop_order(predicates) or min(predicates, mirrored, key=_keys)
    return replace(constraint, predicates=predicates)


def normalize(predicates: Iterable[Predicate]) -> tuple[Predicate, ...]:
    """Predicates oriented, merged and sorted, with the rows left as they are."""
    by_operands: dict[tuple[Column, Column | Constant], list[Predicate]] = {}
    for p in map(_orient, predicates):
        by_operands.setdefault((p.left, p.right), []).append(p)
    merged = [p for group in by_operands.values() for p in _merge(group)]
    return tuple(sorted(_with_lists(merged), key=_key))


def _with_lists(predicates: list[Predicate]) -> Iterator[Predicate]:
    """`A != 1 and A != 2` as `A not in (1, 2)`, which takes one look however long the list is."""
    differ: dict[tuple[Column, ColumnType], list[Constant]] = {}
    for p in predicates:
        if p.op is Op.NE and isinstance(p.right, Constant) and "\0" not in str(p.right.value):
            differ.setdefault((p.left, p.right.type), []).append(p.right)
        else:
            yield p
    for (column, _), values in differ.items():
        if len({*values}) == 1:
            yield Predicate(column, Op.NE, values[0])
            continue
        yield make_predicate(Not(make_list(replace(column, row=1), values)), column.row)


def mirror(predicates: Iterable[Predicate]) -> tuple[Predicate, ...]:
    """Normalised predicates with the two rows exchanged."""
    return normalize(map(_swap, predicates))


def _swap(predicate: Predicate) -> Predicate:
    left, right = predicate.left, predicate.right
    return Predicate(
        replace(left, row=2 if left.row == 1 else 1),
        predicate.op,
        replace(right, row=2 if right.row == 1 else 1) if isinstance(right, Column) else right,
    )


def _orient(predicate: Predicate) -> Predicate:
    left, op, right = predicate.left, predicate.op, predicate.right
    if isinstance(right, Constant):
        return Predicate(left, op, replace(right, value=shortest(right.value)))
    if (right.row, right.name) < (left.row, left.name):
        return Predicate(right, op.flipped, left)
    if right == left:
        return Predicate(left, min(op, op.flipped, key=_OP_ORDER.__getitem__), right)
    return predicate


def _merge(group: list[Predicate]) -> list[Predicate]:
    """One predicate for all comparisons of two operands, unless they contradict each other."""
    allowed = frozenset.intersection(*(_ALLOWS[p.op] for p in group))
    if allowed in _BY_ALLOWED:
        return [replace(group[0], op=_BY_ALLOWED[allowed])]
    return list(dict.fromkeys(group))


def _drop_order(predicates: tuple[Predicate, ...]) -> tuple[Predicate, ...] | None:
    """The rule with `!=` for its one strict comparison, if everything else is symmetric."""
    strict = [
        p
        for p in predicates
        if p.op in {Op.LT, Op.GT} and _same_column(p) and len({c.row for c in p.columns}) == 2
    ]
    both_ways = {(p.left, p.op.flipped) for p in strict}
    one_way = [p for p in strict if (p.left, p.op) not in both_ways]
    if len(one_way) != 1:  # the others would stand in the rest, which would not be symmetric
        return None
    rest = tuple(p for p in predicates if p is not one_way[0])
    if mirror(rest) != rest:
        return None
    return normalize((*rest, replace(one_way[0], op=Op.NE)))


def _keys(predicates: tuple[Predicate, ...]) -> list[tuple[Any, ...]]:
    return [_key(p) for p in predicates]


def _key(predicate: Predicate) -> tuple[Any, ...]:
    """Equality columns first, then what else joins the rows, then each row's own conditions."""
    left, op, right = predicate.left, predicate.op, predicate.right
    if isinstance(right, Constant):
        return (left.row + 1, _OP_ORDER[op], left.name, 1, right.type.value, right.value)
    if left.row == right.row:
        return (left.row + 1, _OP_ORDER[op], left.name, 0, right.name)
    joins = 0 if op is Op.EQ and left.name == right.name else 1
    return (joins, _OP_ORDER[op], left.name, 0, right.name)


# The kind of a rule


class Kind(StrEnum):
    """Kinds of rules that have their own, faster algorithms."""

    FD = "fd"
    KEY = "key"
    ORDER = "order"
    ROW = "row"
    GENERAL = "general"


@dataclass(frozen=True, slots=True)
class Shape:
    """The kind of a constraint, and which columns play which part.

    `equal` are the columns on which two rows must agree to conflict, sorted. An `fd` adds one
    column in which they `differ`; a `key` adds nothing; an `order` rule adds two columns that
    compare (`t1` on the left). A `general` rule that otherwise only wants columns to differ has
    those in `differing`. `where` are the conditions that both rows must meet, written for row 1; it
    is empty if the rule asks different things of its two rows, which makes it `general`.
    """

    kind: Kind
    equal: tuple[str, ...] = ()
    differ: str | None = None
    order: tuple[tuple[str, Op], ...] = ()
    where: tuple[Predicate, ...] = ()
    differing: tuple[str, ...] = ()


def shape(constraint: Constraint) -> Shape:
    """The shape of a constraint in its canonical form."""
    if constraint.rows == 1:
        return Shape(Kind.ROW)
    joins = [p for p in constraint.predicates if len({c.row for c in p.columns}) == 2]
    equal = tuple(p.left.name for p in joins if p.op is Op.EQ and _same_column(p))
    rest = [p for p in joins if not (p.op is Op.EQ and _same_column(p))]
    first, second = (_conditions(constraint, row) for row in (1, 2))
    if first != second:
        return Shape(Kind.GENERAL, equal)
    if equal and not rest:
        return Shape(Kind.KEY, equal, where=first)
    if all(map(_same_column, rest)):
        columns = {p.left.name for p in rest}
        if len(rest) == 1 and rest[0].op is Op.NE:
            return Shape(Kind.FD, equal, differ=rest[0].left.name, where=first)
        if len(rest) == len(columns) == 2 and all(p.op in _ORDERS for p in rest):
            order = tuple((p.left.name, p.op) for p in rest)
            return Shape(Kind.ORDER, equal, order=order, where=first)
        if all(p.op is Op.NE for p in rest):
            differing = tuple(p.left.name for p in rest)
            return Shape(Kind.GENERAL, equal, where=first, differing=differing)
    return Shape(Kind.GENERAL, equal, where=first)


def _same_column(predicate: Predicate) -> bool:
    return isinstance(predicate.right, Column) and predicate.left.name == predicate.right.name


def _conditions(constraint: Constraint, row: int) -> tuple[Predicate, ...]:
    return tuple(
        Predicate(
            replace(p.left, row=1),
            p.op,
            replace(p.right, row=1) if isinstance(p.right, Column) else p.right,
        )
        for p in constraint.predicates
        if all(c.row == row for c in p.columns)
    )
