"""Tables on PostgreSQL, which are only ever read.

All queries of a table see one snapshot: a transaction that is read-only and repeatable. What works
around Ibis 12.0 and psycopg 3.3: numeric without a size, which Ibis cannot bring over, comes as
text, rows come through a server-side cursor, and the schema is read from the catalog, where Ibis
would create a temporary view.
"""

from __future__ import annotations

import os
import re
import uuid
import weakref
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from candling.errors import DataError, UsageError, nearest, translate_failure
from candling.reading import StatedType, refuse_other_options
from candling.records import dataclass
from candling.rules import ColumnType
from candling.rules.patterns import PatternSyntax
from candling.rules.types import Statements, choose_types
from candling.system.postgresql import PASSWORDS, explain_refusal
from candling.system.silence import hang_up, keep_alive
from candling.tables.conditions_sql import ConditionSql
from candling.tables.engine import (
    MOST,
    DigestSql,
    Engine,
    Place,
    boolean_sql,
    groups_of,
    literal,
    lost_connection_error,
    missing_driver,
    pattern_of,
    quote_name,
    text_to_read,
    unreadable,
)
from candling.tables.queries import Type
from candling.tables.typed import add_types, is_misfit, select_typed
from candling.tables.values import (
    INFINITE_DAY,
    INFINITE_TICK,
    NOTHING,
    Form,
    Table,
    TableColumn,
    Types,
)

with suppress(ImportError):  # the driver is an extra, and `_connect` says so
    import psycopg

if TYPE_CHECKING:
    import ibis.expr.types as ir

    Connection = psycopg.Connection[tuple[Any, ...]]

_OURS: weakref.WeakSet[Any] = weakref.WeakSet()  # connections that nobody else uses
_PATIENCE = 10  # seconds until a server must answer, unless the address or the environment says
_LOOK_EVERY = 60.0  # seconds of a query between looks whether its server still answers others
_BATCH = 65_536  # rows that are Python objects at a time
_LISTED = 20
DIGITS = 38  # of a decimal that every engine has
_NUMBER = Form(ColumnType.NUMBER)
_FLOAT = "case when {0} = 'NaN' then null when {0} = 0 then 0 else {0}::float8 end"
_TEXT = TableColumn('{0}::text collate "C"', Form(ColumnType.STRING), "string")
_DAYS = (
    f"(case {{0}} when 'infinity' then {INFINITE_DAY} when '-infinity' then -{INFINITE_DAY} "
    "else {0} - date '1970-01-01' end)::bigint"
)
# Its microseconds count from 2000 and so reach a little further than ours.
_MICROSECONDS = (
    f"case when {{0}} >= '294247-01-10 04:00:54.775807+00' then {INFINITE_TICK} "
    f"when {{0}} = '-infinity' then -{INFINITE_TICK} "
    "else round(extract(epoch from {0}) * 1000000)::bigint end"
)
_NANOSECONDS = "round(extract(epoch from {0}) * 1000000000)::bigint"
_COLUMNS = {
    **dict.fromkeys(("int2", "int4", "int8"), TableColumn("{0}::bigint", _NUMBER, "int64")),
    "float4": TableColumn(_FLOAT, Form(ColumnType.NUMBER, bits=32), "float64"),
    "float8": TableColumn(_FLOAT, Form(ColumnType.NUMBER, bits=64), "float64"),
    "uuid": _TEXT,
    "bool": TableColumn("{0}", Form(ColumnType.BOOLEAN), "boolean"),
    "bytea": TableColumn("{0}", Form(ColumnType.BINARY), "binary"),
    "date": TableColumn(_DAYS, Form(ColumnType.DATE), "int64"),
    **dict.fromkeys(
        ("timestamp", "timestamptz"),
        TableColumn(_MICROSECONDS, Form(ColumnType.TIMESTAMP, unit="us"), "int64"),
    ),
    "time": TableColumn(_NANOSECONDS, Form(ColumnType.TIME), "int64"),
}


class PostgreSQL(Engine):
    """A PostgreSQL server."""

    name = "postgresql"
    digest = DigestSql("text", "upper(encode({}, 'hex'))", 'md5({}) collate "C"')
    conditions = ConditionSql(
        "float8", "text", "{0} ~ {1}", PatternSyntax(r"\A", r"\Z", "."), literal
    )
    only_tables = True
    usual_address = "postgresql://"  # libpq's environment says the rest

    def place_at(self, data: str, address: str | None, table: str | None) -> Place:
        if address not in (None, data):
            raise UsageError(
                "The table and the engine are two addresses of PostgreSQL; give one of them and "
                "the name of the table.",
                code="U107",
            )
        return Place(self, table, data, is_table=True)

    def open(self, place: Place, memory: str | None) -> Table:
        """The table at a place; no row is read."""
        del memory  # the server has its own
        refuse_other_options(place.reading, (), f"a table on {place.shown}")
        connection, backend = _connect(place)
        with _closed_on_failure(connection), _watched(connection):
            return translate_failure(
                lambda: _open_table(connection, backend, place),
                lambda error: _failure(place.shown, error),
            )

    def canonical(self, table: ir.Table, memory: str | None, statements: Statements) -> Table:
        del memory
        backend = table.get_backend()

        def open_here() -> Table:
            backend._run_pre_execute_hooks(table)  # noqa: SLF001 - as Ibis's own to_pyarrow
            source = f"({backend.compile(table)}) as candling"
            return _select_columns(backend.con, backend, "*", source, statements)

        return translate_failure(open_here, lambda error: _failure("PostgreSQL", error))

    def fetch(self, backend: Any, sql: str, types: Types) -> pa.Table:
        """What a query gives, in Arrow; only a batch of it is ever in Python."""
        kinds = [_kind(Type(name)) for name in types.values()]
        wires = pa.schema([(f"c{i}", kind.wire) for i, kind in enumerate(kinds)])
        columns = ", ".join(
            kind.sql.format(f"candling.{quote_name(name)}")
            for kind, name in zip(kinds, types, strict=True)
        )
        query = f"select {columns} from ({sql}) as candling"  # noqa: S608 - quoted names

        def fetch_rows() -> pa.Table:
            table = pa.Table.from_batches(list(_batches(backend.con, query, wires)), wires)
            arrays = [
                kind.arrow(column) for kind, column in zip(kinds, table.itercolumns(), strict=True)
            ]
            return pa.table(arrays, names=list(types))

        with _closed_on_failure(backend.con), _watched(backend.con):
            return translate_failure(fetch_rows, lambda error: _failure("PostgreSQL", error))


ENGINE = PostgreSQL()


def _connect(place: Place) -> tuple[Connection, Any]:
    """A connection of our own, in a transaction that only reads, and Ibis's backend with it."""
    try:
        import psycopg
        from ibis.backends.postgres import Backend
    except ImportError:
        raise missing_driver("PostgreSQL", "postgresql") from None

    def connect() -> tuple[Connection, Any]:
        parameters = psycopg.conninfo.conninfo_to_dict(place.address or "")
        options: dict[str, Any] = keep_alive(parameters) | {"client_encoding": "utf8"}
        if "connect_timeout" not in parameters and "PGCONNECT_TIMEOUT" not in os.environ:
            options["connect_timeout"] = _PATIENCE
        connection = psycopg.connect(place.address or "", **options)
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        backend = Backend.from_connection(connection)
        weakref.finalize(backend, connection.close)
        connection.execute("select 1")  # from here on all is one transaction
        return connection, backend

    connection, backend = translate_failure(connect, lambda error: _unusable(place, error))
    _OURS.add(connection)
    return connection, backend


def _watched(connection: Connection) -> AbstractContextManager[object]:
    """End a query of a server that is frozen.

    A query may take hours, and how long depends on the rows, so there is no limit of time: the
    query ends if the server does not even answer somebody who connects anew.
    """
    info = connection.info
    address = psycopg.conninfo.make_conninfo(**info.get_parameters(), password=info.password)

    def is_silent() -> bool:
        try:
            psycopg.connect(address, connect_timeout=_PATIENCE).close()
        except psycopg.errors.ConnectionTimeout:
            return True
        except psycopg.Error:  # it answers, if only to refuse
            return False
        return False

    return hang_up(connection, _LOOK_EVERY, is_silent)


@contextmanager
def _closed_on_failure(connection: Connection) -> Iterator[None]:
    """Leave no transaction open on a connection of ours that is not used again."""
    try:
        yield
    except BaseException:
        if connection in _OURS:
            connection.close()
        raise


def _batches(connection: Connection, query: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    name = f"candling_{uuid.uuid4().hex}"
    with connection.transaction(), connection.cursor(name, binary=True) as cursor:
        cursor.execute(query.encode())
        while rows := cursor.fetchmany(_BATCH):
            columns = zip(*rows, strict=True)
            arrays = [pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)]
            yield pa.record_batch(arrays, schema=schema)


# Types on their way


@dataclass(frozen=True, slots=True)
class _Kind:
    """How a column comes over: what the server makes of it, as what it arrives, what it is."""

    sql: str
    wire: pa.DataType
    target: pa.DataType | None  # None: a number whose digits tell

    def arrow(self, column: pa.ChunkedArray) -> pa.ChunkedArray:
        if self.target is None:
            return _smallest_decimal(column)
        return column if self.target == self.wire else column.cast(self.target)


def _kind(dtype: Type) -> _Kind:
    if dtype.is_boolean():
        return _Kind("{}", pa.bool_(), pa.bool_())
    if dtype.is_integer():
        return _Kind("({})::bigint", pa.int64(), pa.int64())
    if dtype.is_floating():
        return _Kind("({})::float8", pa.float64(), pa.float64())
    if dtype.is_decimal():
        target = None if dtype.digits is None else pa.decimal128(*dtype.digits)
        return _Kind("({})::text", pa.string(), target)
    if dtype.is_binary():
        return _Kind("{}", pa.binary(), pa.binary())
    return _Kind("({})::text", pa.string(), pa.string())


def _smallest_decimal(numbers: pa.ChunkedArray) -> pa.ChunkedArray:
    """Numbers that are written out, as decimals if one type holds all of them, which is quicker to
    code; else as they are.
    """
    point = pc.find_substring(numbers, ".")
    length = pc.binary_length(numbers)
    whole = pc.max(pc.if_else(pc.less(point, 0), length, point)).as_py() or 1
    scale = pc.max(pc.if_else(pc.less(point, 0), 0, pc.subtract(length, pc.add(point, 1)))).as_py()
    infinite = pc.any(pc.match_substring(numbers, "Infinity")).as_py()
    digits = whole + (scale or 0)
    if infinite or digits > 2 * DIGITS:
        return numbers
    make = pa.decimal128 if digits <= DIGITS else pa.decimal256
    return numbers.cast(make(digits, scale or 0))


# The table


def _open_table(connection: Connection, backend: Any, place: Place) -> Table:
    with connection.transaction():
        oid = _find(connection, place)
        columns = [
            name
            for (name,) in connection.execute(
                "select attname from pg_attribute where attrelid = %s and attnum > 0 "
                "and not attisdropped and has_column_privilege(%s, attnum, 'select') "
                "order by attnum",
                (oid, oid),
            )
        ]
        if not columns:
            raise DataError(
                f"The table {place.name!r} on {place.shown} has no column that you may read: ask "
                "its owner for SELECT.",
                code="D110",
            )
        (source,) = connection.execute(
            "select format('%%I.%%I', nspname, relname) from pg_class c "
            "join pg_namespace n on n.oid = relnamespace where c.oid = %s",
            (oid,),
        ).fetchone() or ("",)
    listed = ", ".join(map(quote_name, columns))
    return _select_columns(connection, backend, listed, source, place.statements)


def _select_columns(
    connection: Connection, backend: Any, columns: str, source: str, statements: Statements
) -> Table:
    """Columns of a source, each in its one form, texts as values of the types that are stated."""
    table = _describe(connection, backend, columns, source)
    types = choose_types(statements, table.schema)
    selected = select_typed(types, list(table.columns), quote=quote_name, cast=_cast)
    if selected is None:
        return add_types(table, types, ())
    source = f"(select {selected} from {source}) as candling_typed"  # noqa: S608 - quoted names
    return add_types(_describe(connection, backend, columns, source), types, ())


def _describe(connection: Connection, backend: Any, columns: str, source: str) -> Table:
    query = f"select {columns} from {source} limit 0"  # noqa: S608 - quoted names
    with connection.transaction():
        described = connection.execute(query.encode()).description or []
        codes = [column.type_code for column in described]
        kinds = {
            code: (name, category)
            for code, name, category in connection.execute(
                "select oid::bigint, typname::text, typcategory::text from pg_type "
                "where oid = any(%s::bigint[]::oid[])",
                (codes,),
            )
        }
    known = {}
    for column in described:
        if is_misfit(column.name):
            continue
        kind, category = kinds.get(column.type_code, ("", ""))
        form = _column(kind, category, column.precision, column.scale)
        known[column.name] = form.of(quote_name(column.name))
    return Table(ENGINE, backend, source, known, stored=True)


def _column(kind: str, category: str, precision: int | None, scale: int | None) -> TableColumn:
    """By PostgreSQL's name of a type and of its category."""
    if kind == "numeric":
        # Numbers without a size, or of an odd one, have any.
        usual = precision is not None and scale is not None and 0 <= scale <= precision <= DIGITS
        dtype = f"decimal({precision}, {scale})" if usual else "decimal"
        return TableColumn("nullif({0}, 'NaN')", _NUMBER, dtype)
    if category in ("S", "E"):
        return _TEXT
    return _COLUMNS.get(kind, replace(_TEXT, form=NOTHING))


_YEAR_MONTH_DAY = "%Y-%m-%d"
_LONGEST = 1000  # characters of a number in a text


def _cast(stated: StatedType, cell: str) -> str:
    """SQL of the value of a text in SQL; NULL where it does not fit, and a cast would fail."""
    text = text_to_read(stated, cell)
    if stated.kind == "text":
        return cell
    if stated.kind == "boolean":
        return boolean_sql(text)
    if stated.kind == "date":
        return _date(stated.written or _YEAR_MONTH_DAY, text)
    if stated.kind == "timestamp":
        raise UsageError(
            "On PostgreSQL no text can be stated to be a timestamp: make a view that casts it.",
            code="U110",
        )
    number = f"({text})::numeric"
    limit, target = {
        "integer": (f"{number} between -{2**63} and {2**63 - 1}", "bigint"),
        "number": (f"abs({number}) <= {MOST}", "float8"),
    }.get(
        stated.kind,
        (
            f"abs({number}) < 1e{stated.precision - stated.scale}",
            f"numeric({stated.precision}, {stated.scale})",
        ),
    )
    if stated.kind == "number":  # nearer to 0 than a double gets
        number = f"case when abs({number}) < 1e-300 then 0 else {number} end"
    fits = f"length({text}) < {_LONGEST} and {text} ~ {literal(f'^(?:{pattern_of(stated)})$')}"
    return f"case when {fits} then case when {limit} then ({number})::{target} end end"


def _date(written: str, text: str) -> str:
    """A date, of which year, month and day are looked at before it is made."""
    found = groups_of(written)
    if found is None:
        raise UsageError(
            "On PostgreSQL dates in texts are written with %Y (2024), %m and %d, each once.",
            code="U110",
        )
    pattern, groups = f"^(?:{found[0]})$", found[1]
    year, month, day = (
        f"(regexp_match({text}, {literal(pattern)}))[{groups[part]}]::int"
        for part in ("%Y", "%m", "%d")
    )
    leap = f"({year} % 4 = 0 and ({year} % 100 <> 0 or {year} % 400 = 0))"
    days = (
        f"case when {month} = 2 then case when {leap} then 29 else 28 end "
        f"when {month} in (4, 6, 9, 11) then 30 else 31 end"
    )
    real = f"{year} >= 1 and {month} between 1 and 12 and {day} between 1 and {days}"
    return (
        f"case when {text} ~ {literal(pattern)} then "
        f"case when {real} then make_date({year}, {month}, {day}) end end"
    )


def _find(connection: Connection, place: Place) -> int:
    """The server's number for a table: as it is written, else as SQL would read it."""
    listed = [
        (schema, name)
        for schema, name in connection.execute(
            "select table_schema::text, table_name::text from information_schema.tables "
            "where table_schema not in ('information_schema', 'pg_catalog') order by 1, 2"
        )
    ]
    name = place.name
    if name is None and len(listed) == 1:
        name = ".".join(map(quote_name, listed[0]))
    spellings = [".".join(map(quote_name, _parts(name))), name] if name else []
    for spelling in spellings:
        oid = _number(connection, spelling)
        if oid is not None:
            return oid
    raise _no_table(place, listed)


def _number(connection: Connection, spelling: str) -> int | None:
    try:
        with connection.transaction():
            answer = connection.execute("select to_regclass(%s)::oid::bigint", (spelling,))
            (number,) = answer.fetchone() or (None,)
    except (psycopg.ProgrammingError, psycopg.DataError):  # no name at all, or not for us
        return None
    return None if number is None else int(number)


def _no_table(place: Place, listed: Sequence[tuple[str, str]]) -> DataError:
    names = [f"{schema}.{name}" for schema, name in listed]
    if place.name is None:
        some = ", ".join(names[:_LISTED]) + (", ..." if len(names) > _LISTED else "")
        return DataError(
            f"Name a table of {place.shown} with --table (there: {some or 'none'}).", code="D110"
        )
    short = {name: f"{schema}.{name}" for schema, name in reversed(listed)}
    near = nearest(place.name, [*names, *short])
    hint = "" if near is None else f" Did you mean {short.get(near, near)!r}?"
    return DataError(
        f"{place.shown} has no table {place.name!r} that you may see.{hint}", code="D110"
    )


def _parts(name: str) -> list[str]:
    """The parts of a name; quotes around them are taken off."""
    parts = re.findall(r'"((?:[^"]|"")*)"|([^."]+)', name)
    return [inside.replace('""', '"') or plain for inside, plain in parts]


# What goes wrong


def _unusable(place: Place, error: Exception) -> DataError:
    if isinstance(error, psycopg.ProgrammingError):
        return DataError(
            "The address of PostgreSQL is not valid. Write it as "
            "postgresql://user@host:5432/database.",
            code="D109",
        )
    return DataError(f"{explain_refusal(place.shown, error)}. {PASSWORDS}", code="D109")


def _failure(where: str, error: Exception) -> DataError:
    if isinstance(error, psycopg.errors.QueryCanceled):
        return DataError(
            f"{where} cancelled the query: its statement_timeout is over, or somebody stopped it.",
            code="D108",
        )
    if isinstance(error, psycopg.errors.InsufficientPrivilege):
        return DataError(
            f"{where} does not let you read the table: ask its owner for SELECT.", code="D110"
        )
    if isinstance(error, psycopg.errors.DiskFull | psycopg.errors.OutOfMemory):
        return DataError(f"{where} ran out of memory or disk space for the query.", code="D103")
    gone = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    return lost_connection_error(where) if gone else unreadable(where, error)
