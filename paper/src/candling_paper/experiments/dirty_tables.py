"""One dirty table as a cell of work: every way drawn many times on it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial

import numpy as np
import pyarrow as pa

from candling_paper.conoise import conoise
from candling_paper.datasets import Dataset
from candling_paper.experiments.estimates import Case, summary_rows
from candling_paper.experiments.setup import Setup
from candling_paper.experiments.store import Cell, Row
from candling_paper.noise import partial_noise, rnoise

RNOISE, CONOISE = "RNoise", "CONoise"


def rnoise_cell(
    setup: Setup,
    name: str,
    *,
    alpha: float,
    fraction: float = 1.0,
    sample: int,
    ways: Sequence[str],
    epsilons: Sequence[float] = (1.0,),
    draws: int,
) -> Cell:
    """A sample with `fraction` of the changes of RNoise at `alpha`."""
    dataset = setup.data[name]
    settings = _settings(setup, dataset, RNOISE, fraction, sample) | {
        "alpha": alpha,
        "ways": list(ways),
        "epsilons": list(epsilons),
        "draws": draws,
    }

    def compute() -> list[Row]:
        clean, noisy = _clean_and_noisy(dataset, setup.mode.rows, alpha, sample)
        table = partial_noise(clean, noisy, fraction, sample)
        iterations = round(fraction * int(alpha * clean.num_rows * clean.num_columns))
        head: Row = {"noise": RNOISE, "alpha": alpha, "iterations": iterations, "step": fraction}
        return _rows(dataset, clean, table, head, sample, ways, epsilons, draws)

    return Cell("rnoise", settings, compute)


def conoise_cell(
    setup: Setup, name: str, *, iterations: int, sample: int, ways: Sequence[str], draws: int
) -> Cell:
    """A sample after `iterations` of CONoise."""
    dataset = setup.data[name]
    settings = _settings(setup, dataset, CONOISE, iterations, sample) | {
        "ways": list(ways),
        "draws": draws,
    }

    def compute() -> list[Row]:
        clean = _clean(dataset, setup.mode.rows, sample)
        table = conoise(clean, dataset.constraints(), iterations=iterations, seed=sample)
        fraction = iterations / setup.mode.iterations
        head: Row = {"noise": CONOISE, "alpha": None, "iterations": iterations, "step": fraction}
        return _rows(dataset, clean, table, head, sample, ways, (1.0,), draws)

    return Cell("conoise", settings, compute)


def described(dataset: Dataset, rows: int, sample: int) -> Row:
    """The columns that say which table a row is about."""
    return {"dataset": dataset.name, "data": dataset.origin, "rows": rows, "sample": sample}


def _rows(  # noqa: PLR0917
    dataset: Dataset,
    clean: pa.Table,
    table: pa.Table,
    head: Row,
    sample: int,
    ways: Sequence[str],
    epsilons: Sequence[float],
    draws: int,
) -> list[Row]:
    case = Case.of(table, dataset.constraints(), clean)
    rng = np.random.default_rng([sample, int(str(head["iterations"])), 3])
    measured = partial(summary_rows, case, ways, draws=draws, rng=rng)
    first = described(dataset, table.num_rows, sample)
    return [{**first, **head, **row} for e in epsilons for row in measured(epsilon=e)]


def _settings(
    setup: Setup, dataset: Dataset, noise: str, step: float, sample: int
) -> dict[str, object]:
    """What decides the dirty table, but for the level of the noise."""
    return {
        "dataset": dataset.name,
        "origin": dataset.origin,
        "rows": setup.mode.rows,
        "noise": noise,
        "step": step,
        "sample": sample,
    }


@lru_cache(maxsize=2)
def _clean(dataset: Dataset, rows: int, sample: int) -> pa.Table:
    return dataset.sample(rows, seed=sample)


@lru_cache(maxsize=2)
def _clean_and_noisy(
    dataset: Dataset, rows: int, alpha: float, sample: int
) -> tuple[pa.Table, pa.Table]:
    clean = dataset.sample(rows, seed=sample)
    return clean, rnoise(clean, dataset.constraints().columns, alpha=alpha, seed=sample)
