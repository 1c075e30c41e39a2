"""A ledger in a SQLite file.

The journal is SQLite's rollback journal, truncated, with synchronous=FULL: a commit first flushes
the file itself and then, flushed as well, the end of the journal. So the file alone always holds
every committed charge, and so does every copy of it. With a write-ahead log, which is faster, the
newest charges would be in a second file, and a copy without that file would be an older ledger.

Only SQLite opens the file of a ledger: closing it elsewhere would drop the locks that other threads
hold on it.
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
        place.check_exists(self.path)
        place.check_file_system(self.path)

    @contextmanager
    def creating(self) -> Iterator[Connection]:
        """Written under another name first: the path has a whole ledger or none."""
        place.check_new(self.path)
        draft = self.path.with_name(f".{self.path.name}.{secrets.token_hex(4)}.new")
        try:
            # The mode is set before there is any content, whatever the umask.
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
                f"{str(self.path)!r} already exists; candling never overwrites a ledger.",
                code="L103",
            ) from None
        except OSError as error:
            reason = (error.strerror or "unknown reason").lower()
            raise LedgerError(
                f"Cannot make a ledger at {str(self.path)!r}: {reason}.", code="L113"
            ) from None
        finally:
            for name in (draft, draft.with_name(draft.name + "-journal")):
                with suppress(OSError):
                    name.unlink()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        place.check_exists(self.path)
        # Only a process that may write can roll back the unfinished write of a crashed one.
        mode: Literal["ro", "rw"] = "rw" if os.access(self.path, os.W_OK) else "ro"
        with self._explained(), closing(self._connect(mode)) as raw:
            raw.execute("begin")
            yield SqliteConnection(raw)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        place.check_exists(self.path)
        place.check_writable(self.path)
        with self._explained(), closing(self._connect("rw")) as raw, _transaction(raw):
            yield SqliteConnection(raw)

    def damage(self) -> str | None:
        """What SQLite finds wrong, or that the file holds more than our tables.

        A trigger, for example, could remove entries again.
        """
        with self.reading() as connection:
            ((integrity,), *_) = connection.execute("pragma integrity_check(1)")
            rows = connection.execute("select sql from sqlite_master where sql is not null")
        if integrity != "ok":
            return "SQLite reports that the file is damaged"
        if {sql for (sql,) in rows} != {_as_stored(statement) for statement in SCHEMA}:
            return "the file holds other tables, indexes or triggers than a ledger's"
        return None

    def _connect(self, mode: Literal["ro", "rw"], path: Path | None = None) -> sqlite3.Connection:
        # Never mode=rwc: opening a missing ledger must not create it.
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
                    f"The journal mode of {self.shown!r} cannot be changed; another program has "
                    "the file open. End that program and try again.",
                    code="L109",
                )

    @contextmanager
    def _explained(self) -> Iterator[None]:
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


def _as_stored(statement: str) -> str:
    """A statement as SQLite stores it in its schema."""
    head, name, rest = statement.partition(" candling_")
    return head.upper() + name + rest


def _flush_directory(folder: Path) -> None:
    """Make the new name durable too."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
