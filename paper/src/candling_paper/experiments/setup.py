"""What the experiments are given: how much to do, and on which data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from candling_paper.datasets import Dataset
from candling_paper.experiments.published_values import NAMES


@dataclass(frozen=True, slots=True)
class Mode:
    """How much is done."""

    name: str
    samples: int  # of rows, each with its own noise
    steps: int  # points on the way from clean to noisy
    draws: int  # of each number, on each sample
    sizes: tuple[int, ...]  # rows, for the run time
    rule_counts: tuple[int, ...]
    loop_seconds: float  # that the published loop may take for one measure
    quantile_draws: int
    run_samples: int = 1  # of the experiment that repeats the published runs
    run_sparse_samples: int = 3  # of its sparse datasets, where single conflicts decide
    run_tables: int | None = 10  # on the way to all noise; None: one after every tenth change
    run_draws: int = 10
    rival_samples: int = 1
    rival_draws: int = 50
    rows: int = 10_000
    alpha: float = 0.01  # the published level of RNoise
    iterations: int = 200  # of CONoise
    degree_samples: int = 5
    intro_samples: int = 5
    intro_draws: int = 50
    epsilons: tuple[float, ...] = (0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0)
    repeats: int = 3  # of what is timed; the least counts


QUICK = Mode(
    name="quick",
    samples=1,
    steps=10,
    draws=25,
    sizes=(100, 1_000, 10_000, 100_000, 1_000_000),
    rule_counts=(1, 4, 7, 10, 13),
    loop_seconds=30.0,
    quantile_draws=10_000,
)
FULL = Mode(
    name="full",
    samples=10,
    steps=15,
    draws=50,
    sizes=(100, 1_000, 10_000, 100_000, 1_000_000),
    rule_counts=tuple(range(1, 14)),
    loop_seconds=60.0,
    quantile_draws=100_000,
    run_samples=4,
    run_sparse_samples=10,
    run_tables=None,
    rival_draws=100,
    degree_samples=10,
    intro_samples=10,
    intro_draws=200,
)


@dataclass(frozen=True, slots=True)
class Setup:
    """A mode, the datasets, and the memory in bytes that a cell may need."""

    mode: Mode
    data: Mapping[str, Dataset]
    memory: int

    @property
    def names(self) -> tuple[str, ...]:
        """The paper's datasets, from sparse to dense, and those that the user added."""
        return (*NAMES, *(name for name, dataset in self.data.items() if dataset.added))

    def origins(self, names: tuple[str, ...] = NAMES) -> str:
        """One sentence on where the rows of these datasets come from."""
        titles: dict[str, list[str]] = {}
        for name in names:
            titles.setdefault(self.data[name].origin, []).append(self.data[name].title)
        said = "; ".join(f"{', '.join(those)}: {origin}" for origin, those in titles.items())
        return f"Data: {said}."
