"""From the classes of a table to its conflict graph, without ever joining rows with rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from candling.conflicts.edges import RuleEdges, rule_edges
from candling.conflicts.graph import ConflictGraph, adjacency
from candling.conflicts.grouping import group_lines
from candling.conflicts.kernels import ALLOWED, lift
from candling.conflicts.predicates import satisfied
from candling.constraints import Kind, Op, shape
from candling.engine import Classes, CodedRule


def build_graph(classes: Classes) -> ConflictGraph:
    """The conflict graph of a table.

    Each rule first finds the conflicts between classes over its own columns. A row is then known
    by its vector of conflicting classes, one per rule, and rows with equal vectors are twins: an
    almost unique column costs nothing where it breaks no rule. Last, every rule's conflicts are
    lifted to the twins, a pair belonging to the first rule that it breaks.
    """
    wrong = self_inconsistent(classes)
    rest = only(classes, ~wrong)

    found = [(r, rule_edges(rest, r)) for r in classes.rules if r.constraint.rows == 2]
    # The largest rule first: its pairs need no look at other rules.
    found.sort(key=lambda item: len(item[1].left), reverse=True)
    found = [(rule, edges) for rule, edges in found if len(edges.left)]
    rules, edges = [rule for rule, _ in found], [edges for _, edges in found]

    vectors = np.empty((len(edges), len(rest.weights)), np.int32)
    for number, edge in enumerate(edges):
        vectors[number] = edge.class_of
    lines = np.flatnonzero((vectors >= 0).any(axis=0))
    twins = group_lines(vectors[:, lines])
    first = lines[twins.first]
    # Weights are below 2**53, so that the sums of floats are exact.
    weights = np.bincount(twins.label, rest.weights[lines], minlength=twins.count).astype(np.int64)
    codes = np.ascontiguousarray(rest.codes[:, first])
    left, right = _lifted(rules, edges, vectors[:, first], codes)
    real = (left != right) | (weights[left] > 1)
    class_of = np.full(len(classes.weights), -1, np.int32)
    class_of[np.flatnonzero(~wrong)[lines]] = twins.label
    offsets, neighbours = adjacency(twins.count, left[real], right[real])
    return ConflictGraph(
        rows=classes.rows,
        self_inconsistent=int(classes.weights[wrong].sum()),
        weights=weights,
        offsets=offsets,
        neighbours=neighbours,
        codes=codes,
        rules=classes.rules,
        class_of=class_of,
    )


def self_inconsistent(classes: Classes) -> npt.NDArray[np.bool_]:
    """Which lines break a rule by themselves."""
    wrong = np.zeros(len(classes.weights), bool)
    for rule in classes.rules:
        if rule.constraint.rows == 1:
            wrong |= broken_alone(classes, rule)
    return wrong


def broken_alone(classes: Classes, rule: CodedRule) -> npt.NDArray[np.bool_]:
    """Which lines break this one-row rule."""
    found: npt.NDArray[np.bool_] = np.logical_and.reduce(
        [satisfied(p, classes.codes) for p in rule.predicates]
    )
    return found


def only(classes: Classes, lines: npt.NDArray[np.bool_]) -> Classes:
    """Some of the lines."""
    return replace(classes, codes=classes.codes[:, lines], weights=classes.weights[lines])


def _lifted(
    rules: list[CodedRule],
    edges: list[RuleEdges],
    vectors: npt.NDArray[np.int32],
    codes: npt.NDArray[np.int32],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """The conflicting pairs of twins, each once."""
    predicates, spans = _table(rules)
    symmetric = np.array([shape(r.constraint).kind in (Kind.FD, Kind.KEY) for r in rules], bool)
    parts: list[tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]] = []
    for number, edge in enumerate(edges):
        offsets, members = _members(vectors[number])
        size = np.diff(offsets)
        pairs = size[edge.left] * size[edge.right]
        same = edge.left == edge.right
        pairs[same] = (pairs[same] + size[edge.left[same]]) // 2
        left, right = (np.empty(int(pairs.sum()), np.int32) for _ in "lr")
        count = lift(
            edge.left, edge.right, offsets, members,
            predicates, spans, symmetric, number, vectors, codes, left, right,
        )  # fmt: skip
        parts.append((left[:count], right[:count]))
    empty = np.empty(0, np.int32)
    return (
        np.concatenate([empty, *(left for left, _ in parts)]),
        np.concatenate([empty, *(right for _, right in parts)]),
    )


def _members(
    class_of: npt.NDArray[np.int32],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """The lines of each class: members[offsets[c]:offsets[c + 1]]."""
    order = np.argsort(class_of, kind="stable").astype(np.int32)
    outside = np.count_nonzero(class_of < 0)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(class_of[class_of >= 0]))])
    return offsets.astype(np.int64), order[outside:]


def _table(rules: list[CodedRule]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """All predicates as the compiled loops want them, and where each rule's begin."""
    lines = [
        (p.left, p.left_row, ALLOWED[p.op], p.right, p.right_row, p.constant)
        for rule in rules
        for p in sorted(rule.predicates, key=lambda p: p.op is not Op.EQ)
    ]
    sizes = [len(rule.predicates) for rule in rules]
    return np.array(lines, np.int32).reshape(-1, 6), np.concatenate([[0], np.cumsum(sizes)])
