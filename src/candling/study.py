"""A table and its rules, analysed once and asked many times."""

from __future__ import annotations

import math
import os
from typing import Any

from candling.conflicts import ConflictGraph, build_graph
from candling.constraints import ConstraintSet, check_schema, distinct, load_constraints
from candling.engine import open_table, read_classes
from candling.engine.schema import table_schema
from candling.errors import UsageError
from candling.measures import Exact, exact_measures


class Study:
    """The conflict graph of one table under one set of rules; made by `analyze`."""

    def __init__(self, rules: ConstraintSet, graph: ConflictGraph) -> None:
        self.rules = rules
        self._graph = graph

    def __repr__(self) -> str:
        return f"Study(rules={len(self.rules)})"  # nothing true in a repr

    def exact(self, *, time_limit: float = 60.0) -> Exact:
        """The true measures: NOT PRIVATE, for the owner of the table.

        `time_limit` bounds, in seconds, the search for the smallest repair.
        """
        if not (math.isfinite(time_limit) and time_limit >= 0):
            raise UsageError(
                f"The time limit must be a number of seconds, 0 or more, not {time_limit}.",
                code="U102",
            )
        return exact_measures(self._graph, time_limit=time_limit)


def analyze(
    data: Any,
    rules: ConstraintSet | str | os.PathLike[str],
    *,
    table: str | None = None,
    memory: str | None = None,
) -> Study:
    """Read `data` once and build its conflict graph under `rules`.

    `data` is a path (CSV, Parquet, JSON, Arrow, a DuckDB file with `table`), a pandas or polars
    frame, a pyarrow object or an Ibis table; `rules` a ConstraintSet or the path of a rules file;
    `memory` a limit such as "4GB".
    """
    if not isinstance(rules, ConstraintSet):
        rules = load_constraints(rules)
    source = open_table(data, table=table, memory=memory)
    check_schema(rules, table_schema(source))
    return Study(rules, build_graph(read_classes(source, distinct(rules))))


def exact(
    data: Any,
    rules: ConstraintSet | str | os.PathLike[str],
    *,
    table: str | None = None,
    memory: str | None = None,
    time_limit: float = 60.0,
) -> Exact:
    """The true measures of `data` under `rules`: NOT PRIVATE. See `analyze` for the arguments."""
    return analyze(data, rules, table=table, memory=memory).exact(time_limit=time_limit)
