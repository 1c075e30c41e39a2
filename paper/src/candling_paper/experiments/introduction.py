"""The introduction's table: R2T against the paper's way, and ours beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from candling_paper.experiments import figures
from candling_paper.experiments.dirty_tables import rnoise_cell
from candling_paper.experiments.estimates import (
    AS_PRINTED,
    MADE_PRIVATE,
    MAIN,
    OURS,
    PAIRS,
    R2T_AS_PRINTED,
    R2T_MADE_PRIVATE,
)
from candling_paper.experiments.experiment import PAPER, R2T, Comparison, Experiment
from candling_paper.experiments.published_values import (
    BEST_THRESHOLDS,
    INTRO_PAPER,
    INTRO_R2T,
    INTRO_R2T_TEXT,
)
from candling_paper.experiments.setup import Setup
from candling_paper.experiments.store import Cell, Row
from candling_paper.experiments.tables import Estimate, estimate, where

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = ("adult", "flight", "stock")
ONE_DRAW = "ours_one_draw"
PRINTED = {
    "as_coded": INTRO_PAPER,
    AS_PRINTED: INTRO_PAPER,
    "r2t_as_coded": INTRO_R2T,
    R2T_AS_PRINTED: INTRO_R2T,
}


def cells(setup: Setup) -> Iterator[Cell]:
    """The whole noise on several samples."""
    mode = setup.mode
    for name in SHOWN:
        for sample in range(mode.intro_samples):
            yield rnoise_cell(
                setup,
                name,
                alpha=mode.alpha,
                sample=sample,
                ways=MAIN,
                draws=mode.intro_draws,
            )


def tables(setup: Setup, rows: list[Row]) -> dict[str, list[Row]]:  # noqa: ARG001
    """The pairs, with what is printed."""
    found: list[Row] = []
    for row in where(rows, measure=PAIRS):
        printed = PRINTED.get(str(row["method"]), {}).get(str(row["dataset"]))
        found.append(
            {
                **row,
                "printed": printed.value if printed else None,
                "printed_spread": printed.spread if printed else None,
            }
        )
    return {"introduction": found}


def draw(setup: Setup, rows: list[Row]) -> Figure:
    """Bars by dataset: R2T, and the paper's way and ours."""
    figure, panels = figures.new_figure(1, 2, width=12, height=4.8)
    here = where(rows, measure=PAIRS)
    rivals = figures.first_of(here, "r2t_as_coded", R2T_AS_PRINTED)
    again = figures.first_of(here, "as_coded", AS_PRINTED)
    for panel, title, printed, ways in (
        (panels[0][0], "R2T", INTRO_R2T, (R2T_MADE_PRIVATE,)),
        (panels[0][1], "the paper's way, and ours", INTRO_PAPER, (MADE_PRIVATE, OURS, ONE_DRAW)),
    ):
        first = rivals if printed is INTRO_R2T else again
        shown = [*first, *(way for way in ways if where(here, method=way))]
        bars = figures.Bars(panel, [setup.data[name].title for name in SHOWN])
        count = len(shown) + 1
        heights = [printed[name].value for name in SHOWN]
        bars.add(figures.PRINTED_BAR, heights, count, outline=True)
        for way in shown:
            known = [estimate(where(here, dataset=name, method=way)) for name in SHOWN]
            errors = [None if e is None else 2 * (e.se or 0.0) for e in known]
            values = [None if e is None else e.value for e in known]
            bars.add(figures.LOOKS[way], values, count, errors=errors)
        panel.set_title(title)
    for panel in panels[0]:
        panel.set_yscale("log")
    low = min(panel.get_ylim()[0] for panel in panels[0])
    high = max(panel.get_ylim()[1] for panel in panels[0])
    for panel in panels[0]:
        panel.set_ylim(low, high)
        figures.log_scale(panel)
    panels[0][0].set_ylabel("relative error of minimal_inconsistent")
    mode = setup.mode
    foot = figures.footer(
        setup,
        SHOWN,
        f"{mode.rows:,} rows at most, {figures.percent(mode.alpha)} RNoise, epsilon 1 (as "
        f"coded, 1.4). Means of {mode.intro_draws} draws on each of "
        f"{figures.counted(mode.intro_samples, 'sample')}, with two standard errors",
    )
    return figures.finish(
        figure, "The table of the introduction: pairs in conflict", foot, legend=4
    )


def compare(rows: list[Row]) -> list[Comparison]:
    """Both lines of the table, its text, and the thresholds that are said to be best."""
    here = where(rows, measure=PAIRS)

    def errors(ways: Mapping[str, str], name: str) -> dict[str, Estimate | None]:
        return {c: estimate(where(here, dataset=name, method=w)) for c, w in ways.items()}

    found = []
    for table, ways in ((INTRO_R2T, R2T), (INTRO_PAPER, PAPER)):
        found += [Comparison(p, **errors(ways, name)) for name, p in table.items()]
    found.append(Comparison(INTRO_R2T_TEXT, **errors(R2T, "stock")))
    for name, printed in BEST_THRESHOLDS.items():
        chosen = {
            c: estimate(where(here, dataset=name, method=w), "threshold") for c, w in PAPER.items()
        }
        found.append(Comparison(printed, **chosen))
    return found


EXPERIMENT = Experiment("introduction", "R2T against the paper's way", cells, tables, draw, compare)
