"""A ledger that a team shares, in tables of a PostgreSQL database.

Charges wait for one another by a lock on `candling_lock`, a table without rows. The lock needs the
permission to update that table, so people who may only look cannot hold it. Analysts need SELECT
and INSERT on the entries, and the server keeps them from changing any.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from candling import addresses
from candling.errors import LedgerError
from candling.ledger import catalogue
from candling.ledger.store import Connection

if TYPE_CHECKING:
    import psycopg

PATIENCE = 30.0  # seconds to wait for others
# The second lock keeps triggers and rules from being added until the entry is written. It is the
# strongest that a permission to insert allows.
_ONLY_OURS = (
    "lock table only candling_lock in exclusive mode",
    "lock table only candling_entries in row exclusive mode",
)
# A policy that hides rows becomes an error. The names of tables mean one schema and nothing else:
# temporary tables come last.
_SET_UP = (
    "select pg_catalog.set_config('lock_timeout', ?, true), "
    "pg_catalog.set_config('row_security', 'off', true), "
    "pg_catalog.set_config('search_path', pg_catalog.quote_ident(?) || ', pg_temp', true)"
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

    def memory(self) -> str | None:
        """None: every transaction that writes checks that the tables are logged."""
        return None

    @contextmanager
    def creating(self) -> Iterator[Connection]:
        with self._transaction() as connection:
            from psycopg import errors

            if self._schemas(connection):
                raise self._exists()
            ((schema,),) = connection.execute("select pg_catalog.current_schema()")
            if schema is None:
                raise LedgerError(
                    f"No schema of the search path exists in {self.shown}. Make one first: "
                    "CREATE SCHEMA ...",
                    code="L104",
                )
            self._set_up(connection, schema)
            try:
                connection.execute(catalogue.LOCK)
                yield connection
            except (
                errors.DuplicateTable,
                errors.DuplicateObject,
                errors.UniqueViolation,
            ):  # somebody else made one at the same moment
                raise self._exists() from None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with self._transaction(read_only=True) as connection:
            self._find_schema(connection)
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        with self._transaction() as connection:
            self._find_schema(connection)
            for statement in _ONLY_OURS:
                connection.execute(statement)
            yield connection

    def altered(self, connection: Connection) -> str | None:
        return catalogue.attached(connection)

    def damage(self) -> str | None:
        """How the tables were altered; the server checks its own files."""
        with self.reading() as connection:
            return catalogue.altered(connection)

    def remarks(self) -> tuple[str, ...]:
        with self.reading() as connection:
            return catalogue.remarks(connection)

    def _schemas(self, connection: PostgresConnection) -> list[str]:
        """The schemas of the search path in which there is a table of a ledger."""
        rows = connection.execute(catalogue.FIND_SCHEMAS, (list(catalogue.TABLES),))
        return sorted(str(name) for (name,) in rows)

    def _find_schema(self, connection: PostgresConnection) -> None:
        """Find the schema of the ledger: all later statements look for its tables there only."""
        schemas = self._schemas(connection)
        if not schemas:
            raise self._missing()
        if len(schemas) > 1:
            raise LedgerError(
                f"Several schemas on the search path of {self.shown} hold tables of a ledger: "
                f"{', '.join(map(repr, schemas))}. Say which one: add "
                "?options=-csearch_path%3DSCHEMA to the address.",
                code="L104",
            )
        self._set_up(connection, schemas[0])

    def _set_up(self, connection: PostgresConnection, schema: str) -> None:
        connection.execute(_SET_UP, (f"{self.patience:g}s", schema))

    def _exists(self) -> LedgerError:
        return LedgerError(
            f"{self.shown} already holds a ledger; candling never overwrites a ledger.",
            code="L103",
        )

    def _missing(self) -> LedgerError:
        return LedgerError(
            f"There is no ledger in {self.shown}. If it was moved, find it: a new ledger would "
            "forget what was spent. Make the first one with `candling ledger init`.",
            code="L101",
        )

    @contextmanager
    def _transaction(self, *, read_only: bool = False) -> Iterator[PostgresConnection]:
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
                yield PostgresConnection(raw)
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
            return self._missing()
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
