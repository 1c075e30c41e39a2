"""The pairs of rows that conflict, in an order that an added row does not disturb.

Distinct rows are ordered by their values, column by column; equal rows are numbered. A row that is
added takes its place among the others, or the next number among its equals, and no two of them
change places. Pairs are ordered by the first row, then the second: a stable order of the edges.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from candling.graph import build_graph
from candling.graph.conflict_graph import adjacency
from candling.tables import Classes
from candling_paper.ordered_kernels import count_expanded, expand


@dataclass(frozen=True)
class OrderedPairs:
    """Distinct rows in order, how many equal ones there are of each, and which conflict."""

    self_inconsistent: int
    lines: npt.NDArray[np.int64]  # which distinct rows of the table these are
    weights: npt.NDArray[np.int64]
    offsets: npt.NDArray[np.int64]  # as in a ConflictGraph
    neighbours: npt.NDArray[np.int32]

    def __repr__(self) -> str:
        return "OrderedPairs()"  # nothing true in a repr

    @cached_property
    def starts(self) -> npt.NDArray[np.int64]:
        """The number of the first row of each class, and that of the rows in all."""
        return np.concatenate([[0], np.cumsum(self.weights)]).astype(np.int64)

    @property
    def rows(self) -> int:
        """Rows in conflict with another."""
        return int(self.starts[-1])

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """The pairs of row numbers one by one: for small tables and for tests."""
        for c in range(len(self.weights)):
            near = self.neighbours[self.offsets[c] : self.offsets[c + 1]]
            for u in range(self.starts[c], self.starts[c + 1]):
                for d in near[near >= c]:
                    first = u + 1 if d == c else self.starts[d]
                    yield from ((u, v) for v in range(first, self.starts[d + 1]))


def ordered_pairs(classes: Classes) -> OrderedPairs:
    """Find the pairs of a table, whose distinct rows are all there, in the stable order."""
    graph = build_graph(classes)  # refused where it has too many pairs to write down
    there = np.flatnonzero(graph.class_of >= 0)
    # Codes compare as values do, whatever else is in the table; the last key counts most.
    order = there[np.lexsort(classes.codes[::-1, there])] if len(there) else there
    label = graph.class_of[order]
    by_class = np.argsort(label, kind="stable").astype(np.int32)
    ends = np.concatenate([[0], np.cumsum(np.bincount(label, minlength=graph.classes))])
    members = by_class, ends.astype(np.int64)
    weights = classes.weights[order].astype(np.int64)
    size = count_expanded(graph.offsets, graph.neighbours, *members, weights)
    left, right = (np.empty(size, np.int32) for _ in "lr")
    expand(graph.offsets, graph.neighbours, *members, weights, left, right)
    offsets, neighbours = adjacency(len(order), left, right)
    return OrderedPairs(graph.self_inconsistent, order, weights, offsets, neighbours)
