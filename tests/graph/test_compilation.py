"""Short loops are interpreted, long ones compiled: both give the same, and neither too late."""

from __future__ import annotations

import ctypes
import itertools
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import candling
from candling.graph import build_conflicts, compilation
from candling.graph.c_source import library_name, symbol, write_source
from candling.graph.compilation import Compiled, load_library
from candling.graph.compilation import compile_on_use as made
from candling.graph.repair import exact_repair, fractional_repair
from candling.graph.witness import doubled_minimal_inconsistent_levels, problematic_levels
from candling.rules import compile_rules
from candling.tables import Classes, open_table, read_classes
from hatch_build import FLAGS, find_compiler

GRAPH = Path(compilation.__file__).parent

RULES = (
    "A -> B",
    "key(A, B)",
    "A, C -> D",
    "!(t1.A = t2.A & t1.C <= t2.C & t1.D >= t2.D)",
    "!(t1.B = t2.B & t1.C < t2.C & t1.D > t2.D)",
    "!(t1.C <= t2.C & t1.D <= t2.D & t1.B != t2.B)",
)


def table(seed: int) -> Classes:
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(0, 60))
    columns = {name: rng.integers(0, rng.integers(1, 9), rows) for name in "ABCD"}
    rules = "\n".join(rng.choice(RULES, 3, replace=False))
    return read_classes(
        open_table(pa.table(columns)), compile_rules(candling.parse_constraints(rules))
    )


def everything(classes: Classes, explicit: int) -> tuple[Any, ...]:
    graph = build_conflicts(classes, explicit=explicit)
    relaxed = fractional_repair(graph)
    return (
        graph.pairs,
        np.sort(graph.degrees).tolist(),
        problematic_levels(graph, 8),
        doubled_minimal_inconsistent_levels(graph, 8),
        relaxed.value,
        exact_repair(graph, relaxed, time_limit=60),
    )


@pytest.mark.parametrize("explicit", [-1, 10**6])
@pytest.mark.parametrize("seed", range(12))
def test_all_ways_give_the_same(monkeypatch: pytest.MonkeyPatch, seed: int, explicit: int) -> None:
    classes = table(seed)
    found = []
    for small, library in ((True, None), (False, None), (False, load_library())):
        monkeypatch.setattr(Compiled, "_is_small", lambda *_, small=small: small)
        monkeypatch.setattr(compilation, "load_library", lambda library=library: library)
        found.append(everything(classes, explicit))
    assert found[0] == found[1] == found[2]
    assert isinstance(found[0][4], Fraction)


@made
def _square(values, squares):  # type: ignore[no-untyped-def]
    for i in range(len(values)):
        squares[i] = values[i] * values[i]


def test_what_overflows_in_an_entry_does_not_in_between() -> None:
    values, squares = np.full(3, 2**20, np.int32), np.zeros(3, np.int64)
    Compiled(_square.function)._interpret((values, squares))  # type: ignore[attr-defined]
    assert squares.tolist() == [2**40] * 3


def test_patience_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    values, squares = np.arange(3), np.zeros(3, np.int64)
    fresh = Compiled(_square.function)  # type: ignore[attr-defined]
    monkeypatch.setattr(compilation, "_spent", 0.0)
    assert fresh._is_small((values, squares))
    assert not fresh._is_small((np.zeros(compilation.SMALL + 1),))
    monkeypatch.setattr(compilation, "_spent", compilation.PATIENCE + 1)
    assert not fresh._is_small((values, squares))
    monkeypatch.setattr(compilation, "_spent", 0.0)
    assert not Compiled(fresh.function, interpretable=False)._is_small((values, squares))


def test_a_small_table_loads_no_compiler_and_no_ibis(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("A,B\n1,1\n1,2\n2,3\n")
    program = (
        "import sys, candling\n"
        "rules = 'A -> B\\nnot(t1.A < t2.A and t1.B = t2.B and t1.A != 7)'\n"
        "candling.release('t.csv', candling.parse_constraints(rules), epsilon=1)\n"
        "heavy = {'numba', 'ibis', 'opendp', 'sqlglot', 'highspy', 'pandas', 'scipy'}\n"
        "heavy &= {*sys.modules}\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=tmp_path)


needs_library = pytest.mark.skipif(load_library() is None, reason="built without a C compiler")


@needs_library
@pytest.mark.parametrize("explicit", [-1, 10**6])
def test_every_call_finds_its_kernel_in_the_library(
    monkeypatch: pytest.MonkeyPatch, explicit: int
) -> None:
    monkeypatch.setattr(Compiled, "_is_small", None)  # the other ways begin with it
    for seed in range(12):
        everything(table(seed), explicit)


def test_every_kernel_is_written_in_c() -> None:
    source = write_source(GRAPH)
    for path in GRAPH.glob("*kernels.py"):
        for name in re.findall(r"@compile_on_use\ndef (\w+)", path.read_text()):
            assert f"x_candling__{path.stem}__{name}" in source, f"{name} lacks an annotation"


def test_the_library_has_another_name_after_a_change(tmp_path: Path) -> None:
    copied = tmp_path / "kernels.py"
    copied.write_text((GRAPH / "kernels.py").read_text())
    before = library_name(tmp_path)
    assert library_name(tmp_path) == before
    copied.write_text(copied.read_text() + "\n")
    assert library_name(tmp_path) != before


KERNEL = '''
from candling.graph.compilation import compile_on_use
STEP = -3

@compile_on_use
def halve(value: Number) -> Number:
    return value // 2

@compile_on_use
def add(terms: Float64s, sums: Float64s, weights: Int64s) -> None:
    total = 0.0
    for i in range(len(terms)):
        term = terms[i] * weights[i]
        after = total + term
        sums[i] = abs(after - total) - (1.5 if term < 0.0 else term)
        total = after
    sums[0] += total

@compile_on_use
def mixed(values: Int32s, table: Grid, flow: Amounts, flags: Bools, size: Number) -> Number:
    """Every form that a line of a kernel can have."""
    total = low = 0
    for v in values:
        if v < 0:
            continue
        total += v * v
    for i in range(len(values) - 1, -1, -1):
        values[i], low = low, values[i]
        total = total * 3 % 1_000_003 + (i - 5) // 2 - (i - 5) % 3
    for i in range(table.shape[0]):
        for j in range(1, table.shape[1], 2):
            a, b = (i, j) if table[i, j] > 0 else (j, i)
            table[i, j] += max(a, b, size) - min(a, b) + STEP
            flags[i] = flags[i] or 0 < table[i, j] <= 5
            total += halve(table[i, j])
    while True:
        size -= 1
        if size < 0 and not flags[0]:
            break
        elif size < -9:
            return -total
        else:
            pass
        flow[0] += 1 if size & 1 else -(size | 2) + (1 << 2) - (9 >> 1)
    return total
'''


def test_every_form_of_a_line_is_translated(tmp_path: Path) -> None:
    compiler = find_compiler()
    if compiler is None:
        pytest.skip("no C compiler")
    (tmp_path / "odd_kernels.py").write_text(KERNEL)
    (tmp_path / "kernels.c").write_text(write_source(tmp_path))
    made = tmp_path / "odd.so"
    subprocess.run([*compiler, *FLAGS, "-o", made, tmp_path / "kernels.c"], check=True)
    names: dict[str, Any] = {}
    text = (tmp_path / "odd_kernels.py").read_text().replace("@compile_on_use", "@taken")
    kinds = "Number = Float64s = Int64s = Int32s = Grid = Amounts = Bools = None\n"
    kinds += "taken = lambda function: function\n"
    exec(kinds + text.replace("from candling.graph.compilation import compile_on_use", ""), names)
    library = ctypes.CDLL(str(made))
    rng = np.random.default_rng(0)
    for grid, flow in itertools.product((np.int32, np.int64), (np.int8, np.int64)):
        for _ in range(20):
            values = rng.integers(-9, 9, 12, np.int32)
            table = rng.integers(-9, 9, (3, 6)).astype(grid)
            amounts, flags = np.zeros(1, flow), rng.random(6) < 0.5
            arrays = (values, table, amounts, flags)
            copies = [a.copy() for a in arrays]
            expected = names["mixed"](*(a.data for a in copies), 7)
            types = ("Int8s" if flow is np.int8 else "Int64s", f"Grid{np.dtype(grid).itemsize * 8}")
            found = library[f"x_{symbol('odd_kernels', 'mixed', types)}"]
            found.restype = ctypes.c_int64
            assert Compiled._call_library(found, (*arrays, 7)) == expected
            for array, copy in zip(arrays, copies, strict=True):
                assert array.tolist() == copy.tolist()
    terms, weights = rng.normal(size=50), rng.integers(-3, 10**9, 50)
    sums, expected = np.zeros(50), np.zeros(50)
    names["add"](terms.data, expected.data, weights.data)
    Compiled._call_library(library[f"x_{symbol('odd_kernels', 'add', ())}"], (terms, sums, weights))
    assert sums.tolist() == expected.tolist()


@pytest.mark.parametrize("line", ["x = [1]", "return unknown(1)", "return 1.5", "size **= 2"])
def test_a_line_that_has_no_form_in_c_stops_the_build(tmp_path: Path, line: str) -> None:
    body = f"@compile_on_use\ndef kernel(size: Number) -> Number:\n    {line}\n"
    (tmp_path / "kernels.py").write_text(body)
    with pytest.raises((NotImplementedError, KeyError)):
        write_source(tmp_path)
