"""What the epsilon of a release was spent on, and what it means for a person: one wording.

Numbers that are drawn together share an epsilon, and no part of it belongs to one of them. A
measure that chooses a rule is paid for by itself. What is read off others, stated or refused costs
nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from candling.model.card import CardData
from candling.model.person import Person
from candling.model.results import PlanData
from candling.render.wording import CHOOSING, amount, factor, names, rows_in_words

PRIORS = (0.01, 0.1, 0.5)
_WEAK = 5.0  # from here on a sentence says that little is left of the protection
_LARGEST = 700.0


# What it was spent on


@dataclass(frozen=True, slots=True)
class Spending:
    """An epsilon and what it pays for, by the names of measures."""

    epsilon: float
    draws: tuple[tuple[tuple[str, ...], float], ...]  # measures that are drawn together, the cost
    alone: Mapping[str, float]  # the epsilon of each measure that is paid for by itself
    choosing: float = 0.0  # the epsilon of choosing how many rows of a person are kept

    @property
    def words(self) -> str:
        """`, on all numbers in one draw`: what follows `Epsilon 1` or `Epsilon 1 was spent`."""
        paid = [(epsilon, self._name_draw(names)) for names, epsilon in self.draws]
        paid += [(part, name) for name, part in self.alone.items()]
        if not paid:
            return ""
        chosen = [f"{self.choosing:.3g} to {CHOOSING}"] if self.choosing else []
        (first, on), *others = paid
        rest = [*(f"{part:.3g} on {name}" for part, name in others), *chosen]
        if not rest:
            together = bool(self.draws) and len(self.draws[0][0]) > 1
            return f", on {on}" if together else f", all of it on {on}"
        *between, last = [f"{first:.3g} of it on {on}", *rest]
        return f", {', '.join(between)} and {last}"

    def _name_draw(self, names: tuple[str, ...]) -> str:
        """Its numbers: all there are, or their names."""
        if len(names) > 1 and len(self.draws) == 1:
            return "all numbers in one draw"
        return " with ".join(names)


def spending_of(card: CardData) -> Spending:
    """What the epsilon of a card was spent on."""
    draws = tuple((tuple(draw.numbers), float(draw.epsilon)) for draw in card.evidence.draws)
    alone = {m.name: float(m.epsilon) for m in card if m.epsilon}
    return Spending(float(card.epsilon), draws, alone, float(card.person.epsilon or 0))


def planned_spending(plan: PlanData) -> Spending:
    """What the epsilon of a plan will be spent on."""
    draws = tuple((names, float(epsilon)) for names, epsilon in plan.draws)
    alone = {name: float(m.epsilon) for name, m in plan.measures.items() if m.epsilon}
    return Spending(float(plan.epsilon), draws, alone, float(plan.person.epsilon or 0))


# What it means for a person in the table


def after(prior: float, epsilon: float) -> tuple[float, float]:
    """How far a belief can move at most: down to, and up to."""
    odds = prior / (1 - prior)
    times = math.exp(min(epsilon, _LARGEST))
    low, high = odds / times, odds * times
    return low / (1 + low), 1.0 if math.isinf(high) else high / (1 + high)


def sentences(card: CardData) -> Iterator[str]:
    """The guarantee, one paragraph each."""
    if not card.epsilon:
        yield (
            "Nothing in this release was computed from the rows: it holds public numbers only, and "
            "tells nothing about any person."
        )
        return
    epsilon = float(card.epsilon)
    times = factor(epsilon)
    yield (
        "Suppose a reader suspects that you are in this table. Reading this page multiplies the "
        f"odds of that guess by at most {times} (e to the epsilon of {amount(epsilon)}), and "
        "divides them by no more than that. For a guess at what your rows say, against another "
        f"guess, the factor is {factor(2 * epsilon)}. It holds whatever else the reader knows, and "
        "however hard they think."
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
    twice = factor(2 * epsilon)
    if person.columns:
        id_of = names(person.columns)
        return (
            f"This holds however many rows you have: yours are all rows with your {id_of}, and at "
            f"most {person.most:,} of them had a part in the numbers"
            f"{'' if person.epsilon is None else '; how many that is was chosen with noise'}. Who "
            "is in the table under two ids is protected less: for both together the factor is "
            f"{twice}."
        )
    rows, more = rows_in_words(person.most), f"{2 * person.most:,} rows"
    return (
        f"This holds if you have at most {rows} in the table. The owner says that this is the "
        f"limit, and nothing checks it. Who has more is protected less: with {more} the factor is "
        f"{twice}."
    )


def examples(card: CardData) -> list[tuple[str, str, str]]:
    """A belief before, and the least and the most it can be after, rounded against us."""
    beliefs = []
    for prior in PRIORS:
        low, high = after(prior, float(card.epsilon))
        least, most = math.floor(1000 * low) / 10, math.ceil(1000 * high) / 10
        beliefs.append((f"{prior:.0%}", f"{least:g}%", f"{most:g}%"))
    return beliefs
