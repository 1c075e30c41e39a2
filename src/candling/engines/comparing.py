"""Comparisons in the engine that hold wherever ours do, on every engine.

Values of one form compare alike everywhere. Where two forms meet, or a constant that has no exact
value in a form, there is no comparison (None): our own code decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import and_, or_
from typing import TYPE_CHECKING, Any, TypeAlias

from candling.engines.forms import Form
from candling.rules import Column, ColumnType, Op, Predicate, Value

if TYPE_CHECKING:
    import ibis.expr.types as ir

Flag: TypeAlias = Any  # a truth value of the engine, which may be NULL

_WHOLE = {64: 2**53, 32: 2**24, 16: 2**11}  # to where floats of so many bits hold all integers


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
    dtype = column.type()
    if dtype.is_boolean():
        return column.cast("int32")
    return None if dtype.is_binary() else column  # PostgreSQL knows no minimum of bytes


@dataclass(frozen=True, slots=True)
class Comparing:
    """The forms of columns, by the names that the query has for them."""

    forms: Mapping[str, Form]
    once: bool = False  # equal rows are counted before anything else is asked about them

    def fits(self, rows: ir.Table, needed: Sequence[str], where: Iterable[Predicate]) -> Flag:
        """Rows that can be in a conflict: nothing is missing, and the conditions may hold."""
        conditions = (self.compared(p, rows) for p in where)
        return every(
            [*(rows[name].notnull() for name in needed), *(c for c in conditions if c is not None)]
        )

    def compared(self, predicate: Predicate, rows: ir.Table) -> Flag | None:
        """The predicate between columns of these rows, or None."""
        left: Any = rows[predicate.left.name]
        right: Any
        if isinstance(predicate.right, Column):
            right = rows[predicate.right.name]
            if not self._alike(predicate.left.name, predicate.right.name, rows):
                return None
        else:
            right = self._exact(predicate.left.name, predicate.right.value, rows)
            if right is None:
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

    def _alike(self, one: str, two: str, rows: ir.Table) -> bool:
        """Whether the numbers of two columns mean the same."""
        units = self.forms[one].unit == self.forms[two].unit
        kinds = self.forms[one].kind is self.forms[two].kind
        types = (rows[name].type().copy(nullable=True) for name in (one, two))
        return units and kinds and len({*types}) == 1

    def _exact(self, name: str, value: Value, rows: ir.Table) -> Value | None:
        """The constant beside such a column, if it means the same on every engine."""
        form, dtype = self.forms[name], rows[name].type()
        constant = form.constant(value)
        match constant:
            case bool():
                return constant if form.kind is ColumnType.BOOLEAN else None
            case int():
                if form.bits is not None:
                    return constant if abs(constant) <= _WHOLE[form.bits] else None
                return constant if dtype.is_integer() and abs(constant) < 2**63 else None
            case str():
                return constant if "\0" not in constant else None
        return None
