"""Tables on Apache Spark, in this process's session, on a cluster, or over Spark Connect.

What works around pyspark 4.0 and Ibis 12.0:

- Ibis switches the session it is given to UTC. A session that is the user's stays as it is: we
  work in a copy of it.
- Ibis brings results over by way of pandas, where NaN and NULL are one. `toArrow` keeps them apart.
- pyspark logs the cell that an expression choked on, from Python, whatever the log level is.
- Ibis knows no names for some types (intervals, variants) and fails on the whole table: the types
  of the forms are all that it sees.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import socket
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote, urlsplit

import ibis

from candling.errors import DataError, UsageError, is_debugging, nearest, translate_failure
from candling.reading import Reading, StatedType, refuse_other_options
from candling.rules import ColumnType
from candling.rules.patterns import PatternSyntax
from candling.rules.types import Statements, choose_types
from candling.system.files import hide_secrets
from candling.system.limits import memory_limit
from candling.tables.conditions_sql import ConditionSql
from candling.tables.engine import (
    DigestSql,
    Engine,
    Place,
    TextSql,
    cast_sql,
    literal,
    lost_connection_error,
    missing_driver,
    unreadable,
)
from candling.tables.files.paths import is_there, require_file
from candling.tables.typed import add_types, is_misfit, select_typed
from candling.tables.values import (
    INFINITE_TICK,
    NOTHING,
    Form,
    Table,
    TableColumn,
    Types,
    require_different,
    sound,
)

with suppress(ImportError):  # the driver is an extra, and `_session` says so
    from py4j.protocol import Py4JError, Py4JJavaError
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

    from candling.tables.classes import CoreColumns, Parts
    from candling.tables.queries import Relation

T = TypeVar("T")
Session = Any  # pyspark's, classic or of Spark Connect

_READERS = {
    "csv": "csv",
    "tsv": "csv",
    "txt": "csv",
    "json": "json",
    "jsonl": "json",
    "ndjson": "json",
    "orc": "orc",
    "parquet": "parquet",
    "pq": "parquet",
}
_PACKED = ("gz", "bz2", "zst", "snappy", "lz4")
_CSV = {
    "header": "true",
    "escape": '"',  # a quote in quotes is doubled, as everywhere else; Spark's default is \
    "multiLine": "true",  # a line break in quotes is part of the cell
    "mode": "FAILFAST",  # a row of the wrong width is no row of NULLs
    "enforceSchema": "false",  # several files must have the same header
}
_NUMBER = Form(ColumnType.NUMBER)
_FLOAT = "case when isnan({0}) then null when {0} = 0 then 0D else cast({0} as double) end"
# Strings that a collation compares would not be by their bytes; CHAR(n) is padded when it is read.
# Bytes that are not UTF-8 would end in an error where they are fetched: they are written in digits.
_SOUND = (
    "(case when is_valid_utf8(cast({0} as string)) then cast({0} as string) "
    "else concat(char(92), 'x', lower(hex(cast({0} as string)))) end)"
)
_TEXT = TableColumn(f"{_SOUND} collate UTF8_BINARY", Form(ColumnType.STRING), "string")
_PADDED = replace(_TEXT, sql=f"rtrim({_SOUND}) collate UTF8_BINARY")
_FIRST_DAY = -106_751_991  # that begins within 64 bits of microseconds
_MICROSECONDS = Form(ColumnType.TIMESTAMP, unit="us")
_ENDS = f"case when {{0}} < -{INFINITE_TICK} then -{INFINITE_TICK} else {{0}} end"
# Without a zone, the clock's own numbers: a cast to a moment would take the session's zone.
_CLOCK = (
    f"case when unix_date(cast({{0}} as date)) < {_FIRST_DAY} then -{INFINITE_TICK} else "
    "unix_date(cast({0} as date)) * 86400000000L + "
    "(extract(hour from {0}) * 3600L + extract(minute from {0}) * 60L) * 1000000L + "
    "cast(extract(second from {0}) * 1000000 as bigint) end"
)
_COLUMNS = {
    **dict.fromkeys(
        ("byte", "short", "integer", "long"),
        TableColumn("cast({0} as bigint)", _NUMBER, "int64"),
    ),
    "float": TableColumn(_FLOAT, Form(ColumnType.NUMBER, bits=32), "float64"),
    "double": TableColumn(_FLOAT, Form(ColumnType.NUMBER, bits=64), "float64"),
    **dict.fromkeys(("string", "varchar", "void"), _TEXT),
    "boolean": TableColumn("{0}", Form(ColumnType.BOOLEAN), "boolean"),
    "binary": TableColumn("{0}", Form(ColumnType.BINARY), "binary"),
    "date": TableColumn("cast(unix_date({0}) as bigint)", Form(ColumnType.DATE), "int64"),
    "timestamp": TableColumn(_ENDS.format("unix_micros({0})"), _MICROSECONDS, "int64"),
    "timestamp_ntz": TableColumn(_CLOCK, _MICROSECONDS, "int64"),
}
_DECIMAL = re.compile(r"decimal\((\d+),\s*(-?\d+)\)")
_QUIET = {
    "spark.app.name": "candling",
    "spark.log.level": "OFF",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
# Spark would put a setting or a variable of the environment in the place of ${...} in a name.
_SUBSTITUTE = "spark.sql.variable.substitute"
# What is read means the same whatever the user's session says.
_READING = {
    "spark.sql.variant.allowDuplicateKeys": "true",
    "spark.sql.avro.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.session.timeZone": "UTC",
    _SUBSTITUTE: "false",
}
_HERE = {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "localhost"}
# Where settings of the user's can come from, among them a master that is not local.
_SETTINGS = ("MASTER", "PYSPARK_SUBMIT_ARGS", "SPARK_CONF_DIR", "SPARK_HOME")
_LOGGERS = ("DataFrameQueryContextLogger", "SQLQueryContextLogger")
_PATIENCE = 10.0  # seconds until a port must answer
_LOST = re.compile(
    r"ExecutorLostFailure|ExecutorDeadException|Executor \S+ lost|SparkContext was shut down|"
    r"stopped SparkContext|Master removed our application|FetchFailed|MetadataFetchFailed|"
    r"StatusCode\.UNAVAILABLE|failed to connect to all addresses|Connection (?:refused|reset)|"
    r"SESSION_(?:CLOSED|NOT_FOUND|CHANGED)"
)
_NO_MEMORY = re.compile(r"OutOfMemoryError|Java heap space|maxResultSize|NOT_ENOUGH_MEMORY")


def _string(text: str) -> str:
    """A text in Spark's SQL, where a backslash may escape or not, and ${...} be replaced.

    The session says.
    """
    if any(mark in text for mark in "\\'$"):
        return f"cast(X'{text.encode().hex()}' as string)"
    return literal(text)


class Spark(Engine):
    """Apache Spark: this process's session, a cluster, or Spark Connect."""

    name = "spark"
    mark = "`"
    digest = DigestSql("string", "hex({})", "md5({}) collate UTF8_BINARY")
    conditions = ConditionSql(
        "double", "string", "{0} rlike {1}", PatternSyntax(r"\A", r"\z", "(?s:.)"), _string
    )
    # It would sort all rows where the extremes of texts are asked for.
    counts_equal_rows_first = True

    def describe(self, address: str | None) -> str:
        return "Spark" if address is None else f"Spark at {hide_secrets(address)}"

    def files(self, place: Place, memory: str | None) -> Iterable[Path]:
        """As Spark finds them: those of a pattern, of a folder, or of a table over files."""

        def find_files() -> list[Path]:
            name = place.name or ""
            is_path = not place.is_table and _kind(name) is not None
            frame = session.read.text(_path(name)) if is_path else session.table(_quoted_name(name))
            addresses = map(urlsplit, frame.inputFiles())
            return [Path(unquote(a.path)) for a in addresses if a.scheme in ("", "file")]

        with _silence():
            session = _session(place, memory)
            return translate_failure(find_files, lambda e: _no_table(session, place, e))

    def open(self, place: Place, memory: str | None) -> Table:
        """The table at a place; no row is read but to find the types of CSV and JSON."""
        with _silence():
            session = _session(place, memory)
            return translate_failure(
                lambda: _open_table(session, place), lambda e: _no_table(session, place, e)
            )

    def canonical(self, table: ir.Table, memory: str | None, statements: Statements) -> Table:
        del memory  # the session has its own
        backend = table.get_backend()

        def open_here() -> Table:
            backend._run_pre_execute_hooks(table)  # noqa: SLF001 - as Ibis's own to_pyarrow
            query = backend.compile(table)
            frame = backend._session.sql(query)  # noqa: SLF001 - Ibis has no public name for it
            return _select_columns(backend, frame, f"({query})", statements)

        with _silence():
            return translate_failure(open_here, lambda error: _failure("Spark", error))

    def fetch(self, backend: Any, sql: str, types: Types) -> pa.Table:
        del types  # Arrow has them
        return fetch_arrow(call_spark(lambda: backend._session.sql(sql)))  # noqa: SLF001

    def read_core(
        self, table: Table, query: Relation, columns: CoreColumns, memory: str | None
    ) -> Parts:
        """In this process if it fits into the memory, else in parts that stay on executors."""
        from candling.tables.backends.spark_parts import read_parts

        return read_parts(table, query, columns, memory)

    def is_on_cluster(self, backend: Any) -> bool:
        """Unless its master is in this process: by its address, never by the table."""
        return not (_master(backend._session) or "").startswith("local")  # noqa: SLF001


ENGINE = Spark()


def call_spark(work: Callable[[], T]) -> T:
    """What Spark answers; what stops it in our words."""
    with _silence():
        return translate_failure(work, lambda error: _failure("Spark", error))


def fetch_arrow(frame: Any) -> pa.Table:
    """What a frame of Spark's holds, checked in full.

    Not by `collect` and what calls it (`first`, `head`): they unpickle what comes over.
    """
    return call_spark(lambda: sound(frame.toArrow()))


# The session


@contextmanager
def active_session() -> Iterator[None]:
    """The session that is active stays so: making a frame activates the one it is made in."""
    active = _active()
    try:
        yield
    finally:
        if active is not None:
            active.createDataFrame([], "nothing int")


def _session(place: Place, memory: str | None) -> Session:
    """A session in which we may set what we like."""
    try:
        import ibis.backends.pyspark  # noqa: F401
    except ImportError:
        raise missing_driver("Spark", "spark") from None

    def start() -> Session:
        address, active = place.address, _active()
        if address is None and active is None:
            remote = os.environ.get("SPARK_REMOTE", "")
            address = remote if remote.startswith("sc://") else None
        if address is not None and address.startswith("sc://"):
            return _connect(address)
        if active is None:
            return _start_session(address, memory)
        if address not in (None, _master(active)):
            raise DataError(
                "A session of Spark with another master is active in this process, and there can "
                "be only one: stop it, or say engine='spark' to use it.",
                code="D109",
            )
        return _copy(active)

    return translate_failure(start, lambda error: _unusable(place, error))


def _active() -> Session | None:
    classic = SparkSession.getActiveSession()
    if classic is not None:
        return classic
    connect = sys.modules.get("pyspark.sql.connect.session")  # loaded if somebody uses it
    return connect.SparkSession.getActiveSession() if connect is not None else None


def _master(session: Session) -> str | None:
    """The master of a session; None over Spark Connect."""
    return session.sparkContext.master if hasattr(session, "_jsparkSession") else None


def _copy(session: Session) -> Session:
    """The user's session with its views and settings, in which ours change nothing of theirs.

    Spark Connect cannot copy: there it is a new session with the same server.
    """
    if hasattr(session, "_jsparkSession"):
        return SparkSession(session.sparkContext, session._jsparkSession.cloneSession())  # noqa: SLF001
    return type(session)(session.client._builder)  # noqa: SLF001


def _connect(address: str) -> Session:
    try:
        from pyspark.sql.connect.session import SparkSession
    except ImportError:
        raise missing_driver("Spark Connect", "spark") from None
    # A proxy, which gRPC goes by, may reach further than we do.
    if not any(os.environ.get(name) for name in ("grpc_proxy", "https_proxy", "http_proxy")):
        _reach(address, 15002)
    return SparkSession.builder.remote(address).create()


def _start_session(master: str | None, memory: str | None) -> Session:
    """A session that is ours: quiet, in UTC, and closed to the network where it is local."""
    _require_java()
    if master is not None:
        _reach(master, 7077)
    settings = dict(_QUIET)
    if master is not None:
        settings["spark.master"] = master
    elif not any(os.environ.get(name) for name in _SETTINGS) or os.environ.get(
        "MASTER", ""
    ).startswith("local"):
        settings |= _HERE
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # which has candling
        if memory is not None:
            settings["spark.driver.memory"] = f"{max(memory_limit(memory) // 2**20, 512)}m"
    conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
    gateway = None
    if SparkContext._gateway is None:  # noqa: SLF001 - else Java runs already
        # What Java and Spark say at the start would stand between our lines, and later messages
        # may quote cells.
        sink = None if is_debugging() else subprocess.DEVNULL
        gateway = launch_gateway(conf, {"stdout": sink, "stderr": sink})
    SparkContext(conf=conf, gateway=gateway)
    return SparkSession.builder.getOrCreate()


def _require_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if (home and (Path(home) / "bin" / "java").exists()) or shutil.which("java"):
        return
    raise DataError(
        "Spark needs Java 17 or newer, which was not found. Install it (on Debian: apt install "
        "default-jre-headless) or set JAVA_HOME.",
        code="D109",
    )


def _reach(address: str, usual_port: int) -> None:
    """Find out within seconds whether anybody answers there: Spark itself tries for minutes."""
    hosts = urlsplit(address).netloc.rpartition("@")[2].partition(";")[0].split(",")
    for host in hosts:  # a cluster may have several masters
        name, _, port = host.rpartition(":") if ":" in host else (host, "", "")
        with suppress(OSError, ValueError):
            socket.create_connection((name, int(port or usual_port)), _PATIENCE).close()
            return
    raise ConnectionError


# The table


def _open_table(session: Session, place: Place) -> Table:
    for key, value in _READING.items():
        session.conf.set(key, value)
    backend = ibis.pyspark.connect(session)
    name = place.name or ""
    if not place.is_table and (kind := _kind(name)) is not None:
        view = f"candling_source_{uuid.uuid4().hex}"  # in a session of ours: nobody else sees it
        frame = _read(session, name, kind, place.statements)
        frame.createOrReplaceTempView(view)
        untyped = frame.columns if kind in ("csv", "json") else ()
        return _select_columns(backend, session.table(view), view, place.statements, untyped)
    refuse_other_options(place.reading, (), f"a table on {place.shown}")
    source = _quoted_name(name)
    return _select_columns(backend, session.table(source), source, place.statements)


def _select_columns(
    backend: Any, frame: Any, source: str, statements: Statements, untyped: Sequence[str] = ()
) -> Table:
    """All columns of a source, each in its one form, texts as values of their types."""
    table = _describe(backend, frame, source)
    types = choose_types(statements, table.schema, untyped=untyped)
    selected = select_typed(types, list(table.columns), quote=ENGINE.quote, cast=_cast)
    if selected is not None:
        source = f"(select {selected} from {source})"  # noqa: S608 - quoted names
        frame = backend._session.sql(source)  # noqa: SLF001 - Ibis has no public name for it
        table = _describe(backend, frame, source)
    return add_types(table, types, untyped)


def _describe(backend: Any, frame: Any, source: str) -> Table:
    fields = [field for field in _fields(frame) if not is_misfit(field[0])]
    names = [name for name, *_ in fields]
    require_different(names, "the table")
    _require_kept(backend._session, names)  # noqa: SLF001 - Ibis has no public name for it
    columns = {
        name: _column(kind, metadata).of(ENGINE.quote(name)) for name, kind, metadata in fields
    }
    return Table(ENGINE, backend, source, columns, stored=True)


def _require_kept(session: Session, names: Sequence[str]) -> None:
    """Raise DataError for a name that Spark would change: in a session that is the user's."""
    changed = next((name for name in names if "${" in name), None)
    if changed is not None and session.conf.get(_SUBSTITUTE) != "false":
        raise DataError(
            f"Spark replaces '${{' in the name of column {changed!r} by a setting: set "
            f"{_SUBSTITUTE} to false, or rename the column.",
            code="D105",
        )


def _fields(frame: Any) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Name, type as Spark writes it in JSON, and metadata of every column.

    pyspark would import, and older ones unpickle, the class that a file names for a type of its
    own. Over Spark Connect its client has done so before we are asked.
    """
    if hasattr(frame, "_jdf"):
        schema = json.loads(frame._jdf.schema().json())  # noqa: SLF001 - as pyspark itself
    else:
        schema = frame.schema.jsonValue()
    for field in schema["fields"]:
        yield field["name"], field["type"], field.get("metadata") or {}


def _column(kind: Any, metadata: dict[str, Any]) -> TableColumn:
    """By Spark's name of a type; those with parts have no name."""
    nothing = replace(_TEXT, form=NOTHING)
    if not isinstance(kind, str):
        return nothing
    if sized := _DECIMAL.fullmatch(kind):
        return TableColumn("{0}", _NUMBER, f"decimal({sized[1]}, {sized[2]})")
    declared = str(metadata.get("__CHAR_VARCHAR_TYPE_STRING", kind))
    if declared.lower().startswith("char("):
        return _PADDED
    return _COLUMNS.get(re.split(r"\(| collate ", kind)[0], nothing)


def _kind(name: str) -> str | None:
    """How Spark reads a path; None if it is the name of a table."""
    suffixes = [s.lower() for s in name.rstrip("/").rpartition("/")[2].split(".")[1:]]
    if suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    kind = _READERS.get(suffixes[-1]) if suffixes else None
    if kind is None and ("/" in name or Path(name).exists()):
        known = ", ".join(f".{e}" for e in _READERS)
        raise DataError(
            f"The extension of {name!r} does not show what kind of file it is; Spark reads "
            f"{known}. For a "
            f"folder of files give a pattern such as '{name.rstrip('/')}/*.parquet'.",
            code="D102",
        )
    return kind


def _read(session: Session, name: str, kind: str, statements: Statements) -> Any:
    if kind == "csv":
        return _read_csv(session, name, statements.reading)
    refuse_other_options(statements.reading, (), f"{name!r} on Spark, which is not a CSV file")
    if kind == "json":
        return _read_json(session, name, statements.named)
    return getattr(session.read, kind)(_path(name))


def _read_csv(session: Session, name: str, reading: Reading) -> Any:
    """A frame of a CSV file; columns without a header are called as everywhere, column0, ..."""
    if len(reading.null) > 1:
        raise UsageError(
            "Spark takes one text for NULL, and --null names several: export the table to Parquet, "
            "or read the file without --engine.",
            code="U109",
        )
    options = dict(_CSV, header=str(reading.has_header).lower())
    separator = "\t" if ".tsv" in name.lower() else ","
    options["sep"] = reading.delimiter or separator
    if reading.null:
        options["nullValue"] = reading.null[0]
    if reading.codec is not None:
        session.conf.set("spark.sql.legacy.javaCharsets", "true")  # or Spark takes seven of them
        options["encoding"] = re.sub(r"^iso8859-", "ISO-8859-", reading.codec)
    path = _path(name)
    frame = session.read.options(**options).csv(path)
    names = _names(frame)
    if names != frame.columns:  # no header has the names that Spark gives to those without one
        frame = session.read.options(**options | {"enforceSchema": "true"}).csv(path)
    return frame.toDF(*names)


def _read_json(session: Session, name: str, named: Sequence[str]) -> Any:
    """A frame of one object a line, with the columns that rules and caller name, as texts.

    Each cell becomes a text by itself, 1 and 1.0 the same one. A line that is not an object has
    NULL in all of them.
    """
    lines = session.read.text(_path(name)).where("trim(value) <> ''")
    objects = lines.selectExpr("try_parse_json(value) as v")
    names = list(named) or _find_keys(objects)
    return objects.selectExpr(*(f"{_json_cell(key)} as {ENGINE.quote(key)}" for key in names))


def _find_keys(objects: Any) -> list[str]:
    """The keys of all objects. NOT PRIVATE."""
    found = objects.selectExpr("explode(json_object_keys(to_json(v))) as key").distinct()
    return sorted(fetch_arrow(found).column(0).to_pylist())


def _json_cell(name: str) -> str:
    quote = "'" if '"' in name else '"'
    if quote in name:
        raise UsageError(
            f"The key {name!r} has both kinds of quotes, which Spark cannot name: read the file "
            "without --engine.",
            code="U109",
        )
    path = _string(f"$[{quote}{name}{quote}]")
    text = f"try_variant_get(v, {path}, 'string')"
    kind = f"schema_of_variant(try_variant_get(v, {path}, 'variant'))"
    number = f"regexp_replace(regexp_replace({text}, '[.]0+$', ''), '^-0$', '0')"
    return f"case when {kind} = 'STRING' then {text} else {number} end"


def _names(frame: Any) -> list[str]:
    """The names of its columns; those that have none, as everywhere, by their places."""
    return [f"column{i}" if name == f"_c{i}" else name for i, name in enumerate(frame.columns)]


_TEXTS = TextSql(
    "{0} rlike concat('^(?:', {1}, ')$')", "regexp_extract({0}, {1}, {2})", "timestamp"
)


def _cast(stated: StatedType, cell: str) -> str:
    return cast_sql(stated, cell, _TEXTS)


def _path(name: str) -> str:
    """A path for Spark: one of this machine where it is there, else as its file system knows it."""
    path = Path(name)
    if "://" in name:
        return name
    if "\0" not in name and is_there(path):  # then no character of it stands for others
        require_file(path, or_folder=True)
        return "file://" + re.sub(r"[*?\[\]{}\\]", r"\\\g<0>", str(path.absolute()))
    if fitting := list(path.absolute().parent.glob(path.name)):
        for file in fitting:
            require_file(file, or_folder=True)
        return f"file://{path.absolute()}"
    return name


def _quoted_name(name: str) -> str:
    """A name of several parts, each in quotes; who writes quotes has written them all."""
    return name if ENGINE.mark in name else ".".join(map(ENGINE.quote, name.split(".")))


# What goes wrong


def _no_table(session: Session, place: Place, error: Exception) -> DataError:
    condition = getattr(error, "getCondition", lambda: None)() or ""
    name = place.name or ""
    if condition == "PATH_NOT_FOUND":
        return DataError(
            f"{place.shown} finds no file {name!r}. A path is looked up where Spark runs.",
            code="D101",
        )
    missing = re.search("NOT_FOUND|NAMESPACE|PARSE_SYNTAX|IDENTIFIER", condition)
    if missing is None:
        return _failure(place.shown, error)
    return DataError(
        f"{place.shown} has no table {name!r} that you may read.{_nearest(session, name)} Write it "
        "as catalog.schema.table; a path ends in .parquet, .csv, .json or .orc.",
        code="D110",
    )


def _nearest(session: Session, name: str) -> str:
    """The table whose name is nearest, where Spark lists them."""
    schema, _, last = name.replace("`", "").rpartition(".")
    with suppress(Exception):
        listed = session.catalog.listTables(schema or None)
        near = nearest(last, [table.name for table in listed])
        if near is not None:
            return f" Did you mean {'.'.join(filter(None, (schema, near)))!r}?"
    return ""


def _unusable(place: Place, error: Exception) -> DataError:
    if isinstance(error, ConnectionError):
        return DataError(
            f"{place.shown} does not respond. Check the address, and that it is running.",
            code="D109",
        )
    return DataError(
        f"{place.shown} could not be started or reached ({type(error).__name__}). It needs Java 17 "
        "or newer here unless Spark Connect is used; CANDLING_DEBUG=1 shows what Spark says.",
        code="D109",
    )


def _failure(where: str, error: Exception) -> DataError:
    gone = isinstance(error, Py4JError) and not isinstance(error, Py4JJavaError)
    if gone or isinstance(error, ConnectionError | EOFError):
        return lost_connection_error(where)
    words = str(error)
    if _NO_MEMORY.search(words):
        return DataError(
            f"{where} needs more memory than it has: raise spark.driver.memory, "
            "spark.driver.maxResultSize or spark.executor.memory.",
            code="D103",
        )
    if "ModuleNotFoundError" in words:
        return DataError(
            f"{where} has more conflicts than fit here, and its executors cannot solve them "
            "without candling: install it there and set PYSPARK_PYTHON, or raise --memory.",
            code="D109",
        )
    return lost_connection_error(where) if _LOST.search(words) else unreadable(where, error)


@contextmanager
def _silence() -> Iterator[None]:
    """Keep pyspark's loggers from writing down cells, and py4j's its tracebacks, while we work."""

    def others(record: logging.LogRecord) -> bool:
        return record.name == "root" and f"{os.sep}py4j{os.sep}" not in record.pathname

    try:
        from pyspark.logger import PySparkLogger
    except ImportError:  # then there is nothing to silence
        yield
        return
    loggers = [logging.getLogger(), *map(PySparkLogger.getLogger, _LOGGERS)]
    for logger in loggers:
        logger.addFilter(others)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(others)
