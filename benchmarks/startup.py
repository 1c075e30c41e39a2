"""How long a user waits for the command line: `python -m benchmarks.startup [--before SRC]`.

Beside it, in turns, what Python takes to import pandas and DuckDB. `--before` names the `src` of
another checkout, whose command runs in turns with ours. The very first run after an install is one
with an empty cache for compiled code.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.scale import REPOSITORY, Case, write_table

REPEATS = 5
ROWS = 1_000
BAR = 1.1  # times the CPU time of `import pandas`
FIRST_BAR = 2.0  # times the CPU time of a later run
GIB = 2**20  # of kilobytes
SOURCES = Path(__file__).parents[1] / "src"
RULES = """\
type Salary, Tax: number
Zip -> City
key(Id)
not(t1.City = t2.City and t1.Salary > t2.Salary and t1.Tax < t2.Tax)
"""


def write_small_table(path: Path) -> None:
    """A CSV of 1,000 rows with some rows that break each rule."""
    rng = random.Random(0)
    lines = ["Id,Zip,City,Salary,Tax"]
    for i in range(ROWS):
        zip_code = rng.randrange(200)
        city = zip_code % 50 if rng.random() < 0.98 else rng.randrange(50)
        salary = rng.randrange(1_000, 9_000)
        tax = salary // 10 if rng.random() < 0.98 else rng.randrange(900)
        lines.append(f"{i if rng.random() < 0.99 else 0},{zip_code:05},City {city},{salary},{tax}")
    path.write_text("\n".join(lines) + "\n")


@dataclass(frozen=True, slots=True)
class Wait:
    """Seconds by the clock, and of CPU, which other work lengthens less; the most memory in GiB."""

    clock: float
    cpu: float
    peak: float


def wait(command: list[str], environment: dict[str, str]) -> Wait:
    """How long one run of `command` takes."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    clock = time.perf_counter() - start
    return Wait(clock, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / GIB)


@dataclass(frozen=True, slots=True)
class Job:
    """Arguments of the command line, and whether the cache is empty each time."""

    name: str
    arguments: list[str]
    first: bool = False

    def wait(self, sources: Path, cache: Path) -> Wait:
        """One run of it by these sources."""
        environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
        paths = [str(sources), os.environ.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        command = [sys.executable, "-m", "candling", *self.arguments]
        if not self.first:
            return wait(command, environment)
        with tempfile.TemporaryDirectory() as empty:
            return wait(command, environment | {"NUMBA_CACHE_DIR": empty})


def list_jobs(folder: Path) -> list[Job]:
    """The commands that are measured, on tables in a folder."""
    table, rules = folder / "t.csv", folder / "rules.txt"
    write_small_table(table)
    rules.write_text(RULES)
    given = [str(table), str(rules)]
    jobs = [
        Job("--help", ["--help"]),
        Job("exact, 1,000 rows", ["exact", *given, "--json"]),
        Job("release, 1,000 rows", ["release", *given, "--epsilon", "1"]),
    ]
    try:
        from candling_paper.datasets import datasets, existing_folder

        found = datasets(existing_folder(None, REPOSITORY))
    except (ImportError, SystemExit, FileNotFoundError):
        print("without the datasets of the paper, nothing but 1,000 rows is measured")
        return jobs
    for rows in (10_000, 100_000):
        case = Case("tax", rows, 0.005)
        own = folder / str(rows)
        own.mkdir()
        written = write_table(case, found, own)
        asked = ["release", str(own / "table.parquet"), str(written), "--epsilon", "1"]
        asked += ["--measures", "all"]
        jobs += [
            Job(f"release, {rows:,} rows, very first run", asked, first=True),
            Job(f"release, {rows:,} rows, later runs", asked),
        ]
    return jobs


def middle(waits: list[Wait]) -> Wait:
    """The medians of several runs."""
    return Wait(
        median(w.clock for w in waits), median(w.cpu for w in waits), median(w.peak for w in waits)
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.startup", description=__doc__)
    parser.add_argument("--before", type=Path, help="the src of another checkout")
    parser.add_argument("--repeats", type=int, default=REPEATS)
    options = parser.parse_args()
    sources = {"now": SOURCES} | ({"before": options.before} if options.before else {})
    rivals: dict[str, list[Wait]] = {"import pandas": [], "import duckdb": []}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        jobs = list_jobs(folder)
        waits: dict[tuple[str, str], list[Wait]] = {}
        caches = {name: folder / name for name in sources}
        for cache in caches.values():
            cache.mkdir()
        for turn in range(options.repeats + 1):
            for job in jobs:
                for name, where in sources.items():
                    found = job.wait(where, caches[name])
                    if turn:  # before, caches are filled
                        waits.setdefault((job.name, name), []).append(found)
            for name, own in rivals.items():
                own.append(wait([sys.executable, "-c", name], dict(os.environ)))
    now = {job.name: middle(waits[job.name, "now"]) for job in jobs}
    print(f"medians of {options.repeats} runs in turns: CPU s, GiB; and by the clock")
    for job in jobs:
        ours = now[job.name]
        line = f"{job.name:<40} {ours.cpu:5.2f} s {ours.peak:.2f} GiB, {ours.clock:5.2f} s"
        if options.before:
            old = middle(waits[job.name, "before"])
            line += f"; before {old.cpu:5.2f} s {old.peak:.2f} GiB, ratio {ours.cpu / old.cpu:.2f}"
        print(line)
    for name, own_waits in rivals.items():
        print(f"{name:<40} {middle(own_waits).cpu:5.2f} s")
    ratio = now["release, 1,000 rows"].cpu / middle(rivals["import pandas"]).cpu
    verdict = "met" if ratio <= BAR else "NOT MET"
    print(f"1,000 rows: {ratio:.2f} times `import pandas`; bar: {BAR:g} times, {verdict}")
    for job in jobs:
        if job.first:
            later = now[job.name.replace("very first run", "later runs")]
            ratio = now[job.name].cpu / later.cpu
            verdict = "met" if ratio <= FIRST_BAR else "NOT MET"
            print(f"{job.name}: {ratio:.2f} times a later one; bar: {FIRST_BAR:g}, {verdict}")


if __name__ == "__main__":
    main()
