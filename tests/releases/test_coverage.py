"""True values are inside the intervals that are shown, in every output, as often as these say.

Each check fails by chance with probability 1e-10 at most: an interval at 95% misses in 5 of 100
releases or fewer, whatever the table, so misses are counted against a binomial law. What every
check would find is planted below it. `python -m benchmarks.coverage` prints the table.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from benchmarks.coverage import Case, Misses, covered, named_cases, random_cases
from candling.measures import REPAIR
from candling.model.noisy import SMALLEST
from candling.model.relations import Relations
from candling.privacy import Drawn
from tests.effort import reduce
from tests.outputs import OUTPUTS
from tests.privacy.statistics import at_most

MISS = 0.05


def wrong(misses: Misses) -> list[str]:
    """What misses more often than it may."""
    return [
        name
        for name, times in misses.releases.items()
        if not at_most(misses.wrong[name], times, MISS)
    ]


@cache
def named() -> dict[str, Case]:
    return {case.name: case for case in named_cases()}


NAMED = (
    *("junk, epsilon 1", "junk, epsilon 10", "junk, epsilon 100", "one dense key"),
    *("one giant star", "clean", "empty", "all NULL"),
    *("one dependency", "flights, epsilon 1", "flights, epsilon 10", "flights, epsilon 100"),
    "triangles",
)


def test_the_named_tables_are_all_tested() -> None:
    assert tuple(named()) == NAMED
    kinds = {REPAIR.number(case.study._facts).kind for case in named().values()}
    assert kinds == {"exact", "lower_bound"}


@pytest.mark.parametrize("name", NAMED)
def test_intervals_and_gates_hold_on_tables_that_are_hard(name: str) -> None:
    found = covered([named()[name]], releases=reduce(100, 6), shown=10)
    assert set(OUTPUTS) == {n.removeprefix("grade in ") for n in found.releases if " in " in n}
    assert wrong(found) == []


def test_intervals_and_gates_hold_on_random_tables() -> None:
    assert wrong(covered(random_cases(40), releases=reduce(20, 6), shown=1)) == []


@pytest.mark.long
def test_intervals_and_gates_hold_on_500_random_tables() -> None:
    assert wrong(covered(random_cases(500), releases=5, shown=1)) == []


def test_no_random_table_is_missed_more_often_than_others() -> None:
    """What always misses on one table of a hundred is lost in the average of all."""
    for case in random_cases(reduce(100, 6)):
        assert wrong(covered([case], releases=25)) == [], case


# What the checks see


def as_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lower bound of the repair taken for the smallest repair, as it was once."""
    monkeypatch.setitem(SMALLEST, "lower_bound", 1)


def too_narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ends at an eighth of the noise that they should allow for."""

    def lower(drawn: Drawn, miss: float) -> int:
        return drawn.value - drawn.noise.upper_tail(miss) // 8

    def upper(drawn: Drawn, miss: float) -> int:
        return drawn.value + drawn.noise.lower_tail(miss) // 8

    monkeypatch.setattr(Drawn, "lower", lower)
    monkeypatch.setattr(Drawn, "upper", upper)


def few_conflicts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Conflicts bounded by the rows in conflict, as if each had one."""
    monkeypatch.setattr(Relations, "most_conflicts", lambda _, repair, rows: min(repair, rows))


def not_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows in conflict that are never more than half of all."""
    most = Relations.most_in_conflict
    monkeypatch.setattr(Relations, "most_in_conflict", lambda of, repair: most(of, repair) // 2)


CONFLICTS = {"minimal_inconsistent", "minimal_inconsistent/rows"}


@pytest.mark.parametrize(
    ("plant", "name", "releases", "seen"),
    [
        (
            as_exact,
            "triangles",
            reduce(250, 6),
            {"grade", "repair", "gate on grade", "grade in page"},
        ),
        (too_narrow, "one dependency", reduce(250, 3), {"rows", "repair", "gate on repair"}),
        (few_conflicts, "junk, epsilon 10", reduce(250, 6), CONFLICTS),
        (not_all_rows, "junk, epsilon 10", reduce(250, 6), {"problematic"}),
    ],
)
def test_a_planted_mistake_is_seen(
    plant: Callable[[pytest.MonkeyPatch], None],
    name: str,
    releases: int,
    seen: set[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ends that are too narrow miss in 60 of 100 releases only: these need more of them."""
    case = named()[name]
    plant(monkeypatch)
    assert seen <= set(wrong(covered([case], releases=releases, shown=10)))
