"""The strategies for choosing the threshold, each as published and made private."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

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
from candling_paper.experiments.experiment import Comparison, Experiment
from candling_paper.experiments.published_values import STRATEGIES_ON_STOCK, TWO_CHOICES
from candling_paper.experiments.setup import Setup
from candling_paper.experiments.store import Row
from candling_paper.experiments.tables import Estimate, estimate, grouped, mean, where
from candling_paper.experiments.true_vs_private import means, rnoise_cells

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WAYS = (*STRATEGIES, AS_CODED, AS_PRINTED, MADE_PRIVATE, OURS)
STRATEGY_NAMES = ("baseline_1", "exponential", "hierarchical")
Columns = dict[str, Estimate | None]


def tables(setup: Setup, rows: list[Row]) -> dict[str, list[Row]]:  # noqa: ARG001
    """Every step, and the means over them."""
    chosen = _chosen(rows)
    return {"strategies": chosen, "strategies_means": means(chosen, WAYS)}


def draw(setup: Setup, rows: list[Row]) -> Figure:
    """Errors, on a log scale, over the true value: as published above, made private below."""
    names = setup.names
    figure, panels = figures.new_figure(4, len(names), width=2.8 * len(names), height=11)
    chosen = _chosen(rows)
    for i, measure in enumerate(m for m in figures.MEASURES if m in THRESHOLDED):
        for j, name in enumerate(names):
            here = where(chosen, dataset=name, measure=measure)
            pair = panels[2 * i][j], panels[2 * i + 1][j]
            for panel, ways in zip(pair, (_published(here), _private(here)), strict=True):
                _lines(panel, here, measure, ways)
            limits = [panel.get_ylim() for panel in pair]
            for panel in pair:
                panel.set_ylim(min(low for low, _ in limits), max(high for _, high in limits))
                figures.log_scale(panel)
            if i == 0:
                pair[0].set_title(setup.data[name].title)
            if j == 0:
                for panel, form in zip(pair, ("as published", "made private"), strict=True):
                    panel.set_ylabel(f"relative error of\n{measure}\n{form}")
    mode = setup.mode
    foot = figures.footer(
        setup,
        names,
        f"{mode.rows:,} rows at most, RNoise up to {figures.percent(mode.alpha)}, epsilon 1 (as "
        "coded, 1.4 where it chooses)",
        f"Means of {mode.draws} draws on each of {figures.counted(mode.samples, 'sample')}, two "
        "standard errors shaded",
        "'Paper' is a bound on the degrees and two choices",
    )
    title = "Strategies for choosing the threshold"
    return figures.finish(figure, title, foot, legend=4)


def _published(rows: list[Row]) -> list[str]:
    """The strategies of the authors' code where there are any, else as printed; not private."""
    form = "as_coded" if where(rows, method="as_coded") else AS_PRINTED
    return [*(f"{form}_{name}" for name in STRATEGY_NAMES), form, "baseline_2"]


def _private(rows: list[Row]) -> list[str]:  # noqa: ARG001
    return [*(f"{MADE_PRIVATE}_{name}" for name in STRATEGY_NAMES), MADE_PRIVATE, OURS]


def _lines(panel: Any, rows: list[Row], measure: str, ways: list[str]) -> None:
    # Soon all rows of a dense table are in conflict: their number tells no steps apart.
    x = "truth" if measure == PAIRS else "iterations"
    for way in ways:
        points = [
            (mean(group, x) or 0.0, known)
            for group in grouped(where(rows, method=way), "iterations").values()
            if (known := estimate(group)) is not None and known.value > 0
        ]
        points.sort(key=itemgetter(0))
        if points:
            middle = [known.value for _, known in points]
            bounds = [known.ends for _, known in points]
            look = figures.LOOKS[way]
            figures.line_with_band(panel, [at for at, _ in points], middle, bounds, look, log=True)
    panel.set_yscale("log")
    figures.short_numbers(panel.xaxis)
    panel.set_xlabel("true value" if measure == PAIRS else "iterations of RNoise")


def behind(rows: list[Row], form: str, name: str, names: Sequence[str]) -> list[float]:
    """Orders of magnitude by which strategies of a form are behind its best, of both measures."""
    found = []
    for measure in THRESHOLDED:
        here = where(rows, dataset=name, measure=measure)
        best = mean(where(here, method=form), "error")
        others = [mean(where(here, method=f"{form}_{n}"), "error") for n in names]
        found += [math.log10(other / best) for other in others if other and best]
    return found


def compare(rows: list[Row]) -> list[Comparison]:
    """How many orders of magnitude the other strategies are behind the paper's."""

    def columns(name: str, names: Sequence[str], end: Callable[[list[float]], float]) -> Columns:
        forms = ("as_coded", AS_PRINTED, MADE_PRIVATE)
        found = {form: behind(rows, form, name, names) for form in forms}
        return {form: Estimate(end(values)) if values else None for form, values in found.items()}

    comparisons = [
        Comparison(printed, **columns("stock", STRATEGY_NAMES, end))
        for printed, end in zip(STRATEGIES_ON_STOCK, (min, max), strict=True)
    ]
    for name, printed in TWO_CHOICES.items():
        comparisons.append(Comparison(printed, **columns(name, ("hierarchical",), max)))
    return comparisons


def _chosen(rows: list[Row]) -> list[Row]:
    return [r for r in rows if r["measure"] in THRESHOLDED and r["method"] in WAYS]


EXPERIMENT = Experiment(
    "strategies", "Strategies for choosing the threshold", rnoise_cells, tables, draw, compare
)
