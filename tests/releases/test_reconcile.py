"""Numbers of a card that agree with each other, and the tails that its intervals rest on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

import candling
from candling.measures import BY_RULE, MEASURES, ROWS, Asked, Released
from candling.measures.measure import number, split_miss
from candling.measures.minimal_inconsistent import ConflictsBounds, most_conflicts
from candling.measures.repair import SMALLEST, RepairBounds
from candling.measures.rows import RowsBounds
from candling.model.card import Noisy
from candling.model.number import Number, exact
from candling.privacy import Drawn
from candling.releases.run import grade_of, reconcile_measures, reconcile_rules
from candling_paper.laplace import DiscreteLaplace
from tests import oracle
from tests.measures.draws import recorded
from tests.releases.tables import One, noisy_number, study
from tests.strategies import conflict_graphs

NOISE = DiscreteLaplace(10.0)
LEVELS = (0.5, 0.8, 0.95, 0.99)
ALL = ["rows", "drastic", "minimal_inconsistent", "problematic", "repair", "by_rule"]


# What always holds


@given(conflict_graphs())
def test_what_numbers_must_agree_on_holds_on_every_table(graph: oracle.Conflicts) -> None:
    repair, problematic = oracle.repair_exact(graph), oracle.problematic(graph)
    conflicts = oracle.minimal_inconsistent(graph)
    assert repair <= problematic <= graph.rows
    assert problematic <= 2 * conflicts
    assert repair <= conflicts <= most_conflicts(repair, graph.rows)
    assert oracle.repair(graph) <= repair <= 2 * oracle.repair(graph)


@pytest.mark.parametrize("rows", range(6))
def test_the_most_conflicts_are_reached_and_never_exceeded(rows: int) -> None:
    """Over all graphs of so many rows, with any of them inconsistent by themselves."""
    found: dict[int, int] = {}
    for alone in range(rows + 1):
        pairs = list(combinations(range(alone, rows), 2))
        for size in range(len(pairs) + 1):
            for edges in combinations(pairs, size):
                graph = oracle.Conflicts(rows, frozenset(range(alone)), frozenset(edges))
                repair = oracle.repair_exact(graph)
                conflicts = oracle.minimal_inconsistent(graph)
                found[repair] = max(found.get(repair, 0), conflicts)
    for repair, conflicts in found.items():
        assert conflicts <= most_conflicts(repair, rows) <= max(repair * rows, repair)
    reached = {repair: most_conflicts(repair, rows) for repair in found}
    assert {r: c for r, c in found.items() if r < rows} == {
        r: c for r, c in reached.items() if r < rows
    }


def test_more_rows_or_a_larger_repair_never_allow_fewer_conflicts() -> None:
    for rows in range(30):
        for repair in range(35):
            most = most_conflicts(repair, rows)
            assert most <= most_conflicts(repair + 1, rows)
            assert most <= most_conflicts(repair, rows + 1)
        pairs = rows * (rows - 1) // 2
        assert most_conflicts(rows, rows) == max(rows, pairs), "what rows alone allow"


@given(conflict_graphs(), st.integers(0, 3), st.integers(0, 3))
def test_conflicts_and_their_share_of_the_rows_are_within_the_bounds_of_both(
    graph: oracle.Conflicts, more_rows: int, more_repair: int
) -> None:
    """Whatever the table, if its rows and its repair are at most so many."""
    sure = DiscreteLaplace(0.001)  # no noise at all
    rows = RowsBounds(noisy_number(graph.rows + more_rows, sure))
    repair = noisy_number(oracle.repair_exact(graph) + more_repair, sure)
    nothing = Drawn(0, 0, Fraction(1), One())  # whose own low end is 0
    bounds = ConflictsBounds(nothing, rows, RepairBounds(repair, "exact", rows))
    conflicts = oracle.minimal_inconsistent(graph)
    _, high = bounds.interval(0.95)
    assert high is not None
    assert conflicts <= high
    if graph.rows:
        assert Fraction(conflicts, graph.rows) <= bounds.per_row(0.95)[1]


# The values


def measures_of(
    noisy: Mapping[str, int],
    kind: str,
    *,
    most: int | None,
    step: Fraction,
    thresholds: tuple[int, int] = (16, 64),
) -> tuple[dict[str, Number], tuple[Number, ...], Released]:
    """The measures of a release before they agree, and what they were drawn from."""
    in_conflict, conflicts = thresholds
    repair = Noisy(Drawn(0, noisy.get("repair", 0), step, NOISE), 1, kind)
    draws = {
        "rows": Noisy(Drawn(0, noisy.get("rows", 0), Fraction(1), NOISE), 1),
        "repair": repair,
        "drastic": repair,
        "problematic": Noisy(
            Drawn(0, noisy.get("problematic", 0), Fraction(1), One()), in_conflict, "lower_bound"
        ),
        "minimal_inconsistent": Noisy(
            Drawn(0, noisy.get("minimal_inconsistent", 0), Fraction(1, 2), One()),
            conflicts,
            "lower_bound",
        ),
    }
    drawn = {name: (draws[name],) for name in noisy} | {"by_rule": (repair,)}
    released = Released(Asked(tuple(noisy), max_rows=most), drawn)
    rows = ROWS.bounds(released)
    values: dict[str, float] = {
        name: number(max(Fraction(0), own.draw.value * own.draw.step))
        for name, own in draws.items()
    }
    values["rows"] = 0 if rows is None else rows.value
    values["drastic"] = int(repair.draw.value > NOISE.upper_tail(0.05))
    measures = {
        name: Number(
            name,
            values[name],
            Fraction(1),
            "",
            MEASURES[name].find_bounds(released),
            kind=kind if name == "repair" else None,
            threshold=draws[name].threshold if MEASURES[name].thresholded else None,
        )
        for name in noisy
    }
    rule = Number(
        "a -> b", values["repair"], Fraction(1), "", BY_RULE.find_bounds(released), kind=kind
    )
    return measures, (rule,), released


NUMBERS = st.one_of(st.integers(-60, 60), st.integers(-5000, 5000))


@given(
    st.dictionaries(
        st.sampled_from(("rows", "drastic", "minimal_inconsistent", "problematic", "repair")),
        NUMBERS,
        min_size=1,
    ),
    st.sampled_from(list(SMALLEST)),
    st.one_of(st.none(), st.integers(0, 3000)),
    st.tuples(st.sampled_from((1, 2, 64)), st.sampled_from((1, 2, 64))),
)
def test_values_agree_and_intervals_hold_them(
    noisy: dict[str, int], kind: str, most: int | None, thresholds: tuple[int, int]
) -> None:
    step = Fraction(1, 2) if kind == "lower_bound" else Fraction(1)
    before, rules, released = measures_of(noisy, kind, most=most, step=step, thresholds=thresholds)
    found = reconcile_measures(before, released)
    assert list(found) == list(before)
    value: dict[str, float] = {name: float(m.value or 0) for name, m in found.items()}
    top = value.get("rows", math.inf if most is None else most)
    repair = value.get("repair", 0)
    problematic = value.get("problematic", repair)
    assert repair <= problematic <= top
    assert 2 * value.get("minimal_inconsistent", math.inf) >= value.get("problematic", 0)
    assert value.get("minimal_inconsistent", math.inf) >= repair
    if math.isfinite(top):
        allowed = most_conflicts(int(top), int(top))
        assert value.get("minimal_inconsistent", 0) <= allowed
    if "rows" in before:
        assert value["rows"] == before["rows"].value, "rows are those of their own draw"
    rules = reconcile_rules(rules, found, released)
    assert float(rules[0].value or 0) <= min(top, value.get("repair", math.inf))
    no_sign = value.get("drastic") == 0
    for measure in (*found.values(), *rules):
        for level in LEVELS:
            low, high = measure.interval(level)
            assert low is not None
            assert low <= float(measure.value or 0)
            assert high is None or float(measure.value or 0) <= high
            assert not no_sign or low == 0 or measure.name == "rows"
        if measure.per_row is not None:
            share = measure.per_row
            assert 0 <= share.low <= share.value <= share.high
            assert not no_sign or share.low == 0
    grade = grade_of(found, released)
    if "rows" in found and "repair" in found:
        assert grade.value is not None
        assert grade.low is not None
        assert grade.high is not None
        assert 0 <= grade.low <= grade.value <= grade.high <= 1
        assert not no_sign or grade.high == 1
    else:
        assert grade.value is None
        assert "not released" in str(grade.reason)


def test_the_noisier_number_moves() -> None:
    noisy = {"rows": 1000, "minimal_inconsistent": 0, "problematic": 0, "repair": 300}
    found = reconcile_measures(*_told(noisy))
    assert [found[name].value for name in noisy] == [1000, 300, 300, 300]
    noisy = {"rows": 1000, "minimal_inconsistent": 20, "problematic": 1531, "repair": 1200}
    found = reconcile_measures(*_told(noisy))
    assert [found[name].value for name in noisy] == [1000, 1000, 1000, 1000]
    noisy = {"rows": 1000, "minimal_inconsistent": 20, "problematic": 700, "repair": 50}
    found = reconcile_measures(*_told(noisy))
    assert [found[name].value for name in noisy] == [1000, 350, 700, 50]
    assert found["problematic"].per_row is not None
    assert found["problematic"].per_row.value == 0.7


def test_numbers_that_are_equally_noisy_meet() -> None:
    noisy = {"rows": 1000, "minimal_inconsistent": 4, "problematic": 30, "repair": 10}
    found = reconcile_measures(*_told(noisy, thresholds=(1, 1)))
    assert [found[name].value for name in noisy] == [1000, 6, 12, 6]
    found = reconcile_measures(*_told(noisy, thresholds=(1, 2)))
    assert [found[name].value for name in noisy] == [1000, 15, 30, 10]
    found = reconcile_measures(*_told(noisy, thresholds=(4, 2)))
    assert [found[name].value for name in noisy] == [1000, 10, 20, 10]


def _told(
    noisy: dict[str, int], thresholds: tuple[int, int] = (16, 64)
) -> tuple[dict[str, Number], Released]:
    measures, _, released = measures_of(
        noisy, "exact", most=None, step=Fraction(1), thresholds=thresholds
    )
    return measures, released


def test_numbers_that_agree_stay_as_they_are() -> None:
    noisy = {"rows": 1000, "minimal_inconsistent": 1400, "problematic": 500, "repair": 50}
    before, released = _told(noisy)
    found = reconcile_measures(before, released)
    assert {n: m.value for n, m in found.items()} == {n: m.value for n, m in before.items()}


def test_without_rows_nothing_caps_the_numbers() -> None:
    noisy = {"minimal_inconsistent": 10**7, "problematic": 10**6, "repair": 50}
    before, released = _told(noisy)
    found = reconcile_measures(before, released)
    assert ROWS.bounds(released) is None
    assert [m.value for m in found.values()] == [5 * 10**6, 10**6, 50]
    assert found["minimal_inconsistent"].interval()[1] is None
    assert found["problematic"].per_row is None


# The tails


def test_the_probability_to_miss_is_dealt_out_whole() -> None:
    for own in (1, 2):
        for borrowed in range(4):
            each, other = split_miss(0.05, own=own, borrowed=borrowed)
            assert math.isclose(own * each + borrowed * other, 0.05)
            assert 0 < other <= each


@pytest.mark.parametrize("wishes", [{}, {"max_rows": 50}, {"public_rows": 40}])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_no_interval_rests_on_more_tails_than_it_pays_for(
    wishes: dict[str, Any], level: float
) -> None:
    of = study("a -> b\nb -> c", a=[i % 7 for i in range(40)], b=range(40), c=[0, 1] * 20)
    card = of.release(3, measures=ALL, **wishes)
    for measure in (*card.measures.values(), *card.by_rule):
        assert _missed_at_most(lambda m=measure: m.interval(level)) <= (1 - level) * (1 + 1e-9)
    for name in ("problematic", "minimal_inconsistent"):
        bounds: Any = card.measures[name].bounds
        bounds = getattr(bounds, "bounds", bounds)
        assert _missed_at_most(lambda b=bounds: b.per_row(level)) <= (1 - level) * (1 + 1e-9)
    asked = Asked(card.about.measures, **wishes)
    released = Released(asked, card.draws)
    assert _missed_at_most(lambda: grade_of(card.measures, released)) <= 0.05 * (1 + 1e-9)


def _missed_at_most(ask: Any) -> float:
    """The union bound over all tails that an answer looks at, each way of each draw once."""
    tails: dict[tuple[int, str], float] = {}

    def tail(which: str, real: Any) -> Any:
        def asked(of: Any, miss: float) -> Any:
            tails[id(of), which] = max(miss, tails.get((id(of), which), 0.0))
            return real(of, miss)

        return asked

    with (
        mock.patch.object(Drawn, "lower", tail("lower", Drawn.lower)),
        mock.patch.object(Drawn, "upper", tail("upper", Drawn.upper)),
    ):
        ask()
    return sum(tails.values())


# The interval of the repair


@pytest.mark.parametrize(("kind", "ends"), [("exact", (70, 130)), ("lower_bound", (70, 260))])
def test_the_interval_is_for_the_smallest_repair(kind: str, ends: tuple[int, int]) -> None:
    released = noisy_number(100, NOISE)  # whose noise exceeds 30 with probability 2.5%
    assert list(RepairBounds(released, kind, None).interval(0.95)) == list(ends)
    for most in (10**6, 120):
        found = RepairBounds(released, kind, RowsBounds(None, most=most)).interval(0.95)
        assert list(found) == [ends[0], min(ends[1], most)]


def test_the_smallest_repair_is_a_whole_number() -> None:
    released = noisy_number(141, NOISE, Fraction(1, 2))
    low, high = RepairBounds(released, "lower_bound", None).interval(0.95)
    assert (low, high) == (56, 171)  # 55.5 is not enough


# The grade


def test_a_table_without_rows_has_the_fields_of_any_other() -> None:
    of = study("a -> b", a=[], b=[])
    for output in (-1000, 0, 5):
        with recorded(output):
            card = of.release(1)
        assert list(card.to_dict()["grade"]) == ["value", "low", "high", "level"]
        assert card.grade.value is not None
    with recorded(-1000):
        grade = of.release(1).grade
    assert (grade.value, grade.low, grade.high) == (1.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("asked", "missing"),
    [
        (["repair"], "`rows` was not released."),
        (["rows"], "`repair` was not released."),
        (["drastic"], "`repair` and `rows` were not released."),
    ],
)
def test_why_there_is_no_grade(asked: list[str], missing: str) -> None:
    card = study("a -> b", a=[1], b=[1]).release(1, measures=asked)
    assert card.grade.to_dict() == {
        "value": None,
        "low": None,
        "high": None,
        "level": 0.95,
        "reason": f"it is 1 - repair/rows, and {missing}",
    }


@given(
    st.integers(1, 10**6).flatmap(lambda rows: st.tuples(st.just(rows), st.integers(0, rows))),
    st.tuples(st.integers(-53, 53), st.integers(-31, 31)),
    st.sampled_from(list(SMALLEST)),
)
def test_the_grade_holds_where_its_tails_do(
    truth: tuple[int, int], off: tuple[int, int], kind: str
) -> None:
    """The noise is within the quantiles that the grade pays for: 53 at 0.25%, 31 at 2.25%."""
    rows, smallest = truth
    assert (NOISE.upper_tail(0.0025), NOISE.upper_tail(0.0225)) == (53, 31)
    factors = {"exact": (1,), "lower_bound": (Fraction(1, 2), 1)}[kind]
    step = Fraction(1, 2) if kind == "lower_bound" else Fraction(1)
    for factor in factors:
        noisy = {"rows": rows + off[0], "repair": int(smallest * factor / step) + off[1]}
        measures, _, released = measures_of(noisy, kind, most=None, step=step)
        grade = grade_of(reconcile_measures(measures, released), released)
        assert grade.low is not None
        assert grade.high is not None
        assert exact(grade.low) <= 1 - Fraction(smallest, rows) <= exact(grade.high)


def test_ends_are_rounded_outwards() -> None:
    repair = Noisy(Drawn(0, 1, Fraction(1), DiscreteLaplace(0.001)), 1)
    released = Released(Asked(("rows", "repair"), public_rows=7), {"repair": (repair,)})
    values = {"rows": 7, "repair": 1}
    measures = {
        name: Number(name, value, Fraction(1), "", MEASURES[name].find_bounds(released))
        for name, value in values.items()
    }
    grade = grade_of(measures, released)
    assert (grade.low, grade.value, grade.high) == (0.857142857142, 0.857142857143, 0.857142857143)


def test_stated_rows_are_taken_for_true() -> None:
    of = study("a -> b", a=[1] * 30, b=range(30))
    card: candling.Card = of.release(100, measures=ALL, public_rows=10)
    assert card.problematic.interval()[1] == 10
    assert card.repair.value == 10
    assert card.minimal_inconsistent.interval()[1] == 45
