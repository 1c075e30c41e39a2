"""docs/paper: what is kept of full runs of the experiments.

    python -m tools.results FOLDER...

Several folders are put together, and of an experiment that several have the last one's is taken.
The means, the comparison, the figures and the manifest stay. The rows of single tables, which are
many, are left out: `make reproduce-full` makes them.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from candling_paper.experiments import EXPERIMENTS, FULL, manifest
from candling_paper.experiments.redraw import redraw
from tools import DOCS

# CSV files with a row for each table that was looked at, and of figures the form that stays sharp.
LONG = {
    *("as_run", "budgets", "rivals", "strategies"),
    *("true_vs_private_conoise", "true_vs_private_rnoise"),
}
KEPT = {".csv", ".svg", ".md"}


def publish(runs: Sequence[Path], out: Path) -> None:
    """Write what stays of these runs into `out`, in place of what is there."""
    source = {name: run for run in runs for name in EXPERIMENTS if (run / f"{name}.csv").is_file()}
    with TemporaryDirectory() as place:
        folder = Path(place)
        for name, run in source.items():
            shutil.copy(run / f"{name}.csv", folder)
        redraw(folder, FULL)
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        for path in sorted(folder.iterdir()):
            if path.suffix in KEPT and not (path.suffix == ".csv" and path.stem in LONG):
                shutil.copy(path, out)
    told = {"runs": [_told(run, source) for run in runs]}
    (out / manifest.NAME).write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def _told(run: Path, source: Mapping[str, Path]) -> dict[str, Any]:
    """The manifest of a run, with the experiments that are taken from it."""
    told: dict[str, Any] = json.loads((run / manifest.NAME).read_text(encoding="utf-8"))
    made = told["experiments"]
    told["experiments"] = {name: made[name] for name in made if source.get(name) == run}
    return told


if __name__ == "__main__":
    publish([Path(argument) for argument in sys.argv[1:]], DOCS / "paper")
