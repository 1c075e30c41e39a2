"""Proposed rules hold as nearly as they say, on tables of all sorts."""

from __future__ import annotations

import time
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import candling
from candling.owner import discovery
from candling.owner.suggestions import Suggested, suggest_rules
from tests.effort import examples

pytest.importorskip("desbordante")


def _hospital(rows: int = 1000) -> pa.Table:
    relation = duckdb.sql(
        f"""select i as visit, 'Z' || (i % 25) as zip,
            case when i % 97 = 0 then 'odd' when i % 13 = 0 then null
                else 'C' || (i % 25) // 2 end as city,
            case when i = 8 then 'xx' when i % 3 = 0 then 'MD' else 'NY' end as state,
            date '2020-01-01' + (i * 7 % 900)::int as admitted,
            date '2020-01-01' + (i * 7 % 900)::int + (i % 5)::int
                - case when i % 200 = 0 then 9 else 0 end as discharged,
            case when i % 100 = 0 then null else (i * 7919 % 1009) / 7.0 end as score,
            (i * 7 % 900) * 2 as tariff, null::int as nothing,
            case when i % 4 > 0 then 'B' || i end as badge
        from range({rows}) t(i)"""
    )
    assert relation is not None
    return relation.to_arrow_table()


def _rules(found: Suggested) -> dict[str, int]:
    return {p.rule: p.broken for p in found.proposals}


def test_what_was_put_into_a_table_is_found() -> None:
    rules = _rules(suggest_rules(_hospital(), limit=40))
    assert rules["key(visit)"] == 0
    assert rules["key(badge)"] == 0
    assert rules["zip -> city"] == 11
    assert rules["admitted <= discharged"] == 5
    assert rules["state in ('MD', 'NY')"] == 1
    assert rules["score is not null"] == 10
    assert rules["not(t1.admitted > t2.admitted and t1.tariff < t2.tariff)"] == 0
    assert "nothing is not null" not in rules
    assert not any("nothing" in rule for rule in rules)


def test_every_number_is_the_rows_to_remove() -> None:
    table = _hospital(600)
    for rule, broken in _rules(suggest_rules(table, limit=40)).items():
        exact = candling.exact(table, candling.parse_constraints(rule))
        assert exact.repair_exact == broken, rule


def test_nothing_is_proposed_twice() -> None:
    found = suggest_rules(_hospital(), limit=40)
    keys = [p.rule for p in found.proposals if p.kind == "key"]
    assert not any("visit" in key for key in keys if key != "key(visit)")
    lefts = [p.rule.split(" -> ")[0] for p in found.proposals if p.kind == "dependency"]
    assert not any("visit" in left for left in lefts)


ODD: dict[str, pa.Table] = {
    "empty": pa.table({"a": pa.array([], pa.int64()), "b": pa.array([], pa.string())}),
    "no columns that compare": pa.table({"a": [[1]] * 30}),
    "all NULL": pa.table({"a": pa.nulls(100, pa.int64()), "b": pa.nulls(100, pa.string())}),
    "one value": pa.table({"a": [1] * 100, "b": ["x"] * 100}),
    "one row": pa.table({"a": [1]}),
    "a star": pa.table({"a": [0] * 5000, "b": list(range(5000))}),
    "not finite": pa.table({"a": [float("inf"), float("nan"), 1.0] * 20, "b": [1, None, 3] * 20}),
    "odd names": pa.table({'a "b"\n': [1, 2] * 30, "and": ["x'", "y"] * 30}),
    "bytes": pa.table({"a": [b"\xff", b""] * 30, "b": [True, None] * 30}),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_tables_do_no_harm(name: str) -> None:
    table = ODD[name]
    for rule, broken in _rules(suggest_rules(table)).items():
        exact = candling.exact(table, candling.parse_constraints(rule))
        assert exact.repair_exact == broken, rule


@settings(max_examples=examples(8))
@given(seed=st.integers(0, 2**32 - 1))
def test_junk_gives_no_dependencies(seed: int) -> None:
    rng = np.random.default_rng(seed)
    columns = {f"c{k}": rng.integers(0, 50, 2000) for k in range(4)}
    mostly_one = (rng.random(2000) < 0.015).astype(int)
    columns["mostly_one"] = mostly_one
    columns["sometimes_missing"] = pa.array(mostly_one, mask=rng.random(2000) < 0.01)
    found = suggest_rules(pa.table(columns), limit=40)
    assert not any(" -> " in p.rule and p.rule.startswith("c") for p in found.proposals)


def test_a_sample_of_a_large_table() -> None:
    found = suggest_rules(_hospital(5000), rows=500)
    assert (found.rows, found.sampled) == (500, True)
    assert "zip -> city" in _rules(found)


def test_a_search_that_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discovery, "_MOST_WORK", 10**12)
    rng = np.random.default_rng(1)
    wide = pa.table({f"c{k}": rng.integers(0, k + 3, 20_000) for k in range(60)})
    start = time.monotonic()
    found = suggest_rules(wide, time_limit=3)
    assert time.monotonic() - start < 30
    assert found.columns == 40
    assert any("dependencies was stopped" in note for note in found.notes)
    assert any("20 columns were not looked at" in note for note in found.notes)


def test_a_search_that_crashes_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*args: Any, **options: Any) -> Any:
        return type("Done", (), {"stdout": b"noise\ncandling {broken"})()

    monkeypatch.setattr("candling.owner.discovery.subprocess.run", crash)
    found = suggest_rules(_hospital())
    assert len(found.notes) == 2
    assert "admitted <= discharged" in _rules(found)
