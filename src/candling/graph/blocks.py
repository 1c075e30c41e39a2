"""The conflict graph as a few blocks of rules, for tables whose pairs are too many to write down.

Rules that share equality columns make a block, with twin classes and pairs of its own: a column
that tells rows apart in another block does not split them here. A row then lies in one class of
each block, and conflicts with the rows of the neighbouring classes. A pair that breaks rules of
several blocks would count more than once: by inclusion and exclusion, the pairs that two blocks
share are taken off, those that three share added again, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise, permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from candling.graph.build import (
    Conflicts,
    candidates,
    explicit_graph,
    find_conflicts,
    members_of,
    twins_of,
)
from candling.graph.conflict_graph import (
    MANY,
    ConflictGraph,
    Graph,
    Lists,
    Mask,
    adjacency,
    loops_of,
    written_within,
)
from candling.graph.edges import group_lines, mark, renumber, sum_by
from candling.graph.kernels import (
    add_chosen,
    add_near,
    add_neighbours,
    common_pairs,
    count_pairs,
    weighted_degrees,
)
from candling.records import dataclass
from candling.rules import Constraint, Op
from candling.system.limits import new_array, runs
from candling.tables import Classes, CodedRule

EXPLICIT = 500_000  # pairs of twin classes that are written down without a second thought
AT_ONCE = 2**26  # entries of lists that are written in one go

Integers = npt.NDArray[np.int64]
Indices = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Block:
    """Classes of nodes, and which of them are neighbours; a class may be its own."""

    class_of: Indices  # of each node, or -1
    offsets: Integers
    neighbours: Indices

    @property
    def classes(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def loops(self) -> npt.NDArray[np.bool_]:
        """Classes whose rows conflict with each other."""
        return loops_of(self.offsets, self.neighbours)

    @cached_property
    def members(self) -> tuple[Integers, Indices]:
        """The nodes of each class."""
        return members_of(self.class_of)

    def add_neighbours(
        self, weights: Integers, part: Integers, chosen: Mask, sign: int, total: Integers
    ) -> None:
        """Add to `total` how many rows of the chosen nodes each row has for neighbours here.

        `weights` are the rows of each node, `part` those that are of one part with a row.
        """
        rows, near = np.zeros(self.classes, np.int64), np.empty(self.classes, np.int64)
        add_chosen(self.class_of, chosen, weights, rows)
        if not rows.any():
            return
        weighted_degrees(self.offsets, self.neighbours, rows, near)
        add_near(self.class_of, chosen, part, near, self.loops, sign, total)


@dataclass(frozen=True, eq=False)
class BlockGraph:
    """Which rows conflict, by nodes of rows that are twins in every block. Nothing is a pair here.

    `shared` are the pairs of several blocks, with the sign that makes each pair count once.
    """

    rows: int  # of the whole table
    self_inconsistent: int
    weights: Integers  # rows per node
    blocks: tuple[Block, ...]
    neighbours: Indices  # of all blocks, one after the other: each has its slice
    shared: tuple[tuple[int, Block], ...]
    codes: Indices  # per column, the coded values of one row of each node
    rules: tuple[CodedRule, ...]
    class_of: Indices  # the node of each class of the table's distinct rows; -1: no conflict
    part: Integers  # rows of one part of a node that is its own neighbour
    memory: str | None = None  # limit beyond which what grows with the pairs goes to disk

    def __repr__(self) -> str:
        return f"BlockGraph(rules={len(self.rules)})"  # nothing true in a repr

    @property
    def classes(self) -> int:
        """Number of nodes."""
        return len(self.weights)

    @cached_property
    def degrees(self) -> Integers:
        """Conflicts of each row of a node."""
        return self.neighbours_in(np.ones(self.classes, bool))

    def neighbours_in(self, chosen: npt.NDArray[np.bool_]) -> Integers:
        """How many rows of the chosen nodes each row of a node conflicts with."""
        total = np.zeros(self.classes, np.int64)
        for sign, block in (*((1, block) for block in self.blocks), *self.shared):
            block.add_neighbours(self.weights, self.part, chosen, sign, total)
        return total

    @property
    def pairs(self) -> int:
        """Number of conflicting pairs of rows."""
        return int((self.weights * self.degrees).sum()) // 2

    @cached_property
    def lists(self) -> Lists:
        """All blocks' classes numbered in one go, for compiled loops."""
        kind = number_type(sum(block.classes for block in self.blocks))
        classes, firsts, offsets, starts, members = [], [], [], [], []
        total = arcs = size = 0
        for block in self.blocks:
            own = block.class_of.astype(kind)
            own[own >= 0] += kind(total)
            classes.append(own)
            firsts.append(total)
            offsets.append(block.offsets[:-1] + arcs)
            ends, nodes = block.members
            starts.append(ends[:-1] + size)
            members.append(nodes)
            total += block.classes
            arcs += len(block.neighbours)
            size += len(nodes)
        return Lists(
            np.stack(classes),
            np.array(firsts, np.int64),
            np.append(np.concatenate(offsets), arcs),
            self.neighbours,
            np.append(np.concatenate(starts), size),
            np.concatenate(members),
            np.concatenate([block.loops for block in self.blocks]),
        )

    def pairs_to_write(self, chosen: npt.NDArray[np.bool_], most: int = MANY) -> int:
        """How many pairs of the chosen nodes the blocks have: no fewer than there are.

        `arcs_within` writes them all down. Beyond `most`, counting stops.
        """
        one, total = np.ones(self.classes, np.int8), 0
        for block in self.blocks:
            sizes = np.zeros(block.classes, np.int64)
            add_chosen(block.class_of, chosen, one, sizes)
            total += int(count_pairs(block.offsets, block.neighbours, sizes, most - total))
            if total > most:
                break
        return total

    def arcs_within(self, chosen: npt.NDArray[np.bool_]) -> tuple[Integers, Indices]:
        """The pairs among the chosen nodes, renumbered, written down as sorted neighbour lists."""
        own = self.lists
        classes = np.ascontiguousarray(own.classes[:, chosen])
        number = np.where(chosen, np.cumsum(chosen) - 1, -1).astype(np.int32)[own.members]
        several = self.weights[chosen] > 1
        at, offsets = np.zeros(len(several), np.int64), np.zeros(len(several) + 1, np.int64)
        neighbours = np.empty(0, np.int32)

        def visit(low: int, high: int, *, emit: bool) -> None:
            """Count or write the lists of the nodes from `low` to before `high`."""
            inside = (number >= low) & (number < high)
            starts = np.concatenate([[0], np.cumsum(inside)])[own.starts].astype(np.int64)
            stamp = np.full(len(several), -1, np.int32)
            add_neighbours(
                classes, own.first, own.offsets, own.neighbours, starts, number[inside], several,
                emit, stamp, at, neighbours,
            )  # fmt: skip

        visit(0, len(several), emit=False)
        np.cumsum(at, out=offsets[1:])
        at[:] = offsets[:-1]
        neighbours = new_array(int(offsets[-1]), np.int32, self.memory)
        for low, high in runs(offsets, AT_ONCE):  # entries come in no order, and may be on disk
            visit(low, high, emit=True)
        return offsets, neighbours

    def within(self, chosen: npt.NDArray[np.bool_]) -> ConflictGraph:
        """The graph on the chosen nodes, with its pairs written down."""
        return written_within(self, chosen)


def number_type(count: int) -> type[np.signedinteger[Any]]:
    """The smallest integers that number so many things: several blocks may have too many for 32."""
    return np.int32 if count <= 2**31 else np.int64


def build_conflicts(classes: Classes, *, explicit: int = EXPLICIT) -> Graph:
    """The conflict graph of a table: written down if that is short, else in blocks.

    Which of the two it is changes no number that is computed from it.
    """
    conflicts = find_conflicts(classes, merge=True)
    if not conflicts.rules:
        return explicit_graph(conflicts, twins_of(conflicts, ()))
    if sum(len(edges.left) for edges in conflicts.edges) <= explicit:  # each stands for one or more
        twins = twins_of(conflicts, range(len(conflicts.rules)))
        pairs = sum(map(candidates, twins.edges, twins.vectors))
        if pairs <= explicit:
            return explicit_graph(conflicts, twins)
        del twins
    return build_blocks(conflicts)


def build_blocks(conflicts: Conflicts) -> BlockGraph:
    """The graph of all rules, block by block."""
    constraints = [rule.constraint for rule in conflicts.rules]
    parts = partition(constraints)
    graphs = [explicit_graph(conflicts, twins_of(conflicts, part)) for part in parts]
    known = np.stack([graph.class_of for graph in graphs])
    lines = np.flatnonzero((known >= 0).any(axis=0))
    nodes = group_lines(known[:, lines])
    first = lines[nodes.first]
    node_of = np.full(len(conflicts.classes.weights), -1, np.int32)
    node_of[lines] = nodes.label
    neighbours, slices = in_one([graph.neighbours for graph in graphs], conflicts.classes.memory)
    blocks = tuple(
        Block(own, graph.offsets, own_neighbours)
        for own, graph, own_neighbours in zip(
            np.ascontiguousarray(known[:, first]), graphs, slices, strict=True
        )
    )
    del graphs
    graph = BlockGraph(
        rows=conflicts.classes.rows,
        self_inconsistent=conflicts.self_inconsistent,
        weights=sum_by(nodes.label, conflicts.classes.weights[lines], nodes.count),
        blocks=blocks,
        neighbours=neighbours,
        shared=(),
        codes=np.ascontiguousarray(conflicts.classes.codes[:, first]),
        rules=conflicts.classes.rules,
        class_of=node_of,
        part=np.maximum(conflicts.part[conflicts.line_of[first]], 1),
        memory=conflicts.classes.memory,
    )
    # Which rules a node is in conflict under.
    under = np.stack([edges.class_of[conflicts.line_of[first]] >= 0 for edges in conflicts.edges])
    return replace(graph, shared=tuple(_find_shared_pairs(graph, constraints, parts, under)))


def _find_shared_pairs(
    graph: BlockGraph,
    constraints: Sequence[Constraint],
    parts: Sequence[Sequence[int]],
    under: npt.NDArray[np.bool_],
) -> Iterator[tuple[int, Block]]:
    """The pairs that several blocks share, for every set of blocks that share any, with their sign.

    If a set of blocks shares nothing, no larger one does.
    """
    columns = {name: index for rule in graph.rules for name, index in rule.names.items()}
    base = [_base([constraints[r] for r in part]) for part in parts]
    order = range(len(parts))
    # Nodes in a conflict of one block that could be one of another, too.
    likely = {
        (one, two): under[_find_clashing_rules(constraints, parts[one], parts[two])].any(axis=0)
        for one, two in permutations(order, 2)
    }
    sharing: list[tuple[int, ...]] = [(b,) for b in order]
    while sharing:  # sets of one block more in every round, and of all blocks at the most
        larger: list[tuple[int, ...]] = []
        for smaller in sharing:
            for b in order[smaller[-1] + 1 :]:
                chosen = (*smaller, b)
                there = np.logical_and.reduce([likely[pair] for pair in permutations(chosen, 2)])
                equal = sorted({columns[name] for one in chosen for name in base[one]})
                block = _intersection(graph, chosen, np.flatnonzero(there), equal)
                if block is not None:
                    larger.append(chosen)
                    yield (1 if len(chosen) % 2 else -1), block
        sharing = larger


def _base(constraints: Sequence[Constraint]) -> frozenset[str]:
    """Columns on which any two rows agree that conflict under one of the rules."""
    return frozenset.intersection(*(_equal(c) for c in constraints))


def _find_clashing_rules(
    constraints: Sequence[Constraint], own: Sequence[int], other: Sequence[int]
) -> list[int]:
    """The rules of a block that can be broken together with a rule of another."""
    return [r for r in own if any(not disjoint(constraints[r], constraints[s]) for s in other)]


def _intersection(
    graph: BlockGraph, chosen: Sequence[int], nodes: Integers, equal: Sequence[int]
) -> Block | None:
    """The pairs among some nodes that all the chosen blocks have, between nodes alike to them.

    Such rows agree on the columns `equal`, so pairs are looked for within groups.
    """
    if not len(nodes):
        return None
    # Short lists are searched first: most pairs are in no second block.
    chosen = sorted(chosen, key=lambda b: len(graph.blocks[b].neighbours) / graph.blocks[b].classes)
    labels = np.stack([graph.blocks[b].class_of[nodes] for b in chosen])
    alike = group_lines(labels)
    first = nodes[alike.first]
    groups = group_lines(graph.codes[list(equal)][:, first])
    ends, order = members_of(groups.label)
    weights = np.bincount(alike.label, graph.weights[nodes], minlength=alike.count)
    own = np.ascontiguousarray(labels[:, alike.first].T)
    lists = graph.lists
    left = right = np.empty(0, np.int32)
    for emit in (False, True):
        count = common_pairs(
            ends, order, own, lists.offsets, lists.neighbours, lists.first[chosen], weights > 1,
            emit, left, right,
        )  # fmt: skip
        if not emit:
            left, right = (new_array(count, np.int32, graph.memory) for _ in "lr")
    if not len(left):
        return None
    used = np.zeros(alike.count, bool)
    mark(used, left, right)
    number = np.where(used, np.cumsum(used) - 1, -1).astype(np.int32)
    known = np.full(graph.classes, -1, np.int32)
    known[nodes] = number[alike.label]
    renumber(number, left, right)
    return Block(known, *adjacency(int(used.sum()), left, right, graph.memory))


def in_one(arrays: list[Indices], memory: str | None) -> tuple[Indices, list[Indices]]:
    """The arrays one after the other in one, and the slice of each."""
    if len(arrays) == 1:
        return arrays[0], arrays
    ends = np.cumsum([0, *(len(array) for array in arrays)])
    whole = new_array(int(ends[-1]), np.int32, memory)
    slices = [whole[start:stop] for start, stop in pairwise(ends.tolist())]
    for own, array in zip(slices, arrays, strict=True):
        own[:] = array
    return whole, slices


def partition(constraints: Sequence[Constraint]) -> list[list[int]]:
    """The numbers of the rules of each block: those that share a smallest set of equality columns.

    Rules without equality columns are a block of their own.
    """
    sets = [frozenset(c.shape.equal) for c in constraints]
    smallest = sorted({s for s in sets if not any(o < s for o in sets if o)}, key=sorted)
    parts: dict[frozenset[str], list[int]] = {}
    for number, own in enumerate(sets):
        base = next(s for s in smallest if s <= own and (s or not own))
        parts.setdefault(base, []).append(number)
    return list(parts.values())


def disjoint(one: Constraint, two: Constraint) -> bool:
    """Whether no pair of rows can break both rules, because of a column that one wants equal."""
    equal_one, equal_two = _equal(one), _equal(two)
    return bool(equal_one & _unequal(two) or equal_two & _unequal(one))


def _equal(constraint: Constraint) -> frozenset[str]:
    return frozenset(constraint.shape.equal)


def _unequal(constraint: Constraint) -> frozenset[str]:
    """Columns in which two rows that break the rule must differ."""
    return frozenset(
        p.left.name
        for p in constraint.canonical.predicates
        if p.op in (Op.NE, Op.LT, Op.GT)
        and len({c.row for c in p.columns}) == 2
        and len({c.name for c in p.columns}) == 1
    )
