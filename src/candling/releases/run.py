"""Making a release: every number that leaves is made here, from its part of the budget."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

from candling.conflicts import ConflictGraph, DegreeBound, build_graph, degree_bound
from candling.constraints import Constraint, to_text
from candling.engine import Classes
from candling.measures.chain import chain
from candling.measures.counting import maximal_consistent_log2
from candling.measures.extensions import doubled_minimal_inconsistent_levels, problematic_levels
from candling.measures.repair import exact_by_rules, exact_repair, fractional_repair
from candling.privacy import LEVELS, Bound, Levels, add_laplace, laplace_noise, noisy_max
from candling.releases import notes
from candling.releases.card import (
    DrasticBounds,
    DrawBounds,
    FixedBounds,
    LaplaceBounds,
    Measure,
    Scorecard,
    number,
)
from candling.releases.request import Request

FALSE_ALARM = 0.05
UNLIKELY = 1e-4  # that the table has more rows than the thresholds reach
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
    def bound(self) -> DegreeBound:
        return degree_bound(self.classes)

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
        columns = {
            index
            for rule in self.classes.rules
            for name, index in rule.names.items()
            if name in names
        }
        missing = (self.classes.codes[sorted(columns)] < 0).any(axis=0)
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
    rows = _rows(facts, request) if "rows" in request.measures else None
    limit: float | None = request.limit
    if limit is None and rows is not None:
        _, limit = rows.interval(1 - UNLIKELY)  # released, so free to use
    levels = useful_levels(limit)
    makers: dict[str, Callable[[], Measure]] = {
        "drastic": lambda: _drastic(noisy_repair, request),
        "minimal_inconsistent": lambda: _thresholded(
            "minimal_inconsistent", facts, request, levels
        ),
        "problematic": lambda: _thresholded("problematic", facts, request, levels),
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
        elif rows is not None and name == "rows":
            measures[name] = rows
        elif name != "by_rule":
            measures[name] = makers[name]()
    by_rule = _by_rule(facts, request) if "by_rule" in request.parts else ()
    return Scorecard(request.epsilon, request.rows_per_person, measures, by_rule)


def _rows(facts: Facts, request: Request) -> Measure:
    """The row count: sensitivity 1 per row."""
    if request.public_rows is not None:
        stated = FixedBounds(request.public_rows, request.public_rows)
        return Measure("rows", request.public_rows, Fraction(0), notes.STATED_ROWS, stated)
    part = request.parts["rows"]
    noise = laplace_noise(request.rows_per_person, part)
    noisy = add_laplace(facts.classes.rows, noise)
    bounds = LaplaceBounds(noisy, noise)
    return Measure("rows", bounds.value, part, notes.ROWS, bounds)


def _noisy_repair(facts: Facts, request: Request) -> LaplaceBounds | None:
    """The repair number with noise, drawn once: `repair` shows it and `drastic` reads it."""
    part = request.parts.get("repair", request.parts.get("drastic"))
    if part is None:
        return None
    return _with_noise(facts.repair, part, request)


def _with_noise(repair: tuple[int, Fraction], part: Fraction, request: Request) -> LaplaceBounds:
    """A repair number, in its steps, with noise: sensitivity 1 per row."""
    value, step = repair
    noise = laplace_noise(int(request.rows_per_person / step), part)
    return LaplaceBounds(add_laplace(value, noise), noise, step)


def _repair_measure(noisy: LaplaceBounds | None, request: Request) -> Measure:
    """The LP value or, where the rules make it easy, the smallest repair: sensitivity 1."""
    if noisy is None:
        raise AssertionError("repair was asked for and not paid")
    return Measure(
        "repair",
        noisy.value,
        request.parts["repair"],
        notes.REPAIR[_kind(noisy)],
        noisy,
        extra={"kind": _kind(noisy)},
    )


def _kind(repair: LaplaceBounds) -> str:
    return "exact" if repair.step == 1 else "lp"


def _drastic(noisy: LaplaceBounds | None, request: Request) -> Measure:
    """1 if the noisy repair is larger than noise alone explains: post-processing."""
    if noisy is None:
        raise AssertionError("drastic was asked for and not paid")
    alarm = noisy.noise.one_sided(FALSE_ALARM) + 1
    found = int(noisy.noisy >= alarm)
    # In steps the value is no less than the smallest repair, also where it is twice the LP's. From
    # here on the noise pulls it below the alarm with the same small probability.
    detects = alarm + noisy.noise.one_sided(FALSE_ALARM)
    return Measure(
        "drastic",
        found,
        request.parts.get("drastic", Fraction(0)),
        notes.DRASTIC.format(detects=detects),
        DrasticBounds(noisy),
        extra={"false_alarm": FALSE_ALARM, "detects_repair_of": detects},
    )


def useful_levels(limit: float | None) -> int:
    """How many thresholds 2**i can matter if there are at most so many rows.

    Without a limit all are tried; their prior makes that cheap, but leaves a thin, long tail.
    """
    return LEVELS if limit is None else min(LEVELS, max(int(limit) - 1, 1).bit_length() + 1)


def _thresholded(name: str, facts: Facts, request: Request, useful: int) -> Measure:
    """A measure of unbounded sensitivity, by the mechanism that chooses a threshold."""
    halves = name == "minimal_inconsistent"
    person = request.rows_per_person
    step = Fraction(1, 2) if halves else Fraction(1)
    growth = [2 * 2**i if halves else 2**i + 1 for i in range(useful)]
    values = facts.doubled_minimal_inconsistent if halves else facts.problematic
    bound = Bound(facts.bound.value, person * facts.bound.sensitivity)
    levels = Levels(tuple(values[: len(growth)]), tuple(person * g for g in growth), step, bound)
    part = request.parts[name]
    draw = request.method(levels, part)
    limit = request.limit
    if limit is not None and halves:
        limit = max(limit, limit * (limit - 1) // 2)  # every row alone, or every pair
    value = max(Fraction(0), draw.value * step)
    if limit is not None:
        value = min(value, Fraction(limit))
    reason = notes.NO_UPPER_BOUND if limit is None else None
    return Measure(
        name,
        number(value),
        part,
        notes.THRESHOLDED[name],
        DrawBounds(draw, step, limit),
        reason,
        {"threshold": 2**draw.level},
    )


def _maximal_consistent(facts: Facts, request: Request) -> Measure:
    """The log2 of the number of maximal consistent subsets: sensitivity 1 per row."""
    part = request.parts["maximal_consistent"]
    noise = laplace_noise(LOG_GRID * request.rows_per_person + LOG_ROUNDING, part)
    noisy = add_laplace(round(facts.maximal_consistent_log2 * LOG_GRID), noise)
    left_out = chain(facts.constraints).not_null
    bounds = LaplaceBounds(noisy, noise, Fraction(1, LOG_GRID), upper=not left_out)
    note, reason = notes.MAXIMAL_CONSISTENT, None
    if left_out:
        reason = notes.NULLS_LEFT_OUT.format(columns=", ".join(left_out))
    unit = {"unit": "log2"}
    return Measure("maximal_consistent", bounds.value, part, note, bounds, reason, unit)


def _by_rule(facts: Facts, request: Request) -> tuple[Measure, ...]:
    """The repair number of each rule alone; the rules share the part equally."""
    rules = facts.repair_by_rule
    part = request.parts["by_rule"] / len(rules)
    found = []
    for constraint, repair in zip(facts.constraints, rules, strict=True):
        noisy = _with_noise(repair, part, request)
        name, kind = to_text(constraint), {"kind": _kind(noisy)}
        found.append(Measure(name, noisy.value, part, notes.RULE, noisy, extra=kind))
    return tuple(found)


def _worst_rule(facts: Facts, request: Request) -> Measure:
    """The rule with about the largest repair number: monotone scores, sensitivity 1 per row."""
    part = request.parts["worst_rule"]
    scores = [value * step for value, step in facts.repair_by_rule]
    window = Fraction(request.rows_per_person)
    chosen = noisy_max(scores, window=window, epsilon=part, monotone=True)
    text = to_text(facts.constraints[chosen])
    return Measure("worst_rule", text, part, notes.WORST_RULE, FixedBounds(None, None))
