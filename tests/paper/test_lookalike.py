"""Look-alikes: the rules hold exactly, and noise makes them as inconsistent as the real tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import candling
from candling.rules import load_constraints
from candling_paper import lookalikes
from candling_paper.datasets import FOLDER_VARIABLE, Dataset, datasets, existing_folder
from candling_paper.noise import rnoise

DATA = existing_folder(None, Path(__file__).parents[2])
MAKERS: dict[str, Callable[[int, int], pa.Table]] = {
    "adult": lookalikes.adult,
    "flight": lookalikes.flight,
    "hospital": lookalikes.hospital,
    "stock": lookalikes.stock,
    "tax": lookalikes.tax,
}
COLUMNS = {"adult": 15, "flight": 20, "hospital": 15, "stock": 7, "tax": 15}
SEEDS = (0, 1, 2)


@dataclass(frozen=True)
class Recorded:
    """Means over `SEEDS` on samples of the real table with RNoise."""

    pairs: float
    problematic: float
    max_degree: float


RECORDED = {
    ("adult", 10_000, 0.01): Recorded(2_057_768, 10_000, 9_849),
    ("flight", 10_000, 0.01): Recorded(417_790, 9_746, 1_522),
    ("hospital", 10_000, 0.01): Recorded(250_210, 10_000, 853),
    ("stock", 10_000, 0.01): Recorded(28, 56, 1),
    ("tax", 10_000, 0.01): Recorded(70_881, 9_978, 389),
    ("tax", 10_000, 0.005): Recorded(38_115, 9_672, 393),
    ("tax", 50_000, 0.005): Recorded(906_004, 50_000, 1_940),
}
CASES = pytest.mark.parametrize(("name", "rows", "alpha"), list(RECORDED))


def figures(name: str, rows: int, alpha: float, make: Callable[[int, int], pa.Table]) -> Recorded:
    rules = load_constraints(lookalikes.rules(name))
    found = [
        candling.exact(rnoise(make(rows, seed), rules.columns, alpha=alpha, seed=seed), rules)
        for seed in SEEDS
    ]
    return Recorded(
        mean(f.minimal_inconsistent for f in found),
        mean(f.problematic for f in found),
        mean(f.max_degree for f in found),
    )


def factor(ours: float, theirs: float) -> float:
    return max(ours / theirs, theirs / ours)


@CASES
def test_noise_makes_as_many_conflicts_as_in_the_real_table(
    name: str, rows: int, alpha: float
) -> None:
    ours, real = figures(name, rows, alpha, MAKERS[name]), RECORDED[name, rows, alpha]
    # Measured: pairs within 1.06 for all but Stock (1.24), largest degrees within 1.2.
    most = 1.6 if name == "stock" else 1.2
    assert factor(ours.pairs, real.pairs) < most
    assert factor(ours.problematic, real.problematic) < (1.6 if name == "stock" else 1.05)
    if name == "stock":
        assert ours.max_degree <= 3
    else:
        assert factor(ours.max_degree, real.max_degree) < 1.35


def _real(name: str) -> Dataset:
    """The dataset of the real file, or skip the test."""
    found = datasets(DATA)[name]
    if found.file is None:
        pytest.skip(f"no file of {name} here: set {FOLDER_VARIABLE} to the folder that has it")
    return found


@CASES
def test_the_recorded_figures_are_those_of_the_real_table(
    name: str, rows: int, alpha: float
) -> None:
    real = _real(name)
    found = figures(name, rows, alpha, lambda rows, seed: real.sample(rows, seed=seed))
    recorded = RECORDED[name, rows, alpha]
    assert found.pairs == pytest.approx(recorded.pairs, rel=0.001)
    assert found.problematic == pytest.approx(recorded.problematic, rel=0.001)
    assert found.max_degree == pytest.approx(recorded.max_degree, rel=0.001)


@pytest.mark.parametrize("name", list(MAKERS))
def test_columns_types_and_rules_are_those_of_the_real_table(name: str) -> None:
    real = _real(name)
    assert real.file is not None
    assert MAKERS[name](10, 0).schema == pq.read_schema(real.file.path).remove_metadata()
    assert load_constraints(lookalikes.rules(name)) == real.constraints()


@pytest.mark.parametrize("rows", [0, 1, 2, 100, 3_000, 40_000])
@pytest.mark.parametrize("name", list(MAKERS))
def test_the_rules_hold_exactly(name: str, rows: int) -> None:
    rules = load_constraints(lookalikes.rules(name))
    for seed in (0, 5):
        table = MAKERS[name](rows, seed)
        assert (table.num_rows, table.num_columns) == (rows, COLUMNS[name])
        clean = candling.exact(table, rules)
        assert clean.minimal_inconsistent == 0


@pytest.mark.parametrize("name", list(MAKERS))
def test_nothing_that_a_rule_reads_is_null_and_every_rule_can_be_broken(name: str) -> None:
    rules = load_constraints(lookalikes.rules(name))
    table = MAKERS[name](5_000, 1)
    assert all(table[column].null_count == 0 for column in rules.columns)
    assert all(len(table[column].unique()) > 1 for column in rules.columns)


@pytest.mark.parametrize("name", list(MAKERS))
def test_the_same_seed_gives_the_same_table_and_another_seed_another(name: str) -> None:
    make = MAKERS[name]
    assert make(500, 3).equals(make(500, 3))
    assert not make(500, 3).equals(make(500, 4))


@pytest.mark.parametrize("name", list(MAKERS))
def test_a_negative_size_is_named(name: str) -> None:
    with pytest.raises(ValueError, match="got -1"):
        MAKERS[name](-1, 0)


def test_more_stock_prices_than_a_year_has() -> None:
    table = lookalikes.stock(200_000, 0)
    assert table.num_rows == 200_000
    assert table.group_by(["Date", "Ticker"]).aggregate([]).num_rows == 200_000


@pytest.fixture(scope="module")
def people() -> pa.Table:
    return lookalikes.tax(50_000, 0)


def test_tax_has_the_summary_of_the_real_table(people: pa.Table) -> None:
    distinct = {name: len(people[name].unique()) for name in people.column_names}
    # Of 50,000 real rows.
    real = {"AreaCode": 273, "State": 52, "Zip": 25_281, "City": 12_971, "Salary": 20, "Rate": 278}
    real |= {"MaritalStatus": 2, "HasChild": 2, "Phone": 49_858, "FName": 9_908, "LName": 9_927}
    real |= {"SingleExemp": 28, "MarriedExemp": 28, "ChildExemp": 26}
    for name, expected in real.items():
        assert factor(distinct[name], expected) < 1.1, name


def test_tax_zip_codes_and_phones_look_like_ones(people: pa.Table) -> None:
    assert pc.all(pc.match_substring_regex(people["Phone"], r"^\d{3}-\d{4}$")).as_py()
    for name, least, most in (("Zip", 600, 99_999), ("AreaCode", 201, 989)):
        ends = pc.min_max(people[name]).as_py()
        assert least <= ends["min"] <= ends["max"] <= most


def test_tax_rates_rise_with_salaries_and_no_two_area_codes_clash() -> None:
    people = lookalikes.tax(100_000, 2).select(["State", "Salary", "Rate", "AreaCode", "Phone"])
    ordered = people.sort_by([("State", "ascending"), ("Salary", "ascending")])
    state = ordered["State"].dictionary_encode().combine_chunks().indices.to_numpy()
    falls = np.diff(ordered["Rate"].to_numpy()) < 0
    assert not (falls & (np.diff(state) == 0)).any()
    assert people.group_by(["AreaCode", "Phone"]).aggregate([]).num_rows == 100_000
