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

from candling import measures
from candling.card import Exact
from candling.measures import Setting
from candling.measures.facts import Facts
from candling.privacy import LevelsDraw
from candling.rules import ConstraintSet
from candling_paper import as_coded, methods, published, published_race
from candling_paper.all_rows import AllRows, read_all_rows
from candling_paper.as_coded import Strategy
from candling_paper.experiments.store import Row
from candling_paper.experiments.whole_release import whole_releases
from candling_paper.laplace import add_laplace, laplace_noise
from candling_paper.methods import Method
from candling_paper.vertex_cover import SENSITIVITY, vertex_cover

PAIRS, ROWS, REPAIR = MEASURES = ("minimal_inconsistent", "problematic", "repair")
THRESHOLDED = (PAIRS, ROWS)

# The ways, by the keys that stand in the CSV files. `ours` is one measure alone, with all of
# epsilon; `ours_one_draw` is that measure's estimate in a release of all measures, which
# share one epsilon and agree with each other.
OURS, OURS_ONE_DRAW = "ours", "ours_one_draw"
AS_CODED, AS_PRINTED, MADE_PRIVATE = "as_coded", "as_printed", "made_private"
R2T_AS_CODED, R2T_AS_PRINTED = "r2t_as_coded", "r2t_as_printed"
R2T_MADE_PRIVATE = "r2t_made_private"
R2T = (R2T_AS_CODED, R2T_AS_PRINTED, R2T_MADE_PRIVATE)
MAIN = (AS_CODED, AS_PRINTED, MADE_PRIVATE, *R2T, OURS, OURS_ONE_DRAW)
STRATEGIES = (
    "as_coded_baseline_1",
    "as_coded_exponential",
    "as_coded_hierarchical",
    "as_printed_baseline_1",
    "as_printed_exponential",
    "as_printed_hierarchical",
    "made_private_baseline_1",
    "made_private_exponential",
    "made_private_hierarchical",
    "baseline_2",
)
REPEATED = "not private"  # what is said of every way that is not
REPAIR_SECONDS = 20.0  # seconds to look for the smallest repair

Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """One dirty table and what is true of it."""

    table: pa.Table
    rules: ConstraintSet
    first: pa.Table  # the table before noise, where the authors' code reads its bound
    all_rows: AllRows
    rows: int  # taken as public, as the paper does
    truth: dict[str, float]
    linear_repair: float
    max_degree: int

    @classmethod
    def of(cls, table: pa.Table, rules: ConstraintSet, first: pa.Table | None = None) -> Case:
        """`first` is the table before noise; without it the authors' code reads the dirty one."""
        all_rows = read_all_rows(table, rules)
        exact = Exact(all_rows.facts.exact(search=REPAIR_SECONDS))
        repair = exact.repair if exact.repair_exact is None else exact.repair_exact
        truth = {
            PAIRS: float(exact.minimal_inconsistent),
            ROWS: float(exact.problematic),
            REPAIR: float(repair),
        }
        rows, linear = max(table.num_rows, 1), float(exact.repair_linear)
        clean = table if first is None else first
        return cls(table, rules, clean, all_rows, rows, truth, linear, exact.max_degree)

    @property
    def facts(self) -> Facts:
        """What is true of the table."""
        return self.all_rows.facts

    @cached_property
    def as_printed(self) -> published.NotPrivate:
        """The table as the printed algorithms see it."""
        return published.not_private(self.all_rows)

    @cached_property
    def as_coded(self) -> as_coded.NotPrivateTable:
        """The table as the authors' code sees it."""
        return as_coded.NotPrivateTable.of(self.table, self.rules, self.first)

    @cached_property
    def cards(self) -> dict[tuple[Fraction, int], list[dict[str, float]]]:
        """Releases of all measures, by epsilon and how many: each has numbers of all of them."""
        return {}


def is_private(way: str) -> str:
    """What the CSV says of a way: "yes" or that it is not private."""
    private = way in {OURS, OURS_ONE_DRAW, "sql_counts", "distinct"} or way in _MADE_PRIVATE
    return "yes" if private else REPEATED


def estimate(  # noqa: PLR0917
    case: Case, measure: str, way: str, epsilon: float, draws: int, rng: np.random.Generator
) -> tuple[Values, list[int]]:
    """Values of many releases, and the thresholds that they chose, where there is one."""
    exact_epsilon = Fraction(str(epsilon))
    if way == OURS_ONE_DRAW:
        return _from_cards(case, measure, exact_epsilon, draws), []
    if measure == REPAIR:
        return _repairs(case, way, exact_epsilon, draws, rng), []
    if way == OURS:
        (statistic,) = measures.MEASURES[measure].true_statistics(case.facts, Setting())
        law = LevelsDraw([statistic], exact_epsilon, None)
        drawn = [law.draw()[0] for _ in range(draws)]
        values = [float(max(Fraction(0), d.value * statistic.step)) for d in drawn]
        return np.array(values), [statistic.thresholds[d.level] for d in drawn]
    if way in _MADE_PRIVATE:
        method = _MADE_PRIVATE[way]()
        levels = method.cut_levels(case.all_rows, measure, limit=case.rows)
        chosen = [method.draw(case.all_rows, levels, exact_epsilon) for _ in range(draws)]
        values = [float(max(Fraction(0), d.value * levels.step)) for d in chosen]
        return np.array(values), [levels.thresholds[d.level] for d in chosen]
    if way in _RACES:
        thresholds_of, race = _RACES[way]
        thresholds = thresholds_of(case.rows)
        kept = published_race.kept_not_private(case.facts, thresholds)
        return np.array([race(kept, thresholds, epsilon, rng) for _ in range(draws)]), []
    if way in _AS_CODED:
        answers = as_coded.releases_not_private(
            case.as_coded, measure, epsilon, draws, rng, _AS_CODED[way]
        )
    else:
        answers = [_AS_PRINTED[way](case.as_printed, measure, epsilon, rng) for _ in range(draws)]
    return np.array([a.value for a in answers]), [a.threshold for a in answers]


def _from_cards(case: Case, measure: str, epsilon: Fraction, draws: int) -> Values:
    key = epsilon, draws
    if key not in case.cards:
        case.cards[key] = whole_releases(case.facts, epsilon, draws)
    return np.array([card[measure] for card in case.cards[key]])


def _repairs(
    case: Case, way: str, epsilon: Fraction, draws: int, rng: np.random.Generator
) -> Values:
    if way == AS_CODED:
        coded = partial(as_coded.vertex_cover_not_private, case.as_coded)
        return np.array([coded(float(epsilon), rng) for _ in range(draws)])
    if way == AS_PRINTED:
        printed = partial(published.vertex_cover_not_private, case.as_printed)
        return np.array([printed(float(epsilon), rng) for _ in range(draws)])
    if way == OURS:
        number = measures.REPAIR.number(case.facts)
        value, step, growth = number.value, number.step, number.growth
    else:
        value, step, growth = vertex_cover(case.all_rows.pairs), Fraction(1), SENSITIVITY
    noise = laplace_noise(growth, epsilon)
    noisy = [add_laplace(value, noise) for _ in range(draws)]
    return np.array([float(max(Fraction(0), n * step)) for n in noisy])


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


_AS_CODED = {
    AS_CODED: Strategy.BOUND_AND_TWO,
    "as_coded_hierarchical": Strategy.TWO,
    "as_coded_exponential": Strategy.ONE,
    "as_coded_baseline_1": Strategy.ROWS,
}
_RACES = {
    R2T_AS_PRINTED: (published_race.printed_thresholds, published_race.r2t_as_printed_not_private),
    R2T_AS_CODED: (published_race.coded_thresholds, published_race.r2t_as_coded_not_private),
}


def applies(measure: str, way: str) -> bool:
    """R2T counts pairs alone; a repair needs no strategy."""
    if measure == REPAIR:
        return way in (AS_CODED, AS_PRINTED, MADE_PRIVATE, OURS, OURS_ONE_DRAW)
    return measure == PAIRS or way not in R2T


def summary_rows(
    case: Case, ways: Sequence[str], epsilon: float, draws: int, rng: np.random.Generator
) -> Iterator[Row]:
    """One row for each measure and way: truth, mean, spread and relative error.

    The standard error is that of independent draws. Those of `as_coded` on one table share a draw
    of the bound and a few orders of rows, as in the authors' code, so for it the differences
    between tables say more.
    """
    for measure in MEASURES:
        truth = case.truth[measure]
        for way in ways:
            if not applies(measure, way):
                continue
            values, thresholds = estimate(case, measure, way, epsilon, draws, rng)
            covers = measure == REPAIR and way not in (OURS, OURS_ONE_DRAW)
            published_error = _errors(values, 2 * case.linear_repair if covers else 0.0)
            yield {
                "measure": measure,
                "method": way,
                "private": is_private(way),
                "epsilon": epsilon,
                "truth": truth,
                "mean": float(values.mean()),
                "std": float(values.std(ddof=1)) if len(values) > 1 else 0.0,
                **_errors(values, truth),
                "error_as_published": published_error["error"],
                "error_as_published_se": published_error["error_se"],
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
