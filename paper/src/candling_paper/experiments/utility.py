"""The published bound on the error against how large the error is, on the example of Ottawa.

The bound fails where choosing has much more budget than the noise: its proof takes the noise to be
within sqrt(2) of its scale, which the part of the bound that comes from choosing must make up for.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from candling.measures import MEASURES, Setting
from candling.privacy import LevelsDraw
from candling.rules import parse_constraints
from candling_paper import published
from candling_paper.all_rows import AllRows, read_all_rows
from candling_paper.experiments import figures
from candling_paper.experiments.estimates import (
    AS_PRINTED,
    OURS,
    PAIRS,
    REPEATED,
)
from candling_paper.experiments.experiment import Experiment
from candling_paper.experiments.setup import Setup
from candling_paper.experiments.store import Cell, Row
from candling_paper.experiments.tables import number, where

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LARGEST_MISS = math.exp(-math.sqrt(2))  # up to which the bound is claimed
MISSES = tuple(float(m) for m in np.geomspace(0.005, LARGEST_MISS, 25))
DATA = "the paper's example, four rows"

# Candidates, and the budgets of the choice and of the noise.
CASES = {"example": ((1, 2, 3), 1.0, 1.0), "one candidate": ((3,), 100.0, 1.0)}


def ottawa() -> AllRows:
    """Three rows agree, one has a typo: three pairs in conflict."""
    table = pa.table(
        {"Capital": ["Ottawa"] * 4, "Country": ["Canada", "Canada", "Canada", "Kanada"]}
    )
    return read_all_rows(table, parse_constraints("Capital -> Country"))


def cells(setup: Setup) -> Iterator[Cell]:
    """Both cases."""
    draws = setup.mode.quantile_draws
    for case in CASES:
        settings = {"step": case, "draws": draws}
        yield Cell("utility", settings, _Quantiles(case, draws))


class _Quantiles:
    """The bound and the measured quantiles for one case."""

    def __init__(self, case: str, draws: int) -> None:
        self.case, self.draws = case, draws

    def __call__(self) -> list[Row]:
        candidates, choice, noise = CASES[self.case]
        all_rows = ottawa()
        table = published.not_private(all_rows)
        truth = table.kept(PAIRS, table.rows)
        kept = [table.kept(PAIRS, t) for t in candidates]
        largest = candidates[-1]
        scores = [
            published.quality(k, kept[-1], t, noise) for k, t in zip(kept, candidates, strict=True)
        ]
        rng = np.random.default_rng(5)
        chances = published.probabilities(scores, largest, choice)
        chosen = rng.choice(len(candidates), self.draws, p=chances)
        scales = np.array(candidates)[chosen] / noise
        off = np.abs(np.array(kept)[chosen] + rng.laplace(size=self.draws) * scales - truth)

        # Ours gets the whole budget, or where choosing is given plenty, no more than the noise.
        epsilon = Fraction(str(noise if choice > noise else choice + noise))
        (levels,) = MEASURES[PAIRS].true_statistics(all_rows.facts, Setting())
        law = LevelsDraw([levels], epsilon, None)
        drawn = [law.draw()[0].value * levels.step for _ in range(self.draws)]
        ours_off = np.abs(np.array([float(max(Fraction(0), v)) for v in drawn]) - truth)

        rows: list[Row] = []
        for miss in MISSES:
            bound = published.utility_bound(scores, largest, truth - kept[-1], choice, miss)
            for way, errors in ((AS_PRINTED, off), (OURS, ours_off)):
                reached = float(np.quantile(errors, 1 - miss))
                is_published = way == AS_PRINTED
                rows.append(
                    {
                        "case": self.case,
                        "data": DATA,
                        "candidates": " ".join(map(str, candidates)) if is_published else None,
                        "epsilon_choice": choice if is_published else None,
                        "epsilon_noise": noise if is_published else None,
                        "epsilon": choice + noise if is_published else float(epsilon),
                        "method": way,
                        "private": REPEATED if is_published else "yes",
                        "beta": miss,
                        "bound": bound if is_published else None,
                        "error_quantile": reached,
                        "holds": str(reached <= bound) if is_published else None,
                        "draws": self.draws,
                    }
                )
        return rows


def tables(setup: Setup, rows: list[Row]) -> dict[str, list[Row]]:  # noqa: ARG001
    """As they are."""
    return {"utility": rows}


def draw(setup: Setup, rows: list[Row]) -> Figure:
    """The bound over beta, in the printed setting and where it fails."""
    figure, panels = figures.new_figure(1, 2, width=10, height=4.4)
    for panel, (case, (candidates, choice, noise)) in zip(panels[0], CASES.items(), strict=True):
        here = where(rows, case=case, method=AS_PRINTED)
        betas = [number(row, "beta") for row in here]
        bound = [number(row, "bound") for row in here]
        panel.plot(betas, bound, color=figures.BLACK, linewidth=2, label="the published bound")
        for way in (AS_PRINTED, OURS):
            quantiles = [number(r, "error_quantile") for r in where(rows, case=case, method=way)]
            panel.plot(betas, quantiles, **figures.LOOKS[way].line)
        broken = [q > b for q, b in zip(
            (number(r, "error_quantile") for r in here), bound, strict=True
        )]  # fmt: skip
        if any(broken):
            panel.fill_between(
                betas,
                bound,
                [number(r, "error_quantile") for r in here],
                where=broken,
                color=figures.GREY,
                alpha=0.25,
                label="the bound fails",
            )
        panel.set_ylim(bottom=0)
        panel.set_xlabel("beta")
        panel.set_title(
            f"candidates {', '.join(map(str, candidates))}; epsilon_1 {choice:g}, "
            f"epsilon_2 {noise:g}"
        )
    panels[0][0].set_ylabel("error, exceeded with probability beta")
    foot = (
        f"Data: {DATA}, three pairs. {setup.mode.quantile_draws:,} draws of each algorithm. Ours "
        "at epsilon 2 on the left, 1 on the right. The paper draws the bound and prints no number. "
        f"{setup.mode.name.capitalize()} mode."
    )
    title = "The bound on the error of minimal_inconsistent, and the error"
    return figures.finish(figure, title, foot, legend=4)


EXPERIMENT = Experiment("utility", "The utility bound against beta", cells, tables, draw)
