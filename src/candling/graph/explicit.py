"""The weighted conflict graph over classes of rows that have the same neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from candling.engines import CodedRule
from candling.graph.arcs import Arcs, connected, loops_of, owners
from candling.graph.kernels import weighted_degrees
from candling.graph.protocol import MANY, Graph, Lists


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
        return connected(self.offsets, self.neighbours)

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
        inside = self.arcs.induced(chosen)
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
