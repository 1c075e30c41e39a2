"""What a cell of each type can hold, and values made up beyond a given one.

A value is known by its *key*, which compares with the keys of all columns that a rule may compare
it with: a string, a boolean, an exact number (int, float or Fraction), or the nanoseconds since
1970 of a date or timestamp.
"""

from __future__ import annotations

import math
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any, Protocol, TypeAlias

import numpy as np
import pyarrow as pa

from candling.rules import ColumnType, Op, Value

Key: TypeAlias = Any
Ends: TypeAlias = tuple[Key, Key]

_NANOSECONDS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
_DAY = 86_400 * 10**9
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FARTHEST = 2**62  # units that a made-up number may lie beyond the given one


class Kind(Protocol):
    """A type of columns."""

    def key(self, value: Any) -> Key:
        """The key of a value as pyarrow gives it: numbers for dates and timestamps."""

    def constant(self, value: Value) -> Key:
        """The key of a constant that is compared with a column of this type."""

    def holds(self, key: Key) -> bool:
        """Whether a cell can hold the value exactly."""

    def beyond(self, op: Op, other: Key, ends: Ends, rng: np.random.Generator) -> Iterator[Key]:
        """Made-up keys that may be `op` (`<`, `>` or `!=`) `other`: the caller takes the first fit.

        Of numbers the first is drawn from a range as wide as that between `ends`, the least and
        the greatest finite value of the column; the next is as near as can be.
        """

    def stored(self, keys: Sequence[Key]) -> pa.Array:
        """The values of the keys, of the column's type."""


def kind_of(column: pa.DataType) -> Kind:
    """The kind of a column that holds strings, numbers, booleans, dates or timestamps."""
    t = pa.types
    if t.is_boolean(column):
        return _Flags(column)
    if t.is_integer(column):
        limits = np.iinfo(column.to_pandas_dtype())
        return _Steps(column, Fraction(1), int(limits.min), int(limits.max))
    if t.is_decimal(column):
        most = 10**column.precision - 1
        return _Steps(column, Fraction(1, 10**column.scale), -most, most)
    if t.is_date(column):
        return _moments(column, _DAY, _DAY if t.is_date32(column) else 10**6)
    if t.is_timestamp(column):
        tick = _NANOSECONDS[column.unit]
        return _moments(column, tick, tick)
    return _Floats(column) if t.is_floating(column) else _Texts(column)


def column_type(column: pa.DataType) -> ColumnType:
    """What values of an Arrow type compare with."""
    t = pa.types
    if t.is_dictionary(column):
        return column_type(column.value_type)
    checks = (
        (t.is_boolean, ColumnType.BOOLEAN),
        (t.is_integer, ColumnType.NUMBER),
        (t.is_floating, ColumnType.NUMBER),
        (t.is_decimal, ColumnType.NUMBER),
        (t.is_string, ColumnType.STRING),
        (t.is_large_string, ColumnType.STRING),
        (t.is_null, ColumnType.STRING),  # nothing but NULL: any type will do
        (t.is_date, ColumnType.DATE),
        (t.is_timestamp, ColumnType.TIMESTAMP),
        (t.is_time, ColumnType.TIME),
        (t.is_binary, ColumnType.BINARY),
    )
    return next((kind for check, kind in checks if check(column)), ColumnType.OTHER)


def as_comparable(column: pa.Array) -> pa.Array:
    """The column with dates and timestamps as the integers that they are stored as."""
    if pa.types.is_date32(column.type):
        return column.cast(pa.int32())
    moments = pa.types.is_date(column.type) or pa.types.is_timestamp(column.type)
    return column.cast(pa.int64()) if moments else column


@dataclass(frozen=True, slots=True)
class _Texts:
    type: pa.DataType

    def key(self, value: str) -> Key:
        return value

    def constant(self, value: Value) -> Key:
        return value

    def holds(self, key: Key) -> bool:  # noqa: ARG002 - every string fits
        return True

    def beyond(self, op: Op, other: Key, ends: Ends, rng: np.random.Generator) -> Iterator[Key]:  # noqa: ARG002
        letter = string.ascii_letters[rng.integers(len(string.ascii_letters))]
        yield other[:-1] if op is Op.LT else other + letter

    def stored(self, keys: Sequence[Key]) -> pa.Array:
        return pa.array(keys, self.type)


@dataclass(frozen=True, slots=True)
class _Flags:
    type: pa.DataType

    def key(self, value: bool) -> Key:
        return value

    def constant(self, value: Value) -> Key:
        return value

    def holds(self, key: Key) -> bool:  # noqa: ARG002 - both fit
        return True

    def beyond(self, op: Op, other: Key, ends: Ends, rng: np.random.Generator) -> Iterator[Key]:  # noqa: ARG002
        yield not other

    def stored(self, keys: Sequence[Key]) -> pa.Array:
        return pa.array(keys, self.type)


@dataclass(frozen=True, slots=True)
class _Steps:
    """Whole multiples of a unit: integers, decimals, dates and timestamps."""

    type: pa.DataType
    unit: Fraction
    least: int  # in units
    most: int
    tick: int = 0  # of dates and timestamps, the nanoseconds of a stored 1

    def key(self, value: int | Decimal) -> Key:
        if self.tick:
            return value * self.tick
        return value if isinstance(value, int) else Fraction(value)

    def constant(self, value: Value) -> Key:
        if isinstance(value, date):
            return _nanoseconds(value)
        return Fraction(value) if isinstance(value, Decimal) else value

    def holds(self, key: Key) -> bool:
        if isinstance(key, float) and not math.isfinite(key):
            return False
        units = Fraction(key) / self.unit
        return units.denominator == 1 and self.least <= units <= self.most

    def beyond(self, op: Op, other: Key, ends: Ends, rng: np.random.Generator) -> Iterator[Key]:
        width = int((Fraction(ends[1]) - Fraction(ends[0])) / self.unit)
        steps = int(rng.integers(1, min(max(width, 1), _FARTHEST) + 1))
        # Anything is beyond an infinity on one side, and nothing on the other.
        infinite = isinstance(other, float) and math.isinf(other)
        near = Fraction(0) if infinite else Fraction(other) / self.unit
        for up in _directions(op, rng):
            for step in (steps, 1):
                units = math.floor(near) + step if up else math.ceil(near) - step
                yield units * self.unit

    def stored(self, keys: Sequence[Key]) -> pa.Array:
        units = [int(Fraction(key) / self.unit) for key in keys]
        if self.tick:
            raw = [int(n * self.unit) // self.tick for n in units]
            narrow = pa.int32() if pa.types.is_date32(self.type) else pa.int64()
            return pa.array(raw, narrow).cast(self.type)
        if pa.types.is_decimal(self.type):
            return pa.array([_decimal(n, self.type.scale) for n in units], self.type)
        return pa.array(units, self.type)


@dataclass(frozen=True, slots=True)
class _Floats:
    type: pa.DataType

    def key(self, value: float) -> Key:
        return None if math.isnan(value) else value

    def constant(self, value: Value) -> Key:
        """The nearest number that the column can hold, as the engine compares it."""
        return self._nearest(value)

    def holds(self, key: Key) -> bool:
        return bool(self._nearest(key) == key)

    def beyond(self, op: Op, other: Key, ends: Ends, rng: np.random.Generator) -> Iterator[Key]:
        distance = (ends[1] - ends[0] or 1.0) * (1 - rng.random())
        near = self._nearest(other)
        for up in _directions(op, rng):
            sign = 1 if up else -1
            far = self._nearest(near + sign * distance) if math.isfinite(near) else 0.0
            with np.errstate(over="ignore"):
                next_to = np.nextafter(self._number()(near), self._number()(sign * math.inf))
            yield from (key for key in (far, float(next_to)) if math.isfinite(key))

    def stored(self, keys: Sequence[Key]) -> pa.Array:
        return pa.array(np.array(list(map(float, keys)), dtype=self._number()), self.type)

    def _number(self) -> Any:
        return self.type.to_pandas_dtype()

    def _nearest(self, key: Key) -> float:
        try:
            with np.errstate(over="ignore"):
                return float(self._number()(float(key)))
        except OverflowError:
            return math.inf if key > 0 else -math.inf


def _moments(column: pa.DataType, unit: int, tick: int) -> _Steps:
    """Points in time within the years 1 to 9999, and as far as the column can count."""
    bits = 32 if pa.types.is_date32(column) else 64
    farthest = (2 ** (bits - 1) - 1) * tick // unit
    first, last = _nanoseconds(date.min) // unit, (_nanoseconds(date.max) + _DAY - 1) // unit
    return _Steps(column, Fraction(unit), max(first, -farthest), min(last, farthest), tick)


def _nanoseconds(moment: date) -> int:
    if not isinstance(moment, datetime):
        return (moment.toordinal() - _EPOCH.toordinal()) * _DAY
    since = moment.replace(tzinfo=UTC) - _EPOCH
    return since.days * _DAY + (since.seconds * 10**6 + since.microseconds) * 1000


def _directions(op: Op, rng: np.random.Generator) -> tuple[bool, ...]:
    """The ways to go from a number to satisfy `op`: up is True."""
    if op is not Op.NE:
        return (op is Op.GT,)
    up = bool(rng.integers(2))
    return up, not up


def _decimal(units: int, scale: int) -> Decimal:
    """`units` times 10**-scale with all its digits, which arithmetic would round to 28."""
    digits = tuple(map(int, str(abs(units))))
    return Decimal((int(units < 0), digits, -scale))
