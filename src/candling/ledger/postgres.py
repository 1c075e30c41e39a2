"""A ledger that a team shares, in tables of a PostgreSQL database that nobody altered.

A trigger or a rule can drop an entry or change it, a policy can hide charges from those who look, a
view or an inherited table can show other rows, and an unlogged table is empty after a crash. The
owner of the tables can do all that, so nobody else should be the owner.

Charges wait for one another by a lock on `candling_lock`, a table without rows. The lock needs the
permission to update that table, so people who may only look cannot hold it. Analysts need SELECT
and INSERT on the entries, and the server keeps them from changing any.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import TYPE_CHECKING, Any

from candling.errors import LedgerError
from candling.ledger.store import SCHEMA, Connection
from candling.records import dataclass
from candling.system import files
from candling.system.postgresql import explain_refusal
from candling.system.silence import hang_up, keep_alive

if TYPE_CHECKING:
    import psycopg

LOCK = "create table candling_lock (held boolean)"  # is empty; who may update it may charge
TABLES = ("candling_entries", "candling_key", "candling_lock", "candling_meta")

FIND_SCHEMAS = """
select distinct n.nspname from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relname = any(?) and n.nspname = any(pg_catalog.current_schemas(false))
"""
_OURS = (  # in the schema that names mean since the transaction began
    "c.relname = any(?) and c.relnamespace = (select n.oid from pg_catalog.pg_namespace n "
    "where n.nspname = pg_catalog.current_schema())"
)
_ATTACHED = f"""
select c.relname, c.relkind <> 'r', c.relpersistence <> 'p',
  exists (select 1 from pg_catalog.pg_trigger t where t.tgrelid = c.oid),
  exists (select 1 from pg_catalog.pg_rewrite r where r.ev_class = c.oid),
  c.relrowsecurity or c.relforcerowsecurity
    or exists (select 1 from pg_catalog.pg_policy p where p.polrelid = c.oid),
  exists (select 1 from pg_catalog.pg_inherits i where c.oid in (i.inhrelid, i.inhparent))
from pg_catalog.pg_class c where {_OURS} order by c.relname
"""  # noqa: S608 - our own names
_WHAT = (
    "is not an ordinary table",
    "is not logged, so a crash of the server empties it",
    "has a trigger",
    "has a rule",
    "has row-level security",
    "inherits rows or passes them on",
)
_COLUMNS = f"""
select c.relname, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull,
  a.atthasdef or a.attidentity <> '' or a.attgenerated <> '' or a.attcollation <> t.typcollation
from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid
join pg_catalog.pg_type t on t.oid = a.atttypid
where {_OURS} and a.attnum > 0 and not a.attisdropped order by c.relname, a.attnum
"""  # noqa: S608
_INDEXES = f"""
select i.indisunique, i.indisvalid, i.indexprs is not null, i.indpred is not null,
  array(select a.attname::text from pg_catalog.unnest(i.indkey) with ordinality k(number, place)
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = k.number order by k.place)
from pg_catalog.pg_index i join pg_catalog.pg_class c on c.oid = i.indrelid where {_OURS}
"""  # noqa: S608
_CONSTRAINTS = f"""
select c.relname from pg_catalog.pg_constraint n join pg_catalog.pg_class c on c.oid = n.conrelid
where {_OURS} and n.contype not in ('p', 'n')
"""  # noqa: S608
_OWNERS = f"""
select distinct pg_catalog.pg_get_userbyid(c.relowner)::text from pg_catalog.pg_class c
where {_OURS}
"""  # noqa: S608
_GRANTS = f"""
select distinct c.relname::text, x.privilege_type,
  case x.grantee when 0 then 'everybody' else pg_catalog.pg_get_userbyid(x.grantee)::text end
from pg_catalog.pg_class c
cross join lateral (
  select g.grantee, g.privilege_type from pg_catalog.aclexplode(c.relacl) g
  union select g.grantee, g.privilege_type
  from pg_catalog.pg_attribute a, pg_catalog.aclexplode(a.attacl) g where a.attrelid = c.oid
) x where {_OURS} and x.grantee <> c.relowner
"""  # noqa: S608


def find_attachments(connection: Connection) -> str | None:
    """What could change or hide entries; None if nothing can. Cheap: every charge asks for it."""
    rows = connection.execute(_ATTACHED, (list(TABLES),))
    missing = sorted(set(TABLES) - {str(row[0]) for row in rows})
    if missing:
        return f"the table {missing[0]} is missing"
    for table, *flags in rows:
        for flag, what in zip(flags, _WHAT, strict=True):
            if flag:
                return f"the table {table} {what}"
    return None


def find_alterations(connection: Connection) -> str | None:
    """How the tables differ from those that candling makes; None if they do not."""
    if why := find_attachments(connection):
        return why
    ours = (list(TABLES),)
    columns = [tuple(row) for row in connection.execute(_COLUMNS, ours)]
    if columns != _expected_columns():
        return "the columns of its tables are not those that candling made"
    if _sort_rows(connection.execute(_INDEXES, ours)) != _sort_rows(_expected_indexes()):
        return "the indexes of its tables are not those that candling made"
    if connection.execute(_CONSTRAINTS, ours):
        return "its tables have constraints that candling did not make"
    return None


def remarks(connection: Connection) -> tuple[str, ...]:
    """Who owns the tables, and who else may do what with them."""
    ours = (list(TABLES),)
    owners = _list_names(name for (name,) in connection.execute(_OWNERS, ours))
    grants = connection.execute(_GRANTS, ours)

    def holders(privileges: tuple[str, ...], tables: tuple[str, ...] = TABLES) -> str:
        return _list_names(
            who for table, what, who in grants if what in privileges and table in tables
        )

    said = [f"Its tables belong to {owners}, who can change everything in them."]
    entries, secret = ("candling_entries",), ("candling_key",)
    if who := holders(("INSERT",), entries):
        said.append(f"May also add entries: {who}.")
    if who := holders(("SELECT",), secret):
        said.append(f"May also sign cards: {who}.")
    kept = tuple(table for table in TABLES if table != "candling_lock")
    harmful = ("UPDATE", "DELETE", "TRUNCATE", "TRIGGER", "REFERENCES")
    if who := holders(harmful, kept):
        said.append(f"May also change or remove entries, and should not: {who}.")
    return tuple(said)


def _expected_columns() -> list[tuple[object, ...]]:
    tables = {}
    for statement in (*SCHEMA, LOCK):
        if made := re.fullmatch(r"create table (\w+) \((.*)\)", statement):
            tables[made[1]] = [_expected_column(text) for text in made[2].split(", ")]
    return [(table, *column) for table in sorted(tables) for column in tables[table]]


def _expected_column(text: str) -> tuple[object, ...]:
    name, kind, *rest = text.split(" ")
    return name, kind, bool(rest), False


def _expected_indexes() -> Iterable[tuple[object, ...]]:
    yield True, True, False, False, ["seq"]
    for statement in SCHEMA:
        pattern = r"create (unique )?index \w+ on \w+ \((.*?)\)( where .*)?"
        if made := re.fullmatch(pattern, statement):
            yield bool(made[1]), True, False, bool(made[3]), made[2].split(", ")


def _sort_rows(rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in rows), key=repr)


def _list_names(names: Iterable[str]) -> str:
    return ", ".join(sorted(set(names)))


PATIENCE = 30.0  # seconds to wait for others
_SILENCE = 90.0  # seconds of a transaction after which its server is taken for frozen
# The second lock keeps triggers and rules from being added until the entry is written. It is the
# strongest that a permission to insert allows.
_ONLY_OURS = (
    "lock table only candling_lock in exclusive mode",
    "lock table only candling_entries in row exclusive mode",
)
# A policy that hides rows becomes an error. The names of tables mean one schema and nothing else:
# temporary tables come last.
# The server ends a transaction whose client is frozen: it would hold its lock for ever.
_SET_UP = (
    "select pg_catalog.set_config('lock_timeout', ?, true), "
    "pg_catalog.set_config('statement_timeout', ?, true), "
    "pg_catalog.set_config('idle_in_transaction_session_timeout', ?, true), "
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
    silence: float = _SILENCE

    @property
    def shown(self) -> str:
        """User, host and database; neither the password nor other parameters."""
        return files.hide_secrets(self.url)

    def check_fit(self) -> None:
        """Does nothing: every transaction that writes checks that the server has fsync on."""

    def memory(self) -> str | None:
        """None: every transaction that writes checks that the tables are logged."""
        return None

    @contextmanager
    def open_new(self) -> Iterator[Connection]:
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
                connection.execute(LOCK)
                yield connection
            except (
                errors.DuplicateTable,
                errors.DuplicateObject,
                errors.UniqueViolation,
            ):  # somebody else made one at the same moment
                raise self._exists() from None

    @contextmanager
    def open_reader(self) -> Iterator[Connection]:
        with self._transaction(read_only=True) as connection:
            self._find_schema(connection)
            yield connection

    @contextmanager
    def open_writer(self) -> Iterator[Connection]:
        with self._transaction() as connection:
            self._find_schema(connection)
            for statement in _ONLY_OURS:
                connection.execute(statement)
            yield connection

    def find_alterations(self, connection: Connection) -> str | None:
        return find_attachments(connection)

    def damage(self) -> str | None:
        """How the tables were altered; the server checks its own files."""
        with self.open_reader() as connection:
            return find_alterations(connection)

    def remarks(self) -> tuple[str, ...]:
        with self.open_reader() as connection:
            return remarks(connection)

    def _schemas(self, connection: PostgresConnection) -> list[str]:
        """The schemas of the search path in which there is a table of a ledger."""
        rows = connection.execute(FIND_SCHEMAS, (list(TABLES),))
        return sorted(str(name) for (name,) in rows)

    def _find_schema(self, connection: PostgresConnection) -> None:
        """Find the schema of the ledger: all later statements look for its tables there only."""
        schemas = self._schemas(connection)
        if not schemas:
            raise self._missing_error()
        if len(schemas) > 1:
            raise LedgerError(
                f"Several schemas on the search path of {self.shown} hold tables of a ledger: "
                f"{', '.join(map(repr, schemas))}. Say which one: add "
                "?options=-csearch_path%3DSCHEMA to the address.",
                code="L104",
            )
        self._set_up(connection, schemas[0])

    def _set_up(self, connection: PostgresConnection, schema: str) -> None:
        longest = f"{self.silence:g}s"
        connection.execute(_SET_UP, (f"{self.patience:g}s", longest, longest, schema))

    def _exists(self) -> LedgerError:
        return LedgerError(
            f"{self.shown} already holds a ledger; candling never overwrites a ledger.",
            code="L103",
        )

    def _missing_error(self) -> LedgerError:
        return LedgerError(
            f"{self.shown} has no ledger. If it was moved, find it: a new ledger would not know "
            "what was spent. Create your first one with `candling ledger init`.",
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
        silent: threading.Event | None = None
        try:
            stated = psycopg.conninfo.conninfo_to_dict(self.url)
            limits = keep_alive(stated) | {"connect_timeout": int(self.patience) or 1}
            raw = psycopg.connect(self.url, **limits)
            with hang_up(raw, self.silence) as silent, raw:
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
            if silent is not None and silent.is_set():
                raise self._silence_error() from None
            raise self._explanation(error) from None

    def _silence_error(self) -> LedgerError:
        return LedgerError(
            f"The server of {self.shown} did not answer for {self.silence:g} s, so the connection "
            "was closed. Check the server, then make the same request again with its request id: "
            "it is charged once.",
            code="L114",
        )

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
        if isinstance(error, errors.QueryCanceled):
            return self._silence_error()
        if isinstance(error, errors.LockNotAvailable):
            return LedgerError(
                f"Another session has locked the ledger in {shown} for more than "
                f"{self.patience:g} s. pg_locks shows which; end it, or try again later.",
                code="L109",
            )
        if isinstance(error, errors.UndefinedTable | errors.InvalidSchemaName):
            return self._missing_error()
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
        """Why there is no connection."""
        import psycopg

        if error.sqlstate is None and isinstance(error, psycopg.ProgrammingError):
            return f"The address of the ledger ({self.shown}) is invalid"
        return explain_refusal(self.shown, error)
