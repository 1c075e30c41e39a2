"""The rows in conflict, and a smallest set of rows to delete. NOT PRIVATE."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from candling.arguments import Rules, check_arguments, rules_of
from candling.errors import UsageError, hide_private_errors
from candling.graph import build_graph
from candling.graph.build import find_self_conflicts, self_inconsistent
from candling.graph.conflict_graph import adjacency, loops_of
from candling.graph.edges import rule_edges
from candling.graph.kernels import weighted_degrees
from candling.graph.repair import smallest_removal
from candling.owner.table import OwnedTable, check_place, plain, read_for_owner, write_copy
from candling.reading import Reading
from candling.records import dataclass
from candling.rules import Constraint
from candling.system.limits import check_time_limit, translate_memory_error
from candling.system.progress import Phase, enter
from candling.tables import Classes, CodedRule

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
    rest = classes.select(~wrong)
    by_rule = []
    for rule in classes.rules:
        if rule.constraint.rows == 1:
            lines = np.flatnonzero(find_self_conflicts(classes, rule))
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


@dataclass(frozen=True, slots=True)
class RowRemoved:
    """A row to remove, and the rules that it breaks."""

    row: int  # from 1
    breaks: tuple[Constraint, ...]

    def to_dict(self) -> dict[str, Any]:
        return {"row": self.row, "breaks": [str(rule) for rule in self.breaks]}


@dataclass(frozen=True, slots=True)
class RepairFound:
    """The rows to remove, in the order of the table. NOT PRIVATE."""

    rows: int  # of the table
    removed: tuple[RowRemoved, ...]
    smallest: bool  # proved smallest; otherwise at most twice the smallest

    def __str__(self) -> str:
        from candling.owner.view import view_repair
        from candling.render.text import render_text

        return render_text(view_repair(self))

    def _repr_html_(self) -> str:
        from candling.owner.view import view_repair
        from candling.render.html import render_cell

        return render_cell(view_repair(self))

    def to_dict(self) -> dict[str, Any]:
        """The repair as `candling owner repair --json` prints it."""
        return {
            "private": False,
            "rows": self.rows,
            "kept": self.rows - len(self.removed),
            "smallest": self.smallest,
            "removed": [row.to_dict() for row in self.removed],
        }


def find_repair(owned: OwnedTable, *, time_limit: float = 60.0) -> RepairFound:
    """Rows without which every rule holds: as few as the search finds in `time_limit` seconds."""
    check_time_limit(time_limit)
    enter(Phase.CONFLICTS)
    classes = owned.classes
    graph = build_graph(classes)
    breaks = rows_by_rule(classes)
    enter(Phase.MEASURING)
    removal = smallest_removal(graph, time_limit=time_limit)
    removed_lines = self_inconsistent(classes) | _find_removals(
        graph.class_of, graph.weights - removal.rows
    )
    broken: dict[int, list[Constraint]] = {
        line: [] for line in np.flatnonzero(removed_lines).tolist()
    }
    for rule, rows in zip(classes.rules, breaks, strict=True):
        for line in rows.lines[removed_lines[rows.lines]].tolist():
            broken[line].append(rule.constraint)
    removed = tuple(RowRemoved(line + 1, tuple(rules)) for line, rules in broken.items())
    return RepairFound(classes.rows, removed, removal.smallest)


def _find_removals(
    class_of: npt.NDArray[np.int32], stay: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """Which lines are removed if the first `stay` lines of each class stay; class -1 stays."""
    lines = np.flatnonzero(class_of >= 0)
    order = lines[np.argsort(class_of[lines], kind="stable")]
    label = class_of[order]
    sizes = np.bincount(label, minlength=len(stay))
    rank = np.arange(len(order)) - (np.cumsum(sizes) - sizes)[label]
    removed = np.zeros(len(class_of), bool)
    removed[order] = rank >= stay[label]
    return removed


@check_arguments()
def conflicts(
    data: Any,
    rules: Rules,
    *,
    limit: int = 20,
    table: str | None = None,
    memory: str | None = None,
    reading: Reading | None = None,
) -> ConflictsFound:
    """The rows in conflict under each rule: NOT PRIVATE, for the owner of the table.

    `limit` is how many rows of each rule come with their values. See `analyze` for data and rules.
    """
    constraints = rules_of(rules)

    def find() -> ConflictsFound:
        owned = read_for_owner(data, constraints, table=table, memory=memory, reading=reading)
        return find_conflicts(owned, limit=limit)

    return hide_private_errors(lambda: translate_memory_error(find))


@check_arguments()
def repair(
    data: Any,
    rules: Rules,
    *,
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    time_limit: float = 60.0,
    table: str | None = None,
    memory: str | None = None,
    reading: Reading | None = None,
) -> RepairFound:
    """The fewest rows without which every rule holds: NOT PRIVATE, for the owner of the table.

    `time_limit` is for the search, in seconds; a search that it ends gives a set that may be twice
    as large, and says so (`smallest`). `out` is a .csv, .tsv or .parquet file for a copy of a table
    that is given by its path, without these rows. See `analyze` for data and rules.
    """
    constraints = rules_of(rules)
    to = None if out is None else os.fspath(out)
    if to is not None:
        if not isinstance(data, str | os.PathLike):
            raise UsageError(
                "`out` is for a table that is given by its path; of an object, drop the rows that "
                "`removed` lists yourself.",
                code="U304",
            )
        check_place(to, os.fspath(data), force=overwrite)

    def find() -> RepairFound:
        owned = read_for_owner(data, constraints, table=table, memory=memory, reading=reading)
        found = find_repair(owned, time_limit=time_limit)
        if to is not None:
            rows = (row.row for row in found.removed)
            write_copy(
                os.fspath(data),
                rows,
                to,
                table=table,
                memory=memory,
                reading=reading,
                rules=constraints,
            )
        return found

    return hide_private_errors(lambda: translate_memory_error(find))
