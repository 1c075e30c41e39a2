"""Every value has one form, whatever engine holds it, and no value ends in an error."""

from __future__ import annotations

import datetime as dt
import gc
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import ibis
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import candling
from candling.rules import ColumnType
from candling.tables import core, open_table
from tests.backends import Tables
from tests.postgres import Server

TICK, DAY = 2**63 - 1, 2**31 - 1
NAN, INFINITY = float("nan"), float("inf")
FALLING = candling.parse_constraints("not(t1.x < t2.x and t1.n > t2.n)")


def column(data: Any, name: str = "x") -> list[Any]:
    table = open_table(data)
    found: list[Any] = table.collect(table.rows([name])).column(0).to_pylist()
    return found


def on_duckdb(sql: str, *settings: str) -> Any:
    """A table `t` on a connection of the caller's."""
    backend = ibis.duckdb.connect()
    for statement in (*settings, f"create table t as {sql}"):
        backend.raw_sql(statement)
    return backend.table("t")


@pytest.mark.parametrize(
    ("kind", "given", "form"),
    [
        (pa.uint64(), [2**64 - 1, 0, None], [Decimal(2**64 - 1), Decimal(0), None]),
        (pa.int8(), [-128, 127, None], [-128, 127, None]),
        (pa.float16(), [0.5, NAN, -0.0], [0.5, None, 0.0]),
        (pa.float64(), [5e-324, NAN, -INFINITY], [5e-324, None, -INFINITY]),
        (pa.date32(), [DAY, -DAY, None, -DAY - 1, 0], [DAY, -DAY, None, -DAY, 0]),
        (pa.timestamp("us"), [TICK, -TICK - 1, None, 1], [TICK, -TICK, None, 1]),
        (pa.timestamp("us", "UTC"), [TICK, -TICK - 1, None, 1], [TICK, -TICK, None, 1]),
        (pa.timestamp("ns", "Asia/Tokyo"), [TICK, -TICK - 1, None, 1], [TICK, -TICK, None, 1]),
        (pa.timestamp("ms"), [TICK, -(2**60), None, 1], [TICK, -TICK, None, 1000]),
        (pa.timestamp("s", "UTC"), [2**60, -TICK, None, 1], [TICK, -TICK, None, 10**6]),
        (pa.time32("s"), [1, None], [10**9, None]),
        (pa.time64("ns"), [1, None], [1, None]),
        (pa.null(), [None], [None]),
    ],
    ids=str,
)
def test_arrow_types(kind: pa.DataType, given: list[Any], form: list[Any]) -> None:
    integers = pa.types.is_temporal(kind)
    array = pa.array(given, pa.int64() if integers else kind)
    if pa.types.is_date(kind) or pa.types.is_time32(kind):
        array = array.cast(pa.int32())
    found = column(pa.table({"x": array.cast(kind)}))
    assert list(map(repr, found)) == list(map(repr, form))  # one zero, and no other NaN


@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin"])
@pytest.mark.parametrize("unit", ["us", "ns"])
def test_moments_in_parquet(unit: str, zone: str | None, tmp_path: Path) -> None:
    ticks = [TICK, TICK - 1, 0, None, -TICK + 1, -TICK, -TICK - 1]
    array = pa.array(ticks, pa.int64()).cast(pa.timestamp(unit, zone))
    pq.write_table(pa.table({"x": array}), tmp_path / "t.parquet")
    assert column(tmp_path / "t.parquet") == [*ticks[:-1], -TICK]


@pytest.mark.parametrize(
    ("value", "form", "kind"),
    [
        ("'b'::enum('b', 'a')", "b", ColumnType.STRING),
        ("'B' collate nocase", "B", ColumnType.STRING),
        (f"{'9' * 38}::hugeint + 1", Decimal("9" * 38), ColumnType.NUMBER),
        ("12::uhugeint", Decimal(12), ColumnType.NUMBER),
        ("'290000-01-01'::timestamp_s", 9089348860800000000, ColumnType.TIMESTAMP),
        ("'infinity'::timestamp_ns", TICK, ColumnType.TIMESTAMP),
        ("'-infinity'::timestamptz", -TICK, ColumnType.TIMESTAMP),
        ("'2020-01-01 02:00:00+02'::timestamptz", 1577836800 * 10**6, ColumnType.TIMESTAMP),
        ("time '24:00:00'", 86400 * 10**9, ColumnType.TIME),
        ("'12:00:00+02'::timetz", "12:00:00+02", ColumnType.OTHER),
        ("interval 1 day", "1 day", ColumnType.OTHER),
        ("'101'::bit", "101", ColumnType.OTHER),
        ("[1]", "[1]", ColumnType.OTHER),
        ("{'a': 1}", "{'a': 1}", ColumnType.OTHER),
    ],
)
def test_types_of_duckdb(value: str, form: Any, kind: ColumnType) -> None:
    table = on_duckdb(f"select {value} as x union all select null", "set timezone = 'Asia/Tokyo'")
    assert open_table(table).schema == {"x": kind}
    assert sorted(column(table), key=lambda v: v is None) == [form, None]


def test_a_type_without_a_form_is_refused_from_the_schema() -> None:
    table = on_duckdb("select '12:00:00+02'::timetz as x, 1 as n where false")
    with pytest.raises(candling.ConstraintError) as caught:
        candling.exact(table, FALLING)
    assert {p.code for p in caught.value.problems} == {"R204"}


@pytest.mark.parametrize("small", [core.SMALL, -1])
@pytest.mark.parametrize(
    ("setting", "texts"),
    [
        ("set default_collation = 'nocase'", ("x", "X")),
        ("set default_collation = 'noaccent'", "eé"),
    ],
)
def test_no_collation_makes_texts_equal(
    setting: str, texts: tuple[str, str], small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core, "SMALL", small)
    one, two = texts
    rows = f"select * from (values ('{one}', 1), ('{two}', 1), ('{two}', 2)) v(x, n)"
    found = candling.exact(on_duckdb(rows, setting), candling.parse_constraints("x -> n\nn -> x"))
    assert (found.minimal_inconsistent, found.repair_exact) == (2, 1)


@pytest.mark.parametrize("small", [core.SMALL, -1])
def test_summer_time_changes_no_order(small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "SMALL", small)
    hour = "'2023-10-29 00:00:00+00'::timestamptz + i * interval 1 minute as x, i as n"
    table = on_duckdb(f"select {hour} from range(180) r(i)", "set timezone = 'Europe/Berlin'")
    assert candling.exact(table, FALLING).drastic == 0


def test_moments_are_the_same_on_every_engine(engine_table: Tables) -> None:
    moments = [dt.datetime(2023, 10, 29, h, m) for h in (0, 1, 2) for m in (0, 59)]  # noqa: DTZ001
    table = pa.table(
        {
            "x": pa.array(moments, pa.timestamp("us")),
            "z": pa.array(moments, pa.timestamp("us", "UTC")),
            "d": pa.array([dt.date(1, 1, 1), dt.date(9999, 12, 31), None] * 2),
        }
    )
    there = engine_table(table)
    engine = engine_table.backend
    if engine_table.engine == "spark":
        engine._session.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        for name in table.column_names:
            assert sorted(column(there, name), key=repr) == sorted(column(table, name), key=repr)
    finally:
        if engine_table.engine == "spark":
            engine._session.conf.set("spark.sql.session.timeZone", "UTC")


def in_transactions(connection: psycopg.Connection[Any]) -> set[int]:
    """The sessions that wait in a transaction: of tables that another test still holds, too."""
    waiting = "select pid from pg_stat_activity where state like 'idle in transaction%'"
    return {pid for (pid,) in connection.execute(waiting)}


def soon_all_closed(connection: psycopg.Connection[Any], before: set[int]) -> bool:
    """Whether every session that waits in a transaction did so before; closing takes a moment."""
    for _ in range(100):
        if not in_transactions(connection) - before:
            return True
        time.sleep(0.1)
        connection.rollback()  # one transaction sees one state of the sessions
    return False


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("kind", "given", "form"),
    [
        ("float8", ["5e-324", "-0", "NaN", "-Infinity"], [5e-324, 0.0, None, -INFINITY]),
        ("float4", ["0.1"], [0.10000000149011612]),
        ("numeric(3, -2)", ["12345"], [Decimal(12300)]),
        ("numeric", ["1e310", "-Infinity", "NaN"], ["1" + "0" * 310, "-Infinity", None]),
        ("date", ["infinity", "5874897-12-31", "4713-01-01 BC"], [DAY, 2145042905, -2440550]),
        ("timestamp", ["-infinity", "294276-12-31 23:59:59"], [-TICK, TICK]),
        ("timestamptz", ["infinity", "294247-01-10 04:00:54.775806+00"], [TICK, TICK - 1]),
        ("char(4)", ["a  "], ["a"]),
        ("time", ["24:00"], [86400 * 10**9]),
    ],
)
def test_types_of_postgresql(
    postgres: Server, kind: str, given: list[str], form: list[Any]
) -> None:
    address = postgres.fresh()
    with psycopg.connect(address) as connection:
        connection.execute(f"create table t (x {kind}, n int)".encode())
        for number, text in enumerate(given):
            connection.execute(f"insert into t values ('{text}'::{kind}, {number})".encode())
        connection.commit()
        before = in_transactions(connection)
        table = open_table("t", engine=address)
        assert table.collect(table.rows(["x"])).column(0).to_pylist() == form
        candling.exact("t", FALLING, engine=address)  # the parts of its scale end in no error
        del table
        gc.collect()
        assert soon_all_closed(connection, before)


@pytest.mark.postgres
def test_an_error_leaves_no_transaction_open(postgres: Server) -> None:
    address = postgres.fresh()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("create view t as select (1 / (random() * 0)::int)::int as x, 1 as n")
        before = in_transactions(connection)
        with pytest.raises(candling.DataError) as error:
            candling.exact("t", FALLING, engine=address)
        with pytest.raises(candling.DataError) as missing:
            open_table("nothing", engine=address)
        assert soon_all_closed(connection, before), (error, missing)  # still held here
