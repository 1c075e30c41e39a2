"""Rules about single rows: read, printed, brought into one form, checked against a schema."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candling.errors import ConstraintError
from candling.rules import (
    ColumnType,
    Constraint,
    ConstraintSet,
    check_schema,
    compile_rules,
    findings,
    load_constraints,
    parse_constraints,
)
from candling.rules.conditions import Condition, Not, normal, opposite, predicates_of
from candling.rules.printer import condition_text
from tests.effort import examples
from tests.oracle import truth, violates_row
from tests.strategies import _pools, _rows, column_types, conditions

DIALECTS = Path(__file__).parent / "dialects"


def rule(text: str) -> Constraint:
    (constraint,) = parse_constraints(text)
    return constraint


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("Score is not null", "Score is not null"),
        ("score IS NOT NULL", "score is not null"),
        ("Score is null", "Score is null"),
        ("Age between 0 and 120", "Age between 0 and 120"),
        ("Age >= 0 and Age <= 120", "Age between 0 and 120"),
        ("not (Age < 0 or Age > 120)", "Age between 0 and 120"),
        ("Age not between 3 and 5", "not(t1.Age <= 5 and t1.Age >= 3)"),
        ("State in ('NY', 'MD', 'NY')", "State in ('MD', 'NY')"),
        ("State in ('NY')", "State = 'NY'"),
        ("State not in ('NY')", "State != 'NY'"),
        ("not(t1.State != 'NY' and t1.State != 'MD')", "State in ('MD', 'NY')"),
        ("N in (1, 1.0, 2.50)", "N in (1, 2.5)"),
        ("length(Zip) = 5", "length(Zip) = 5"),
        ("5 = length(Zip)", "length(Zip) = 5"),
        ("Admission <= Discharge", "Admission <= Discharge"),
        ("Discharge >= Admission", "Admission <= Discharge"),
        ("Score >= 0", "Score >= 0"),
        ("CHECK (Score >= 0)", "Score >= 0"),
        ("not(Score < 0)", "Score >= 0"),
        ("t1.Score >= 0", "Score >= 0"),
        ("not(t1.Score < 0)", "Score >= 0"),
        ("check (A or B > 1)", "not(t1.A != true and t1.B <= 1)"),
        ("check (not A)", "A != true"),
        ("check (A + B = C or C is null)", "check (C = A + B or C is null)"),
        ("check ((A + B) * 2 > A - (B - 1))", "(A + B) * 2 > A - (B - 1)"),
        ("A || B > 1 & C = 2", "check (A = true or (B > 1 and C = 2))"),
        ("Email matches '^[^@]+@'", "Email matches '^[^@]+@'"),
        ("Name like 'A%'", "Name matches '^A'"),
        ("unique(A, B)", "key(A, B)"),
        ("key(A) where B is null", "key(A) where B is null"),
        ("A -> B where C in (1, 2) or D = 3", "A -> B where (C in (1, 2) or D = 3)"),
        ("Score is not null where State = 'MD'", "check (Score is not null or State != 'MD')"),
        ("x: Score >= 0", "x: Score >= 0"),
        ("not(t1.A = t2.A and t1.B is null)", "not(t1.A = t2.A and t1.B is null)"),
    ],
)
def test_printed(text: str, printed: str) -> None:
    constraint = rule(text)
    assert str(constraint) == printed
    assert rule(printed).canonical.predicates == constraint.canonical.predicates


def test_a_primary_key_is_never_null() -> None:
    rules = parse_constraints("p: primary key(A, B)")
    assert [str(r) for r in rules] == ["p: key(A, B)", "p.A: A is not null", "p.B: B is not null"]


def test_sql_and_denials_are_one_rule() -> None:
    rules = parse_constraints("Score >= 0\nnot(t1.Score < 0)\ncheck (not (Score < 0))\n")
    assert len(compile_rules(rules)) == 1
    assert [f.code for f in findings(rules)] == ["R301", "R301"]


@settings(max_examples=examples(300))
@given(st.data())
def test_forms_mean_the_same(data: st.DataObject) -> None:
    """The normal form, its opposite, the text and the predicates are what the condition is."""
    pools = data.draw(_pools())
    condition: Condition = data.draw(conditions(pools))
    constraint = Constraint(tuple(predicates_of(Not(condition))))
    (again,) = parse_constraints(str(constraint))
    assert again.canonical.predicates == constraint.canonical.predicates
    assert normal(normal(condition)) == normal(condition)
    assert opposite(opposite(condition)) == normal(condition)
    assert condition_text(normal(condition))
    check_schema(ConstraintSet((constraint,)), column_types(pools.columns))
    for row in data.draw(_rows(pools)):
        told = truth(condition, row)
        assert truth(normal(condition), row) is told
        assert truth(opposite(condition), row) is (None if told is None else not told)
        for form in (constraint, constraint.canonical, again):
            assert violates_row(form, row) is (told is False)


SCHEMA = {
    "Age": ColumnType.NUMBER,
    "Net": ColumnType.NUMBER,
    "Tax": ColumnType.NUMBER,
    "Name": ColumnType.STRING,
    "Born": ColumnType.DATE,
    "Seen": ColumnType.TIMESTAMP,
    "Alive": ColumnType.BOOLEAN,
    "Texas": ColumnType.STRING,
}


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("Age is not nul", "R117", "`is` works only with NULL"),
        ("Agee is not null", "R201", "did you mean `Age`"),
        ("Net-Tax > 3", "R201", "Net - Tax"),
        ("Age in ('x', 'y')", "R203", "cannot compare `Age` (number) with the string 'x'"),
        ("Age between '1' and 5", "R203", "takes no quotes: 1"),
        ("Age matches 'x'", "R206", "a pattern is for text"),
        ("length(Age) = 3", "R206", "`length` cannot be computed of `Age` (number)"),
        ("Age + Name > 3", "R206", "`Age` (number) and `Name` (string)"),
        ("Seen + 1 > Born", "R206", "two dates is a number of days"),
        ("check (Alive > 3 or Age > 3)", "R203", "cannot compare `Alive` (boolean)"),
        ("check (Name or Age > 3)", "R206", "`Name` is a string, not a condition"),
        ("not(t1.Name = Texas or t1.Age = 3)", "R113", "`Texas` is a column"),
        ("current_date > Born", "R201", "write the day"),
        (r"Name in (U&'\0000', 'a')", "R118", "NUL"),
        ("check (Born > Age or Alive)", "R202", "cannot compare"),
        ("!(s.Name == Texas and t.Age > 1)", "R113", "`Texas` is a column"),
        ("length(Name) = '5'", "R203", "`length(Name)` (number)"),
    ],
)
def test_what_does_not_fit(text: str, code: str, words: str) -> None:
    with pytest.raises(ConstraintError) as error:
        check_schema(parse_constraints(text), SCHEMA)
    assert error.value.problems[0].code == code
    assert words in str(error.value)


def test_what_fits() -> None:
    texts = [
        *("Born <= Seen", "Seen - Born > 3", "Born + 30 > 2020-01-01", "abs(Net - Tax) <= 0.01"),
        *("Born in (2020-01-01, 2020-01-01T12:00:00)", "not(t1.0 < 0)", "Name like '%x'"),
    ]
    check_schema(parse_constraints("\n".join(texts)), SCHEMA)


@pytest.mark.parametrize(
    "text",
    [
        "!(s.2 == t.2 and s.3 != t.3)",
        "not(t1.A = t2.A and t1.B != t2.B and t1.0 = 5 and t2.0 = 5)",
        "not(t1.p < t1.i * t1.2)",
        "not(t1.0 is null and t1.A > 3)",
        "not(t1.0 != 1 and t1.0 != 2)",
    ],
)
def test_positions_are_printed(text: str) -> None:
    assert rule(str(rule(text))).canonical.predicates == rule(text).canonical.predicates


@pytest.mark.parametrize(
    "text",
    ["A * A * A * A * A > 0", "A / B / C / D / E > 1", "A * 1e200 * 1e200 > 0", "A * 1e-250 > 0"],
)
def test_arithmetic_that_could_leave_the_doubles_is_no_rule(text: str) -> None:
    """Whatever types the columns have, so that no value of a CSV file decides it."""
    with pytest.raises(ConstraintError, match="R122 this multiplies or divides so often"):
        rule(text)


def test_long_sums_are_rules() -> None:
    rule(f"{' + '.join(f'X{i}' for i in range(40))} <= Total")
    rule("A * B * C * D > (E + F + G) / H")


def test_numbers_that_are_printed_can_be_read() -> None:
    for text in ("A < 1e400", "A < -1e-400", "A = 0e399", "A in (1, 2e300)"):
        assert rule(str(rule(text))).canonical == rule(text).canonical
    for text in ("A < 10e400", "A < 0.01e-400"):
        with pytest.raises(ConstraintError, match="out of range"):
            rule(text)


def test_a_word_is_a_string() -> None:
    rules = parse_constraints("!(t.State == Texas and s.Salary > 5000)")
    assert str(rules) == "not(t1.State = 'Texas' and t2.Salary > 5000)"
    (finding,) = findings(rules)
    assert (finding.code, finding.message) == ("R306", "`Texas` is read as the string 'Texas'")
    (finding,) = findings(parse_constraints("not(t1.State = Texas or t1.Salary > 5000)"))
    assert finding.code == "R306"


@pytest.mark.parametrize("path", sorted(DIALECTS.iterdir()), ids=lambda path: path.name)
def test_dialects(path: Path) -> None:
    """Files as tools write them; beside each rule, what it is in ours."""
    lines = path.read_text(encoding="utf-8").splitlines()
    meant = [line.removeprefix("#= ") for line in lines if line.startswith("#= ")]
    assert [str(r) for r in load_constraints(path)] == meant


def test_a_long_list_is_one_look() -> None:
    """However long a list is, it is one predicate, and reading it takes time by its length."""

    def taken(number: int, layout: str) -> float:
        values = [f"'v{i}'" for i in range(number)]
        start = time.process_time()
        rules = parse_constraints(layout.format(", ".join(values), " and t1.A != ".join(values)))
        compiled = compile_rules(rules)
        findings(rules)
        assert [len(r.predicates) for r in compiled] == [1]
        return time.process_time() - start

    for layout in ("A in ({0})", "not(t1.A != {1})"):
        taken(40, layout)
        assert taken(4_000, layout) < 400 * max(taken(40, layout), 1e-3)
