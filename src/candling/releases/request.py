"""What is asked of a release, how its budget is split, how many rows of a person are sampled."""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

from candling._version import __version__
from candling.errors import UsageError, did_you_mean
from candling.measures import (
    MAXIMAL_CONSISTENT,
    MEASURES,
    MINIMAL_INCONSISTENT,
    PROBLEMATIC,
    SAMPLE,
    Asked,
    Setting,
    find_draws,
)
from candling.model.card import About
from candling.model.person import Person, columns_of, looks_like_person
from candling.model.receipt import UNITS
from candling.model.relations import RuleFacts
from candling.privacy import exact_epsilon, exact_fraction, noisy_max, split_budget
from candling.records import dataclass
from candling.rules import Rules

NUMBERS = tuple(2**i for i in range(20))  # of rows to choose from: public
# Twice as many rows of each person in the sample double the noise of the grade. That is worth it as
# long as so many persons, divided by epsilon, have more (benchmarks/persons.py).
WORTH = 500
STEP = 2  # nats that each doubling costs, so that no more is kept than needed


def rules_within(
    rules: Rules, person: Sequence[str], columns: Mapping[str, str] | None = None
) -> list[str]:
    """The rules that compare the rows of one person with each other only.

    `columns` are those of the table by the names that the rules have for them, where these may be
    positions.
    """
    known = columns or {}
    return [
        text
        for text, rule in zip(rules.texts, rules, strict=True)
        if person and {*person} <= {known.get(name, name) for name in rule.shape.equal}
    ]


def require_more_than_one_row(
    rules: Rules, person: Person, columns: Mapping[str, str] | None = None
) -> None:
    """Refuse one row of each person where a rule needs two of them: no table would break it."""
    if person.rows == 1 and (within := rules_within(rules, person.columns, columns)):
        raise UsageError(
            f"With one row of each person no table breaks the rule {within[0]}, which compares the "
            "rows of one person. State 2 rows or more (--rows-per-person 2), or leave out the "
            "rule.",
            code="U217",
        )


def require_one_machine(request: Request) -> None:
    """Refuse counts of conflicts by person where a table is in parts on several machines."""
    names = [
        name for name in (PROBLEMATIC.name, MINIMAL_INCONSISTENT.name) if name in request.levels
    ]
    if names:
        raise UsageError(
            f"On a cluster, {' and '.join(f'`{name}`' for name in names)} cannot be released with "
            "`person`: conflicts lead from person to person, across all parts of the table. Leave "
            "them out (--measures repair,rows), or release the table from a Parquet file or from "
            "PostgreSQL.",
            code="U220",
        )


def numbers_to_choose_from(
    rules: Rules, person: Sequence[str], columns: Mapping[str, str] | None = None
) -> tuple[int, ...]:
    """Powers of two; not 1 where a rule compares the rows of one person with each other."""
    return NUMBERS[1:] if rules_within(rules, person, columns) else NUMBERS


def choose_rows(
    numbers: Sequence[int], above: Sequence[int], epsilon: Fraction, total: Fraction
) -> int:
    """One of the numbers: near the smallest that at most WORTH/total persons have more rows than.

    `above` says for each number how many persons have more rows. Neighbours: tables that differ in
    the rows of one person, who is counted at most once for each number. Sensitivity: so no score
    moves by more than 1, and all that move fall when the person is added. Cost: epsilon. Proof:
    docs/privacy.md, Theorem 16.
    """
    scores = [
        -max(persons - WORTH / total, Fraction(0)) - STEP * i / epsilon
        for i, persons in enumerate(above)
    ]
    chosen = noisy_max(scores, window=Fraction(1), epsilon=epsilon, monotone=True)
    return numbers[chosen]


DEFAULT = tuple(name for name, measure in MEASURES.items() if measure.by_default)
ALL = "all"  # these, and the measures with thresholds
DRAW = "draw"  # what the draw of numbers without thresholds is called in a split
LEVELS = "levels"  # and the draw of those with thresholds
DRAW_SHARE = Fraction(4)  # of both draws, beside measures that choose a rule: that is cheaper
# The part of DRAW in that, by how many measures with thresholds there are.
DRAW_PART = {0: Fraction(1), 1: Fraction(1, 2), 2: Fraction(1, 3)}
# The same for persons, by how many numbers with thresholds there are: the rows are one of them.
PERSON_DRAW_PART = {
    0: Fraction(1), 1: Fraction(2, 3), 2: Fraction(2, 5), 3: Fraction(2, 5),
}  # fmt: skip
PERSON = "person"  # what choosing the rows of a person is called in a split
PERSON_SHARE = Fraction(1, 20)  # of epsilon

MOST_PER_PERSON, MOST_ROWS = 10**6, 10**12  # beyond, a number is a mistake

Number = int | float | str | Decimal | Fraction


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that shapes a release: chosen by the caller and the rules, never by the data."""

    rules: Rules
    asked: Asked
    person: Person
    draw: tuple[str, ...]  # measures whose statistics are drawn at once
    levels: tuple[str, ...]  # and those with thresholds, which are drawn after the others
    parts: Mapping[str, Fraction]  # epsilon of each draw, and of measures paid for by themselves
    total: Fraction  # as asked for: the sum of all parts, if there are any
    split: Mapping[str, Number] | None = None  # the caller's shares
    time: str = field(default_factory=_now, compare=False)  # when it was made

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures that were asked for."""
        return self.asked.measures

    @property
    def refused(self) -> Mapping[str, str]:
        """Measures that the rules do not allow, and why."""
        return self.asked.refused

    @property
    def setting(self) -> Setting:
        """What shapes the statistics; the rows of a person must be known by now."""
        rows = self.person.rows if self.person.epsilon is None else self.person.most
        return Setting(_limit(self.asked), rows or 1, rows if self.asked.persons else None)

    def with_rows_per_person(self, rows: int) -> Request:
        """The same with so many rows of each person in the sample: stated or chosen, so public."""
        return replace(self, person=replace(self.person, rows=rows))

    def with_columns(self, columns: Iterable[str]) -> Request:
        """The same for a table with these columns: one may name a person of whom nobody spoke."""
        if self.person.columns:
            return self
        return replace(self, person=replace(self.person, unused=looks_like_person(columns)))

    def with_rules(self, rules: Rules) -> Request:
        """The same with the rules of a table's types: those that its format has are left out.

        They are rules on single rows, so they can decide which numbers are one, and what is drawn.
        The charge is the same; where it was nothing, it stays so, and types make no difference.
        """
        if not self.parts:
            return self
        again = _compose(rules, self.asked, self.person, self.total, self.split)
        return replace(again, time=self.time)

    @property
    def epsilon(self) -> Fraction:
        """What is charged: the sum of the parts, and what it costs to choose a person's rows."""
        return sum(self.parts.values(), self.person.epsilon or Fraction(0))

    def about(self) -> About:
        """What a card says of the request."""
        return About(
            __version__,
            self.time,
            self.measures,
            self.asked.public_rows,
            self.asked.max_rows,
            self.rules.lines,
            self.asked.facts,
        )

    def parameters(self) -> dict[str, Any]:
        """All that shapes the release but the table, as plain values: equal for equal requests."""
        chooses = self.person.rows is None
        return {
            "measures": list(self.measures),
            "draw": list(self.draw),
            "levels": list(self.levels),
            "parts": {name: str(part) for name, part in self.parts.items()},
            "person": list(self.person.columns),
            "rows_per_person": str(self.person.epsilon) if chooses else self.person.rows,
            "public_rows": self.asked.public_rows,
            "max_rows": self.asked.max_rows,
            "rules": hashlib.sha256("\n".join(self.rules.texts).encode()).hexdigest(),
        }


def _limit(asked: Asked) -> int | None:
    """The most rows that there can be, where it is public."""
    return asked.max_rows if asked.public_rows is None else asked.public_rows


def make_request(
    rules: Rules,
    *,
    epsilon: Number,
    measures: Iterable[str] | None = None,
    split: Mapping[str, Number] | None = None,
    person: str | Sequence[str] | None = None,
    rows_per_person: int | None = None,
    public_rows: int | None = None,
    max_rows: int | None = None,
) -> Request:
    """Check what a caller asks for; raises UsageError with what to do instead."""
    total = exact_epsilon(epsilon)
    names = _names(measures)
    whose = _person(columns_of(person), rows_per_person, public_rows)
    require_more_than_one_row(rules, whose)
    public_rows = None if public_rows is None else _whole("public_rows", public_rows, 0, MOST_ROWS)
    max_rows = None if max_rows is None else _whole("max_rows", max_rows, 0, MOST_ROWS)
    asked = Asked(names, public_rows, max_rows, persons=bool(whose.columns))
    return _compose(rules, asked, whose, total, split)


def _compose(
    rules: Rules,
    asked: Asked,
    whose: Person,
    total: Fraction,
    split: Mapping[str, Number] | None,
) -> Request:
    """What is drawn under these rules, and what each draw costs."""
    names = asked.measures
    facts = RuleFacts.of(rules, _limit(asked))
    asked = replace(asked, rules=len(rules.entries), facts=facts, refused={})
    reasons = {name: MEASURES[name].find_refusal(rules, asked) for name in names}
    refused = {name: reason for name, reason in reasons.items() if reason is not None}
    asked = replace(asked, refused=refused)
    draw, levels = find_draws(asked)
    if whose.columns and not _needs_sample(asked, draw):
        whose = replace(whose, rows=None)
    paying = _payments(asked, draw, levels, whose)
    if split is not None:
        paying = _overridden(paying, split)
    parts = _split(total, paying)
    whose = replace(whose, epsilon=parts.pop(PERSON, None))
    return Request(rules, asked, whose, draw, levels, parts, total, split)


def _person(columns: tuple[str, ...], rows: int | None, public_rows: object) -> Person:
    """Who is protected; without a number of rows it is 1 for a row and chosen for a person."""
    if columns and public_rows is not None:
        raise UsageError(
            "With `person` the number of rows is not public: how many of them have a person "
            "depends on the rows. Say `max_rows` (--max-rows) instead.",
            code="U216",
        )
    if rows is not None:
        rows = rows_of_person(rows)
    return Person(columns, rows if rows is not None or columns else 1)


def rows_of_person(rows: object) -> int:
    """The most rows of one person, within reason."""
    return _whole("rows_per_person", rows, 1, MOST_PER_PERSON)


def _needs_sample(asked: Asked, draw: tuple[str, ...]) -> bool:
    """Whether something is about a sample of the rows of each person."""
    numbers = {*SAMPLE, MAXIMAL_CONSISTENT.name} & {*draw}
    return bool(numbers or any(_pays_alone(asked, name) for name in asked.measures))


def _pays_alone(asked: Asked, name: str) -> bool:
    """Whether a measure chooses a rule by a mechanism beside the draws."""
    measure = MEASURES[name]
    return measure.chooses and asked.has(name) and measure.find_source(asked) == name


def _payments(
    asked: Asked, draw: tuple[str, ...], levels: tuple[str, ...], person: Person
) -> dict[str, Fraction]:
    """The shares of what is paid for by itself."""
    parts = PERSON_DRAW_PART if asked.persons else DRAW_PART
    part = parts[len(levels)] if draw else Fraction(0)
    paying = {DRAW: DRAW_SHARE * part} if draw else {}
    if levels:
        paying[LEVELS] = DRAW_SHARE * (1 - part)
    paying |= {name: Fraction(1) for name in asked.measures if _pays_alone(asked, name)}
    if paying and person.rows is None and _needs_sample(asked, draw):
        rest = sum(paying.values(), Fraction(0))
        paying = {PERSON: rest * PERSON_SHARE / (1 - PERSON_SHARE)} | paying
    return paying


def _split(total: Fraction, paying: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Parts of epsilon that add up to it, in whole units of a ledger if it is."""
    if not paying:
        return {}
    parts = split_budget(total, paying)
    *others, last = parts
    for name in others:
        parts[name] = Fraction(int(parts[name] * UNITS), UNITS) or parts[name]
    parts[last] = total - sum((parts[name] for name in others), Fraction(0))
    return parts


def _names(measures: Iterable[str] | None) -> tuple[str, ...]:
    names = DEFAULT if measures is None else tuple(dict.fromkeys(measures))
    if ALL in names:
        every = tuple(n for n, m in MEASURES.items() if m.by_default or m.thresholded)
        names = tuple(dict.fromkeys((*every, *(name for name in names if name != ALL))))
    if isinstance(measures, str) or not names:
        raise UsageError("`measures` is a list of names, at least one.", code="U202")
    for name in names:
        if name not in MEASURES:
            hint = did_you_mean(name, MEASURES)
            known = ", ".join(MEASURES)
            raise UsageError(f"Unknown measure {name!r}.{hint} Known: {known}.", code="U202")
    return names


def _whole(name: str, value: object, least: int, most: int) -> int:
    """A whole number within reason."""
    try:
        number = None if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or not least <= number <= most:
        raise UsageError(
            f"`{name}` must be a whole number from {least} to {most:,}, not {value!r}.",
            code="U203",
        )
    return number


def _overridden(paying: Mapping[str, Fraction], split: Mapping[str, Number]) -> dict[str, Fraction]:
    """The caller's shares; they must name exactly what is paid for."""
    if tuple(paying) == (DRAW,):
        raise UsageError(
            "There is nothing to split: all numbers of this release share one epsilon, in one "
            "draw. Leave out the split.",
            code="U204",
        )
    if set(split) != set(paying):
        raise UsageError(
            f"The split must name exactly what is paid for here: {', '.join(paying)}; "
            f"it names {', '.join(split) or 'none'}.",
            code="U204",
        )
    shares = {}
    for name, share in split.items():
        number = exact_fraction(share)
        if number is None or not 0 < number <= MOST_ROWS:
            raise UsageError(
                f"The share of {name!r} must be a number above 0, not {share!r}.", code="U204"
            )
        shares[name] = number
    return shares
