"""Budgets are exact fractions: what a caller writes is what is spent, and the parts add up."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candling.errors import UsageError
from candling.privacy import exact_epsilon, exact_fraction, split_budget
from candling.privacy.budget import LARGEST, SMALLEST, round_down_to_float
from tests.effort import examples

epsilons = st.fractions(SMALLEST, LARGEST, max_denominator=10**9)
shares = st.dictionaries(
    st.text(max_size=3), st.fractions("1/1000000", 100), min_size=1, max_size=9
)


@given(epsilons)
def test_a_fraction_is_taken_as_it_is(epsilon: Fraction) -> None:
    assert exact_epsilon(epsilon) == epsilon
    assert exact_epsilon(str(epsilon)) == epsilon


@given(st.decimals(Decimal("1e-6"), 100, allow_nan=False, places=9))
def test_a_decimal_means_the_same_in_every_type(epsilon: Decimal) -> None:
    exact = Fraction(epsilon)
    assert exact_epsilon(epsilon) == exact
    assert exact_epsilon(str(epsilon)) == exact
    assert exact_epsilon(float(epsilon)) == exact  # eleven digits survive a float


@given(st.floats(1e-6, 100))
def test_a_float_means_the_decimal_that_it_shows(epsilon: float) -> None:
    exact = exact_epsilon(epsilon)
    assert exact == Fraction(repr(epsilon))
    assert float(exact) == epsilon


def test_a_tenth_is_a_tenth() -> None:
    tenth = Fraction(1, 10)
    for written in (0.1, "0.1", ".1", "1e-1", "1/10", Decimal("0.1"), tenth):
        assert exact_epsilon(written) == tenth
    assert exact_epsilon(3) == 3


@pytest.mark.parametrize("ends", [SMALLEST, LARGEST, "1e-6", 1e-6, 100, 100.0])
def test_the_ends_of_the_range_are_in_it(ends: object) -> None:
    assert exact_epsilon(ends) in {SMALLEST, LARGEST}


@pytest.mark.parametrize(
    "value",
    [
        *(math.nan, math.inf, -math.inf, 0, 0.0, -0.0, -1, -0.1, True, False),
        *(5e-324, 1e-300, 1e300, 1e-7, 100.1, 10**400, Fraction(1, 10**7), None),
        *("abc", "", "nan", "inf", "1/0", "-1", "1e300", "1e-300", "0x1", "1,5", "ε"),
        *(Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"), Decimal(0)),
        *(b"1", 1j, [1], (1,), {1: 1}, object, [], float),
    ],
)
def test_what_is_no_sensible_epsilon_is_refused(value: object) -> None:
    with pytest.raises(UsageError) as caught:
        exact_epsilon(value)
    assert caught.value.code == "U201"
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("abc", "Epsilon must be a number, not 'abc'."),
        (None, "Epsilon must be a number, not None."),
        (101, "Epsilon must be between 0.000001 and 100, not 101."),
        ("x" * 58, f"Epsilon must be a number, not '{'x' * 58}'."),  # 60 with its quotes
        ("x" * 59, "Epsilon must be a number, not that."),
        pytest.param(10**5000, "Epsilon must be between 0.000001 and 100, not that.", id="long"),
    ],
)
def test_a_refusal_says_what_was_given_if_that_is_short(value: object, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        exact_epsilon(value)
    assert str(caught.value) == message


def test_a_number_of_many_digits_is_not_written_out() -> None:
    """A fraction of 1e999999999 would fill the memory."""
    assert exact_fraction("1e59") == 10**59
    assert exact_fraction("1e-59") == Fraction(1, 10**59)
    for written in ("1e60", "1e-60", "1e999999999", Decimal("1e60")):
        assert exact_fraction(written) is None


@given(st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary()))
def test_anything_at_all_is_read_or_refused(value: object) -> None:
    try:
        epsilon = exact_epsilon(value)
    except UsageError as error:
        assert error.code == "U201"  # noqa: PT017 - most values are refused, some are not
    else:
        assert SMALLEST <= epsilon <= LARGEST


def test_an_integer_of_many_digits_is_refused_like_any_other() -> None:
    with pytest.raises(UsageError) as caught:
        exact_epsilon(10**5000)
    assert caught.value.code == "U201"


@settings(max_examples=examples(60))
@given(epsilons, shares)
def test_the_parts_sum_to_exactly_epsilon(epsilon: Fraction, wanted: dict[str, Fraction]) -> None:
    parts = split_budget(epsilon, wanted)
    assert sum(parts.values()) == epsilon
    assert list(parts) == list(wanted)
    total = sum(wanted.values())
    assert all(parts[name] * total == epsilon * share for name, share in wanted.items())
    assert all(part > 0 for part in parts.values())


@given(st.fractions(Fraction(1, 10**9), 10**6))
def test_the_float_of_a_budget_is_the_next_one_below(value: Fraction) -> None:
    below = round_down_to_float(value)
    assert Fraction(below) <= value < Fraction(math.nextafter(below, math.inf))
