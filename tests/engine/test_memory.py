"""One limit, understood in one way, and one error when it is not enough."""

from __future__ import annotations

import os

import numpy as np
import pyarrow as pa
import pytest

import candling
from candling.conflicts.blocks import Block, BlockGraph
from candling.engine.memory import memory_limit, require
from candling.errors import DataError, UsageError
from candling.measures.witness import witnesses


@pytest.mark.parametrize(
    ("text", "size"),
    [("4GB", 4 * 10**9), ("4GiB", 4 * 2**30), (" 1.5 mib ", 3 * 2**19), ("100KB", 10**5)],
)
def test_a_limit_is_a_number_and_a_unit(text: str, size: int) -> None:
    assert memory_limit(text) == size


def test_without_one_it_is_three_quarters_of_the_machine() -> None:
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert memory_limit(None) == whole * 3 // 4


@pytest.mark.parametrize("text", ["4", "0GB", "four GB", "4PB", ""])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="as 4GB") as caught:
        memory_limit(text)
    assert caught.value.code == "U101"


def test_what_does_not_fit_is_not_tried() -> None:
    require(1000, "1KB")
    with pytest.raises(DataError) as caught:
        require(1001, "1KB")
    assert caught.value.code == "D107"
    assert "1001" not in str(caught.value)


def test_a_table_with_too_many_pairs_is_one_clear_error() -> None:
    """Falling points: every pair of rows conflicts, and every row is a class of its own."""
    n = 6_000
    table = pa.table({"a": np.arange(n), "b": np.arange(n)[::-1]})
    rules = candling.parse_constraints("not(t1.a < t2.a and t1.b > t2.b)")
    with pytest.raises(DataError, match="--memory") as caught:
        candling.exact(table, rules, memory="20MB")
    assert caught.value.code == "D107"
    assert candling.exact(table, rules).minimal_inconsistent == n * (n - 1) // 2


def test_running_out_is_the_same_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("candling.study.build_conflicts", fail)
    table = pa.table({"a": [1, 1], "b": [1, 2]})
    with pytest.raises(DataError) as caught:
        candling.release(table, candling.parse_constraints("a -> b"), epsilon=1)
    assert caught.value.code == "D107"


def test_more_rows_than_numbers_of_32_bits_are_one_clear_error() -> None:
    """Rather than a wrong number."""
    weights = np.array([2**31, 1])
    neighbours = np.array([1, 0], np.int32)
    block = Block(np.array([0, 1], np.int32), np.array([0, 1, 2]), neighbours)
    codes = np.empty((0, 2), np.int32)
    graph = BlockGraph(2**31 + 1, 0, weights, (block,), (), codes, (), np.array([0, 1], np.int32))
    with pytest.raises(DataError, match="more memory"):
        witnesses(graph, 1)
