from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from candling.ledger.entry import (
    COLUMNS,
    Entry,
    genesis_hash,
    is_sealed,
    is_time,
    sealed,
    utc_now,
)

numbers, texts = st.integers(-(2**63), 2**63 - 1), st.text(max_size=5)
maybe = st.none() | texts
columns = st.fixed_dictionaries(
    {
        "seq": numbers,
        "time": texts,
        "kind": texts,
        "dataset": maybe,
        "request": maybe,
        "units": numbers,
        "limit_units": numbers,
        "spent_units": numbers,
        "fingerprint": maybe,
        "body": texts,
        "previous": texts,
    }
)


@given(columns, st.data())
def test_a_change_in_any_column_breaks_the_seal(
    values: dict[str, Any], data: st.DataObject
) -> None:
    entry = sealed(**values)
    assert is_sealed(entry)
    name = data.draw(st.sampled_from(COLUMNS))
    other = data.draw(numbers if isinstance(getattr(entry, name), int) else maybe)
    change: dict[str, Any] = {name: other}
    changed = replace(entry, **change)
    assert is_sealed(changed) == (changed == entry)


@given(columns, columns)
def test_different_entries_have_different_hashes(a: dict[str, Any], b: dict[str, Any]) -> None:
    """Also where a text moves from the end of one column to the start of the next."""
    assert (sealed(**a).hash == sealed(**b).hash) == (a == b)


def test_where_one_column_ends_matters() -> None:
    empty = {name: "" for name in COLUMNS if name != "hash"}
    one = sealed(**{**empty, "dataset": "ab", "request": "c"})
    other = sealed(**{**empty, "dataset": "a", "request": "bc"})
    assert one.hash != other.hash


def test_nothing_and_no_text_differ() -> None:
    empty = {name: "" for name in COLUMNS if name != "hash"}
    assert sealed(**empty).hash != sealed(**{**empty, "request": None}).hash


@pytest.mark.parametrize("position", range(4))
def test_the_start_depends_on_all_that_a_ledger_is_made_with(position: int) -> None:
    made: list[Any] = [1, "id", "2026-01-01T00:00:00.000000Z", "00ff"]
    changed = [*made]
    changed[position] = 2 if position == 0 else "another"
    assert genesis_hash(*made) != genesis_hash(*changed)


def test_times_are_utc_and_of_one_length() -> None:
    assert is_time(utc_now())
    assert not is_time("2026-01-01 00:00:00")


def test_neither_a_repr_nor_an_entry_without_key_tells_the_table() -> None:
    values: dict[str, Any] = {n: "x" for n in COLUMNS if n != "hash"}
    entry = sealed(**{**values, "seq": 1, "fingerprint": "f00d"})
    assert "f00d" not in repr(entry)
    assert isinstance(entry, Entry)
    assert asdict(entry)["fingerprint"] == "f00d"
