"""What a folder of results was made with: mode, versions, machine, seeds, data and times."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from candling_paper.datasets import Dataset
from candling_paper.experiments import environment
from candling_paper.experiments.setup import Setup
from candling_paper.experiments.store import Cell, Made, Store

NAME = "manifest.json"
SCHEMA = 1
SEEDS = {
    "rows of a sample": "numpy default_rng([sample, 1])",
    "look-alikes": "numpy default_rng([seed, 2]); the seed is the sample, or 0 for a look-alike "
    "that is made once and sampled",
    "RNoise, CONoise": "numpy default_rng(sample); run times: sample 0",
    "draws of published forms": "numpy default_rng([sample, iterations of noise, 3]); the utility "
    "bound: 5; the timed loop: 0",
    "draws of private forms (made private, ours)": "secure randomness without a seed: the numbers "
    "move a little from run to run",
}


def manifest(setup: Setup, finished: Mapping[str, Sequence[Cell]], store: Store) -> bytes:
    """The manifest of the experiments that are finished, by name, as JSON.

    All that may differ from run to run comes from the cells: run again, where nothing is left to
    compute, it has the same bytes.
    """
    made: dict[str, Made] = {}
    for cell in (cell for cells in finished.values() for cell in cells):
        if cell.key not in made and (how := store.made(cell)) is not None:
            made[cell.key] = how
    by_code = Counter((m.version, m.format, m.code) for m in made.values())
    content = {
        "schema": SCHEMA,
        "mode": asdict(setup.mode),
        "memory_limit_gib": round(setup.memory / 2**30, 1),
        "versions": environment.versions(),
        "machine": environment.machine(),
        "seeds": SEEDS,
        "datasets": {name: described(d) for name, d in sorted(setup.data.items())},
        "experiments": {
            name: _times([made[cell.key] for cell in cells]) for name, cells in finished.items()
        },
        # An experiment may share cells with another: here each counts once.
        "all": _times(list(made.values())),
        "made_by_one_version": len(by_code) <= 1,
        "made_by": [
            {"version": version, "format": form, "code": code, "cells": count}
            for (version, form, code), count in sorted(by_code.items())
        ],
    }
    return (json.dumps(content, indent=1) + "\n").encode()


def described(dataset: Dataset) -> dict[str, object]:
    """A dataset for JSON: what its rows are, and the digests of its file."""
    file = dataset.file
    known = None if file is None else file.digests.known
    return {
        "title": dataset.title,
        "real": file is not None,
        "published": known is not None and known.published and known.origin == dataset.origin,
        "origin": dataset.origin,
        "rows": dataset.largest,
        "file": None if file is None else file.place,
        "sha256": None if file is None else file.digests.sha256,
        "git_blob": None if file is None else file.digests.git_blob,
    }


def _times(made: Sequence[Made]) -> dict[str, object]:
    """Sums over cells. Cells of several processes overlap, so they may exceed the time between."""
    return {
        "cells": len(made),
        "cpu_seconds": round(sum(m.cpu_seconds for m in made), 1),
        "wall_seconds": round(sum(m.wall_seconds for m in made), 1),
        "started": min((m.started for m in made), default=None),
        "ended": max((m.ended for m in made), default=None),
    }
