"""All exact measures, timed against plain self-joins that only count pairs.

We and DuckDB both begin with the Parquet file and no connection; SQLite's table is loaded before.

python -m benchmarks.exact [--data FOLDER] [--sqlite-all] [--sqlite-limit S] [--json FILE]
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import duckdb
import pyarrow.parquet as pq

import candling
from benchmarks import rivals
from benchmarks.peak import Peak, measure
from candling_paper.datasets import FOLDER_VARIABLE, Dataset, datasets, folder

REPOSITORY = Path(__file__).parents[1]
SEED = 0
# Best of at least 3, and of as many as fit into 10 s: two threads of DuckDB suffer more than one
# of ours from whatever else runs, and only many turns find a quiet moment for both.
REPEATS = 3
REPEAT_SECONDS = 10.0
GIB = 2**30


@dataclass(frozen=True, slots=True)
class Case:
    """One table of the benchmark."""

    name: str
    dataset: str
    rows: int
    alpha: float
    large: bool = False


CASES = (
    Case("Adult 10k", "adult", 10_000, 0.01),
    Case("Flight 10k", "flight", 10_000, 0.01),
    Case("Hospital 10k", "hospital", 10_000, 0.01),
    Case("Stock 10k", "stock", 10_000, 0.01),
    Case("Tax 10k", "tax", 10_000, 0.01),
    Case("Flight 50k", "flight_joined", 50_000, 0.005, large=True),
    Case("Tax 50k", "tax", 50_000, 0.005, large=True),
)


@dataclass(frozen=True, slots=True)
class Timing:
    """What one case gave. A rival's `pairs` is None if it was not run or ran out of time."""

    name: str
    alpha: float
    rows: int
    pairs: int
    problematic: int
    max_degree: int
    ours: float
    ours_cpu: float
    sqlite: float | None
    sqlite_pairs: int | None
    duckdb: float
    duckdb_cpu: float
    duckdb_pairs: int
    peak: Peak | None
    ours_all: list[float]
    duckdb_all: list[float]
    duckdb_join: float  # without connecting and loading

    @property
    def ours_idle(self) -> float:
        """At most what we take on an idle machine: our CPU time, as if all on one thread."""
        return min(self.ours, self.ours_cpu)

    @property
    def against_sqlite(self) -> float | None:
        """Both by CPU time, since SQLite runs once and cannot wait for a quiet moment."""
        return None if self.sqlite is None else self.sqlite / self.ours_idle

    @property
    def against_duckdb(self) -> float:
        return self.duckdb / self.ours

    @property
    def duckdb_idle(self) -> float:
        """At least what DuckDB takes on an idle machine: its CPU time shared by its threads."""
        return min(self.duckdb, self.duckdb_cpu / rivals.DUCKDB_THREADS)

    @property
    def against_idle_duckdb(self) -> float:
        return self.duckdb_idle / self.ours_idle

    @property
    def agreement(self) -> str:
        counted = [n for n in (self.sqlite_pairs, self.duckdb_pairs) if n is not None]
        return "same" if all(n == self.pairs for n in counted) else f"DIFFERENT: {counted}"


@dataclass(frozen=True, slots=True)
class Bar:
    """A promise about speed and what was measured."""

    promise: str
    measured: str
    low: float  # how many times better than the bar on an idle machine, estimated against us
    high: float  # the same, as measured

    @property
    def verdict(self) -> str:
        if self.low >= 1:
            return "met"
        return (
            "NOT MET"
            if self.high < 1
            else "open: met as measured, not as estimated for an idle machine"
        )


def run(case: Case, dataset: Dataset, scratch: Path, sqlite_limit: float | None) -> Timing:
    """Time one case; SQLite is left out if there is no limit for it."""
    rules = dataset.constraints()
    rows = dataset.noisy(case.rows, alpha=case.alpha, seed=SEED)
    path = scratch / f"{case.name.replace(' ', '_')}.parquet"
    pq.write_table(rows, path)

    exact = candling.exact(path, rules)  # compiles or loads the kernels
    ours: list[float] = []
    theirs: list[float] = []
    ours_cpu: list[float] = []
    theirs_cpu: list[float] = []
    join: list[float] = []
    duckdb_pairs = 0
    # In turns, so that other work on the machine slows down both; both begin with the file.
    while len(ours) < REPEATS or sum(ours) + sum(theirs) < REPEAT_SECONDS:
        start, start_cpu = time.perf_counter(), time.process_time()
        candling.exact(path, rules)
        ours.append(time.perf_counter() - start)
        ours_cpu.append(time.process_time() - start_cpu)
        gc.collect()  # the rival does not pay for our garbage
        start, start_cpu = time.perf_counter(), time.process_time()
        with rivals.duckdb_loaded(path) as connection:
            loaded = time.perf_counter()
            duckdb_pairs = rivals.duckdb_pairs(connection, rules)
            join.append(time.perf_counter() - loaded)
        theirs.append(time.perf_counter() - start)
        theirs_cpu.append(time.process_time() - start_cpu)

    sqlite_pairs, sqlite = None, None
    if sqlite_limit is not None:
        sqlite_pairs, sqlite = rivals.sqlite_pairs(rows, rules, sqlite_limit)
    return Timing(
        name=case.name,
        alpha=case.alpha,
        rows=exact.rows,
        pairs=exact.minimal_inconsistent,
        problematic=exact.problematic,
        max_degree=exact.max_degree,
        ours=min(ours),
        ours_cpu=min(ours_cpu),
        sqlite=sqlite,
        sqlite_pairs=sqlite_pairs,
        duckdb=min(theirs),
        duckdb_cpu=min(theirs_cpu),
        duckdb_pairs=duckdb_pairs,
        peak=measure(path, dataset.rules) if case.large else None,
        ours_all=ours,
        duckdb_all=theirs,
        duckdb_join=min(join),
    )


def bars(timings: dict[str, Timing]) -> list[Bar]:
    """The promises of the project about exact measures, against what was measured."""
    adult, flight, tax = (timings[name] for name in ("Adult 10k", "Flight 50k", "Tax 50k"))
    ratio = adult.against_sqlite or 0.0
    peak = flight.peak.bytes / GIB if flight.peak else float("inf")
    different = [t.name for t in timings.values() if t.agreement != "same"]
    return [
        _plain(
            "Adult 10k: at least 100 times faster than SQLite",
            f"{_at_least(adult)}{ratio:.0f} times",
            ratio / 100,
        ),
        *(
            Bar(
                f"{t.name}: at most twice DuckDB's time",
                f"{1 / t.against_duckdb:.1f} times, {1 / t.against_idle_duckdb:.1f} if idle",
                t.against_idle_duckdb / 0.5,
                t.against_duckdb / 0.5,
            )
            for t in timings.values()
        ),
        *(
            Bar(
                f"{t.name}: faster than DuckDB",
                f"{t.ours:.2f} s against {t.duckdb:.2f} s, "
                f"{t.ours_idle:.2f} s against {t.duckdb_idle:.2f} s if idle",
                t.against_idle_duckdb,
                t.against_duckdb,
            )
            for t in (flight, tax)
        ),
        _plain("Flight 50k: under 10 s", f"{flight.ours:.2f} s", 10 / flight.ours),
        _plain("Flight 50k: under 2 GiB", f"{peak:.2f} GiB", 2 / peak),
        _plain(
            "everywhere: all count the same pairs",
            ", ".join(different) or "same",
            0.0 if different else float("inf"),
        ),
    ]


def _plain(promise: str, measured: str, room: float) -> Bar:
    return Bar(promise, measured, room, room)


def timing_table(timings: list[Timing]) -> str:
    """The figures as a Markdown table."""
    head = (
        "dataset", "noise", "rows", "pairs", "rivals' pairs", "rows in conflict", "largest degree",
        "candling s", "if idle s", "(a) SQLite CPU s",
        "(b) DuckDB s", "(b) if idle s", "(b) join alone s",
        "a / ours if idle", "b / ours", "b / ours if idle", "peak GiB",
    )  # fmt: skip
    body = [
        (
            t.name,
            f"{t.alpha:.1%}",
            f"{t.rows:,}",
            f"{t.pairs:,}",
            t.agreement,
            f"{t.problematic:,}",
            f"{t.max_degree:,}",
            f"{t.ours:.3f}",
            f"{t.ours_idle:.3f}",
            "-" if t.sqlite is None else f"{_at_least(t)}{t.sqlite:.2f}",
            f"{t.duckdb:.3f}",
            f"{t.duckdb_idle:.3f}",
            f"{t.duckdb_join:.3f}",
            "-" if t.against_sqlite is None else f"{_at_least(t)}{t.against_sqlite:.1f}",
            f"{t.against_duckdb:.2f}",
            f"{t.against_idle_duckdb:.2f}",
            f"{t.peak.bytes / GIB:.2f}" if t.peak else "-",
        )
        for t in timings
    ]
    return _markdown(head, body)


def bar_table(found: list[Bar]) -> str:
    """The promises as a Markdown table."""
    body = [(b.promise, b.measured, b.verdict) for b in found]
    return _markdown(("bar", "measured", ""), body)


def _at_least(timing: Timing) -> str:
    return ">" if timing.sqlite is not None and timing.sqlite_pairs is None else ""


def _markdown(head: tuple[str, ...], body: Sequence[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
    lines = [head, tuple("-" * w for w in widths), *body]
    return "\n".join(
        "| " + " | ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)) + " |"
        for line in lines
    )


def machine() -> str:
    """What the figures were measured on."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return (
        f"{cores} cores, Python {platform.python_version()}, DuckDB {duckdb.__version__} "
        f"({rivals.DUCKDB_THREADS} threads), candling {candling.__version__}, "
        f"load average {os.getloadavg()[0]:.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.exact", description=__doc__)
    parser.add_argument("--data", type=Path, help=f"folder of datasets (or {FOLDER_VARIABLE})")
    parser.add_argument("--sqlite-all", action="store_true", help="SQLite on 50,000 rows too")
    parser.add_argument("--sqlite-limit", type=float, default=300.0, help="its seconds per table")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()

    data = options.data or folder(REPOSITORY)
    if not data.is_dir():
        print(f"benchmark skipped: no datasets in {data}; pass --data or set {FOLDER_VARIABLE}")
        return
    found = datasets(data)
    before = machine()
    timings = []
    with tempfile.TemporaryDirectory() as scratch:
        for case in CASES:
            print(f"{case.name} ...", file=sys.stderr, flush=True)
            limit = options.sqlite_limit if options.sqlite_all or not case.large else None
            timings.append(run(case, found[case.dataset], Path(scratch), limit))
    verdicts = bars({t.name: t for t in timings})

    print(f"before: {before}")
    print(f"after:  {machine()}")
    print()
    print(timing_table(timings))
    print()
    print(bar_table(verdicts))
    if options.json:
        figures = {
            "before": before,
            "after": machine(),
            "timings": [asdict(t) for t in timings],
            "bars": [
                {"promise": b.promise, "measured": b.measured, "verdict": b.verdict}
                for b in verdicts
            ],
        }
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
