"""The methods of the paper's package, by their names."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from candling_paper.methods import Method, baseline, exponential, hierarchical, r2t

_UNBOUNDED = partial(hierarchical, degree_bound=False)
METHODS: dict[str, Callable[[], Method]] = {
    make().name: make for make in (baseline, exponential, hierarchical, _UNBOUNDED, r2t)
}
