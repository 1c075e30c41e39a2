"""Values as integers that compare as the values do.

The columns of one group share a codebook: the sorted distinct values of all of them. The value at
position r has code 2r+1, so that a constant between two values has an even code of its own.
Strings sort by their UTF-8 bytes, which is the order of code points.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from candling.constraints import Value


def code_columns(
    columns: Sequence[pa.ChunkedArray],
) -> tuple[pa.Array, list[npt.NDArray[np.int32]]]:
    """The codebook of the columns, and each column in codes, with -1 for NULL."""
    encoded = [_encode(column) for column in columns]
    common = _common_type([e.dictionary.type for e in encoded])
    books = [e.dictionary.cast(common) for e in encoded]
    values = pc.unique(pa.concat_arrays(books)) if len(books) > 1 else books[0]
    if pa.types.is_floating(common):  # -0.0 equals 0.0, but not to a hash table
        values = pa.array(np.unique(values.to_numpy(zero_copy_only=False) + 0.0), common)
    codebook = values.take(pc.sort_indices(values))
    coded = []
    for e, book in zip(encoded, books, strict=True):
        rank = pc.index_in(book, codebook).to_numpy(zero_copy_only=False).astype(np.int32)
        index = e.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        code = np.append(rank * 2 + 1, -1).astype(np.int32)
        coded.append(code[index])
    return codebook, coded


def code_constant(codebook: pa.Array, value: Value) -> int:
    """The code of a constant: that of the equal value, or one between its neighbours."""
    low, high = 0, len(codebook)
    wanted = _comparable(value, codebook.type)
    while low < high:
        middle = (low + high) // 2
        if _key(codebook[middle]) < wanted:
            low = middle + 1
        else:
            high = middle
    present = low < len(codebook) and _key(codebook[low]) == wanted
    return 2 * low + 1 if present else 2 * low


def _encode(column: pa.ChunkedArray) -> pa.DictionaryArray:
    array = column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks else pa.array([], column.type)
    if pa.types.is_dictionary(array.type):
        array = array.cast(array.type.value_type)
    if pa.types.is_boolean(array.type):
        array = array.cast(pa.int8())
    if pa.types.is_floating(array.type):
        zero = array.cast(pa.float64()).to_numpy(zero_copy_only=False) + 0.0
        array = pa.array(zero, pa.float64(), mask=np.asarray(array.is_null(nan_is_null=True)))
    return array.dictionary_encode()


def _common_type(types: list[pa.DataType]) -> pa.DataType:
    """The type in which values of all `types` are compared."""
    if any(pa.types.is_floating(t) for t in types):
        return pa.float64()
    if any(pa.types.is_decimal(t) for t in types):
        scale = max(t.scale for t in types if pa.types.is_decimal(t))
        return pa.decimal256(76, scale)
    if any(pa.types.is_timestamp(t) for t in types):
        if all(t == types[0] for t in types):
            return types[0]
        unit = max((t.unit for t in types if pa.types.is_timestamp(t)), key="s ms us ns".find)
        zone = next((t.tz for t in types if pa.types.is_timestamp(t) and t.tz), None)
        return pa.timestamp(unit, zone)
    if all(pa.types.is_integer(t) for t in types):
        return pa.decimal256(76, 0) if pa.uint64() in types else pa.int64()
    return types[0]


def _comparable(value: Value, dtype: pa.DataType) -> Any:
    """The constant as `_key` shows the codebook's values."""
    if pa.types.is_floating(dtype):
        return float(value)  # type: ignore[arg-type]  # the schema check let numbers only pass
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, Decimal):
        return Fraction(value)
    if isinstance(value, date):
        return _instant(value)
    return value


def _key(scalar: pa.Scalar) -> Any:
    value = scalar.as_py()
    if isinstance(value, Decimal):
        return Fraction(value)
    if isinstance(value, str):
        return value
    if isinstance(value, time):
        return value
    return _instant(value) if isinstance(value, date) else value


def _instant(value: date) -> datetime:
    """A date as its midnight, a time stamp without its zone (constants are in UTC)."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None) if value.tzinfo is None else _utc(value)
    return datetime(value.year, value.month, value.day)


def _utc(value: datetime) -> datetime:
    from datetime import UTC

    return value.astimezone(UTC).replace(tzinfo=None)
