"""Merging the parts of dense groups, so that their pairs need not be written down.

Rows that agree on the left side of a dependency fall into parts by their right sides, and rows of
different parts conflict. Parts of a group that have equally many rows and no other conflicts look
the same from everywhere: each of their rows conflicts with all rows of the group but those of its
own part (and, of several dependencies, some rows that lack a right side). They become one line that
conflicts with itself. However dirty a group of n rows is, its parts have no more than about the
square root of 2n different sizes, so few pairs of lines remain.

Every flow of the graph keeps its value: averaging a flow over rows that look the same keeps it
feasible (docs/scale.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from candling.engines import Classes
from candling.graph.edges import Dependent
from candling.graph.grouping import group_lines, sum_by

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


def unmerged(classes: Classes) -> Merged:
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
        form = dependent.rule.constraint.shape
        bundles.setdefault((form.equal, form.where), []).append(place)
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
    lines, group, own, beside = _grouped(classes, bundle)
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


def _grouped(
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
        nobody = np.empty((0, len(only.lines)), np.int32)
        return only.lines.astype(np.int64), only.group, only.part, nobody
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
