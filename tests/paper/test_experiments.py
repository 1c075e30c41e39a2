"""Every experiment end to end, on small look-alikes."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from candling.errors import UsageError
from candling_paper.datasets import LOOKALIKE, datasets
from candling_paper.experiments import EXPERIMENTS, Mode, Outcome, Setup, chosen, run
from candling_paper.experiments import published_values as printed
from candling_paper.experiments.dirty_tables import rnoise_cell
from candling_paper.experiments.estimates import MAIN, Case
from candling_paper.experiments.run_time import Timing
from candling_paper.experiments.store import FOLDER, Cell, Store

pytest.importorskip("matplotlib")

TINY = Mode(
    name="tiny",
    samples=1,
    steps=1,
    draws=2,
    sizes=(100,),
    rule_counts=(1, 13),
    loop_seconds=1.0,
    quantile_draws=200,
    rows=100,
    iterations=10,
    degree_samples=1,
    intro_samples=1,
    intro_draws=2,
    epsilons=(0.1, 3.0),
    repeats=1,
)
SETUP = Setup(TINY, datasets(None), 2**30)


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Outcome]]:
    out = tmp_path_factory.mktemp("paper")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("candling_paper.experiments.figures.FORMATS", ("svg",))  # one will do
        return out, {o.name: o for o in run(chosen([]), SETUP, out)}


def test_everything_is_written(made: tuple[Path, dict[str, Outcome]]) -> None:
    out, outcomes = made
    assert list(outcomes) == list(EXPERIMENTS)
    for outcome in outcomes.values():
        assert (out / f"{outcome.name}.csv").stat().st_size
        for name in outcome.written:
            assert (out / name).stat().st_size < 600_000
    assert {path.stem for path in out.glob("*.svg")} == set(EXPERIMENTS) - {"examples"}
    assert not list(out.rglob("*.tmp"))


@pytest.mark.parametrize("name", [n for n in EXPERIMENTS if n not in ("examples", "utility")])
def test_figures_say_what_the_data_is(made: tuple[Path, dict[str, Outcome]], name: str) -> None:
    text = re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", (made[0] / f"{name}.svg").read_text()))
    assert LOOKALIKE in text
    assert "Tiny mode." in text
    if name != "datasets":  # which releases nothing
        assert "not private" in text


def test_columns(made: tuple[Path, dict[str, Outcome]]) -> None:
    rows = read(made[0] / "true_vs_private_rnoise.csv")
    assert set(rows[0]) == {
        *("dataset", "data", "rows", "sample", "noise", "alpha", "iterations", "step", "measure"),
        *("method", "private", "epsilon", "truth", "mean", "std", "error", "error_se"),
        *("error_as_published", "draws", "threshold"),
    }
    assert len(rows) == 5 * TINY.steps * (8 + 5 + 5)
    private = {row["method"]: row["private"] for row in rows}
    assert set(private) == set(MAIN)
    assert {m for m, said in private.items() if said == "yes"} == {
        "made_private",
        "r2t_made_private",
        "ours",
        "ours_one_draw",
    }
    means = read(made[0] / "true_vs_private_rnoise_means.csv")
    assert {float(row["printed"]) for row in means if row["printed"]} == {
        p.value for table in (printed.ERRORS, printed.ERRORS_R2T) for p in table.values()
    }
    strategies = read(made[0] / "strategies.csv")
    assert {r["private"] for r in strategies if r["method"] == "baseline_2"} == {"not private"}
    assert len({r["method"] for r in strategies}) == 14


def test_every_printed_number_is_compared(made: tuple[Path, dict[str, Outcome]]) -> None:
    rows = read(made[0] / "published_against_measured.csv")
    found = {(row["what"], row["where"], float(row["printed"])) for row in rows}
    tables = (
        *(printed.INTRO_R2T, printed.INTRO_PAPER, printed.ERRORS, printed.ERRORS_R2T),
        *(printed.ERRORS_OVER_ALL, printed.SECONDS_BY_ROWS, printed.SECONDS_BY_RULES),
        *(printed.SCORES, printed.ONE_CHOICE, printed.SECOND_CHOICE),
    )
    everything = [p for table in tables for p in table.values()]
    everything += [p for row in printed.QUALITY.values() for p in row]
    everything += [p for row in printed.COVERS for p in row]
    everything += [*printed.INTRO_RANGE, printed.TAX_PAIRS, printed.PRIVATE_LP]
    for p in everything:
        assert (p.what, p.where, float(f"{p.value:.6g}")) in found
    page = (made[0] / "published_against_measured.md").read_text()
    assert all(f"\n## {name}\n" in page for name in ("introduction", "datasets", "budgets"))


def test_the_worked_examples(made: tuple[Path, dict[str, Outcome]]) -> None:
    rows = read(made[0] / "examples.csv")
    assert len(rows) == 9 + 3 + 3 + 6 + 14
    for row in rows:
        if "Algorithm 4" in row["what"]:
            continue  # where the example and the algorithm differ
        assert float(row["computed"]) == pytest.approx(float(row["printed"]), abs=0.0101)


def test_the_bound_fails_where_choosing_has_most_of_the_budget(
    made: tuple[Path, dict[str, Outcome]],
) -> None:
    rows = [r for r in read(made[0] / "utility.csv") if r["method"] == "as_printed"]
    assert {r["holds"] for r in rows if r["case"] == "example"} == {"True"}
    assert "False" in {r["holds"] for r in rows if r["case"] == "one candidate"}


def test_a_second_run_computes_nothing_and_changes_nothing(
    made: tuple[Path, dict[str, Outcome]], monkeypatch: pytest.MonkeyPatch
) -> None:
    out, _ = made
    before = {path: path.read_bytes() for path in out.iterdir() if path.is_file()}
    monkeypatch.setattr("candling_paper.experiments.figures.FORMATS", ("svg",))
    monkeypatch.setattr(Case, "of", lambda *_: pytest.fail("computed again"))
    again = run(chosen(["introduction", "datasets", "utility"]), SETUP, out)
    assert sum(o.computed for o in again) == 0
    assert {path: path.read_bytes() for path in out.iterdir() if path.is_file()} == before


def stop_after(cells: int) -> Callable[[str, int, int], None]:
    def progress(_: str, done: int, total: int) -> None:
        assert total == 5
        if done == cells:
            raise KeyboardInterrupt

    return progress


def test_a_stopped_run_goes_on_where_it_was(tmp_path: Path) -> None:
    only = chosen(["datasets"])
    with pytest.raises(KeyboardInterrupt):
        run(only, SETUP, tmp_path, progress=stop_after(3))
    assert not list(tmp_path.glob("*.csv"))
    assert len(list((tmp_path / FOLDER).iterdir())) == 3
    (outcome,) = run(only, SETUP, tmp_path)
    assert (outcome.cells, outcome.computed) == (5, 2)
    assert outcome.written == ["datasets.csv", "datasets.png", "datasets.svg"]
    drawn = (tmp_path / "datasets.png").read_bytes()
    (outcome,) = run(only, SETUP, tmp_path, fresh=True)
    assert outcome.computed == 5
    assert (tmp_path / "datasets.png").read_bytes() == drawn  # the same numbers, the same bytes


def test_a_broken_cell_is_computed_again(tmp_path: Path) -> None:
    cell, store = Cell("kind", {"step": 1}, lambda: [{"a": 1.5}]), Store(tmp_path)
    assert store.get(cell) is None
    store.put(cell, cell.compute())
    assert store.get(cell) == [{"a": 1.5}]
    (tmp_path / FOLDER / cell.key).write_text("{")
    assert store.get(cell) is None


def test_settings_and_data_decide_the_cell() -> None:
    def key(setup: Setup = SETUP, *, alpha: float = 0.01, draws: int = 3) -> str:
        return rnoise_cell(setup, "tax", alpha=alpha, sample=0, ways=MAIN, draws=draws).key

    real = replace(SETUP.data["tax"], origin="a file")
    other = replace(SETUP, data={**SETUP.data, "tax": real})
    more = replace(SETUP, mode=replace(TINY, rows=300))
    assert len({key(), key(alpha=0.02), key(draws=4), key(other), key(more)}) == 5
    assert key() == key(replace(SETUP, mode=replace(TINY, name="other", steps=7)))


def test_what_needs_too_much_memory_is_not_run() -> None:
    timing = Timing("run_time_rows", SETUP.data["tax_lookalike"], 2_000, 0.01)
    rows = timing.cell(replace(SETUP, memory=2**10)).compute()
    assert len(rows) == 10
    for row in rows:
        if row["method"] in ("ours", "graph"):
            assert row["seconds"] is not None
        else:
            assert row["seconds"] is None
            assert str(row["note"]).startswith("not run: ")


def test_names() -> None:
    assert [e.name for e in chosen(["budgets", "examples"])] == ["examples", "budgets"]
    with pytest.raises(UsageError, match="Did you mean strategies"):
        chosen(["strategy"])
