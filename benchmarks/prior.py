"""Which constants and which prior one draw of a whole release should have, by simulation.

python -m benchmarks.prior [--data DIR] [--cache FILE] [--draws N] [--quick] [--json F]

The draw: rows, repair, and `problematic` and `minimal_inconsistent` at a level each, all at once,
with weights that fall with the largest noise of the four. It is simulated in the continuum on the
true levels of many tables: noise is drawn from the law without tilt and prior, and all pairs of
levels are weighted with the rest. The split release, which gives each number its own share of
epsilon, is simulated beside it. The numbers of both are then made to agree, about as in a release.
`benchmarks.whole_release` takes real cards instead, of fewer tables.

Three sets of tables: the test bed of `benchmarks.accuracy`; a wide set on which constants were
compared when they were chosen; and a fresh one, with other samples and sizes, on which nothing was.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Protocol

import numba
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from rich.console import Console
from rich.table import Table

import candling
from benchmarks.tables import ALPHAS, ITERATIONS, NAMES, REPOSITORY, ROWS, SEEDS, dependencies
from candling.engines import Classes
from candling.graph.degree_bound import most_others
from candling.measures import MINIMAL_INCONSISTENT, PROBLEMATIC, REPAIR
from candling.privacy import one_draw as code
from candling.rules import ConstraintSet, parse_constraints
from candling_paper.conoise import conoise
from candling_paper.datasets import FOLDER_VARIABLE, Dataset, datasets, folder
from candling_paper.noise import rnoise

Floats = npt.NDArray[np.float64]
Rng = np.random.Generator

EPSILONS = (0.1, 0.4, 1.0, 3.0, 5.0)
QUICK_EPSILONS = (0.4, 1.0, 3.0)
DRAWS = 10_000
QUICK_DRAWS = 2_000
HINT_DRAWS = 20  # noisy hints for each table
TEST_BED, WIDE, FRESH = "test bed", "wide", "fresh"

# ------------------------------------------------------------------------------------ the tables


@dataclass(frozen=True)
class Case:
    """One table: its true levels, and what a hint from the rules' groups would be."""

    part: str  # TEST_BED, WIDE or FRESH
    family: str
    name: str
    rows: int
    repair: float
    repair_exact: bool
    doubled_conflicts: tuple[int, ...]  # by level: thresholds 1, 2, 4, ...
    problematic: tuple[int, ...]
    largest_degree: int
    group_hint: int  # H: roughly the largest degree, read off group sizes
    group_hint_sensitivity: int


def measured(part: str, family: str, name: str, table: pa.Table, rules: ConstraintSet) -> Case:
    facts = candling.analyze(table, rules)._facts  # noqa: SLF001 - the true levels
    hint, sensitivity = group_hint(facts.everything)
    repair = REPAIR.number(facts)
    return Case(
        part,
        family,
        name,
        facts.rows,
        float(repair.value * repair.step),
        repair.kind == "exact",
        tuple(MINIMAL_INCONSISTENT.levels(facts)),
        tuple(PROBLEMATIC.levels(facts)),
        int(facts.graph.degrees.max(initial=0)),
        hint,
        sensitivity,
    )


def group_hint(classes: Classes) -> tuple[int, int]:
    """About the largest number of conflicts that one wrong cell makes, and its sensitivity.

    One cell of column X breaks the rules that read X. Under a rule a row meets the rows that agree
    with it on the equality columns, so the largest groups of the inclusion-minimal sets, less the
    row itself, are summed for each X, and the largest sum counts.
    """
    rules = [rule for rule in classes.rules if rule.constraint.rows == 2]
    index = {name: i for rule in classes.rules for name, i in rule.names.items()}
    equal = [frozenset(rule.constraint.shape.equal) for rule in rules]
    size = {
        names: most_others(classes, [index[n] for n in sorted(names)])
        if names
        else classes.rows - 1
        for names in set(equal)
    }
    total, sets = 0, 1
    for column in {name for rule in rules for name in rule.names}:
        own = {e for e, rule in zip(equal, rules, strict=True) if column in rule.names}
        minimal = [e for e in own if not any(other < e for other in own)]
        total = max(total, sum(size[e] for e in minimal))
        sets = max(sets, len(minimal))
    return max(total, 0), sets


DEPENDENCY = parse_constraints("a -> b")


def grouped(groups: Sequence[Sequence[int]], rows: int, clean_group: int = 0) -> pa.Table:
    """A table for `a -> b`: one value of `a` for each group, which holds so many rows of each `b`.

    A star is a group of (1, leaves), a pair (1, 1). The other rows are alone with their `a`, but
    for one clean group.
    """
    a, b = [], []
    for number, counts in enumerate(groups):
        a += [number] * sum(counts)
        b += [value for value, count in enumerate(counts) for _ in range(count)]
    a += [len(groups)] * clean_group
    alone = max(rows - len(a), 0)
    a += range(len(groups) + 1, len(groups) + 1 + alone)
    b += [0] * (clean_group + alone)
    return pa.table({"a": a, "b": b})


def test_bed(found: Mapping[str, Dataset], seeds: int) -> Iterator[Case]:
    """The tables of `benchmarks.accuracy`."""
    for name, alpha, seed in product(NAMES, ALPHAS, range(seeds)):
        table = found[name].noisy(ROWS, alpha=alpha, seed=seed)
        label = f"{alpha:.1%}, seed {seed}"
        yield measured(TEST_BED, name, label, table, found[name].constraints())


def wide_set(found: Mapping[str, Dataset], part: str) -> Iterator[Case]:
    """Other samples, sizes and kinds of noise; clean tables, stars, tiny groups and dense ones."""
    seed = {WIDE: 10, FRESH: 20}[part]
    for name in NAMES:
        data = found[name]
        rules = data.constraints()
        for alpha in ALPHAS:
            label = f"{name}, {alpha:.1%}"
            for family, rows in (("other sample", 10_000), ("3k rows", 3_000)):
                table = data.noisy(rows, alpha=alpha, seed=seed)
                yield measured(part, f"{family}, {name}", label, table, rules)
        for iterations in ITERATIONS:
            table = conoise(data.sample(10_000, seed=seed), rules, iterations=iterations, seed=seed)
            yield measured(part, f"CONoise, {name}", f"{name}, {iterations}", table, rules)
        yield measured(part, "clean", name, data.sample(10_000, seed=seed), rules)
    for name in ("stock", "tax", "adult", "flight_joined"):
        data = found[name]
        for alpha in ALPHAS[:2]:
            columns = data.constraints().columns
            table = rnoise(data.sample(30_000, seed=seed), columns, alpha=alpha, seed=seed)
            label = f"{name}, {alpha:.1%}"
            yield measured(part, f"30k rows, {name}", label, table, data.constraints())
    for family, label, table in made_up(part):
        yield measured(part, family, label, table, DEPENDENCY)
    for even, number in product((True, False), range(3)):
        family = "nine rules, even groups" if even else "nine rules, uneven groups"
        table, rules = dependencies(seed + number, even=even)
        yield measured(part, family, f"seed {seed + number}", table, rules)


@dataclass(frozen=True)
class Sizes:
    """Of the tables that are made up."""

    clean: tuple[int, ...]
    pairs: tuple[int, ...]  # of a nearly clean table
    stars: tuple[int, ...]
    leaves: tuple[int, ...]
    groups: tuple[int, ...]
    dense: tuple[int, ...]


SIZES = {
    WIDE: Sizes((0, 300, 10_000), (1, 2, 5), (1, 3, 10), (100, 700, 5_000), (10, 100, 2_000),
                (100, 1_000, 10_000)),
    FRESH: Sizes((0, 800, 5_000), (1, 3, 8), (1, 2, 6), (200, 1_500, 3_000), (20, 300, 1_500),
                 (60, 500, 5_000)),
}  # fmt: skip


def made_up(part: str) -> Iterator[tuple[str, str, pa.Table]]:
    sizes = SIZES[part]
    for rows in sizes.clean:
        yield "clean", f"{rows} rows", grouped([], rows)
    yield "clean", "one group of 2,000", grouped([], 10_000, 2_000)
    for pairs in sizes.pairs:
        yield "nearly clean", f"{pairs} pairs", grouped([(1, 1)] * pairs, 10_000)
    for stars, leaves in product(sizes.stars, sizes.leaves):
        yield f"stars of {leaves:,}", f"{stars} stars", grouped([(1, leaves)] * stars, 10_000)
    for size, groups in product((2, 3), sizes.groups):
        table = grouped([(1,) * size] * groups, 10_000)
        yield f"groups of {size}", f"{groups} groups", table
    for groups in sizes.groups:
        table = grouped([(1, 1)] * groups, 10_000, 2_000)
        yield "groups of 2, a large clean one", f"{groups} pairs", table
    for rows in sizes.dense:
        family = f"one dense group of {rows:,}"
        yield family, "all differ", grouped([(1,) * rows], 10_000)
        yield family, "halves", grouped([(rows // 2,) * 2], 10_000)


def read_cases(found: Mapping[str, Dataset], cache: Path | None, *, quick: bool) -> list[Case]:
    """All tables, from the cache if it is there."""
    if cache is not None and cache.is_file():
        stored = json.loads(cache.read_text())
        lists = ("doubled_conflicts", "problematic")
        return [Case(**case | {name: tuple(case[name]) for name in lists}) for case in stored]
    cases = []
    makers = [test_bed(found, 1 if quick else SEEDS), wide_set(found, FRESH)]
    if not quick:
        makers.append(wide_set(found, WIDE))
    for maker in makers:
        for case in maker:
            _progress(f"{case.part}: {case.family}, {case.name}")
            cases.append(case)
    if cache is not None:
        cache.write_text(json.dumps([asdict(case) for case in cases]))
    return cases


# --------------------------------------------------------------------------------------- the law

LEVELS = 21  # far above the rows of these tables; a release has 41, the rest is too rare to be seen
THRESHOLDS: Floats = np.array([2.0**level for level in range(LEVELS)])
Priors = tuple[Floats, Floats]  # logarithms, of minimal_inconsistent and problematic
ENOUGH = 10.0  # the rows term takes no more from a log-weight


def log_prior(tau: float, first: float) -> Floats:
    """Falls with the threshold to a power, and once by exp(-first), above the lowest."""
    found: Floats = -tau * np.log(THRESHOLDS) - first * (THRESHOLDS > 1)
    return found


class Prior(Protocol):
    """Logarithms, without -ln S: v is drawn, not y."""

    def pairs(self) -> Floats:
        """By the levels of minimal_inconsistent and of problematic."""

    def single(self) -> Priors:
        """By the level of a measure that is released by itself."""


@dataclass(frozen=True)
class Common:
    """The larger threshold has the prior of one, and the lower level costs `further` a step."""

    tau: float
    first: float
    further: float

    def pairs(self) -> Floats:
        own = log_prior(self.tau, self.first)
        level = np.arange(LEVELS)
        lower, higher = np.minimum.outer(level, level), np.maximum.outer(level, level)
        found: Floats = own[higher] - self.further * lower
        return found

    def single(self) -> Priors:
        return (log_prior(self.tau, self.first),) * 2


@dataclass(frozen=True)
class Apart:
    """Each level has a prior of its own.

    `problematic` rarely needs the higher threshold, so `order` makes that improbable.
    """

    tau: float
    first: float
    problematic_tau: float
    problematic_first: float
    order: float = 0.0

    def pairs(self) -> Floats:
        return self.paired(self.single())

    def paired(self, priors: Priors) -> Floats:
        """The same with other priors of each."""
        conflicts, problematic = priors
        above = np.maximum(0, np.arange(LEVELS) - np.arange(LEVELS)[:, None])
        found: Floats = conflicts[:, None] + problematic - self.order * above
        return found

    def single(self) -> Priors:
        return (
            log_prior(self.tau, self.first),
            log_prior(self.problematic_tau, self.problematic_first),
        )


@dataclass(frozen=True)
class Constants:
    """Of one draw, slopes in units of epsilon.

    With v the noise of each output in its sensitivities, a log-weight is

        prior_ij - R max v+ - (L - c) max v- - c max(max v-, kappa_i, kappa_j)
        - eta max over levels above the lowest of (K - y/S)+
        - min(ENOUGH, nu max(0, T/2 - y_rows)),  T the larger threshold,

    i the level of minimal_inconsistent, j that of problematic, R = 1 - c and
    L = 1 - theta c - eta - nu. The rows term makes thresholds beyond the rows improbable.
    """

    tilt: float  # c
    theta: float
    desert: float  # eta
    knee: float  # K, over epsilon
    prior: Prior
    rows: float = 0.0  # nu

    @classmethod
    def of(cls, constants: code.Constants, prior: Prior) -> Constants:
        """Those of the code."""
        c = constants
        slopes = float(c.tilt), float(c.theta), float(c.desert), float(c.knee)
        return cls(*slopes, prior, float(c.beyond))

    @property
    def right(self) -> float:
        """R: the slope above."""
        return 1 - self.tilt

    @property
    def left(self) -> float:
        """L: the slope below where the tilt is in full."""
        return 1 - self.theta * self.tilt - self.desert - self.rows


COMMON = Common(float(code.TAU), float(code.FIRST), float(code.FURTHER))
CODE = Constants.of(code.TOGETHER, COMMON)
ALONE = Constants.of(code.ALONE, Apart(COMMON.tau, COMMON.first, COMMON.tau, COMMON.first))
APART = Apart(1.25, 1, 0.8, 0, order=1.5)
APART_PRIORS = replace(CODE, prior=APART)
CANDIDATES = {
    "of a measure alone": ALONE,
    "the code's": CODE,
    "further 1": replace(CODE, prior=replace(COMMON, further=1)),
    "further 0": replace(CODE, prior=replace(COMMON, further=0)),
    "a prior for each": APART_PRIORS,
    "problematic's tau 1": replace(CODE, prior=replace(APART, problematic_tau=1)),
    "same prior for both": replace(
        CODE, prior=replace(APART, problematic_tau=1.25, problematic_first=1)
    ),
    "no rows term": replace(APART_PRIORS, rows=0),
    "narrow": replace(APART_PRIORS, theta=0.4, desert=0.05, knee=90),
    "no desert term": replace(APART_PRIORS, desert=0, prior=replace(APART, first=3)),
    "no desert, steep": replace(
        APART_PRIORS, desert=0, prior=replace(APART, tau=2.25, problematic_tau=1.5)
    ),
}


@dataclass(frozen=True)
class Levels:
    """A thresholded statistic: values and sensitivities by level."""

    values: Floats
    sensitivities: Floats

    @classmethod
    def absent(cls) -> Levels:
        return cls(np.zeros(1), np.ones(1))


def conflicts_levels(case: Case, n: int = LEVELS) -> Levels:
    """The first n levels, in conflicts."""
    return Levels(np.array(case.doubled_conflicts[:n]) / 2, THRESHOLDS[:n])


def problematic_levels(case: Case, n: int = LEVELS) -> Levels:
    values = np.array(case.problematic[:n], np.float64)
    return Levels(values, THRESHOLDS[:n] + 1)


def box_noise(d: int, up: float, down: float, n: int, rng: Rng) -> Floats:
    """`n` draws of d numbers with density proportional to exp(-up max v+ - down max v-)."""
    weights = (down / up) ** np.arange(d + 1)
    positive = rng.choice(d + 1, n, p=weights / weights.sum())
    most = rng.gamma(np.maximum(positive, 1)) / up
    least = rng.gamma(np.maximum(d - positive, 1)) / down
    share = rng.random((n, d))
    share[:, 0] = np.where(positive > 0, 1, share[:, 0])  # one of the positive is the largest
    share[:, -1] = np.where(positive < d, 1, share[:, -1])
    v = np.where(np.arange(d) < positive[:, None], share * most[:, None], -share * least[:, None])
    found: Floats = np.take_along_axis(v, np.argsort(rng.random((n, d)), axis=1), axis=1)
    return found


Slopes = tuple[float, float, float, float, float]  # c, theta, eta, K, nu: at an epsilon


@numba.njit(cache=True)
def _write_factors(
    noise: tuple[float, float, float],  # of this statistic, max v-, rows
    levels: tuple[Floats, Floats],
    slopes: Slopes,
    factors: Floats,
) -> None:
    """By level: the factors of the tilt, of the desert term and of the rows term.

    Of two levels the smaller factor counts, because the larger of two penalties does.
    """
    v, down, rows = noise
    f, s = levels
    c, theta, eta, knee, nu = slopes
    top = len(f) - 1
    while top > 0 and f[top - 1] == f[top]:
        top -= 1
    threshold = 1.0
    for i in range(len(f)):
        y = f[i] + s[i] * v
        short = max(down, -v)
        for k in range(i + 1, top + 1):
            short = max(short, (f[k] - y) / max(s[k], s[i] / theta))
        factors[0, i] = math.exp(-c * short)
        factors[1, i] = 1.0 if i == 0 else math.exp(-eta * max(0.0, knee - y / s[i]))
        factors[2, i] = math.exp(-min(ENOUGH, nu * max(0.0, threshold / 2 - rows)))
        threshold *= 2


@numba.njit(cache=True)
def _choose(
    noise: tuple[Floats, Floats, Floats, Floats],  # of both statistics, max v-, rows
    levels: tuple[Floats, Floats, Floats, Floats],  # values and sensitivities of both
    prior: Floats,  # by both levels
    slopes: Slopes,
    start: float,  # of the systematic sample, in [0, 1)
) -> npt.NDArray[np.int64]:
    """As many draws as there is noise: index of the noise and both levels, by their weights."""
    v, w, down, rows = noise
    draws = len(v)
    a, b = np.empty((3, prior.shape[0])), np.empty((3, prior.shape[1]))
    mass = np.zeros(draws)
    found = np.empty((draws, 3), np.int64)
    step, reached, done = 0.0, 0.0, 0
    for sampling in (False, True):  # the weights must be summed up before they can be sampled
        for n in range(draws):
            if sampling and reached + mass[n] <= (done + start) * step:
                reached += mass[n]
                continue
            _write_factors((v[n], down[n], rows[n]), levels[:2], slopes, a)
            _write_factors((w[n], down[n], rows[n]), levels[2:], slopes, b)
            for i in range(prior.shape[0]):
                for j in range(prior.shape[1]):
                    weight = prior[i, j] * min(a[0, i], b[0, j]) * min(a[1, i], b[1, j])
                    weight *= min(a[2, i], b[2, j])
                    if not sampling:
                        mass[n] += weight
                        continue
                    reached += weight
                    while done < draws and (done + start) * step < reached:
                        found[done] = n, i, j
                        done += 1
        step = mass.sum() / draws
    return found[:done]


@dataclass(frozen=True)
class Draws:
    """Released numbers of many releases."""

    rows: Floats
    repair: Floats
    conflicts: Floats
    problematic: Floats


def _slopes(constants: Constants, epsilon: float) -> Slopes:
    c, eta, nu = constants.tilt, constants.desert, constants.rows
    knee = constants.knee / epsilon
    return c * epsilon, constants.theta, eta * epsilon, knee, nu * epsilon


def one_draw(
    case: Case,
    epsilon: float,
    constants: Constants,
    n: int,
    rng: Rng,
    *,
    log_pairs: Floats | None = None,  # another prior
) -> Draws:
    """Releases of rows, repair and both thresholded measures, each in one draw."""
    first, second = conflicts_levels(case), problematic_levels(case)
    down = constants.left - constants.tilt
    v = box_noise(4, constants.right * epsilon, down * epsilon, n, rng).T.copy()
    at, i, j = _choose(
        (v[2], v[3], np.maximum(0, -v.min(axis=0)), case.rows + v[0]),
        (first.values, first.sensitivities, second.values, second.sensitivities),
        np.exp(constants.prior.pairs() if log_pairs is None else log_pairs),
        _slopes(constants, epsilon),
        rng.random(),
    ).T
    return Draws(
        case.rows + v[0, at],
        case.repair + v[1, at],
        first.values[i] + first.sensitivities[i] * v[2, at],
        second.values[j] + second.sensitivities[j] * v[3, at],
    )


def alone(
    levels: Levels, epsilon: float, constants: Constants, n: int, rng: Rng, *, log_prior: Floats
) -> Floats:
    """Values of one thresholded measure that is released by itself: no rows, so no rows term."""
    constants = replace(constants, rows=0)
    down = constants.left - constants.tilt
    v = box_noise(1, constants.right * epsilon, down * epsilon, n, rng)[:, 0].copy()
    nothing = Levels.absent()
    at, i, _ = _choose(
        (v, np.zeros(n), np.maximum(0, -v), np.zeros(n)),
        (levels.values, levels.sensitivities, nothing.values, nothing.sensitivities),
        np.exp(log_prior)[:, None].copy(),
        _slopes(constants, epsilon),
        rng.random(),
    ).T
    found: Floats = rng.permutation(levels.values[i] + levels.sensitivities[i] * v[at])
    return found


SHARES = {"rows": 1 / 9, "repair": 1 / 9, "conflicts": 4 / 9, "problematic": 3 / 9}
UNLIKELY = 1e-4  # that the split release's thresholds do not reach the number of rows
BORROWED = 0.0025  # each tail that the most conflicts rest on may miss with this probability


def split(case: Case, epsilon: float, n: int, rng: Rng) -> Draws:
    """The same releases, each number from its own share of epsilon."""
    scale = 1 / (SHARES["rows"] * epsilon)
    limit = case.rows + scale * math.log(1 / UNLIKELY)
    levels = math.ceil(math.log2(limit)) + 1
    prior = COMMON.single()[0][:levels]
    conflicts, problematic = conflicts_levels(case, levels), problematic_levels(case, levels)
    return Draws(
        case.rows + rng.laplace(size=n) * scale,
        case.repair + rng.laplace(size=n) / (SHARES["repair"] * epsilon),
        alone(conflicts, SHARES["conflicts"] * epsilon, ALONE, n, rng, log_prior=prior),
        alone(problematic, SHARES["problematic"] * epsilon, ALONE, n, rng, log_prior=prior),
    )


# ------------------------------------------------------------------------------------- intervals


def noise_reach(constants: Constants, d: int, miss: float) -> float:
    """How far noise goes on either side with probability `miss` or less, times epsilon.

    In sensitivities, for any of d statistics and for every table: the law is compared with one
    without tilt, whose slopes are the flattest that the tilt and the other terms allow.
    """
    # R less all that the other terms can take away is L - c, so both sides have the same slope.
    flat = constants.left - constants.tilt
    steep = _mass(d, constants.right, constants.left + constants.desert + constants.rows)
    ratio = _mass(d, flat, flat) / steep
    low, high = 0.0, 1_000.0
    while high - low > 1e-4:
        middle = (low + high) / 2
        if ratio * _tail(middle, d, flat) > miss:
            low = middle
        else:
            high = middle
    return high


def _mass(d: int, up: float, down: float) -> float:
    """The integral of exp(-up max v+ - down max v-), over d!."""
    return sum(up**-k * down ** (k - d) for k in range(d + 1))


def _tail(s: float, d: int, slope: float) -> float:
    """P(v_k >= s) under exp(-slope (max v+ + max v-)) on d coordinates."""
    x, found = slope * s, 0.0
    for k in range(1, d + 1):  # coordinates above 0, each number as likely
        found += k / d * (_gamma_tail(k, x) - x / k * _gamma_tail(k - 1, x))
    return found / (d + 1)


def _gamma_tail(k: int, x: float) -> float:
    """P(Gamma(k) >= x) for a whole k; 0 for none."""
    return math.exp(-x) * sum(x**i / math.factorial(i) for i in range(k))


# ---------------------------------------------------------------------------------------- errors


def agreeing(draws: Draws, case: Case, reach: float) -> Draws:
    """Numbers that can be true together; rows and repair may be `reach` higher.

    Simpler than `candling.releases.agree`: here the conflicts always move, and repair never.
    """
    rows = np.maximum(0, draws.rows)
    repair = np.minimum(np.maximum(0, draws.repair), rows)
    most_rows = rows + reach
    kind = 1 if case.repair_exact else 2
    most_repair = np.minimum(kind * np.maximum(0, draws.repair + reach), most_rows)
    most = np.maximum(most_repair, most_repair * most_rows - most_repair * (most_repair + 1) / 2)
    problematic = np.minimum(np.maximum(draws.problematic, repair), np.minimum(rows, 2 * most))
    least = np.maximum(repair, problematic / 2)
    return Draws(rows, repair, np.minimum(np.maximum(draws.conflicts, least), most), problematic)


@dataclass(frozen=True)
class Errors:
    """Of the releases of one table: relative to the truth, absolute where that is 0."""

    conflicts: float
    conflicts_tail: float  # the 99.9% quantile
    problematic: float
    problematic_tail: float
    rows: float  # rows off
    repair: float
    within_two: float  # the share of releases whose conflicts are right within a factor of 2

    @classmethod
    def average(cls, several: Sequence[Errors]) -> Errors:
        return cls(*np.mean([astuple(e) for e in several], axis=0).tolist())


def relative(values: Floats, truth: float) -> tuple[float, float]:
    """Mean and 99.9% quantile."""
    off = np.abs(values - truth) / (truth or 1)
    return float(off.mean()), float(np.quantile(off, 0.999))


def errors_of(draws: Draws, case: Case) -> Errors:
    pairs = case.doubled_conflicts[-1] / 2
    return Errors(
        *relative(draws.conflicts, pairs),
        *relative(draws.problematic, case.problematic[-1]),
        float(np.abs(draws.rows - case.rows).mean()),
        float(np.abs(draws.repair - case.repair).mean()),
        float(((draws.conflicts >= pairs / 2) & (draws.conflicts <= 2 * pairs)).mean()),
    )


Way = Callable[[Case, float, int, Rng], Draws]  # of a table, epsilon and a number of draws


def drawn(constants: Constants) -> Way:
    def way(case: Case, epsilon: float, n: int, rng: Rng) -> Draws:
        reach = noise_reach(constants, 4, BORROWED) / epsilon
        return agreeing(one_draw(case, epsilon, constants, n, rng), case, reach)

    return way


def splitting(case: Case, epsilon: float, n: int, rng: Rng) -> Draws:
    reach = math.log(1 / (2 * BORROWED)) / (SHARES["rows"] * epsilon)
    return agreeing(split(case, epsilon, n, rng), case, reach)


# ----------------------------------------------------------------------------------------- hints


PAID = {"groups": 0.05, "repair": 0.04, "rows": 0.02}  # of epsilon, for noisy hints
RIGHT = (0.5, 1.0, 2.0)  # a stated number that is right within a factor of 2
UNKNOWN_DEGREE = 1_000  # what somebody states of a table that turns out to be clean
Hint = Callable[[Case, float, Rng], Priors]


def bump(centre: float, floor: Floats) -> Floats:
    """A log-prior that rises at the power of two next to a hint, over a floor without it."""
    logs = np.log(THRESHOLDS)
    found: Floats = np.maximum(floor, -3 - 5 * np.abs(logs - math.log(_power(centre))))
    return found


def paid(floors: Priors) -> Hint:
    """Noisy group sizes tell the largest degree; rows and repair, what `problematic` needs."""

    def hint(case: Case, epsilon: float, rng: Rng) -> Priors:
        scale = case.group_hint_sensitivity / (PAID["groups"] * epsilon)
        degree = max(1.0, case.group_hint + scale * (rng.laplace() - 1))
        rows = max(1.0, case.rows + rng.laplace() / (PAID["rows"] * epsilon))
        least = 1 / (PAID["repair"] * epsilon)
        repair = max(case.repair + least * rng.laplace(), least)
        low = epsilon < 0.35
        witnesses = (1.9 if low else 2.4 * max(1.0, epsilon) ** 0.4) * rows / repair
        return (
            bump((0.8 if low else 1.1) * degree, floors[0]),
            bump(min(witnesses, 1.3 * degree), floors[1]),
        )

    return hint


STATED = 2.0, 0.8, 3.0  # once above the lowest level, then by ln t up to the stated D, and beyond


def stated(factors: Sequence[float]) -> Hint:
    """A largest degree that the user states, off by one of the factors.

    The prior of minimal_inconsistent is nearly flat up to it and steep beyond.
    """

    def hint(case: Case, epsilon: float, rng: Rng) -> Priors:  # noqa: ARG001 - public, so exact
        degree = _power((case.largest_degree or UNKNOWN_DEGREE) * rng.choice(factors))
        once, below, beyond = STATED
        prior = -once * (THRESHOLDS > 1) - below * np.log(np.minimum(THRESHOLDS, degree))
        prior -= beyond * np.log(np.maximum(1, THRESHOLDS / degree))
        return prior, APART.single()[1]

    return hint


def _power(centre: float) -> float:
    return 2.0 ** round(math.log2(max(1.0, centre)))


def hinted(
    hint: Hint, spent: float, constants: Callable[[float], Constants], order: Apart = APART
) -> Way:
    """Releases with fresh hints every n/HINT_DRAWS of them."""

    def way(case: Case, epsilon: float, n: int, rng: Rng) -> Draws:
        own, left = constants(epsilon), epsilon * (1 - spent)
        parts = []
        for _ in range(HINT_DRAWS):
            pairs = order.paired(hint(case, epsilon, rng))
            parts.append(one_draw(case, left, own, n // HINT_DRAWS, rng, log_pairs=pairs))
        draws = Draws(*(np.concatenate(x) for x in zip(*map(_fields, parts), strict=True)))
        return agreeing(draws, case, noise_reach(own, 4, BORROWED) / left)

    return way


def _fields(draws: Draws) -> tuple[Floats, ...]:
    return draws.rows, draws.repair, draws.conflicts, draws.problematic


SKETCHED = Apart(1.25, 3.5, 1.25, 3.5)


def _sketched(epsilon: float) -> Constants:
    """The constants with which paid hints were first proposed: no desert term."""
    return Constants(float(np.clip(0.25 * epsilon**-0.3, 0.15, 0.33)), 0.35, 0, 0, SKETCHED)


def _apart(epsilon: float) -> Constants:  # noqa: ARG001 - the same at every epsilon
    return APART_PRIORS


HINTS: dict[str, Way] = {
    "paid, as first proposed": hinted(
        paid(SKETCHED.single()), sum(PAID.values()), _sketched, SKETCHED
    ),
    "paid": hinted(paid(APART.single()), sum(PAID.values()), _apart),
    "stated, within 2": hinted(stated(RIGHT), 0, _apart),
    "stated, 8 too high": hinted(stated((8.0,)), 0, _apart),
    "stated, 8 too low": hinted(stated((1 / 8,)), 0, _apart),
}


# --------------------------------------------------------------------------------------- figures

MEASURED = ("conflicts", "conflicts_tail", "problematic", "problematic_tail")
TITLES = ("minimal_inconsistent", "its 99.9%", "problematic", "its 99.9%")
TOLERATED = 1.1
ByFamily = dict[tuple[str, str], Errors]  # by part and family


def simulate(way: Way, cases: Sequence[Case], epsilon: float, n: int) -> ByFamily:
    """Errors of each family of tables, averaged over its tables."""
    found: dict[tuple[str, str], list[Errors]] = {}
    for number, case in enumerate(cases):
        errors = errors_of(way(case, epsilon, n, np.random.default_rng([number, 7])), case)
        found.setdefault((case.part, case.family), []).append(errors)
    return {key: Errors.average(several) for key, several in found.items()}


def ratios(own: ByFamily, rival: ByFamily, part: str) -> dict[str, Floats]:
    """By family of one part of the tables, for each of MEASURED."""
    return {
        family: np.array([getattr(e, m) / getattr(rival[p, family], m) for m in MEASURED])
        for (p, family), e in own.items()
        if p == part
    }


def alone_errors(
    constants: Constants, cases: Sequence[Case], epsilon: float, n: int
) -> dict[str, tuple[float, ...]]:
    """Of each measure released by itself, on the test bed: means over each dataset."""
    found: dict[str, list[tuple[float, ...]]] = {}
    for number, case in enumerate(c for c in cases if c.part == TEST_BED):
        rng = np.random.default_rng([number, 8])
        errors: tuple[float, ...] = ()
        both = conflicts_levels(case), problematic_levels(case)
        for levels, prior in zip(both, constants.prior.single(), strict=True):
            values = alone(levels, epsilon, constants, n, rng, log_prior=prior)
            errors += relative(np.maximum(0, values), levels.values[-1])
        found.setdefault(case.family, []).append(errors)
    return {name: tuple(np.mean(errors, axis=0)) for name, errors in found.items()}


# ---------------------------------------------------------------------------------------- output


def width_table() -> Table:
    table = Table(title="Half-width of a 95% interval for rows or repair, times epsilon")
    sizes = range(1, 6)
    for head in ("constants", *(f"{d} statistics" for d in sizes)):
        table.add_column(head, justify="left" if head == "constants" else "right")
    for name, constants in CANDIDATES.items():
        table.add_row(name, *(f"{noise_reach(constants, d, 0.025):.1f}" for d in sizes))
    split_width = math.log(1 / 0.05) / SHARES["rows"]
    table.add_row("split", "", "", "", f"{split_width:.1f}", "")
    return table


def bed_table(figures: Mapping[float, Mapping[str, ByFamily]]) -> Table:
    table = Table(title=f"Test bed: mean error of {', '.join(n.capitalize() for n in NAMES)}")
    for head in ("epsilon", "release", *TITLES, "rows off", "repair off"):
        table.add_column(head)
    for epsilon, by_way in figures.items():
        for name, found in by_way.items():
            own = [found[TEST_BED, dataset] for dataset in NAMES]
            cells = (" ".join(_number(getattr(e, m)) for e in own) for m in MEASURED)
            off = (np.mean([getattr(e, m) for e in own[1:]]) for m in ("rows", "repair"))
            last = name == list(by_way)[-1]
            table.add_row(f"{epsilon:g}", name, *cells, *map(_number, off), end_section=last)
    return table


def ratio_table(
    title: str, figures: Mapping[float, Mapping[str, ByFamily]], rival: str, parts: Sequence[str]
) -> Table:
    """Geometric mean over families, how many are worse than tolerated, and the worst."""
    table = Table(title=f"{title}: geometric mean (families above {TOLERATED}; worst)")
    for head in ("tables", "epsilon", "release", *TITLES):
        table.add_column(head)
    for part, (epsilon, by_way) in product(parts, figures.items()):
        for name, found in by_way.items():
            if name == rival:
                continue
            r = np.array(list(ratios(found, by_way[rival], part).values()))
            means = np.exp(np.log(r).mean(axis=0))
            cells = (
                f"{mean:.2f} ({int((column > TOLERATED).sum())}; {column.max():.1f})"
                for mean, column in zip(means, r.T, strict=True)
            )
            last = name == list(by_way)[-1]
            table.add_row(part, f"{epsilon:g}", name, *cells, end_section=last)
    return table


def family_table(
    title: str, by_way: Mapping[str, ByFamily], rival: str, names: Sequence[str], part: str
) -> Table:
    table = Table(title=f"{title}: {', '.join(TITLES)}")
    table.add_column("family")
    for name in names:
        table.add_column(name, justify="right")
    columns = [ratios(by_way[name], by_way[rival], part) for name in names]
    for family in columns[0]:
        table.add_row(family, *(" ".join(f"{x:.2f}" for x in c[family]) for c in columns))
    return table


def nine_table(by_way: Mapping[str, ByFamily]) -> Table:
    table = Table(title="Nine rules, epsilon 1: conflicts right within a factor of 2")
    families = [key for key in by_way["split"] if key[1].startswith("nine rules")]
    for head in ("release", *(", ".join(key) for key in families)):
        table.add_column(head)
    for name, found in by_way.items():
        table.add_row(name, *(f"{found[key].within_two:.0%}" for key in families))
    return table


def worse(figures: Mapping[float, Mapping[str, ByFamily]], name: str) -> Iterator[str]:
    """Every family where a release is worse than the split one by more than is tolerated."""
    for (epsilon, by_way), part in product(figures.items(), (TEST_BED, WIDE, FRESH)):
        for family, row in ratios(by_way[name], by_way["split"], part).items():
            for title, ratio in zip(TITLES, row, strict=True):
                if ratio > TOLERATED:
                    yield f"epsilon {epsilon:g}, {part}, {family}: {title} {ratio:.2f}"


def alone_table(cases: Sequence[Case], epsilons: Sequence[float], n: int) -> Table:
    table = Table(title="One measure alone, test bed: mean relative error")
    for head in ("epsilon", "constants", *TITLES):
        table.add_column(head)
    for epsilon in epsilons:
        for name in ("of a measure alone", "the code's"):
            found = alone_errors(CANDIDATES[name], cases, epsilon, n)
            columns = zip(*(found[dataset] for dataset in NAMES), strict=True)
            cells = (" ".join(map(_number, column)) for column in columns)
            table.add_row(f"{epsilon:g}", name, *cells, end_section=name == "the code's")
    return table


def _number(value: float) -> str:
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def _progress(what: str) -> None:
    print(f"{what} ...", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.prior",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, help=f"folder of datasets (or {FOLDER_VARIABLE})")
    parser.add_argument("--cache", type=Path, help="keep the levels of all tables in this file")
    parser.add_argument("--draws", type=int, help=f"releases of each table ({DRAWS:,})")
    parser.add_argument("--quick", action="store_true", help="fewer tables and draws: a look")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()

    data = options.data or folder(REPOSITORY)
    if not data.is_dir():
        print(f"benchmark skipped: no datasets in {data}; pass --data or set {FOLDER_VARIABLE}")
        return
    draws = options.draws or (QUICK_DRAWS if options.quick else DRAWS)
    epsilons = QUICK_EPSILONS if options.quick else EPSILONS
    cases = read_cases(datasets(data), options.cache, quick=options.quick)
    parts = [p for p in (TEST_BED, WIDE, FRESH) if any(case.part == p for case in cases)]

    releases: dict[str, Way] = {"split": splitting}
    releases |= {name: drawn(constants) for name, constants in CANDIDATES.items()}
    figures: dict[float, dict[str, ByFamily]] = {}
    hints: dict[float, dict[str, ByFamily]] = {}
    for epsilon in epsilons:
        figures[epsilon], hints[epsilon] = {}, {}
        for name, way in releases.items():
            _progress(f"epsilon {epsilon:g}, {name}")
            figures[epsilon][name] = simulate(way, cases, epsilon, draws)
        hints[epsilon]["no hint"] = figures[epsilon]["a prior for each"]
        for name, way in HINTS.items():
            _progress(f"epsilon {epsilon:g}, hint: {name}")
            hints[epsilon][name] = simulate(way, cases, epsilon, draws)

    out = Console()
    if not out.is_terminal:
        out = Console(width=220)
    out.print(f"{len(cases)} tables, {draws:,} draws of each number")
    out.print(width_table())
    out.print(bed_table(figures))
    out.print(ratio_table("One draw over split", figures, "split", parts))
    out.print(f"Worse than the split release by more than {TOLERATED}, with the code's constants:")
    for line in worse(figures, "the code's"):
        out.print(f"  {line}")
    out.print(nine_table(figures[1.0]))
    out.print(alone_table(cases, epsilons, draws))
    out.print(ratio_table("Hint over no hint", hints, "no hint", parts))
    title = "Hint over no hint at epsilon 1, fresh tables"
    out.print(family_table(title, hints[1.0], "no hint", list(HINTS), FRESH))
    if options.json:
        options.json.write_text(json.dumps(_plain(figures, hints), indent=2) + "\n")


def _plain(*several: Mapping[float, Mapping[str, ByFamily]]) -> list[dict[str, object]]:
    return [
        {"epsilon": e, "release": name, "part": part, "family": family} | asdict(errors)
        for figures in several
        for e, by_way in figures.items()
        for name, found in by_way.items()
        for (part, family), errors in found.items()
    ]


if __name__ == "__main__":
    main()
