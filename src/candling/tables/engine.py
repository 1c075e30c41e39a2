"""What differs between backends: one subclass of `Engine` in one module each.

A `Table` carries its engine and asks it; no other code knows which one it is. An engine is added by
a module that has it as `ENGINE`, and a line in `candling.system.files.REGISTERED`.

An engine's own message may quote a cell, or an address with its password: it never reaches ours,
nor does the exception that carries it (see `candling.errors`).

A text decides by itself which value of a stated type it is, and none ends in an error: what does
not fit is NULL. The patterns leave no room for what engines understand on their own: 1.5 is not
rounded to an integer, 0x1F and 1_000 are not numbers, `epoch` is not a date.
"""

from __future__ import annotations

import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from candling.errors import DataError, UsageError
from candling.reading import Reading, StatedType
from candling.records import dataclass
from candling.rules.types import NOTHING_STATED, Statements
from candling.system.files import hide_secrets

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

    from candling.tables.classes import CoreColumns, Parts
    from candling.tables.conditions_sql import ConditionSql
    from candling.tables.queries import Relation
    from candling.tables.values import Table, Types


@dataclass(frozen=True, slots=True)
class Place:
    """Where a table is: on which engine, at which address, under which name; how it is read."""

    engine: Engine
    name: str | None  # a path or the name of a table, as the engine knows it
    address: str | None = field(default=None, repr=False)  # may hold a password
    is_table: bool = False  # the name is certainly not a path
    table: str | None = None  # a table inside of the file with this name
    statements: Statements = NOTHING_STATED  # how a table is read
    owner: bool = False  # messages may name lines: NOT PRIVATE

    @property
    def reading(self) -> Reading:
        """How a file is read."""
        return self.statements.reading

    @property
    def shown(self) -> str:
        """The engine in words, without secrets."""
        return self.engine.describe(self.address)


@dataclass(frozen=True, slots=True)
class DigestSql:
    """The SQL with which an engine hashes a text."""

    text: str  # its type for text
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
    def canonical(self, table: ir.Table, memory: str | None, statements: Statements) -> Table:
        """An Ibis table with every column in its one form."""

    @abstractmethod
    def fetch(self, backend: Any, sql: str, types: Types) -> pa.Table:
        """What a query with columns of these types gives, in Arrow."""

    def fetch_values(self, backend: Any, sql: str, types: Types) -> list[tuple[Any, ...]]:
        """The lines that a query gives, where they are few, as Python has the values."""
        columns = self.fetch(backend, sql, types).columns
        return list(zip(*(column.to_pylist() for column in columns), strict=True))

    def materialized(self, table: Table, names: Sequence[str]) -> AbstractContextManager[Table]:
        """The table such that its named columns can be read many times; else a copy of them."""
        del names
        return nullcontext(table)

    def read_core(
        self, table: Table, query: Relation, columns: CoreColumns, memory: str | None
    ) -> Parts:
        """What the query for a core gives: in one part, unless the engine can keep several."""
        return columns.encode(table.collect(query), memory=memory)

    def is_on_cluster(self, backend: Any) -> bool:
        """Whether tables are in parts on several machines. A public fact of its settings."""
        del backend
        return False

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
    types = sys.modules.get("ibis.expr.types")
    return types is not None and isinstance(data, types.Table)


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
        "Is it complete, and does every column have a single type?",
        code="D103",
    )


def missing_driver(engine: str, extra: str) -> DataError:
    """A library that comes with an extra is not there."""
    return DataError(
        f"Tables on {engine} need its driver: pip install 'candling[{extra}]'", code="D109"
    )


_TRUE, _FALSE = "('true', 't', 'yes', 'y', '1')", "('false', 'f', 'no', 'n', '0')"
_DATE = "[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
_CLOCK = "[0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?( ?(Z|[+-][0-9]{2}(:?[0-9]{2})?))?"
_PATTERNS = {  # no backslash: engines read it in other ways inside of a text
    "integer": "[+-]?[0-9]+([.]0+)?",
    "number": "[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,3})?",
    "date": _DATE,
    "timestamp": f"{_DATE}([ T]{_CLOCK})?",
}
MOST = "1e300"  # of a number: beyond, engines differ
_PARTS = {"%Y": "([0-9]{4})", **dict.fromkeys(("%m", "%d", "%H", "%M", "%S"), "([0-9]{1,2})")}
_FIXED = re.compile(r"%[YmdHMS]|[^%\\\[\]^]")


@dataclass(frozen=True, slots=True)
class TextSql:
    """How an engine reads texts; none of it can end in an error."""

    matches: str  # whether a whole text {0} has a pattern {1}
    group: str  # what the group {2} of a pattern {1} holds in a text {0}
    moment: str  # its type for a point in time


def pattern_of(stated: StatedType) -> str:
    """What a text that fits looks like, without blanks at its ends; a comma is a point there."""
    if stated.kind == "decimal":  # digits beyond the scale must be zeros: nothing is rounded
        scale = stated.scale
        short = f"|[.][0-9]{{1,{scale}}}0*" if scale else ""
        return f"[+-]?([0-9]+([.][0-9]{{0,{scale}}}0*)?{short})"
    return _PATTERNS[stated.kind]


def text_to_read(stated: StatedType, cell: str) -> str:
    """SQL of the text of a cell, its decimal comma as a point: a point is no longer a number."""
    return f"translate(trim({cell}), ',.', '.,')" if stated.comma else f"trim({cell})"


def boolean_sql(text: str) -> str:
    """SQL of the truth value that a text in SQL is."""
    word = f"lower({text})"
    return f"case when {word} in {_TRUE} then true when {word} in {_FALSE} then false end"


def groups_of(written: str) -> tuple[str, dict[str, int]] | None:
    """The pattern of a way to write dates, and the group of each part; None with other parts."""
    tokens = _FIXED.findall(written)
    parts = [token for token in tokens if len(token) == 2]
    if (
        "".join(tokens) != written
        or len({*parts}) < len(parts)
        or not {"%Y", "%m", "%d"} <= {*parts}
    ):
        return None
    pattern = "".join(_PARTS.get(token, f"[{token}]") for token in tokens)
    return pattern, {part: number for number, part in enumerate(parts, start=1)}


def cast_sql(stated: StatedType, cell: str, by: TextSql) -> str:
    """SQL of the value of `cell`, a text in SQL; NULL where it does not fit."""
    text = text_to_read(stated, cell)
    if stated.kind == "text":
        return cell
    if stated.kind == "boolean":
        return boolean_sql(text)
    if stated.written is not None:
        return _written(stated, text, by)
    target = {"integer": "bigint", "number": "double", "date": "date", "timestamp": by.moment}
    sql_type = target.get(stated.kind, f"decimal({stated.precision}, {stated.scale})")
    fits = by.matches.format(text, literal(pattern_of(stated)))
    if stated.kind == "number":
        fits += f" and abs(try_cast({text} as double)) <= {MOST}"
    if stated.kind == "integer":  # Spark casts no text with a point to one
        text = f"try_cast({text} as decimal(38, 0))"
    return f"case when {fits} then try_cast({text} as {sql_type}) end"


def _written(stated: StatedType, text: str, by: TextSql) -> str:
    found = groups_of(stated.written or "")
    if found is None:
        raise UsageError(
            f"The type {stated} is not known here: dates are written with %Y (2024), %m and %d, "
            "times with %H, %M and %S, each once.",
            code="U110",
        )
    pattern, groups = found

    def part(name: str) -> str:
        return by.group.format(text, literal(pattern), groups[name]) if name in groups else "'0'"

    iso = f"{part('%Y')} || '-' || {part('%m')} || '-' || {part('%d')}"
    if stated.kind == "timestamp":
        clock = [f"lpad({part(name)}, 2, '0')" for name in ("%H", "%M", "%S")]
        iso += " || ' ' || " + " || ':' || ".join(clock)
    sql_type = "date" if stated.kind == "date" else by.moment
    fits = by.matches.format(text, literal(pattern))
    return f"case when {fits} then try_cast({iso} as {sql_type}) end"
