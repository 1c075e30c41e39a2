"""Equal columns of a code matrix: both ways of sorting give the same groups."""

from __future__ import annotations

import numpy as np
import pytest

from candling.graph import edges

SEEDS = range(40)


@pytest.mark.parametrize("seed", SEEDS)
def test_digits_and_comparisons_give_the_same_groups(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    shape = int(rng.integers(0, 4)), int(rng.integers(1, 2000))
    codes = rng.integers(-1, int(rng.choice([1, 3, 50, 10**6, 2**30])), shape).astype(np.int32)
    found = []
    for small in (0, shape[1]):
        monkeypatch.setattr(edges, "SMALL", small)
        found.append(edges.group_lines(codes))
    digits, comparisons = found
    np.testing.assert_array_equal(digits.label, comparisons.label)
    np.testing.assert_array_equal(digits.first, comparisons.first)
    assert digits.first.dtype == comparisons.first.dtype
    columns = {tuple(column) for column in codes.T.tolist()}
    assert digits.count == len(columns)
