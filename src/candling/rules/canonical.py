"""One normal form for all ways of forbidding the same pairs of rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from typing import Any

from candling.rules.model import Column, Constant, Constraint, Op, Predicate

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
_OP_ORDER = {op: rank for rank, op in enumerate(Op)}
_EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
_LONGEST_INTEGER = 400


def canonical(constraint: Constraint) -> Constraint:
    """The normal form of a constraint; label, line and text are kept.

    Each predicate has its constant on the right and its columns in a fixed order; comparisons of
    the same two operands are merged; predicates are sorted. Of the two forms that exchanging the
    rows gives, it is the smaller. Where all else is symmetric, `t1.B < t2.B` forbids the same
    unordered pairs as `t1.B != t2.B` and becomes that, so that it is seen to be an FD.
    """
    predicates = normalised(constraint.predicates)
    mirrored = mirror(predicates)
    if constraint.rows == 1:
        predicates = predicates if predicates[0].left.row == 1 else mirrored
    elif predicates != mirrored:
        predicates = _unordered(predicates) or min(predicates, mirrored, key=_keys)
    return replace(constraint, predicates=predicates)


def normalised(predicates: Iterable[Predicate]) -> tuple[Predicate, ...]:
    """Predicates oriented, merged and sorted, with the rows left as they are."""
    by_operands: dict[tuple[Column, Column | Constant], list[Predicate]] = {}
    for p in map(_oriented, predicates):
        by_operands.setdefault((p.left, p.right), []).append(p)
    merged = (p for group in by_operands.values() for p in _merged(group))
    return tuple(sorted(merged, key=_key))


def mirror(predicates: Iterable[Predicate]) -> tuple[Predicate, ...]:
    """Normalised predicates with the two rows exchanged."""
    return normalised(map(_swap, predicates))


def _swap(predicate: Predicate) -> Predicate:
    left, right = predicate.left, predicate.right
    return Predicate(
        replace(left, row=2 if left.row == 1 else 1),
        predicate.op,
        replace(right, row=2 if right.row == 1 else 1) if isinstance(right, Column) else right,
    )


def _oriented(predicate: Predicate) -> Predicate:
    left, op, right = predicate.left, predicate.op, predicate.right
    if isinstance(right, Constant):
        return Predicate(left, op, replace(right, value=_shortest(right.value)))
    if (right.row, right.name) < (left.row, left.name):
        return Predicate(right, op.flipped, left)
    if right == left:
        return Predicate(left, min(op, op.flipped, key=_OP_ORDER.__getitem__), right)
    return predicate


def _shortest(value: Any) -> Any:
    """`1.50` as 1.5 and `2.0` as 2: equal numbers are written the same way."""
    if not isinstance(value, Decimal):
        return value
    value = value.normalize(_EXACT)
    if value.as_tuple().exponent >= 0 and value.adjusted() < _LONGEST_INTEGER:
        return int(value)
    return value


def _merged(group: list[Predicate]) -> list[Predicate]:
    """One predicate for all comparisons of two operands, unless they contradict each other."""
    allowed = frozenset.intersection(*(_ALLOWS[p.op] for p in group))
    if allowed in _BY_ALLOWED:
        return [replace(group[0], op=_BY_ALLOWED[allowed])]
    return list(dict.fromkeys(group))


def _unordered(predicates: tuple[Predicate, ...]) -> tuple[Predicate, ...] | None:
    """The rule with `!=` for its one strict comparison, if everything else is symmetric."""
    for strict in predicates:
        left, op, right = strict.left, strict.op, strict.right
        if op not in {Op.LT, Op.GT} or not isinstance(right, Column):
            continue
        if left.name != right.name or left.row == right.row:
            continue
        rest = tuple(p for p in predicates if p is not strict)
        if mirror(rest) == rest:
            return normalised((*rest, replace(strict, op=Op.NE)))
    return None


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
