"""A smallest set of rows without which every rule holds. NOT PRIVATE."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from candling.deadline import check_time_limit
from candling.graph import build_graph
from candling.graph.build import self_inconsistent
from candling.owner.conflicts import rows_by_rule
from candling.owner.table import OwnedTable
from candling.phases import Phase, enter
from candling.rules import Constraint
from candling.solvers.removal import smallest_removal


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
    removed_lines = self_inconsistent(classes) | _removed(
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


def _removed(class_of: npt.NDArray[np.int32], stay: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Which lines are removed if the first `stay` lines of each class stay; class -1 stays."""
    lines = np.flatnonzero(class_of >= 0)
    order = lines[np.argsort(class_of[lines], kind="stable")]
    label = class_of[order]
    sizes = np.bincount(label, minlength=len(stay))
    rank = np.arange(len(order)) - (np.cumsum(sizes) - sizes)[label]
    removed = np.zeros(len(class_of), bool)
    removed[order] = rank >= stay[label]
    return removed
