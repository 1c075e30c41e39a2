"""The weighted conflict graph: what it answers, its neighbour lists, its explicit form."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from candling.graph.kernels import both_ways, count_ends, fill, label_parts, weighted_degrees
from candling.records import dataclass
from candling.system.limits import Entry, new_array, pieces, runs
from candling.tables import CodedRule


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

    def restrict(self, keep: npt.NDArray[np.bool_]) -> Arcs:
        """The graph on the nodes in `keep`, renumbered in their order."""
        number = np.cumsum(keep, dtype=np.int32) - 1
        inside = new_array(len(self.sources), np.bool_, self.memory)
        for piece in pieces(len(inside)):
            inside[piece] = keep[self.sources[piece]] & keep[self.targets[piece]]
        sources = pick(self.sources, inside, self.memory, number)
        targets = pick(self.targets, inside, self.memory, number)
        return Arcs(int(keep.sum()), sources, targets, self.memory)

    def without_loops(self) -> Arcs:
        """The same without the arcs from a node to itself."""
        plain = new_array(len(self.targets), np.bool_, self.memory)
        np.not_equal(self.sources, self.targets, out=plain)
        if plain.all():
            return self
        sources, targets = (pick(s, plain, self.memory) for s in (self.sources, self.targets))
        return Arcs(self.nodes, sources, targets, self.memory)

    def components(self) -> npt.NDArray[np.int32]:
        """The number of the connected component of each node."""
        return label_components(self.offsets, self.targets)

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


def pick(
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
    return join_neighbours(above, below, lists, memory)


def join_neighbours(
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


def label_components(
    offsets: npt.NDArray[np.int64], neighbours: npt.NDArray[np.int32]
) -> npt.NDArray[np.int32]:
    """The number of the connected component of each node of a symmetric graph."""
    label = np.full(len(offsets) - 1, -1, np.int32)
    if len(label):
        label_parts(offsets, neighbours, label, np.empty_like(label))
    return label


Integers = npt.NDArray[np.int64]
Indices = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.signedinteger[Any]]
Mask = npt.NDArray[np.bool_]

MANY = 2**62  # pairs: more than there can be


@dataclass(frozen=True, slots=True)
class Lists:
    """The classes of all blocks, numbered one after the other, as compiled loops want them."""

    classes: Numbers  # classes[b, u]: of node u in block b, or -1
    first: Integers  # of each block, the number of its first class
    offsets: Integers
    neighbours: Indices  # as their block numbers them, from 0
    starts: Integers  # class c has the nodes members[starts[c] : starts[c + 1]]
    members: Indices
    loops: npt.NDArray[np.bool_]


class Graph(Protocol):
    """Which rows of a table conflict, by nodes: rows of one node have the same neighbours.

    `ConflictGraph` has every pair of nodes written down; `BlockGraph` has a few blocks of rules
    instead, for tables whose pairs are too many. Which of the two it is changes no number, and
    nobody asks: an algorithm asks what its pairs would cost (`pairs_to_write`).
    """

    @property
    def rows(self) -> int:
        """Rows of the whole table."""

    @property
    def self_inconsistent(self) -> int:
        """Rows that break a rule by themselves; they are in no node."""

    @property
    def weights(self) -> Integers:
        """Rows of each node."""

    @property
    def part(self) -> Integers:
        """Of a node that is its own neighbour, the rows that do not conflict with each other."""

    @property
    def codes(self) -> Indices:
        """By column, the coded values of one row of each node."""

    @property
    def rules(self) -> tuple[CodedRule, ...]:
        """The rules, over coded columns."""

    @property
    def class_of(self) -> Indices:
        """The node of each class of the table's distinct rows; -1: in no conflict."""

    @property
    def memory(self) -> str | None:
        """The limit beyond which what grows with the pairs goes to disk."""

    @property
    def classes(self) -> int:
        """Number of nodes."""

    @property
    def degrees(self) -> Integers:
        """Conflicts of each row of a node."""

    @property
    def pairs(self) -> int:
        """Number of conflicting pairs of rows."""

    @property
    def lists(self) -> Lists:
        """The nodes by blocks, for compiled loops."""

    def neighbours_in(self, chosen: Mask) -> Integers:
        """How many rows of the chosen nodes each row of a node conflicts with."""

    def pairs_to_write(self, chosen: Mask, most: int = MANY) -> int:
        """How many pairs `arcs_within` and `within` would have to write down; 0: all are there.

        Who only asks whether there are more than `most` is answered sooner.
        """

    def arcs_within(self, chosen: Mask) -> tuple[Integers, Indices]:
        """The pairs among the chosen nodes, renumbered, as offsets and sorted neighbour lists."""

    def within(self, chosen: Mask) -> ConflictGraph:
        """The graph on the chosen nodes, with its pairs written down."""


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

    @property
    def sources(self) -> npt.NDArray[np.int32]:
        """For each entry of `neighbours`, the class whose neighbour it is."""
        return self.arcs.sources

    @cached_property
    def arcs(self) -> Arcs:
        """The pairs of classes, loops included."""
        sources = owners(self.offsets, self.memory)
        return Arcs(self.classes, sources, self.neighbours, self.memory)

    @cached_property
    def loops(self) -> npt.NDArray[np.bool_]:
        """Classes whose rows conflict with each other."""
        return loops_of(self.offsets, self.neighbours)

    @cached_property
    def components(self) -> npt.NDArray[np.int32]:
        """The number of the connected component of each class."""
        return label_components(self.offsets, self.neighbours)

    @cached_property
    def lists(self) -> Lists:
        """The classes and their neighbours as one block, in which every class is one node."""
        every = np.arange(self.classes, dtype=np.int32)
        starts = np.arange(self.classes + 1)
        first = np.zeros(1, np.int64)
        return Lists(every[None], first, self.offsets, self.neighbours, starts, every, self.loops)

    def pairs_to_write(self, chosen: npt.NDArray[np.bool_], most: int = MANY) -> int:
        """None: all pairs are written down."""
        del chosen, most
        return 0

    def arcs_within(
        self, chosen: npt.NDArray[np.bool_]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """The pairs among the chosen classes, renumbered, as sorted neighbour lists."""
        if chosen.all():
            return self.offsets, self.neighbours
        inside = self.arcs.restrict(chosen)
        return inside.offsets, inside.targets

    def within(self, chosen: npt.NDArray[np.bool_]) -> ConflictGraph:
        """The graph on the chosen classes."""
        if chosen.all():
            return self
        return written_within(self, chosen)


def written_within(graph: Graph, chosen: npt.NDArray[np.bool_]) -> ConflictGraph:
    """The graph on the chosen nodes of another, with its pairs written down."""
    offsets, neighbours = graph.arcs_within(chosen)
    return ConflictGraph(
        rows=graph.rows,
        self_inconsistent=0,
        weights=graph.weights[chosen],
        offsets=offsets,
        neighbours=neighbours,
        codes=graph.codes[:, chosen],
        rules=graph.rules,
        class_of=np.empty(0, np.int32),
        part=graph.part[chosen],
        memory=graph.memory,
    )
