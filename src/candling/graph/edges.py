"""The conflicts of one rule, between classes over the rule's own columns.

Functional dependencies and keys need only grouping, order rules a sort and a sweep; everything
else is the engine's join of classes, on the equality columns first.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from candling.graph.kernels import distinct_pairs, inversions, label_runs, order_twins, sort_digits
from candling.records import dataclass
from candling.rules import Kind, Op
from candling.system.limits import new_array, pieces, runs
from candling.tables import Classes, CodedRule
from candling.tables.backends.duckdb import join_classes

SMALL = 30_000  # keys that NumPy sorts sooner than a compiled loop is loaded
DIGITS = 2**11  # values of a digit: as many counters stay near


@dataclass(frozen=True, slots=True)
class Grouping:
    """Entries with equal codes share a label; labels follow the order of the codes."""

    label: npt.NDArray[np.int32]  # per entry
    first: npt.NDArray[np.int64]  # per label, one entry that has it

    @property
    def count(self) -> int:
        return len(self.first)


def group_lines(codes: npt.NDArray[np.signedinteger[Any]]) -> Grouping:
    """Group the columns of the matrix `codes` (one line per attribute); none: one group."""
    size = codes.shape[1]
    if size == 0:
        return Grouping(np.empty(0, np.int32), np.empty(0, np.int64))
    key = np.zeros(size, np.int64)
    bound = 1  # every key is below it
    for line in codes:
        low, high = int(line.min()), int(line.max())
        if bound * (high - low + 1) >= 2**62:
            key, bound = _dense(key)
        key *= high - low + 1
        key += line
        key -= low
        bound *= high - low + 1
    if size > SMALL:
        return _by_digits(key, bound)
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    new = np.ones(size, bool)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    label = np.empty(size, np.int32)
    label[order] = np.cumsum(new, dtype=np.int32) - 1
    return Grouping(label, order[new])


def _by_digits(key: npt.NDArray[np.int64], bound: int) -> Grouping:
    """The groups of many keys below `bound`, in time that grows with their number alone."""
    one, two, label = (np.empty(len(key), np.int32) for _ in range(3))
    counts = np.empty(DIGITS + 1, np.int64)
    order = two if sort_digits(key, (bound - 1).bit_length(), one, two, counts) else one
    first = np.empty(len(key), np.int64)
    count = label_runs(key, order, label, first)
    return Grouping(label, first[:count].copy())


def sum_by(
    label: npt.NDArray[np.signedinteger[Any]], weights: npt.NDArray[np.int64], count: int
) -> npt.NDArray[np.int64]:
    """The sum of the weights of each label. At most 2**31 rows: the sums of floats are exact."""
    return np.bincount(label, weights, minlength=count).astype(np.int64)


def _dense(key: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], int]:
    values, inverse = np.unique(key, return_inverse=True)
    return inverse.astype(np.int64), len(values)


Indices = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class RuleEdges:
    """Which classes of a rule conflict: edge k joins left[k] and right[k] (equal: a loop)."""

    class_of: Indices  # rule class of every line of the table, or -1
    left: Indices
    right: Indices


def rule_edges(classes: Classes, rule: CodedRule) -> RuleEdges:
    """The conflicts under one pair rule; lines in no conflict have class -1."""
    form = rule.constraint.shape
    if form.kind is Kind.GENERAL:
        return _used(_join_classes(classes, rule))
    if form.kind is Kind.FD:
        every = np.arange(len(classes.weights))
        groups = find_dependent_groups(classes, rule)
        return dependent_edges(groups, every, np.zeros(len(every), bool), classes.memory)
    lines = eligible(classes, rule)
    if len(lines) == 0:
        none = np.empty(0, np.int32)
        return RuleEdges(np.full(len(classes.weights), -1, np.int32), none, none)
    find = _key if form.kind is Kind.KEY else _order
    return _used(find(classes, rule, lines))


def eligible(classes: Classes, rule: CodedRule) -> Indices:
    """Lines that can be in a conflict: no NULL in the rule's columns, its conditions hold."""
    fits = (classes.codes[list(rule.columns)] >= 0).all(axis=0)
    for p in rule.predicates:
        if p.right < 0 or p.left_row == p.right_row:
            fits &= p.holds(classes.codes)
    return np.flatnonzero(fits).astype(np.int32)


@dataclass(frozen=True, slots=True)
class Dependent:
    """The lines that a dependency concerns: in a group they agree on the left, in a part on both.

    Parts are numbered group by group. Two lines of a group conflict if they are of different parts.
    """

    rule: CodedRule
    equal: list[int]  # the columns on the left
    right: int  # the column on the right
    lines: Indices
    group: Indices  # per line
    part: Indices  # per line
    group_of: Indices  # per part

    def in_conflict(self, size: int) -> npt.NDArray[np.bool_]:
        """Which of so many lines are in a conflict."""
        several = np.bincount(self.group_of) > 1
        conflicting = np.zeros(size, bool)
        conflicting[self.lines[several[self.group]]] = True
        return conflicting


def find_dependent_groups(classes: Classes, rule: CodedRule) -> Dependent:
    """The groups and parts of a dependency."""
    lines = eligible(classes, rule)
    (right,) = (p.left for p in rule.predicates if p.op is Op.NE and p.left_row != p.right_row)
    equal = _equality_columns(rule)
    group = group_lines(classes.codes[equal][:, lines]).label
    # In the order of (group, right side), the parts of one group stand side by side.
    both = group_lines(np.stack([group, classes.codes[right][lines]]))
    return Dependent(rule, equal, right, lines, group, both.label, group[both.first])


def dependent_edges(
    groups: Dependent,
    lines: npt.NDArray[np.int64],
    merged: npt.NDArray[np.bool_],
    memory: str | None,
) -> RuleEdges:
    """The conflicts between some lines; a merged line conflicts with itself."""
    part = np.full(int(max(lines.max(initial=-1), groups.lines.max(initial=-1))) + 1, -1, np.int32)
    part[groups.lines] = groups.part
    class_of = part[lines]
    used = np.zeros(len(groups.group_of), bool)
    used[class_of[class_of >= 0]] = True
    number = np.append(np.where(used, np.cumsum(used) - 1, -1), -1).astype(np.int32)
    class_of = number[class_of]
    sizes = np.bincount(groups.group_of[used], minlength=groups.group_of.max(initial=-1) + 1)
    left, right = _pairs_within(sizes, memory)
    alone = merged & groups.in_conflict(len(part))[lines]
    return _used(RuleEdges(class_of, left, right), class_of[alone])


def _key(classes: Classes, rule: CodedRule, lines: Indices) -> RuleEdges:
    """Every two rows of a class conflict, so a class of two rows or more is a loop."""
    group = group_lines(classes.codes[_equality_columns(rule)][:, lines])
    loops = _heavy(classes, lines, group.label, group.count)
    return RuleEdges(_scatter(classes, lines, group.label), loops, loops.copy())


@dataclass(frozen=True, slots=True)
class Ordered:
    """The lines of an order rule, sorted such that a pair conflicts where the values fall."""

    label: Indices  # the class of each line, in the sorted order of classes
    offsets: npt.NDArray[np.int64]  # where the classes of each group of equal columns begin
    values: Indices  # of each class
    tied: bool  # whether equal values of one group count as a fall
    loops: bool  # whether equal rows conflict


def sort_lines(classes: Classes, rule: CodedRule, lines: Indices) -> Ordered:
    """Lines by the equality columns, then such that the rule forbids the second column to fall."""
    a, b = (
        p
        for p in rule.predicates
        if p.right >= 0 and p.left_row != p.right_row and p.op not in (Op.EQ, Op.NE)
    )
    codes = classes.codes[:, lines]
    # Brought to the form "first smaller in A, greater in B" by turning the scales around.
    sign_a = 1 if _first_smaller(a.op, a.left_row) else -1
    sign_b = -1 if _first_smaller(b.op, b.left_row) else 1
    tied_a, tied_b = a.op in (Op.LE, Op.GE), b.op in (Op.LE, Op.GE)
    group = group_lines(codes[_equality_columns(rule)])
    # Equal in A: an inversion is wanted if A may be equal, so B falls there, and rises otherwise.
    tie = -sign_b if tied_a else sign_b
    scale_a, scale_b = sign_a * codes[a.left], tie * codes[b.left]
    split = group_lines(np.stack([group.label, scale_a, scale_b]))
    values = (sign_b * codes[b.left])[split.first]
    sizes = np.bincount(group.label[split.first], minlength=group.count)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return Ordered(split.label, offsets, values, tied_b, tied_a and tied_b)


def _order(classes: Classes, rule: CodedRule, lines: Indices) -> RuleEdges:
    """Lines that agree on the equality columns and break both orders: inversions after a sort."""
    order = sort_lines(classes, rule, lines)
    loops = np.empty(0, np.int32)
    if order.loops:
        loops = _heavy(classes, lines, order.label, len(order.values))
    else:  # where equal rows conflict, rows that look the same may not
        order = without_twins(order)
    left, right = _inversions(
        order.offsets, order.values, loops, tied=order.tied, memory=classes.memory
    )
    return RuleEdges(_scatter(classes, lines, order.label), left, right)


def without_twins(order: Ordered) -> Ordered:
    """The same with one class for all that conflict with the same others.

    In a column of many values, a long run between two wrong ones becomes one class.
    """
    size, groups = len(order.values), np.diff(order.offsets)
    place = np.arange(size)
    group = np.repeat(np.arange(len(groups)), groups)
    # Equal values that count as a fall are ranked from the last to the first.
    ranked = np.lexsort((-place if order.tied else place, order.values, group))
    rank = np.empty(size, np.int32)
    rank[ranked] = place - order.offsets[group]
    later, earlier, below, first = (np.empty(size, np.int32) for _ in range(4))
    top = np.empty(2 * int(groups.max(initial=0)), np.int32)
    order_twins(order.offsets, rank, later, earlier, top, below, first)
    kept = first == place
    number = (np.cumsum(kept) - 1).astype(np.int32)
    return replace(
        order,
        label=number[first][order.label],
        offsets=np.concatenate([[0], np.cumsum(kept)])[order.offsets],
        values=order.values[kept],
    )


def _inversions(
    offsets: npt.NDArray[np.int64],
    values: Indices,
    loops: Indices,
    *,
    tied: bool,
    memory: str | None,
) -> tuple[Indices, Indices]:
    """The pairs of the sweep, counted first, then written; and after them the loops."""
    left = right = np.empty(0, np.int32)
    total = 0
    for emit in (False, True):
        order = np.arange(len(values), dtype=np.int32)
        total = inversions(offsets, values, order, np.empty_like(order), tied, emit, left, right)
        if not emit:
            left, right = (new_array(total + len(loops), np.int32, memory) for _ in "lr")
    left[total:] = right[total:] = loops
    return left, right


def _first_smaller(op: Op, left_row: int) -> bool:
    return (op in (Op.LT, Op.LE)) == (left_row == 1)


def _join_classes(classes: Classes, rule: CodedRule) -> RuleEdges:
    """The engine's join of the rule's classes with themselves."""
    group = group_lines(classes.codes[list(rule.columns)])
    codes = np.full((len(classes.codes), group.count), -1, np.int32)
    codes[list(rule.columns)] = classes.codes[list(rule.columns)][:, group.first]
    keys = join_classes(codes, rule, memory=classes.memory)
    every = np.arange(len(group.label), dtype=np.int32)
    heavy = np.zeros(group.count, bool)
    heavy[_heavy(classes, every, group.label, group.count)] = True
    return RuleEdges(group.label, *unpack_pairs(keys, heavy, classes.memory))


def unpack_pairs(
    keys: npt.NDArray[np.int64], several: npt.NDArray[np.bool_], memory: str | None
) -> tuple[Indices, Indices]:
    """The pairs that stand in `keys` as smaller * nodes + larger, each once, in order.

    `several` says of each node whether it has several rows: one of a single row is no pair with
    itself. Sorts `keys`.
    """
    left = right = np.empty(0, np.int32)
    if not len(keys):
        return left, right
    keys.sort()
    for emit in (False, True):
        count = distinct_pairs(keys, several, emit, left, right)
        if not emit:
            left, right = (new_array(count, np.int32, memory) for _ in "lr")
    return left, right


def _equality_columns(rule: CodedRule) -> list[int]:
    return [
        p.left
        for p in rule.predicates
        if p.op is Op.EQ and p.left == p.right and p.left_row != p.right_row
    ]


def _heavy(classes: Classes, lines: Indices, label: Indices, count: int) -> Indices:
    """Classes of two rows or more."""
    weights = np.bincount(label, classes.weights[lines], minlength=count)
    return np.flatnonzero(weights > 1).astype(np.int32)


def _pairs_within(sizes: npt.NDArray[np.int64], memory: str | None) -> tuple[Indices, Indices]:
    """All pairs i < j of 0, 1, 2, ... where consecutive runs of these sizes are the groups."""
    stops = np.repeat(np.cumsum(sizes), sizes)
    partners = stops - np.arange(len(stops)) - 1
    offsets = np.concatenate([[0], np.cumsum(partners)])
    left, right = (new_array(int(offsets[-1]), np.int32, memory) for _ in "lr")
    for start, stop in runs(offsets):
        here = slice(offsets[start], offsets[stop])
        own = np.repeat(np.arange(start, stop), partners[start:stop])
        left[here] = own
        right[here] = np.arange(here.start, here.stop) - offsets[own] + own + 1
    return left, right


def _scatter(classes: Classes, lines: Indices, label: Indices) -> Indices:
    class_of = np.full(len(classes.weights), -1, np.int32)
    class_of[lines] = label
    return class_of


def _used(edges: RuleEdges, also: Indices | None = None) -> RuleEdges:
    """The same with classes renumbered, and -1 for those in no conflict: `also` are in one."""
    count = int(edges.class_of.max(initial=-1)) + 1
    used = np.zeros(count, bool)
    mark(used, edges.left, edges.right)
    if also is not None:
        used[also] = True
    number = np.append(np.where(used, np.cumsum(used) - 1, -1), -1).astype(np.int32)
    renumber(number, edges.left, edges.right)
    return RuleEdges(number[edges.class_of], edges.left, edges.right)


def mark(used: npt.NDArray[np.bool_], *ends: Indices) -> None:
    """Set `used` at every end of an edge."""
    for side in ends:
        for piece in pieces(len(side)):
            used[side[piece]] = True


def renumber(number: Indices, *ends: Indices) -> None:
    """Write the new number of every end of an edge over the old one."""
    for side in ends:
        for piece in pieces(len(side)):
            side[piece] = number[side[piece]]
