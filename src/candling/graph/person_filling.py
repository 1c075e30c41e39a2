"""The flow of a core of persons without its pairs, by a proof from both sides.

In a core every person has more conflicts than room. p and q have M conflicts, of which M * x may be
used, x <= 1. Say whose room is used up: give each person a price of 0, 1/2 or 1. The flow, which
counts each pair in both orders, is then at most twice the prices of the rooms plus, over ordered
pairs, M * (1 - both prices) where that is positive. For the other side x is 1 where prices sum to
less than 1, 0 where they sum to more, and elsewhere the smaller of 1 and a_p * a_q, with numbers a
such that the loads are the rooms: where they are not quite, all is scaled down. Both sides are the
same when they differ by less than 1, as the flow is an integer (docs/privacy.md).

The numbers a are fractions of integers, and loads are exact sums of integers that are rounded once;
how they are found needs no proof.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from candling.graph.person_pairs_kernels import arrange, load
from candling.graph.person_tally import Entries, Tally
from candling.system.limits import check_time

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

ROUNDS = 60
STEPS = 40  # of the conjugate gradients for one step of Newton's method
REACH = 3.0  # of a step
FAR = 12.0  # no logarithm of a scale is further from 0


class Filling:
    """Flows of cores, one after the other: what was found for one is where the next begins."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._last = np.zeros(tally.persons)  # logarithms of scales by unit of room

    def fill(self, core: Mask, room: Integers) -> int | None:
        """The flow of a core, or None if the two sides do not meet.

        Args:
            core: The persons in it.
            room: What each of them can take part in.
        """
        size = room[core].astype(float)
        scales = self._last[core] + np.log(size)
        scales, filled = _fill(_Loads(self._tally.entries, core), size, 1.0, scales)
        self._last[core] = scales - np.log(size)
        if filled:
            return int(room[core].sum())
        return _find_prices(self._tally, core, room, scales)


def _find_prices(tally: Tally, core: Mask, room: Integers, scales: Floats) -> int | None:
    """The flow of a core in which somebody cannot be filled."""
    top = int(room[core].sum())
    best = None
    for far in (1.0, 2.0, 4.0, 6.0, 8.0, 10.0):
        price = np.full(len(core), 0.5)
        price[core] = np.where(scales > far, 0.0, np.where(scales < -far, 1.0, 0.5))
        split = _Split(tally, core, room, price)
        if split.top < top:
            best, top = split, split.top
    return top if best is not None and best.prove() else None


class _Split:
    """A core by prices: 0 for zeros, 1/2 for halves, 1 for ones."""

    def __init__(self, tally: Tally, core: Mask, room: Integers, price: Floats) -> None:
        self._tally, self._room = tally, room
        self._zero, self._half, self._one = (core & (price == p) for p in (0.0, 0.5, 1.0))
        self._near = tally.count_near(self._zero)
        self.top = (
            int(self._near[self._zero | self._half].sum())
            + int(room[self._half].sum())
            + 2 * int(room[self._one].sum())
        )

    def prove(self) -> bool:
        """Whether rooms can be filled up to the bound."""
        zero, half, one, near = self._zero, self._half, self._one, self._near
        rest = self._room - near
        rest[zero] -= self._tally.count_near(half)[zero]
        rest[one] = self._room[one]
        if (rest[zero | half] < 0).any():
            return False
        half = half & (rest > 0)
        entries, core = self._tally.entries, (zero & (rest > 0)) | one
        size = rest.astype(float)
        if half.any() and not _fill(_Loads(entries, half), size[half], 0.5, np.log(size[half]))[1]:
            return False
        none = np.zeros(int(core.sum()))
        return not one.any() or _fill(_Loads(entries, core, one[core]), size[core], 0.5, none)[1]


class _Loads:
    """What persons get from each other at given scales.

    Args:
        entries: The conflicts of all persons.
        chosen: The persons who give and get.
        taking: Which of these get from the others alone, who get from them; None: all from all.
    """

    def __init__(self, entries: Entries, chosen: Mask, taking: Mask | None = None) -> None:
        self.taking = taking
        first, person, rows, sign = entries
        number = np.where(chosen, np.cumsum(chosen) - 1, -1).astype(np.int32)
        inside = chosen[person]
        ends = np.concatenate([[0], np.cumsum(inside)])[first]
        size = np.diff(ends)
        kept = size > 1
        inside &= np.repeat(kept, np.diff(first))
        self._first = np.concatenate([[0], np.cumsum(size[kept])])
        self._person, self._rows, self._sign = number[person[inside]], rows[inside], sign[kept]
        self.persons = int(chosen.sum())
        label = np.repeat(np.arange(len(self._sign)), np.diff(self._first))
        order = np.argsort(self._person, kind="stable")
        self._by_person = label[order], self._rows[order]
        self._starts = np.searchsorted(self._person[order], np.arange(self.persons + 1))
        longest = int(np.diff(self._first).max(initial=0))
        self._below, self._above = np.empty(longest + 1), np.empty(longest + 1, np.int64)
        self._scale = np.empty(0)
        several = max(longest, int(np.diff(self._starts).max(initial=0)))
        self._rounding = 2.0**-53 * (16 + 4 * several**2 * 2.0**-53)

    def set_scales(self, logs: Floats) -> Floats:
        """Choose the scales by their logarithms; return them."""
        self._scale = np.exp(logs)
        two = np.partition(self._scale, -2)[-2:] if len(logs) > 1 else np.zeros(2)
        if two[0] * two[1] >= 1.0:
            order = np.argsort(self._scale, kind="stable")
            person, rows = np.empty_like(self._person), np.empty_like(self._rows)
            arrange(order, self._starts, *self._by_person, self._first[:-1].copy(), person, rows)
            self._person, self._rows = person, rows
        return self._scale

    def get(self, gives: Floats, *, count: bool = True) -> tuple[Floats, Floats, float]:
        """For each person, what others give where pairs are free, and what they count elsewhere.

        And by how much the sum of both may be off for all persons together.
        """
        counts = np.full(self.persons, count, np.int64)
        if self.taking is None:
            return self._get(gives, counts)
        one = self._get(gives * ~self.taking, counts * ~self.taking)
        two = self._get(gives * self.taking, counts * self.taking)
        free, full = (np.where(self.taking, a, b) for a, b in zip(one[:2], two[:2], strict=True))
        return free, full, one[2] + two[2]

    def _get(self, gives: Floats, counts: Integers) -> tuple[Floats, Floats, float]:
        free, lost, gross = (np.zeros(self.persons) for _ in range(3))
        full = np.zeros(self.persons, np.int64)
        load(
            self._first, self._person, self._rows, self._sign, self._scale, gives, counts,
            self._below, self._above, free, lost, gross, full,
        )  # fmt: skip
        free = self._scale * (free + lost)
        return (
            free,
            full.astype(float),
            self._rounding * float((self._scale * gross).sum() + full.sum()),
        )

    def is_short(self, room: Floats, got: Floats, doubt: float, gap: float) -> bool:
        """Whether what fits of the loads may be less than the bound by `gap` or more."""
        if self.taking is None:
            return float(room.sum()) - math.fsum(np.minimum(got, 2 * room - got)) + doubt >= gap
        fits = np.where(self.taking, np.minimum(got, room), np.minimum(room - got, 0.0))
        return 2 * (float(room[self.taking].sum()) - math.fsum(fits) + doubt) >= gap


def _fill(loads: _Loads, room: Floats, gap: float, logs: Floats) -> tuple[Floats, bool]:
    """Scales, and whether their loads fall short of the rooms by less than `gap` in all.

    If not, the scales tell who cannot be filled. They minimise a convex function whose slope is
    loads less rooms, by Newton's method.

    Args:
        loads: What persons get.
        room: What they should get.
        gap: What may be missing.
        logs: Logarithms of scales to begin with, but for a common factor.
    """
    top = np.full(loads.persons, FAR)
    if loads.taking is not None:
        top[~loads.taking] = 0.0  # who gives need not give all
    else:
        logs = np.clip(logs - logs.max(), -FAR, 0.0)
    free, full, _ = loads.get(loads.set_scales(logs))
    if loads.taking is None:
        logs = logs + 0.5 * math.log(room.sum() / (free + full).sum())
    else:
        logs = np.where(loads.taking, np.log(room / np.maximum(free + full, room)), 0.0)
    logs = np.clip(logs, -FAR, top)
    step, before = np.zeros_like(logs), -math.inf
    errors, care = [math.inf], 0.0
    for _ in range(ROUNDS):
        check_time()
        scale = loads.set_scales(logs)
        free, full, doubt = loads.get(scale)
        got = free + full
        missing = room - got
        if not loads.is_short(room, got, doubt, gap):
            return logs, True
        slope = -float((step * missing).sum())
        if slope > 0.5 * abs(before):  # went too far
            back = min(max(slope / (slope - before), 0.1), 0.9)
            logs = logs - back * step
            step = (1 - back) * step
            before *= 1 - back
            care = max(0.1, 3 * care)
            continue
        bound = ((logs >= top) & (missing > 0)) | ((logs <= -FAR) & (missing < 0))
        errors.append(float(np.abs(missing[~bound]).sum()))
        stuck = len(errors) > 20 and errors[-1] > 0.5 * min(errors[:-10])
        if stuck or errors[-1] < 0.01 * gap:  # as good as it gets: somebody cannot be filled
            break
        base = free + np.maximum(care, 1e-9) * np.maximum(got, 1e-300)
        care = 0.0 if care < 0.01 else care / 3
        step = _solve(loads, scale, base, np.where(bound, 0.0, missing), ~bound)
        step = np.clip(logs + np.clip(step, -REACH, REACH), -FAR, top) - logs
        if (step * missing).sum() <= 0:
            step = np.clip(logs + np.clip(0.5 * missing / base, -REACH, REACH), -FAR, top) - logs
        before = -float((step * missing).sum())
        logs = logs + step
    return logs, False


def _solve(loads: _Loads, scale: Floats, base: Floats, missing: Floats, able: Mask) -> Floats:
    """Newton's step, by conjugate gradients: roughly the changes that make the loads right."""
    step, rest = np.zeros_like(base), missing.copy()
    scaled = rest / base
    way, size = scaled.copy(), float((rest * scaled).sum())
    enough = 1e-4 * size
    for _ in range(STEPS):
        if size <= enough:
            break
        moved = np.where(able, base * way + loads.get(scale * way, count=False)[0], 0.0)
        slope = float((way * moved).sum())
        if slope <= 0.0:
            break
        step += (size / slope) * way
        rest -= (size / slope) * moved
        scaled = rest / base
        before, size = size, float((rest * scaled).sum())
        way = scaled + (size / before) * way
    return step
