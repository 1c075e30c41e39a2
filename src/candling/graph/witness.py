"""F(t, 1) and F(1, 1): how many rows find a witness, over a grid of thresholds.

Along pairs that are written down this is a maximum flow. Else it is found row by row: arc
capacities never bind here, so a pair that several blocks have does no harm, and the search goes
from class to class.

`problematic` at threshold t is F(t,1): a row may witness the conflicts of at most t others.
`minimal_inconsistent` is F(t,t)/2: a row may take part in at most t pairs, fractionally. Both only
grow when a row is added, by at most t + 1 and t (docs/privacy.md, Theorems 2 and 3), are concave in
the threshold, and reach the true measure when t is large enough.
"""

from __future__ import annotations

from dataclasses import field
from functools import cache, cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from candling.graph import ConflictGraph, Graph
from candling.graph.conflict_graph import Mask, owners
from candling.graph.flow import Amounts, CappedMatching, Flow, Network, max_flow, maximise, no_flow
from candling.graph.witness_kernels import augment, give_first, search
from candling.records import dataclass
from candling.system.limits import must_progress, new_array, out_of_memory_error, pieces

Integers = npt.NDArray[np.int64]
Indices = npt.NDArray[np.int32]


class Witnesses(Protocol):
    """How many rows find a witness at each limit, and the minimum cut at the first."""

    @property
    def counts(self) -> tuple[int, ...]:
        """F(2**i, 1) for every level i."""

    @property
    def first(self) -> int:
        """F(1, 1)."""

    @property
    def cover(self) -> npt.NDArray[np.int8]:
        """By node, twice the share of its rows in a smallest cover: 0, 1 or 2."""

    @property
    def flow(self) -> Amounts | None:
        """The flow F(1, 1) along the neighbours, where these are written down."""


def witnesses(graph: Graph, levels: int) -> Witnesses:
    """F(2**i, 1) for i below `levels`: along the pairs if they are written down, else by rows."""
    everything = np.ones(graph.classes, bool)
    if graph.pairs_to_write(everything, 0):
        return _Assignment(graph).run(levels)
    return FlowWitnesses(graph.within(everything), levels)


@dataclass(frozen=True)
class FlowWitnesses:
    """Witnesses by flows along written pairs, each computed when it is first asked for."""

    graph: ConflictGraph = field(repr=False)
    levels: int

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """Each from the flow of the last."""
        graph = self.graph
        everyone = int(graph.weights.sum())
        flow = no_flow(graph.neighbours, graph.weights, graph.memory)
        left, right = np.zeros_like(graph.weights), graph.weights.copy()
        network = Network(
            graph.offsets, graph.neighbours, graph.weights, graph.part, left, right, flow
        )
        counts: list[int] = []
        value = 0
        for level in range(self.levels):
            if value < everyone:  # else every row has a witness, and nothing changes any more
                left += graph.weights * (1 if level == 0 else 2 ** (level - 1))
                value += maximise(network, graph.memory).added
            counts.append(value)
        return tuple(counts)

    @cached_property
    def _first(self) -> Flow:
        return max_flow(self.graph, 1, 1)

    @property
    def first(self) -> int:
        return self._first.value

    @property
    def cover(self) -> npt.NDArray[np.int8]:
        return (~self._first.left_reached).astype(np.int8) + self._first.right_reached

    @property
    def flow(self) -> Amounts:
        return self._first.arcs


@dataclass(frozen=True, slots=True)
class RowWitnesses:
    """Witnesses that were found row by row."""

    counts: tuple[int, ...] = field(repr=False)
    cover: npt.NDArray[np.int8] = field(repr=False)
    flow: None = None

    @property
    def first(self) -> int:
        return self.counts[0]


class _Assignment:
    """Who witnesses for whom, and room for the searches."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.count = int(graph.weights.sum())
        if self.count > 2**31:  # rows have numbers of 32 bits
            raise out_of_memory_error()
        lists = graph.lists
        self.nodes = owners(_ends(graph.weights), graph.memory)
        self.total = len(lists.loops)
        classes = new_array(
            lists.classes.shape[0] * self.count, lists.classes.dtype.type, graph.memory
        )
        classes = classes.reshape(-1, self.count)
        for own, by_node in zip(classes, lists.classes, strict=True):
            for piece in pieces(self.count):
                own[piece] = by_node[self.nodes[piece]]
        self.lists = (
            classes,
            lists.first,
            lists.offsets,
            lists.neighbours,
            _ends(graph.weights[lists.members])[lists.starts],
            self._rows_of(lists.members),
        )
        self.loops = lists.loops
        # Rows with few conflicts choose first.
        self.order = self._rows_of(np.argsort(graph.degrees, kind="stable"))
        self.mate, self.head, self.following, self.before, self.load = (
            new_array(self.count, np.int32, graph.memory) for _ in range(5)
        )
        for links in (self.mate, self.head, self.following, self.before):
            links[:] = -1

    def _rows_of(self, nodes: npt.NDArray[np.signedinteger[Any]]) -> Indices:
        """The rows of these nodes, one after the other."""
        weights, memory = self.graph.weights, self.graph.memory
        first = np.cumsum(weights) - weights
        ends = _ends(weights[nodes])
        shift = first[nodes] - ends[:-1]
        whose = owners(ends, memory)
        rows = new_array(len(whose), np.int32, memory)
        for piece in pieces(len(rows)):
            rows[piece] = np.arange(piece.start, piece.stop) + shift[whose[piece]]
        return rows

    def run(self, levels: int) -> RowWitnesses:
        """The counts at 2**0, 2**1, ..."""
        total = 0
        counts: list[int] = []
        cover = np.full(self.graph.classes, 1, np.int8)
        for level in range(levels):
            if total < self.count:
                gain, seen = self.improve(2**level)
                total += gain
                if level == 0 and seen is not None:
                    cover = seen
            counts.append(total)
        return RowWitnesses(tuple(counts), cover)

    def improve(self, limit: int) -> tuple[int, npt.NDArray[np.int8] | None]:
        """Give as many rows a witness as can have one; with the cut, if some row has none.

        A phase takes shortest paths until there is none, so those of the next are longer, and no
        path is longer than the rows are many.
        """
        lists = *self.lists, self.loops
        starts = self.lists[2][:-1], self.lists[4][:-1], self.lists[4][:-1]
        held = self.mate, self.load, self.head, self.following
        gained = give_first(
            limit, self.order, *lists, *held, self.before,
            *(start.copy() for start in starts),
        )  # fmt: skip
        level, queue, layer, needy, through = (
            new_array(self.count + 1, np.int32, self.graph.memory) for _ in range(5)
        )
        reached, used = (new_array(self.count, np.bool_, self.graph.memory) for _ in range(2))
        entered, hit, late = (np.empty(self.total, np.int32) for _ in range(3))
        length = 0
        while (self.mate < 0).any():
            final = search(
                limit, self.order, *lists, *held,
                level, reached, entered, hit, late, queue, layer,
            )  # fmt: skip
            if final == -1:
                return gained, self._cover(level[:-1] >= 0, reached)
            must_progress(final > length)
            length = final
            used[:] = False
            gain = augment(
                limit, final, *lists, *held, self.before, level, entered, hit, late, used,
                *(start.copy() for start in starts), starts[0].copy(), np.zeros_like(starts[0]),
                needy, through,
            )  # fmt: skip
            must_progress(gain > 0)
            gained += gain
        return gained, None

    def _cover(
        self, asked: npt.NDArray[np.bool_], reached: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.int8]:
        """Left copies that were asked, and right copies that nobody needs: a minimum cut.

        The rows of a node are alike, and a cut that a search finds is the smallest one: it takes
        all of them or none.
        """
        share = asked.astype(np.int8) + ~reached
        cover = np.zeros(self.graph.classes, np.int8)
        cover[self.nodes] = share
        return cover


def _ends(sizes: Integers) -> Integers:
    """0, and where each of consecutive lists of these sizes ends."""
    return np.concatenate([[0], np.cumsum(sizes)])


def problematic_levels(graph: Graph, levels: int, *, known: Witnesses | None = None) -> list[int]:
    """The values s + F(2**i, 1) for i below `levels`; `known` are the witnesses, if there are."""
    own = witnesses(graph, levels) if known is None else known
    return [graph.self_inconsistent + count for count in own.counts]


def doubled_minimal_inconsistent_levels(
    graph: Graph, levels: int, *, known: Witnesses | None = None
) -> list[int]:
    """The values 2s + F(2**i, 2**i) for i below `levels`: twice the measure, an integer."""

    @cache
    def find_cover() -> Mask:
        """The whole nodes of a smallest cover."""
        own = witnesses(graph, 1) if known is None else known
        return np.asarray(own.cover == 2)

    largest = int(graph.degrees.max(initial=0))
    limited = CappedMatching(graph, find_cover)
    values: list[int] = []
    for level in range(levels):
        t = 2**level
        value = 2 * graph.pairs if t >= largest else limited.value(t)
        values.append(2 * graph.self_inconsistent + value)
    return values
