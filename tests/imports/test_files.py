"""Files of other tools, each read into the rules that stand beside it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from candling.imports import Imported, import_rules
from candling.rules import parse_constraints

FILES = Path(__file__).parent / "files"
GOLDEN = Path(__file__).parent / "golden"


@dataclass(frozen=True)
class Case:
    """A file, and the table in it."""

    file: str
    table: str | None = None
    dialect: str | None = None

    def __str__(self) -> str:
        return f"{self.file.replace('/', '-')}{'' if self.table is None else f'-{self.table}'}"

    def read(self, folder: Path) -> Imported:
        lists = folder / "currencies.csv"
        lists.write_text("code\nEUR\nUSD\n")
        return import_rules(
            FILES / self.file,
            table=self.table,
            dialect=self.dialect,
            public={"currencies": "currencies.csv"},
        )


CASES = [
    Case("dbt/jaffle.yml", "customers"),
    Case("dbt/jaffle.yml", "orders"),
    Case("dbt/marts.yml"),
    Case("dbt/sources.yml", "stripe.charge"),
    Case("dbt/sources.yml", "country_codes"),
    Case("dbt/hostile_names.yml"),
    Case("sql/shop.sql", "customers", "postgres"),
    Case("sql/shop.sql", "orders", "postgres"),
    Case("sql/mysql.sql", None, "mysql"),
    Case("sql/sqlite.sql", None, "sqlite"),
    Case("sql/snowflake.sql", None, "snowflake"),
    Case("sql/bigquery.sql", None, "bigquery"),
    Case("sql/spark.sql", None, "spark"),
    Case("odcs/payments.odcs.yaml"),
    Case("odcs/older.yaml", "orders"),
    Case("odcs/older.yaml", "line_items"),
    Case("gx/old_suite.json"),
    Case("gx/new_suite.json"),
    Case("pandera/schema.yaml"),
    Case("pandera/schema.json"),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_rules_are_those_beside_the_file(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CANDLING_UPDATE_GOLDEN=1 writes them again; look at the difference."""
    monkeypatch.chdir(tmp_path)
    imported = case.read(tmp_path)
    golden = GOLDEN / f"{case}.txt"
    if os.environ.get("CANDLING_UPDATE_GOLDEN"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(imported.text, encoding="utf-8")
    assert imported.text == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_rules_can_be_read_one_by_one(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    imported = case.read(tmp_path)
    labels = [rule.label for rule in imported.rules]
    assert len({label.lower() for label in labels}) == len(labels)
    for rule in imported.rules:
        (constraint,) = parse_constraints(str(rule))
        assert constraint.label == rule.label
    stated = {line.column: line.type for line in imported.constraints.types}
    assert stated == imported.types
    if imported.rules:
        assert [c.label for c in imported.constraints] == labels
    for gate in imported.fail_if:
        assert gate.partition("/")[0].partition(" ")[0] in (*labels, "rows")


def test_nothing_is_left_out_silently(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every file: how many tests there are, counted in the text, and what became of them."""
    monkeypatch.chdir(tmp_path)
    marts = Case("dbt/marts.yml").read(tmp_path)
    text = (FILES / "dbt/marts.yml").read_text()
    tests = sum(
        line.lstrip().startswith("- ") and "name:" not in line and "- type" not in line
        for line in text.splitlines()
    )
    origins = {o for r in marts.rules for o in r.origin.split("; ") if "constraint" not in o}
    origins |= {left.origin for left in marts.left_out} | {gate.origin for gate in marts.gates}
    assert len(origins) == tests == 31


SAID = {  # tests and constraints that can be said, of all: the table of docs/import.md
    "dbt": (45, 56),
    "sql": (44, 50),
    "odcs": (28, 37),
    "gx": (23, 29),
    "pandera": (21, 24),
}


def test_how_much_can_be_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found: dict[str, tuple[int, int]] = {}
    for case in CASES:
        imported = case.read(tmp_path)
        said = {o for rule in imported.rules for o in rule.origin.split("; ")}
        said |= {gate.origin for gate in imported.gates}
        kind = case.file.partition("/")[0]
        before = found.get(kind, (0, 0))
        total = said | {left.origin for left in imported.left_out}
        found[kind] = (before[0] + len(said), before[1] + len(total))
    assert found == SAID
    page = (FILES.parents[2] / "docs" / "import.md").read_text(encoding="utf-8")
    for said_number, total_number in SAID.values():
        assert f"| {said_number} of {total_number} |" in page
