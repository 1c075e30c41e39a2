"""A graph as two sorted arrays of arcs, and cutting pieces out of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from candling.conflicts.graph import ConflictGraph, connected


@dataclass(frozen=True)
class Arcs:
    """An undirected graph: both directions of every edge, sorted by source; a loop once."""

    nodes: int
    sources: npt.NDArray[np.int32]
    targets: npt.NDArray[np.int32]

    @cached_property
    def degrees(self) -> npt.NDArray[np.int64]:
        """Number of neighbours of each node."""
        return np.bincount(self.sources, minlength=self.nodes)

    @cached_property
    def offsets(self) -> npt.NDArray[np.int64]:
        """Where the arcs of each node begin, and after the last where they end."""
        return np.concatenate([[0], np.cumsum(self.degrees)])

    def induced(self, keep: npt.NDArray[np.bool_]) -> Arcs:
        """The graph on the nodes in `keep`, renumbered in their order."""
        number = np.cumsum(keep, dtype=np.int32) - 1
        inside = keep[self.sources] & keep[self.targets]
        return Arcs(int(keep.sum()), number[self.sources[inside]], number[self.targets[inside]])

    def components(self) -> npt.NDArray[np.int32]:
        """The number of the connected component of each node."""
        return connected(self.offsets, self.targets)

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


def arcs_of(graph: ConflictGraph) -> Arcs:
    """The graph without its loops."""
    plain = graph.sources != graph.neighbours
    return Arcs(graph.classes, graph.sources[plain], graph.neighbours[plain])
