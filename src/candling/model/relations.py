"""What rows, smallest repair, rows in conflict and conflicts can be together.

A world is a tuple (n, r, P, M) of whole numbers: the rows, the smallest repair, the rows in
conflict, the conflicts. `Relations` is the set of all worlds within some limits that tables under
such rules can have (docs/privacy.md, Theorem 15). The repairs of its worlds form a range, and what
goes with each of them is a range, too, whose ends turn at most once as the repair grows. So every
projection follows from a few repairs, however large the numbers are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from candling.records import dataclass
from candling.rules import Rules
from candling.rules.canonical import Kind

UNBOUNDED = 10**60  # stands for a number of rows without a bound: no table has so many


class NoWorldError(Exception):
    """No table fits the limits."""


@dataclass(frozen=True, slots=True)
class RuleFacts:
    """What the rules and a public limit on the rows say of all tables."""

    rows: bool = True  # some rule is about single rows
    pairs: bool = True  # some rule is about two rows
    keys: int | None = None  # how many keys there are, if all rules about two rows are keys

    @classmethod
    def of(cls, rules: Rules, limit: float | None = None) -> RuleFacts:
        """The facts for tables of at most `limit` rows."""
        pairs = [] if limit is not None and limit < 2 else [r for r in rules if r.rows == 2]
        keys = len(pairs) if all(rule.shape.kind is Kind.KEY for rule in pairs) else None
        return cls(any(rule.rows == 1 for rule in rules), bool(pairs), keys if pairs else None)

    @property
    def none(self) -> bool:
        """Whether no rule can be broken."""
        return not (self.rows or self.pairs)


ANY_RULES = RuleFacts()


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of true numbers, ends included; UNBOUNDED where there is no upper end."""

    rows: tuple[int, int] = (0, UNBOUNDED)
    repair: tuple[int, int] = (0, UNBOUNDED)
    in_conflict: int = 0  # at least so many rows
    conflicts: int = 0  # at least so many


@dataclass(frozen=True, slots=True)
class World:
    """The numbers of a possible table."""

    rows: int
    repair: int
    in_conflict: int
    conflicts: int


class Relations:
    """All worlds within limits; raises NoWorldError where there are none."""

    def __init__(self, facts: RuleFacts, limits: Limits) -> None:
        self.facts, self.limits = facts, limits
        self.least, self.most = self._find_repairs()  # the ends of the repair

    # What goes with a repair

    def fewest_in_conflict(self, repair: int) -> int:
        """The fewest rows in conflict that make room for all conflicts."""
        if not repair or not self.facts.pairs:
            return repair
        return max(self.limits.in_conflict, self._base(repair), self._room(repair))

    def most_in_conflict(self, repair: int) -> int:
        """The most rows in conflict."""
        if not repair or not self.facts.pairs:
            return repair
        keys, rows = self.facts.keys, self.limits.rows[1]
        return rows if keys is None else min(rows, (keys + 1) * repair)

    def fewest_rows(self, repair: int) -> int:
        """The fewest rows of the table."""
        return max(self.limits.rows[0], self.fewest_in_conflict(repair))

    def fewest_conflicts(self, repair: int) -> int:
        """The fewest conflicts, whatever the rows in conflict."""
        low, high = self.fewest_in_conflict(repair), self.most_in_conflict(repair)
        # Fewest where all rows in conflict are in pairs or, if there are fewer, are as many as can.
        best = max(low, min(high, 2 * repair))
        return max(self.limits.conflicts, self._fewest_of(repair, best))

    def most_conflicts(self, repair: int, in_conflict: int) -> int:
        """The most conflicts of so many rows in conflict."""
        if not repair or not self.facts.pairs:
            return repair
        most = repair * in_conflict - repair * (repair + 1) // 2
        if self.facts.keys is not None:
            most = min(most, _most_of_keys(self.facts.keys, repair))
        if self.facts.rows:  # if all rows in conflict are deleted, each breaks a rule alone
            most = max(most, repair) if in_conflict > repair else repair
        return most

    def _fewest_of(self, repair: int, in_conflict: int) -> int:
        if not repair or not self.facts.pairs:
            return repair
        if self.facts.rows or in_conflict >= 2 * repair:
            return max(repair, in_conflict - repair)
        # Turan: without more independent rows, equal cliques have the fewest edges.
        cliques = in_conflict - repair
        size, larger = divmod(in_conflict, cliques)
        return (larger * (size + 1) * size + (cliques - larger) * size * (size - 1)) // 2

    def _base(self, repair: int) -> int:
        """The fewest rows in conflict, were there no limits: a pair leaves one of its rows."""
        alone = self.facts.rows and repair >= self.limits.conflicts
        return repair if alone else repair + 1

    def _room(self, repair: int) -> int:
        """The fewest rows that make room for the fewest conflicts."""
        if self.facts.rows and repair >= self.limits.conflicts:
            return 0
        return -(-(self.limits.conflicts + repair * (repair + 1) // 2) // repair)

    # The repairs of worlds

    @property
    def _turn(self) -> int:
        """Up to this repair, a larger one needs fewer rows in conflict for the conflicts."""
        return _first(
            lambda r: r * (r + 1) // 2 >= self.limits.conflicts, 1, self.limits.conflicts + 1
        )

    def _find_repairs(self) -> tuple[int, int]:
        low, high = self.limits.repair
        (fewest, rows), facts = self.limits.rows, self.facts
        sure = max(self.limits.in_conflict, self.limits.conflicts)
        low, high = max(low, 0), 0 if facts.none else min(high, rows)
        if fewest > rows or low > high or self.limits.in_conflict > rows:
            raise NoWorldError
        if not facts.pairs:
            low = max(low, sure)
            if low > high:
                raise NoWorldError
            return low, high
        first = _first(self._is_enough, max(low, 1), high)
        last = _first(lambda r: self._base(r) > rows, first, high) - 1
        clean = low == 0 and not sure
        if first > last and not clean:
            raise NoWorldError
        return (0 if clean else first), (last if first <= last else 0)

    def _is_enough(self, repair: int) -> bool:
        """Whether a repair is large enough for what is sure; then so is every larger one."""
        rows, room = self.limits.rows[1], self._room(repair)
        if room > rows and repair < self._turn:
            return False
        if self.facts.keys is None:
            return True
        in_conflict = max(self.limits.in_conflict, room)
        return in_conflict <= (
            self.facts.keys + 1
        ) * repair and self.limits.conflicts <= _most_of_keys(self.facts.keys, repair)

    def has(self, world: World) -> bool:
        """Whether it is one of the worlds."""
        r, bad = world.repair, world.in_conflict
        if not (
            self.least <= r <= self.most
            and self.fewest_in_conflict(r) <= bad <= self.most_in_conflict(r)
            and max(bad, self.limits.rows[0]) <= world.rows <= self.limits.rows[1]
        ):
            return False
        fewest = max(self.limits.conflicts, self._fewest_of(r, bad))
        return fewest <= world.conflicts <= self.most_conflicts(r, bad)

    # Projections

    @property
    def rows(self) -> tuple[int, int]:
        """The ends of the number of rows."""
        return min(map(self.fewest_rows, self._turns)), self.limits.rows[1]

    @property
    def in_conflict(self) -> tuple[int, int]:
        """The ends of the rows in conflict."""
        return min(map(self.fewest_in_conflict, self._turns)), self.most_in_conflict(self.most)

    @property
    def conflicts(self) -> tuple[int, int]:
        """The ends of the conflicts."""
        # The fewest fall while the rows in conflict are more than twice the repair, then rise.
        turn = _first(lambda r: self.fewest_in_conflict(r) <= 2 * r, self.least, self.most)
        low = min(map(self.fewest_conflicts, self._within(turn - 1, turn)))
        most = self._within(self.most - 1, self.most)
        return low, max(self.most_conflicts(r, self.most_in_conflict(r)) for r in most)

    def share_to_delete(self, least: int, most: int) -> tuple[Fraction, Fraction]:
        """The ends of x / rows for a number x of rows to delete, which is no larger than repair."""
        enough = self._within(most, self.most, self._turn)
        rows = min(self.fewest_rows(r) for r in enough if r >= most)
        return _share(least, self.limits.rows[1]), _share(most, rows)

    @property
    def share_in_conflict(self) -> tuple[Fraction, Fraction]:
        """The ends of rows in conflict / rows."""
        (fewest, rows), (low, high) = self.limits.rows, self.in_conflict
        return _share(low, rows), _share(high, max(high, fewest))

    @property
    def conflicts_per_row(self) -> tuple[Fraction, Fraction]:
        """Bounds of conflicts / rows."""
        if not self.most or not self.facts.pairs:
            return self.share_to_delete(self.least, self.most)
        rows, (low, high) = self.limits.rows[1], self.conflicts
        fewest = max(1, min(map(self.fewest_rows, self._within(self.most - 1, self.most))))
        # r*P - r(r+1)/2 conflicts of P rows are most a row where P is all rows; more keys allow
        # less, from the P on at which both are equal.
        if self.facts.keys is None:
            top = Fraction(high, rows)
        else:
            full = _most_of_keys(self.facts.keys, self.most)
            crossing = Fraction(full, self.most) + Fraction(self.most + 1, 2)
            top = full / max(Fraction(fewest), min(crossing, Fraction(rows)))
        if self.facts.rows:
            top = max(top, Fraction(self.most, max(self.most, self.limits.rows[0])))
        return _share(low, rows), top

    @property
    def _turns(self) -> Iterable[int]:
        return self._within(self.least, self._turn)

    def _within(self, *repairs: int) -> list[int]:
        return [max(self.least, min(self.most, repair)) for repair in repairs]

    # One world

    def nearest(
        self,
        rows: Fraction | None,
        repair: Fraction | None,
        in_conflict: Fraction | None,
        conflicts: Fraction | None,
        *,
        keep_conflicts: bool = False,
    ) -> World:
        """A world near these numbers; None is a number of which nothing is known.

        The repair comes first, then the rows, then what fits both. Where rows in conflict and
        conflicts disagree, the conflicts move, or, to `keep_conflicts`, the rows in conflict.
        """
        chosen = self._nearest_repair(repair, in_conflict, conflicts)
        fewest = self.fewest_rows(chosen)
        size = _clip(fewest if rows is None else rows, fewest, self.limits.rows[1])
        low, high = self.fewest_in_conflict(chosen), self.most_in_conflict(chosen)
        high = high if rows is None else min(high, size)
        bad = _clip(low if in_conflict is None else in_conflict, low, high)
        fewest = self._fewest_of(chosen, max(low, min(high, 2 * chosen)))
        fewest = max(self.limits.conflicts, fewest)
        most = self.most_conflicts(chosen, high)
        pairs = _clip(fewest if conflicts is None else conflicts, fewest, most)
        if chosen and self.facts.pairs:
            if bad > pairs + chosen:
                if in_conflict is None or (keep_conflicts and conflicts is not None):
                    bad = max(low, pairs + chosen)
                else:
                    pairs = bad - chosen
            bad = _first(lambda p: self._fits(chosen, p, pairs), bad, high)
            pairs = max(pairs, self._fewest_of(chosen, bad))
        return World(max(size, bad), chosen, bad, pairs)

    def _nearest_repair(
        self, repair: Fraction | None, in_conflict: Fraction | None, conflicts: Fraction | None
    ) -> int:
        if repair is not None:
            return _clip(repair, self.least, self.most)
        bad, pairs = (max(0, round(x or 0)) for x in (in_conflict, conflicts))

        def has_room(r: int) -> bool:
            high = self.most_in_conflict(r)
            within = min(high, max(bad, r + 1)) if in_conflict is not None else high
            return bad <= high and pairs <= self.most_conflicts(r, within)

        return min(self.most, _first(has_room, self.least, self.most))

    def _fits(self, repair: int, in_conflict: int, conflicts: int) -> bool:
        """Whether there are enough rows in conflict: if so, then so are more."""
        if conflicts > self.most_conflicts(repair, in_conflict):
            return False
        few = self.facts.rows or in_conflict >= 2 * repair
        return few or self._fewest_of(repair, in_conflict) <= conflicts


def _most_of_keys(keys: int, repair: int) -> int:
    """A row of the repair has one neighbour outside of it for each key, at most."""
    return repair * (repair - 1) // 2 + keys * repair


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The smallest number of a range from which on something holds; high + 1 if it never does."""
    high = max(low - 1, high) + 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def _clip(value: Fraction | int, low: int, high: int) -> int:
    return max(low, min(high, round(value)))


def _share(part: int, whole: int) -> Fraction:
    """A part of the rows; of no rows, nothing."""
    return Fraction(part, whole) if whole else Fraction(0)
