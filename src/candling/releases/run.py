"""Making a release: every number that leaves is made here, from its part of the budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from candling.constraints import to_text
from candling.measures.chain import chain
from candling.phases import Phase, enter
from candling.privacy import Bound, Draw, Levels, add_laplace, laplace_noise, noisy_max
from candling.releases import notes
from candling.releases.agree import agreeing, grade_of, rules_agreeing
from candling.releases.bounds import (
    Bounds,
    ConflictsBounds,
    DrasticBounds,
    FixedBounds,
    LaplaceBounds,
    ProblematicBounds,
    RepairBounds,
    RowsBounds,
    number,
)
from candling.releases.card import Measure, Scorecard
from candling.releases.facts import Facts, RepairNumber
from candling.releases.method import Method
from candling.releases.request import Request

FALSE_ALARM = 0.05
UNLIKELY = 1e-4  # that the table has more rows than the thresholds reach
LOG_GRID = 2**16  # log2 is rounded to this fraction of one
LOG_ROUNDING = 2  # units of it that rounding and floating point can add between neighbours


def run_release(facts: Facts, request: Request) -> Scorecard:
    """The scorecard that was asked for; it costs request.epsilon (docs/privacy.md, Theorem 10)."""
    repair = _noisy_repair(facts, request)
    rows = _rows(facts, request)
    limit: float | None = request.limit
    if limit is None and rows is not None:
        _, limit = rows.interval(1 - UNLIKELY)  # released, so free to use
    smallest = None
    if repair is not None and "repair" in request.measures:
        smallest = RepairBounds(repair.bounds, repair.kind, rows)
    makers: dict[str, Callable[[], Measure]] = {
        "rows": lambda: _rows_measure(rows, request),
        "drastic": lambda: _drastic(repair, request),
        "minimal_inconsistent": lambda: _thresholded(
            "minimal_inconsistent",
            facts,
            request,
            limit,
            lambda draw, step: ConflictsBounds(draw, step, rows, smallest),
        ),
        "problematic": lambda: _thresholded(
            "problematic",
            facts,
            request,
            limit,
            lambda draw, step: ProblematicBounds(draw, step, rows),
        ),
        "maximal_consistent": lambda: _maximal_consistent(facts, request),
        "repair": lambda: _repair_measure(repair, smallest, request),
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
    by_rule = _by_rule(facts, request, rows) if "by_rule" in request.parts else ()
    measures = agreeing(measures, rows)
    return Scorecard(
        request.epsilon,
        request.rows_per_person,
        measures,
        rules_agreeing(by_rule, measures, rows),
        about=request.about(facts.constraints),
        grade=grade_of(measures),
    )


def _rows(facts: Facts, request: Request) -> RowsBounds | None:
    """What the release knows of the row count: sensitivity 1 per row."""
    if request.public_rows is not None:
        return RowsBounds(None, request.public_rows, request.public_rows)
    if "rows" not in request.measures:
        return None if request.max_rows is None else RowsBounds(None, most=request.max_rows)
    noise = laplace_noise(request.rows_per_person, request.parts["rows"])
    enter(Phase.NOISE)
    return RowsBounds(LaplaceBounds(add_laplace(facts.rows, noise), noise), most=request.max_rows)


def _rows_measure(rows: RowsBounds | None, request: Request) -> Measure:
    if rows is None:
        raise AssertionError("rows were asked for and not paid")
    note = notes.ROWS if rows.noisy else notes.STATED_ROWS
    return Measure("rows", rows.value, request.parts.get("rows", Fraction(0)), note, rows)


@dataclass(frozen=True, slots=True)
class _NoisyRepair:
    """A repair number with noise, and what it means."""

    bounds: LaplaceBounds
    kind: str
    note: str


def _noisy_repair(facts: Facts, request: Request) -> _NoisyRepair | None:
    """The repair number with noise, drawn once: `repair` shows it and `drastic` reads it."""
    part = request.parts.get("repair", request.parts.get("drastic"))
    if part is None:
        return None
    enter(Phase.MEASURING)
    return _with_noise(request.method.repair.value(facts), part, request)


def _with_noise(repair: RepairNumber, part: Fraction, request: Request) -> _NoisyRepair:
    """A repair number, in its steps, with noise: sensitivity as stated, per row."""
    enter(Phase.NOISE)
    noise = laplace_noise(request.rows_per_person * repair.growth, part)
    bounds = LaplaceBounds(add_laplace(repair.value, noise), noise, repair.step)
    return _NoisyRepair(bounds, repair.kind, repair.note)


def _repair_measure(
    repair: _NoisyRepair | None, smallest: RepairBounds | None, request: Request
) -> Measure:
    """The smallest repair where the rules make it easy, else a bound of it: sensitivity 1."""
    if repair is None or smallest is None:
        raise AssertionError("repair was asked for and not paid")
    return Measure(
        "repair",
        repair.bounds.value,
        request.parts["repair"],
        repair.note,
        smallest,
        extra={"kind": repair.kind},
    )


def _drastic(repair: _NoisyRepair | None, request: Request) -> Measure:
    """1 if the noisy repair is larger than noise alone explains: post-processing."""
    if repair is None:
        raise AssertionError("drastic was asked for and not paid")
    noisy = repair.bounds
    alarm = noisy.noise.one_sided(FALSE_ALARM) + 1
    found = int(noisy.noisy >= alarm)
    # In steps the value is no less than the smallest repair, also where that may be twice the
    # bound. From here on the noise pulls it below the alarm with the same small probability.
    detects = alarm + noisy.noise.one_sided(FALSE_ALARM)
    return Measure(
        "drastic",
        found,
        request.parts.get("drastic", Fraction(0)),
        notes.DRASTIC.format(detects=detects),
        DrasticBounds(noisy),
        extra={"false_alarm": FALSE_ALARM, "detects_repair_of": detects},
    )


def make_levels(
    facts: Facts, measure: str, method: Method, *, limit: float | None, rows_per_person: int = 1
) -> Levels:
    """What the mechanism of a method is given to choose from. Private."""
    cut = method.cut
    thresholds = cut.thresholds(limit)

    def bound() -> Bound:
        return Bound(facts.bound.value, rows_per_person * facts.bound.sensitivity)

    return Levels(
        cut.values(facts, measure, thresholds),
        tuple(rows_per_person * cut.growth(measure, t) for t in thresholds),
        cut.step(measure),
        bound,
        thresholds,
        cut.monotone(measure),
    )


def _thresholded(
    name: str,
    facts: Facts,
    request: Request,
    limit: float | None,
    bounds: Callable[[Draw, Fraction], Bounds],
) -> Measure:
    """A measure of unbounded sensitivity, cut at thresholds of which the mechanism chooses one."""
    person = request.rows_per_person
    enter(Phase.MEASURING)
    levels = make_levels(facts, name, request.method, limit=limit, rows_per_person=person)
    step = levels.step
    part = request.parts[name]
    enter(Phase.NOISE)
    draw = request.method.choose(levels, part)
    bounded = request.limit is not None or "rows" in request.measures
    return Measure(
        name,
        number(max(Fraction(0), draw.value * step)),
        part,
        notes.THRESHOLDED[name],
        bounds(draw, step),
        None if bounded else notes.NO_UPPER_BOUND,
        {"threshold": levels.thresholds[draw.level]},
    )


def _maximal_consistent(facts: Facts, request: Request) -> Measure:
    """The log2 of the number of maximal consistent subsets: sensitivity 1 per row."""
    part = request.parts["maximal_consistent"]
    noise = laplace_noise(LOG_GRID * request.rows_per_person + LOG_ROUNDING, part)
    enter(Phase.MEASURING)
    value = round(facts.maximal_consistent_log2 * LOG_GRID)
    enter(Phase.NOISE)
    noisy = add_laplace(value, noise)
    left_out = chain(facts.constraints).not_null
    bounds = LaplaceBounds(noisy, noise, Fraction(1, LOG_GRID), upper=not left_out)
    note, reason = notes.MAXIMAL_CONSISTENT, None
    if left_out:
        reason = notes.NULLS_LEFT_OUT.format(columns=", ".join(left_out))
    unit = {"unit": "log2"}
    return Measure("maximal_consistent", bounds.value, part, note, bounds, reason, unit)


def _by_rule(facts: Facts, request: Request, rows: RowsBounds | None) -> tuple[Measure, ...]:
    """The repair number of each rule alone; the rules share the part equally."""
    enter(Phase.MEASURING)
    rules = facts.repair_by_rule
    part = request.parts["by_rule"] / len(rules)
    found = []
    for constraint, repair in zip(facts.constraints, rules, strict=True):
        noisy = _with_noise(repair, part, request)
        kind = noisy.kind
        bounds = RepairBounds(noisy.bounds, kind, rows)
        name, value, note = to_text(constraint), noisy.bounds.value, notes.RULE[kind]
        found.append(Measure(name, value, part, note, bounds, extra={"kind": kind}))
    return tuple(found)


def _worst_rule(facts: Facts, request: Request) -> Measure:
    """The rule with about the largest repair number: monotone scores, sensitivity 1 per row."""
    part = request.parts["worst_rule"]
    enter(Phase.MEASURING)
    scores = [repair.value * repair.step for repair in facts.repair_by_rule]
    enter(Phase.NOISE)
    window = Fraction(request.rows_per_person)
    chosen = noisy_max(scores, window=window, epsilon=part, monotone=True)
    text = to_text(facts.constraints[chosen])
    return Measure("worst_rule", text, part, notes.WORST_RULE, FixedBounds(None, None))
