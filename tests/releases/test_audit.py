"""An audit by sampling: whole releases of neighbouring tables, and planted bugs that it must see.

A release of one thresholded measure shows (2**level, max(0, value)), nothing else that is not made
from these; so what is sampled here is the distribution that the release itself was seen to use. Of
the row count and the repair number it is the noisy integer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import numpy.typing as npt
import opendp.prelude as dp
import pytest
from candling.privacy.joint import JointDistribution

import candling
from candling.privacy import DiscreteLaplace, Statistic
from candling.releases import run
from tests.privacy.statistics import clopper_pearson
from tests.releases.tables import Fixed, recorded, study

DRAWS = 100_000
PLANTED = 40_000
EPSILON = 1
LEVELS, VALUES = 12, 64  # events beyond these are not looked at one by one
MISS = 1e-14  # of each bound; there are fewer than 10**4 of them in an audit

Counts = npt.NDArray[np.int64]

PAIRS = ["star centre", "centre of a large star", "key duplicate", "empty against one conflict"]


@cache
def tables(pair: str) -> tuple[candling.Study, candling.Study]:
    """Neighbours, the larger table first: they differ in one row."""
    if pair == "key duplicate":
        return study("key(a)", a=[7] * 4), study("key(a)", a=[7] * 3)
    if pair == "empty against one conflict":
        return study("a -> b", a=[1, 1], b=[1, 2]), study("a -> b", a=[1], b=[1])
    leaves = 3 if pair == "star centre" else 40
    centre = study("a -> b", a=[1] * (leaves + 1), b=[0] * leaves + [1])
    return centre, study("a -> b", a=[1] * leaves, b=[0] * leaves)


def tally(draws: Iterable[tuple[int, int]]) -> Counts:
    """How often each (level, released value) came."""
    counts = np.zeros((LEVELS, VALUES), np.int64)
    for level, value in draws:
        counts[min(level, LEVELS - 1), min(max(0, value), VALUES - 1)] += 1
    return counts


def events(counts: Counts) -> Counts:
    """Counts of the events value = v, value <= v and value >= v, on each level and on all."""
    every = np.vstack([counts, counts.sum(axis=0)])
    up = every.cumsum(axis=1)
    down = every[:, ::-1].cumsum(axis=1)
    return np.concatenate([every.ravel(), up.ravel(), down[:, ::-1].ravel()])


def certified(one: Counts, two: Counts) -> float:
    """A log likelihood ratio that two releases have for sure: wrong with 1e-10 at most."""
    a, b = events(one), events(two)
    assert 4 * len(a) < 10**4
    ratios = [0.0]
    for x, n, y, m in ((a, one.sum(), b, two.sum()), (b, two.sum(), a, one.sum())):
        more = x * m > y * n  # bounds are wider than counts: the others certify nothing
        low = clopper_pearson(x[more], int(n), MISS)[0]
        high = clopper_pearson(y[more], int(m), MISS)[1]
        with np.errstate(divide="ignore"):
            ratios += np.log(low / high).tolist()
    return max(ratios)


@cache
def sampled(levels: Statistic, epsilon: Fraction, name: str, draws: int = DRAWS) -> Counts:
    """Releases of one table; `name` tells independent samples apart."""
    distribution = JointDistribution(levels, epsilon)
    return tally((d.level, d.value) for d in (distribution.draw() for _ in range(draws)))


@cache
def noise(scale: float, name: str) -> Counts:
    """Noise of OpenDP, many draws in one call; `name` tells independent samples apart."""
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    return np.array(dp.m.make_laplace(*space, scale=scale)([0] * DRAWS))


def noisy(value: int, scale: float, name: str) -> Counts:
    return tally((0, value + z) for z in noise(scale, name).tolist())


def added(
    of: candling.Study, measure: str, monkeypatch: pytest.MonkeyPatch
) -> tuple[int, DiscreteLaplace]:
    """The integer of a release and the noise that was added to it."""
    seen: list[tuple[int, DiscreteLaplace]] = []

    def add_laplace(value: int, noise: DiscreteLaplace) -> int:
        seen.append((value, noise))
        return value

    monkeypatch.setattr(run, "add_laplace", add_laplace)
    of.release(EPSILON, measures=[measure])
    (once,) = seen
    return once


# The release as it is


@pytest.mark.slow
@pytest.mark.parametrize("pair", [pair for pair in PAIRS if pair != "centre of a large star"])
@pytest.mark.parametrize("measure", ["problematic", "minimal_inconsistent"])
def test_thresholded_measures_keep_to_epsilon(pair: str, measure: str) -> None:
    larger, smaller = (recorded(of, measure) for of in tables(pair))
    assert larger[1] == smaller[1] == EPSILON
    assert larger[0].sensitivities == smaller[0].sensitivities
    assert certified(sampled(*larger, "one"), sampled(*smaller, "two")) <= EPSILON


@pytest.mark.parametrize("measure", ["rows", "repair"])
@pytest.mark.parametrize("pair", PAIRS)
def test_measures_with_laplace_noise_keep_to_epsilon(
    pair: str, measure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    larger, smaller = (added(of, measure, monkeypatch) for of in tables(pair))
    assert larger[1] == smaller[1]
    one, two = noisy(larger[0], larger[1].scale, "one"), noisy(smaller[0], smaller[1].scale, "two")
    assert certified(one, two) <= EPSILON
    assert certified(one, two) > 0.7 * EPSILON, "the audit looks where it hurts"


def test_what_is_audited_is_all_that_is_released() -> None:
    """A release is made from the drawn level and value, and from public choices."""
    for of in (of for pair in PAIRS for of in tables(pair)):
        for measure, step in (("problematic", 1.0), ("minimal_inconsistent", 0.5)):
            for level, value in ((0, 7), (5, 3), (3, 0), (2, -4)):
                card = of.release(1, measures=[measure], method=Fixed(level, value))
                shown = card.to_dict()[measure]
                assert shown.pop("value") == max(0, value * step)
                assert shown.pop("low") == max(0, (value - 1) * step)
                assert shown.pop("threshold") == 2**level
                assert {k: v for k, v in shown.items() if k not in {"note", "reason"}} == {
                    "high": None,
                    "epsilon": 1.0,
                }


# Planted bugs: a smaller sample shows them


@pytest.mark.parametrize("pair", ["star centre", "empty against one conflict"])
def test_the_audit_sees_a_sensitivity_of_t_where_it_is_t_plus_1(pair: str) -> None:
    counts = []
    for of in tables(pair):
        levels, epsilon = recorded(of, "problematic")
        wrong = replace(levels, sensitivities=tuple(s - 1 for s in levels.sensitivities))
        counts.append(sampled(wrong, epsilon, "planted", PLANTED))
    assert certified(*counts) > EPSILON


@pytest.mark.parametrize("measure", ["problematic", "minimal_inconsistent"])
def test_the_audit_sees_a_joint_draw_at_half_scale(measure: str) -> None:
    counts = []
    for of in tables("empty against one conflict"):
        levels, epsilon = recorded(of, measure)
        counts.append(sampled(levels, 2 * epsilon, "planted", PLANTED))
    assert certified(*counts) > EPSILON


def test_the_audit_sees_laplace_noise_at_half_scale(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = []
    for name, of in zip(("one", "two"), tables("star centre"), strict=True):
        value, right = added(of, "repair", monkeypatch)
        counts.append(noisy(value, right.scale / 2, name))
    assert certified(*counts) > EPSILON


def test_the_audit_sees_the_private_row_count_among_the_thresholds() -> None:
    """Planted: thresholds 1, 2, 4, ... up to the number of rows, and that number itself.

    The last level is then told apart by what is released as its threshold.
    """
    counts = []
    for copies in (41, 40):
        levels, epsilon = recorded(study("key(a)", a=[7] * copies), "minimal_inconsistent")
        values = (*levels.values[:2], levels.values[-1])
        planted = Statistic(values, (2, 4, 2 * copies), levels.step)
        distribution = JointDistribution(planted, epsilon)
        drawn = (distribution.draw() for _ in range(PLANTED))
        # Not the index but the threshold, 41 or 40, is what the release would show.
        counts.append(tally((9 if d.level == 2 and copies == 41 else d.level, 0) for d in drawn))
    assert certified(*counts) > EPSILON


def test_no_level_depends_on_the_number_of_rows() -> None:
    for measure in ("problematic", "minimal_inconsistent"):
        shapes = {
            (recorded(of, measure)[0].sensitivities, recorded(of, measure)[0].step)
            for pair in PAIRS
            for of in tables(pair)
        }
        assert len(shapes) == 1
