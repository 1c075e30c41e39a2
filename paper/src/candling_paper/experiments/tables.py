"""Tidy tables: averages over rows, CSV files and Markdown."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import stdev

from candling_paper.experiments.store import Row, Value


def number(row: Row, name: str) -> float:
    """A cell that is a number."""
    value = row[name]
    if not isinstance(value, int | float):
        raise TypeError(f"{name} is not a number")
    return float(value)


def where(rows: Iterable[Row], /, **wanted: Value) -> list[Row]:
    """The rows with these values."""
    return [row for row in rows if all(row.get(k) == v for k, v in wanted.items())]


def mean(rows: Iterable[Row], name: str) -> float | None:
    """The mean of a column, blanks left out; None if nothing is left."""
    values = [number(row, name) for row in rows if row.get(name) is not None]
    return math.fsum(values) / len(values) if values else None


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean, its standard error, and what varied to give that: samples of rows, or draws."""

    value: float
    se: float | None = None
    over: str | None = None
    limits: tuple[float, float] | None = None  # where two standard errors are no limits
    spread: float | None = None  # the standard deviation of one sample's mean

    @property
    def ends(self) -> tuple[float, float]:
        """Two standard errors to both sides."""
        if self.limits is not None:
            return self.limits
        reach = 2 * (self.se or 0.0)
        return self.value - reach, self.value + reach


def estimate(rows: Sequence[Row], column: str = "error") -> Estimate | None:
    """The mean of a column with its standard error; None if there is nothing to average.

    Of several samples it is the mean of their means, and the standard error comes from these: it
    has the choice of rows, the noise in the table and the draws in it. Of one sample, it comes from
    the draws alone.
    """
    known = [row for row in rows if row.get(column) is not None]
    samples = [
        m for group in grouped(known, "sample").values() if (m := mean(group, column)) is not None
    ]
    if not samples:
        return None
    value = math.fsum(samples) / len(samples)
    if len(samples) > 1:
        spread = stdev(samples)
        error = spread / math.sqrt(len(samples))
        return Estimate(value, error, "samples", spread=spread)
    errors = [e for row in known if (e := _draws_error(row, column)) is not None]
    if len(errors) < len(known):
        return Estimate(value)
    return Estimate(value, math.sqrt(math.fsum(e * e for e in errors)) / len(errors), "draws")


def _draws_error(row: Row, column: str) -> float | None:
    """The standard error of one cell's mean."""
    return None if row.get(f"{column}_se") is None else number(row, f"{column}_se")


def pooled(estimates: Iterable[Estimate | None]) -> Estimate | None:
    """The mean of independent estimates."""
    known = [e for e in estimates if e is not None]
    if not known:
        return None
    value = math.fsum(e.value for e in known) / len(known)
    errors = [e.se for e in known if e.se is not None]
    if len(errors) < len(known):
        return Estimate(value)
    over = " and ".join(dict.fromkeys(e.over for e in known if e.over is not None))
    spreads = [e.spread for e in known if e.spread is not None]
    return Estimate(
        value,
        math.hypot(*errors) / len(known),
        over or None,
        spread=math.hypot(*spreads) / len(known) if len(spreads) == len(known) else None,
    )


def distinct(rows: Iterable[Row], name: str) -> list[Value]:
    """The values of a column in order of appearance."""
    return list(dict.fromkeys(row[name] for row in rows))


def grouped(rows: Iterable[Row], *names: str) -> dict[tuple[Value, ...], list[Row]]:
    """The rows by the values of some columns, in order of appearance."""
    groups: dict[tuple[Value, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    return groups


def to_csv(rows: Sequence[Row]) -> str:
    """The rows with the columns of all of them; numbers to six digits."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(row.get(name)) for name in columns] for row in rows)
    return text.getvalue()


def to_markdown(columns: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table; the first two columns hold words."""
    rule = ["---" if i < 2 else "---:" for i in range(len(columns))]
    rows = [columns, rule, *lines]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in rows)


def shown(value: float | None, digits: int = 3) -> str:
    """A number for people."""
    if value is None:
        return ""
    if abs(value) >= 1e9:
        return f"{value:.{digits}g}"
    if abs(value) >= 1_000:
        return f"{value:,.0f}"
    text = f"{value:.{digits}g}"
    return f"{float(text):.6f}".rstrip("0").rstrip(".") if "e" in text and value > 1e-6 else text


def from_csv(text: str) -> list[Row]:
    """The rows of a CSV file that `to_csv` wrote: numbers where they are, None for a blank."""
    return [
        {name: _value(cell) for name, cell in row.items()}
        for row in csv.DictReader(io.StringIO(text))
    ]


def _value(cell: str) -> Value:
    if not cell:
        return None
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            continue
    return cell


def _cell(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        whole = value.is_integer() and abs(value) < 2**53
        return str(int(value)) if whole else f"{value:.6g}"
    return str(value)
