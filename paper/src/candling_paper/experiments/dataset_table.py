"""The table of datasets: their size, rules and largest degree with noise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import candling
from candling.rules import Kind
from candling_paper.as_run import without_nulls
from candling_paper.datasets import Dataset
from candling_paper.experiments import figures, manifest
from candling_paper.experiments.as_run import OTHER_ROWS
from candling_paper.experiments.dirty_tables import RNOISE, described
from candling_paper.experiments.experiment import Comparison, Experiment
from candling_paper.experiments.published_values import DATASETS, NAMES, Printed
from candling_paper.experiments.setup import Mode, Setup
from candling_paper.experiments.store import Cell, Row
from candling_paper.experiments.tables import Estimate, estimate, number, where

if TYPE_CHECKING:
    from matplotlib.figure import Figure


# Further datasets, and those of the paper.
OTHERS = {"flight_10k": "flight"} | {other: name for name, other in OTHER_ROWS.items()}


def cells(setup: Setup) -> Iterator[Cell]:
    """Several samples of each dataset, and the small files that larger sources replace."""
    mode = setup.mode
    for name in setup.names:
        for sample in range(mode.degree_samples):
            yield _cell(setup.data[name], name, mode, sample)
    for other, name in OTHERS.items():
        if other in setup.data:
            for sample in range(mode.degree_samples):
                yield _cell(setup.data[other], name, mode, sample)


def _cell(dataset: Dataset, table_of_paper: str, mode: Mode, sample: int) -> Cell:
    rows, alpha = mode.rows, mode.alpha

    def compute() -> list[Row]:
        table = dataset.noisy(rows, alpha=alpha, seed=sample)
        rules = dataset.constraints()
        facts = candling.analyze(table, rules)._facts  # noqa: SLF001 - no search for the repair
        exact = candling.Exact(facts.exact(search=0))
        joined = candling.analyze(without_nulls(table), rules)._facts  # noqa: SLF001 - the same
        printed = DATASETS.get(table_of_paper)
        return [
            {
                **described(dataset, table.num_rows, sample),
                "noise": RNOISE,
                "alpha": alpha,
                # A look-alike has as many rows as we chose, which says nothing.
                "rows_in_all": None if dataset.file is None else dataset.largest,
                "columns": table.num_columns,
                "rules": len(rules),
                "fds": sum(rule.shape.kind in (Kind.FD, Kind.KEY) for rule in rules),
                "max_degree": exact.max_degree,
                "pairs": exact.minimal_inconsistent,
                "rows_in_conflict": exact.problematic,
                # As the authors' query has it, which leaves out rows with a NULL.
                "max_degree_as_run": int(joined.graph.degrees.max(initial=0)),
                "pairs_as_run": joined.graph.pairs,
                "published_file": str(manifest.described(dataset)["published"]),
                "printed_rows": printed and printed.rows,
                "printed_columns": printed and printed.columns,
                "printed_rules": printed and printed.rules,
                "printed_fds": printed and printed.fds,
                "printed_max_degree": printed and printed.max_degree,
            }
        ]

    settings = {
        "dataset": dataset.name,
        "origin": dataset.origin,
        "rows": rows,
        "alpha": alpha,
        "sample": sample,
    }
    return Cell("datasets", settings, compute)


def tables(setup: Setup, rows: list[Row]) -> dict[str, list[Row]]:  # noqa: ARG001
    """As they are."""
    return {"datasets": rows}


def draw(setup: Setup, rows: list[Row]) -> Figure:
    """The largest degrees beside the printed ones."""
    figure, panels = figures.new_figure(1, 1, width=7.5, height=4)
    names = setup.names
    bars = figures.Bars(panels[0][0], [setup.data[name].title for name in names])
    printed = [float(DATASETS[n].max_degree) if n in DATASETS else None for n in names]
    bars.add(figures.PRINTED_BAR, printed, 2, outline=True)
    found = [[number(r, "max_degree") for r in where(rows, dataset=name)] for name in names]
    middle = [sum(values) / len(values) for values in found]
    spread = [
        [m - min(v) for m, v in zip(middle, found, strict=True)],
        [max(v) - m for m, v in zip(middle, found, strict=True)],
    ]
    bars.add(
        figures.Look("measured: mean, least and most", figures.DARK),
        middle,
        2,
        yerr=spread,
        capsize=3,
    )
    figures.log_scale(bars.axis)
    bars.axis.set_ylim(bottom=0.5)
    bars.axis.set_ylabel("largest degree: pairs of one row")
    mode = setup.mode
    foot = figures.footer(
        setup,
        names,
        f"{mode.rows:,} rows at most, {figures.percent(mode.alpha)} RNoise, "
        f"{figures.counted(mode.degree_samples, 'sample')}; a fact about the data, not "
        "a private release",
    )
    return figures.finish(figure, "Largest degree of the conflict graph", foot, legend=2)


def compare(rows: list[Row]) -> list[Comparison]:
    """Every column of the printed table."""
    found = []
    for name in NAMES:
        here, printed = where(rows, dataset=name), DATASETS[name]
        published = all(row["published_file"] == "True" for row in here)
        for column, what, value in (
            ("rows_in_all", "rows", printed.rows),
            ("columns", "columns", printed.columns),
            ("rules", "rules", printed.rules),
            ("fds", "FDs and keys", printed.fds),
            ("max_degree", "largest degree", printed.max_degree),
        ):
            counted = column in {"rows_in_all", "columns"} and not published
            what_of = f"{what}, {name.capitalize()}"
            number_printed = Printed(value, what_of, printed.where, another_file=counted)
            degrees: dict[str, Estimate | None] = {}
            if column == "max_degree":
                other = where(rows, dataset=OTHER_ROWS.get(name))
                degrees["as_run"] = estimate(here, "max_degree_as_run")
                degrees["other_rows"] = estimate(other, "max_degree_as_run")
            fact = estimate(here, column)
            found.append(Comparison(number_printed, fact=fact, **degrees))
    return found


EXPERIMENT = Experiment(
    "datasets", "The datasets and their largest degrees", cells, tables, draw, compare
)
