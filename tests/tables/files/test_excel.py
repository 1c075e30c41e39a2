"""Sheets of Excel files."""

from __future__ import annotations

import zipfile
from datetime import date, datetime, time, timedelta
from pathlib import Path

import pytest

import candling
from candling.reading import Reading
from candling.rules import ColumnType
from candling.tables import open_source, schema_of
from candling.tables.backends.duckdb import fetch_duckdb
from tests.tables.files.test_ugly_files import ROWS, sheet

RULES = candling.parse_constraints("Zip -> City")


def test_types_of_columns(tmp_path: Path) -> None:
    moment = datetime(2020, 1, 31, 12)  # noqa: DTZ001 - a sheet has no zones
    sheet(
        ("whole", "number", "text", "mixed", "flag", "day", "moment", "clock", "span", "none"),
        (1, 1.5, "007", 7, True, date(2020, 1, 31), moment, time(3, 4), timedelta(hours=30), None),
        (2, 2, "x", "7", False, date(2020, 2, 1), date(2020, 2, 1), time(5), "x", None),
        (None, None, None, 7.5, None, None, None, None, None, None),
    )(tmp_path / "t.xlsx")
    assert set(schema_of(tmp_path / "t.xlsx").values()) == {ColumnType.STRING}
    source = open_source(tmp_path / "t.xlsx")
    rows = fetch_duckdb(source.connected, f"select whole, text, mixed from {source.rows}")
    assert rows.to_pylist() == [
        {"whole": "1", "text": "007", "mixed": "7"},
        {"whole": "2", "text": "x", "mixed": "7"},
        {"whole": None, "text": None, "mixed": "7.5"},
    ]


def test_stated_types_null_and_no_header(tmp_path: Path) -> None:
    sheet((7, "a", "-"), ("007", "b", "n/a"), ("x", "c", date(2020, 1, 31)))(tmp_path / "t.xlsx")
    reading = Reading(["-", "n/a"], header=False, types={"column0": "integer", "column2": "date"})
    found = candling.exact(
        tmp_path / "t.xlsx", candling.parse_constraints("column0 -> column1"), reading=reading
    )
    assert (found.rows, found.repair_exact) == (3, 2)  # one pair, one cell that does not fit
    late = candling.parse_constraints("not(t1.column2 > 2020-01-01)")
    assert candling.exact(tmp_path / "t.xlsx", late, reading=reading).repair == 1


def test_a_number_that_stands_for_null(tmp_path: Path) -> None:
    sheet(("Zip", "City"), (-99, "a"), (-99, "b"), (1, "c"))(tmp_path / "t.xlsx")
    assert candling.exact(tmp_path / "t.xlsx", RULES).repair == 1
    assert candling.exact(tmp_path / "t.xlsx", RULES, reading=Reading(["-99"])).repair == 0


def test_a_table_that_does_not_begin_in_the_first_cell(tmp_path: Path) -> None:
    sheet((), (), (None, *ROWS[0]), *((None, *row) for row in ROWS[1:]))(tmp_path / "t.xlsx")
    assert candling.exact(tmp_path / "t.xlsx", RULES).repair == 1


def test_names(tmp_path: Path) -> None:
    sheet(("Zip", "City", "Zip"), (1, 2, 3))(tmp_path / "t.xlsx")
    with pytest.raises(candling.DataError, match=r"Columns 1 and 3 of .*t.xlsx") as caught:
        candling.exact(tmp_path / "t.xlsx", RULES)
    assert caught.value.code == "D105"
    sheet(("Zip", None, "City"), (1, "a", "b", "beyond"), (1, "b", "c"))(tmp_path / "t.xlsx")
    assert list(schema_of(tmp_path / "t.xlsx")) == ["Zip", "column1", "City"]  # whatever is beyond


def test_which_sheet(tmp_path: Path) -> None:
    sheet(*ROWS, more=("notes",))(tmp_path / "t.xlsx")
    assert candling.exact(tmp_path / "t.xlsx", RULES, table="visits").repair == 1
    for table, words in ((None, "has several sheets"), ("vists", "has no sheet 'vists'")):
        with pytest.raises(candling.DataError, match=words) as caught:
            candling.exact(tmp_path / "t.xlsx", RULES, table=table)
        assert caught.value.code == "D104"
    with pytest.raises(candling.DataError, match="has no cells"):
        candling.exact(tmp_path / "t.xlsx", RULES, table="notes")


def test_a_part_that_would_fill_the_memory_is_not_unpacked(tmp_path: Path) -> None:
    sheet(*ROWS)(tmp_path / "t.xlsx")
    with zipfile.ZipFile(tmp_path / "t.xlsx", "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/bomb.xml", bytes(70_000_000))
    assert candling.exact(tmp_path / "t.xlsx", RULES, memory="64MB").repair == 1


def test_a_copy_of_the_owner(tmp_path: Path) -> None:
    from candling.owner import write_copy

    sheet(*ROWS)(tmp_path / "t.xlsx")
    write_copy(str(tmp_path / "t.xlsx"), [2], str(tmp_path / "copy.csv"))
    assert (tmp_path / "copy.csv").read_text().splitlines() == [
        "Zip,City",
        "21701,Frederick",
        "25301,Charleston",
    ]
