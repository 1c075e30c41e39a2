"""Files that somebody else made: damaged, not files at all, or reaching for something outside."""

from __future__ import annotations

import io
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from pyarrow import feather, ipc

import candling
from candling.tables import schema_of
from candling.tables.backends.duckdb import connect

ROWS = pa.table({"Zip": [1, 1, 2, 2], "City": ["here", "there", "Quill-1", "Quill-1"]})
RULES = candling.parse_constraints("Zip -> City")
MEASURE = """
import sys, candling
try:
    candling.exact(sys.argv[1], candling.parse_constraints("Zip -> City"))
except candling.DataError as error:
    sys.exit(f"{error.code} {error}")
"""


def refused(path: Path | str, code: str, words: str = "", *, table: str | None = None) -> None:
    with pytest.raises(candling.DataError) as caught:
        candling.exact(path, RULES, table=table)
    assert caught.value.code == code
    assert words in str(caught.value)
    assert "Quill" not in str(caught.value)


# Arrow


def _written(writer: Callable[..., object], table: pa.Table = ROWS) -> bytes:
    sink = io.BytesIO()
    with writer(sink, table.schema) as out:  # type: ignore[attr-defined]
        out.write_table(table)
    return sink.getvalue()


@pytest.mark.parametrize("writer", [ipc.new_file, ipc.new_stream])
def test_an_offset_that_points_elsewhere(writer: Callable[..., object], tmp_path: Path) -> None:
    """It ended the process: DuckDB follows it."""
    offsets = b"".join(n.to_bytes(4, "little") for n in (0, 4, 9, 16, 23))
    content = _written(writer)
    assert content.count(offsets) == 1
    path = tmp_path / "t.arrow"
    path.write_bytes(content)
    assert candling.exact(path, RULES).repair == 1
    far = b"".join(n.to_bytes(4, "little") for n in (0, 4, 9, 2**31 - 9, 2**31 - 1))
    path.write_bytes(content.replace(offsets, far))
    run = subprocess.run(
        [sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 1
    assert run.stderr.startswith(f"D103 {str(path)!r} cannot be read as the kind")


def test_arrow_objects_are_checked_too() -> None:
    far = pa.array([0, 1, 2**30], pa.int32())
    wrong = pa.DictionaryArray.from_arrays(far, pa.array(["here", "there"]), safe=False)
    for data in (
        pa.table({"Zip": [1, 1, 2], "City": wrong}),
        pa.record_batch({"Zip": pa.array([1, 1, 2]), "City": wrong}),
        pa.table({"Zip": [1, 1, 2], "City": wrong}).to_reader(),
    ):
        with pytest.raises(candling.DataError) as caught:
            candling.exact(data, RULES)
        assert caught.value.code == "D103"


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.filterwarnings("ignore:Feather V1:DeprecationWarning")
def test_feather_of_both_versions(tmp_path: Path, version: int) -> None:
    feather.write_feather(ROWS, str(tmp_path / "t.feather"), version=version)
    assert candling.exact(tmp_path / "t.feather", RULES).repair == 1


def test_names_that_are_not_text(tmp_path: Path) -> None:
    path = tmp_path / "t.arrow"
    path.write_bytes(_written(ipc.new_file).replace(b"City", b"\xff\xfe\xfd\xfc"))
    refused(path, "D103", "cannot be read")


# What is not a file


@pytest.fixture
def short() -> Path:
    """A folder with a path short enough for a socket."""
    return Path(tempfile.mkdtemp())


@pytest.mark.parametrize("ending", ["csv", "parquet", "json", "arrow", "duckdb"])
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path, ending: str) -> None:
    os.mkfifo(tmp_path / f"t.{ending}")
    refused(tmp_path / f"t.{ending}", "D114", "is a pipe")
    (tmp_path / f"link.{ending}").symlink_to(tmp_path / f"t.{ending}")
    refused(tmp_path / f"link.{ending}", "D114", "is a pipe")
    if ending not in ("arrow", "duckdb"):
        refused(tmp_path / f"*.{ending}", "D114", "is a pipe")


def test_spark_waits_for_no_pipe(tmp_path: Path) -> None:
    from candling.tables.backends.spark import _path

    os.mkfifo(tmp_path / "t.csv")
    for name in ("t.csv", "*.csv"):
        with pytest.raises(candling.DataError) as caught:
            _path(str(tmp_path / name))
        assert caught.value.code == "D114"
    assert _path(f"{tmp_path}/a\0b.csv").endswith("b.csv")
    (tmp_path / "folder.parquet").mkdir()
    assert _path(str(tmp_path / "folder.parquet")).startswith("file://")


def test_a_link_to_nothing_among_the_files_of_a_pattern(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("Zip,City\n1,x\n")
    (tmp_path / "b.csv").symlink_to("nothing.csv")
    refused(tmp_path / "*.csv", "D101", "b.csv")


def test_devices_sockets_and_directories(short: Path) -> None:
    refused("/dev/null", "D114", "is a device")
    refused("/dev/zero", "D114", "write it to a file first")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(short / "t.csv"))
        refused(short / "t.csv", "D114", "is a socket")
    refused(short, "D102", "is a directory")


def test_a_pipe_beside_a_database(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("create table t as select 1 as Zip, 'x' as City")
    os.mkfifo(tmp_path / "t.duckdb.wal")
    refused(tmp_path / "t.duckdb", "D114", "t.duckdb.wal' is a pipe")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("t\0.csv", "NUL"),
        ("~nosuchuser/t.csv", "The file '~nosuchuser/t.csv' does not exist"),
        ("~nosuchuser/*.csv", "No file fits"),
        ("nothing-*.csv", "No file fits"),
        ("http://127.0.0.1:9/t.csv", "'http://...' is an address"),
        ("https://user:word@example.org/*.parquet", "'https://...' is an address"),
        ("s3://bucket/t.parquet", "download it"),
        ("file:///etc/passwd.csv", "is an address"),
        ("t\udcff.csv", "not UTF-8"),
        ("x" * 300 + ".csv", "name too long"),
        ("", "does not exist"),
    ],
)
def test_names_that_are_no_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if name:
        refused(name, "D101", words)
    else:
        refused(name, "D102")


def test_a_link_to_itself(tmp_path: Path) -> None:
    (tmp_path / "t.csv").symlink_to("t.csv")
    refused(tmp_path / "t.csv", "D101", "cannot be accessed")


# DuckDB and what it reaches


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A file with a table, and all that a file can compute."""
    (tmp_path / "secret.csv").write_text("Zip,City\n1,Quill-1\n1,Quill-2\n")
    path = tmp_path / "t.duckdb"
    outside = f"read_csv('{tmp_path / 'secret.csv'}')"
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table visits as select 1 as Zip, 'x' as City")
        connection.execute("insert into visits values (1, 'y')")
        connection.execute("create view own as select * from visits")
        connection.execute(f"create view outside as select * from {outside}")
        connection.execute("create view shell as select * from glob('/etc/*')")
        connection.execute(
            "create table chance (Zip int, City double generated always as (random()))"
        )
        connection.execute(f"create macro epoch_us(x) as (select max(City) from {outside})")
        connection.execute(f"create macro isnan(x) as (select count(*) > 0 from {outside})")
        connection.execute("create table places (Zip int, City varchar, place geometry)")
        connection.execute("insert into places values (1, 'x', null), (1, 'y', null)")
        connection.execute("create table plain (Zip double, City timestamp)")
        connection.execute("insert into plain values (1, '2020-01-01'), (1, '2021-01-01')")
    return path


def test_tables_are_measured(database: Path) -> None:
    for name in ("visits", "places", "plain"):  # macros of the file replace no function of ours
        assert candling.exact(database, RULES, table=name).repair == 1


def test_what_is_computed_needs_a_word(database: Path) -> None:
    for name in ("own", "outside", "shell", "chance"):
        refused(database, "D115", f"--table view:{name}", table=name)
    assert candling.exact(database, RULES, table="view:own").repair == 1
    refused(database, "D104", "has no table 'nothing'", table="view:nothing")
    refused(database, "D104", "(there: chance, outside, own, ", table=None)


def test_even_then_nothing_outside_of_the_file_is_read(database: Path) -> None:
    for name in ("outside", "shell"):
        refused(database, "D103", "reads another file or the network", table=f"view:{name}")


def test_a_lone_view_is_no_table(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("create view alone as select 1 as Zip, 'x' as City")
    refused(tmp_path / "t.duckdb", "D115", "view:alone")
    assert candling.exact(tmp_path / "t.duckdb", RULES, table="view:alone").rows == 1


def test_a_table_whose_name_looks_like_the_word(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute('create table "view:a" as select 1 as Zip, 2 as City')
        connection.execute("create view a as select 1 as Zip, 2 as City from range(9)")
    assert candling.exact(tmp_path / "t.duckdb", RULES, table="view:a").rows == 1


def test_files_of_other_programs_and_encrypted_ones(tmp_path: Path) -> None:
    import sqlite3

    with sqlite3.connect(tmp_path / "lite.duckdb") as connection:
        connection.execute("create table t (a)")
    refused(tmp_path / "lite.duckdb", "D103", "cannot be read")
    with duckdb.connect() as writer:
        path = tmp_path / "locked.duckdb"
        try:
            writer.execute(f"attach '{path}' as locked (encryption_key 'word')")
        except duckdb.Error:
            pytest.skip("this DuckDB writes no encrypted files")
        writer.execute("create table locked.t as select 1 as Zip, 2 as City")
        writer.execute("detach locked")
    refused(path, "D103", "is encrypted")


@pytest.mark.parametrize(
    "query",
    [
        "from read_text('{folder}/secret.txt')",
        "from read_csv('{folder}/secret.txt')",
        "from '{folder}/other.parquet'",
        "from glob('{folder}/*')",
        "from 'http://127.0.0.1:9/t.csv'",
        "from read_parquet('s3://bucket/t.parquet')",
        "attach '{folder}/other.duckdb'",
        "copy (select 1) to '{folder}/written.csv'",
        "export database '{folder}/exported'",
        "install spatial",
        "load spatial",
        "set enable_external_access = true",
        "set autoinstall_known_extensions = true",
        "set lock_configuration = false",
        "set memory_limit = '90GB'",
        "set temp_directory = '{folder}'",
        "reset allowed_paths",
        "create persistent secret s (type s3)",
        "from a_frame",
        "select getenv('HOME')",
    ],
)
def test_the_embedded_duckdb_is_closed(tmp_path: Path, query: str) -> None:
    a_frame = ROWS  # a variable that DuckDB would look for
    (tmp_path / "secret.txt").write_text("a,b\n1,2\n")
    with duckdb.connect(str(tmp_path / "other.duckdb")) as other:
        other.execute("create table t as select 1 as a")
        other.execute(f"copy t to '{tmp_path / 'other.parquet'}'")
    backend = connect(files=[tmp_path / "allowed.csv"])
    with pytest.raises(duckdb.Error):
        backend.con.execute(query.format(folder=tmp_path)).fetchall()
    assert not (tmp_path / "written.csv").exists()
    del a_frame


def test_a_file_of_the_table_is_read_and_its_neighbours_are_not(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("Zip,City\n1,x\n1,y\n")
    con = connect(files=[tmp_path / "a.csv"]).con
    assert con.execute(f"from '{tmp_path / 'a.csv'}'").fetchall() == [(1, "x"), (1, "y")]
    with pytest.raises(duckdb.PermissionException):
        con.execute(f"from '{tmp_path / 'b.csv'}'")


def test_every_connection_of_ours_is_closed() -> None:
    """One function makes them."""
    sources = Path(candling.__file__).parent.rglob("*.py")
    made = [p.name for p in sources if "duckdb.connect(" in p.read_text(encoding="utf-8")]
    assert made == ["duckdb.py"]


def test_a_geometry_downloads_nothing(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("create table t (Zip int, place geometry)")
    kinds = schema_of(tmp_path / "t.duckdb")
    assert [kind.name for kind in kinds.values()] == ["NUMBER", "OTHER"]


def test_columns_that_are_text_unless_their_type_is_stated(tmp_path: Path) -> None:
    path = tmp_path / "ids.csv"
    path.write_text("id\n1.5\n1.50\n", encoding="utf-8")
    assert candling.exact(path, "key(id)").drastic == 0
    stated = candling.Reading(types={"id": "number"})
    assert candling.exact(path, "key(id)", reading=stated).drastic == 1
    assert candling.exact(path, ["type id: number", "key(id)"]).drastic == 1
