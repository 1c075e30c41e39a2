"""A card has one life: what a ledger gives back equals what was released, verdicts included."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import candling
from candling.render.html import embedded
from tests.cli.conftest import Run, run  # noqa: F401 - a fixture
from tests.render.html.parsed import Page

EVERYTHING = [
    *("rows", "drastic", "minimal_inconsistent", "problematic", "maximal_consistent", "repair"),
    *("by_rule", "worst_rule"),
]
DIRTY = {"a": [i // 4 for i in range(80)], "b": [i // 4 + (i % 5 == 0) for i in range(80)]}
TABLES: dict[str, dict[str, list[Any]]] = {
    "dirty": DIRTY,
    "clean": {"a": list(range(60)), "b": [7] * 60},
    "junk": {"a": [1] * 60, "b": list(range(60))},
    "empty": {"a": [], "b": []},
}
ASKED: list[dict[str, Any]] = [
    {},
    {"measures": EVERYTHING},
    {"measures": EVERYTHING, "public_rows": 80},
    {"measures": EVERYTHING, "max_rows": 100},
    {"measures": ["all"]},
    {"measures": ["drastic"]},
    {"measures": ["repair"]},
    {"measures": ["problematic", "by_rule"]},
    {"person": "a", "rows_per_person": 2},
    {"person": "a"},
]
RULE = "zip: a -> b"


def table_of(name: str) -> pa.Table:
    columns = pa.schema({"a": pa.int64(), "b": pa.int64()})
    return pa.table(TABLES[name], schema=columns)


@pytest.mark.parametrize("asked", ASKED, ids=str)
@pytest.mark.parametrize("table", TABLES)
def test_a_replayed_card_equals_the_fresh_one(
    table: str, asked: dict[str, Any], tmp_path: Path
) -> None:
    ledger = candling.create_ledger(tmp_path / "budget.ledger", trial=True)
    ledger.add("visits", 5)
    fresh, again = (
        candling.release(
            table_of(table), [RULE, "b -> a"][: 1 if "by_rule" in str(asked) else 2], 1,
            gates=["rows > 5"] if "rows" in asked.get("measures", ["rows"]) else (),
            ledger=ledger, dataset="visits", request_id="once", **asked,
        )
        for _ in range(2)
    )  # fmt: skip
    assert fresh.receipt is not None
    assert again.receipt is not None
    assert (fresh.receipt.repeated, again.receipt.repeated) == (False, True)
    assert candling.Card.from_dict(json.loads(json.dumps(fresh.to_dict()))) == fresh
    assert candling.Card.from_dict(again.to_dict()) == again
    assert (again.measures, again.by_rule, again.grade) == (
        fresh.measures, fresh.by_rule, fresh.grade,
    )  # fmt: skip
    assert (again.evidence, again.gates, again.about) == (
        fresh.evidence, fresh.gates, fresh.about,
    )  # fmt: skip
    for level in (0.5, 0.9, 0.95, 0.99, 0.999):
        for one, two in zip((*fresh, *fresh.by_rule), (*again, *again.by_rule), strict=True):
            assert one.interval(level) == two.interval(level), (one.name, level)


def test_a_new_gate_on_the_same_request_is_free(tmp_path: Path) -> None:
    ledger = candling.create_ledger(tmp_path / "budget.ledger", trial=True)
    ledger.add("visits", 1)
    asked: dict[str, Any] = {"ledger": ledger, "dataset": "visits", "request_id": "once"}
    first = candling.release(table_of("dirty"), RULE, 1, gates=["rows > 500"], **asked)
    other = candling.release(table_of("dirty"), RULE, 1, gates=["rows < 500"], **asked)
    assert [str(verdict.outcome) for verdict in (*first.gates, *other.gates)] == ["pass", "fail"]
    assert other.measures == first.measures
    assert ledger.verify(first.to_dict(), other.to_dict()).receipts == 2
    forged = other.to_dict() | {"gates": first.to_dict()["gates"]}
    with pytest.raises(candling.LedgerError, match="signature"):
        ledger.verify(forged)


def test_json_and_page_carry_the_same_signed_card_with_its_gates(
    run: Run,  # noqa: F811 - the fixture
    tmp_path: Path,
) -> None:
    data, rules, place = (tmp_path / name for name in ("t.csv", "rules.txt", "budget.ledger"))
    data.write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in zip(*DIRTY.values(), strict=True)))
    rules.write_text(RULE)
    candling.create_ledger(place, trial=True).add("visits", 5)
    report = tmp_path / "card.html"
    paid = ["--ledger", str(place), "--dataset", "visits", "--request-id", "once"]
    gates = ["--fail-if", "rows > 500", "--fail-if", "grade < 1%"]
    asked = ["release", str(data), str(rules), "--epsilon", "1", *paid, *gates]
    done = run(*asked, "--json", "--report", str(report))
    assert done.code == 0, done.err
    content = json.loads(done.out)
    page = report.read_text(encoding="utf-8")
    text = Page(page).text
    assert "rows is not above 500" in text
    assert "grade is not below 1%" in text
    assert json.loads(str(embedded(page))) == content
    assert [gate["outcome"] for gate in content["gates"]] == ["pass", "pass"]
    again = json.loads(run(*asked, "--json").out)
    assert again["gates"] == content["gates"]


@pytest.mark.parametrize("label", ["a\u200bb", "tab\tbed", 'quo"ted', "ünïcode", "a: b", "x.y-1"])
def test_a_gate_finds_a_rule_by_any_label(label: str) -> None:
    quoted = label.replace('"', '""')
    written = f'"{quoted}"' if label.isprintable() else f'U&"{_escape(label)}"'
    card = candling.release(
        table_of("dirty"), f"{written}: a -> b", 100, measures=["by_rule", "rows"]
    )
    for form in {written, f'"{quoted}"'}:
        assert card.check(f"{form} > 0").failed
    assert candling.Card.from_dict(card.to_dict()).check(f"{written} > 0").failed


def _escape(label: str) -> str:
    return "".join(c if c.isprintable() else f"\\{ord(c):04X}" for c in label)
