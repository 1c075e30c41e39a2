"""Tables in damaged files, of every kind that is read here."""

import gzip
import io
import json
import re
import sqlite3
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import numpy as np
import openpyxl  # type: ignore[import-untyped]
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import feather, ipc

from tests.fuzz.mutate import ODD, ODD_VALUES, mutated, mutated_json
from tests.fuzz.trial import CELL, Trial

ROWS = 300
SECRET = 200  # rows before the first that holds the cell: no change reaches it from the header
RULES = """type Born, Seen: date
type Pay: number
zip: Zip -> City
key(Id)
not(t1.Born > t1.Seen)
not(t1.Pay < 0)
"""
COMMANDS = (
    ("exact", "{}", "rules.txt"),
    ("exact", "{}", "rules.txt", "--json"),
    ("release", "{}", "rules.txt", "--epsilon", "1"),
    ("check", "rules.txt", "{}"),
    ("init", "{}", "--output", "-"),
)
Change = Callable[[bytes, Random], bytes]
_PLACES = (
    *(b"XFD1048576", b"XFE1", b"ZZZZZZ999999999", b"A2000000000", b"a1", b"A0", b"1", b"", b"-1"),
    *(b"B" + b"9" * 400, b"s", b"str", b"inlineStr", b"b", b"e", b"d", b"n", b"1" * 5000, b"AAA3"),
)


@dataclass(frozen=True)
class Seed:
    """A sound file, and how mutants are made of it."""

    kind: str
    name: str
    content: bytes
    changes: tuple[Change, ...]
    options: tuple[str, ...] = ()  # that say how it is read


def trials(folder: Path, random: Random, mutants: int) -> Iterator[Trial]:
    """First every sound file, which must be read, then mutants of each kind in turn."""
    yield from _trials(folder, random, mutants, list(_seeds(folder)))


def packed_trials(folder: Path, random: Random, mutants: int) -> Iterator[Trial]:
    """The same of the kinds that may unpack to far more than they are."""
    seeds = [seed for seed in _seeds(folder) if seed.kind in ("Excel", "CSV, packed")]
    yield from _trials(folder, random, mutants, seeds)


def _trials(folder: Path, random: Random, mutants: int, seeds: Sequence[Seed]) -> Iterator[Trial]:
    (folder / "rules.txt").write_text(RULES)
    for seed in seeds:
        path = folder / f"sound-{seed.name}"
        path.write_bytes(seed.content)
        arguments = tuple(word.format(path.name) for word in COMMANDS[0])
        arguments += seed.options
        yield Trial(f"{seed.kind}, sound", arguments, folder, allowed=frozenset({0}))
    for number in range(mutants):
        seed = seeds[number % len(seeds)]
        path = folder / f"{number}-{seed.name}"
        path.write_bytes(random.choice(seed.changes)(seed.content, random))
        arguments = tuple(word.format(path.name) for word in random.choice(COMMANDS))
        arguments += seed.options
        yield Trial(seed.kind, arguments, folder)
        path.unlink()


def _seeds(folder: Path) -> Iterator[Seed]:
    plain, every = _plain(), _every_type()
    bytes_of_it = (mutated, _flipped, _flipped)
    for name, table in (("plain", plain), ("every", every)):
        yield Seed("Arrow file", f"{name}.arrow", _ipc(ipc.new_file, table), bytes_of_it)
        yield Seed("Arrow stream", f"{name}.ipc", _ipc(ipc.new_stream, table), bytes_of_it)
    packed = io.BytesIO()
    feather.write_feather(plain, packed, compression="lz4")
    yield Seed("Feather", "plain.feather", packed.getvalue(), bytes_of_it)
    for compression in ("none", "snappy", "zstd"):
        written = io.BytesIO()
        pq.write_table(plain, written, compression=compression, row_group_size=100)
        name = f"{compression}.parquet"
        yield Seed("Parquet", name, written.getvalue(), (*bytes_of_it, _flipped_at_the_end))
    text = _csv(plain)
    yield Seed("CSV", "t.csv", text, (*bytes_of_it, _changed_lines, _changed_cells))
    packed_text = gzip.compress(text, mtime=0)
    yield Seed("CSV, packed", "t.csv.gz", packed_text, (mutated, _flipped, _bomb, _bomb))
    stated = ("--encoding", "cp1252", "--null", "NA", "--type", "Born=date", "--type", "Pay=number")
    yield Seed("CSV, stated", "said.csv", text, (mutated, _changed_lines, _changed_cells), stated)
    sheet = folder / "made.xlsx"
    _write_sheet(plain, sheet)
    yield Seed("Excel", "t.xlsx", sheet.read_bytes(), (mutated, _flipped, *SHEET_CHANGES))
    sheet.unlink()
    lite = folder / "made.sqlite"
    _write_sqlite(plain, lite)
    yield Seed("SQLite", "t.sqlite", lite.read_bytes(), bytes_of_it)
    lite.unlink()
    records = [{k: _json_value(v) for k, v in row.items()} for row in plain.to_pylist()]
    lines = "\n".join(map(json.dumps, records)).encode()
    yield Seed("JSON", "t.json", json.dumps(records).encode(), (mutated, _flipped, _changed_json))
    yield Seed("JSON lines", "t.jsonl", lines, (mutated, _flipped, _changed_records))
    database = folder / "made.duckdb"
    with duckdb.connect(str(database)) as connection:
        connection.register("plain", plain)
        connection.execute("create table visits as from plain")
    content = database.read_bytes()
    database.unlink()
    yield Seed("DuckDB", "t.duckdb", content, (mutated, _flipped))


# The table


def _plain() -> pa.Table:
    """Columns of the usual types."""
    numbers = range(ROWS)
    first = date(1990, 1, 1)
    return pa.table(
        {
            "Id": pa.array([i % (ROWS - 3) for i in numbers]),
            "Zip": pa.array([None if i % 31 == 0 else i % 23 for i in numbers]),
            "City": pa.array([CELL if i >= SECRET else f"City {i % 24}" for i in numbers]),
            "Born": pa.array([first + timedelta(days=i) for i in numbers]),
            "Seen": pa.array([first + timedelta(days=500 - 2 * i) for i in numbers]),
            "Pay": pa.array([Decimal(i % 9 - 1) / 100 for i in numbers], pa.decimal128(9, 2)),
            "Rate": pa.array([i / 7 for i in numbers]),
            "Ward": pa.array([f"{CELL} {i % 3}" for i in numbers]).dictionary_encode(),
            "Left": pa.array([3600 * 10**6 * i for i in numbers], pa.timestamp("us")),
            "Old": pa.array([i % 2 == 0 for i in numbers]),
        }
    )


def _every_type() -> pa.Table:
    """The same with the types that Arrow has besides."""
    numbers = range(ROWS)
    more = {
        "list": pa.array([[i, i] for i in numbers]),
        "struct": pa.array([{"a": i, "b": CELL} for i in numbers]),
        "map": pa.array([[(CELL, i)] for i in numbers], pa.map_(pa.string(), pa.int64())),
        "view": pa.array([f"{CELL} and more {i}" for i in numbers], pa.string_view()),
        "listview": pa.array([[i] for i in numbers], pa.list_view(pa.int64())),
        "large": pa.array([CELL for _ in numbers], pa.large_string()),
        "bytes": pa.array([b"%4d" % i for i in numbers], pa.binary(4)),
        "half": pa.array(np.arange(ROWS, dtype=np.float16)),
        "wide": pa.array([Decimal(i) for i in numbers], pa.decimal256(30, 0)),
        "nothing": pa.nulls(ROWS),
        "moment": pa.array(list(numbers), pa.timestamp("s", "Europe/Berlin")),
        "unsigned": pa.array(list(numbers), pa.uint64()),
        "runs": pa.RunEndEncodedArray.from_arrays(
            pa.array([SECRET, ROWS], pa.int32()), pa.array([CELL, "b"])
        ),
    }
    table = _plain()
    for name, values in more.items():
        table = table.append_column(name, values)
    return table


def _ipc(writer: Callable[..., Any], table: pa.Table) -> bytes:
    sink = io.BytesIO()
    with writer(sink, table.schema) as out:
        out.write_table(table, max_chunksize=100)
    return sink.getvalue()


def _csv(table: pa.Table) -> bytes:
    rows = [table.column_names, *(row.values() for row in table.to_pylist())]
    return "\n".join(
        ",".join("" if cell is None else str(cell) for cell in row) for row in rows
    ).encode()


def _write_sheet(table: pa.Table, path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(table.column_names)
    for row in table.to_pylist():
        book.active.append(list(row.values()))
    book.save(path)


def _write_sqlite(table: pa.Table, path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        declared = ", ".join(f"{name} date" for name in table.column_names)
        connection.execute(f"create table visits ({declared})")
        marks = ", ".join("?" * table.num_columns)
        rows = ([_json_value(cell) for cell in row.values()] for row in table.to_pylist())
        connection.executemany(f"insert into visits values ({marks})", rows)


def _json_value(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    return value if value is None or isinstance(value, int | float) else str(value)


# How it is changed


def _flipped(content: bytes, random: Random) -> bytes:
    """A few bytes replaced where they stand: the lengths around them stay true."""
    return _replaced(content, random, 0, len(content))


def _flipped_at_the_end(content: bytes, random: Random) -> bytes:
    """The same in the last bytes, where Parquet says what the others are."""
    return _replaced(content, random, max(len(content) - 3000, 0), len(content))


def _replaced(content: bytes, random: Random, start: int, stop: int) -> bytes:
    changed = bytearray(content)
    for _ in range(random.randint(1, 6)):
        at = random.randrange(start, stop)
        flipped = bytes([changed[at] ^ 1 << random.randrange(8)])
        put = random.choice((flipped, flipped, flipped, *ODD))[: stop - at]
        changed[at : at + len(put)] = put
    return bytes(changed)


def _changed_lines(content: bytes, random: Random) -> bytes:
    """Lines of a text left out, doubled, cut or joined."""
    lines = content.split(b"\n")
    for _ in range(random.randint(1, 3)):
        at = random.randrange(1, len(lines))
        match random.randrange(5):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, lines[at])
            case 2:
                lines[at] = lines[at][: random.randrange(len(lines[at]) + 1)]
            case 3:
                lines[at] += random.choice((b",", b",x", b'"', b"\r", b"#", b";;;"))
            case _:
                lines[at] = random.choice((b"", b"\0", b'"', b"x" * 70_000, b"," * 5000))
    return b"\n".join(lines)


def _changed_cells(content: bytes, random: Random) -> bytes:
    """Cells replaced by odd ones."""
    rows = [line.split(b",") for line in content.split(b"\n")]
    for _ in range(random.randint(1, 3)):
        row = random.choice(rows)
        values = [str(value).encode("utf-8", "surrogatepass") for value in ODD_VALUES]
        row[random.randrange(len(row))] = random.choice((*ODD, *values))
    return b"\n".join(map(b",".join, rows))


def _changed_parts(content: bytes, random: Random) -> bytes:
    """The texts inside of a packed file changed, and packed again."""
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(changed, "w") as new:
        names = old.namelist()
        chosen = random.choice([name for name in names if "sheet" in name or "shared" in name])
        for name in names:
            part = old.read(name)
            new.writestr(name, _flipped(part, random) if name == chosen else part)
    return changed.getvalue()


def _moved_cells(content: bytes, random: Random) -> bytes:
    """Cells and rows of a sheet at odd places, and of odd kinds."""

    def change(part: bytes) -> bytes:
        for _ in range(random.randint(1, 3)):
            found = random.choice(list(re.finditer(rb' (r|t|s|spans)="[^"]*"', part)))
            odd = random.choice(_PLACES) if random.random() < 0.8 else random.choice(ODD)
            put = b' %s="%s"' % (found[1], odd)
            part = part[: found.start()] + put + part[found.end() :]
        return part

    return _repacked(content, "xl/worksheets/sheet1.xml", change)


def _long_sheet_cells(content: bytes, random: Random) -> bytes:
    """A cell of a sheet, or what stands between two, as long as a bomb."""
    size = random.choice((1_000_001, 3_000_000, 9_000_000))
    comment, deep = b"<!--" + b" " * size + b"-->", b"<r>" * (size // 3)
    long = random.choice((b"x" * size, comment, deep, b" " * size))

    def change(part: bytes) -> bytes:
        at = random.choice([found.end() for found in re.finditer(rb"<(?:v|t|row)[^>]*>", part)])
        return part[:at] + long + part[at:]

    return _repacked(content, "xl/worksheets/sheet1.xml", change)


def _lying_sizes(content: bytes, random: Random) -> bytes:
    """Sizes, sums and offsets of a zip directory that are not true."""
    changed = bytearray(content)
    for _ in range(random.randint(1, 3)):
        entries = re.finditer(rb"PK\x01\x02|PK\x03\x04", content)
        at = random.choice([found.start() for found in entries])
        at += random.choice((14, 16, 18, 20, 22, 24, 42))
        size = random.choice((0, 1, 100, 2**31, 2**32 - 1, random.randrange(2**32)))
        changed[at : at + 4] = size.to_bytes(4, "little")
    return bytes(changed[: len(content)])


SHEET_CHANGES: tuple[Change, ...] = (
    _changed_parts,
    _moved_cells,
    _lying_sizes,
    _long_sheet_cells,
)


def _repacked(content: bytes, chosen: str, change: Callable[[bytes], bytes]) -> bytes:
    changed = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            part = old.read(name)
            new.writestr(name, change(part) if name == chosen else part)
    return changed.getvalue()


def _bomb(content: bytes, random: Random) -> bytes:
    """A cell, or many lines, that are far larger unpacked than packed."""
    lines = gzip.decompress(content).split(b"\n")
    size = random.choice((900_000, 2_000_001, 5_000_000))
    long = random.choice((b"x" * size, b'""' * (size // 2), b"\n," * (size // 2)))
    long = random.choice((long, b'"' + long + b'"'))
    at = random.randrange(1, len(lines))
    cells = lines[at].split(b",")
    cells[random.randrange(len(cells))] = long
    lines[at] = b",".join(cells)
    return gzip.compress(b"\n".join(lines), 1, mtime=0)


def _changed_json(content: bytes, random: Random) -> bytes:
    return json.dumps(mutated_json(json.loads(content), random)).encode()


def _changed_records(content: bytes, random: Random) -> bytes:
    lines = content.split(b"\n")
    at = random.randrange(len(lines))
    lines[at] = _changed_json(lines[at], random)
    return b"\n".join(lines)
