"""True against private values on the way from clean to dirty, for RNoise and for CONoise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from candling_paper.experiments import figures
from candling_paper.experiments.dirty_tables import CONOISE, RNOISE, conoise_cell, rnoise_cell
from candling_paper.experiments.estimates import (
    AS_PRINTED,
    MADE_PRIVATE,
    MAIN,
    OURS,
    PAIRS,
    R2T_AS_PRINTED,
    REPAIR,
    STRATEGIES,
)
from candling_paper.experiments.experiment import PAPER, R2T, Comparison, Experiment
from candling_paper.experiments.published_values import (
    ERRORS,
    ERRORS_OVER_ALL,
    ERRORS_R2T,
    INTRO_RANGE,
    NAMES,
    Printed,
)
from candling_paper.experiments.setup import Setup
from candling_paper.experiments.store import Cell, Row
from candling_paper.experiments.tables import (
    Estimate,
    distinct,
    estimate,
    grouped,
    mean,
    number,
    pooled,
    shown,
    where,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def fractions(setup: Setup) -> list[float]:
    """The points at which the tables are looked at, evenly on the way to all noise."""
    return [round((i + 1) / setup.mode.steps, 6) for i in range(setup.mode.steps)]


def rnoise_cells(setup: Setup) -> Iterator[Cell]:
    """All steps of all samples; the strategies look at the same tables."""
    mode = setup.mode
    for name in setup.names:
        for sample in range(mode.samples):
            for fraction in fractions(setup):
                yield rnoise_cell(
                    setup,
                    name,
                    alpha=mode.alpha,
                    fraction=fraction,
                    sample=sample,
                    ways=(*MAIN, *STRATEGIES),
                    draws=mode.draws,
                )


def conoise_cells(setup: Setup) -> Iterator[Cell]:
    """All steps of all samples."""
    mode = setup.mode
    for name in setup.names:
        for sample in range(mode.samples):
            for fraction in fractions(setup):
                iterations = max(1, round(fraction * mode.iterations))
                yield conoise_cell(
                    setup, name, iterations=iterations, sample=sample, ways=MAIN, draws=mode.draws
                )


def means(rows: list[Row], ways: tuple[str, ...] = MAIN) -> list[Row]:
    """The mean errors over all steps and samples, with what is printed."""
    found: list[Row] = []
    chosen = [row for row in rows if row["method"] in ways]
    keys = ("dataset", "data", "noise", "measure", "method", "private", "epsilon")
    for key, group in grouped(chosen, *keys).items():
        row: Row = dict(zip(keys, key, strict=True))
        for column in ("error", "error_as_published"):
            known = estimate(group, column)
            row[column], row[f"{column}_se"] = (known.value, known.se) if known else (None, None)
        over = estimate(group)
        row["se_over"] = over.over if over else None
        row["tables"] = len(group)
        row["without_conflicts"] = sum(r["error"] is None for r in group)
        first = min(number(r, "iterations") for r in group)
        begun = estimate([r for r in group if r["iterations"] == first])
        row["first_iterations"], row["first_error"] = first, begun.value if begun else None
        row["printed"] = printed(row)
        found.append(row)
    return found


def printed(row: Row) -> float | None:
    """The error that the text gives for a dataset, a measure and a method."""
    table: Mapping[str, Printed] | None = {
        "as_coded": ERRORS,
        AS_PRINTED: ERRORS,
        "r2t_as_coded": ERRORS_R2T,
        R2T_AS_PRINTED: ERRORS_R2T,
    }.get(str(row["method"]))
    if table is None or row["noise"] != RNOISE or row["measure"] != PAIRS:
        return None
    known = table.get(str(row["dataset"]))
    return None if known is None else known.value


def tables(name: str, setup: Setup, rows: list[Row]) -> dict[str, list[Row]]:  # noqa: ARG001
    """Every step, and the means over them."""
    steps = [row for row in rows if row["method"] in MAIN]
    return {name: steps, f"{name}_means": means(rows)}


def draw(title: str, noise: str, setup: Setup, rows: list[Row]) -> Figure:
    """Three measures by five datasets: the values over iterations, spread shaded."""
    names = setup.names
    figure, panels = figures.new_figure(3, len(names), width=2.8 * len(names), height=9)
    averages = means(rows)
    for i, measure in enumerate(figures.MEASURES):
        for j, name in enumerate(names):
            panel = panels[i][j]
            here = where(rows, dataset=name, measure=measure)
            ways = _ways(here, measure)
            _panel(panel, here, ways)
            figures.note_above(panel, _said(where(averages, dataset=name, measure=measure), ways))
            if i == 0:
                figures.column_title(panel, setup.data[name].title)
            if j == 0:
                panel.set_ylabel(figures.MEASURE_TITLES[measure])
            if i == len(figures.MEASURES) - 1:
                panel.set_xlabel(f"iterations of {noise}")
    mode = setup.mode
    level = f" up to {figures.percent(mode.alpha)}" if noise == RNOISE else ""
    foot = figures.footer(
        setup,
        names,
        f"{mode.rows:,} rows at most, {noise}{level}, epsilon 1 (as coded, 1.4 where it chooses)",
        f"Mean and standard deviation of {mode.draws} draws on each of "
        f"{figures.counted(mode.samples, 'sample')}",
        "Above the panels: relative errors, averaged over the steps, and in brackets what the "
        "paper prints; those of repair against the smallest repair, and behind 2LP against twice "
        "the linear program, as in the paper",
    )
    return figures.finish(figure, title, foot, legend=4)


def _ways(rows: list[Row], measure: str) -> list[str]:
    """Four ways at most, so that a panel stays readable; the CSV file has all."""
    again = figures.first_of(rows, "as_coded", AS_PRINTED)
    rival = figures.first_of(rows, "r2t_as_coded", R2T_AS_PRINTED)
    last = rival if measure == PAIRS else figures.first_of(rows, "ours_one_draw")
    return [*again, *last, *figures.first_of(rows, MADE_PRIVATE), *figures.first_of(rows, OURS)]


def _panel(panel: Any, rows: list[Row], ways: list[str]) -> None:
    truth = [mean(group, "truth") for group in grouped(rows, "iterations").values()]
    steps = [number({"x": x}, "x") for x in distinct(rows, "iterations")]
    largest = max((t for t in truth if t is not None), default=0.0)
    highest = largest
    for way in ways:
        groups = grouped(where(rows, method=way), "iterations").values()
        middle = [mean(group, "mean") or 0.0 for group in groups]
        spread = [mean(group, "std") or 0.0 for group in groups]
        bounds = [(m - s, m + s) for m, s in zip(middle, spread, strict=True)]
        figures.line_with_band(panel, steps, middle, bounds, figures.LOOKS[way])
        highest = max(highest, *middle)
    panel.plot(steps, truth, **{**figures.TRUTH.line, "linewidth": 2}, zorder=5)
    figures.short_numbers(panel.yaxis)
    top = max(1.0, 1.15 * min(highest, 2.2 * max(largest, 1)))
    panel.set_ylim(-0.15 * largest, top)
    if highest > top:
        panel.text(
            0.98,
            0.97,
            f"a line goes to {shown(highest, 2)}, beyond this axis",
            transform=panel.transAxes,
            ha="right",
            va="top",
            fontsize=6,
        )


def _said(averages: list[Row], ways: list[str]) -> list[str]:
    """The errors of the ways that are drawn: as measured, and as printed."""
    parts = []
    for way in ways:
        for row in where(averages, method=way):
            said = f"{_SHORT[way]} {shown(mean([row], 'error'), 2)}"
            if row["error_as_published"] is not None:
                said += f", 2LP {shown(mean([row], 'error_as_published'), 2)}"
            if (value := printed(row)) is not None:
                said += f" [{shown(value)}]"
            parts.append(said)
    return parts


_SHORT = {
    "as_coded": "as coded",
    AS_PRINTED: "as printed",
    MADE_PRIVATE: "made private",
    "r2t_as_coded": "R2T",
    R2T_AS_PRINTED: "R2T, base 2",
    OURS: OURS,
    "ours_one_draw": "one draw",
}


def compare(rows: list[Row]) -> list[Comparison]:
    """By dataset, over all datasets, and the range."""

    def error(way: str, measure: str, name: str) -> Estimate | None:
        against_twice = measure == REPAIR and not way.startswith(OURS)
        here = where(rows, dataset=name, measure=measure, method=way)
        return estimate(here, "error_as_published" if against_twice else "error")

    def columns(ways: Mapping[str, str], measure: str, name: str) -> dict[str, Estimate | None]:
        return {column: error(way, measure, name) for column, way in ways.items()}

    found = [Comparison(ERRORS[name], **columns(PAPER, PAIRS, name)) for name in NAMES]
    found += [Comparison(ERRORS_R2T[name], **columns(R2T, PAIRS, name)) for name in NAMES]
    every = {(m, name): columns(PAPER, m, name) for m in figures.MEASURES for name in NAMES}
    for measure, printed_mean in ERRORS_OVER_ALL.items():
        over_all = {c: pooled(every[measure, name][c] for name in NAMES) for c in PAPER}
        found.append(Comparison(printed_mean, **over_all))
    for printed_end, end in zip(INTRO_RANGE, (min, max), strict=True):
        ends = {}
        for column in PAPER:
            known = [e for values in every.values() if (e := values[column]) is not None]
            ends[column] = end(known, key=attrgetter("value")) if known else None
        found.append(Comparison(printed_end, **ends))
    return found


RNOISE_EXPERIMENT = Experiment(
    "true_vs_private_rnoise",
    "True and private values, RNoise",
    rnoise_cells,
    partial(tables, "true_vs_private_rnoise"),
    partial(draw, "True and private values over the iterations of RNoise", RNOISE),
    compare,
)
CONOISE_EXPERIMENT = Experiment(
    "true_vs_private_conoise",
    "True and private values, CONoise",
    conoise_cells,
    partial(tables, "true_vs_private_conoise"),
    partial(draw, "True and private values over the iterations of CONoise", CONOISE),
)
