from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from candling.errors import LedgerError, UsageError
from candling.ledger.entry import (
    COLUMNS,
    budget_units,
    charge_units,
    epsilon_text,
    genesis_hash,
    is_sealed,
    is_time,
    seal_entry,
    utc_now,
)
from candling.model.receipt import UNITS, epsilon_of

numbers, texts = st.integers(-(2**63), 2**63 - 1), st.text(max_size=5)
maybe = st.none() | texts
columns = st.fixed_dictionaries(
    {
        "seq": numbers,
        "time": texts,
        "kind": texts,
        "dataset": maybe,
        "people": maybe,
        "request": maybe,
        "units": numbers,
        "limit_units": numbers,
        "spent_units": numbers,
        "body": texts,
        "previous": texts,
    }
)


@given(columns, st.data())
def test_a_change_in_any_column_breaks_the_seal(
    values: dict[str, Any], data: st.DataObject
) -> None:
    entry = seal_entry(**values)
    assert is_sealed(entry)
    name = data.draw(st.sampled_from(COLUMNS))
    other = data.draw(numbers if isinstance(getattr(entry, name), int) else maybe)
    change: dict[str, Any] = {name: other}
    changed = replace(entry, **change)
    assert is_sealed(changed) == (changed == entry)


@given(columns, columns)
def test_different_entries_have_different_hashes(a: dict[str, Any], b: dict[str, Any]) -> None:
    """Also where a text moves from the end of one column to the start of the next."""
    assert (seal_entry(**a).hash == seal_entry(**b).hash) == (a == b)


def test_where_one_column_ends_matters() -> None:
    empty = {name: "" for name in COLUMNS if name != "hash"}
    one = seal_entry(**{**empty, "dataset": "ab", "request": "c"})
    other = seal_entry(**{**empty, "dataset": "a", "request": "bc"})
    assert one.hash != other.hash


def test_nothing_and_no_text_differ() -> None:
    empty = {name: "" for name in COLUMNS if name != "hash"}
    assert seal_entry(**empty).hash != seal_entry(**{**empty, "request": None}).hash


@pytest.mark.parametrize("position", range(4))
def test_the_start_depends_on_all_that_a_ledger_is_made_with(position: int) -> None:
    made: list[Any] = [1, "id", "2026-01-01T00:00:00.000000Z", "00ff"]
    changed = [*made]
    changed[position] = 2 if position == 0 else "another"
    assert genesis_hash(*made) != genesis_hash(*changed)


def test_times_are_utc_and_of_one_length() -> None:
    assert is_time(utc_now())
    assert not is_time("2026-01-01 00:00:00")


ABSURD = [
    "nan", "inf", "-inf", float("nan"), float("inf"), -float("inf"), Decimal("NaN"),
    Decimal("Infinity"), 0, 0.0, -0.0, "0", -1, "-0.1", 5e-324, 1e-310, 1e-7, 101, 1e308, 10**400,
    "1e999999999", "1/0", "", "one", None, True, [1], 1j, "0x1",
]  # fmt: skip
epsilons = st.fractions(Fraction(1, 10**6), 100)


@pytest.mark.parametrize("value", ABSURD, ids=repr)
def test_what_is_no_epsilon_is_refused(value: object) -> None:
    with pytest.raises(UsageError) as refused:
        charge_units(value)
    assert refused.value.code == "U201"
    with pytest.raises(LedgerError) as unfit:
        budget_units(value)
    assert unfit.value.code == "L107"


@given(epsilons)
def test_rounded_against_the_spender_by_less_than_a_unit(epsilon: Fraction) -> None:
    charged, budget = charge_units(epsilon), budget_units(epsilon)
    assert Fraction(budget, UNITS) <= epsilon <= Fraction(charged, UNITS)
    assert charged - budget == (0 if (epsilon * UNITS).denominator == 1 else 1)


@given(st.lists(epsilons, max_size=30))
def test_a_sum_of_charges_never_hides_epsilon(parts: list[Fraction]) -> None:
    assert epsilon_of(sum(map(charge_units, parts))) >= sum(parts, Fraction(0))


@given(st.integers(1, 10**6))
def test_a_part_that_fits_so_often_fits_so_often(parts: int) -> None:
    """All n charges of 1/n fit into 1 if 1/n is a whole number of units; n-1 always do."""
    one = charge_units(Fraction(1, parts))
    assert (parts - 1) * one < UNITS or parts == 1
    assert (parts * one <= UNITS) == (UNITS % parts == 0)


@given(st.integers(0, 100 * UNITS))
def test_shown_is_exact_and_plain(units: int) -> None:
    text = epsilon_text(units)
    assert Fraction(text) == epsilon_of(units)
    assert "e" not in text.lower()
    assert not ("." in text and text.endswith("0"))


@given(st.integers(0, 100 * UNITS))
def test_a_float_in_a_receipt_gives_the_units_back(units: int) -> None:
    assert round(Fraction(repr(float(epsilon_of(units)))) * UNITS) == units


@pytest.mark.parametrize("tenth", [0.1, "0.1", ".1", Decimal("0.1"), Fraction(1, 10), "1/10"])
def test_a_tenth_is_a_tenth(tenth: object) -> None:
    assert charge_units(tenth) == budget_units(tenth) == UNITS // 10


def test_a_third_is_more_than_a_third() -> None:
    assert charge_units(Fraction(1, 3)) == math.ceil(UNITS / 3) == 333333333334
    assert budget_units(Fraction(1, 3)) == 333333333333
