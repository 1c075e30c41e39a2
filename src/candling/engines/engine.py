"""What differs between backends: one subclass of `Engine` in one module each.

A `Table` carries its engine and asks it; no other code knows which one it is. An engine is added by
a module that has it as `ENGINE`, and a line in `candling.addresses.REGISTERED`.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from candling.addresses import shown
from candling.errors import UsageError
from candling.reading import NO_READING, Reading

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa
    from ibis.backends import BaseBackend

    from candling.engines.classes import CoreColumns, Parts
    from candling.engines.conditions import ConditionSql
    from candling.engines.forms import Table, Types


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
        return self.engine.shown(self.address)


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

    def shown(self, address: str | None) -> str:
        """The engine in words, without secrets."""
        return shown(address or self.name)

    def place(self, data: str, address: str | None, table: str | None) -> Place:
        """The place of the table that is called `data` on this engine."""
        if table is not None:
            raise named_twice()
        return Place(self, data, address, is_table=self.only_tables)

    def place_at(self, data: str, address: str | None, table: str | None) -> Place:
        """The place of a table when `data` itself is an address of this engine.

        `address` is that of the engine, if it was named beside the data.
        """
        if table is not None:
            raise named_twice()
        return Place(self, data.partition("://")[2], address, is_table=True)

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

    def at_hand(self, table: Table, names: Sequence[str]) -> AbstractContextManager[Table]:
        """The table such that its named columns can be read many times; else a copy of them."""
        del names
        return nullcontext(table)

    def read_core(
        self, table: Table, query: ir.Table, columns: CoreColumns, memory: str | None
    ) -> Parts:
        """What the query for a core gives: in one part, unless the engine can keep several."""
        return columns.coded(table.collect(query, columns.names), memory=memory)

    def quoted(self, name: str) -> str:
        """A name in its SQL."""
        return quoted(name, self.mark)


def named_twice() -> UsageError:
    """The name of a table was given in two ways."""
    return UsageError(
        "Name the table once: either as DATA or by --table with the address of a database.",
        code="U103",
    )


def quoted(name: str, mark: str = '"') -> str:
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
    return quoted(text, "'")
