"""What the epsilon of a release was spent on: one wording for every output.

A measure has an epsilon of its own (it was paid for by itself), one of 0 (it was read off others,
stated or refused), or none: then it shares one draw with the others, and no part of the epsilon
belongs to it alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from candling.card import Card


@dataclass(frozen=True, slots=True)
class Spending:
    """An epsilon and what it pays for, by the names of measures."""

    epsilon: float
    draw: tuple[str, ...]  # measures that share one draw
    alone: Mapping[str, float]  # the epsilon of each measure that is paid for by itself

    @classmethod
    def of(
        cls, epsilon: float | Fraction, parts: Iterable[tuple[str, float | Fraction | None]]
    ) -> Spending:
        """From measures with their epsilons; a name that stands more than once gets their sum."""
        draw: dict[str, None] = {}
        alone: dict[str, float] = {}
        for name, part in parts:
            if part is None:
                draw[name] = None
            elif part:
                alone[name] = alone.get(name, 0.0) + float(part)
        return cls(float(epsilon), tuple(draw), alone)

    @property
    def of_draw(self) -> float:
        """The epsilon of the draw: what nobody pays for alone."""
        return self.epsilon - sum(self.alone.values()) if self.draw else 0.0

    @property
    def measure_by_measure(self) -> bool:
        """Whether an epsilon beside each measure tells something that the total does not."""
        return not self.draw and len(self.alone) > 1

    @property
    def words(self) -> str:
        """`, on all numbers in one draw`: what follows `Epsilon 1` or `Epsilon 1 was spent`."""
        if self.measure_by_measure:
            return ", measure by measure"
        shared = len(self.draw) > 1
        drawn = "all numbers in one draw" if shared else "".join(self.draw)
        if not self.alone:
            return f", on {drawn}" if shared else f", all of it on {drawn}" if drawn else ""
        if not self.draw:
            return f", all of it on {''.join(self.alone)}"
        others = "".join(f" and {part:.3g} on {name}" for name, part in self.alone.items())
        return f", {self.of_draw:.3g} of it on {drawn}{others}"


def spending_of(card: Card) -> Spending:
    """What the epsilon of a card was spent on."""
    parts = [(m.name, m.epsilon) for m in card] + [("by_rule", m.epsilon) for m in card.by_rule]
    return Spending.of(card.epsilon, parts)
