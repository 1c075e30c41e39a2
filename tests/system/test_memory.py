"""One limit, understood in one way; beyond it arrays on disk, and one error when that is full."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest

import candling
from candling.errors import DataError, UsageError
from candling.graph.blocks import Block, BlockGraph
from candling.graph.witness import witnesses
from candling.system import limits
from candling.system.limits import memory_limit, new_array, pieces, runs


@pytest.mark.parametrize(
    ("text", "size"),
    [("4GB", 4 * 10**9), ("4GiB", 4 * 2**30), (" 1.5 gib ", 3 * 2**29), ("64000KB", 64 * 10**6)],
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


@pytest.mark.parametrize("text", ["63.9MB", "6MB", "61MiB", "1KB"])
def test_what_the_engine_cannot_work_with_is_refused(text: str) -> None:
    """Whatever the table: the request alone decides."""
    with pytest.raises(UsageError, match="64MB or more") as caught:
        memory_limit(text)
    assert caught.value.code == "U101"
    memory_limit("64MB")


@pytest.mark.parametrize("city", [1, 2])
def test_a_table_with_an_engine_of_its_own_is_refused_with_or_without_conflicts(city: int) -> None:
    table = ibis.memtable(pa.table({"zip": [1, 1], "city": [1, city]}))
    rules = candling.parse_constraints("zip -> city")
    with pytest.raises(UsageError, match="64MB or more"):
        candling.release(table, rules, epsilon=1, memory="6MB")


def on_disk(array: npt.NDArray[Any]) -> bool:
    return array.base is not None


def test_arrays_are_in_memory_while_all_of_them_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_HELD", limits._Held())  # without what other tests still hold
    half = 5 * 10**6  # 20 MB, of 44 that arrays may take
    one, two = (new_array(half, np.int32, "64MB") for _ in range(2))
    three = new_array(half, np.int32, "64MB")
    assert [on_disk(x) for x in (one, two, three)] == [False, False, True]
    assert not on_disk(new_array(100, np.int32, "64MB"))  # too small for a file
    for array in (one, two, three):
        assert array.dtype == np.int32
        assert len(array) == half
        assert not array.any()
        array[-1] = 7
        assert array[-1] == 7
        assert array.flags.writeable
        assert array.flags.c_contiguous
    view = two[5:]
    del one, two, array
    assert not on_disk(new_array(half, np.int32, "64MB"))  # what was given back
    four = new_array(half, np.int32, "64MB")
    assert on_disk(new_array(half, np.int32, "64MB"))  # a view holds the whole array
    del four, view
    assert not on_disk(new_array(half, np.int32, "64MB"))


def test_a_file_has_no_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(limits, "memory_limit", lambda _: 0)
    array = new_array(10**6, np.int64, None)
    array[:] = np.arange(10**6)
    assert on_disk(array)
    assert not list(tmp_path.iterdir())
    assert int(array.sum()) == 10**6 * (10**6 - 1) // 2


def test_room_is_reserved_where_the_system_cannot_do_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "posix_fallocate", raising=False)
    monkeypatch.setattr(limits, "memory_limit", lambda _: 0)
    array = new_array(10**6, np.int64, None)
    assert on_disk(array)
    assert not array.any()


def test_a_full_disk_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    monkeypatch.setattr(limits, "memory_limit", lambda _: 0)
    with pytest.raises(DataError, match="TMPDIR") as caught:
        new_array(10**6, np.int64, None)
    assert caught.value.code == "D107"
    assert "8000000" not in str(caught.value)


@pytest.mark.parametrize("size", [0, 1, 6, 7, 8, 50])
def test_pieces_cover_an_array(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(limits, "PIECE", 7)
    whole = np.arange(size)
    assert [x for piece in pieces(size) for x in whole[piece].tolist()] == whole.tolist()
    assert all(len(whole[piece]) <= 7 for piece in pieces(size))


@pytest.mark.parametrize("sizes", [[], [0], [3, 4, 1], [0, 20, 0, 0, 2, 30, 1], [1] * 30])
def test_runs_cover_all_lists(sizes: list[int]) -> None:
    offsets = np.concatenate([[0], np.cumsum(sizes, dtype=int)])
    found = list(runs(offsets, 7))
    assert [u for start, stop in found for u in range(start, stop)] == list(range(len(sizes)))
    for start, stop in found:
        assert stop == start + 1 or offsets[stop] - offsets[start] <= 7


def test_more_pairs_than_memory_take_longer_and_give_the_same() -> None:
    """Falling points: every pair of rows conflicts, and every row is a class of its own."""
    n = 4_500  # 10 million pairs: 80 MB while they are found
    table = pa.table({"a": np.arange(n), "b": np.arange(n)[::-1]})
    rules = candling.parse_constraints("not(t1.a < t2.a and t1.b > t2.b)")
    small = candling.analyze(table, rules, memory="64MB")._facts.graph
    large = candling.analyze(table, rules)._facts.graph
    assert isinstance(small, BlockGraph)
    assert isinstance(large, BlockGraph)
    assert [on_disk(graph.neighbours) for graph in (small, large)] == [True, False]
    assert (small.blocks[0].neighbours == large.blocks[0].neighbours).all()
    assert small.pairs == large.pairs == n * (n - 1) // 2


@pytest.mark.parametrize("rows", [1000, 1001])
def test_one_row_does_not_decide_whether_a_release_fails(rows: int) -> None:
    """As it did where the pairs of 1001 rows were a little more than the limit."""
    table = pa.table({"a": [1] * rows, "b": list(range(rows))})
    rules = candling.parse_constraints("a -> b")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "memory_limit", lambda _: 6 * 10**6)
        card = candling.release(table, rules, epsilon=1, measures=["repair"])
    assert set(card.to_dict()["repair"]) >= {"value", "low", "high"}


def test_running_out_is_the_same_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("candling.measures.facts.build_conflicts", fail)
    table = pa.table({name: [1, 2] for name in "abcd"})
    rules = candling.parse_constraints("a -> b\nc -> d")  # no short cut finds their repair
    with pytest.raises(DataError) as caught:
        candling.release(table, rules, epsilon=1)
    assert caught.value.code == "D107"


def test_more_rows_than_numbers_of_32_bits_are_one_clear_error() -> None:
    """Rather than a wrong number."""
    weights = np.array([2**31, 1])
    neighbours = np.array([1, 0], np.int32)
    block = Block(np.array([0, 1], np.int32), np.array([0, 1, 2]), neighbours)
    codes = np.empty((0, 2), np.int32)
    every = np.array([0, 1], np.int32)
    part = np.ones(2, np.int64)
    graph = BlockGraph(2**31 + 1, 0, weights, (block,), neighbours, (), codes, (), every, part)
    with pytest.raises(DataError, match="too little memory"):
        witnesses(graph, 1)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="tells what is in memory")
def test_arrays_in_files_do_not_fill_the_memory() -> None:
    before = limits._in_memory()
    array = new_array(10**8, np.int32, "64MB")
    assert on_disk(array)
    for piece in pieces(len(array)):
        array[piece] = 7
        time.sleep(0.002)
    deadline = time.monotonic() + 20
    while limits._in_memory() - before > 10**8 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert limits._in_memory() - before < 10**8  # of 4 * 10**8
    assert (array[:: 10**5] == 7).all()
