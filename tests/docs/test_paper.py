"""The page about the paper: its numbers come from the results in docs/paper."""

from __future__ import annotations

import csv
import json
import math
import re
import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from statistics import fmean

import pytest

from candling_paper.experiments.comparison import NOISY, NOT_MEASURED, OPEN, REASONS
from candling_paper.experiments.tables import from_csv, to_csv
from tools import DOCS
from tools.claims import CLAIMS, PLURALS
from tools.paper import TEMPLATE, Results, page

RESULTS = DOCS / "paper"
# What the paper and the authors' code set or print; everything else comes from a file.
SETTINGS = {"0.005", "0.5", "0.05", "0.08", "0.4", "0.6", "1.4"}
FIVE = ("stock", "tax", "hospital", "flight", "adult")
PAIRS, ROWS, REPAIR = "minimal_inconsistent", "problematic", "repair"


def test_a_changed_number_changes_the_page(tmp_path: Path) -> None:
    folder = tmp_path / "docs" / "paper"
    shutil.copytree(RESULTS, folder)
    before = page(folder)
    path = folder / "true_vs_private_rnoise_means.csv"
    rows = from_csv(path.read_text(encoding="utf-8"))
    for row in rows:
        if (row["dataset"], row["measure"], row["method"]) == ("adult", ROWS, "ours"):
            row["error"] = 0.54321
    path.write_text(to_csv(rows), encoding="utf-8")
    assert "0.543 ±" not in before
    assert "0.543 ±" in page(folder)


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


def test_every_mark_is_known_and_no_number_is_there_twice() -> None:
    rows = read("published_against_measured")
    others = {r["mark"] for r in rows if not r["mark"].startswith("agrees")}
    assert others <= {*REASONS, OPEN, NOISY, NOT_MEASURED}
    assert len({(r["what"], r["where"]) for r in rows}) == len(rows)
    assert {r["kind"] for r in rows} == {"experiment", "example", "fact"}


def test_every_claim_has_a_verdict_and_what_it_rests_on() -> None:
    results = Results(RESULTS)
    for claim in CLAIMS:
        verdict, evidence = claim.judge(results)
        assert verdict in PLURALS
        assert len(evidence) > 8


def test_docs_paper_is_small_and_says_what_made_it() -> None:
    files = [path for path in RESULTS.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 2_500_000
    runs = json.loads((RESULTS / "manifest.json").read_text(encoding="utf-8"))["runs"]
    made = [name for run in runs for name in run["experiments"]]
    assert len(made) == len(set(made))
    for path in RESULTS.glob("*.svg"):
        assert path.stem in made
    for run in runs:
        assert run["made_by"]
        assert run["mode"]["name"] == "full"


# -------------------------------------------- numbers of the page, once more from the CSV files


def read(stem: str) -> list[dict[str, str]]:
    with (RESULTS / f"{stem}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def pick(stem: str, column: str, **wanted: str) -> list[float]:
    rows = (r for r in read(stem) if all(r[k] == v for k, v in wanted.items()))
    return [float(r[column]) for r in rows if r[column]]


def of_samples(stem: str, column: str, **wanted: str) -> float:
    """The mean of the means of the samples."""
    groups: dict[str, list[float]] = {}
    for row in read(stem):
        if all(row[k] == v for k, v in wanted.items()) and row[column]:
            groups.setdefault(row["sample"], []).append(float(row[column]))
    return fmean(map(fmean, groups.values()))


def digits(value: float, count: int = 3) -> str:
    """As people read it."""
    if abs(value) >= 1_000:
        return f"{value:,.0f}"
    text = f"{float(f'{value:.{count}g}'):f}".rstrip("0").rstrip(".")
    return text or "0"


def cells(title: str, line: str, after: str = "") -> dict[str, str]:
    """A line of the table whose first title this is, by the titles of its columns."""
    text = (DOCS / "paper.md").read_text(encoding="utf-8")
    text = text[text.index(after) :]
    found = re.search(rf"^\| {re.escape(title)} \|.*(?:\n\|.*)+", text, re.MULTILINE)
    assert found, title
    rows = [[c.strip() for c in row[1:-1].split("|")] for row in found[0].splitlines()]
    for row in rows[2:]:
        if row[0] == line:
            return dict(zip(rows[0], row, strict=False))
    raise AssertionError(f"{title}: {line}")


def ends(values: Iterable[float]) -> str:
    known = list(values)
    return f"{digits(min(known), 2)} to {digits(max(known), 2)}"


@pytest.mark.parametrize("name", FIVE)
@pytest.mark.parametrize(("measure", "way"), [(PAIRS, "as run"), (ROWS, "as run, one choice")])
def test_errors_as_run(name: str, measure: str, way: str) -> None:
    method = {"as run": "as_run", "as run, one choice": "as_run_one"}[way]
    (error,) = pick("as_run_means", "error", dataset=name, measure=measure, method=method)
    said = cells(measure, name.capitalize(), "### The printed averages")[way]
    assert said.split(" ± ")[0] == digits(error)


@pytest.mark.parametrize("measure", [PAIRS, ROWS, REPAIR])
def test_means_over_the_five(measure: str) -> None:
    wanted = {"measure": measure, "method": "as_run"}
    mean = fmean(pick("as_run_means", "error", dataset=n, **wanted)[0] for n in FIVE)
    deviation = math.hypot(
        *(pick("as_run_means", "error_se", dataset=n, **wanted)[0] for n in FIVE)
    )
    said = cells(measure, "the paper's five", "### The printed averages")["as run"]
    assert said == f"{digits(mean)} ± {digits(deviation / 5, 2)}"


@pytest.mark.parametrize("kind", ["experiment", "example", "fact"])
def test_counts(kind: str) -> None:
    marks = Counter(
        "agree" if r["mark"].startswith("agrees") else r["mark"]
        for r in read("published_against_measured")
        if r["kind"] == kind
    )
    said = cells("printed numbers", f"{kind}s")
    assert said["agree"] == str(marks["agree"])
    assert said["open"] == str(marks["open"])
    assert said["differ for a tested reason"] == str(sum(marks[reason] for reason in REASONS))
    assert said["in all"] == str(marks.total())


@pytest.mark.parametrize("name", ["adult", "flight", "stock"])
def test_the_introductions_table(name: str) -> None:
    error = of_samples("introduction", "error", dataset=name, method="ours")
    said = cells("", "ours", "### The introduction's table")[name.capitalize()]
    assert said.split(" ± ")[0] == digits(error)


@pytest.mark.parametrize("way", ["opt2", "sql_counts", "ours"])
def test_rivals(way: str) -> None:
    label = {"opt2": "OPT2", "sql_counts": "one COUNT for each rule", "ours": "ours"}[way]
    wanted = {"measure": PAIRS, "noise": "RNoise", "method": way}
    for name in FIVE:
        (error,) = pick("rivals_means", "error", dataset=name, **wanted)
        said = cells(f"`{PAIRS}`, RNoise", label)[name.capitalize()]
        assert said.split(" ± ")[0] == digits(error)


def test_numbers_in_prose() -> None:
    text = re.sub(r"\s+", " ", (DOCS / "paper.md").read_text(encoding="utf-8"))
    loop = {
        (measure, rules): pick(
            "run_time_loop", "seconds", dataset="flight", measure=measure, rules=rules
        )[0]
        for measure in (PAIRS, ROWS)
        for rules in ("1", "13")
    }
    assert (
        f"A loop over one takes {digits(loop[PAIRS, '13'], 2)} s for `{PAIRS}` and "
        f"{digits(loop[ROWS, '13'], 2)} s for `{ROWS}` under all 13 rules"
    ) in text
    wanted = {"method": "graph", "alpha": "0.005"}
    (pairs,) = pick("run_time_rows", "pairs", rows="10000", **wanted)
    assert f"{pairs:,.0f} pairs in 10,000 rows of Tax" in text
    ratios = (
        pick("rivals_means", "error", dataset=n, measure=PAIRS, noise="RNoise", method="opt2")[0]
        / pick("rivals_means", "error", dataset=n, measure=PAIRS, noise="RNoise", method="ours")[0]
        for n in FIVE
    )
    assert f"OPT2 has {ends(ratios)} times our error with RNoise" in text
    held = [r["holds"] for r in read("utility") if r["case"] == "one candidate" and r["holds"]]
    assert f"it fails at {held.count('False')} of {len(held)} betas" in text
