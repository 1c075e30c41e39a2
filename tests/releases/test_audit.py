"""An audit by sampling: whole releases of neighbouring tables, and planted bugs that it must see.

A release of one thresholded measure shows (2**level, max(0, value)), nothing else that is not made
from these; so what is sampled here is the distribution that the release itself was seen to use.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

import candling
from candling.privacy import LevelsDraw, PlainDraw, Statistic
from candling.releases import session
from candling.tables import Table, count_rows_within
from tests.effort import reduce
from tests.measures.draws import DrawCall, recorded
from tests.privacy.statistics import clopper_pearson
from tests.releases.tables import drawn_from, study

DRAWS = reduce(60_000, 6)
PLANTED = reduce(40_000, 6)
SUBTLE = reduce(40_000, 2)  # for bugs whose ratio is hardly above what is allowed
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
def sampled(statistic: Statistic, epsilon: Fraction, name: str, draws: int = DRAWS) -> Counts:
    """Releases of one table; `name` tells independent samples apart."""
    law = draw_alone(statistic, epsilon)
    return tally((d.level, d.value) for (d,) in (law.draw() for _ in range(draws)))


def draw_alone(statistic: Statistic, epsilon: Fraction) -> PlainDraw | LevelsDraw:
    """What a release of one measure draws from."""
    if statistic.has_levels:
        return LevelsDraw([statistic], epsilon, None)
    return PlainDraw([statistic], epsilon, None)


# The release as it is


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if pair != "centre of a large star"])
@pytest.mark.parametrize("measure", ["problematic", "minimal_inconsistent"])
def test_thresholded_measures_keep_to_epsilon(pair: str, measure: str) -> None:
    larger, smaller = (drawn_from(of, measure) for of in tables(pair))
    assert larger[1] == smaller[1] == EPSILON
    assert larger[0].sensitivities == smaller[0].sensitivities
    assert certified(sampled(*larger, "one"), sampled(*smaller, "two")) <= EPSILON


@pytest.mark.parametrize("measure", ["rows", "repair"])
@pytest.mark.parametrize("pair", ["star centre", "empty against one conflict"])
def test_measures_without_thresholds_keep_to_epsilon(pair: str, measure: str) -> None:
    larger, smaller = (drawn_from(of, measure) for of in tables(pair))
    one, two = sampled(*larger, "one"), sampled(*smaller, "two")
    assert certified(one, two) <= EPSILON
    assert certified(one, two) > 0.7 * EPSILON, "the audit looks where it hurts"


# Persons: one owns thirty rows, of which two are kept


@cache
def with_and_without_a_person() -> tuple[candling.Study, candling.Study]:
    """One person conflicts with both others, and comes and goes with all of their rows."""
    p, b = [1, 1, 2] + [7] * 30, [0, 0, 0] + [1] * 30
    return (
        study("a -> b", person="p", p=p, a=[1] * 33, b=b),
        study("a -> b", person="p", p=p[:3], a=[1] * 3, b=b[:3]),
    )


@pytest.mark.parametrize("measure", ["rows", "repair", "problematic", "minimal_inconsistent"])
def test_persons_keep_to_epsilon(measure: str) -> None:
    both = (drawn_from(of, measure, rows_per_person=2) for of in with_and_without_a_person())
    one, two = (sampled(*found, name) for found, name in zip(both, ("one", "two"), strict=True))
    assert 0.3 * EPSILON < certified(one, two) <= EPSILON


def test_the_audit_sees_a_person_who_is_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    def count_all(table: Table, person: Sequence[str], levels: Sequence[int]) -> list[int]:
        return count_rows_within(table, person, [1000]) * len(levels)

    monkeypatch.setattr(session, "count_rows_within", count_all)
    with_and_without_a_person.cache_clear()
    both = [drawn_from(of, "rows", rows_per_person=2) for of in with_and_without_a_person()]
    with_and_without_a_person.cache_clear()
    counts = [sampled(*found, "not cut", PLANTED) for found in both]
    assert certified(*counts) > EPSILON


def draw_of(of: candling.Study, measures: Sequence[str]) -> PlainDraw:
    """What a release of measures without levels draws from."""
    with recorded() as calls:
        of.release(EPSILON, measures=measures)
    (call,) = calls
    assert isinstance(call, DrawCall)
    assert isinstance(call.draw, PlainDraw)
    return call.draw


@pytest.mark.parametrize("pair", PAIRS)
def test_what_is_audited_is_all_that_is_released(pair: str) -> None:
    """A card is made from the drawn levels and values, and from public choices."""
    for measure in ("problematic", "minimal_inconsistent"):
        for output, last in ((7, False), (3, True), (0, True), (-4, False)):
            cards = []
            for of in tables(pair):
                with recorded(output, last=last):
                    card = of.release(EPSILON, measures=[measure]).to_dict()
                del card["about"]["time"]
                cards.append(card)
            assert cards[0] == cards[1]
            assert cards[0][measure]["threshold"] == (2**40 if last else 1)


# Planted bugs: a smaller sample shows them


@pytest.mark.parametrize("pair", ["star centre", "empty against one conflict"])
def test_the_audit_sees_a_sensitivity_of_t_where_it_is_t_plus_1(pair: str) -> None:
    counts = []
    for of in tables(pair):
        levels, epsilon = drawn_from(of, "problematic")
        wrong = replace(levels, sensitivities=tuple(s - 1 for s in levels.sensitivities))
        counts.append(sampled(wrong, epsilon, "planted", SUBTLE))
    assert certified(*counts) > EPSILON


@pytest.mark.parametrize("measure", ["problematic", "minimal_inconsistent"])
def test_the_audit_sees_a_joint_draw_at_half_scale(measure: str) -> None:
    counts = []
    for of in tables("empty against one conflict"):
        levels, epsilon = drawn_from(of, measure)
        counts.append(sampled(levels, 2 * epsilon, "planted", SUBTLE))
    assert certified(*counts) > EPSILON


def test_the_audit_sees_a_card_at_half_scale() -> None:
    counts = []
    for of in tables("empty against one conflict"):
        right = draw_of(of, ["rows", "repair"])
        wrong = PlainDraw(right.statistics, 2 * right.epsilon, rows=right._rows)
        drawn = (wrong.draw() for _ in range(PLANTED))
        counts.append(tally((0, 20 + sum(d.value for d in card)) for card in drawn))
    assert certified(*counts) > EPSILON


def test_the_audit_sees_rows_with_noise_of_their_own() -> None:
    """Planted: rows and repair as if a row moved either of them alone. It is seen in their sum."""
    counts = []
    for of in tables("empty against one conflict"):
        right = draw_of(of, ["rows", "repair"])
        apart = [PlainDraw([s], right.epsilon, rows=None) for s in right.statistics]
        sums = (sum(law.draw()[0].value for law in apart) for _ in range(PLANTED))
        counts.append(tally((0, 20 + total) for total in sums))
    assert certified(*counts) > EPSILON


def test_a_card_of_rows_and_repair_keeps_to_epsilon() -> None:
    """Looked at where noise of each of its own would be seen."""
    counts = []
    for of in tables("empty against one conflict"):
        law = draw_of(of, ["rows", "repair"])
        drawn = (law.draw() for _ in range(DRAWS))
        counts.append(tally((0, 20 + sum(d.value for d in card)) for card in drawn))
    assert certified(*counts) <= EPSILON


def test_the_audit_sees_the_private_row_count_among_the_thresholds() -> None:
    """Planted: thresholds 1, 2, 4, ... up to the number of rows, and that number itself.

    The last level is then told apart by what is released as its threshold.
    """
    counts = []
    for copies in (41, 40):
        levels, epsilon = drawn_from(study("key(a)", a=[7] * copies), "minimal_inconsistent")
        values = (*levels.values[:2], levels.values[-1])
        planted = Statistic(values, (2, 4, 2 * copies), levels.step)
        law = LevelsDraw([planted], epsilon, None)
        drawn = (law.draw()[0] for _ in range(PLANTED))
        # Not the index but the threshold, 41 or 40, is what the release would show.
        counts.append(tally((9 if d.level == 2 and copies == 41 else d.level, 0) for d in drawn))
    assert certified(*counts) > EPSILON


def test_no_level_depends_on_the_number_of_rows() -> None:
    for measure in ("problematic", "minimal_inconsistent"):
        shapes = {
            (drawn_from(of, measure)[0].sensitivities, drawn_from(of, measure)[0].step)
            for pair in PAIRS
            for of in tables(pair)
        }
        assert len(shapes) == 1
