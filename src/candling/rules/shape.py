"""Recognises what kind of rule a constraint is, however it was written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from candling.rules.model import Column, Constraint, Op, Predicate

_ORDERS = {Op.LT, Op.LE, Op.GT, Op.GE}


class Kind(StrEnum):
    """The kinds of rules that are told apart, because faster ways are known for them."""

    FD = "fd"
    KEY = "key"
    ORDER = "order"
    ROW = "row"
    GENERAL = "general"


@dataclass(frozen=True, slots=True)
class Shape:
    """What a constraint says, by its parts.

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
