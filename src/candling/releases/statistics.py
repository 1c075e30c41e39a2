"""The statistics of a release: what gets noise, and by how much one person can move it.

Sensitivities are stated here and nowhere else; `plan` and `run` both read them. Without facts the
values are 0: everything else is public. Proofs: docs/privacy.md, Theorems 1 to 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from candling.privacy import Bound, Statistic
from candling.releases.facts import Facts, RepairNumber
from candling.releases.method import Method, SmallestOrBound
from candling.rules import Constraint

THRESHOLDED = ("minimal_inconsistent", "problematic")
LOG_GRID = 2**16  # log2 is rounded to this fraction of one
LOG_ROUNDING = 2  # units of it that rounding and floating point can add between neighbours


def statistics_of(
    name: str,
    constraints: Sequence[Constraint],
    method: Method,
    *,
    limit: float | None,
    rows_per_person: int,
) -> list[Statistic]:
    """The statistics behind a measure, with values of 0: one, or of `by_rule` one for each rule."""
    person = rows_per_person
    if name == "rows":
        return [Statistic((0,), (person,))]
    if name == "maximal_consistent":
        # A row doubles the number at most, but rounding may let it fall by a little.
        sensitivity = LOG_GRID * person + LOG_ROUNDING
        return [Statistic((0,), (sensitivity,), Fraction(1, LOG_GRID), falls=LOG_ROUNDING)]
    if name == "by_rule":
        return [_repair(SmallestOrBound().public([rule]), person) for rule in constraints]
    if name in THRESHOLDED:
        cut = method.cut
        thresholds = cut.thresholds(limit)
        return [
            Statistic(
                (0,) * len(thresholds),
                tuple(person * cut.growth(name, t) for t in thresholds),
                cut.step(name),
                thresholds=thresholds,
                monotone=cut.monotone(name),
            )
        ]
    return [_repair(method.repair.public(constraints), person)]  # `repair`, or `drastic` alone


def _repair(number: RepairNumber, person: int) -> Statistic:
    return Statistic((0,), (person * number.growth,), number.step)


def true_values(
    name: str, public: Sequence[Statistic], facts: Facts, method: Method, rows_per_person: int
) -> list[Statistic]:
    """The same statistics with their values. Private."""
    values: list[tuple[int, ...]]
    if name == "rows":
        values = [(facts.rows,)]
    elif name == "maximal_consistent":
        values = [(round(facts.maximal_consistent_log2 * LOG_GRID),)]
    elif name == "by_rule":
        values = [(rule.value,) for rule in facts.repair_by_rule]
    elif name in THRESHOLDED:
        values = [method.cut.values(facts, name, public[0].thresholds)]
    else:
        values = [(method.repair.value(facts).value,)]

    def bound() -> Bound:
        return Bound(facts.bound.value, rows_per_person * facts.bound.sensitivity)

    return [replace(s, values=v, bound=bound) for s, v in zip(public, values, strict=True)]


def thresholded(
    facts: Facts, measure: str, method: Method, *, limit: float | None, rows_per_person: int = 1
) -> Statistic:
    """A measure of unbounded sensitivity at the thresholds of a method. Private."""
    public = statistics_of(
        measure, facts.constraints, method, limit=limit, rows_per_person=rows_per_person
    )
    return true_values(measure, public, facts, method, rows_per_person)[0]
