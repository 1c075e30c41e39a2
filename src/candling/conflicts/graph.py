"""The weighted conflict graph over classes of rows that have the same neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from candling.conflicts.kernels import both_ways, fill, weighted_degrees
from candling.engine import CodedRule


@dataclass(frozen=True)
class ConflictGraph:
    """Which rows conflict, by classes: an edge (C, D) stands for weight C times weight D pairs.

    A class whose own rows conflict with each other (equal rows under a key) is its own neighbour
    and stands for w(w-1)/2 pairs. Rows in no conflict are not there. Each pair of rows is in the
    graph once, however many rules it breaks.
    """

    rows: int  # of the whole table
    self_inconsistent: int  # rows that break a rule by themselves; they have no edges
    weights: npt.NDArray[np.int64]  # rows per class
    offsets: npt.NDArray[np.int64]  # class u has neighbours[offsets[u] : offsets[u + 1]]
    neighbours: npt.NDArray[np.int32]  # sorted per class
    codes: npt.NDArray[np.int32]  # per column, the coded values of one row of each class
    rules: tuple[CodedRule, ...]
    class_of: npt.NDArray[np.int32]  # of each class of the table's distinct rows; -1: no conflict

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
        return total - (self.loops & chosen)

    @property
    def pairs(self) -> int:
        """Number of conflicting pairs of rows."""
        return int((self.weights * self.degrees).sum()) // 2

    @cached_property
    def sources(self) -> npt.NDArray[np.int32]:
        """For each entry of `neighbours`, the class whose neighbour it is."""
        counts = np.diff(self.offsets)
        return np.repeat(np.arange(self.classes, dtype=np.int32), counts)

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
    nodes = len(offsets) - 1
    sources = np.repeat(np.arange(nodes, dtype=np.int32), np.diff(offsets))
    loops = np.zeros(nodes, bool)
    loops[sources[sources == neighbours]] = True
    return loops


def adjacency(
    nodes: int, left: npt.NDArray[np.int32], right: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Edges, each given once, as offsets and sorted neighbour lists."""
    low, high = np.minimum(left, right), np.maximum(left, right)
    above = np.bincount(low, minlength=nodes)
    below = np.bincount(high[low != high], minlength=nodes)
    lists = np.empty(len(low), np.int32)
    fill(low, high, np.cumsum(above) - above, lists)
    return joined(above, below, lists)


def joined(
    above: npt.NDArray[np.int64], below: npt.NDArray[np.int64], lists: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Sorted lists of all neighbours from those of the larger ones, and how many there are."""
    starts = np.concatenate([[0], np.cumsum(above)]).astype(np.int64)
    offsets = np.concatenate([[0], np.cumsum(above + below)]).astype(np.int64)
    neighbours = np.empty(offsets[-1], np.int32)
    if len(neighbours) == 0:
        return offsets, neighbours
    both_ways(starts, lists, offsets[:-1].copy(), offsets[:-1] + below, neighbours)
    return offsets, neighbours


def connected(
    offsets: npt.NDArray[np.int64], neighbours: npt.NDArray[np.int32]
) -> npt.NDArray[np.int32]:
    """The number of the connected component of each node of a symmetric graph."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    nodes = len(offsets) - 1
    ones = np.ones(len(neighbours), np.int8)
    matrix = csr_array((ones, neighbours, offsets), shape=(nodes, nodes))
    # Where every arc has its opposite, strong is the same as weak, and needs no transpose.
    label: npt.NDArray[np.int32] = connected_components(matrix, connection="strong")[1]
    return label
