"""Two cards: what is called a change, and what is not."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import candling
from candling.card import Card
from candling.compare_cards import Comparison, compare
from candling.model.person import Person
from candling.model.receipt import UNITS, Receipt
from candling.model.results import Difference, Verdict
from tests.drawn_cards import between, drawn_card

RULES = ("zip: Zip -> City", "key(Id)", "not(t1.Age < 0)")
NAMES = ("repair", "rows", "drastic")


def told(repair: Any = None, *, rows: int = 10_000, time: str = "2026-01-02", **more: Any) -> Card:
    """A card with a number of rows that is nearly certain."""
    repair = between(150, 390, 169) if repair is None else repair
    size = between(rows - 10, rows + 10, rows)
    return drawn_card(NAMES, rules=RULES, time=time, repair=repair, rows=size, **more)


def dirtier(repair: Any = None) -> Card:
    """A later card of a table with more to repair."""
    return told(between(550, 1190, 569) if repair is None else repair, time="2026-02-02")


def of(found: Comparison, name: str) -> Difference:
    return next(d for d in found.measures if d.name == name)


def test_worse_and_better_are_told_beyond_noise() -> None:
    found = compare(told(), dirtier())
    assert found.verdict is Verdict.WORSE
    assert found.decided_by == ("grade",)
    repair = of(found, "repair")
    assert (repair.change.estimate, repair.change.low, repair.change.high) == (400, 160, 1040)
    assert (repair.level, repair.verdict) == (0.9, Verdict.WORSE)
    assert of(found, "grade").level == 0.9
    back = compare(dirtier(), told())
    assert back.verdict is Verdict.BETTER
    assert any("A is newer than B" in warning for warning in back.warnings)


def test_a_value_is_compared_where_both_are_worth_showing() -> None:
    near, far = told(between(160, 180, 170)), told(between(0, 400, 170))
    assert of(compare(near, near), "repair").change.value == 0
    change = of(compare(near, far), "repair").change
    assert (change.value, change.estimate, change.low, change.high) == (None, 0, -180, 240)
    assert of(compare(near, far), "drastic").verdict is Verdict.CANNOT_TELL


def test_noise_is_no_change() -> None:
    found = compare(told(), dirtier(between(163, 434, 190)))
    assert found.verdict is Verdict.CANNOT_TELL
    assert found.decided_by == ("grade",)
    assert of(found, "repair").verdict is Verdict.CANNOT_TELL


def test_without_an_upper_bound_nothing_is_told() -> None:
    a, b = (drawn_card(problematic=between(low, low + 9)) for low in (40, 10**6))
    difference = of(compare(a, b), "problematic")
    assert difference.verdict is Verdict.CANNOT_TELL
    assert (difference.change.low, difference.change.high) == (None, None)
    assert "release `rows`" in (difference.reason or "")


def test_one_bound_is_enough_for_one_direction() -> None:
    a = drawn_card(problematic=between(5, 50), max_rows=50)
    b = drawn_card(problematic=between(500, 600))
    assert of(compare(a, b), "problematic").verdict is Verdict.WORSE


def test_counts_decide_where_there_is_no_grade() -> None:
    a = drawn_card(rules=RULES, repair=between(150, 390))
    found = compare(a, dirtier())
    assert found.decided_by == ("repair",)
    assert found.verdict is Verdict.WORSE


def test_stated_rows_cost_no_confidence() -> None:
    a, b = (
        drawn_card(["repair", "rows"], public_rows=200, repair=between(low, low + 6))
        for low in (0, 60)
    )
    found = compare(a, b)
    assert of(found, "grade").level == 0.9
    assert found.verdict is Verdict.WORSE


def test_rows_are_neither_good_nor_bad_and_a_change_is_said() -> None:
    found = compare(told(), told(rows=20_000))
    assert of(found, "rows").verdict is Verdict.NEITHER
    assert any("differ in size" in warning for warning in found.warnings)


def test_sure_on_both_sides_is_the_same() -> None:
    assert of(compare(told(), dirtier()), "drastic").verdict is Verdict.SAME


def test_different_kinds_of_repair_are_compared_by_the_smallest_repair() -> None:
    found = compare(told(between(142, 196, 169, kind="lower_bound")), dirtier())
    assert found.verdict is Verdict.WORSE
    assert of(found, "repair").verdict is Verdict.WORSE
    (warning,) = (w for w in found.warnings if "kinds" in w)
    assert "A lower_bound, B exact" in warning


def test_a_lower_bound_that_may_be_twice_as_large_is_not_worse() -> None:
    """A linear program of 300 says more than one of 169, and nothing of the smallest repairs."""
    a, b = (told(between(low, high, kind="lower_bound")) for low, high in ((142, 196), (273, 327)))
    assert of(compare(a, b), "repair").verdict is Verdict.CANNOT_TELL
    assert compare(a, b).verdict is Verdict.CANNOT_TELL


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"person": Person(rows=4)}, "at most 4 rows"),
        ({"person": Person(("patient",), 4)}, 'at most 4 rows of each person ("patient").'),
    ],
)
def test_cards_that_mean_different_things_are_refused(change: dict[str, Any], words: str) -> None:
    a, b = told(), replace(told(), **change)
    with pytest.raises(candling.UsageError, match="--anyway") as error:
        compare(a, b)
    assert error.value.code == "U401"
    assert words in str(error.value)
    assert words in compare(a, b, anyway=True).warnings[0]


def test_cards_under_different_rules_are_refused() -> None:
    a, b = (drawn_card(rules=rules, repair=between(1, 2)) for rules in (RULES, RULES[:2]))
    with pytest.raises(candling.UsageError, match="2 in common, 1 only in A, 0 only"):
        compare(a, b)


def test_labels_and_order_make_no_other_rules() -> None:
    rules = ("not(t1.Age < 0)", '"a: b": Zip -> City', "id: key(Id)")
    a, b = (drawn_card(rules=r, repair=between(1, 2)) for r in (RULES, rules))
    assert not [warning for warning in compare(a, b).warnings if "rules" in warning]


def receipt(**others: Any) -> Receipt:
    known: dict[str, Any] = {
        "ledger": "5f2c8a34", "sequence": 6, "head": "ee05", "time": "2026-01-02", "kind": "stored",
        "dataset": "visits", "people": "patients", "request_id": "2026-q1",
        "charged_units": 2 * UNITS, "limit_units": 5 * UNITS, "spent_units": 3 * UNITS,
    }  # fmt: skip
    return Receipt(**known | others)


def test_warnings() -> None:
    charged = replace(told(epsilon=Fraction(2)), receipt=receipt())
    again = replace(charged, receipt=receipt(repeated=True))
    assert "the same release" in compare(charged, again).warnings[0]
    other = replace(charged, receipt=receipt(request_id="2026-q2", sequence=8))
    assert "one release with epsilon 4" in compare(charged, other).warnings[0]


def test_rules_are_compared_one_by_one() -> None:
    a, b = (
        drawn_card(
            rules=RULES,
            repair=between(1, 5000, first.draw.value),
            by_rule=[first, between(100, 180), between(0, 0)],
        )
        for first in (between(6, 24, 12), between(400, 600, 500))
    )
    found = compare(a, b)
    assert [str(d.verdict) for d in found.by_rule] == ["worse", "cannot tell", "same"]
    assert found.to_dict()["by_rule"][0]["difference"] == {
        "value": None, "estimate": 488, "low": 376, "high": 594,
    }  # fmt: skip


NUMBERS = st.integers(0, 10**6)


@given(NUMBERS, NUMBERS, st.tuples(*[st.integers(0, 10**5)] * 4))
def test_a_verdict_is_true_where_the_intervals_hold(a: int, b: int, off: tuple[int, ...]) -> None:
    """If both true values are within their bounds, the difference is, and no verdict is wrong."""
    sides = [
        drawn_card(repair=between(true - down, true + up))
        for true, down, up in ((a, off[0], off[1]), (b, off[2], off[3]))
    ]
    difference = of(compare(*sides), "repair")
    assert difference.change.low is not None
    assert difference.change.high is not None
    assert difference.change.low <= b - a <= difference.change.high
    if difference.verdict is Verdict.WORSE:
        assert b > a
    if difference.verdict is Verdict.BETTER:
        assert b < a
