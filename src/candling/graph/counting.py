"""log2 of the number of maximal consistent subsets: the maximal independent sets of the graph."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from candling.graph import Graph
from candling.graph.conflict_graph import Arcs
from candling.graph.edges import eligible, group_lines, sum_by
from candling.graph.independent import collapse
from candling.rules.compile import chain
from candling.tables import Classes, CodedRule

LARGEST = 5_000_000  # pairs that are written down to look for twins among them
SMALL = 200  # nodes of a component that is counted by search
STEPS = 50_000  # of that search


def maximal_consistent_logs(graph: Graph) -> list[float] | None:
    """log2 of the number of maximal independent sets of each connected component.

    The number of the whole graph is their product; None if counting would take too long.

    Cographs (one dependency, chains of them, keys) are counted in closed form. What is left of a
    component when its twins are collapsed is counted by search, if it is small.
    """
    everything = np.ones(graph.classes, bool)
    if graph.pairs_to_write(everything, LARGEST) > LARGEST:
        return None
    written = graph.within(everything)
    # Of a class that is its own neighbour, one of the parts.
    values = np.where(written.loops, written.weights // written.part, 1).tolist()
    collapsed = collapse(
        written.arcs.without_loops(), values, union=operator.mul, join=operator.add
    )
    counts = list(collapsed.finished)
    if np.bincount(collapsed.arcs.components()).max(initial=0) > SMALL:
        return None
    for nodes, arcs in collapsed.arcs.split():
        values = [collapsed.values[i] for i in nodes]
        count = _search(arcs, values)
        if count is None:
            return None
        counts.append(count)
    return [math.log2(c) for c in counts]


def chain_logs(classes: Classes) -> list[float]:
    """The same for dependencies and keys in a chain, by groups of rows, without a pair.

    The lines break no rule alone, and their rows have no NULL in the chain's `not_null` (Theorem
    5). Of a core, a line may have one there: the engine leaves out a value that is in no conflict.
    """
    rules = sorted(
        (rule for rule in classes.rules if rule.constraint.rows == 2),
        key=lambda rule: len(rule.constraint.shape.equal),
    )
    if not rules:
        return []
    lines = np.arange(len(classes.weights), dtype=np.int64)
    not_null = frozenset(chain(classes.constraints).not_null)
    counts, _ = _grouped_counts(classes, rules, not_null, lines, np.zeros(len(lines), np.int32))
    return [math.log2(count) for count in counts.tolist() if count > 1]


def _grouped_counts(
    classes: Classes,
    rules: Sequence[CodedRule],
    not_null: frozenset[str],
    lines: npt.NDArray[np.int64],
    label: npt.NDArray[np.int32],
) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32]]:
    """Of labelled lines, the counts of the groups that the first rule makes, and their labels.

    A line that the first rule does not concern is in no conflict under the later ones.
    """
    form, columns = rules[0].constraint.shape, rules[0].names
    equal = [columns[name] for name in form.equal]
    if form.differ in not_null:  # of several rules, so that none has a condition
        concerned = np.asarray((classes.codes[equal] >= 0).all(axis=0))
    else:
        concerned = np.zeros(len(classes.weights), bool)
        concerned[eligible(classes, rules[0])] = True
    lines, label = lines[concerned[lines]], label[concerned[lines]]
    left = classes.codes[equal][:, lines]
    groups = group_lines(np.vstack([label, left]))
    labels = label[groups.first]
    if form.differ is None:  # of a key: one of the rows
        return sum_by(groups.label, classes.weights[lines], groups.count), labels
    right = classes.codes[columns[form.differ]][lines]
    if form.differ in not_null:
        # Where the engine left a right side out, no row of the group conflicts under this rule:
        # all of them have one value, whether it was left out or not.
        agree = np.zeros(groups.count, bool)
        agree[groups.label[right < 0]] = True
        right = np.where(agree[groups.label], -1, right)
    values = group_lines(np.stack([groups.label, right]))
    whose = groups.label[values.first]
    if len(rules) == 1:
        return np.bincount(whose, minlength=groups.count), labels
    inner, inside = _grouped_counts(classes, rules[1:], not_null, lines, values.label)
    # Python's integers from here on: the product over the groups of a value may be long.
    products = np.ones(values.count, object)
    if len(inside):
        starts = np.flatnonzero(np.diff(inside, prepend=-1))
        products[inside[starts]] = np.multiply.reduceat(inner.astype(object), starts)
    if not groups.count:
        return products, labels
    return np.add.reduceat(products, np.flatnonzero(np.diff(whose, prepend=-1))), labels


def _search(arcs: Arcs, values: list[int]) -> int | None:
    """The sum over all maximal independent sets of the product of their values; None: too long.

    Bron and Kerbosch with pivots on the complement. Sets are bit masks; parts of the graph that
    have fallen apart are counted separately, and what was counted is remembered.
    """
    adjacent = [0] * arcs.nodes
    for u, v in zip(arcs.sources.tolist(), arcs.targets.tolist(), strict=True):
        adjacent[u] |= 1 << v
    known: dict[tuple[int, int], int] = {}

    def count(free: int, excluded: int) -> int:
        """Over sets inside `free` that leave nothing of `free` and `excluded` to be added."""
        if not free:
            return 0 if excluded else 1
        if (free, excluded) in known:
            return known[free, excluded]
        if len(known) > STEPS:
            raise _TooLongError
        total = 1
        for part in _parts(free | excluded, adjacent):
            total *= branch(free & part, excluded & part)
            if not total:
                break
        known[free, excluded] = total
        return total

    def branch(free: int, excluded: int) -> int:
        if not free:
            return 0
        # Every maximal set has the pivot or one of its neighbours.
        pivot = min(
            _bits(free | excluded), key=lambda v: (free & (adjacent[v] | 1 << v)).bit_count()
        )
        total = 0
        for v in _bits(free & (adjacent[pivot] | 1 << pivot)):
            outside = ~(adjacent[v] | 1 << v)
            total += values[v] * count(free & outside, excluded & outside)
            free &= ~(1 << v)
            excluded |= 1 << v
        return total

    try:
        return count((1 << arcs.nodes) - 1, 0)
    except _TooLongError:
        return None


class _TooLongError(Exception):
    pass


def _bits(mask: int) -> Iterator[int]:
    while mask:  # loses its lowest bit in every round
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def _parts(mask: int, adjacent: list[int]) -> Iterator[int]:
    """The connected parts of the graph on the nodes of `mask`."""
    while mask:  # loses a part in every round, and `front` has only nodes that the part has not
        part, front = 0, mask & -mask
        while front:
            part |= front
            reached = 0
            for v in _bits(front):
                reached |= adjacent[v]
            front = reached & mask & ~part
        yield part
        mask &= ~part
