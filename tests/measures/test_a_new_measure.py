"""A new measure is its own file, its oracle and its line in the registry: nothing else knows it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import pytest

import candling
from candling.cli import main
from candling.cli.explain import all_measures
from candling.gates import judge, parse_gate
from candling.measures import MEASURES, Measure, Setting
from candling.measures.facts import Facts, Part
from candling.measures.measure import ExactWords
from candling.model.card import CardData
from candling.model.number import Number
from candling.privacy import Statistic
from candling.rules import Rules
from tests import oracle
from tests.measures import test_every_measure as suite
from tests.measures.oracles import EXACT, ORACLES, RULES, Oracle


class Alone(Measure):
    """Rows that break a rule by themselves: a row moves it by one."""

    name = "alone"
    title = "Rows wrong alone"
    meaning = "rows that break a rule by themselves"
    note = "Rows that break a rule by themselves, with noise."
    explanation = """\
How many rows break a rule by themselves.

Such a row is wrong whatever the other rows hold, so it has to go or to be corrected in any case.
"""
    exact_words: ClassVar = {
        "alone": ExactWords("Rows wrong alone", "rows that break a rule by themselves", share=True)
    }

    def statistics(self, rules: Rules, setting: Setting) -> list[Statistic]:
        return [Statistic((0,), (setting.rows_per_person,))]

    def terms(self, part: Part) -> tuple[int]:
        return (part.self_inconsistent,)

    def values(
        self,
        facts: Facts,
        setting: Setting,
        public: Sequence[Statistic],
    ) -> list[tuple[int, ...]]:
        return [facts.terms(self)]

    def exact_terms(self, part: Part, search: float) -> int:
        return part.self_inconsistent

    def exact(self, facts: Facts, parts: Sequence[int]) -> dict[str, Any]:
        return {"alone": sum(parts)}

    def sentence(self, shown: Number, card: CardData) -> str:
        return f"about {shown.value} rows break a rule by themselves"


ALONE = Oracle(
    lambda _kind, _call: [1],
    lambda _kind, rows, rules: [len(oracle.conflicts(rows, rules).self_inconsistent)],
    unmoved=frozenset({EXACT}),
)


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MEASURES, "alone", Alone())


def test_the_suite_fails_without_its_oracle() -> None:
    with pytest.raises(AssertionError):
        suite.test_every_measure_has_its_oracle()


def test_the_suite_audits_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ORACLES, "alone", ALONE)
    suite.test_every_measure_has_its_oracle()
    suite.check_budget("alone", "relaxed", 3, Fraction(1))
    suite.check_neighbours("alone", "relaxed", 2)
    suite.check_neighbours("alone", "exact", 2)
    suite.test_what_gets_noise_is_the_measure("alone", "relaxed")
    suite.check_shape(["alone"], "relaxed", {})
    suite.test_a_measure_has_words_for_everything_that_is_shown("alone")


def test_the_suite_sees_a_sensitivity_that_is_too_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ORACLES, "alone", ALONE)

    class Careless(Alone):
        def statistics(self, rules: Rules, setting: Setting) -> list[Statistic]:
            return [Statistic((0,), (1,))]

    monkeypatch.setitem(MEASURES, "alone", Careless())
    with pytest.raises(AssertionError):
        suite.check_budget("alone", "relaxed", 3, Fraction(1))
    with pytest.raises(AssertionError):
        suite.check_neighbours("alone", "relaxed", 2)


def test_everything_shows_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*args: object) -> str:
        with pytest.raises(SystemExit) as done:
            main([str(arg) for arg in args])
        assert not done.value.code
        return capsys.readouterr().out

    text = f"type a, b: integer\n{RULES['relaxed']}"  # of a file that has no types
    rules = candling.parse_constraints(text)
    data, file = tmp_path / "table.csv", tmp_path / "rules.txt"
    data.write_text("a,b\n" + "1,2\n" * 30 + "5,1\n" * 30)
    file.write_text(text)
    assert candling.exact(data, rules).alone == 30
    planned = candling.plan(rules, epsilon=1, measures=["alone", "rows"]).measures["alone"]
    assert planned.error is not None
    card = candling.release(data, rules, 50, measures=["alone", "rows"])
    assert card.alone.value == pytest.approx(30, abs=3)
    assert candling.Card.from_dict(card.to_dict()).to_dict() == card.to_dict()
    assert judge(parse_gate("alone > 20"), card).outcome == "fail"
    card.to_html(tmp_path / "card.html")
    assert "Rows wrong alone" in (tmp_path / "card.html").read_text()
    assert "alone" in all_measures()
    assert "rows that break a rule by themselves" in run("exact", data, file)
    asked = ["release", data, file, "--epsilon", "50", "--measures", "alone,rows"]
    for output in ("table", "csv", "markdown"):
        assert "alone" in run(*asked, "--format", output)
