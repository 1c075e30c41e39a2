"""The cells of spreadsheets: as another reader has them, and whatever a file says of itself."""

from __future__ import annotations

import io
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from random import Random
from typing import Any

import pytest
import python_calamine

import candling
from candling.reading import Reading
from candling.tables import schema_of
from candling.tables.files.xlsx import DamagedError, open_book
from candling.tables.values import LONGEST_CELL, TOO_LONG, canonical_text
from tests.effort import reduce
from tests.tables.files.sheets import write_book

RULES = candling.parse_constraints("Zip -> City")
HEAD = '<row r="1"><c r="A1" t="str"><v>Zip</v></c><c r="B1" t="str"><v>City</v></c></row>'
FORMATS = [
    *("General", "0.00", "yyyy-mm-dd", "h:mm:ss", "[h]:mm:ss", "[$-409]mmm yy;@", '"day" 0'),
    *("[Red]0", '0;"d"', "@", 'd"d"', "\\d0", "[ss]", "E+0", "h AM/PM", "_d0", "*d0", "[>100]0"),
    *(";;;", "A/P", "mm:ss.0", "[mm]:ss", "[hm]", "[h", '"', "\\"),
]
STRINGS = (
    "<si><t>a</t></si><si><r><t>x </t></r><r><t xml:space='preserve'> y</t></r><rPh sb='0' eb='1'>"
    "<t>PH</t></rPh></si><si><t>_x0041_B_x000D_</t></si><si><t> lead </t></si><si/><si><t/></si>"
    "<si><t>&#10;l\r\nm&amp;</t></si><si><t>7</t></si>"
)
CELLS = [
    *(f"<c t='s'><v>{i}</v></c>" for i in range(8)),
    *("<c t='s'/>", "<c/>", "<c><v></v></c>", "<c><f>SUM(A1)</f></c>", "<c t='inlineStr'/>"),
    "<c t='inlineStr'><is><t>in _x0041_</t></is></c>",
    "<c t='inlineStr'><is><r><t>a</t></r><r><t>b</t></r></is></c>",
    *("<c t='str'><v> 12 </v></c>", "<c t='str'><f>A1</f><v>_x0041_</v></c>"),
    *(f"<c t='b'><v>{flag}</v></c>" for flag in ("0", "1", "true")),
    *("<c t='e'><v>#N/A</v></c>", "<c t='e'><v>#DIV/0!</v></c>"),
    *(f"<c t='d'><v>{t}</v></c>" for t in ("2020-01-31", "2020-01-31T10:00:00", "x")),
    *("<c t='n'><v>007</v></c>", "<c><v> 7 </v></c>", "<c><v>x</v></c>", "<c><v>1_0</v></c>"),
    *("<c s='999'><v>1</v></c>", "<c t='s' s='3'><v>0</v></c>", "<c t='str' s='3'><v>44</v></c>"),
]
NUMBERS = [
    *("0", "0.5", "1", "1.5", "59", "59.5", "60", "60.25", "61", "2958465", "2958466", "-1"),
    *("-0.5", "1.99999999", "1.9999999999", "44000.123456789", "0.999999999", "1e-9", "1e5"),
    *("-0", "0.1", "+1", "1.", ".5", "1E+2"),
]
HUGE = ["NaN", "inf", "12345678901234567890", "1e22", "1e400"]  # as spans, they end the other


def texts(content: bytes) -> list[str | None]:
    """The first cell of each row, as candling has it."""
    book = open_book(io.BytesIO(content))
    (name,) = book.sheets
    return [
        canonical_text(row.get(1, "")) or None
        for rows in book.rows(name)
        for row in rows  # cell A makes sure that no row is empty
    ]


def other(content: bytes) -> list[str | None]:
    """The same by python-calamine."""
    book = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(content))
    rows: list[list[Any]] = book.get_sheet_by_index(0).to_python(skip_empty_area=True)
    return [canonical_text(row[1]) or None if len(row) > 1 else None for row in rows]


def both(cells: list[str], **settings: Any) -> None:
    rows = "".join(f"<row><c><v>1</v></c>{cell}</row>" for cell in cells)
    content = write_book(rows, strings=STRINGS, formats=FORMATS, **settings)
    for cell, mine, theirs in zip(cells, texts(content), other(content), strict=True):
        assert mine == theirs, cell


def test_cells_are_those_of_another_reader() -> None:
    both(CELLS)
    styled = [
        f"<c s='{style}'><v>{number}</v></c>"
        for number in NUMBERS
        for style in range(len(FORMATS) + 1)
    ]
    both([f"<c><v>{number}</v></c>" for number in HUGE])
    both(styled)
    both(styled, book='<workbookPr date1904="1"/>')


def test_drawn_numbers_and_formats_are_those_of_another_reader() -> None:
    random = Random(5)
    formats = [
        "".join(random.choices('dmyhs[]";\\_* @0#aApPM/-:', k=random.randint(1, 9)))
        for _ in range(reduce(4000, 4))
    ]
    numbers = [random.choice((random.uniform(-3, 70), random.uniform(0, 60_000))) for _ in formats]
    cells = [f"<c s='{i + 1}'><v>{number!r}</v></c>" for i, number in enumerate(numbers)]
    rows = "".join(f"<row><c><v>1</v></c>{cell}</row>" for cell in cells)
    content = write_book(rows, formats=formats)
    for i, (mine, theirs) in enumerate(zip(texts(content), other(content), strict=True)):
        assert mine == theirs, (formats[i], numbers[i])


def test_where_cells_are() -> None:
    for row in (
        "<c r='B1'><v>1</v></c><c><v>2</v></c><c r='A1'><v>0</v></c>",
        "<c r='a1'><v>0</v></c><c r='A1'><v>1</v></c><c r='C1'><v>2</v></c>",
    ):
        content = write_book(f"<row>{row}</row>")
        book = open_book(io.BytesIO(content))
        ((found,),) = [rows for rows in book.rows("visits") if rows]
        theirs = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(content))
        ((*cells,),) = theirs.get_sheet_by_index(0).to_python(skip_empty_area=True)
        assert [found.get(i, "") for i in range(3)] == cells


# Whatever a file says of itself


def path_of(tmp_path: Path, content: bytes) -> Path:
    (tmp_path / "t.xlsx").write_bytes(content)
    return tmp_path / "t.xlsx"


@pytest.mark.parametrize("place", ["XFD1048576", "C2000000000", "XFD3", "ABC99999999999999999"])
def test_a_far_cell_is_one_row(tmp_path: Path, place: str) -> None:
    rows = (
        HEAD + "<row><c><v>1</v></c><c><v>2</v></c></row><row><c><v>1</v></c><c><v>3</v></c></row>"
    )
    far = f"<row r='1048576'><c r='{place}'><v>9</v></c></row>"
    path = path_of(tmp_path, write_book(rows + far))
    found = candling.exact(path, RULES)
    assert (found.rows, found.repair) == (3, 1)
    assert list(schema_of(path)) == ["Zip", "City"]


def test_a_far_cell_without_a_header(tmp_path: Path) -> None:
    path = path_of(tmp_path, write_book(HEAD + "<row><c r='XF9'><v>9</v></c></row>"))
    rules = candling.parse_constraints("column0 -> column629")
    assert candling.exact(path, rules, reading=Reading(header=False)).rows == 2


@pytest.mark.parametrize(
    "rows",
    [
        HEAD + "<row><c r='ZZZZZZ999999999'><v>1</v></c></row>",
        HEAD + "<row><c r='XFE1'><v>1</v></c></row>",
        HEAD + "<row><c r='1'><v>1</v></c></row>",
        HEAD + "<row><c t='s'><v>99999999999999999999</v></c></row>",
        HEAD + "<row><c t='s'><v>-1</v></c></row>",
        HEAD + "<row><c t='s'><v>x</v></c></row>",
        HEAD + "<row><c><v>1</v></row>",
        HEAD + "<row>" + "<a>" * 5000 + "</a>" * 5000 + "</row>",
        HEAD + f"<row><c r='{'A' * 3_000_000}'/></row>",
        HEAD + f"<!--{' ' * 3_000_000}-->",
    ],
    ids=range(10),
)
def test_what_is_damaged(tmp_path: Path, rows: str) -> None:
    with pytest.raises(candling.DataError, match=r"is damaged\.$") as caught:
        candling.exact(path_of(tmp_path, write_book(rows)), RULES)
    assert caught.value.code == "D103"


def test_document_types_and_entities_are_refused() -> None:
    content = io.BytesIO(write_book(HEAD))
    with zipfile.ZipFile(content, "a") as archive:
        archive.writestr(
            "xl/worksheets/sheet0.xml",
            '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;">]><worksheet>'
            "<sheetData><row><c t='str'><v>&b;</v></c></row></sheetData></worksheet>",
        )
    with pytest.raises(DamagedError):
        list(open_book(content).rows("visits"))


def test_a_password(tmp_path: Path) -> None:
    path = path_of(tmp_path, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(3000))
    with pytest.raises(candling.DataError, match="protected by a password"):
        candling.exact(path, RULES)


def test_a_long_cell_is_one_value_that_fits_no_type(tmp_path: Path) -> None:
    long, longer = "7" * (LONGEST_CELL + 1), "8" * (LONGEST_CELL + 70_000)
    strings = f"<si><t>{long}</t></si><si><t>{'9' * LONGEST_CELL}</t></si>"
    rows = HEAD + "".join(
        f"<row><c>{zip_}</c>{city}</row>"
        for zip_, city in (
            ("<v>1</v>", f"<c t='str'><v>{longer}</v></c>"),
            ("<v>1</v>", "<c t='s'><v>0</v></c>"),
            ("<v>1</v>", f"<c t='inlineStr'><is><t>{long}</t></is></c>"),
            ("<v>1</v>", f"<c><v>{long}</v></c>"),
            ("<v>2</v>", "<c t='s'><v>1</v></c>"),
        )
    )
    content = write_book(rows, strings=strings)
    assert texts(content)[1:] == [TOO_LONG] * 4 + ["9" * LONGEST_CELL]
    path = path_of(tmp_path, content)
    assert candling.exact(path, RULES).repair == 0  # they are equal
    assert candling.exact(path, RULES, reading=Reading(types={"City": "number"})).repair == 5


def test_sizes_in_the_directory_are_not_believed(tmp_path: Path) -> None:
    content = write_book(HEAD + "<row><c><v>1</v></c></row>" * 20_000)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        info = archive.getinfo("xl/worksheets/sheet0.xml")
    true = struct.pack("<L", info.file_size)
    path = path_of(tmp_path, content.replace(true, struct.pack("<L", 2**31)))
    assert candling.exact(path, RULES).rows == 20_000
    path = path_of(tmp_path, content.replace(true, struct.pack("<L", 100)))
    with pytest.raises(candling.DataError, match="is damaged"):
        candling.exact(path, RULES)


MEASURE = """
import re, sys
import candling
found = candling.exact(sys.argv[1], "Zip -> City", memory="200MB")
print(found.rows, int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1]) // 1024)
"""


@pytest.mark.parametrize(
    ("rows", "strings", "count"),
    [
        (HEAD + "<row><c r='XFD1048576'><v>1</v></c></row>", "", 1),
        (HEAD + f"<row><c t='str'><v>{'x' * 150_000_000}</v></c></row>", "", 1),
        (HEAD, f"<si><t>{'x' * 150_000_000}</t></si>", 0),
    ],
    ids=["far cell", "long cell", "long text"],
)
def test_memory(tmp_path: Path, rows: str, strings: str, count: int) -> None:
    path = path_of(tmp_path, write_book(rows, strings=strings))
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[0]) == count
    assert int(done.stdout.split()[1]) < 400  # megabytes
