"""What the language reads: our syntax, the dialects, constants, files."""

from __future__ import annotations

import subprocess
import sys
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from candling.errors import ConstraintError, UsageError
from candling.rules import (
    Column,
    Constant,
    Constraint,
    Op,
    Predicate,
    Value,
    load_constraints,
    parse_constraints,
)


def rule(text: str) -> Constraint:
    (constraint,) = parse_constraints(text)
    return constraint


def both(name: str, op: Op) -> Predicate:
    return Predicate(Column(1, name), op, Column(2, name))


def test_a_dependency_expands() -> None:
    first, second = parse_constraints("zip: A, B -> C, D")
    assert first.predicates == (both("A", Op.EQ), both("B", Op.EQ), both("C", Op.NE))
    assert second.predicates == (both("A", Op.EQ), both("B", Op.EQ), both("D", Op.NE))
    assert [first.label, second.label] == ["zip.C", "zip.D"]
    assert first.line == second.line == 1
    assert first.text == second.text == "zip: A, B -> C, D"


def test_places_are_kept() -> None:
    constraint = rule('  not(t1."a b" = t2.B and t1.C < 5)')
    assert [c.at for p in constraint.predicates for c in p.columns] == [10, 21, 30]
    last = constraint.predicates[-1].right
    assert last.at == 34


def test_conditions_hold_for_both_rows() -> None:
    country = Constant("UK")
    assert rule("Zip -> Street where Country = 'UK'").predicates == (
        both("Zip", Op.EQ),
        both("Street", Op.NE),
        Predicate(Column(1, "Country"), Op.EQ, country),
        Predicate(Column(2, "Country"), Op.EQ, country),
    )


FD = rule("A -> B").canonical


@pytest.mark.parametrize(
    "text",
    [
        "A -> B",
        "A → B",
        '"A"->"B"  # a comment',
        "not(t1.A=t2.A&t1.B!=t2.B)",
        "NOT (t1.A = t2.A AND t1.B <> t2.B)",
        "not(t1.A = t2.A, t1.B != t2.B)",
        "not((t1.A = t2.A) and (t2.B != t1.B))",
        "t1&t2&EQ(t1.A,t2.A)&IQ(t1.B,t2.B)",
        "t1 & t2 & EQ(t1.A, t2.A) & IQ(t1.B, t2.B)",
        "!(s.A == t.A and s.B != t.B)",
        "!(s.A == t.A && s.B != t.B)",
        "¬(t0.A = t1.A ∧ t0.B ≠ t1.B)",
        "¬{ t0.A = t1.A  ∧  t0.B ≠ t1.B }",
        "¬[t0.A == t1.A ^ t0.B <> t1.B]",
        "¬(t₀.A = t₁.A ∧ t₀.B ≠ t₁.B)",
        "not(EQ(t1.A,t2.A)&IQ(t1.B,t2.B))",
        "not(x.B < y.B and x.A = y.A)",
        "label: not(x.B > y.B and x.A = y.A)",
    ],
)
def test_dialects_mean_the_same(text: str) -> None:
    assert rule(text).canonical == FD


@pytest.mark.parametrize(
    ("holoclean", "ours"),
    [
        ('t1&EQ(t1.A,"x")', "not(t1.A = 'x')"),
        ('t1&LTE("x ""y""",t1.A)', "not('x \"y\"' <= t1.A)"),
        ("t1&t2&GT(t1.A,t2.A)&LT(t1.B,t2.B)", "not(t1.A > t2.A and t1.B < t2.B)"),
        ("t1&t2&GTE(t1.A,t2.A)&LTE(t1.B,t2.B)", "not(t1.A >= t2.A and t1.B <= t2.B)"),
        ('t1&t2&EQ(t1."a b",t2."a b")&EQ(t1.C,"q")', 'not(t1."a b" = t2."a b" and t1.C = \'q\')'),
        ('t1&t2&EQ(t2.A,"x")', "not(t1.A = 'x')"),
    ],
)
def test_holoclean(holoclean: str, ours: str) -> None:
    assert rule(holoclean) == rule(ours)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-17", -17),
        ("+17", 17),
        ("1.50", Decimal("1.50")),
        ("-.5", Decimal("-0.5")),
        ("1e3", Decimal(1000)),
        ("2.5E-3", Decimal("0.0025")),
        ("'it''s # not -> a comment'", "it's # not -> a comment"),
        ("''", ""),
        ("'true'", "true"),
        ("true", True),
        ("False", False),
        ("2020-01-31", date(2020, 1, 31)),
        ("2020-01-31T12:30", datetime(2020, 1, 31, 12, 30)),  # noqa: DTZ001
        ("2020-01-31T12:30:05.25", datetime(2020, 1, 31, 12, 30, 5, 250000)),  # noqa: DTZ001
        (r"U&'\00E9\+01F600\\'", "é😀\\"),
    ],
)
@pytest.mark.parametrize("layout", ["not(t1.A >= {})", "not({} <= t1.A)", "t1&GTE(t1.A,{})"])
def test_constants(layout: str, text: str, value: Value) -> None:
    (predicate,) = rule(layout.format(text)).predicates
    assert predicate == Predicate(Column(1, "A"), Op.GE, Constant(value))
    assert isinstance(predicate.right, Constant)
    assert type(predicate.right.value) is type(value)


def test_true_is_not_one() -> None:
    assert Constant(True) != Constant(1)
    assert len({Constant(True), Constant(1), Constant(Decimal("1.0"))}) == 2
    assert Constant(date(2020, 1, 1)) != Constant(datetime(2020, 1, 1))  # noqa: DTZ001


@pytest.mark.parametrize("name", ["key", "EQ", "hours-per-week", "U", "名前", "हिन्दी", "é", "_1"])
def test_bare_names(name: str) -> None:
    assert rule(f"{name} -> B").columns == (name, "B")
    assert rule(f"key({name}, B)").columns == (name, "B")
    assert rule(f"not(t1.{name} = t2.{name} and t1.B < t2.B)").columns == (name, "B")
    assert rule(f"A -> B where {name} = 1").columns == ("A", "B", name)


def test_row_names_are_free_and_the_first_is_row_1() -> None:
    assert rule("not(second.A < first.B)").predicates == (
        Predicate(Column(1, "A"), Op.LT, Column(2, "B")),
    )
    assert rule("not(any.A < any.B)").rows == 1


def test_comments_blank_lines_bom_and_line_ends() -> None:
    text = "\ufeff# rules\r\n\r\n  A -> B # one\r\nkey(C)\rnot(t1.D = '#')\n\n"
    constraints = parse_constraints(text, source="r.txt")
    assert [c.line for c in constraints] == [3, 4, 5]
    assert constraints.source == "r.txt"
    assert constraints.columns == ("A", "B", "C", "D")


YAML = """\
# rules of the ward
- Zip -> City
- zip-state: Zip -> State      # a label, to us
- {label: two, rule: "A -> B, C"}
- name: "five: of them"
  rule: "not(t1.A = 'x: y')"
- !(s.A == t.A and s.B != t.B)
- >-
  not(t1.A = t2.A and
      t1.B > t2.B and t1.C < t2.C)
- '"date of birth" -> Age'
- t1&t2&EQ(t1.A,t2.A)&IQ(t1.B,t2.B)
- ¬(t0.A = t1.A ∧ t0.B ≠ t1.B)
"""


def test_yaml(tmp_path: Path) -> None:
    constraints = parse_constraints(YAML)
    assert [(c.line, str(c)) for c in constraints] == [
        (2, "Zip -> City"),
        (3, "zip-state: Zip -> State"),
        (4, "two.B: A -> B"),
        (4, "two.C: A -> C"),
        (6, '"five: of them": A != \'x: y\''),
        (7, "A -> B"),
        (8, "not(t1.A = t2.A and t1.B < t2.B and t1.C > t2.C)"),
        (11, '"date of birth" -> Age'),
        (12, "A -> B"),
        (13, "A -> B"),
    ]  # fmt: skip
    for name in ("rules.yaml", "rules.YML", "rules.txt"):
        (tmp_path / name).write_text(YAML, encoding="utf-8")
        assert load_constraints(tmp_path / name) == constraints


def test_places_in_yaml_are_those_of_the_file() -> None:
    for line in ("- A -> B", "- 'A -> B'", "- {label: x, rule: A -> B}", "- &anchor A -> B"):
        (constraint,) = parse_constraints(line)
        assert constraint.text == line
        left = constraint.predicates[0].left
        assert left.at is not None
        assert line[left.at - 1 :].startswith("A -> B")


def test_load(tmp_path: Path) -> None:
    path = tmp_path / "rules.txt"
    path.write_bytes(b"\xef\xbb\xbfA -> B\r\n")
    assert str(load_constraints(str(path))) == "A -> B"
    assert load_constraints(path).source == str(path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.txt", "a\0b"):
        with pytest.raises(UsageError) as usage:
            load_constraints(path)
        assert usage.value.code == "R101"
    binary = tmp_path / "binary.txt"
    binary.write_bytes(b"A -> B\n\xff\xfe")
    with pytest.raises(ConstraintError) as broken:
        load_constraints(binary)
    assert broken.value.code == "R102"
    assert broken.value.problems[0].line == 2


@pytest.mark.parametrize("name", ["rules.txt", "rules.yaml"])
@pytest.mark.parametrize("text", ["", "\n", "# nothing\n\n"])
def test_a_file_without_rules(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConstraintError, match="the file has no rule") as empty:
        load_constraints(path)
    assert empty.value.code == "R103"


def test_importing_loads_neither_lark_nor_yaml() -> None:
    code = "import candling.rules, sys; print({'lark', 'yaml'} & set(sys.modules))"
    run = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, env=None
    )
    assert run.stdout.strip() == "set()"
