"""A core that stays on Spark's executors, in parts, has the same numbers."""

from __future__ import annotations

import gc

import numpy as np
import pyarrow as pa
import pytest

import candling
from candling.engines import spark_parts
from candling_paper import hierarchical
from tests.backends import Tables
from tests.engines.test_core import numbers

RULES = {
    "dependencies": "zip -> city\nzip, street -> owner\nkey(id)",
    "chain": "zip -> city\nzip, city -> owner",
    "order": "not(t1.zip = t2.zip and t1.salary > t2.salary and t1.rate < t2.rate)\nzip -> city",
    "general": "not(t1.zip = t2.zip and t1.salary != t2.salary and t1.rate > t2.salary)",
    "one component": "not(t1.salary < t2.salary and t1.rate > t2.rate)",
    "row": "not(t1.rate > 8)\nzip -> city",
    "rows only": "not(t1.rate > 8)",
}


def table() -> pa.Table:
    """Many small components, with NULL here and there."""
    rng = np.random.default_rng(3)
    size = 400
    columns = {
        "id": rng.permutation(np.r_[np.arange(size - 5), np.arange(5)]),
        "zip": rng.integers(0, 40, size),
        "city": rng.integers(0, 2, size),
        "street": rng.integers(0, 3, size),
        "owner": rng.integers(0, 3, size),
        "salary": rng.integers(0, 10, size),
        "rate": rng.integers(0, 10, size),
    }
    missing = {name: rng.random(size) < 0.03 for name in columns}
    return pa.table({name: pa.array(columns[name], mask=missing[name]) for name in columns})


@pytest.fixture
def _in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every core is too large, and a part is small."""
    monkeypatch.setattr(spark_parts, "BYTES", 2**60)
    monkeypatch.setattr(spark_parts, "PART", 50)


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.usefixtures("_in_parts")
@pytest.mark.parametrize("engine_table", ["spark"], indirect=True)
@pytest.mark.parametrize("rules", RULES)
def test_the_parts_have_the_numbers_of_the_table(engine_table: Tables, rules: str) -> None:
    parsed = candling.parse_constraints(RULES[rules])
    ours = candling.analyze(engine_table(table()), parsed)
    with pytest.raises(candling.UsageError, match="all rows in one place"):
        _ = ours._facts.whole
    assert numbers(ours) == numbers(candling.analyze(table(), parsed))


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.usefixtures("_in_parts")
@pytest.mark.parametrize("engine_table", ["spark"], indirect=True)
def test_a_release_from_parts(engine_table: Tables) -> None:
    parsed = candling.parse_constraints(RULES["chain"])
    study = candling.analyze(engine_table(table()), parsed)
    card = study.release(100)
    exact = candling.exact(table(), parsed)
    assert card.rows.value == pytest.approx(exact.rows, abs=2)
    assert card.repair.value == pytest.approx(exact.repair_exact, abs=2)
    with pytest.raises(candling.UsageError, match="all rows in one place"):
        study.release(1, measures=["rows", "problematic"], method=hierarchical())


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.usefixtures("_in_parts")
@pytest.mark.parametrize("engine_table", ["spark"], indirect=True)
def test_no_cell_stays_behind(engine_table: Tables) -> None:
    context = engine_table.backend._session.sparkContext
    gc.collect()  # what other tests left to be collected
    before = context._jsc.getPersistentRDDs().size()
    study = candling.analyze(engine_table(table()), candling.parse_constraints("zip -> city"))
    assert study.exact().drastic == 1
    assert context._jsc.getPersistentRDDs().size() == before + 1
    del study
    gc.collect()
    assert context._jsc.getPersistentRDDs().size() == before


def test_components_share_parts_and_are_never_torn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_parts, "PART", 10)
    first, other, lines = np.array(
        [[1, 1, 6], [2, 2, 6], [2, 3, 4], [3, 3, 1], [4, 4, 30], [5, 5, 2], [5, 4, 1]], np.int64
    ).T
    keys, parts = spark_parts._parts(first, other, lines)
    part = dict(zip(keys.tolist(), parts.tolist(), strict=True))
    assert part[2] == part[3]
    assert part[4] == part[5] not in (part[1], part[2])
