"""A ledger in a file of its own.

The journal is SQLite's rollback journal, truncated, with synchronous=FULL: a commit first flushes
the file itself and then, flushed as well, the end of the journal. So the file alone always holds
every charge that was committed, and a copy of it can lack none. With a write-ahead log, which is
faster, the newest charges would be in a second file, and a copy without that file an older ledger.

No file of a ledger is opened here but by SQLite: closing it would drop the locks that other
threads hold on it.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from candling.errors import LedgerError
from candling.ledger import place
from candling.ledger.store import SCHEMA, Connection

PATIENCE = 30.0  # seconds to wait for others
_APPLICATION = 0x63616E64  # "cand", in the header of the file


@dataclass(frozen=True, slots=True)
class SqliteConnection:
    """A transaction on a ledger file."""

    raw: sqlite3.Connection

    def execute(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        return self.raw.execute(sql, values).fetchall()


@dataclass(frozen=True, slots=True)
class SqliteStore:
    """Entries in a SQLite file."""

    path: Path
    patience: float = PATIENCE

    @property
    def shown(self) -> str:
        return str(self.path)

    def check_fit(self) -> None:
        place.check_there(self.path)
        place.check_file_system(self.path)

    @contextmanager
    def creating(self) -> Iterator[Connection]:
        """Under another name first: the place has a whole ledger or none."""
        place.check_new(self.path)
        draft = self.path.with_name(f".{self.path.name}.{secrets.token_hex(4)}.new")
        try:
            # The mode is there before any content is, whatever the umask.
            os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            draft.chmod(0o600)
            with self._explained(), closing(self._connect("rw", draft)) as raw:
                raw.execute(f"pragma application_id = {_APPLICATION}")
                with _transaction(raw):
                    yield SqliteConnection(raw)
            os.link(draft, self.path)
            _flush_directory(self.path.absolute().parent)
        except FileExistsError:
            raise LedgerError(
                f"{str(self.path)!r} is there already; a ledger is never overwritten.", code="L103"
            ) from None
        except OSError as error:
            reason = (error.strerror or "unknown reason").lower()
            raise LedgerError(
                f"No ledger can be made at {str(self.path)!r}: {reason}.", code="L113"
            ) from None
        finally:
            for name in (draft, draft.with_name(draft.name + "-journal")):
                with suppress(OSError):
                    name.unlink()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        place.check_there(self.path)
        # Only a process that may write can roll back what a crashed one left half done.
        mode: Literal["ro", "rw"] = "rw" if os.access(self.path, os.W_OK) else "ro"
        with self._explained(), closing(self._connect(mode)) as raw:
            raw.execute("begin")
            yield SqliteConnection(raw)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        place.check_there(self.path)
        place.check_writable(self.path)
        with self._explained(), closing(self._connect("rw")) as raw, _transaction(raw):
            yield SqliteConnection(raw)

    def damage(self) -> str | None:
        """What SQLite finds, and whether anything but our tables is in the file.

        A trigger, say, could take entries out again.
        """
        with self.reading() as connection:
            ((found,), *_) = connection.execute("pragma integrity_check(1)")
            rows = connection.execute("select sql from sqlite_master where sql is not null")
        if found != "ok":
            return "SQLite finds the file itself damaged"
        if {sql for (sql,) in rows} != {_as_kept(statement) for statement in SCHEMA}:
            return "the file holds other tables, indexes or triggers than a ledger's"
        return None

    def _connect(self, mode: Literal["ro", "rw"], path: Path | None = None) -> sqlite3.Connection:
        # Never mode=rwc: a ledger that is missing must not come into being by being asked.
        address = f"{(path or self.path).absolute().as_uri()}?mode={mode}"
        raw = sqlite3.connect(address, uri=True, timeout=self.patience, isolation_level=None)
        try:
            self._set_up(raw, mode)
        except BaseException:
            raw.close()
            raise
        return raw

    def _set_up(self, raw: sqlite3.Connection, mode: Literal["ro", "rw"]) -> None:
        raw.execute("pragma trusted_schema = off")
        raw.execute("pragma synchronous = full")
        raw.execute("pragma fullfsync = on")  # macOS flushes the drive's cache only if asked
        if mode == "rw":
            journal = raw.execute("pragma journal_mode = truncate").fetchone()
            if journal != ("truncate",):
                raise LedgerError(
                    f"Another program keeps {self.shown!r} in a way of its own, in which no charge "
                    "is safe. End it and try again.",
                    code="L109",
                )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """SQLite's failures in our words."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:  # a damaged name breaks the message
            raise self._explanation(error) from None

    def _explanation(self, error: Exception) -> LedgerError:
        name: str = getattr(error, "sqlite_errorname", "SQLITE_ERROR")
        shown = repr(self.shown)
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL")):
            return LedgerError(
                f"{shown} is locked by another process for more than {self.patience:g} s. Which "
                "one is not known here; end it, or try again later.",
                code="L109",
            )
        if name.startswith("SQLITE_FULL"):
            return LedgerError(f"{shown} cannot be written: the disk is full.", code="L113")
        if name.startswith(("SQLITE_IOERR", "SQLITE_NOMEM")):
            return LedgerError(
                f"{shown} cannot be written or read: the disk is full or failing ({name}).",
                code="L113",
            )
        if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")):
            return LedgerError(
                f"{shown} cannot be opened for writing ({name}): it or its directory is read-only, "
                "or not yours.",
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
    """Alone from here on; committed and flushed at the end, or as if it never was."""
    raw.execute("begin immediate")
    try:
        yield
        raw.execute("commit")
    except BaseException:
        with suppress(sqlite3.Error):  # a failed commit may have rolled back by itself
            raw.execute("rollback")
        raise


def _as_kept(statement: str) -> str:
    """A statement as SQLite writes it down."""
    head, name, rest = statement.partition(" candling_")
    return head.upper() + name + rest


def _flush_directory(folder: Path) -> None:
    """Make the new name durable too."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
