"""Many cards of one table: the law of a draw is worked out once for all equal ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from unittest import mock

from candling.privacy import Hint, LevelsDraw, Statistic
from candling.privacy.levels_draw import constants_for, enough_levels


@contextmanager
def laws_kept() -> Iterator[None]:
    """Releases inside draw from their laws as always, and share those that are the same."""
    known: dict[object, LevelsDraw] = {}

    def levels_draw(
        statistics: Sequence[Statistic], epsilon: Fraction, hint: Hint | None
    ) -> LevelsDraw:
        told: object = None
        if hint is not None:  # all that a law takes from it
            levels = (hint.most_rows - 1).bit_length()
            told = constants_for(hint, epsilon), enough_levels(hint), levels
        key = tuple((s.values, s.sensitivities) for s in statistics), epsilon, told
        if key not in known:
            known[key] = LevelsDraw(statistics, epsilon, hint)
        return known[key]

    with mock.patch("candling.releases.run.LevelsDraw", levels_draw):
        yield
