"""Every measure, where neighbours differ in all rows of one person: exhaustively on small tables.

Two persons and nobody own the rows. One table has the rows of one person, the other those of both;
what the releases draw must be within epsilon, whatever the second person owns, and the tables look
where it hurts: a cut that looks beyond a person's own rows is caught.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from typing import Any

import pytest

import candling
from candling.measures import MEASURES, Measure, Setting
from candling.measures.sources import SOURCES
from candling.privacy import Statistic
from candling.releases import request as choosing
from candling.tables import Cut, core, count_persons_above
from candling.tables.persons import limit_rows_per_person
from candling.tables.values import Table as EngineTable
from tests.measures.draws import Call, DrawCall, SelectionCall, cost, recorded
from tests.measures.oracles import ORACLES, RULES
from tests.measures.test_every_measure import RELEASED, ROUNDING
from tests.oracle import Cell
from tests.registered import registered

Row = tuple[int, int]
Rows = tuple[Row, ...]
ROWS: Rows = ((0, 0), (0, 1), (1, 0), (1, 1))
FIRST, SECOND = 1, 3  # rows that each of the two owns at most
NOBODY: Rows = ((0, 7), (1, 7))  # which would conflict with everything


def owned(most: int) -> Iterator[Rows]:
    for size in range(most + 1):
        yield from combinations_with_replacement(ROWS, size)


@cache
def study_of(rules: str, first: Rows, second: Rows) -> candling.Study:
    parsed = candling.parse_constraints(RULES.get(rules, rules))
    people = (("x", first), ("y", second), (None, NOBODY))
    rows: list[dict[str, Cell]] = [
        {"p": who, "a": a, "b": b} for who, own in people for a, b in own
    ]
    columns = {"p": "string", "a": "int64", "b": "int64"}
    return candling.analyze(registered((columns, rows, parsed)), parsed, person="p")


def calls_of(
    rules: str, first: Rows, second: Rows, measures: Sequence[str], **wishes: Any
) -> list[Call]:
    """What a release draws."""
    of = study_of(rules, first, second)
    with recorded() as calls:
        of.release(1, measures=measures, max_rows=FIRST + SECOND, **wishes)
    return calls


def worst(rules: str, measures: Sequence[str], most: int) -> float:
    """The epsilon that tells a table without the second person from one with them."""
    told = 0.0
    for first in owned(FIRST):
        without = calls_of(rules, first, (), measures, rows_per_person=most)
        for second in owned(SECOND):
            calls = calls_of(rules, first, second, measures, rows_per_person=most)
            told = max(told, cost(without, calls))
    return told


@pytest.mark.parametrize(("measure", "rules"), RELEASED)
def test_a_person_is_told_by_epsilon_at_most(measure: str, rules: str) -> None:
    told = worst(rules, [measure], 1)
    assert told <= 1 + 1e-12
    if rules not in ORACLES[measure].unmoved:
        assert told > 0.5 - ROUNDING, "the tables look where it hurts"


@pytest.mark.parametrize("rules", RULES)
def test_all_measures_together_cost_epsilon(rules: str) -> None:
    assert 0.5 < worst(rules, list(MEASURES), 2) <= 1 + 1e-12


# Planted mistakes


@pytest.fixture
def planted() -> Iterator[None]:
    study_of.cache_clear()
    yield
    study_of.cache_clear()


def cut_by_row_number(table: EngineTable, constraints: Any, cut: Cut | None) -> EngineTable:
    """So many rows in all as there are persons, times k, and not of each."""
    fair = limit_rows_per_person(table, constraints, cut)
    if cut is None:
        return fair
    wrong = fair.source.replace("partition by p0", "").replace(
        "candling_turn <= ", "candling_turn <= 2 * "
    )
    assert wrong != fair.source
    return replace(fair, source=wrong)


SAMPLED = ["repair", "rows"]


@pytest.mark.usefixtures("planted")
def test_a_cut_by_the_number_of_a_row_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "limit_rows_per_person", cut_by_row_number)
    assert worst("exact", SAMPLED, 1) > 1.2


@pytest.mark.usefixtures("planted")
def test_without_the_cut_it_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "limit_rows_per_person", lambda table, constraints, cut: table)
    assert worst("exact", SAMPLED, 1) > 1.5


@pytest.mark.usefixtures("planted")
@pytest.mark.parametrize(
    ("source", "measure"),
    [("rows", "rows"), ("problematic", "problematic"), ("repair", "drastic")],
)
def test_a_sensitivity_that_is_too_small_is_caught(
    source: str, measure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of what a person may add, as if T were T/2, or the capacity 1."""
    stated = type(SOURCES[source]).statistics

    def half(self: Measure, rules: Any, setting: Setting) -> list[Statistic]:
        return [
            replace(s, sensitivities=tuple(max(1, own // 2) for own in s.sensitivities))
            for s in stated(self, rules, setting)
        ]

    monkeypatch.setattr(type(SOURCES[source]), "statistics", half)
    assert worst("exact", [measure], 1) > 1.2


@pytest.mark.usefixtures("planted")
def test_rows_of_nobody_that_count_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of which the rows without a person are a person's would move by none of them."""
    told = calls_of("exact", (), (), ["rows"])
    (call,) = told
    assert isinstance(call, DrawCall)
    assert call.statistics[0].values[-1] == 0


# Choosing how many rows are kept


@pytest.fixture
def everybody_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two persons would never be worth a doubling, and the choice could not tell them apart."""
    monkeypatch.setattr(choosing, "WORTH", 0)


def chosen(first: Rows, second: Rows) -> SelectionCall:
    choice, *_ = calls_of("exact", first, second, ["repair", "rows"])
    assert isinstance(choice, SelectionCall)
    return choice


def most_told() -> float:
    """The epsilon by which choosing tells a person."""
    told = 0.0
    for first in owned(FIRST):
        without = chosen(first, ())
        for second in owned(SECOND):
            choice = chosen(first, second)
            assert choice.public == without.public
            told = max(told, without.cost(choice))
    return told


@pytest.mark.usefixtures("everybody_counts")
def test_choosing_costs_its_share() -> None:
    assert most_told() == pytest.approx(0.05, rel=ROUNDING)


@pytest.mark.usefixtures("everybody_counts")
def test_counting_a_person_twice_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    twice = lambda *of: [2 * n for n in count_persons_above(*of)]  # noqa: E731
    monkeypatch.setattr("candling.releases.session.count_persons_above", twice)
    assert most_told() > 0.07


@pytest.mark.usefixtures("everybody_counts")
@pytest.mark.parametrize("last", [False, True])
def test_the_choice_and_what_follows_it_are_within_epsilon(last: bool) -> None:
    """What is drawn after the choice is drawn for the rows that were chosen."""
    told = 0.0
    for second in owned(SECOND):
        runs = []
        for own in ((), second):
            of = study_of("exact", ((0, 0),), own)
            with recorded(last=last) as calls:
                card = of.release(1, measures=["rows", "repair"])
            runs.append(calls)
            assert card.person.epsilon == Fraction(1, 20)
            assert card.epsilon == 1
        told = max(told, cost(*runs))
    assert told <= 1 + 1e-12
    assert told > 0.1
