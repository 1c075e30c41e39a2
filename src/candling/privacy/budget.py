"""Privacy budgets in exact fractions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from numbers import Rational, Real

from candling.errors import UsageError

SMALLEST, LARGEST = Fraction(1, 10**6), Fraction(100)
DIGITS = 60  # the most in a number that is read


def exact_epsilon(value: object) -> Fraction:
    """A caller's epsilon as an exact fraction: 0.1, "0.1" and Fraction(1, 10) are the same.

    Raises UsageError unless it is a number between 1e-6 and 100: below, a release is useless;
    above, it protects nothing.
    """
    epsilon = exact_fraction(value)
    if epsilon is None:
        raise UsageError(f"Epsilon must be a number, not {_shown(value)}.", code="U201")
    if not SMALLEST <= epsilon <= LARGEST:
        raise UsageError(
            f"Epsilon must be between {float(SMALLEST):g} and {float(LARGEST):g}, "
            f"not {_shown(value)}.",
            code="U201",
        )
    return epsilon


def exact_fraction(value: object) -> Fraction | None:
    """The number that a caller means, or None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    try:
        if isinstance(value, Real):
            # A float means the shortest decimal that reads back as it: 0.1 is a tenth.
            return Fraction(repr(float(value)))
        if isinstance(value, str) and "/" in value:
            return Fraction(value)
        if isinstance(value, str | Decimal):
            number = Decimal(value)
            # As a fraction, 1e999999999 would fill the memory before it is refused.
            return Fraction(number) if abs(number.adjusted()) < DIGITS else None
    except (ValueError, ZeroDivisionError, OverflowError, InvalidOperation):
        return None
    return None


def _shown(value: object) -> str:
    """The value, if it is short enough for a message."""
    try:
        text = repr(value)
    except ValueError:  # an integer of thousands of digits
        return "that"
    return text if len(text) <= DIGITS else "that"


def split_budget(epsilon: Fraction, shares: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Parts of epsilon in proportion to the shares; they sum to exactly epsilon."""
    total = sum(shares.values(), Fraction(0))
    return {name: epsilon * share / total for name, share in shares.items()}


def float_below(value: Fraction) -> float:
    """The largest float that is not above `value`."""
    nearest = float(value)
    return nearest if Fraction(nearest) <= value else math.nextafter(nearest, -math.inf)
