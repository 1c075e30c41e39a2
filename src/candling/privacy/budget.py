"""Privacy budgets in exact fractions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from candling.errors import UsageError

SMALLEST, LARGEST = Fraction(1, 10**6), Fraction(100)


def exact_epsilon(value: object) -> Fraction:
    """A caller's epsilon as an exact fraction: 0.1, "0.1" and Fraction(1, 10) are the same.

    Anything that is not a number between 1e-6 and 100 is refused: below, nothing useful can be
    released; above, nothing is protected.
    """
    kinds = int | float | str | Decimal | Fraction
    if isinstance(value, bool) or not isinstance(value, kinds):
        raise UsageError(f"Epsilon must be a number, not {value!r}.", code="U201")
    try:
        # A float means the shortest decimal that reads back as it: 0.1 is a tenth.
        epsilon = Fraction(repr(value)) if isinstance(value, float) else Fraction(value)
    except (ValueError, ZeroDivisionError, OverflowError, InvalidOperation):
        raise UsageError(f"Epsilon must be a number, not {value!r}.", code="U201") from None
    if not SMALLEST <= epsilon <= LARGEST:
        raise UsageError(
            f"Epsilon must lie between {float(SMALLEST):g} and {float(LARGEST):g}, not {value}.",
            code="U201",
        )
    return epsilon


def split_budget(epsilon: Fraction, shares: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Parts of epsilon in proportion to the shares; they sum to exactly epsilon."""
    total = sum(shares.values(), Fraction(0))
    return {name: epsilon * share / total for name, share in shares.items()}


def float_below(value: Fraction) -> float:
    """The largest float that is not above `value`."""
    nearest = float(value)
    return nearest if Fraction(nearest) <= value else math.nextafter(nearest, -math.inf)
