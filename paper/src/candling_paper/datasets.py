"""The experiments' datasets: where they are, how they are sampled and dirtied.

The files are not part of the package. Where one is missing, a look-alike stands in for it.
PROVENANCE.md says what the known files are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from candling.rules import ConstraintSet
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
    added: bool = False  # by the user: not one of the paper's

    @property
    def file(self) -> DataFile | None:
        """The file of the rows; None if they are made up."""
        return self.source if isinstance(self.source, DataFile) else None

    @property
    def largest(self) -> int | None:
        """How many rows there are; None if there are as many as one asks for."""
        return self.source.rows if isinstance(self.source, DataFile | MadeUp) else None

    @property
    def width(self) -> int:
        """How many columns there are."""
        return self.sample(20, seed=0).num_columns if self.file is None else len(self.file.columns)

    def constraints(self) -> ConstraintSet:
        return authors_files.load_rules(self.rules)

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
    Dataset(
        "stock_thin",
        "Stock, thinner",
        f"{LOOKALIKE} with half the conflicts of Stock, a stand-in",
        lookalikes.thin_stock,
        lookalikes.rules("stock"),
    ),
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


def named_folder(stated: Path | None) -> Path | None:
    """The folder to read: `stated` (an option), else that in CANDLING_DATA; None if none is named.

    Raises:
        ValueError: The folder does not exist.
    """
    named = os.environ.get(FOLDER_VARIABLE)
    where = Path(named) if stated is None and named else stated
    if where is not None:
        _check_folder(where)
    return where


def existing_folder(stated: Path | None, repository: Path) -> Path | None:
    """For tests and studies: the folder that is named, else that of `folder` if it has datasets.

    Raises:
        ValueError: The stated folder, or the one in CANDLING_DATA, does not exist.
    """
    if (named := named_folder(stated)) is not None:
        return named
    default = folder(repository)
    return default if any(_place(entry, default) for entry in _ENTRIES) else None


def datasets(where: Path | None) -> dict[str, Dataset]:
    """The datasets by name, each from its file in `where`, or a look-alike if there is none.

    Five are the paper's; `flight_joined`, `hospital_lookalike` and `tax_lookalike` are for larger
    samples, `stock_thin` for fewer conflicts. Any other folder in `where` that holds a file of
    rows and its `dcs.txt` is a dataset too.

    Raises:
        ValueError: The folder does not exist, has none of the files, or a file does not have the
            columns that the rules read.
        ConstraintError: A file of rules cannot be read.
    """
    others: dict[str, Dataset] = {}
    if where is not None:
        _check_folder(where)
        others = _others(where)
        if not others and not any(_place(entry, where) for entry in _ENTRIES):
            raise ValueError(_nothing_found(where))
    made = {dataset.name: dataset for dataset in _ALWAYS_MADE}
    return {entry.name: _dataset(entry, where) for entry in _ENTRIES} | made | others


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


def _others(where: Path) -> dict[str, Dataset]:
    """The datasets that are not the paper's, by the names of their folders."""
    found: dict[str, Dataset] = {}
    taken = {entry.name for entry in _ENTRIES} | {dataset.name for dataset in _ALWAYS_MADE}
    for place in authors_files.folders(where):
        name = re.sub(r"\W+", "_", place.name.lower())
        rules = place / authors_files.RULES
        if name in authors_files.PLACES or not rules.is_file():
            continue
        if (path := authors_files.file_of_rows(place)) is None:
            continue
        if name in taken or name in found:
            raise ValueError(
                f"{place} has the name of another dataset: name the folder differently"
            )
        file = DataFile(path, path.relative_to(where).as_posix(), Digests.of_file(path), no_types)
        origin = f"a file of the user (SHA-256 {file.digests.sha256[:12]}...)"
        found[name] = Dataset(name, place.name, origin, file, rules, added=True)
        _check_columns(found[name], file)
    return found


def no_types(rows: int, seed: int) -> pa.Table:  # noqa: ARG001 - as a look-alike
    """A table without columns: all types are guessed."""
    return pa.table({})


def _check_columns(dataset: Dataset, file: DataFile) -> None:
    if absent := sorted(set(dataset.constraints().columns) - set(file.columns)):
        msg = f"{file.path} lacks columns that the rules read: {', '.join(absent)}"
        raise ValueError(msg)


def _nothing_found(where: Path) -> str:
    names = sorted(f"{p.name}/" if p.is_dir() else p.name for p in where.iterdir())
    listed = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    authors = ", ".join(places[0] for places in authors_files.PLACES.values())
    ours = ", ".join(entry.parquet for entry in _ENTRIES)
    return (
        f"the folder {where} has no dataset. Expected the authors' layout ({authors}, also below "
        f"datasets/), other folders with a CSV or Parquet file and its {authors_files.RULES}, or "
        f"Parquet files ({ours}); found {listed or 'nothing'}. Name no folder to "
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
    beside = where / rules.name if path.parent == where else path.with_name(authors_files.RULES)
    own = beside if beside.is_file() else rules
    dataset = Dataset(entry.name, entry.title, _origin(file.digests, entry.table), file, own)
    _check_columns(dataset, file)
    return dataset


def _origin(digests: Digests, table: str) -> str:
    """A phrase for figures: what the digest says about the file."""
    known = digests.known
    if known is None or known.dataset != table:
        return f"a file of unknown origin (SHA-256 {digests.sha256[:12]}...)"
    return known.origin
