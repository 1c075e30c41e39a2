"""A core that stays on Spark's executors, in parts, has the same numbers."""

from __future__ import annotations

import gc
import json
import os
import pickle
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import candling
from candling.rules import ColumnType
from candling.tables import schema_of
from candling.tables.backends import spark_parts
from candling_paper.all_rows import read_all_rows
from tests.backends import Tables
from tests.tables.test_core import numbers

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


LONG = ("chain", "one component", "rows only", "row")


@pytest.fixture
def _in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every core is too large, and a part is small."""
    monkeypatch.setattr(spark_parts, "BYTES", 2**60)
    monkeypatch.setattr(spark_parts, "PART", 50)


@pytest.mark.spark
@pytest.mark.usefixtures("_in_parts")
@pytest.mark.parametrize("engine_table", ["spark"], indirect=True)
@pytest.mark.parametrize(
    "rules", [pytest.param(name, marks=[pytest.mark.long] * (name in LONG)) for name in RULES]
)
def test_the_parts_have_the_numbers_of_the_table(engine_table: Tables, rules: str) -> None:
    parsed = candling.parse_constraints(RULES[rules])
    ours = candling.analyze(engine_table(table()), parsed)
    with pytest.raises(AssertionError, match="several parts"):
        _ = ours._facts.whole
    assert numbers(ours) == numbers(candling.analyze(table(), parsed))


@pytest.mark.spark
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
        read_all_rows(engine_table(table()), parsed)


@pytest.mark.spark
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


@pytest.mark.spark
@pytest.mark.usefixtures("_in_parts")
@pytest.mark.parametrize("engine_table", ["spark"], indirect=True)
def test_nothing_that_comes_over_is_unpickled(
    engine_table: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyspark.serializers import CPickleSerializer

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("unpickled")

    put = engine_table(table())
    monkeypatch.setattr(CPickleSerializer, "loads", refuse)
    assert candling.exact(put, candling.parse_constraints("zip -> city")).drastic == 1


@pytest.mark.spark
@pytest.mark.usefixtures("_in_parts")
@pytest.mark.parametrize("engine_table", ["spark"], indirect=True)
def test_an_answer_that_is_planted(
    engine_table: Tables, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    study = candling.analyze(engine_table(table()), candling.parse_constraints("zip -> city"))
    target = tmp_path / "ran"
    code = pickle.dumps(_Runs(str(target))).decode("latin-1")
    for planted in (code, '{"dict": {"repair": [1, 2]}}', "[1, 2]", "9" * 5000, "NaN", "[" * 10**5):
        monkeypatch.setattr(spark_parts, "to_text", lambda _, planted=planted: planted)
        with pytest.raises(candling.DataError, match="returned an unexpected result"):
            study.exact()
    assert not target.exists()


@dataclass
class _Runs:
    """What makes a file when it is unpickled."""

    path: str

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (self.path,)


@pytest.mark.spark
@pytest.mark.parametrize("engine_table", ["spark"], indirect=True)
def test_a_file_cannot_name_a_class_to_import(engine_table: Tables, tmp_path: Path) -> None:
    (tmp_path / "planted_types.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    kind = {"type": "udt", "pyClass": "planted_types.Kind", "sqlType": "integer"}
    kind["serializedClass"] = ""
    fields = [
        {"name": "a", "type": "integer", "nullable": True, "metadata": {}},
        {"name": "b", "type": kind, "nullable": True, "metadata": {}},
    ]
    described = json.dumps({"type": "struct", "fields": fields})
    planted = pa.table({"a": pa.array([1, 1], pa.int32()), "b": pa.array([1, 2], pa.int32())})
    path = tmp_path / "planted.parquet"
    key = "org.apache.spark.sql.parquet.row.metadata"
    pq.write_table(planted.replace_schema_metadata({key: described}), path)
    sys.path.insert(0, str(tmp_path))
    try:
        schema = schema_of(str(path), engine="spark")
    finally:
        sys.path.remove(str(tmp_path))
    assert schema == {"a": ColumnType.NUMBER, "b": ColumnType.OTHER}
    assert not (tmp_path / "ran").exists()


def test_components_share_parts_and_are_never_torn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_parts, "PART", 10)
    first, other, lines = np.array(
        [[1, 1, 6], [2, 2, 6], [2, 3, 4], [3, 3, 1], [4, 4, 30], [5, 5, 2], [5, 4, 1]], np.int64
    ).T
    keys, parts = spark_parts._parts(first, other, lines)
    part = dict(zip(keys.tolist(), parts.tolist(), strict=True))
    assert part[2] == part[3]
    assert part[4] == part[5] not in (part[1], part[2])


@given(st.integers(1, 30), st.data())
def test_components_are_what_links_join(nodes: int, data: st.DataObject) -> None:
    node = st.integers(0, nodes - 1)
    links = data.draw(st.lists(st.tuples(node, node), max_size=40))
    one, two = np.array(links, np.int64).reshape(-1, 2).T
    joined = coo_array((np.ones(len(one), bool), (one, two)), shape=(nodes, nodes))
    count, label = connected_components(joined, directed=False)
    found = spark_parts._components(nodes, one, two)
    assert sorted(set(found.tolist())) == list(range(count))
    assert len(set(zip(found.tolist(), label.tolist(), strict=True))) == count
