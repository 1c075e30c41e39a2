"""The possible tables of a card for persons: a whole table, of which little is known above, and a
sample of it.

A world holds rows, smallest repair, rows in conflict and conflicts of the whole table, and rows and
smallest repair of a sample with at most so many rows of each person. The sample is a part of the
table. Numbers of the table that got noise are lower bounds: what one person can add to them is
limited, so nothing is known above, but for a public bound on the rows (docs/privacy.md, Theorems 18
and 22). As for rows, one event decides which worlds there are, and everything on a card is read off
them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property

from candling.model.noisy import (
    BY_RULE,
    CONFLICTS,
    DRASTIC,
    IN_CONFLICT,
    REPAIR,
    ROWS,
    SAMPLE_REPAIR,
    SAMPLE_ROWS,
    SMALLEST,
    TELLING,
    WAYS,
    Key,
    Noisy,
    Parts,
    Reading,
    deal_out,
    open_end,
)
from candling.model.relations import UNBOUNDED, Limits, Relations, RuleFacts, World

Numbers = Mapping[str, tuple[Noisy, ...]]

# Of the table nothing is read off the other tail.
PERSON_PARTS: Parts = {
    SAMPLE_REPAIR: (6, 8), SAMPLE_ROWS: (1, 1), REPAIR: (8, 0), BY_RULE: (8, 0),
    ROWS: (2, 0), IN_CONFLICT: (2, 0), CONFLICTS: (2, 0),
}  # fmt: skip
UNIT = 0.5 / math.e  # the probability that noise is above one unit
FAR_ABOVE = 3  # units by which a sample must say more than the table itself


class PersonWorlds:
    """All worlds that fit the draws but for probability `miss`; with 0, whatever was drawn.

    Raises NoWorldError if there are none.
    """

    def __init__(self, drawn: Numbers, facts: RuleFacts, max_rows: int | None, miss: float) -> None:
        self._drawn, self._facts = drawn, facts
        self._misses = dict(deal_out(drawn, miss, PERSON_PARTS))
        most = UNBOUNDED if max_rows is None else max_rows
        self._sample = self._find_sample(most)
        self._rules = [self._low(BY_RULE, place) for place in range(len(drawn.get(BY_RULE, ())))]
        self._table = self._find_table(most)

    # From draws to limits

    def _low(self, name: str, place: int = 0) -> int:
        """The low end of a number that got noise, whole."""
        miss, _ = self._misses.get(name, (0.0, 0.0))
        if not miss:
            return 0
        noisy = self._drawn[name][place]
        return max(0, math.ceil(noisy.draw.lower(miss) * noisy.draw.step))

    def _high(self, name: str) -> int:
        """The high end of what a number stands for."""
        _, miss = self._misses[name]
        if not miss:
            return UNBOUNDED
        noisy = self._drawn[name][0]
        multiple = SMALLEST[noisy.kind] if name == SAMPLE_REPAIR else 1
        return max(0, math.floor(multiple * noisy.draw.upper(miss) * noisy.draw.step))

    def _find_sample(self, most: int) -> Relations | None:
        if not {SAMPLE_ROWS, SAMPLE_REPAIR} <= {*self._drawn}:
            return None
        rows = min(self._low(SAMPLE_ROWS), most), min(self._high(SAMPLE_ROWS), most)
        low = max(self._low(SAMPLE_REPAIR), self._low(WAYS) - 1 if WAYS in self._drawn else 0)
        return Relations(self._facts, Limits(rows, (low, self._high(SAMPLE_REPAIR))))

    def _find_table(self, most: int) -> Relations:
        rows, repair = self._low(ROWS), max([self._low(REPAIR), *self._rules])
        for name in (IN_CONFLICT, CONFLICTS):
            if name in self._drawn:  # each row of the repair has a person, who adds so much at most
                repair = max(repair, -(-self._low(name) // self._drawn[name][0].threshold))
        if self._sample is not None:
            rows, repair = max(rows, self._sample.rows[0]), max(repair, self._sample.least)
        limits = Limits(
            (min(rows, most), most),
            (repair, UNBOUNDED),
            self._low(IN_CONFLICT),
            self._low(CONFLICTS),
        )
        return Relations(self._facts, limits)

    # What is read off

    @property
    def rows(self) -> tuple[int, int | None]:
        """The ends of the number of rows."""
        return open_end(*self._table.rows)

    @property
    def repair(self) -> tuple[int, int | None]:
        """The ends of the smallest repair."""
        return open_end(self._table.least, self._table.most)

    @property
    def in_conflict(self) -> tuple[int, int | None]:
        """The ends of the rows in conflict."""
        return open_end(*self._table.in_conflict)

    @property
    def conflicts(self) -> tuple[int, int | None]:
        """The ends of the conflicts."""
        return open_end(*self._table.conflicts)

    @property
    def drastic(self) -> tuple[int, int]:
        """1, 1: some rule is broken; 0, 0: no rule can be; 0, 1: either."""
        return int(self._table.least > 0), int(self._table.most > 0)

    def of_rule(self, place: int) -> tuple[int, int | None]:
        """The ends of the smallest repair of one rule alone."""
        return open_end(self._rules[place], self._table.most) if self._rules else self.repair

    @property
    def ways(self) -> tuple[Fraction, Fraction | None]:
        """The ends of the log2 of the number of ways to clean the sample."""
        if WAYS not in self._drawn:  # without pairs there is one
            return Fraction(0), Fraction(0)
        (noisy,) = self._drawn[WAYS]
        low, high = noisy.ends(*(miss or 1.0 for miss in self._misses[WAYS]))
        if not self._misses[WAYS][0]:
            low, high = Fraction(0), Fraction(UNBOUNDED)
        most = Fraction(UNBOUNDED if self._sample is None else self._sample.most)
        if noisy.kind == "exact":
            most = min(most, max(Fraction(0), high))
        return min(max(Fraction(0), low), most), None if most >= UNBOUNDED // 2 else most

    @property
    def grade(self) -> tuple[Fraction, Fraction]:
        """The ends of 1 - repair/rows of the sample."""
        if self._sample is None:  # no rule can be broken
            return (Fraction(1), Fraction(1)) if self._facts.none else (Fraction(0), Fraction(1))
        low, high = self._sample.share_to_delete(self._sample.least, self._sample.most)
        return 1 - high, 1 - low

    def per_row(self, key: Key) -> tuple[Fraction, Fraction]:
        """The ends of repair/rows of the sample: no other share is known."""
        if key != REPAIR:
            raise AssertionError("only the repair of a sample is divided by its rows")
        low, high = self.grade
        return 1 - high, 1 - low

    def read(self, key: Key) -> Reading:
        """What a card says of a number."""
        estimate, (low, high) = self._estimate(key), self._interval(key)
        if key == WAYS:
            telling = low == high or (high is not None and 0 < high <= TELLING * low)
        else:
            telling = low == high or 0 < estimate <= TELLING * low
        return Reading(estimate, telling, low, high)

    def _interval(self, key: Key) -> tuple[int | Fraction, int | Fraction | None]:
        if isinstance(key, int):
            return self.of_rule(key)
        found: tuple[int | Fraction, int | Fraction | None] = getattr(self, _PROJECTIONS[key])
        return found

    @property
    def tells_grade(self) -> bool:
        """Whether the grade is known well enough to show one value."""
        if self._sample is None or self._drawn[SAMPLE_REPAIR][0].kind != "exact":
            return False
        ends = (self._sample.least, self._sample.most), self._sample.rows
        return all(0 < high <= TELLING * low for low, high in ends)

    # The estimates

    @cached_property
    def nearest(self) -> World:
        """The table nearest to the draws."""
        numbers = {name: own[0].number for name, own in self._drawn.items()}
        thresholds = [
            self._drawn[name][0].threshold if name in self._drawn else 0
            for name in (IN_CONFLICT, CONFLICTS)
        ]
        rows = max((numbers[n] for n in (ROWS, SAMPLE_ROWS) if n in numbers), default=None)
        return self._table.nearest(
            rows,
            self._find_repair(rows),
            numbers.get(IN_CONFLICT),
            numbers.get(CONFLICTS),
            keep_conflicts=thresholds[1] <= thresholds[0],
        )

    def _find_repair(self, rows: Fraction | None) -> Fraction | None:
        """What the table itself says of its repair, or, if that is far more, its sample."""
        own = [noisy.number for name in (REPAIR, BY_RULE) for noisy in self._drawn.get(name, ())]
        repair = own[0] if REPAIR in self._drawn else max(own, default=None)
        if self._sample is None or rows is None or repair is None:
            return repair
        (part,), (size,) = self._drawn[SAMPLE_REPAIR], self._drawn[SAMPLE_ROWS]
        if size.number < 1:
            return repair
        unit = part.draw.upper(UNIT) * part.draw.step - part.number
        certain = repair * size.number > (part.number - FAR_ABOVE * unit) * rows
        return repair if certain else part.number * rows / size.number

    @cached_property
    def _nearest_by_rule(self) -> list[int]:
        """The repairs of single rules in that world: none is above all, nor all above the sum."""
        repair = self.nearest.repair
        found = [
            max(low, min(repair, round(noisy.number)))
            for low, noisy in zip(self._rules, self._drawn[BY_RULE], strict=True)
        ]
        for rule in sorted(range(len(found)), key=lambda rule: -found[rule]):
            found[rule] += max(0, min(repair - sum(found), repair - found[rule]))
        return found

    def _estimate(self, key: Key) -> int | Fraction:
        world = self.nearest
        if isinstance(key, int):
            return self._nearest_by_rule[key] if self._rules else world.repair
        known = {
            ROWS: world.rows,
            REPAIR: world.repair,
            IN_CONFLICT: world.in_conflict,
            CONFLICTS: world.conflicts,
            DRASTIC: int(world.repair > 0),
        }
        if key in known:
            return known[key]
        low, high = self.ways
        if key not in self._drawn:
            return low
        number = max(low, self._drawn[key][0].number)
        return number if high is None else min(number, high)

    @property
    def nearest_grade(self) -> Fraction:
        """The grade of the sample nearest to the draws."""
        if self._sample is None:
            return Fraction(1)
        (part,), (size,) = self._drawn[SAMPLE_REPAIR], self._drawn[SAMPLE_ROWS]
        world = self._sample.nearest(size.number, part.number, None, None)
        return 1 - Fraction(world.repair, world.rows or 1)


_PROJECTIONS = {
    ROWS: "rows", REPAIR: "repair", IN_CONFLICT: "in_conflict", CONFLICTS: "conflicts",
    DRASTIC: "drastic", WAYS: "ways",
}  # fmt: skip
