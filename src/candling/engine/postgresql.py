"""Tables on PostgreSQL, which are only ever read.

All queries of a table see one snapshot: a transaction that is read-only and repeatable. What works
around Ibis 12.0 and psycopg 3.3: types that Ibis cannot bring over (uuid, numeric without a
precision, NaN in numeric, infinite dates) are cast by the server, rows come through a server-side
cursor, and the schema is read from the catalog, where Ibis would create a temporary view.
"""

from __future__ import annotations

import difflib
import os
import re
import uuid
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from candling.engine.failures import lost, missing_driver, told, unreadable
from candling.engine.quoting import quoted
from candling.errors import DataError

if TYPE_CHECKING:
    import ibis.expr.datatypes as dt
    import ibis.expr.types as ir
    import psycopg
    import pyarrow as pa

    from candling.engine.places import Place

    Connection = psycopg.Connection[tuple[Any, ...]]

_PATIENCE = 10  # seconds until a server must answer, unless the address or the environment says
_BATCH = 65_536  # rows that are Python objects at a time
_LISTED = 20
_PLAIN = {  # types that compare as they do elsewhere, and what Ibis calls them
    "bool": "boolean",
    "bytea": "binary",
    "date": "date",
    "float4": "float32",
    "float8": "float64",
    "int2": "int16",
    "int4": "int32",
    "int8": "int64",
    "time": "time",
    "timestamp": "timestamp(6)",
    "timestamptz": "timestamp('UTC', 6)",
}
# Days and microseconds since 1970; infinity is the largest there is, as in DuckDB.
_DAYS = (
    "case {0} when 'infinity' then 2147483647 when '-infinity' then -2147483647 "
    "else {0} - date '1970-01-01' end"
)
_MICROSECONDS = (
    "case {0} when 'infinity' then 9223372036854775807 "
    "when '-infinity' then -9223372036854775807 "
    "else round(extract(epoch from {0}) * 1000000)::bigint end"
)
_TIME = "round(extract(epoch from {0}) * 1000000)::bigint"


def open_postgresql(place: Place) -> ir.Table:
    """The table at a place on PostgreSQL; no row is read."""
    try:
        import psycopg
        from ibis.backends.postgres import Backend
    except ImportError:
        raise missing_driver("PostgreSQL", "postgresql") from None

    def connect() -> tuple[Connection, Any]:
        given = psycopg.conninfo.conninfo_to_dict(place.address or "")
        wishes: dict[str, Any] = {"client_encoding": "utf8"}
        if "connect_timeout" not in given and "PGCONNECT_TIMEOUT" not in os.environ:
            wishes["connect_timeout"] = _PATIENCE
        connection = psycopg.connect(place.address or "", **wishes)
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        backend = Backend.from_connection(connection)
        weakref.finalize(backend, connection.close)
        connection.execute("select 1")  # from here on all is one transaction
        return connection, backend

    connection, backend = told(connect, lambda error: _unusable(place, error))
    return told(
        lambda: _opened(connection, backend, place), lambda error: _failure(place.shown, error)
    )


def plain_columns(table: ir.Table) -> ir.Table:
    """The same table, with columns that compare as they do on every engine."""
    backend = table.get_backend()
    return told(
        lambda: _selected(backend.con, backend, "*", f"({backend.compile(table)}) as candling"),
        lambda error: _failure("PostgreSQL", error),
    )


def collect_postgresql(expression: ir.Table) -> pa.Table:
    """The rows of an expression, in Arrow, of which only a batch is ever in Python."""
    import pyarrow as pa

    backend = expression.get_backend()
    kinds = [_kind(dtype) for dtype in expression.schema().values()]

    def collected() -> pa.Table:
        backend._run_pre_execute_hooks(expression)  # noqa: SLF001 - as Ibis's own to_pyarrow
        names = expression.schema().names
        columns = ", ".join(
            kind.sql.format(f"candling.{quoted(name)}")
            for kind, name in zip(kinds, names, strict=True)
        )
        query = f"select {columns} from ({backend.compile(expression)}) as candling"  # noqa: S608
        schema = pa.schema([(f"c{i}", kind.wire) for i, kind in enumerate(kinds)])
        batches = list(_batches(backend.con, query, schema))
        table = pa.Table.from_batches(batches, schema)
        arrays = [
            kind.arrow(column) for kind, column in zip(kinds, table.itercolumns(), strict=True)
        ]
        return pa.table(arrays, names=list(names))

    return told(collected, lambda error: _failure("PostgreSQL", error))


def _batches(connection: Connection, query: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

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
            return column.cast(_decimal_for(column))
        return column if self.target == self.wire else column.cast(self.target)


def _kind(dtype: dt.DataType) -> _Kind:
    import pyarrow as pa

    if dtype.is_boolean():
        return _Kind("{}", pa.bool_(), pa.bool_())
    if dtype.is_integer():
        return _Kind("({})::bigint", pa.int64(), dtype.to_pyarrow())
    if dtype.is_floating():
        return _Kind("({})::float8", pa.float64(), dtype.to_pyarrow())
    if dtype.is_decimal():
        sized = dtype.precision is not None and dtype.scale is not None
        return _Kind("({})::text", pa.string(), _decimal(dtype) if sized else None)
    if dtype.is_date():
        return _Kind(_DAYS, pa.int32(), pa.date32())
    if dtype.is_timestamp():
        return _Kind(_MICROSECONDS, pa.int64(), pa.timestamp("us", dtype.timezone))
    if dtype.is_time():
        return _Kind(_TIME, pa.int64(), pa.time64("us"))
    if dtype.is_binary():
        return _Kind("{}", pa.binary(), pa.binary())
    return _Kind("({})::text", pa.string(), pa.string())


def _decimal(dtype: dt.DataType) -> pa.DataType:
    import pyarrow as pa

    make = pa.decimal128 if dtype.precision <= 38 else pa.decimal256
    return make(dtype.precision, dtype.scale)


def _decimal_for(numbers: pa.ChunkedArray) -> pa.DataType:
    """The type that holds all of these numbers, which are written out."""
    import pyarrow as pa
    import pyarrow.compute as pc

    point = pc.find_substring(numbers, ".")
    length = pc.binary_length(numbers)
    whole = pc.max(pc.if_else(pc.less(point, 0), length, point)).as_py() or 1
    scale = pc.max(pc.if_else(pc.less(point, 0), 0, pc.subtract(length, pc.add(point, 1)))).as_py()
    digits = whole + (scale or 0)
    if digits > 76:
        raise DataError(
            "A column of type numeric holds numbers of more than 76 digits; give it a precision, "
            "or cast it in a view.",
            code="D103",
        )
    return pa.decimal128(digits, scale or 0) if digits <= 38 else pa.decimal256(digits, scale)


# The table


def _opened(connection: Connection, backend: Any, place: Place) -> ir.Table:
    with connection.transaction():
        found = _find(connection, place)
        columns = [
            name
            for (name,) in connection.execute(
                "select attname from pg_attribute where attrelid = %s and attnum > 0 "
                "and not attisdropped and has_column_privilege(%s, attnum, 'select') "
                "order by attnum",
                (found, found),
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
            (found,),
        ).fetchone() or ("",)
    return _selected(connection, backend, ", ".join(map(quoted, columns)), source)


def _selected(connection: Connection, backend: Any, columns: str, source: str) -> ir.Table:
    """Columns of a source: strings by code point, NaN as NULL in numeric, all of known types."""
    import ibis
    import ibis.expr.datatypes as dt

    query = f"select {columns} from {source} limit 0"  # noqa: S608 - quoted names
    with connection.transaction():
        found = connection.execute(query.encode()).description or []
        codes = [column.type_code for column in found]
        kinds = {
            code: (name, category)
            for code, name, category in connection.execute(
                "select oid::bigint, typname::text, typcategory::text from pg_type "
                "where oid = any(%s::bigint[]::oid[])",
                (codes,),
            )
        }
    parts, types = [], {}
    for column in found:
        kind, category = kinds.get(column.type_code, ("", ""))
        name, safe = column.name, quoted(column.name)
        part: str = safe
        if category in ("S", "E") or kind == "uuid":
            part, types[name] = f'{safe}::text collate "C" as {safe}', dt.string
        elif kind == "numeric":
            part = f"nullif({safe}, 'NaN') as {safe}"
            types[name] = dt.Decimal(column.precision, column.scale)
        else:
            types[name] = dt.dtype(_PLAIN[kind]) if kind in _PLAIN else dt.unknown
        parts.append(part)
    plain = f"select {', '.join(parts)} from {source}"  # noqa: S608 - quoted names
    return backend.sql(plain, schema=ibis.schema(types))


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
        name = ".".join(map(quoted, listed[0]))
    spellings = [".".join(map(quoted, _parts(name))), name] if name else []
    for spelling in spellings:
        found = _number(connection, spelling)
        if found is not None:
            return found
    raise _no_table(place, listed)


def _number(connection: Connection, spelling: str) -> int | None:
    import psycopg

    try:
        with connection.transaction():
            found = connection.execute("select to_regclass(%s)::oid::bigint", (spelling,))
            (number,) = found.fetchone() or (None,)
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
    near = difflib.get_close_matches(place.name, [*names, *short], n=1)
    hint = f" Did you mean {short.get(near[0], near[0])!r}?" if near else ""
    return DataError(
        f"{place.shown} has no table {place.name!r} that you may see.{hint}", code="D110"
    )


def _parts(name: str) -> list[str]:
    """The parts of a name; quotes around them are taken off."""
    found = re.findall(r'"((?:[^"]|"")*)"|([^."]+)', name)
    return [inside.replace('""', '"') or plain for inside, plain in found]


# What goes wrong


def _unusable(place: Place, error: Exception) -> DataError:
    import psycopg

    if isinstance(error, psycopg.ProgrammingError):
        return DataError(
            "The address of PostgreSQL is not understood; write it as "
            "postgresql://user@host:5432/database.",
            code="D109",
        )
    return DataError(
        f"{place.shown} does not answer, or does not let you in. Check the address; a password is "
        "taken from PGPASSWORD, ~/.pgpass or a service file.",
        code="D109",
    )


def _failure(where: str, error: Exception) -> DataError:
    import psycopg

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
        return DataError(f"{where} has no room left for the query.", code="D103")
    gone = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    return lost(where) if gone else unreadable(where, error)
