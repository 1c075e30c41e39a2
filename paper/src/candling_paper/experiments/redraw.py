"""Figures, means and the comparison once more, from the CSV files of a finished run.

`python -m candling_paper.experiments.redraw FOLDER` after a change in how a figure looks or in how
numbers are compared; nothing is measured again.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from candling.system.files import write_bytes
from candling_paper.datasets import datasets
from candling_paper.experiments import comparison, figures, manifest
from candling_paper.experiments.experiment import Comparison
from candling_paper.experiments.runner import EXPERIMENTS
from candling_paper.experiments.setup import FULL, QUICK, Mode, Setup
from candling_paper.experiments.store import Row
from candling_paper.experiments.tables import from_csv, to_csv


def redraw(folder: Path, mode: Mode) -> list[str]:
    """Write every figure, what is derived from the rows, and the comparison; the files."""
    tables = {
        name: from_csv(path.read_text(encoding="utf-8"))
        for name in EXPERIMENTS
        if (path := folder / f"{name}.csv").is_file()
    }
    setup = _setup(tables, mode)
    compared: list[tuple[str, Comparison]] = []
    written: dict[str, bytes] = {}
    for name, rows in tables.items():
        experiment = EXPERIMENTS[name]
        derived = experiment.tables(setup, rows)
        written |= {f"{s}.csv": to_csv(t).encode() for s, t in derived.items() if s != name}
        compared += [(name, c) for c in experiment.compare(rows)]
        if experiment.draw is not None:
            drawn = figures.rendered(partial(experiment.draw, setup, rows))
            written |= {f"{name}.{kind}": content for kind, content in drawn.items()}
    compared = comparison.merged(compared)
    written[f"{comparison.STEM}.csv"] = comparison.as_csv(compared).encode()
    written[f"{comparison.STEM}.md"] = comparison.as_markdown(setup, compared).encode()
    for file, content in written.items():
        write_bytes(folder / file, content)
    return list(written)


def _setup(tables: Mapping[str, list[Row]], mode: Mode) -> Setup:
    """The datasets with the origins that the files name."""
    data = dict(datasets(None))
    for row in (row for rows in tables.values() for row in rows):
        name, origin = str(row.get("dataset")), str(row.get("data"))
        if name in data and data[name].origin != origin:
            data[name] = replace(data[name], origin=origin)
    return Setup(mode, data, 0)


if __name__ == "__main__":
    out = Path(sys.argv[1])
    made = json.loads((out / manifest.NAME).read_text(encoding="utf-8"))
    redraw(out, FULL if made["mode"]["name"] == FULL.name else QUICK)
