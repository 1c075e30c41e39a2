"""The experiments' datasets: where they are, how they are sampled and dirtied.

The files are not part of the package. Where one is missing, a look-alike stands in for it.
PROVENANCE.md says what the known files are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from candling.rules import ConstraintSet, load_constraints
from candling_paper import authors_files, lookalikes
from candling_paper.noise import rnoise
from candling_paper.provenance import Digests

FOLDER_VARIABLE = "CANDLING_DATA"
LOOKALIKE = "look-alike made by candling"
HOSPITAL_ROWS = 114_919  # of the published table

Maker = Callable[[int, int], pa.Table]  # of a number of rows and a seed


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file of clean rows: CSV as the authors have it, or Parquet."""

    path: Path
    place: str  # below the folder of the datasets
    digests: Digests
    types: Maker  # makes a table whose columns have the types that a CSV file cannot state

    @property
    def rows(self) -> int:
        if self.path.suffix == ".csv":
            return int(self.read().num_rows)
        return int(pq.read_metadata(self.path).num_rows)

    @property
    def columns(self) -> list[str]:
        if self.path.suffix == ".csv":
            return authors_files.column_names(self.path)
        return list(pq.read_schema(self.path).names)

    def read(self) -> pa.Table:
        return _read(self)


@lru_cache(maxsize=2)
def _read(file: DataFile) -> pa.Table:
    if file.path.suffix == ".csv":
        return authors_files.read(file.path, file.types(1, 0).schema)
    return pq.read_table(file.path)


@dataclass(frozen=True, slots=True)
class MadeUp:
    """A look-alike of one size, made once and sampled as a file is."""

    make: Maker
    rows: int

    def read(self) -> pa.Table:
        return _made(self)


@lru_cache(maxsize=1)
def _made(source: MadeUp) -> pa.Table:
    return source.make(source.rows, 0)


@dataclass(frozen=True, slots=True)
class Dataset:
    """Clean rows, from a file or made up, and the file of rules that hold on them."""

    name: str
    title: str  # for figures
    origin: str  # a phrase for figures: what the rows are
    source: DataFile | MadeUp | Maker
    rules: Path

    @property
    def file(self) -> DataFile | None:
        """The file of the rows; None if they are made up."""
        return self.source if isinstance(self.source, DataFile) else None

    @property
    def largest(self) -> int | None:
        """How many rows there are; None if there are as many as one asks for."""
        return self.source.rows if isinstance(self.source, DataFile | MadeUp) else None

    def constraints(self) -> ConstraintSet:
        return load_constraints(self.rules)

    def sample(self, rows: int, *, seed: int) -> pa.Table:
        """`rows` rows drawn without repetition, in file order; all of them if there are fewer.

        A look-alike without a size is made with so many rows, afresh for every seed.
        """
        if not isinstance(self.source, DataFile | MadeUp):
            return self.source(rows, seed)
        table = self.source.read()
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
    """A dataset as it is named, filed and, without a file, made."""

    name: str
    title: str
    table: str  # of the paper: the name of its rules and of the authors' file
    make: Maker
    parquet: str
    authors: bool = True  # whether the authors' file is this dataset too


_ENTRIES = (
    _Entry("adult", "Adult", "adult", lookalikes.adult, "adult.parquet"),
    _Entry("flight", "Flight", "flight", lookalikes.flight, "flight_10k.parquet"),
    _Entry(
        "flight_joined",
        "Flight, joined",
        "flight",
        lookalikes.flight,
        "flight_500k_joined.parquet",
        authors=False,
    ),
    _Entry("hospital", "Hospital", "hospital", lookalikes.hospital, "hospital_10k.parquet"),
    _Entry("stock", "Stock", "stock", lookalikes.stock, "stock_sp500_122k.parquet"),
    _Entry("tax", "Tax", "tax", lookalikes.tax, "tax_50k.parquet"),
)
# Never files. Tax is of any size, for run times.
_ALWAYS_MADE = (
    Dataset(
        "hospital_lookalike",
        "Hospital look-alike",
        f"{LOOKALIKE}, {HOSPITAL_ROWS:,} rows",
        MadeUp(lookalikes.hospital, HOSPITAL_ROWS),
        lookalikes.rules("hospital"),
    ),
    Dataset("tax_lookalike", "Tax look-alike", LOOKALIKE, lookalikes.tax, lookalikes.rules("tax")),
)
# What the experiments sample where a dataset has too few rows, and the name the dataset then has.
_LARGER = {
    "flight": ("flight_joined", "flight_10k"),
    "hospital": ("hospital_lookalike", "hospital_10k"),
}


def folder(repository: Path) -> Path:
    """The folder named by CANDLING_DATA, else `shared/data` beside the repository."""
    named = os.environ.get(FOLDER_VARIABLE)
    return Path(named) if named else repository.resolve().parent / "shared" / "data"


def existing_folder(stated: Path | None, repository: Path) -> Path | None:
    """The folder to read: `stated` (an option), else that of `folder`; None if there is none.

    Only the default may be missing, or have no dataset: look-alikes then replace the datasets.

    Raises:
        ValueError: The stated folder, or the one in CANDLING_DATA, does not exist.
    """
    if stated is None and not os.environ.get(FOLDER_VARIABLE):
        default = folder(repository)
        return default if any(_place(entry, default) for entry in _ENTRIES) else None
    where = folder(repository) if stated is None else stated
    _check_folder(where)
    return where


def datasets(where: Path | None) -> dict[str, Dataset]:
    """The datasets by name, each from its file in `where`, or a look-alike if there is none.

    Five are the paper's; `flight_joined`, `hospital_lookalike` and `tax_lookalike` are for larger
    samples.

    Raises:
        ValueError: The folder does not exist, has none of the files, or a file does not have the
            columns that the rules read.
    """
    if where is not None:
        _check_folder(where)
        if not any(_place(entry, where) for entry in _ENTRIES):
            raise ValueError(_nothing_found(where))
    made = {dataset.name: dataset for dataset in _ALWAYS_MADE}
    return {entry.name: _dataset(entry, where) for entry in _ENTRIES} | made


def for_samples(found: Mapping[str, Dataset], rows: int) -> dict[str, Dataset]:
    """The datasets for experiments that draw several samples of `rows` rows.

    Samples of a file with hardly more rows than a sample are the same rows again. Such a dataset
    is replaced by a larger one under its name, and is called `flight_10k` or `hospital_10k`.
    """
    chosen = dict(found)
    for name, (larger, small) in _LARGER.items():
        dataset = found[name]
        del chosen[larger]
        if dataset.largest is not None and dataset.largest >= 2 * rows:
            continue
        chosen[name] = replace(found[larger], name=name, title=dataset.title)
        if dataset.file is not None:
            chosen[small] = replace(dataset, name=small, title=f"{dataset.title}, 10k")
    return chosen


def _check_folder(where: Path) -> None:
    if not where.is_dir():
        msg = (
            f"the folder {where} does not exist: name the folder of the datasets by --data or in "
            f"{FOLDER_VARIABLE}, or name none to use look-alikes"
        )
        raise ValueError(msg)


def _nothing_found(where: Path) -> str:
    names = sorted(f"{p.name}/" if p.is_dir() else p.name for p in where.iterdir())
    listed = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    authors = ", ".join(places[0] for places in authors_files.PLACES.values())
    ours = ", ".join(entry.parquet for entry in _ENTRIES)
    return (
        f"the folder {where} has no dataset. Expected the authors' layout ({authors}, also below "
        f"datasets/) or Parquet files ({ours}); found {listed or 'nothing'}. Name no folder to "
        "use look-alikes"
    )


def _place(entry: _Entry, where: Path) -> Path | None:
    """The file of a dataset: the authors' if it is there, else Parquet; None if neither is."""
    authors = authors_files.places(entry.table, where) if entry.authors else ()
    return next((path for path in (*authors, where / entry.parquet) if path.is_file()), None)


def _dataset(entry: _Entry, where: Path | None) -> Dataset:
    rules = lookalikes.rules(entry.table)
    path = None if where is None else _place(entry, where)
    if where is None or path is None:
        return Dataset(entry.name, entry.title, LOOKALIKE, entry.make, rules)
    file = DataFile(path, path.relative_to(where).as_posix(), Digests.of_file(path), entry.make)
    beside = where / rules.name
    dataset = Dataset(
        entry.name,
        entry.title,
        _origin(file.digests, entry.table),
        file,
        beside if beside.is_file() else rules,
    )
    if absent := sorted(set(dataset.constraints().columns) - set(file.columns)):
        raise ValueError(f"{path} lacks columns that the rules read: {', '.join(absent)}")
    return dataset


def _origin(digests: Digests, table: str) -> str:
    """A phrase for figures: what the digest says about the file."""
    known = digests.known
    if known is None or known.dataset != table:
        return f"a file of unknown origin (SHA-256 {digests.sha256[:12]}...)"
    return known.origin
