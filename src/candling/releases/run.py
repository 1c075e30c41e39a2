"""Make a release: every number that leaves is made here, and made to agree with the others.

It reads released and public numbers only, so it costs nothing (docs/privacy.md, Theorem 15). Always

    repair <= problematic <= rows,  problematic <= 2 minimal_inconsistent,
    repair <= minimal_inconsistent <= most_conflicts(repair, rows),
    repair of one rule <= repair,

but noise may say otherwise. Then the noisier number moves: repair to rows, problematic to both, and
minimal_inconsistent to all of them; numbers that are equally noisy meet. Intervals follow their
values, outwards only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction

from candling.card import Card
from candling.measures import (
    BY_RULE,
    MEASURES,
    MINIMAL_INCONSISTENT,
    PROBLEMATIC,
    REPAIR,
    ROWS,
    Numbers,
    Released,
)
from candling.measures.facts import Facts
from candling.measures.measure import (
    FromZero,
    Measure,
    PerRowBounds,
    describe_kept_rows,
    number,
    split_miss,
    start_at_zero,
)
from candling.measures.minimal_inconsistent import most_conflicts
from candling.measures.repair import RepairBounds
from candling.measures.rows import RowsBounds
from candling.model.card import Noisy
from candling.model.number import LEVEL, Grade, Number, Share, round_for_storage
from candling.model.person import Person
from candling.privacy import OneDraw
from candling.releases.request import DRAW, Request, place_of_rows
from candling.system.progress import Phase, enter

PER_ROW = (MINIMAL_INCONSISTENT, PROBLEMATIC)  # of `repair`, the grade says it


def reconcile_measures(measures: Mapping[str, Number], released: Released) -> dict[str, Number]:
    """The measures of one release with values that can be true together, and shares of the rows."""
    shown, rows = dict(measures), ROWS.bounds(released)
    for name, value in _values(measures, rows).items():
        shown[name] = replace(shown[name], value=number(value))
    shown = {name: start_at_zero(m, measures) for name, m in shown.items()}
    for measure in PER_ROW:
        if measure.name in shown and "rows" in shown:
            number_shown = shown[measure.name]
            share = _per_row(number_shown, shown["rows"], measure.find_bounds(released))
            shown[measure.name] = replace(number_shown, per_row=share)
    return {name: _with_interval(m) for name, m in shown.items()}


def reconcile_rules(
    rules: Iterable[Number], measures: Mapping[str, Number], released: Released
) -> tuple[Number, ...]:
    """The repair numbers of single rules: none asks for more rows than all rules together."""
    most = _most_rows(measures, ROWS.bounds(released))
    if "repair" in measures:
        most = _at_most(_fraction(measures["repair"]), most)

    def within(rule: Number) -> Number:
        exact = rule.kind == "exact"  # a whole number, then
        top = Fraction(math.floor(most)) if exact and most is not None else most
        return replace(rule, value=number(_at_most(_fraction(rule), top)))

    shown = [start_at_zero(within(rule), measures) for rule in rules]
    if "rows" in measures:
        shown = [
            _with_share(rule, BY_RULE.find_bounds(released, at), measures["rows"], released)
            for at, rule in enumerate(shown)
        ]
    return tuple(map(_with_interval, shown))


def _with_share(rule: Number, bounds: RepairBounds, rows: Number, released: Released) -> Number:
    """A rule with the share of the rows to delete for it."""
    value, low, high = _share_to_delete(rule, bounds, rows, ROWS.find_bounds(released))
    return replace(rule, per_row=_stored_share(value, _low_end(rule, low), high))


def _with_interval(measure: Number) -> Number:
    """A number with its interval at 95%: its value does not change any more."""
    low, high = measure.compute_interval(LEVEL)
    return replace(measure, low=low, high=high)


def grade_of(measures: Mapping[str, Number], released: Released) -> Grade:
    """1 - repair/rows with its interval at 95%, or why there is none.

    A table without rows has grade 1.
    """
    missing = [f"`{name}`" for name in ("repair", "rows") if name not in measures]
    if missing:
        verb = "was" if len(missing) == 1 else "were"
        names = " and ".join(missing)
        return Grade(None, reason=f"it is 1 - repair/rows, and {names} {verb} not released.")
    return compute_grade(
        *(measures["repair"], REPAIR.find_bounds(released)),
        *(measures["rows"], ROWS.find_bounds(released)),
    )


def compute_grade(
    repair: Number, repair_bounds: RepairBounds, rows: Number, row_bounds: RowsBounds
) -> Grade:
    """The grade, from two numbers and what is known of the true ones."""
    value, low, high = _share_to_delete(repair, repair_bounds, rows, row_bounds)
    return Grade(
        round_for_storage(1 - value),
        round_for_storage(1 - high, up=False),
        round_for_storage(1 - low, up=True),
    )


def _share_to_delete(
    repair: Number, own_bounds: RepairBounds, rows: Number, row_bounds: RowsBounds
) -> tuple[Fraction, Fraction, Fraction]:
    """A repair number divided by the rows, with its interval at 95%.

    The smallest repair has two tails, the rows two or, where they are stated, none. If all hold, so
    does low/high <= share <= high/low.
    """
    own, other = split_miss(1 - LEVEL, own=2, borrowed=2 * row_bounds.tails)
    value = _share(_fraction(repair), _fraction(rows), of_none=0)
    low = _share(own_bounds.low(own), row_bounds.high(other), of_none=0)
    high = _share(own_bounds.high(own), row_bounds.low(other), of_none=1)
    return value, min(low, value), max(high, value)


def _values(measures: Mapping[str, Number], rows: RowsBounds | None) -> dict[str, Fraction]:
    """The values that may have to move, the least noisy first."""
    values = {}
    most = _most_rows(measures, rows)
    if "repair" in measures:
        values["repair"] = _at_most(_fraction(measures["repair"]), most)
    if "minimal_inconsistent" in measures:
        values["minimal_inconsistent"] = _fraction(measures["minimal_inconsistent"])
        if "repair" in measures:
            values |= _repair_and_conflicts(measures, values)
    repair, conflicts = values.get("repair", Fraction(0)), _most_conflicts(measures, most)
    if "problematic" in measures:
        value = _at_most(max(_fraction(measures["problematic"]), repair), most)
        values["problematic"] = _at_most(value, None if conflicts is None else 2 * conflicts)
        if "minimal_inconsistent" in measures:
            values |= _rows_and_conflicts(measures, values)
    if "minimal_inconsistent" in measures:
        values["minimal_inconsistent"] = _at_most(values["minimal_inconsistent"], conflicts)
    return values


def _repair_and_conflicts(
    measures: Mapping[str, Number], values: Mapping[str, Fraction]
) -> dict[str, Fraction]:
    """No fewer conflicts than rows to delete: both meet where they are equally noisy."""
    repair, conflicts = values["repair"], values["minimal_inconsistent"]
    if conflicts >= repair:
        return {}
    if measures["minimal_inconsistent"].threshold == 1:
        repair = (repair + conflicts) / 2
        if measures["repair"].kind == "exact":
            repair = Fraction(round(repair))
    return {"repair": repair, "minimal_inconsistent": repair}


def _rows_and_conflicts(
    measures: Mapping[str, Number], values: Mapping[str, Fraction]
) -> dict[str, Fraction]:
    """No more than two rows for each conflict: the number with more noise moves."""
    in_conflict, conflicts = values["problematic"], values["minimal_inconsistent"]
    if in_conflict <= 2 * conflicts:
        return {}
    rows, pairs = (measures[m.name].threshold or 1 for m in (PROBLEMATIC, MINIMAL_INCONSISTENT))
    if PROBLEMATIC.growth(rows) >= MINIMAL_INCONSISTENT.growth(pairs):
        return {"problematic": 2 * conflicts}
    return {"minimal_inconsistent": in_conflict / 2}


def _most_conflicts(measures: Mapping[str, Number], rows: Fraction | None) -> Fraction | None:
    """The most conflicts that fit in the rows and, where it is known, in their own interval."""
    if rows is None:
        return None
    most = Fraction(most_conflicts(int(rows), int(rows)))
    if "minimal_inconsistent" in measures:
        _, high = measures["minimal_inconsistent"].bounds.interval(LEVEL)
        most = _at_most(most, None if high is None else Fraction(high))
    return most


def _per_row(measure: Number, rows: Number, bounds: PerRowBounds) -> Share:
    """A measure divided by the rows, with its interval at 95%."""
    shown_rows = _fraction(rows)
    value = _fraction(measure) / shown_rows if shown_rows else Fraction(0)
    low, high = bounds.per_row(LEVEL)
    return _stored_share(value, min(_low_end(measure, low), value), max(high, value))


def _stored_share(value: Fraction, low: Fraction, high: Fraction) -> Share:
    return Share(
        round_for_storage(value), round_for_storage(low, up=False), round_for_storage(high, up=True)
    )


def _low_end(measure: Number, low: Fraction) -> Fraction:
    """The low end of a share; 0 where that of the number is."""
    return Fraction(0) if isinstance(measure.bounds, FromZero) else low


def _most_rows(measures: Mapping[str, Number], rows: RowsBounds | None) -> Fraction | None:
    """The number of rows that other values must fit in: as shown, or as stated."""
    if "rows" in measures:
        return _fraction(measures["rows"])
    return None if rows is None else Fraction(rows.value)


def _share(part: Fraction | int, whole: Fraction | int, *, of_none: int) -> Fraction:
    """A part of a whole, 1 at most; of nothing, what is stated."""
    return min(Fraction(part) / whole, Fraction(1)) if whole else Fraction(of_none)


def _at_most(value: Fraction, most: Fraction | None) -> Fraction:
    return value if most is None else min(value, most)


def _fraction(measure: Number) -> Fraction:
    if not isinstance(measure.value, int | float):
        raise TypeError("a released count is a number")
    return Fraction(measure.value)


Draws = dict[str, list[Noisy]]  # by measure; of `by_rule` one for each rule


def run_release(facts: Facts, request: Request) -> Card:
    """The card that was asked for; it costs request.epsilon (docs/privacy.md, Theorem 10)."""
    draws = _one_draw(facts, request) if request.draw else {}
    chosen = {
        name: MEASURES[name].choose(facts, request.setting, part)
        for name, part in request.parts.items()
        if name != DRAW and MEASURES[name].chooses
    }
    return _card(request, Numbers(
        request.asked, draws, facts.rules, request.setting, request.parts, request.draw, chosen
    ))  # fmt: skip


def _card(request: Request, numbers: Numbers) -> Card:
    """What was drawn, as measures that agree with each other. Nothing private comes here."""
    refused = request.asked.refused
    by_rule = BY_RULE.show_rules(numbers)
    measures = {
        name: MEASURES[name].show_refusal(refused[name])
        if name in refused
        else MEASURES[name].show(numbers)
        for name in request.measures
        if name != BY_RULE.name or name in refused
    }
    measures = reconcile_measures(measures, numbers)
    rules = reconcile_rules(by_rule, measures, numbers)
    return Card(
        request.epsilon,
        request.person,
        {
            name: _of_kept_rows(measure, request.person, MEASURES[name])
            for name, measure in measures.items()
        },
        tuple(_of_kept_rows(rule, request.person, BY_RULE) for rule in rules),
        about=request.about(),
        grade=grade_of(measures, numbers),
        draws={name: tuple(own) for name, own in numbers.draws.items()},
    )


def _of_kept_rows(shown: Number, person: Person, measure: Measure) -> Number:
    """A number whose note says that it is about the kept rows, where not all of them are kept."""
    if not person.columns or shown.value is None:
        return shown
    return replace(shown, note=f"{shown.note} {describe_kept_rows(person, measure.of_kept_rows)}")


def _one_draw(facts: Facts, request: Request) -> Draws:
    """All statistics at once."""
    enter(Phase.MEASURING)
    statistics = {
        name: MEASURES[name].true_statistics(facts, request.setting) for name in request.draw
    }
    enter(Phase.NOISE)
    together = [statistic for own in statistics.values() for statistic in own]
    rows = place_of_rows(statistics, request.setting)
    drawn = iter(OneDraw(together, request.parts[DRAW], rows).draw())
    return {
        name: [
            Noisy(draw := next(drawn), statistic.thresholds[draw.level], kind)
            for statistic, kind in zip(
                own, MEASURES[name].kinds(facts.rules, request.setting), strict=True
            )
        ]
        for name, own in statistics.items()
    }
