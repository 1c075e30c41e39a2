"""The smallest repair under rules for which it is easy, without a pair of rows.

Which rules these are is decided in `rules/compile.py`. Proofs: docs/privacy.md, Theorem 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from candling.graph.edges import eligible, group_lines, sort_lines, sum_by
from candling.graph.repair_kernels import heaviest_chain, heaviest_matching
from candling.records import dataclass
from candling.rules import Op
from candling.rules.compile import Step, Tractable, TractableSubset
from candling.tables import Classes

Integers = npt.NDArray[np.int64]
Indices = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]

TOGETHER = 2**20  # lines that are worked on at once where rows with NULL go with every value


def count_fewest_removals(part: TractableSubset, classes: Classes) -> int:
    """The smallest repair under the rules of a part, of rows that break no rule alone."""
    return int(classes.weights.sum()) - heaviest(part, classes)


def heaviest(part: TractableSubset, classes: Classes) -> int:
    """The most rows that can stay under the rules of a part. Private."""
    return _HEAVIEST[part.kind](part, classes)


def _by_steps(part: TractableSubset, classes: Classes) -> int:
    """Of dependencies and keys: by the steps, all groups of rows at once."""
    size = len(classes.weights)
    every = _Lines(np.arange(size), np.zeros(size, np.int32), classes.weights, 1)
    return int(_solver(classes, part.steps).best(0, every)[0])


@dataclass(frozen=True, slots=True)
class _Lines:
    """Lines of a table in groups that are looked at together; a line may be in several."""

    lines: Integers
    label: Indices  # the group of each entry of `lines`
    weights: Integers  # the rows of each entry that may stay
    groups: int

    def select(self, chosen: Mask | Integers) -> _Lines:
        """Some of them, in the same groups."""
        return _Lines(self.lines[chosen], self.label[chosen], self.weights[chosen], self.groups)

    def by(self, *values: npt.NDArray[np.signedinteger[Any]]) -> tuple[_Lines, Indices]:
        """The same in smaller groups, by further values; and of which group each is a part."""
        smaller = group_lines(np.vstack([self.label, *values]))
        parts = _Lines(self.lines, smaller.label, self.weights, smaller.count)
        return parts, self.label[smaller.first]

    @property
    def sums(self) -> Integers:
        """The rows of each group."""
        return sum_by(self.label, self.weights, self.groups)


@dataclass(frozen=True, slots=True)
class _Solver:
    """The heaviest consistent sets of many groups of lines: each step treats all of them."""

    classes: Classes
    steps: tuple[Step, ...]
    places: Mapping[str, int]  # of the columns
    free: Mapping[int, Mask]  # by step of the kind `value`: lines of the table that are free of it
    last: Integers  # of each line, the last step that may bind it

    def best(self, at: int, here: _Lines) -> Integers:
        """What can stay of each group when the steps from `at` on are still to be done."""
        if at == len(self.steps):
            return here.sums
        kind = self.steps[at].kind
        if kind == "row":
            return np.minimum(here.sums, 1)
        if kind == "common":
            return self._common(at, here)
        return self._value(at, here) if kind == "value" else self._marriage(at, here)

    def _common(self, at: int, here: _Lines) -> Integers:
        codes = self._codes(self.steps[at].columns, here)
        free = _find_nulls(codes)
        parts, whose = here.select(~free).by(codes[:, ~free])
        return here.select(free).sums + sum_by(whose, self.best(at + 1, parts), here.groups)

    def _value(self, at: int, here: _Lines) -> Integers:
        """One `value` step after the other, in a loop: of hundreds of rules most remove nothing."""
        undone: list[tuple[Integers, Indices]] = []  # what stays beside each part of the groups
        while True:
            if at == len(self.steps) or self.steps[at].kind != "value":
                most = self.best(at, here)
                break
            here, values = self._values(at, here)
            free = values < 0
            if at + 1 == len(self.steps):
                most = here.select(free).sums + _heaviest_value(here.select(~free), values[~free])
                break
            # Where the bound rows have one value, the rule removes none.
            several = _have_several(here, values)
            if several.any():
                beside, here, whose = self._split(at, here, values, several)
                undone.append((beside, whose))
            at += 1
        for beside, whose in reversed(undone):
            further = np.zeros(len(beside), np.int64)
            np.maximum.at(further, whose, most)
            most = beside + further
        return most

    def _split(
        self, at: int, here: _Lines, values: Integers, several: Mask
    ) -> tuple[Integers, _Lines, Indices]:
        """Groups by the value that stays, where some have several.

        Returns:
            what stays of each group beside the best of its parts, the parts, and whose they are.
        """
        free = values < 0
        freed = np.bincount(here.label[free], minlength=here.groups) > 0
        # Bound rows that no further rule binds are apart from the free ones.
        further = ~free & (self.last[here.lines] > at)
        apart = several & (np.bincount(here.label[further], minlength=here.groups) == 0)
        ended = apart[here.label] & ~free
        beside = _heaviest_value(here.select(ended), values[ended])
        here, values = here.select(~ended), values[~ended]
        # Where no row is free of the rule, the values stand apart.
        mixed = (several & freed & ~apart)[here.label]
        split = np.where(several[here.label], values, -1)
        parts, whose = here.select(~mixed).by(split[~mixed])
        if mixed.any():
            rest, values = here.select(mixed), values[mixed]
            if at + 2 == len(self.steps) and self.steps[at + 1].kind == "value":
                beside += self._last_two(at, rest, values)
            else:
                for group, members in _members(rest.label):
                    beside[group] = self._with_free(at, rest.select(members), values[members])
        return beside, parts, whose

    def _last_two(self, at: int, here: _Lines, one: Integers) -> Integers:
        """What can stay under two rules with nothing on the left: the best of all pairs of values.

        A row counts for a pair of values if it has both, or one and is free of the other rule.
        """
        here, two = self._values(at + 1, here)
        only_one, only_two = (one >= 0) & (two < 0), (one < 0) & (two >= 0)
        both = (one >= 0) & (two >= 0)
        free = here.select((one < 0) & (two < 0)).sums
        # Pairs that no row has: the best value of each alone. A pair that a row has is no less.
        most = _heaviest_value(here.select(only_one), one[only_one])
        most += _heaviest_value(here.select(only_two), two[only_two])
        if both.any():
            pairs, whose = here.select(both).by(one[both], two[both])
            own, first = pairs.sums, _firsts(pairs.label)
            for values, alone in ((one, only_one), (two, only_two)):
                same = group_lines(
                    np.stack(
                        [
                            np.concatenate([whose, here.label[alone]]),
                            np.concatenate([values[both][first], values[alone]]),
                        ]
                    )
                ).label
                added = sum_by(same[pairs.groups :], here.weights[alone], int(same.max()) + 1)
                own += added[same[: pairs.groups]]
            np.maximum.at(most, whose, own)
        return free + most

    def _with_free(self, at: int, here: _Lines, values: Integers) -> int:
        """What can stay of one group in which some rows are free of the rule at hand.

        They go with every value. The heaviest values come first; no more than its own rows and
        the best of the free ones can stay with a value, so that the light ones need no look.
        """
        beside = here.select(values < 0)

        def best(parts: list[Integers]) -> int:
            """Of the free rows with those of one part after the other."""
            own, numbers = np.concatenate(parts), np.arange(len(parts), dtype=np.int32)
            together = _Lines(
                np.concatenate([here.lines[own], np.tile(beside.lines, len(parts))]),
                np.concatenate(
                    [
                        np.repeat(numbers, [len(part) for part in parts]),
                        np.repeat(numbers, len(beside.lines)),
                    ]
                ),
                np.concatenate([here.weights[own], np.tile(beside.weights, len(parts))]),
                len(parts),
            )
            return int(self.best(at + 1, together).max())

        most = alone = best([np.empty(0, np.int64)])
        bound = np.flatnonzero(values >= 0)
        order = bound[np.argsort(values[bound], kind="stable")]
        parts = np.split(order, np.flatnonzero(np.diff(values[order])) + 1)
        totals = np.array([here.weights[part].sum() for part in parts])
        ranked = np.argsort(-totals, kind="stable")
        start, size = 0, 1
        while start < len(ranked) and totals[ranked[start]] + alone > most:
            chosen = ranked[start : start + size]
            most = max(most, best([parts[number] for number in chosen]))
            start += size
            size = min(2 * size, max(1, TOGETHER // (len(beside.lines) + 1)))
        return most

    def _marriage(self, at: int, here: _Lines) -> Integers:
        step = self.steps[at]
        empty = [_find_nulls(self._codes(side, here)) for side in step.sides]
        # Every rule has one of the sides on its left: without both, none concerns a row.
        free = _find_nulls(self._codes(step.frees, here)) | (empty[0] & empty[1])
        most = here.select(free).sums
        here, empty = here.select(~free), [side[~free] for side in empty]
        # Any other NULL is a value that no other row has. Then a key on the other side determines
        # this one, and keeps one of equal rows.
        unique = -2 - np.arange(len(here.lines))
        one, two = (
            here.by(np.where(none, unique, self._codes(side, here)))[0].label
            for side, none in zip(step.sides, empty, strict=True)
        )
        couples, whose = here.by(one, two)
        own, first = self.best(at + 1, couples), _firsts(couples.label)
        # No side is in two groups: one matching of all is one of each.
        matched = _heaviest_matching(one[first], two[first], own)
        return most + sum_by(whose[matched], own[matched], here.groups)

    def _values(self, at: int, here: _Lines) -> tuple[_Lines, Integers]:
        """The right sides under the rule of a step, -1 for rows that are free of it.

        Of a key these are the rows themselves, and of equal ones that it concerns one can stay.
        """
        step, lines = self.steps[at], here.lines
        free = self.free[at][lines]
        if step.columns:
            values = self._codes(step.columns, here)[0].astype(np.int64)
        else:
            values = np.arange(len(lines))
            here = replace(here, weights=np.where(free, here.weights, np.minimum(here.weights, 1)))
        return here, np.where(free, -1, values)

    def _codes(self, names: frozenset[str], here: _Lines) -> Indices:
        return self.classes.codes[[self.places[name] for name in sorted(names)]][:, here.lines]


def _solver(classes: Classes, steps: tuple[Step, ...]) -> _Solver:
    """What the steps need to know of all lines, worked out once."""
    places = {name: index for rule in classes.rules for name, index in rule.names.items()}
    free: dict[int, Mask] = {}
    last = np.zeros(len(classes.weights), np.int64)
    for at, step in enumerate(steps):
        if step.kind != "value":
            last[:] = at
            continue
        # NULL on the right side is no value, so it binds no row either.
        names = {guard for guard in step.guards if isinstance(guard, str)} | step.columns
        unbound = _find_nulls(classes.codes[[places[name] for name in sorted(names)]])
        for p in classes.rules[step.rule].predicates:
            if p.right < 0 or p.left_row == p.right_row:
                unbound |= ~p.holds(classes.codes)
        free[at] = unbound
        last[~unbound] = at
    return _Solver(classes, steps, places, free, last)


def _have_several(here: _Lines, values: npt.NDArray[np.signedinteger[Any]]) -> Mask:
    """Groups of which some entries have different values; -1 is none."""
    bound = values >= 0
    low = np.full(here.groups, np.iinfo(np.int64).max)
    high = np.full(here.groups, -1)
    np.minimum.at(low, here.label[bound], values[bound])
    np.maximum.at(high, here.label[bound], values[bound])
    found: Mask = low < high
    return found


def _find_nulls(codes: Indices) -> Mask:
    """Which lines have a NULL in some of the columns."""
    missing: Mask = np.logical_or.reduce(codes < 0)
    return missing


def _firsts(label: Indices) -> Integers:
    """One entry of each label."""
    entries: Integers = np.unique(label, return_index=True)[1]
    return entries


def _heaviest_value(here: _Lines, values: npt.NDArray[np.signedinteger[Any]]) -> Integers:
    """The rows of the heaviest value in each group; 0 without one."""
    most = np.zeros(here.groups, np.int64)
    parts, whose = here.by(values)
    np.maximum.at(most, whose, parts.sums)
    return most


def _members(label: Indices) -> Iterator[tuple[int, Integers]]:
    """The entries of each label that occurs."""
    order = np.argsort(label, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(label[order])) + 1):
        if len(members):
            yield int(label[members[0]]), members


def _heaviest_matching(one: Indices, two: Indices, weights: Integers) -> Mask:
    """Which edges of a bipartite graph are in its heaviest matching."""
    order = np.argsort(one, kind="stable")
    lefts, rights = (np.unique(x[order], return_inverse=True)[1] for x in (one, two))
    left, right = (int(x.max(initial=-1)) + 1 for x in (lefts, rights))
    offsets = np.concatenate([[0], np.cumsum(np.bincount(lefts, minlength=left))])
    chosen, owner, far = (np.full(size, -1) for size in (left, right, right))
    prices = np.zeros(left, np.int64), np.zeros(right, np.int64)
    room = (np.empty(size, np.int64) for size in (right, right, len(order), len(order)))
    heaviest_matching(offsets, lefts, rights, weights[order], chosen, owner, *prices, far, *room)
    matched = np.zeros(len(order), bool)
    matched[order[chosen[chosen >= 0]]] = True
    return matched


# One rule about two columns


def _in_order(part: TractableSubset, classes: Classes) -> int:
    """Of one rule on the order of two columns: from one sort and one sweep.

    Its rows, sorted by one column, conflict where the other falls: the rows that can stay are the
    heaviest sequence in which it does not.
    """
    rule = classes.rules[part.rules[0]]
    lines = eligible(classes, rule)
    untouched = int(classes.weights.sum()) - int(classes.weights[lines].sum())
    if not len(lines):
        return untouched
    order = sort_lines(classes, rule, lines)
    weights = sum_by(order.label, classes.weights[lines], len(order.values))
    if order.loops:
        weights = np.minimum(weights, 1)
    group = np.repeat(np.arange(len(order.offsets) - 1), np.diff(order.offsets))
    rank = group_lines(np.stack([group, order.values])).label
    rank -= np.minimum.reduceat(rank, order.offsets[:-1])[group]
    room = np.zeros(len(rank) + 1, np.int64)
    return untouched + int(heaviest_chain(order.offsets, rank, weights, order.tied, room))


def _of_one_value(part: TractableSubset, classes: Classes) -> int:
    """Of one rule against rows that differ in two columns at once.

    Of three rows that pairwise agree in one of two columns, all agree in the same one: else the two
    that share no column with each other would conflict. So the rows that stay have one value in
    common: the heaviest one in either column, in each group of rows that the rule compares.
    """
    rule = classes.rules[part.rules[0]]
    lines = eligible(classes, rule)
    weights = classes.weights[lines]
    untouched = int(classes.weights.sum()) - int(weights.sum())
    if not len(lines):
        return untouched
    joins = [p for p in rule.predicates if p.right >= 0 and p.left_row != p.right_row]
    equal = [p.left for p in joins if p.op is Op.EQ]
    groups = group_lines(classes.codes[equal][:, lines])
    here = _Lines(lines.astype(np.int64), groups.label, weights, groups.count)
    by_column = [
        _heaviest_value(here, classes.codes[p.left][lines]) for p in joins if p.op is Op.NE
    ]
    return untouched + int(np.maximum(*by_column).sum())


_HEAVIEST: dict[Tractable, Callable[[TractableSubset, Classes], int]] = {
    Tractable.DEPENDENCIES: _by_steps,
    Tractable.ORDER: _in_order,
    Tractable.DIFFER_TWICE: _of_one_value,
}
