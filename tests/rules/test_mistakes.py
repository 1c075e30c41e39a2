"""Rules that cannot be read: what is said, where, and under which code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import candling.rules
from candling.errors import ConstraintError, Problem
from candling.explain import load_page
from candling.rules import load_constraints, parse_constraints
from tests.effort import examples

GOLDEN = Path(__file__).parent / "golden"


def problems(text: str) -> tuple[Problem, ...]:
    with pytest.raises(ConstraintError) as error:
        parse_constraints(text)
    return error.value.problems


def test_all_mistakes_of_a_file_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(GOLDEN)
    with pytest.raises(ConstraintError) as error:
        load_constraints("mistakes.rules")
    expected = (GOLDEN / "mistakes.txt").read_text(encoding="utf-8")
    assert f"{error.value}\n" == expected
    wrong = Path("mistakes.rules").read_text(encoding="utf-8").count("\n") - 1
    assert [p.line for p in error.value.problems] == list(range(2, wrong + 2))
    assert error.value.source == "mistakes.rules"
    assert error.value.code == error.value.problems[0].code


YAML = """\
- A -> B
- A => B
- "not(t1.A = 2)"
- 'key(A'
- >-
  not(t1.A =
  t2.A
- []
-
- {rule: A -> B, colour: red}
- {label: A -> B}
- {label: x, rule: "y: A -> B"}
"""


def test_mistakes_in_yaml() -> None:
    found = problems(YAML)
    assert [(p.line, p.code, p.column) for p in found] == [
        (2, "R117", 5),
        (4, "R112", 7),
        (5, "R112", 4),
        (8, "R120", 3),
        (9, "R120", 2),
        (10, "R120", 3),
        (11, "R120", 3),
        (12, "R120", 21),
    ]
    assert found[0].text == "- A => B"
    assert found[2].text == "not(t1.A = t2.A"


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ('- "a b" -> C', "R119", 1),
        ("- A -> B\n- a: b: c", "R119", 2),
        ("- *nothing", "R119", 1),
        ("---\nA: B", "R120", 2),
        ("- A -> B\n\t- C", "R119", 2),
        ("- " + "[" * 5000, "R119", 1),
        ("- &a A -> B\n- *a", "R119", 2),
        ("- A -> B\u2028- A => C", "R117", 2),
        ("- A -> B\x85- C -> D\n- {", "R119", 3),
    ],
)
def test_text_that_is_not_a_yaml_list(text: str, code: str, line: int | None) -> None:
    (problem,) = problems(text)
    assert (problem.code, problem.line) == (code, line)
    assert problem.hint


WORDS = """not ( ) { t1 . A = <= and & -> , key where 'x' 5 2020-01-31 # : t2.B t1.A EQ( ' " U&
\\ é "c" or => 1e9"""
PIECES = st.sampled_from(WORDS.split())
TERMINALS = ("ARROW", "BOOLEAN", "COMMA", "FUNCTION", "NUMBER", "QUOTED", "RPAR", "$END")


@settings(max_examples=examples(400))
@given(
    st.sampled_from(["", "- ", "- 'x'\n- "]),
    st.lists(PIECES, max_size=9).map(" ".join) | st.lists(PIECES).map("".join) | st.text(),
)
def test_nothing_else_is_raised_and_carets_are_in_the_line(start: str, rule: str) -> None:
    text = start + rule
    try:
        parse_constraints(text)
    except ConstraintError as error:
        found = error.problems
    else:
        return
    for problem in found:
        assert problem.code in load_page("R").entries
        assert problem.message
        assert not any(terminal in problem.message for terminal in TERMINALS)
        if problem.column is not None and problem.text is not None:
            assert 1 <= problem.column <= len(problem.text) + 1


def test_codes_of_rules_are_those_that_are_explained() -> None:
    sources = Path(candling.rules.__file__).parent.glob("*.py")
    used = {c for p in sources for c in re.findall(r'"(R\d{3})"', p.read_text(encoding="utf-8"))}
    assert used == set(load_page("R").entries)


def test_the_public_names_are_sorted() -> None:
    names = candling.rules.__all__
    assert names == sorted(names)
    assert all(hasattr(candling.rules, name) for name in names)
