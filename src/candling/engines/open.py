"""Opening a table, wherever it is: on the embedded DuckDB unless it names another engine.

This is the one place that finds an engine by its name, an address or an Ibis table.
"""

from __future__ import annotations

import os
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from candling.addresses import (
    REGISTERED,
    Registration,
    engine_spellings,
    registered_for,
    scheme,
    shown,
)
from candling.engines.engine import Engine, Place, is_ibis
from candling.engines.forms import Table
from candling.engines.paths import STANDARD_INPUT
from candling.errors import DataError, UsageError
from candling.reading import NO_READING, Reading, require_only
from candling.rules import ColumnType
from candling.suggest import did_you_mean

if TYPE_CHECKING:
    import ibis.expr.types as ir

_DEFAULT = "duckdb"


def open_table(
    data: Any,
    *,
    table: str | None = None,
    memory: str | None = None,
    engine: str | None = None,
    reading: Reading | None = None,
    owner: bool = False,
) -> Table:
    """`data` with every value in its one form; no row is read yet where the format allows.

    `data` is a path (CSV, TSV, Parquet, JSON, Arrow/Feather, or a DuckDB, SQLite or Excel file
    whose table or sheet is named by `table`; - is standard input), a pandas or polars frame, a
    pyarrow object, anything that speaks the Arrow stream protocol, or an Ibis table, which stays on
    its own engine. `memory` limits the embedded DuckDB (`"4GB"`); beyond it, DuckDB spills to a
    private directory that goes with the session.

    `engine` is where a path or the name of a table is looked up: `"duckdb"`, which is embedded,
    `"spark"` (the active session, or one from the environment), `"spark://host:port"`,
    `"sc://host:port"` (Spark Connect), `"postgresql"` or `"postgresql://..."`. Data that begins
    with `spark://` names a table on Spark, `postgresql://` a database whose table is `table`.
    `reading` says how a file is read. For the `owner`, messages name lines: NOT PRIVATE.
    """
    reading = NO_READING if reading is None else reading
    if isinstance(data, str | os.PathLike):
        place = replace(locate(str(data), engine, table), reading=reading, owner=owner)
        return place.engine.open(place, memory)
    require_only(reading, (), f"a {type(data).__name__}, which is no file")
    if table is not None:
        raise UsageError("`table` names a table inside a file or a database only.", code="U103")
    if engine not in (None, _DEFAULT):
        raise UsageError(
            "`engine` says where a path or the name of a table is looked up; an object is measured "
            "where it is: leave it out.",
            code="U107",
        )
    from candling.engines.sources import source_of  # which DuckDB's module needs, too

    if is_ibis(data):
        return engine_of(data).canonical(data, memory)
    return source_of(data, memory).canonical()


def schema_of(
    data: Any,
    *,
    table: str | None = None,
    engine: str | None = None,
    reading: Reading | None = None,
) -> dict[str, ColumnType]:
    """The columns of `data` (see `open_table`), and what each can be compared with."""
    return open_table(data, table=table, engine=engine, reading=reading).schema


def locate(data: str, engine: str | None, table: str | None) -> Place:
    """The place of a table: `data` is a path, a name or an address, on an engine or the default."""
    named = None if engine is None else _named(engine)
    owner = _owner(data)
    if owner is None:
        chosen, address = named or (REGISTERED[_DEFAULT], None)
        if data == STANDARD_INPUT and chosen.name != _DEFAULT:
            raise UsageError(
                f"Standard input (-) is read in this process, not on {chosen.name}: leave out "
                "--engine, or name a file.",
                code="U107",
            )
        return load(chosen).place(data, address, table)
    address = None
    if named is not None:
        chosen, address = named
        if chosen is not owner:
            raise UsageError(
                f"{shown(data)} is on {owner.name}, and the engine that was asked for is "
                f"{shown(engine or '')}; leave one of them out.",
                code="U107",
            )
    return load(owner).place_at(data, address, table)


def is_remote(data: object) -> bool:
    """Whether the data itself is an address of a table on a server."""
    return isinstance(data, str) and _owner(data) is not None


def load(engine: Registration) -> Engine:
    """The engine itself."""
    loaded: Engine = import_module(engine.module).ENGINE
    return loaded


def engine_of(table: ir.Table) -> Engine:
    """The engine that measures an Ibis table where it is."""
    name = table.get_backend().name
    for engine in REGISTERED.values():
        if name in engine.ibis:
            return load(engine)
    raise DataError(
        f"A table on {name} cannot be measured where it is: whether strings are equal and how "
        "they are sorted there is not known to be as elsewhere. Export it to Parquet, and name the "
        "file.",
        code="D111",
    )


def _owner(data: str) -> Registration | None:
    """The engine on which data with such an address is."""
    kind = scheme(data)
    return next((e for e in REGISTERED.values() if kind in e.data_schemes), None)


def _named(text: str) -> tuple[Registration, str | None]:
    """The engine behind a name or an address, and the address."""
    for engine in REGISTERED.values():
        if text in (engine.name, *engine.aliases):
            return engine, load(engine).usual_address
    engine_at = registered_for(text)
    host = text.partition("://")[2]
    if engine_at is not None and (host or load(engine_at).usual_address is not None):
        return engine_at, text
    name = text.partition(":")[0]  # only its first word: the rest may hold a password
    hint = did_you_mean(
        name.lower(), [n for e in REGISTERED.values() for n in (e.name, *e.aliases)]
    )
    raise UsageError(
        f"There is no engine {name!r}.{hint} Known are {', '.join(engine_spellings())}.",
        code="U107",
    )
