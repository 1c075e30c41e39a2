"""Sheets of Excel files, read by python-calamine (`pip install 'candling[excel]'`).

A cell has a type of its own, a column has none. It gets the type that all of its cells have: whole
numbers, numbers, texts, booleans, dates or moments; texts where they differ. Rows without any cell
are left out, and a cell with an error (#N/A) is empty.
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

from candling.errors import DataError
from candling.reading import Reading
from candling.system.limits import memory_limit
from candling.tables.engine import by_column, missing_reader
from candling.tables.files.paths import TablePath
from candling.tables.values import names_of_cells

if TYPE_CHECKING:
    import pyarrow as pa

_WHOLE = 2**53  # up to which a float holds every whole number


def read_sheet(
    place: TablePath, sheet: str | None, reading: Reading, memory: str | None
) -> pa.Table:
    """The cells of a sheet; columns whose type is stated as texts."""
    import pyarrow as pa

    rows = [row for row in _cells(place, sheet, memory) if any(cell != "" for cell in row)]
    if not rows:
        raise DataError(f"{place.shown} has no cells in this sheet.", code="D103")
    width = max(map(len, rows))
    names = [f"column{i}" for i in range(width)]
    if reading.has_header:
        head = [_as_text(cell) for cell in rows.pop(0)]
        names = names_of_cells(head + [""] * (width - len(head)), place.shown)
    stated = by_column(reading, names, place.shown)
    missing = {"", *reading.null}
    columns = {}
    for position, name in enumerate(names):
        cells = [
            None if _as_text(cell) in missing else cell
            for cell in (row[position] if position < len(row) else "" for row in rows)
        ]
        columns[name] = _texts(cells) if name in stated else _infer_type(cells)
    return pa.table(columns)


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


def _infer_type(cells: list[Any]) -> pa.Array:
    """The cells in the one type that all have, else as texts."""
    import pyarrow as pa

    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds == {bool}:
        return pa.array(cells, pa.bool_())
    if kinds and kinds <= {int, float}:
        whole = all(cell is None or (cell == int(cell) and abs(cell) < _WHOLE) for cell in cells)
        if whole:
            return pa.array([None if cell is None else int(cell) for cell in cells], pa.int64())
        return pa.array(cells, pa.float64())
    if kinds == {date}:
        return pa.array(cells, pa.date32())
    if kinds and kinds <= {date, datetime}:
        return pa.array([_moment(cell) for cell in cells], pa.timestamp("us"))
    if kinds == {time}:
        return pa.array(cells, pa.time64("us"))
    return _texts(cells)


def _texts(cells: list[Any]) -> pa.Array:
    import pyarrow as pa

    return pa.array([None if cell is None else _as_text(cell) for cell in cells], pa.string())


def _moment(cell: date | None) -> datetime | None:
    if cell is None or isinstance(cell, datetime):
        return cell
    return datetime(cell.year, cell.month, cell.day)  # noqa: DTZ001 - a sheet has no zones


def _as_text(cell: Any) -> str:
    """A cell as it would be written in a CSV file."""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell == int(cell) and abs(cell) < _WHOLE:
        return str(int(cell))
    if isinstance(cell, datetime):
        return cell.isoformat(" ")
    return cell.isoformat() if isinstance(cell, date | time) else str(cell)
