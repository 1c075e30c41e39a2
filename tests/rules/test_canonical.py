"""The canonical form forbids what the rule forbids, and is one form for all ways of saying it."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candling.rules import (
    Column,
    Constant,
    Constraint,
    Op,
    Predicate,
    parse_constraints,
)
from candling.rules.canonical import canonical
from tests.effort import examples
from tests.oracle import violates_pair, violates_row
from tests.rules.rules import all_rows, small_constraints, strange_constraints

TABLE = all_rows("AB", (None, 0, 1, 2))


def forbidden(constraint: Constraint) -> set[tuple[int, int]]:
    """Every row and every unordered pair (also of equal rows) that the rule forbids."""
    single = {(i, -1) for i, row in enumerate(TABLE) if violates_row(constraint, row)}
    return single | {
        (i, j)
        for i, a in enumerate(TABLE)
        for j, b in enumerate(TABLE[: i + 1])
        if violates_pair(constraint, a, b)
    }


def mirrored(predicate: Predicate) -> Predicate:
    def other(column: Column) -> Column:
        return replace(column, row=2 if column.row == 1 else 1)

    right = predicate.right
    return Predicate(
        other(predicate.left),
        predicate.op,
        other(right) if isinstance(right, Column) else right,
    )


def flipped(predicate: Predicate) -> Predicate:
    if isinstance(predicate.right, Constant):
        return predicate
    return Predicate(predicate.right, predicate.op.flipped, predicate.left)


@settings(max_examples=examples(300))
@given(small_constraints())
def test_it_forbids_the_same(constraint: Constraint) -> None:
    assert forbidden(constraint.canonical) == forbidden(constraint)


@settings(max_examples=examples(200))
@given(small_constraints("AB", (0, 1)), small_constraints("AB", (0, 1)))
def test_equal_forms_forbid_the_same(one: Constraint, two: Constraint) -> None:
    if one.canonical == two.canonical:
        assert forbidden(one) == forbidden(two)


@settings(max_examples=examples(300))
@given(strange_constraints() | small_constraints(), st.data())
def test_every_way_of_writing_a_rule_has_one_form(
    constraint: Constraint, data: st.DataObject
) -> None:
    form = constraint.canonical
    assert canonical(form) == form
    predicates = [
        flipped(p) if data.draw(st.booleans()) else p
        for p in data.draw(st.permutations(constraint.predicates))
    ]
    predicates.append(data.draw(st.sampled_from(predicates)))
    again = Constraint(tuple(predicates))
    assert again.canonical == form
    assert Constraint(tuple(map(mirrored, predicates))).canonical == form


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (
            "not(t1.State=t2.State and t1.Salary>t2.Salary and t1.Rate<t2.Rate)",
            "not(t1.State=t2.State and t1.Salary<t2.Salary and t1.Rate>t2.Rate)",
        ),
        ("not(t1.A = t2.A and t1.B < t2.B)", "A -> B"),
        ("not(t1.B > t2.B)", "not(t1.B != t2.B)"),
        ("not(t1.A = t2.A and t1.B < t2.B and t1.C = 1 and t2.C = 1)", "A -> B where C = 1"),
        ("not(t1.A = t2.B and t1.B = t2.A and t1.C < t2.C)",
         "not(t1.A = t2.B and t1.B = t2.A and t1.C != t2.C)"),
        ("not(t1.A = 1.0)", "not(t1.A = 1)"),
        ("not(t1.A < t2.B)", "not(t1.B > t2.A)"),
        ("not(t1.A <= t2.A)", "not(t1.A >= t2.A)"),
        ("key(A, A)", "key(A)"),
    ],
)  # fmt: skip
def test_same(one: str, two: str) -> None:
    (first,), (second,) = parse_constraints(one), parse_constraints(two)
    assert first.canonical == second.canonical


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("not(t1.A = t2.A and t1.B < t2.B and t1.C = 1)",
         "not(t1.A = t2.A and t1.B != t2.B and t1.C = 1)"),
        ("not(t1.A = t2.B and t1.B < t2.B)", "not(t1.A = t2.B and t1.B != t2.B)"),
        ("not(t1.A = true)", "not(t1.A = 1)"),
        ("not(t1.A = 'x')", "not(t1.A = t1.x)"),
        ("not(t1.A <= t2.A)", "key(A)"),
        ("not(t1.A < t2.A and t1.B < t2.B)", "not(t1.A < t2.A and t1.B > t2.B)"),
    ],
)  # fmt: skip
def test_different(one: str, two: str) -> None:
    (first,), (second,) = parse_constraints(one), parse_constraints(two)
    assert first.canonical != second.canonical


def test_label_line_and_text_are_kept() -> None:
    (rule,) = parse_constraints("\nname: not(t2.B != t1.B and t2.A = t1.A)")
    form = rule.canonical
    assert (form.label, form.line, form.text) == (rule.label, rule.line, rule.text)
    assert {c.at for p in form.predicates for c in p.columns} == {
        c.at for p in rule.predicates for c in p.columns
    }


def test_numbers_are_never_rounded() -> None:
    long = Decimal("1." + "0" * 40 + "1")
    rules = [Constraint((Predicate(Column(1, "A"), Op.EQ, Constant(v)),)) for v in (1, long)]
    assert rules[0].canonical != rules[1].canonical


def test_impossible_values_are_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        Constant(Decimal("NaN"))
    with pytest.raises(ValueError, match="at least one predicate"):
        Constraint(())
