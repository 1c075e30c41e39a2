"""Every way to estimate a measure, drawn many times on one table, and how far off it is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt
import pyarrow as pa

import candling
from candling import measures
from candling.measures import MINIMAL_INCONSISTENT, Method, Setting
from candling.measures.facts import Facts
from candling.privacy import OneDraw, Statistic, add_laplace, laplace_noise
from candling.rules import ConstraintSet
from candling.truth import Exact
from candling_paper import methods, published
from candling_paper.experiments.store import Row
from candling_paper.vertex_cover import VertexCover

PAIRS, ROWS, REPAIR = MEASURES = ("minimal_inconsistent", "problematic", "repair")
THRESHOLDED = (PAIRS, ROWS)

# The ways, by the keys that stand in the CSV files.
OURS = "ours"
AS_PRINTED, MADE_PRIVATE = "as_printed", "made_private"
R2T_AS_PRINTED, R2T_MADE_PRIVATE = "r2t_as_printed", "r2t_made_private"
MAIN = (AS_PRINTED, MADE_PRIVATE, R2T_AS_PRINTED, R2T_MADE_PRIVATE, OURS)
STRATEGIES = (
    "as_printed_baseline_1",
    "as_printed_exponential",
    "as_printed_hierarchical",
    "made_private_baseline_1",
    "made_private_exponential",
    "made_private_hierarchical",
    "baseline_2",
)
REPEATED = "not private"  # what is said of every re-run of the published form
REPAIR_SECONDS = 20.0  # seconds to look for the smallest repair

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """One dirty table and what is true of it."""

    facts: Facts
    rows: int  # taken as public, as the paper does
    truth: dict[str, float]
    linear_repair: float
    max_degree: int

    @classmethod
    def of(cls, table: pa.Table, rules: ConstraintSet) -> Case:
        study = candling.analyze(table, rules)
        facts = study._facts  # noqa: SLF001 - an experiment looks inside
        exact = Exact(facts.exact(search=REPAIR_SECONDS))
        repair = exact.repair if exact.repair_exact is None else exact.repair_exact
        truth = {
            PAIRS: float(exact.minimal_inconsistent),
            ROWS: float(exact.problematic),
            REPAIR: float(repair),
        }
        return cls(
            facts, max(table.num_rows, 1), truth, float(exact.repair_linear), exact.max_degree
        )

    @cached_property
    def seen(self) -> published.NotPrivate:
        """The table as the published algorithms see it."""
        return published.not_private(self.facts)


def is_private(way: str) -> str:
    """What the CSV says of a way: "yes" or that it is not private."""
    return (
        "yes"
        if way == OURS or way in (MADE_PRIVATE, R2T_MADE_PRIVATE) or way.startswith("made_private_")
        else REPEATED
    )


def estimate(  # noqa: PLR0917
    case: Case, measure: str, way: str, epsilon: float, draws: int, rng: np.random.Generator
) -> tuple[Values, list[int]]:
    """Values of many releases, and the thresholds that they chose (none for repair and R2T)."""
    exact_epsilon = Fraction(str(epsilon))
    if measure == REPAIR:
        return _repairs(case, way, exact_epsilon, draws, rng), []
    if way == OURS:
        levels = _levels(case.facts, measure, Setting())
        law = OneDraw([levels], exact_epsilon)
        drawn = [law.draw()[0] for _ in range(draws)]
        values = [float(max(Fraction(0), d.value * levels.step)) for d in drawn]
        return np.array(values), [levels.thresholds[d.level] for d in drawn]
    if way in _MADE_PRIVATE:
        method = _MADE_PRIVATE[way]()
        levels = _levels(case.facts, measure, Setting(method, case.rows))
        chosen = [method.draw_alone(levels, exact_epsilon) for _ in range(draws)]
        values = [float(max(Fraction(0), d.value * levels.step)) for d in chosen]
        return np.array(values), [levels.thresholds[d.level] for d in chosen]
    if way == R2T_AS_PRINTED:
        flows = [f / 2 for f in MINIMAL_INCONSISTENT.levels(case.facts)]
        run = partial(published.r2t_not_private, flows, case.rows, epsilon, rng)
        return np.array([run() for _ in range(draws)]), []
    answers = [_AS_PRINTED[way](case.seen, measure, epsilon, rng) for _ in range(draws)]
    return np.array([a.value for a in answers]), [a.threshold for a in answers]


def _levels(facts: Facts, measure: str, setting: Setting) -> Statistic:
    (levels,) = measures.MEASURES[measure].true_statistics(facts, setting)
    return levels


def _repairs(
    case: Case, way: str, epsilon: Fraction, draws: int, rng: np.random.Generator
) -> Values:
    if way == AS_PRINTED:
        cover = published.vertex_cover_not_private
        return np.array([cover(case.seen, float(epsilon), rng) for _ in range(draws)])
    ours = way == OURS
    number = measures.REPAIR.number(case.facts) if ours else VertexCover().value(case.facts)
    noise = laplace_noise(number.growth, epsilon)
    noisy = [add_laplace(number.value, noise) for _ in range(draws)]
    return np.array([float(max(Fraction(0), n * number.step)) for n in noisy])


_MADE_PRIVATE: dict[str, Callable[[], Method]] = {
    MADE_PRIVATE: methods.hierarchical,
    "made_private_hierarchical": partial(methods.hierarchical, degree_bound=False),
    "made_private_exponential": methods.exponential,
    "made_private_baseline_1": methods.baseline,
    R2T_MADE_PRIVATE: methods.r2t,
}
_AS_PRINTED: dict[str, Callable[..., published.Answer]] = {
    AS_PRINTED: published.hierarchical_not_private,
    "as_printed_hierarchical": partial(published.hierarchical_not_private, degree_bound=False),
    "as_printed_exponential": published.exponential_not_private,
    "as_printed_baseline_1": published.baseline_rows_not_private,
    "baseline_2": published.baseline_degree_not_private,
}


def applies(measure: str, way: str) -> bool:
    """R2T counts pairs alone; a repair needs no strategy."""
    if measure == REPAIR:
        return way in (AS_PRINTED, MADE_PRIVATE, OURS)
    return measure == PAIRS or way not in (R2T_AS_PRINTED, R2T_MADE_PRIVATE)


def summary_rows(
    case: Case, ways: Sequence[str], epsilon: float, draws: int, rng: np.random.Generator
) -> Iterator[Row]:
    """One row for each measure and way: truth, mean, spread and relative error."""
    for measure in MEASURES:
        truth = case.truth[measure]
        for way in ways:
            if not applies(measure, way):
                continue
            values, thresholds = estimate(case, measure, way, epsilon, draws, rng)
            against = 2 * case.linear_repair if measure == REPAIR and way != OURS else None
            yield {
                "measure": measure,
                "method": way,
                "private": is_private(way),
                "epsilon": epsilon,
                "truth": truth,
                "mean": float(values.mean()),
                "std": float(values.std(ddof=1)) if len(values) > 1 else 0.0,
                **_errors(values, truth),
                "error_as_published": _errors(values, against)["error"] if against else None,
                "draws": draws,
                "threshold": Counter(thresholds).most_common(1)[0][0] if thresholds else None,
            }


def _errors(values: Values, truth: float) -> dict[str, float | None]:
    """The mean relative error and its standard error; nothing where the truth is 0."""
    if not truth:
        return {"error": None, "error_se": None}
    errors = np.abs(values - truth) / truth
    doubt = float(errors.std(ddof=1)) / math.sqrt(len(errors)) if len(errors) > 1 else 0.0
    return {"error": float(errors.mean()), "error_se": doubt}
