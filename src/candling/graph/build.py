"""Build the conflict graph from the classes of a table, without joining rows with rows.

Rows that agree on the left side of a dependency fall into parts by their right sides, and rows of
different parts conflict. Parts of a group that have equally many rows and no other conflicts look
the same from everywhere: each of their rows conflicts with all rows of the group but those of its
own part (and, of several dependencies, some rows that lack a right side). They become one line that
conflicts with itself. However dirty a group of n rows is, its parts have no more than about the
square root of 2n different sizes, so few pairs of lines remain.

Every flow of the graph keeps its value: averaging a flow over rows that look the same keeps it
feasible (research/large_tables.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from candling.graph.conflict_graph import ConflictGraph, join_neighbours
from candling.graph.edges import (
    Dependent,
    Grouping,
    RuleEdges,
    dependent_edges,
    find_dependent_groups,
    group_lines,
    rule_edges,
    sum_by,
)
from candling.graph.kernels import ALLOWED, lift
from candling.records import dataclass
from candling.rules import Kind, Op
from candling.system.limits import memory_limit, new_array
from candling.tables import Classes, CodedRule

Integers = npt.NDArray[np.int64]
Indices = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Merged:
    """The lines that are left, and what became of all."""

    remaining: Integers  # the lines that are left, in order
    line_of: Integers  # for each line, the place among those where its rows are now
    weights: Integers  # of the lines that are left
    part: Integers  # rows of one part of a line that was merged; 0: an ordinary line


def keep_apart(classes: Classes) -> Merged:
    """Every line as it is."""
    lines = np.arange(len(classes.weights))
    return Merged(lines, lines, classes.weights, np.zeros_like(lines))


def merge_parts(
    classes: Classes, dependents: Sequence[Dependent], others: Sequence[Mask]
) -> Merged:
    """Merge what looks the same under the dependencies, each with its groups.

    `others` are, for every other rule, the lines in conflict.
    """
    size = len(classes.weights)
    target, part = np.arange(size), np.zeros(size, np.int64)
    in_conflict = [d.in_conflict(size) for d in dependents]
    conflicts = np.sum([*in_conflict, *others, np.zeros(size, bool)], axis=0, dtype=np.int32)
    bundles: dict[object, list[int]] = {}
    for place, dependent in enumerate(dependents):
        shape = dependent.rule.constraint.shape
        bundles.setdefault((shape.equal, shape.where), []).append(place)
    for bundle in bundles.values():
        own = np.sum([in_conflict[place] for place in bundle], axis=0, dtype=np.int32)
        alone = (own > 0) & (own == conflicts)
        _merge_bundle(classes, [dependents[place] for place in bundle], alone, target, part)
    remaining = np.flatnonzero(target == np.arange(size))
    number = np.full(size, -1, np.int64)
    number[remaining] = np.arange(len(remaining))
    line_of = number[target]
    return Merged(
        remaining, line_of, sum_by(line_of, classes.weights, len(remaining)), part[remaining]
    )


def _merge_bundle(
    classes: Classes, bundle: list[Dependent], alone: Mask, target: Integers, part: Integers
) -> None:
    """Merge under dependencies with one left side; `alone` are lines in no other conflict."""
    lines, group, own, beside = _group_lines(classes, bundle)
    pure = alone[lines] & (own >= 0)
    # A part may be merged if all of its lines may.
    parts = group_lines(np.stack([group, own]))
    whole = np.bincount(parts.label, ~pure, minlength=parts.count) == 0
    weights = sum_by(parts.label, classes.weights[lines], parts.count)
    chosen = np.flatnonzero(whole)
    if not len(chosen):
        return
    line = parts.first[chosen]
    kind = [group[line], weights[chosen], *beside[:, line]]
    alike = group_lines(np.stack(kind))
    several = np.bincount(alike.label) > 1
    chosen, label = chosen[several[alike.label]], alike.label[several[alike.label]]
    # The first line of the first part of each kind stands for all of them.
    first = np.full(alike.count, -1, np.int64)
    first[label[::-1]] = lines[parts.first[chosen]][::-1]
    stands = np.full(parts.count, -1, np.int64)
    stands[chosen] = first[label]
    here = stands[parts.label] >= 0
    target[lines[here]] = stands[parts.label[here]]
    part[first[label]] = weights[chosen]


def _group_lines(
    classes: Classes, bundle: list[Dependent]
) -> tuple[Integers, Indices, Indices, Indices]:
    """The lines that the rules concern, their groups, their parts, and whom they do not conflict
    with beside their part.

    A line that lacks a right side is in no part (-1): it conflicts with lines that differ in a
    right side that it has. The last result tells, for each set of right sides that a line may have,
    which of those lines agree with a line.
    """
    if len(bundle) == 1:
        (only,) = bundle
        no_neighbours = np.empty((0, len(only.lines)), np.int32)
        return only.lines.astype(np.int64), only.group, only.part, no_neighbours
    concerned = np.zeros((len(bundle), len(classes.weights)), bool)
    for has, dependent in zip(concerned, bundle, strict=True):
        has[dependent.lines] = True
    lines = np.flatnonzero(concerned.any(axis=0))
    has = concerned[:, lines]
    group = group_lines(classes.codes[bundle[0].equal][:, lines]).label
    rights = classes.codes[[dependent.right for dependent in bundle]][:, lines]
    for number, dependent in enumerate(bundle):
        # Where no row of a group breaks a rule, it does not matter who has its right side.
        broken = np.zeros(int(group.max(initial=-1)) + 1, bool)
        broken[group[dependent.in_conflict(len(classes.weights))[lines]]] = True
        has[number] |= ~broken[group]
        rights[number, ~broken[group]] = 0
    full = np.logical_and.reduce(has)
    beside = []
    patterns = group_lines(has.astype(np.int8))
    for number in range(patterns.count):
        there = has[:, patterns.first[number]]
        if there.all():
            continue
        same = group_lines(np.vstack([group, rights[there]])).label
        lacking = np.bincount(same[patterns.label == number], minlength=same.max() + 1) > 0
        beside.append(np.where(lacking[same], same, -1))
    own = np.where(full, group_lines(np.where(full, rights, -1)).label, -1)
    return lines, group, own, np.array(beside, np.int32).reshape(len(beside), len(lines))


@dataclass(frozen=True, slots=True)
class Conflicts:
    """The conflicts of every rule between classes over its own columns, the largest rule first."""

    classes: Classes
    rest: Classes  # lines that break no rule alone, some of them merged
    line_of: npt.NDArray[np.int64]  # the line of `rest` that has the rows of each class, or -1
    part: npt.NDArray[np.int64]  # of each line of `rest` that was merged, the rows of a part; or 0
    rules: tuple[CodedRule, ...]  # pair rules with conflicts
    edges: tuple[RuleEdges, ...]

    @property
    def self_inconsistent(self) -> int:
        """Rows that break a rule by themselves."""
        return int(self.classes.weights.sum()) - int(self.rest.weights.sum())


@dataclass(frozen=True, slots=True)
class Twins:
    """Lines with equal vectors of conflicting classes, under some of the rules."""

    rules: tuple[CodedRule, ...]
    edges: tuple[RuleEdges, ...]
    lines: npt.NDArray[np.int64]  # of `rest`, those in some conflict
    groups: Grouping  # of these lines
    weights: npt.NDArray[np.int64]
    vectors: npt.NDArray[np.int32]  # one line per rule, one entry per twin class
    codes: npt.NDArray[np.int32]  # of one row of each
    part: npt.NDArray[np.int64]  # of merged lines, the rows of a part; else 0


def build_graph(classes: Classes) -> ConflictGraph:
    """The conflict graph of a table, with every pair of classes written down.

    Each rule first finds the conflicts between classes over its own columns. A row is then known
    by its vector of conflicting classes, one per rule, and rows with equal vectors are twins: an
    almost unique column costs nothing where it breaks no rule. Last, every rule's conflicts are
    lifted to the twins, a pair belonging to the first rule that it breaks.
    """
    conflicts = find_conflicts(classes, merge=False)
    return explicit_graph(conflicts, twins_of(conflicts, range(len(conflicts.rules))))


def find_conflicts(classes: Classes, *, merge: bool) -> Conflicts:
    """The conflicts of each rule alone; with `merge`, what looks the same in dense groups is one.

    A merged line conflicts with itself, and no line of another rule's conflicts is merged.
    """
    memory_limit(classes.memory)  # one that makes no sense is refused whatever the table
    wrong = self_inconsistent(classes)
    rest = classes.select(~wrong) if wrong.any() else classes
    size = len(rest.weights)
    pairs = [rule for rule in classes.rules if rule.constraint.rows == 2]
    dependents = [
        find_dependent_groups(rest, r) for r in pairs if r.constraint.shape.kind is Kind.FD
    ]
    others = [(r, rule_edges(rest, r)) for r in pairs if r.constraint.shape.kind is not Kind.FD]
    merged = keep_apart(rest)
    if merge:
        merged = merge_parts(rest, dependents, [edges.class_of >= 0 for _, edges in others])
    by_rule = [
        (d.rule, dependent_edges(d, merged.remaining, merged.part > 0, classes.memory))
        for d in dependents
    ]
    by_rule += [
        (r, replace(edges, class_of=edges.class_of[merged.remaining])) for r, edges in others
    ]
    # The largest rule first: its pairs need no look at other rules.
    by_rule.sort(key=lambda item: len(item[1].left), reverse=True)
    by_rule = [(rule, edges) for rule, edges in by_rule if (edges.class_of >= 0).any()]
    line_of = np.full(len(wrong), -1, np.int64)
    line_of[~wrong] = merged.line_of
    if len(merged.remaining) < size:
        rest = replace(
            rest, codes=rest.codes[:, merged.remaining], weights=merged.weights, complete=None
        )
    rules, edges = tuple(rule for rule, _ in by_rule), tuple(edges for _, edges in by_rule)
    return Conflicts(classes, rest, line_of, merged.part, rules, edges)


def twins_of(conflicts: Conflicts, chosen: Sequence[int]) -> Twins:
    """The twin classes under the chosen rules alone."""
    rest = conflicts.rest
    edges = tuple(conflicts.edges[number] for number in chosen)
    vectors = np.empty((len(edges), len(rest.weights)), np.int32)
    for number, edge in enumerate(edges):
        vectors[number] = edge.class_of
    lines = np.flatnonzero((vectors >= 0).any(axis=0))
    groups = group_lines(vectors[:, lines])
    first = lines[groups.first]
    return Twins(
        tuple(conflicts.rules[number] for number in chosen),
        edges,
        lines,
        groups,
        sum_by(groups.label, rest.weights[lines], groups.count),
        np.ascontiguousarray(vectors[:, first]),
        np.ascontiguousarray(rest.codes[:, first]),
        conflicts.part[first],
    )


def explicit_graph(conflicts: Conflicts, twins: Twins) -> ConflictGraph:
    """The conflicts of the twins' rules, pair by pair of twin classes."""
    offsets, neighbours = _write_neighbours(twins, conflicts.classes.memory)
    return ConflictGraph(
        rows=conflicts.classes.rows,
        self_inconsistent=conflicts.self_inconsistent,
        weights=twins.weights,
        offsets=offsets,
        neighbours=neighbours,
        codes=twins.codes,
        rules=conflicts.classes.rules,
        class_of=class_of(conflicts, twins),
        part=np.maximum(twins.part, 1),
        memory=conflicts.classes.memory,
    )


def class_of(conflicts: Conflicts, twins: Twins) -> npt.NDArray[np.int32]:
    """The twin class of each line of the table's classes, or -1."""
    known = np.full(len(conflicts.rest.weights) + 1, -1, np.int32)  # the last: for lines in none
    known[twins.lines] = twins.groups.label
    return known[conflicts.line_of]


def self_inconsistent(classes: Classes) -> npt.NDArray[np.bool_]:
    """Which lines break a rule by themselves."""
    wrong = np.zeros(len(classes.weights), bool)
    for rule in classes.rules:
        if rule.constraint.rows == 1:
            wrong |= find_self_conflicts(classes, rule)
    return wrong


def find_self_conflicts(classes: Classes, rule: CodedRule) -> npt.NDArray[np.bool_]:
    """Which lines break this one-row rule."""
    broken: npt.NDArray[np.bool_] = np.logical_and.reduce(
        [p.holds(classes.codes) for p in rule.predicates]
    )
    return broken


def candidates(edge: RuleEdges, vector: npt.NDArray[np.int32]) -> int:
    """How many pairs of twin classes stand behind the edges of a rule."""
    size = np.bincount(vector[vector >= 0], minlength=int(edge.class_of.max(initial=-1)) + 1)
    pairs = size[edge.left] * size[edge.right]
    same = edge.left == edge.right
    pairs[same] = (pairs[same] + size[edge.left[same]]) // 2
    return int(pairs.sum())


def _write_neighbours(
    twins: Twins, memory: str | None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """The conflicting pairs of twins as sorted neighbour lists: counted first, then written."""
    table = *predicate_table(twins.rules), symmetric_rules(twins.rules)
    above, below = (np.zeros(twins.groups.count, np.int64) for _ in range(2))
    at, lists = above, np.empty(0, np.int32)
    loops = np.flatnonzero(twins.part)  # merged lines conflict with themselves
    for emit in (False, True):
        for number, edge in enumerate(twins.edges):
            lift(
                edge.left, edge.right, *members_of(twins.vectors[number]), *table, number,
                twins.vectors, twins.codes, twins.weights, emit, at, below, lists,
            )  # fmt: skip
        if emit:
            lists[at[loops]] = loops
        else:
            above[loops] += 1
        if not emit:
            at, lists = np.cumsum(above) - above, new_array(int(above.sum()), np.int32, memory)
    return join_neighbours(above, below, lists, memory)


def symmetric_rules(rules: Sequence[CodedRule]) -> npt.NDArray[np.bool_]:
    """Which rules say the same of (u, v) and (v, u)."""
    return np.array([r.constraint.shape.kind in (Kind.FD, Kind.KEY) for r in rules], bool)


def members_of(
    vector: npt.NDArray[np.int32],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """The entries of each class: members[offsets[c]:offsets[c + 1]]."""
    order = np.argsort(vector, kind="stable").astype(np.int32)
    outside = np.count_nonzero(vector < 0)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(vector[vector >= 0]))])
    return offsets.astype(np.int64), order[outside:]


def predicate_table(
    rules: Sequence[CodedRule],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """All predicates as the compiled loops want them, and where each rule's begin."""
    lines = [
        (p.left, p.left_row, ALLOWED[p.op], p.right, p.right_row, p.constant)
        for rule in rules
        for p in sorted(rule.predicates, key=lambda p: p.op is not Op.EQ)
    ]
    sizes = [len(rule.predicates) for rule in rules]
    return np.array(lines, np.int32).reshape(-1, 6), np.concatenate([[0], np.cumsum(sizes)])
