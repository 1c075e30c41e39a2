"""The introduction's table: R2T against the paper's way, and ours beside them."""

from __future__ import annotations

from collections.abc import Iterator
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
from candling_paper.experiments.experiment import Comparison, Experiment
from candling_paper.experiments.published_values import INTRO_PAPER, INTRO_R2T
from candling_paper.experiments.setup import Setup
from candling_paper.experiments.store import Cell, Row
from candling_paper.experiments.tables import mean, where

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = ("adult", "flight", "stock")
PRINTED = {AS_PRINTED: INTRO_PAPER, R2T_AS_PRINTED: INTRO_R2T}


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
    """Bars by dataset."""
    figure, panels = figures.new_figure(1, 1, width=9, height=4.6)
    bars = figures.Bars(panels[0][0], [setup.data[name].title for name in SHOWN])
    here = where(rows, measure=PAIRS)
    printed = (
        (figures.Look("R2T, printed in the paper", figures.SKY, "--"), INTRO_R2T),
        (figures.Look("paper, printed", figures.ORANGE, "--"), INTRO_PAPER),
    )
    count = len(printed) + len(MAIN)
    for look, values in printed:
        bars.add(look, [values[name].value for name in SHOWN], count, outline=True)
    for way in (R2T_AS_PRINTED, AS_PRINTED, R2T_MADE_PRIVATE, MADE_PRIVATE, OURS):
        heights = [mean(where(here, dataset=name, method=way), "error") for name in SHOWN]
        bars.add(figures.LOOKS[way], heights, count)
    figures.log_scale(bars.axis)
    bars.axis.set_ylabel("relative error of minimal_inconsistent")
    mode = setup.mode
    foot = figures.footer(
        setup,
        SHOWN,
        f"{mode.rows:,} rows at most, {figures.percent(mode.alpha)} RNoise, epsilon 1 (the "
        f"paper run again spends 1.4). Means of {mode.intro_draws} draws on each of "
        f"{figures.counted(mode.intro_samples, 'sample')}",
    )
    return figures.finish(figure, "R2T and the paper's way: pairs in conflict", foot, legend=3)


def compare(rows: list[Row]) -> list[Comparison]:
    """Both lines of the table."""
    here = where(rows, measure=PAIRS)

    def error(way: str, name: str) -> float | None:
        return mean(where(here, dataset=name, method=way), "error")

    found = []
    for table, again, sound in (
        (INTRO_R2T, R2T_AS_PRINTED, R2T_MADE_PRIVATE),
        (INTRO_PAPER, AS_PRINTED, MADE_PRIVATE),
    ):
        for name, printed in table.items():
            three = error(again, name), error(sound, name), error(OURS, name)
            found.append(Comparison(printed, *three))
    return found


EXPERIMENT = Experiment("introduction", "R2T against the paper's way", cells, tables, draw, compare)
