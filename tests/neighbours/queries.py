"""The queries of one group of tables, built and written once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from ibis.backends.sql import SQLBackend

from candling.rules import Constraint
from candling.tables import core
from candling.tables.values import Table


@contextmanager
def queries_once() -> Iterator[None]:
    """Build each query of a group once and write it as SQL once, which is half of all the work.

    Both are pure functions of the columns and the rules, which the tables of a group share.
    """
    build, write = core.core_query, SQLBackend.compile
    built: dict[Any, Any] = {}
    written: dict[Any, Any] = {}

    def core_query(table: Table, rules: Sequence[Constraint], not_null: Sequence[str]) -> Any:
        columns = tuple((name, c.form, c.dtype) for name, c in table.columns.items())
        key = (table.engine, columns, tuple(rules), tuple(not_null))
        if key not in built:
            built[key] = build(table, rules, not_null)
        return built[key]

    def compiled(backend: SQLBackend, query: Any, **options: Any) -> Any:
        if options:
            return write(backend, query, **options)
        key = (backend.name, query.op())
        if key not in written:
            written[key] = write(backend, query)
        return written[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(core, "core_query", core_query)
        patch.setattr(SQLBackend, "compile", compiled)
        yield
