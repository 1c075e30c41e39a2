"""What protecting persons costs in time: `python -m benchmarks.person_cost`.

A table of visits with a million rows, skewed: most patients come once or twice, some forty times.
Each run is a process of its own, `candling release` from start to end, as a user has it. They take
turns, and the smallest of each is compared with that without persons.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

RULES = {
    "one dependency": "zip -> city\n",
    "two dependencies, a key and an order": (
        "zip -> city, state\nkey(visit)\n"
        "not(t1.state = t2.state and t1.nights > t2.nights and t1.charge < t2.charge)\n"
    ),
}
WAYS = {
    "without persons": (),
    "4 rows of each in the grade": ("--person", "patient", "--rows-per-person", "4"),
    "as many as are chosen": ("--person", "patient"),
    "all, without persons": ("--measures", "all"),
    "all, as many as are chosen": ("--person", "patient", "--measures", "all"),
}


def visits(rows: int, seed: int = 7) -> pa.Table:
    """Visits by patients who came once to forty times; one zip code in a hundred is wrong."""
    random = np.random.default_rng(seed)
    times = np.minimum(40, random.zipf(1.7, rows))
    patient = np.repeat(np.arange(rows), times)[:rows]
    random.shuffle(patient)
    zips = random.integers(0, 5000, rows)
    wrong = random.random(rows) < 0.01
    nights = random.integers(0, 15, rows)
    return pa.table(
        {
            "visit": np.arange(rows),
            "patient": [f"P{number:07d}" for number in patient],
            "zip": np.where(wrong, random.integers(0, 5000, rows), zips),
            "city": [f"city {number // 3}" for number in zips],
            "state": [f"S{number // 100}" for number in zips],
            "nights": nights,
            "charge": 2000 + 850 * nights - np.where(random.random(rows) < 1e-4, 5000, 0),
        }
    )


def seconds(command: list[str]) -> tuple[float, float]:
    """The time of a process, and that of its processors."""
    before = os.times()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = os.times()
    worked = after.children_user + after.children_system
    return (
        after.elapsed - before.elapsed,
        worked - before.children_user - before.children_system,
    )


def main() -> None:
    """Measure, and print a table for each set of rules."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table, rules = Path(folder) / "visits.parquet", Path(folder) / "rules.txt"
        pq.write_table(visits(asked.rows), table)
        for title, text in RULES.items():
            rules.write_text(text)
            release = [sys.executable, "-m", "candling", "release", str(table), str(rules),
                       "--epsilon", "1", "--json"]  # fmt: skip
            runs = {way: [] for way in WAYS}  # type: dict[str, list[tuple[float, float]]]
            for _ in range(asked.runs):
                for way, options in WAYS.items():
                    runs[way].append(seconds([*release, *options]))
            print(f"\n{asked.rows:,} rows, {title}\n")
            print("| way | seconds | processor | times as long | times as much work |")
            print("|---|---|---|---|---|")
            first = best(runs["without persons"])
            for way, found in runs.items():
                time, work = best(found)
                print(f"| {way} | {time:.2f} | {work:.2f} | {time / first[0]:.2f} "
                      f"| {work / first[1]:.2f} |")  # fmt: skip


def best(runs: list[tuple[float, float]]) -> tuple[float, float]:
    """The smallest of both."""
    return min(time for time, _ in runs), min(work for _, work in runs)


if __name__ == "__main__":
    main()
