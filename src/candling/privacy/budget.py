"""Privacy budgets in exact fractions, and the private selection by OpenDP's noisy max."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from numbers import Rational, Real
from typing import Any

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
        raise UsageError(f"Epsilon must be a number, not {_shorten(value)}.", code="U201")
    if not SMALLEST <= epsilon <= LARGEST:
        raise UsageError(
            f"Epsilon must be between {float(SMALLEST):f} and {float(LARGEST):g}, "
            f"not {_shorten(value)}.",
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


def _shorten(value: object) -> str:
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


def round_down_to_float(value: Fraction) -> float:
    """The largest float that is not above `value`."""
    nearest = float(value)
    return nearest if Fraction(nearest) <= value else math.nextafter(nearest, -math.inf)


GRID = 2**20  # scores are rounded to this fraction of one; the rounding is paid for


def noisy_max(
    scores: Sequence[Fraction | int], *, window: Fraction, epsilon: Fraction, monotone: bool = False
) -> int:
    """The index of a score near the largest.

    Neighbours: tables that differ in the rows of one person. Sensitivity: between neighbours all
    scores change by amounts that lie within one window of width `window` that contains 0 (for
    `monotone`, from 0 to `window`): noisy max ignores a common shift. Cost: epsilon. Proof:
    docs/privacy.md, Theorem 6.
    """
    from opendp.domains import atom_domain, vector_domain
    from opendp.measurements import make_noisy_max
    from opendp.measures import max_divergence
    from opendp.metrics import linf_distance
    from opendp.mod import enable_features

    enable_features("contrib")
    domain = vector_domain(atom_domain(T="i64"))
    # Rounded down to the grid, two scores move apart by one unit more at the most.
    width = math.ceil(window * GRID) + 1
    integers = [_clamp(math.floor(score * GRID)) for score in scores]
    # OpenDP charges a non-monotone distance d as a window of width 2d, a monotone one as d.
    distance = width if monotone else -(-width // 2)
    metric = linf_distance(T="i64", monotonic=monotone)

    def make(scale: float) -> Any:
        return make_noisy_max(domain, metric, max_divergence(), scale=scale)

    limit = round_down_to_float(epsilon)
    scale = (distance if monotone else 2 * distance) / limit
    while make(scale).map(distance) > limit:
        scale = math.nextafter(scale, math.inf)
    return int(make(scale)(integers))


def _clamp(value: int) -> int:
    """Within 62 bits; a clamp brings scores closer, never apart."""
    return max(-(2**62), min(2**62, value))
