"""A noisy cap on the thresholds: it costs its share, hides nothing that matters, stays private."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import pytest

from candling.privacy import Bound, Capped, Draw, Joint, Levels, Simple, capped


@dataclass
class Recorder:
    """Remembers what it was given, and draws with `Joint`."""

    seen: list[tuple[Levels, Fraction]] = field(default_factory=list)

    def __call__(self, levels: Levels, epsilon: Fraction) -> Draw:
        self.seen.append((levels, epsilon))
        return Joint()(levels, epsilon)

    def expected_error(self, sensitivity: int, epsilon: Fraction) -> float:
        return Joint().expected_error(sensitivity, epsilon)


def levels(bound: Bound | None, count: int = 41) -> Levels:
    values = tuple(min(40 * 2**i, 640) for i in range(count))
    return Levels(
        values,
        tuple(2**i + 1 for i in range(count)),
        Fraction(1),
        None if bound is None else lambda: bound,
    )


def test_the_cap_keeps_what_matters_and_drops_the_rest() -> None:
    inner = Recorder()
    for _ in range(200):
        Capped(inner)(levels(Bound(1000, 1)), Fraction(2))
    sizes = [len(seen.values) for seen, _ in inner.seen]
    # 2**10 is needed; the noise of scale 10 and its margin never reach 2**12.
    assert min(sizes) >= 11
    assert max(sizes) <= 12
    assert {epsilon for _, epsilon in inner.seen} == {Fraction(2) * Fraction(19, 20)}
    for seen, _ in inner.seen:
        assert len(seen.sensitivities) == len(seen.values)


def test_the_cap_lies_above_the_noisy_bound_by_a_quantile_of_the_noise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(capped, "add_laplace", lambda value, _: value)
    for bound, count in ((1000, 12), (1266, 12), (1267, 13)):
        inner = Recorder()
        Capped(inner)(levels(Bound(bound, 1)), Fraction(1, 10))
        # Noise of scale 200 exceeds 782 with probability 1%: 1267 may stand for 2049.
        assert len(inner.seen[0][0].values) == count


def test_a_bound_of_nothing_leaves_one_threshold() -> None:
    inner = Recorder()
    Capped(inner)(levels(Bound(-(10**9), 1)), Fraction(1))
    assert len(inner.seen[0][0].values) == 1


def test_without_a_bound_all_goes_to_the_inner_mechanism() -> None:
    inner = Recorder()
    Capped(inner)(levels(None), Fraction(1))
    assert len(inner.seen[0][0].values) == 41
    assert inner.seen[0][1] == 1


@pytest.mark.parametrize("inner", [Joint(), Simple()])
def test_the_expected_error_is_that_of_the_smaller_budget(inner: Joint | Simple) -> None:
    assert Capped(inner).expected_error(8, Fraction(1)) == inner.expected_error(8, Fraction(19, 20))
