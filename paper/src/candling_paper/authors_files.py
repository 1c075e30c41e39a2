"""The CSV files of the paper's authors: where they lie in a folder, and how they are read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
from pyarrow import csv

from candling.errors import CandlingError
from candling.rules import ConstraintSet, load_constraints, parse_constraints

RULES = "dcs.txt"  # beside the file of rows

# By dataset, below the folder that is named or its folder `datasets`.
PLACES = {
    "adult": ("Adult/inputDB2.csv",),
    "flight": ("Flight/inputDB.csv", "Flight/inputDB2.csv"),
    "hospital": ("Hospital/inputDB2.csv",),
    "stock": ("Stock/inputDB2.csv",),
    "tax": ("Tax/inputDB2.csv",),
}
# What the authors' code (create_graph.py) takes for missing, and nothing else.
MISSING = (
    *("-1.#IND", "1.#QNAN", "1.#IND", "-1.#QNAN", "#N/A N/A", "#N/A", "N/A", "n/a", "#NA"),
    *("NULL", "null", "NaN", "-NaN", "nan", "-nan", ""),
)


def places(dataset: str, folder: Path) -> Iterator[Path]:
    """Where the authors' file of a dataset may lie, the first choice first."""
    for below in (folder, folder / "datasets"):
        yield from (below / place for place in PLACES.get(dataset, ()))


def folders(folder: Path) -> list[Path]:
    """The folders below the one that is named, or below its folder `datasets`."""
    below = (folder, folder / "datasets")
    return sorted(p for place in below if place.is_dir() for p in place.iterdir() if p.is_dir())


def file_of_rows(folder: Path) -> Path | None:
    """The file of rows in a dataset's folder: the authors' name, or the only file that it can be.

    Raises:
        ValueError: There are several.
    """
    for name in ("inputDB2.csv", "inputDB.csv"):
        if (folder / name).is_file():
            return folder / name
    found = sorted(p for p in folder.iterdir() if p.suffix in {".csv", ".parquet"} and p.is_file())
    if len(found) > 1:
        names = ", ".join(p.name for p in found)
        raise ValueError(f"{folder} has several files of rows ({names}): keep one of them there")
    return found[0] if found else None


def load_rules(path: Path) -> ConstraintSet:
    """The rules in a file; in one of the authors' spaces belong to names, as underscores."""
    try:
        return load_constraints(path)
    except CandlingError:
        if path.name != RULES:
            raise
        lines = path.read_text(encoding="utf-8").splitlines()
        with suppress(CandlingError):
            return parse_constraints("\n".join(line.strip().replace(" ", "_") for line in lines))
        raise  # what is wrong with the file as it is written


def column_names(path: Path) -> list[str]:
    """The names in the first line, spaces turned to underscores as the authors' code does."""
    with csv.open_csv(path) as reader:
        return _named(reader.schema.names)


def read(path: Path, types: pa.Schema) -> pa.Table:
    """All rows. A column that `types` has gets its type, if its values allow; others are guessed.

    So a zip code of a table in which zip codes are strings keeps its zeros, and what the rules
    order is a number.
    """
    names = column_names(path)
    size = max(path.stat().st_size, 1)  # in one block, since types are guessed from the first
    reading = csv.ReadOptions(column_names=names, skip_rows=1, block_size=min(size, 2**31 - 1))
    stated = {name: types.field(name).type for name in names if name in types.names}
    try:
        return csv.read_csv(path, reading, convert_options=_converting(stated))
    except pa.ArrowInvalid:
        strings = {name: kind for name, kind in stated.items() if pa.types.is_large_string(kind)}
        return csv.read_csv(path, reading, convert_options=_converting(strings))


def _converting(types: dict[str, pa.DataType]) -> csv.ConvertOptions:
    return csv.ConvertOptions(
        column_types=types,
        null_values=list(MISSING),
        strings_can_be_null=True,
        quoted_strings_can_be_null=True,
    )


def _named(names: list[str]) -> list[str]:
    return [name.strip().replace(" ", "_") for name in names]
