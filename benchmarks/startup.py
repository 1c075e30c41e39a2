"""How long a user waits for the command line: `python -m benchmarks.startup`.

Beside it, in turns, what Python takes to import pandas and DuckDB.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

REPEATS = 5
ROWS = 1_000
BAR = 2.0  # times the CPU time of `import pandas`
RULES = """\
type Salary, Tax: number
Zip -> City
key(Id)
not(t1.City = t2.City and t1.Salary > t2.Salary and t1.Tax < t2.Tax)
"""


def write_table(path: Path) -> None:
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
    """Seconds by the clock, and of CPU, which other work on the machine does not lengthen."""

    clock: float
    cpu: float


def wait(command: list[str], environment: dict[str, str]) -> Wait:
    """How long one run of `command` takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    clock = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Wait(clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def report(what: str, bar: float, waits: list[Wait]) -> None:
    clock, cpu = [w.clock for w in waits], [w.cpu for w in waits]
    verdict = "met" if median(clock) < bar else "NOT MET"
    print(
        f"{what:<42} best {min(clock):.2f} s, median {median(clock):.2f} s of {len(waits)}"
        f" (CPU {median(cpu):.2f} s); bar: under {bar:g} s, {verdict}"
    )


def compare(rivals: dict[str, list[Wait]], ours: list[Wait]) -> None:
    """How much longer a release takes than what others take to begin, in CPU time."""
    own = median(w.cpu for w in ours)
    for name, waits in rivals.items():
        other = median(w.cpu for w in waits)
        print(f"candling release, 1,000 rows: {own:.2f} s CPU, {own / other:.2f} times `{name}`")
    ratio = own / median(w.cpu for w in rivals["import pandas"])
    print(f"bar: at most {BAR:g} times `import pandas`, {'met' if ratio <= BAR else 'NOT MET'}")


def main() -> None:
    program = str(Path(sys.executable).with_name("candling"))
    with tempfile.TemporaryDirectory() as folder:
        table, rules, cache = (Path(folder, name) for name in ("t.csv", "rules.txt", "kernels"))
        write_table(table)
        rules.write_text(RULES)
        cache.mkdir()
        environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
        exact = [program, "exact", str(table), str(rules), "--json"]
        release = [program, "release", str(table), str(rules), "--epsilon", "1"]
        rivals: dict[str, list[Wait]] = {"import pandas": [], "import duckdb": []}

        first = wait(exact, environment)
        later, usage, released = [], [], []
        for _ in range(REPEATS):
            later.append(wait(exact, environment))
            usage.append(wait([program, "--help"], environment))
            released.append(wait(release, environment))
            for name, waits in rivals.items():
                waits.append(wait([sys.executable, "-c", name], environment))
    report("candling --help", 0.5, usage)
    report("candling exact, 1,000 rows, very first run", 10, [first])
    report("candling exact, 1,000 rows, later runs", 3, later)
    compare(rivals, released)


if __name__ == "__main__":
    main()
