"""The law of one draw as `benchmarks.prior` simulates it: priors, draws and intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Protocol

import numba
import numpy as np
import numpy.typing as npt

from benchmarks.prior_tables import Case
from candling.privacy import one_draw as code

Floats = npt.NDArray[np.float64]
Rng = np.random.Generator

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
        slopes = float(c.tilt), float(c.theta), float(c.value_penalty), float(c.value_knee)
        return cls(*slopes, prior, float(c.rows_penalty))

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
