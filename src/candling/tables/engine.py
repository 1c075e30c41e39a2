"""What differs between backends: one subclass of `Engine` in one module each.

A `Table` carries its engine and asks it; no other code knows which one it is. An engine is added by
a module that has it as `ENGINE`, and a line in `candling.system.files.REGISTERED`.

An engine's own message may quote a cell, or an address with its password: it never reaches ours,
nor does the exception that carries it (see `candling.errors`).

A cell decides by itself what becomes of it, and none ends in an error: what does not fit is NULL.
So one row moves nothing but itself, and the types are what the caller said, whatever the table
holds. The patterns leave no room for what engines understand on their own: 1.5 is not rounded to an
integer, 0x1F and 1_000 are no numbers, `epoch` is no date.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from candling.errors import DataError, UsageError, did_you_mean
from candling.reading import NO_READING, Reading, StatedType
from candling.system.files import hide_secrets

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa
    from ibis.backends import BaseBackend

    from candling.tables.backends.duckdb import Source
    from candling.tables.classes import CoreColumns, Parts
    from candling.tables.conditions_sql import ConditionSql
    from candling.tables.values import Table, Types


@dataclass(frozen=True, slots=True)
class Place:
    """Where a table is: on which engine, at which address, under which name; how it is read."""

    engine: Engine
    name: str | None  # a path or the name of a table, as the engine knows it
    address: str | None = field(default=None, repr=False)  # may hold a password
    is_table: bool = False  # the name is certainly not a path
    table: str | None = None  # a table inside of the file with this name
    reading: Reading = NO_READING  # how a file is read
    owner: bool = False  # messages may name lines: NOT PRIVATE

    @property
    def shown(self) -> str:
        """The engine in words, without secrets."""
        return self.engine.describe(self.address)


@dataclass(frozen=True, slots=True)
class DigestSql:
    """The SQL with which an engine hashes rows."""

    text: str  # its type for text
    number: str  # the number of a hash, of which {} are 16 hexadecimal digits
    hexadecimal: str  # {}, which are bytes, in hexadecimal
    hashed: str  # the hash of a text {} as a text, compared by its bytes


class Engine(ABC):
    """A backend that can hold tables. It has no state: connections belong to tables."""

    name: ClassVar[str]  # as users write it
    mark: ClassVar[str] = '"'  # around names in its SQL
    digest: ClassVar[DigestSql]
    conditions: ClassVar[ConditionSql]
    # All of its rows are in this process, so that a small table is read as it is.
    in_process: ClassVar[bool] = False
    # Whether the core should count equal rows before anything else is asked about them.
    counts_equal_rows_first: ClassVar[bool] = False
    only_tables: ClassVar[bool] = False  # it knows no paths
    usual_address: ClassVar[str | None] = None  # what the bare name of the engine stands for

    def describe(self, address: str | None) -> str:
        """The engine in words, without secrets."""
        return hide_secrets(address or self.name)

    def place(self, data: str, address: str | None, table: str | None) -> Place:
        """The place of the table that is called `data` on this engine."""
        if table is not None:
            raise named_twice_error()
        return Place(self, data, address, is_table=self.only_tables)

    def place_at(self, data: str, address: str | None, table: str | None) -> Place:
        """The place of a table when `data` itself is an address of this engine.

        `address` is that of the engine, if it was named beside the data.
        """
        if table is not None:
            raise named_twice_error()
        return Place(self, data.partition("://")[2], address, is_table=True)

    def files(self, place: Place, memory: str | None) -> Iterable[Path]:
        """The files, as far as this process can know, from which the table at a place is read."""
        del place, memory
        return ()

    @abstractmethod
    def open(self, place: Place, memory: str | None) -> Table:
        """The table at a place; no row is read yet where that can be avoided."""

    @abstractmethod
    def canonical(self, table: ir.Table, memory: str | None) -> Table:
        """An Ibis table with every column in its one form."""

    def ibis_backend(self, backend: Any) -> BaseBackend:
        """What writes queries of Ibis for it: the backend of a table, where that is one of Ibis."""
        own: BaseBackend = backend
        return own

    @abstractmethod
    def fetch(self, backend: Any, sql: str, types: Types) -> pa.Table:
        """What a query with columns of these types gives, in Arrow."""

    def materialized(self, table: Table, names: Sequence[str]) -> AbstractContextManager[Table]:
        """The table such that its named columns can be read many times; else a copy of them."""
        del names
        return nullcontext(table)

    def read_core(
        self, table: Table, query: ir.Table, columns: CoreColumns, memory: str | None
    ) -> Parts:
        """What the query for a core gives: in one part, unless the engine can keep several."""
        return columns.encode(table.collect(query, columns.names), memory=memory)

    def quote(self, name: str) -> str:
        """A name in its SQL."""
        return quote_name(name, self.mark)


def named_twice_error() -> UsageError:
    """The name of a table was given in two ways."""
    return UsageError(
        "Name the table once: either as DATA or by --table with the address of a database.",
        code="U103",
    )


def quote_name(name: str, mark: str = '"') -> str:
    """A name in SQL: in quotes, as it is data and never SQL."""
    return mark + name.replace(mark, 2 * mark) + mark


def is_ibis(data: object) -> bool:
    """Whether this is a table of Ibis, which is not loaded to find out."""
    if "ibis" not in sys.modules:
        return False
    import ibis.expr.types as ir

    return isinstance(data, ir.Table)


def literal(text: str) -> str:
    """A text in SQL."""
    return quote_name(text, "'")


def lost_connection_error(where: str) -> DataError:
    """The engine went away, or part of it did."""
    return DataError(
        f"{where} stopped answering before it was done: a connection or an executor was lost. "
        "Nothing was changed there. Check that it is up, then try again.",
        code="D108",
    )


def unreadable(where: str, error: Exception) -> DataError:
    """The engine answers, and cannot do it."""
    return DataError(
        f"{where} could not read the table ({type(error).__name__}). "
        "Is it complete, and does every column hold one type?",
        code="D103",
    )


def missing_driver(engine: str, extra: str) -> DataError:
    """A library that comes with an extra is not there."""
    return DataError(
        f"Tables on {engine} need its driver: pip install 'candling[{extra}]'", code="D109"
    )


def missing_reader(files: str, extra: str) -> DataError:
    """The same for a library that reads a kind of file."""
    return DataError(f"{files} need a reader: pip install 'candling[{extra}]'", code="D109")


_TRUE, _FALSE = "('true', 't', 'yes', 'y', '1')", "('false', 'f', 'no', 'n', '0')"
_DATE = "[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
_CLOCK = "[0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?( ?(Z|[+-][0-9]{2}(:?[0-9]{2})?))?"
_PATTERNS = {  # no backslash: engines read it in other ways inside of a text
    "integer": "[+-]?[0-9]+([.]0+)?",
    "number": "[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?",
    "date": _DATE,
    "timestamp": f"{_DATE}([ T]{_CLOCK})?",
}


def cast_sql(
    stated: StatedType, cell: str, *, matches: Callable[[str, str], str], moment: str
) -> str:
    """SQL of the value of `cell`, a text in SQL.

    `matches` writes whether a whole text has a pattern, `moment` is the engine's type for a point
    in time.
    """
    text = f"trim({cell})"
    if stated.kind == "text":
        return cell
    if stated.written is not None:  # on DuckDB only
        found = f"try_strptime({text}, {literal(stated.written)})"
        return f"cast({found} as date)" if stated.kind == "date" else found
    if stated.kind == "boolean":
        word = f"lower({text})"
        return f"case when {word} in {_TRUE} then true when {word} in {_FALSE} then false end"
    target = {"integer": "bigint", "number": "double", "date": "date", "timestamp": moment}
    sql_type = target.get(stated.kind, f"decimal({stated.precision}, {stated.scale})")
    if stated.kind == "integer":  # Spark casts no text with a point to one
        text = f"try_cast({text} as decimal(38, 0))"
    fits = matches(f"trim({cell})", _PATTERNS.get(stated.kind) or _decimal(stated.scale))
    return f"case when {fits} then try_cast({text} as {sql_type}) end"


def _decimal(scale: int) -> str:
    """Digits after the point beyond the scale must be zeros, or the number would be rounded."""
    short = f"|[.][0-9]{{1,{scale}}}0*" if scale else ""
    return f"[+-]?([0-9]+([.][0-9]{{0,{scale}}}0*)?{short})"


def duckdb_cast(stated: StatedType, cell: str) -> str:
    """SQL of DuckDB."""

    def matches(text: str, pattern: str) -> str:
        return f"regexp_full_match({text}, {literal(pattern)})"

    return cast_sql(stated, cell, matches=matches, moment="timestamptz")


def count_misfits(source: Source, stated: Mapping[str, StatedType]) -> dict[str, int]:
    """How many texts of a table do not fit the types that are stated. NOT PRIVATE."""
    if not stated:
        return {}
    counted = ", ".join(
        f"count({quote_name(name)}) - count({duckdb_cast(kind, quote_name(name))})"
        for name, kind in stated.items()
    )
    ((*numbers,),) = source.connected.con.execute(
        f"select {counted} from {source.rows}"  # noqa: S608 - quoted names
    ).fetchall()
    return dict(zip(stated, numbers, strict=True))


def by_column(reading: Reading, columns: Iterable[str], name: str) -> dict[str, StatedType]:
    """The types that are not guessed; a UsageError for one of a column that `name` has not."""
    known, stated = list(columns), reading.stated
    for column in stated:
        if column not in known:
            listed = ", ".join(known[:20]) + (", ..." if len(known) > 20 else "")
            raise UsageError(
                f"--type names column {column!r}, which is not in {name}."
                f"{did_you_mean(column, known)} Its columns are {listed}.",
                code="U110",
            )
    texts = (column for column in reading.texts if column in known)
    return dict.fromkeys(texts, StatedType("text")) | stated
