"""One form for every value, whatever engine holds the table.

Engines order and compare in ways of their own: collations, the positions of an ENUM, infinite
dates, time zones, two zeros. So a table is opened as expressions that leave nothing of that: every
column becomes one of six types whose equality and order are the same on every engine and in our
own code. No later query sees an original type.

| holds | becomes |
|---|---|
| whole numbers | int64; decimal(20, 0) where 64 bits have no sign; decimal(38, 0) for 128 bits |
| decimals | decimal(p, s) as declared; PostgreSQL's numeric without a size stays numeric |
| floats | float64 with NaN as NULL and one zero |
| text, ENUM, UUID, CHAR(n) without its padding | string, compared by bytes |
| booleans | boolean |
| bytes | binary |
| dates | int64: days since 1970 |
| timestamps | int64: microseconds since 1970 in UTC; nanoseconds where they were stored |
| times of day | int64: nanoseconds since midnight |

An infinite date or timestamp is the largest number there is, or its negative; so is what a form
cannot reach (a moment of DuckDB's after the year 294246, an integer of more than 38 digits). Every
value has its form whatever else the table holds, and none ends in an error. A type without a form
(intervals, lists, a time of day with a zone, ...) is `OTHER`: the schema says so, and a rule that
names the column is refused before a row is read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from candling.engines.failures import unreadable
from candling.failures import translated
from candling.loading import loading
from candling.rules import ColumnType, Value

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

    from candling.engines.engine import Engine

Types = Mapping[str, Any]  # of columns by name: Ibis's types, or its names for them

INFINITE_DAY = 2**31 - 1
INFINITE_TICK = 2**63 - 1
TICKS = {"us": 10**6, "ns": 10**9}  # of one second
DAY = 86_400  # seconds
_ROWS = "candling_rows_2f61c8"  # stands for the columns until a query is written
_OWN = re.compile(r"t\d+")  # what Ibis calls the parts of a query
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Form:
    """What the numbers, texts or bytes of a column stand for. Columns of one form compare as they
    are; columns of two forms with one `kind` compare after a look at their units.
    """

    kind: ColumnType
    unit: str | None = None  # of a timestamp: "us" or "ns"
    bits: int | None = None  # of a float as it was stored: constants are rounded to it

    def constant(self, value: Value) -> Value | None:
        """A constant of a rule as a value of this form; None where it has none."""
        if self.kind is ColumnType.DATE and type(value) is date:
            return value.toordinal() - EPOCH.toordinal()
        if self.kind is ColumnType.TIMESTAMP and isinstance(value, date) and self.unit is not None:
            ticks = microseconds(value) * (TICKS[self.unit] // 10**6)
            return ticks if abs(ticks) < INFINITE_TICK else None
        return value if not isinstance(value, date) else None


NOTHING = Form(ColumnType.OTHER)


def microseconds(moment: date) -> int:
    """Since 1970, of a time stamp without a zone or the midnight at which a date begins."""
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)  # noqa: DTZ001 - UTC below
    return (moment.replace(tzinfo=UTC) - EPOCH) // timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Column:
    """How an engine writes a column in its form; a type without one is written as a text."""

    sql: str
    form: Form
    dtype: str  # Ibis's name for the type that this gives
    one_to_one: bool = True  # different numbers stay different, however large they are

    def of(self, name: str) -> Column:
        """The same with the quoted name in its place."""
        return replace(self, sql=self.sql.format(name))


@dataclass(frozen=True, slots=True)
class Table:
    """A table on its engine, every column in its one form."""

    engine: Engine
    backend: Any = field(
        repr=False
    )  # what the engine needs to ask: a connection, or Ibis's with one
    source: str = field(repr=False)  # in the engine's SQL
    columns: dict[str, Column] = field(repr=False)
    stored: bool = False  # reading it again parses no text and runs no query
    size: int | None = field(default=None, repr=False)  # bytes of a text file: it has fewer rows

    def rows(self, names: Sequence[str]) -> ir.Table:
        """Some columns as c0, c1, ... for a query that `sql` writes for the engine."""
        with loading():
            import ibis

        return ibis.table(self.types(names) or {"none": "int8"}, name=_ROWS)

    def types(self, names: Sequence[str]) -> dict[str, str]:
        """Of some columns as c0, c1, ..., Ibis's names."""
        return {f"c{i}": self.columns[name].dtype for i, name in enumerate(names)}

    def select(self, names: Sequence[str]) -> str:
        """The same columns, in the engine's SQL."""
        parts = (f"{self.columns[name].sql} as c{i}" for i, name in enumerate(names))
        return f"select {', '.join(parts) or '1 as none'} from {self.source}"  # noqa: S608 - quoted

    def sql(self, query: ir.Table, names: Sequence[str]) -> str:
        """A query over `rows(names)` in the engine's SQL.

        Its own parts (t0, t1, ...) get names that no table of the caller has.
        """
        from sqlglot import tokenize

        ibis = self.engine.ibis_backend(self.backend)
        text = ibis.compile(query)
        parts, end = [], 0
        for token in tokenize(text, read=ibis.dialect):
            if token.token_type.name == "IDENTIFIER" and _OWN.fullmatch(token.text):
                own = self.engine.quoted(f"candling_part_{token.text[1:]}")
                parts += [text[end : token.start], own]
                end = token.end + 1
        written = "".join([*parts, text[end:]])
        return written.replace(self.engine.quoted(_ROWS), f"({self.select(names)})")

    def groups(self, names: Sequence[str]) -> pa.Table:
        """The distinct combinations of some columns as c0, c1, ..., and how often each occurs."""
        columns = ", ".join(f"c{i}" for i in range(len(names)))
        counted = f"{columns}, count(*) as n" if names else "count(*) as n"
        sql = f"select {counted} from ({self.select(names)}) candling_rows"  # noqa: S608 - quoted
        sql += f" group by {columns}" if names else ""
        return self.fetch(sql, {**self.types(names), "n": "int64"})

    def count(self, most: int) -> int:
        """How many rows there are, up to a limit."""
        few = f"{self.select(())} limit {most}"
        sql = f"select count(*) as n from ({few}) candling_rows"  # noqa: S608 - quoted
        return int(self.fetch(sql, {"n": "int64"}).column(0)[0].as_py())

    def collect(self, query: ir.Table, names: Sequence[str]) -> pa.Table:
        """What a query over `rows(names)` gives, in Arrow."""
        return self.fetch(self.sql(query, names), query.schema())

    def fetch(self, sql: str, types: Types) -> pa.Table:
        """What the engine answers, in Arrow; its failure without its own words."""
        return translated(
            lambda: self.engine.fetch(self.backend, sql, types),
            lambda error: unreadable("The engine", error),
        )

    @property
    def forms(self) -> dict[str, Form]:
        """Of every column."""
        return {name: column.form for name, column in self.columns.items()}

    @property
    def schema(self) -> dict[str, ColumnType]:
        """What rules may compare the columns with."""
        return {name: column.form.kind for name, column in self.columns.items()}
