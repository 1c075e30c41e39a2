"""The paper's algorithms as methods of a release: sound, at the epsilon that is stated.

    candling.release("t.parquet", rules, epsilon=1, method=candling_paper.hierarchical())

Those that project release Algorithm 5's vertex cover as `repair`.
"""

from __future__ import annotations

from candling.measures import Method
from candling_paper.race import R2T, EveryPower
from candling_paper.selection import Exponential, Hierarchical, Last
from candling_paper.thresholds import BETWEEN, CANDIDATES, LARGER, EdgeAddition
from candling_paper.vertex_cover import VertexCover


def projection(threshold: int) -> Method:
    """Edge addition at one threshold that is given, and noise (Algorithms 1, 2 and 5)."""
    cut = EdgeAddition((threshold,), with_limit=False)
    return Method(f"paper-projection-{threshold}", Last(), cut, VertexCover())


def exponential() -> Method:
    """The threshold by one private choice (Algorithms 1, 2, 3 and 5)."""
    return Method("paper-exponential", Exponential(), EdgeAddition(), VertexCover())


def hierarchical(*, degree_bound: bool = True) -> Method:
    """The threshold by two private choices, after a bound on degrees (Algorithms 1, 2, 4 and 5)."""
    if not degree_bound:
        name = "paper-hierarchical-unbounded"
        return Method(name, Hierarchical(degree_bound=False), EdgeAddition(), VertexCover())
    finer = EdgeAddition(tuple(sorted((*CANDIDATES, *LARGER, *BETWEEN))))
    return Method("paper-hierarchical", Hierarchical(between=BETWEEN), finer, VertexCover())


def hierarchical_unbounded() -> Method:
    """The same without the bound on degrees."""
    return hierarchical(degree_bound=False)


def baseline() -> Method:
    """Baseline 1: the number of rows as the threshold; stated, bounded or with noise."""
    return Method("paper-baseline", Last(), EdgeAddition(()), VertexCover(), needs_rows=True)


def r2t(base: int = 2) -> Method:
    """Race to the top over the linear programs' truncations, which the flows are.

    `base` is a power of two: thresholds are its powers. Its authors prove R2T for 2 and run it with
    5.5; every base is private (docs/privacy.md, Theorem 14 holds for any thresholds that are
    public), a larger one has fewer runners to pay for and loses more between them.
    """
    if base == 2:
        return Method("paper-r2t", R2T(), needs_rows=True)
    return Method(f"paper-r2t-{base}", R2T(), EveryPower(base), needs_rows=True)
