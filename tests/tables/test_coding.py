"""Codes compare as the values do, also at the ends of what a type holds, and never fail."""

from __future__ import annotations

import operator
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import candling
from candling.rules import ColumnType
from candling.tables import arrow_coding as coding
from candling.tables.arrow_coding import code_columns as code_arrow
from candling.tables.coding import Codebook, code_constant, code_values
from candling.tables.values import Form

BIG = 2**53
INTEGERS = st.sampled_from([0, 1, BIG, BIG + 1, -BIG - 1, 2**63 - 1, 2**63 - 2, -(2**63)])
FLOATS = st.sampled_from([0.0, -0.0, 1.5, float(BIG), 2.0**63, -(2.0**63), float("inf"), 1e300])
DECIMALS = st.sampled_from([Decimal("0.00"), Decimal("1.50"), Decimal("-0.01"), Decimal(10**30)])
COMPARE: list[Callable[[Any, Any], bool]] = [operator.lt, operator.eq, operator.gt]


NUMBER = Form(ColumnType.NUMBER)


def code_forms(
    columns: list[pa.ChunkedArray], forms: list[Form]
) -> tuple[Codebook, list[np.ndarray]]:
    """Long columns in codes; those of short ones are the same, if their engine has such columns."""
    codebook, coded = code_arrow(columns, forms)
    values = [column.to_pylist() for column in columns]
    texts = any(pa.types.is_string(column.type) for column in columns)
    if not (texts and forms[0].kind is ColumnType.NUMBER) and "nan" not in map(
        repr, chain(*values)
    ):
        short, few = code_values(values, forms)
        assert [c.tolist() for c in few] == [c.tolist() for c in coded]
        assert [short.key(i) for i in range(short.size)] == [
            codebook.key(i) for i in range(codebook.size)
        ]
    return codebook, coded


def code_columns(
    columns: list[pa.ChunkedArray], form: Form = NUMBER
) -> tuple[Codebook, list[np.ndarray]]:
    """Columns of one form."""
    return code_forms(columns, [form] * len(columns))


def exact(value: float | Decimal) -> Any:
    return value if value == float("inf") else Fraction(value)


@given(st.lists(INTEGERS, min_size=1), st.lists(st.one_of(FLOATS), min_size=1))
def test_integers_next_to_floats(whole: list[int], real: list[float]) -> None:
    columns = [pa.chunked_array([pa.array(whole)]), pa.chunked_array([pa.array(real)])]
    _, (a, b) = code_columns(columns)
    for x, cx in zip(whole, a, strict=True):
        for y, cy in zip(real, b, strict=True):
            assert [f(cx, cy) for f in COMPARE] == [f(exact(x), exact(y)) for f in COMPARE]


@given(st.lists(DECIMALS, min_size=1), st.lists(FLOATS, min_size=1), st.lists(INTEGERS, min_size=1))
def test_decimals_next_to_both(fixed: list[Decimal], real: list[float], whole: list[int]) -> None:
    values: list[list[Any]] = [fixed, real, whole]
    types = [pa.decimal128(38, 2), pa.float64(), pa.int64()]
    arrays = [pa.chunked_array([pa.array(v, t)]) for v, t in zip(values, types, strict=True)]
    for chosen in ([0, 1], [0, 2], [0, 1, 2]):
        _, coded = code_columns([arrays[i] for i in chosen])
        flat = [
            (exact(v), c)
            for i, k in enumerate(chosen)
            for v, c in zip(values[k], coded[i], strict=True)
        ]
        for x, cx in flat:
            for y, cy in flat:
                assert [f(cx, cy) for f in COMPARE] == [f(x, y) for f in COMPARE]


def test_unsigned_numbers_beyond_int64() -> None:
    columns = [
        pa.chunked_array([pa.array([2**64 - 1, 1], pa.decimal128(20, 0))]),
        pa.chunked_array([pa.array([1, -1], pa.int64())]),
    ]
    _, (a, b) = code_columns(columns)
    assert a[1] == b[0]
    assert a[0] > a[1] > b[1]


def test_numbers_of_any_size() -> None:
    texts = ["Infinity", "-Infinity", "1" + "0" * 400, "0." + "0" * 400 + "1", "1.50", "1.5"]
    columns = [pa.chunked_array([texts]), pa.chunked_array([[1, 2]])]
    codebook, (a, b) = code_columns(columns)
    assert a[1] < a[3] < b[0] < a[4] == a[5] < b[1] < a[2] < a[0]
    assert b[0] < code_constant(codebook, Decimal("1.2"), NUMBER) < a[4]


def test_points_in_time_of_every_unit_and_age() -> None:
    day = Form(ColumnType.DATE)
    tick = {unit: Form(ColumnType.TIMESTAMP, unit=unit) for unit in ("us", "ns")}
    days = pa.chunked_array([[2932532, 0, -1, 2**31 - 1, 2**31 - 2]])  # the first: year 9999
    ns = pa.chunked_array([[0, 1, 2**63 - 1]])
    us = pa.chunked_array([[253370764800000000, 0, 2**63 - 1, -(2**63) + 1, -(2**63) + 2]])
    codebook, (d, n, u) = code_forms([days, ns, us], [day, tick["ns"], tick["us"]])
    assert d[0] == u[0]
    assert d[1] == n[0] == u[1]
    assert n[1] > n[0]
    assert d[3] == n[2] == u[2] == max(*d, *n, *u)  # infinity
    assert u[3] == min(*d, *n, *u) < u[4]
    assert code_constant(codebook, date(1970, 1, 1), day) == d[1]
    at = datetime.fromisoformat
    assert code_constant(codebook, at("1969-12-31T00:00:00"), day) == d[2]
    assert d[2] < code_constant(codebook, at("1969-12-31T12:00:00"), day) < d[1]


@pytest.mark.parametrize(
    ("column", "other", "rule"),
    [
        (pa.array([1, BIG + 1]), pa.array([1.0, 2.0]), "not(t1.A > t1.B)"),
        (pa.array([1, 2**64 - 1], pa.uint64()), pa.array([1.0, 2.0]), "not(t1.A > t1.B)"),
        (
            pa.array([0, 2932532], pa.date32()),
            pa.array([0, 1], pa.timestamp("ns")),
            "not(t1.A > t1.B)",
        ),
        (pa.array([0, 9000000], pa.date32()), pa.array([0, 1]), "not(t1.A > 2021-01-01)"),
    ],
)
def test_no_single_value_ends_a_release(column: pa.Array, other: pa.Array, rule: str) -> None:
    table = pa.table({"A": column, "B": other})
    found = candling.exact(table, candling.parse_constraints(rule))
    assert found.minimal_inconsistent == 1


def test_a_constant_next_to_doubles_is_the_nearest_double() -> None:
    table = pa.table({"A": np.array([0.1, 0.2, 0.3])})
    assert candling.exact(table, candling.parse_constraints("not(t1.A = 0.1)")).repair == 1
    assert candling.exact(table, candling.parse_constraints("not(t1.A < 0.25)")).repair == 2


def test_a_constant_next_to_single_precision_is_rounded_to_it() -> None:
    table = pa.table({"A": pa.array([0.1], pa.float32())})
    for rule, repair in (("t1.A = 0.1", 1), ("t1.A > 0.1", 0), ("t1.A <= 0.1", 1)):
        assert candling.exact(table, candling.parse_constraints(f"not({rule})")).repair == repair


@pytest.mark.parametrize("constant", ["1e399", "-1e399"])
def test_a_constant_beyond_all_doubles(constant: str) -> None:
    table = pa.table({"A": [0.5, float("inf")]})
    found = candling.exact(table, candling.parse_constraints(f"not(t1.A > {constant})"))
    assert found.repair == (2 if constant[0] == "-" else 0)


def test_decimals_and_integers_wider_than_any_decimal() -> None:
    columns = [
        pa.chunked_array([pa.array([Decimal("0." + "9" * 38)], pa.decimal128(38, 38))]),
        pa.chunked_array([pa.array([Decimal(10**38 - 1), Decimal(0)], pa.decimal128(38, 0))]),
        pa.chunked_array([pa.array([2**63 - 1])]),
    ]
    _, (a, b, c) = code_columns([*columns])
    assert b[1] < a[0] < c[0] < b[0]
    wide = pa.chunked_array([pa.array([Decimal(10**38)], pa.decimal256(39, 0))])
    _, (a, b) = code_columns([columns[0], wide])
    assert a[0] < b[0]


def test_more_text_than_one_array_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    column = pa.chunked_array([["b", None, "a"], ["c", "a"], ["b"]])
    words = Form(ColumnType.STRING)
    once, (codes,) = code_columns([column], words)
    monkeypatch.setattr(coding, "ONE_ARRAY", 0)
    again, (in_chunks,) = code_columns([column], words)
    assert once.size == again.size == 3
    assert codes.tolist() == in_chunks.tolist()
