"""A ledger that a team shares, in tables of a PostgreSQL database.

An advisory lock makes charges wait for one another. It needs no permission beyond CONNECT, so
analysts need only SELECT and INSERT on the tables, and the server keeps them from changing entries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from candling import addresses
from candling.errors import LedgerError
from candling.ledger.store import Connection

if TYPE_CHECKING:
    import psycopg

PATIENCE = 30.0  # seconds to wait for others
_LOCK = 0x63616E64  # "cand": the first half of the advisory lock's key
_ONLY_OURS = (  # the second half: one lock for each ledger of the server
    f"select pg_advisory_xact_lock({_LOCK}, "
    "(('candling_entries'::regclass)::oid::bigint - 2147483648)::int)"
)
# A commit returns once it is on the disk, whatever the server's default; a stricter default
# (remote_apply) stays.
_DURABLE = (
    "select set_config('synchronous_commit', 'on', true) "
    "where current_setting('synchronous_commit') not in ('on', 'remote_apply')"
)


@dataclass(frozen=True, slots=True)
class PostgresConnection:
    """A transaction on a ledger's tables."""

    raw: psycopg.Connection[tuple[Any, ...]]

    def execute(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        cursor = self.raw.execute(sql.replace("?", "%s").encode(), values)
        return cursor.fetchall() if cursor.description else []


@dataclass(frozen=True, slots=True)
class PostgresStore:
    """Entries in PostgreSQL."""

    url: str = field(repr=False)  # may hold a password
    patience: float = PATIENCE

    @property
    def shown(self) -> str:
        """User, host and database; neither the password nor other parameters."""
        return addresses.shown(self.url)

    def check_fit(self) -> None:
        """Does nothing: every transaction that writes checks that the server has fsync on."""

    @contextmanager
    def creating(self) -> Iterator[Connection]:
        with self._transaction() as raw:
            raw.execute(f"select pg_advisory_xact_lock({_LOCK}, 0)".encode())
            (exists,) = raw.execute(
                "select to_regclass('candling_meta') is not null"
            ).fetchone() or (True,)
            if exists:
                raise LedgerError(
                    f"{self.shown} already holds a ledger; candling never overwrites a ledger.",
                    code="L103",
                )
            yield PostgresConnection(raw)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with self._transaction(read_only=True) as raw:
            yield PostgresConnection(raw)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        with self._transaction() as raw:
            raw.execute(_ONLY_OURS.encode())
            yield PostgresConnection(raw)

    def damage(self) -> str | None:
        """None: the server checks its own files."""
        return None

    @contextmanager
    def _transaction(
        self, *, read_only: bool = False
    ) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
        """A transaction: committed at the end, or rolled back; its errors are ours."""
        try:
            import psycopg
            from psycopg import IsolationLevel
        except ImportError:
            raise LedgerError(
                "A ledger in PostgreSQL needs its driver: pip install 'candling[postgresql]'",
                code="L114",
            ) from None
        try:
            with psycopg.connect(self.url, connect_timeout=int(self.patience) or 1) as raw:
                # Each statement of a writer must see what was committed while it waited.
                level = (
                    IsolationLevel.REPEATABLE_READ if read_only else IsolationLevel.READ_COMMITTED
                )
                raw.isolation_level = level
                raw.read_only = read_only
                if not read_only:
                    self._make_durable(raw)
                raw.execute(f"set local lock_timeout = '{self.patience:g}s'".encode())
                yield raw
        except psycopg.Error as error:
            raise self._explanation(error) from None

    def _make_durable(self, raw: psycopg.Connection[tuple[Any, ...]]) -> None:
        raw.execute(_DURABLE.encode())
        if raw.execute("select current_setting('fsync')").fetchone() != ("on",):
            raise LedgerError(
                f"The server of {self.shown} runs with fsync = off: a crash of its machine would "
                "make it forget charges. Switch fsync on.",
                code="L114",
            )

    def _explanation(self, error: psycopg.Error) -> LedgerError:
        """Our error for one of the driver, whose text may quote the address with its password."""
        from psycopg import errors

        shown = self.shown
        if isinstance(error, errors.LockNotAvailable | errors.QueryCanceled):
            return LedgerError(
                f"Another session has locked the ledger in {shown} for more than "
                f"{self.patience:g} s. pg_locks shows which; end it, or try again later.",
                code="L109",
            )
        if isinstance(error, errors.UndefinedTable | errors.InvalidSchemaName):
            return LedgerError(
                f"There is no ledger in {shown}. If it was moved, find it: a new ledger would "
                "forget what was spent. Make the first one with `candling ledger init`.",
                code="L101",
            )
        if isinstance(error, errors.DiskFull):
            return LedgerError(f"{shown} cannot be written: its disk is full.", code="L113")
        if isinstance(error, errors.ReadOnlySqlTransaction):
            return LedgerError(f"{shown} is read-only. Is it a standby server?", code="L104")
        if isinstance(error, errors.InsufficientPrivilege):
            return LedgerError(
                f"You lack a permission in {shown}: the owner of the ledger must grant it.",
                code="L104",
            )
        if isinstance(error, errors.IntegrityError):
            return LedgerError(
                f"The entries in {shown} do not fit together; run `candling ledger verify`.",
                code="L110",
            )
        return LedgerError(f"{self._trouble(error)} ({type(error).__name__}).", code="L114")

    def _trouble(self, error: psycopg.Error) -> str:
        """Why there is no connection, from phrases that servers have used for decades."""
        import psycopg

        text = str(error)
        if "authentication failed" in text or "no password supplied" in text:
            return f"The server of {self.shown} rejected the login: wrong user or password"
        if "does not exist" in text:
            return f"The server of {self.shown} has no such user or database"
        if error.sqlstate is None and isinstance(error, psycopg.ProgrammingError):
            return f"The address of the ledger ({self.shown}) is invalid"
        return f"The server of {self.shown} cannot be reached, or the connection broke"
