"""The orders of the authors' public code, which draws a new one on every call.

Edge addition visits the rows in a random order, and for each row the rows that stand before it in
the table and conflict with it, first to last. So the first rows of the table use up the thresholds
of those that conflict with many: it keeps far fewer rows than a random order of the pairs. The
vertex cover takes the pairs in a random order.

A conflict under an order rule (`t1.a < t2.a and ...`) stands in the authors' graph at the place of
the row that the rule calls t1, which may be the later one. Here all stand at that of the first row.
On Adult that moves one pair in eight, and changes nothing that the random order does not: at a
threshold of 100 their order keeps 4,234 rows and ours 4,264, with deviations of 37 and 35.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from candling.graph.conflict_graph import owners
from candling.rules import ConstraintSet, parse_constraints
from candling_paper.all_rows import read_all_rows
from candling_paper.edge_addition import Projections
from candling_paper.edge_addition_kernels import add_edges_by_row
from candling_paper.ordered import OrderedPairs
from candling_paper.vertex_cover_kernels import match_in_order

Order = npt.NDArray[np.int64]

_PLACE = "place in the table"


def pairs_by_place(table: pa.Table, rules: ConstraintSet) -> OrderedPairs:
    """The pairs of a table with its rows, those in conflict, numbered as they stand in it.

    A first column with a row's place makes every row distinct, and the order of values that of the
    places. It is a key, so it adds no conflict.
    """
    placed = table.add_column(0, _PLACE, pa.array(np.arange(table.num_rows)))
    with_key = ConstraintSet((*parse_constraints(f'key("{_PLACE}")'), *rules))
    return read_all_rows(placed, with_key).pairs


def edge_addition_by_row(
    pairs: OrderedPairs, order: Order, thresholds: Sequence[int]
) -> Projections:
    """What edge addition keeps if it visits the rows in this order; every row is distinct."""
    bounds = np.minimum(thresholds, max(pairs.rows, 1)).astype(np.int32)
    degrees = np.zeros((pairs.rows, len(bounds)), np.int32)
    kept = np.zeros(len(bounds), np.int64)
    add_edges_by_row(pairs.offsets, pairs.neighbours, order, bounds, degrees, kept)
    return Projections(
        tuple(int(t) for t in thresholds),
        tuple(int(k) for k in kept),
        tuple(int(n) for n in np.count_nonzero(degrees, axis=0)),
    )


class PairList:
    """All pairs of a table, written down."""

    def __init__(self, pairs: OrderedPairs) -> None:
        self.rows = pairs.rows
        first = owners(pairs.offsets, None)
        forward = first < pairs.neighbours
        self.left = first[forward]
        self.right = pairs.neighbours[forward]

    def __len__(self) -> int:
        return len(self.left)

    def cover(self, order: Order) -> int:
        """The size of the greedy vertex cover if the pairs are taken in this order."""
        covered = np.zeros(self.rows, np.int8)
        return 2 * int(match_in_order(self.left, self.right, order, covered))


class Pool:
    """A few random orders of a table, which stand for a new one on every call.

    The authors' code draws an order for every threshold that it looks at: for 50 releases on Adult
    that is 1,600 passes over two million pairs. The number that is kept hardly depends on the
    order: its standard deviation over orders is below 0.3% of the pairs (0.7% at a threshold of 1)
    and about 1% of the rows where a threshold binds (4,253 with a deviation of 43 on Adult at 100).
    The noise of a release is larger.
    """

    def __init__(self, pairs: OrderedPairs, size: int, rng: np.random.Generator) -> None:
        self.pairs, self.size, self._rng = pairs, size, rng
        self._orders = [rng.permutation(pairs.rows) for _ in range(size)]
        self._kept: dict[int, list[tuple[int, int]]] = {}

    def kept(self, threshold: int, member: int) -> tuple[int, int]:
        """Pairs and rows that one of the orders keeps."""
        return self._kept[threshold][member]

    def prepare(self, thresholds: Sequence[int]) -> None:
        """Make all orders know these thresholds: one pass for those that are new."""
        new = sorted(set(thresholds) - set(self._kept))
        if not new:
            return
        made = [edge_addition_by_row(self.pairs, order, new) for order in self._orders]
        for i, threshold in enumerate(new):
            self._kept[threshold] = [(m.pairs[i], m.rows[i]) for m in made]

    @cached_property
    def covers(self) -> list[int]:
        """Sizes of the vertex cover in random orders of the pairs."""
        every = PairList(self.pairs)
        return [every.cover(self._rng.permutation(len(every))) for _ in range(self.size)]
