"""Where entries are stored: the protocol of SQLite and PostgreSQL, and the SQL that both run.

Only connecting, locking and the explanation of errors differ between the two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from candling.errors import LedgerError
from candling.ledger.entry import COLUMNS, Entry, is_sealed, is_typed
from candling.ledger.signing import Secret, is_public_key, is_secret
from candling.records import dataclass

FORMAT = 6  # of the ledger; a program refuses every other one
_PAGE = 500  # entries read at a time

_META = (
    "create table candling_meta (format bigint not null, ledger text not null, "
    "created text not null, public_key text not null)"
)
# In its own table, so that a server can let people read a ledger who may not sign for it.
_SECRET = "create table candling_key (secret text not null)"  # noqa: S105 - a table
_ENTRIES = (
    "create table candling_entries (seq integer primary key, time text not null, "
    "kind text not null, dataset text, people text, request text, units bigint not null, "
    "limit_units bigint not null, spent_units bigint not null, "
    "body text not null, previous text not null, hash text not null)"
)
# Few entries, and every charge looks for the newest of its dataset.
_JOINS = "kind in ('add', 'move')"
SCHEMA = (
    _META,
    _SECRET,
    _ENTRIES,
    "create index candling_by_dataset on candling_entries (dataset, seq)",
    "create index candling_by_people on candling_entries (people, seq)",
    f"create index candling_by_joining on candling_entries (dataset, seq) where {_JOINS}",
    "create unique index candling_by_request on candling_entries (request, kind)",
)

_SELECT = f"select {', '.join(COLUMNS)} from candling_entries "  # noqa: S608 - our own names
_INSERT = (
    f"insert into candling_entries ({', '.join(COLUMNS)}) "  # noqa: S608 - our own names
    f"values ({', '.join('?' * len(COLUMNS))})"
)


class Connection(Protocol):
    """An open transaction."""

    def execute(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """The rows of a statement, in which `?` stands for a value."""


class Store(Protocol):
    """A place that stores entries."""

    @property
    def shown(self) -> str:
        """The place as messages show it, without a password."""

    def check_fit(self) -> None:
        """Refuse a place where a charge could get lost."""

    def memory(self) -> str | None:
        """The kind of memory that it is stored in, if a restart of the machine empties it."""

    def open_new(self) -> AbstractContextManager[Connection]:
        """A transaction that makes the tables: the place has a whole ledger or none."""

    def open_reader(self) -> AbstractContextManager[Connection]:
        """A transaction that sees one state."""

    def open_writer(self) -> AbstractContextManager[Connection]:
        """A transaction with no other writer; when it ends, it is on the disk."""

    def find_alterations(self, connection: Connection) -> str | None:
        """What was added to the tables that could change or hide entries: a trigger, for example.

        Cheap: every transaction that writes asks for it.
        """

    def damage(self) -> str | None:
        """What the store itself finds wrong with its files or tables."""

    def remarks(self) -> tuple[str, ...]:
        """What is not wrong, but those who check the ledger should know."""


@dataclass(frozen=True, slots=True)
class Meta:
    """What a ledger is made with, which never changes and is not secret."""

    format: int
    ledger: str
    created: str
    public_key: str


def create(connection: Connection, meta: Meta, secret: Secret, first: Entry) -> None:
    """Make the tables, with their first entry."""
    for statement in SCHEMA:
        connection.execute(statement)
    values = (meta.format, meta.ledger, meta.created, meta.public_key)
    connection.execute("insert into candling_meta values (?, ?, ?, ?)", values)
    connection.execute("insert into candling_key values (?)", (secret.text,))
    append(connection, first)


def read_meta(connection: Connection, place: str) -> Meta:
    """What the ledger was made with; raises LedgerError for another format than ours."""
    ((newest,),) = connection.execute("select max(format) from candling_meta")
    if isinstance(newest, int) and newest > FORMAT:
        raise LedgerError(
            f"{place} has format {newest}, and this version of candling reads format {FORMAT}: a "
            "newer version wrote it. Upgrade candling; nothing was changed.",
            code="L108",
        )
    if isinstance(newest, int) and newest < FORMAT:
        raise LedgerError(
            f"{place} has format {newest}, and this version of candling reads format {FORMAT}: an "
            "older version made it. Make a new ledger, and give each dataset, or the people whom "
            "several are about, the budget that is left here; nothing was changed.",
            code="L118",
        )
    rows = connection.execute("select format, ledger, created, public_key from candling_meta")
    match rows:
        case [(int(number), str(ledger), str(created), str(key))] if is_public_key(key):
            return Meta(number, ledger, created, key)
    raise LedgerError(
        f"{place} is damaged: the id or the key of the ledger is missing, or the key is invalid.",
        code="L110",
        sequence=1,
    )


def read_secret(connection: Connection, meta: Meta, place: str) -> Secret:
    """The ledger's secret; raises LedgerError if it does not match the public key."""
    match connection.execute("select secret from candling_key"):
        case [(str(text),)] if is_secret(text) and Secret(text).public_key == meta.public_key:
            return Secret(text)
    raise LedgerError(
        f"The secret of {place} does not match its public key: one of them was changed. "
        "candling signs no card with it and makes no charge.",
        code="L110",
        sequence=1,
    )


def append(connection: Connection, entry: Entry) -> None:
    """Write an entry."""
    connection.execute(_INSERT, [getattr(entry, name) for name in COLUMNS])


def head(connection: Connection) -> Entry:
    """The newest entry."""
    newest = _one(connection, "order by seq desc limit 1")
    if newest is None:
        raise _damage_error("it is missing", 1)
    return newest


def find_newest_dated(connection: Connection) -> Entry:
    """The newest entry that has a time of its own: a result has the one of its charge."""
    newest = _one(connection, "where kind <> 'result' order by seq desc limit 1")
    if newest is None:
        raise _damage_error("it is missing", 1)
    return newest


def is_trial(connection: Connection) -> bool:
    """Whether the ledger was made for trials, as its first entry says."""
    first = find_by_number(connection, 1)
    return first is not None and first.details.get("trial") is True


def find_by_number(connection: Connection, sequence: int) -> Entry | None:
    """The entry with a number."""
    return _one(connection, "where seq = ?", sequence)


def budget_of(connection: Connection, people: str) -> Entry | None:
    """The newest entry of people: it has their limit, and what is spent."""
    return _one(connection, "where people = ? order by seq desc limit 1", people)


def find_joining_entry(connection: Connection, dataset: str) -> Entry | None:
    """The entry by which a dataset joined its people of today: its `add` or its newest `move`."""
    condition = f"where dataset = ? and {_JOINS} order by seq desc limit 1"
    entry = _one(connection, condition, dataset)
    return None if entry is None else _require_joining(entry)


def spent_on(connection: Connection, dataset: str) -> list[Entry]:
    """Every charge to a dataset, and every move of it."""
    rows = connection.execute(
        _SELECT + "where dataset = ? and kind in ('reserve', 'move')", (dataset,)
    )
    return [check_hash(_entry(row)) for row in rows]


def of_request(connection: Connection, request_id: str, kind: str) -> Entry | None:
    """The `reserve` or the `result` of a request."""
    return _one(connection, "where request = ? and kind = ?", request_id, kind)


def budgets(connection: Connection) -> list[Entry]:
    """The newest entry of all people."""
    rows = connection.execute(
        _SELECT + "where seq in (select max(seq) from candling_entries "  # noqa: S608 - no value in it
        "where people is not null group by people)"
    )
    return [check_hash(_entry(row)) for row in rows]


def joinings(connection: Connection) -> list[Entry]:
    """The entry by which each dataset joined its people of today."""
    rows = connection.execute(
        _SELECT + "where seq in (select max(seq) from candling_entries "  # noqa: S608 - our own
        f"where {_JOINS} group by dataset)"
    )
    return [_require_joining(check_hash(_entry(row))) for row in rows]


def _require_joining(entry: Entry) -> Entry:
    if entry.dataset is None or entry.people is None:
        raise _damage_error("it names no dataset or no people", entry.seq)
    return entry


def datasets(connection: Connection) -> set[str]:
    """The names of all datasets."""
    sql = f"select distinct dataset from candling_entries where {_JOINS}"  # noqa: S608 - our own
    return {str(name) for (name,) in connection.execute(sql)}


def all_people(connection: Connection) -> set[str]:
    """The names of all people."""
    sql = f"select distinct people from candling_entries where {_JOINS}"  # noqa: S608 - our own
    return {str(name) for (name,) in connection.execute(sql)}


def charged_to_each(connection: Connection) -> dict[str, int]:
    """The units that were charged to each dataset, whoever its people were."""
    rows = connection.execute(
        "select dataset, sum(units) from candling_entries where kind = 'reserve' group by dataset"
    )
    return {str(dataset): int(units) for dataset, units in rows}


def results_of_each(connection: Connection) -> dict[str, int]:
    """How many results each dataset has."""
    rows = connection.execute(
        "select dataset, count(*) from candling_entries where kind = 'result' group by dataset"
    )
    return {str(dataset): int(number) for dataset, number in rows}


def without_result(connection: Connection) -> list[Entry]:
    """Charges that have no result, oldest first."""
    rows = connection.execute(
        _SELECT + "where kind = 'reserve' and not exists (select 1 from candling_entries as r "  # noqa: S608
        "where r.request = candling_entries.request and r.kind = 'result') order by seq"
    )
    return [check_hash(_entry(row)) for row in rows]


def scan(storage: Store) -> Iterator[Entry]:
    """Every entry, in order, without any check; numbers below 1 come first.

    No transaction is open while the caller uses an entry: a slow reader would block all charges.
    """
    after: tuple[object, ...] = ()
    while True:
        with storage.open_reader() as connection:
            condition = f"{'where seq > ? ' if after else ''}order by seq limit {_PAGE}"
            rows = connection.execute(_SELECT + condition, after)
        if not rows:
            return
        yield from map(_entry, rows)
        after = rows[-1][:1]


def _one(connection: Connection, condition: str, *values: object) -> Entry | None:
    rows = connection.execute(_SELECT + condition, values)
    return check_hash(_entry(rows[0])) if rows else None


def _entry(row: tuple[Any, ...]) -> Entry:
    return Entry(**dict(zip(COLUMNS, row, strict=True)))


def check_hash(entry: Entry) -> Entry:
    """The entry, if it matches its own hash; needed before it is shown or decides anything."""
    try:
        sound = is_typed(entry) and is_sealed(entry)
    except (TypeError, ValueError):  # bytes where a text should be
        sound = False
    if not sound:
        raise _damage_error("it does not match its hash", entry.seq)
    return entry


def _damage_error(why: str, sequence: int) -> LedgerError:
    return LedgerError(
        f"Entry {sequence} of the ledger is damaged: {why}. candling makes no charge on a damaged "
        "ledger; `candling ledger verify` checks all entries.",
        code="L110",
        sequence=sequence,
    )
