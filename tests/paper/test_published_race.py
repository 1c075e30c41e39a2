"""Race to the top as it was printed and as it was run."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from candling.measures import MINIMAL_INCONSISTENT
from candling_paper.published_race import (
    coded_thresholds,
    kept_not_private,
    printed_thresholds,
    r2t_as_coded_not_private,
    r2t_as_printed_not_private,
)
from tests.releases.tables import study


class Still:
    """In place of a generator: no noise."""

    def laplace(self) -> float:
        return 0.0


STILL: Any = Still()


def test_thresholds() -> None:
    assert printed_thresholds(10_000) == [2.0**i for i in range(1, 15)]
    assert printed_thresholds(1) == [2]
    assert coded_thresholds(10_000) == [5.5**i for i in range(1, 6)]
    assert coded_thresholds(100) == [5.5, 30.25]
    assert coded_thresholds(20) == [5.5, 30.25]  # one more, as there would be one
    assert coded_thresholds(1) == [5.5]


def test_the_program_at_a_whole_threshold_is_the_flow_and_between_two_it_is_straight() -> None:
    """Nine rows against one: a star, of which min(t, 9) pairs are kept, and one row alone."""
    facts = study("a -> b\nb < 9", a=[1] * 10 + [2], b=[1] * 9 + [2, 9])._facts
    levels = [level / 2 for level in MINIMAL_INCONSISTENT.levels(facts)]
    assert kept_not_private(facts, [1, 2, 4, 8, 16]) == levels[:5] == [2, 3, 5, 9, 10]
    assert kept_not_private(facts, [2.25, 5.5, 8.5, 30.25]) == [3.25, 6.5, 9.5, 10]


def test_the_penalty_and_who_wins() -> None:
    kept, thresholds = [100.0, 150.0], [5.5, 30.25]
    penalty = 2 * math.log(2 / 0.1)
    runners = [k - penalty * t for k, t in zip(kept, thresholds, strict=True)]
    assert runners[0] > 0 > runners[1]
    coded = r2t_as_coded_not_private(kept, thresholds, 1.0, STILL)
    assert coded == pytest.approx(runners[0])
    assert r2t_as_printed_not_private(kept, thresholds, 1.0, STILL) == pytest.approx(runners[0])
    doubled = r2t_as_coded_not_private(kept, thresholds, 10.0, STILL)
    assert doubled == pytest.approx(150 - penalty / 10 * 30.25)


def test_where_all_runners_are_below_0_the_code_releases_the_first() -> None:
    kept, thresholds = [3.0, 3.0], [5.5, 30.25]
    assert r2t_as_printed_not_private(kept, thresholds, 1.0, STILL) == 0
    coded = r2t_as_coded_not_private(kept, thresholds, 1.0, STILL)
    assert coded == pytest.approx(3 - 2 * math.log(20) * 5.5)
    rng = np.random.default_rng(1)
    draws = [r2t_as_coded_not_private(kept, thresholds, 1.0, rng) for _ in range(50)]
    assert min(draws) < 0
