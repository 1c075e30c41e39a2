"""True against private values on the way from clean to dirty, for RNoise and for CONoise."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from candling_paper.experiments import figures
from candling_paper.experiments.dirty_tables import CONOISE, RNOISE, conoise_cell, rnoise_cell
from candling_paper.experiments.estimates import (
    AS_PRINTED,
    MADE_PRIVATE,
    MAIN,
    MEASURES,
    OURS,
    PAIRS,
    R2T_AS_PRINTED,
    R2T_MADE_PRIVATE,
    REPAIR,
    STRATEGIES,
)
from candling_paper.experiments.experiment import Comparison, Experiment
from candling_paper.experiments.published_values import (
    ERRORS,
    ERRORS_OVER_ALL,
    ERRORS_R2T,
    INTRO_RANGE,
    NAMES,
)
from candling_paper.experiments.setup import Setup
from candling_paper.experiments.store import Cell, Row
from candling_paper.experiments.tables import distinct, doubt, grouped, mean, number, shown, where

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def fractions(setup: Setup) -> list[float]:
    """The points at which the tables are looked at, evenly on the way to all noise."""
    return [round((i + 1) / setup.mode.steps, 6) for i in range(setup.mode.steps)]


def rnoise_cells(setup: Setup) -> Iterator[Cell]:
    """All steps of all samples; the strategies look at the same tables."""
    mode = setup.mode
    for name in NAMES:
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
    for name in NAMES:
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
        row["error"], row["error_se"] = mean(group, "error"), doubt(group)
        row["error_as_published"] = mean(group, "error_as_published")
        row["tables"] = len(group)
        row["without_conflicts"] = sum(r["error"] is None for r in group)
        row["printed"] = printed(row)
        found.append(row)
    return found


def printed(row: Row) -> float | None:
    """The error that the text gives for a dataset, a measure and a method."""
    table = {AS_PRINTED: ERRORS, R2T_AS_PRINTED: ERRORS_R2T}.get(str(row["method"]))
    if table is None or row["noise"] != RNOISE or row["measure"] != PAIRS:
        return None
    return table[str(row["dataset"])].value


def tables(name: str, setup: Setup, rows: list[Row]) -> dict[str, list[Row]]:  # noqa: ARG001
    """Every step, and the means over them."""
    steps = [row for row in rows if row["method"] in MAIN]
    return {name: steps, f"{name}_means": means(rows)}


def draw(title: str, noise: str, setup: Setup, rows: list[Row]) -> Figure:
    """Three measures by five datasets: the values over iterations, spread shaded."""
    figure, panels = figures.new_figure(3, 5, width=14, height=8.2)
    averages = means(rows)
    for i, measure in enumerate(MEASURES):
        for j, name in enumerate(NAMES):
            panel = panels[i][j]
            here = where(rows, dataset=name, measure=measure)
            _panel(panel, here)
            errors = where(averages, dataset=name, measure=measure)
            _say_errors(panel, errors)
            if i == 0:
                panel.set_title(setup.data[name].title)
            if j == 0:
                panel.set_ylabel(figures.MEASURE_TITLES[measure])
            if i == len(MEASURES) - 1:
                panel.set_xlabel(f"iterations of {noise}")
    mode = setup.mode
    level = f" up to {figures.percent(mode.alpha)}" if noise == RNOISE else ""
    foot = figures.footer(
        setup,
        NAMES,
        f"{mode.rows:,} rows at most, {noise}{level}, epsilon 1 (the paper run again spends 1.4)",
        f"Mean and standard deviation of {mode.draws} draws on each of "
        f"{figures.counted(mode.samples, 'sample')}",
        "In the panels: relative errors, averaged over the steps, and what the paper prints; those "
        "of repair against the smallest repair and, in brackets, against twice the LP as in the "
        "paper",
    )
    return figures.finish(figure, title, foot, legend=6)


def _panel(panel: Any, rows: list[Row]) -> None:
    truth = [mean(group, "truth") for group in grouped(rows, "iterations").values()]
    steps = [number({"x": x}, "x") for x in distinct(rows, "iterations")]
    largest = max((t for t in truth if t is not None), default=0.0)
    for way in (AS_PRINTED, R2T_AS_PRINTED, R2T_MADE_PRIVATE, MADE_PRIVATE, OURS):
        groups = grouped(where(rows, method=way), "iterations").values()
        if not groups:
            continue
        look = figures.LOOKS[way]
        middle = [mean(group, "mean") or 0.0 for group in groups]
        spread = [mean(group, "std") or 0.0 for group in groups]
        panel.plot(steps, middle, **look.line)
        if way in (MADE_PRIVATE, OURS):
            low, high = zip(
                *((m - s, m + s) for m, s in zip(middle, spread, strict=True)), strict=True
            )
            panel.fill_between(steps, low, high, color=look.colour, alpha=0.15, linewidth=0)
    panel.plot(steps, truth, **{**figures.TRUTH.line, "linewidth": 2}, zorder=5)
    figures.short_numbers(panel.yaxis)
    panel.set_ylim(-0.15 * largest, 2.1 * max(largest, 1))


def _say_errors(panel: Any, averages: list[Row]) -> None:
    """A box with the errors: as printed, and as measured."""
    lines = []
    for row in averages:
        if row["method"] not in _SHORT:
            continue
        said = shown(mean([row], "error"), 2)
        if row["error_as_published"] is not None:
            said += f" ({shown(mean([row], 'error_as_published'), 2)})"
        if row["printed"] is not None:
            said += f"; paper prints {shown(mean([row], 'printed'))}"
        lines.append(f"{_SHORT[str(row['method'])]} {said}")
    box = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": "none", "alpha": 0.75}
    panel.text(
        0.03, 0.98, "\n".join(lines), transform=panel.transAxes, va="top", fontsize=6, bbox=box
    )


_SHORT = {
    AS_PRINTED: "run again",
    MADE_PRIVATE: "made private",
    R2T_AS_PRINTED: "R2T run again",
    R2T_MADE_PRIVATE: "R2T made private",
    OURS: OURS,
}


def compare(rows: list[Row]) -> list[Comparison]:
    """By dataset, over all datasets, and the range."""
    averages = means(rows)

    def error(way: str, measure: str, dataset: str | None = None) -> float | None:
        found = where(averages, method=way, measure=measure)
        if dataset is not None:
            found = where(found, dataset=dataset)
        as_published = measure == REPAIR and way != OURS
        return mean(found, "error_as_published" if as_published else "error")

    def three(measure: str, dataset: str | None = None) -> tuple[float | None, ...]:
        return tuple(error(way, measure, dataset) for way in (AS_PRINTED, MADE_PRIVATE, OURS))

    found = [Comparison(ERRORS[name], *three(PAIRS, name)) for name in NAMES]
    for name in NAMES:
        r2t = error(R2T_AS_PRINTED, PAIRS, name), error(R2T_MADE_PRIVATE, PAIRS, name)
        found.append(Comparison(ERRORS_R2T[name], *r2t, error(OURS, PAIRS, name)))
    found += [Comparison(ERRORS_OVER_ALL[m], *three(m)) for m in MEASURES]
    every = [three(measure, name) for measure in MEASURES for name in NAMES]
    for printed_end, end in zip(INTRO_RANGE, (min, max), strict=True):
        ends = (end((e for e in way if e is not None), default=None) for way in zip(*every))  # noqa: B905
        found.append(Comparison(printed_end, *ends))
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
