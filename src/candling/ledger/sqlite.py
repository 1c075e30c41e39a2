"""A ledger in a SQLite file.

The journal is SQLite's rollback journal, which stays beside the file, with synchronous=FULL: a
commit flushes the file itself and then, flushed as well, marks the journal as done. So the file
alone always holds every committed charge, and so does every copy of it. With a write-ahead log,
which is faster, the newest charges would be in a second file, and a copy without that file would be
an older ledger.

The file must have one name (place.py), and a journal that a crash left must belong to the state in
which the file is (journal.py).

Only SQLite opens the file of a ledger: closing it elsewhere would drop the locks that other threads
hold on it.
"""

from __future__ import annotations

import ctypes
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field
from errno import EINVAL, ENOSYS, ENOTSUP
from pathlib import Path
from typing import Any, Literal

from candling.errors import LedgerError
from candling.ledger import place
from candling.ledger.place import SUFFIX, check_journal, check_no_journal, number_of
from candling.ledger.store import SCHEMA, Connection
from candling.records import dataclass
from candling.system.files import reason_of

PATIENCE = 30.0  # seconds to wait for others
_APPLICATION = 0x63616E64  # "cand", in the header of the file
_AT_WORKING_DIRECTORY, _NO_REPLACE = -100, 1  # for renameat2
Mode = Literal["ro", "rw"]


@dataclass(frozen=True, slots=True)
class SqliteConnection:
    """A transaction on a ledger file."""

    raw: sqlite3.Connection

    def execute(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        return self.raw.execute(sql, values).fetchall()


class _Idle:
    """Connections that wait for the next transaction: connecting takes longer than a charge.

    Each belongs to a process (SQLite connections do not survive a fork), a file, and a mode.
    """

    def __init__(self) -> None:
        self.connections: dict[tuple[int, place.Identity, Mode], list[sqlite3.Connection]] = {}

    def __reduce__(self) -> tuple[type[_Idle], tuple[()]]:
        return _Idle, ()  # a copy in another process connects by itself

    def take(self, identity: place.Identity, mode: Mode) -> sqlite3.Connection | None:
        with suppress(KeyError, IndexError):
            return self.connections[os.getpid(), identity, mode].pop()
        return None

    def put(self, identity: place.Identity, mode: Mode, raw: sqlite3.Connection) -> None:
        # Whoever overwrites the file in place must not meet pages of it that we remember.
        raw.execute("pragma shrink_memory")
        self.connections.setdefault((os.getpid(), identity, mode), []).append(raw)


@dataclass(frozen=True, slots=True)
class SqliteStore:
    """Entries in a SQLite file."""

    path: Path  # as the caller names it
    patience: float = PATIENCE
    file: Path = field(init=False, repr=False)  # without links: the journal has one name
    _idle: _Idle = field(default_factory=_Idle, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        try:
            real = Path(os.path.realpath(self.path))
        except (OSError, ValueError):  # a loop of links, or a zero byte
            raise LedgerError(f"{self.shown!r} is not a valid path.", code="L104") from None
        object.__setattr__(self, "file", real)

    @property
    def shown(self) -> str:
        return str(self.path)

    def check_fit(self) -> None:
        place.check_exists(self.file, self.shown)
        place.check_file_system(self.file, self.shown)

    def memory(self) -> str | None:
        return place.memory(self.file)

    @contextmanager
    def open_new(self) -> Iterator[Connection]:
        """Written under another name first: the path has a whole ledger or none."""
        draft = self.file.with_name(f".{self.file.name}.{secrets.token_hex(4)}.new")
        try:
            place.check_new(self.path if self.path.is_symlink() else self.file, self.shown)
            self._check_files(check_no_journal)
            # The mode is set before there is any content, whatever the umask.
            os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            draft.chmod(0o600)
            with self._translate_errors():
                raw = self._connect("rw", draft)
                try:
                    raw.execute(f"pragma application_id = {_APPLICATION}")
                    with _transaction(raw):
                        yield SqliteConnection(raw)
                finally:
                    raw.close()
            _rename_to_new(draft, self.file)
            _flush_directory(self.file.parent)
        except FileExistsError:
            raise LedgerError(
                f"{self.shown!r} already exists; candling never overwrites a ledger.",
                code="L103",
            ) from None
        except OSError as error:
            raise LedgerError(
                f"Cannot make a ledger at {self.shown!r}: {reason_of(error)}.", code="L113"
            ) from None
        finally:
            for name in (draft, draft.with_name(draft.name + SUFFIX)):
                with suppress(OSError):
                    name.unlink()

    @contextmanager
    def open_reader(self) -> Iterator[Connection]:
        identity = place.check_exists(self.file, self.shown)
        # Only a process that may write can roll back the unfinished write of a crashed one.
        mode: Mode = "rw" if os.access(self.file, os.W_OK) else "ro"
        with self._open_connection(identity, mode) as raw:
            raw.execute("begin")
            yield SqliteConnection(raw)
            raw.execute("rollback")

    @contextmanager
    def open_writer(self) -> Iterator[Connection]:
        identity = place.check_exists(self.file, self.shown)
        place.check_writable(self.file, self.shown)
        with self._open_connection(identity, "rw") as raw, _transaction(raw):
            # Under the lock, and once more before the commit. SQLite itself refuses to begin a
            # journal for a file that lost its name.
            if place.check_exists(self.file, self.shown) != identity:
                raise place.moved_error(self.shown)
            yield SqliteConnection(raw)
            raw.execute("pragma user_version = 0")  # begins the journal, if nothing else did
            raw.execute(f"pragma user_version = {number_of(self.file)}")
            place.check_identity(self.file, self.shown, identity)

    def find_alterations(self, connection: Connection) -> str | None:
        rows = connection.execute("select sql from sqlite_master where sql is not null")
        if sorted(str(sql) for (sql,) in rows) != _AS_STORED:
            return "the file holds other tables, indexes or triggers than a ledger's"
        return None

    def damage(self) -> str | None:
        """What SQLite finds wrong, or that the file holds more than our tables.

        A trigger, for example, could remove entries again.
        """
        with self.open_reader() as connection:
            ((integrity,), *_) = connection.execute("pragma integrity_check(1)")
            if integrity != "ok":
                return "SQLite reports that the file is damaged"
            if connection.execute("pragma application_id") != [(_APPLICATION,)]:
                return "the header of the file does not say that it is a ledger"
            return self.find_alterations(connection)

    def remarks(self) -> tuple[str, ...]:
        return ()

    @contextmanager
    def _open_connection(
        self, identity: place.Identity, mode: Mode
    ) -> Iterator[sqlite3.Connection]:
        """A connection to the file that the path names now; it is kept if all goes well."""
        with self._translate_errors():
            self._check_files(check_journal)
            raw = self._idle.take(identity, mode) or self._connect(mode)
            try:
                yield raw
            except BaseException:
                raw.close()
                raise
            self._idle.put(identity, mode, raw)

    def _check_files(self, check: Callable[[Path], None]) -> None:
        try:
            check(self.file)
        except OSError as error:
            raise LedgerError(
                f"{self.shown!r} cannot be read: {reason_of(error)}.", code="L104"
            ) from None

    def _connect(self, mode: Mode, path: Path | None = None) -> sqlite3.Connection:
        # Never mode=rwc: opening a missing ledger must not create it.
        address = f"{(path or self.file).as_uri()}?mode={mode}"
        raw = sqlite3.connect(
            address,
            uri=True,
            timeout=self.patience,
            isolation_level=None,
            check_same_thread=False,  # one thread at a time
        )
        try:
            self._set_up(raw, mode)
        except BaseException:
            raw.close()
            raise
        return raw

    def _set_up(self, raw: sqlite3.Connection, mode: Mode) -> None:
        raw.execute("pragma trusted_schema = off")
        raw.execute("pragma cell_size_check = on")
        raw.execute("pragma cache_spill = off")  # a journal of ours always has the first page
        raw.execute("pragma synchronous = full")
        raw.execute("pragma fullfsync = on")  # macOS flushes the drive's cache only if asked
        if mode == "rw":
            journal = raw.execute("pragma journal_mode = persist").fetchone()
            if journal != ("persist",):
                raise LedgerError(
                    f"The journal mode of {self.shown!r} cannot be changed; another program has "
                    "the file open. End that program and try again.",
                    code="L109",
                )

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """A context that turns the errors of SQLite into ours."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:  # a damaged name breaks the message
            raise self._explanation(error) from None

    def _explanation(self, error: Exception) -> LedgerError:
        name: str = getattr(error, "sqlite_errorname", "SQLITE_ERROR")
        shown = repr(self.shown)
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL")):
            return LedgerError(
                f"Another process has locked {shown} for more than {self.patience:g} s. End that "
                "process, or try again later.",
                code="L109",
            )
        if name.startswith("SQLITE_FULL"):
            return LedgerError(f"{shown} cannot be written: the disk is full.", code="L113")
        if name.startswith(("SQLITE_IOERR", "SQLITE_NOMEM")):
            return LedgerError(
                f"{shown} cannot be written or read: the disk is full or failing ({name}).",
                code="L113",
            )
        if name == "SQLITE_READONLY_DBMOVED":
            return place.moved_error(self.shown)
        if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
            return LedgerError(
                f"{shown} cannot be opened for writing ({name}): it or its directory is read-only, "
                "or you lack the permission.",
                code="L104",
            )
        if name.startswith("SQLITE_CONSTRAINT"):
            return LedgerError(
                f"The entries of {shown} do not fit together; run `candling ledger verify`.",
                code="L110",
            )
        return LedgerError(f"{shown} is not a ledger, or is damaged ({name}).", code="L102")


@contextmanager
def _transaction(raw: sqlite3.Connection) -> Iterator[None]:
    """An exclusive transaction: committed and flushed at the end, or rolled back."""
    raw.execute("begin immediate")
    try:
        yield
        raw.execute("commit")
    except BaseException:
        with suppress(sqlite3.Error):  # a failed commit may have rolled back by itself
            raw.execute("rollback")
        raise


def _normalize_statement(statement: str) -> str:
    """A statement as SQLite stores it in its schema."""
    head, name, rest = statement.partition(" candling_")
    return head.upper() + name + rest


_AS_STORED = sorted(map(_normalize_statement, SCHEMA))


def _rename_to_new(source: Path, target: Path) -> None:
    """Give a file a new name that nothing has yet; raises FileExistsError otherwise.

    Where the system can, in one step. Elsewhere the file has both names for a moment, in which
    others refuse it.
    """
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is not None:
        here = _AT_WORKING_DIRECTORY
        if rename(here, os.fsencode(source), here, os.fsencode(target), _NO_REPLACE) == 0:
            return
        error = ctypes.get_errno()
        if error not in (ENOSYS, EINVAL, ENOTSUP):
            raise OSError(error, os.strerror(error))
    os.link(source, target)
    source.unlink()


def _flush_directory(folder: Path) -> None:
    """Make the new name durable too."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
