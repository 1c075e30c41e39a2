"""Sheets of Excel files, read by python-calamine (`pip install 'candling[excel]'`).

Each cell has a type, a column has none: every cell becomes a text by itself, 1 and 1.0 the same
one. In a column whose type is stated, a number or a date is written as the type has it. Rows
without any cell are left out, and a cell with an error (#N/A) is empty. With a header, cells to the
right of it are not read.
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

from candling.errors import DataError
from candling.reading import TEXT, StatedType
from candling.rules import ColumnType
from candling.rules.types import Statements, choose_types
from candling.system.limits import memory_limit
from candling.tables.engine import missing_reader
from candling.tables.files.paths import TablePath
from candling.tables.values import canonical_text, names_of_cells

if TYPE_CHECKING:
    import pyarrow as pa


def read_sheet(
    place: TablePath, sheet: str | None, statements: Statements, memory: str | None
) -> pa.Table:
    """The cells of a sheet as texts."""
    import pyarrow as pa

    reading = statements.reading
    rows = [row for row in _cells(place, sheet, memory) if any(cell != "" for cell in row)]
    if not rows:
        raise DataError(f"{place.shown} has no cells in this sheet.", code="D103")
    width = max(map(len, rows))
    names = [f"column{i}" for i in range(width)]
    if reading.has_header:
        head = [canonical_text(cell) or "" for cell in rows.pop(0)]
        while not head[-1].strip():
            head.pop()
        names = names_of_cells(head, place.shown)
    missing = {"", *reading.null}
    schema = dict.fromkeys(names, ColumnType.STRING)
    types = choose_types(statements, schema, untyped=names)

    def column(position: int, name: str) -> list[str | None]:
        stated = types[name].type if name in types else TEXT
        cells = (row[position] if position < len(row) else "" for row in rows)
        return [
            None if canonical_text(cell) in missing else _write_cell(cell, stated) for cell in cells
        ]

    return pa.table({name: pa.array(column(i, name), pa.string()) for i, name in enumerate(names)})


def _write_cell(cell: Any, stated: StatedType) -> str | None:
    """The text of a cell; of a number or a date as a column of this type writes it."""
    text = canonical_text(cell)
    if stated.comma and isinstance(cell, int | float) and text is not None:
        return text.replace(".", ",")
    if isinstance(cell, date) and stated.kind in ("date", "timestamp"):
        moment = cell if isinstance(cell, datetime) else datetime.combine(cell, time())
        if stated.kind == "date" and moment.time() != time():
            return text  # it does not fit
        if stated.written is not None:
            return moment.strftime(stated.written)
        return moment.date().isoformat() if stated.kind == "date" else text
    return text


def _cells(place: TablePath, sheet: str | None, memory: str | None) -> list[list[Any]]:
    """The rows of a sheet, from its first cell on."""
    try:
        import python_calamine as calamine
    except ImportError:
        raise missing_reader("Excel files", "excel") from None
    with zipfile.ZipFile(place.path) as archive:
        if sum(part.file_size for part in archive.infolist()) > memory_limit(memory):
            raise DataError(
                f"{place.shown} is larger than the memory limit when it is unpacked; raise the "
                "limit, or export the sheet as CSV.",
                code="D103",
            )
    try:
        book = calamine.CalamineWorkbook.from_path(str(place.path))
        name = _choose_sheet(place, book.sheet_names, sheet)
        rows: list[list[Any]] = book.get_sheet_by_name(name).to_python(skip_empty_area=True)
    except calamine.PasswordError:
        encrypted = True
    except BaseException as error:
        # A panic of the reader's own language is no Exception, and must not end the process.
        if isinstance(error, Exception) or type(error).__name__ != "PanicException":
            raise
        encrypted = False
    else:
        return rows
    words = "is protected by a password: save it without" if encrypted else "is damaged"
    raise DataError(f"{place.shown} {words}.", code="D103")


def _choose_sheet(place: TablePath, sheets: Sequence[str], sheet: str | None) -> str:
    if sheet is None and len(sheets) == 1:
        return sheets[0]
    if sheet is None or sheet not in sheets:
        problem = "has several sheets" if sheet is None else f"has no sheet {sheet!r}"
        listing = ", ".join(sheets) or "none"
        raise DataError(
            f"{place.shown} {problem}; name one with --table (there: {listing}).", code="D104"
        )
    return sheet
