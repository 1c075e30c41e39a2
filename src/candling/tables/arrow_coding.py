"""Long columns in codes, by Arrow and NumPy: the same codes as in `coding`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from candling.records import dataclass
from candling.rules import ColumnType
from candling.tables.coding import INFINITE, Codebook, exact_number
from candling.tables.values import DAY, INFINITE_DAY, INFINITE_TICK, TICKS, Form

ONE_ARRAY = 2**31 - 1  # bytes of text that an array of Arrow holds, but of the larger types
LARGER = {pa.string(): pa.large_string(), pa.binary(): pa.large_binary()}
Ranks = list[npt.NDArray[np.int64]]
Book: TypeAlias = Any  # distinct values: a pyarrow array, or numpy's for floats


def code_columns(
    columns: Sequence[pa.ChunkedArray], forms: Sequence[Form]
) -> tuple[Codebook, list[npt.NDArray[np.int32]]]:
    """The codebook of the columns, and each column in codes, with -1 for NULL."""
    encoded = [_encode(column) for column in columns]
    codebook, ranks = _rank_values([e.book for e in encoded], forms)
    if 2 * codebook.size > np.iinfo(np.int32).max:
        raise AssertionError("a table is refused before it has more values than codes")
    coded = []
    for e, rank in zip(encoded, ranks, strict=True):
        code = np.full(len(e.known), -1, np.int32)
        code[e.known] = 2 * rank + 1
        coded.append(code[e.indices])
    return codebook, coded


def to_numpy(array: pa.Array | pa.ChunkedArray) -> npt.NDArray[Any]:
    """Numbers without NULL as numpy has them, without loading pandas as Arrow's own way does."""
    numbers: npt.NDArray[Any] = np.from_dlpack(_one_chunk(array))
    return numbers


def _one_chunk(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if isinstance(column, pa.ChunkedArray):  # older pyarrow
        column = column.chunk(0) if column.num_chunks else pa.array([], column.type)
    return column


@dataclass(frozen=True, slots=True)
class _Encoded:
    """A column as indices into its distinct values, of which `book` has the known ones."""

    indices: npt.NDArray[np.int32]
    known: npt.NDArray[np.bool_]  # per distinct value: neither NULL nor NaN
    book: Book


def _encode(column: pa.ChunkedArray) -> _Encoded:
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    if column.nbytes > ONE_ARRAY and column.type in LARGER:
        column = column.cast(LARGER[column.type])
    encoded = _one_chunk(column).dictionary_encode(null_encoding="encode")
    known = to_numpy(encoded.dictionary.is_valid().cast(pa.int8())) == 1
    book = encoded.dictionary.drop_null()
    if pa.types.is_floating(book.type):
        numbers = to_numpy(book) + 0.0  # -0.0 equals 0.0, but not to a hash table
        known[known] = ~np.isnan(numbers)
        book = numbers[~np.isnan(numbers)]
    return _Encoded(to_numpy(encoded.indices), known, book)


def _rank_values(books: list[Book], forms: Sequence[Form]) -> tuple[Codebook, Ranks]:
    """The codebook of several lists of distinct values, and the position of each value in it."""
    arrow = [book for book in books if isinstance(book, pa.Array)]
    kind = forms[0].kind
    if kind in (ColumnType.DATE, ColumnType.TIMESTAMP):
        moments = [_seconds(book, form) for book, form in zip(books, forms, strict=True)]
        return _ranked_pairs(moments, lambda a, b: (int(a), int(b)))
    if kind is ColumnType.NUMBER and any(pa.types.is_string(b.type) for b in arrow):
        return _ranked_objects([[exact_number(v) for v in _list_values(book)] for book in books])
    if len(arrow) == len(books) and not _too_wide([book.type for book in arrow]):
        return _ranked_arrow(arrow)
    if len(arrow) < len(books) and all(_fits_int64(book.type) for book in arrow):
        pairs = [_nearest_double(book) for book in books]
        return _ranked_pairs(pairs, lambda a, b: exact_number(float(a)) + int(b))
    return _ranked_objects([[exact_number(v) for v in _list_values(book)] for book in books])


def _list_values(book: Book) -> list[Any]:
    """The values; numbers of any size come as texts."""
    if not isinstance(book, pa.Array):
        floats: list[Any] = book.tolist()
        return floats
    values: list[Any] = book.to_pylist()
    return [_parse_number(v) for v in values] if pa.types.is_string(book.type) else values


def _parse_number(text: str) -> Decimal | float:
    """A number that is written out, or an infinity."""
    return float(text) if text.endswith("Infinity") else Decimal(text)


def _ranked_arrow(books: list[pa.Array]) -> tuple[Codebook, Ranks]:
    common = _common_type([book.type for book in books])
    books = [book.cast(common) for book in books]
    values = pc.unique(pa.concat_arrays(books)) if len(books) > 1 else books[0]
    values = values.take(pc.sort_indices(values))
    ranks = [to_numpy(pc.index_in(book, values)).astype(np.int64) for book in books]
    return Codebook(len(values), lambda i: exact_number(values[i].as_py())), ranks


def _ranked_pairs(
    pairs: list[tuple[npt.NDArray[Any], npt.NDArray[np.int64]]], key: Callable[[Any, Any], Any]
) -> tuple[Codebook, Ranks]:
    """Values that compare by their first part, then by their second."""
    first = np.concatenate([a for a, _ in pairs])
    second = np.concatenate([b for _, b in pairs])
    order = np.lexsort((second, first))
    new = np.ones(len(order), bool)
    a, b = first[order], second[order]
    new[1:] = (a[1:] != a[:-1]) | (b[1:] != b[:-1])
    rank = np.empty(len(order), np.int64)
    rank[order] = np.cumsum(new) - 1
    distinct = order[new]
    ends = np.cumsum([len(a) for a, _ in pairs])[:-1]
    codebook = Codebook(len(distinct), lambda i: key(first[distinct[i]], second[distinct[i]]))
    return codebook, np.split(rank, ends)


def _ranked_objects(books: list[list[Any]]) -> tuple[Codebook, Ranks]:
    values = sorted({v for book in books for v in book})
    place = {v: i for i, v in enumerate(values)}
    ranks = [np.array([place[v] for v in book], np.int64) for book in books]
    return Codebook(len(values), values.__getitem__), ranks


def _seconds(book: pa.Array, form: Form) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Points in time as seconds since 1970 and nanoseconds, which no date overflows."""
    ticks = to_numpy(book)
    if form.unit is None:
        seconds, rest, infinite = ticks * DAY, np.zeros_like(ticks), INFINITE_DAY
    else:
        seconds, rest = np.divmod(ticks, TICKS[form.unit])
        rest, infinite = rest * (10**9 // TICKS[form.unit]), INFINITE_TICK
    ends = np.abs(ticks) == infinite
    return np.where(ends, np.sign(ticks) * INFINITE, seconds), np.where(ends, 0, rest)


def _nearest_double(book: Book) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Numbers as the nearest double and what is missing to it."""
    if not isinstance(book, pa.Array):
        return book, np.zeros(len(book), np.int64)
    whole = to_numpy(book.cast(pa.int64()))
    near = whole.astype(np.float64)
    beyond = near >= 2.0**63  # the one double that an int64 can round to and not hold
    back = np.where(beyond, 0.0, near).astype(np.int64)
    rest = np.where(beyond, whole - (2**63 - 1) - 1, whole - back)
    return near, rest


def _fits_int64(dtype: pa.DataType) -> bool:
    return bool(pa.types.is_integer(dtype)) and dtype != pa.uint64()


def _common_type(types: list[pa.DataType]) -> pa.DataType:
    """A type that holds the values of all `types`, none of which is a float if they differ."""
    if all(t == types[0] for t in types):
        return types[0]
    if all(_fits_int64(t) for t in types):
        return pa.int64()
    if all(pa.types.is_integer(t) or pa.types.is_decimal(t) for t in types):
        scale = max((t.scale for t in types if pa.types.is_decimal(t)), default=0)
        return pa.decimal256(76, scale)
    return types[0]


def _too_wide(types: list[pa.DataType]) -> bool:
    """Whether integers and decimals of these types need more digits than a decimal has."""
    decimals = [t for t in types if pa.types.is_decimal(t)]
    scale = max((t.scale for t in decimals), default=0)
    whole = max((t.precision - t.scale for t in decimals), default=0)
    return bool(decimals) and max(whole, 20) + scale > 76
