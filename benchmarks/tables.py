"""The tables on which releases are measured, for more than one benchmark."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from candling.rules import ConstraintSet, parse_constraints

REPOSITORY = Path(__file__).parents[1]
NAMES = ("stock", "tax", "hospital", "flight", "adult")  # from sparse to dense, as in the paper
ROWS = 10_000
ALPHAS = (0.001, 0.003, 0.01)  # shares of cells that RNoise changes
ITERATIONS = (20, 60, 200)  # of CONoise
SEEDS = 4


def dependencies(
    seed: int, *, even: bool, rules: int = 9, rows: int = ROWS
) -> tuple[pa.Table, ConstraintSet]:
    """A table like a small real one: with nine rules and 10,000 rows, about 1,300 conflicts.

    Five rows are wrong under each rule, and meet about 30 others each, or more and fewer if groups
    are uneven. A table of another size has as many conflicts for each of its rows.
    """
    rng = np.random.default_rng(seed)
    groups, wrong_rows = rows / ROWS, round(5 * rows / ROWS) or 1
    columns: dict[str, npt.NDArray[np.int64]] = {}
    for rule in range(rules):
        if even:
            group = rng.permutation(np.arange(rows) % max(1, round(333 * groups)))
        else:
            group = (400 * groups * rng.random(rows) ** 1.3).astype(np.int64)
        value = group % 7
        wrong = rng.choice(rows, wrong_rows, replace=False)
        value[wrong] += 100
        columns |= {f"a{rule}": group, f"b{rule}": value}
    return pa.table(columns), parse_constraints("\n".join(f"a{i} -> b{i}" for i in range(rules)))
