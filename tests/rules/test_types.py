"""Types of columns: what lines state, what rules imply, and what is refused."""

from __future__ import annotations

import pytest

import candling
from candling.reading import Reading, StatedType
from candling.rules import ColumnType, Origin, check_schema, compile_rules
from candling.rules.types import Statements, choose_types

COLUMNS = dict.fromkeys(("a", "b", "c", "two words"), ColumnType.STRING)


def types_of(text: str, reading: Reading | None = None) -> dict[str, tuple[str, Origin]]:
    """The types of a file without types under these rules."""
    statements = Statements(candling.parse_constraints(text), reading or Reading())
    found = choose_types(statements, COLUMNS, untyped=COLUMNS)
    return {name: (str(stated.type), stated.origin) for name, stated in found.items()}


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        ("type a, b: number", "type a: number\ntype b: number"),
        ("type a: date(%d/%m/%Y)  # of admission", "type a: date(%d/%m/%Y)"),
        ("type a: number(decimal ',')", "type a: number(decimal ',')"),
        ('type "two words": Text', 'type "two words": text'),
        ("  type  a :decimal( 10, 2 )", "type a: decimal(10,2)"),
        ("- type a: integer\n- b -> c", "type a: integer\nb -> c"),
        ("- type a: number(decimal ',')", "type a: number(decimal ',')"),
    ],
)
def test_lines_are_read_and_printed(line: str, printed: str) -> None:
    rules = candling.parse_constraints(line)
    assert str(rules) == printed
    assert candling.parse_constraints(str(rules)).types == rules.types


@pytest.mark.parametrize("rule", ["type -> b", "type = 'x'", "type is not null", "type: a -> b"])
def test_a_column_may_be_called_type(rule: str) -> None:
    rules = candling.parse_constraints(rule)
    assert (len(rules), rules.types) == (1, ())


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("type a: numbr", "R124", "Did you mean 'number'?"),
        ("type a:", "R124", "the type is missing"),
        ("type a number", "R110", "such as `type a: number`"),
        ("- {label: x, rule: 'type a: number'}", "R124", "a type line has no label"),
        ("type a: number\ntype a: text", "R125", "`a` is text here and number in line 1"),
    ],
)
def test_mistakes_in_lines(text: str, code: str, words: str) -> None:
    with pytest.raises(candling.ConstraintError) as caught:
        candling.parse_constraints(text)
    assert code in str(caught.value)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("rules", "kind"),
    [
        ("a between 0 and 120", "number"),
        ("a - 1 > 5", "number"),
        ("abs(a) < 5", "number"),
        ("a in (1, 2)", "number"),
        ("not(t1.a = t2.a and t1.b > 3 and t1.a < 7)", "number"),
        ("a >= 2024-01-31", "date"),
        ("a + 5 < 2024-01-31", "date"),
        ("a >= 2024-01-31\na < 2025-01-01T12:00:00", "timestamp"),
        ("a = 'x'", "text"),
        ("not(t1.a = true)", "boolean"),
        ("length(a) = 5", None),
        ("a is not null", None),
        ("a matches '^x'", None),
        ("a -> b", None),
        ("a + b > 5", None),
    ],
)
def test_what_rules_imply(rules: str, kind: str | None) -> None:
    assert types_of(rules).get("a") == (None if kind is None else (kind, Origin.IMPLIED))


def test_two_rules_that_imply_different_types() -> None:
    with pytest.raises(candling.ConstraintError, match="R125") as caught:
        types_of("a > 0\na = 'x'")
    assert "`a` is compared with a string here and with a number in `a > 0` (line 1)" in str(
        caught.value
    )
    assert types_of("type a: text\na = 'x'\na -> b") == {"a": ("text", Origin.STATED)}


def test_statements_of_two_kinds() -> None:
    reading = Reading(types={"a": "number", "b": "date"})
    assert types_of("type a: number\na > 0", reading) == {
        "a": ("number", Origin.STATED),
        "b": ("date", Origin.STATED),
    }
    with pytest.raises(candling.ConstraintError) as caught:
        types_of("type a: integer", reading)
    assert "`a` is integer here and number by --type" in str(caught.value)


def test_columns_that_are_not_there() -> None:
    with pytest.raises(candling.ConstraintError, match="the table has no column `d`"):
        types_of("type d: number")
    with pytest.raises(candling.UsageError, match="--type names column 'd'"):
        types_of("a -> b", Reading(types={"d": "number"}))


def test_a_schema_keeps_its_types() -> None:
    schema = {"a": ColumnType.NUMBER, "b": ColumnType.STRING, "c": ColumnType.DATE}
    rules = candling.parse_constraints("type a: integer\ntype b: number\na > 0\nb > 0")
    found = choose_types(Statements(rules), schema)
    assert {name: stated.type for name, stated in found.items()} == {"b": StatedType("number")}
    wrong = Statements(candling.parse_constraints("type a: text"))
    with pytest.raises(candling.ConstraintError, match="R207"):
        choose_types(wrong, schema)


@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("a <= b", "`type a, b: date`"),
        ("not(t1.a < t2.a and t1.c != t2.c)", "`type a: date`"),
        ("a + b = c", "`type a, b: number`"),
        ('check ("two words" * 2 > a)', '`type a, "two words": number`'),
    ],
)
def test_order_needs_a_type(rule: str, line: str) -> None:
    rules = candling.parse_constraints(rule)
    with pytest.raises(candling.ConstraintError, match="R208") as caught:
        check_schema(rules, COLUMNS, untyped=frozenset(COLUMNS))
    assert line in str(caught.value)
    check_schema(candling.parse_constraints("a -> b\nnot(t1.a = t2.b)"), COLUMNS, untyped=COLUMNS)


def test_each_type_is_a_rule() -> None:
    rules = compile_rules(candling.parse_constraints("type a, b: number\ntype c: text\na -> b"))
    assert [rule.label for rule in rules] == [None, "type-a", "type-b"]
    assert [rule.rows for rule in rules] == [2, 1, 1]
    assert rules.entry_texts == ("a -> b", "type a: number; type b: number")
    assert [rule.columns for rule in rules] == [("a", "b"), ("a",), ("b",)]
    assert len(rules.alone) == 2
    assert len(rules.with_types(())) == 1
