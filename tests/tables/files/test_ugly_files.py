"""Files as they are: one ugly feature each, and what a person would expect to happen.

Every file holds the same three rows, of which one must go under `Zip -> City`, unless its feature
says otherwise. The table in docs/files.md is made of this one (CANDLING_UPDATE_GOLDEN=1).
"""

from __future__ import annotations

import codecs
import gzip
import os
import re
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

import openpyxl  # type: ignore[import-untyped]
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import candling
from candling.reading import Reading

PAGE = Path(__file__).parents[3] / "docs" / "files.md"
BEGIN, END = "<!-- outcomes: begin -->\n", "<!-- outcomes: end -->\n"
SECRET = "Quill"  # in a cell of every bad line: no message holds it
TABLE = "Zip,City\n21701,Frederick\n21701,Fredrick\n25301,Charleston\n"
PLAIN = TABLE.encode()
WESTERN = "Zip,City\n80331,München\n80331,Muenchen\n25301,Charleston\n"
ROWS = [("Zip", "City"), (21701, "Frederick"), (21701, "Fredrick"), (25301, "Charleston")]


@dataclass(frozen=True)
class Ugly:
    """A file, how it is read, and what happens: rows and repair, or an error."""

    feature: str
    name: str
    content: bytes | Callable[[Path], None]
    rows: int = 3
    repair: int = 1
    reading: dict[str, Any] = field(default_factory=dict)
    table: str | None = None
    rules: str = "Zip -> City"
    code: str | None = None  # of the error
    words: str = ""  # that the error, the warning or the page has
    fix: str = ""  # what the page says that one does about it


def sheet(*rows: tuple[Any, ...], more: tuple[str, ...] = ()) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        book = openpyxl.Workbook()
        page = book.active
        page.title = "visits"
        for row in rows:
            page.append(row)
        for name in more:
            book.create_sheet(name)
        book.save(path)

    return write


def database(sql: str, *rows: tuple[Any, ...]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        with sqlite3.connect(path) as connection:
            connection.executescript(sql)
            connection.executemany("insert into visits values (?, ?)", rows)
        connection.close()

    return write


UGLY = [
    # Encodings
    Ugly("UTF-8 with a byte order mark", "bom.csv", codecs.BOM_UTF8 + PLAIN),
    Ugly("UTF-16 with a byte order mark", "utf16.csv", WESTERN.encode("utf-16")),
    Ugly(
        "UTF-16 without one",
        "bare16.csv",
        WESTERN.encode("utf-16-le"),
        code="D103",
        words="UTF-16 without a byte order mark",
        fix="`--encoding utf-16-le`",
    ),
    Ugly(
        "Latin-1, not stated",
        "latin.csv",
        f"{WESTERN}1,{SECRET} ü\n".encode("latin-1"),
        code="D103",
        words="is not text in UTF-8 (line 2)",
        fix="`--encoding latin-1`",
    ),
    Ugly(
        "Latin-1",
        "latin-stated.csv",
        WESTERN.encode("latin-1"),
        reading={"encoding": "latin-1"},
    ),
    Ugly(
        "Windows-1252, packed",
        "western.csv.gz",
        gzip.compress(WESTERN.replace("Charleston", "€").encode("cp1252")),
        reading={"encoding": "cp1252"},
    ),
    Ugly(
        "Shift JIS, said to be UTF-16",
        "japan.csv",
        "Zip,City\n1,日本\n1,東京\n".encode("shift_jis") + b"x",
        reading={"encoding": "utf-16"},
        code="D103",
        words="is not text in UTF-16",
        fix="`--encoding shift_jis`",
    ),
    Ugly("A NUL byte in a cell", "nul.csv", PLAIN.replace(b"Charleston", b"Charles\0ton")),
    # What separates cells and lines
    Ugly("Semicolons", "semicolons.csv", PLAIN.replace(b",", b";")),
    Ugly("Tabs", "tabs.tsv", PLAIN.replace(b",", b"\t")),
    Ugly("Pipes", "pipes.txt", PLAIN.replace(b",", b"|")),
    Ugly(
        "Another character between cells",
        "carets.csv",
        PLAIN.replace(b",", b"^"),
        reading={"delimiter": "^"},
    ),
    Ugly(
        "A comma in every cell of a file with semicolons",
        "commas.csv",
        b"Zip;City, State, County\n1,5;Frederick, MD\n1,5;Fredrick, MD\n",
        rows=2,
        rules='Zip -> "City, State, County"',
        reading={"delimiter": ";"},
    ),
    Ugly("Windows line ends", "windows.csv", PLAIN.replace(b"\n", b"\r\n")),
    Ugly("Old Mac line ends", "mac.csv", PLAIN.replace(b"\n", b"\r")),
    Ugly(
        "Line ends of two systems, mixed",
        "mixed-ends.csv",
        f"Zip,City\r\n1,{SECRET}\n1,b\r\n".encode(),
        code="D103",
        words="mixes Windows and Unix line endings (line 2)",
        fix="`dos2unix`",
    ),
    Ugly("No line end at the end", "no-end.csv", PLAIN.rstrip(b"\n")),
    Ugly(
        "A line break in quotes",
        "broken.csv",
        PLAIN.replace(b"Charleston", b'"Charles\nton"'),
    ),
    Ugly("Quotes in quotes", "quotes.csv", PLAIN.replace(b"Charleston", b'"the ""C"", WV"')),
    Ugly("A quote in the middle of a cell", "inch.csv", PLAIN.replace(b"Charleston", b'5" pipe')),
    Ugly(
        "A quote that is not closed",
        "unclosed.csv",
        PLAIN.replace(b"Fredrick", f'"{SECRET}'.encode()),
        code="D103",
        words="has a quote that is not closed (line 3)",
        fix="close it",
    ),
    Ugly(
        "The same in a long file",
        "long.csv",
        PLAIN.replace(b"Fredrick", f'"{SECRET}'.encode()) + b"21701,x\n" * 300_000,
        code="D103",
        words="has a cell of more than 2,000,000 characters (line 3)",
        fix="close the quote",
    ),
    Ugly(
        "Text after a closing quote",
        "behind.csv",
        PLAIN.replace(b"Fredrick", f'"{SECRET}" {SECRET}'.encode()),
        code="D103",
        words="has text after a closing quote (line 3)",
        fix="double the quotes within a cell",
    ),
    # Lines that are no rows
    Ugly("Empty lines", "empty-lines.csv", b"\n" + PLAIN.replace(b"\n2", b"\n\n2") + b"\n\n"),
    Ugly(
        "A line with a cell too many",
        "wide.csv",
        PLAIN.replace(b"Fredrick", f"{SECRET},MD".encode()),
        code="D103",
        words="has a line that does not have 2 cells like its first line (line 3)",
        fix="put cells with separators in quotes",
    ),
    Ugly(
        "A line with a cell too few",
        "narrow.csv",
        PLAIN.replace(b"21701,Fredrick", SECRET.encode()),
        code="D103",
        words="has a line that does not have 2 cells like its first line (line 3)",
        fix="complete the line",
    ),
    Ugly(
        "A total below the table",
        "footer.csv",
        PLAIN + f"Total: 3 {SECRET}\n".encode(),
        code="D103",
        words="ends with a line that does not have 2 cells like its first line (line 5)",
        fix="remove it",
    ),
    Ugly(
        "A title above the table",
        "title.csv",
        f"Visits of {SECRET}\n".encode() + PLAIN,
        code="R205",
        words="remove titles above it",
        fix="remove it",
    ),
    # Names of columns
    Ugly(
        "No line with names",
        "headless.csv",
        PLAIN.partition(b"\n")[2],
        reading={"header": False},
        rules="column0 -> column1",
        fix="rules name `column0`, `column1`, ...",
    ),
    Ugly(
        "Two columns with one name",
        "twice.csv",
        b"Zip,City,Zip\n1,a,2\n1,b,3\n",
        code="D105",
        words="Columns 1 and 3 of",
        fix="rename one",
    ),
    Ugly(
        "Names that differ in case only",
        "case.csv",
        b"Zip,City,CITY\n1,a,2\n1,b,3\n",
        code="D105",
        words="differ in case only, 'CITY', 'City'",
        fix="rename one",
    ),
    Ugly(
        "A column without a name, as pandas writes its index",
        "index.csv",
        b",Zip,City\n0,1,a\n1,1,b\n",
        rows=2,
        fix="it is called `column0`",
    ),
    # Values
    Ugly("An empty cell and an empty text", "empties.csv", b'Zip,City\n1,a\n1,\n1,""\n', repair=0),
    Ugly(
        "NA and NULL for missing values",
        "missing.csv",
        b"Zip,City\n1,a\n1,NA\n1,NULL\n",
        repair=0,
        reading={"null": ["NA", "N/A", "NULL"]},
    ),
    Ugly(
        "NA in a column of numbers",
        "numbers.csv",
        b"Zip,City,Age\n1,a,50\n1,a,NA\n2,b,-3\n",
        reading={"null": ["NA"]},
        rules="not(t1.Age < 0)",
    ),
    Ugly(
        "Zip codes that begin with 0", "zeros.csv", b"Zip,City\n01234,a\n1234,b\n", rows=2, repair=0
    ),
    Ugly(
        "The same, and they are numbers",
        "padded.csv",
        b"Zip,City\n01234,a\n1234,b\n",
        rows=2,
        reading={"types": {"Zip": "integer"}},
    ),
    Ugly(
        "A word in a column of numbers",
        "word.csv",
        f"Zip,City\n1,a\n1,b\n{SECRET},c\n{SECRET},d\n".encode(),
        rows=4,
        repair=3,
        reading={"types": {"Zip": "integer"}},
        fix="two of them because a word is not an integer",
    ),
    Ugly(
        "European dates",
        "dates.csv",
        b"Zip,City,Born\n1,a,31.12.1999\n1,a,01.02.2030\n",
        rows=2,
        repair=2,
        rules="not(t1.Born > 2025-01-01)",
        fix="a rule with a date asks for dates as 2020-01-31, and neither is one",
    ),
    Ugly(
        "The same with their type",
        "european.csv",
        b"Zip,City,Born\n1,a,31.12.1999\n1,a,01.02.2030\n",
        rows=2,
        rules="not(t1.Born > 2025-01-01)",
        reading={"types": {"Born": "date(%d.%m.%Y)"}},
    ),
    Ugly(
        "A decimal comma",
        "comma.csv",
        b'Zip,City,Price\n1,a,"1,50"\n2,b,"-2,5"\n',
        rows=2,
        rules="Price > 0",
        reading={"types": {"Price": "number(decimal ',')"}},
    ),
    Ugly(
        "A decimal comma that is not stated",
        "points.csv",
        b'Zip,City,Price\n1,a,"1,50"\n2,b,"-2,5"\n',
        rows=2,
        repair=2,
        rules="Price > 0",
        fix="neither is a number",
    ),
    Ugly(
        "Dates that could be European or American",
        "ambiguous.csv",
        b"Zip,City,Born\n1,a,01/02/2020\n1,a,03/01/2020\n",
        rows=2,
        rules="not(t1.Born > 2020-01-31)",
        reading={"types": {"Born": "date(%d/%m/%Y)"}},
    ),
    Ugly(
        "Dates in two forms",
        "two-forms.csv",
        b"Zip,City\n2020-12-31,a\n31.12.2020,b\n31.12.2020,c\n",
    ),
    Ugly("Thousands with commas", "thousands.csv", b'Zip,City\n"1,234",a\n"1,234",b\n', rows=2),
    # Packed, and other kinds of files
    Ugly("gzip", "packed.csv.gz", gzip.compress(PLAIN)),
    Ugly("Zstandard", "packed.csv.zst", pa.compress(PLAIN, "zstd", asbytes=True)),
    Ugly(
        "An option that does not apply",
        "t.parquet",
        lambda path: pq.write_table(pa.table({"Zip": [1], "City": ["a"]}), path),
        reading={"delimiter": ";"},
        code="U109",
        words="--delimiter (for CSV) does not apply to",
        fix="leave it out",
    ),
    Ugly("Excel", "sheet.xlsx", sheet(*ROWS)),
    Ugly(
        "Excel: empty rows, a cell of another type, dates",
        "odd.xlsx",
        sheet(
            ("Zip", "City", "Born", None),
            (21701, "Frederick", date(1999, 12, 31), 1),
            (),
            ("21701", "Fredrick", datetime(2030, 1, 1, 12), None),  # noqa: DTZ001 - as Excel has it
            ("n/a", "x", None, None),
        ),
        reading={"null": ["n/a"]},
        rules="Zip -> City",
    ),
    Ugly(
        "Excel: several sheets",
        "sheets.xlsx",
        sheet(*ROWS, more=("notes",)),
        code="D104",
        words="has several sheets; name one with --table (there: visits, notes)",
        fix="`--table visits`",
    ),
    Ugly(
        "SQLite", "clinic.sqlite", database("create table visits (Zip int, City text)", *ROWS[1:])
    ),
    Ugly(
        "SQLite: numbers and texts in one column",
        "loose.db",
        database("create table visits (Zip, City)", (21701, "a"), ("21701", "b"), ("x", None)),
    ),
    Ugly(
        "SQLite: a view",
        "view.db",
        database(
            "create table visits (Zip, City); create view v as select * from visits", (1, "a")
        ),
        table="v",
        code="D115",
        words="--table view:v",
        fix="`--table view:v`, if you know what it computes",
    ),
]


def written(case: Ugly, folder: Path) -> Path:
    path = folder / case.name
    if isinstance(case.content, bytes):
        path.write_bytes(case.content)
    else:
        case.content(path)
    return path


@pytest.mark.parametrize("case", UGLY, ids=[case.name for case in UGLY])
def test_what_happens(case: Ugly, tmp_path: Path) -> None:
    path = written(case, tmp_path)
    rules = candling.parse_constraints(case.rules)
    reading = Reading(**case.reading)
    if case.code is None:
        found = candling.exact(path, rules, table=case.table, reading=reading)
        assert (found.rows, found.repair_exact) == (case.rows, case.repair)
        return
    with pytest.raises(candling.CandlingError) as caught:
        candling.exact(path, rules, table=case.table, reading=reading)
    assert caught.value.code == case.code
    assert case.words in str(caught.value)
    assert SECRET not in repr(caught.value)
    assert path.name in str(caught.value) or case.code.startswith("R")


@pytest.mark.parametrize("case", UGLY, ids=[case.name for case in UGLY])
def test_a_release_is_told_no_line_and_no_number(case: Ugly, tmp_path: Path) -> None:
    path = written(case, tmp_path)
    rules = candling.parse_constraints(case.rules)
    reading = Reading(**case.reading)
    if case.code is None:
        candling.release(path, rules, 1, measures=["repair"], reading=reading)
        return
    with pytest.raises(candling.CandlingError) as caught:
        candling.release(path, rules, 1, measures=["repair"], table=case.table, reading=reading)
    assert caught.value.code == case.code
    assert SECRET not in repr(caught.value)
    assert re.search(r"line \d", str(caught.value).replace(str(tmp_path), "")) is None


def test_there_are_forty_of_them() -> None:
    assert len(UGLY) >= 40
    assert len({case.name for case in UGLY}) == len(UGLY)


def outcomes() -> str:
    """The table of the page."""
    lines = ["| the file | options | what happens |", "|---|---|---|"]
    for case in UGLY:
        if case.code is None:
            happens = f"{case.rows} rows, {case.repair or 'none'} to remove"
            happens += f"; {case.fix}" if case.fix else ""
        else:
            link = f"[{case.code}](reference/errors.md#{case.code.lower()})"
            happens = f"{link}: … {_code(case.words)} …: {case.fix}"
        options = _options(case)
        lines.append(f"| {case.feature} | {_code(options) if options else ''} | {happens} |")
    return "\n".join(lines) + "\n"


def _options(case: Ugly) -> str:
    from candling.cli import options

    words = options.arguments(Reading(**case.reading))
    words += ["--table", case.table] if case.table is not None else []
    return " ".join(f"'{word}'" if re.search(r"[^\w=.,/-]", word) else word for word in words)


def _code(text: str) -> str:
    return "`" + text.replace("|", "\\|") + "`"


def test_the_page_says_what_happens() -> None:
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    expected = f"{before}{BEGIN}{outcomes()}{END}{after}"
    if os.environ.get("CANDLING_UPDATE_GOLDEN"):
        PAGE.write_text(expected, encoding="utf-8")
    assert page == expected
