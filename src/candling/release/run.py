"""Making a release: every number that leaves is made here, from its part of the budget."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from candling.conflicts import ConflictGraph, build_graph
from candling.constraints import Constraint, to_text
from candling.engine import Classes
from candling.measures.chain import chain
from candling.measures.counting import maximal_consistent_log2
from candling.measures.extensions import doubled_minimal_inconsistent_levels, problematic_levels
from candling.measures.repair import exact_by_rules, exact_repair, fractional_repair
from candling.privacy import LEVELS, Levels, add_laplace, laplace_noise, noisy_max
from candling.release import notes
from candling.release.card import DrawBounds, FixedBounds, LaplaceBounds, Measure, Scorecard, number
from candling.release.request import Request

FALSE_ALARM = 0.05
LOG_GRID = 2**16  # log2 is rounded to this fraction of one
LOG_ROUNDING = 2  # units of it that rounding and floating point can add between neighbours


class Facts:
    """The true values behind releases of one table, computed when first needed. Private."""

    def __init__(self, classes: Classes, graph: ConflictGraph) -> None:
        self.classes = classes
        self.graph = graph

    def __repr__(self) -> str:
        return "Facts()"  # nothing true in a repr

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        return tuple(rule.constraint for rule in self.classes.rules)

    @cached_property
    def repair(self) -> tuple[int, Fraction]:
        """The repair number in steps, and the step: 1 if it is exact, 1/2 for the LP."""
        return _repair(self.graph, self.constraints)

    @cached_property
    def problematic(self) -> list[int]:
        return problematic_levels(self.graph, LEVELS)

    @cached_property
    def doubled_minimal_inconsistent(self) -> list[int]:
        return doubled_minimal_inconsistent_levels(self.graph, LEVELS)

    @cached_property
    def maximal_consistent_log2(self) -> float:
        """On the rows without NULL in the columns that would break the recursion."""
        names = chain(self.constraints).not_null
        missing = np.zeros(len(self.classes.weights), bool)
        for rule in self.classes.rules:
            for p, coded in zip(rule.constraint.predicates, rule.predicates, strict=True):
                if p.left.name in names:
                    missing |= self.classes.codes[coded.left] < 0
        graph = self.graph
        if missing.any():
            graph = build_graph(
                replace(
                    self.classes,
                    codes=self.classes.codes[:, ~missing],
                    weights=self.classes.weights[~missing],
                )
            )
        found = maximal_consistent_log2(graph)
        if found is None:
            raise AssertionError("a chain of rules always gives a cograph")
        return found

    @cached_property
    def repair_by_rule(self) -> list[tuple[int, Fraction]]:
        """The repair number of each rule alone."""
        found = []
        for rule in self.classes.rules:
            graph = build_graph(replace(self.classes, rules=(rule,)))
            found.append(_repair(graph, (rule.constraint,)))
        return found


def _repair(graph: ConflictGraph, constraints: tuple[Constraint, ...]) -> tuple[int, Fraction]:
    relaxed = fractional_repair(graph)
    if exact_by_rules(constraints):
        smallest = exact_repair(graph, relaxed, time_limit=math.inf)
        if smallest is None:
            raise AssertionError("these rules have a polynomial repair")
        return graph.self_inconsistent + smallest, Fraction(1)
    return int(2 * (graph.self_inconsistent + relaxed.value)), Fraction(1, 2)


def run_release(facts: Facts, request: Request) -> Scorecard:
    """The scorecard that was asked for; it costs request.epsilon (docs/privacy.md, Theorem 10)."""
    noisy_repair = _noisy_repair(facts, request)
    makers: dict[str, Callable[[], Measure]] = {
        "rows": lambda: _rows(facts, request),
        "drastic": lambda: _drastic(noisy_repair, request),
        "minimal_inconsistent": lambda: _thresholded(
            "minimal_inconsistent", facts.doubled_minimal_inconsistent, request
        ),
        "problematic": lambda: _thresholded("problematic", facts.problematic, request),
        "maximal_consistent": lambda: _maximal_consistent(facts, request),
        "repair": lambda: _repair_measure(noisy_repair, request),
        "worst_rule": lambda: _worst_rule(facts, request),
    }
    measures = {}
    for name in request.measures:
        if name in request.refused:
            bounds = FixedBounds(None, None)
            reason = request.refused[name]
            measures[name] = Measure(name, None, Fraction(0), notes.REFUSED, bounds, reason)
        elif name != "by_rule":
            measures[name] = makers[name]()
    by_rule = _by_rule(facts, request) if "by_rule" in request.measures else ()
    return Scorecard(request.epsilon, request.rows_per_person, measures, by_rule)
