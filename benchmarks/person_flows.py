"""What the numbers of persons cost: `python -m benchmarks.person_flows --rows 1000000`.

Seconds of processor time and memory of each number at all levels, on tables that are hard for it.
Reading is not part of it. Each table is solved in a process of its own.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt
import pyarrow as pa

import candling
from candling.graph.person_conflicts import person_conflicts
from candling.graph.person_flow import person_repair, person_witnesses
from candling.privacy.statistic import POWERS
from candling.tables import open_table, read_rows
from candling.tables.classes import OwnedClasses

VISITS = """\
doctor -> hospital
hospital -> zip, phone
zip -> city, state
code -> name
patient -> birth
"""

Integers = npt.NDArray[np.int64]
Columns = dict[str, Integers]
Rng = np.random.Generator


def draw_persons(rows: int, law: str, rng: Rng) -> Integers:
    """The person of each row: 1 to 40 rows of each, or half of the rows with ten persons."""
    if law == "heavy":
        others = rng.integers(10, rows // 10 + 10, rows)
        return np.where(rng.random(rows) < 0.5, rng.integers(0, 10, rows), others)
    times = np.arange(1, 41)
    weights = times**-1.5
    drawn = rng.choice(times, rows, p=weights / weights.sum())
    persons = np.repeat(np.arange(rows), drawn)[:rows]
    if law == "one tenth":  # of the rows are one person's
        persons[rng.random(rows) < 0.1] = 0
    return persons


def draw_visits(rows: int, rng: Rng, *, wrong: float, law: str = "skewed") -> Columns:
    """Visits under seven dependencies, a share of them wrong in one column."""
    patient = draw_persons(rows, law, rng)
    doctors, hospitals, zips, codes = rows // 15, rows // 50, rows // 100, rows // 50
    own = rng.integers(0, doctors, (int(patient.max()) + 1, 3))
    doctor = own[patient, rng.integers(0, 3, rows) * rng.integers(0, 2, rows)]
    hospital = rng.integers(0, hospitals, doctors)[doctor]
    area = rng.integers(0, zips, hospitals)[hospital]
    code = rng.integers(0, codes, rows)
    birth = rng.integers(1930, 2015, int(patient.max()) + 1)[patient]
    table = {
        "patient": patient, "doctor": doctor, "hospital": hospital, "zip": area,
        "phone": hospital.copy(), "city": area.copy(), "state": area % 5, "code": code,
        "name": code.copy(), "birth": birth,
    }  # fmt: skip
    bad = rng.choice(rows, int(wrong * rows), replace=False)
    kind = rng.integers(0, 5, len(bad))
    lines = [bad[kind == number] for number in range(5)]
    table["hospital"][lines[0]] += hospitals * (1 + rng.integers(0, 3, len(lines[0])))
    table["zip"][lines[1]] = rng.integers(0, zips, len(lines[1]))
    table["city"][lines[2]] += zips * (1 + rng.integers(0, 3, len(lines[2])))
    table["name"][lines[3]] += codes
    table["birth"][lines[4]] = rng.integers(1900, 1930, len(lines[4]))
    return table


def draw_values(rows: int, rng: Rng, sizes: dict[str, int], law: str = "skewed") -> Columns:
    """Columns of random values, of so many each."""
    table = {name: rng.integers(0, size, rows) for name, size in sizes.items()}
    return {"patient": draw_persons(rows, law, rng), **table}


Draw = Callable[[int, Rng], Columns]
ORDER = "not(t1.a = t2.a and t1.b < t2.b and t1.c > t2.c)"


def cases(rows: int) -> dict[str, tuple[str, Draw]]:
    """By name, the rules and how to draw a table."""
    junk = {"a": 10, "b": 1000, "c": 1000}
    return {
        "sparse, 0.1% wrong, 7 dependencies": (VISITS, partial(draw_visits, wrong=0.001)),
        "sparse, 1.5% wrong": (VISITS, partial(draw_visits, wrong=0.015)),
        "10% wrong": (VISITS, partial(draw_visits, wrong=0.1)),
        "ten persons with half of the rows, 1.5% wrong": (
            VISITS,
            partial(draw_visits, wrong=0.015, law="heavy"),
        ),
        "one person with a tenth of the rows, 1.5% wrong": (
            VISITS,
            partial(draw_visits, wrong=0.015, law="one tenth"),
        ),
        "junk: one group, 1,000 values": (
            "a -> b",
            partial(draw_values, sizes={"a": 1, "b": 1000}),
        ),
        "junk: one group, n/2 values": (
            "a -> b",
            partial(draw_values, sizes={"a": 1, "b": rows // 2}),
        ),
        "junk: one group, one person with a tenth of the rows": (
            "a -> b",
            partial(draw_values, sizes={"a": 1, "b": 1000}, law="one tenth"),
        ),
        "junk: ten groups, 1,000 values, two dependencies": (
            "a -> b\na -> c",
            partial(draw_values, sizes=junk),
        ),
        "junk: ten groups each, two dependencies": (
            "a -> b\nc -> d",
            partial(draw_values, sizes={**junk, "c": 10, "d": 1000}),
        ),
        "key, classes of 1,000": (
            "key(a)",
            partial(draw_values, sizes={"a": max(1, rows // 1000)}),
        ),
        "key, classes of 2": ("key(a)", partial(draw_values, sizes={"a": rows // 2})),
        "order in groups of 100": (
            ORDER,
            partial(draw_values, sizes={"a": max(1, rows // 100), "b": 10**6, "c": 10**6}),
        ),
    }


def own_table(columns: Columns, rules: str) -> OwnedClasses:
    """The table as a release has it: a line for each person and class."""
    table = open_table(pa.table(columns))
    classes = read_rows(table, list(candling.parse_constraints(rules)))
    persons = columns["patient"]
    lines, weights = np.unique(np.vstack([persons, classes.codes]), axis=1, return_counts=True)
    codes = np.ascontiguousarray(lines[1:].astype(np.int32))
    merged = replace(classes, codes=codes, weights=weights.astype(np.int64))
    return OwnedClasses(merged, np.unique(lines[0], return_inverse=True)[1].astype(np.int64))


NUMBERS: dict[str, Callable[[OwnedClasses], object]] = {
    "repair": partial(person_repair, capacity=2),
    "problematic": partial(person_witnesses, levels=POWERS),
    "minimal_inconsistent": partial(person_conflicts, levels=POWERS),
}


def measure(rows: int, name: str, asked: list[str]) -> list[str]:
    """The cells of a table's line."""
    rules, draw = cases(rows)[name]
    owned = own_table(draw(rows, np.random.default_rng(3)), rules)
    cells = []
    for number in asked:
        start = time.process_time()
        NUMBERS[number](owned)
        cells.append(f"{time.process_time() - start:.1f}")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return [*cells, f"{memory:.1f}"]


def main() -> None:
    """Measure, and print a line for each table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--table", default="", help="only tables with this in their name")
    parser.add_argument("--numbers", nargs="+", choices=NUMBERS, default=list(NUMBERS))
    asked = parser.parse_args()
    print(f"| {asked.rows:,} rows | {' | '.join(asked.numbers)} | GiB |")
    print("|---" * (len(asked.numbers) + 2) + "|")
    context = multiprocessing.get_context("spawn")
    for name in cases(asked.rows):
        if asked.table in name:
            with context.Pool(1) as pool:
                cells = pool.apply(measure, (asked.rows, name, asked.numbers))
            print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
