"""Noise of a sample and of free numbers: law, privacy by exact ratios, sampler and tails."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations, product

import pytest

from candling.privacy import SampleDraw, SampleNoise, Statistic
from candling.privacy import sample_draw as module
from candling.privacy.plain_draw import on_common_lattice
from tests.privacy.statistics import at_most, fits

Values = tuple[int, ...]
Law = dict[Values, float]
Norm = Callable[[Sequence[int]], float]

EXACT = 1 + 1e-9
CLEARLY = 1.05


@dataclass(frozen=True)
class Kind:
    """What is drawn: rows and repair of a sample, and free numbers."""

    c: int  # rows of a person in the sample
    halves: bool = False  # whether the repair is in halves
    free: tuple[int, ...] = ()  # the sensitivities of free numbers
    falls: int = 0  # of the last of them

    def table(self, values: Sequence[int] | None = None) -> list[Statistic]:
        """The statistics with these values."""
        count = 2 + len(self.free)
        values = values or (0,) * count
        growth = 2 if self.halves else 1
        found = [
            Statistic((values[0],), (self.c,)),
            Statistic((values[1],), (growth * self.c,), Fraction(1, growth)),
        ]
        for k, s in enumerate(self.free, start=2):
            falls = self.falls if k == count - 1 else 0
            found.append(Statistic((values[k],), (s,), Fraction(1, s), falls=falls))
        return found

    def moves(self) -> Iterator[Values]:
        """What a person may add: 0 to c rows, as much repair at most, and to each free number."""
        growth, last = (2 if self.halves else 1), len(self.free) - 1
        free = [range(-self.falls if k == last else 0, s + 1) for k, s in enumerate(self.free)]
        for rows in range(self.c + 1):
            yield from product([rows], range(growth * rows + 1), *free)


PAIR = Kind(1)
KINDS = {
    "one row each": PAIR,
    "three rows each": Kind(3),
    "in halves": Kind(2, halves=True),
    "and a free number": Kind(1, free=(2,)),
    "and a larger free number": Kind(2, free=(3,)),
    "four rows each and a free number of halves": Kind(2, halves=True, free=(4,)),
    "and two free numbers": Kind(1, free=(1, 2)),
    "and one that falls": Kind(1, free=(4,), falls=1),
}
SAMPLED = {"one row each": 30, "in halves": 50, "and a free number": 20, "and two free numbers": 11}
SHARP = 3.0  # an epsilon at which no more of the law is needed


def above(z: Sequence[int]) -> int:
    """How far noise is above, where the rows are the first number, the repair the second."""
    bad, good = z[1], z[0] - z[1]
    return max([max(good, 0) + max(bad, 0), *(max(x, 0) for x in z[2:])])


def norm(z: Sequence[int]) -> int:
    """As the docs have it."""
    return above(z) + above([-x for x in z])


def formula(kind: Kind, epsilon: float, reach: int, how: Norm = norm) -> Law:
    """The law of the noise on the common lattice, up to `reach` steps each way."""
    (sensitivity,) = on_common_lattice(kind.table())[0].sensitivities
    falls = max(s.falls for s in on_common_lattice(kind.table()))
    rate = epsilon / (sensitivity + falls)
    axes = [range(-2 * reach, 2 * reach + 1), *[range(-reach, reach + 1)] * (1 + len(kind.free))]
    weights = {z: math.exp(-rate * how(z)) for z in product(*axes) if abs(z[0] - z[1]) <= reach}
    total = math.fsum(weights.values())
    return {z: w / total for z, w in weights.items()}


def worst(kind: Kind, epsilon: float, law: Law | None = None, *, far: bool = False) -> float:
    """The largest log ratio over all neighbours and outputs, over epsilon."""
    law = law or formula(kind, epsilon, 7)
    lattice = on_common_lattice(kind.table())
    finer = [int(a.step / b.step) for a, b in zip(kind.table(), lattice, strict=True)]
    most = 0.0
    moves = list(kind.moves())
    if far:  # the ends of all ranges
        ends = [{min(own), max(own)} for own in zip(*moves, strict=True)]
        moves = [m for m in moves if all(a in own for a, own in zip(m, ends, strict=True))]
    for move in moves:
        step = [m * n for m, n in zip(move, finer, strict=True)]
        for z, p in law.items():
            other = law.get(tuple(a - b for a, b in zip(z, step, strict=True)))
            if other is not None:
                most = max(most, abs(math.log(p / other)))
    return most / epsilon


# Privacy


@pytest.mark.parametrize("name", KINDS)
def test_a_person_is_told_by_epsilon_and_no_more(name: str) -> None:
    found = worst(KINDS[name], 1.0)
    assert 1 - 1e-9 < found <= EXACT


@pytest.mark.parametrize("factor", [2, 4, 8])
@pytest.mark.parametrize("larger", ["sample", "free"])
def test_sensitivities_far_apart_are_told_by_epsilon(larger: str, factor: int) -> None:
    kind = Kind(factor, free=(1,)) if larger == "sample" else Kind(1, free=(factor,))
    law = formula(kind, 1.0, factor + 3)
    assert math.isclose(worst(kind, 1.0, law, far=True), 1, rel_tol=1e-9)


def product_body(z: Sequence[int]) -> int:
    """Another body that is private, and larger: max(|good| + |bad|, |x|)."""
    return max([abs(z[0] - z[1]) + abs(z[1]), *map(abs, z[2:])])


@pytest.mark.parametrize("name", ["and a free number", "and two free numbers"])
def test_the_body_is_inside_of_the_product_of_both(name: str) -> None:
    kind = KINDS[name]
    assert worst(kind, 1.0, formula(kind, 1.0, 7, product_body)) <= EXACT
    for z in formula(kind, 1.0, 4):
        assert norm(z) >= product_body(z)


def box(z: Sequence[int]) -> int:
    """Good and bad rows as if one person could not add both: less noise than needed."""
    bad, good = z[1], z[0] - z[1]
    return max(0, good, bad, *z[2:]) - min(0, good, bad, *z[2:])


def tied(z: Sequence[int]) -> int:
    """Free numbers as if they could not move more than the rows do: Theorem 7 for rows."""
    return max([abs(z[0]), *(abs(2 * x - z[0]) for x in z[1:])])


def apart(z: Sequence[int]) -> int:
    """Free numbers with noise of their own."""
    return above(z[:2]) + above([-x for x in z[:2]]) + sum(map(abs, z[2:]))


@pytest.mark.parametrize(
    ("wrong", "name", "least"),
    [
        (tied, "and a larger free number", 1.3),
        (apart, "and a free number", 1.9),
        (apart, "and two free numbers", 1.9),
    ],
)
def test_the_audit_sees_a_body_that_is_not_private(wrong: Norm, name: str, least: float) -> None:
    kind = KINDS[name]
    assert worst(kind, 1.0, formula(kind, 1.0, 7, wrong)) > least


@pytest.mark.parametrize("name", KINDS)
def test_the_audit_sees_noise_at_half_scale(name: str) -> None:
    kind = KINDS[name]
    assert worst(kind, 1.0, formula(kind, 2.0, 7)) > CLEARLY


def test_the_audit_sees_falls_that_nobody_pays_for() -> None:
    kind = KINDS["and one that falls"]
    paid = formula(Kind(kind.c, free=kind.free), 1.0, 9)
    assert worst(kind, 1.0, paid) > CLEARLY


# The code


def points(size: int) -> Counter[Values]:
    """All (good, bad, v) that the code may draw for a size, each with its ways."""
    kinds = sum(math.comb(size - low + 2, 3) for low in (0, 1, 1, 2))
    found: Counter[Values] = Counter()
    for chosen in range(kinds):
        left, low = chosen, 0
        for low in (0, 1, 1, 2):
            if left < math.comb(size - low + 2, 3):
                break
            left -= math.comb(size - low + 2, 3)
        for bars in combinations(range(size + 2 - low), 3):
            numbers = iter((chosen, *bars))
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(module, "draw_below", lambda _n, _b, numbers=numbers: next(numbers))
                found[module.draw_pair(size, lambda _: 0)] += math.lcm(
                    *(math.comb(size + 2 - k, 3) or 1 for k in (0, 1, 2))
                ) // math.comb(size + 2 - low, 3)
    return found


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_each_pair_within_a_size_is_equally_likely(size: int) -> None:
    found = points(size)
    wanted = {
        (good, bad, v)
        for good, bad in product(range(-size, size + 1), repeat=2)
        for v in range(size)
        if max(good, 0) + max(bad, 0) <= size - 1 - v and max(-good, 0) + max(-bad, 0) <= v
    }
    assert {*found} == wanted
    assert len({*found.values()}) == 1
    assert len(wanted) == (2 * size**3 + size) // 3


@pytest.mark.parametrize("free", [0, 1, 2])
def test_sizes_and_points_make_the_law(free: int) -> None:
    """Summed over sizes, by what the code draws and how often: the formula."""
    rate, most = 1.1, 9
    found: Law = {}
    for size in range(1, most + 1):
        for good, bad, v in points(min(size, 7)) if size <= 7 else ():
            for x in product(range(-v, size - v), repeat=free):
                z = (good + bad, bad, *x)
                found[z] = found.get(z, 0.0) + math.exp(-rate * size)
    # Beyond a norm, a size that is left out would count.
    centre = found[(0,) * (2 + free)]
    for z, p in found.items():
        if norm(z) <= 1:
            assert math.isclose(p / centre, math.exp(-rate * norm(z)), rel_tol=5e-3)


def seeded(kind: Kind, epsilon: Fraction, count: int) -> list[Values]:
    """Noise. Passes for good or fails for good: the seed is reachable in tests only."""
    bits = random.Random(7).getrandbits
    draw = SampleDraw(kind.table(), epsilon)
    return [tuple(d.value for d in draw.draw(bits)) for _ in range(count)]


def agree(drawn: Sequence[Values], law: Law) -> bool:
    """Whether draws may come from a law: each number, the good rows, and each pair by signs."""

    def good(z: Values) -> int:
        return z[0] - z[1]

    looks: list[Callable[[Values], object]] = [good]
    looks += [lambda z, k=k: z[k] for k in range(len(drawn[0]))]  # type: ignore[misc]
    for k in range(len(drawn[0])):
        looks += [lambda z, k=k, m=m: (sign(z[k]), sign(z[m])) for m in range(k)]  # type: ignore[misc]
    for look in looks:
        seen: dict[object, float] = {}
        for z, p in law.items():
            seen[look(z)] = seen.get(look(z), 0.0) + p
        if not fits([look(z) for z in drawn], dict(sorted(seen.items()))):
            return False
    return True


def sign(x: int) -> int:
    return (x > 0) - (x < 0)


@pytest.mark.parametrize("name", SAMPLED)
def test_draws_follow_the_law_and_no_other(name: str) -> None:
    """The right scale is accepted, half of it and the double are not."""
    kind, reach = KINDS[name], SAMPLED[name]
    drawn = seeded(kind, Fraction(3), 4_000)
    assert agree(drawn, formula(kind, SHARP, reach))
    for factor in (2.0, 1.3, 1 / 1.3):
        assert not agree(drawn, formula(kind, SHARP * factor, reach))
    assert not agree(drawn, formula(kind, SHARP, reach, box))


def test_draws_from_the_system_follow_the_law() -> None:
    kind = KINDS["and a free number"]
    draw = SampleDraw(kind.table(), Fraction(3))
    drawn = [tuple(d.value for d in draw.draw()) for _ in range(2_000)]
    assert agree(drawn, formula(kind, SHARP, 20))


# Tails


@pytest.mark.parametrize(
    ("name", "epsilon"),
    [*((name, SHARP) for name in SAMPLED), ("one row each", 1.0), ("in halves", 1.3)],
)
def test_tails_are_quantiles(name: str, epsilon: float) -> None:
    kind, reach = KINDS[name], SAMPLED[name]
    law = formula(kind, epsilon, reach)
    for k, noise in enumerate(SampleDraw(kind.table(), Fraction(epsilon)).noises):
        chances: dict[int, float] = {}
        for z, p in law.items():
            chances[z[k]] = chances.get(z[k], 0.0) + p
        for x in (1, 2, 3, 5):
            reached = math.fsum(p for z, p in chances.items() if z >= x)
            ours = noise.reaches(x)
            assert ours >= reached * (1 - 1e-4)
            assert ours <= reached * (1.06 if noise.role == "rows" else 1 + 1e-3)
        for miss in (0.1, 0.05, 0.01):
            d = noise.upper_tail(miss)
            assert d == noise.lower_tail(miss)
            assert math.fsum(p for z, p in chances.items() if z > d) <= miss * (1 + 1e-4)
            if d > 1:
                assert math.fsum(p for z, p in chances.items() if z >= d - 1) > miss * (1 - 1e-4)
        error = math.fsum(abs(z) * p for z, p in chances.items())
        assert math.isclose(noise.mean_absolute_error, error, rel_tol=0.03)


@pytest.mark.parametrize("free", [0, 1, 2, 40, 200])
def test_noise_on_fine_lattices(free: int) -> None:
    """A free number costs the repair a quarter of a sensitivity."""
    repair, rows = (SampleNoise(1e6, free, role) for role in ("repair", "rows"))
    assert math.isclose(repair.mean_absolute_error, (free + 4) / 4 * 1e6, rel_tol=1e-3)
    assert math.isclose(rows.mean_absolute_error, (free + 4) * 3 / 8 * 1e6, rel_tol=1e-3)
    if free:
        own = SampleNoise(1e6, free, "free")
        assert math.isclose(own.mean_absolute_error, (free + 4) * 13 / 40 * 1e6, rel_tol=1e-3)
    for noise in (repair, rows):
        near, far = (noise.upper_tail(miss) for miss in (0.05, 1e-6))
        assert 0 < near < far < 1e9


# Sensitivities that differ


@pytest.mark.parametrize("order", list(permutations((4, 16, 32))))
def test_sensitivities_in_any_order_get_their_noise(order: Values) -> None:
    """Each free number, and the sample, are as noisy as their own sensitivities ask for."""
    c, *free = order
    kind = Kind(c, free=tuple(free))
    drawn = seeded(kind, Fraction(1), 3_000)
    draw = SampleDraw(kind.table(), Fraction(1))
    for k, (statistic, stated) in enumerate(zip(draw.statistics, kind.table(), strict=True)):
        (sensitivity,) = stated.sensitivities
        away = sum(abs(z[k]) for z in drawn) / len(drawn) * float(statistic.step / stated.step)
        expected = {"rows": 3 / 8, "repair": 1 / 4, "free": 13 / 40}[draw.noises[k].role] * 6
        assert math.isclose(away / sensitivity, expected, rel_tol=0.09)
        for miss in (0.1, 0.01):
            beyond = sum(z[k] > draw.noises[k].upper_tail(miss) for z in drawn)
            assert at_most(beyond, len(drawn), miss)
            assert beyond > 0.5 * miss * len(drawn)


def test_what_fits_no_proof_is_refused() -> None:
    rows = Statistic((0,), (3,))
    with pytest.raises(ValueError, match="fall"):
        SampleDraw([rows, Statistic((0,), (3,), falls=1)], Fraction(1))
    with pytest.raises(ValueError, match="part of its rows"):
        SampleDraw([rows, Statistic((0,), (3,), Fraction(1, 2))], Fraction(1))
    for scale, free, role in ((0.0, 1, "rows"), (1.0, 0, "free"), (1.0, 1, "x"), (1.0, -1, "rows")):
        with pytest.raises(ValueError, match="noise"):
            SampleNoise(scale, free, role)


def test_nothing_private_is_in_a_repr() -> None:
    draw = SampleDraw([Statistic((987_654_321,), (2,)), Statistic((987,), (2,))], Fraction(1))
    draw.draw()
    assert "987" not in repr(draw) + repr(draw.statistics)
