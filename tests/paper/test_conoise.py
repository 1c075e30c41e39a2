"""CONoise: pairs of distinct rows that violate the rule drawn, and nothing else changed."""

# ruff: noqa: DTZ001 - a timestamp without a zone is what is tested

from __future__ import annotations

import math
import time
from collections import Counter
from dataclasses import replace
from datetime import date, datetime
from datetime import time as time_of_day
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import candling
from candling.rules import (
    Constant,
    Constraint,
    ConstraintSet,
    Op,
    Predicate,
    parse_constraints,
)
from candling_paper.conoise import conoise
from candling_paper.lookalikes import rules, tax
from tests.oracle import conflicts, drastic, violates_pair, violates_row
from tests.strategies import TableAndRules, tables_and_rules, to_arrow

seeds = st.integers(0, 2**32)


def once(table: pa.Table, text: str, seed: int = 0) -> list[dict[str, Any]]:
    """The rows after one iteration of one rule."""
    noisy = conoise(table, parse_constraints(text), iterations=1, seed=seed)
    assert noisy.schema == table.schema
    rows: list[dict[str, Any]] = noisy.to_pylist()
    return rows


def violated(text: str, rows: list[dict[str, Any]]) -> bool:
    return drastic(conflicts(rows, parse_constraints(text))) == 1


def changed_cells(before: pa.Table, after: pa.Table) -> Counter[str]:
    def same(a: Any, b: Any) -> bool:
        both_nan = isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b)
        return bool(a == b) or both_nan

    return Counter(
        name
        for name in before.column_names
        for a, b in zip(before[name].to_pylist(), after[name].to_pylist(), strict=True)
        if not same(a, b)
    )


# Any table, any rules


def shares_no_cell(constraint: Constraint) -> bool:
    cells = [(c.row, c.name) for p in constraint.predicates for c in p.columns]
    return len(cells) == len(set(cells))


def can_hold(predicate: Predicate, table: pa.Table) -> bool:
    """Whether changing one cell at a time can make it hold, whatever the rows."""
    columns = [table[c.name] for c in predicate.columns]
    if any(pc.all(column.is_null(nan_is_null=True)).as_py() for column in columns):
        return False
    kinds = {column.type for column in columns}
    equal, strict = predicate.op is Op.EQ, predicate.op in (Op.LT, Op.GT)
    if isinstance(predicate.right, Constant):
        value = predicate.right.value
        whole = not isinstance(value, Decimal) or value == int(value)
        midnight = not isinstance(value, datetime) or value.time() == time_of_day()
        if equal and (
            (pa.int64() in kinds and not whole) or (pa.date32() in kinds and not midnight)
        ):
            return False
        return not (strict and (pa.bool_() in kinds or value == ""))
    if equal and len(kinds) > 1:  # 1.5 in a column of integers
        return False
    # From true and false to false and true, or from inf and -inf, is a change of two cells.
    return not (pa.bool_() in kinds or (pa.float64() in kinds and has_infinity(columns)))


def has_infinity(columns: list[pa.ChunkedArray]) -> bool:
    values = [value for column in columns for value in column.to_pylist()]
    return any(isinstance(value, float) and math.isinf(value) for value in values)


def compares_only(case: TableAndRules) -> bool:
    """Whether all rules are of the paper's language."""
    return not any(c.condition for rule in case[2] for p in rule.predicates for c in p.columns)


papers_cases = tables_and_rules().filter(compares_only)


@given(papers_cases, seeds)
def test_one_iteration_makes_its_pair_violate_its_rule(case: TableAndRules, seed: int) -> None:
    columns, rows, several = case
    constraint = several.constraints[0]
    rows = rows[:2]  # so that the pair is known
    table = to_arrow(columns, rows)
    assume(len(rows) == 2 and shares_no_cell(constraint))
    assume(all(can_hold(predicate, table) for predicate in constraint.predicates))
    noisy = conoise(table, ConstraintSet((constraint,)), iterations=1, seed=seed).to_pylist()
    alone = any(violates_row(constraint, row) for row in noisy)
    assert alone or violates_pair(constraint, *noisy)


@given(papers_cases, seeds, st.integers(0, 4))
def test_any_table_changes_within_bounds(case: TableAndRules, seed: int, iterations: int) -> None:
    columns, rows, several = case
    assume(len(rows) >= 2)
    table = to_arrow(columns, rows)
    noisy = [conoise(table, several, iterations=k, seed=seed) for k in range(iterations + 1)]
    assert noisy[0] is table
    most = 2 * max(len(constraint.predicates) for constraint in several)
    for before, after in pairwise(noisy):
        assert after.schema == table.schema
        # Fewer iterations are the beginning of more: one iteration apart.
        changes = changed_cells(before, after)
        assert changes.total() <= most
        assert set(changes) <= set(several.columns)
        touched = [
            i
            for i, (a, b) in enumerate(zip(before.to_pylist(), after.to_pylist(), strict=True))
            if repr(a) != repr(b)
        ]
        assert len(touched) <= 2


def test_the_same_seed_gives_the_same_table_and_another_seed_another() -> None:
    clean, text = tax(500, 0), rules("tax").read_text()
    several = parse_constraints(text)
    whole, again, other = (conoise(clean, several, iterations=50, seed=s) for s in (7, 7, 8))
    assert whole.equals(again)
    assert not whole.equals(other)
    chunked = pa.concat_tables([clean.slice(0, 123), clean.slice(123)])
    assert conoise(chunked, several, iterations=50, seed=7).equals(whole)


def test_growth_over_iterations() -> None:
    clean, several = tax(1_000, 0), parse_constraints(rules("tax").read_text())
    counts = [
        candling.exact(conoise(clean, several, iterations=k, seed=1), several).problematic
        for k in (0, 5, 20, 60)
    ]
    assert counts[0] == 0
    assert counts == sorted(set(counts))


def test_rules_and_rows_are_drawn_uniformly_and_the_rows_are_distinct() -> None:
    # Each rule marks the first row of its pair in a column of its own.
    table = pa.table({"a": ["-"] * 4, "b": ["-"] * 4, "row": ["0", "1", "2", "3"]})
    several = parse_constraints(
        "not(t1.a = 'x' and t1.row = t2.row)\nnot(t1.b = 'x' and t1.row = t2.row)"
    )
    drawn: Counter[tuple[str, int]] = Counter()
    for seed in range(800):
        after = conoise(table, several, iterations=1, seed=seed)
        (first,) = (
            (name, after[name].to_pylist().index("x"))
            for name in ("a", "b")
            if "x" in after[name].to_pylist()
        )
        drawn[first] += 1
        # A copied value of another row: the pair was of two rows.
        assert len(set(after["row"].to_pylist())) == 3
    assert len(drawn) == 8
    assert max(abs(count - 100) for count in drawn.values()) < 47  # 5 standard deviations


# One predicate at a time


@pytest.mark.parametrize("op", ["=", "<=", ">="])
def test_one_side_is_copied_to_the_other_either_way(op: str) -> None:
    table = pa.table({"x": [1, 5], "y": [3, 3]})
    rule = f"not(t1.x {op} t2.y and t1.x > 0)" if op == "=" else f"not(t1.x {op} t1.y)"
    found = {tuple(row[c] for row in once(table, rule, s) for c in "xy") for s in range(60)}
    assert all(set(values) <= {1, 3, 5} for values in found)
    assert all(violated(rule, once(table, rule, s)) for s in range(30))
    assert len(found) > 2  # either cell may be the one that changes


@pytest.mark.parametrize(("op", "allowed"), [("<", {1, 2}), (">", {4, 9}), ("!=", {1, 2, 4, 9})])
def test_strict_comparisons_draw_from_the_values_of_the_start(op: str, allowed: set[int]) -> None:
    table = pa.table({"x": [3, 3, 1, 2, 4, 9], "g": [0, 0, 1, 2, 3, 4]})
    rule = f"not(t1.x {op} 3 and t1.x {op} 3)"
    drawn = set()
    for seed in range(120):
        after = conoise(table, parse_constraints(rule), iterations=1, seed=seed)["x"].to_pylist()
        assert set(after) <= {1, 2, 3, 4, 9}
        drawn |= {b for a, b in zip(table["x"].to_pylist(), after, strict=True) if a != b}
    assert drawn == allowed


@pytest.mark.parametrize("op", ["<", ">", "!="])
@pytest.mark.parametrize(
    "column",
    [
        pa.array([7, 7]),
        pa.array([0.5, 0.5]),
        pa.array([0.5, 0.5], pa.float32()),
        pa.array([Decimal("1.25")] * 2, pa.decimal128(5, 2)),
        pa.array(["ab", "ab"]),
        pa.array(["ab", "ab"], pa.large_string()),
        pa.array([date(2020, 2, 29)] * 2),
        pa.array([date(2020, 2, 29)] * 2, pa.date64()),
        pa.array([datetime(2020, 2, 29, 1)] * 2, pa.timestamp("ns")),
        pa.array([datetime(2020, 2, 29, 1)] * 2, pa.timestamp("s")),
    ],
    ids=lambda array: str(array.type),
)
def test_without_such_a_value_one_is_made_up(column: pa.Array, op: str) -> None:
    table = pa.table({"x": column})
    rule = f"not(t1.x {op} t2.x)"
    for seed in range(10):
        rows = once(table, rule, seed)
        assert violated(rule, rows)
        assert column[0].as_py() in [row["x"] for row in rows]  # only one cell changed


@pytest.mark.parametrize(
    ("kind", "value", "op"),
    [
        (pa.int8(), 127, ">"),
        (pa.uint8(), 0, "<"),
        (pa.decimal128(3, 2), Decimal("9.99"), ">"),
        (pa.float32(), float(np.finfo(np.float32).max), ">"),
        (pa.string(), "", "<"),
        (pa.bool_(), True, ">"),
        (pa.date32(), date.max, ">"),
        (pa.date32(), date.min, "<"),
        (pa.timestamp("us"), datetime(9999, 12, 31, 23, 59, 59, 999_999), ">"),
    ],
    ids=str,
)
def test_at_the_end_of_a_type_the_other_cell_changes(
    kind: pa.DataType, value: Any, op: str
) -> None:
    table = pa.table({"x": pa.array([value] * 2, kind)})
    for seed in range(6):
        rows = once(table, f"not(t1.x {op} t2.x)", seed)
        # One row kept the extreme, the other gave way.
        assert violated(f"not(t1.x {op} t2.x)", rows)
        assert value in [row["x"] for row in rows]
    # With a constant there is no other cell: nothing can be done, and nothing is.
    if isinstance(value, int) and not isinstance(value, bool):
        assert once(table, f"not(t1.x {op} {value})") == table.to_pylist()


@pytest.mark.parametrize("op", list(Op))
def test_null_and_nan_are_overwritten(op: Op) -> None:
    for missing in (None, math.nan):
        table = pa.table({"x": pa.array([missing, 1.0]), "g": ["a", "b"]})
        for seed in range(6):
            assert violated(f"not(t1.x {op} t2.x)", once(table, f"not(t1.x {op} t2.x)", seed))
    both = pa.table({"x": pa.array([None, None, 2]), "y": [1, 1, 1]})
    for seed in range(20):
        assert violated(f"not(t1.x {op} t2.x)", once(both, f"not(t1.x {op} t2.x)", seed))


def test_a_column_of_nothing_but_null_stays() -> None:
    table = pa.table({"x": pa.array([None, None], pa.int64())})
    assert once(table, "not(t1.x = t2.x)") == table.to_pylist()
    assert once(table, "not(t1.x < t2.x)") == table.to_pylist()


def test_constants_stay_and_the_cell_changes() -> None:
    table = pa.table({"x": [1, 2], "day": [date(2020, 1, 1)] * 2, "f": [0.5, 0.5]})
    assert 40 in [row["x"] for row in once(table, "not(t1.x = 40)")]
    assert violated("not(t1.day > 2021-06-01)", once(table, "not(t1.day > 2021-06-01)"))
    # 0.1 is the nearest double, as it is to whoever compares it.
    assert 0.1 in [row["f"] for row in once(table, "not(t1.f = 0.1)")]


def test_what_a_column_cannot_hold_is_not_copied_to_it() -> None:
    table = pa.table({"whole": pa.array([3, 3], pa.int8()), "part": [2.5, 300.0]})
    for seed in range(10):
        rows = once(table, "not(t1.whole = t1.part)", seed)
        assert violated("not(t1.whole = t1.part)", rows)
        assert [row["whole"] for row in rows] == [3, 3]
    # Nothing equals 2.5, but a smaller one will do for `<=`.
    assert once(table, "not(t1.whole = 2.5)") == table.to_pylist()
    assert violated("not(t1.whole <= 2.5)", once(table, "not(t1.whole <= 2.5)"))
    days = pa.table({"day": [date(2020, 1, 1)] * 2, "at": [datetime(2020, 1, 2, 12)] * 2})
    for seed in range(10):
        rows = once(days, "not(t1.day = t1.at)", seed)
        assert datetime(2020, 1, 1) in [row["at"] for row in rows]


def test_a_number_is_copied_to_a_column_of_another_number_type() -> None:
    table = pa.table(
        {
            "whole": pa.array([4, 4], pa.int16()),
            "part": [1.0, 1.0],
            "money": pa.array([Decimal("2.00")] * 2, pa.decimal128(38, 2)),
        }
    )
    for rule in ("not(t1.whole = t2.part)", "not(t1.part = t2.money)", "not(t1.money = t2.whole)"):
        results = [once(table, rule, seed) for seed in range(12)]
        assert all(violated(rule, rows) for rows in results)
        assert len({repr(rows) for rows in results}) >= 2


def test_decimals_keep_all_their_digits() -> None:
    wide = Decimal("123456789012345678901234567890123456.78")
    table = pa.table({"x": pa.array([wide, Decimal("0.01")], pa.decimal128(38, 2))})
    rows = [once(table, "not(t1.x = t2.x)", seed) for seed in range(8)]
    assert {row["x"] for pair in rows for row in pair} == {wide, Decimal("0.01")}
    assert all(pair[0] == pair[1] for pair in rows)


def test_what_no_value_satisfies_is_left_alone() -> None:
    table = pa.table({"x": [1, 2], "y": [1, None]})
    assert once(table, "not(t1.x < t1.x)") == table.to_pylist()
    # A cell that equals itself is not NULL.
    filled = [once(table, "not(t1.y = t1.y)", seed) for seed in range(10)]
    assert [{"x": 1, "y": 1}, {"x": 2, "y": 1}] in filled


def test_one_pass_in_order_even_if_a_later_predicate_undoes_an_earlier() -> None:
    table = pa.table({"x": [1, 2]})
    rows = once(table, "not(t1.x = 5 and t1.x = 6)")
    assert sorted(row["x"] for row in rows) in ([1, 6], [2, 6])


def test_mistakes_are_named() -> None:
    table = pa.table({"x": [1, 2], "at": pa.array([1, 2], pa.time32("s"))})
    key = parse_constraints("not(t1.x = t2.x)")
    with pytest.raises(ValueError, match="iterations=-1"):
        conoise(table, key, iterations=-1, seed=0)
    with pytest.raises(ValueError, match="no rule"):
        conoise(table, replace(key, constraints=()), iterations=1, seed=0)
    with pytest.raises(ValueError, match="two distinct rows cannot be drawn from 1"):
        conoise(table.slice(0, 1), key, iterations=1, seed=0)
    with pytest.raises(candling.ConstraintError, match="no column `y`"):
        conoise(table, parse_constraints("x -> y"), iterations=1, seed=0)
    with pytest.raises(ValueError, match=r"column at has type time32"):
        conoise(table, parse_constraints("not(t1.at = t2.at)"), iterations=1, seed=0)
    with pytest.raises(ValueError, match="comparisons of columns and constants only"):
        conoise(pa.table({"A": [1, 2]}), parse_constraints("A is not null"), iterations=1, seed=0)


def test_an_iteration_does_not_read_the_table() -> None:
    several = parse_constraints(rules("tax").read_text())
    clean = tax(100_000, 0)
    conoise(clean, several, iterations=1, seed=0)
    start = time.process_time()
    conoise(clean, several, iterations=2_000, seed=0)
    assert time.process_time() - start < 5  # 0.3 s on an idle machine; a scan each takes minutes
