from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ibis.backends import BaseBackend

from candling.errors import DataError
from candling.tables import content_digest, open_table
from tests.effort import examples

TABLE = pa.table(
    {
        "n": pa.array([1, 2, 2, None], pa.int32()),
        "x": [0.1, float("nan"), 1e300, None],
        "s": ["a", "", None, "é:1"],
        "t": pa.array([0, 1, 2, None], pa.timestamp("us", "Europe/Berlin")),
        'odd "name"': [True, False, None, True],
        "l": [[1], [], None, [1, 2]],
    }
)


def digest(data: object) -> bytes:
    return content_digest(open_table(data))


def _parquet(table: pa.Table, folder: Path) -> Path:
    pq.write_table(table, folder / "t.parquet")
    return folder / "t.parquet"


@pytest.mark.parametrize(
    "form",
    [
        lambda table, _: table.to_pandas(types_mapper=pd.ArrowDtype),
        lambda table, _: pl.from_arrow(table),
        lambda table, _: ibis.memtable(table),
        lambda table, _: table.take([3, 1, 0, 2]),
        lambda table, _: table.select(table.column_names[::-1]),
        _parquet,
    ],
    ids=["pandas", "polars", "memtable", "other order", "other columns' order", "parquet"],
)
def test_the_same_table_is_recognised(
    tmp_path: Path, form: Callable[[pa.Table, Path], object]
) -> None:
    assert digest(form(TABLE, tmp_path)) == digest(TABLE)


def test_another_engine_gives_the_same() -> None:
    other = ibis.sqlite.connect()
    for sql in ("create table t (n integer, s text)", "insert into t values (1, 'a'), (2, null)"):
        other.raw_sql(sql)
    assert digest(other.table("t")) == digest(pa.table({"n": [1, 2], "s": ["a", None]}))


def test_it_does_not_depend_on_where_we_are(monkeypatch: pytest.MonkeyPatch) -> None:
    here = digest(TABLE)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert digest(TABLE) == here
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.fixture(scope="module")
def shared() -> BaseBackend:
    """One DuckDB for all examples: a new one for each would be slow."""
    return ibis.duckdb.connect()


numbers = count()
rows = st.lists(st.tuples(st.none() | st.text(max_size=3), st.none() | st.text(max_size=3)))


@settings(max_examples=examples(100))
@given(one=rows, other=rows)
def test_equal_if_and_only_if_the_rows_are(
    shared: BaseBackend, one: list[tuple[str | None, ...]], other: list[tuple[str | None, ...]]
) -> None:
    def told(content: list[tuple[str | None, ...]]) -> bytes:
        columns = list(zip(*content, strict=True)) or [(), ()]
        typed = [pa.array(column, pa.string()) for column in columns]
        table = ibis.memtable(pa.table(typed, names=["a", "b"]))
        return digest(shared.create_table(f"t{next(numbers)}", table, temp=True))

    def key(row: tuple[str | None, ...]) -> list[tuple[bool, str]]:
        return [(value is None, value or "") for value in row]

    assert (told(one) == told(other)) == (sorted(one, key=key) == sorted(other, key=key))
    assert told(one) == told(one[::-1])


def test_a_row_more_or_a_name_less_is_another_table() -> None:
    twice = pa.concat_tables([TABLE, TABLE.slice(0, 1)])
    renamed = TABLE.rename_columns(["m", *TABLE.column_names[1:]])
    assert len({digest(TABLE), digest(twice), digest(renamed), digest(TABLE.slice(0, 0))}) == 4


def test_what_cannot_be_read_quotes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\nsecret,1\n")
    table = open_table(path)
    path.unlink()
    with pytest.raises(DataError) as error:
        content_digest(table)
    assert "secret" not in str(error.value)
