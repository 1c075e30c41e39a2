"""Every way to hand over a table gives the same answer; what cannot be read says so."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

import candling
from candling.rules import ColumnType
from candling.tables import core, open_source, schema_of
from candling.tables.backends.duckdb import connect, fetch_duckdb

CITIES = pa.table(
    {
        "Zip": pa.array([1, 1, 1, 2, 2, None], pa.int64()),
        "City": ["Oslo", "Oslø", "Oslo", "日本", None, "Oslo"],
        "Rate": [0.5, float("nan"), 1.5, -0.0, 0.0, None],
    }
)
RULES = candling.parse_constraints("Zip -> City\nnot(t1.Rate > 1.0)")


def _to_file(path: Path) -> Path:
    kind = path.suffix
    if kind == ".csv":
        CITIES.to_pandas().to_csv(path, index=False)
    elif kind == ".tsv":
        CITIES.to_pandas().to_csv(path, index=False, sep="\t")
    elif kind == ".parquet":
        pq.write_table(CITIES, path)
    elif kind in (".json", ".jsonl"):
        CITIES.to_pandas().to_json(path, orient="records", lines=kind == ".jsonl")
    elif kind == ".feather":
        feather.write_feather(CITIES, str(path))
    elif kind == ".arrow":
        with pa.ipc.new_stream(str(path), CITIES.schema) as writer:
            writer.write_table(CITIES)
    else:
        with duckdb.connect(str(path)) as connection:
            connection.execute("create table t as select * from CITIES")
    return path


@pytest.mark.parametrize(
    "ending", ["csv", "tsv", "parquet", "json", "jsonl", "feather", "arrow", "duckdb"]
)
def test_files(ending: str, tmp_path: Path) -> None:
    path = _to_file(tmp_path / f"t.{ending}")
    for data in (path, str(path)):
        found = candling.exact(data, RULES)
        assert (found.rows, found.minimal_inconsistent, found.repair_exact) == (6, 2, 2)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda t: t,
        lambda t: t.to_pandas(),
        lambda t: t.to_pandas(types_mapper=pd.ArrowDtype),
        pl.from_arrow,
        lambda t: pl.DataFrame(t).lazy(),
        lambda t: t.to_reader(),
        ibis.memtable,
        duckdb.from_arrow,
        pyarrow.dataset.dataset,
        lambda t: t.cast(t.schema.set(1, pa.field("City", pa.dictionary(pa.int32(), pa.string())))),
    ],
    ids=[
        "arrow",
        "pandas",
        "pandas-arrow",
        "polars",
        "lazy",
        "reader",
        "ibis",
        "duckdb",
        "dataset",
        "dictionary",
    ],
)
def test_objects(wrap: Callable[[pa.Table], Any]) -> None:
    found = candling.exact(wrap(CITIES), RULES)
    assert (found.rows, found.minimal_inconsistent, found.repair_exact) == (6, 2, 2)


def test_record_batch() -> None:
    assert candling.exact(CITIES.to_batches()[0], RULES).rows == 6


def test_a_duckdb_file_with_several_tables_asks_which(tmp_path: Path) -> None:
    path = tmp_path / "t.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table one as select * from CITIES; create table two as from one")
    assert candling.exact(path, RULES, table="two").rows == 6
    for table in (None, "three"):
        with pytest.raises(candling.DataError, match="one, two") as caught:
            candling.exact(path, RULES, table=table)
        assert caught.value.code == "D104"


def test_schema_reads_every_type() -> None:
    connection = ibis.duckdb.connect()
    connection.raw_sql(
        "create table t as select 1::tinyint a, 1.5::decimal(9,2) b, 'x' c, true d, "
        "date '2020-01-01' e, "
        "timestamp '2020-01-01' f, timestamptz '2020-01-01' g, time '12:00' h, 'x'::blob i, "
        "uuid() j, [1] k, 1::hugeint l, 1.0::float m, interval 1 day n, 'x'::enum('x') o"
    )
    table = connection.table("t")
    short = {name: str(kind)[:2] for name, kind in schema_of(table).items()}
    assert "".join(short) == "abcdefghijklmno"
    assert " ".join(short.values()) == "nu nu st bo da ti ti ti bi st ot nu nu ot st"
    assert schema_of(table)["h"] is ColumnType.TIME


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("missing.csv", None, "D101"),
        ("t.xls", b"x", "D102"),
        ("t.xlsx", b"secret", "D103"),
        ("t.sqlite", b"secret", "D103"),
        ("noending", b"x", "D102"),
        ("t.parquet", b"secret", "D103"),
        ("t.arrow", b"secret", "D103"),
        ("t.duckdb", b"secret-not-a-database", "D103"),
        ("t.json", b'{"a": secret', "D103"),
    ],
)
def test_unreadable_files(name: str, content: bytes | None, code: str, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(candling.DataError) as caught:
        candling.exact(tmp_path / name, RULES)
    assert caught.value.code == code
    assert "secret" not in str(caught.value)


def test_a_wrong_name_is_answered_with_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "orders.csv").write_text("a\n1\n")
    with pytest.raises(candling.DataError, match=r"Did you mean '.*orders\.csv'"):
        candling.exact(tmp_path / "order.csv", RULES)


def test_a_directory_is_not_a_table(tmp_path: Path) -> None:
    with pytest.raises(candling.DataError, match=r"\*\.parquet"):
        candling.exact(tmp_path, RULES)


def test_several_files_by_pattern(tmp_path: Path) -> None:
    for name in ("a", "b"):
        pq.write_table(CITIES, tmp_path / f"{name}.parquet")
    assert candling.exact(tmp_path / "*.parquet", RULES).rows == 12


@pytest.mark.parametrize("data", [3, {"a": [1]}, [1, 2], None])
def test_objects_that_are_no_table(data: object) -> None:
    with pytest.raises(candling.DataError) as caught:
        candling.exact(data, RULES)
    assert caught.value.code == "D106"


def test_each_object_becomes_a_text_by_itself() -> None:
    cells = [1, 1.0, True, "1", None, float("nan"), pd.NaT, Decimal("1.00"), object(), [1], b"1"]
    frame = pd.DataFrame({"Zip": pd.Series(cells, dtype=object), "City": map(str, range(11))})
    found = candling.exact(frame, "Zip -> City")
    assert (found.rows, found.repair_exact) == (11, 3)
    assert candling.exact(frame, "Zip >= 1\nZip is not null").repair_exact == 6


def test_a_csv_of_mixed_types_is_text(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Zip,City\n" + "1,a\n" * 30_000 + "x,b\nx,c\n")
    assert schema_of(path)["Zip"] is ColumnType.STRING
    assert candling.exact(path, candling.parse_constraints("Zip -> City")).repair_exact == 1


def test_duplicate_column_names() -> None:
    table = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pytest.raises(candling.DataError) as caught:
        candling.exact(table, RULES)
    assert caught.value.code == "D105"


def test_a_thousand_columns() -> None:
    rng = np.random.default_rng(0)
    table = pa.table({f"c{i}": rng.integers(0, 3, 50) for i in range(1000)})
    rules = candling.parse_constraints("\n".join(f"c{i} -> c{i + 1}" for i in range(0, 999, 100)))
    assert candling.exact(table, rules).problematic == 50
    every = candling.parse_constraints("key(" + ", ".join(f"c{i}" for i in range(1000)) + ")")
    assert candling.exact(table, every).drastic == 0
    assert candling.exact(pa.concat_tables([table, table]), every).repair_exact == 50


def test_strange_names() -> None:
    table = pa.table({'a "b" c': [1, 1], "日本; drop table": [1, 2], "n": [0, 0]})
    rules = candling.parse_constraints('"a ""b"" c" -> "日本; drop table"')
    assert candling.exact(table, rules).repair_exact == 1


@pytest.mark.parametrize("memory", ["4", "four GB", "-1GB", "0GB", "4GB; drop"])
def test_memory_limits_that_make_no_sense(memory: str) -> None:
    with pytest.raises(candling.UsageError) as caught:
        candling.exact(CITIES, RULES, memory=memory)
    assert caught.value.code == "U101"


def test_memory_limit_and_spill_directory_are_set_and_removed() -> None:
    backend = connect("1GB")
    (setting,) = backend.con.execute("select current_setting('temp_directory')").fetchall()
    assert Path(setting[0]).is_dir()
    limit = backend.con.execute("select current_setting('memory_limit')").fetchall()
    assert limit == [("953.6 MiB",)]
    del backend
    assert not Path(setting[0]).exists()


def test_empty_tables() -> None:
    found = candling.exact(CITIES.slice(0, 0), RULES).to_dict()
    assert found == {
        "rows": 0,
        "drastic": 0,
        "minimal_inconsistent": 0,
        "problematic": 0,
        "repair": 0,
        "repair_linear": 0,
        "repair_exact": 0,
        "maximal_consistent_log2": 0.0,
        "max_degree": 0,
    }


def test_nothing_but_null() -> None:
    table = pa.table({"Zip": pa.nulls(4, pa.int64()), "City": pa.nulls(4, pa.string())})
    assert candling.exact(table, candling.parse_constraints("Zip -> City")).drastic == 0
    assert candling.exact(table, candling.parse_constraints("key(Zip)")).drastic == 0


@pytest.mark.parametrize(
    "text",
    [
        "A,B\n1,2\n1,3\n",
        "A;B\n1,5;2\n2,5;3\n",
        "A\tB\n1\tx\n",
        "A|B\n1|2\n1|3\n",
        "Patient's,B\n1,it's\n1,don't\n",
        'A,B\n"a\nb",2\n"c ""d""",3\n',
        "A,B\n31/12/2020,1\n01/02/2020,2\n",
        "A,B\n31.12.2020 10:11:12,1\n01.02.2020 10:00:00,2\n",
        "A,B\r\n1,2\r\n1,3\r\n",
        "A,B\ntrue,1\nfalse,2\n",
        "A,B\n1,\n,2\n",
        "A\n1\n2\n",
        "日本,ß\n1,ä\n2,ö\n",
    ],
)
def test_csv_files_read_as_duckdb_reads_them(text: str, tmp_path: Path) -> None:
    path = tmp_path / "it's.csv"
    path.write_text(text, encoding="utf-8", newline="")
    expected = duckdb.read_csv(str(path), all_varchar=True)
    source = open_source(path)
    assert list(source.types()) == expected.columns
    rows = fetch_duckdb(source.connected, f"from {source.rows}")
    assert rows.to_pylist() == expected.to_arrow_table().to_pylist()


def test_a_header_is_data_and_never_sql(tmp_path: Path) -> None:
    target = tmp_path / "written.txt"
    name = f"x': 'BIGINT', 'y': 'BIGINT'}}); COPY (SELECT 42) TO '{target}'; --"
    path = tmp_path / "t', auto_detect=true); drop --.csv"
    path.write_text(f'"{name}",B\n1,2\n1,3\n')
    assert list(schema_of(path)) == [name, "B"]
    assert not target.exists()


@pytest.mark.parametrize("ending", ["csv", "parquet", "json"])
def test_a_file_that_is_there_is_no_pattern(ending: str, tmp_path: Path) -> None:
    path = _to_file(tmp_path / f"t[1]*.{ending}")
    _to_file(tmp_path / f"other.{ending}").rename(tmp_path / f"t1x.{ending}")
    extra = pa.concat_tables([CITIES, CITIES])
    (tmp_path / f"t1x.{ending}").unlink()
    if ending == "parquet":
        pq.write_table(extra, tmp_path / "t1x.parquet")
    elif ending == "csv":
        extra.to_pandas().to_csv(tmp_path / "t1x.csv", index=False)
    else:
        extra.to_pandas().to_json(tmp_path / "t1x.json", orient="records")
    assert candling.exact(path, RULES).rows == 6


def test_quotes_in_the_name_of_a_duckdb_file(tmp_path: Path) -> None:
    assert candling.exact(_to_file(tmp_path / "it's.duckdb"), RULES).rows == 6


@pytest.mark.parametrize("wrap", [lambda t: t, lambda t: t.to_pandas(), pl.from_arrow])
def test_a_column_of_nothing_but_null(wrap: Callable[[pa.Table], Any]) -> None:
    table = pa.table({"A": [1, 1], "B": [1, 2], "C": pa.nulls(2)})
    found = candling.exact(wrap(table), candling.parse_constraints("A -> B\nA -> C\nC -> A"))
    assert found.minimal_inconsistent == 1


def test_null_columns_of_parquet_and_feather_files(tmp_path: Path) -> None:
    table = pa.table({"A": [1, 1], "B": [1, 2], "C": pa.nulls(2)})
    pq.write_table(table, tmp_path / "t.parquet")
    feather.write_feather(table, str(tmp_path / "t.feather"))
    for name in ("t.parquet", "t.feather"):
        assert candling.exact(tmp_path / name, candling.parse_constraints("A -> B")).repair == 1


def test_names_that_differ_in_case_only() -> None:
    with pytest.raises(candling.DataError) as caught:
        candling.exact(pa.table({"a": [1], "A": [2]}), RULES)
    assert caught.value.code == "D105"


def test_the_memory_limit_reaches_the_join(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[str | None] = []

    def watched(memory: str | None = None, **reach: Any) -> Any:
        limits.append(memory)
        return connect(memory, **reach)

    monkeypatch.setattr("candling.tables.backends.duckdb.connect", watched)
    rules = candling.parse_constraints("not(t1.Zip = t2.Zip and t1.City < t2.City and t1.Rate = 1)")
    candling.exact(CITIES, rules, memory="200MB")
    assert limits == ["200MB", "200MB"]  # of the table, and of the join of its classes


def test_no_row_changes_how_a_csv_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rules = candling.parse_constraints("a -> b")

    def found(*more: str) -> candling.Exact:
        lines = ["a,b", *(f"#k{i % 5},{i % 3}" for i in range(60)), *more]
        path.write_text("\n".join(lines) + "\n")
        return candling.exact(path, rules)

    assert (found().rows, found().repair_exact) == (60, 40)
    assert (found("k;1,1").rows, found("'k|,7").rows, found("#k1,1").rows) == (61, 61, 61)
    for ragged in ("#note", "#z,1,2", '"k1,7'):  # never in silence
        with pytest.raises(candling.DataError):
            found(ragged)


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_the_header_says_what_separates_cells(tmp_path: Path, mark: str, suffix: str) -> None:
    path = tmp_path / f"t.csv{suffix}"
    text = "\n".join(mark.join(line) for line in (('"x,;|y"', "B"), ("1,5;6|7", "2"), ("3", "4")))
    content = text.replace("1,5;6|7", "15" if mark == "\t" else '"1,5;6|7"').encode()
    path.write_bytes(gzip.compress(content) if suffix else content)
    assert list(schema_of(path)) == ["x,;|y", "B"]
    assert candling.exact(path, candling.parse_constraints("key(B)")).rows == 2


def test_tables_of_too_many_rows_cost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "MOST_ROWS", 6)
    one, two = (candling.parse_constraints(r) for r in ("Zip -> City", "not(t1.Zip < t2.Other)"))
    other = CITIES.append_column("Other", CITIES["Zip"])
    assert candling.exact(CITIES, one).rows == 6
    for table, rules in ((pa.concat_tables([CITIES, CITIES.slice(0, 1)]), one), (other, two)):
        with pytest.raises(candling.DataError, match=r"more than [36] rows") as caught:
            candling.release(table, rules, 1)
        assert caught.value.code == "D112"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a,b\nMünchen,1\n".encode("latin-1"), "is not text in UTF-8"),
        (b"a,b\n1,2\nsecret\n", "ends with a line that does not have 2 cells"),
        (b'"a;c",b,d\n1,2,3\n1,2,secret,4\n', "ends with a line that does not have 3 cells"),
        (b"a,b\n1,2\nsecret\n1,2\n", "a line that does not have 2 cells"),
        (b"a,b\nTotal: secret rows\n1,2\n", "remove titles, totals and notes"),
    ],
)
def test_what_is_wrong_with_a_csv_file(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(candling.DataError, match=words) as caught:
        candling.exact(path, candling.parse_constraints("b -> b"))
    assert caught.value.code == "D103"
    assert "secret" not in repr(caught.value)
    assert caught.value.__cause__ is None


def test_the_owner_is_told_which_line_of_a_csv_file_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('a,b\n1,"2\n3"\nsecret\n4,5\n')
    with pytest.raises(candling.DataError, match=r"like its first line \(line 4\)") as caught:
        candling.exact(path, "a -> b")
    assert "secret" not in repr(caught.value)
    with pytest.raises(candling.DataError, match=r"has a line that .* \(`candling exact"):
        candling.release(path, "a -> b", epsilon=1)
