"""What one public version of the authors' code does: NOT PRIVATE, for experiments only.

The version is commit 4200044 of mshubhankar/DPMeasures. It cannot have made the published averages:
it writes one line for a file of tables, where an average needs one for each. `as_run` is what the
published numbers fit. This version differs from the algorithms as they are printed (`published`),
and from measure to measure:

- the noise gets all of epsilon on top of the 0.4 for the choice: 1.4 epsilon in all;
- edge addition draws a new order of the rows on every call, and so for every score;
- `minimal_inconsistent` is chosen twice, the exact number of rows among the candidates of the
  first choice, and set to 0 if it comes out negative;
- `problematic` is chosen once: where two choices are asked for, the second pass computes the scores
  again, and one choice follows with half of the budget and without the number of rows. Where one
  choice is asked for, the number of rows n is a candidate whose score takes off sqrt(n) n, not
  sqrt(2) n. Its error is that of the negative value, too;
- the bound on degrees is that of the first table on the way from clean to dirty, with groups that
  count the row itself, one draw for all releases of a table, and a whole number from 1 to n;
- rows that break a rule alone are not counted.

The code divides a table of n rows into ten steps for the candidates, as the paper does for 10,000.
The number of rows counts all rows; the code's graph has one node more, which conflicts with none.
Randomness is numpy's, seeded, so that runs can be repeated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
import pyarrow as pa

from candling.rules import ConstraintSet
from candling_paper.all_rows import read_all_rows
from candling_paper.published import (
    BOUND,
    CHOICE,
    Answer,
    largest_groups,
    probabilities,
    quality,
)
from candling_paper.row_order import Pool, pairs_by_place

SMALL = (1, 5, 10, 100, 500)  # candidates for a table of any size
ORDERS = 8  # of a table, see Pool
SEED = 7


@dataclass(frozen=True, slots=True)
class Form:
    """In what the forms of the authors' code differ."""

    noise: float  # of epsilon, for the noise
    twice: bool  # whether `problematic` is chosen twice where two choices are asked for


PUBLIC_VERSION = Form(noise=1.0, twice=False)


class Strategy(Enum):
    """How the threshold is found; the values are the code's names."""

    BOUND_AND_TWO = "bound_hier"
    TWO = "hier_expomech"
    ONE = "expomech"
    ROWS = "baseline_maxdeg"


@dataclass(frozen=True, eq=False)
class NotPrivateTable:
    """A table as the authors' code sees it."""

    rows: int
    groups: tuple[int, ...]  # of each FD and key, its largest group in the first table
    pool: Pool

    @classmethod
    def of(
        cls,
        table: pa.Table,
        rules: ConstraintSet,
        first: pa.Table,
        *,
        joined: pa.Table | None = None,
    ) -> NotPrivateTable:
        """`first` is the table after no or one step of noise: the bound is read there.

        `joined` are the rows among which conflicts are looked for, where they are not all.
        """
        classes = read_all_rows(first, rules).classes
        groups = tuple(others + 1 for others in largest_groups(classes))
        pairs = pairs_by_place(table if joined is None else joined, rules)
        pool = Pool(pairs, ORDERS, np.random.default_rng(SEED))
        return cls(max(table.num_rows, 1), groups, pool)

    def kept(self, measure: str, threshold: int, rng: np.random.Generator) -> int:
        """Pairs or rows that edge addition keeps, in an order drawn for this call."""
        self.pool.prepare([threshold])
        pairs, rows = self.pool.kept(threshold, int(rng.integers(self.pool.size)))
        return rows if measure == "problematic" else pairs

    def candidates(self) -> tuple[int, ...]:
        """Small ones, and tenths of the number of rows; not the number of rows itself."""
        tenth = max(1, self.rows // 10)
        return tuple(sorted({*SMALL, *range(tenth, self.rows // tenth * tenth, tenth)}))


def releases_not_private(  # noqa: PLR0917
    table: NotPrivateTable,
    measure: str,
    epsilon: float,
    draws: int,
    rng: np.random.Generator,
    strategy: Strategy = Strategy.BOUND_AND_TWO,
    form: Form = PUBLIC_VERSION,
) -> list[Answer]:
    """So many releases of a table. Those with a bound on the degrees share one draw of it."""
    if strategy is Strategy.ROWS:
        return [_answer(table, measure, table.rows, epsilon, rng) for _ in range(draws)]
    part = CHOICE * epsilon
    candidates: Sequence[int] = table.candidates()
    if strategy is Strategy.BOUND_AND_TWO:
        bound = noisy_bound_not_private(table, BOUND * part, rng)
        part -= BOUND * part
        candidates = sorted({*(t for t in candidates if t <= bound), bound})
    table.pool.prepare([*candidates, table.rows])
    passes = 1 if strategy is Strategy.ONE else 2
    noise = form.noise * epsilon
    answers = []
    for _ in range(draws):
        threshold = candidates[0]
        if len(candidates) > 1:
            if measure == "problematic" and not form.twice:
                threshold = choose_once_for_rows(table, candidates, (part, noise), passes, rng)
            else:
                threshold = choose(table, measure, candidates, (part, noise), passes, rng)
        answers.append(_answer(table, measure, threshold, noise, rng))
    return answers


def noisy_bound_not_private(
    table: NotPrivateTable, epsilon: float, rng: np.random.Generator
) -> int:
    """The groups with noise, cut to a whole number from 1 to the number of rows.

    Rules without an FD or a key are an error in the authors' code; here they give no bound.
    """
    if not table.groups:
        return table.rows
    noise = rng.laplace(scale=len(table.groups) / epsilon, size=len(table.groups))
    total = int(sum(table.groups) + noise.sum())
    return min(max(total, 1), table.rows)


def choose(  # noqa: PLR0917
    table: NotPrivateTable,
    measure: str,
    candidates: Sequence[int],
    epsilons: tuple[float, float],
    passes: int,
    rng: np.random.Generator,
) -> int:
    """A threshold, chosen as often as there are passes."""
    choice, noise = epsilons[0] / passes, epsilons[1]
    for i in range(passes):
        scores = _scores(table, measure, candidates, noise, rng)
        sensitivity = max(candidates)
        if i == 0:
            candidates = [*candidates, table.rows]
            scores.append(-math.sqrt(2) * table.rows / noise)
        chosen = int(rng.choice(candidates, p=probabilities(scores, sensitivity, choice)))
        candidates = [t for t in candidates if t <= chosen]
    return chosen


def choose_once_for_rows(
    table: NotPrivateTable,
    candidates: Sequence[int],
    epsilons: tuple[float, float],
    passes: int,
    rng: np.random.Generator,
) -> int:
    """A threshold for `problematic`, chosen once from the scores of the last pass."""
    choice, noise = epsilons[0] / passes, epsilons[1]
    # Those of the passes before are lost.
    scores = _scores(table, "problematic", candidates, noise, rng)
    sensitivity = max(candidates)
    if passes == 1:
        candidates = [*candidates, table.rows]
        scores.append(-math.sqrt(table.rows) * table.rows / noise)
    return int(rng.choice(candidates, p=probabilities(scores, sensitivity, choice)))


def vertex_cover_not_private(
    table: NotPrivateTable, epsilon: float, rng: np.random.Generator
) -> float:
    """The greedy cover in a random order of the pairs, with noise of scale 2/epsilon."""
    covers = table.pool.covers
    return covers[int(rng.integers(len(covers)))] + float(rng.laplace(scale=2 / epsilon))


def _scores(
    table: NotPrivateTable,
    measure: str,
    candidates: Sequence[int],
    noise: float,
    rng: np.random.Generator,
) -> list[float]:
    top = table.kept(measure, max(candidates), rng)
    return [quality(table.kept(measure, t, rng), top, t, noise) for t in candidates]


def _answer(
    table: NotPrivateTable, measure: str, threshold: int, epsilon: float, rng: np.random.Generator
) -> Answer:
    value = table.kept(measure, threshold, rng) + float(rng.laplace(scale=threshold / epsilon))
    return Answer(threshold, value if measure == "problematic" else max(value, 0.0))
