"""How long a user waits for the command line: `python -m benchmarks.startup`."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

REPEATS = 5
ROWS = 1_000
RULES = (
    "Zip -> City\nkey(Id)\nnot(t1.City = t2.City and t1.Salary > t2.Salary and t1.Tax < t2.Tax)\n"
)


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


def seconds(command: list[str], environment: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    return time.perf_counter() - start


def report(what: str, bar: float, times: list[float]) -> None:
    verdict = "met" if median(times) < bar else "NOT MET"
    spread = f"best {min(times):.2f} s, median {median(times):.2f} s of {len(times)}"
    print(f"{what:<42} {spread}; bar: under {bar:g} s, {verdict}")


def main() -> None:
    program = str(Path(sys.executable).with_name("candling"))
    with tempfile.TemporaryDirectory() as folder:
        table, rules, cache = (Path(folder, name) for name in ("t.csv", "rules.txt", "kernels"))
        write_table(table)
        rules.write_text(RULES)
        cache.mkdir()
        environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
        exact = [program, "exact", str(table), str(rules), "--json"]

        first = seconds(exact, environment)
        later = [seconds(exact, environment) for _ in range(REPEATS)]
        usage = [seconds([program, "--help"], environment) for _ in range(REPEATS)]
    report("candling --help", 0.5, usage)
    report("candling exact, 1,000 rows, very first run", 10, [first])
    report("candling exact, 1,000 rows, later runs", 3, later)


if __name__ == "__main__":
    main()
