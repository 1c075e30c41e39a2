"""Running experiments: cells that are not finished yet, then tables, figures and the comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from candling.errors import UsageError
from candling.files import write_bytes
from candling.suggest import nearest
from candling_paper.experiments import (
    budgets,
    comparison,
    dataset_table,
    figures,
    introduction,
    run_time,
    strategies,
    true_vs_private,
    utility,
    worked_examples,
)
from candling_paper.experiments.experiment import Comparison, Experiment
from candling_paper.experiments.setup import Setup
from candling_paper.experiments.store import Cell, Row, Store
from candling_paper.experiments.tables import to_csv

EXPERIMENTS: dict[str, Experiment] = {
    e.name: e
    for e in (
        worked_examples.EXPERIMENT,
        introduction.EXPERIMENT,
        dataset_table.EXPERIMENT,
        true_vs_private.RNOISE_EXPERIMENT,
        true_vs_private.CONOISE_EXPERIMENT,
        strategies.EXPERIMENT,
        budgets.EXPERIMENT,
        run_time.BY_ROWS,
        run_time.BY_RULES,
        run_time.BY_DATASETS,
        utility.EXPERIMENT,
    )
}

Progress = Callable[[str, int, int], None]  # what is done now, cells finished, cells in all


@dataclass
class Outcome:
    """What one experiment took and wrote."""

    name: str
    title: str
    cells: int = 0
    computed: int = 0  # the others were finished before
    written: list[str] = field(default_factory=list)


def chosen(names: Sequence[str]) -> list[Experiment]:
    """The experiments of these names, all if there is none, in the paper's order.

    Raises:
        UsageError: There is no such experiment.
    """
    for name in names:
        if name not in EXPERIMENTS:
            near = nearest(name, EXPERIMENTS)
            hint = f" Did you mean {near}?" if near else ""
            raise UsageError(
                f"There is no experiment {name!r}.{hint} There are: {', '.join(EXPERIMENTS)}.",
                code="U211",
            )
    return [e for e in EXPERIMENTS.values() if not names or e.name in names]


def run(
    experiments: Sequence[Experiment],
    setup: Setup,
    out: Path,
    *,
    fresh: bool = False,
    progress: Progress = lambda *_: None,
) -> list[Outcome]:
    """Run experiments into the folder `out`: a CSV file and a figure of each.

    Cells that an earlier run finished are not computed again, unless `fresh`.

    Raises:
        UsageError: A figure is to be drawn and matplotlib is missing.
    """
    if any(e.draw for e in experiments):
        figures.require_matplotlib()
    store = Store(out)
    work = {e.name: list(e.cells(setup)) for e in experiments}
    if fresh:
        for cell in (cell for cells in work.values() for cell in cells):
            store.forget(cell)
    total, done = sum(map(len, work.values())), 0
    outcomes = []
    for experiment in experiments:
        outcome = Outcome(experiment.name, experiment.title, len(work[experiment.name]))
        rows: list[Row] = []
        for cell in work[experiment.name]:
            progress(cell.label, done, total)
            found = store.get(cell)
            if found is None:
                found = cell.compute()
                store.put(cell, found)
                outcome.computed += 1
            rows += found
            done += 1
        progress(f"{experiment.name}: tables and figures", done, total)
        outcome.written = _write(experiment, setup, rows, out)
        outcomes.append(outcome)
    _compare(setup, store, out)
    progress("done", total, total)
    return outcomes


def _write(experiment: Experiment, setup: Setup, rows: list[Row], out: Path) -> list[str]:
    out.mkdir(parents=True, exist_ok=True)
    written = {
        f"{stem}.csv": to_csv(table).encode()
        for stem, table in experiment.tables(setup, rows).items()
    }
    if experiment.draw is not None:
        drawn = figures.rendered(partial(experiment.draw, setup, rows))
        written |= {f"{experiment.name}.{kind}": content for kind, content in drawn.items()}
    for name, content in written.items():
        write_bytes(out / name, content)
    return list(written)


def _compare(setup: Setup, store: Store, out: Path) -> None:
    """Every printed number of the experiments that are finished in this mode, now or before."""
    found: list[tuple[str, Comparison]] = []
    for experiment in EXPERIMENTS.values():
        rows = _finished(store, list(experiment.cells(setup)))
        if rows is not None:
            found += [(experiment.name, c) for c in experiment.compare(rows)]
    text = comparison.as_csv(found), comparison.as_markdown(setup, found)
    for kind, content in zip(("csv", "md"), text, strict=True):
        write_bytes(out / f"{comparison.STEM}.{kind}", content.encode())


def _finished(store: Store, cells: list[Cell]) -> list[Row] | None:
    rows: list[Row] = []
    for cell in cells:
        found = store.get(cell)
        if found is None:
            return None
        rows += found
    return rows
