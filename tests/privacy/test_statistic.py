"""Statistics that fit no proof are refused, and the refusal names nothing private."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from candling.privacy import LEVELS, Statistic

SOUND: dict[str, Any] = {
    "values": (987_654_321, 987_654_322),
    "sensitivities": (2, 3),
    "step": Fraction(1),
    "thresholds": (1, 2),
}
MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "no level": ({"values": (), "sensitivities": ()}, "no thresholds"),
    "a sensitivity too few": ({"sensitivities": (2,)}, "its sensitivity"),
    "a sensitivity too many": ({"sensitivities": (2, 3, 5)}, "its sensitivity"),
    "a sensitivity of 0": ({"sensitivities": (2, 0)}, "1 or more"),
    "a negative sensitivity": ({"sensitivities": (-1, 3)}, "1 or more"),
    "a threshold too few": ({"thresholds": (1,)}, "its threshold"),
    "thresholds that fall": ({"thresholds": (2, 1)}, "ascend"),
    "equal thresholds": ({"thresholds": (2, 2)}, "ascend"),
    "a fall as large as the growth": ({"falls": 2}, "less than it may grow"),
    "a negative fall": ({"falls": -1}, "less than it may grow"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_statistics_that_fit_no_proof_are_refused(mistake: str) -> None:
    wrong, words = MISTAKES[mistake]
    with pytest.raises(ValueError, match=words) as caught:
        Statistic(**SOUND | wrong)
    assert "987" not in str(caught.value)


def test_sound_statistics_are_taken() -> None:
    statistic = Statistic(**SOUND)
    assert statistic.values == SOUND["values"]
    Statistic(**SOUND | {"sensitivities": (3, 2)})
    Statistic(**SOUND | {"thresholds": (1, 2, 4)})
    Statistic((0,) * LEVELS, (1,) * LEVELS, Fraction(1))
    with pytest.raises(ValueError, match="its threshold"):
        Statistic((0,) * (LEVELS + 1), (1,) * (LEVELS + 1), Fraction(1))


def test_a_finer_lattice_changes_nothing_but_the_unit() -> None:
    coarse = Statistic((10, 30), (2, 3), Fraction(1, 2), falls=1)
    fine = coarse.refine(6)
    assert fine.step * 6 == coarse.step
    for name in ("values", "sensitivities"):
        assert getattr(fine, name) == tuple(6 * number for number in getattr(coarse, name))
    assert fine.falls == 6
    assert fine.thresholds == coarse.thresholds


def test_nothing_private_is_in_a_repr() -> None:
    assert "987" not in repr(Statistic(**SOUND))
