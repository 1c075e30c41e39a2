"""The rules of a table, compiled: their kinds and tractable subsets, worked out once.

Three kinds are known. Dependencies and keys that steps in the manner of Livshits, Kimelfeld and
Roy ("Computing Optimal Repairs for Functional Dependencies", 2018) simplify to nothing; one rule on
the order of two columns; one rule that forbids rows to differ in two columns at once. NULLs are
taken care of (docs/privacy.md, Theorem 4). `graph/tractable_repair.py` computes these repairs.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import cached_property
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any, overload

from candling.reading import TEXT
from candling.records import dataclass
from candling.rules.canonical import Kind, Shape
from candling.rules.constraint import Column, Constant, Constraint, Op, Predicate
from candling.rules.findings import implies, never_fires, satisfiable
from candling.rules.printer import to_text_without_label
from candling.rules.types import type_rule

if TYPE_CHECKING:
    from candling.rules.constraint import ConstraintSet

_MOST_TRIED = 300_000  # rules, over all attempts to extend a part: enough for some 400, in seconds
MOST_ENTANGLED = 4  # dependencies of a part whose conditions overlap: each may double the work
PAIRS_TRIED = 30  # rules up to which every two are tried as the beginning of an easy part


class Tractable(StrEnum):
    """Why a smallest repair is easy."""

    DEPENDENCIES = "dependencies and keys that steps simplify to nothing"
    ORDER = "one rule on the order of two columns"
    DIFFER_TWICE = "one rule against rows that differ in two columns at once"


@dataclass(frozen=True, slots=True)
class TractableSubset:
    """Some of the rules, whose smallest repair is easy."""

    kind: Tractable
    rules: tuple[int, ...]  # their places among all rules
    steps: tuple[Step, ...] = ()  # that simplify dependencies
    rights: frozenset[str] = frozenset()  # the columns on the right sides of dependencies


def easy_parts(constraints: Sequence[Constraint]) -> tuple[TractableSubset, ...]:
    """Parts of the rules that are easy, none inside another.

    One part with all pair rules says that the smallest repair of the whole is easy.
    """
    parts = list(_dependency_parts(tuple(constraints)))
    for number, rule in enumerate(constraints):
        if rule.rows == 2 and rule.shape.kind is Kind.ORDER:
            parts.append(TractableSubset(Tractable.ORDER, (number,)))
        elif rule.rows == 2 and len(rule.shape.differing) == 2:
            parts.append(TractableSubset(Tractable.DIFFER_TWICE, (number,)))
    return tuple(parts)


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
    left = tuple(_drop_implied(dependencies))
    if _are_entangled(left):
        return None
    found: list[Step] = []
    while left:
        simplified = _simplify(left, nullable)
        if simplified is None:
            return None
        step, after = simplified
        # A step takes a rule away or a column out of a left side, and adds none.
        if _size(after) >= _size(left):
            raise AssertionError("a step simplifies")
        found.append(step)
        left = after
    return tuple(found)


def _drop_implied(dependencies: Sequence[Dependency]) -> Iterator[Dependency]:
    """The dependencies without those that another one contains: `where D > 5` has `where D > 7`."""
    alike: dict[object, list[Dependency]] = {}
    for d in dependencies:
        kept = alike.setdefault((d.left, d.right), [])
        if any(_contains(other.guards, d.guards) for other in kept):
            continue
        kept[:] = [other for other in kept if not _contains(d.guards, other.guards)]
        kept.append(d)
    chosen = {d.rule for kept in alike.values() for d in kept}
    return (d for d in dependencies if d.rule in chosen)


Guards = frozenset[str | Predicate]


@functools.lru_cache(2**16)
def _contains(wide: Guards, narrow: Guards) -> bool:
    """Whether all rows that meet the conditions `narrow` meet those of `wide`."""
    return not _exclude(wide, narrow) and implies(_conditions(narrow), _conditions(wide))


@functools.lru_cache(2**16)
def _overlap(one: Guards, two: Guards) -> bool:
    """Whether a row may meet both conditions."""
    return not _exclude(one, two) and satisfiable((*_conditions(one), *_conditions(two)))


def _exclude(one: Guards, two: Guards) -> bool:
    """Whether two conditions state different values of a column: seen sooner than by reasoning."""
    fixed = _fixed(one)
    return any(fixed.get(column, value) != value for column, value in _fixed(two).items())


@functools.lru_cache(2**16)
def _fixed(guards: Guards) -> dict[Column, Constant]:
    """The columns of which a condition states the value."""
    return {
        p.left: p.right
        for p in _conditions(guards)
        if p.op is Op.EQ and isinstance(p.right, Constant)
    }


def _conditions(guards: Guards) -> tuple[Predicate, ...]:
    return tuple(guard for guard in guards if isinstance(guard, Predicate))


def _are_entangled(dependencies: Sequence[Dependency]) -> bool:
    """Whether the conditions of too many overlap with those of another.

    The smallest repair branches where some rows of a group meet one of them and some another.
    """
    conditional = [d.guards for d in dependencies if _conditions(d.guards)]
    entangled: set[int] = set()
    for number, guards in enumerate(conditional):
        for other in range(number):
            if _overlap(guards, conditional[other]):
                entangled |= {number, other}
                if len(entangled) > MOST_ENTANGLED:
                    return True
    return False


def _size(dependencies: tuple[Dependency, ...]) -> int:
    return sum(1 + len(d.left) for d in dependencies)


def _simplify(
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
            yield replace(d, left=d.left - guard, guards=d.guards | guard) if guard else d


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


def _dependency_parts(constraints: tuple[Constraint, ...]) -> Iterator[TractableSubset]:
    """Every easy part that cannot be extended, from each rule on and from each two of them."""
    every = [d for n, c in enumerate(constraints) if c.rows == 2 and (d := dependency(c, n))]
    found: list[tuple[Dependency, ...]] = []
    seeds: list[tuple[Dependency, ...]] = [tuple(every)] if every else []
    seeds += [(d,) for d in every]
    if len(every) <= PAIRS_TRIED:
        seeds += combinations(every, 2)
    left = _MOST_TRIED
    for seed in seeds:
        if any(set(seed) <= set(part) for part in found) or steps(seed) is None:
            continue
        part = seed
        for d in every:
            if left > 0 and d not in part:
                left -= len(part) + 1
                if steps((*part, d)) is not None:
                    part = (*part, d)
        found = [other for other in found if not set(other) <= set(part)]
        found.append(part)
    for part in found:
        easy = _part(part, nullable=True)
        if easy is None:
            raise AssertionError("whether rules are easy does not depend on their order")
        yield easy


def part_without_null(constraints: Sequence[Constraint]) -> TractableSubset | None:
    """All pair rules as one easy part of tables without NULL in a right side; None if they are not.

    For the owner alone: whether a table has a NULL there is its data.
    """
    every = [dependency(c, n) for n, c in enumerate(constraints) if c.rows == 2]
    known = [d for d in every if d is not None]
    return None if len(known) < len(every) else _part(known, nullable=False)


def _part(dependencies: Sequence[Dependency], *, nullable: bool) -> TractableSubset | None:
    """These dependencies as an easy part; None if they are none."""
    known = sorted(dependencies, key=lambda d: d.rule)
    rights = frozenset(d.right for d in known if d.right is not None)
    way = steps(known, nullable=nullable)
    return (
        None
        if way is None
        else TractableSubset(Tractable.DEPENDENCIES, tuple(d.rule for d in known), way, rights)
    )


@dataclass(frozen=True, slots=True)
class RuleLine:
    """A rule as a card writes it."""

    text: str  # with its label, as in a rules file
    rule: str  # without
    label: str | None = None
    states_type: bool = False  # a type of a column, which a cell that does not fit breaks

    def to_dict(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "rule": self.rule,
            "label": self.label,
            "states_type": self.states_type,
        }


def join_types(lines: Iterable[RuleLine]) -> tuple[str, ...]:
    """What `by_rule` has one number for: each rule, and after them all types together."""
    known = list(lines)
    types = "; ".join(line.text for line in known if line.states_type)
    return (*(line.text for line in known if not line.states_type), *([types] if types else ()))


@dataclass(frozen=True)
class Rules(Sequence[Constraint]):
    """The rules that can be broken, each once and in its canonical form."""

    constraints: tuple[Constraint, ...]

    @overload
    def __getitem__(self, at: int) -> Constraint: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Constraint, ...]: ...
    def __getitem__(self, at: int | slice) -> Constraint | tuple[Constraint, ...]:
        return self.constraints[at]

    def __len__(self) -> int:
        return len(self.constraints)

    def __iter__(self) -> Iterator[Constraint]:
        return iter(self.constraints)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Each rule as one line."""
        return tuple(map(str, self.constraints))

    @cached_property
    def lines(self) -> tuple[RuleLine, ...]:
        """Each rule as a card writes it."""
        return tuple(
            RuleLine(text, to_text_without_label(rule), rule.label, rule.states_type)
            for text, rule in zip(self.texts, self.constraints, strict=True)
        )

    @cached_property
    def chain(self) -> Chain:
        """Whether maximal consistent subsets can be counted under these rules."""
        return chain(self.constraints)

    @cached_property
    def easy_parts(self) -> tuple[TractableSubset, ...]:
        """Parts of the rules whose smallest repair is easy on every table."""
        return easy_parts(self.constraints)

    @cached_property
    def exact_repair(self) -> bool:
        """Whether the smallest repair under all of the rules is easy on every table."""
        pairs = sum(rule.rows == 2 for rule in self.constraints)
        return not pairs or any(len(part.rules) == pairs for part in self.easy_parts)

    @cached_property
    def entries(self) -> tuple[tuple[int, ...], ...]:
        """The places of rules that get one number together: each rule one, all types one."""
        types = tuple(n for n, rule in enumerate(self.constraints) if rule.states_type)
        others = [(n,) for n, rule in enumerate(self.constraints) if not rule.states_type]
        return (*others, types) if types else tuple(others)

    @cached_property
    def entry_texts(self) -> tuple[str, ...]:
        """The rules of each entry as one line."""
        return join_types(self.lines)

    @cached_property
    def alone(self) -> tuple[Rules, ...]:
        """Each entry as if there were no other rule."""
        return tuple(Rules(tuple(self.constraints[n] for n in entry)) for entry in self.entries)

    def with_types(self, types: Iterable[Constraint]) -> Rules:
        """The same rules on a table where these are the rules of types."""
        kept = (rule for rule in self.constraints if not rule.states_type)
        return Rules((*kept, *types))


def compile_rules(constraints: ConstraintSet | Iterable[Constraint]) -> Rules:
    """The rules that matter, in order: no repeats, and none that can never be broken.

    With the rules of the types that they state; `Rules.with_types` has those of a table.
    """
    distinct: dict[Constraint, Constraint] = {}
    for rule in constraints:
        if not never_fires(rule):
            distinct.setdefault(rule.canonical, rule.canonical)
    lines = getattr(constraints, "types", ())
    types = (type_rule(line.column, line.type) for line in lines if line.type != TEXT)
    return Rules((*distinct.values(), *types))


# Counting maximal consistent subsets


@dataclass(frozen=True, slots=True)
class Chain:
    """What the rules say about counting maximal consistent subsets.

    `broken_by` are the rules in the way. If there are none, the graph is a cograph on the rows that
    hold no NULL in the columns `not_null`: a row with NULL as a right side escapes that rule but
    not the ones further down the chain, and fits into no part of the recursion.
    """

    broken_by: tuple[str, ...]
    not_null: tuple[str, ...]


def chain(constraints: Sequence[Constraint]) -> Chain:
    """How the pair rules hang together (docs/privacy.md, Theorem 5)."""
    pairs = [(c, c.shape) for c in constraints if c.rows == 2]
    broken = [
        str(c)
        for c, form in pairs
        if form.kind not in (Kind.FD, Kind.KEY) or (form.where and len(pairs) > 1)
    ]
    if broken:
        return Chain(tuple(broken), ())
    pairs.sort(key=lambda item: len(item[1].equal))
    for (one, small), (two, large) in pairwise(pairs):
        if not set(small.equal) <= set(large.equal):
            return Chain((str(one), str(two)), ())
    forms = [form for _, form in pairs]
    return Chain((), tuple(dict.fromkeys(_escapes(forms))))


def _escapes(forms: list[Shape]) -> list[str]:
    """Right sides in which a NULL frees a row from its rule and not from all further ones."""
    return [
        form.differ
        for number, form in enumerate(forms)
        if form.differ is not None
        and any(
            form.differ not in other.equal
            for k, other in enumerate(forms)
            if k != number and (k > number or set(other.equal) == set(form.equal))
        )
    ]
