"""Elements of an order rule with the same inversions become one, and no others do."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from candling.graph.edges import Ordered, without_twins

groups = st.lists(st.lists(st.integers(0, 9), max_size=12), min_size=1, max_size=3)


def partners(order: Ordered) -> list[set[int]]:
    """With whom each element is an inversion."""
    found: list[set[int]] = [set() for _ in order.values]
    for start, stop in zip(order.offsets[:-1], order.offsets[1:], strict=True):
        for i in range(start, stop):
            for j in range(i + 1, stop):
                one, two = order.values[i], order.values[j]
                if one > two or (order.tied and one == two):
                    found[i].add(j)
                    found[j].add(i)
    return found


@given(groups, st.booleans(), st.booleans())
def test_it_keeps_every_inversion_and_tells_the_same_elements_apart(
    values: list[list[int]], tied: bool, nearly_sorted: bool
) -> None:
    if nearly_sorted:  # else hardly any two are alike
        values = [sorted(group[2:]) + group[:2] for group in values]
    sizes = [len(group) for group in values]
    before = Ordered(
        label=np.arange(sum(sizes), dtype=np.int32),
        offsets=np.concatenate([[0], np.cumsum(sizes)]),
        values=np.array([value for group in values for value in group], np.int32),
        tied=tied,
        loops=False,
    )
    after = without_twins(before)
    old, new = partners(before), partners(after)
    group = np.repeat(np.arange(len(sizes)), sizes)
    for i in range(sum(sizes)):
        assert new[after.label[i]] == {after.label[j] for j in old[i]}
        for j in range(sum(sizes)):
            alike = group[i] == group[j] and old[i] == old[j]
            assert (after.label[i] == after.label[j]) == alike
