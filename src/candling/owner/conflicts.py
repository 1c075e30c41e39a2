"""The rows in conflict, rule by rule. NOT PRIVATE."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from candling.engines import Classes, CodedRule
from candling.graph.arcs import adjacency, loops_of
from candling.graph.build import broken_alone, self_inconsistent
from candling.graph.edges import rule_edges
from candling.graph.kernels import weighted_degrees
from candling.owner.table import OwnedTable, plain
from candling.phases import Phase, enter
from candling.rules import Constraint

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RowFound:
    """A row that breaks a rule, alone or with others."""

    row: int  # from 1
    conflicts: int  # rows that it breaks the rule with; 1 if it does so alone
    other: int | None  # the first of these rows; None if it breaks the rule alone
    values: dict[str, Any]  # of the columns that the rule reads

    def to_dict(self) -> dict[str, Any]:
        values = {name: plain(value) for name, value in self.values.items()}
        return {
            "row": self.row,
            "conflicts": self.conflicts,
            "with": self.other,
            "values": values,
        }


@dataclass(frozen=True, slots=True)
class RuleConflicts:
    """The rows that break one rule; `shown` are those with the most conflicts."""

    rule: Constraint
    rows: int
    conflicts: int
    shown: tuple[RowFound, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "rule": str(self.rule),
            "line": self.rule.line,
            "rows": self.rows,
            "conflicts": self.conflicts,
            "shown": [row.to_dict() for row in self.shown],
        }


@dataclass(frozen=True, slots=True)
class ConflictsFound:
    """The conflicts of a table, in the order of the rules. NOT PRIVATE."""

    rows: int  # of the table
    in_conflict: int
    rules: tuple[RuleConflicts, ...]

    def __str__(self) -> str:
        from candling.owner.view import view_conflicts
        from candling.render.text import render_text

        return render_text(view_conflicts(self))

    def _repr_html_(self) -> str:
        from candling.owner.view import view_conflicts
        from candling.render.html import render_cell

        return render_cell(view_conflicts(self))

    def to_dict(self) -> dict[str, Any]:
        """The conflicts as `candling owner conflicts --json` prints them."""
        return {
            "private": False,
            "rows": self.rows,
            "in_conflict": self.in_conflict,
            "rules": [rule.to_dict() for rule in self.rules],
        }


def find_conflicts(owned: OwnedTable, *, limit: int = 20) -> ConflictsFound:
    """The rows in conflict under each rule, `limit` of them with their values.

    As in the measures, a row that breaks a rule alone is in no pair: removing the row resolves
    both. So the rows of all rules together are what `problematic` counts.
    """
    enter(Phase.CONFLICTS)
    by_rule = []
    in_conflict = np.zeros(owned.classes.rows, bool)
    for rule, rows in zip(owned.classes.rules, rows_by_rule(owned.classes), strict=True):
        in_conflict[rows.lines] = True
        worst = np.lexsort((rows.lines, -rows.conflicts))[:limit]
        shown = tuple(_row(owned, rule.constraint, rows, i) for i in worst.tolist())
        total = int(rows.conflicts.sum())
        if rule.constraint.rows == 2:
            total //= 2
        by_rule.append(RuleConflicts(rule.constraint, len(rows.lines), total, shown))
    return ConflictsFound(owned.classes.rows, int(in_conflict.sum()), tuple(by_rule))


@dataclass(frozen=True, slots=True)
class RuleRows:
    """The lines (from 0) that break one rule, with the number of conflicts, and another line."""

    lines: Numbers
    conflicts: Numbers
    others: Numbers  # -1: alone


def rows_by_rule(classes: Classes) -> list[RuleRows]:
    """For each rule, the rows that break it; every class is one row."""
    wrong = self_inconsistent(classes)
    right = np.flatnonzero(~wrong)
    rest = classes.only(~wrong)
    by_rule = []
    for rule in classes.rules:
        if rule.constraint.rows == 1:
            lines = np.flatnonzero(broken_alone(classes, rule))
            by_rule.append(RuleRows(lines, np.ones_like(lines), np.full_like(lines, -1)))
            continue
        pairs = _pairs(rest, rule)
        by_rule.append(RuleRows(right[pairs.lines], pairs.conflicts, right[pairs.others]))
    return by_rule


def _pairs(classes: Classes, rule: CodedRule) -> RuleRows:
    """The lines that break a rule with other lines."""
    edges = rule_edges(classes, rule)
    lines = np.flatnonzero(edges.class_of >= 0)
    if len(lines) == 0:
        return RuleRows(lines, lines, lines)
    label = edges.class_of[lines]
    sizes = np.bincount(label).astype(np.int64)
    offsets, neighbours = adjacency(len(sizes), edges.left, edges.right)
    degrees = np.empty(len(sizes), np.int64)
    weighted_degrees(offsets, neighbours, sizes, degrees)
    loop = np.repeat(np.arange(len(sizes)), np.diff(offsets)) == neighbours
    loops = loops_of(offsets, neighbours)

    by_class = np.argsort(label, kind="stable")  # lines stay in order within a class
    starts = np.cumsum(sizes) - sizes
    first = lines[by_class[starts]]
    second = lines[by_class[np.minimum(starts + 1, len(lines) - 1)]]
    none = len(classes.weights)
    nearest = np.minimum.reduceat(np.where(loop, none, first[neighbours]), offsets[:-1])
    in_class = np.where(lines == first[label], second[label], first[label])
    others = np.where(loops[label], np.minimum(nearest[label], in_class), nearest[label])
    return RuleRows(lines, degrees[label] - loops[label], others)


def _row(owned: OwnedTable, rule: Constraint, rows: RuleRows, i: int) -> RowFound:
    line, other = int(rows.lines[i]), int(rows.others[i])
    values = owned.cells(line + 1, rule.columns)
    return RowFound(line + 1, int(rows.conflicts[i]), other + 1 if other >= 0 else None, values)
