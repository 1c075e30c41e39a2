"""Rules against a schema: every problem at once, before any row is read."""

from __future__ import annotations

from itertools import product

import pytest

from candling.errors import ConstraintError
from candling.rules import (
    Column,
    ColumnType,
    Constant,
    Constraint,
    ConstraintSet,
    Op,
    Predicate,
    check_schema,
    parse_constraints,
)

SCHEMA = {
    "Zip": ColumnType.STRING,
    "City": ColumnType.STRING,
    "Age": ColumnType.NUMBER,
    "Admitted": ColumnType.DATE,
    "Seen": ColumnType.TIMESTAMP,
    "Alive": ColumnType.BOOLEAN,
    "Woken": ColumnType.TIME,
    "Scan": ColumnType.BINARY,
    "Tags": ColumnType.OTHER,
}


def complaints(rules: str) -> str:
    with pytest.raises(ConstraintError) as error:
        check_schema(parse_constraints(rules), SCHEMA)
    return str(error.value)


@pytest.mark.parametrize(
    "rule",
    [
        "Zip -> City, Age, Alive, Woken, Scan",
        "not(t1.Admitted < t1.Seen)",
        "not(t1.Seen > 2020-01-31 and t1.Admitted < 2020-01-31T12:00:00)",
        "not(t1.Alive < t2.Alive and t1.Alive = true)",
        "not(t1.Age > 1.5 and t1.Zip < 'x')",
    ],
)
def test_fits(rule: str) -> None:
    check_schema(parse_constraints(rule), SCHEMA)


def test_which_types_compare() -> None:
    moments = {ColumnType.DATE, ColumnType.TIMESTAMP}
    rule = parse_constraints("not(t1.A < t1.B)")
    for one, two in product(ColumnType, repeat=2):
        fits = (one is two and one is not ColumnType.OTHER) or {one, two} <= moments
        if fits:
            check_schema(rule, {"A": one, "B": two})
        else:
            with pytest.raises(ConstraintError):
                check_schema(rule, {"A": one, "B": two})


def test_all_problems_at_once() -> None:
    rules = """\
zip -> Citi, Wards
not(t1.Age = t2.Zip and t1.Tags != t2.Tags)
not(t1.Age < '42' and t1.Admitted > '2020-01-31')
not(t1.Zip = 10115 and t1.Alive = 'True' and t1.Woken < 'noon')
Zip -> City where City = "Ulm"
"""
    assert (
        complaints(rules)
        == """\
rules:1:1: R201 the table has no column `zip`
    zip -> Citi, Wards
    ^
    help: upper and lower case differ: did you mean `Zip`?
rules:1:8: R201 the table has no column `Citi`
    zip -> Citi, Wards
           ^
    help: did you mean `City`?
rules:1:14: R201 the table has no column `Wards`
    zip -> Citi, Wards
                 ^
    help: the columns are `Zip`, `City`, `Age`, `Admitted`, `Seen`, `Alive` and 3 more
rules:2:17: R202 cannot compare `Age` (number) with `Zip` (string)
    not(t1.Age = t2.Zip and t1.Tags != t2.Tags)
                    ^
    help: state the type of the text: `type Zip: number`
rules:2:28: R204 column `Tags` has a type that no rule can compare
    not(t1.Age = t2.Zip and t1.Tags != t2.Tags)
                               ^
    help: rules compare numbers, strings, booleans, dates, timestamps, times and bytes
rules:2:39: R204 column `Tags` has a type that no rule can compare
    not(t1.Age = t2.Zip and t1.Tags != t2.Tags)
                                          ^
    help: rules compare numbers, strings, booleans, dates, timestamps, times and bytes
rules:3:14: R203 cannot compare `Age` (number) with the string '42'
    not(t1.Age < '42' and t1.Admitted > '2020-01-31')
                 ^
    help: a number takes no quotes: 42
rules:3:37: R203 cannot compare `Admitted` (date) with the string '2020-01-31'
    not(t1.Age < '42' and t1.Admitted > '2020-01-31')
                                        ^
    help: a date takes no quotes: 2020-01-31
rules:4:14: R203 cannot compare `Zip` (string) with the number 10115
    not(t1.Zip = 10115 and t1.Alive = 'True' and t1.Woken < 'noon')
                 ^
    help: a string takes single quotes: '10115'
rules:4:35: R203 cannot compare `Alive` (boolean) with the string 'True'
    not(t1.Zip = 10115 and t1.Alive = 'True' and t1.Woken < 'noon')
                                      ^
    help: a boolean takes no quotes: true
rules:4:57: R203 cannot compare `Woken` (time) with the string 'noon'
    not(t1.Zip = 10115 and t1.Alive = 'True' and t1.Woken < 'noon')
                                                            ^
    help: no constant of type time can be written: compare it with another column
rules:5:26: R201 the table has no column `Ulm`
    Zip -> City where City = "Ulm"
                             ^
    help: a string takes single quotes: 'Ulm'"""
    )


@pytest.mark.parametrize(
    ("rule", "hint"),
    [
        ("not(t1.Age = 'old')", "a number takes no quotes, such as 42"),
        ("not(t1.Age = ' 1e3 ')", "a number takes no quotes: 1e3"),
        ("not(t1.Age = true)", "a number takes no quotes, such as 42"),
        ("not(t1.Admitted = 'today')", "a date takes no quotes, such as 2020-01-31"),
        ("not(t1.Seen = '2020-01-31 12:00')", "a timestamp takes no quotes: 2020-01-31T12:00:00"),
        ("not(t1.Seen = 5)", "a timestamp takes no quotes, such as 2020-01-31T12:00:00"),
        ("not(t1.Alive = 0)", "a boolean takes no quotes: false"),
        ("not(t1.Alive = 'yes')", "a boolean takes no quotes, such as true"),
        ("not(t1.City = 2020-01-31)", "a string takes single quotes: '2020-01-31'"),
    ],
)
def test_how_to_write_a_constant(rule: str, hint: str) -> None:
    assert complaints(rule).endswith(f"    help: {hint}")


def test_numbers_stored_as_text_are_not_to_be_compared_as_text() -> None:
    told = complaints("not(t1.City > 100)")
    assert "help: the column holds text, in which '9' comes after '100'" in told
    assert "quotes" not in told


def test_a_rule_made_in_code_is_printed() -> None:
    rule = Constraint((Predicate(Column(1, "Agee"), Op.LT, Constant(0)),))
    with pytest.raises(ConstraintError) as error:
        check_schema(ConstraintSet((rule,)), SCHEMA)
    assert str(error.value) == (
        "rules: R201 the table has no column `Agee`\n    Agee >= 0\n    help: did you mean `Age`?"
    )
