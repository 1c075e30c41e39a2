"""What is asked of a release, and how its budget is split: rules and requests alone, no data."""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from typing import Any

from candling.constraints import Constraint, to_text
from candling.errors import UsageError
from candling.measures.chain import chain
from candling.privacy import Mechanism, exact_epsilon, exact_fraction, split_budget
from candling.releases.method import Method, as_method

# The share of the budget that each measure gets when it is asked for. Thresholded measures have the
# largest noise; `drastic` reads the noisy repair and costs nothing beside it.
SHARES = {
    "rows": Fraction(1),
    "drastic": Fraction(1),
    "minimal_inconsistent": Fraction(4),
    "problematic": Fraction(3),
    "maximal_consistent": Fraction(1),
    "repair": Fraction(1),
    "by_rule": Fraction(2),
    "worst_rule": Fraction(1),
}
DEFAULT = ("rows", "drastic", "minimal_inconsistent", "problematic", "maximal_consistent", "repair")

MOST_PER_PERSON, MOST_ROWS = 10**6, 10**12  # beyond, a number is a mistake

Number = int | float | str | Decimal | Fraction


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that shapes a release: chosen by the caller and the rules, never by the data."""

    measures: tuple[str, ...]
    parts: Mapping[str, Fraction]  # epsilon of each measure that pays
    refused: Mapping[str, str]  # measures that the rules do not allow, and why
    rows_per_person: int
    public_rows: int | None
    max_rows: int | None
    method: Method

    @property
    def epsilon(self) -> Fraction:
        """What is charged: the sum of the parts."""
        return sum(self.parts.values(), Fraction(0))

    @property
    def limit(self) -> int | None:
        """The largest number of rows there can be, if that is public."""
        return self.public_rows if self.public_rows is not None else self.max_rows

    def parameters(self, constraints: Sequence[Constraint]) -> dict[str, Any]:
        """All that shapes the release but the table, as plain values: equal for equal requests."""
        rules = "\n".join(map(to_text, constraints))
        method = self.method
        return {
            "measures": list(self.measures),
            "parts": {name: str(part) for name, part in self.parts.items()},
            "rows_per_person": self.rows_per_person,
            "public_rows": self.public_rows,
            "max_rows": self.max_rows,
            "method": [method.name, *map(_told, (method.choose, method.cut, method.repair))],
            "rules": hashlib.sha256(rules.encode()).hexdigest(),
        }


def _told(part: object) -> str:
    """A part of a method, by its type and what it was made with."""
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
    method: Method | Mechanism | None = None,
) -> Request:
    """Check a caller's wishes and split the budget; raises UsageError with what to do instead."""
    total = exact_epsilon(epsilon)
    asked = _asked(measures)
    rows_per_person = _whole("rows_per_person", rows_per_person, 1, MOST_PER_PERSON)
    public_rows = None if public_rows is None else _whole("public_rows", public_rows, 0, MOST_ROWS)
    max_rows = None if max_rows is None else _whole("max_rows", max_rows, 0, MOST_ROWS)
    way = as_method(method)
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
    paying = {name: SHARES[name] for name in asked if name not in refused}
    if public_rows is not None:
        paying.pop("rows", None)
    if "repair" in paying:
        paying.pop("drastic", None)
    if split is not None:
        paying = _overridden(paying, split)
    parts = split_budget(total, paying) if paying else {}
    return Request(
        asked,
        parts,
        refused,
        rows_per_person,
        public_rows,
        max_rows,
        way,
    )


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
    """The caller's shares; they must name exactly the measures that pay."""
    if set(split) != set(paying):
        raise UsageError(
            f"The split must name exactly the measures that pay here: {', '.join(paying)}; "
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
