"""The true values behind releases of one table. Private."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

from candling.deadline import time_left
from candling.engines import Classes
from candling.graph import (
    ConflictGraph,
    DegreeBound,
    Graph,
    build_conflicts,
    build_graph,
    degree_bound,
)
from candling.graph.build import self_inconsistent
from candling.phases import Phase, enter
from candling.privacy import LEVELS
from candling.releases import notes
from candling.rules import Constraint
from candling.solvers import Exact
from candling.solvers.chain import chain
from candling.solvers.counting import chain_logs, maximal_consistent_logs
from candling.solvers.easy import easy_parts, exact_by_rules, fewest_removed, part_without_null
from candling.solvers.extensions import doubled_minimal_inconsistent_levels, problematic_levels
from candling.solvers.repair import FractionalRepair, exact_repair, fractional_repair
from candling.solvers.witness import Witnesses, witnesses

SEARCH = 60.0  # seconds after which the owner is not kept waiting for the smallest repair


@dataclass(frozen=True, slots=True)
class RepairNumber:
    """A repair number in steps; a row that is added lets it grow by 0 to `growth` of them."""

    value: int = field(repr=False)  # private: not in a repr
    step: Fraction
    growth: int
    kind: str  # which of the numbers called repair it is
    note: str  # what it means, in a sentence or two


class Facts:
    """The true values behind releases of one table, computed when first needed. Private."""

    def __init__(
        self,
        classes: Classes,
        graph: Graph | None = None,
        read_all: Callable[[], Classes] | None = None,
    ) -> None:
        self.classes = classes
        self._graph = graph
        self._read_all = read_all

    def __repr__(self) -> str:
        return "Facts()"  # nothing true in a repr

    @property
    def rows(self) -> int:
        """Of the whole table."""
        return self.classes.rows

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        return tuple(rule.constraint for rule in self.classes.rules)

    @cached_property
    def graph(self) -> Graph:
        """Which rows conflict: not everything needs it."""
        if self._graph is not None:
            return self._graph
        enter(Phase.CONFLICTS)
        found = build_conflicts(self.classes)
        enter(Phase.MEASURING)
        return found

    @cached_property
    def consistent(self) -> Classes:
        """The lines that break no rule by themselves."""
        wrong = self_inconsistent(self.classes)
        return self.classes.only(~wrong) if wrong.any() else self.classes

    @property
    def self_inconsistent(self) -> int:
        """Rows that break a rule by themselves."""
        return int(self.classes.weights.sum()) - int(self.consistent.weights.sum())

    def exact(self, search: float = SEARCH) -> Exact:
        """The true measures; the smallest repair is searched for so many seconds, if there are."""
        graph, alone = self.graph, self.self_inconsistent
        logs = self.all_logs
        return Exact(
            rows=graph.rows,
            drastic=int(alone + graph.classes > 0),
            minimal_inconsistent=alone + graph.pairs,
            problematic=alone + int(graph.weights.sum()),
            repair=self.repair.value * self.repair.step,
            repair_linear=alone + self._relaxed.value,
            maximal_consistent_log2=None if logs is None else math.fsum(logs),
            max_degree=int(graph.degrees.max(initial=0)),
            repair_exact=self.smallest_repair(search),  # last: it takes the time that is left
        )

    def smallest_repair(self, search: float) -> int | None:
        """The smallest repair; None if it is not proved in time."""
        if exact_by_rules(self.constraints):
            return self.repair.value
        part = part_without_null(self.constraints)
        if part is not None:
            dirty = replace(self.classes.only(self.graph.class_of >= 0), complete=None)
            if dirty.without_null(sorted(part.rights)).all():
                return self.self_inconsistent + fewest_removed(part, dirty)
        left = min(time_left(), search)
        found = exact_repair(self.graph, self._relaxed, time_limit=max(left, 0.0))
        return None if found is None else self.self_inconsistent + found

    @cached_property
    def _relaxed(self) -> FractionalRepair:
        return fractional_repair(self.graph, given=self._witnesses)

    @property
    def repair(self) -> RepairNumber:
        """The smallest repair where the rules make it easy, else the best bound that is."""
        return repair_number(self.repair_terms, self.constraints)

    @cached_property
    def repair_terms(self) -> tuple[int, ...]:
        """What the repair number is the largest of, in its steps. Each is a sum over components."""
        alone = self.self_inconsistent
        removed = [
            alone + fewest_removed(part, self.consistent) for part in easy_parts(self.constraints)
        ]
        if exact_by_rules(self.constraints):
            return tuple(removed) or (alone,)
        return (int(2 * (alone + self._relaxed.value)), *(2 * rows for rows in removed))

    @cached_property
    def everything(self) -> Classes:
        """All distinct rows as they are: `classes` may be a core of them."""
        if self.classes.complete is None:
            return self.classes
        if self._read_all is None:
            raise AssertionError("a core comes with a way to read all rows")
        return self._read_all()

    @cached_property
    def written(self) -> ConflictGraph:
        """The graph of all distinct rows, with all of its pairs, for what needs every one."""
        return build_graph(self.everything)  # refused where it cannot be had

    @cached_property
    def bound(self) -> DegreeBound:
        return degree_bound(self.everything)

    @cached_property
    def _witnesses(self) -> Witnesses:
        """Three measures need them."""
        return witnesses(self.graph, LEVELS)

    @cached_property
    def problematic(self) -> list[int]:
        return problematic_levels(self.graph, LEVELS, given=self._witnesses)

    @cached_property
    def doubled_minimal_inconsistent(self) -> list[int]:
        return doubled_minimal_inconsistent_levels(self.graph, LEVELS, given=self._witnesses)

    @cached_property
    def maximal_consistent_log2(self) -> float:
        return math.fsum(self.maximal_consistent_logs)

    @cached_property
    def maximal_consistent_logs(self) -> list[float]:
        """By component, on the rows without NULL in the columns that would break the recursion."""
        complete = self.consistent.without_null(chain(self.constraints).not_null)
        return chain_logs(self.consistent.only(complete))

    @cached_property
    def all_logs(self) -> list[float] | None:
        """By component, on all rows; None where counting would take too long."""
        rules = chain(self.constraints)
        if not rules.broken_by and self.consistent.without_null(rules.not_null).all():
            return self.maximal_consistent_logs
        return maximal_consistent_logs(self.graph)

    @cached_property
    def repair_by_rule(self) -> list[RepairNumber]:
        """The repair number of each rule alone."""
        return [
            repair_number(terms, (constraint,))
            for terms, constraint in zip(self.terms_by_rule, self.constraints, strict=True)
        ]

    @cached_property
    def terms_by_rule(self) -> list[tuple[int, ...]]:
        """What the repair number of each rule alone is the largest of."""
        return [
            Facts(replace(self.classes, rules=(rule,))).repair_terms for rule in self.classes.rules
        ]


def repair_number(terms: Sequence[int], constraints: Sequence[Constraint]) -> RepairNumber:
    """The largest of the terms, and what it means for these rules (docs/privacy.md, Theorem 4)."""
    if exact_by_rules(constraints):
        return RepairNumber(max(terms), Fraction(1), 1, "exact", notes.REPAIR_EXACT)
    return RepairNumber(max(terms), Fraction(1, 2), 2, "lower_bound", notes.REPAIR_LOWER_BOUND)
