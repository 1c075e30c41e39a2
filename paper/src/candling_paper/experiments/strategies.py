"""The strategies for choosing the threshold, each as published and made private."""

from __future__ import annotations

from typing import TYPE_CHECKING

from candling_paper.experiments import figures
from candling_paper.experiments.estimates import (
    AS_CODED,
    AS_PRINTED,
    MADE_PRIVATE,
    OURS,
    PAIRS,
    STRATEGIES,
    THRESHOLDED,
)
from candling_paper.experiments.experiment import Experiment
from candling_paper.experiments.published_values import NAMES
from candling_paper.experiments.setup import Setup
from candling_paper.experiments.store import Row
from candling_paper.experiments.tables import grouped, mean, where
from candling_paper.experiments.true_vs_private import means, rnoise_cells

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WAYS = (*STRATEGIES, AS_CODED, AS_PRINTED, MADE_PRIVATE, OURS)


def tables(setup: Setup, rows: list[Row]) -> dict[str, list[Row]]:  # noqa: ARG001
    """Every step, and the means over them."""
    chosen = _chosen(rows)
    return {"strategies": chosen, "strategies_means": means(chosen, WAYS)}


def draw(setup: Setup, rows: list[Row]) -> Figure:
    """Errors, on a log scale, over the true value."""
    figure, panels = figures.new_figure(2, 5, width=14, height=6.8)
    chosen = _chosen(rows)
    for i, measure in enumerate(THRESHOLDED):
        for j, name in enumerate(NAMES):
            panel = panels[i][j]
            here = where(chosen, dataset=name, measure=measure)
            # Soon all rows of a dense table are in conflict: their number tells no steps apart.
            x = "truth" if measure == PAIRS else "iterations"
            for way in WAYS:
                points = [
                    (mean(group, x) or 0.0, error)
                    for group in grouped(where(here, method=way), "iterations").values()
                    if (error := mean(group, "error")) is not None
                ]
                points.sort()
                if points:
                    panel.plot(*zip(*points, strict=True), **figures.LOOKS[way].line)
            figures.log_scale(panel)
            figures.short_numbers(panel.xaxis)
            panel.set_xlabel("true value" if measure == PAIRS else "iterations of RNoise")
            if i == 0:
                panel.set_title(setup.data[name].title)
            if j == 0:
                panel.set_ylabel(f"relative error of\n{figures.MEASURE_TITLES[measure]}")
    mode = setup.mode
    foot = figures.footer(
        setup,
        NAMES,
        f"{mode.rows:,} rows at most, RNoise up to {figures.percent(mode.alpha)}, epsilon 1 (the "
        "published forms with a choice spend 1.4)",
        f"Means of {mode.draws} draws on each of {figures.counted(mode.samples, 'sample')}",
        "'Paper' is a bound on the degrees and two choices",
    )
    title = "Strategies for choosing the threshold (the paper prints no numbers)"
    return figures.finish(figure, title, foot, legend=4)


def _chosen(rows: list[Row]) -> list[Row]:
    return [r for r in rows if r["measure"] in THRESHOLDED and r["method"] in WAYS]


EXPERIMENT = Experiment(
    "strategies", "Strategies for choosing the threshold", rnoise_cells, tables, draw
)
