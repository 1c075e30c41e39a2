"""Errors at several privacy budgets."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING

from candling_paper.experiments import figures
from candling_paper.experiments.dirty_tables import rnoise_cell
from candling_paper.experiments.estimates import (
    AS_CODED,
    AS_PRINTED,
    MADE_PRIVATE,
    OURS,
    OURS_ONE_DRAW,
    REPAIR,
)
from candling_paper.experiments.experiment import PAPER, Comparison, Experiment
from candling_paper.experiments.published_values import NAMES, REPAIR_AT, REPAIR_REACHES
from candling_paper.experiments.setup import Setup
from candling_paper.experiments.store import Cell, Row
from candling_paper.experiments.tables import (
    Estimate,
    distinct,
    estimate,
    grouped,
    mean,
    number,
    where,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ALPHA = 0.005
WAYS = (AS_CODED, AS_PRINTED, MADE_PRIVATE, OURS, OURS_ONE_DRAW)


def cells(setup: Setup) -> Iterator[Cell]:
    """One cell for a sample and an epsilon."""
    mode = setup.mode
    for name in NAMES:
        for sample in range(mode.samples):
            for epsilon in mode.epsilons:
                yield rnoise_cell(
                    setup,
                    name,
                    alpha=ALPHA,
                    sample=sample,
                    ways=WAYS,
                    epsilons=(epsilon,),
                    draws=2 * mode.draws,
                )


def tables(setup: Setup, rows: list[Row]) -> dict[str, list[Row]]:  # noqa: ARG001
    """Every sample, and the means, with the epsilon that is printed for a repair error of 0.05."""
    return {"budgets": rows, "budgets_means": means(rows)}


def means(rows: list[Row]) -> list[Row]:
    """The mean errors over the samples at each epsilon."""
    found: list[Row] = []
    keys = ("dataset", "data", "measure", "method", "private", "epsilon")
    for key, group in grouped(rows, *keys).items():
        row: Row = dict(zip(keys, key, strict=True))
        for column in ("error", "error_as_published"):
            known = estimate(group, column)
            row[column], row[f"{column}_se"] = (known.value, known.se) if known else (None, None)
        deviation, truth = mean(group, "std"), mean(group, "truth")
        row["deviation"] = deviation / truth if deviation is not None and truth else None
        row["samples"] = len(group)
        row["printed"] = REPAIR_REACHES if _is_printed(row) else None
        found.append(row)
    return found


def _is_printed(row: Row) -> bool:
    at = REPAIR_AT.get(str(row["dataset"]))
    is_printed = row["measure"] == REPAIR and row["method"] == AS_PRINTED
    return at is not None and is_printed and row["epsilon"] == at.value


def draw(setup: Setup, rows: list[Row]) -> Figure:
    """Three measures by five datasets, both axes logarithmic."""
    figure, panels = figures.new_figure(3, 5, width=14, height=8.6)
    for i, measure in enumerate(figures.MEASURES):
        for j, name in enumerate(NAMES):
            panel = panels[i][j]
            here = where(rows, dataset=name, measure=measure)
            again = figures.first_of(here, "as_coded", AS_PRINTED)
            for way in (*again, MADE_PRIVATE, OURS, "ours_one_draw"):
                _line(panel, where(here, method=way), figures.LOOKS[way], "error")
            if measure == REPAIR and again:
                look = replace(
                    figures.LOOKS[again[0]], label="... against twice the LP, as the paper has it"
                )
                look = replace(look, dashes=":", marker="")
                _line(panel, where(here, method=again[0]), look, "error_as_published")
                if name in REPAIR_AT:
                    at = REPAIR_AT[name].value
                    panel.plot([at], [REPAIR_REACHES], **{**figures.PRINTED.line, "markersize": 9})
            figures.log_scale(panel, "xy")
            ticks = [e for e in setup.mode.epsilons if e != 3.0]
            panel.set_xticks(ticks, [f"{e:g}" for e in ticks])
            panel.minorticks_off()
            if i == 0:
                panel.set_title(setup.data[name].title)
            if j == 0:
                panel.set_ylabel(f"relative error of\n{figures.MEASURE_TITLES[measure]}")
            if i == len(figures.MEASURES) - 1:
                panel.set_xlabel("epsilon")
    mode = setup.mode
    foot = figures.footer(
        setup,
        NAMES,
        f"{mode.rows:,} rows at most, {figures.percent(ALPHA)} RNoise. Means of "
        f"{2 * mode.draws} draws on each of {figures.counted(mode.samples, 'sample')}, two "
        "standard errors shaded; as coded, the first two measures spend 1.4 times that epsilon",
    )
    return figures.finish(figure, "Errors at several privacy budgets", foot, legend=4)


def _line(panel: object, rows: list[Row], look: figures.Look, column: str) -> None:
    points = [
        (number({"e": epsilon}, "e"), known)
        for epsilon in distinct(rows, "epsilon")
        if (known := estimate(where(rows, epsilon=epsilon), column)) is not None
        and known.value > 0  # a log scale has no 0
    ]
    if points:
        middle = [known.value for _, known in points]
        bounds = [known.ends for _, known in points]
        figures.line_with_band(panel, [e for e, _ in points], middle, bounds, look, log=True)


def _first(errors: Mapping[float, Estimate], end: Callable[[Estimate], float]) -> float | None:
    """The least epsilon at which this end of the error is 0.05 or less."""
    return min((e for e, error in errors.items() if end(error) <= REPAIR_REACHES), default=None)


def _low(error: Estimate) -> float:
    return error.ends[0]


def _high(error: Estimate) -> float:
    return error.ends[1]


def reached(rows: list[Row], column: str) -> Estimate | None:
    """The least epsilon of those tried at which this error is 0.05 or less.

    The limits are where it would be with the error two standard errors lower and higher.
    """
    errors = {
        number({"e": e}, "e"): known
        for e in distinct(rows, "epsilon")
        if (known := estimate(where(rows, epsilon=e), column)) is not None
    }
    least = _first(errors, attrgetter("value"))
    low, high = _first(errors, _low), _first(errors, _high)
    if least is None:
        return None
    limits = least if low is None else low, math.inf if high is None else high
    return Estimate(least, limits=limits)


def compare(rows: list[Row]) -> list[Comparison]:
    """The least epsilon among those tried at which the error of repair is 0.05 or less."""

    def found(name: str, way: str) -> Estimate | None:
        here = where(rows, dataset=name, measure=REPAIR, method=way)
        return reached(here, "error" if way.startswith(OURS) else "error_as_published")

    return [
        Comparison(printed, **{column: found(name, way) for column, way in PAPER.items()})
        for name, printed in REPAIR_AT.items()
    ]


EXPERIMENT = Experiment("budgets", "Varying the privacy budget", cells, tables, draw, compare)
