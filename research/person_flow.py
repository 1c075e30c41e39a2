"""The flow by persons: capacities belong to persons, and no row is cut. Proofs: person_flow.md.

A statistic at level T never falls when a person's rows are added, and grows by its sensitivity at
most, however many rows that are. It is the measure itself once T is large enough for everybody.

| statistic              | at level T                                                   | grows by |
|------------------------|--------------------------------------------------------------|----------|
| `rows_level`           | rows, at most T of each person                               | 0..T     |
| `repair_level`         | fractional matching: 1 for a row, T for a person, in halves  | 0..2T    |
| `problematic_level`    | witnesses given and received: T for a person, in halves      | 0..2T    |
| `conflicts_level`      | conflicts, T for a person, in halves                         | 0..2T    |
| `dependency_level`     | smallest repair of one dependency, T rows of a person, halves | 0..2T   |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import maximum_flow

Integers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Dependency = tuple[str, str]

UNBOUNDED = 2**30  # a capacity that no flow here reaches


@dataclass(frozen=True)
class Conflicts:
    """Which rows conflict, and whose they are."""

    person: Integers  # of each row, numbered from 0
    wrong: Mask  # rows that break a rule alone; they are in no pair
    pairs: Integers  # conflicting pairs of rows, each once: n by 2

    @property
    def persons(self) -> int:
        return int(self.person.max(initial=-1)) + 1

    @cached_property
    def inside(self) -> Mask:
        """Of each pair, whether both rows belong to one person."""
        owners = self.person[self.pairs]
        found: Mask = owners[:, 0] == owners[:, 1]
        return found

    @cached_property
    def alone(self) -> Integers:
        """Of each person, the rows that break a rule alone."""
        return self._of_persons(self.person[self.wrong])

    def _of_persons(self, owners: Integers) -> Integers:
        return np.bincount(owners, minlength=self.persons)

    @cached_property
    def alone_or_inside(self) -> Integers:
        """Of each person, the conflicts that no other person has a part in."""
        return self.alone + self._of_persons(self.person[self.pairs[self.inside, 0]])

    @cached_property
    def between(self) -> tuple[Integers, Integers, Integers]:
        """Pairs of persons in both orders, and how many pairs of their rows conflict."""
        owners = self.person[self.pairs[~self.inside]]
        both = np.concatenate([owners, owners[:, ::-1]])
        codes, many = np.unique(both[:, 0] * self.persons + both[:, 1], return_counts=True)
        return codes // max(1, self.persons), codes % max(1, self.persons), many

    @cached_property
    def seen_inside(self) -> Mask:
        """Rows that break a rule alone, or with another row of their person."""
        seen = self.wrong.copy()
        seen[self.pairs[self.inside].ravel()] = True
        return seen

    @cached_property
    def witnesses(self) -> tuple[Integers, Integers]:
        """Persons, and rows of others that conflict with a row of theirs and with none at home."""
        pairs = self.pairs[~self.inside]
        both = np.concatenate([pairs, pairs[:, ::-1]])
        both = both[~self.seen_inside[both[:, 1]]]
        rows = len(self.person)
        codes = np.unique(self.person[both[:, 0]] * rows + both[:, 1])
        return codes // max(1, rows), codes % max(1, rows)


def conflicts_of(table: pd.DataFrame, person: str, rules: Sequence[Dependency]) -> Conflicts:
    """The conflicts of a table under dependencies between two columns, without NULL."""
    codes = [_pairs_of(table, left, right) for left, right in rules]
    distinct = np.unique(np.concatenate(codes))
    pairs = np.stack([distinct // len(table), distinct % len(table)], axis=1)
    owner = pd.factorize(table[person])[0].astype(np.int64)
    return Conflicts(owner, np.zeros(len(table), bool), pairs)


def _pairs_of(table: pd.DataFrame, left: str, right: str) -> Integers:
    """Each pair that breaks the dependency, as first * rows + second with first < second."""
    value = pd.factorize(table[right])[0]
    found = [np.empty(0, np.int64)]
    for rows in table.groupby(left).indices.values():
        own = value[rows]
        if (own == own[0]).all():
            continue
        usual = np.bincount(own).argmax()
        for row in rows[own != usual]:
            others = rows[(own != value[row]) & ((own == usual) | (rows > row))]
            found.append(np.minimum(row, others) * len(table) + np.maximum(row, others))
    return np.concatenate(found).astype(np.int64)


# ----------------------------------------------------------------------------------- statistics


def rows_level(conflicts: Conflicts, level: int) -> int:
    """Rows, of which each person has at most `level`. Grows by 0 to level."""
    return int(np.minimum(np.bincount(conflicts.person), level).sum())


def repair_level(conflicts: Conflicts, level: int) -> int:
    """Twice the largest fractional matching with `level` for a person. Grows by 0 to 2 level."""
    own = np.minimum(conflicts.alone, level)
    rows = np.unique(conflicts.pairs)
    owner = conflicts.person[rows]
    room = (level - own)[owner]
    tied = np.bincount(owner, minlength=conflicts.persons)[owner] > room  # the others never bind
    n = len(rows)
    first, second = np.searchsorted(rows, conflicts.pairs).T
    net = Network()
    left, right = net.nodes(n), net.nodes(n)
    net.join(left[first], right[second], 1)
    net.join(left[second], right[first], 1)
    net.enter(left[~tied], 1)
    net.leave(right[~tied], 1)
    persons, place = np.unique(owner[tied], return_inverse=True)
    givers, takers = net.nodes(len(persons)), net.nodes(len(persons))
    net.join(givers[place], left[tied], 1)
    net.join(right[tied], takers[place], 1)
    net.enter(givers, (level - own)[persons])
    net.leave(takers, (level - own)[persons])
    return 2 * int(own.sum()) + net.value()


def problematic_level(conflicts: Conflicts, level: int) -> int:
    """Twice the rows with a witness, given and received sharing `level`. Grows by 0 to 2 level.

    A person spends 1 for each of its rows that is counted, and 1 for each row of others that it is
    the witness of; for a row with a witness at home, 1 in all. Both orders of giver and receiver
    are in the network, so that its value is twice that of the linear program.
    """
    own = np.minimum(
        np.bincount(conflicts.person[conflicts.seen_inside], minlength=conflicts.persons), level
    )
    room = level - own
    giver, row = conflicts.witnesses
    rows, place = np.unique(row, return_inverse=True)
    net = Network()
    left, right = net.nodes(conflicts.persons), net.nodes(conflicts.persons)
    forth, back = net.nodes(len(rows)), net.nodes(len(rows))
    net.join(left[giver], forth[place], UNBOUNDED)
    net.join(forth, right[conflicts.person[rows]], 1)
    net.join(left[conflicts.person[rows]], back, 1)
    net.join(back[place], right[giver], UNBOUNDED)
    net.enter(left, room)
    net.leave(right, room)
    return 2 * int(own.sum()) + net.value()


def witnesses_level(conflicts: Conflicts, given: int, received: int) -> int:
    """Rows with a witness, apart: `given` and `received` of a person. Grows by 0 to their sum."""
    own = np.minimum(conflicts.alone, received)
    pairs = conflicts.pairs
    both = np.concatenate([pairs, pairs[:, ::-1]])
    total = len(conflicts.person)
    codes = np.unique(conflicts.person[both[:, 0]] * total + both[:, 1])
    rows, place = np.unique(codes % max(1, total), return_inverse=True)
    net = Network()
    left, right = net.nodes(conflicts.persons), net.nodes(conflicts.persons)
    seen = net.nodes(len(rows))
    net.join(left[codes // max(1, total)], seen[place], 1)
    net.join(seen, right[conflicts.person[rows]], 1)
    net.enter(left, np.full(conflicts.persons, given))
    net.leave(right, received - own)
    return int(own.sum()) + net.value()


def conflicts_level(conflicts: Conflicts, level: int) -> int:
    """Twice the conflicts, of which a person has a part in `level`. Grows by 0 to 2 level."""
    own = np.minimum(conflicts.alone_or_inside, level)
    room = level - own
    giver, taker, many = conflicts.between
    net = Network()
    left, right = net.nodes(conflicts.persons), net.nodes(conflicts.persons)
    net.join(left[giver], right[taker], many)
    net.enter(left, room)
    net.leave(right, room)
    return 2 * int(own.sum()) + net.value()


def dependency_level(table: pd.DataFrame, person: str, rule: Dependency, level: int) -> int:
    """Twice the smallest repair of a fractional part of the table, the part with the largest.

    A person has at most `level` rows in the part. Grows by 0 to 2 level; rounded down, which costs
    nothing, as what it may grow by is whole. The dependency is between columns without NULL.
    """
    return int(np.floor(2 * dependency_program(table, person, rule, level) + 1e-6))


def dependency_program(table: pd.DataFrame, person: str, rule: Dependency, level: int) -> float:
    """Maximise the rows of the part less, for each group, those of its most frequent value."""
    left, right = rule
    keys = ["group", "value", "owner"]
    columns = dict(zip(keys, (table[left], table[right], table[person]), strict=True))
    counted = pd.DataFrame(columns).groupby(keys).size().reset_index(name="rows")
    dirty = counted.groupby("group")["value"].transform("nunique") > 1
    counted = counted[dirty].reset_index(drop=True)
    if counted.empty:
        return 0.0
    group = counted.groupby("group").ngroup().to_numpy()
    value = counted.groupby(["group", "value"]).ngroup().to_numpy()
    owner = counted.groupby("owner").ngroup().to_numpy()
    n, groups, values, owners = len(counted), group.max() + 1, value.max() + 1, owner.max() + 1
    group_of = np.zeros(values, np.int64)
    group_of[value] = group
    below = coo_array(
        (
            np.concatenate([np.ones(n), -np.ones(values)]),
            (
                np.concatenate([value, np.arange(values)]),
                np.concatenate([np.arange(n), n + group_of]),
            ),
        ),
        shape=(values, n + groups),
    )
    within = coo_array((np.ones(n), (owner, np.arange(n))), shape=(owners, n + groups))
    solved = linprog(
        np.concatenate([-np.ones(n), np.ones(groups)]),
        A_ub=csr_array(_stacked(below, within)),
        b_ub=np.concatenate([np.zeros(values), np.full(owners, float(level))]),
        bounds=[(0, m) for m in counted["rows"]] + [(0, None)] * groups,
    )
    return float(-solved.fun)


def _stacked(above: coo_array, below: coo_array) -> coo_array:
    rows = np.concatenate([above.coords[0], below.coords[0] + above.shape[0]])
    columns = np.concatenate([above.coords[1], below.coords[1]])
    shape = (above.shape[0] + below.shape[0], above.shape[1])
    return coo_array((np.concatenate([above.data, below.data]), (rows, columns)), shape=shape)


# -------------------------------------------------------------------------------------- network


class Network:
    """A network from node 0 to node 1, and its maximum flow."""

    def __init__(self) -> None:
        self._nodes = 2
        self._arcs: list[tuple[Integers, Integers, Integers]] = []

    def nodes(self, many: int) -> Integers:
        """So many new nodes."""
        self._nodes += many
        return np.arange(self._nodes - many, self._nodes)

    def join(self, tails: Integers, heads: Integers, capacity: Integers | int) -> None:
        """Arcs from tails to heads."""
        self._arcs.append((tails, heads, np.broadcast_to(capacity, tails.shape)))

    def enter(self, heads: Integers, capacity: Integers | int) -> None:
        """Arcs from the source."""
        self.join(np.zeros_like(heads), heads, capacity)

    def leave(self, tails: Integers, capacity: Integers | int) -> None:
        """Arcs to the sink."""
        self.join(tails, np.ones_like(tails), capacity)

    def value(self) -> int:
        """The maximum flow."""
        tails, heads, capacities = (np.concatenate(part) for part in zip(*self._arcs, strict=True))
        there = capacities > 0
        arcs = (capacities[there].astype(np.int32), (tails[there], heads[there]))
        matrix = csr_array(coo_array(arcs, shape=(self._nodes, self._nodes)))
        matrix.indices, matrix.indptr = (
            a.astype(np.int32) for a in (matrix.indices, matrix.indptr)
        )
        return int(maximum_flow(matrix, 0, 1).flow_value)
