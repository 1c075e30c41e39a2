"""The experiments' datasets: where they are, how they are sampled and dirtied.

The files are not part of the package. Where one is missing, a look-alike stands in for it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from candling.rules import ConstraintSet, load_constraints
from candling_paper import lookalikes
from candling_paper.noise import rnoise

FOLDER_VARIABLE = "CANDLING_DATA"
LOOKALIKE = "look-alike made by candling"

Maker = Callable[[int, int], pa.Table]  # of a number of rows and a seed


@dataclass(frozen=True, slots=True)
class Dataset:
    """Clean rows, from a Parquet file or made up, and the file of rules that hold on them."""

    name: str
    title: str  # for figures
    origin: str  # a phrase for figures: what the rows are
    source: Path | Maker
    rules: Path

    @property
    def largest(self) -> int | None:
        """How many rows there are; None if there are as many as one asks for."""
        if not isinstance(self.source, Path):
            return None
        return int(pq.read_metadata(self.source).num_rows)

    def constraints(self) -> ConstraintSet:
        return load_constraints(self.rules)

    def sample(self, rows: int, *, seed: int) -> pa.Table:
        """`rows` rows drawn without repetition, in file order; all of them if there are fewer.

        A look-alike is made with so many rows, afresh for every seed.
        """
        if not isinstance(self.source, Path):
            return self.source(rows, seed)
        table = pq.read_table(self.source)
        if rows >= table.num_rows:
            return table
        # Not the stream of the noise, which is seeded with the bare seed.
        rng = np.random.default_rng([seed, 1])
        return table.take(pa.array(np.sort(rng.choice(table.num_rows, rows, replace=False))))

    def noisy(self, rows: int, *, alpha: float, seed: int) -> pa.Table:
        """A sample with RNoise at level `alpha` on the columns that the rules read."""
        columns = self.constraints().columns
        return rnoise(self.sample(rows, seed=seed), columns, alpha=alpha, seed=seed)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A dataset as it is named, filed and, without the file, made."""

    name: str
    title: str
    file: str
    rules: str
    origin: str
    make: Maker


_ENTRIES = (
    _Entry(
        "adult",
        "Adult",
        "adult.parquet",
        "adult",
        "32,561 rows, the published Adult table",
        lookalikes.adult,
    ),
    _Entry(
        "flight",
        "Flight",
        "flight_10k.parquet",
        "flight",
        "9,746 real flights of January 2014, a stand-in",
        lookalikes.flight,
    ),
    _Entry(
        "flight_joined",
        "Flight, joined",
        "flight_500k_joined.parquet",
        "flight",
        "500,000 real flights of 2001 joined with their airports, a stand-in",
        lookalikes.flight,
    ),
    _Entry(
        "hospital",
        "Hospital",
        "hospital_10k.parquet",
        "hospital",
        "10,000 rows of the published Hospital table, cleaned",
        lookalikes.hospital,
    ),
    _Entry(
        "stock",
        "Stock",
        "stock_sp500_122k.parquet",
        "stock",
        "real S&P 500 prices of 2018, a stand-in",
        lookalikes.stock,
    ),
    _Entry(
        "tax",
        "Tax",
        "tax_50k.parquet",
        "tax",
        "50,000 rows of the published Tax table",
        lookalikes.tax,
    ),
)


def folder(repository: Path) -> Path:
    """The folder named by CANDLING_DATA, else `shared/data` beside the repository."""
    named = os.environ.get(FOLDER_VARIABLE)
    return Path(named) if named else repository.resolve().parent / "shared" / "data"


def existing_folder(stated: Path | None, repository: Path) -> Path | None:
    """The folder to read: `stated` (an option), else that of `folder`; None if there is none.

    Only the default may be missing: look-alikes then replace the datasets.

    Raises:
        ValueError: The stated folder, or the one in CANDLING_DATA, does not exist.
    """
    if stated is None and not os.environ.get(FOLDER_VARIABLE):
        default = folder(repository)
        return default if default.is_dir() else None
    where = folder(repository) if stated is None else stated
    _check_folder(where)
    return where


def datasets(where: Path | None) -> dict[str, Dataset]:
    """The datasets by name, each from its file in `where`, or a look-alike if there is none.

    Five are of the paper's size; `flight_joined` and `tax_lookalike`, which is never a file, are
    for larger samples.

    Raises:
        ValueError: The folder does not exist.
    """
    if where is not None:
        _check_folder(where)
    by_name = {entry.name: _dataset(entry, where) for entry in _ENTRIES}
    by_name["tax_lookalike"] = Dataset(
        "tax_lookalike", "Tax look-alike", LOOKALIKE, lookalikes.tax, lookalikes.rules("tax")
    )
    return by_name


def _check_folder(where: Path) -> None:
    if not where.is_dir():
        msg = (
            f"there is no folder {where}: name the folder of the datasets by --data or in "
            f"{FOLDER_VARIABLE}, or name none to use look-alikes"
        )
        raise ValueError(msg)


def _dataset(entry: _Entry, where: Path | None) -> Dataset:
    rules = lookalikes.rules(entry.rules)
    if where is None or not (where / entry.file).is_file():
        return Dataset(entry.name, entry.title, LOOKALIKE, entry.make, rules)
    beside = where / rules.name
    return Dataset(
        entry.name,
        entry.title,
        entry.origin,
        where / entry.file,
        beside if beside.is_file() else rules,
    )
