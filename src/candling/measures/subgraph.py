"""A graph as two sorted arrays of arcs, and cutting pieces out of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Arcs:
    """An undirected graph without loops: both directions of every edge, sorted by source."""

    nodes: int
    sources: npt.NDArray[np.int32]
    targets: npt.NDArray[np.int32]

    def induced(self, keep: npt.NDArray[np.bool_]) -> Arcs:
        """The graph on the nodes in `keep`, renumbered in their order."""
        number = np.cumsum(keep, dtype=np.int32) - 1
        inside = keep[self.sources] & keep[self.targets]
        return Arcs(int(keep.sum()), number[self.sources[inside]], number[self.targets[inside]])

    def components(self) -> npt.NDArray[np.int32]:
        """The number of the connected component of each node."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        ones = np.ones(len(self.sources), np.int8)
        matrix = coo_array((ones, (self.sources, self.targets)), shape=(self.nodes, self.nodes))
        label: npt.NDArray[np.int32] = connected_components(matrix, directed=False)[1]
        return label

    def split(self) -> Iterator[tuple[npt.NDArray[np.int64], Arcs]]:
        """The connected components: the nodes of each and the graph on them."""
        label = self.components()
        order = np.argsort(label, kind="stable")
        sizes = np.bincount(label)
        starts = np.cumsum(sizes) - sizes
        number = np.empty(self.nodes, np.int32)
        number[order] = np.arange(self.nodes) - np.repeat(starts, sizes)
        by_label = np.argsort(label[self.sources], kind="stable")
        counts = np.bincount(label[self.sources], minlength=len(sizes))
        first_arc = np.cumsum(counts) - counts
        for start, size, arc, count in zip(starts, sizes, first_arc, counts, strict=True):
            mine = by_label[arc : arc + count]
            inside = Arcs(int(size), number[self.sources[mine]], number[self.targets[mine]])
            yield order[start : start + size], inside
