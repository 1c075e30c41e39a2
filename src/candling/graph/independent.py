"""Heaviest independent sets: collapse twins, then solve linear programs by HiGHS.

Two nodes are false twins if they have the same neighbours, true twins if they also are
neighbours. A graph is a cograph iff collapsing twins leads to single nodes, and along the way a
value per node can be carried that knows the whole module: for the number of maximal independent
sets, false twins multiply and true twins add; for the heaviest independent set, false twins add
and of true twins the heavier stays.

At most one node of a clique is chosen. Rows are added for cliques around edges of which a solution
has more than one, until there is none: conflicts of rules are made of large cliques, so that this
program mostly has the value of the heaviest set. Where it has not, HiGHS searches.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import reduce
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from candling.graph.conflict_graph import Arcs
from candling.graph.edges import sum_by
from candling.graph.repair_kernels import cover_by_cliques
from candling.records import dataclass
from candling.system.limits import must_progress, runs

T = TypeVar("T")
Merge = Callable[[T, T], T]


@dataclass(frozen=True, slots=True)
class Collapsed(Generic[T]):
    """Values of the components that became single nodes, and what remains of the others."""

    finished: list[T]
    arcs: Arcs
    values: list[T]


def collapse(arcs: Arcs, values: list[T], *, union: Merge[T], join: Merge[T]) -> Collapsed[T]:
    """Merge twins until there are none; `union` merges false twins, `join` true ones.

    Every round but the last leaves fewer nodes.
    """
    finished: list[T] = []
    while arcs.nodes:
        keep = arcs.degrees > 0
        finished += [values[i] for i in np.flatnonzero(~keep)]
        for closed, merge in ((False, union), (True, join)):
            for group in _twins(arcs, keep, closed=closed):
                values[group[0]] = reduce(merge, (values[i] for i in group))
                keep[group[1:]] = False
        if keep.all():
            break
        before = arcs.nodes
        arcs, values = arcs.restrict(keep), [values[i] for i in np.flatnonzero(keep)]
        must_progress(arcs.nodes < before)
    return Collapsed(finished, arcs, values)


def _twins(
    arcs: Arcs, among: npt.NDArray[np.bool_], *, closed: bool
) -> list[npt.NDArray[np.int64]]:
    """Groups of nodes with the same neighbours, themselves included if `closed`.

    A signature finds candidates; what counts is the comparison of the neighbours themselves.
    """
    nodes = np.flatnonzero(arcs.degrees > 0)
    if len(nodes) == 0:
        return []
    marks = _mix(np.arange(arcs.nodes, dtype=np.uint64))
    signature = np.empty(len(nodes), np.uint64)
    offsets = np.append(arcs.offsets[nodes], len(arcs.targets))
    for start, stop in runs(offsets):
        near = marks[arcs.targets[offsets[start] : offsets[stop]]]
        signature[start:stop] = np.bitwise_xor.reduceat(near, offsets[start:stop] - offsets[start])
    if closed:
        signature ^= marks[nodes]
    signature, nodes = signature[among[nodes]], nodes[among[nodes]]
    groups = []
    for candidates in _equal(signature, nodes):
        same: dict[bytes, list[int]] = {}
        for node in candidates.tolist():
            own = arcs.targets[arcs.offsets[node] : arcs.offsets[node + 1]]
            if closed:
                own = np.insert(own, np.searchsorted(own, node), node)
            same.setdefault(own.tobytes(), []).append(node)
        groups += [np.array(group) for group in same.values() if len(group) > 1]
    return groups


def _mix(x: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """The finaliser of SplitMix64: equal inputs alone give equal outputs, the rest looks random."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _equal(
    signature: npt.NDArray[np.uint64], nodes: npt.NDArray[np.int64]
) -> list[npt.NDArray[np.int64]]:
    """The groups of two or more nodes with equal signatures."""
    by_signature = np.argsort(signature, kind="stable")
    signature, order = signature[by_signature], nodes[by_signature]
    # A group is a run of equal ones, from one before its first to its last.
    edge = np.diff((signature[1:] == signature[:-1]).astype(np.int8), prepend=0, append=0)
    starts, stops = np.flatnonzero(edge == 1), np.flatnonzero(edge == -1)
    return [order[a : b + 1] for a, b in zip(starts, stops, strict=True)]


Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

LARGEST = 4_000_000  # arcs that the exact solver is asked to look at
WRITTEN = 20_000  # edges up to which a search has all of them: beyond, those that it breaks
TOLERANCE = 1e-4  # by which two shares may exceed 1: no proof rests on it


@dataclass(frozen=True, slots=True)
class IndependentSet:
    """Nodes without an arc between them."""

    chosen: Mask
    heaviest: bool  # proved


def independent_set(arcs: Arcs, values: list[int], seconds: float) -> IndependentSet:
    """The heaviest independent set of one component, or the best one found in time."""
    deadline = time.monotonic() + seconds
    number = np.empty(arcs.nodes, np.int32)  # cliques take those with many neighbours first
    number[np.argsort(-arcs.degrees, kind="stable")] = np.arange(arcs.nodes, dtype=np.int32)
    sources, targets = number[arcs.sources], number[arcs.targets]
    order = np.lexsort((targets, sources))
    arcs = Arcs(arcs.nodes, sources[order], targets[order], arcs.memory)
    weights = np.empty(arcs.nodes, np.int64)
    weights[number] = values
    found = _solve(arcs, weights, deadline)
    return IndependentSet(found.chosen[number], found.heaviest)


def _solve(arcs: Arcs, weights: Integers, deadline: float) -> IndependentSet:
    best = _greedy(arcs, weights, np.zeros(arcs.nodes))
    if time.monotonic() >= deadline or len(arcs.sources) > LARGEST:
        return IndependentSet(best, heaviest=False)
    try:
        program = _Program(arcs, weights, deadline)
    except ImportError:
        # OR-tools brings a HiGHS of its own. In a process that has loaded it, the loader takes it
        # for the one that highspy was built for: then nothing is proved.
        return IndependentSet(best, heaviest=False)
    shares: Floats | None = np.ones(arcs.nodes)
    while shares is not None and program.cut(_find_broken_edges(arcs, shares), arcs.nodes):
        shares = program.solve_relaxation()
        if shares is not None:
            best = _heavier(best, _greedy(arcs, weights, shares), weights)
            if program.find_bound() == weights[best].sum():
                return IndependentSet(best, heaviest=True)
    if shares is None:
        return IndependentSet(best, heaviest=False)
    if np.count_nonzero(arcs.sources < arcs.targets) <= WRITTEN:
        program.cut(np.flatnonzero(arcs.sources < arcs.targets))
    while (search := program.search(best)) is not None:
        broken = _find_broken_edges(arcs, search.chosen.astype(np.float64))
        if not len(broken):
            heavier = _heavier(search.chosen, best, weights)
            return IndependentSet(heavier, search.heaviest)
        if not program.cut(broken):
            break
    return IndependentSet(best, heaviest=False)


class _Program:
    """The linear program on shares of nodes from 0 to 1, with a row for each clique.

    Every number in it is an integer, up to the number of rows of a table.
    """

    def __init__(self, arcs: Arcs, weights: Integers, deadline: float) -> None:
        import highspy

        self.library: Any = highspy
        self.arcs, self.weights, self.deadline = arcs, weights, deadline
        self.covered = np.zeros(len(arcs.sources), np.uint8)  # arcs within a clique that is a row
        self.cliques: list[tuple[Integers, npt.NDArray[np.int32]]] = []  # sizes, members
        self.solver = self.library.Highs()
        # Unless told, it prints, and is content with a set that is a part in 10,000 too light.
        options = {"output_flag": False, "mip_rel_gap": 0.0, "parallel": "off"}
        for name, value in options.items():
            self.solver.setOptionValue(name, value)
        nodes = arcs.nodes
        self.every = np.arange(nodes, dtype=np.int32)
        self.solver.addVars(nodes, np.zeros(nodes), np.ones(nodes))
        self.solver.changeColsCost(nodes, self.every, weights.astype(np.float64))
        self.solver.changeObjectiveSense(highspy.ObjSense.kMaximize)

    def cut(self, wanted: Integers, most: int | None = None) -> int:
        """Rows for cliques around the wanted arcs that no row has, at `most` so many; how many."""
        if not len(wanted):
            return 0
        arcs = self.arcs
        ends = np.zeros(1 + (len(wanted) if most is None else most), np.int64)
        members = np.empty(len(arcs.targets) + arcs.nodes, np.int32)
        joined = np.zeros(arcs.nodes, np.int32)
        count = int(
            cover_by_cliques(
                arcs.offsets,
                arcs.sources,
                arcs.targets,
                wanted,
                self.covered,
                joined,
                ends,
                members,
            )
        )
        sizes, members = np.diff(ends[: count + 1]), members[: ends[count]].copy()
        self.cliques.append((sizes, members))
        none, ones = np.full(count, -self.library.kHighsInf), np.ones(count)
        starts = ends[:count].astype(np.int32)
        self.solver.addRows(count, none, ones, len(members), starts, members, np.ones(len(members)))
        return count

    def solve_relaxation(self) -> Floats | None:
        """The shares of an optimum; None if time ends first."""
        return self._shares() if self._run() == self.library.HighsModelStatus.kOptimal else None

    def find_bound(self) -> int | None:
        """A number of rows that no independent set exceeds; None if the solver gives no prices.

        In integers, so that no rounding of the solver's counts. For any prices of cliques, a set
        weighs at most their sum, as it has one node of a clique at most, and what its nodes weigh
        beyond the prices of their cliques. Prices are rounded to a fraction that keeps all sums
        below 2**53, to which `sum_by` is exact.
        """
        total = int(self.weights.sum())
        prices = np.maximum(np.array(self.solver.getSolution().row_dual), 0.0)
        if not prices.sum() <= 2 * total:
            return None
        parts = 2**51 // max(total, 1)  # of a row
        whole = np.rint(prices * parts).astype(np.int64)
        sizes, members = (np.concatenate(lists) for lists in zip(*self.cliques, strict=True))
        paid = sum_by(members, np.repeat(whole, sizes), self.arcs.nodes)
        beyond = np.maximum(self.weights * parts - paid, 0)
        return (int(whole.sum()) + int(beyond.sum())) // parts

    def search(self, best: Mask) -> IndependentSet | None:
        """The heaviest set under the rows that are there; None if time ends without a set.

        Weights are integers, and so is the value of a set: one that is heavier is heavier by 1. The
        bound of a branch is off by less, since each share counts for a reduced cost that is wrong
        by 10**-7 at most (HiGHS's tolerance). So the heaviest is proved where the bound that is
        left rounds to the weight of the set, which is summed up again here.
        """
        nodes = self.arcs.nodes
        self.solver.changeColsIntegrality(nodes, self.every, np.ones(nodes, np.uint8))
        self.solver.setSolution(nodes, self.every, best.astype(np.float64))
        status = self._run()
        shares = self._shares()
        if status is None or not len(shares):
            return None
        chosen = shares > 0.5
        proved = status == self.library.HighsModelStatus.kOptimal
        left = abs(self.solver.getInfo().mip_dual_bound - int(self.weights[chosen].sum()))
        return IndependentSet(chosen, bool(proved and left < 0.5))

    def _run(self) -> Any:
        """The solver's status after a run; None if there is no time for one."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            return None
        # Its clock goes on from run to run, and the limit is for all of them.
        self.solver.setOptionValue("time_limit", self.solver.getRunTime() + left)
        self.solver.run()
        return self.solver.getModelStatus()

    def _shares(self) -> Floats:
        return np.array(self.solver.getSolution().col_value)


def _find_broken_edges(arcs: Arcs, shares: Floats) -> Integers:
    """The edges of which more than one node is chosen, as arcs, the most broken first."""
    beyond = shares[arcs.sources] + shares[arcs.targets] - 1
    broken = np.flatnonzero((beyond > TOLERANCE) & (arcs.sources < arcs.targets))
    return broken[np.argsort(-beyond[broken], kind="stable")]


def _greedy(arcs: Arcs, weights: Integers, shares: Floats) -> Mask:
    """An independent set that none can be added to: large shares first, then heavy and lonely."""
    order = np.lexsort((-weights / (1 + arcs.degrees), -np.round(shares, 6)))
    chosen, free = np.zeros(arcs.nodes, bool), np.ones(arcs.nodes, bool)
    for node in order.tolist():
        if free[node]:
            chosen[node] = True
            free[arcs.targets[arcs.offsets[node] : arcs.offsets[node + 1]]] = False
    return chosen


def _heavier(one: Mask, two: Mask, weights: Integers) -> Mask:
    return two if weights[two].sum() > weights[one].sum() else one
