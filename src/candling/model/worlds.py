"""The set of possible tables that everything on a card is read off (docs/privacy.md, Theorem 15).

An event fixes how far each noisy number may be off: it fails with probability 1 - level or less.
`Worlds` holds all tables that then fit the draws and can be (`relations.py`). An interval is what
is possible in some world, `drastic` is yes or no if it is so in all of them, and the estimates are
one world. So whenever the event holds, all statements of a card are true at once, and no two of
them ever contradict each other. If no world fits, the event has failed: the probability is halved
until one does.
"""

from __future__ import annotations

import math
from dataclasses import field
from fractions import Fraction
from functools import cached_property

from candling.model.noisy import (
    BY_RULE,
    CONFLICTS,
    DRASTIC,
    GIVE_UP,
    IN_CONFLICT,
    PARTS,
    REPAIR,
    ROWS,
    SMALLEST,
    TELLING,
    WAYS,
    Key,
    NoiseDraw,
    Noisy,
    Reading,
    deal_out,
    open_end,
)
from candling.model.person_worlds import PersonWorlds
from candling.model.relations import (
    UNBOUNDED,
    Limits,
    NoWorldError,
    Relations,
    RuleFacts,
    World,
)
from candling.records import dataclass


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was drawn and what is public: all that a card says of a table follows from it."""

    facts: RuleFacts
    draws: tuple[NoiseDraw, ...] = ()
    public_rows: int | None = None
    max_rows: int | None = None
    persons: bool = False  # numbers are of a sample of each person's rows, and of all from below
    _known: dict[float, Worlds | PersonWorlds] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def numbers(self) -> dict[str, tuple[Noisy, ...]]:
        """All that was drawn, by the names of measures."""
        return {name: own for draw in self.draws for name, own in draw.numbers.items()}

    def worlds(self, level: float) -> Worlds | PersonWorlds:
        """The possible tables, the true one among them with this probability or more."""
        if level not in self._known:
            self._known[level] = self._find_worlds(1 - level)
        return self._known[level]

    def _find_worlds(self, miss: float) -> Worlds | PersonWorlds:
        def find(miss: float) -> Worlds | PersonWorlds:
            if self.persons:
                return PersonWorlds(self.numbers, self.facts, self.max_rows, miss)
            return Worlds(self, miss)

        while miss >= GIVE_UP:
            try:
                return find(miss)
            except NoWorldError:
                miss /= 2
        return find(0.0)


class Worlds:
    """All worlds that fit the evidence but for probability `miss`; with 0, whatever was drawn.

    Raises NoWorldError if there are none.
    """

    def __init__(self, evidence: Evidence, miss: float) -> None:
        self._drawn, self._facts = evidence.numbers, evidence.facts
        self._misses = dict(deal_out(self._drawn, miss, PARTS))
        if evidence.public_rows is not None:
            rows = (evidence.public_rows, evidence.public_rows)
        else:
            rows = self._rows(UNBOUNDED if evidence.max_rows is None else evidence.max_rows)
        ends = [self._repair_ends(noisy, BY_RULE) for noisy in self._drawn.get(BY_RULE, ())]
        self._rules = [(math.ceil(low), math.floor(high)) for low, high in ends]
        self._relations = Relations(
            self._facts,
            Limits(
                rows,
                self._repair(),
                math.ceil(self._least(IN_CONFLICT)),
                math.ceil(self._least(CONFLICTS)),
            ),
        )

    # From draws to limits

    def _ends(self, noisy: Noisy, name: str) -> tuple[Fraction, Fraction]:
        """Bounds of what got the noise, 0 or more."""
        low, high = self._misses[name]
        if not low:
            return Fraction(0), Fraction(UNBOUNDED)
        # A tail that is not in the event only tells whether the estimate is worth showing.
        least, most = noisy.ends(low, high or low)
        return max(Fraction(0), least), max(Fraction(0), most)

    def _repair_ends(self, noisy: Noisy, name: str) -> tuple[Fraction, Fraction]:
        """Bounds of a smallest repair."""
        low, high = self._ends(noisy, name)
        return low, SMALLEST[noisy.kind] * high

    def _least(self, name: str) -> Fraction:
        """A lower bound of a measure that was drawn at a threshold."""
        return self._ends(self._drawn[name][0], name)[0] if name in self._drawn else Fraction(0)

    def _rows(self, most: int) -> tuple[int, int]:
        if ROWS not in self._drawn:
            return 0, most
        low, high = self._ends(self._drawn[ROWS][0], ROWS)
        return min(math.ceil(low), most), min(math.floor(high), most)

    def _repair(self) -> tuple[int, int]:
        """The ends of the smallest repair, by all that says something of it."""
        low, high = Fraction(0), Fraction(UNBOUNDED)
        if REPAIR in self._drawn:
            low, high = self._repair_ends(self._drawn[REPAIR][0], REPAIR)
        if IN_CONFLICT in self._drawn:  # a row of the repair accounts for t + 1 of them at most
            low = max(low, self._least(IN_CONFLICT) / (self._drawn[IN_CONFLICT][0].threshold + 1))
        if CONFLICTS in self._drawn:  # and for t of these
            low = max(low, self._least(CONFLICTS) / self._drawn[CONFLICTS][0].threshold)
        if WAYS in self._drawn:  # each doubles the ways to clean the table at most
            (ways,) = self._drawn[WAYS]
            low = max(low, self._ends(ways, WAYS)[0] - ways.draw.step)
        if self._rules:
            low = max(low, Fraction(max(least for least, _ in self._rules)))
            high = min(high, Fraction(sum(most for _, most in self._rules)))
        if any(least > most for least, most in self._rules):
            raise NoWorldError
        return math.ceil(low), math.floor(high)

    # What is read off

    @property
    def rows(self) -> tuple[int, int | None]:
        """The ends of the number of rows."""
        return open_end(*self._relations.rows)

    @property
    def repair(self) -> tuple[int, int | None]:
        """The ends of the smallest repair."""
        return open_end(self._relations.least, self._relations.most)

    @property
    def in_conflict(self) -> tuple[int, int | None]:
        """The ends of the rows in conflict."""
        return open_end(*self._relations.in_conflict)

    @property
    def conflicts(self) -> tuple[int, int | None]:
        """The ends of the conflicts."""
        return open_end(*self._relations.conflicts)

    @property
    def drastic(self) -> tuple[int, int]:
        """1, 1: some rule is broken; 0, 0: no rule can be; 0, 1: either."""
        return int(self._relations.least > 0), int(self._relations.most > 0)

    def of_rule(self, place: int) -> tuple[int, int]:
        """The ends of the smallest repair of one rule alone.

        It is no larger than that of all rules, which is no larger than the sum over all rules.
        """
        least, most = self._relations.least, self._relations.most
        if not self._rules:  # it is the only one that can be broken
            return least, most
        low, high = self._rules[place]
        others = sum(high for _, high in self._rules) - high
        return max(low, least - others), min(high, most)

    @property
    def ways(self) -> tuple[Fraction, Fraction | None]:
        """The ends of the log2 of the number of ways to clean the table."""
        if WAYS not in self._drawn:  # without pairs there is one
            return Fraction(0), Fraction(0)
        (noisy,) = self._drawn[WAYS]
        low, high = self._ends(noisy, WAYS)
        most = Fraction(self._relations.most)
        if noisy.kind == "exact":
            most = min(most, high)
        return min(low, most), None if most >= UNBOUNDED // 2 else most

    @property
    def grade(self) -> tuple[Fraction, Fraction]:
        """The ends of 1 - repair/rows."""
        low, high = self._relations.share_to_delete(self._relations.least, self._relations.most)
        return 1 - high, 1 - low

    def per_row(self, key: Key) -> tuple[Fraction, Fraction]:
        """The ends of a number divided by the rows."""
        if key == IN_CONFLICT:
            return self._relations.share_in_conflict
        if key == CONFLICTS:
            return self._relations.conflicts_per_row
        if isinstance(key, int):
            return self._relations.share_to_delete(*self.of_rule(key))
        return self._relations.share_to_delete(self._relations.least, self._relations.most)

    def read(self, key: Key) -> Reading:
        """What a card says of a number."""
        estimate, (low, high) = self._estimate(key), self._interval(key)
        return Reading(estimate, low == high or self._tells(key), low, high)

    def _interval(self, key: Key) -> tuple[int | Fraction, int | Fraction | None]:
        if isinstance(key, int):
            return open_end(*self.of_rule(key))
        if key in _PROJECTIONS:
            low, high = getattr(self, _PROJECTIONS[key])
            return low, high
        low, high = self._ends(self._drawn[key][0], key)  # a count that is tied to no other
        least, most = math.ceil(low), math.floor(high)
        return open_end(least, max(least, most))

    def _tells(self, key: Key) -> bool:
        """Whether what got the noise is known within a factor."""
        name = BY_RULE if isinstance(key, int) else key
        if name not in self._drawn:  # rules or rows decide the number, or it is the repair
            name = name if name == ROWS else REPAIR
        if name not in self._drawn:
            return False
        noisy = self._drawn[name][key if isinstance(key, int) and name == BY_RULE else 0]
        low, high = self._ends(noisy, name)
        if name in {REPAIR, BY_RULE}:
            least, most = self._interval(key)
            low = max(low, Fraction(least) / SMALLEST[noisy.kind])
            high = high if most is None else min(high, Fraction(most))
        elif name == ROWS:
            low, high = map(Fraction, self._relations.rows)
        return 0 < high <= TELLING * low

    # The estimates

    @cached_property
    def nearest(self) -> World:
        """The world nearest to the draws."""
        numbers = {name: own[0].number for name, own in self._drawn.items()}
        thresholds = [
            self._drawn[name][0].threshold if name in self._drawn else 0
            for name in (IN_CONFLICT, CONFLICTS)
        ]
        rows, most = self._relations.limits.rows
        return self._relations.nearest(
            Fraction(rows) if rows == most else numbers.get(ROWS),
            self._drawn_repair,
            numbers.get(IN_CONFLICT),
            numbers.get(CONFLICTS),
            keep_conflicts=thresholds[1] <= thresholds[0],
        )

    @property
    def _drawn_repair(self) -> Fraction | None:
        if REPAIR in self._drawn:
            return self._drawn[REPAIR][0].number
        return max((noisy.number for noisy in self._drawn.get(BY_RULE, ())), default=None)

    @cached_property
    def _nearest_by_rule(self) -> list[int]:
        """The repairs of single rules in that world: none is above all, nor all above the sum."""
        repair = self.nearest.repair
        found = [
            max(low, min(high, repair, round(noisy.number)))
            for (low, high), noisy in zip(self._rules, self._drawn[BY_RULE], strict=True)
        ]
        for rule in sorted(range(len(found)), key=lambda rule: -found[rule]):
            missing = repair - sum(found)
            if missing > 0:
                found[rule] += min(missing, min(self._rules[rule][1], repair) - found[rule])
        return found

    def _estimate(self, key: Key) -> int | Fraction:
        if isinstance(key, int):
            return self._nearest_by_rule[key] if self._rules else self.nearest.repair
        world = self.nearest
        known = {
            ROWS: world.rows,
            REPAIR: world.repair,
            IN_CONFLICT: world.in_conflict,
            CONFLICTS: world.conflicts,
            DRASTIC: int(world.repair > 0),
        }
        if key in known:
            return known[key]
        low, high = self._interval(key)
        if key not in self._drawn:
            return low
        number = max(Fraction(low), self._drawn[key][0].number)
        if high is not None:
            number = min(number, Fraction(high))
        return min(number, Fraction(world.repair)) if key == WAYS else round(number)

    @property
    def tells_grade(self) -> bool:
        """Whether the grade is known well enough to show one value."""
        bounded = any(noisy.kind != "exact" for noisy in self._drawn.get(REPAIR, ()))
        return not bounded and all(self.read(name).telling for name in (REPAIR, ROWS))

    @property
    def nearest_grade(self) -> Fraction:
        """The grade in that world."""
        return 1 - Fraction(self.nearest.repair, self.nearest.rows or 1)


_PROJECTIONS = {
    ROWS: "rows", REPAIR: "repair", IN_CONFLICT: "in_conflict", CONFLICTS: "conflicts",
    DRASTIC: "drastic", WAYS: "ways",
}  # fmt: skip
