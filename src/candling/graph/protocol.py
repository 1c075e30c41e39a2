"""What a conflict graph answers, whichever way it holds its pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from candling.engines import CodedRule

if TYPE_CHECKING:
    from candling.graph.explicit import ConflictGraph

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
