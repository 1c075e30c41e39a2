"""The weighted conflict graph over classes of rows that have the same neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from candling.engines import CodedRule
from candling.engines.memory import new_array, runs
from candling.graph.kernels import (
    both_ways,
    count_ends,
    fill,
    label_parts,
    weighted_degrees,
)


@dataclass(frozen=True)
class ConflictGraph:
    """Which rows conflict, by classes: an edge (C, D) stands for weight C times weight D pairs.

    A class that is its own neighbour falls into parts, and two of its rows conflict if they are of
    different parts: single rows under a key, and what `merge_parts` merged. Rows in no conflict are
    not there. Each pair of rows is in the graph once, however many rules it breaks.
    """

    rows: int  # of the whole table
    self_inconsistent: int  # rows that break a rule by themselves; they have no edges
    weights: npt.NDArray[np.int64]  # rows per class
    offsets: npt.NDArray[np.int64]  # class u has neighbours[offsets[u] : offsets[u + 1]]
    neighbours: npt.NDArray[np.int32]  # sorted per class
    codes: npt.NDArray[np.int32]  # per column, the coded values of one row of each class
    rules: tuple[CodedRule, ...]
    class_of: npt.NDArray[np.int32]  # of each class of the table's distinct rows; -1: no conflict
    part: npt.NDArray[np.int64]  # rows of one part of a class that is its own neighbour
    memory: str | None = None  # limit beyond which what grows with the pairs goes to disk

    def __repr__(self) -> str:
        return f"ConflictGraph(rules={len(self.rules)})"  # nothing true in a repr

    @property
    def classes(self) -> int:
        """Number of classes in conflict."""
        return len(self.weights)

    @cached_property
    def degrees(self) -> npt.NDArray[np.int64]:
        """Conflicts of each row of a class."""
        return self.neighbours_in(np.ones(self.classes, bool))

    def neighbours_in(self, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """How many rows of the chosen classes each row of a class conflicts with."""
        total = np.empty(self.classes, np.int64)
        if not self.classes:
            return total
        weighted_degrees(self.offsets, self.neighbours, self.weights * chosen, total)
        return total - np.where(self.loops & chosen, self.part, 0)

    @property
    def pairs(self) -> int:
        """Number of conflicting pairs of rows."""
        return int((self.weights * self.degrees).sum()) // 2

    @cached_property
    def sources(self) -> npt.NDArray[np.int32]:
        """For each entry of `neighbours`, the class whose neighbour it is."""
        return owners(self.offsets, self.memory)

    @cached_property
    def loops(self) -> npt.NDArray[np.bool_]:
        """Classes whose rows conflict with each other."""
        return loops_of(self.offsets, self.neighbours)

    @cached_property
    def components(self) -> npt.NDArray[np.int32]:
        """The number of the connected component of each class."""
        return connected(self.offsets, self.neighbours)


def loops_of(
    offsets: npt.NDArray[np.int64], neighbours: npt.NDArray[np.int32]
) -> npt.NDArray[np.bool_]:
    """Which nodes are their own neighbours."""
    loops = np.zeros(len(offsets) - 1, bool)
    for start, stop in runs(offsets):
        sources = _owners(offsets, start, stop)
        loops[sources[sources == neighbours[offsets[start] : offsets[stop]]]] = True
    return loops


def owners(offsets: npt.NDArray[np.int64], memory: str | None) -> npt.NDArray[np.int32]:
    """For each entry of all lists, whose list it is in."""
    found = new_array(int(offsets[-1]), np.int32, memory)
    for start, stop in runs(offsets):
        found[offsets[start] : offsets[stop]] = _owners(offsets, start, stop)
    return found


def _owners(offsets: npt.NDArray[np.int64], start: int, stop: int) -> npt.NDArray[np.int32]:
    """For each entry of the lists from `start` to before `stop`, whose list it is in."""
    return np.repeat(np.arange(start, stop, dtype=np.int32), np.diff(offsets[start : stop + 1]))


def adjacency(
    nodes: int,
    left: npt.NDArray[np.int32],
    right: npt.NDArray[np.int32],
    memory: str | None = None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Edges, each given once, as offsets and sorted neighbour lists."""
    above, below = (np.zeros(nodes, np.int64) for _ in range(2))
    lists = new_array(len(left), np.int32, memory)
    if len(lists):
        count_ends(left, right, above, below)
        fill(left, right, np.cumsum(above) - above, lists)
    return joined(above, below, lists, memory)


def joined(
    above: npt.NDArray[np.int64],
    below: npt.NDArray[np.int64],
    lists: npt.NDArray[np.int32],
    memory: str | None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Sorted lists of all neighbours from those of the larger ones, and how many there are."""
    starts = np.concatenate([[0], np.cumsum(above)]).astype(np.int64)
    offsets = np.concatenate([[0], np.cumsum(above + below)]).astype(np.int64)
    neighbours = new_array(int(offsets[-1]), np.int32, memory)
    if len(neighbours) == 0:
        return offsets, neighbours
    both_ways(starts, lists, offsets[:-1].copy(), offsets[:-1] + below, neighbours)
    return offsets, neighbours


def connected(
    offsets: npt.NDArray[np.int64], neighbours: npt.NDArray[np.int32]
) -> npt.NDArray[np.int32]:
    """The number of the connected component of each node of a symmetric graph."""
    label = np.full(len(offsets) - 1, -1, np.int32)
    if len(label):
        label_parts(offsets, neighbours, label, np.empty_like(label))
    return label
