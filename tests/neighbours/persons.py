"""A person with a tenth of all rows: `python -m tests.neighbours.persons --engine spark`.

Random tables of 10,000 rows, of which one person owns 1,000, with and without that person. An
engine keeps at most k rows of each person for the sample; every noise-free number of it must then
move by no more than k rows can move it. Every number of the whole table must grow by 0 to what one
person may add. Tables are put on the engine many at a time: a person is named by the table and by
the patient, so that one query reads them all.
"""

# ruff: noqa: T201 - this is a program, and it prints

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import psycopg
import pyarrow as pa

import candling
from candling.graph.person_conflicts import person_conflicts
from candling.graph.person_flow import person_repair, person_witnesses
from candling.rules import Rules, compile_rules
from candling.tables import Cut, OwnedClasses, count_rows_within, open_table, read_owned
from candling.tables.persons import limit_rows_per_person
from candling.tables.values import Table
from tests import backends, postgres, spark
from tests.neighbours.statistics import Statistics, moves, statistics_of

ROWS, GIANT = 10_000, 1_000  # of a table, and of the person who comes and goes
RULES = (
    "a -> b",
    "a -> b\nb -> c",
    "key(a, c)",
    "patient -> b\na -> b",
    "a -> b, c",
    "c >= 0\na, c -> b",
)
KINDS = ("star", "equal", "like the others", "against everybody", "nothing")
NUMBERS = (1, 2, 8, 100)
MISSING = -(10**9)

Numbers = npt.NDArray[np.int64]
Put = Callable[[pa.Table], Any]
Keep = Callable[[Table, Any, Cut], Table]


@dataclass(frozen=True)
class Violation:
    """A table that the person moves by more than they may."""

    table: int
    rules: str
    kind: str
    rows: int  # of each person in the sample; 0: in the whole table
    text: str


def drawn(random: np.random.Generator, kind: str) -> dict[str, Numbers]:
    """A table; the rows of the one person, who is patient 0, come last."""
    others = ROWS - GIANT
    people = int(random.integers(300, 6000))
    patient = 1 + np.minimum(people - 1, random.zipf(1.3 + random.random(), others) - 1)
    a = random.integers(0, int(random.choice([50, 2000, 9000])), ROWS)
    wrong = random.random((2, ROWS)) < random.choice([0.0, 0.01, 0.2])
    b = np.where(wrong[0], random.integers(0, 2000, ROWS), a // 2)
    c = np.where(wrong[1], random.integers(-3, 2000, ROWS), b % 50)
    giant = slice(others, ROWS)
    if kind == "star":
        a[giant], b[giant] = a[0], b[0] + 1
    elif kind == "equal":
        a[giant], b[giant], c[giant] = a[1], b[1], c[1]
    elif kind == "against everybody":
        a[giant] = random.choice(a[:others], GIANT)
        b[giant], c[giant] = 10**6 + np.arange(GIANT), -1
    elif kind == "nothing":
        a[giant] = b[giant] = c[giant] = MISSING
    order = random.permutation(ROWS)
    whose = np.concatenate([patient, np.zeros(GIANT, np.int64)])
    columns = {"patient": whose, "a": a, "b": b, "c": c}
    return {name: values[order] for name, values in columns.items()}


def arrow(columns: dict[str, npt.NDArray[Any]]) -> pa.Table:
    """The columns, with NULL for what is missing."""
    return pa.table(
        {name: pa.array(values, mask=values == MISSING) for name, values in columns.items()}
    )


def stacked(tables: list[dict[str, Numbers]]) -> pa.Table:
    """All tables, each without its person (i) and with them (i + 0.5).

    A hash of floats is one of whole numbers, so that the others are the same persons in both.
    """
    parts = []
    for i, table in enumerate(tables):
        for j, rows in enumerate((table["patient"] > 0, np.ones(ROWS, bool))):
            own = {name: values[rows] for name, values in table.items()}
            parts.append(own | {"t": np.full(int(rows.sum()), i + j / 2)})
    return arrow({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})


LEVELS = (1, 8, 256)  # of rows in conflict, and of conflicts
CAPACITY = 2  # of the repair


def numbers_by_person(data: Any, text: str, capacity: int = CAPACITY) -> dict[float, list[int]]:
    """Of each table, twice what a release makes of all rows, as the engine gives them by person."""
    table, rules = open_table(data), candling.parse_constraints(f"{text}\nkey(t)")
    owned = read_owned(table, list(rules), ("t", "patient"))
    every = owned.classes
    # All rows come, because those of one table have one number, which is a code of it here.
    place = every.rules[-1].columns[0]
    code = every.codes[place]
    size = np.bincount(owned.persons, every.weights)
    within = [int(np.minimum(size, level).sum()) for level in LEVELS]
    if count_rows_within(table, ("t", "patient"), LEVELS) != within:
        raise AssertionError("the engine counts other rows than it gives")
    found = {}
    for number, own in enumerate(np.unique(code)):
        lines = code == own
        classes = replace(every.select(lines), rules=every.rules[:-1])
        _, persons = np.unique(owned.persons[lines], return_inverse=True)
        one = OwnedClasses(classes, persons.astype(np.int64))
        rows = np.bincount(persons, classes.weights)
        found[number / 2] = [
            person_repair(one, capacity),
            *person_witnesses(one, LEVELS),
            *person_conflicts(one, LEVELS),
            *(2 * int(np.minimum(rows, level).sum()) for level in LEVELS),
        ]
    return found


MOST = [2 * CAPACITY, *(2 * level for _ in range(3) for level in LEVELS)]


def cut_on_engine(data: Any, rules: Rules, rows: int, keep: Keep) -> pa.Table:
    """The rows that the engine keeps, of the columns that rules read and the table's number."""
    (number,) = candling.parse_constraints("key(t)")
    table = keep(open_table(data), [*rules, number], Cut(("t", "patient"), rows))
    names = [name for name, column in table.columns.items() if column.sql != "null"]
    found = table.fetch(table.select(names), table.types(names))
    return found.rename_columns(names)


def violations(
    put: Put,
    tables: int,
    *,
    seed: int = 1,
    batch: int = 20,
    keep: Keep = limit_rows_per_person,
    capacity: int = CAPACITY,
) -> Iterator[Violation]:
    """What random tables show, batch by batch."""
    for first in range(0, tables, batch):
        random = np.random.default_rng([seed, first])
        text = RULES[first // batch % len(RULES)]
        rows = NUMBERS[int(random.integers(len(NUMBERS)))]
        rules = compile_rules(candling.parse_constraints(text))
        count = min(batch, tables - first)
        kinds = [KINDS[(first + i) % len(KINDS)] for i in range(count)]
        data = put(stacked([drawn(random, k) for k in kinds]))
        whole = numbers_by_person(data, text, capacity)
        for i, kind in enumerate(kinds):
            grown = np.subtract(whole[i + 0.5], whole[float(i)])
            if (grown < 0).any() or (grown > MOST).any():
                yield Violation(first + i, text, kind, 0, "more of the whole table than allowed")
        found = cut_on_engine(data, rules, rows, keep)
        for i, kind in enumerate(kinds):
            small, large = (_statistics(found, i + j / 2, text) for j in (0, 1))
            told = next(moves(small, large, rows), None)
            if told is not None:
                yield Violation(first + i, text, kind, rows, told)


def _statistics(found: pa.Table, number: float, rules: str) -> Statistics:
    own = found.filter(pa.compute.equal(found["t"], number)).drop_columns("t")
    return statistics_of(candling.analyze(own, rules.splitlines())._facts)


def cut_by_row_number(table: Table, constraints: Any, cut: Cut) -> Table:
    """A planted bug: rows are numbered in the whole table instead of by person."""
    fair = limit_rows_per_person(table, constraints, cut)
    every = f"candling_turn <= {ROWS // 20}"
    wrong = fair.source.replace("partition by p0, p1", "partition by p0")
    return replace(fair, source=wrong.replace(f"candling_turn <= {cut.most}", every))


@contextmanager
def engine(name: str) -> Iterator[Put]:
    """A function that puts tables on an engine."""
    if name == "duckdb":
        yield backends._on_duckdb()
    elif name == "spark":
        with tempfile.TemporaryDirectory() as folder:
            yield backends._on_spark(spark.start(Path(folder)), Path(folder))
    else:
        with postgres.running() as server, psycopg.connect(server.fresh(), autocommit=True) as c:
            yield backends._on_postgres(c)


def main() -> int:
    """Run it, and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", choices=["duckdb", "spark", "postgres"], default="duckdb")
    parser.add_argument("--tables", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--planted", action="store_true", help="with a bug that must be found")
    asked = parser.parse_args()
    keep = cut_by_row_number if asked.planted else limit_rows_per_person
    start, found = time.monotonic(), []
    with engine(asked.engine) as put:
        for violation in violations(put, asked.tables, seed=asked.seed, keep=keep):
            found.append(violation)
            print(violation, flush=True)
    seconds = time.monotonic() - start
    print(f"{asked.tables} tables on {asked.engine} in {seconds:.0f} s: {len(found)} violations")
    return min(len(found), 1)


if __name__ == "__main__":
    sys.exit(main())
