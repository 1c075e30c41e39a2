"""The paper's methods through the door of a release."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

import candling
import candling.measures
import candling.privacy
import candling_paper
from candling.cli import main
from candling.errors import UsageError
from candling.failures import InternalError
from candling_paper.thresholds import CANDIDATES, EdgeAddition
from tests.paper.methods import METHODS
from tests.releases.tables import study
from tests.thresholded import thresholded

ASKED = ["rows", "drastic", "minimal_inconsistent", "problematic", "repair"]
TABLES = {
    "empty": study("a -> b", a=[], b=[]),
    "clean": study("a -> b", a=[1, 2, 3], b=[1, 1, 1]),
    "every pair": study("a -> b", a=[1] * 6, b=[1, 2, 3, 4, 5, 6]),
}


@pytest.mark.parametrize("name", METHODS)
def test_every_table_gives_the_same_fields(name: str) -> None:
    cards = [
        of.release(1, measures=ASKED, method=METHODS[name]()).to_dict() for of in TABLES.values()
    ]
    for measure in ASKED:
        assert len({tuple(card[measure]) for card in cards}) == 1
    kind = "exact" if name == "paper-r2t" else "cover"
    assert {card["repair"]["kind"] for card in cards} == {kind}
    assert all(sum(card[m]["epsilon"] for m in ASKED) == pytest.approx(1) for card in cards)


def test_with_much_budget_the_values_are_those_of_the_table() -> None:
    of = study("a -> b", a=[1] * 6 + [2] * 4, b=[1, 1, 1, 1, 2, 2, 1, 1, 1, 1])
    card = of.release(100, measures=ASKED, method=candling_paper.baseline(), max_rows=20)
    assert card.minimal_inconsistent.value == pytest.approx(8, abs=4)
    assert card.minimal_inconsistent.threshold == 20
    assert card.problematic.value == pytest.approx(6, abs=4)
    assert card.repair.value == pytest.approx(4, abs=1)  # twice the smallest
    assert of.exact().repair_exact == 2


def test_a_baseline_needs_to_know_how_many_rows_there_can_be() -> None:
    of = TABLES["clean"]
    for method in (candling_paper.baseline(), candling_paper.r2t()):
        with pytest.raises(UsageError, match="max_rows") as caught:
            of.release(1, measures=["problematic"], method=method)
        assert caught.value.code == "U210"
        of.release(1, measures=["problematic"], method=method, max_rows=10)
        of.release(1, measures=["problematic", "rows"], method=method)


def test_thresholds_are_public() -> None:
    cut = EdgeAddition()
    assert cut.thresholds(None) == CANDIDATES
    assert cut.thresholds(7) == (1, 5, 7)
    assert cut.thresholds(0) == (1,)
    assert cut.thresholds(30_000.5)[-3:] == (10_000, 20_000, 30_001)
    assert EdgeAddition((64,), with_limit=False).thresholds(None) == (64,)
    assert EdgeAddition((64,), with_limit=False).thresholds(1_000) == (64,)
    assert EdgeAddition((64,), with_limit=False).thresholds(10) == (10,)


def test_the_stated_sensitivities_reach_the_mechanism() -> None:
    facts = TABLES["every pair"]._facts
    method = candling_paper.exponential()
    pairs = thresholded(facts, "minimal_inconsistent", method, limit=6, rows_per_person=3)
    assert pairs.sensitivities == (3, 15, 18)
    assert pairs.monotone
    rows = thresholded(facts, "problematic", method, limit=6)
    assert rows.sensitivities == (2, 6, 7)
    assert not rows.monotone
    assert rows.step == Fraction(1)


def test_what_needs_monotone_values_refuses_others() -> None:
    cut = candling_paper.exponential().cut
    method = candling.measures.Method("wrong", cut=cut)
    with pytest.raises(InternalError, match=r"TypeError in candling/privacy/statistic\.py"):
        TABLES["clean"].release(1, measures=["problematic"], method=method)


def test_plans_know_the_methods() -> None:
    rules = candling.parse_constraints("a -> b")
    plan = candling.plan(rules, epsilon=1, rows=100, method=candling_paper.exponential())
    assert list(plan.measures["problematic"].by_threshold) == [1, 5, 10, 100]
    rows, cover = plan.measures["rows"], plan.measures["repair"]
    assert rows.error is not None
    assert cover.error == pytest.approx(2 * rows.error, rel=0.01)


def test_the_command_line_knows_all_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(METHODS) == 5
    assert all(method().name == name for name, method in METHODS.items())
    data, rules = tmp_path / "t.csv", tmp_path / "rules.txt"
    data.write_text("a,b\n1,1\n1,2\n")
    rules.write_text("a -> b\n")
    args = ["release", str(data), str(rules), "--epsilon", "1", "--method", "paper-hierarchical"]
    with pytest.raises(SystemExit) as done:
        main([*args, "--json"])
    assert not done.value.code
    card = json.loads(capsys.readouterr().out)
    assert card["repair"]["kind"] == "cover"
