"""The published runs as they are repeated: order, missing values, ordered pairs, empty tables."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.optimize import linprog

import candling
from candling_paper import as_coded, as_run, lookalikes
from candling_paper.all_rows import read_all_rows
from candling_paper.as_coded import Strategy
from candling_paper.experiments import as_run as experiment
from candling_paper.experiments.store import Row
from candling_paper.experiments.tables import Estimate
from candling_paper.noise import rnoise
from candling_paper.ordered_results import one_way, results_not_private
from candling_paper.published_race import r2t_as_run_not_private
from tests.paper.recorder import Recorder

ROWS, PAIRS = "problematic", "minimal_inconsistent"


def test_rows_with_a_missing_value_count_and_conflict_with_none() -> None:
    table = pa.table({"a": [1, 1, 1], "b": [1, 2, 3], "other": [None, "x", "y"]})
    rules = candling.parse_constraints("a -> b")
    seen = as_run.not_private(table, rules, table)
    seen.pool.prepare([9])
    assert seen.rows == 3
    assert seen.pool.kept(9, 0) == (1, 2)
    assert seen.groups == (3,)  # the bound is read from all rows
    floats = pa.table({"a": [1.0, float("nan")]})
    assert as_run.without_nulls(floats).num_rows == 1


def test_a_sample_is_shuffled_the_same_way_each_time() -> None:
    table = pa.table({"a": list(range(50))})
    assert as_run.shuffle(table, 3).equals(as_run.shuffle(table, 3))
    assert sorted(as_run.shuffle(table, 3)["a"].to_pylist()) == list(range(50))
    assert not as_run.shuffle(table, 3).equals(as_run.shuffle(table, 4))


@pytest.mark.parametrize(("form", "choices"), [(as_run.TWO_CHOICES, 2), (as_run.ONE_CHOICE, 1)])
def test_the_noise_gets_0_6_and_rows_are_chosen_twice_or_once(
    form: as_coded.Form, choices: int
) -> None:
    table = pa.table({"a": [1] * 9, "b": [1] * 8 + [2]})
    seen = as_run.not_private(table, candling.parse_constraints("a -> b"), table)
    watched: Any = Recorder(takes=5)
    (answer,) = as_coded.releases_not_private(seen, ROWS, 1.0, 1, watched, Strategy.TWO, form)
    assert len(watched.choices) == choices
    assert watched.scales == [answer.threshold / 0.6]


# ------------------------------------------------------------------------------- ordered pairs


def brute_results(rows: list[tuple[int, int]], rules: str, threshold: float) -> tuple[int, float]:
    """All ordered pairs that break a rule, and the linear program over them."""
    forbidden = {
        "a -> b": lambda t, u: t[0] == u[0] and t[1] != u[1],
        "not(t1.a < t2.a and t1.b < t2.b)": lambda t, u: t[0] < u[0] and t[1] < u[1],
    }
    lines = rules.splitlines()
    found = [
        (i, j)
        for i, j in product(range(len(rows)), repeat=2)
        if i != j and any(forbidden[line](rows[i], rows[j]) for line in lines)
    ]
    if not found:
        return 0, 0.0
    uses = np.zeros((len(rows), len(found)))
    for column, pair in enumerate(found):
        uses[list(pair), column] = 1
    kept = linprog([-1.0] * len(found), A_ub=uses, b_ub=[threshold] * len(rows), bounds=(0, 1))
    return len(found), -float(kept.fun)


@pytest.mark.parametrize(
    "rules",
    ["a -> b", "not(t1.a < t2.a and t1.b < t2.b)", "a -> b\nnot(t1.a < t2.a and t1.b < t2.b)"],
)
def test_results_are_ordered_pairs_and_the_program_is_theirs(rules: str) -> None:
    rng = np.random.default_rng(11)
    for _ in range(5):
        rows = [tuple(map(int, row)) for row in rng.integers(0, 3, (8, 2))]
        table = pa.table({"a": [r[0] for r in rows], "b": [r[1] for r in rows]})
        parsed = candling.parse_constraints(rules)
        thresholds = (1.0, 2.0, 4.0, 6.0)
        found = results_not_private(read_all_rows(table, parsed), parsed, thresholds)
        for threshold, kept in zip(thresholds, found.kept, strict=True):
            total, most = brute_results(rows, rules, threshold)  # type: ignore[arg-type]
            assert found.total == total
            assert kept == pytest.approx(most)


def test_mirror_images_are_broken_in_both_orders() -> None:
    tax = candling.load_constraints(lookalikes.rules("tax"))
    adult = candling.load_constraints(lookalikes.rules("adult"))
    assert one_way(tax) == set()
    assert [str(rule) for rule in one_way(adult)] == [
        "not(t1.Gain < t2.Gain and t1.Loss < t2.Loss)"
    ]


def test_a_negative_answer_of_r2t_is_0() -> None:
    rng = np.random.default_rng(2)
    answers = [r2t_as_run_not_private([3.0, 3.0], [5.5, 30.25], 1.0, rng) for _ in range(30)]
    assert min(answers) == 0


# ---------------------------------------------------------------------------------- the figures


def row(step: float, truth: float, error: float | None, **more: object) -> Row:
    head: dict[str, Any] = {"dataset": "stock", "data": "d", "noise": "RNoise", "alpha": 0.01}
    head |= {"measure": PAIRS, "method": "as_run", "private": "not private", "epsilon": 1.0}
    given: dict[str, Any] = {"sample": 0, "mean": truth, "std": 1.0, "iterations": 10 * step}
    return {**head, **given, "step": step, "truth": truth, "error": error, **more}


def test_a_table_without_conflicts_is_an_error_of_0_and_counted() -> None:
    (found,) = experiment.means([row(0.05, 0, 0.0), row(0.5, 10, 0.4), row(1.0, 20, 0.2)])
    assert found["error"] == pytest.approx(0.2)
    assert found["error_without_empty"] == pytest.approx(0.3)
    assert found["last_error"] == 0.2
    assert (found["without_conflicts"], found["tables"], found["in_order"]) == (1, 3, 1.0)


def test_of_all_five_other_rows_stand_in_where_there_are_some() -> None:
    def columns(name: str, _: str) -> dict[str, Estimate | None]:
        other = Estimate(3.0, 0.1, spread=0.2) if name == "stock" else None
        return {"as_run": Estimate(1.0, 0.1, spread=0.2), "as_run_one": None, "other_rows": other}

    found = experiment._over_all(PAIRS, columns)
    assert found["as_run"] is not None
    assert found["other_rows"] is not None
    assert found["as_run"].value == 1.0
    assert found["other_rows"].value == pytest.approx(1.4)


def test_the_thinner_stock_has_about_14_conflicts() -> None:
    rules = candling.load_constraints(lookalikes.rules("stock"))
    pairs = []
    for seed in range(6):
        clean = lookalikes.thin_stock(10_000, seed)
        assert candling.exact(clean, rules).drastic == 0
        noisy = rnoise(clean, rules.columns, alpha=0.01, seed=seed)
        pairs.append(candling.analyze(noisy, rules)._facts.graph.pairs)
    assert 11 < sum(pairs) / len(pairs) < 17
