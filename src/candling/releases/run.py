"""Making a release: every number that leaves is made here."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import cast

from candling.card import Card
from candling.measures.bounds import (
    Bounds,
    ConflictsBounds,
    DrasticBounds,
    FixedBounds,
    NumberBounds,
    ProblematicBounds,
    RepairBounds,
    RowsBounds,
    number,
)
from candling.measures.shown import Shown
from candling.phases import Phase, enter
from candling.privacy import Draw, Drawn, OneDraw, Statistic, laplace_draw, noisy_max
from candling.releases import notes
from candling.releases.agree import agreeing, grade_of, rules_agreeing
from candling.releases.facts import Facts, RepairNumber
from candling.releases.method import SmallestOrBound
from candling.releases.request import DRAW, Request
from candling.releases.statistics import THRESHOLDED, statistics_of, true_values
from candling.solvers.chain import chain

FALSE_ALARM = 0.05
UNLIKELY = 1e-4  # that the table has more rows than the thresholds reach


@dataclass(frozen=True, slots=True)
class _Noisy:
    """A statistic that was drawn, and the threshold at which."""

    draw: Draw
    threshold: int

    @property
    def number(self) -> NumberBounds:
        """Of a statistic without levels."""
        return NumberBounds(cast("Drawn", self.draw))


Draws = dict[str, list[_Noisy]]  # by measure; of `by_rule` one for each rule


def run_release(facts: Facts, request: Request) -> Card:
    """The scorecard that was asked for; it costs request.epsilon (docs/privacy.md, Theorem 10)."""
    draws = _one_draw(facts, request) if request.draw else _measure_by_measure(facts, request)
    release = _Release(facts, request, draws)
    by_rule = release.by_rule()
    measures = {name: release.measure(name, by_rule) for name in request.measures
                if name != "by_rule" or name in request.refused}  # fmt: skip
    rows = release.rows
    measures = agreeing(measures, rows)
    return Card(
        request.epsilon,
        request.rows_per_person,
        measures,
        rules_agreeing(by_rule, measures, rows),
        about=request.about(facts.constraints),
        grade=grade_of(measures),
    )


def _statistics(name: str, facts: Facts, request: Request, limit: float | None) -> list[Statistic]:
    """The statistics behind a measure. Private."""
    method, person = request.method, request.rows_per_person
    public = statistics_of(name, facts.constraints, method, limit=limit, rows_per_person=person)
    return true_values(name, public, facts, method, person)


def _one_draw(facts: Facts, request: Request) -> Draws:
    """All statistics at once."""
    enter(Phase.MEASURING)
    found = {name: _statistics(name, facts, request, request.limit) for name in request.draw}
    enter(Phase.NOISE)
    together = [statistic for own in found.values() for statistic in own]
    names = [name for name, own in found.items() for _ in own]
    rows = names.index("rows") if "rows" in names and request.limit is None else None
    drawn = iter(OneDraw(together, request.parts[DRAW], rows).draw())
    return {name: [_noisy(s, next(drawn)) for s in own] for name, own in found.items()}


def _measure_by_measure(facts: Facts, request: Request) -> Draws:
    """Each measure with noise of its own, for its part of the budget; the rows come first."""
    choose = request.method.choose
    limit: float | None = request.limit
    found: Draws = {}
    for name in sorted(request.parts, key=lambda name: name != "rows"):
        if name == "worst_rule" or choose is None:
            continue
        enter(Phase.MEASURING)
        own = _statistics(name, facts, request, limit)
        enter(Phase.NOISE)
        part = request.parts[name] / len(own)
        draw = choose if name in THRESHOLDED else laplace_draw
        found[name] = [_noisy(statistic, draw(statistic, part)) for statistic in own]
        if name == "rows" and limit is None:
            limit = RowsBounds(found[name][0].number).high(UNLIKELY)  # released, so free to use
    return found


def _noisy(statistic: Statistic, draw: Draw) -> _Noisy:
    return _Noisy(draw, statistic.thresholds[draw.level])


class _Release:
    """Measures, made from what was drawn and from what is public."""

    def __init__(self, facts: Facts, request: Request, draws: Draws) -> None:
        self._facts, self._request, self._draws = facts, request, draws
        self._repair = self._number("repair") or self._number("drastic")
        self.rows = self._rows_bounds()

    def measure(self, name: str, by_rule: tuple[Shown, ...]) -> Shown:
        """One measure that was asked for."""
        if name in self._request.refused:
            reason = self._request.refused[name]
            return Shown(name, None, Fraction(0), notes.REFUSED, FixedBounds(None, None), reason)
        if name in THRESHOLDED:
            return self._thresholded(name)
        if name == "worst_rule":
            return self._worst_rule(by_rule)
        makers: dict[str, Callable[[], Shown]] = {
            "rows": self._rows,
            "drastic": self._drastic,
            "maximal_consistent": self._maximal_consistent,
            "repair": self._repair_measure,
        }
        return makers[name]()

    def _epsilon(self, name: str) -> Fraction | None:
        """What was paid for a measure alone; None if it shares the draw, 0 if it costs nothing."""
        if name in self._request.draw:
            return None
        return self._request.parts.get(name, Fraction(0))

    def _number(self, name: str) -> NumberBounds | None:
        """A measure without thresholds, if it was drawn."""
        own = self._draws.get(name)
        return None if own is None else own[0].number

    def _rows_bounds(self) -> RowsBounds | None:
        """What the release knows of the row count."""
        request = self._request
        if request.public_rows is not None:
            return RowsBounds(None, request.public_rows, request.public_rows)
        noisy = self._number("rows")
        if noisy is None and request.max_rows is None:
            return None
        return RowsBounds(noisy, most=request.max_rows)

    def _rows(self) -> Shown:
        if self.rows is None:
            raise AssertionError("rows were asked for and not paid")
        note = notes.STATED_ROWS if self.rows.noisy is None else notes.ROWS
        return Shown("rows", self.rows.value, self._epsilon("rows"), note, self.rows)

    @property
    def _smallest(self) -> RepairBounds | None:
        """The smallest repair, where `repair` is on the card."""
        if self._repair is None or "repair" not in self._request.measures:
            return None
        return RepairBounds(self._repair, self._public_repair.kind, self.rows)

    @property
    def _public_repair(self) -> RepairNumber:
        return self._request.method.repair.public(self._facts.constraints)

    def _repair_measure(self) -> Shown:
        """The smallest repair where the rules make it easy, else a bound of it: sensitivity 1."""
        smallest = self._smallest
        if self._repair is None or smallest is None:
            raise AssertionError("repair was asked for and not paid")
        repair = self._public_repair
        value = _shown(self._repair.value, repair.kind)
        note, kind = repair.note, {"kind": repair.kind}
        return Shown("repair", value, self._epsilon("repair"), note, smallest, extra=kind)

    def _drastic(self) -> Shown:
        """1 if the noisy repair is larger than noise alone explains: post-processing."""
        if self._repair is None:
            raise AssertionError("drastic was asked for and not paid")
        drawn = self._repair.drawn
        alarm = drawn.noise.above(FALSE_ALARM) + 1
        # In its own steps the statistic is no less than the smallest repair, also where that may be
        # twice the bound. From here on the noise pulls it below the alarm with the same small
        # probability.
        reached = (alarm + drawn.noise.below(FALSE_ALARM)) * drawn.step
        detects = math.ceil(reached / self._public_repair.step)
        return Shown(
            "drastic",
            int(drawn.value >= alarm),
            self._epsilon("drastic"),
            notes.DRASTIC.format(detects=detects),
            DrasticBounds(self._repair),
            extra={"false_alarm": FALSE_ALARM, "detects_repair_of": detects},
        )

    def _thresholded(self, name: str) -> Shown:
        """A measure of unbounded sensitivity, cut at a threshold that was drawn too."""
        (noisy,) = self._draws[name]
        draw = noisy.draw
        bounds: Bounds
        if name == "problematic":
            bounds = ProblematicBounds(draw, self.rows)
        else:
            bounds = ConflictsBounds(draw, self.rows, self._smallest)
        return Shown(
            name,
            number(max(Fraction(0), draw.value * draw.step)),
            self._epsilon(name),
            notes.THRESHOLDED[name],
            bounds,
            notes.NO_UPPER_BOUND if self.rows is None else None,
            {"threshold": noisy.threshold},
        )

    def _maximal_consistent(self) -> Shown:
        """The log2 of the number of maximal consistent subsets: sensitivity 1 per row."""
        (noisy,) = self._draws["maximal_consistent"]
        left_out = chain(self._facts.constraints).not_null
        bounds = replace(noisy.number, upper=not left_out)
        reason = notes.NULLS_LEFT_OUT.format(columns=", ".join(left_out)) if left_out else None
        return Shown(
            "maximal_consistent",
            number(bounds.value),
            self._epsilon("maximal_consistent"),
            notes.MAXIMAL_CONSISTENT,
            bounds,
            reason,
            {"unit": "log2"},
        )

    def by_rule(self) -> tuple[Shown, ...]:
        """The repair number of each rule alone."""
        own = self._draws.get("by_rule")
        if own is None:
            return ()
        epsilon = self._epsilon("by_rule")
        part = None if epsilon is None else epsilon / len(own)
        found = []
        for constraint, noisy in zip(self._facts.constraints, own, strict=True):
            kind, bounds = SmallestOrBound().public([constraint]).kind, noisy.number
            value, note = _shown(bounds.value, kind), notes.RULE[kind]
            smallest = RepairBounds(bounds, kind, self.rows)
            name = str(constraint)
            found.append(Shown(name, value, part, note, smallest, extra={"kind": kind}))
        return tuple(found)

    def _worst_rule(self, by_rule: tuple[Shown, ...]) -> Shown:
        """The rule with about the largest repair number, chosen or read off `by_rule`."""
        fixed = FixedBounds(None, None)
        if by_rule and "worst_rule" not in self._request.parts:
            worst = max(by_rule, key=lambda rule: cast("float", rule.value))
            return Shown("worst_rule", worst.name, Fraction(0), notes.WORST_RULE, fixed)
        part = self._request.parts["worst_rule"]
        enter(Phase.MEASURING)
        scores = [repair.value * repair.step for repair in self._facts.repair_by_rule]
        enter(Phase.NOISE)
        window = Fraction(self._request.rows_per_person)
        chosen = noisy_max(scores, window=window, epsilon=part, monotone=True)
        text = str(self._facts.constraints[chosen])
        return Shown("worst_rule", text, part, notes.WORST_RULE, fixed)


def _shown(value: Fraction, kind: str) -> int | float:
    """A repair number as it is shown: the smallest repair is whole, whatever the lattice."""
    return round(value) if kind == "exact" else number(value)
