"""A table as its owner sees it, every row with its number, and copies of it. NOT PRIVATE."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Sequence
from dataclasses import field
from datetime import date, time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from candling.errors import DataError, UsageError
from candling.escaping import quote_path
from candling.reading import NO_READING, Reading
from candling.records import dataclass
from candling.rules import Constraint, ConstraintSet, check_schema, compile_rules
from candling.rules.types import NO_RULES, Statements
from candling.system.files import refused_with, write_text, write_whole
from candling.system.progress import Phase, enter
from candling.tables import Classes, open_source, read_rows
from candling.tables.backends.duckdb import Source, duckdb_cast
from candling.tables.engine import literal, quote_name


@dataclass(frozen=True, slots=True)
class OwnedTable:
    """The rows of a table in its order, coded and as they are. NOT PRIVATE.

    Row 1 is the first one of the file, after the header where there is one.
    """

    classes: Classes = field(repr=False)  # one row each, in the order of the table
    values: pa.Table = field(repr=False)  # the columns that the rules read

    def cells(self, row: int, columns: tuple[str, ...]) -> dict[str, Any]:
        """Some values of a row, by column."""
        return {name: self.values.column(name)[row - 1].as_py() for name in columns}


def read_for_owner(
    data: Any,
    rules: ConstraintSet,
    *,
    table: str | None = None,
    memory: str | None = None,
    reading: Reading | None = None,
) -> OwnedTable:
    """The table behind `data` (see `candling.analyze`), which the rules must fit."""
    enter(Phase.READING)
    reading = NO_READING if reading is None else reading
    source = open_source(data, table=table, memory=memory, reading=reading, rules=rules)
    owned = source.canonical(Statements(rules, reading))
    check_schema(rules, owned.schema, untyped=owned.untyped)
    constraints = compile_rules(rules).with_types(owned.type_rules)
    classes = read_rows(owned, constraints, memory=memory)
    values = pa.table({})
    if names := _names(constraints, list(owned.columns)):
        shown = ", ".join(
            f"{quote_name(name)} as {quote_name(known)}" for known, name in names.items()
        )
        values = owned.fetch(f"select {shown} from {source.rows}", {})  # noqa: S608 - quoted
    return OwnedTable(classes, values)


def _names(constraints: Iterable[Constraint], columns: Sequence[str]) -> dict[str, str]:
    """The table's names of the columns that rules read, by the names that the rules have."""
    return {
        source.shown: source.shown if source.position is None else columns[source.position]
        for rule in constraints
        for predicate in rule.predicates
        for column in predicate.columns
        for source in column.sources
    }


def plain(value: Any) -> Any:
    """A value as JSON can hold it."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if abs(value) != float("inf") else str(value)
    if isinstance(value, date | time):
        return value.isoformat()
    return value.hex() if isinstance(value, bytes) else str(value)


_KINDS = {
    ".csv": "format csv, header",
    ".tsv": "format csv, header, delimiter '\t'",
    ".parquet": "format parquet",
}


def check_place(to: str, data: str, *, force: bool = False, kinds: Iterable[str] = _KINDS) -> None:
    """Raise UsageError if a file may not be written to `to`; nothing is read or written yet."""
    with refused_with("U304", to):
        _check(Path(to), to, data, force=force, kinds=kinds)


def _check(path: Path, to: str, data: str, *, force: bool, kinds: Iterable[str]) -> None:
    if path.suffix.lower() not in kinds:
        raise UsageError(f"{quote_path(to)} must end in {' or '.join(kinds)}.", code="U304")
    if path.is_dir():
        raise UsageError(f"{quote_path(to)} is a directory; name a file in it.", code="U304")
    tables = [table for table in (data, *glob.glob(data)) if os.path.exists(table)]  # noqa: PTH110, PTH207
    if path.exists() and any(path.samefile(table) for table in tables):
        raise UsageError(
            f"{quote_path(to)} is the table itself, which is never changed.", code="U304"
        )
    if path.exists() and not force:
        raise UsageError(
            f"{quote_path(to)} exists. Choose another name, or use --force to overwrite it.",
            code="U304",
        )
    if not path.absolute().parent.is_dir():
        raise UsageError(f"The directory {quote_path(path.parent)} does not exist.", code="U304")
    if not os.access(path.absolute().parent, os.W_OK | os.X_OK):
        raise UsageError(f"{quote_path(to)} cannot be written: permission denied.", code="U304")


def write_copy(
    data: str,
    without: Iterable[int],
    to: str,
    *,
    table: str | None = None,
    memory: str | None = None,
    reading: Reading | None = None,
    rules: ConstraintSet = NO_RULES,
) -> None:
    """Write the table at `data` without the rows of these numbers (from 1), in its order.

    From a text file to a text file, every cell keeps its text. In Parquet a column has the type
    that it has in the table, or that is stated for it, or that the rules imply. Texts are written
    in UTF-8, without a header if the table has none.
    """
    path = Path(to)
    text = path.suffix.lower() != ".parquet"
    folder = Path(os.path.realpath(path)).parent  # in which the draft is made
    source = open_source(
        data, table=table, memory=memory, reading=reading, rules=rules, text=text, folder=folder
    )
    columns = "s.*" if text else _typed_columns(source, Statements(rules, reading or NO_READING))
    kind = _KINDS[path.suffix.lower()]
    if text and reading is not None and not reading.has_header:
        kind = kind.replace("header", "header false")
    removed = np.fromiter(without, np.int64)

    def write(draft: Path) -> None:
        import duckdb
        import pyarrow as pa

        connected, rows = source.connected, source.rows
        try:
            connected.check_files()
            ((size,),) = connected.execute(f"select count(*) from {rows}")  # noqa: S608
            stays = np.ones(size, bool)
            stays[removed - 1] = False
            connected.con.register("candling_stays", pa.table({"candling_stays": stays}))
            connected.execute(
                f"copy (select {columns} from {rows} s "  # noqa: S608 - our own SQL and quoted names
                "positional join candling_stays k where k.candling_stays) "
                f"to {literal(str(draft))} ({kind})"
            )
        except duckdb.Error as error:
            raise DataError(
                f"candling could not write the copy ({type(error).__name__}).", code="D103"
            ) from None

    with refused_with("U304", path):
        write_whole(path, write, private=True)


def _typed_columns(source: Source, statements: Statements) -> str:
    """The columns of a table in SQL, with their types."""
    typed = source.canonical(statements).stated
    names = {name: f"s.{quote_name(name)}" for name in source.types()}
    return ", ".join(
        f"{duckdb_cast(typed[name].type, cell)} as {quote_name(name)}" if name in typed else cell
        for name, cell in names.items()
    )


def write_page(page: str, to: str) -> None:
    """Write a page; see `check_place`."""
    with refused_with("U304", to):
        write_text(to, page, private=True)
