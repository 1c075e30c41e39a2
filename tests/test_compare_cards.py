"""Two cards: what is called a change, and what is not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import candling
from candling.compare_cards import Comparison, compare
from candling.model.results import Difference, Verdict
from tests.render.cards import (
    RULES,
    about,
    card,
    charged,
    full,
    grade,
    one,
    person,
    receipt,
    row,
    stated,
)


def compared(a: dict[str, Any], b: dict[str, Any], **options: bool) -> Comparison:
    return compare(card(a), card(b), **options)


def of(found: Comparison, name: str) -> Difference:
    return next(d for d in found.measures if d.name == name)


def dirtier(clean: dict[str, Any], **change: Any) -> dict[str, Any]:
    """The card of a table with more to repair."""
    worse = {"value": 569, "low": 542, "high": 1192} | change
    return clean | {
        "repair": clean["repair"] | worse,
        "grade": grade(*(1 - worse[end] / 10011 for end in ("value", "high", "low"))),
        "about": about(time="2026-02-02T03:04:05Z"),
    }


def test_worse_and_better_are_told_beyond_noise() -> None:
    found = compared(full(), dirtier(full()))
    assert found.verdict is Verdict.WORSE
    assert found.decided_by == ("grade",)
    repair = of(found, "repair")
    assert (repair.change.value, repair.change.low, repair.change.high) == (400, 150, 1050)
    assert (repair.level, repair.verdict) == (0.9, Verdict.WORSE)
    assert of(found, "grade").level == 0.9
    back = compared(dirtier(full()), full())
    assert back.verdict is Verdict.BETTER
    assert any("A is newer than B" in warning for warning in back.warnings)


def test_noise_is_no_change() -> None:
    found = compared(full(), dirtier(full(), value=190, low=163, high=434))
    assert found.verdict is Verdict.CANNOT_TELL
    assert found.decided_by == ("grade",)
    assert of(found, "repair").verdict is Verdict.CANNOT_TELL


def test_without_an_upper_bound_nothing_is_told() -> None:
    a, b = one(), one()
    b["problematic"] = b["problematic"] | {"value": 10**6, "low": 10**6 - 1}
    difference = of(compared(a, b), "problematic")
    assert difference.verdict is Verdict.CANNOT_TELL
    assert (difference.change.low, difference.change.high) == (None, None)
    assert "release `rows`" in (difference.reason or "")


def test_one_bound_is_enough_for_one_direction() -> None:
    a = full()
    a["problematic"] = a["problematic"] | {"value": 10, "low": 5, "high": 50}
    b = full() | {"problematic": full()["problematic"] | {"high": None}}
    assert of(compared(a, b), "problematic").verdict is Verdict.WORSE


def test_counts_decide_where_there_is_no_grade() -> None:
    a, b = full(), dirtier(full())
    del a["rows"]
    a["grade"] = one()["grade"]
    found = compared(a, b)
    assert found.decided_by == ("repair",)
    assert found.verdict is Verdict.WORSE


def test_stated_rows_cost_no_confidence() -> None:
    b = stated() | {"grade": grade(0.7, 0.685, 0.715)}
    found = compared(stated(), b)
    assert of(found, "grade").level == 0.9
    assert found.verdict is Verdict.WORSE


def test_rows_are_neither_good_nor_bad_and_a_change_is_said() -> None:
    b = full()
    b["rows"] = b["rows"] | {"value": 20011, "low": 19984, "high": 20038}
    found = compared(full(), b)
    assert of(found, "rows").verdict is Verdict.NEITHER
    assert any("differ in size" in warning for warning in found.warnings)


def test_sure_on_both_sides_is_the_same() -> None:
    assert of(compared(full(), dirtier(full())), "drastic").verdict is Verdict.SAME


def test_different_kinds_of_repair_are_compared_by_the_smallest_repair() -> None:
    found = compared(full(), dirtier(full(), kind="exact", high=596))
    assert found.verdict is Verdict.WORSE
    assert of(found, "repair").verdict is Verdict.WORSE
    (warning,) = (w for w in found.warnings if "kinds" in w)
    assert "A lower_bound, B exact" in warning


def test_a_lower_bound_that_may_be_twice_as_large_is_not_worse() -> None:
    """A linear program of 300 says more than one of 169, and nothing of the smallest repairs."""
    found = compared(full(), dirtier(full(), value=300, low=273, high=654))
    assert found.verdict is Verdict.CANNOT_TELL
    assert of(found, "repair").verdict is Verdict.CANNOT_TELL


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"about": about(rules=RULES[:2])}, "different rules (2 in common, 1 only in A, 0 only"),
        ({"person": row(4)}, "A: each row is its own person. B: each has at most 4 rows."),
        ({"person": person()}, 'A: all rows. B: at most 4 rows of each person ("patient").'),
    ],
)
def test_cards_that_mean_different_things_are_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(candling.UsageError, match="--anyway") as error:
        compared(full(), full() | change)
    assert error.value.code == "U401"
    assert words in str(error.value)
    assert words in compared(full(), full() | change, anyway=True).warnings[0]


def test_labels_and_order_make_no_other_rules() -> None:
    rules = ["not(t1.Age < 0)", '"a: b": Zip -> City', "id: key(Id)"]
    assert not [
        w for w in compared(full(), full() | {"about": about(rules=rules)}).warnings if "rules" in w
    ]


def test_warnings() -> None:
    again = charged() | {"receipt": receipt(repeated=True)}
    assert "the same release" in compared(charged(), again).warnings[0]
    other = charged() | {"receipt": receipt(request_id="2026-q2", sequence=8)}
    assert "one release with epsilon 4" in compared(charged(), other).warnings[0]


def test_rules_are_compared_one_by_one() -> None:
    b = charged() | {"receipt": receipt(request_id="2026-q2")}
    b["by_rule"][0] |= {"value": 500, "low": 400, "high": 600}
    found = compared(charged(), b)
    assert [str(d.verdict) for d in found.by_rule] == ["worse", "cannot tell", "same"]
    assert found.to_dict()["by_rule"][0]["difference"] == {"value": 488, "low": 376, "high": 594}


NUMBERS = st.integers(0, 10**6)


@given(NUMBERS, NUMBERS, st.tuples(*[st.integers(0, 10**5)] * 4))
def test_a_verdict_is_true_where_the_intervals_hold(a: int, b: int, off: tuple[int, ...]) -> None:
    """If both true values are within their bounds, the difference is, and no verdict is wrong."""
    sides = []
    for true, down, up in ((a, off[0], off[1]), (b, off[2], off[3])):
        side = one()
        side["problematic"] |= {"value": true, "low": true - down, "high": true + up}
        sides.append(side)
    difference = of(compared(*sides), "problematic")
    assert difference.change.low is not None
    assert difference.change.high is not None
    assert difference.change.low <= b - a <= difference.change.high
    if difference.verdict is Verdict.WORSE:
        assert b > a
    if difference.verdict is Verdict.BETTER:
        assert b < a
