"""The index of the largest score, selected privately by OpenDP's noisy max."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from candling.privacy.budget import float_below

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
    integers = [_clamped(math.floor(score * GRID)) for score in scores]
    # OpenDP charges a non-monotone distance d as a window of width 2d, a monotone one as d.
    distance = width if monotone else -(-width // 2)
    metric = linf_distance(T="i64", monotonic=monotone)

    def make(scale: float) -> Any:
        return make_noisy_max(domain, metric, max_divergence(), scale=scale)

    limit = float_below(epsilon)
    scale = (distance if monotone else 2 * distance) / limit
    while make(scale).map(distance) > limit:
        scale = math.nextafter(scale, math.inf)
    return int(make(scale)(integers))


def _clamped(value: int) -> int:
    """Within 62 bits; a clamp brings scores closer, never apart."""
    return max(-(2**62), min(2**62, value))
