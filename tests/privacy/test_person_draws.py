"""Both draws of a release for persons, by enumeration: together they tell a person by epsilon."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import pytest

from candling.privacy import Hint, LevelsDraw, SampleDraw, Statistic
from candling.privacy.levels_draw import constants_for, enough_levels
from tests.privacy.draw_law import Recipe, law, log_ratios, window
from tests.privacy.test_sample_draw import norm

EXACT = 1 + 1e-9
CLEARLY = 1.03
PARTS = (Fraction(4), Fraction(8))
TOTAL = float(sum(PARTS))
HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Table:
    """The noise-free numbers of a table; two thresholds, 1 and 2, and a sample of one row each."""

    sample: tuple[int, int]  # rows, and repair
    repair: int  # twice that of the whole table, to which a person adds 2
    rows: tuple[int, int]
    witnessed: tuple[int, int]  # twice
    conflicts: tuple[int, int]  # twice

    def first(self, stated: int = 2) -> SampleDraw:
        """The draw without thresholds."""
        rows, repair = self.sample
        return SampleDraw(
            [
                Statistic((rows,), (1,)),
                Statistic((repair,), (1,)),
                Statistic((self.repair,), (stated,), HALF),
            ],
            PARTS[0],
        )

    def second(self) -> list[Statistic]:
        """What has thresholds."""
        return [
            Statistic(self.rows, (1, 2), thresholds=(1, 2), counts_rows=True),
            Statistic(self.witnessed, (2, 4), HALF, thresholds=(1, 2), within_rows=True),
            Statistic(self.conflicts, (2, 4), HALF, thresholds=(1, 2)),
        ]


Steering = Callable[[Table, Fraction, Fraction], Hint]


def released(_: Table, repair: Fraction, rows: Fraction) -> Hint:
    """What the first draw gave, and nothing else."""
    return Hint(repair, rows, 10**9, 1, by_person=True)


def told(one: Table, two: Table, steering: Steering = released, stated: int = 2) -> float:
    """The largest log ratio of all outputs of both draws, over epsilon."""
    draws = [table.first(stated) for table in (one, two)]
    centres = [[s.values[0] for s in draw.statistics] for draw in draws]
    steps = [s.step for s in draws[0].statistics]
    rate, most = float(draws[0].rate), 0.0
    known: dict[object, float] = {}
    for rows, bad, repair in product(range(0, 100, 9), range(-4, 40, 6), range(-4, 60, 3)):
        changes = [
            norm([y - f for y, f in zip((rows, bad, repair), centre, strict=True)])
            for centre in centres
        ]
        hints = [steering(t, repair * steps[2], rows * steps[0]) for t in (one, two)]
        key = tuple((constants_for(h, PARTS[1]), enough_levels(h)) for h in hints)
        if key not in known:
            known[key] = second_ratio(one, two, hints)
        most = max(most, rate * abs(changes[0] - changes[1]) + known[key])
    return most / TOTAL


def second_ratio(one: Table, two: Table, hints: Sequence[Hint]) -> float:
    """How far the draw with thresholds tells the tables apart."""
    draws = [LevelsDraw(t.second(), PARTS[1], h) for t, h in zip((one, two), hints, strict=True)]
    tables = [draw.statistics for draw in draws]
    if [len(s.values) for s in tables[0]] != [len(s.values) for s in tables[1]]:
        return math.inf
    recipes = [Recipe(d.constants, h) for d, h in zip(draws, hints, strict=True)]
    epsilon = float(PARTS[1])
    within = window(*tables, epsilon=epsilon, recipe=recipes[0], depth=14)
    laws = [law(t, epsilon, r, within=within) for t, r in zip(tables, recipes, strict=True)]
    return log_ratios(*laws).worst


CLEAN = Table((6, 0), 0, (8, 9), (0, 0), (0, 0))
BROKEN = Table((20, 3), 8, (24, 30), (14, 20), (18, 40))
NEIGHBOURS = [
    (CLEAN, Table((7, 1), 2, (9, 11), (2, 4), (2, 4))),
    (CLEAN, Table((7, 0), 0, (9, 11), (0, 0), (0, 0))),
    (BROKEN, Table((21, 4), 10, (25, 32), (16, 24), (20, 44))),
    (BROKEN, Table((21, 3), 10, (25, 30), (14, 24), (18, 40))),
]


@pytest.mark.parametrize("pair", NEIGHBOURS)
def test_both_draws_tell_a_person_by_epsilon(pair: tuple[Table, Table]) -> None:
    assert told(*pair) <= EXACT


def test_both_draws_come_near_epsilon() -> None:
    assert max(told(*pair) for pair in NEIGHBOURS[:2]) > 0.7


def test_the_audit_sees_steering_by_a_number_that_was_not_released() -> None:
    """Planted: the repair of the table decides whether there are thresholds."""
    edge = replace(BROKEN, repair=4), replace(NEIGHBOURS[2][1], repair=6)
    limits = [constants_for(released(t, Fraction(t.repair, 2), Fraction(1)), PARTS[1])
              for t in edge]  # fmt: skip
    assert limits[0] is None
    assert limits[1] is not None
    assert told(*edge) <= EXACT
    secret = told(*edge, lambda t, _, rows: released(t, Fraction(t.repair, 2), rows))
    assert secret > CLEARLY


def test_the_audit_sees_half_of_the_capacity() -> None:
    """Planted: the repair of the whole table as if a person added 1, where they add 2."""
    assert told(*NEIGHBOURS[0], stated=1) > CLEARLY
