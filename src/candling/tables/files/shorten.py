"""CSV files with rows that are too long for the engine: copies without the cells that make them so.

The engine fails on a row of more than LONGEST_ROW bytes, or leaves it out without a word if it is
the last one. So that no cell decides whether there is a
release, every cell of more than LONGEST_CELL bytes becomes TOO_LONG; in a row that is still too
long, every cell of more than half of its share, which is LONGEST_ROW by the number of columns. What
happens to a row depends on that row and the header. A file that ends within quotes, or has a row
with a cell too many or too few, is left as it is: it is no table.
"""

from __future__ import annotations

import codecs
import re
from typing import BinaryIO

from candling.tables.values import LONGEST_CELL, TOO_LONG

LONGEST_ROW = 2_000_000  # bytes that DuckDB takes
_PIECE = 1 << 18
_QUOTED = re.compile(rb'(?:[^"]++|"")*+')  # up to the last quote, or half of a double one
_REPLACEMENT = f'"{TOO_LONG}"'.encode()


def may_have_long_rows(file: BinaryIO, separator: bytes) -> bool:
    """Whether a row may be too long: for sure not if this says so, and quickly found out."""
    cell_end = re.escape(separator)
    rest = b"(?:(?!" + cell_end + rb")[^\r\n])*+"
    if len(separator) == 1:
        rest = b"[^" + cell_end + rb"\r\n]*+"
    cell = rb'(?:"(?:[^"]++|"")*+"|(?!")' + rest + b")"
    rows = re.compile(b"(?:" + cell + b"(?:" + cell_end + cell + rb")*+[\r\n])*+")
    data = b""
    while piece := file.read(_PIECE):
        data += piece
        if b'"' in data:
            found = rows.match(data)
            end = found.end() if found else 0
        else:
            end = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
        data = data[end:]
        if len(data) > LONGEST_ROW - _PIECE:  # the next piece may complete it
            return True
    return False


class NotTableError(ValueError):
    """A file that is no table, however long its rows are; nothing of it is in the words."""


class Shortener:
    """Copies a file, a cell at a time; holds no more than one row that the engine can take."""

    def __init__(self, separator: bytes, columns: int) -> None:
        self.replaced = 0
        self._separator, self._columns = separator, columns
        self._share = LONGEST_ROW // (2 * columns)
        self._ends = re.compile(b"|".join(map(re.escape, (separator, b"\r", b"\n"))))
        self._quoted, self._begins = False, True  # within quotes; at the first byte of a cell
        self._row: list[bytes] = []
        self._size = 0
        self._cell: list[bytes] = []
        self._length = 0

    def copy(self, source: BinaryIO, target: BinaryIO) -> None:
        """Write the file to `target`. Raises NotTableError."""
        data = source.read(_PIECE)
        if data.startswith(codecs.BOM_UTF8):
            target.write(codecs.BOM_UTF8)
            data = data.removeprefix(codecs.BOM_UTF8)
        while piece := source.read(_PIECE):
            data = self._read(data, target, whole=False) + piece
        self._read(data, target, whole=True)
        if self._quoted:
            raise NotTableError
        self._end_cell(b"", target)

    def _read(self, data: bytes, target: BinaryIO, *, whole: bool) -> bytes:
        """Read cells; gives back the last bytes if only those that follow say what they mean."""
        at, stop = 0, len(data) - (0 if whole else len(self._separator) - 1)
        while at < stop:
            if self._quoted:
                inside = _QUOTED.match(data, at)
                end = inside.end() if inside else at
                self._take(data[at:end])
                at = end
                if at == len(data) or (at + 1 == len(data) and not whole):
                    break  # this may be half of a double quote
                self._take(b'"')
                at, self._quoted = at + 1, False
            elif self._begins and data[at : at + 1] == b'"':
                self._take(b'"')
                at, self._quoted, self._begins = at + 1, True, False
            else:
                found = self._ends.search(data, at)
                self._begins = found is not None
                self._take(data[at : found.start() if found else stop])
                at = found.end() if found else stop
                if found is not None:
                    self._end_cell(found[0], target)
        return data[at:]

    def _take(self, part: bytes) -> None:
        """Add to a cell, unless it is too long already."""
        self._length += len(part)
        if self._length <= LONGEST_CELL + 2:  # its quotes do not count
            self._cell.append(part)

    def _end_cell(self, end: bytes, target: BinaryIO) -> None:
        if self._length > LONGEST_CELL + 2:
            self._cell = [_REPLACEMENT]
            self.replaced += 1
        cell = b"".join(self._cell)
        self._row.append(cell)
        self._size += len(cell) + 1
        if len(self._row) > self._columns:
            raise NotTableError
        if self._size > LONGEST_ROW:
            self._shorten_row()
        self._cell, self._length = [], 0
        if end != self._separator:
            if len(self._row) < self._columns and self._row != [b""]:
                raise NotTableError
            target.write(self._separator.join(self._row) + end)
            self._row, self._size = [], 0

    def _shorten_row(self) -> None:
        long = [i for i, cell in enumerate(self._row) if len(cell) > self._share]
        for position in long:
            self._row[position] = _REPLACEMENT
        self.replaced += len(long)
        self._size = sum(map(len, self._row)) + len(self._row)
