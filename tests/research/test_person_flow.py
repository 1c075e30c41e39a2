"""The flow by persons against linear programs and brute force, and what its proofs claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog

from benchmarks.person_tables import ERRORS, LAWS, visits_table
from research.person_flow import (
    Conflicts,
    conflicts_level,
    conflicts_of,
    dependency_level,
    dependency_program,
    problematic_level,
    repair_level,
    rows_level,
    witnesses_level,
)

RULES = (("A", "B"), ("B", "C"))
LEVELS = (1, 2, 3, 4, 8)
ALL = 10_000  # a level that covers everybody
Level = Callable[[Conflicts, int], int]
GROWTH: dict[Level, int] = {  # of a statistic at level 1
    rows_level: 1,
    repair_level: 2,
    problematic_level: 2,
    conflicts_level: 2,
}


def random_table(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(1, 13))
    columns = {name: rng.integers(0, 3, size=rows) for name in "ABC"}
    return pd.DataFrame(
        columns | {"person": rng.integers(0, 4, size=rows), "wrong": rng.random(rows) < 0.15}
    )


def conflicts(table: pd.DataFrame, *, person: str = "person") -> Conflicts:
    """Of a random table; rows that are wrong alone are in no pair."""
    found = conflicts_of(table, person, RULES)
    wrong = table["wrong"].to_numpy(bool)
    return Conflicts(found.person, wrong, found.pairs[~wrong[found.pairs].any(axis=1)])


def by_rows(table: pd.DataFrame) -> Conflicts:
    """Each row its own person."""
    return conflicts(table.assign(row=np.arange(len(table))), person="row")


Uses = Counter[tuple[str, int]]  # how much of each capacity: of a row, a pair or a person


def program(columns: list[Uses], level: int) -> float:
    """Twice the most of these columns that fits: 1 for a row or a pair, `level` for a person."""
    if not columns:
        return 0.0
    names = list({name for uses in columns for name in uses})
    use = np.array([[uses[name] for uses in columns] for name in names])
    room = [level if kind == "person" else 1 for kind, _ in names]
    return float(-2 * linprog([-1.0] * len(columns), A_ub=use, b_ub=room).fun)


def alone(c: Conflicts) -> list[Uses]:
    """The columns of rows that are wrong alone."""
    return [
        Counter([("row", u), ("person", c.person[u])]) for u in np.flatnonzero(c.wrong).tolist()
    ]


def repair_program(c: Conflicts, level: int) -> float:
    """A pair takes from both rows, and from their persons; twice from the same one."""
    pairs = [
        Counter([("row", u), ("row", v), ("person", c.person[u]), ("person", c.person[v])])
        for u, v in c.pairs
    ]
    return program(alone(c) + pairs, level)


def conflicts_program(c: Conflicts, level: int) -> float:
    """A pair takes from its persons, once from the same one."""
    pairs = [
        Counter([("pair", i), *{("person", c.person[u]), ("person", c.person[v])}])
        for i, (u, v) in enumerate(c.pairs)
    ]
    return program(alone(c) + pairs, level)


def problematic_program(c: Conflicts, level: int) -> float:
    """A witness takes from the row that it lets count, and from both persons, or the one."""
    witnessed = [
        Counter([("row", v), *{("person", c.person[u]), ("person", c.person[v])}])
        for u, v in (*c.pairs, *c.pairs[:, ::-1])
    ]
    return program(alone(c) + witnessed, level)


PROGRAMS: dict[Level, Callable[[Conflicts, int], float]] = {
    repair_level: repair_program,
    problematic_level: problematic_program,
    conflicts_level: conflicts_program,
}


def true_problematic(c: Conflicts) -> int:
    return int(c.wrong.sum()) + len(np.unique(c.pairs))


def smallest_repair(table: pd.DataFrame, rule: tuple[str, str]) -> int:
    """Of one dependency: all rows but those of the most frequent value of each group."""
    left, right = rule
    kept = table.groupby(left)[right].agg(lambda values: values.value_counts().max())
    return len(table) - int(kept.sum())


def kept(table: pd.DataFrame, most: int, seed: int) -> pd.DataFrame:
    """At most so many rows of each person, whichever."""
    shuffled = table.sample(frac=1, random_state=seed)
    return shuffled[shuffled.groupby("person").cumcount() < most]


def test_conflicts_are_those_of_all_pairs() -> None:
    for seed in range(50):
        table = random_table(seed)
        broken = {
            (i, j)
            for i, j in combinations(range(len(table)), 2)
            if any(
                table[left][i] == table[left][j] and table[right][i] != table[right][j]
                for left, right in RULES
            )
        }
        found = conflicts_of(table, "person", RULES)
        assert sorted(broken) == [tuple(pair) for pair in found.pairs.tolist()]


@pytest.mark.parametrize("level_of", PROGRAMS)
def test_each_level_is_its_linear_program(level_of: Level) -> None:
    for seed in range(30):
        c = conflicts(random_table(seed))
        for level in LEVELS:
            assert level_of(c, level) == pytest.approx(PROGRAMS[level_of](c, level))


@pytest.mark.parametrize("level_of", GROWTH)
def test_a_person_moves_a_level_by_no_more_than_stated(level_of: Level) -> None:
    largest = 0.0
    for seed in range(60):
        table = random_table(seed)
        for person, level in product(table["person"].unique(), LEVELS):
            without = table[table["person"] != person].reset_index(drop=True)
            grown = level_of(conflicts(table), level) - level_of(conflicts(without), level)
            assert 0 <= grown <= GROWTH[level_of] * level
            largest = max(largest, grown / (GROWTH[level_of] * level))
    assert largest == 1  # what is stated is reached


@pytest.mark.parametrize("level_of", GROWTH)
def test_no_statistic_of_that_sensitivity_is_larger_than_the_best_extension(
    level_of: Level,
) -> None:
    for seed in range(12):
        table = random_table(seed)
        persons = list(table["person"].unique())
        for level in LEVELS:
            gone = [set(some) for n in range(len(persons) + 1) for some in combinations(persons, n)]
            best = min(
                level_of(conflicts(table[~table["person"].isin(some)].reset_index(drop=True)), ALL)
                + GROWTH[level_of] * level * len(some)
                for some in gone
            )
            assert level_of(conflicts(table), level) <= best


def test_no_level_is_below_cutting_at_the_same_sensitivity() -> None:
    for seed in range(25):
        table = random_table(seed)
        whole = conflicts(table)
        for k, t in product((1, 2, 3), (1, 2, 4)):
            rest = by_rows(kept(table, k, seed).reset_index(drop=True))
            assert rows_level(whole, k) == len(rest.person)
            assert repair_level(whole, k) >= repair_level(rest, 1)
            assert problematic_level(whole, k * (t + 1)) >= 2 * witnesses_level(rest, t, 1)
            assert conflicts_level(whole, k * t) >= conflicts_level(rest, t)


def test_levels_that_cover_everybody_are_the_measures() -> None:
    for seed in range(60):
        c = conflicts(random_table(seed))
        assert rows_level(c, ALL) == len(c.person)
        assert repair_level(c, ALL) == pytest.approx(repair_program(by_rows(random_table(seed)), 1))
        assert problematic_level(c, ALL) == 2 * true_problematic(c)
        assert witnesses_level(c, ALL, ALL) == true_problematic(c)
        assert conflicts_level(c, ALL) == 2 * (int(c.wrong.sum()) + len(c.pairs))


def test_what_is_given_and_received_is_better_shared() -> None:
    for seed in range(60):
        c = conflicts(random_table(seed))
        for given, received in product((1, 2, 4), repeat=2):
            assert problematic_level(c, given + received) >= 2 * witnesses_level(c, given, received)


def test_a_dependency_is_the_best_part_of_the_table() -> None:
    """The part is judged by its smallest repair, so every choice of values is one bound on it."""
    for seed in range(15):
        table = random_table(seed)
        groups = [g["B"].unique().tolist() for _, g in table.groupby("A")]
        names = [name for name, _ in table.groupby("A")]
        choices = []
        for values in product(*groups):
            stays = dict(zip(names, values, strict=True))
            choices.append(
                [float(stays[a] != b) for a, b in zip(table["A"], table["B"], strict=True)]
            )
        n = len(table)
        owners = np.array([table["person"] == p for p in table["person"].unique()], float)
        for level in LEVELS:
            above = np.hstack([-np.array(choices), np.ones((len(choices), 1))])
            within = np.hstack([owners, np.zeros((len(owners), 1))])
            best = linprog(
                [*[0.0] * n, -1.0],
                A_ub=np.vstack([above, within]),
                b_ub=[*[0.0] * len(choices), *[float(level)] * len(owners)],
                bounds=[(0, 1)] * n + [(None, None)],
            )
            assert dependency_program(table, "person", ("A", "B"), level) == pytest.approx(
                -best.fun, abs=1e-7
            )


def test_a_dependency_moves_as_stated_and_is_exact_for_everybody() -> None:
    for seed in range(20):
        table = random_table(seed)
        rule = RULES[0]
        assert dependency_level(table, "person", rule, ALL) == 2 * smallest_repair(table, rule)
        for level in (1, 2, 4):
            own = dependency_level(table, "person", rule, level)
            rest = kept(table, level, seed)
            assert own >= 2 * smallest_repair(rest, rule)
            for person in table["person"].unique():
                without = table[table["person"] != person]
                grown = own - dependency_level(without, "person", rule, level)
                assert 0 <= grown <= 2 * level


@pytest.mark.parametrize("law", LAWS)
def test_tables_of_visits_are_as_stated(law: str) -> None:
    for errors in ERRORS:
        table = visits_table(law, errors, rows=2000)
        again = visits_table(law, errors, rows=2000)
        pd.testing.assert_frame_equal(table, again)
        assert len(table) == 2000
        visits = table["patient"].value_counts()
        assert visits.max() <= LAWS[law].most
        wrong = sum(
            smallest_repair(table, rule)
            for rule in (("doctor", "hospital"), ("code", "name"), ("patient", "birth_year"))
        )
        assert 5 <= wrong <= 30  # of the 30 that were planted
