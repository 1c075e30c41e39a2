"""Arrow in this process: no value is used before all of its batch is checked.

Arrow and DuckDB trust the offsets and lengths of an array, and one that points elsewhere ends the
process. So every batch is validated in full, whoever made it. A file is read and never mapped into
memory: a program that shortens it at the same time would end this process, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

from candling.engines.column_names import require_different
from candling.engines.forms import INFINITE_TICK
from candling.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

_FILE, _OLD_FEATHER = b"ARROW1", b"FEA1"  # with which a file begins; a stream has no such mark


def read_arrow(file: BinaryIO) -> pa.RecordBatchReader:
    """What a file of Arrow's (also Feather) or a stream of its holds, read batch by batch."""
    import pyarrow as pa
    from pyarrow import feather, ipc

    mark = file.read(len(_FILE))
    file.seek(0)
    if mark == _FILE:
        reader = ipc.open_file(file)
        batches = (reader.get_batch(i) for i in range(reader.num_record_batches))
        return pa.RecordBatchReader.from_batches(reader.schema, batches)
    if mark.startswith(_OLD_FEATHER):
        return feather.read_table(file).to_reader()
    return ipc.open_stream(file)


def for_duckdb(source: pa.RecordBatchReader) -> pa.RecordBatchReader:
    """The same batches, each checked in full, in types that DuckDB takes whatever the values are.

    Reading a batch raises an ArrowException if it is not sound.
    """
    import pyarrow as pa

    names = source.schema.names
    require_different(names, "the table")
    for column in source.schema:
        if pa.types.is_decimal256(column.type) and column.type.precision > 38:
            raise DataError(
                f"Column {column.name!r} holds decimals of more than 38 digits, which DuckDB has "
                "no type for: cast it to text or to fewer digits, or leave it out.",
                code="D103",
            )

    def usual(batch: pa.RecordBatch) -> pa.RecordBatch:
        return pa.record_batch([_usual(column) for column in batch.columns], names=names)

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in source:
            batch.validate(full=True)
            yield usual(batch)

    nothing = pa.record_batch([_empty(kind) for kind in source.schema.types], names=names)
    return pa.RecordBatchReader.from_batches(usual(nothing).schema, batches())


def sound(table: pa.Table) -> pa.Table:
    """The table, whose every value is checked; raises an ArrowException if it is not sound."""
    table.validate(full=True)
    return table


def _empty(kind: pa.DataType) -> pa.Array:
    import pyarrow as pa

    return pa.schema([("", kind)]).empty_table().column(0).combine_chunks()


def _usual(column: Any) -> Any:
    """The column in a type that DuckDB takes whatever the values are."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_null(kind):  # nothing but NULL: any type will do
        return column.cast(pa.string())
    if pa.types.is_float16(kind):
        return column.cast(pa.float32())
    if pa.types.is_decimal256(kind):
        return column.cast(pa.decimal128(kind.precision, kind.scale))
    if not pa.types.is_timestamp(kind) or (kind.unit in ("us", "ns") and kind.tz is None):
        return column
    ticks = column.cast(pa.int64())
    if kind.unit in ("us", "ns"):
        return ticks.cast(pa.timestamp(kind.unit))
    # DuckDB fails on a moment that microseconds do not reach; it is as good as infinite.
    factor = {"s": 10**6, "ms": 10**3}[kind.unit]
    reach = INFINITE_TICK // factor
    inside = pc.multiply(pc.min_element_wise(pc.max_element_wise(ticks, -reach), reach), factor)
    inside = pc.if_else(pc.greater(ticks, reach), INFINITE_TICK, inside)
    inside = pc.if_else(pc.less(ticks, -reach), -INFINITE_TICK, inside)
    return inside.cast(pa.timestamp("us"))
