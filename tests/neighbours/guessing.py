"""Types that are guessed from rows, put back: a planted bug that the search must find."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from candling.reading import parse_type
from candling.rules.types import NOTHING_STATED, Statements
from candling.tables.backends.duckdb import Source, duckdb_cast
from candling.tables.engine import quote_name
from candling.tables.values import Table

_TRIED = ("integer", "number", "date")


@contextmanager
def types_are_guessed() -> Iterator[None]:
    """A column of DuckDB without a stated type has one that all of its cells fit."""
    usual = Source.canonical

    def guess(source: Source, name: str) -> str | None:
        cell = quote_name(name)
        for kind in _TRIED:
            value = duckdb_cast(parse_type(kind), cell)
            query = f"select count({cell}), count({value}) from {source.rows}"
            ((cells, fitting),) = source.connected.con.execute(query).fetchall()
            if cells == fitting and cells:
                return kind
        return None

    def canonical(source: Source, statements: Statements = NOTHING_STATED) -> Table:
        fair = usual(source, statements)
        found = {name: guess(source, name) for name in fair.untyped}
        types = {name: kind for name, kind in found.items() if kind}
        if not types:
            return fair
        reading = replace(statements.reading, types={**statements.reading.types, **types})
        table = usual(source, replace(statements, reading=reading))
        return replace(table, stated=fair.stated, untyped=fair.untyped - set(types))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Source, "canonical", canonical)
        yield
