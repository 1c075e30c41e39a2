"""Exact numbers: gates on them, rule by rule, and how they are shown."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings

import candling
from candling.card import Exact
from candling.model.results import ExactRule
from candling.rules import RuleLine
from tests import oracle
from tests.effort import examples
from tests.registered import registered
from tests.strategies import TableAndRules, tables_and_rules

TABLE = pa.table({"Zip": [1, 1, 1, 2], "City": ["a", "a", "b", "c"], "Age": [1, 2, 3, -1]})
RULES = ["zip-city: Zip -> City", '"not so young": not(t1.Age < 0)', "key(Age)"]


@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=tables_and_rules())
def test_every_rule_alone_agrees_with_the_oracle(drawn: TableAndRules) -> None:
    _, rows, rules = drawn
    found = candling.exact(registered(drawn), rules, by_rule=True)
    assert [rule.rule for rule in found.by_rule] == [line.text for line in found.rules]
    for rule in found.by_rule:
        alone = oracle.conflicts(rows, candling.parse_constraints(rule.rule))
        assert rule.repair_exact == oracle.repair_exact(alone)
        assert rule.repair_linear == oracle.repair(alone)
        assert rule.repair_linear <= rule.repair <= oracle.repair_exact(alone)


@pytest.mark.parametrize(
    ("gate", "outcome"),
    [
        ("repair > 1", "fail"),
        ("repair > 2", "pass"),
        ("repair/rows >= 50%", "fail"),
        ("repair/rows > 50%", "pass"),
        ("grade < 95%", "fail"),
        ("grade < 50%", "pass"),
        ("rows < 4", "pass"),
        ("drastic >= 1", "fail"),
        ("max_degree > 1", "fail"),
        ("repair_exact > 1", "fail"),
        ("zip-city > 0", "fail"),
        ("zip-city > 1", "pass"),
        ("zip-city/rows > 20%", "fail"),
        ('"not so young" > 0', "fail"),
        ('"Zip -> City" > 0', "fail"),
        ('"key(Age)" > 0', "pass"),
        ('"not(t1.Zip = t2.Zip and t1.City != t2.City)" > 0', "fail"),  # the same rule
        ('"unique(Age)" > 0', "pass"),
    ],
)
def test_a_gate_on_exact_numbers(gate: str, outcome: str) -> None:
    verdict = candling.exact(TABLE, RULES, by_rule=True).check(gate)
    assert verdict.outcome == outcome
    assert bool(verdict) is verdict.passed is (outcome == "pass")
    assert verdict.failed is (outcome == "fail")
    assert verdict.low == verdict.high
    assert verdict.level == 1


def test_the_number_of_a_rule_must_be_asked_for() -> None:
    with pytest.raises(candling.UsageError, match="by_rule=True") as error:
        candling.exact(TABLE, RULES).check("zip-city > 0")
    assert error.value.code == "U303"


@pytest.mark.parametrize(
    ("gate", "words"),
    [
        ("zipcity > 0", "did you mean `zip-city`?"),
        ('"Zip -> Citi" > 0', "did you mean `Zip -> City`?"),
        ("zip-city > 5%", "Write zip-city/rows"),
        ("zip-city/rows > 5", "`zip-city/rows` is never above 100%; did you mean 5%?"),
        ("max_degree/rows > 5", "cannot be divided"),
    ],
)
def test_a_rule_that_is_almost_one(gate: str, words: str) -> None:
    with pytest.raises(candling.UsageError) as error:
        candling.exact(TABLE, RULES).check(gate)
    assert words in str(error.value)


def test_a_label_of_several_rules_and_a_label_of_two() -> None:
    parts = candling.exact(TABLE, "place: Zip -> City, Age", by_rule=True)
    with pytest.raises(candling.UsageError, match=r"name one of place.City, place.Age"):
        parts.check("place > 0")
    assert parts.check("place.City > 0").failed
    twice = candling.exact(TABLE, ["a: Zip -> City", "a: key(Age)"], by_rule=True)
    with pytest.raises(candling.UsageError, match="two rules are called `a`"):
        twice.check("a > 0")
    assert twice.check('"key(Age)" > 0').passed


def unknown(**others: Any) -> Exact:
    values = {"rows": 10, "repair": Fraction(2), "repair_linear": Fraction(2), "repair_exact": None}
    rule = ExactRule("a: Zip -> City", Fraction(2), Fraction(2), None)
    return Exact({**values, **others}, (RuleLine("a: Zip -> City", "Zip -> City", "a"),), (rule,))


@pytest.mark.parametrize(
    ("gate", "outcome"),
    [
        ("repair > 1", "fail"),
        ("repair > 3", "cannot tell"),
        ("repair > 4", "pass"),
        ("grade < 59%", "pass"),
        ("grade < 70%", "cannot tell"),
        ("grade < 90%", "fail"),
        ("a > 3", "cannot tell"),
        ("a/rows > 40%", "pass"),
        ("maximal_consistent > 3", "cannot tell"),
    ],
)
def test_a_number_that_was_not_found_is_judged_by_its_bounds(gate: str, outcome: str) -> None:
    verdict = unknown(maximal_consistent_log2=None).check(gate)
    assert verdict.outcome == outcome
    assert bool(verdict) is (outcome == "pass")


def test_a_table_without_rows() -> None:
    empty = candling.exact(TABLE.slice(0, 0), RULES, by_rule=True)
    assert empty.check("grade < 100%").passed
    assert empty.check("repair/rows > 0%").passed
    assert empty.check("zip-city/rows > 0%").passed


def test_what_print_and_a_notebook_show() -> None:
    numbers = candling.exact(TABLE, RULES, by_rule=True)
    for text in (str(numbers), numbers._repr_html_()):
        assert "NOT PRIVATE" in text
        assert "Most conflicts of one row" in text
        assert "Zip -" in text
    assert max(map(len, str(numbers).splitlines())) <= 80
    assert numbers.to_dict()["by_rule"][0] == {
        "rule": "zip-city: Zip -> City",
        "repair": 1,
        "repair_linear": 1,
        "repair_exact": 1,
    }
    assert "by_rule" not in candling.exact(TABLE, RULES).to_dict()
