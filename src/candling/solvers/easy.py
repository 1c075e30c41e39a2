"""Rules whose smallest repair is easy on every table, and that repair, without a pair of rows.

Three kinds are known. Dependencies and keys that steps in the manner of Livshits, Kimelfeld and
Roy ("Computing Optimal Repairs for Functional Dependencies", 2018) simplify to nothing; one rule on
the order of two columns; one rule that forbids rows to differ in two columns at once. Whether rules
are easy is read off the rules, never the data, and NULLs are taken care of (docs/privacy.md,
Theorem 4).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from candling.engines import Classes
from candling.graph.edges import eligible, ordered
from candling.graph.grouping import group_lines, sum_by
from candling.graph.predicates import satisfied
from candling.rules import Constraint, Kind, Op, Predicate
from candling.solvers.easy_kernels import heaviest_chain
from candling.solvers.progress import must_progress

Integers = npt.NDArray[np.int64]
Indices = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]

PAIRS_TRIED = 30  # rules up to which every two are tried as the beginning of an easy part
TOGETHER = 2**20  # lines that are worked on at once where rows with NULL go with every value


class EasyPart(Protocol):
    """Some of the rules, whose smallest repair is easy."""

    @property
    def rules(self) -> tuple[int, ...]:
        """Their places among all rules."""

    def heaviest(self, classes: Classes) -> int:
        """The most rows that can stay. Private."""


def easy_parts(constraints: Sequence[Constraint]) -> tuple[EasyPart, ...]:
    """Parts of the rules that are easy, none inside another.

    One part with all pair rules says that the smallest repair of the whole is easy. All of it is
    decided by the rules.
    """
    return _parts(tuple(constraints))


def exact_by_rules(constraints: Sequence[Constraint]) -> bool:
    """Whether these rules make the smallest repair easy on every table."""
    pairs = sum(c.rows == 2 for c in constraints)
    return not pairs or any(len(part.rules) == pairs for part in easy_parts(constraints))


def fewest_removed(part: EasyPart, classes: Classes) -> int:
    """The smallest repair under the rules of a part, of rows that break no rule alone."""
    return int(classes.weights.sum()) - part.heaviest(classes)


@cache
def _parts(constraints: tuple[Constraint, ...]) -> tuple[EasyPart, ...]:
    pairs = [number for number, c in enumerate(constraints) if c.rows == 2]
    found: list[EasyPart] = list(_dependency_parts(constraints))
    for number in pairs:
        form = constraints[number].shape
        if form.kind is Kind.ORDER:
            found.append(OrderPart((number,)))
        elif len(form.differing) == 2:
            found.append(DifferTwicePart((number,)))
    return tuple(found)


# Dependencies and keys


@dataclass(frozen=True, slots=True)
class Dependency:
    """Rows that agree on `left` agree on `right`; `right` None is a key: they are one row.

    It concerns rows that have no NULL in `guards` and meet the conditions there.
    """

    rule: int
    left: frozenset[str]
    right: str | None
    guards: frozenset[str | Predicate]

    @property
    def freed_by(self) -> frozenset[str | Predicate | None]:
        """A row is free of it with NULL in one of these columns, or if it misses a condition."""
        return self.guards | self.left | {self.right}


@dataclass(frozen=True, slots=True)
class Step:
    """A simplification of dependencies.

    `common`: rows that differ in the columns never conflict. `row`: one row can stay. `value`: rows
    that stay have one value of a rule's right side, or are free of that rule. `marriage`: the
    columns of both sides determine each other.
    """

    kind: str
    columns: frozenset[str] = frozenset()
    rule: int = -1
    guards: frozenset[str | Predicate] = frozenset()
    sides: tuple[frozenset[str], ...] = ()
    frees: frozenset[str] = frozenset()  # of a marriage: NULL there frees a row of all rules


def dependency(constraint: Constraint, rule: int = 0) -> Dependency | None:
    """A rule as a dependency, or None if it is something else."""
    form = constraint.shape
    if form.kind is Kind.KEY:
        return Dependency(rule, frozenset(form.equal), None, frozenset(form.where))
    if form.kind is Kind.FD and form.differ not in form.equal:
        return Dependency(rule, frozenset(form.equal), form.differ, frozenset(form.where))
    return None


def steps(dependencies: Sequence[Dependency], *, nullable: bool = True) -> tuple[Step, ...] | None:
    """The steps that simplify dependencies to nothing; None if there are none.

    Not `nullable`: on tables without NULL in a right side only, where more marriages hold.
    """
    left = tuple(dependencies)
    found: list[Step] = []
    while left:
        simplified = _simplified(left, nullable)
        if simplified is None:
            return None
        step, after = simplified
        # A step takes a rule away or a column out of a left side, and adds none.
        must_progress(_size(after) < _size(left))
        found.append(step)
        left = after
    return tuple(found)


def _size(dependencies: tuple[Dependency, ...]) -> int:
    return sum(1 + len(d.left) for d in dependencies)


def _simplified(
    rules: tuple[Dependency, ...], nullable: bool
) -> tuple[Step, tuple[Dependency, ...]] | None:
    common = frozenset.intersection(*(d.left for d in rules))
    if common:
        return Step("common", common), tuple(replace(d, left=d.left - common) for d in rules)
    ready = sorted((d for d in rules if not d.left), key=lambda d: (len(d.guards), d.rule))
    for d in ready:
        if d.right is None and not d.guards:
            return Step("row"), ()
    if ready:
        chosen = ready[0]
        columns = frozenset[str]() if chosen.right is None else frozenset({chosen.right})
        step = Step("value", columns, chosen.rule, chosen.guards)
        return step, tuple(_after_value(rules, chosen))
    lefts = sorted({d.left for d in rules}, key=sorted)
    for one, two in combinations(lefts, 2):
        both = one | two
        if (
            all(one <= d.left or two <= d.left for d in rules)
            and (not nullable or all(_harmless(column, rules) for column in both))
            and both <= _closure(one, both, rules, nullable)
            and both <= _closure(two, both, rules, nullable)
        ):
            rest = tuple(replace(d, left=d.left - both) for d in rules if d.right not in both)
            frees = frozenset(c for c in both if all(c in d.freed_by for d in rules))
            return Step("marriage", both, sides=(one, two), frees=frees), rest
    return None


def _after_value(rules: tuple[Dependency, ...], chosen: Dependency) -> Iterator[Dependency]:
    """The other rules, when the rows that `chosen` concerns have one value in its right side."""
    for d in rules:
        if d is chosen:
            continue
        if chosen.right is None or not chosen.guards <= d.freed_by:
            yield d  # it concerns rows that `chosen` leaves alone: nothing is known of those
        elif d.right != chosen.right:
            guard = d.left & {chosen.right}
            yield replace(d, left=d.left - guard, guards=d.guards | guard)


def _harmless(column: str, rules: tuple[Dependency, ...]) -> bool:
    """Whether NULL in a column frees a row of all rules, or is like a value of its own."""
    return all(column in d.freed_by for d in rules) or not any(
        column == d.right or column in d.guards for d in rules
    )


def _closure(
    start: frozenset[str], within: frozenset[str], rules: tuple[Dependency, ...], nullable: bool
) -> frozenset[str]:
    """Columns that `start` determines in rows that break no rule; through no NULL if there are."""
    found = start
    while True:  # grows in every round but the last, and has no more than all columns
        grown = found
        for d in rules:
            if d.left <= found and not d.guards:
                if d.right is None:
                    return found | within
                if not nullable or d.right in within:
                    grown |= {d.right}
        if grown == found:
            return found
        found = grown


def _dependency_parts(constraints: tuple[Constraint, ...]) -> Iterator[DependencyPart]:
    """Every easy part that cannot be extended, from each rule on and from each two of them."""
    every = [d for n, c in enumerate(constraints) if c.rows == 2 and (d := dependency(c, n))]
    found: list[tuple[Dependency, ...]] = []
    seeds: list[tuple[Dependency, ...]] = [(d,) for d in every]
    if len(every) <= PAIRS_TRIED:
        seeds += combinations(every, 2)
    if every:
        seeds.append(tuple(every))
    for seed in seeds:
        if any(set(seed) <= set(part) for part in found) or steps(seed) is None:
            continue
        part = seed
        for d in every:
            if d not in part and steps((*part, d)) is not None:
                part = (*part, d)
        found = [other for other in found if not set(other) <= set(part)]
        found.append(part)
    for part in found:
        easy = _part(part, nullable=True)
        if easy is None:
            raise AssertionError("whether rules are easy does not depend on their order")
        yield easy


def part_without_null(constraints: Sequence[Constraint]) -> DependencyPart | None:
    """All pair rules as one easy part of tables without NULL in a right side; None if they are not.

    For the owner alone: whether a table has a NULL there is its data.
    """
    every = [dependency(c, n) for n, c in enumerate(constraints) if c.rows == 2]
    known = [d for d in every if d is not None]
    return None if len(known) < len(every) else _part(known, nullable=False)


def _part(dependencies: Sequence[Dependency], *, nullable: bool) -> DependencyPart | None:
    """These dependencies as an easy part; None if they are none."""
    known = sorted(dependencies, key=lambda d: d.rule)
    rights = frozenset(d.right for d in known if d.right is not None)
    way = steps(known, nullable=nullable)
    return None if way is None else DependencyPart(tuple(d.rule for d in known), way, rights)


@dataclass(frozen=True, slots=True)
class DependencyPart:
    """Dependencies and keys that some steps simplify to nothing."""

    rules: tuple[int, ...]
    steps: tuple[Step, ...]
    rights: frozenset[str]  # the columns on the right sides

    def heaviest(self, classes: Classes) -> int:
        """By the steps, all groups of rows at once."""
        size = len(classes.weights)
        every = _Lines(np.arange(size), np.zeros(size, np.int32), classes.weights, 1)
        return int(_Solver(classes, self.steps).best(0, every)[0])


@dataclass(frozen=True, slots=True)
class _Lines:
    """Lines of a table in groups that are looked at together; a line may be in several."""

    lines: Integers
    label: Indices  # the group of each entry of `lines`
    weights: Integers  # the rows of each entry that may stay
    groups: int

    def only(self, chosen: Mask | Integers) -> _Lines:
        """Some of them, in the same groups."""
        return _Lines(self.lines[chosen], self.label[chosen], self.weights[chosen], self.groups)

    def by(self, *values: npt.NDArray[np.signedinteger[Any]]) -> tuple[_Lines, Indices]:
        """The same in smaller groups, by further values; and of which group each is a part."""
        found = group_lines(np.vstack([self.label, *values]))
        parts = _Lines(self.lines, found.label, self.weights, found.count)
        return parts, self.label[found.first]

    @property
    def sums(self) -> Integers:
        """The rows of each group."""
        return sum_by(self.label, self.weights, self.groups)


@dataclass(frozen=True, slots=True)
class _Solver:
    """The heaviest consistent sets of many groups of lines: each step treats all of them."""

    classes: Classes
    steps: tuple[Step, ...]

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
        free = _missing(codes)
        parts, whose = here.only(~free).by(codes[:, ~free])
        return here.only(free).sums + sum_by(whose, self.best(at + 1, parts), here.groups)

    def _value(self, at: int, here: _Lines) -> Integers:
        here, values = self._values(at, here)
        free = values < 0
        if at + 1 == len(self.steps):
            return here.only(free).sums + _heaviest_value(here.only(~free), values[~free])
        # Where every row or none is free of the rule, the values stand apart.
        freed, bound = (
            np.bincount(here.label[x], minlength=here.groups) > 0 for x in (free, ~free)
        )
        mixed = (freed & bound)[here.label]
        parts, whose = here.only(~mixed).by(values[~mixed])
        found = np.zeros(here.groups, np.int64)
        np.maximum.at(found, whose, self.best(at + 1, parts))
        if not mixed.any():
            return found
        rest, values = here.only(mixed), values[mixed]
        if at + 2 == len(self.steps) and self.steps[at + 1].kind == "value":
            return np.maximum(found, self._last_two(at, rest, values))
        for group, members in _members(rest.label):
            found[group] = self._with_free(at, rest.only(members), values[members])
        return found

    def _last_two(self, at: int, here: _Lines, one: Integers) -> Integers:
        """What can stay under two rules with nothing on the left: the best of all pairs of values.

        A row counts for a pair of values if it has both, or one and is free of the other rule.
        """
        here, two = self._values(at + 1, here)
        only_one, only_two = (one >= 0) & (two < 0), (one < 0) & (two >= 0)
        both = (one >= 0) & (two >= 0)
        free = here.only((one < 0) & (two < 0)).sums
        # Pairs that no row has: the best value of each alone. A pair that a row has is no less.
        found = _heaviest_value(here.only(only_one), one[only_one])
        found += _heaviest_value(here.only(only_two), two[only_two])
        if both.any():
            pairs, whose = here.only(both).by(one[both], two[both])
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
            np.maximum.at(found, whose, own)
        return free + found

    def _with_free(self, at: int, here: _Lines, values: Integers) -> int:
        """What can stay of one group in which some rows are free of the rule at hand.

        They go with every value. The heaviest values come first; no more than its own rows and
        the best of the free ones can stay with a value, so that the light ones need no look.
        """
        beside = here.only(values < 0)

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

        found = alone = best([np.empty(0, np.int64)])
        bound = np.flatnonzero(values >= 0)
        order = bound[np.argsort(values[bound], kind="stable")]
        parts = np.split(order, np.flatnonzero(np.diff(values[order])) + 1)
        totals = np.array([here.weights[part].sum() for part in parts])
        ranked = np.argsort(-totals, kind="stable")
        start, size = 0, 1
        while start < len(ranked) and totals[ranked[start]] + alone > found:
            chosen = ranked[start : start + size]
            found = max(found, best([parts[number] for number in chosen]))
            start += size
            size = min(2 * size, max(1, TOGETHER // (len(beside.lines) + 1)))
        return found

    def _marriage(self, at: int, here: _Lines) -> Integers:
        step = self.steps[at]
        empty = [_missing(self._codes(side, here)) for side in step.sides]
        # Every rule has one of the sides on its left: without both, none concerns a row.
        free = _missing(self._codes(step.frees, here)) | (empty[0] & empty[1])
        found = here.only(free).sums
        here, empty = here.only(~free), [side[~free] for side in empty]
        # Any other NULL is a value that no other row has. Then a key on the other side determines
        # this one, and keeps one of equal rows.
        unique = -2 - np.arange(len(here.lines))
        one, two = (
            here.by(np.where(none, unique, self._codes(side, here)))[0].label
            for side, none in zip(step.sides, empty, strict=True)
        )
        couples, whose = here.by(one, two)
        own, first = self.best(at + 1, couples), _firsts(couples.label)
        for group, members in _members(whose):
            ends = one[first[members]], two[first[members]]
            found[group] += _heaviest_matching(*ends, own[members])
        return found

    def _values(self, at: int, here: _Lines) -> tuple[_Lines, Integers]:
        """The right sides under the rule of a step, -1 for rows that are free of it.

        Of a key these are the rows themselves, and of equal ones that it concerns one can stay.
        """
        step, lines = self.steps[at], here.lines
        guards = frozenset(guard for guard in step.guards if isinstance(guard, str))
        free = _missing(self._codes(guards, here))
        for p in self.classes.rules[step.rule].predicates:
            if p.right < 0 or p.left_row == p.right_row:
                free |= ~satisfied(p, self.classes.codes)[lines]
        if step.columns:
            values = self._codes(step.columns, here)[0].astype(np.int64)
        else:
            values = np.arange(len(lines))
            here = replace(here, weights=np.where(free, here.weights, np.minimum(here.weights, 1)))
        return here, np.where(free, -1, values)

    def _codes(self, names: frozenset[str], here: _Lines) -> Indices:
        places = {name: index for rule in self.classes.rules for name, index in rule.names.items()}
        return self.classes.codes[[places[name] for name in sorted(names)]][:, here.lines]


def _missing(codes: Indices) -> Mask:
    """Which lines have a NULL in some of the columns."""
    found: Mask = np.logical_or.reduce(codes < 0)
    return found


def _firsts(label: Indices) -> Integers:
    """One entry of each label."""
    found: Integers = np.unique(label, return_index=True)[1]
    return found


def _heaviest_value(here: _Lines, values: npt.NDArray[np.signedinteger[Any]]) -> Integers:
    """The rows of the heaviest value in each group; 0 without one."""
    found = np.zeros(here.groups, np.int64)
    parts, whose = here.by(values)
    np.maximum.at(found, whose, parts.sums)
    return found


def _members(label: Indices) -> Iterator[tuple[int, Integers]]:
    """The entries of each label that occurs."""
    order = np.argsort(label, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(label[order])) + 1):
        if len(members):
            yield int(label[members[0]]), members


def _heaviest_matching(one: Indices, two: Indices, weights: Integers) -> int:
    """The heaviest matching of a bipartite graph, edge by edge, as a flow of least cost."""
    if len(weights) == 1:
        return int(weights[0])
    from ortools.graph.python import min_cost_flow

    (lefts, left), (rights, right) = (np.unique(x, return_inverse=True) for x in (one, two))
    source, sink = len(lefts) + len(rights), len(lefts) + len(rights) + 1
    right = right + len(lefts)
    network = min_cost_flow.SimpleMinCostFlow()

    def connect(tails: Any, heads: Any, costs: Any) -> None:
        tails, heads, costs = np.broadcast_arrays(tails, heads, costs)
        network.add_arcs_with_capacity_and_unit_cost(tails, heads, np.ones_like(tails), costs)

    connect(source, np.arange(len(lefts)), 0)
    connect(left, right, -weights)
    connect(len(lefts) + np.arange(len(rights)), sink, 0)
    network.add_arc_with_capacity_and_unit_cost(source, sink, len(lefts), 0)
    network.set_node_supply(source, len(lefts))
    network.set_node_supply(sink, -len(lefts))
    if network.solve() != network.OPTIMAL:
        raise AssertionError("a matching always exists")
    return -int(network.optimal_cost())


# One rule about two columns


@dataclass(frozen=True, slots=True)
class OrderPart:
    """One rule on the order of two columns, with or without columns that must be equal.

    Its rows, sorted by one column, conflict where the other falls: the rows that can stay are the
    heaviest sequence in which it does not.
    """

    rules: tuple[int]

    def heaviest(self, classes: Classes) -> int:
        """From one sort and one sweep."""
        rule = classes.rules[self.rules[0]]
        lines = eligible(classes, rule)
        kept = int(classes.weights.sum()) - int(classes.weights[lines].sum())
        if not len(lines):
            return kept
        order = ordered(classes, rule, lines)
        weights = sum_by(order.label, classes.weights[lines], len(order.values))
        if order.loops:
            weights = np.minimum(weights, 1)
        group = np.repeat(np.arange(len(order.offsets) - 1), np.diff(order.offsets))
        rank = group_lines(np.stack([group, order.values])).label
        rank -= np.minimum.reduceat(rank, order.offsets[:-1])[group]
        room = np.zeros(len(rank) + 1, np.int64)
        return kept + int(heaviest_chain(order.offsets, rank, weights, order.tied, room))


@dataclass(frozen=True, slots=True)
class DifferTwicePart:
    """One rule against rows that differ in two columns at once.

    Of three rows that pairwise agree in one of two columns, all agree in the same one: else the two
    that share no column with each other would conflict. So the rows that stay have one value in
    common.
    """

    rules: tuple[int]

    def heaviest(self, classes: Classes) -> int:
        """The heaviest value in either column, in each group of rows that the rule compares."""
        rule = classes.rules[self.rules[0]]
        lines = eligible(classes, rule)
        weights = classes.weights[lines]
        kept = int(classes.weights.sum()) - int(weights.sum())
        if not len(lines):
            return kept
        joins = [p for p in rule.predicates if p.right >= 0 and p.left_row != p.right_row]
        equal = [p.left for p in joins if p.op is Op.EQ]
        groups = group_lines(classes.codes[equal][:, lines])
        here = _Lines(lines.astype(np.int64), groups.label, weights, groups.count)
        by_column = [
            _heaviest_value(here, classes.codes[p.left][lines]) for p in joins if p.op is Op.NE
        ]
        return kept + int(np.maximum(*by_column).sum())
