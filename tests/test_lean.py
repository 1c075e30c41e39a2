"""What `pip install candling` does not bring is not needed: the main jobs without it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from packaging.requirements import Requirement

from candling.graph.compilation import load_library
from candling.tables.core import SMALL
from tools.licences import needed

ROOT = Path(__file__).parents[1]
ABSENT = {"ibis", "ortools", "pandas", "scipy"}
if load_library() is not None:  # else the wheel asks for numba
    ABSENT |= {"llvmlite", "numba"}
# A core that needs search, a marriage, an order.
RULES = (
    "type b, c: number\na -> b\nb -> c\nd -> e\ne -> d\n"
    "not(t1.a = t2.a and t1.b < t2.b and t1.c > t2.c)"
)
WITHOUT = f"""
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {ABSENT!r}:
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Absent())
"""
IN_PYTHON = """
import sys
import duckdb
import candling

rules = candling.load_constraints("rules.txt")
for size in ("small", "large"):
    with duckdb.connect(f"{size}.duckdb") as connection:
        connection.execute(f"create table t as from '{size}.parquet'")
    places = {
        "csv": (f"{size}.csv", None),
        "parquet": (f"{size}.parquet", None),
        "duckdb": (f"{size}.duckdb", "t"),
    }
    if sys.argv[1:] == ["frames"]:
        import polars, pyarrow.parquet

        rows = pyarrow.parquet.read_table(f"{size}.parquet")
        places |= {"polars": (polars.from_arrow(rows), None), "arrow": (rows, None)}
    numbers = set()
    for name, (data, table) in places.items():
        study = candling.analyze(data, rules, table=table)
        study.release(epsilon=1).to_html(f"{size}-{name}.html")
        exact = study.exact(time_limit=60)
        numbers.add((exact.rows, exact.minimal_inconsistent, exact.repair, exact.repair_exact))
    assert len(numbers) == 1 and None not in numbers.pop(), numbers
assert "highspy" in sys.modules, "no table needed a search"
"""
ON_THE_COMMAND_LINE = """
from candling.cli import main

for size in ("small", "large"):
    for arguments in (
        ["check", "rules.txt", f"{size}.csv"],
        ["plan", "rules.txt", "--epsilon", "1"],
        ["exact", f"{size}.csv", "rules.txt", "--json"],
        ["release", f"{size}.csv", "rules.txt", "--epsilon", "1", "--report", f"{size}.html"],
    ):
        try:
            code = main(arguments)
        except SystemExit as end:
            code = end.code
        assert not code, (arguments, code)
"""


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """One table that is read directly, and one whose core the engine finds."""
    rng = np.random.default_rng(7)
    for name, rows in (("small", 300), ("large", SMALL + 1)):
        groups = rng.integers(0, rows // 5, rows)
        columns = {"a": groups, "b": groups + 1, "c": groups % 7, "d": groups, "e": groups + 2}
        for column in "bce":
            wrong = rng.choice(rows, 60, replace=False)
            columns[column][wrong] = rng.integers(0, 60, 60)
        table = pa.table(columns)
        pq.write_table(table, tmp_path / f"{name}.parquet")
        pyarrow.csv.write_csv(table, tmp_path / f"{name}.csv")
    (tmp_path / "rules.txt").write_text(RULES)
    return tmp_path


@pytest.mark.parametrize("jobs", [IN_PYTHON, ON_THE_COMMAND_LINE], ids=["python", "command line"])
def test_the_main_jobs_need_none_of_them(tables: Path, jobs: str) -> None:
    run(WITHOUT + jobs, tables, "frames")


@pytest.mark.long
def test_nor_are_they_loaded_where_they_are(tables: Path) -> None:
    """Of files: what Arrow reads of a frame's own accord is not ours, nor is numba's SciPy."""
    ours = ABSENT - {"scipy"}
    run(f"{IN_PYTHON}assert not {ours!r} & {{*sys.modules}}, 'loaded'", tables)


def test_the_command_line_keeps_numba_from_loading_scipy(tmp_path: Path) -> None:
    rows = np.arange(3_000)
    dirty = {"a": np.zeros_like(rows), "b": rows % 2, "c": rows // 4, "d": rows}
    pq.write_table(pa.table(dirty), tmp_path / "dirty.parquet")
    (tmp_path / "rules.txt").write_text("a -> b\nc -> d")  # its repair is a search over conflicts
    program = (
        "from candling.graph import compilation\n"
        "compilation.load_library = lambda: None\n"  # as where no C compiler was
        "from candling.cli import main; main()"
    )
    command = ("release", "dirty.parquet", "rules.txt", "--epsilon", "1")
    ended = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", program, *command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-500:]
    loaded = {line.rpartition("|")[2].strip() for line in ended.stderr.splitlines()}
    assert "numba" in loaded
    assert "scipy._lib" not in loaded  # what is refused is among them, too


def run(program: str, folder: Path, *arguments: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr


def test_users_get_none_of_them() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    stated = {Requirement(text).name for text in project["dependencies"]}
    assert not ABSENT & (stated | set(needed("candling")))
