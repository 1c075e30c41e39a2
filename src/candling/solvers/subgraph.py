"""A graph as two sorted arrays of arcs, and cutting pieces out of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from candling.engines.memory import Entry, new_array, pieces
from candling.graph.explicit import ConflictGraph, connected


@dataclass(frozen=True)
class Arcs:
    """An undirected graph: both directions of every edge, sorted by source; a loop once."""

    nodes: int
    sources: npt.NDArray[np.int32]
    targets: npt.NDArray[np.int32]
    memory: str | None = None  # limit beyond which copies of the arcs go to disk

    @cached_property
    def degrees(self) -> npt.NDArray[np.int64]:
        """Number of neighbours of each node."""
        found = np.zeros(self.nodes, np.int64)
        for piece in pieces(len(self.sources)):
            own = self.sources[piece]  # sorted, so that a piece has the nodes of a range
            counts = np.bincount(own - own[0])
            found[own[0] : own[-1] + 1] += counts
        return found

    @cached_property
    def offsets(self) -> npt.NDArray[np.int64]:
        """Where the arcs of each node begin, and after the last where they end."""
        return np.concatenate([[0], np.cumsum(self.degrees)])

    def induced(self, keep: npt.NDArray[np.bool_]) -> Arcs:
        """The graph on the nodes in `keep`, renumbered in their order."""
        number = np.cumsum(keep, dtype=np.int32) - 1
        inside = new_array(len(self.sources), np.bool_, self.memory)
        for piece in pieces(len(inside)):
            inside[piece] = keep[self.sources[piece]] & keep[self.targets[piece]]
        sources = picked(self.sources, inside, self.memory, number)
        targets = picked(self.targets, inside, self.memory, number)
        return Arcs(int(keep.sum()), sources, targets, self.memory)

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
            inside = Arcs(
                int(size), number[self.sources[mine]], number[self.targets[mine]], self.memory
            )
            yield order[start : start + size], inside


def arcs_of(graph: ConflictGraph) -> Arcs:
    """The graph without its loops."""
    sides = graph.sources, graph.neighbours
    if graph.loops.any():
        plain = new_array(len(graph.neighbours), np.bool_, graph.memory)
        np.not_equal(*sides, out=plain)
        sides = picked(sides[0], plain, graph.memory), picked(sides[1], plain, graph.memory)
    return Arcs(graph.classes, *sides, graph.memory)


def picked(
    values: npt.NDArray[Entry],
    chosen: npt.NDArray[np.bool_],
    memory: str | None,
    number: npt.NDArray[Entry] | None = None,
) -> npt.NDArray[Entry]:
    """The chosen ones of many values, in order; by their new number, where there is one."""
    found = new_array(int(np.count_nonzero(chosen)), values.dtype.type, memory)
    end = 0
    for piece in pieces(len(values)):
        here = values[piece][chosen[piece]]
        start, end = end, end + len(here)
        found[start:end] = here if number is None else number[here]
    return found
