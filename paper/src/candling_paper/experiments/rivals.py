"""Every private way that we could find, on the same tables and at the same epsilon."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from candling_paper import methods
from candling_paper.conoise import conoise
from candling_paper.experiments import figures
from candling_paper.experiments.dirty_tables import CONOISE, RNOISE, described
from candling_paper.experiments.estimates import (
    MADE_PRIVATE,
    OURS,
    PAIRS,
    R2T_MADE_PRIVATE,
    ROWS,
    Case,
    Values,
    estimate,
    is_private,
)
from candling_paper.experiments.experiment import Experiment
from candling_paper.experiments.setup import Setup
from candling_paper.experiments.store import Cell, Row
from candling_paper.experiments.tables import estimate as mean_error
from candling_paper.experiments.tables import grouped, mean, where
from candling_paper.node_truncation import Truncated
from candling_paper.noise import partial_noise, rnoise
from candling_paper.opt2 import Search, opt2
from candling_paper.sql_counts import count_by_rule

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OPT2, SQL, NODES, DISTINCT = "opt2", "sql_counts", "node_truncation", "distinct"
WAYS = {
    PAIRS: (SQL, NODES, R2T_MADE_PRIVATE, MADE_PRIVATE, OPT2, OURS),
    ROWS: (MADE_PRIVATE, DISTINCT, OURS),
}
FRACTIONS = (0.1, 0.3, 1.0)  # of the noise at the published level
REAL = "in real numbers"  # private but for the noise's floating-point numbers
EPSILON = Fraction(1)


def cells(setup: Setup) -> Iterator[Cell]:
    """One cell for a table: three steps of RNoise, and CONoise at its end."""
    for name in setup.names:
        for sample in range(setup.mode.rival_samples):
            for fraction in FRACTIONS:
                yield _cell(setup, name, RNOISE, fraction, sample)
            yield _cell(setup, name, CONOISE, 1.0, sample)


def _cell(setup: Setup, name: str, noise: str, fraction: float, sample: int) -> Cell:
    dataset, mode = setup.data[name], setup.mode
    settings: dict[str, object] = {
        "dataset": name,
        "origin": dataset.origin,
        "rows": mode.rows,
        "noise": noise,
        "step": fraction,
        "sample": sample,
        "alpha": mode.alpha,
        "iterations": mode.iterations,
        "draws": mode.rival_draws,
        "ways": [way for ways in WAYS.values() for way in ways],
    }

    def compute() -> list[Row]:
        clean, rules = dataset.sample(mode.rows, seed=sample), dataset.constraints()
        if noise == RNOISE:
            noisy = rnoise(clean, rules.columns, alpha=mode.alpha, seed=sample)
            table = partial_noise(clean, noisy, fraction, sample)
        else:
            table = conoise(clean, rules, iterations=mode.iterations, seed=sample)
        head: Row = {
            **described(dataset, table.num_rows, sample),
            "noise": noise,
            "step": fraction,
            "epsilon": float(EPSILON),
        }
        rng = np.random.default_rng([sample, round(10 * fraction), 7])
        case = Case.of(table, rules, clean)
        return [{**head, **row} for row in _measured(case, mode.rival_draws, rng)]

    return Cell("rivals", settings, compute)


def _measured(case: Case, draws: int, rng: np.random.Generator) -> Iterator[Row]:
    for measure, ways in WAYS.items():
        truth = case.truth[measure]
        for way in ways:
            values = _values(case, measure, way, draws, rng)
            errors = np.abs(values - truth) / truth if truth else None
            yield {
                "measure": measure,
                "method": way,
                "private": REAL if way in {OPT2, NODES} else is_private(way),
                "truth": truth,
                "mean": float(values.mean()),
                "error": None if errors is None else float(errors.mean()),
                "median_error": None if errors is None else float(np.median(errors)),
                "draws": draws,
            }


def _values(case: Case, measure: str, way: str, draws: int, rng: np.random.Generator) -> Values:
    """Answers, none below 0."""
    if way not in _RIVALS:
        return estimate(case, measure, way, float(EPSILON), draws, rng)[0]
    draw = _RIVALS[way](case, measure, rng)
    return np.array([max(0.0, draw()) for _ in range(draws)])


def _opt2(case: Case, measure: str, rng: np.random.Generator) -> Callable[[], float]:  # noqa: ARG001
    search = Search(case.all_rows)
    return lambda: opt2(search, float(EPSILON), rng)[1]


def _sql(case: Case, measure: str, rng: np.random.Generator) -> Callable[[], float]:  # noqa: ARG001
    return partial(count_by_rule(case.all_rows.classes, case.rows).draw, EPSILON)


def _nodes(case: Case, measure: str, rng: np.random.Generator) -> Callable[[], float]:  # noqa: ARG001
    table = Truncated.of(case.all_rows)
    return lambda: table.draw(EPSILON, rng)[1]


def _distinct(case: Case, measure: str, rng: np.random.Generator) -> Callable[[], float]:  # noqa: ARG001
    method = methods.distinct()
    levels = method.cut_levels(case.all_rows, measure, limit=case.rows)
    return lambda: float(method.draw(case.all_rows, levels, EPSILON).value * levels.step)


_RIVALS: dict[str, Callable[[Case, str, np.random.Generator], Callable[[], float]]] = {
    OPT2: _opt2,
    SQL: _sql,
    NODES: _nodes,
    DISTINCT: _distinct,
}


def means(rows: list[Row]) -> list[Row]:
    """The mean error of each way and dataset, RNoise and CONoise apart."""
    found: list[Row] = []
    keys = ("dataset", "data", "noise", "measure", "method", "private", "epsilon")
    for key, group in grouped(rows, *keys).items():
        known, middle = mean_error(group), mean_error(group, "median_error")
        found.append(
            {
                **dict(zip(keys, key, strict=True)),
                "error": known.value if known else None,
                "error_se": known.se if known else None,
                "se_over": known.over if known else None,
                "median_error": middle.value if middle else None,
                "tables": len(group),
            }
        )
    return found


def tables(setup: Setup, rows: list[Row]) -> dict[str, list[Row]]:  # noqa: ARG001
    """Every table, and the means over them."""
    return {"rivals": rows, "rivals_means": means(rows)}


def draw(setup: Setup, rows: list[Row]) -> Figure:
    """Bars by dataset: the pairs above, the rows in conflict below, by kind of noise."""
    figure, panels = figures.new_figure(2, 2, width=13, height=7.5)
    averages = means(rows)
    for i, measure in enumerate((PAIRS, ROWS)):
        for j, noise in enumerate((RNOISE, CONOISE)):
            here = where(averages, measure=measure, noise=noise)
            bars = figures.Bars(panels[i][j], [setup.data[name].title for name in setup.names])
            for way in WAYS[measure]:
                found = [where(here, dataset=name, method=way) for name in setup.names]
                heights = [mean(group, "error") for group in found]
                bars.add(figures.LOOKS[way], heights, len(WAYS[measure]))
            figures.log_scale(bars.axis)
            bars.axis.set_title(f"{figures.MEASURE_TITLES[measure]}, {noise}")
            if j == 0:
                bars.axis.set_ylabel("relative error")
    mode = setup.mode
    foot = figures.footer(
        setup,
        setup.names,
        f"{mode.rows:,} rows at most, epsilon 1, every way private (OPT2 and truncated nodes in "
        f"real numbers; with floating-point noise they are not private); means of "
        f"{mode.rival_draws} draws on each of {figures.counted(mode.rival_samples, 'sample')}. "
        f"RNoise: a tenth, three tenths and all of {figures.percent(mode.alpha)}; CONoise: "
        f"{mode.iterations} iterations",
    )
    return figures.finish(figure, "Private ways to count conflicts, at one epsilon", foot, legend=4)


EXPERIMENT = Experiment("rivals", "Ours beside other private mechanisms", cells, tables, draw)
