"""Noisy numbers, and how the probability that a card is wrong is shared among them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from candling.model.relations import UNBOUNDED
from candling.privacy.statistic import Drawn
from candling.records import dataclass

ROWS, REPAIR, BY_RULE, DRASTIC = "rows", "repair", "by_rule", "drastic"
IN_CONFLICT, CONFLICTS, WAYS = "problematic", "minimal_inconsistent", "maximal_consistent"

SAMPLE_ROWS, SAMPLE_REPAIR = "sample_rows", "sample_repair"  # of a sample of each person's rows

# By kind of a number: the smallest repair is no smaller, and no larger than this multiple of it.
SMALLEST = {"exact": 1, "lower_bound": 2, "at_least": UNBOUNDED}
Parts = Mapping[str, tuple[int, int]]
# Each tail's part of the probability to miss, of the noise that goes up and of the one that goes
# down; those of `by_rule` are shared by the rules. A tail without a part is not in the event.
PARTS: Parts = {
    REPAIR: (8, 8), BY_RULE: (8, 8), ROWS: (1, 1), IN_CONFLICT: (2, 0), CONFLICTS: (2, 0),
}  # fmt: skip
OTHER_PARTS = (2, 2)
TELLING = 2  # a number whose high end is at most so many times the low one is worth showing
GIVE_UP = 1e-12  # no event that is less probable is looked at: what was stated must be false

Key = str | int  # the name of a measure, or the place of a rule


@dataclass(frozen=True, slots=True)
class Noisy:
    """A statistic that was drawn, the threshold at which, and what it is to the true number."""

    draw: Drawn
    threshold: int = 1
    kind: str = "exact"  # or how it bounds the true number; the rules decide

    @property
    def number(self) -> Fraction:
        """The noisy number itself."""
        return self.draw.value * self.draw.step

    def ends(self, low_miss: float, high_miss: float) -> tuple[Fraction, Fraction]:
        """Bounds of what got the noise, each wrong with its probability at most."""
        low, high = self.draw.lower(low_miss), self.draw.upper(high_miss)
        return low * self.draw.step, high * self.draw.step


@dataclass(frozen=True, slots=True)
class NoiseDraw:
    """Numbers that were drawn together; of `by_rule` there is one for each rule."""

    epsilon: Fraction
    numbers: Mapping[str, tuple[Noisy, ...]]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a card says of one number."""

    estimate: int | Fraction  # in the world nearest to the draws
    telling: bool  # whether the estimate is worth showing
    low: int | Fraction
    high: int | Fraction | None  # None: no bound


def deal_out(
    drawn: Mapping[str, tuple[Noisy, ...]], miss: float, of: Parts
) -> Iterator[tuple[str, tuple[float, float]]]:
    """The probability of each tail of the event, which add up to `miss` (the union bound).

    The first is that a number is further below its noisy value than its low end, the second that
    it is further above than its high end.
    """
    parts = {name: of.get(name, OTHER_PARTS) for name in drawn}
    total = sum(map(sum, parts.values()))
    for name, (low, high) in parts.items():
        each = miss / (total * len(drawn[name]))
        yield name, (low * each, high * each)


def open_end(low: int, high: int) -> tuple[int, int | None]:
    """Ends, the upper of which may stand for no bound."""
    return low, None if high >= UNBOUNDED // 2 else high
