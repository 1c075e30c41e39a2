"""The queries of one group of tables, built once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from candling.rules import Constraint
from candling.tables import core
from candling.tables.values import Table


@contextmanager
def queries_once() -> Iterator[None]:
    """Build each query of a group once.

    It is a pure function of the columns, the rules and the source, which tables of a group share.
    """
    build = core.core_query
    built: dict[Any, Any] = {}

    def core_query(table: Table, rules: Sequence[Constraint], not_null: Sequence[str]) -> Any:
        columns = tuple((name, c.sql, c.form, c.dtype) for name, c in table.columns.items())
        key = (table.engine, table.source, columns, tuple(rules), tuple(not_null))
        if key not in built:
            built[key] = build(table, rules, not_null)
        return built[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(core, "core_query", core_query)
        yield
