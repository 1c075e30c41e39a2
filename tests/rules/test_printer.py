"""What is printed parses back to the same thing."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings

from candling.rules import (
    Column,
    Constant,
    Constraint,
    Op,
    Predicate,
    parse_constraints,
)
from tests.effort import examples
from tests.rules.rules import strange_constraints


@settings(max_examples=examples(400))
@given(strange_constraints())
def test_round_trip(constraint: Constraint) -> None:
    text = str(constraint)
    assert "\n" not in text
    (back,) = parse_constraints(text)
    assert back.predicates == constraint.canonical.predicates
    assert back.label == constraint.label
    assert str(back) == text


@settings(max_examples=examples(200))
@given(strange_constraints())
def test_numbers_keep_their_value_and_kind(constraint: Constraint) -> None:
    (back,) = parse_constraints(str(constraint))

    def constants(c: Constraint) -> set[tuple[type, object]]:
        return {
            (type(p.right.value), p.right.value)
            for p in c.predicates
            if isinstance(p.right, Constant)
        }

    assert constants(back) == constants(constraint.canonical)


@pytest.mark.parametrize(
    ("rule", "printed"),
    [
        ("B,A->C", "A, B -> C"),
        ("key( B , A )", "key(A, B)"),
        ("A -> B where D>=5 and C='x'", "A -> B where C = 'x' and D >= 5"),
        ("key(A) where B < C", "key(A) where B < C"),
        ('my-label : "A" -> "b c"', 'my-label: A -> "b c"'),
        ('"my label": A -> B', '"my label": A -> B'),
        ("not(t1.C != t2.C)", "not(t1.C != t2.C)"),
        ("not(0 > t1.Age)", "Age >= 0"),
        ("not(x.Age < 0)", "Age >= 0"),
        ("not(t1.A = 1.50 and t1.B = 2.0)", "not(t1.A = 1.5 and t1.B = 2)"),
        ("not(t1.A = +1e3 and t1.B = .5)", "not(t1.A = 1000 and t1.B = 0.5)"),
        ("not(t1.A = TRUE)", "A != true"),
        ("not(t1.A > 2020-01-31T12:00)", "A <= 2020-01-31T12:00:00"),
        ("not(t1.A = 'O''Hara')", "A != 'O''Hara'"),
        ('A -> "where"', 'A -> "where"'),
        ("not(t1.A <= t2.A and t1.A >= t2.A and t1.B <> t2.B)", "A -> B"),
        ("not(t1.A <= t2.A and t1.A != t2.A and t1.B > t2.B)",
         "not(t1.A < t2.A and t1.B > t2.B)"),
        (r'U&"a\000Ab\\" -> B', r'U&"a\000Ab\\" -> B'),
        ('"a\u061cb" -> B', r'U&"a\061Cb" -> B'),
        ('"a\\b" -> B', '"a\\b" -> B'),
        ("not(t1.A = t2.A and t1.B = 1)", "not(t1.A = t2.A and t1.B = 1)"),
    ],
)  # fmt: skip
def test_printed(rule: str, printed: str) -> None:
    (constraint,) = parse_constraints(rule)
    assert str(constraint) == printed


def test_a_set_prints_one_rule_a_line() -> None:
    assert str(parse_constraints("zip: Zip -> City, State\nkey(A)")) == (
        "zip.City: Zip -> City\nzip.State: Zip -> State\nkey(A)"
    )


def test_long_numbers_keep_every_digit() -> None:
    digits = Decimal("0." + "123456789" * 6)
    rule = Constraint((Predicate(Column(1, "A"), Op.EQ, Constant(digits)),))
    (back,) = parse_constraints(str(rule))
    assert back == rule
