"""Every experiment end to end, on small look-alikes."""

from __future__ import annotations

import csv
import json
import platform
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest

import candling
from candling.errors import UsageError
from candling_paper.datasets import LOOKALIKE, datasets
from candling_paper.experiments import (
    EXPERIMENTS,
    FULL,
    Mode,
    Outcome,
    Setup,
    chosen,
    dataset_table,
    run,
)
from candling_paper.experiments import published_values as printed
from candling_paper.experiments.dirty_tables import rnoise_cell
from candling_paper.experiments.environment import code_digest
from candling_paper.experiments.estimates import MAIN, Case
from candling_paper.experiments.redraw import redraw
from candling_paper.experiments.run_time import Timing
from candling_paper.experiments.store import FOLDER, FORMAT, Cell, Row, Store

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
    run_sparse_samples=1,
    run_tables=1,
    run_draws=2,
    rival_draws=2,
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
    drawn = {e.name for e in EXPERIMENTS.values() if e.draw is not None}
    assert {path.stem for path in out.glob("*.svg")} == drawn
    assert not list(out.rglob("*.tmp"))


@pytest.mark.parametrize("name", [n for n, e in EXPERIMENTS.items() if e.draw and n != "utility"])
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
        *("error_as_published", "error_as_published_se", "draws", "threshold"),
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


def every_printed(thing: object) -> Iterator[printed.Printed]:
    """All printed numbers in a value of the module, however deep."""
    if isinstance(thing, printed.Printed):
        yield thing
    elif isinstance(thing, Mapping):
        for value in thing.values():
            yield from every_printed(value)
    elif isinstance(thing, tuple):
        for value in thing:
            yield from every_printed(value)


def test_every_printed_number_is_compared(made: tuple[Path, dict[str, Outcome]]) -> None:
    rows = read(made[0] / "published_against_measured.csv")
    found = {(row["what"], row["where"], float(row["printed"])) for row in rows}
    everything = [p for value in vars(printed).values() for p in every_printed(value)]
    assert len(everything) > 80
    for p in everything:
        assert (p.what, p.where, float(f"{p.value:.6g}")) in found
    for name, described in printed.DATASETS.items():
        what = f"largest degree, {name.capitalize()}"
        assert (what, described.where, described.max_degree) in found
    assert all(row["mark"] for row in rows)
    assert len(found) == len(rows)  # each once
    page = (made[0] / "published_against_measured.md").read_text()
    assert all(f"\n## {name}\n" in page for name in ("introduction", "datasets", "budgets"))


@pytest.mark.long
def test_redrawing_from_the_files_says_the_same(
    made: tuple[Path, dict[str, Outcome]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("candling_paper.experiments.figures.FORMATS", ("svg",))
    for path in made[0].glob("*.csv"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    redraw(tmp_path, TINY)
    assert {p.name for p in tmp_path.glob("*.svg")} == {p.name for p in made[0].glob("*.svg")}
    for name in ("published_against_measured.csv", "true_vs_private_rnoise_means.csv"):
        rows, again = read(made[0] / name), read(tmp_path / name)
        words = [c for c in rows[0] if c in {"what", "mark", "dataset", "method", "se_over"}]
        assert [[r[c] for c in words] for r in rows] == [[r[c] for c in words] for r in again]


def test_the_worked_examples(made: tuple[Path, dict[str, Outcome]]) -> None:
    rows = read(made[0] / "examples.csv")
    assert len(rows) == 2 + 9 + 3 + 3 + 6 + 14 + 3
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
        assert total == 6
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
    assert (outcome.cells, outcome.computed) == (6, 3)
    assert outcome.written == ["datasets.csv", "datasets.png", "datasets.svg"]
    drawn = (tmp_path / "datasets.png").read_bytes()
    (outcome,) = run(only, SETUP, tmp_path, fresh=True)
    assert outcome.computed == 6
    assert (tmp_path / "datasets.png").read_bytes() == drawn  # the same numbers, the same bytes


def test_a_broken_cell_is_computed_again(tmp_path: Path) -> None:
    cell, store = Cell("kind", {"step": 1}, lambda: [{"a": 1.5}]), Store(tmp_path)
    assert store.get(cell) is None
    assert store.compute(cell) == [{"a": 1.5}]
    assert store.get(cell) == [{"a": 1.5}]
    made = store.made(cell)
    assert made is not None
    assert (made.format, made.code) == (FORMAT, code_digest())
    assert made.started <= made.ended
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


def test_the_manifest(made: tuple[Path, dict[str, Outcome]]) -> None:
    text = (made[0] / "manifest.json").read_text()
    found = json.loads(text)
    assert set(found["experiments"]) == set(EXPERIMENTS)
    assert found["mode"]["name"] == "tiny"
    assert found["mode"]["draws"] == TINY.draws
    assert found["versions"]["candling"] == candling.__version__
    assert all(found["versions"][name] for name in ("python", "numpy", "numba", "opendp", "duckdb"))
    assert set(found["machine"]) == {
        *("processor", "architecture", "cores", "memory_gib", "system"),
    }
    assert platform.node() not in text
    assert str(Path.home()) not in text
    for name, times in found["experiments"].items():
        assert times["cells"] == made[1][name].cells
        assert times["started"] <= times["ended"]
        assert times["cpu_seconds"] >= 0
    # The strategies look at the tables of another experiment, which count once.
    every = sum(times["cells"] for times in found["experiments"].values())
    assert found["all"]["cells"] == every - found["experiments"]["strategies"]["cells"]
    assert found["made_by_one_version"] is True
    assert [m["format"] for m in found["made_by"]] == [FORMAT]
    assert found["datasets"]["adult"]["real"] is False


def test_cells_of_other_code_are_told_apart(tmp_path: Path) -> None:
    only = chosen(["datasets"])
    run(only, SETUP, tmp_path)
    cell = next((tmp_path / FOLDER).iterdir())
    cell.write_text(cell.read_text().replace(code_digest(), "0123456789abcdef"))
    run(only, SETUP, tmp_path)
    found = json.loads((tmp_path / "manifest.json").read_text())
    assert found["made_by_one_version"] is False
    assert {m["code"]: m["cells"] for m in found["made_by"]} == {
        code_digest(): 5,
        "0123456789abcdef": 1,
    }


@pytest.mark.long
def test_several_processes_find_the_same_as_one(tmp_path: Path) -> None:
    some = chosen(["datasets", "examples", "run_time_datasets"])
    steps: list[tuple[int, int]] = []
    one, two = tmp_path / "one", tmp_path / "two"
    run(some, SETUP, one)
    store = Store(two)
    first = next(iter(some[1].cells(SETUP)))
    store.compute(first)  # as if an earlier run had been killed
    outcomes = run(some, SETUP, two, processes=2, progress=lambda _, *counts: steps.append(counts))
    assert [o.name for o in outcomes] == ["examples", "datasets", "run_time_datasets"]
    assert [o.computed for o in outcomes] == [1, 5, 5]
    assert (two / "datasets.csv").read_bytes() == (one / "datasets.csv").read_bytes()
    assert steps[0] == (1, 12)
    assert steps == sorted(steps)  # the bar only moves forward
    assert steps[-1] == (12, 12)


def test_what_measures_time_comes_last(tmp_path: Path) -> None:
    labels: list[str] = []
    some = chosen(["run_time_datasets", "utility"])
    assert [e.name for e in some] == ["run_time_datasets", "utility"]
    outcomes = run(some, SETUP, tmp_path, progress=lambda label, *_: labels.append(label))
    kinds = list(dict.fromkeys(label.split()[0].rstrip(":") for label in labels))
    assert kinds == ["utility", "run_time_datasets", "done"]
    assert [o.name for o in outcomes] == ["run_time_datasets", "utility"]


def test_a_race_for_a_cell_leaves_it_whole(tmp_path: Path) -> None:
    rows: list[Row] = [{"a": i} for i in range(2_000)]
    cell, store = Cell("kind", {}, lambda: rows), Store(tmp_path)
    seen: list[list[Row] | None] = []

    def compute() -> None:
        for _ in range(5):
            store.compute(cell)
            seen.append(store.get(cell))

    threads = [Thread(target=compute) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found == rows for found in seen)
    assert len(seen) == 15


def test_a_loop_that_would_take_too_long_is_not_started() -> None:
    timing = Timing("run_time_rows", SETUP.data["tax_lookalike"], 2_000, 0.01)
    mode = replace(TINY, loop_seconds=1e-5)
    rows = timing.cell(replace(SETUP, mode=mode)).compute()
    notes = [str(row["note"]) for row in rows if row["method"] == "as_printed"]
    assert len(notes) == 3
    assert all("not run: passes over all these pairs take more than" in note for note in notes)


def test_full_mode_is_the_papers_scale_and_no_loop_takes_an_hour() -> None:
    assert FULL.samples == FULL.degree_samples == FULL.intro_samples == 10
    assert FULL.rows == 10_000
    assert FULL.loop_seconds <= 60


def test_the_small_real_files_stay_in_the_table_of_datasets() -> None:
    small = replace(SETUP.data["hospital"], name="hospital_10k", origin="real rows")
    setup = replace(SETUP, data={**SETUP.data, "hospital_10k": small})
    found = [cell for cell in dataset_table.cells(setup) if "hospital_10k" in cell.label]
    (row,) = found[0].compute()
    assert (row["dataset"], row["data"], row["sample"]) == ("hospital_10k", "real rows", 0)
    assert row["printed_rows"] == 114_919
    assert row["rows_in_all"] is None  # of a look-alike: chosen, not found


def test_names() -> None:
    assert [e.name for e in chosen(["budgets", "examples"])] == ["examples", "budgets"]
    with pytest.raises(UsageError, match="Did you mean strategies"):
        chosen(["strategy"])
