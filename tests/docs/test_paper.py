"""The page about the paper: its numbers come from the results, the full run's where it has them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from candling_paper.experiments.comparison import EXPLANATIONS, NOISY, NOT_MEASURED, OPEN
from candling_paper.experiments.store import Row
from candling_paper.experiments.tables import from_csv, to_csv
from tools import DOCS
from tools.paper import TEMPLATE, Results, page

# What the paper and the authors' code set, or claim in words; everything else comes from a file.
SETTINGS = {"0.005", "0.01", "0.05", "0.08", "0.1", "1.4", "5.5"}
ADDED = {"as_printed": "as_coded", "r2t_as_printed": "r2t_as_coded", "ours": "ours_one_draw"}


@pytest.fixture
def with_full(tmp_path: Path) -> Path:
    """Results in which a full run has ways that the quick one has not."""
    folder = tmp_path / "docs" / "paper"
    full = folder / "full"
    full.mkdir(parents=True)
    for path in (DOCS / "paper").glob("*.csv"):
        shutil.copy(path, folder)
        rows = from_csv(path.read_text(encoding="utf-8"))
        (full / path.name).write_text(to_csv(more(rows)), encoding="utf-8")
    (full / "manifest.json").write_text("{}", encoding="utf-8")
    return folder


def more(rows: list[Row]) -> list[Row]:
    known = {row.get("method") for row in rows}
    added = {old: new for old, new in ADDED.items() if new not in known}
    return rows + [
        {**row, "method": new}
        for old, new in added.items()
        for row in rows
        if row.get("method") == old
    ]


def test_the_full_run_is_preferred(with_full: Path) -> None:
    text = page(with_full)
    assert "(full run)" in text
    assert "(quick run)" not in text
    assert "paper/full/manifest.json" in text
    assert "R2T as coded" in text
    assert "ours, one draw" in text
    assert "from before the authors' code" not in text


def test_a_table_that_the_full_run_lacks_is_the_quick_one(with_full: Path) -> None:
    (with_full / "full" / "budgets.csv").unlink()
    results = Results(with_full)
    assert (results.run("budgets"), results.run("utility")) == ("quick", "full")
    assert "[budgets.csv](paper/budgets.csv) (quick run)" in page(with_full)


def test_a_changed_number_changes_the_page(with_full: Path) -> None:
    before = page(with_full)
    path = with_full / "full" / "true_vs_private_rnoise_means.csv"
    rows = from_csv(path.read_text(encoding="utf-8"))
    for row in rows:
        if (row["dataset"], row["measure"], row["method"]) == ("adult", "problematic", "ours"):
            row["error"] = 0.54321
    path.write_text(to_csv(rows), encoding="utf-8")
    assert "0.543 ±" not in before
    assert "0.543 ±" in page(with_full)


def test_no_number_is_typed() -> None:
    text = TEMPLATE.read_text(encoding="utf-8")
    prose = re.sub(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}|\]\([^)]*\)", "", text, flags=re.DOTALL)
    prose = re.sub(r"\b\d+\.\d+/\d+|arXiv:\S+", "", prose)  # doi and arXiv
    assert set(re.findall(r"\b\d+\.\d+\b", prose)) <= SETTINGS


def test_the_tests_that_the_page_names_exist() -> None:
    named = set(re.findall(r"`(test_\w+)`", TEMPLATE.read_text(encoding="utf-8")))
    tests = "".join(p.read_text(encoding="utf-8") for p in (DOCS.parent / "tests").rglob("*.py"))
    assert len(named) > 10
    assert {name for name in named if f"def {name}(" not in tests} == set()


def test_every_mark_is_known() -> None:
    marks = {str(row["mark"]) for row in Results(DOCS / "paper").rows("published_against_measured")}
    others = {m for m in marks if not m.startswith("agrees")}
    assert others <= {*EXPLANATIONS, OPEN, NOISY, NOT_MEASURED}
