"""Neighbour lists and sorted arcs: how pairs of nodes are written down, and cutting pieces out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from candling.graph.kernels import both_ways, count_ends, fill, label_parts
from candling.memory import Entry, new_array, pieces, runs


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
        degrees = np.zeros(self.nodes, np.int64)
        for piece in pieces(len(self.sources)):
            own = self.sources[piece]  # sorted, so that a piece has the nodes of a range
            counts = np.bincount(own - own[0])
            degrees[own[0] : own[-1] + 1] += counts
        return degrees

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

    def without_loops(self) -> Arcs:
        """The same without the arcs from a node to itself."""
        plain = new_array(len(self.targets), np.bool_, self.memory)
        np.not_equal(self.sources, self.targets, out=plain)
        if plain.all():
            return self
        sources, targets = (picked(s, plain, self.memory) for s in (self.sources, self.targets))
        return Arcs(self.nodes, sources, targets, self.memory)

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


def picked(
    values: npt.NDArray[Entry],
    chosen: npt.NDArray[np.bool_],
    memory: str | None,
    number: npt.NDArray[Entry] | None = None,
) -> npt.NDArray[Entry]:
    """The chosen ones of many values, in order; by their new number, where there is one."""
    result = new_array(int(np.count_nonzero(chosen)), values.dtype.type, memory)
    end = 0
    for piece in pieces(len(values)):
        here = values[piece][chosen[piece]]
        start, end = end, end + len(here)
        result[start:end] = here if number is None else number[here]
    return result


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
    lists = new_array(int(offsets[-1]), np.int32, memory)
    for start, stop in runs(offsets):
        lists[offsets[start] : offsets[stop]] = _owners(offsets, start, stop)
    return lists


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
    first = offsets[:-1]
    both_ways(starts, lists, first, first.copy(), first + below, neighbours)
    return offsets, neighbours


def connected(
    offsets: npt.NDArray[np.int64], neighbours: npt.NDArray[np.int32]
) -> npt.NDArray[np.int32]:
    """The number of the connected component of each node of a symmetric graph."""
    label = np.full(len(offsets) - 1, -1, np.int32)
    if len(label):
        label_parts(offsets, neighbours, label, np.empty_like(label))
    return label
