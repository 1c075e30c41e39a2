"""Drawn tables in one DuckDB: a new one for each example would be slow."""

from __future__ import annotations

from functools import cache
from itertools import count
from typing import Any

import ibis

import candling
from candling.measures.facts import Facts
from tests.strategies import TableAndRules, to_arrow

_NUMBERS = count()


@cache
def _backend() -> Any:
    return ibis.duckdb.connect()


def registered(drawn: TableAndRules) -> ibis.Table:
    """The table of an example."""
    columns, rows, _ = drawn
    data = ibis.memtable(to_arrow(columns, rows))
    return _backend().create_table(f"t{next(_NUMBERS)}", data, temp=True)


def facts_of(drawn: TableAndRules) -> Facts:
    """What a release of an example would be made from."""
    return candling.analyze(registered(drawn), drawn[2])._facts
