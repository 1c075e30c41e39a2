"""Values as integers that compare as the values do.

The columns of one group share a codebook: the sorted distinct values of all of them. The value at
position r has code 2r+1, so that a constant between two values has an even code of its own.
Strings sort by their UTF-8 bytes, which is the order of code points.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time
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
        if _comparable(codebook[middle].as_py(), codebook.type) < wanted:
            low = middle + 1
        else:
            high = middle
    present = low < len(codebook) and _comparable(codebook[low].as_py(), codebook.type) == wanted
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


def _comparable(value: Any, dtype: pa.DataType) -> Any:
    """A constant, or a value of the codebook, such that the two compare."""
    if isinstance(value, date):
        return _instant(value)
    if isinstance(value, bool | int | float | Decimal):
        # A number next to doubles is the double nearest to it, as in SQL; else it is exact.
        return float(value) if pa.types.is_floating(dtype) else Fraction(value)
    return value


def _instant(value: date) -> datetime:
    """A date as its midnight; a time stamp as it is, or in UTC if it has a zone."""
    if not isinstance(value, datetime):
        return datetime.combine(value, time.min)
    return value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
