"""Whatever a rules file holds, the answer comes soon."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from candling.errors import ConstraintError, UsageError
from candling.rules import compile_rules, findings, load_constraints, parse_constraints
from candling.rules.parse import LONGEST_RULE, MOST_RULES
from candling.rules.printer import name_text
from candling.rules.reader import MOST_COMPUTED

SOON = 20.0  # seconds of the processor; what is tested here took minutes, or for ever


def codes(text: str) -> list[str]:
    with pytest.raises(ConstraintError) as error:
        parse_constraints(text)
    assert len(str(error.value)) < 10_000
    return [problem.code for problem in error.value.problems]


@pytest.fixture(autouse=True)
def _soon() -> object:
    start = time.process_time()
    yield
    assert time.process_time() - start < SOON


@pytest.mark.parametrize("letter", ["\u0436", "\u4e2d", "\u0915", "\u0661", "a", "\u0301"])
def test_names_take_time_by_their_length(letter: str) -> None:
    """Letters that fitted two branches of a pattern doubled the time, each."""
    name = "x" + letter * 2000
    assert name_text(f"{name} ") == f'"{name} "'
    assert codes(f"not(t1.A = {name} + 1)") == ["R113"]
    assert codes(f"{name} {name}") == ["R110"]
    (rule,) = parse_constraints(f'"{name} " -> {name}')
    assert rule.columns == (f"{name} ", name)


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"A{i} -> B" for i in range(MOST_RULES + 1)),
        "".join(f"- A{i} -> B\n" for i in range(MOST_RULES + 1)),
        "A -> " + ", ".join(f"B{i}" for i in range(MOST_RULES + 1)),
        "A" * (LONGEST_RULE + 1),
        "not(t1.A = '" + "x" * 1_000_000 + "')",
        "A -> B\n" * 100_000,
    ],
)
def test_too_much_is_refused(text: str) -> None:
    assert codes(text) == ["R105"]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"A -> B{i}" for i in range(MOST_RULES // 2)),
        "\n".join(f"Z, A{i} -> B{i}" for i in range(MOST_RULES // 2)),
        "\n".join(f"A{i} -> A{i + 1}" for i in range(MOST_RULES // 2)),
        f"not({' and '.join(f't1.A{i} < t2.A{i}' for i in range(800))})",
        f"not({' and '.join(f't1.A{i} < t1.A{(i + 1) % 800}' for i in range(800))})",
        f"not({' and '.join(f't1.A < {i} and t1.A > {i}' for i in range(400))})",
        f"key({', '.join(f'A{i}' for i in range(1500))})",
        f"not({'(' * 9000}t1.A = t2.A{')' * 9000})",
        f"not({'(' * 9000}t1.A = t2.A",
        "- " * 1000 + "A",
        "- " + "{" * 1000,
        "- " + "[[" * 1000,
        "- " + "? " * 1000,
        "- 'A" + "''" * 9000,
        f"not(t1.A = {'9' * 9000})",
        f"not(t1.A = 1e{'9' * 9000})",
        f"not(t1.A = {'2020-01-31' * 1800})",
        f"{'A ' * 9000}",
        f"{'a.' * 9000}",
        f"not(t1.A = U&'{chr(92) * 9000}')",
        f"{'-' * 9000}>",
        f"{'A:' * 9000}",
    ],
)
def test_much_is_answered(text: str) -> None:
    rules, shown = None, ""
    try:
        rules = parse_constraints(text)
    except ConstraintError as error:
        shown = str(error)
    if rules is None:
        assert len(shown) < 2500
        return
    assert all(len(warning.message) < 2000 for warning in findings(rules))
    compiled = compile_rules(rules)
    assert compiled.chain is not None
    assert compiled.easy_parts is not None


def test_many_computed_comparisons_are_refused() -> None:
    """An engine takes time and memory for them that grow faster than their number."""
    many = " or ".join(f"A + B > {i}" for i in range(MOST_COMPUTED))
    parse_constraints(f"check ({many})")
    assert codes(f"check ({many} or A + B > 7)") == ["R122"]
    parse_constraints("check (" + " or ".join(f"A > {i}" for i in range(4 * MOST_COMPUTED)) + ")")
    parse_constraints(f"check ({many})\ncheck ({many} and C > 7)")  # of each rule


def test_half_a_character_is_none() -> None:
    for text in (r"U&'\D800'", r"U&'\+00DFFF'", r"U&'\+110000'", r"U&'\12'"):
        assert codes(f"not(t1.A = {text})") == ["R118"]
    assert codes('U&"\\D83D\\DE00" -> B') == ["R118"]


def test_files_that_are_too_large(tmp_path: Path) -> None:
    path = tmp_path / "rules.txt"
    path.write_text("# \n" * 2_000_000)
    with pytest.raises(UsageError, match="larger than"):
        load_constraints(path)
