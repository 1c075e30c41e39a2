"""Ledger files that are damaged: bytes of the file, and rows and tables inside of it."""

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from random import Random

from candling.ledger import Reservation, create_ledger, make_claim, open_ledger
from candling.ledger.entry import COLUMNS, entry_hash
from tests.fuzz.mutate import ODD_VALUES, mutated, mutated_json
from tests.fuzz.trial import CELL, Trial

# 3: a mutant may say that the budget is spent.
ALLOWED = frozenset({0, 2, 3})
TABLES = (*3 * ("candling_entries",), "candling_meta", "candling_key")
SCHEMA_CHANGES = (
    "drop index candling_by_dataset",
    "drop index candling_by_people",
    "drop index candling_by_joining",
    "drop index candling_by_request",
    "drop table candling_key",
    "drop table candling_meta",
    "alter table candling_entries rename to old",
    "alter table candling_entries add column more text",
    "alter table candling_entries rename column units to unit",
    "create table more (a)",
    "create view more as select * from candling_entries",
    "create trigger t after insert on candling_entries begin delete from candling_entries; end",
    "create trigger t before insert on candling_entries begin select raise(ignore); end",
    "pragma user_version = 77",
    "pragma application_id = 77",
    "pragma journal_mode = wal",
    "pragma auto_vacuum = 1",
    "vacuum",
    "reindex",
    "analyze",
)


def make(path: Path) -> None:
    """A ledger with every kind of entry."""
    create_ledger(path).add("visits", 1)
    ledger = open_ledger(path)
    for number in range(3):
        claim = make_claim("visits", "0.1", {"measures": ["rows"]}, request_id=f"r{number}")
        held = ledger.reserve(claim)
        assert isinstance(held, Reservation)
        if number:
            ledger.store_result(held, {"value": number, "note": 50 * "long "})
    ledger.raise_limit(2, "more", dataset="visits")
    ledger.add("staff", 1, by="ada")
    ledger.add("shifts", people="staff")
    ledger.move("visits", "staff", "they are ill")


def set_cell(path: Path, column: str, seq: int, value: object) -> bool:
    """Set one cell of an entry; whether that changed anything."""
    changed = False
    with _opened(path) as connection:
        cell = f"select {column}, typeof({column}) from candling_entries where seq = ?"
        (before,) = connection.execute(cell, (seq,)).fetchall()
        sql = f"update candling_entries set {column} = ? where seq = ?"
        connection.execute(sql, (value, seq))
        changed = connection.execute(cell, (seq,)).fetchall() != [before]
    return changed  # noqa: RET504 - a refusal ends the block early


def with_changed_bytes(path: Path, random: Random) -> str:
    """Bytes anywhere, or in the pages that hold entries, or the length of the file."""
    data = path.read_bytes()
    match random.randrange(4):
        case 0:
            data = mutated(data, random)
        case 1:  # one bit, so that all else is whole
            at = random.randrange(len(data))
            data = data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1 :]
        case 2:  # inside of one page
            start = 4096 * random.randrange(len(data) // 4096)
            page = mutated(data[start : start + 4096], random)[:4096].ljust(4096, b"\0")
            data = data[:start] + page + data[start + 4096 :]
        case _:  # the header of the file
            data = mutated(data[:100], random)[:100].ljust(100, b"\0") + data[100:]
    path.write_bytes(data)
    return "bytes"


def with_changed_rows(path: Path, random: Random) -> str:
    """One cell, or one row: removed, doubled, or put in."""
    with _opened(path) as connection:
        table = random.choice(TABLES)
        columns = [row[1] for row in connection.execute(f"pragma table_info({table})")]
        rows = connection.execute(f"select rowid, * from {table}").fetchall()
        row = random.choice(rows)
        match random.randrange(6):
            case 0:
                connection.execute(f"delete from {table} where rowid = ?", row[:1])
            case 1:
                copy = (random.choice((0, -1, 999, 2**62)), *row[2:])
                marks = ", ".join("?" * len(copy))
                connection.execute(f"insert into {table} values ({marks})", copy)
            case _:
                column = random.randrange(len(columns))
                value = _another(row[column + 1], rows, column + 1, random)
                sql = f"update {table} set {columns[column]} = ? where rowid = ?"
                connection.execute(sql, (value, row[0]))
    return "rows"


def with_forged_rows(path: Path, random: Random) -> str:
    """A cell of an entry, and all hashes from there on as the ledger would have made them."""
    with _opened(path) as connection:
        rows = connection.execute("select * from candling_entries order by seq").fetchall()
        first, column = random.randrange(len(rows)), random.randrange(1, len(COLUMNS) - 2)
        value = _another(rows[first][column], rows, column, random)
        if COLUMNS[column] == "body" and random.random() < 0.8:
            value = json.dumps(mutated_json(json.loads(rows[first][column]), random))
        previous = rows[first][-2]
        for row in rows[first:]:
            values = dict(zip(COLUMNS, row, strict=True)) | {"previous": previous}
            if row is rows[first]:
                values[COLUMNS[column]] = value
            with suppress(TypeError, ValueError):
                values["hash"] = previous = entry_hash(values)
            sets = ", ".join(f"{name} = ?" for name in COLUMNS)
            sql = f"update candling_entries set {sets} where seq = ?"
            connection.execute(sql, (*values.values(), row[0]))
    return "forged"


def with_changed_tables(path: Path, random: Random) -> str:
    """Something that a ledger does not have, or not something that it has."""
    with _opened(path) as connection:
        connection.execute(random.choice(SCHEMA_CHANGES))
    return "tables"


def with_a_journal(path: Path, random: Random) -> str:
    """A journal that somebody put beside the ledger."""
    journal = path.with_name(path.name + "-journal")
    magic = bytes.fromhex("d9d505f920a163d7")
    numbers = [random.choice((0, 1, 2, 7, 512, 4096, 2**32 - 1)) for _ in range(5)]
    if random.random() < 0.5:  # one that is used: the file has the page already
        pages = path.stat().st_size // 4096
        numbers = [random.choice((1, 2)), numbers[1], pages, 512, 4096]
    header = magic + b"".join(number.to_bytes(4) for number in numbers)
    record = (1).to_bytes(4) + path.read_bytes()[:4096] + bytes(4)
    content = header.ljust(random.choice((28, 512, 512, 512)), b"\0") + record * random.randrange(3)
    journal.write_bytes(random.choice((content, mutated(content, random))))
    journal.chmod(0o600)
    return "journal"


MUTATIONS: tuple[Callable[[Path, Random], str], ...] = (
    with_changed_bytes,
    with_changed_bytes,
    with_changed_rows,
    with_forged_rows,
    with_forged_rows,
    with_changed_tables,
    with_a_journal,
)
RELEASE = ("release", "table.csv", "rules.txt", "--epsilon", "0.1", "--measures", "rows", "--json")
COMMANDS = (
    ("ledger", "verify", "mutant.ledger"),
    ("ledger", "show", "mutant.ledger"),
    ("ledger", "export", "mutant.ledger"),
    ("ledger", "add", "mutant.ledger", "--dataset", "new", "--budget", "1"),
    ("ledger", "add", "mutant.ledger", "--dataset", "new", "--people", "staff"),
    (
        *("ledger", "move", "mutant.ledger", "--dataset", "visits", "--people", "visits"),
        *("--reason", "back"),
    ),
    (*RELEASE, "--ledger", "mutant.ledger", "--dataset", "visits"),
    (*RELEASE, "--ledger", "mutant.ledger", "--dataset", "visits", "--request-id", "again"),
)


def trials(folder: Path, random: Random, mutants: int) -> Iterator[Trial]:
    """The sound ledger with every command, then mutants of it with one command each."""
    make(folder / "good.ledger")
    (folder / "rules.txt").write_text("Zip -> City\n")
    (folder / "table.csv").write_text(f"Zip,City\n1,{CELL}\n1,b\n2,c\n")
    stored = ("--ledger", "good.ledger", "--dataset", "visits", "--request-id", "again")
    yield Trial("sound", (*RELEASE, *stored), folder, allowed=frozenset({0}))
    for command in COMMANDS:
        _fresh(folder)
        yield Trial("sound", command, folder, allowed=frozenset({0}))
    for number in range(mutants):
        path = _fresh(folder)
        kind = random.choice(MUTATIONS)(path, random)
        yield Trial(kind, COMMANDS[number % len(COMMANDS)], folder, allowed=ALLOWED)


def _fresh(folder: Path) -> Path:
    for old in folder.glob("mutant.ledger*"):
        old.unlink()
    return Path(shutil.copy(folder / "good.ledger", folder / "mutant.ledger"))


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """The file as any program can open it; what the database itself refuses changes nothing."""
    refused = suppress(sqlite3.Error, OverflowError, UnicodeError)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection, refused:
        yield connection


def _another(value: object, rows: list[tuple[object, ...]], column: int, random: Random) -> object:
    """Another value for a cell: near, odd, or that of another row."""
    match random.randrange(4):
        case 0 if isinstance(value, int):
            return value + random.choice((-1, 1, 10**12, -(10**12)))
        case 0 if isinstance(value, str) and value:
            at = random.randrange(len(value))
            return value[:at] + random.choice("0a~é") + value[at + 1 :]
        case 1:
            return random.choice(rows)[column]
        case 2:
            return mutated(str(value).encode(), random)
        case _:
            odd = random.choice(ODD_VALUES)
            return odd if isinstance(odd, str | int | float | None) else str(odd)
