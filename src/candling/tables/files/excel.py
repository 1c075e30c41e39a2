"""Sheets of Excel files as tables.

Each cell has a type, a column has none: every cell becomes a text by itself, 1 and 1.0 the same
one. In a column whose type is stated, a number or a date is written as the type has it. Rows
without any cell are left out, and a cell with an error (#N/A) is empty. The table begins and ends
with the columns of its header; without one, with the first and the last column that has a cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from typing import IO, TYPE_CHECKING, Any

from candling.errors import DataError
from candling.reading import TEXT, StatedType
from candling.rules import ColumnType
from candling.rules.types import Statements, choose_types
from candling.tables.files.paths import TablePath
from candling.tables.files.xlsx import Book, Row, open_book
from candling.tables.values import canonical_text, names_of_cells

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH = 1_000_000  # cells


def read_sheet(
    place: TablePath, file: IO[bytes], sheet: str | None, statements: Statements
) -> pa.RecordBatchReader:
    """The cells of a sheet as texts, in batches; the file must stay open until all are read.

    Raises DamagedError, also while batches are read.
    """
    import pyarrow as pa

    book = open_book(file)
    chosen = _choose_sheet(place, [*book.sheets], sheet)
    rows = (row for rows in book.rows(chosen) for row in rows)
    if statements.reading.has_header:
        header = next(rows, None)
        columns, head = _read_header({} if header is None else header)
        names = names_of_cells(head, place.shown)
    else:
        columns = _columns_with_cells(book, chosen)
        names = [f"column{i}" for i in range(len(columns))]
    if not columns:
        raise DataError(f"{place.shown} has no cells in this sheet.", code="D103")
    types = choose_types(statements, dict.fromkeys(names, ColumnType.STRING), untyped=names)
    stated = [types[name].type if name in types else TEXT for name in names]
    missing = {"", *statements.reading.null}
    schema = pa.schema([(name, pa.string()) for name in names])

    def batches() -> Iterator[pa.RecordBatch]:
        for part in _parts(rows, max(_BATCH // len(columns), 1)):
            arrays = [
                pa.array([_write_cell(row.get(column), kind, missing) for row in part], pa.string())
                for column, kind in zip(columns, stated, strict=True)
            ]
            yield pa.record_batch(arrays, schema=schema)

    return pa.RecordBatchReader.from_batches(schema, batches())


def _read_header(row: Row) -> tuple[range, list[str]]:
    """The columns of a table, and what stands above them."""
    texts = {column: canonical_text(cell) or "" for column, cell in row.items()}
    named = [column for column, text in texts.items() if text.strip()]
    columns = range(min(named), max(named) + 1) if named else range(0)
    return columns, [texts.get(column, "") for column in columns]


def _columns_with_cells(book: Book, sheet: str) -> range:
    first, last = None, -1
    for rows in book.rows(sheet):
        for row in rows:
            first = min(row) if first is None else min(first, *row)
            last = max(last, *row)
    return range(0) if first is None else range(first, last + 1)


def _parts(rows: Iterator[Row], size: int) -> Iterator[list[Row]]:
    part: list[Row] = []
    for row in rows:
        part.append(row)
        if len(part) == size:
            yield part
            part = []
    if part:
        yield part


def _write_cell(cell: Any, stated: StatedType, missing: set[str]) -> str | None:
    """The text of a cell; of a number or a date as a column of this type writes it."""
    if cell is None:
        return None
    text = canonical_text(cell)
    if text is None or text in missing:
        return None
    if stated.comma and isinstance(cell, int | float):
        return text.replace(".", ",")
    if isinstance(cell, date) and stated.kind in ("date", "timestamp"):
        moment = cell if isinstance(cell, datetime) else datetime.combine(cell, time())
        if stated.kind == "date" and moment.time() != time():
            return text  # it does not fit
        if stated.written is not None:
            return moment.strftime(stated.written)
        return moment.date().isoformat() if stated.kind == "date" else text
    return text


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
