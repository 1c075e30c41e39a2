"""A release by the paper's methods: its numbers, its budget, and what a table decides of it."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import pyarrow as pa
import pytest

import candling
import candling_paper
from candling.errors import UsageError
from candling.tables import open_table
from candling_paper.all_rows import AllRows, read_all_rows
from candling_paper.measure_by_measure import SHARES, Released, release_rows
from candling_paper.thresholds import CANDIDATES, EdgeAddition
from tests.measures.draws import Call, cost, recorded
from tests.measures.oracles import RULES
from tests.measures.test_every_measure import MOST, SHAPES, Table, pairs, tables
from tests.paper.methods import METHODS
from tests.registered import registered

EVERY = {
    **{name: make() for name, make in METHODS.items()},
    "paper-projection": candling_paper.projection(2),
}
CUT = ("minimal_inconsistent", "problematic", "repair")  # what a method changes


def table_of(**columns: list[int]) -> pa.Table:
    return pa.table({name: pa.array(cells, pa.int64()) for name, cells in columns.items()})


TABLES = {
    "empty": table_of(a=[], b=[]),
    "clean": table_of(a=[1, 2, 3], b=[1, 1, 1]),
    "every pair": table_of(a=[1] * 6, b=[1, 2, 3, 4, 5, 6]),
}


@pytest.mark.parametrize("name", METHODS)
def test_every_table_gives_the_same_numbers_for_all_of_epsilon(name: str) -> None:
    for table in TABLES.values():
        released = candling_paper.release(table, "a -> b", 1, METHODS[name]())
        assert set(released) == set(SHARES)
        assert sum(number.epsilon for number in released.values()) == 1
        for measure in ("minimal_inconsistent", "problematic"):
            assert released[measure].threshold is not None
        assert all(n.value >= 0 <= n.low for n in released.values())


def test_with_much_budget_the_values_are_those_of_the_table() -> None:
    table = table_of(a=[1] * 6 + [2] * 4, b=[1, 1, 1, 1, 2, 2, 1, 1, 1, 1])
    numbers = candling_paper.release(table, "a -> b", 100, candling_paper.baseline(), max_rows=20)
    assert numbers["minimal_inconsistent"].value == pytest.approx(8, abs=4)
    assert numbers["minimal_inconsistent"].threshold == 20
    assert numbers["problematic"].value == pytest.approx(6, abs=4)
    assert numbers["repair"].value == pytest.approx(4, abs=1)  # twice the smallest
    assert candling.exact(table, "a -> b").repair_exact == 2
    race = candling_paper.release(table, "a -> b", 100, candling_paper.r2t())
    assert race["repair"].value == pytest.approx(2, abs=1)  # the number of candling
    assert race["repair"].low <= 2


def test_the_shares_name_the_measures_and_split_the_budget() -> None:
    shares = {"rows": Fraction(1), "repair": Fraction(3)}
    method = candling_paper.exponential()
    released = candling_paper.release(TABLES["clean"], "a -> b", 1, method, shares=shares)
    assert {name: n.epsilon for name, n in released.items()} == {
        "rows": Fraction(1, 4),
        "repair": Fraction(3, 4),
    }
    for wrong in ({}, {"drastic": Fraction(1)}):
        with pytest.raises(ValueError, match="releases rows, repair"):
            candling_paper.release(TABLES["clean"], "a -> b", 1, method, shares=wrong)


def test_a_baseline_needs_to_know_how_many_rows_there_can_be() -> None:
    alone = {"problematic": Fraction(1)}
    for method in (candling_paper.baseline(), candling_paper.r2t()):

        def release(method: Any = method, **wishes: Any) -> dict[str, Released]:
            return candling_paper.release(TABLES["clean"], "a -> b", 1, method, **wishes)

        with pytest.raises(UsageError, match="max_rows") as caught:
            release(shares=alone)
        assert caught.value.code == "U210"
        release(shares=alone, max_rows=10)
        release(shares=alone | {"rows": Fraction(1)})


def test_a_table_on_a_server_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    table = TABLES["clean"]
    monkeypatch.setattr(type(open_table(table).engine), "in_process", False)
    with pytest.raises(UsageError, match="all rows in one place") as caught:
        read_all_rows(table, "a -> b")
    assert caught.value.code == "U108"


def test_thresholds_are_public() -> None:
    cut = EdgeAddition()
    assert cut.thresholds(None) == CANDIDATES
    assert cut.thresholds(7) == (1, 5, 7)
    assert cut.thresholds(0) == (1,)
    assert cut.thresholds(30_000.5)[-3:] == (10_000, 20_000, 30_001)
    assert EdgeAddition((64,), with_limit=False).thresholds(None) == (64,)
    assert EdgeAddition((64,), with_limit=False).thresholds(1_000) == (64,)
    assert EdgeAddition((64,), with_limit=False).thresholds(10) == (10,)


def test_the_stated_sensitivities_reach_the_mechanism() -> None:
    rows = read_all_rows(TABLES["every pair"], "a -> b")
    method = candling_paper.exponential()
    pairs_kept = method.cut_levels(rows, "minimal_inconsistent", limit=6, rows_per_person=3)
    assert pairs_kept.sensitivities == (3, 15, 18)
    assert pairs_kept.monotone
    kept = method.cut_levels(rows, "problematic", limit=6)
    assert kept.sensitivities == (2, 6, 7)
    assert not kept.monotone
    assert kept.step == Fraction(1)


# What a table decides, and what its neighbours cost


@cache
def rows_of(rules: str, table: Table) -> AllRows:
    parsed = candling.parse_constraints(RULES[rules])
    cells: list[dict[str, Any]] = [dict(zip("ab", row, strict=True)) for row in table]
    return read_all_rows(registered(({"a": "int64", "b": "int64"}, cells, parsed)), parsed)


@pytest.mark.long
@pytest.mark.parametrize("method", EVERY)
def test_a_table_decides_nothing_but_what_gets_noise(method: str) -> None:
    for measure in CUT:
        for output, last in ((0, False), (-3, True), (41, False), (10**6, True)):
            seen: list[object] = []
            for table in SHAPES.values():
                rows = rows_of("relaxed", table)
                with recorded(output, last=last) as calls:
                    told = release_rows(rows, {measure: Fraction(1)}, EVERY[method], max_rows=50)
                seen.append((told, [call.public for call in calls]))
            assert all(shown == seen[0] for shown in seen)


@pytest.mark.long
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("method", EVERY)
def test_neighbours_are_told_apart_by_epsilon_at_most(method: str, last: bool) -> None:
    """Whether the first threshold or the last is chosen, for a person of one or of two rows."""

    def calls_of(table: Table, measure: str, person: int) -> list[Call]:
        with recorded(last=last) as calls:
            release_rows(
                rows_of("relaxed", table),
                {measure: Fraction(1)},
                EVERY[method],
                max_rows=MOST,
                rows_per_person=person,
            )
        return calls

    for measure in CUT:
        for person, most in ((1, 4), (2, 3)):
            found = {table: calls_of(table, measure, person) for table in tables(most)}
            worst = max(cost(found[a], found[b]) for a, b, _ in pairs(person, most))
            assert 0 < worst <= 1 + 1e-12
