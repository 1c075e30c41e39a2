"""Tables of SQLite files."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import duckdb
import pytest

import candling
from candling.reading import Reading
from candling.tables import open_table, schema_of
from candling.tables.files.paths import find
from candling.tables.files.sqlite import connect_sqlite, read_sqlite
from candling.tables.typed import count_misfits

RULES = candling.parse_constraints("Zip -> City")


def write(path: Path, sql: str) -> Path:
    connection = sqlite3.connect(path)
    connection.executescript(sql)
    connection.close()
    return path


def test_types_of_columns(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t.sqlite",
        "create table t (whole, number, text, mixed, bytes, odd, day date, moment datetime, "
        "flag boolean, early date, none);"
        "insert into t values (1, 1.5, 'x', 1, x'00', x'00', '2020-01-31', '2020-01-31 10:00:00', "
        "1, '2020-01-31', null);"
        "insert into t values (2, 2, 'y', 'z', x'ff', 'z', '2020-02-01', '2020-02-01', 0, 'soon', "
        "null);",
    )
    kinds = {name: str(kind) for name, kind in schema_of(path).items()}
    assert set(kinds.values()) == {"string"}  # a type that is declared counts where a rule reads it
    rules = candling.parse_constraints("key(day, moment, flag, early, whole)")
    table = open_table(path, rules=rules)
    assert {name: str(kind) for name, kind in table.schema.items() if kind != "string"} == {
        "day": "date",
        "moment": "timestamp",
        "flag": "boolean",
        "early": "date",
    }
    assert count_misfits(table) == {"day": 0, "moment": 0, "flag": 0, "early": 1}
    assert candling.exact(path, rules).repair == 1


def test_numbers_and_texts_are_one_where_they_meet(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t.db",
        "create table t (Zip, City); insert into t values (1, 'a'), ('1', 'b'), ('NA', 'c'), "
        "('NA', 'd'), ('', 'e'), ('', 'f');",
    )
    assert candling.exact(path, RULES).repair == 3  # an empty text is a text here
    assert candling.exact(path, RULES, reading=Reading(["NA", ""])).repair == 1
    stated = Reading(types={"Zip": "integer"})
    assert candling.exact(path, RULES, reading=stated).repair == 5  # four cells do not fit


def test_a_number_that_stands_for_null(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t.db",
        "create table t (Zip, City); insert into t values (-99, 'a'), (-99, 'b'), (1, x'2d3939');",
    )
    assert candling.exact(path, RULES).repair == 1
    assert candling.exact(path, RULES, reading=Reading(["-99"])).repair == 0


def test_which_table(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t.sqlite3",
        'create table "a b" (Zip, City); create table computed (Zip, City as (Zip + 1));'
        "create view v as select 1 as Zip, 2 as City;"
        + ("create virtual table f using fts5(Zip, City);" if _has_fts5() else ""),
    )
    assert candling.exact(path, RULES, table="a b").rows == 0
    for table in ("computed", "v", *(["f"] if _has_fts5() else [])):
        with pytest.raises(candling.DataError) as caught:
            candling.exact(path, RULES, table=table)
        assert caught.value.code == "D115"
    assert candling.exact(path, RULES, table="view:v").rows == 1
    with pytest.raises(candling.DataError, match="a b, computed") as caught:
        candling.exact(path, RULES)
    assert caught.value.code == "D104"


def _has_fts5() -> bool:
    with sqlite3.connect(":memory:") as connection:
        options = [name for (name,) in connection.execute("pragma compile_options")]
    return "ENABLE_FTS5" in options


def test_nothing_outside_of_the_file_is_reached(tmp_path: Path) -> None:
    other = write(tmp_path / "other.db", "create table t (Zip, City)")
    path = write(
        tmp_path / "t.db",
        "create table t (Zip, City); create view files as select load_extension('x') as Zip, "
        "2 as City;",
    )
    with pytest.raises(candling.DataError) as caught:
        candling.exact(path, RULES, table="view:files")
    assert caught.value.code == "D103"
    before = other.read_bytes(), path.read_bytes(), sorted(tmp_path.iterdir())
    candling.exact(path, RULES, table="t")
    assert (other.read_bytes(), path.read_bytes(), sorted(tmp_path.iterdir())) == before


def test_a_pipe_beside_it(tmp_path: Path) -> None:
    path = write(tmp_path / "t.db", "create table t (Zip, City)")
    os.mkfifo(tmp_path / "t.db-journal")
    with pytest.raises(candling.DataError, match=r"t.db-journal' is a pipe") as caught:
        candling.exact(path, RULES)
    assert caught.value.code == "D114"


def test_a_log_that_is_not_yet_in_the_file(tmp_path: Path) -> None:
    writer = sqlite3.connect(tmp_path / "t.db")
    writer.execute("pragma journal_mode = wal")
    writer.execute("create table t (Zip, City)")
    writer.execute("insert into t values (1, 'a'), (1, 'b')")
    writer.commit()
    assert candling.exact(tmp_path / "t.db", RULES).repair == 1
    writer.close()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"Quill, not a database", "is not a SQLite file"),
        (b"SQLite format 3\0" + b"Quill" * 400, "cannot be read|is not a SQLite file"),
    ],
)
def test_damaged_files(content: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "t.sqlite").write_bytes(content)
    with pytest.raises(candling.DataError, match=words) as caught:
        candling.exact(tmp_path / "t.sqlite", RULES)
    assert caught.value.code == "D103"
    assert "Quill" not in repr(caught.value).replace(str(tmp_path), "")


def test_texts_that_are_none(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t.db",
        "create table t (Zip, City); insert into t values (1, cast(x'ff41' as text));",
    )
    assert candling.exact(path, "Zip -> City\nCity != 'x'").repair == 0


def test_a_duckdb_file_may_have_the_same_ending(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "t.db")) as connection:
        connection.execute("create table t as select 1 as Zip, unnest(['a', 'b']) as City")
    assert candling.exact(tmp_path / "t.db", RULES).repair == 1


def test_many_rows(tmp_path: Path) -> None:
    path = write(
        tmp_path / "t.db",
        "create table t (Zip, City); "
        "with recursive n(i) as (select 0 union all select i + 1 from n where i < 119999) "
        "insert into t select i / 2, i % 2 from n;",
    )
    assert candling.exact(path, RULES).repair == 60_000


@pytest.mark.parametrize(
    "sql",
    [
        "attach ':memory:' as o",
        "create temp table x (a)",
        "pragma query_only = off",
        "delete from t",
    ],
)
def test_the_connection_can_only_read(sql: str, tmp_path: Path) -> None:
    place = find(write(tmp_path / "t.db", "create table t (Zip, City)"))
    connection = connect_sqlite(place)
    read_sqlite(connection, "t", place, ())
    with pytest.raises(sqlite3.DatabaseError):
        connection.execute(sql)
    connection.close()
