"""Errors at several privacy budgets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from candling_paper.experiments import figures
from candling_paper.experiments.dirty_tables import rnoise_cell
from candling_paper.experiments.estimates import (
    AS_CODED,
    AS_PRINTED,
    MADE_PRIVATE,
    MEASURES,
    OURS,
    OURS_ONE_DRAW,
    REPAIR,
)
from candling_paper.experiments.experiment import Comparison, Experiment
from candling_paper.experiments.published_values import NAMES, REPAIR_AT, REPAIR_REACHES
from candling_paper.experiments.setup import Setup
from candling_paper.experiments.store import Cell, Row
from candling_paper.experiments.tables import distinct, mean, number, where

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
    """With the epsilon that is printed for a repair error of 0.05."""
    return {
        "budgets": [
            {**row, "printed": REPAIR_REACHES if _is_printed(row) else None} for row in rows
        ]
    }


def _is_printed(row: Row) -> bool:
    at = REPAIR_AT[str(row["dataset"])].value
    return row["measure"] == REPAIR and row["method"] == AS_PRINTED and row["epsilon"] == at


def draw(setup: Setup, rows: list[Row]) -> Figure:
    """Three measures by five datasets, both axes logarithmic."""
    figure, panels = figures.new_figure(3, 5, width=14, height=8)
    for i, measure in enumerate(MEASURES):
        for j, name in enumerate(NAMES):
            panel = panels[i][j]
            here = where(rows, dataset=name, measure=measure)
            for way in WAYS:
                _line(panel, where(here, method=way), figures.LOOKS[way], "error")
            if measure == REPAIR:
                look = figures.Look(
                    "paper, run again, against twice the LP (as in the paper)", figures.ORANGE, ":"
                )
                _line(panel, where(here, method=AS_PRINTED), look, "error_as_published")
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
            if i == len(MEASURES) - 1:
                panel.set_xlabel("epsilon")
    mode = setup.mode
    foot = figures.footer(
        setup,
        NAMES,
        f"{mode.rows:,} rows at most, {figures.percent(ALPHA)} RNoise. Means of "
        f"{2 * mode.draws} draws on each of {figures.counted(mode.samples, 'sample')}; the "
        "paper run again spends 1.4 times the epsilon shown on the first two measures",
    )
    return figures.finish(figure, "Errors at several privacy budgets", foot, legend=3)


def _line(panel: object, rows: list[Row], look: figures.Look, column: str) -> None:
    points = [
        (number({"e": epsilon}, "e"), error)
        for epsilon in distinct(rows, "epsilon")
        if (error := mean(where(rows, epsilon=epsilon), column))  # a log scale has no 0
    ]
    if points:
        panel.plot(*zip(*points, strict=True), **look.line)  # type: ignore[attr-defined]


def compare(rows: list[Row]) -> list[Comparison]:
    """The least epsilon among those tried at which the error of repair is 0.05 or less."""

    def reached(name: str, way: str) -> float | None:
        column = "error" if way == OURS else "error_as_published"
        here = where(rows, dataset=name, measure=REPAIR, method=way)
        enough = [
            number({"e": e}, "e")
            for e in distinct(here, "epsilon")
            if (error := mean(where(here, epsilon=e), column)) is not None
            and error <= REPAIR_REACHES
        ]
        return min(enough, default=None)

    comparisons = []
    for name, printed in REPAIR_AT.items():
        said = type(printed)(printed.value, f"{printed.what}, {name.capitalize()}", printed.where)
        comparisons.append(
            Comparison(said, *(reached(name, w) for w in (AS_PRINTED, MADE_PRIVATE, OURS)))
        )
    return comparisons


EXPERIMENT = Experiment("budgets", "Varying the privacy budget", cells, tables, draw, compare)
