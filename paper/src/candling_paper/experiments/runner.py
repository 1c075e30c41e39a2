"""Running experiments: cells that are not finished yet, then tables, figures and the comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from candling.errors import UsageError, nearest
from candling.system.files import write_bytes
from candling_paper.experiments import (
    as_run,
    budgets,
    comparison,
    dataset_table,
    figures,
    introduction,
    manifest,
    rivals,
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
from candling_paper.experiments.workers import compute_all

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
        as_run.EXPERIMENT,
        rivals.EXPERIMENT,
        run_time.BY_ROWS,
        run_time.BY_RULES,
        run_time.BY_LOOP,
        run_time.BY_DATASETS,
        utility.EXPERIMENT,
    )
}

# These measure time: nothing else may run beside them.
TIMED = {
    e.name for e in (run_time.BY_ROWS, run_time.BY_RULES, run_time.BY_LOOP, run_time.BY_DATASETS)
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
                f"Unknown experiment {name!r}.{hint} Known: {', '.join(EXPERIMENTS)}.",
                code="U211",
            )
    return [e for e in EXPERIMENTS.values() if not names or e.name in names]


def run(
    experiments: Sequence[Experiment],
    setup: Setup,
    out: Path,
    *,
    fresh: bool = False,
    processes: int = 1,
    progress: Progress = lambda *_: None,
) -> list[Outcome]:
    """Run experiments into the folder `out`: a CSV file and a figure of each, and a manifest.

    Cells that an earlier run finished are not computed again, unless `fresh`. With several
    `processes` the cells are computed side by side, but for those that time something: they come
    last, one after the other, in this process.

    Raises:
        UsageError: A figure is to be drawn and matplotlib is missing.
        BrokenProcessPool: One of several processes was ended from outside.
    """
    if any(e.draw for e in experiments):
        figures.require_matplotlib()
    store = Store(out)
    work = {e.name: list(e.cells(setup)) for e in experiments}
    by_key = {cell.key: cell for cells in work.values() for cell in cells}
    if fresh:
        for cell in by_key.values():
            store.forget(cell)
    finished = {key for key, cell in by_key.items() if store.has(cell)}
    computed: set[str] = set()
    if processes > 1:
        side_by_side = [e for e in experiments if e.name not in TIMED]
        here = {cell.key: cell for e in side_by_side for cell in work[e.name]}
        left = [cell for key, cell in here.items() if key not in finished]
        progress("starting processes", len(finished), len(by_key))
        for cell in compute_all(left, side_by_side, setup, out, processes):
            finished.add(cell.key)
            computed.add(cell.key)
            progress(cell.label, len(finished), len(by_key))
    outcomes = {}
    for experiment in sorted(experiments, key=lambda e: e.name in TIMED):
        outcome = Outcome(experiment.name, experiment.title, len(work[experiment.name]))
        rows: list[Row] = []
        for cell in work[experiment.name]:
            if cell.key not in finished:
                progress(cell.label, len(finished), len(by_key))
            found = store.get(cell)
            if found is None:
                found = store.compute(cell)
                computed.add(cell.key)
            finished.add(cell.key)
            rows += found
        # A cell that two experiments share is the first one's.
        outcome.computed = len(computed & {cell.key for cell in work[experiment.name]})
        computed -= {cell.key for cell in work[experiment.name]}
        progress(f"{experiment.name}: tables and figures", len(finished), len(by_key))
        outcome.written = _write(experiment, setup, rows, out)
        outcomes[experiment.name] = outcome
    _summarize(setup, store, out)
    progress("done", len(by_key), len(by_key))
    return [outcomes[e.name] for e in experiments]


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


def _summarize(setup: Setup, store: Store, out: Path) -> None:
    """The printed numbers and the manifest of all experiments finished in this mode until now."""
    compared: list[tuple[str, Comparison]] = []
    finished: dict[str, list[Cell]] = {}
    for experiment in EXPERIMENTS.values():
        cells = list(experiment.cells(setup))
        rows = _finished(store, cells)
        if rows is not None:
            finished[experiment.name] = cells
            compared += [(experiment.name, c) for c in experiment.compare(rows)]
    compared = comparison.merged(compared)
    text = comparison.as_csv(compared), comparison.as_markdown(setup, compared)
    for kind, content in zip(("csv", "md"), text, strict=True):
        write_bytes(out / f"{comparison.STEM}.{kind}", content.encode())
    write_bytes(out / manifest.NAME, manifest.manifest(setup, finished, store))


def _finished(store: Store, cells: list[Cell]) -> list[Row] | None:
    rows: list[Row] = []
    for cell in cells:
        found = store.get(cell)
        if found is None:
            return None
        rows += found
    return rows
