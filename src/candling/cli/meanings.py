"""One sentence about each number of a card: what it says of the table, as surely as it can."""

import math
from collections.abc import Callable
from fractions import Fraction

from candling.releases import Measure, Scorecard
from candling.releases.intervals import share_of_rows
from candling.report.grade import SMALLEST

Meaning = Callable[[Measure, Scorecard], str]


def meaning(measure: Measure, card: Scorecard) -> str:
    """The sentence; why there is no number is told apart."""
    if measure.value is None:
        return "not released, for the reason below"
    return _MEANINGS[measure.name](measure, card)


def _rows(measure: Measure, card: Scorecard) -> str:
    if measure.epsilon == 0:
        return "rows in the table, as its owner says"
    people = f"; one person owns {card.rows_per_person:,} at most" if _many(card) else ""
    return f"rows in the table{people}"


def _drastic(measure: Measure, card: Scorecard) -> str:  # noqa: ARG001
    if measure.value:
        return "some rule is broken: more than noise explains"
    least = measure.extra["detects_repair_of"]
    return f"no sign of a broken rule; a repair of {least:,} rows would have shown"


def _minimal_inconsistent(measure: Measure, card: Scorecard) -> str:  # noqa: ARG001
    low, high = measure.interval()
    number = _range(_count(math.floor(low or 0)), None if high is None else _count(high), "")
    if number is None:
        return "too much noise to tell how many conflicts there are"
    return f"{number} conflicts: rows, or pairs of rows, that break a rule"


def _problematic(measure: Measure, card: Scorecard) -> str:
    part = _part(measure, card)
    if part is None:
        return "too much noise to tell how many rows take part in a conflict"
    return f"{part} take part in a conflict"


def _maximal_consistent(measure: Measure, card: Scorecard) -> str:  # noqa: ARG001
    return f"about 2^{float(measure.value or 0):,.1f} ways to clean the table"


def _repair(measure: Measure, card: Scorecard) -> str:
    fewest, most = map(Fraction, SMALLEST.get(str(measure.extra.get("kind")), (1, 1)))
    part = _part(measure, card, fewest, most)
    if part is None:
        return "too much noise to tell how many rows must go"
    return f"{part} must go until every rule holds"


def _worst_rule(measure: Measure, card: Scorecard) -> str:  # noqa: ARG001
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


def percent(share: Fraction, *, up: bool | None = None) -> str:
    """A share with one digit, more where it is small; rounded up, down, or (None) to the nearest.

    >>> percent(Fraction(1, 81), up=False), percent(Fraction(1, 81), up=True)
    ('1.2%', '1.3%')
    """
    digits = 1 if share >= Fraction(1, 100) or share == 0 else 2
    scaled = share * 100 * 10**digits
    whole = round(scaled) if up is None else math.ceil(scaled) if up else math.floor(scaled)
    return f"{whole / 10**digits:.{digits}f}%"


def _part(
    measure: Measure, card: Scorecard, fewest: Fraction = Fraction(1), most: Fraction = Fraction(1)
) -> str | None:
    """How many of the rows, as shares if the number of rows is there; None if nobody can tell."""
    if "rows" not in card.measures:
        low, high = measure.interval()
        top = None if high is None else _count(math.ceil(Fraction(high) * most))
        return _range(_count(math.floor(Fraction(low or 0) * fewest)), top, "rows")
    found = share_of_rows(card, measure.name)
    share = Fraction(1) if found.high is None else min(Fraction(1), found.high * most)
    bottom = percent(found.low * fewest, up=False)
    return _range(bottom, None if share == 1 else percent(share, up=True), "of the rows")


def _range(low: str, high: str | None, of: str) -> str | None:
    nothing = low in ("0", "0.0%", "0.00%")
    if high is None:
        return None if nothing else f"at least {low} {of}".rstrip()
    if nothing:
        return f"at most {high} {of}".rstrip()
    return f"{low} to {high} {of}".rstrip()


def _count(value: float | Fraction) -> str:
    return f"{int(value):,}" if value == int(value) else f"{float(value):,.1f}"


def _many(card: Scorecard) -> bool:
    return card.rows_per_person > 1
