"""The experiments' datasets: where they are, how they are sampled and dirtied.

The files are not part of the package. A caller that does not find them says so and goes without.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from candling.constraints import ConstraintSet, load_constraints
from candling.paper.noise import rnoise

FOLDER_VARIABLE = "CANDLING_DATA"


@dataclass(frozen=True, slots=True)
class Dataset:
    """A Parquet file of clean rows and the file of rules that hold on it."""

    table: Path
    rules: Path

    def constraints(self) -> ConstraintSet:
        return load_constraints(self.rules)

    def sample(self, rows: int, *, seed: int) -> pa.Table:
        """`rows` rows drawn without repetition, in file order; all of them if there are fewer."""
        table = pq.read_table(self.table)
        if rows >= table.num_rows:
            return table
        # Not the stream of the noise, which is seeded with the bare seed.
        rng = np.random.default_rng([seed, 1])
        return table.take(pa.array(np.sort(rng.choice(table.num_rows, rows, replace=False))))

    def noisy(self, rows: int, *, alpha: float, seed: int) -> pa.Table:
        """A sample with RNoise at level `alpha` on the columns that the rules read."""
        columns = self.constraints().columns
        return rnoise(self.sample(rows, seed=seed), columns, alpha=alpha, seed=seed)


def folder(repository: Path) -> Path:
    """The folder named by CANDLING_DATA, else `shared/data` beside the repository."""
    named = os.environ.get(FOLDER_VARIABLE)
    return Path(named) if named else repository.resolve().parent / "shared" / "data"


def datasets(where: Path) -> dict[str, Dataset]:
    """The datasets by name: five of the paper's size, and `flight_joined` for larger samples."""
    return {
        "adult": Dataset(where / "adult.parquet", where / "adult.constraints.txt"),
        "flight": Dataset(where / "flight_10k.parquet", where / "flight.constraints.txt"),
        "flight_joined": Dataset(
            where / "flight_500k_joined.parquet", where / "flight.constraints.txt"
        ),
        "hospital": Dataset(where / "hospital_10k.parquet", where / "hospital.constraints.txt"),
        "stock": Dataset(where / "stock_sp500_122k.parquet", where / "stock.constraints.txt"),
        "tax": Dataset(where / "tax_50k.parquet", where / "tax.constraints.txt"),
    }
