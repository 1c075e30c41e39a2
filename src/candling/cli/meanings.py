"""One sentence about each number of a card: what it says of the table, as surely as it can."""

import math
from collections.abc import Callable
from fractions import Fraction

from candling.card import Card
from candling.measures.grade import exact, percent
from candling.measures.shown import Shown

Meaning = Callable[[Shown, Card], str]
_KINDS = {
    "lower_bound": "; the value is a lower bound",
    "cover": "; the value is an upper bound",
}


def meaning(measure: Shown, card: Card) -> str:
    """The sentence; why there is no number is told apart."""
    if measure.value is None:
        return "not released, for the reason below"
    return _MEANINGS[measure.name](measure, card)


def _rows(measure: Shown, card: Card) -> str:
    if measure.epsilon == 0:
        return "rows in the table, as its owner says"
    people = f"; one person owns {card.rows_per_person:,} at most" if _many(card) else ""
    return f"rows in the table{people}"


def _drastic(measure: Shown, card: Card) -> str:  # noqa: ARG001
    if measure.value:
        return "some rule is broken: more than noise explains"
    least = measure.extra["detects_repair_of"]
    return f"no sign of a broken rule; a repair of {least:,} rows would have shown"


def _minimal_inconsistent(measure: Shown, card: Card) -> str:  # noqa: ARG001
    low, high = measure.interval()
    # The upper end is far away on most tables: said only where there is no lower one.
    least = math.floor(low or 0)
    number = _range(_count(least), None if high is None or least else _count(high), "")
    if number is None:
        return "too much noise to tell how many conflicts there are"
    return f"{number} conflicts: pairs of rows, or single rows, that break a rule"


def _problematic(measure: Shown, card: Card) -> str:  # noqa: ARG001
    per_row = measure.extra.get("per_row")
    part = _number_of_rows(measure) if per_row is None else _share(per_row["low"], per_row["high"])
    if part is None:
        return "too much noise to tell how many rows take part in a conflict"
    return f"{part} take part in a conflict"


def _maximal_consistent(measure: Shown, card: Card) -> str:  # noqa: ARG001
    return f"about 2^{float(measure.value or 0):,.1f} ways to clean the table"


def _repair(measure: Shown, card: Card) -> str:
    low, high = card.grade.low, card.grade.high
    share = None
    if low is not None and high is not None:
        share = _share(1 - exact(high), 1 - exact(low))
    # Of a table so small that noise hides all of it, a share tells nothing and a count does.
    part = share or _number_of_rows(measure)
    if part is None:
        return "too much noise to tell how many rows must go"
    kind = _KINDS.get(str(measure.extra.get("kind")), "")
    return f"{part} must go until every rule holds{kind}"


def _worst_rule(measure: Shown, card: Card) -> str:  # noqa: ARG001
    return "the rule that needs about the largest repair"


_MEANINGS: dict[str, Meaning] = {
    "rows": _rows,
    "drastic": _drastic,
    "minimal_inconsistent": _minimal_inconsistent,
    "problematic": _problematic,
    "maximal_consistent": _maximal_consistent,
    "repair": _repair,
    "worst_rule": _worst_rule,
}


def _share(low: float | Fraction, high: float | Fraction) -> str | None:
    """A share of the rows, from the ends of its interval; None if they tell nothing."""
    top = None if high >= 1 else percent(high, up=True)
    return _range(percent(low, up=False), top, "of the rows")


def _number_of_rows(measure: Shown) -> str | None:
    low, high = measure.interval()
    top = None if high is None else _count(math.ceil(high))
    return _range(_count(math.floor(low or 0)), top, "rows")


def _range(low: str, high: str | None, of: str) -> str | None:
    nothing = low in ("0", "0%")
    if high is None:
        return None if nothing else f"at least {low} {of}".rstrip()
    if low == high:
        return f"{low} {of}".rstrip()
    if nothing:
        return f"at most {high} {of}".rstrip()
    return f"{low} to {high} {of}".rstrip()


def _count(value: float | Fraction) -> str:
    return f"{int(value):,}" if value == int(value) else f"{float(value):,.1f}"


def _many(card: Card) -> bool:
    return card.rows_per_person > 1
