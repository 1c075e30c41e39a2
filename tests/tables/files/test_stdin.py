"""Standard input as a table."""

from __future__ import annotations

import errno
import gzip
import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import candling
from candling.tables.files.paths import kind_of
from tests.tables.files.test_ugly_files import PLAIN, ROWS, database, sheet

RULES = candling.parse_constraints("Zip -> City")


class Piped(io.BytesIO):
    """Standard input as a pipe gives it."""

    @property
    def buffer(self) -> Piped:
        return self

    def seek(self, *_: int) -> int:
        raise OSError("a pipe")


def piped(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Piped(content))


def made(write: Callable[[Path], None], path: Path) -> bytes:
    write(path)
    return path.read_bytes()


def _parquet(path: Path) -> None:
    pq.write_table(pa.table({"Zip": [1, 1, 2], "City": ["a", "b", "c"]}), path)


def _duckdb(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "create table visits as select 1 as Zip, unnest(['a', 'b', 'c']) as City"
        )


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("csv", PLAIN),
        ("csv.gz", gzip.compress(PLAIN)),
        ("csv.zst", pa.compress(PLAIN, "zstd", asbytes=True)),
        ("utf-16", PLAIN.decode().encode("utf-16")),
        ("json", b' [{"Zip": 1, "City": "a"}, {"Zip": 1, "City": "b"}, {"Zip": 2}]'),
        ("jsonl", b'{"Zip": 1, "City": "a"}\n{"Zip": 1, "City": "b"}\n{"Zip": 2}\n'),
        ("parquet", _parquet),
        ("xlsx", sheet(*ROWS)),
        ("sqlite", database("create table visits (Zip, City)", *ROWS[1:])),
    ],
    ids=lambda part: part if isinstance(part, str) else "",  # bytes hold the time they were made
)
def test_its_first_bytes_say_what_it_is(
    name: str,
    content: bytes | Callable[[Path], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    piped(content if isinstance(content, bytes) else made(content, tmp_path / "made"), monkeypatch)
    for _ in range(2):  # it is read once, and can be asked for again
        assert (candling.exact("-", RULES).rows, candling.exact("-", RULES).repair) == (3, 1)


def test_a_duckdb_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    piped(made(_duckdb, tmp_path / "made.duckdb"), monkeypatch)
    assert candling.exact("-", RULES).repair == 2


def test_what_says_nothing_is_csv() -> None:
    assert kind_of(b"Zip,City\n1,[a]\n") == (".csv", "csv")
    assert kind_of(b"") == (".csv", "csv")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "standard input is empty"),
        (b"Zip,City\n1,2\nQuill\n1,2\n", "standard input has a line that does not have 2 cells"),
        (b"PAR1Quill", "standard input cannot be read as"),
        (b"Zip,Zip\n", "Columns 1 and 2 of standard input have the same name"),
    ],
)
def test_what_is_wrong(content: bytes, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    piped(content, monkeypatch)
    with pytest.raises(candling.DataError) as caught:
        candling.exact("-", RULES)
    assert words in str(caught.value)
    assert "Quill" not in str(caught.value)


def test_no_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(candling.DataError, match="is a terminal, or closed") as caught:
        candling.exact("-", RULES)
    assert caught.value.code == "D101"


def test_other_engines_do_not_read_it() -> None:
    with pytest.raises(candling.UsageError, match="not on spark") as caught:
        candling.exact("-", RULES, engine="spark")
    assert caught.value.code == "U107"


def test_a_file_called_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("-").write_text("a,b\n1,2\n")
    with pytest.raises(candling.DataError, match="does not show what kind"):
        candling.exact("./-", RULES)


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    """The private file is removed when the process ends, also after an error."""
    (tmp_path / "rules.txt").write_text("Zip -> City\n")
    command = [sys.executable, "-m", "candling.cli", "exact", "-", "rules.txt", "--json"]
    for content, code in ((PLAIN, 0), (b"a,b\n1\n", 2)):
        done = subprocess.run(
            [sys.executable, "-c", f"from candling.cli import main; main({command[3:]!r})"],
            input=content,
            cwd=tmp_path,
            env={"TMPDIR": str(tmp_path), "PYTHONPATH": ":".join(sys.path), "NUMBA_CACHE_DIR": ""},
            capture_output=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["rules.txt"]


def test_a_full_disk_for_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t.csv").write_bytes(PLAIN.decode().encode("utf-16"))

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("candling.tables.files.text.write_unnamed", fail)
    with pytest.raises(candling.DataError, match="needs more room for copies") as caught:
        candling.exact(tmp_path / "t.csv", RULES)
    assert caught.value.code == "D103"
