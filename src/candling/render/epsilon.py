"""What the epsilon of a release was spent on, and what it means for a person: one wording.

Numbers that are drawn together share an epsilon, and no part of it belongs to one of them. A
measure that chooses a rule is paid for by itself. What is read off others, stated or refused costs
nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from candling.measures import SAMPLE, title
from candling.model.card import CardData
from candling.model.gate import GRADE
from candling.model.person import Person
from candling.model.results import PlanData
from candling.records import dataclass
from candling.render.wording import (
    CHOOSING,
    amount,
    describe_risk,
    factor,
    list_words,
    loss,
    names,
    rows_in_words,
)

PRIORS = (0.01, 0.1, 0.5)
_LARGEST = 700.0


# What it was spent on


@dataclass(frozen=True, slots=True)
class Spending:
    """An epsilon and what it pays for, by the names of measures."""

    epsilon: float
    draws: tuple[tuple[tuple[str, ...], float], ...]  # measures that are drawn together, the cost
    alone: Mapping[str, float]  # the epsilon of each measure that is paid for by itself
    choosing: float = 0.0  # the epsilon of choosing how many rows of a person are in the sample

    @property
    def words(self) -> str:
        """`: 0.3 for Rows`, say: what follows `Epsilon 1` or `Epsilon 1 was spent`."""
        parts = [f"{part:.3g} for {name}" for name, part in self.paid]
        if self.choosing:
            parts.append(f"{self.choosing:.3g} to {CHOOSING}")
        return f": {', '.join(parts)}" if len(parts) > 1 else ""

    @property
    def paid(self) -> list[tuple[str, float]]:
        """What was drawn together, and what was paid for by itself, each with its epsilon."""
        draws = [(list_words([title(n) for n in names]), part) for names, part in self.draws]
        return draws + [(title(name), part) for name, part in self.alone.items()]


def spending_of(card: CardData) -> Spending:
    """What the epsilon of a card was spent on."""
    draws = tuple((name_numbers(draw.numbers), float(draw.epsilon)) for draw in card.evidence.draws)
    alone = {m.name: float(m.epsilon) for m in card if m.epsilon}
    return Spending(float(card.epsilon), draws, alone, float(card.person.epsilon or 0))


def name_numbers(drawn: Iterable[str]) -> tuple[str, ...]:
    """The measures that were drawn; a sample is drawn for the grade."""
    names = tuple(drawn)
    sample = (GRADE,) if {*SAMPLE} & {*names} else ()
    return (*sample, *(name for name in names if name not in SAMPLE))


def planned_spending(plan: PlanData) -> Spending:
    """What the epsilon of a plan will be spent on."""
    draws = tuple((name_numbers(names), float(epsilon)) for names, epsilon in plan.draws)
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
    """What a person in the table risks, one paragraph each; the first says it in short."""
    if not card.epsilon:
        yield "No number here was computed from the rows, so it tells nothing about any person."
        return
    epsilon = float(card.epsilon)
    yield describe_risk(loss(card))
    yield (
        "That holds whatever else the reader knows. If a reader has two guesses at what your rows "
        f"say, the numbers can favor one over the other at most {factor(2 * epsilon)} times."
    )
    yield _people(card.person, epsilon)
    if card.about.public_rows is not None:
        yield (
            "The number of rows is public here, so taking your rows out means putting other rows "
            "in. That is why epsilon counts twice above."
        )
    spent = 0.0 if card.receipt is None else float(card.receipt.spent)
    if spent > epsilon:
        yield (
            f"Releases add up. All releases about these people so far have spent epsilon "
            f"{amount(spent)}; together, they allow a factor of {factor(spent)}."
        )
    else:
        yield "Releases add up: every further release about the same people multiplies the factor."
    yield "What the numbers say about all people together is not hidden: that is their purpose."


def _people(person: Person, epsilon: float) -> str:
    twice = factor(2 * epsilon)
    if person.columns:
        id_of = names(person.columns)
        return (
            f"It does not matter how many rows you have. Your rows are those with your {id_of}, "
            "and what all of them together add to a number is limited. If you are in the table "
            f"under two ids, the factor for both together is {twice}."
        )
    rows, more = rows_in_words(person.most), f"{2 * person.most:,} rows"
    return (
        f"This holds if you have at most {rows} in the table, which is not checked. With {more}, "
        f"the factor is {twice}."
    )


def examples(card: CardData) -> list[tuple[str, str, str]]:
    """A belief before, and the least and the most it can be after, rounded against us."""
    beliefs = []
    for prior in PRIORS:
        low, high = after(prior, loss(card))
        least, most = math.floor(1000 * low) / 10, math.ceil(1000 * high) / 10
        beliefs.append((f"{prior:.0%}", f"{least:g}%", f"{most:g}%"))
    return beliefs
