"""RNoise: as many cells as it says, of the types they had, and nothing else; and parts of it."""

from __future__ import annotations

import math
from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from candling_paper.noise import partial_noise, rnoise

ROWS = 2_000

# Every type that can be changed, with values at the borders of each.
COLUMNS: dict[str, pa.Array] = {
    "text": pa.array(["Haifa", "Ḥefa", "", "上海", "a b"] * (ROWS // 5)),
    "large": pa.array(["x", "y"] * (ROWS // 2), type=pa.large_string()),
    "small_integer": pa.array([-128, 127, 0, 100, 9] * (ROWS // 5), type=pa.int8()),
    "integer": pa.array(
        [-(2**63), 2**63 - 1, 9223372036854775799, 0, -1] * (ROWS // 5), type=pa.int64()
    ),
    "unsigned": pa.array([0, 2**64 - 1, 7, 10, 999] * (ROWS // 5), type=pa.uint64()),
    "double": pa.array([0.1 + 0.2, 1.7976931348623157e308, 5e-324, -0.0, 2.0**60] * (ROWS // 5)),
    "single": pa.array([0.1, 3.4e38, -1.5, 0.0, 7.0] * (ROWS // 5), type=pa.float32()),
    "money": pa.array([Decimal("9.99"), Decimal("-0.01")] * (ROWS // 2), type=pa.decimal128(3, 2)),
    "flag": pa.array([True, False] * (ROWS // 2)),
    "day": pa.array([date(2018, 1, 2), date(2018, 12, 31)] * (ROWS // 2)),
    "moment": pa.array(
        [datetime(2018, 1, 2, 3, 4, 5)] * ROWS,  # noqa: DTZ001 (a column without a time zone)
        type=pa.timestamp("us"),
    ),
}


def changed_cells(before: pa.Table, after: pa.Table, name: str) -> int:
    pairs = zip(before[name].to_pylist(), after[name].to_pylist(), strict=True)
    return sum(a is not None and a != b for a, b in pairs)


@pytest.mark.parametrize("typo", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("name", list(COLUMNS))
def test_every_type_changes_in_exactly_the_promised_number_of_cells(name: str, typo: float) -> None:
    table = pa.table({name: COLUMNS[name], "other": np.arange(ROWS)})
    noisy = rnoise(table, [name], alpha=0.4, seed=3, typo=typo)
    assert changed_cells(table, noisy, name) == int(0.4 * ROWS * 2)
    assert noisy.schema == table.schema
    assert noisy["other"] == table["other"]
    assert not any(isinstance(v, float) and not math.isfinite(v) for v in noisy[name].to_pylist())


def test_alpha_counts_all_cells_but_only_the_named_columns_change() -> None:
    table = pa.table({name: np.arange(ROWS) % 50 for name in "abcde"})
    noisy = rnoise(table, ["b", "d", "b"], alpha=0.05, seed=0)
    changes = {name: changed_cells(table, noisy, name) for name in table.column_names}
    assert changes["b"] + changes["d"] == int(0.05 * ROWS * 5)
    assert changes["a"] == changes["c"] == changes["e"] == 0
    assert abs(changes["b"] - changes["d"]) < 100  # both near 250, 11 apart as a rule


def test_the_same_seed_gives_the_same_table_and_another_seed_another() -> None:
    table = pa.table(COLUMNS)
    once, again, other = (rnoise(table, list(COLUMNS), alpha=0.1, seed=s) for s in (7, 7, 8))
    assert once.equals(again)
    assert not once.equals(other)


def test_chunks_do_not_matter() -> None:
    table = pa.table(COLUMNS)
    chunked = pa.concat_tables([table.slice(0, 700), table.slice(700)])
    columns = list(COLUMNS)
    whole = rnoise(table, columns, alpha=0.1, seed=7)
    assert rnoise(chunked, columns, alpha=0.1, seed=7).equals(whole)


def test_null_and_nan_stay() -> None:
    values = pa.array([None, math.nan, 1.0, 2.0], from_pandas=False)
    table = pa.table({"x": values})
    noisy = rnoise(table, ["x"], alpha=0.5, seed=1)["x"].to_pylist()
    assert noisy[0] is None
    assert math.isnan(noisy[1])
    assert (noisy[2] != 1.0, noisy[3] != 2.0) == (True, True)


def test_without_typos_every_new_value_is_of_the_active_domain() -> None:
    table = pa.table({"x": [f"v{i % 40}" for i in range(ROWS)]})
    noisy = rnoise(table, ["x"], alpha=0.5, seed=2, typo=0)
    assert set(noisy["x"].to_pylist()) <= set(table["x"].to_pylist())


def test_a_typo_in_a_string_is_a_new_value() -> None:
    table = pa.table({"x": [f"v{i % 40}" for i in range(ROWS)]})
    noisy = rnoise(table, ["x"], alpha=0.5, seed=2, typo=1)
    new = pc.invert(pc.is_in(noisy["x"], value_set=table["x"].unique()))
    assert pc.sum(new).as_py() == ROWS // 2


def test_a_typo_in_a_number_turns_one_digit() -> None:
    table = pa.table({"x": [4321] * ROWS})
    noisy = rnoise(table, ["x"], alpha=1, seed=2, typo=1)
    expected = {5321, 3321, 4421, 4221, 4331, 4311, 4322, 4320}
    assert set(noisy["x"].to_pylist()) == expected


def test_a_column_of_one_value_can_only_have_typos() -> None:
    table = pa.table({"x": ["same"] * ROWS})
    noisy = rnoise(table, ["x"], alpha=0.25, seed=2, typo=0)
    assert changed_cells(table, noisy, "x") == ROWS // 4


def test_skew_zero_is_uniform_over_distinct_values_not_over_rows() -> None:
    # 'rare' is in one row of 20,000, yet half of the swapped 'often' cells become it.
    table = pa.table({"x": ["often"] * 10_000 + ["rare"] + ["third"] * 9_999})
    noisy = rnoise(table, ["x"], alpha=0.5, seed=4, typo=0)["x"].to_pylist()
    from_often = [v for v in noisy[:10_000] if v != "often"]
    share = from_often.count("rare") / len(from_often)
    assert abs(share - 1 / 2) < 0.05  # 7 standard deviations


def test_skew_follows_zipf_in_order_of_first_appearance() -> None:
    # A value that is not drawn for itself: 'last' cells take rank r with weight r^-2.
    ranked = ["first", "second", "third"]
    table = pa.table({"x": [*ranked, *["last"] * 20_000]})
    noisy = rnoise(table, ["x"], alpha=0.5, seed=4, typo=0, skew=2)["x"].to_pylist()[3:]
    counts = np.array([noisy.count(value) for value in ranked])
    expected = np.array([1, 1 / 4, 1 / 9])
    assert np.abs(counts / counts.sum() - expected / expected.sum()).max() < 0.03


def test_no_noise_is_no_change() -> None:
    table = pa.table(COLUMNS)
    assert rnoise(table, list(COLUMNS), alpha=0, seed=0) is table
    empty = table.slice(0, 0)
    assert rnoise(empty, list(COLUMNS), alpha=0.5, seed=0) is empty


def test_mistakes_are_named() -> None:
    table = pa.table({"x": [1, 2], "y": [1, 2], "list": [[1], [2]]})
    with pytest.raises(ValueError, match="no such columns in the table: z"):
        rnoise(table, ["x", "z"], alpha=0.1, seed=0)
    with pytest.raises(ValueError, match="6 cells to change, but the columns given have only 2"):
        rnoise(table, ["x"], alpha=1, seed=0)
    with pytest.raises(ValueError, match=r"column list has type list<.*>; only strings"):
        rnoise(table, ["list"], alpha=0.2, seed=0)
    with pytest.raises(ValueError, match=r"alpha=1\.5"):
        rnoise(table, ["x"], alpha=1.5, seed=0)


# Partial noise


@pytest.fixture(scope="module")
def clean() -> pa.Table:
    return pa.table(COLUMNS)


@pytest.fixture(scope="module")
def noisy(clean: pa.Table) -> pa.Table:
    return rnoise(clean, list(COLUMNS), alpha=0.1, seed=7)


def all_changes(before: pa.Table, after: pa.Table) -> set[tuple[str, int]]:
    return {
        (name, i)
        for name in before.column_names
        for i, (a, b) in enumerate(
            zip(before[name].to_pylist(), after[name].to_pylist(), strict=True)
        )
        if a != b
    }


def test_fractions_of_the_noise_are_nested(clean: pa.Table, noisy: pa.Table) -> None:
    total = len(all_changes(clean, noisy))
    smaller: set[tuple[str, int]] = set()
    for fraction in (0, 0.1, 0.25, 0.7, 1):
        part = partial_noise(clean, noisy, fraction, seed=3)
        changes = all_changes(clean, part)
        assert smaller <= changes
        assert len(changes) == round(fraction * total)
        assert not changes & all_changes(noisy, part)  # each changed cell is as in `noisy`
        assert part.schema == clean.schema
        smaller = changes
    assert partial_noise(clean, noisy, 0, seed=3).equals(clean)
    assert partial_noise(clean, noisy, 1, seed=3).equals(noisy)


def test_the_seed_decides_which_cells_come_first(clean: pa.Table, noisy: pa.Table) -> None:
    once, again, other = (partial_noise(clean, noisy, 0.5, seed=s) for s in (1, 1, 2))
    assert once.equals(again)
    assert not once.equals(other)


def test_the_first_cells_are_of_all_columns(clean: pa.Table, noisy: pa.Table) -> None:
    part = partial_noise(clean, noisy, 0.5, seed=3)
    for name in clean.column_names:
        share = changed_cells(clean, part, name) / changed_cells(clean, noisy, name)
        assert 0.3 < share < 0.7


def test_partial_noise_tells_null_and_nan_from_values() -> None:
    clean = pa.table({"x": pa.array([None, math.nan, 1.0, None, math.nan], from_pandas=False)})
    noisy = pa.table({"x": pa.array([None, math.nan, None, 2.0, 3.0], from_pandas=False)})
    half = partial_noise(clean, noisy, 1 / 3, seed=0)["x"].to_pylist()
    assert half[0] is None
    assert math.isnan(half[1])
    assert sum([half[2] is None, half[3] == 2.0, half[4] == 3.0]) == 1


def test_mistakes_of_partial_noise_are_named(clean: pa.Table, noisy: pa.Table) -> None:
    with pytest.raises(ValueError, match=r"fraction=1\.5"):
        partial_noise(clean, noisy, 1.5, seed=0)
    with pytest.raises(ValueError, match="columns, types and rows of the clean one"):
        partial_noise(clean, noisy.slice(1), 0.5, seed=0)
    with pytest.raises(ValueError, match="columns, types and rows of the clean one"):
        partial_noise(clean, noisy.drop_columns(["flag"]), 0.5, seed=0)


def test_the_stream_of_rnoise_stays_as_it_was() -> None:
    # Figures elsewhere were made with it.
    table = pa.table({"n": np.arange(40), "s": [f"v{i % 7}" for i in range(40)]})
    changed = rnoise(table, ["n", "s"], alpha=0.1, seed=11)
    after = {(name, i): changed[name][i].as_py() for name, i in all_changes(table, changed)}
    assert after == {
        ("n", 2): 1,
        ("n", 9): 20,
        ("n", 37): 38,
        ("s", 5): "v4",
        ("s", 6): "v6x",
        ("s", 16): "v2A",
        ("s", 19): "v3",
        ("s", 33): "v6",
    }
