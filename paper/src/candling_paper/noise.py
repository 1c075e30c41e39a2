"""RNoise, which changes cells at random, and tables on the way from clean to noisy.

For experiments, never for a release: the randomness is numpy's, seeded so that an experiment can be
repeated. It protects nobody.
"""

from __future__ import annotations

import string
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

_LETTERS = np.array(list(string.ascii_letters), dtype=object)
_FARTHEST_TYPO_IN_DAYS = 30

Indices = npt.NDArray[np.int64]


def rnoise(
    table: pa.Table,
    columns: Sequence[str],
    *,
    alpha: float,
    seed: int,
    typo: float = 0.5,
    skew: float = 0.0,
) -> pa.Table:
    """A copy of `table` with `int(alpha * rows * columns of the table)` cells changed.

    The cells are distinct, drawn uniformly from the non-NULL ones of `columns` (those that some
    constraint reads), although `alpha` counts all cells of the table: so says the published
    definition. Each becomes a typo with probability `typo`, else another value of its column.

    Args:
        table: Clean rows. Strings, numbers, booleans, dates and timestamps can be changed.
        columns: Names of the columns to change.
        alpha: Noise level, as a fraction of all cells of the table.
        seed: The same seed on the same table gives the same result.
        typo: Probability of a typo: a letter appended to a string, a digit of a number one up or
            down, a boolean flipped, a date moved by up to 30 days.
        skew: Exponent (the published beta) of the Zipf distribution over the distinct values of
            a column, in order of first appearance. 0 draws every distinct value equally often.

    Raises:
        ValueError: A number is out of range, a column is missing, has a type that cannot be
            changed, or there are fewer cells in `columns` than must change.
    """
    if not (0 <= alpha <= 1 and 0 <= typo <= 1 and skew >= 0):
        msg = f"expected 0 <= alpha, typo <= 1 and skew >= 0, got {alpha=}, {typo=}, {skew=}"
        raise ValueError(msg)
    names = list(dict.fromkeys(columns))
    check_columns(table, names)
    rng = np.random.default_rng(seed)
    cells = int(alpha * table.num_rows * table.num_columns)
    for name, rows in zip(names, _draw_cells(table, names, cells, rng), strict=True):
        if not len(rows):
            continue
        column = table.column(name).combine_chunks()
        position = table.column_names.index(name)
        changed = _change(column, rows, rng, typo=typo, skew=skew)
        table = table.set_column(position, table.schema.field(position), changed)
    return table


def partial_noise(clean: pa.Table, noisy: pa.Table, fraction: float, seed: int) -> pa.Table:
    """`clean` with the first `fraction` of the cells in which `noisy` differs, as they are there.

    The cells come in an order that only the seed decides, so that the changes of a smaller
    fraction are among those of a larger one: 0 gives `clean` again, 1 gives `noisy`.

    Raises:
        ValueError: `fraction` is not between 0 and 1, or the tables differ in schema or size.
    """
    if not 0 <= fraction <= 1:
        raise ValueError(f"expected 0 <= fraction <= 1, got {fraction=}")
    if clean.schema != noisy.schema or clean.num_rows != noisy.num_rows:
        raise ValueError("the noisy table must have the columns, types and rows of the clean one")
    changed = [
        np.flatnonzero(_differs(before, after))
        for before, after in zip(clean.columns, noisy.columns, strict=True)
    ]
    ends = np.cumsum([len(rows) for rows in changed], dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    order = np.random.default_rng(seed).permutation(total)
    applied = np.zeros(total, dtype=bool)
    applied[order[: round(fraction * total)]] = True
    columns = [
        replaced(before.combine_chunks(), rows[now], after.take(pa.array(rows[now])))
        for before, after, rows, now in zip(
            clean.columns, noisy.columns, changed, np.split(applied, ends[:-1]), strict=True
        )
    ]
    return pa.table(columns, schema=clean.schema)


def check_columns(table: pa.Table, names: Sequence[str]) -> None:
    """Raise ValueError if one of `names` is not in the table, or has a type that cannot change."""
    if missing := [name for name in names if name not in table.column_names]:
        msg = f"no such columns in the table: {', '.join(missing)}"
        raise ValueError(msg)
    for name in names:
        if not _can_change(kind := table.schema.field(name).type):
            msg = (
                f"column {name} has type {kind}; "
                "only strings, numbers, booleans, dates and timestamps can be changed"
            )
            raise ValueError(msg)


def replaced(column: pa.Array, rows: Indices, values: pa.Array | pa.ChunkedArray) -> pa.Array:
    """`column` with `values` at `rows`."""
    if not len(rows):
        return column
    source = np.arange(len(column))
    source[rows] = len(column) + np.arange(len(rows))
    chunks = values.chunks if isinstance(values, pa.ChunkedArray) else [values]
    return pa.concat_arrays([column, *chunks]).take(pa.array(source))


def _differs(before: pa.ChunkedArray, after: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    """Per row whether the value changed; NULL and NaN are values like others here."""
    both_null = pc.and_(pc.is_null(before), pc.is_null(after))
    same = pc.or_(both_null, pc.fill_null(pc.equal(before, after), False))
    if pa.types.is_floating(before.type):
        both_nan = pc.and_(pc.is_nan(before), pc.is_nan(after))
        same = pc.or_(same, pc.fill_null(both_nan, False))
    found: npt.NDArray[np.bool_] = ~same.to_numpy()
    return found


def _can_change(kind: pa.DataType) -> bool:
    t = pa.types
    return any(
        is_kind(kind)
        for is_kind in (
            t.is_string,
            t.is_large_string,
            t.is_boolean,
            t.is_integer,
            t.is_floating,
            t.is_decimal,
            t.is_date,
            t.is_timestamp,
        )
    )


def _draw_cells(
    table: pa.Table, names: Sequence[str], cells: int, rng: np.random.Generator
) -> list[Indices]:
    """For each column the row numbers to change, ascending."""
    usable = [_usable_rows(table.column(name)) for name in names]
    ends = np.cumsum([len(rows) for rows in usable], dtype=np.int64)
    available = int(ends[-1]) if len(ends) else 0
    if cells > available:
        msg = f"{cells} cells to change, but the columns given have only {available}"
        raise ValueError(msg)
    drawn = np.sort(rng.choice(available, size=cells, replace=False, shuffle=False))
    per_column = np.split(drawn, np.searchsorted(drawn, ends[:-1]))
    starts = ends - [len(rows) for rows in usable]
    return [rows[d - s] for rows, d, s in zip(usable, per_column, starts, strict=True)]


def _usable_rows(column: pa.ChunkedArray) -> Indices:
    """Rows that hold a value: NULL, NaN and infinities are left as they are."""
    floating = pa.types.is_floating(column.type)
    usable = pc.fill_null(pc.is_finite(column), False) if floating else pc.is_valid(column)
    return np.flatnonzero(usable.to_numpy())


def _change(
    column: pa.Array, rows: Indices, rng: np.random.Generator, *, typo: float, skew: float
) -> pa.Array:
    """`column` with every one of `rows` changed."""
    usable = column.take(pa.array(_usable_rows(pa.chunked_array([column]))))
    domain = usable.unique()
    # A column with one distinct value has no other to offer.
    as_typo = (rng.random(len(rows)) < typo) | (len(domain) < 2)
    typed, swapped = rows[as_typo], rows[~as_typo]
    typos = _typos(column.take(pa.array(typed)), rng)
    others = _other_values(domain, column.take(pa.array(swapped)), skew, rng)
    values = pa.concat_arrays([typos, others])
    return replaced(column, np.concatenate([typed, swapped]), values)


def _other_values(
    domain: pa.Array, current: pa.Array, skew: float, rng: np.random.Generator
) -> pa.Array:
    """For each current value another one of `domain`, by the Zipf weight of its rank there."""
    own = pc.index_in(current, value_set=domain).to_numpy(zero_copy_only=False)
    weight = np.arange(1, len(domain) + 1, dtype=np.float64) ** -skew
    total = np.cumsum(weight)
    # Cut the current value's stretch out of [0, total): one draw each, and never that value.
    point = rng.random(len(own)) * (total[-1] - weight[own])
    point += np.where(point >= total[own] - weight[own], weight[own], 0)
    drawn = np.minimum(np.searchsorted(total, point, side="right"), len(domain) - 1)
    drawn = np.where(drawn == own, (own + 1) % len(domain), drawn)  # rounding at a border
    return domain.take(pa.array(drawn))


def _typos(current: pa.Array, rng: np.random.Generator) -> pa.Array:
    """For each current value a near one of the same type, as a rule not in the active domain."""
    kind = current.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        letters = pa.array(_LETTERS[rng.integers(len(_LETTERS), size=len(current))], type=kind)
        return pc.binary_join_element_wise(current, letters, pa.scalar("", type=kind))
    if pa.types.is_boolean(kind):
        return pc.invert(current)
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        days = rng.integers(1, _FARTHEST_TYPO_IN_DAYS + 1, size=len(current))
        signed = days * rng.choice([-1, 1], size=len(current))
        shift = pa.array(signed * 86_400).cast(pa.duration("s"))
        return pc.add(current, shift).cast(kind)
    return _number_typos(current, rng)


def _number_typos(current: pa.Array, rng: np.random.Generator) -> pa.Array:
    """Each number with one random digit one up or down (9 and 0 are neighbours)."""
    kind = current.type
    place = rng.random(len(current))
    up = rng.random(len(current)) < 0.5
    texts = pc.cast(current, pa.string()).to_pylist()
    changed = [_turn_digit(*args) for args in zip(texts, place, up, strict=True)]
    if pa.types.is_decimal(kind):
        return pa.array(changed).cast(kind)
    if pa.types.is_integer(kind):
        limits = np.iinfo(kind.to_pandas_dtype())
        old = current.to_pylist()
        new = [int(text) for text in changed]
        inside = [limits.min <= value <= limits.max for value in new]
        towards_zero = [value - 1 if value > 0 else value + 1 for value in old]
        picked = [a if ok else b for a, ok, b in zip(new, inside, towards_zero, strict=True)]
        return pa.array(picked, type=kind)
    before = current.to_numpy()
    with np.errstate(over="ignore"):
        after = np.array(changed, dtype=np.float64).astype(before.dtype)
    # The last of 17 digits may round away, and a first digit may overflow to infinity.
    lost = (after == before) | ~np.isfinite(after)
    return pa.array(np.where(lost, np.nextafter(before, before.dtype.type(0)), after), type=kind)


def _turn_digit(number: str, place: float, up: bool) -> str:
    """`number` with the digit at `place` (0 first, 1 past the last) turned by one."""
    mantissa, e, exponent = number.partition("e")
    digits = [i for i, character in enumerate(mantissa) if character.isdigit()]
    at = digits[int(place * len(digits))]
    turned = (int(mantissa[at]) + (1 if up else -1)) % 10
    return f"{mantissa[:at]}{turned}{mantissa[at + 1 :]}{e}{exponent}"
