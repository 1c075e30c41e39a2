"""One form for every value and every column name, whatever engine holds the table.

Engines order and compare in ways of their own: collations, the positions of an ENUM, infinite
dates, time zones, two zeros. So a table is opened as expressions that leave nothing of that: every
column becomes one of six types whose equality and order are the same on every engine and in our
own code. No later query sees an original type.

| holds | becomes |
|---|---|
| whole numbers | int64; decimal(20, 0) where 64 bits have no sign; decimal(38, 0) for 128 bits |
| decimals | decimal(p, s) as declared; PostgreSQL's numeric without a size stays numeric |
| floats | float64 with NaN as NULL and one zero |
| text, ENUM, UUID, CHAR(n) without its padding | string, compared by bytes |
| booleans | boolean |
| bytes | binary |
| dates | int64: days since 1970 |
| timestamps | int64: microseconds since 1970 in UTC; nanoseconds where they were stored |
| times of day | int64: nanoseconds since midnight |

An infinite date or timestamp is the largest number there is, or its negative; so is what a form
cannot reach (a moment of DuckDB's after the year 294246, an integer of more than 38 digits). Every
value has its form whatever else the table holds, and none ends in an error. A type without a form
(intervals, lists, a time of day with a zone, ...) is `OTHER`: the schema says so, and a rule that
names the column is refused before a row is read.

Arrow and DuckDB trust the offsets and lengths of an array, and one that points elsewhere ends the
process. So every batch is validated in full, whoever made it. A file is read and never mapped into
memory: a program that shortens it at the same time would end this process, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from candling.errors import DataError, translate_failure
from candling.records import dataclass
from candling.rules import ColumnType, Constraint, Origin, Statement, Value
from candling.rules.constraint import CONDITION
from candling.rules.types import type_rules
from candling.tables.engine import unreadable
from candling.tables.queries import Dialect, Relation, read_rows

if TYPE_CHECKING:
    import pyarrow as pa

    from candling.tables.engine import Engine

T = TypeVar("T")
Explain = Callable[[Exception], DataError]
Types = Mapping[str, str]  # of columns by name

INFINITE_DAY = 2**31 - 1
INFINITE_TICK = 2**63 - 1
TICKS = {"us": 10**6, "ns": 10**9}  # of one second
DAY = 86_400  # seconds
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EXACT = 2**53  # up to which a float holds every whole number
LONGEST_CELL = 1_000_000  # bytes or characters, as the format counts, in formats without types
TOO_LONG = "[too long]"  # what every longer cell becomes; it fits no type but text


@dataclass(frozen=True, slots=True)
class Form:
    """What the numbers, texts or bytes of a column stand for. Columns of one form compare as they
    are; columns of two forms with one `kind` compare after a look at their units.
    """

    kind: ColumnType
    unit: str | None = None  # of a timestamp: "us" or "ns"
    bits: int | None = None  # of a float as it was stored: constants are rounded to it

    def constant(self, value: Value) -> Value | None:
        """A constant of a rule as a value of this form; None where it has none."""
        if self.kind is ColumnType.DATE and type(value) is date:
            return value.toordinal() - EPOCH.toordinal()
        if self.kind is ColumnType.TIMESTAMP and isinstance(value, date) and self.unit is not None:
            ticks = microseconds(value) * (TICKS[self.unit] // 10**6)
            return ticks if abs(ticks) < INFINITE_TICK else None
        return value if not isinstance(value, date) else None


NOTHING = Form(ColumnType.OTHER)


def microseconds(moment: date) -> int:
    """Since 1970, of a time stamp without a zone or the midnight at which a date begins."""
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)  # noqa: DTZ001 - UTC below
    return (moment.replace(tzinfo=UTC) - EPOCH) // timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class TableColumn:
    """How an engine writes a column in its form; a type without one is written as a text."""

    sql: str
    form: Form
    dtype: str  # the name of the type that this gives (`queries.Type`)
    one_to_one: bool = True  # different numbers stay different, however large they are

    def of(self, name: str) -> TableColumn:
        """The same with the quoted name in its place."""
        return replace(self, sql=self.sql.format(name))


@dataclass(frozen=True, slots=True)
class Table:
    """A table on its engine, every column in its one form."""

    engine: Engine
    backend: Any = field(
        repr=False
    )  # what the engine needs to ask: a connection, or Ibis's with one
    source: str = field(repr=False)  # in the engine's SQL
    columns: dict[str, TableColumn] = field(repr=False)
    stored: bool = False  # reading it again parses no text and runs no query
    size: int | None = field(default=None, repr=False)  # bytes of a text file: it has fewer rows
    stated: Mapping[str, Statement] = field(default_factory=dict)  # what its texts are read as
    untyped: frozenset[str] = frozenset()  # columns that are text for want of a type
    explain: Explain | None = field(default=None, repr=False)  # why a text could not be parsed

    def rows(self, names: Sequence[str]) -> Relation:
        """Some columns as c0, c1, ... for a query."""
        written = self.engine.conditions
        dialect = Dialect(self.engine.quote, written.string, written.double)
        return read_rows(self.select(names), self.types(names) or {"none": "int8"}, dialect)

    def types(self, names: Sequence[str]) -> dict[str, str]:
        """Of some columns as c0, c1, ..."""
        return {f"c{i}": self.columns[name].dtype for i, name in enumerate(names)}

    def select(self, names: Sequence[str]) -> str:
        """The same columns, in the engine's SQL."""
        parts = (f"{self.columns[name].sql} as c{i}" for i, name in enumerate(names))
        return f"select {', '.join(parts) or '1 as none'} from {self.source}"  # noqa: S608 - quoted

    def groups(self, names: Sequence[str]) -> pa.Table:
        """The distinct combinations of some columns as c0, c1, ..., and how often each occurs."""
        return self.fetch(*self._group_query(names))

    def few_groups(self, names: Sequence[str]) -> list[tuple[Any, ...]]:
        """The same, where they are few, as lines of Python's values."""
        return self.fetch_values(*self._group_query(names))

    def _group_query(self, names: Sequence[str]) -> tuple[str, Types]:
        columns = ", ".join(f"c{i}" for i in range(len(names)))
        counted = f"{columns}, count(*) as n" if names else "count(*) as n"
        sql = f"select {counted} from ({self.select(names)}) candling_rows"  # noqa: S608 - quoted
        sql += f" group by {columns}" if names else ""
        return sql, {**self.types(names), "n": "int64"}

    def count(self, most: int) -> int:
        """How many rows there are, up to a limit."""
        few = f"{self.select(())} limit {most}"
        sql = f"select count(*) as n from ({few}) candling_rows"  # noqa: S608 - quoted
        ((count,),) = self.fetch_values(sql, {"n": "int64"})
        return int(count)

    def collect(self, query: Relation) -> pa.Table:
        """What a query over some of the `rows` gives, in Arrow."""
        return self.fetch(query.sql(), {name: kind.name for name, kind in query.types.items()})

    def fetch(self, sql: str, types: Types) -> pa.Table:
        """What the engine answers, in Arrow; its failure without its own words."""
        return self._ask(lambda: self.engine.fetch(self.backend, sql, types))

    def fetch_values(self, sql: str, types: Types) -> list[tuple[Any, ...]]:
        """The same, where the answer is short, as lines of Python's values."""
        return self._ask(lambda: self.engine.fetch_values(self.backend, sql, types))

    def _ask(self, question: Callable[[], T]) -> T:
        return translate_failure(
            question, self.explain or (lambda error: unreadable("The engine", error))
        )

    def parse(self) -> None:
        """Parse all of a file of text once, to find out before a charge that it can be read."""
        if self.explain is None:
            return
        counted = [f"count({c.sql}) as c{i}" for i, c in enumerate(self.columns.values())]
        query = f"select {', '.join(counted) or '1 as none'} from {self.source}"  # noqa: S608 - quoted
        self.fetch_values(query, {f"c{i}": "int64" for i in range(len(counted))})

    @property
    def forms(self) -> dict[str, Form]:
        """Of every column."""
        return {name: column.form for name, column in self.columns.items()}

    @property
    def schema(self) -> dict[str, ColumnType]:
        """What rules may compare the columns with; without those that types add."""
        return {
            name: column.form.kind
            for name, column in self.columns.items()
            if not name.startswith(CONDITION)
        }

    @property
    def origins(self) -> dict[str, Statement | Origin]:
        """Who says what type a column has: a statement, the schema, or nobody."""
        return {
            name: self.stated.get(name, Origin.NONE if name in self.untyped else Origin.SCHEMA)
            for name in self.schema
        }

    @property
    def type_rules(self) -> tuple[Constraint, ...]:
        """The rules that cells fit their types."""
        return type_rules(self.stated)


def canonical_text(cell: Any) -> str | None:
    """The text of one cell of a format in which each cell has a type: 1 and 1.0 are both 1.

    It depends on the cell alone, and there is one for every cell; NaN is NULL.
    """
    try:
        return _write_cell(cell)
    except Exception:  # noqa: BLE001 - a cell may be any object of Python's
        return None


def _write_cell(cell: Any) -> str | None:
    import numpy as np

    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(cell, bool | np.bool_):
        return str(bool(cell)).lower()
    if isinstance(cell, str):
        return text_of_bytes(cell.encode("utf-8", "surrogatepass"))
    if isinstance(cell, float | np.floating):
        number = float(cell)
        if number != number:  # noqa: PLR0124 - NaN
            return None
        whole = number.is_integer() and abs(number) < _EXACT
        return str(int(number)) if whole else repr(number)
    if isinstance(cell, Decimal):
        return None if cell.is_nan() else str(cell.normalize() if cell % 1 else cell.quantize(1))
    if isinstance(cell, datetime):
        return cell.isoformat(" ")
    if isinstance(cell, date | time):
        return cell.isoformat()
    if isinstance(cell, bytes):
        return cell.hex()
    return text_of_bytes(str(cell).encode("utf-8", "surrogatepass"))


def text_of_bytes(data: bytes) -> str:
    """Bytes as text; those that are not UTF-8 as their hexadecimal digits after a mark."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return f"\\x{data.hex()}"


def names_of_cells(cells: Sequence[str], table: str) -> list[str]:
    """The names of columns by the cells of a first line; those without one get column0, ...

    A DataError says which columns of the table have the same name.
    """
    names = [cell.strip() or f"column{i}" for i, cell in enumerate(cells)]
    require_different(names, table)
    return names


def require_different(names: Sequence[str], table: str) -> None:
    """Raise DataError if two columns have the same name, or one has none: which, and where.

    DuckDB does not tell upper from lower case.
    """
    places: dict[str, list[int]] = {}
    for position, name in enumerate(names, start=1):
        places.setdefault(name.lower(), []).append(position)
    if unnamed := places.pop("", None):
        which, verb = _list_positions(unnamed), "has" if len(unnamed) == 1 else "have"
        raise DataError(f"{which} of {table} {verb} no name: name every column.", code="D105")
    for positions in places.values():
        if len(positions) > 1:
            spellings = sorted({names[position - 1] for position in positions})
            called = f"have the same name, {spellings[0]!r}"
            if len(spellings) > 1:
                called = f"have names that differ in case only, {', '.join(map(repr, spellings))}"
            raise DataError(
                f"{_list_positions(positions)} of {table} {called}: a rule could mean any of them. "
                "Rename all but one.",
                code="D105",
            )


def _list_positions(positions: Sequence[int]) -> str:
    *first, last = (f"{position:,}" for position in positions)
    return f"Columns {', '.join(first)} and {last}" if first else f"Column {last}"


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
            batch.validate()  # the columns follow, one by one
            yield pa.record_batch([_usual(_sound(column)) for column in batch.columns], names=names)

    nothing = pa.record_batch([_empty(kind) for kind in source.schema.types], names=names)
    return pa.RecordBatchReader.from_batches(usual(nothing).schema, batches())


def _sound(column: pa.Array) -> pa.Array:
    """A column whose every value is checked; texts that are not UTF-8 in their form.

    Raises an ArrowException where it is not sound. Of a column with parts, which no rule reads,
    nothing is left if one of its texts is not UTF-8.
    """
    import pyarrow as pa

    try:
        column.validate(full=True)
    except pa.ArrowInvalid as error:
        if "UTF8" not in str(error):
            raise
    else:
        return column
    kind = column.type
    if pa.types.is_dictionary(kind):
        values = _sound(column.dictionary)
        return pa.DictionaryArray.from_arrays(column.indices, values, ordered=kind.ordered)
    plain = {
        pa.string(): pa.binary(),
        pa.large_string(): pa.large_binary(),
        pa.string_view(): pa.binary_view(),
    }.get(kind)
    if plain is None:
        return pa.nulls(len(column), kind)
    data = pa.Array.from_buffers(plain, len(column), column.buffers(), offset=column.offset)
    data.validate(full=True)
    texts = (None if cell is None else text_of_bytes(cell) for cell in data.to_pylist())
    return pa.array(texts, kind)


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
