"""Intervals hold as often as they say, and say how far they go.

Every statistical test here fails by chance with probability 1e-9 at most.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from functools import cache

import pytest

import candling
from benchmarks.laws import laws_kept
from candling.measures import MAXIMAL_CONSISTENT, REPAIR
from tests.privacy.statistics import at_least, at_most
from tests.releases.tables import drawn_from, study

RELEASES = 1_500


@cache
def dirty() -> candling.Study:
    """Ten groups under one dependency, each with a row or more that differs."""
    groups = [(g, int(i < 1 + g % 3)) for g in range(10) for i in range(6)]
    return study("a -> b", a=[a for a, _ in groups], b=[b for _, b in groups])


@cache
def truth() -> dict[str, float]:
    exact = dirty().exact()
    assert exact.maximal_consistent_log2 is not None
    assert exact.repair_exact is not None
    return {
        "rows": exact.rows,
        "repair": exact.repair_exact,
        "maximal_consistent": exact.maximal_consistent_log2,
        "minimal_inconsistent": exact.minimal_inconsistent,
        "problematic": exact.problematic,
    }


def missed(bounds: Iterable[tuple[float | None, float | None]], true: float) -> int:
    return sum(
        (low is not None and true < low) or (high is not None and true > high)
        for low, high in bounds
    )


@pytest.mark.parametrize("measure", ["rows", "repair", "maximal_consistent"])
def test_two_sided_intervals_cover_the_true_value(measure: str) -> None:
    cards = [dirty().release(2, measures=[measure]) for _ in range(RELEASES)]
    for level in (0.95, 0.8):
        bounds = [card.measures[measure].interval(level) for card in cards]
        misses = missed(bounds, truth()[measure])
        assert at_most(misses, RELEASES, 1 - level)
        if measure == "maximal_consistent":  # whose steps are fine enough to come close
            assert at_least(misses, RELEASES, 0.9 * (1 - level)), "no wider than they must be"
        assert all(low is not None for low, _ in bounds)
        assert all(high is not None for _, high in bounds)


@pytest.mark.parametrize("measure", ["problematic", "minimal_inconsistent"])
@pytest.mark.parametrize("epsilon", [1, 4])
def test_lower_bounds_of_thresholded_measures_hold(measure: str, epsilon: int) -> None:
    levels, _ = drawn_from(dirty(), measure, epsilon)
    with laws_kept():
        cards = [dirty().release(epsilon, measures=[measure]) for _ in range(RELEASES)]
    bounds = [card.measures[measure].interval() for card in cards]
    assert at_most(missed(bounds, truth()[measure]), RELEASES, 0.05)
    assert max(low or 0 for low, _ in bounds) > 0, "and they say something"
    # The bound is for the extension at the drawn level already, up to the next whole number.
    draws = [card.evidence.numbers[measure][0].draw for card in cards]
    above = sum(
        (low or 0) >= levels.values[draw.level] * levels.step + 1
        for (low, _), draw in zip(bounds, draws, strict=True)
    )
    assert at_most(above, RELEASES, 0.05)


def test_thresholded_measures_have_no_upper_bound_unless_one_is_public() -> None:
    for measure, most in (("problematic", 60), ("minimal_inconsistent", 60 * 59 // 2)):
        card = dirty().release(4, measures=[measure])
        assert card.measures[measure].interval()[1] is None
        assert "upper bound" in str(card.measures[measure].reason)
        for limit in ({"public_rows": 60}, {"max_rows": 60}):
            bounded = dirty().release(4, measures=[measure], **limit).measures[measure]  # type: ignore[arg-type]
            assert bounded.interval()[1] == most
            assert bounded.reason is None
            assert float(bounded.estimate or 0) <= most


# Repair, exact or not


@pytest.mark.parametrize(
    ("rules", "kind"),
    [
        *(("a -> b", "exact"), ("key(a)", "exact"), ("a -> b\nb -> a", "exact")),
        *(("not(t1.a > 1)", "exact"), ("a -> b\na, b -> c", "exact")),
        *(("a -> b\na -> c", "exact"), ("not(t1.a < t2.a and t1.b > t2.b)", "exact")),
        *(("a -> b\nb -> c", "lower_bound"), ("a -> b\nc -> b", "lower_bound")),
    ],
)
def test_the_kind_of_repair_is_told(rules: str, kind: str) -> None:
    # A triangle: three rows that agree on a and differ in b, whose LP value is 3/2.
    of = study(rules, a=[1, 1, 1], b=[1, 2, 3], c=[1, 1, 1])
    card = of.release(100, measures=["repair"])
    assert card.repair.kind == kind
    repair = REPAIR.number(of._facts)
    assert repair.step == (1 if kind == "exact" else Fraction(1, 2))
    exact = of.exact()
    expected = exact.repair_exact if kind == "exact" else exact.repair
    assert repair.value * repair.step == expected


def test_the_interval_of_a_lower_bound_is_for_the_smallest_repair() -> None:
    # Six falling points and a rule that is not easy: all pairs conflict, the smallest repair is 5.
    rules = "not(t1.a < t2.a and t1.b > t2.b)\na -> c\nb -> c"
    of = study(rules, a=range(6), b=[-i for i in range(6)], c=[0] * 6)
    assert of.exact().repair_exact == 5
    assert REPAIR.number(of._facts).kind == "lower_bound"
    bounds = [of.release(1, measures=["repair"]).repair.interval() for _ in range(RELEASES)]
    assert at_most(missed(bounds, 5), RELEASES, 0.05)


# Maximal consistent subsets and NULL


def test_rows_with_null_leave_a_lower_bound_only() -> None:
    rules = "a -> b\na, c -> d"
    for b in ([1, 2, 2], [1, None, 2]):
        of = study(rules, a=[1, 1, 1], b=b, c=[1, 1, 1], d=[1, 2, 3])
        card = of.release(2, measures=["maximal_consistent"])
        low, high = card.maximal_consistent.interval()
        assert low is not None
        assert high is None, "the rules decide it, not the NULL"
        assert card.maximal_consistent.reason is not None
        assert "lower bound" in card.maximal_consistent.note
        card = of.release(2, measures=["maximal_consistent", "repair"])
        assert card.maximal_consistent.interval()[1] == card.repair.interval()[1]


def test_the_lower_bound_without_null_rows_holds() -> None:
    of = study("a -> b\na, c -> d", a=[1] * 4, b=[1, None, 2, 2], c=[1] * 4, d=[1, 2, 3, 3])
    without = study("a -> b\na, c -> d", a=[1] * 3, b=[1, 2, 2], c=[1] * 3, d=[1, 3, 3])
    assert MAXIMAL_CONSISTENT.log2(of._facts) == MAXIMAL_CONSISTENT.log2(without._facts)
    true = of.exact().maximal_consistent_log2
    assert true is not None
    assert MAXIMAL_CONSISTENT.log2(of._facts) <= true
    bounds = [
        of.release(2, measures=["maximal_consistent"]).maximal_consistent.interval()
        for _ in range(RELEASES)
    ]
    assert at_most(missed(bounds, true), RELEASES, 0.05)


# Drastic


@pytest.mark.parametrize("epsilon", ["0.3", "1", "3"])
def test_a_consistent_table_is_rarely_called_inconsistent(epsilon: str) -> None:
    of = study("a -> b", a=[1, 2, 3], b=[1, 2, 3])
    alarms = 0
    for _ in range(RELEASES):
        found = of.release(epsilon, measures=["drastic"]).drastic
        alarms += int(found.value == 1)
    assert at_most(alarms, RELEASES, 0.05)


@pytest.mark.parametrize(("epsilon", "size"), [(1, 10), (3, 4)])
@pytest.mark.parametrize("rules", ["a -> b", "a -> b\nb -> c"])
def test_a_few_errors_are_recognised(epsilon: int, size: int, rules: str) -> None:
    numbers = range(2 * size)
    of = study(rules, a=[i // 2 for i in numbers], b=numbers, c=numbers)
    assert of.exact().repair_exact == size
    seen = sum(of.release(epsilon).drastic.value == 1 for _ in range(RELEASES))
    assert at_least(seen, RELEASES, 0.99)


def test_numbers_are_never_negative() -> None:
    of = study("a -> b", a=[], b=[])
    for _ in range(30):
        card = of.release(1, max_rows=10)
        for measure in card:
            for shown in (measure.estimate, *measure.interval()):
                assert isinstance(shown, int | float)
                assert shown >= 0
                assert math.isfinite(shown)
