"""A table and its rules, analysed once and asked many times."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from typing import Any

from candling.conflicts import build_conflicts
from candling.constraints import ConstraintSet, check_schema, distinct, load_constraints
from candling.engine import open_table, read_classes
from candling.engine.schema import table_schema
from candling.errors import UsageError
from candling.measures import Exact, exact_measures
from candling.privacy import Mechanism
from candling.releases import Facts, Method, Plan, Scorecard, make_plan, make_request, run_release
from candling.releases.request import Number

Rules = ConstraintSet | str | os.PathLike[str]


class Study:
    """The conflict graph of one table under one set of rules; made by `analyze`."""

    def __init__(self, rules: ConstraintSet, facts: Facts) -> None:
        self.rules = rules
        self._facts = facts

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
        return exact_measures(self._facts.graph, time_limit=time_limit)

    def release(
        self,
        epsilon: Number,
        *,
        measures: Iterable[str] | None = None,
        split: Mapping[str, Number] | None = None,
        rows_per_person: int = 1,
        public_rows: int | None = None,
        max_rows: int | None = None,
        method: Method | Mechanism | None = None,
    ) -> Scorecard:
        """Noisy measures that are epsilon-differentially private. Every call spends epsilon anew.

        `measures` are names (default: rows and the five measures); `split` their shares of the
        budget; `rows_per_person` how many rows one person may own; `public_rows` the number of rows
        if that is no secret, `max_rows` a public bound on it; `method` how thresholds are chosen.
        """
        request = make_request(
            self._facts.constraints,
            epsilon=epsilon,
            measures=measures,
            split=split,
            rows_per_person=rows_per_person,
            public_rows=public_rows,
            max_rows=max_rows,
            method=method,
        )
        return run_release(self._facts, request)


def analyze(
    data: Any, rules: Rules, *, table: str | None = None, memory: str | None = None
) -> Study:
    """Read `data` once and build its conflict graph under `rules`.

    `data` is a path (CSV, Parquet, JSON, Arrow, a DuckDB file with `table`), a pandas or polars
    frame, a pyarrow object or an Ibis table; `rules` a ConstraintSet or the path of a rules file;
    `memory` a limit such as "4GB".
    """
    rules = _loaded(rules)
    return Study(rules, _facts(data, rules, table, memory))


def _facts(data: Any, rules: ConstraintSet, table: str | None, memory: str | None) -> Facts:
    source = open_table(data, table=table, memory=memory)
    check_schema(rules, table_schema(source))
    classes = read_classes(source, distinct(rules), memory=memory)
    return Facts(classes, build_conflicts(classes))


def exact(
    data: Any,
    rules: Rules,
    *,
    table: str | None = None,
    memory: str | None = None,
    time_limit: float = 60.0,
) -> Exact:
    """The true measures of `data` under `rules`: NOT PRIVATE. See `analyze` for the arguments."""
    return analyze(data, rules, table=table, memory=memory).exact(time_limit=time_limit)


def release(
    data: Any,
    rules: Rules,
    epsilon: Number,
    *,
    table: str | None = None,
    memory: str | None = None,
    **wishes: Any,
) -> Scorecard:
    """Noisy measures of `data` under `rules`, epsilon-differentially private.

    See `analyze` for data and rules, `Study.release` for the further keyword arguments; what makes
    no sense in them is refused before a row is read.
    """
    rules = _loaded(rules)
    request = make_request(distinct(rules), epsilon=epsilon, **wishes)
    return run_release(_facts(data, rules, table, memory), request)


def plan(rules: Rules, *, epsilon: Number | None = None, **wishes: Any) -> Plan:
    """What a release would spend on what, and how noisy it would be; no data is read.

    Give an `epsilon`, or `wishes={"repair": 5}` for the epsilon that makes the mean errors that
    small; `rows` is a guess at the size of the table. See `Study.release` for `measures`, `split`,
    `rows_per_person` and `method`.
    """
    return make_plan(distinct(_loaded(rules)), epsilon=epsilon, **wishes)


def _loaded(rules: Rules) -> ConstraintSet:
    return rules if isinstance(rules, ConstraintSet) else load_constraints(rules)
