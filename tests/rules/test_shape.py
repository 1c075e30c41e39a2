"""Kinds of rules, and the rules of the five datasets of the paper."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from candling.rules import (
    Column,
    Constant,
    Constraint,
    Kind,
    Op,
    Predicate,
    Shape,
    parse_constraints,
)
from tests.effort import examples
from tests.rules.rules import strange_constraints

UK = Predicate(Column(1, "C"), Op.EQ, Constant("UK"))


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("B, A -> C", Shape(Kind.FD, ("A", "B"), "C")),
        ("not(t1.C != t2.C)", Shape(Kind.FD, (), "C")),
        ("not(t1.A = t2.A and t1.C < t2.C)", Shape(Kind.FD, ("A",), "C")),
        ("A -> B where C = 'UK'", Shape(Kind.FD, ("A",), "B", where=(UK,))),
        ("key(B, A)", Shape(Kind.KEY, ("A", "B"))),
        ("key(A) where C = 'UK'", Shape(Kind.KEY, ("A",), where=(UK,))),
        ("not(t1.A < t2.A and t1.B < t2.B)", Shape(Kind.ORDER, order=(("A", Op.LT), ("B", Op.LT)))),
        ("not(t1.B >= t2.B and t1.A < t2.A and t1.E = t2.E)",
         Shape(Kind.ORDER, ("E",), order=(("A", Op.LT), ("B", Op.GE)))),
        ("not(t1.A < t2.A and t1.B < t2.B and t1.C = 'UK' and t2.C = 'UK')",
         Shape(Kind.ORDER, order=(("A", Op.LT), ("B", Op.LT)), where=(UK,))),
        ("not(t1.A < 0)", Shape(Kind.ROW)),
        ("not(t1.A < t1.B)", Shape(Kind.ROW)),
        ("not(t1.A = t2.A and t1.C = 'UK')", Shape(Kind.GENERAL, ("A",))),
        (
            "not(t1.A = t2.A and t1.B != t2.B and t1.C != t2.C)",
            Shape(Kind.GENERAL, ("A",), differing=("B", "C")),
        ),
        ("not(t1.A = t2.A and t1.B = t2.C)", Shape(Kind.GENERAL, ("A",))),
        ("not(t1.A <= t2.A)", Shape(Kind.GENERAL)),
        ("not(t1.A < t2.A and t1.A > t2.A)", Shape(Kind.GENERAL)),
        ("not(t1.A < t2.A and t1.B < t2.C)", Shape(Kind.GENERAL)),
        ("not(t1.A < t2.A and t1.B < t2.B and t1.E < t2.E)", Shape(Kind.GENERAL)),
        ("not(t1.A = 1 and t2.B = 2)", Shape(Kind.GENERAL)),
        ("not(t1.C = 'UK' and t2.C = 'UK')", Shape(Kind.GENERAL, where=(UK,))),
        ("not(t1.A = t2.B and t1.C = 'UK' and t2.C = 'UK')", Shape(Kind.GENERAL, where=(UK,))),
    ],
)  # fmt: skip
def test_shape(rule: str, expected: Shape) -> None:
    (constraint,) = parse_constraints(rule)
    assert constraint.shape == expected


@settings(max_examples=examples(300))
@given(strange_constraints())
def test_a_shape_says_all_of_a_rule(constraint: Constraint) -> None:
    form = constraint.shape
    assert form == (constraint.canonical).shape
    assert form.equal == tuple(sorted(form.equal))
    if form.kind in {Kind.ROW, Kind.GENERAL}:
        return
    pairs: list[tuple[str, Op]] = [(name, Op.EQ) for name in form.equal]
    pairs += [] if form.differ is None else [(form.differ, Op.NE)]
    pairs += form.order
    rebuilt = [Predicate(Column(1, name), op, Column(2, name)) for name, op in pairs]
    for row in (1, 2):
        rebuilt += [on_row(p, row) for p in form.where]
    assert Constraint(tuple(rebuilt)).canonical == constraint.canonical


def on_row(predicate: Predicate, row: Any) -> Predicate:
    right = predicate.right
    return Predicate(
        Column(row, predicate.left.name),
        predicate.op,
        Column(row, right.name) if isinstance(right, Column) else right,
    )


# The rules of the paper's datasets as published, and how they read here.
PUBLISHED = {
    "Adult": """\
not(t1.EduNum!=t2.EduNum&t1.Education=t2.Education)
not(t1.EduNum=t2.EduNum&t1.Education!=t2.Education)
not(t1.Gain<t2.Gain&t1.Loss<t2.Loss)""",
    "Flight": """\
not(t1.DAY_OF_WEEK!=t2.DAY_OF_WEEK&t1.FL_DATE=t2.FL_DATE)
not(t1.ORIGIN_AIRPORT_ID=t2.ORIGIN_AIRPORT_ID&t1.ORIGIN!=t2.ORIGIN)
not(t1.ORIGIN_AIRPORT_ID!=t2.ORIGIN_AIRPORT_ID&t1.ORIGIN=t2.ORIGIN)
not(t1.ORIGIN=t2.ORIGIN&t1.ORIGIN_CITY_NAME!=t2.ORIGIN_CITY_NAME)
not(t1.ORIGIN=t2.ORIGIN&t1.ORIGIN_STATE_ABR!=t2.ORIGIN_STATE_ABR)
not(t1.ORIGIN=t2.ORIGIN&t1.ORIGIN_STATE_NM!=t2.ORIGIN_STATE_NM)
not(t1.DEST!=t2.DEST&t1.DEST_AIRPORT_ID=t2.DEST_AIRPORT_ID)
not(t1.DEST=t2.DEST&t1.DEST_AIRPORT_ID!=t2.DEST_AIRPORT_ID)
not(t1.DEST=t2.DEST&t1.DEST_CITY_NAME!=t2.DEST_CITY_NAME)
not(t1.DEST=t2.DEST&t1.DEST_STATE_ABR!=t2.DEST_STATE_ABR)
not(t1.DEST=t2.DEST&t1.DEST_STATE_NM!=t2.DEST_STATE_NM)
not(t1.DEST_STATE_ABR!=t2.DEST_STATE_ABR&t1.DEST_STATE_NM=t2.DEST_STATE_NM)
not(t1.DEST=t2.DEST&t1.ORIGIN=t2.ORIGIN&t1.DISTANCE!=t2.DISTANCE)""",
    "Hospital": """\
not(t1.City!=t2.City&t1.ZipCode=t2.ZipCode)
not(t1.State!=t2.State&t1.ZipCode=t2.ZipCode)
not(t1.ZipCode!=t2.ZipCode&t1.PhoneNumber=t2.PhoneNumber)
not(t1.MeasureCode=t2.MeasureCode&t1.MeasureName!=t2.MeasureName)
not(t1.MeasureCode!=t2.MeasureCode&t1.MeasureName=t2.MeasureName)
not(t1.State=t2.State&t1.MeasureCode=t2.MeasureCode&t1.Stateavg!=t2.Stateavg)
not(t1.ProviderNumber=t2.ProviderNumber&t1.PhoneNumber!=t2.PhoneNumber)""",
    "Stock": "not(t1.Date=t2.Date&t1.Ticker=t2.Ticker)",
    "Tax": """\
not(t1.AreaCode=t2.AreaCode&t1.Phone=t2.Phone)
not(t1.City!=t2.City&t1.Zip=t2.Zip)
not(t1.AreaCode=t2.AreaCode&t1.State!=t2.State)
not(t1.State!=t2.State&t1.Zip=t2.Zip)
not(t1.State=t2.State&t1.HasChild=t2.HasChild&t1.ChildExemp!=t2.ChildExemp)
not(t1.State=t2.State&t1.MaritalStatus=t2.MaritalStatus&t1.SingleExemp!=t2.SingleExemp)
not(t1.State=t2.State&t1.Salary=t2.Salary&t1.Rate!=t2.Rate)
not(t1.State=t2.State&t1.Salary>t2.Salary&t1.Rate<t2.Rate)
not(t1.State=t2.State&t1.Salary<t2.Salary&t1.Rate>t2.Rate)""",
}
OURS = {
    "Adult": """\
# education
Education -> EduNum
EduNum -> Education
not(t1.Gain < t2.Gain and t1.Loss < t2.Loss)
""",
    "Flight": """\
FL_DATE -> DAY_OF_WEEK
ORIGIN_AIRPORT_ID -> ORIGIN
ORIGIN -> ORIGIN_AIRPORT_ID, ORIGIN_CITY_NAME, ORIGIN_STATE_ABR, ORIGIN_STATE_NM
DEST_AIRPORT_ID -> DEST
DEST -> DEST_AIRPORT_ID, DEST_CITY_NAME, DEST_STATE_ABR, DEST_STATE_NM
DEST_STATE_NM -> DEST_STATE_ABR
DEST, ORIGIN -> DISTANCE
""",
    "Hospital": """\
ZipCode -> City, State
PhoneNumber -> ZipCode
MeasureCode -> MeasureName
MeasureName -> MeasureCode
State, MeasureCode -> Stateavg
ProviderNumber -> PhoneNumber
""",
    "Stock": "key(Date, Ticker)",
    "Tax": """\
key(AreaCode, Phone)
Zip -> City
AreaCode -> State
Zip -> State
State, HasChild -> ChildExemp
State, MaritalStatus -> SingleExemp
State, Salary -> Rate
not(t1.State = t2.State and t1.Salary > t2.Salary and t1.Rate < t2.Rate)
not(t1.State = t2.State and t1.Salary < t2.Salary and t1.Rate > t2.Rate)
""",
}
KINDS = {
    "Adult": {Kind.FD: 2, Kind.ORDER: 1},
    "Flight": {Kind.FD: 13},
    "Hospital": {Kind.FD: 7},
    "Stock": {Kind.KEY: 1},
    "Tax": {Kind.KEY: 1, Kind.FD: 6, Kind.ORDER: 2},
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_rules(name: str) -> None:
    published = [c.canonical for c in parse_constraints(PUBLISHED[name])]
    assert published == [c.canonical for c in parse_constraints(OURS[name])]
    kinds = [c.shape.kind for c in published]
    assert {kind: kinds.count(kind) for kind in kinds} == KINDS[name]
