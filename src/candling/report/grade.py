"""The cleanliness of a table: the share of its rows that may stay."""

from __future__ import annotations

from dataclasses import dataclass

from candling.report.reading import Card, Reading

# The smallest repair lies between these multiples of the number that is called the repair.
SMALLEST = {"exact": (1.0, 1.0), "lp": (1.0, 2.0), "cover": (0.5, 1.0)}


@dataclass(frozen=True, slots=True)
class Grade:
    """1 - repair/rows with its bounds, or why there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None
    level: float | None = None  # both bounds hold with this probability or more
    loose: str | None = None  # the kind of repair number, if the smallest repair may differ from it
    reason: str | None = None


def smallest_repair(reading: Reading) -> tuple[float | None, float | None]:
    """Bounds on the smallest repair, from those on the number that is called the repair."""
    least, most = SMALLEST.get(str(reading.extra.get("kind", "exact")), (1.0, 1.0))
    low, high = reading.low, reading.high
    return None if low is None else least * low, None if high is None else most * high


def grade(card: Card, *, as_released: bool = False) -> Grade:
    """The cleanliness that a card tells.

    `as_released` takes the repair number for what it is, and not for a bound on the smallest
    repair: so two cards with the same kind of number can be compared.
    """
    repair, rows = card.measures.get("repair"), card.measures.get("rows")
    missing = [
        name
        for name, reading in (("repair", repair), ("rows", rows))
        if reading is None or reading.number is None
    ]
    if repair is None or rows is None or missing:
        verb = "was" if len(missing) == 1 else "were"
        return Grade(
            None, reason=f"It is 1 − repair/rows, and {' and '.join(missing)} {verb} not released."
        )
    kind = str(repair.extra.get("kind", "exact"))
    if kind not in SMALLEST:
        return Grade(None, reason=f"What a repair number of kind {kind!r} means is not known here.")
    if not rows.number or rows.number <= 0:
        return Grade(None, reason="The noisy number of rows is 0: there is no share of nothing.")
    least, most = (1.0, 1.0) if as_released else SMALLEST[kind]
    low = None
    if repair.high is not None and rows.low is not None:
        low = _share(most * repair.high, rows.low)
    high = 1.0
    if repair.low is not None and rows.high is not None:
        high = _share(least * repair.low, rows.high)
    return Grade(
        _share(repair.number or 0.0, rows.number),
        0.0 if low is None else low,
        high,
        _level(repair, rows),
        None if SMALLEST[kind] == (1.0, 1.0) else kind,
    )


def _share(repair: float, rows: float) -> float:
    """What is left, within 0 and 1; of no rows nothing is sure."""
    return 0.0 if rows <= 0 else min(1.0, max(0.0, 1 - repair / rows))


def _level(*readings: Reading) -> float:
    """By the union bound: each interval misses in 5 of 100 releases, a stated number never."""
    noisy = sum(r.low != r.high or r.epsilon > 0 for r in readings)
    return round(1 - 0.05 * noisy, 10)
