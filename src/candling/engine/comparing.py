"""Comparisons in the engine that hold wherever ours do, on every engine.

Where engines could compare values in ways of their own, there is no comparison (None): numbers of
different types, constants with decimals, the order of bytes and times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, datetime
from operator import and_, or_
from typing import TYPE_CHECKING, Any, TypeAlias

from candling.constraints import Column, ColumnType, Op, Predicate, Value
from candling.engine.schema import column_type

if TYPE_CHECKING:
    import ibis.expr.datatypes as dt
    import ibis.expr.types as ir

Flag: TypeAlias = Any  # a truth value of the engine, which may be NULL

_SCALES = {
    ColumnType.NUMBER,
    ColumnType.STRING,
    ColumnType.BOOLEAN,
    ColumnType.DATE,
    ColumnType.TIMESTAMP,
}
_WHOLE = {8: 2**53, 4: 2**24, 2: 2**11}  # to where floats of so many bytes hold all integers


def every(flags: Iterable[Flag]) -> Flag:
    """Whether all of them hold."""
    return _combined(and_, [*flags], empty=True)


def some(flags: Iterable[Flag]) -> Flag:
    """Whether one of them holds."""
    return _combined(or_, [*flags], empty=False)


def _combined(by: Callable[[Flag, Flag], Flag], flags: list[Flag], *, empty: bool) -> Flag:
    """In halves: a thousand of them in a row would be nested too deep."""
    import ibis

    if len(flags) < 2:
        return flags[0] if flags else ibis.literal(empty)
    half = len(flags) // 2
    return by(_combined(by, flags[:half], empty=empty), _combined(by, flags[half:], empty=empty))


def on_scale(column: ir.Column) -> Any:
    """The column as values whose order, minimum and maximum are ours on its engine; else None."""
    kind = column_type(column.type())
    if kind not in _SCALES:
        return None
    return column.cast("int32") if kind is ColumnType.BOOLEAN else column


def compared(predicate: Predicate, rows: ir.Table) -> Flag | None:
    """The predicate between columns of these rows, or None."""
    left: Any = rows[predicate.left.name]
    right: Any
    if isinstance(predicate.right, Column):
        right = rows[predicate.right.name]
        if not _one_type(left.type(), right.type()):
            return None
    elif _exact(left.type(), predicate.right.value):
        right = predicate.right.value
    else:
        return None
    if predicate.op not in (Op.EQ, Op.NE):
        left = on_scale(left)
        if left is None:
            return None
        if isinstance(predicate.right, Column):
            right = on_scale(right)
        elif isinstance(right, bool):
            right = int(right)
    return predicate.op.compare(left, right)


def _one_type(one: dt.DataType, two: dt.DataType) -> bool:
    """Whether values of these types compare alike everywhere."""
    if one.copy(nullable=True) == two.copy(nullable=True):
        return True
    return all(t.is_integer() and not t.is_uint64() for t in (one, two))


def _exact(dtype: dt.DataType, value: Value) -> bool:
    """Whether the constant means the same beside such a column on every engine."""
    match value:
        case bool():
            return bool(dtype.is_boolean())
        case int():
            if dtype.is_floating():
                return abs(value) <= _WHOLE[dtype.nbytes]
            return dtype.is_integer() and abs(value) < 2**63
        case str():
            return bool(dtype.is_string()) and "\0" not in value
        case datetime():
            return dtype.is_timestamp() and dtype.timezone is None
        case date():
            return bool(dtype.is_date())
    return False
