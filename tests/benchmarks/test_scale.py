"""How processes are stopped, and which bars are met."""

from __future__ import annotations

import argparse
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks import scale
from benchmarks.scale import CLEAN, GIB, GROUPS, MILLION, TEN_MILLION, UNION, Outcome, Stand

ENDED = Outcome(seconds=4.0, cpu=5.0, peak=GIB, counts={"pairs": 7})
STOPPED = Outcome(seconds=4.0, cpu=5.0, peak=GIB, stopped="stopped after 5 CPU s")


@pytest.fixture
def stand(tmp_path: Path) -> Stand:
    pq.write_table(pa.table({"A": [1, 1, 2], "B": [1, 2, 3]}), tmp_path / "table.parquet")
    (tmp_path / "rules.txt").write_text("A -> B\n")
    return Stand(tmp_path, memory=4 * GIB)


def verdicts(*results: scale.Result) -> dict[str, bool]:
    return {bar.promise: bar.met for bar in scale.bars(results)}


def test_a_rival_counts_in_a_process_of_its_own(stand: Stand) -> None:
    outcome = stand.run_rival(UNION, stand.folder / "rules.txt", limit=60)

    assert outcome.counts == {"pairs": 1}
    assert outcome.cpu > 0
    assert outcome.peak > 0
    assert not outcome.stopped


def test_a_process_is_stopped_by_its_cpu_time(stand: Stand) -> None:
    endless = stand.folder / "rival.txt"
    endless.write_text("SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b\n")

    outcome = stand._run(UNION, endless, limit=1)

    assert outcome.stopped == "stopped after 1 CPU s"
    assert outcome.cpu > 0.5  # the kernel counts in ticks


def test_a_process_is_stopped_by_its_memory(stand: Stand) -> None:
    lean = Stand(stand.folder, memory=1)

    outcome = lean.run_rival(UNION, stand.folder / "rules.txt", limit=60)

    assert outcome.stopped == "stopped at 0 GiB"


def test_a_process_that_fails_is_not_taken_for_one_that_was_stopped(stand: Stand) -> None:
    wrong = stand.folder / "rival.txt"
    wrong.write_text("SELECT nothing\n")

    assert stand._run(UNION, wrong, limit=60).stopped == "failed (1)"


@pytest.mark.parametrize(
    ("ours", "met"),
    [(ENDED, True), (Outcome(cpu=8.01), False), (STOPPED, False)],
)
def test_a_bar_on_cpu_time_is_met_by_a_run_that_ended_below_it(ours: Outcome, met: bool) -> None:
    assert verdicts((MILLION, {"candling": ours}))[f"{MILLION.name}: at most 8 CPU s"] is met


@pytest.mark.parametrize(
    ("groups", "met"),
    [(Outcome(cpu=2.0), True), (Outcome(cpu=1.0), False), (STOPPED, False)],
)
def test_the_bar_of_a_clean_table_is_a_ratio(groups: Outcome, met: bool) -> None:
    promise = f"{CLEAN.name}: at most 3 times DuckDB's groups of the same columns"

    assert verdicts((CLEAN, {"candling": ENDED, GROUPS: groups}))[promise] is met


@pytest.mark.parametrize(("cpu", "met"), [(88.0, True), (90.0, False)])
def test_growth_is_a_power_of_the_rows(cpu: float, met: bool) -> None:
    results = (MILLION, {"candling": ENDED}), (TEN_MILLION, {"candling": Outcome(cpu=cpu)})

    assert (
        verdicts(*results)["CPU time from 10^6 to 10^7 rows grows with at most power 1.25"] is met
    )


def test_ten_million_rows_must_end_in_time_and_memory() -> None:
    large = Outcome(seconds=601, cpu=1.0, peak=12 * GIB)

    found = verdicts((TEN_MILLION, {"candling": large}))

    assert found[f"{TEN_MILLION.name}: ends within 600 s by the clock"] is False
    assert found[f"{TEN_MILLION.name}: within 12 GiB"] is True


def test_another_count_than_ours_is_no_agreement() -> None:
    other = Outcome(cpu=1.0, counts={"pairs": 8})
    outcomes = {"candling": ENDED, UNION: other}

    assert verdicts((MILLION, outcomes))["all count the same"] is False
    assert verdicts((MILLION, outcomes | {UNION: ENDED}))["all count the same"] is True
    assert "all count the same" not in verdicts((MILLION, {"candling": ENDED}))
    assert scale.shown_counts(UNION, outcomes) == "8 pairs, DIFFERENT from candling"
    assert scale.shown_counts(UNION, outcomes | {UNION: ENDED}) == "7 pairs, as candling"


def test_a_stopped_rival_bounds_the_ratio() -> None:
    assert scale.shown_ratio({"candling": ENDED, UNION: STOPPED}, UNION) == "< 1.00"
    assert scale.shown_ratio({"candling": ENDED, UNION: Outcome(cpu=2.0)}, UNION) == "2.50"
    assert scale.shown_ratio({"candling": STOPPED, UNION: ENDED}, UNION) == ""


def test_a_rival_that_was_stopped_is_left_out_of_larger_tables_only() -> None:
    small, large = (scale.Case("tax", rows, 0.005) for rows in (10_000, 300_000))
    dirtier = scale.Case("tax", 300_000, 0.01)

    assert scale.did_not_end(UNION, large, [(small, {UNION: STOPPED})])
    assert not scale.did_not_end(UNION, large, [(small, {UNION: ENDED})])
    assert not scale.did_not_end(UNION, large, [(MILLION, {UNION: STOPPED})])
    assert not scale.did_not_end(UNION, dirtier, [(small, {UNION: STOPPED})])


def test_the_largest_tables_are_run_only_when_asked_for() -> None:
    def names(**chosen: bool) -> list[str]:
        options = {"all": False, "largest": False, "only": ""} | chosen
        return [case.name for case in scale.selection(argparse.Namespace(**options))]

    assert names() == [
        "tax 10,000 at 0.5%",
        "tax 100,000 at 0.5%",
        "tax 1,000,000 at 0.5%",
        "tax, continuous salary 1,000,000 at 0.5%",
        "tax 100,000 at 10.0%",
        "one dense group 100,000",
        "tax, clean 1,000,000",
    ]
    assert set(names(largest=True)) - set(names()) == {
        "tax 3,000,000 at 0.5%",
        "tax 10,000,000 at 0.5%",
    }
