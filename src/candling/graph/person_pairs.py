"""The conflicts between persons, written down: how many each has with each other one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from candling.graph.blocks import in_one
from candling.graph.build import members_of
from candling.graph.conflict_graph import MANY, adjacency
from candling.graph.kernels import count_pairs
from candling.graph.person_pairs_kernels import CROWDED, DIVIDED, PAIRED, write_persons
from candling.graph.person_rows import Crowded, Divided, Paired, Relation
from candling.system.limits import new_array

Integers = npt.NDArray[np.int64]
Indices = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class PersonPairs:
    """The persons that each person conflicts with, and in how many conflicts."""

    offsets: Integers  # by person: their lists begin here
    others: Indices
    conflicts: Integers
    home: Integers  # by person, conflicts between two of their rows


class Layout:
    """Rows in conflict with their labels, as compiled loops want them.

    Args:
        relations: What the rules say of the rows.
        labels: By relation, the label of each node.
        owner: The person of each node, ascending.
        rows: The rows of each node.
        memory: Beyond this, what grows with the pairs goes to disk.
    """

    def __init__(
        self,
        relations: Sequence[Relation],
        labels: Sequence[Indices],
        owner: Integers,
        rows: Integers,
        memory: str | None,
    ) -> None:
        self._memory = memory
        self._persons = int(owner.max(initial=-1)) + 1
        self._starts = np.searchsorted(owner, np.arange(self._persons + 1))
        self._nodes = owner, rows
        kinds, numbers, blocks, offsets, lists, near = [], [], [], [], [], []
        total = size = arcs = 0
        # Pairs come last, so that those of other relations need not be looked up.
        for relation, label in sorted(
            zip(relations, labels, strict=True), key=lambda item: isinstance(item[0], Paired)
        ):
            ends, members = members_of(label)
            count = len(ends) - 1
            begin, end = ends[:-1] + size, ends[1:] + size
            low, high, own = begin, end, np.zeros(count + 1, np.int64)
            neighbours = np.empty(0, np.int32)
            if isinstance(relation, Divided):
                low = begin[np.searchsorted(relation.group_of, relation.group_of, "left")]
                high = end[np.searchsorted(relation.group_of, relation.group_of, "right") - 1]
            elif isinstance(relation, Paired):
                own, neighbours = adjacency(count, relation.left, relation.right, memory)
                neighbours += np.int32(total)
            kinds.append({Divided: DIVIDED, Crowded: CROWDED, Paired: PAIRED}[type(relation)])
            numbers.append(np.where(label >= 0, label + np.int32(total), -1).astype(np.int32))
            blocks.append(np.stack([begin, end, low, high]))
            offsets.append(own[:-1] + arcs)
            lists.append(members)
            near.append(neighbours)
            total, size, arcs = total + count, size + len(members), arcs + len(neighbours)
        self._kinds = np.array(kinds, np.int64)
        self._labels = np.stack(numbers)
        self._kind_of = np.repeat(self._kinds, [block.shape[1] for block in blocks])
        self._blocks = np.concatenate(blocks, axis=1)
        self._members = np.concatenate(lists)
        self._arcs = np.append(np.concatenate(offsets), arcs), in_one(near, memory)[0]

    def count_pairs(self, most: int = MANY) -> int:
        """How many pairs of nodes `write_pairs` looks at; beyond `most`, counting stops."""
        begin, end, low, high = self._blocks
        size = end - begin
        crowded, divided = self._kind_of == CROWDED, self._kind_of == DIVIDED
        looked = (size**2)[crowded].sum() + (size * (high - low - size))[divided].sum()
        return int(looked) + 2 * int(count_pairs(*self._arcs, size, most))

    def write_pairs(self, chosen: Mask | None = None, *, paired: bool = False) -> PersonPairs:
        """The pairs of the chosen persons; `paired`: under relations of pairs that no other has."""
        first = int((self._kinds != PAIRED).sum()) if paired else 0
        chosen = np.ones(self._persons, bool) if chosen is None else chosen
        counts, home = (np.zeros(self._persons, np.int64) for _ in range(2))
        found, at = np.empty(self._persons, np.int64), np.zeros(self._persons, np.int64)
        offsets, others, conflicts = at, np.empty(0, np.int32), np.empty(0, np.int64)
        for emit in (False, True):
            write_persons(
                self._starts, *self._nodes, self._kinds, self._labels, self._members,
                *self._blocks, *self._arcs, first, chosen, emit, counts, found, at, others,
                conflicts, home,
            )  # fmt: skip
            if not emit:
                offsets = np.concatenate([[0], np.cumsum(at)])
                at = offsets[:-1].copy()
                others = new_array(int(offsets[-1]), np.int32, self._memory)
                conflicts = new_array(int(offsets[-1]), np.int64, self._memory)
        return PersonPairs(offsets, others, conflicts, home // 2)
