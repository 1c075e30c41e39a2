"""The true values behind releases of one table. Private."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from candling.conflicts import (
    BlockGraph,
    ConflictGraph,
    DegreeBound,
    build_conflicts,
    build_graph,
    degree_bound,
)
from candling.constraints import Constraint
from candling.engine import Classes
from candling.measures import Exact, exact_measures
from candling.measures.chain import chain
from candling.measures.counting import maximal_consistent_logs
from candling.measures.extensions import doubled_minimal_inconsistent_levels, problematic_levels
from candling.measures.repair import exact_by_rules, exact_repair, fractional_repair
from candling.measures.witness import Witnesses, witnesses
from candling.privacy import LEVELS
from candling.releases import notes


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
        graph: ConflictGraph | BlockGraph,
        read_all: Callable[[], Classes] | None = None,
    ) -> None:
        self.classes = classes
        self.graph = graph
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

    def exact(self, time_limit: float) -> Exact:
        """The true measures; `time_limit` bounds the search for the smallest repair."""
        return exact_measures(self.graph, time_limit=time_limit)

    @cached_property
    def repair(self) -> RepairNumber:
        """The smallest repair where the rules make it easy, else that of the linear program."""
        return _repair(self.graph, self.constraints, self._witnesses)

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
        everything = self.everything  # refused where it cannot be had
        if isinstance(self.graph, BlockGraph) or self.classes is not everything:
            return build_graph(everything)
        return self.graph

    @cached_property
    def bound(self) -> DegreeBound:
        return degree_bound(self.everything)

    @cached_property
    def _witnesses(self) -> Witnesses | None:
        """Of a graph in blocks: three measures need them."""
        return witnesses(self.graph, LEVELS) if isinstance(self.graph, BlockGraph) else None

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
        complete = self.classes.without_null(chain(self.constraints).not_null)
        graph = self.graph
        if not complete.all():
            graph = build_conflicts(self.classes.only(complete))
        if isinstance(graph, BlockGraph):
            graph = graph.within(np.ones(graph.classes, bool))
        found = maximal_consistent_logs(graph)
        if found is None:
            raise AssertionError("a chain of rules always gives a cograph")
        return found

    @cached_property
    def repair_by_rule(self) -> list[RepairNumber]:
        """The repair number of each rule alone."""
        found = []
        for rule in self.classes.rules:
            graph = build_conflicts(replace(self.classes, rules=(rule,)))
            found.append(_repair(graph, (rule.constraint,)))
        return found


def _repair(
    graph: ConflictGraph | BlockGraph,
    constraints: Sequence[Constraint],
    given: Witnesses | None = None,
) -> RepairNumber:
    relaxed = fractional_repair(graph, given=given)
    if exact_by_rules(constraints):
        smallest = exact_repair(graph, relaxed, time_limit=math.inf)
        if smallest is None:
            raise AssertionError("these rules have a polynomial repair")
        whole = graph.self_inconsistent + smallest
        return RepairNumber(whole, Fraction(1), 1, "exact", notes.REPAIR_EXACT)
    doubled = int(2 * (graph.self_inconsistent + relaxed.value))
    return RepairNumber(doubled, Fraction(1, 2), 2, "lower_bound", notes.REPAIR_LOWER_BOUND)
