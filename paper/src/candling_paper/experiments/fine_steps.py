"""The errors again, averaged over many more steps from clean to dirty.

The authors' code stores a table after every tenth change, 70 to 150 of them, and the text averages
over all of them. The first have hardly a conflict, and errors of any size. So the mean depends on
how many steps there are, and here are about as many as in the paper.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from candling_paper.experiments.dirty_tables import rnoise_cell
from candling_paper.experiments.estimates import (
    AS_CODED,
    AS_PRINTED,
    MEASURES,
    PAIRS,
    R2T_AS_CODED,
    R2T_AS_PRINTED,
    REPAIR,
)
from candling_paper.experiments.experiment import Comparison, Experiment
from candling_paper.experiments.published_values import (
    ERRORS,
    ERRORS_OVER_ALL,
    ERRORS_R2T,
    NAMES,
    Printed,
)
from candling_paper.experiments.setup import Setup
from candling_paper.experiments.store import Cell, Row
from candling_paper.experiments.tables import Estimate, estimate, grouped, pooled, where

WAYS = (AS_CODED, AS_PRINTED, R2T_AS_CODED, R2T_AS_PRINTED)


def cells(setup: Setup) -> Iterator[Cell]:
    """Even steps of one sample; of Stock, whose first conflicts decide, of all samples."""
    mode = setup.mode
    for name in NAMES:
        for sample in range(mode.samples if name == "stock" else 1):
            for step in range(mode.fine_steps):
                yield rnoise_cell(
                    setup,
                    name,
                    alpha=mode.alpha,
                    fraction=round((step + 1) / mode.fine_steps, 6),
                    sample=sample,
                    ways=WAYS,
                    draws=mode.fine_draws,
                )


def over_steps(rows: list[Row]) -> list[Row]:
    """Each sample's mean error over its steps; rows that are such means stay as they are."""
    keys = ("dataset", "data", "rows", "sample", "noise", "alpha", "measure", "method", "private")
    found: list[Row] = []
    for key, group in grouped(rows, *keys).items():
        row: Row = dict(zip(keys, key, strict=True))
        for column in ("error", "error_as_published"):
            known = estimate(group, column)
            row[column], row[f"{column}_se"] = (known.value, known.se) if known else (None, None)
        found.append(row | {"steps": group[0].get("steps") or len(group)})
    return found


def tables(setup: Setup, rows: list[Row]) -> dict[str, list[Row]]:  # noqa: ARG001
    """The means over all steps."""
    return {"fine_steps": over_steps(rows)}


def compare(rows: list[Row]) -> list[Comparison]:
    """The printed means once more."""
    averages = over_steps(rows)
    steps = averages[0]["steps"]

    def error(way: str, measure: str, name: str) -> Estimate | None:
        here = where(averages, method=way, measure=measure, dataset=name)
        return estimate(here, "error_as_published" if measure == REPAIR else "error")

    def again(printed: Printed) -> Printed:
        return replace(printed, what=f"{printed.what}, over {steps} steps")

    found = []
    for printed, coded, as_printed in (
        (ERRORS, AS_CODED, AS_PRINTED),
        (ERRORS_R2T, R2T_AS_CODED, R2T_AS_PRINTED),
    ):
        found += [
            Comparison(
                again(printed[name]),
                as_coded=error(coded, PAIRS, name),
                as_printed=error(as_printed, PAIRS, name),
            )
            for name in NAMES
        ]
    for measure in MEASURES:
        means = {
            way: pooled(error(way, measure, name) for name in NAMES)
            for way in (AS_CODED, AS_PRINTED)
        }
        found.append(Comparison(again(ERRORS_OVER_ALL[measure]), **means))
    return found


EXPERIMENT = Experiment(
    "fine_steps", "Errors averaged over many steps", cells, tables, compare=compare
)
