"""Integers with discrete Laplace noise, from OpenDP."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from candling.privacy.budget import round_down_to_float


@dataclass(frozen=True, slots=True)
class DiscreteLaplace:
    """Noise Z on the integers with P(Z = z) proportional to exp(-|z| / scale)."""

    scale: float

    def tail(self, distance: int) -> float:
        """P(Z >= distance), for a distance of 1 or more."""
        decay = math.exp(-1 / self.scale)
        return decay**distance / (1 + decay)

    def upper_tail(self, miss: float) -> int:
        """The smallest d of 0 or more with P(Z > d) <= miss, up to rounding upwards."""
        # decay**(d + 1) / (1 + decay) <= miss, rounded against us.
        needed = -self.scale * math.log(miss * (1 + math.exp(-1 / self.scale)))
        return max(0, math.ceil(needed * (1 + 1e-12)) - 1)

    def lower_tail(self, miss: float) -> int:
        """The smallest d of 0 or more with P(Z < -d) <= miss: the noise is symmetric."""
        return self.upper_tail(miss)

    @property
    def mean_absolute_error(self) -> float:
        """E|Z|."""
        return 1 / math.sinh(1 / self.scale)


def laplace_noise(sensitivity: int, epsilon: Fraction) -> DiscreteLaplace:
    """The noise that makes an integer of this sensitivity epsilon-DP (docs/privacy.md, Theorem 1).

    The scale is rounded up until OpenDP's own accounting, which rounds against us, agrees.
    """
    limit = round_down_to_float(epsilon)
    scale = sensitivity / limit
    while _measurement(scale).map(sensitivity) > limit:
        scale = math.nextafter(scale, math.inf)
    return DiscreteLaplace(scale)


def add_laplace(value: int, noise: DiscreteLaplace) -> int:
    """`value` plus a fresh draw of the noise.

    Neighbours: tables that differ in the rows of one person. Sensitivity and cost: as stated to
    `laplace_noise`. Proof: docs/privacy.md, Theorem 1.
    """
    return int(_measurement(noise.scale)(value))


@cache
def _measurement(scale: float) -> Any:
    # Not the prelude, which loads polars and whatever else is there.
    from opendp.domains import atom_domain
    from opendp.measurements import make_laplace
    from opendp.metrics import absolute_distance
    from opendp.mod import enable_features

    enable_features("contrib")
    return make_laplace(atom_domain(T="i64"), absolute_distance(T="i64"), scale=scale)
