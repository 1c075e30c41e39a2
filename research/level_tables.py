"""The tables on which `research.levels` compares the constants of a draw."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

import pyarrow as pa

from benchmarks.printing import progress
from benchmarks.tables import ALPHAS, ITERATIONS, NAMES, ROWS, SEEDS, dependencies
from candling.measures import MINIMAL_INCONSISTENT, PROBLEMATIC, REPAIR
from candling.rules import ConstraintSet, parse_constraints
from candling_paper.all_rows import read_all_rows
from candling_paper.conoise import conoise
from candling_paper.datasets import Dataset
from candling_paper.noise import rnoise

TEST_BED, WIDE, FRESH = "test bed", "wide", "fresh"


@dataclass(frozen=True)
class Case:
    """One table: its true levels."""

    part: str  # TEST_BED, WIDE or FRESH
    family: str
    name: str
    rows: int
    repair: float
    repair_exact: bool
    doubled_conflicts: tuple[int, ...]  # by level: thresholds 1, 2, 4, ...
    problematic: tuple[int, ...]


def measured(part: str, family: str, name: str, table: pa.Table, rules: ConstraintSet) -> Case:
    rows = read_all_rows(table, rules)
    facts = rows.facts
    repair = REPAIR.number(facts)
    return Case(
        part,
        family,
        name,
        facts.rows,
        float(repair.value * repair.step),
        repair.kind == "exact",
        tuple(MINIMAL_INCONSISTENT.levels(facts)),
        tuple(PROBLEMATIC.levels(facts)),
    )


DEPENDENCY = parse_constraints("a -> b")


def grouped(groups: Sequence[Sequence[int]], rows: int, clean_group: int = 0) -> pa.Table:
    """A table for `a -> b`: one value of `a` for each group, which holds so many rows of each `b`.

    A star is a group of (1, leaves), a pair (1, 1). The other rows are alone with their `a`, but
    for one clean group.
    """
    a, b = [], []
    for number, counts in enumerate(groups):
        a += [number] * sum(counts)
        b += [value for value, count in enumerate(counts) for _ in range(count)]
    a += [len(groups)] * clean_group
    alone = max(rows - len(a), 0)
    a += range(len(groups) + 1, len(groups) + 1 + alone)
    b += [0] * (clean_group + alone)
    return pa.table({"a": a, "b": b})


def test_bed(found: Mapping[str, Dataset], seeds: int) -> Iterator[Case]:
    """The tables of `benchmarks.accuracy`."""
    for name, alpha, seed in product(NAMES, ALPHAS, range(seeds)):
        table = found[name].noisy(ROWS, alpha=alpha, seed=seed)
        label = f"{alpha:.1%}, seed {seed}"
        yield measured(TEST_BED, name, label, table, found[name].constraints())


def wide_set(found: Mapping[str, Dataset], part: str) -> Iterator[Case]:
    """Other samples, sizes and kinds of noise; clean tables, stars, tiny groups and dense ones."""
    seed = {WIDE: 10, FRESH: 20}[part]
    for name in NAMES:
        data = found[name]
        rules = data.constraints()
        for alpha in ALPHAS:
            label = f"{name}, {alpha:.1%}"
            for family, rows in (("other sample", 10_000), ("3k rows", 3_000)):
                table = data.noisy(rows, alpha=alpha, seed=seed)
                yield measured(part, f"{family}, {name}", label, table, rules)
        for iterations in ITERATIONS:
            table = conoise(data.sample(10_000, seed=seed), rules, iterations=iterations, seed=seed)
            yield measured(part, f"CONoise, {name}", f"{name}, {iterations}", table, rules)
        yield measured(part, "clean", name, data.sample(10_000, seed=seed), rules)
    for name in ("stock", "tax", "adult", "flight_joined"):
        data = found[name]
        for alpha in ALPHAS[:2]:
            columns = data.constraints().columns
            table = rnoise(data.sample(30_000, seed=seed), columns, alpha=alpha, seed=seed)
            label = f"{name}, {alpha:.1%}"
            yield measured(part, f"30k rows, {name}", label, table, data.constraints())
    for family, label, table in made_up(part):
        yield measured(part, family, label, table, DEPENDENCY)
    for even, number in product((True, False), range(3)):
        family = "nine rules, even groups" if even else "nine rules, uneven groups"
        table, rules = dependencies(seed + number, even=even)
        yield measured(part, family, f"seed {seed + number}", table, rules)


@dataclass(frozen=True)
class Sizes:
    """Of the tables that are made up."""

    clean: tuple[int, ...]
    pairs: tuple[int, ...]  # of a nearly clean table
    stars: tuple[int, ...]
    leaves: tuple[int, ...]
    groups: tuple[int, ...]
    dense: tuple[int, ...]


SIZES = {
    WIDE: Sizes((0, 300, 10_000), (1, 2, 5), (1, 3, 10), (100, 700, 5_000), (10, 100, 2_000),
                (100, 1_000, 10_000)),
    FRESH: Sizes((0, 800, 5_000), (1, 3, 8), (1, 2, 6), (200, 1_500, 3_000), (20, 300, 1_500),
                 (60, 500, 5_000)),
}  # fmt: skip


def made_up(part: str) -> Iterator[tuple[str, str, pa.Table]]:
    sizes = SIZES[part]
    for rows in sizes.clean:
        yield "clean", f"{rows} rows", grouped([], rows)
    yield "clean", "one group of 2,000", grouped([], 10_000, 2_000)
    for pairs in sizes.pairs:
        yield "nearly clean", f"{pairs} pairs", grouped([(1, 1)] * pairs, 10_000)
    for stars, leaves in product(sizes.stars, sizes.leaves):
        yield f"stars of {leaves:,}", f"{stars} stars", grouped([(1, leaves)] * stars, 10_000)
    for size, groups in product((2, 3), sizes.groups):
        table = grouped([(1,) * size] * groups, 10_000)
        yield f"groups of {size}", f"{groups} groups", table
    for groups in sizes.groups:
        table = grouped([(1, 1)] * groups, 10_000, 2_000)
        yield "groups of 2, a large clean one", f"{groups} pairs", table
    for rows in sizes.dense:
        family = f"one dense group of {rows:,}"
        yield family, "all differ", grouped([(1,) * rows], 10_000)
        yield family, "halves", grouped([(rows // 2,) * 2], 10_000)


def read_cases(found: Mapping[str, Dataset], cache: Path | None, *, quick: bool) -> list[Case]:
    """All tables, from the cache if it is there."""
    if cache is not None and cache.is_file():
        stored = json.loads(cache.read_text())
        lists = ("doubled_conflicts", "problematic")
        return [Case(**case | {name: tuple(case[name]) for name in lists}) for case in stored]
    cases = []
    makers = [test_bed(found, 1 if quick else SEEDS), wide_set(found, FRESH)]
    if not quick:
        makers.append(wide_set(found, WIDE))
    for maker in makers:
        for case in maker:
            progress(f"{case.part}: {case.family}, {case.name}")
            cases.append(case)
    if cache is not None:
        cache.write_text(json.dumps([asdict(case) for case in cases]))
    return cases
