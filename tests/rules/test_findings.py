"""Repeats, mirror images and rules that never fire."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import pytest
from hypothesis import given, settings

from candling.rules import (
    Constraint,
    ConstraintSet,
    Finding,
    Rules,
    compile_rules,
    findings,
    never_fires,
    parse_constraints,
)
from tests.effort import examples
from tests.oracle import violates_pair, violates_row
from tests.rules.rules import all_rows, small_constraints


def fires(constraint: Constraint, names: str, domain: tuple[Any, ...]) -> bool:
    rows = all_rows(names, domain)
    if constraint.rows == 1:
        return any(violates_row(constraint, row) for row in rows)
    return any(violates_pair(constraint, a, b) for a, b in combinations_with_replacement(rows, 2))


@settings(max_examples=examples(200))
@given(small_constraints("AB", (0, 1, 2)))
def test_sound_on_pairs(constraint: Constraint) -> None:
    if never_fires(constraint):
        assert not fires(constraint, "AB", (None, -1, 0, 0.5, 1, 2, 3))


@settings(max_examples=examples(300))
@given(small_constraints("ABC", (0, 5), rows=(1,)))
def test_exact_on_rows(constraint: Constraint) -> None:
    room_for_three = (None, *range(-3, 9))  # distinct values below, between and above
    assert never_fires(constraint) is not fires(constraint, "ABC", room_for_three)


@settings(max_examples=examples(200))
@given(small_constraints("AB", (False, True)))
def test_sound_on_booleans(constraint: Constraint) -> None:
    if never_fires(constraint):
        assert not fires(constraint, "AB", (None, False, True))


@settings(max_examples=examples(200))
@given(small_constraints("AB", ("", "a"), rows=(1,)))
def test_sound_on_strings(constraint: Constraint) -> None:
    if never_fires(constraint):
        assert not fires(constraint, "AB", (None, "", "0", "1", "a", "b", "c"))


@pytest.mark.parametrize(
    "rule",
    [
        "A, B -> A",
        "not(t1.A < t1.A)",
        "not(t1.A != t1.A)",
        "not(t1.A = 1 and t1.A = 2)",
        "not(t1.A = 1 and 1.0 != t1.A)",
        "not(t1.A < 3 and t1.A > 5)",
        "not(t1.A < t2.A and t2.A < t1.A)",
        "not(t1.A <= t1.B and t1.B <= t1.C and t1.C < t1.A)",
        "not(t1.A <= t2.B and t2.B <= t1.A and t1.A != t2.B)",
        "not(t1.A = t2.A and t1.A = 'x' and t2.A = 'y')",
        "not(t1.D < 2020-01-01 and t1.D > 2020-06-01)",
        "not(t1.D = 2020-01-01 and t1.D > 2020-01-01T00:00:00)",
        "not(t1.A = true and t1.A = false)",
        "not(t1.A != true and t1.A != false)",
        "not(t1.A > true)",
        "not(t1.A < '')",
    ],
)
def test_never(rule: str) -> None:
    constraints = parse_constraints(rule)
    assert never_fires(constraints.constraints[0])
    assert compile_rules(constraints) == Rules(())
    (finding,) = findings(constraints)
    assert (finding.code, finding.line, finding.other_line) == ("R303", 1, None)


@pytest.mark.parametrize(
    "rule",
    [
        "A -> B",
        "key(A)",
        "not(t1.A = t1.A)",
        "not(t1.A > 3 and t1.A < 4)",
        "not(t1.A >= 3 and t1.A <= 3)",
        "not(t1.A = 1 and t1.B = 'x')",
        "not(t1.A = 1 and t1.B = 'x' and t1.A >= t1.B)",
        "not(t1.A = true)",
        "not(t1.A <= '')",
        "not(t1.D = 2020-01-01 and t1.D = 2020-01-01T00:00:00)",
        "not(t1.A < t2.A and t2.B < t1.B)",
    ],
)
def test_may_fire(rule: str) -> None:
    assert not never_fires(parse_constraints(rule).constraints[0])


RULES = """\
pay: not(t1.State = t2.State and t1.Pay > t2.Pay and t1.Tax < t2.Tax)
not(t1.State = t2.State and t1.Pay < t2.Pay and t1.Tax > t2.Tax)
Zip -> City
fd: not(t1.City != t2.City & t1.Zip = t2.Zip)
not(t1.Zip = t2.Zip and t1.City < t2.City)
pay: not(t1.B = 'x' and t1.A < t1.B and t1.B < t1.C and t1.C < t1.A)
not(t1.A < 3 and t1.A > 5)
not(t1.A < t1.A)
A -> B, A
"""


def test_findings() -> None:
    assert findings(parse_constraints(RULES)) == (
        Finding("R302", "is the mirror image of line 1: both forbid the same pairs of rows", 2, 1),
        Finding("R301", "repeats line 3: both forbid the same rows", 4, 3),
        Finding("R301", "repeats line 3: both forbid the same rows", 5, 3),
        Finding("R303", "can never fire: t1.A < t1.B and t1.B < t1.C and t1.C < t1.A "
                "cannot all hold", 6),
        Finding("R304", "has the label `pay` of line 1", 6, 1),
        Finding("R303", "can never fire: t1.A < 3 and t1.A > 5 cannot both hold", 7),
        Finding("R303", "can never fire: t1.A < t1.A cannot hold", 8),
        Finding("R303", "can never fire: t1.A = t2.A and t1.A != t2.A cannot both hold", 9),
    )  # fmt: skip


def test_distinct_keeps_order_and_first_labels() -> None:
    kept = compile_rules(parse_constraints(RULES))
    assert [str(c) for c in kept] == [
        "pay: not(t1.State = t2.State and t1.Pay < t2.Pay and t1.Tax > t2.Tax)",
        "Zip -> City",
        "A -> B",
    ]
    assert [c.line for c in kept] == [1, 3, 9]
    assert compile_rules(kept) == kept
    assert findings(ConstraintSet(tuple(kept))) == ()


@pytest.mark.parametrize(
    ("rule", "odd"),
    [
        ("not(t1.a = '')", True),
        ("not('' >= t1.a)", True),
        ("a -> b where c = ''", True),
        ("not(t1.a != '')", False),
        ("not(t1.a = ' ')", False),
    ],
)
def test_an_empty_string_sees_no_missing_value(rule: str, odd: bool) -> None:
    codes = {finding.code for finding in findings(parse_constraints(rule))}
    assert ("R305" in codes) == odd
