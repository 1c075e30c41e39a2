"""What is asked of a release, and how its budget is split: rules and requests alone, no data."""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from datetime import UTC, datetime
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from typing import Any

from candling import __version__
from candling.card import About
from candling.errors import UsageError
from candling.privacy import exact_epsilon, exact_fraction, split_budget
from candling.releases.method import ONE_DRAW, Method
from candling.rules import Constraint
from candling.solvers.chain import chain

# All that can be asked for. The numbers are shares of the budget where each measure is paid for by
# itself, as the paper's methods do: thresholded measures have the largest noise.
SHARES = {
    "repair": Fraction(1),
    "rows": Fraction(1),
    "problematic": Fraction(3),
    "minimal_inconsistent": Fraction(4),
    "drastic": Fraction(1),
    "maximal_consistent": Fraction(1),
    "by_rule": Fraction(2),
    "worst_rule": Fraction(1),
}
# The grade is made of the first two. `maximal_consistent` would make all others noisier.
DEFAULT = ("repair", "rows", "problematic", "minimal_inconsistent", "drastic")
DRAW = "draw"  # what the one draw is called in a split
DRAW_SHARES = {DRAW: Fraction(4), "worst_rule": Fraction(1)}  # a choice is cheaper than a number

MOST_RULES, MOST_WITH_THRESHOLDS = 200, 50  # of which `by_rule` is released
MOST_PER_PERSON, MOST_ROWS = 10**6, 10**12  # beyond, a number is a mistake

Number = int | float | str | Decimal | Fraction


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that shapes a release: chosen by the caller and the rules, never by the data."""

    measures: tuple[str, ...]
    draw: tuple[str, ...]  # measures whose statistics are drawn at once
    parts: Mapping[str, Fraction]  # epsilon of that draw, and of each measure paid for by itself
    refused: Mapping[str, str]  # measures that the rules do not allow, and why
    rows_per_person: int
    public_rows: int | None
    max_rows: int | None
    method: Method
    time: str = field(default_factory=_now, compare=False)  # when it was made

    @property
    def epsilon(self) -> Fraction:
        """What is charged: the sum of the parts."""
        return sum(self.parts.values(), Fraction(0))

    @property
    def limit(self) -> int | None:
        """The largest number of rows there can be, if that is public."""
        return self.public_rows if self.public_rows is not None else self.max_rows

    def about(self, constraints: Sequence[Constraint]) -> About:
        """What a card tells of the request."""
        return About(
            __version__,
            self.time,
            self.method.name,
            self.measures,
            self.public_rows,
            self.max_rows,
            tuple(map(str, constraints)),
        )

    def parameters(self, constraints: Sequence[Constraint]) -> dict[str, Any]:
        """All that shapes the release but the table, as plain values: equal for equal requests."""
        rules = "\n".join(map(str, constraints))
        method = self.method
        return {
            "measures": list(self.measures),
            "draw": list(self.draw),
            "parts": {name: str(part) for name, part in self.parts.items()},
            "rows_per_person": self.rows_per_person,
            "public_rows": self.public_rows,
            "max_rows": self.max_rows,
            "method": [method.name, *map(_told, (method.choose, method.cut, method.repair))],
            "rules": hashlib.sha256(rules.encode()).hexdigest(),
        }


def _told(part: object) -> str | None:
    """A part of a method, by its type and what it was made with."""
    if part is None:
        return None
    return repr(part) if is_dataclass(part) else type(part).__qualname__


def make_request(
    constraints: Sequence[Constraint],
    *,
    epsilon: Number,
    measures: Iterable[str] | None = None,
    split: Mapping[str, Number] | None = None,
    rows_per_person: int = 1,
    public_rows: int | None = None,
    max_rows: int | None = None,
    method: Method | None = None,
) -> Request:
    """Check what a caller asks for; raises UsageError with what to do instead."""
    total = exact_epsilon(epsilon)
    asked = _asked(measures)
    rows_per_person = _whole("rows_per_person", rows_per_person, 1, MOST_PER_PERSON)
    public_rows = None if public_rows is None else _whole("public_rows", public_rows, 0, MOST_ROWS)
    max_rows = None if max_rows is None else _whole("max_rows", max_rows, 0, MOST_ROWS)
    way = ONE_DRAW if method is None else method
    if way.needs_rows and public_rows is None and max_rows is None and "rows" not in asked:
        raise UsageError(
            f"The method {way.name} needs a bound on the number of rows: state `max_rows` "
            "(--max-rows), or ask for `rows` too.",
            code="U210",
        )
    refused = {}
    if "maximal_consistent" in asked and (broken := chain(constraints).broken_by):
        refused["maximal_consistent"] = (
            "Counting maximal consistent subsets is feasible only for dependencies and keys whose "
            "left sides form a chain; in the way: " + "; ".join(broken)
        )
    if not constraints:
        none = "No rule can ever be broken, so there is none to tell apart."
        refused |= dict.fromkeys({"by_rule", "worst_rule"}.intersection(asked), none)
    derived = {"rows"} if public_rows is not None else set()
    if "repair" in asked:
        derived.add("drastic")
    if "by_rule" in asked and (reason := _too_many(len(constraints), asked)) is not None:
        refused["by_rule"] = reason
    if "by_rule" in asked and way.choose is None and "by_rule" not in refused:
        derived.add("worst_rule")
    paying = {name: SHARES[name] for name in asked if name not in derived.union(refused)}
    draw = tuple(name for name in paying if way.choose is None and name != "worst_rule")
    if way.choose is None:
        payments = ([DRAW] if draw else []) + [n for n in paying if n == "worst_rule"]
        paying = {name: DRAW_SHARES[name] for name in payments}
    if split is not None:
        paying = _overridden(paying, split)
    parts = split_budget(total, paying) if paying else {}
    return Request(
        asked,
        draw,
        parts,
        refused,
        rows_per_person,
        public_rows,
        max_rows,
        way,
    )


def _too_many(rules: int, asked: Sequence[str]) -> str | None:
    """Why the numbers of so many rules cannot be drawn at once: it would take too long."""
    if rules > MOST_RULES:
        return (
            f"There are {rules:,} rules, and the numbers of {MOST_RULES} can be drawn at once. Ask "
            "for `worst_rule`, or release some of the rules alone."
        )
    if rules > MOST_WITH_THRESHOLDS and {"problematic", "minimal_inconsistent"}.intersection(asked):
        return (
            f"There are {rules:,} rules. Beside `problematic` and `minimal_inconsistent` the "
            f"numbers of {MOST_WITH_THRESHOLDS} can be drawn at once, without them those of "
            f"{MOST_RULES}."
        )
    return None


def _asked(measures: Iterable[str] | None) -> tuple[str, ...]:
    asked = DEFAULT if measures is None else tuple(dict.fromkeys(measures))
    if isinstance(measures, str) or not asked:
        raise UsageError("`measures` is a list of names, at least one.", code="U202")
    for name in asked:
        if name not in SHARES:
            near = get_close_matches(name, SHARES, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            known = ", ".join(SHARES)
            raise UsageError(f"There is no measure {name!r}.{hint} Known: {known}.", code="U202")
    return asked


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
