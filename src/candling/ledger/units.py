"""Epsilon in whole units of 10**-12, rounded against the spender.

A ledger adds and compares integers only, so ten charges of 0.1 fill a budget of 1 exactly.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from candling.errors import LedgerError
from candling.privacy.budget import LARGEST, SMALLEST, exact_epsilon, exact_fraction

UNITS = 10**12  # of an epsilon of 1


def charge_units(epsilon: object) -> int:
    """What a release costs, rounded up: 1/3 is 333333333334.

    Anything but a number between 1e-6 and 100 is refused.
    """
    return math.ceil(exact_epsilon(epsilon) * UNITS)


def budget_units(budget: object) -> int:
    """What a dataset may cost in all, rounded down; the same numbers as for a release."""
    number = exact_fraction(budget)
    if number is None or not SMALLEST <= number <= LARGEST:
        raise LedgerError(
            f"A budget must be a number between {float(SMALLEST):f} and {float(LARGEST):g}; "
            "what was given is not.",
            code="L107",
        )
    return math.floor(number * UNITS)


def epsilon_of(units: int) -> Fraction:
    """The epsilon that so many units are."""
    return Fraction(units, UNITS)


def shown(units: int) -> str:
    """The epsilon that so many units are, as a decimal with every digit and no more."""
    return f"{Decimal(units).scaleb(-12).normalize():f}"
