"""One card, one grade: every output shows the same interval, with the same digits."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

import candling
from candling.model.number import percent
from tests.cli.conftest import Run, run  # noqa: F401 - a fixture
from tests.outputs import OUTPUTS
from tests.releases.tables import study
from tests.render.shown import card_page

RULES = {
    "exact": "a -> b",
    "lower_bound": "a -> b\nb -> c",
}
WORDS = r"etween ([\d.]+)% and ([\d.]+)% of the rows would remain"


def hospital(kind: str) -> candling.Study:
    """400 rows, in some groups of which one differs."""
    rows = range(400)
    b = [i // 4 + (i % 40 == 3) for i in rows]
    return study(
        RULES[kind], a=[i // 4 for i in rows], b=b, c=[i // 4 + (i % 9 == 0) for i in rows]
    )


@pytest.mark.parametrize("kind", RULES)
@pytest.mark.parametrize("epsilon", ["0.5", "2", "20", "100"])
def test_every_output_shows_the_same_digits(kind: str, epsilon: str) -> None:
    of = hospital(kind)
    for wishes in ({}, {"public_rows": 400}, {"max_rows": 450}):
        card = of.release(epsilon, **wishes)  # type: ignore[arg-type]
        assert card.repair.kind == kind
        shown = {name: read(card) for name, read in OUTPUTS.items()}
        assert len({(told.low, told.high) for told in shown.values()}) == 1, shown
        values = {told.value for told in shown.values() if told.value is not None}
        assert len(values) == (card.grade.value is not None and card.grade.low != card.grade.high)


def test_a_card_from_a_ledger_shows_its_grade_again(tmp_path: Path) -> None:
    ledger = candling.create_ledger(tmp_path / "budget.ledger")
    ledger.add("visits", 3)
    of = hospital("lower_bound")
    fresh, again = (
        of.release(2, ledger=ledger, dataset="visits", request_id="one") for _ in range(2)
    )
    assert fresh.receipt is not None
    assert again.receipt is not None
    assert again.receipt.repeated
    assert again.grade == fresh.grade
    for name, read in OUTPUTS.items():
        assert read(again) == read(fresh), name
    alike = replace(again, receipt=fresh.receipt, signature=fresh.signature)
    assert card_page(alike) == card_page(fresh)


def test_the_command_line_shows_one_grade(
    run: Run,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The same request again and again, in every format: one card."""
    monkeypatch.chdir(tmp_path)
    lines = [f"{i // 4},{i // 4 + (i % 40 == 3)}" for i in range(400)]
    Path("table.csv").write_text("\n".join(["a,b", *lines]), encoding="utf-8")
    Path("rules.txt").write_text(
        "type a, b: number\na -> b\nb -> a\nnot(t1.a < t2.a and t1.b > t2.b)\n"
    )
    run("ledger", "init", "budget.ledger")
    run("ledger", "add", "budget.ledger", "--dataset", "d", "--budget", "2")
    asked = ["release", "table.csv", "rules.txt", "--epsilon", "2", "--measures", "repair,rows"]
    asked += ["--ledger", "budget.ledger", "--dataset", "d", "--request-id", "r"]
    found = []
    for columns in ("60", "80", "120"):
        monkeypatch.setenv("COLUMNS", columns)
        shown = run(*asked, "--fail-if", "grade < 1%").out
        found.append(_one(shown))
        judged = re.search(r"grade is not below 1%\s+\(([\d.]+)%\s+to\s+([\d.]+)%\)", shown)
        assert judged is not None
        assert judged.groups() == found[0]
    found.append(_one(run(*asked, "--format", "markdown").out.replace("*", "")))
    card = json.loads(run(*asked, "--json").out)
    found.append(_numbers(card["grade"]))
    table = list(csv.DictReader(run(*asked, "--format", "csv").out.splitlines()))
    found.append(_numbers({n: float(table[0][n]) for n in ("low", "high")}))
    Path("card.json").write_text(json.dumps(card), encoding="utf-8")
    found.append(_one(run("explain", "card.json").out))
    run(*asked, "--report", "card.html")
    page = re.sub(r"<[^>]+>", "", Path("card.html").read_text(encoding="utf-8"))
    found.append(_one(page))
    assert len(set(found)) == 1, found


def _one(text: str) -> tuple[str, ...]:
    found = set(re.findall(WORDS, " ".join(text.split())))
    assert len(found) == 1, text
    return tuple(found.pop())


def _numbers(told: dict[str, float]) -> tuple[str, ...]:
    low, high = percent(told["low"], up=False), percent(told["high"], up=True)
    return low.removesuffix("%"), high.removesuffix("%")


@pytest.mark.parametrize("kind", RULES)
def test_a_card_survives_its_json_to_the_last_digit(kind: str) -> None:
    for epsilon in ("0.3", "3", "30"):
        card = hospital(kind).release(
            epsilon, measures=["rows", "repair", "problematic", "by_rule"]
        )
        told = json.loads(json.dumps(card.to_dict()))
        again = candling.Card.from_dict(told)
        assert again.to_dict() == told == card.to_dict()
        assert again.grade == card.grade
        assert card_page(again) == card_page(card)
