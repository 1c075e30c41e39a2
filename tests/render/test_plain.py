"""What `print` and a notebook show of every public object."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pyarrow as pa
import pytest

import candling
from candling.card import Exact
from candling.escaping import for_html, for_terminal
from candling.model.gate import Gate, GateResult, Outcome
from candling.model.results import ExactRule
from candling.render.ci import Case, Report, as_junit, as_sarif
from candling.rules import Op, RuleLine
from tests.hostile import EVERYTHING, NAMES
from tests.render.cards import CARDS, card, charged
from tests.render.html.parsed import ACTIVE, Page

TABLE = pa.table({"Zip": [1, 1, 2], "City": ["a", "b", None], "Age": [1, -2, 3]})
RULES = "zip-city: Zip -> City\nage: not(t1.Age < 0)"
PRINTED: dict[str, tuple[Callable[[], Any], str]] = {
    "card": (lambda: candling.release(TABLE, RULES, 1), "Epsilon 1 was spent"),
    "grade": (lambda: card(CARDS["full"]()).grade, "Grade 96.7% to 98.5%"),
    "measure": (lambda: card(CARDS["full"]()).repair, "repair: 160 (157 to 327, 95% confidence)"),
    "receipt": (
        lambda: card(charged()).receipt,
        "2 charged to 'visits' (people 'patients'), for request 2026-q1; 2.3 of 5 left.",
    ),
    "exact": (lambda: candling.exact(TABLE, RULES, by_rule=True), "NOT PRIVATE"),
    "plan": (lambda: candling.plan(RULES, epsilon=1), "off by"),
    "rules": (lambda: candling.parse_constraints(RULES), "zip-city: Zip -> City"),
    "rule": (lambda: next(iter(candling.parse_constraints(RULES))), "zip-city: Zip -> City"),
    "verdict": (lambda: card(CARDS["full"]()).check("rows < 5"), "ok: rows is not below 5 ("),
    "comparison": (
        lambda: candling.compare(card(charged()), card(charged())),
        "A and B are the same release",
    ),
    "conflicts": (lambda: candling.conflicts(TABLE, RULES), "NOT PRIVATE"),
    "repair": (lambda: candling.repair(TABLE, RULES), "every rule holds"),
}
IN_NOTEBOOKS = set(PRINTED) - {"grade", "measure", "receipt", "rule"}


@pytest.mark.parametrize("name", PRINTED)
def test_print_is_readable(name: str) -> None:
    make, words = PRINTED[name]
    thing = make()
    text = str(thing)
    assert words in " ".join(text.split())
    assert f"{type(thing).__name__}(" not in text
    assert text == text.rstrip()
    assert all(line == line.rstrip() for line in text.split("\n"))
    assert name == "receipt" or max(map(len, text.split("\n"))) <= 80


def test_a_ledger_says_which_one_it_is(tmp_path: Path) -> None:
    ledger = candling.create_ledger(tmp_path / "budget.ledger", trial=True)
    assert str(ledger).startswith("Ledger ")
    assert ledger.public_key in str(ledger)


@pytest.mark.parametrize("name", sorted(IN_NOTEBOOKS))
def test_a_notebook_shows_it(name: str) -> None:
    html = PRINTED[name][0]()._repr_html_()
    page = Page(html)  # which nests
    assert page.text
    assert not ACTIVE.intersection(tag for tag, _ in page.elements)


@pytest.mark.parametrize("name", CARDS)
def test_every_card_can_be_printed(name: str) -> None:
    text = str(card(CARDS[name]()))
    assert "Epsilon" in text or "Nothing was spent" in text
    assert all(character.isprintable() or character == "\n" for character in text)


def hostile(name: str) -> list[Any]:
    gate = Gate(name, "repair", False, Op.GT, Fraction(1))
    verdict = GateResult(gate, Outcome.FAIL, Fraction(2), Fraction(3), 0.95)
    rule = ExactRule(name, Fraction(1), Fraction(1), 1)
    known = {"rows": 1, "repair": Fraction(1), "repair_linear": Fraction(1), "repair_exact": 1}
    table = pa.table({"k": [1, 1], "v": [name, "other"]})
    quoted = name.replace('"', '""')
    return [
        verdict,
        Exact(known, (RuleLine(name, name),), (rule,)),
        candling.conflicts(table, "k -> v"),
        candling.ConflictsFound(0, 0, ()),
        candling.parse_constraints('a: "b" -> c', source=name),
        *([candling.parse_constraints(f'"{quoted}" -> c')] if name.isprintable() else []),
    ]


@pytest.mark.parametrize("name", [*NAMES, EVERYTHING])
def test_names_of_others_stay_text(name: str) -> None:
    for thing in hostile(name):
        html = thing._repr_html_()
        assert not ACTIVE.intersection(tag for tag, _ in Page(html).elements)
        assert "\x1b" not in html
        text = str(thing)
        assert all(character.isprintable() or character == "\n" for character in text), text


@pytest.mark.parametrize("name", [*NAMES, EVERYTHING, "\ud800"])
def test_reports_hold_any_name(name: str) -> None:
    case = Case(name, Outcome.FAIL, name, 3, name)
    report = Report("check", "rules.txt", [case], {"table": name})
    (found,) = ET.fromstring(as_junit(report)).iter("testcase")
    assert found.get("name") == for_html(for_terminal(name))
    (result,) = json.loads(as_sarif(report))["runs"][0]["results"]
    assert result["ruleId"] == name
