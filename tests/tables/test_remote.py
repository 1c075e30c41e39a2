"""Tables that are not on the embedded engine: opening, names, types, errors, and no secrets."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import ibis
import polars as pl
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import candling
from candling.errors import CandlingError, DataError, UsageError
from candling.rules import ColumnType
from candling.tables import Place, Table, open_table, schema_of
from candling.tables.backends import postgresql as postgresql_room
from candling.tables.backends import spark as spark_room
from tests.backends import Tables
from tests.postgres import PASSWORD, Server, frozen, running
from tests.spark import connect_address

NAN = float("nan")
VALUES = pa.table(
    {
        "text": ["a", "A", "a ", "é", "e\u0301", "日本", "", None],
        "float": [0.1, NAN, None, -0.0, 0.0, 1e300, float("inf"), float("-inf")],
        "whole": pa.array([1, 2, None, -(2**63), 2**63 - 1, 0, 0, 0], pa.int64()),
        "small": pa.array([1, 2, None, -128, 127, 0, 0, 0], pa.int16()),
        "number": pa.array([Decimal("1.10"), None, *map(Decimal, range(6))], pa.decimal128(20, 2)),
        "day": [dt.date(2020, 2, 29), None, dt.date(1, 1, 1), dt.date(9999, 12, 31)] * 2,
        "moment": pa.array(
            [dt.datetime(2020, 3, 8, 2, 30, 0, 1), None, dt.datetime(1900, 1, 1), None] * 2,  # noqa: DTZ001
            pa.timestamp("us"),
        ),
        "instant": pa.array([0, None, 1_583_638_200_000_001, -1] * 2, pa.timestamp("us", "UTC")),
        "flag": [True, False, None, True] * 2,
        "bytes": [b"\x00", b"\xff", b"", None] * 2,
    }
)
RULES = candling.parse_constraints(
    """
    text -> float
    whole -> number
    not(t1.moment > t2.moment and t1.float < t2.float)
    not(t1.text > t2.text and t1.day < t2.day and t1.flag = t2.flag)
    not(t1.text = 'a' and t1.number > 1)
    not(t1.instant > 2020-03-08 and t1.flag = true)
    """
)


def plain(table: pa.Table) -> dict[str, list[Any]]:
    """The values, with those that compare as one made one."""

    def value(cell: Any) -> Any:
        if isinstance(cell, dt.datetime):
            return cell.replace(tzinfo=None)
        return "NaN" if cell != cell else cell  # noqa: PLR0124 - that is how NaN is known

    return {name: [value(v) for v in table.column(name).to_pylist()] for name in table.column_names}


def values(data: Any, engine: str | None = None) -> pa.Table:
    """What a table holds, in the forms in which it is compared."""
    return content(open_table(data, engine=engine))


def content(table: Table) -> pa.Table:
    names = list(table.columns)
    return table.collect(table.rows(names)).rename_columns(names)


def by_text(table: pa.Table) -> pa.Table:
    return table.sort_by([("text", "ascending"), ("float", "ascending")])


def secret_free(error: BaseException) -> str:
    """All that an error holds on to, in which no password may be."""
    told = f"{error!r} {error} {error.__cause__!r} {error.__context__!r}"
    assert "correct" not in told
    assert "secret" not in told
    return str(error)


# On every engine


def test_values_come_over(engine_table: Tables) -> None:
    found = values(engine_table(VALUES))
    assert plain(by_text(found)) == plain(by_text(values(VALUES)))
    assert values(engine_table(VALUES.slice(0, 0))).num_rows == 0


def test_measures_are_the_same(engine_table: Tables) -> None:
    assert candling.exact(engine_table(VALUES), RULES) == candling.exact(VALUES, RULES)


def test_types_are_the_same(engine_table: Tables) -> None:
    assert schema_of(engine_table(VALUES)) == schema_of(VALUES)


def test_strings_are_equal_by_code_point(engine_table: Tables) -> None:
    words = ["a", "A", "a ", " a", "ä", "a\u0308", "ß", "ss", "\u200ba", "I", "ı", "i"]
    table = engine_table(pa.table({"w": words, "n": range(len(words))}))
    assert candling.exact(table, candling.parse_constraints("w -> n")).drastic == 0


# PostgreSQL


@pytest.fixture
def clinic(postgres: Server) -> str:
    """The address of a database with a table of many types."""
    address = postgres.fresh()
    with psycopg.connect(address) as connection:
        connection.execute(
            "create type mood as enum ('sad', 'happy'); create domain zip as varchar(5)"
        )
        connection.execute(
            "create table visits (t text, v varchar(9), c char(4), z zip, m mood, u uuid, "
            "n numeric, p numeric(12, 2), d date, s timestamp, i timestamptz, h time, b bytea, "
            'j jsonb, "Odd ""name" int)'
        )
        connection.execute(
            "insert into visits values ('ü', 'x', 'ab', '1', 'sad', "
            "'12345678-1234-5678-1234-567812345678', 1.123456789012345678901234567890, 1.10, "
            "'infinity', '-infinity', '2020-01-01 02:00+02', '12:00', '\\x00ff', '{}', 1), "
            "(null, null, null, null, null, null, 'NaN', 'NaN', null, null, null, null, null, "
            "null, null), ('', '', '', '', 'happy', null, -12345678901234567890, 0, '0001-01-01', "
            "'0044-03-15 BC', 'infinity', '00:00', '', '1', 2)"
        )
    return address


@pytest.mark.postgres
def test_types_of_postgresql(clinic: str) -> None:
    found = values("visits", clinic)
    expected: dict[str, list[Any]] = {
        "t": ["ü", None, ""],
        "c": ["ab", None, ""],  # its padding means nothing
        "z": ["1", None, ""],
        "m": ["sad", None, "happy"],
        "u": ["12345678-1234-5678-1234-567812345678", None, None],
        "n": [Decimal("1.123456789012345678901234567890"), None, Decimal(-12345678901234567890)],
        "p": [Decimal("1.10"), None, Decimal("0.00")],
        "b": [b"\x00\xff", None, b""],
        "d": [2**31 - 1, None, -719162],
        "i": [1_577_836_800_000_000, None, 2**63 - 1],
        "h": [12 * 3600 * 10**9, None, 0],
        'Odd "name': [1, None, 2],
    }
    assert {name: found.column(name).to_pylist() for name in expected} == expected
    ticks = found.column("s").to_pylist()
    assert ticks[0] == -(2**63) + 1
    assert ticks[0] < ticks[2] < 0
    kinds = schema_of("visits", engine=clinic)
    assert kinds["m"] is kinds["u"] is kinds["z"] is ColumnType.STRING
    assert kinds["j"] is ColumnType.OTHER
    for rules, broken in (("not(t1.c = 'ab')", 1), ("m -> n\nkey(u)", 0)):
        found = candling.exact("visits", candling.parse_constraints(rules), engine=clinic)
        assert found.drastic == broken


@pytest.mark.postgres
def test_numbers_that_no_decimal_holds(clinic: str) -> None:
    with psycopg.connect(clinic) as connection:
        connection.execute("delete from visits")
        connection.execute(
            "insert into visits (t, n) values ('a', 1e-90), ('b', 1e90), ('c', 'Infinity'), "
            "('d', '-Infinity'), ('e', 1e-400), ('f', 1e400), ('g', 0), ('h', 'NaN')"
        )
    rising = candling.parse_constraints("not(t1.n < t2.n and t1.t > t2.t)")
    # In the order of n: d g e a b f c; what rises longest in t is "a b f" or "a b c".
    assert candling.exact("visits", rising, engine=clinic).repair_exact == 4


@pytest.mark.postgres
def test_rows_come_in_batches(clinic: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("candling.tables.backends.postgresql._BATCH", 100)
    with psycopg.connect(clinic) as connection:
        connection.execute(
            "create table many as select g::bigint as a from generate_series(1, 1234) g"
        )
    found = values("many", clinic)
    assert found.column("a").num_chunks == 13
    assert sorted(found.column("a").to_pylist()) == list(range(1, 1235))


@pytest.mark.postgres
def test_names_of_postgresql(clinic: str) -> None:
    with psycopg.connect(clinic) as connection:
        ((schema,),) = connection.execute("select current_schema()").fetchall()
        connection.execute('create table "Odd.Name" (a int); create view seen as select 1 as a')
        connection.execute(f"create table {schema}.plain (a int)".encode())
    for name in ('"Odd.Name"', f'{schema}."Odd.Name"', "seen", "PLAIN", f"{schema}.plain"):
        assert list(schema_of(name, engine=clinic)) == ["a"]
        assert list(schema_of(clinic, table=name)) == ["a"]


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("visit", "has no table 'visit' that you may see. Did you mean 's"),
        ("nowhere.visits", "has no table 'nowhere.visits'"),
        ('"', "has no table"),
        (None, "with --table (there: "),
    ],
)
def test_no_such_table_of_postgresql(clinic: str, name: str | None, words: str) -> None:
    with psycopg.connect(clinic) as connection:
        connection.execute("create table other (a int)")
    with pytest.raises(DataError) as error:
        open_table(clinic, table=name)
    assert error.value.code == "D110"
    assert words in secret_free(error.value)


@pytest.mark.postgres
@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ann:secret@127.0.0.1:1/clinic",
        "postgresql://ann:secret@127.0.0.1:1/clinic?nonsense=secret",
        "postgresql://ann:secret@nowhere.invalid/clinic",
        "postgresql://ann:sec/secret@127.0.0.1:1/clinic",
    ],
)
def test_a_server_that_is_not_there(address: str) -> None:
    with pytest.raises(DataError) as error:
        open_table("visits", engine=address)
    assert error.value.code == "D109"
    secret_free(error.value)


@pytest.mark.postgres
def test_a_wrong_password_is_not_shown(postgres: Server) -> None:
    with pytest.raises(DataError, match="rejected the login") as error:
        open_table("visits", engine=postgres.url(password="secret"))
    secret_free(error.value)


@pytest.mark.postgres
def test_a_password_from_the_environment(
    clinic: str, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = clinic.replace(f":{PASSWORD.replace(' ', '%20')}@", "@")
    assert bare != clinic
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    assert schema_of("visits", engine=bare)
    monkeypatch.delenv("PGPASSWORD")
    for name, value in (("HOST", postgres.folder), ("USER", "owner"), ("DATABASE", "postgres")):
        monkeypatch.setenv(f"PG{name}", str(value))
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    with pytest.raises(DataError) as error:  # it gets in, and there is no such table in `public`
        open_table("nothing_like_it", engine="postgresql")
    assert error.value.code == "D110"


@pytest.mark.postgres
def test_select_on_some_columns_is_enough(clinic: str, postgres: Server) -> None:
    with psycopg.connect(clinic) as connection:
        ((schema,),) = connection.execute("select current_schema()").fetchall()
        reader = f"reader_{schema}"
        for sql in (
            f"create role {reader} login password 'correct horse'",
            f"grant usage on schema {schema} to {reader}",
            f"grant select (t, n) on visits to {reader}",
            "revoke temporary on database postgres from public",
            f"create table {schema}.hidden (a int)",
        ):
            connection.execute(sql.encode())
    address = postgres.url(user=reader, schema=schema)
    table = open_table("visits", engine=address)
    assert list(table.forms) == ["t", "n"]
    assert candling.exact("visits", candling.parse_constraints("t -> n"), engine=address).rows == 3
    with pytest.raises(DataError) as error:
        open_table("hidden", engine=address)
    assert error.value.code == "D110"


@pytest.mark.postgres
def test_a_table_is_one_snapshot_and_only_read(clinic: str) -> None:
    table = open_table("visits", engine=clinic)
    assert content(table).num_rows == 3
    with psycopg.connect(clinic) as connection:
        connection.execute("delete from visits")
    assert content(table).num_rows == 3
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        table.backend.raw_sql("create table written (a int)")


@pytest.mark.postgres
def test_a_lost_connection(clinic: str) -> None:
    table = open_table("visits", engine=clinic)
    with psycopg.connect(clinic) as connection:
        connection.execute("select pg_terminate_backend(%s)", (table.backend.con.info.backend_pid,))
    with pytest.raises(DataError) as error:
        content(table)
    assert error.value.code == "D108"
    assert "try again" in secret_free(error.value)


@pytest.mark.postgres
def test_a_server_that_freezes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The system keeps its connections open, so that a query waited for ever."""
    monkeypatch.setattr(postgresql_room, "_LOOK_EVERY", 0.5)
    monkeypatch.setattr(postgresql_room, "_PATIENCE", 2)
    with running() as server:
        with psycopg.connect(server.url()) as connection:
            connection.execute("create table visits as select 1::int as a")
        table = open_table("visits", engine=server.url())
        master = int((server.folder / "data" / "postmaster.pid").read_text().split("\n")[0])
        start = time.monotonic()
        with (
            frozen(master, table.backend.con.info.backend_pid),
            pytest.raises(DataError, match="stopped answering") as error,
        ):
            content(table)
        assert time.monotonic() - start < 30
    assert error.value.code == "D108"
    secret_free(error.value)


@pytest.mark.postgres
def test_a_long_query_of_a_server_that_answers_others(
    clinic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql_room, "_LOOK_EVERY", 0.1)
    with psycopg.connect(clinic) as connection:
        connection.execute("create view slow as select pg_sleep(2)::text as a")
    assert content(open_table("slow", engine=clinic)).num_rows == 1


@pytest.mark.postgres
def test_a_query_that_takes_too_long(clinic: str) -> None:
    with psycopg.connect(clinic) as connection:
        connection.execute("create view slow as select pg_sleep(60)::text as a")
    impatient = clinic.replace("options=", "options=-cstatement_timeout%3D100%20")
    table = open_table("slow", engine=impatient)
    with pytest.raises(DataError, match="cancelled") as error:
        content(table)
    assert error.value.code == "D108"
    secret_free(error.value)


@pytest.mark.postgres
def test_a_cell_that_the_server_quotes(clinic: str) -> None:
    with psycopg.connect(clinic) as connection:
        connection.execute("create table words as select 'secret'::text as a")
        connection.execute("create view numbers as select a::int as a from words")
    with pytest.raises(DataError) as error:
        values("numbers", clinic)
    assert error.value.code == "D103"
    secret_free(error.value)


@pytest.mark.postgres
def test_strings_of_any_collation(clinic: str) -> None:
    backend = ibis.postgres.from_connection(psycopg.connect(clinic))
    for table in (open_table("visits", engine=clinic), open_table(backend.table("visits"))):
        sql = table.select(["t", "m", "u"])
        assert sql.count('::text collate "C" as') == 3


# Spark


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    path = tmp_path / "visits.parquet"
    pq.write_table(pa.table({"Zip": [1, 1, 2], "City": ["Ulm", "Bonn", None]}), path)
    return path


FD = candling.parse_constraints("Zip -> City")


@pytest.mark.spark
def test_paths_on_spark(spark: Any, visits: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = visits.with_name("odd [1] {x} %20 *.parquet")
    odd.write_bytes(visits.read_bytes())
    monkeypatch.chdir(visits.parent)
    for data in (visits, "visits.parquet", f"file://{visits}", odd, "visit*.parquet"):
        assert candling.exact(data, FD, engine="spark").repair == 1, data
    spark.read.parquet(str(visits)).write.orc(str(visits.with_name("folder.orc")))
    assert candling.exact(visits.with_name("folder.orc"), FD, engine="spark").repair == 1


@pytest.mark.spark
def test_csv_on_spark(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('id,day,text\n1,2020-01-31,"a ""b"", c"\n2,,"two\nlines"\n3,2020-02-29,\n')
    assert plain(values(path, "spark")) == plain(values(path))
    assert schema_of(path, engine="spark") == schema_of(path)
    tabs = tmp_path / "t.tsv"
    tabs.write_text("a\tb\n1\tx\n")
    assert plain(values(tabs, "spark")) == {"a": ["1"], "b": ["x"]}
    ragged = tmp_path / "ragged.csv"
    ragged.write_text("a,b\n1,2\nsecret\n")
    with pytest.raises(DataError) as error:
        values(ragged, "spark")
    secret_free(error.value)


@pytest.mark.spark
def test_tables_on_spark(spark: Any, visits: Path) -> None:
    spark.read.parquet(str(visits)).createOrReplaceTempView("candling_view")
    spark.sql("create or replace temp view odd as select 1 as `a ``b`, interval 1 year as y")
    for data in ("spark://candling_view", "candling_view"):
        assert candling.exact(data, FD, engine="spark").repair == 1
    assert candling.exact("spark://candling_view", FD).repair == 1
    kinds = schema_of("spark://odd")
    assert kinds == {"a `b": ColumnType.NUMBER, "y": ColumnType.OTHER}
    spark.sql("create database if not exists clinic")
    spark.read.parquet(str(visits)).write.mode("overwrite").saveAsTable("clinic.visits")
    for name in ("spark_catalog.clinic.visits", "clinic.visits", "`clinic`.`visits`"):
        assert candling.exact(f"spark://{name}", FD).repair == 1


@pytest.mark.spark
@pytest.mark.parametrize(
    ("data", "code", "words"),
    [
        ("nowhere.parquet", "D101", "finds no file 'nowhere.parquet'"),
        ("no/ending", "D102", "'no/ending/*.parquet'"),
        ("candling_veiw", "D110", "Did you mean 'candling_view'?"),
        ("spark://no.such.thing.at.all", "D110", "catalog.schema.table"),
        ("spark://`", "D110", "has no table"),
    ],
)
def test_no_such_table_on_spark(spark: Any, data: str, code: str, words: str) -> None:
    spark.sql("create or replace temp view candling_view as select 1 as a")
    with pytest.raises(DataError) as error:
        open_table(data, engine="spark")
    assert error.value.code == code
    assert words in secret_free(error.value)


@pytest.mark.spark
def test_the_session_of_the_user_stays_as_it_is(spark: Any, tmp_path: Path) -> None:
    zone = spark.conf.get("spark.sql.session.timeZone")
    views = {table.name for table in spark.catalog.listTables()}
    assert zone != "UTC"
    at = [dt.datetime(2020, 3, 8, 7, 30), dt.datetime(2020, 3, 8, 6, 30)]  # noqa: DTZ001
    moments = pa.table({"naive": at, "zoned": pa.array(at, pa.timestamp("us", "UTC"))})
    pq.write_table(moments, tmp_path / "t.parquet")
    # A naive and a zoned moment compare as in DuckDB, where all is UTC.
    rules = candling.parse_constraints("not(t1.naive != t1.zoned)")
    assert candling.exact(tmp_path / "t.parquet", rules, engine="spark").drastic == 0
    assert spark.conf.get("spark.sql.session.timeZone") == zone
    assert {table.name for table in spark.catalog.listTables()} == views
    assert type(spark).getActiveSession() is spark


@pytest.mark.spark
def test_a_cell_that_spark_quotes(spark: Any, capfd: pytest.CaptureFixture[str]) -> None:
    spark.sql("create or replace temp view words as select cast(x as int) as x from "
              "values ('secret'), ('1') as t(x)")  # fmt: skip
    with pytest.raises(DataError) as error:
        candling.exact("spark://words", candling.parse_constraints("key(x)"))
    secret_free(error.value)
    assert "secret" not in "".join(capfd.readouterr())


@pytest.mark.spark
def test_strings_with_a_collation(spark: Any) -> None:
    spark.sql("create or replace temp view words as select w collate UTF8_LCASE as w, n from "
              "values ('a', 1), ('A', 2) as t(w, n)")  # fmt: skip
    rules = candling.parse_constraints("w -> n")
    assert candling.exact("spark://words", rules).drastic == 0
    backend = ibis.pyspark.connect(spark_room._copy(spark))
    assert candling.exact(backend.table("words"), rules).drastic == 0


@pytest.mark.spark
def test_spark_connect(spark: Any, visits: Path) -> None:
    address = connect_address(spark)
    assert candling.exact(visits, FD, engine=f"{address}/;user_id=ann").repair == 1
    assert plain(values(visits, address)) == plain(pq.read_table(visits))
    with pytest.raises(DataError) as error:
        open_table("spark://nothing_there", engine=f"{address}/;x-secret=secret")
    assert error.value.code == "D110"
    secret_free(error.value)


@pytest.mark.spark
@pytest.mark.parametrize("engine", ["sc://127.0.0.1:1/;token=secret", "spark://127.0.0.1:1"])
def test_a_cluster_that_is_not_there(
    spark: Any, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark_room, "_active", lambda: None)
    for name in ("grpc_proxy", "https_proxy", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(DataError, match="does not respond") as error:
        open_table("spark://t", engine=engine)
    assert error.value.code == "D109"
    secret_free(error.value)


@pytest.mark.spark
def test_one_master_in_a_process(spark: Any) -> None:
    place = Place(spark_room.ENGINE, "nothing_there", "local[1]", is_table=True)
    with pytest.raises(DataError) as error:  # the session that is active has this master
        place.engine.open(place, None)
    assert error.value.code == "D110"
    with pytest.raises(DataError, match="another master") as error:
        open_table("spark://t", engine="spark://127.0.0.1:1")
    assert error.value.code == "D109"


OURS = """
import os, sys
from candling.tables import open_table
from tests.tables.test_remote import content
from candling.errors import DataError

table = open_table(sys.argv[1], engine="spark", memory="600MiB")
session = table.backend._session
conf = session.sparkContext.getConf()
assert session.sparkContext.master == "local[1]"
assert conf.get("spark.driver.host") == "localhost"
assert conf.get("spark.driver.memory") == "600m"
assert session.conf.get("spark.sql.session.timeZone") == "UTC"
assert content(table).num_rows == 3
os.kill(session.sparkContext._gateway.proc.pid, 9)
try:
    content(table)
except DataError as error:
    print(error.code)
"""


@pytest.mark.spark
def test_a_session_of_our_own(spark: Any, visits: Path) -> None:
    """It is quiet and local, and that it died is one clear error."""
    done = subprocess.run(
        [sys.executable, "-c", OURS, visits],
        env=os.environ | {"MASTER": "local[1]"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("D108\n", "", 0)


@pytest.mark.spark
@pytest.mark.parametrize(
    ("message", "code", "words"),
    [
        ("Job aborted: ExecutorLostFailure (executor 1 exited)", "D108", "try again"),
        ("Cannot call methods on a stopped SparkContext", "D108", "try again"),
        ("status = StatusCode.UNAVAILABLE", "D108", "try again"),
        ("java.lang.OutOfMemoryError: Java heap space", "D103", "more memory"),
        ("secret", "D103", "could not read"),
    ],
)
def test_what_spark_says(spark: Any, message: str, code: str, words: str) -> None:
    error = spark_room._failure("Spark", RuntimeError(message))
    assert error.code == code
    assert words in secret_free(error)


# What is not there


def test_no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ibis.backends.pyspark", None)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    for engine, extra in (("spark", "spark"), ("postgresql://a:secret@b/c", "postgresql")):
        with pytest.raises(DataError, match=rf"pip install 'candling\[{extra}\]'") as error:
            open_table("t", engine=engine)
        assert error.value.code == "D109"
        secret_free(error.value)


@pytest.mark.spark
def test_no_java(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_room, "_active", lambda: None)
    monkeypatch.setenv("PATH", "")
    for name in ("JAVA_HOME", "SPARK_REMOTE"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(DataError, match="Spark needs Java 17") as error:
        open_table("spark://t")
    assert error.value.code == "D109"


def test_objects_are_measured_where_they_are() -> None:
    with pytest.raises(UsageError) as error:
        open_table(VALUES, engine="spark")
    assert error.value.code == "U107"
    assert values(VALUES, "duckdb").num_rows == 8


def test_other_engines_of_ibis() -> None:
    words = pl.DataFrame({"w": ["a", "A", "ä", "a\u0308"], "n": [1, 2, 3, 4]})
    rules = candling.parse_constraints("w -> n")
    on_polars = ibis.polars.connect({"words": words}).table("words")
    assert candling.exact(on_polars, rules).drastic == 0
    on_sqlite = ibis.sqlite.connect()
    on_sqlite.raw_sql("create table words (w text collate nocase, n integer)")
    on_sqlite.raw_sql("insert into words values ('a', 1), ('A', 2)")
    assert candling.exact(on_sqlite.table("words"), rules).drastic == 0


def test_engines_that_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    table = ibis.polars.connect({"words": pl.DataFrame({"w": ["a"]})}).table("words")
    monkeypatch.setattr(type(table.get_backend()), "name", "mysql")
    with pytest.raises(
        CandlingError, match=r"Tables on mysql .* Export the table to Parquet"
    ) as error:
        open_table(table)
    assert error.value.code == "D111"
