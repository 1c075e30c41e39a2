"""The published runs once more, as their numbers say that they were run (`candling_paper.as_run`).

A table after every tenth change of RNoise (of dense datasets every third of these), ten draws on
each, and the mean error over all tables. Datasets that may not be the authors' are there a second
time with other rows, to see how much of a difference comes from the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter, itemgetter

import numpy as np
import pyarrow as pa

from candling.card import Exact
from candling_paper import as_coded, as_run, published_race
from candling_paper.all_rows import AllRows, read_all_rows
from candling_paper.as_coded import Form, Strategy
from candling_paper.datasets import Dataset
from candling_paper.experiments import budgets, strategies
from candling_paper.experiments.dirty_tables import RNOISE, described
from candling_paper.experiments.estimates import MEASURES, PAIRS, REPAIR, REPEATED, ROWS, Values
from candling_paper.experiments.experiment import Comparison, Experiment
from candling_paper.experiments.published_values import (
    ERRORS,
    ERRORS_OVER_ALL,
    ERRORS_R2T,
    INTRO_PAPER,
    INTRO_R2T,
    INTRO_R2T_TEXT,
    INTRO_RANGE,
    NAMES,
    REPAIR_AT,
    STRATEGIES_ON_STOCK,
    TWO_CHOICES,
    Printed,
)
from candling_paper.experiments.setup import Setup
from candling_paper.experiments.store import Cell, Row
from candling_paper.experiments.tables import (
    Estimate,
    estimate,
    grouped,
    mean,
    number,
    pooled,
    where,
)
from candling_paper.noise import partial_noise, rnoise
from candling_paper.ordered_results import results_not_private

AS_RUN, ONE_CHOICE, R2T = "as_run", "as_run_one", "r2t_as_run"
FORMS: Mapping[str, tuple[Form, Strategy]] = {
    AS_RUN: (as_run.TWO_CHOICES, Strategy.BOUND_AND_TWO),
    ONE_CHOICE: (as_run.ONE_CHOICE, Strategy.BOUND_AND_TWO),
    "as_run_hierarchical": (as_run.TWO_CHOICES, Strategy.TWO),
    "as_run_exponential": (as_run.TWO_CHOICES, Strategy.ONE),
    "as_run_baseline_1": (as_run.TWO_CHOICES, Strategy.ROWS),
}
WAYS = (*FORMS, R2T)
# The same table from other rows, where they can be had.
OTHER_ROWS = {"stock": "stock_thin", "hospital": "hospital_10k"}
OTHER_SAMPLES = 2  # of other rows that are dense
SPARSE = ("stock", "stock_thin")  # where the first conflicts decide: every table is looked at
OF_DENSE = 3  # of the others one table of three, the middle one
BUDGETS_ALPHA = budgets.ALPHA


def cells(setup: Setup) -> Iterator[Cell]:
    """One cell for each table; and for the repair, for each budget."""
    mode, others = setup.mode, OTHER_ROWS.values()
    for name in (*setup.names, *(other for other in others if other in setup.data)):
        dense = min(mode.run_samples, OTHER_SAMPLES) if name in others else mode.run_samples
        samples = mode.run_sparse_samples if name in SPARSE else dense
        for sample in range(samples):
            for changes, all_changes in _places(setup.data[name], setup):
                yield _cell(setup, name, changes, all_changes, sample)
    for name in (*REPAIR_AT, "stock_thin"):
        for sample in range(mode.samples):
            yield _budget_cell(setup, name, sample)


def _places(dataset: Dataset, setup: Setup) -> list[tuple[int, int]]:
    """After how many changes a table is looked at, of how many."""
    mode = setup.mode
    rows = mode.rows if dataset.largest is None else min(mode.rows, dataset.largest)
    all_changes = int(mode.alpha * rows * dataset.width)
    if mode.run_tables is None:
        apart = as_run.CHANGES if dataset.name in SPARSE else as_run.CHANGES * OF_DENSE
        places = [*range((apart + as_run.CHANGES) // 2, all_changes, apart)]
    else:
        places = [all_changes * (i + 1) // mode.run_tables for i in range(mode.run_tables)]
    return [(place, all_changes) for place in places]


def _cell(setup: Setup, name: str, changes: int, all_changes: int, sample: int) -> Cell:
    dataset, mode = setup.data[name], setup.mode
    settings: dict[str, object] = {
        "dataset": name,
        "origin": dataset.origin,
        "rows": mode.rows,
        "noise": RNOISE,
        "alpha": mode.alpha,
        "step": changes,
        "sample": sample,
        "ways": list(WAYS),
        "draws": mode.run_draws,
    }

    def compute() -> list[Row]:
        clean, noisy = _clean_and_noisy(dataset, mode.rows, mode.alpha, sample)
        table = partial_noise(clean, noisy, changes / all_changes, sample)
        head: Row = {
            **described(dataset, table.num_rows, sample),
            "noise": RNOISE,
            "alpha": mode.alpha,
            "iterations": changes,
            "step": changes / all_changes,
            "epsilon": 1.0,
            "private": REPEATED,
        }
        rng = np.random.default_rng([sample, changes, 5])
        return [{**head, **row} for row in _measured(dataset, clean, table, mode.run_draws, rng)]

    return Cell("as_run", settings, compute)


def _budget_cell(setup: Setup, name: str, sample: int) -> Cell:
    """The repair of one table at every epsilon: the noise is all that differs."""
    dataset, mode = setup.data[name], setup.mode
    draws = 2 * mode.draws
    settings: dict[str, object] = {
        "dataset": name,
        "origin": dataset.origin,
        "rows": mode.rows,
        "alpha": BUDGETS_ALPHA,
        "sample": sample,
        "epsilons": list(mode.epsilons),
        "draws": draws,
    }

    def compute() -> list[Row]:
        clean, table = _clean_and_noisy(dataset, mode.rows, BUDGETS_ALPHA, sample)
        rules = dataset.constraints()
        seen = as_run.not_private(table, rules, clean)
        truth = _truth(read_all_rows(as_run.without_nulls(table), rules))
        rng = np.random.default_rng([sample, 6])
        return [
            {
                **described(dataset, table.num_rows, sample),
                "noise": RNOISE,
                "alpha": BUDGETS_ALPHA,
                "private": REPEATED,
                "epsilon": epsilon,
                **_row(REPAIR, AS_RUN, _covers(seen, epsilon, draws, rng), truth[REPAIR]),
            }
            for epsilon in mode.epsilons
        ]

    return Cell("as_run_budget", settings, compute)


def _measured(
    dataset: Dataset, clean: pa.Table, table: pa.Table, draws: int, rng: np.random.Generator
) -> Iterator[Row]:
    rules = dataset.constraints()
    seen = as_run.not_private(table, rules, clean)
    rows = read_all_rows(as_run.without_nulls(table), rules)
    truth = _truth(rows)
    for measure in (PAIRS, ROWS):
        for way, (form, strategy) in FORMS.items():
            if way == ONE_CHOICE and measure == PAIRS:
                continue  # which all versions of the code choose twice
            answers = as_coded.releases_not_private(seen, measure, 1.0, draws, rng, strategy, form)
            values = np.array([answer.value for answer in answers])
            yield _row(measure, way, values, truth[measure])
    thresholds = published_race.coded_thresholds(seen.rows)
    results = results_not_private(rows, rules, thresholds)
    race = [
        published_race.r2t_as_run_not_private(results.kept, thresholds, 1.0, rng)
        for _ in range(draws)
    ]
    # Where the query has no result, their script divides by 0: such a table has no error.
    yield _row(PAIRS, R2T, np.array(race), results.total, empty=None)
    yield _row(REPAIR, AS_RUN, _covers(seen, 1.0, draws, rng), truth[REPAIR])


def _truth(rows: AllRows) -> dict[str, float]:
    """What the errors are measured against: of the repair, twice the linear program."""
    exact = Exact(rows.facts.exact(search=0))
    return {
        PAIRS: float(exact.minimal_inconsistent),
        ROWS: float(exact.problematic),
        REPAIR: 2 * float(exact.repair_linear),
    }


def _covers(
    seen: as_coded.NotPrivateTable, epsilon: float, draws: int, rng: np.random.Generator
) -> Values:
    return np.array([as_coded.vertex_cover_not_private(seen, epsilon, rng) for _ in range(draws)])


def _row(measure: str, way: str, values: Values, truth: float, *, empty: float | None = 0.0) -> Row:
    """One line; `empty` is the error on a table without conflicts."""
    error = float(np.abs(values - truth).mean() / truth) if truth else empty
    return {
        "measure": measure,
        "method": way,
        "truth": truth,
        "mean": float(values.mean()),
        "std": float(values.std()),
        "error": error,
        "draws": len(values),
    }


@lru_cache(maxsize=2)
def _clean_and_noisy(
    dataset: Dataset, rows: int, alpha: float, sample: int
) -> tuple[pa.Table, pa.Table]:
    clean = as_run.shuffle(dataset.sample(rows, seed=sample), sample)
    return clean, rnoise(clean, dataset.constraints().columns, alpha=alpha, seed=sample)


# -------------------------------------------------------------------------------------- tables


def means(rows: list[Row]) -> list[Row]:
    """The mean error over all tables of each way, and how it moves between samples."""
    found: list[Row] = []
    keys = ("dataset", "data", "noise", "alpha", "measure", "method", "private", "epsilon")
    for key, group in grouped(_on_the_way(rows), *keys).items():
        known = estimate(group)
        last = estimate(_last(group))
        row: Row = dict(zip(keys, key, strict=True))
        row |= _columns("error", known) | _columns("last_error", last)
        row["error_first_tenth"] = mean(_part(group, 0.0, 0.1), "error")
        row["error_after"] = mean(_part(group, 0.1, 1.0), "error")
        row["error_without_empty"] = mean([r for r in group if r["truth"]], "error")
        row["deviation"] = _deviation(group)
        row["in_order"] = _in_order(group)
        row["samples"] = len(grouped(group, "sample"))
        row["tables"] = len(group)
        row["without_conflicts"] = sum(not r["truth"] for r in group)
        found.append(row)
    return found


def _on_the_way(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row.get("step") is not None]


def _last(rows: list[Row]) -> list[Row]:
    """Of each sample, the table with the most changes."""
    return [max(group, key=itemgetter("step")) for group in grouped(rows, "sample").values()]


def _part(rows: list[Row], over: float, upto: float) -> list[Row]:
    return [row for row in rows if over < number(row, "step") <= upto and row["truth"]]


def _columns(name: str, known: Estimate | None) -> Row:
    return {
        name: known.value if known else None,
        f"{name}_se": known.se if known else None,
        f"{name}_spread": known.spread if known else None,
    }


def _deviation(rows: list[Row]) -> float | None:
    """The standard deviation of a release, of the true value, averaged over the tables."""
    shares = [number(r, "std") / number(r, "truth") for r in rows if r["truth"]]
    return float(np.mean(shares)) if shares else None


def _in_order(rows: list[Row]) -> float | None:
    """Of all pairs of tables of a sample, how many have their answers in the order of the truth."""
    kept = seen = 0.0
    for group in grouped(rows, "sample").values():
        truth = np.array([number(r, "truth") for r in group])
        answer = np.array([number(r, "mean") for r in group])
        signs = np.sign(truth[:, None] - truth) * np.sign(answer[:, None] - answer)
        different = truth[:, None] > truth
        kept += float((signs[different] > 0).sum())
        seen += float(different.sum())
    return kept / seen if seen else None


def tables(setup: Setup, rows: list[Row]) -> dict[str, list[Row]]:  # noqa: ARG001
    """Every table, the means over them, and the budgets."""
    at_budgets = [row for row in rows if row.get("step") is None]
    return {
        "as_run": rows,
        "as_run_means": means(rows),
        "as_run_budgets": budget_means(at_budgets),
    }


def budget_means(rows: list[Row]) -> list[Row]:
    """The error of the repair at each epsilon."""
    found: list[Row] = []
    keys = ("dataset", "data", "measure", "method", "epsilon")
    for key, group in grouped(rows, *keys).items():
        row: Row = dict(zip(keys, key, strict=True))
        row |= _columns("error", estimate(group))
        found.append(row | {"truth": mean(group, "truth"), "samples": len(group)})
    return found


# ---------------------------------------------------------------------------------- comparison


def compare(rows: list[Row]) -> list[Comparison]:
    """The printed numbers that depend on how the algorithms were run."""
    steps = _on_the_way(rows)
    last = [r for group in grouped(steps, "dataset").values() for r in _last_of_each(group)]
    everything = {
        (name, measure, way): estimate(group)
        for (name, measure, way), group in grouped(steps, "dataset", "measure", "method").items()
    }

    def error(name: str, measure: str, way: str) -> Estimate | None:
        return everything.get((name, measure, way))

    def columns(name: str, measure: str, way: str = AS_RUN) -> dict[str, Estimate | None]:
        one = error(name, measure, ONE_CHOICE) if way == AS_RUN else None
        return {
            "as_run": error(name, measure, way),
            "as_run_one": one,
            "other_rows": error(OTHER_ROWS[name], measure, way) if name in OTHER_ROWS else None,
        }

    def ending(name: str, way: str) -> dict[str, Estimate | None]:
        here = where(last, measure=PAIRS, method=way)
        other = OTHER_ROWS.get(name)
        return {
            "as_run": estimate(where(here, dataset=name)),
            "other_rows": estimate(where(here, dataset=other)) if other else None,
        }

    found = [Comparison(ERRORS[name], **columns(name, PAIRS)) for name in NAMES]
    found += [Comparison(ERRORS_R2T[name], **columns(name, PAIRS, R2T)) for name in NAMES]
    for measure, printed in ERRORS_OVER_ALL.items():
        found.append(Comparison(printed, **_over_all(measure, columns)))
    found += _range([columns(name, measure) for name in NAMES for measure in MEASURES])
    for table, way in ((INTRO_PAPER, AS_RUN), (INTRO_R2T, R2T)):
        found += [Comparison(printed, **ending(name, way)) for name, printed in table.items()]
    found.append(Comparison(INTRO_R2T_TEXT, **ending("stock", R2T)))
    found += _strategies(steps)
    budget = [row for row in rows if row.get("step") is None]
    for name, printed in REPAIR_AT.items():
        both = {"as_run": name, "other_rows": OTHER_ROWS.get(name, "")}
        reached = {c: budgets.reached(where(budget, dataset=n), "error") for c, n in both.items()}
        found.append(Comparison(printed, **reached))
    return found


def _last_of_each(rows: list[Row]) -> list[Row]:
    return [r for group in grouped(rows, "measure", "method").values() for r in _last(group)]


def _over_all(measure: str, columns: object) -> dict[str, Estimate | None]:
    """Means over the five datasets; with other rows, where a dataset has some."""
    each = {name: columns(name, measure) for name in NAMES}  # type: ignore[operator]
    one = measure == ROWS
    other = [c["other_rows"] or c["as_run"] for c in each.values()]
    return {
        "as_run": _pooled([c["as_run"] for c in each.values()]),
        "as_run_one": _pooled([c["as_run_one"] for c in each.values()]) if one else None,
        "other_rows": _pooled(other),
    }


def _pooled(estimates: Sequence[Estimate | None]) -> Estimate | None:
    """None where a dataset is missing."""
    return None if None in estimates else pooled(estimates)


def _range(every: Sequence[Mapping[str, Estimate | None]]) -> Iterator[Comparison]:
    for printed, end in zip(INTRO_RANGE, (min, max), strict=True):
        ends: dict[str, Estimate | None] = {}
        for column in ("as_run", "as_run_one", "other_rows"):
            known = [e for c in every if (e := c[column] or c["as_run"]) is not None]
            ends[column] = end(known, key=attrgetter("value")) if known else None
        yield Comparison(printed, **ends)


def _strategies(rows: list[Row]) -> Iterator[Comparison]:
    def behind(printed: Printed, name: str, names: Sequence[str], end: object) -> Comparison:
        both = {"as_run": name, "other_rows": OTHER_ROWS.get(name, "")}
        found = {c: strategies.behind(rows, AS_RUN, n, names) for c, n in both.items()}
        ends = {c: Estimate(end(v)) if v else None for c, v in found.items()}  # type: ignore[operator]
        return Comparison(printed, **ends)

    for printed, end in zip(STRATEGIES_ON_STOCK, (min, max), strict=True):
        yield behind(printed, "stock", strategies.STRATEGY_NAMES, end)
    for name, printed in TWO_CHOICES.items():
        yield behind(printed, name, ("hierarchical",), max)


EXPERIMENT = Experiment(
    "as_run", "The published runs again, with noise at 0.6", cells, tables, compare=compare
)
