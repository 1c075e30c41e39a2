"""What the epsilon of a release was spent on, and what it means for a person: one wording.

A measure has an epsilon of its own (it was paid for by itself), one of 0 (it was read off others,
stated or refused), or none: then it shares one draw with the others, and no part of the epsilon
belongs to it alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from candling.present.numbers import amount, factor

if TYPE_CHECKING:
    from candling.card import Card
    from candling.person import Person

PRIORS = (0.01, 0.1, 0.5)
_WEAK = 5.0  # from here on a sentence says that little is left of the protection
_LARGEST = 700.0


# What it was spent on


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


# What it means for a person in the table


def after(prior: float, epsilon: float) -> tuple[float, float]:
    """How far a belief can move at most: down to, and up to."""
    odds = prior / (1 - prior)
    times = math.exp(min(epsilon, _LARGEST))
    low, high = odds / times, odds * times
    return low / (1 + low), 1.0 if math.isinf(high) else high / (1 + high)


def sentences(card: Card) -> Iterator[str]:
    """The guarantee, one paragraph each."""
    if not card.epsilon:
        yield (
            "Nothing in this release was computed from the rows: it holds public numbers only, and "
            "says nothing about anybody."
        )
        return
    epsilon = float(card.epsilon)
    times = factor(epsilon)
    yield (
        "Take any guess that somebody makes about you: that you are in the table, or what your "
        f"rows say. Reading this page multiplies the odds of that guess by at most {times} "
        f"(e to the epsilon of {amount(epsilon)}), and divides them by no more than that. It "
        "holds whatever else the reader knows, and however hard they think."
    )
    if epsilon >= _WEAK:
        yield (
            f"That is a large factor: an epsilon of {amount(epsilon)} leaves little of the "
            "protection. Around 1 is usual."
        )
    yield _people(card.person, epsilon)
    if card.about.public_rows is not None:
        yield (
            "The number of rows was stated as public. So tables of equal size are to be compared, "
            "and exchanging the rows of one person counts twice the epsilon: a factor of "
            f"{factor(2 * epsilon)}."
        )
    spent = 0.0 if card.receipt is None else float(card.receipt.spent)
    if spent > epsilon:
        yield (
            f"Releases add up. With all that was charged to these people so far, epsilon "
            f"{amount(spent)}, the factor is {factor(spent)}."
        )
    else:
        yield "Releases add up: every further release about the same people multiplies the factor."
    yield (
        "What the numbers say about everybody together is not hidden: that is what they are for."
    )


def _people(person: Person, epsilon: float) -> str:
    if person.columns:
        return "This holds for every person, whatever their rows say and however many they are."
    rows = person.most
    owns = "one row" if rows == 1 else f"{rows:,} rows"
    more = "two rows" if rows == 1 else f"{2 * rows:,} rows"
    return (
        f"This holds for everyone who owns at most {owns} of the table. Who owns more is protected "
        f"less: with {more} the factor is {factor(2 * epsilon)}."
    )


def examples(card: Card) -> list[tuple[str, str, str]]:
    """A belief before, and the least and the most it can be after, rounded against us."""
    beliefs = []
    for prior in PRIORS:
        low, high = after(prior, float(card.epsilon))
        least, most = math.floor(1000 * low) / 10, math.ceil(1000 * high) / 10
        beliefs.append((f"{prior:.0%}", f"{least:g}%", f"{most:g}%"))
    return beliefs
