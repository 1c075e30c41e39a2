"""What a release would cost and how noisy it would be: from the rules alone, no data is read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from candling.errors import UsageError
from candling.measures import MEASURES, REPAIR, ROWS, find_source
from candling.model.noisy import SAMPLE_REPAIR
from candling.model.results import PlanData, Planned
from candling.privacy import PlainDraw, SampleDraw, expected_errors
from candling.privacy.budget import LARGEST, SMALLEST
from candling.privacy.levels_draw import ENOUGH
from candling.records import dataclass
from candling.releases.request import (
    DEFAULT,
    DRAW,
    LEVELS,
    Number,
    Request,
    make_request,
    numbers_to_choose_from,
)
from candling.releases.run import join_statistics, make_plain_draw
from candling.rules import Rules

SKEW = 4  # times the mean of the rows of a person is about what few persons exceed
EXAMPLES = 17  # thresholds that are shown when the number of rows is not known


@dataclass(frozen=True, slots=True)
class Plan(PlanData):
    """What a release would spend, and how noisy its numbers would be."""

    def __str__(self) -> str:
        from candling.render.text import render_text
        from candling.render.views import view_plan

        return render_text(view_plan(self))

    def _repr_html_(self) -> str:
        from candling.render.html import render_cell
        from candling.render.views import view_plan

        return render_cell(view_plan(self))


@dataclass(frozen=True, slots=True)
class Described:
    """What a caller says of a table of persons, roughly: nothing private is asked for."""

    rows: int
    persons: int
    repair: int | None = None  # rows to delete

    @classmethod
    def of(cls, rows: int | None, persons: int | None, repair: int | None) -> Described | None:
        """None if too little is said; raises UsageError for what makes no sense."""
        if persons is None and repair is None:
            return None
        nothing = repair is not None and repair < 1
        if rows is None or persons is None or not 1 <= persons <= rows or nothing:
            raise UsageError(
                "To describe a table of persons, give its rows and its persons, at least one and "
                "not more than rows: --rows 10000 --persons 2000. --repair adds about how many "
                "rows are to be deleted, at least one.",
                code="U205",
            )
        return cls(rows, persons, repair)

    def sample(self, rows_per_person: int) -> int:
        """The rows of the sample."""
        return min(self.rows, self.persons * rows_per_person)

    def threshold(self, name: str) -> int | None:
        """About the threshold that a release will choose."""
        if name == ROWS.name:
            return SKEW * max(1, round(self.rows / self.persons))
        return None if self.repair is None else max(1, round(ENOUGH * self.rows / self.repair))


def make_plan(
    rules: Rules,
    *,
    epsilon: Number | None = None,
    target_errors: Mapping[str, float] | None = None,
    rows: int | None = None,
    measures: Iterable[str] | None = None,
    split: Mapping[str, Number] | None = None,
    person: str | Sequence[str] | None = None,
    rows_per_person: int | None = None,
    persons: int | None = None,
    repair: int | None = None,
) -> Plan:
    """The plan at `epsilon`, or at the smallest epsilon that reaches all `target_errors`.

    They are mean absolute errors by measure: {"repair": 5, "problematic@16": 100}, the number
    after @ being the threshold at which it is wanted. `rows` is a guess at the table's size; it
    only decides which thresholds are shown. Where a release would choose the rows of a person, the
    error of the grade is for the smallest number (`rows_planned`); twice as many rows double it.
    For a `person`, `rows`, `persons` and about how many rows are to be deleted (`repair`) describe
    a table: each number has its error at about the threshold that a release of it would choose.
    """
    if (epsilon is None) == (target_errors is None):
        raise UsageError(
            "Give either an epsilon or target errors: --epsilon 1, or --error repair=5.",
            code="U205",
        )
    described = Described.of(rows, persons, repair)
    if described is not None and person is None:
        raise UsageError(
            "`persons` and `repair` describe a table of persons: name their column (--person).",
            code="U205",
        )
    asked = None if measures is None else list(measures)
    if asked is None and target_errors is not None:
        wanted = [name.partition("@")[0] for name in target_errors]
        asked = [*DEFAULT, *(name for name in wanted if name in MEASURES)]

    def plan_number(value: Number) -> Plan:
        request = make_request(
            rules,
            epsilon=value,
            measures=asked,
            split=split,
            person=person,
            rows_per_person=rows_per_person,
            max_rows=rows,
        )
        return _plan(request, described)

    if epsilon is not None:
        return plan_number(epsilon)
    return plan_number(_smallest(plan_number, target_errors or {}))


def _plan(asked: Request, described: Described | None) -> Plan:
    request = asked
    if asked.person.rows is None and asked.person.epsilon is not None:
        fewest = numbers_to_choose_from(asked.rules, asked.person.columns)[0]
        request = asked.with_rows_per_person(fewest)
    errors = _errors(request)
    measures = {}
    for name in request.measures:
        measure = MEASURES[name]
        source = None if name in request.refused else measure.find_source(request.asked)
        part: Fraction | None = request.parts.get(name, Fraction(0))
        if source in {*request.draw, *request.levels} and (
            source == name or not request.asked.has(source)
        ):
            part = None
        if name in request.refused:
            measures[name] = Planned(name, part, reason=request.refused[name])
        elif name in request.levels:
            own_source = find_source(name, persons=request.asked.persons)
            (cut,) = own_source.statistics(request.rules, request.setting)
            wanted = None if described is None else described.threshold(name)
            if wanted is not None:
                at, error = next((e for e in errors[name] if e[0] >= wanted), errors[name][-1])
                measures[name] = Planned(name, part, error, {at: error})
                continue
            count = EXAMPLES if request.setting.limit is None else len(cut.values)
            measures[name] = Planned(name, part, by_threshold=dict(errors[name][:count]))
        elif measure.without_error is not None:
            measures[name] = Planned(name, part)
        else:
            own = [error for _, error in errors.get(source or "", [(0, 0.0)])]
            measures[name] = Planned(name, part, sum(own) / len(own))
    return Plan(
        request.epsilon,
        asked.person,
        request.person.rows,
        measures,
        tuple(_draws(request)),
        _without_thresholds(request),
        _find_grade_error(request, described, errors),
    )


def _find_grade_error(
    request: Request, described: Described | None, errors: Mapping[str, list[tuple[int, float]]]
) -> float | None:
    """The error of the grade of a described table: of the repair of its sample, by its rows."""
    if described is None or SAMPLE_REPAIR not in errors:
        return None
    ((_, error),) = errors[SAMPLE_REPAIR]
    return error / described.sample(request.person.most)


def _draws(request: Request) -> Iterator[tuple[tuple[str, ...], Fraction]]:
    """What is drawn together, and what it costs."""
    for part, names in ((DRAW, request.draw), (LEVELS, request.levels)):
        if names:
            yield names, request.parts[part]


def _without_thresholds(request: Request) -> dict[str, float]:
    """The errors of the first draw, had it the epsilon of both."""
    if not (request.draw and request.levels) or request.asked.persons:
        return {}
    parts = {DRAW: request.parts[DRAW] + request.parts[LEVELS]}
    errors = _errors(replace(request, levels=(), parts=parts))
    return {
        name: sum(error for _, error in own) / len(own)
        for name, own in errors.items()
        if name in request.measures
    }


def _errors(request: Request) -> dict[str, list[tuple[int, float]]]:
    """By measure the mean absolute errors, each with its threshold; of `by_rule`, of each rule."""
    # A guess at the rows decides what is shown. The release will not know it: it tries all
    # thresholds, and where the rows are drawn too, they limit them.
    setting = replace(request.setting, limit=None)
    plain, cut = (
        {
            name: find_source(name, persons=request.asked.persons).statistics(
                request.rules, setting
            )
            for name in names
        }
        for names in (request.draw, request.levels)
    )
    errors: dict[str, list[list[float]]] = {}
    if plain:
        draw = make_plain_draw(plain, request.parts[DRAW])
        drawn = iter(expect_errors(draw))
        errors |= {name: [next(drawn) for _ in own] for name, own in plain.items()}
    if cut:
        hinted = {REPAIR.name, ROWS.name} <= {*plain}
        drawn = iter(expected_errors(join_statistics(cut), request.parts[LEVELS], hinted=hinted))
        errors |= {name: [next(drawn) for _ in own] for name, own in cut.items()}
    return {
        name: [
            (threshold, error)
            for s, own in zip((plain | cut)[name], errors[name], strict=True)
            for threshold, error in zip(s.thresholds, own, strict=False)
        ]
        for name in errors
    }


def expect_errors(draw: PlainDraw | SampleDraw) -> list[list[float]]:
    """The mean absolute error of each number of a draw without thresholds."""
    steps = [float(statistic.step) for statistic in draw.statistics]
    means = [noise.mean_absolute_error for noise in draw.noises]
    return [[mean * step] for mean, step in zip(means, steps, strict=True)]


def _smallest(planned: Any, target_errors: Mapping[str, float]) -> Fraction:
    """The smallest epsilon, to three digits, that reaches every target error."""

    def suffices(epsilon: Fraction) -> bool:
        plan = planned(epsilon)
        return all(_error_of(plan, name) <= error for name, error in target_errors.items())

    for name, error in target_errors.items():
        if not (math.isfinite(error) and error > 0):
            raise UsageError(f"The target error of {name!r} must be above 0.", code="U205")
    if not suffices(LARGEST):
        raise UsageError("No epsilon up to 100 gives errors that small.", code="U205")
    low, high = SMALLEST, LARGEST
    while high > low * Fraction(1001, 1000):
        # Halving first finds the order of magnitude, bisecting then the digits.
        middle = _round_to_digits(high / 2 if high > 4 * low else (low + high) / 2)
        if not low < middle < high:
            break
        low, high = (low, middle) if suffices(middle) else (middle, high)
    return high


def _round_to_digits(value: Fraction) -> Fraction:
    """Four significant digits, so that the answer is a number one would type."""
    return Fraction(f"{float(value):.4g}")


def _error_of(plan: Plan, name: str) -> float:
    measure, _, threshold = name.partition("@")
    planned = plan.measures.get(measure)
    if planned is None:
        raise UsageError(f"{measure!r} is not among the measures of the plan.", code="U205")
    if planned.by_threshold:
        if (
            not (threshold.isascii() and threshold.isdigit())
            or int(threshold) not in planned.by_threshold
        ):
            known = ", ".join(str(t) for t in planned.by_threshold)
            raise UsageError(
                f"Say at which threshold, as {measure}@16; here there are {known}.", code="U205"
            )
        return planned.by_threshold[int(threshold)]
    if planned.error is None:
        raise UsageError(f"{measure!r} has no error to plan.", code="U205")
    return planned.error
