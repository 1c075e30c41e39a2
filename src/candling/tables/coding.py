"""Values as integers that compare as the values do.

The columns of one group share a codebook: the sorted distinct values of all of them. The value at
position r has code 2r+1, so that a constant between two values has an even code of its own.
Strings sort by their UTF-8 bytes, which is the order of code points. Numbers and points in time of
different types are compared exactly, without a cast that could fail on some value.

Here are short columns, as Python has their values; `arrow_coding` has long ones, and takes longer
to load than a small table to code.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import field
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from candling.records import dataclass
from candling.rules import ColumnType, Value
from candling.tables.values import DAY, INFINITE_DAY, INFINITE_TICK, TICKS, Form, microseconds

INFINITE = 2**62  # seconds: beyond every moment


@dataclass(frozen=True, slots=True)
class Codebook:
    """Sorted distinct values; `key` shows the one at a position as constants compare with it."""

    size: int
    key: Callable[[int], Any] = field(repr=False)


def code_values(
    columns: Sequence[Sequence[Any]], forms: Sequence[Form]
) -> tuple[Codebook, list[npt.NDArray[np.int32]]]:
    """The codebook of the columns, and each column in codes, with -1 for NULL.

    Python compares whole numbers, decimals and floats exactly, and texts by their code points.
    """
    if forms[0].kind in (ColumnType.DATE, ColumnType.TIMESTAMP):
        columns = [
            [None if ticks is None else _seconds(ticks, form) for ticks in column]
            for column, form in zip(columns, forms, strict=True)
        ]
    values = sorted({v for column in columns for v in column if v is not None})
    codes: dict[Any, int] = {v: 2 * i + 1 for i, v in enumerate(values)}
    codes[None] = -1
    coded = [np.array([codes[v] for v in column], np.int32) for column in columns]
    return Codebook(len(values), lambda i: exact_number(values[i])), coded


def _seconds(ticks: int, form: Form) -> tuple[int, int]:
    """A point in time as seconds since 1970 and nanoseconds."""
    if form.unit is None:
        seconds, rest, infinite = ticks * DAY, 0, INFINITE_DAY
    else:
        seconds, rest = divmod(ticks, TICKS[form.unit])
        rest, infinite = rest * (10**9 // TICKS[form.unit]), INFINITE_TICK
    if abs(ticks) == infinite:
        return (INFINITE if ticks > 0 else -INFINITE), 0
    return seconds, rest


def code_constant(codebook: Codebook, value: Value, form: Form) -> int:
    """The code of a constant next to a column: the equal value's, or one between its neighbours."""
    wanted = _constant_key(value, form)
    low, high = 0, codebook.size
    while low < high:
        middle = (low + high) // 2
        if codebook.key(middle) < wanted:
            low = middle + 1
        else:
            high = middle
    present = low < codebook.size and codebook.key(low) == wanted
    return 2 * low + 1 if present else 2 * low


def _constant_key(value: Value, form: Form) -> Any:
    """A constant as a codebook's `key` shows the values of the column."""
    if isinstance(value, date):
        seconds, rest = divmod(microseconds(value), 10**6)
        return seconds, rest * 1000
    if form.bits is not None and isinstance(value, int | Decimal):
        return exact_number(nearest_float(value, form.bits))
    return exact_number(value)


def nearest_float(value: int | Decimal, bits: int = 64) -> float:
    """The nearest number that a float of so many bits can hold, as in SQL."""
    try:
        double = float(value)
    except OverflowError:
        double = math.inf if value > 0 else -math.inf
    with np.errstate(over="ignore"):
        return float(np.dtype(f"f{bits // 8}").type(double))


def exact_number(value: Any) -> Any:
    """A number as an exact fraction; infinities, and what is no number, as they are."""
    if isinstance(value, float) and not np.isfinite(value):
        return value
    return Fraction(value) if isinstance(value, int | float | Decimal) else value
