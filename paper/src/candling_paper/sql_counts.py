"""One COUNT for each rule in plain SQL: groups cut to a size, the budget split among the rules.

    SELECT count(*) FROM cut AS t1 JOIN cut AS t2 ON t1.x = t2.x AND t1.y <> t2.y  -- halved

where `cut` keeps the first t + 1 rows of each group of rows that agree on the rule's equality
columns (ROW_NUMBER() OVER (PARTITION BY x ORDER BY all columns)). A rule that has none has one
group, the table. The sum over the rules counts a pair as often as it breaks a rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from candling.graph import build_conflicts
from candling.graph.edges import group_lines
from candling.tables import Classes, CodedRule
from candling_paper.levels import Levels
from candling_paper.selection import Exponential
from candling_paper.thresholds import EdgeAddition


@dataclass(frozen=True)
class RuleCounts:
    """For each rule, its pairs in the cut table at every threshold. Private."""

    levels: tuple[Levels, ...]

    def __repr__(self) -> str:
        return f"RuleCounts({len(self.levels)} rules)"  # nothing true in a repr

    def draw(self, epsilon: Fraction) -> float:
        """The sum of all rules' noisy counts; costs epsilon, in equal parts.

        Each rule's threshold is chosen and its count gets noise as the paper does it for all rules
        together (`Exponential`).
        """
        part = epsilon / len(self.levels)
        draws = [(Exponential()(levels, part), levels.step) for levels in self.levels]
        return float(sum(drawn.value * step for drawn, step in draws))


def count_by_rule(classes: Classes, limit: int) -> RuleCounts:
    """The counts of a table of at most `limit` rows, which is public.

    Neighbours: tables that differ in one row. Sensitivity t at threshold t: the row that is added
    takes a place in one group, and at most one other leaves it. Each of the two is in at most t
    pairs of the cut group, so the count moves by at most t, up or down.
    """
    thresholds = EdgeAddition().thresholds(limit)
    found = []
    for rule in classes.rules:
        if rule.constraint.rows == 2:
            counts = tuple(_pairs(classes, rule, threshold) for threshold in thresholds)
            found.append(Levels(counts, thresholds, thresholds, monotone=False))
    return RuleCounts(tuple(found))


def _pairs(classes: Classes, rule: CodedRule, threshold: int) -> int:
    equal = [rule.names[name] for name in rule.constraint.shape.equal]
    there = np.asarray((classes.codes[equal] >= 0).all(axis=0))  # NULL equals nothing
    weights = cut(classes.codes[:, there], classes.weights[there], equal, threshold + 1)
    kept = replace(classes.select(there), weights=weights, rules=(rule,)).select(weights > 0)
    return int(build_conflicts(kept).pairs)


def cut(
    codes: npt.NDArray[np.int32],
    weights: npt.NDArray[np.int64],
    equal: Sequence[int],
    size: int,
) -> npt.NDArray[np.int64]:
    """How many rows of each class are among the first of its group, ordered by their values."""
    if not len(weights):
        return weights
    group = group_lines(codes[list(equal)]).label if equal else np.zeros(len(weights), np.int64)
    order = np.lexsort((*codes[::-1], group))
    running = np.cumsum(weights[order])
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    before_group = np.concatenate([[0], running])[starts]
    sizes = np.diff(np.append(starts, len(order)))
    before = running - weights[order] - np.repeat(before_group, sizes)
    kept = np.empty_like(weights)
    kept[order] = np.clip(size - before, 0, weights[order])
    return kept
