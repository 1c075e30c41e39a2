"""Cells that are too long: one value each, in every format without types, and little memory."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

import candling
from candling.reading import Reading
from candling.tables import open_table
from candling.tables.files import shorten
from candling.tables.files.shorten import LONGEST_ROW, NotTableError, Shortener
from candling.tables.values import LONGEST_CELL, TOO_LONG
from tests.effort import reduce

RULES = candling.parse_constraints("Zip -> City")
LONG, LONGER, LONGEST = ("x" * (LONGEST_CELL + more) for more in (1, 5, LONGEST_ROW))
FITS = "7" * LONGEST_CELL
ROWS = [("1", LONG), ("1", LONGER), ("1", LONGEST), ("2", FITS), ("2", "7"), ("3", "a,b")]


def _csv(path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("Zip", "City"), *ROWS])


def _packed(path: Path) -> None:
    _csv(path.with_suffix(".plain"))
    path.write_bytes(gzip.compress(path.with_suffix(".plain").read_bytes()))


def _utf_16(path: Path) -> None:
    _csv(path)
    path.write_bytes(path.read_text().encode("utf-16"))


def _json(path: Path) -> None:
    path.write_text(json.dumps([{"Zip": zip_, "City": city} for zip_, city in ROWS]))


def _sqlite(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("create table visits (Zip, City)")
        connection.executemany("insert into visits values (?, ?)", ROWS)
        connection.execute(f"insert into visits values ('1', zeroblob({LONGEST_CELL + 1}))")


@pytest.mark.parametrize(
    ("name", "write", "rows"),
    [
        ("t.csv", _csv, 6),
        ("t.csv.gz", _packed, 6),
        ("wide.csv", _utf_16, 6),
        ("t.json", _json, 6),
        ("t.sqlite", _sqlite, 7),
    ],
)
def test_long_cells_are_equal_and_fit_no_type(
    name: str, write: object, rows: int, tmp_path: Path
) -> None:
    assert callable(write)
    write(tmp_path / name)
    found = candling.exact(tmp_path / name, RULES)
    assert (found.rows, found.repair) == (rows, 1)  # 2 has two cities, 1 has one
    stated = Reading(types={"City": "number"})
    assert candling.exact(tmp_path / name, RULES, reading=stated).repair == rows - 1  # all but 7


def test_an_owner_gets_a_copy_with_whole_cells(tmp_path: Path) -> None:
    from candling.owner import write_copy

    path = tmp_path / "t.csv"
    path.write_text(f"Zip,City\n1,{LONG}\n2,b\n")
    write_copy(str(path), [2], str(tmp_path / "copy.csv"))
    assert (tmp_path / "copy.csv").read_text() == f"Zip,City\n1,{LONG}\n"


def test_a_row_of_many_long_cells(tmp_path: Path) -> None:
    """Each of them is within the limit of a cell; the row is not."""
    names = [f"c{i}" for i in range(9)]
    share = LONGEST_ROW // 18
    rows = [["x" * 900_000] * 9, ["a"] * 9, ["y" * 900_000] * 4 + ["b" * share] * 5]
    (tmp_path / "t.csv").write_text("\n".join(map(",".join, [names, *rows])))
    table = open_table(tmp_path / "t.csv")
    cells = table.groups(["c0", "c8"]).sort_by("c1").to_pylist()
    assert [(row["c0"], row["c1"]) for row in cells] == [
        (TOO_LONG, TOO_LONG),
        ("a", "a"),
        (TOO_LONG, "b" * share),
    ]


def test_a_last_row_that_the_engine_would_leave_out(tmp_path: Path) -> None:
    """DuckDB drops one that does not fit its buffer, without a word."""
    (tmp_path / "t.csv").write_text(f"Zip,City\n1,a\n1,{'x' * 40_000_000}\n")
    found = candling.exact(tmp_path / "t.csv", RULES)
    assert (found.rows, found.repair) == (2, 1)
    (tmp_path / "t.csv").write_text(f'Zip,City\n1,a\n1,"{"x" * 40_000_000}\n')
    with pytest.raises(candling.DataError, match="has a cell of more than 2,000,000"):
        candling.exact(tmp_path / "t.csv", RULES)


def test_a_file_that_is_no_table_is_refused_as_before(tmp_path: Path) -> None:
    for text, words in (
        (f'Zip,City\n1,{LONGEST}\n1,"b\n', "not closed|more than 2,000,000"),
        (f"Zip,City\n1,{LONGEST}\n1,2,3\n", "not of 2 cells|more than 2,000,000"),
    ):
        (tmp_path / "t.csv").write_text(text)
        with pytest.raises(candling.DataError, match=words) as caught:
            candling.exact(tmp_path / "t.csv", RULES)
        assert caught.value.code == "D103"


# The copy


def test_long_rows_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shorten, "LONGEST_ROW", 40)
    random = Random(4)
    letters = ["a", "é", '"', "\n", "\r\n", ",", "€"]
    found = {True: 0, False: 0}
    for _ in range(reduce(4000, 4)):
        monkeypatch.setattr(shorten, "_PIECE", random.randint(5, 30))
        separator = random.choice([",", "€"])
        sizes = (1, 2, 5, random.choice((5, 60)))
        lines = []
        for _ in range(random.randint(1, 9)):
            line = io.StringIO(newline="")
            row = ["".join(random.choices(letters, k=random.choice(sizes))) for _ in range(2)]
            csv.writer(line, delimiter=separator, lineterminator="\n").writerow(row)
            lines.append(line.getvalue().encode())
        suspicious = shorten.may_have_long_rows(io.BytesIO(b"".join(lines)), separator.encode())
        found[suspicious] += 1
        longest = max(map(len, lines))
        assert longest > 40 - 30 if suspicious else longest <= 40  # less a piece
    assert min(found.values()) > 50


def copied(content: bytes, separator: str, columns: int) -> tuple[bytes, int]:
    shortener, target = Shortener(separator.encode(), columns), io.BytesIO()
    shortener.copy(io.BytesIO(content), target)
    return target.getvalue(), shortener.replaced


def parsed(content: bytes, separator: str) -> list[list[str]]:
    text = io.StringIO(content.decode("utf-8-sig"), newline="")
    return [row for row in csv.reader(text, delimiter=separator) if row]


def test_the_copy_has_the_same_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shorten, "LONGEST_ROW", 60)
    monkeypatch.setattr(shorten, "LONGEST_CELL", 20)
    random, short = Random(3), 0
    letters = ["a", "b", "é", '"', "\n", "\r\n", ",", ";", "€", " "]
    for _ in range(reduce(4000, 4)):
        monkeypatch.setattr(shorten, "_PIECE", random.randint(5, 30))
        separator = random.choice([",", ";", "€"])
        columns = random.randint(1, 4)
        cells = (
            "".join(random.choices(letters, k=random.choice((1, 1, 3, 9, 25)))) for _ in range(20)
        )
        rows = [[next(cells) for _ in range(columns)] for _ in range(random.randint(1, 4))]
        written = io.StringIO(newline="")
        ends = random.choice(["\n", "\r\n"])
        csv.writer(written, delimiter=separator, lineterminator=ends).writerows(rows)
        content = random.choice(("", "\ufeff")).encode() + written.getvalue().encode()
        copy, replaced = copied(content, separator, columns)
        if not replaced:
            assert copy == content
            continue
        short += 1
        for before, after in zip(parsed(content, separator), parsed(copy, separator), strict=True):
            assert all(new in (old, TOO_LONG) for old, new in zip(before, after, strict=True))
            assert all(len(cell.encode()) <= 22 for cell in after)
            size = sum(len(cell.encode()) for cell in before) + columns
            if size <= 20:
                assert after == before
            if max(len(cell.encode()) for cell in before) > 23:
                assert TOO_LONG in after
    assert short > 100


@pytest.mark.parametrize("content", ['a,b\n1,"2', "a,b\n1,2,3\n", 'a,b\n"'])
def test_what_is_no_table(content: str) -> None:
    with pytest.raises(NotTableError):
        copied(content.encode(), ",", 2)


MEASURE = """
import re, sys
import candling
found = candling.exact(sys.argv[1], "Zip -> City", memory="500MB")
high = int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1]) // 1024
print(found.rows, high)
"""


def test_memory(tmp_path: Path) -> None:
    """Cells that unpack to more than the limit."""
    paths = [tmp_path / "t.csv.gz", tmp_path / "t.sqlite"]
    with gzip.open(paths[0], "wb", 6) as file:
        file.write(b"Zip,City\n1,a\n1,")
        for _ in range(120):
            file.write(b"x" * 1_000_000)
        file.write(b"\n2,c\n")
    with closing(sqlite3.connect(paths[1])) as connection, connection:
        connection.execute("create table visits (Zip, City)")
        connection.execute("insert into visits values (1, 2), (1, zeroblob(400000000)), (2, 3)")
    for path in paths:
        done = subprocess.run(
            [sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=True
        )
        rows, high = map(int, done.stdout.split())
        assert rows == 3
        assert high < 300  # megabytes; the libraries take 100 of them
