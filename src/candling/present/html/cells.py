"""Exact numbers, plans, comparisons and gates, small, for a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from candling.present.compare import Comparison, change_in_words
from candling.present.html.page import render
from candling.present.numbers import NOT_PRIVATE
from candling.present.persons import exact_of, guarantee
from candling.present.text import (
    EXACT_BY_RULE,
    THRESHOLDS,
    exact_rows,
    exact_rule_rows,
    has_thresholds,
    plan_epsilon,
    plan_rows,
)

if TYPE_CHECKING:
    from candling.releases.plan import Plan
    from candling.truth import Exact

_MOST = 200  # rules that are listed


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a cell; the columns `numbers` are aligned on the right."""

    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Sequence[int] = ()
    code: int | None = 0  # the column that is set as code


def tables_cell(lead: str, tables: Sequence[Table]) -> str:
    """A sentence and tables."""
    return render("tables", lead=lead, pill=None, tables=tables, notes=())


def exact_cell(numbers: Exact) -> str:
    """Every exact number, and that none of them is private."""
    tables = [
        Table("", ("number", "value", "what it is"), exact_rows(numbers), (1,)),
    ]
    if numbers.by_rule:
        rows = exact_rule_rows(numbers)[:_MOST]
        tables.append(Table(EXACT_BY_RULE, ("rows", "rule"), rows, (0,), code=1))
    kept = exact_of(numbers.person)
    return tables_cell(NOT_PRIVATE if kept is None else f"{NOT_PRIVATE} {kept}", tables)


def plan_cell(plan: Plan) -> str:
    """What epsilon pays for, and how noisy each number will be."""
    table = Table("", ("measure", "how noisy"), plan_rows(plan), ())
    notes = [guarantee(plan.person), *([THRESHOLDS] if has_thresholds(plan) else [])]
    return render("tables", lead=plan_epsilon(plan), pill=None, tables=[table], notes=notes)


def comparison_cell(comparison: Comparison) -> str:
    """The verdict, and every difference."""
    decided_by = ", ".join(comparison.decided_by) or "nothing"
    heads = ("from A to B", "change", "verdict", "interval")
    rows = [
        (d.name, change, str(d.verdict), f"{bounds} ({d.level:.0%})")
        for d in comparison.measures
        for change, bounds in [change_in_words(d)]
    ]
    table = Table("", heads, rows, (1,))
    lead = f"{comparison.verdict} (by {decided_by})"
    return render("tables", lead=lead, pill=None, tables=[table], notes=comparison.warnings)
