"""The cells of .xlsx files: one pass over the XML of a sheet, which holds one row at a time.

A row is what stands in it, wherever it says that it is: a cell in the last corner of a sheet makes
one row, and not a million. Nothing that a file says about its size is believed. There are no
document types in such files, so entities are refused, and so are tags that do not end. What each
cell becomes is what python-calamine makes of it; the tests compare.
"""

from __future__ import annotations

import mmap
import posixpath
import re
import tempfile
import zipfile
import zlib
from array import array
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from enum import Enum
from pathlib import Path
from typing import IO, Any, Self
from xml.parsers import expat

from candling.records import dataclass
from candling.system.limits import check_time
from candling.tables.values import LONGEST_CELL, TOO_LONG

COLUMNS = 1 << 14  # of a sheet: A to XFD
_MOST_STYLES = 1 << 17  # twice as many as Excel allows
_DEEPEST = 64  # elements inside of each other
_PIECE = 1 << 16
_MOST_PIECES = 16  # without an end of a tag or a text
_BOOK = "xl/workbook.xml"
_DAYS = (*range(14, 23), 45, 47)  # built-in formats of dates and times
_SPAN = 46
_NUMBER = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|(?i:inf|infinity|nan))"
)
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_PLACE = re.compile(r"([A-Za-z]{1,3})[0-9]+")
_ENCRYPTED = b"\xd0\xcf\x11\xe0"  # begins an old container, as protected files have
_BLANK = " \t\r\n"
Row = dict[int, Any]  # cells by column, from 0; none of them empty


class DamagedError(Exception):
    """A file that is no sheet; nothing of it is in the words."""


class Shown(Enum):
    """What a number stands for, by its format."""

    NUMBER = "number"
    MOMENT = "moment"
    SPAN = "span"


@dataclass(frozen=True, slots=True)
class Book:
    """An open file, and where its parts are."""

    archive: zipfile.ZipFile
    sheets: dict[str, str]  # parts by the names of sheets
    strings: str | None
    styles: str | None
    first_day: datetime

    def rows(self, sheet: str) -> Iterator[list[Row]]:
        """The rows of a sheet that have a cell, in batches. Raises DamagedError."""
        with _translated():
            formats = _read_formats(self.archive, self.styles)
            with _Strings(self.archive, self.strings) as strings:
                reader = _SheetReader(strings, formats, self.first_day)
                for _ in _parse(self.archive, self.sheets[sheet], reader):
                    check_time()
                    yield reader.take()


def open_book(file: IO[bytes]) -> Book:
    """The sheets of a file. Raises DamagedError."""
    with _translated():
        archive = zipfile.ZipFile(file)
        names = {name.lower(): name for name in archive.namelist()}
        root = _read_links(archive, names, "")
        book = next((part for kind, part in root.values() if kind == "officeDocument"), _BOOK)
        links = _read_links(archive, names, book)
        listed = _BookReader()
        for _ in _parse(archive, names.get(book.lower(), book), listed):
            pass
        by_kind = dict(reversed(links.values()))  # the first of each kind
        return Book(
            archive,
            {
                name: links[link][1]
                for name, link in listed.sheets
                if links.get(link, ("", ""))[0] == "worksheet"
            },
            by_kind.get("sharedStrings"),
            by_kind.get("styles"),
            datetime(1904, 1, 1) if listed.from_1904 else datetime(1899, 12, 30),  # noqa: DTZ001
        )


def is_encrypted(path: Path) -> bool:
    """Whether a file is protected by a password."""
    with path.open("rb") as file:
        return file.read(len(_ENCRYPTED)) == _ENCRYPTED


class _translated:  # noqa: N801 - used like a function
    """A context in which the errors of libraries mean that the file is damaged."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        wrong = (
            *(zipfile.BadZipFile, zlib.error, expat.ExpatError, EOFError, KeyError, ValueError),
            *(RuntimeError, NotImplementedError, OverflowError, UnicodeError),
        )
        if kind is not None and issubclass(kind, wrong):
            raise DamagedError from None


# XML


class _Reader:
    """What is done with the tags and texts of a part; namespaces are left out."""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Begin an element."""

    def end(self, name: str) -> None:
        """End an element."""

    def text(self, text: str) -> None:
        """Take a piece of a text."""


def _parse(archive: zipfile.ZipFile, part: str, reader: _Reader) -> Iterator[None]:
    """Feed a part to a reader; gives control back after each piece."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    heard, depth = True, 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal heard, depth
        heard = True
        depth += 1
        if depth > _DEEPEST:
            raise DamagedError
        reader.start(name.rpartition(":")[2], attributes)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        reader.end(name.rpartition(":")[2])

    def text(piece: str) -> None:
        nonlocal heard
        heard = True
        reader.text(piece)

    def refuse(*_: object) -> None:
        raise DamagedError

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = refuse
    silent = 0
    with archive.open(part) as stream:
        while piece := stream.read(_PIECE):
            heard = False
            parser.Parse(piece, False)
            silent = 0 if heard else silent + 1
            if silent > _MOST_PIECES:  # the parser must keep all of what has no end
                raise DamagedError
            yield
        parser.Parse(b"", True)
        yield


class _BookReader(_Reader):
    """The names of sheets with their links, and when days begin to be counted."""

    def __init__(self) -> None:
        self.sheets: list[tuple[str, str]] = []
        self.from_1904 = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "workbookPr":
            self.from_1904 = attributes.get("date1904") in ("1", "true")
        elif name == "sheet" and "name" in attributes:
            link = next((v for k, v in attributes.items() if k.rpartition(":")[2] == "id"), "")
            self.sheets.append((attributes["name"], link))
            if len(self.sheets) > COLUMNS:
                raise DamagedError


class _LinkReader(_Reader):
    """The links of a part to others: their kinds and targets."""

    def __init__(self) -> None:
        self.links: dict[str, tuple[str, str]] = {}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "Relationship":
            kind = attributes.get("Type", "").rpartition("/")[2]
            self.links[attributes.get("Id", "")] = kind, attributes.get("Target", "")
            if len(self.links) > COLUMNS:
                raise DamagedError


def _read_links(
    archive: zipfile.ZipFile, names: dict[str, str], part: str
) -> dict[str, tuple[str, str]]:
    """The kinds and names of the parts that a part, or the file itself, is linked to."""
    folder, name = posixpath.split(part)
    reader = _LinkReader()
    place = names.get(posixpath.join(folder, "_rels", f"{name}.rels").lower())
    if place is not None:
        for _ in _parse(archive, place, reader):
            pass
    found = {}
    for link, (kind, target) in reader.links.items():
        path = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
        found[link] = kind, names.get(path.lower(), path)
    return found


# Formats


class _StyleReader(_Reader):
    """What the numbers of each style stand for."""

    def __init__(self) -> None:
        self.own: dict[int, Shown] = {}
        self.formats: list[Shown] = []
        self._inside = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "numFmt":
            self.own[int(attributes["numFmtId"])] = shown_as(attributes.get("formatCode", ""))
        elif name == "cellXfs":
            self._inside = True
        elif name == "xf" and self._inside:
            number = int(attributes.get("numFmtId", "0"))
            built_in = Shown.MOMENT if number in _DAYS else Shown.NUMBER
            built_in = Shown.SPAN if number == _SPAN else built_in
            self.formats.append(self.own.get(number, built_in))
        if max(len(self.own), len(self.formats)) > _MOST_STYLES:
            raise DamagedError

    def end(self, name: str) -> None:
        if name == "cellXfs":
            self._inside = False


def _read_formats(archive: zipfile.ZipFile, part: str | None) -> list[Shown]:
    reader = _StyleReader()
    if part is not None:
        for _ in _parse(archive, part, reader):
            pass
    return reader.formats


def shown_as(code: str) -> Shown:
    """What numbers of a format stand for, by the part for positive ones."""
    brackets, half, hours = 0, False, False
    before = " "
    bare = re.sub(r'[_*\\].|"[^"]*"?', "", code, flags=re.DOTALL)
    for character in bare.partition(";")[0]:
        letter = character.lower()
        if letter == "[":
            brackets += 1
        elif letter == "]":
            if brackets == 1 and hours:
                return Shown.SPAN
            brackets = max(brackets - 1, 0)
        elif letter == "a" and not half and not brackets:
            half = True
        elif not brackets and letter in ("pm/" if half else "dmhys"):
            return Shown.MOMENT
        elif not (hours and letter == before):
            hours = before == "[" and letter in "mhs"
        before = letter
    return Shown.NUMBER


# Texts that cells share


class _Strings(_Reader):
    """The shared texts, in a file without a name: a small file may unpack to more than memory."""

    def __init__(self, archive: zipfile.ZipFile, part: str | None) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `__exit__`
        self._ends = array("Q", [0])
        self._pages: mmap.mmap | None = None
        self._text = _Text()
        try:
            if part is not None:
                for _ in _parse(archive, part, self):
                    check_time()
            self._file.flush()
            if self._ends[-1]:
                self._pages = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pages is not None:
            self._pages.close()
        self._file.close()

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "si":
            self._text = _Text()
        else:
            self._text.start(name, attributes)

    def end(self, name: str) -> None:
        if name == "si":
            data = self._text.value().encode("utf-8", "surrogatepass")
            self._file.write(data)
            self._ends.append(self._ends[-1] + len(data))
        else:
            self._text.end(name)

    def text(self, text: str) -> None:
        self._text.text(text)

    def get(self, index: str) -> str:
        """The text with a number. Raises ValueError."""
        number = int(index)
        if not 0 <= number < len(self._ends) - 1:
            raise ValueError
        start, end = self._ends[number : number + 2]
        if self._pages is None:
            return ""
        return self._pages[start:end].decode("utf-8", "surrogatepass")


class _Text:
    """A text in pieces, with formats or without; how it is pronounced is left out."""

    def __init__(self) -> None:
        self._whole: list[str] = []
        self._size = 0
        self._pieces: list[str] | None = None
        self._keeps_blanks = False
        self._phonetic = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Begin an element of a text."""
        if name == "rPh":
            self._phonetic = True
        elif name == "t" and not self._phonetic:
            self._pieces = []
            self._keeps_blanks = attributes.get("xml:space") == "preserve"

    def end(self, name: str) -> None:
        """End an element of a text."""
        if name == "rPh":
            self._phonetic = False
        elif name == "t" and self._pieces is not None:
            text = "".join(self._pieces)
            text = text if self._keeps_blanks else text.strip(_BLANK)
            self._whole.append(_ESCAPED.sub(lambda code: chr(int(code[1], 16)), text))
            self._pieces = None

    def text(self, text: str) -> None:
        """Take a piece."""
        if self._pieces is not None and self._size <= LONGEST_CELL:
            self._pieces.append(text)
            self._size += len(text)

    def value(self) -> str:
        """The text, or what stands for all that are too long."""
        return TOO_LONG if self._size > LONGEST_CELL else "".join(self._whole)


# Cells


class _SheetReader(_Reader):
    """The rows of a sheet."""

    def __init__(self, strings: _Strings, formats: list[Shown], first_day: datetime) -> None:
        self._strings, self._formats, self._first_day = strings, formats, first_day
        self._rows: list[Row] = []
        self._row: Row = {}
        self._column = -1
        self._kind = self._style = ""
        self._value: list[str] | None = None  # pieces, inside of a value
        self._size = 0
        self._found: str | None = None
        self._inline: _Text | None = None

    def take(self) -> list[Row]:
        """The rows that were read since the last time."""
        rows, self._rows = self._rows, []
        return rows

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "c":
            self._begin_cell(attributes)
        elif name == "v":
            self._value, self._size = [], 0
        elif name == "row":
            self._row, self._column = {}, -1
        elif name == "is":
            self._inline = _Text()
        elif self._inline is not None:
            self._inline.start(name, attributes)

    def _begin_cell(self, attributes: dict[str, str]) -> None:
        place = attributes.get("r")
        if place is None:
            self._column += 1
        else:
            letters = _PLACE.fullmatch(place)
            if letters is None:
                raise DamagedError
            self._column = -1
            for letter in letters[1].upper():
                self._column = 26 * (self._column + 1) + ord(letter) - ord("A")
        if self._column >= COLUMNS:
            raise DamagedError
        self._kind, self._style = attributes.get("t", "n"), attributes.get("s", "")
        self._found = self._inline = None

    def end(self, name: str) -> None:
        if name == "v" and self._value is not None:
            too_long = self._size > LONGEST_CELL
            self._found = TOO_LONG if too_long else "".join(self._value)
            self._value = None
        elif name == "c":
            cell = self._cell()
            if cell is not None and cell != "":
                self._row[self._column] = cell
        elif name == "row":
            if self._row:
                self._rows.append(self._row)
            self._row = {}
        elif self._inline is not None:
            self._inline.end(name)

    def text(self, text: str) -> None:
        if self._value is not None:
            if self._size <= LONGEST_CELL:
                self._value.append(text)
                self._size += len(text)
        elif self._inline is not None:
            self._inline.text(text)

    def _cell(self) -> Any:
        """What a cell holds, as Python has it; None if that is nothing."""
        if self._inline is not None:
            return self._inline.value()
        text, kind = self._found, self._kind
        if not text or text is TOO_LONG or kind == "inlineStr":
            return None if kind == "inlineStr" else text
        if kind == "s":
            return self._strings.get(text)
        if kind == "b":
            return text != "0"
        if kind == "e":
            return None
        if kind == "d":
            return _iso(text)
        return self._number(text) if kind == "n" else text

    def _number(self, text: str) -> Any:
        if _NUMBER.fullmatch(text) is None:
            return text
        number = float(text)
        style = int(self._style) if self._style.isdecimal() and len(self._style) < 8 else -1
        shown = self._formats[style] if 0 <= style < len(self._formats) else Shown.NUMBER
        if shown is Shown.NUMBER:
            return number
        with suppress(OverflowError, ValueError):  # no date: it stays a number
            span = timedelta(milliseconds=_rounded(number * 86_400_000))
            if shown is Shown.SPAN:
                return span
            early = self._first_day.year == 1899 and number < 60  # there was no 29 February 1900
            moment = self._first_day + span + timedelta(days=early)
            if number < 1:
                return moment.time()
            return moment if number % 1 else moment.date()
        return number


def _rounded(number: float) -> int:
    """The nearest whole number, the one farther from zero of two."""
    away = int(abs(number) + 0.5)
    return away if number >= 0 else -away


def _iso(text: str) -> Any:
    """A date or a time as ISO writes it; any other text as it is."""
    kinds: tuple[type[date | time], ...] = (date, datetime, time)
    for kind in kinds:
        with suppress(ValueError):
            return kind.fromisoformat(text)
    return text
