"""Dense tables under a memory limit: peak memory and time of `exact` and of a release.

python -m benchmarks.limits [--rows 2000,10000,50000] [--memory 1GB] [--stop SECONDS] [KIND ...]

Every case runs in a process of its own, imports included. Nearly all pairs of rows conflict, so
that the pairs of 50,000 rows are a thousand million. The peak is the largest share of the machine's
memory that the process ever held, libraries and mapped files included; beside it the memory that is
its own and in no file. A case that takes longer than `--stop` is ended.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table

from benchmarks.peak import memory_of, own_peak

GB = 10**9
Columns = dict[str, npt.NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class Kind:
    """A rule, and a table on which it is nearly always broken."""

    rules: str
    columns: Callable[[int, np.random.Generator], Columns]


def _eight(rows: int, rng: np.random.Generator) -> Columns:
    widths = (3, 50, 1000, 1000, 20, 100, 100, 9)
    return {name: rng.integers(0, w, rows) for name, w in zip("abcdefgh", widths, strict=True)}


KINDS = {
    "one column differs": Kind("not(t1.a != t2.a)", lambda n, rng: {"a": rng.integers(0, n, n)}),
    "one dense group": Kind(
        "z -> c, s",
        lambda n, rng: {
            "z": np.zeros(n, np.int64),
            "c": rng.integers(0, n, n),
            "s": rng.integers(0, 50, n),
        },
    ),
    "order, nothing equal": Kind(
        "not(t1.a < t2.a and t1.b > t2.b)",
        lambda n, rng: {"a": rng.permutation(n), "b": rng.permutation(n)},
    ),
    "eight predicates": Kind(
        "not(t1.a = t2.a and t1.b != t2.b and t1.c < t2.c and t1.d >= t2.d and t1.e != t2.e "
        "and t1.f <= t2.f and t1.g > t2.g and t1.h != t2.h)",
        _eight,
    ),
    "two columns differ": Kind(
        "not(t1.a != t2.a and t1.b != t2.b)",
        lambda n, rng: {"a": rng.integers(0, 300, n), "b": rng.integers(0, 300, n)},
    ),
}


@dataclass(frozen=True, slots=True)
class Measured:
    """What a process took."""

    outcome: str
    seconds: float
    peak: float | None  # GB
    own: float  # GB that are in no file


def measure(kind: Kind, rows: int, what: str, memory: str, stop: float) -> Measured:
    """One case in a process of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = kind.columns(rows, np.random.default_rng(1))
        pq.write_table(pa.table(table), folder / "t.parquet")
        (folder / "rules.txt").write_text(kind.rules)
        paths = [str(folder / "t.parquet"), str(folder / "rules.txt")]
        start = time.monotonic()
        child = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "benchmarks.limits",
                "--child",
                what,
                "--memory",
                memory,
                *paths,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        own = 0.0
        while child.poll() is None and time.monotonic() - start < stop:
            own = max(own, memory_of(child.pid, "RssAnon") / GB)
            time.sleep(0.05)
        child.kill()
        told, _ = child.communicate()
    seconds = time.monotonic() - start
    if not told:
        return Measured("ended", seconds, None, own)
    found = json.loads(told)
    return Measured(found["outcome"], seconds, found["peak"] / GB, own)


def run_child(what: str, memory: str, paths: list[str]) -> None:
    """The work itself."""
    import candling

    data, rules = paths
    try:
        if what == "exact":
            candling.exact(data, rules, memory=memory)
        else:
            candling.release(data, rules, epsilon=1, memory=memory)
        outcome = "done"
    except candling.CandlingError as error:
        outcome = str(error.code)
    print(json.dumps({"outcome": outcome, "peak": own_peak()}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rows", default="2000,10000,50000")
    parser.add_argument("--memory", default="1GB")
    parser.add_argument("--stop", type=float, default=900)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        run_child(given.child, given.memory, given.names)
        return
    console = Console()
    table = Table("table", "rows", "", "outcome", "seconds", "peak GB", "own GB")
    for name in given.names or KINDS:
        for rows in map(int, given.rows.split(",")):
            for what in ("exact", "release"):
                m = measure(KINDS[name], rows, what, given.memory, given.stop)
                peak = "" if m.peak is None else f"{m.peak:.2f}"
                cells = name, f"{rows:,}", what, m.outcome, f"{m.seconds:.1f}", peak, f"{m.own:.2f}"
                table.add_row(*cells)
                print(*cells, sep=" | ", flush=True)
    console.print(table)


if __name__ == "__main__":
    main()
