"""The embedded engine, and tables on a DuckDB connection of the caller's."""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from candling.errors import UsageError, translate_failure
from candling.reading import StatedType
from candling.records import dataclass
from candling.rules import ColumnType
from candling.rules.patterns import PatternSyntax
from candling.rules.types import NOTHING_STATED, Statements, choose_types
from candling.system.limits import PIECE, interrupted_by, memory_limit, new_array, run_aside
from candling.system.temporary import make_folder, remove_folder
from candling.tables.conditions_sql import ConditionSql
from candling.tables.engine import (
    DigestSql,
    Engine,
    Place,
    TextSql,
    cast_sql,
    groups_of,
    is_ibis,
    literal,
    quote_name,
    unreadable,
)
from candling.tables.files.paths import find
from candling.tables.typed import add_types, select_typed
from candling.tables.values import (
    INFINITE_DAY,
    INFINITE_TICK,
    LONGEST_CELL,
    NOTHING,
    TOO_LONG,
    Explain,
    Form,
    Table,
    TableColumn,
    Types,
    for_duckdb,
)

if TYPE_CHECKING:
    import duckdb
    import ibis.expr.types as ir
    import pyarrow as pa

    from candling.tables.classes import CodedPredicate, CodedRule

T = TypeVar("T")
# Functions that skip NULL (greatest, least) would turn NULL into a value, so there are none.
_NUMBER = Form(ColumnType.NUMBER)
_FLOAT = "case when isnan({0}) then null when {0} = 0 then 0.0 else cast({0} as double) end"
_MOST = "9" * 38  # of a decimal: no sum of smaller integers comes near it
_HUGE = (
    f"case when {{0}} > {_MOST} then {_MOST} when {{0}} < -{_MOST} then -{_MOST} "
    "else cast({0} as decimal(38, 0)) end"
)
_TEXT = TableColumn("cast({0} as varchar) collate C", Form(ColumnType.STRING), "string")
# What is NULL although the value is not has no finite number. One tick below -infinity is it, too.
_FINITE = (
    "case when {0} is null then null "
    f"when {{1}} is null then case when {{0}} > {{2}} then {INFINITE_TICK} "
    f"else -{INFINITE_TICK} end "
    f"when {{1}} < -{INFINITE_TICK} then -{INFINITE_TICK} else {{1}} end"
)
_DAYS = (
    f"case when {{0}} - date '1970-01-01' < -{INFINITE_DAY} then -{INFINITE_DAY} "
    "else {0} - date '1970-01-01' end"
)
_MOMENT = "timestamp '1970-01-01'"
_ZONED = "timestamptz '1970-01-01 00:00:00+00'"
_MICROSECONDS = Form(ColumnType.TIMESTAMP, unit="us")
_NANOSECONDS = Form(ColumnType.TIMESTAMP, unit="ns")


def _moment(ticks: str, origin: str, form: Form) -> TableColumn:
    return TableColumn(_FINITE.format("{0}", ticks, origin), form, "int64")


_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
_COLUMNS = {
    **dict.fromkeys(_INTEGERS, TableColumn("cast({0} as bigint)", _NUMBER, "int64")),
    **dict.fromkeys(
        ("HUGEINT", "UHUGEINT"), TableColumn(_HUGE, _NUMBER, "decimal(38, 0)", one_to_one=False)
    ),
    "UBIGINT": TableColumn("cast({0} as decimal(20, 0))", _NUMBER, "decimal(20, 0)"),
    "FLOAT": TableColumn(_FLOAT, Form(ColumnType.NUMBER, bits=32), "float64"),
    "DOUBLE": TableColumn(_FLOAT, Form(ColumnType.NUMBER, bits=64), "float64"),
    **dict.fromkeys(("VARCHAR", "UUID", '"NULL"'), _TEXT),
    "BOOLEAN": TableColumn("{0}", Form(ColumnType.BOOLEAN), "boolean"),
    "BLOB": TableColumn("{0}", Form(ColumnType.BINARY), "binary"),
    "DATE": TableColumn(_DAYS, Form(ColumnType.DATE), "int64"),
    "TIMESTAMP": _moment("epoch_us({0})", _MOMENT, _MICROSECONDS),
    "TIMESTAMP WITH TIME ZONE": _moment("epoch_us({0})", _ZONED, _MICROSECONDS),
    # Beyond what microseconds reach, a moment is as good as infinite.
    **dict.fromkeys(
        ("TIMESTAMP_S", "TIMESTAMP_MS"),
        _moment("epoch_us(try_cast({0} as timestamp))", _MOMENT, _MICROSECONDS),
    ),
    "TIMESTAMP_NS": _moment("epoch_ns({0})", _MOMENT, _NANOSECONDS),
    "TIMESTAMPTZ_NS": _moment("epoch_ns({0})", f"({_ZONED})::timestamptz_ns", _NANOSECONDS),
    **dict.fromkeys(
        ("TIME", "TIME_NS"), TableColumn("epoch_ns({0})", Form(ColumnType.TIME), "int64")
    ),
}
_VIEW = "candling_files"
_DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")


# A file may ask for any of these by what it holds, and the user's own settings may, too.
_CLOSED = {
    "allow_community_extensions": False,
    "allow_persistent_secrets": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}


@dataclass(frozen=True, eq=False)
class Connected:
    """A connection to DuckDB: ours, or that of an Ibis table of the caller's.

    Ours is not made by Ibis, which takes longer to load than a small table to measure.
    """

    con: duckdb.DuckDBPyConnection
    checks: list[Callable[[Connected], None]] = field(default_factory=list)
    """Made once each, before the first row is read; none may hold the connection itself."""

    def execute(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of an answer; a signal ends it."""
        return self.run(lambda: self.con.execute(sql, values).fetchall())

    def run(self, work: Callable[[], T]) -> T:
        """What `work` on this connection gives; a signal or the time limit ends it."""

        def limited() -> T:
            with interrupted_by(self.con.interrupt):
                return work()

        return run_aside(limited, self.con.interrupt)

    def check_files(self) -> None:
        """Make the checks, before rows are read."""
        while self.checks:
            self.checks.pop()(self)


def connect(
    memory: str | None = None, *, files: Sequence[Path] = (), folder: Path | None = None
) -> Connected:
    """An embedded DuckDB with a memory limit and a private spill directory.

    It reaches these files, what is written to this folder, and nothing else: no other file, no
    network, no extension, no variable of Python. The settings cannot be changed any more, whatever
    is asked of it.
    """
    import duckdb  # takes a while to load, and a plan does without

    limit = f"{max(memory_limit(memory) // 2**10, 1)}KiB"
    spill = make_folder()
    config: Any = {"memory_limit": limit, "temp_directory": str(spill), **_CLOSED}
    connected = Connected(duckdb.connect(":memory:", config=config))
    weakref.finalize(connected, remove_folder, spill)
    settings = {
        "timezone": "'UTC'",
        **_without_progress_bar(connected),
        "python_enable_replacements": "false",
        "allowed_paths": _quote_list([*map(str, map(Path.absolute, files)), *map(_plain, files)]),
        "allowed_directories": _quote_list([] if folder is None else [str(folder.absolute())]),
        "enable_external_access": "false",
        "lock_configuration": "true",
    }
    for name, value in settings.items():
        connected.con.execute(f"set {name} = {value}")
    return connected


def _without_progress_bar(connected: Connected) -> dict[str, str]:
    """DuckDB's progress bar would tell, on whatever output, how far it is and how long it takes.

    In a notebook without ipywidgets it has none, and refuses to be told so.
    """
    ((shown,),) = connected.con.execute("select current_setting('enable_progress_bar')").fetchall()
    return {"enable_progress_bar": "false"} if shown else {}


def _quote_list(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(literal, texts))}]"


def _plain(file: Path) -> str:
    """The path of a file for a function that reads patterns: no character stands for others."""
    return re.sub(r"[*?\[]", r"[\g<0>]", str(file.absolute()))


def read_files(
    connected: Connected,
    function: str,
    files: Sequence[Path],
    options: Mapping[str, str],
    columns: str = "*",
) -> str:
    """A view of files, by a table function of DuckDB: its name. `columns` are SQL."""
    rows = call_on(function, files, options)
    connected.execute(f"create or replace temp view {_VIEW} as select {columns} from {rows}")  # noqa: S608
    return _VIEW


def limit_cell(cell: str) -> str:
    """SQL of a text, or of what stands for all that are too long."""
    return f"case when strlen({cell}) > {LONGEST_CELL} then {literal(TOO_LONG)} else {cell} end"


def call_on(function: str, files: Sequence[Path], options: Mapping[str, str]) -> str:
    """A table function of DuckDB on files: their names are quoted, and so are texts in options."""
    named = literal(_plain(files[0])) if len(files) == 1 else _quote_list(map(_plain, files))
    return f"{function}({', '.join([named, *(f'{k} = {v}' for k, v in options.items())])})"


class DuckDB(Engine):
    """DuckDB in this process: embedded for files and frames, or a connection of the caller's."""

    name = "duckdb"
    digest = DigestSql("varchar", "hex({})", "md5({}) collate C")
    conditions = ConditionSql(
        "double",
        "varchar",
        "regexp_matches({0}, {1})",
        PatternSyntax(r"\A", r"\z", "(?s:.)"),
        literal,
    )
    in_process = True

    def place(self, data: str, address: str | None, table: str | None) -> Place:
        return Place(self, data, address, table=table)

    def files(self, place: Place, memory: str | None) -> Iterable[Path]:
        del memory
        return find(place.name or "").files

    def open(self, place: Place, memory: str | None) -> Table:
        from candling.tables.files.read import open_path

        return open_path(
            place.name or "", place.table, memory, statements=place.statements, owner=place.owner
        ).canonical(place.statements)

    def canonical(self, table: ir.Table, memory: str | None, statements: Statements) -> Table:
        from candling.tables.open import source_of

        return source_of(table, memory).canonical(statements)

    def fetch(self, backend: Any, sql: str, types: Types) -> pa.Table:
        del types  # Arrow has them
        return fetch_duckdb(backend, sql)

    def fetch_values(self, backend: Any, sql: str, types: Types) -> list[tuple[Any, ...]]:
        del types  # without Arrow, which takes longer to load than a small table to measure
        backend.check_files()
        rows: list[tuple[Any, ...]] = backend.execute(sql)
        return rows

    @contextmanager
    def materialized(self, table: Table, names: Sequence[str]) -> Iterator[Table]:
        """The table, or a copy where a text would be parsed or a query be run again."""
        if table.stored:
            yield table
            return
        backend, name = table.backend, f"candling_{uuid4().hex}"
        backend.check_files()
        translate_failure(
            lambda: backend.execute(f"create temp table {name} as {table.select(names)}"),
            table.explain or (lambda error: unreadable("The engine", error)),
        )
        try:
            columns = {n: replace(table.columns[n], sql=f"c{i}") for i, n in enumerate(names)}
            yield replace(table, source=name, columns=columns, stored=True)
        finally:
            backend.con.execute(f"drop table {name}")


ENGINE = DuckDB()


def is_on_duckdb(data: Any) -> bool:
    """Whether this is an Ibis table on a connection to DuckDB."""
    return is_ibis(data) and data.get_backend().name == "duckdb"


@dataclass(frozen=True, slots=True)
class Source:
    """A table on DuckDB with the types it has."""

    connected: Connected
    rows: str = field(repr=False)  # a name or a query in brackets, in SQL
    stored: bool  # reading it again parses no text and runs no query
    size: int | None = None  # bytes of a text file: it has fewer rows
    untyped: frozenset[str] = frozenset()  # columns of text whose format has no types
    declared: Mapping[str, StatedType] = field(default_factory=dict)  # types of some of these
    explain: Explain | None = field(default=None, repr=False)  # why a text could not be parsed

    def canonical(self, statements: Statements = NOTHING_STATED) -> Table:
        """The table with every column in its one form, texts as values of their types."""
        kinds = translate_failure(self.types, lambda error: unreadable("The engine", error))
        schema = {name: _column(kind).form.kind for name, kind in kinds.items()}
        types = choose_types(statements, schema, untyped=self.untyped, declared=self.declared)
        for name, stated in types.items():
            _require_format(self.connected, name, stated.type)
        selected = select_typed(types, list(kinds), quote=quote_name, cast=duckdb_cast)
        typed = self
        if selected is not None:
            rows = f"(select {selected} from {self.rows})"  # noqa: S608 - quoted names
            typed = replace(self, rows=rows, stored=False)
            kinds |= {name: kind for name, kind in typed.types().items() if name in kinds}
        columns = {name: _column(kind).of(quote_name(name)) for name, kind in kinds.items()}
        table = Table(ENGINE, self.connected, typed.rows, columns, typed.stored, size=self.size)
        return add_types(replace(table, explain=self.explain), types, self.untyped)

    def types(self) -> dict[str, str]:
        """DuckDB's names for the types of the columns."""
        described = self.connected.execute(f"describe select * from {self.rows}")  # noqa: S608
        return {name: kind for name, kind, *_ in described}


_TEXTS = TextSql("regexp_full_match({0}, {1})", "regexp_extract({0}, {1}, {2})", "timestamptz")


def duckdb_cast(stated: StatedType, cell: str) -> str:
    """SQL of the value of a text in SQL; DuckDB knows more ways to write dates than others."""
    if stated.written is not None and groups_of(stated.written) is None:
        found = f"try_strptime(trim({cell}), {literal(stated.written)})"
        return f"cast({found} as date)" if stated.kind == "date" else found
    return cast_sql(stated, cell, _TEXTS)


def _require_format(connected: Connected, column: str, stated: StatedType) -> None:
    """Refuse a way to write dates that DuckDB does not know."""
    import duckdb

    if stated.written is None:
        return
    try:
        connected.con.execute(f"select {duckdb_cast(stated, literal('1'))}").fetchall()
    except duckdb.Error:
        raise UsageError(
            f"Column {column!r} cannot be {str(stated)!r}: dates are written with %Y (year), "
            "%m (month), %d (day), %b (Jan), %y (99), times with %H, %M and %S.",
            code="U110",
        ) from None


def _column(kind: str) -> TableColumn:
    """By DuckDB's name of a type."""
    if known := _COLUMNS.get(kind):
        return known
    if sized := _DECIMAL.fullmatch(kind):
        return TableColumn("{0}", _NUMBER, f"decimal({sized[1]}, {sized[2]})")
    if kind.startswith("ENUM(") and kind.endswith(")"):
        return _TEXT
    return replace(_TEXT, form=NOTHING)


def duckdb_batches(connected: Connected, sql: str) -> Iterator[pa.RecordBatch]:
    """What a query gives, in Arrow, bit by bit."""
    relation = connected.con.sql(sql)
    read = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch
    reader = connected.run(lambda: read(PIECE))
    while (batch := connected.run(lambda: next(reader, None))) is not None:
        yield batch


def fetch_duckdb(connected: Connected, sql: str) -> pa.Table:
    """What a query gives, in Arrow."""
    connected.check_files()
    relation = connected.con.sql(sql)
    fetch = getattr(relation, "to_arrow_table", None) or relation.arrow
    return connected.run(fetch)


def register(
    source: pa.RecordBatchReader, memory: str | None, *, folder: Path | None = None
) -> Source:
    """Batches of Arrow as a table of an embedded DuckDB; they may be those of anybody.

    Raises whatever Arrow or DuckDB raise on batches that are not sound: translate it.
    """
    connected = connect(memory, folder=folder)
    # Not by way of Ibis, which would cut nanoseconds off.
    connected.con.register("candling_arrow", for_duckdb(source))
    connected.execute("create temp table candling_source as from candling_arrow")
    connected.con.unregister("candling_arrow")
    return Source(connected, "temp.main.candling_source", stored=True)


def join_classes(
    codes: npt.NDArray[np.int32], rule: CodedRule, *, memory: str | None = None
) -> npt.NDArray[np.int64]:
    """All pairs of lines, equal ones included, that satisfy the rule in some order.

    A pair is written as smaller * lines + larger, and may be there twice. They are counted first,
    and then come bit by bit into an array that may be a file.
    """
    import pyarrow as pa

    from candling.tables.arrow_coding import to_numpy

    columns = {"line": np.arange(codes.shape[1])} | {f"c{i}": codes[i] for i in rule.columns}
    # Not by `pyarrow.array`, which loads pandas to see whether it was given a piece of it.
    lines = pa.Table.from_arrays(
        [
            pa.Array.from_buffers(
                pa.from_numpy_dtype(values.dtype),
                len(values),
                [None, pa.py_buffer(np.ascontiguousarray(values))],
            )
            for values in columns.values()
        ],
        names=list(columns),
    )
    connected = connect(memory)
    connected.con.register("candling_lines", lines)
    connected.execute("create temp table classes as from candling_lines")

    def condition(p: CodedPredicate) -> str:
        right = f"s{p.right_row}.c{p.right}" if p.right >= 0 else str(p.constant)
        return f"s{p.left_row}.c{p.left} {p.op.value} {right}"

    # No NULL on either side; the conditions of one row and those across.
    wanted = [f"s{row}.c{i} >= 0" for row in (1, 2) for i in rule.columns_of(row)]
    wanted += map(condition, rule.predicates)
    if rule.constraint.shape.differing:  # the same in both orders: one will do
        wanted.append("s1.line < s2.line")
    joined = f"classes s1 join classes s2 on {' and '.join(wanted)}"
    key = f"least(s1.line, s2.line) * {codes.shape[1]} + greatest(s1.line, s2.line)"
    count = fetch_duckdb(connected, f"select count(*) from {joined}").column(0)[0].as_py()  # noqa: S608
    pairs = new_array(count, np.int64, memory)
    at = 0
    for batch in duckdb_batches(connected, f"select {key} as key from {joined}"):  # noqa: S608
        own = to_numpy(batch.column(0))
        pairs[at : at + len(own)] = own
        at += len(own)
    return pairs
