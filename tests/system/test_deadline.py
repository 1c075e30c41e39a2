"""A time limit ends what an owner asks for, and never a release."""

from __future__ import annotations

import time

import numpy as np
import pyarrow as pa
import pytest

import candling
from candling.errors import DataError, UsageError
from candling.system import limits
from candling.tables.backends.duckdb import connect, fetch_duckdb

RULES = candling.parse_constraints("a -> b\nnot(t1.a < t2.a and t1.b > t2.b)")
TABLE = pa.table({"a": [1, 1, 2], "b": [1, 2, 0]})


def test_without_a_limit_there_is_time() -> None:
    assert limits.get_time_left() == float("inf")
    limits.check_time()
    with limits.time_limit(None):
        limits.check_time()


def test_a_limit_ends_with_its_block() -> None:
    with limits.time_limit(0):
        with pytest.raises(DataError) as caught:
            limits.check_time()
        assert caught.value.code == "D113"
    limits.check_time()


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf")])
def test_what_is_no_limit(seconds: float) -> None:
    with pytest.raises(UsageError) as caught, limits.time_limit(seconds):
        pass
    assert caught.value.code == "U102"


def test_a_query_is_interrupted() -> None:
    backend = connect(None)
    slow = "select sum(a.range * b.range % 7) from range(1000000) a, range(1000000) b"
    start = time.monotonic()
    with limits.time_limit(0.3), pytest.raises(DataError) as caught:
        fetch_duckdb(backend, slow)
    assert caught.value.code == "D113"
    assert time.monotonic() - start < 30  # it would take minutes
    assert fetch_duckdb(backend, "select 1").num_rows == 1  # the connection lives on


def test_exact_ends_in_time_and_reading_is_part_of_it() -> None:
    rng = np.random.default_rng(0)
    table = pa.table({"a": rng.permutation(20_000), "b": rng.permutation(20_000)})
    start = time.monotonic()
    with pytest.raises(DataError) as caught:
        candling.exact(table, RULES, time_limit=0.5)
    assert caught.value.code == "D113"
    assert time.monotonic() - start < 60  # without one it takes minutes


def test_enough_time_changes_nothing() -> None:
    assert candling.exact(TABLE, RULES, time_limit=60) == candling.exact(TABLE, RULES)
