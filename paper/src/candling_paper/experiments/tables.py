"""Tidy tables: averages over rows, CSV files and Markdown."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence

from candling_paper.experiments.store import Row, Value


def number(row: Row, name: str) -> float:
    """A cell that is a number."""
    value = row[name]
    if not isinstance(value, int | float):
        raise TypeError(f"{name} is no number")
    return float(value)


def where(rows: Iterable[Row], /, **wanted: Value) -> list[Row]:
    """The rows with these values."""
    return [row for row in rows if all(row.get(k) == v for k, v in wanted.items())]


def mean(rows: Iterable[Row], name: str) -> float | None:
    """The mean of a column, blanks left out; None if nothing is left."""
    values = [number(row, name) for row in rows if row.get(name) is not None]
    return math.fsum(values) / len(values) if values else None


def doubt(rows: Iterable[Row], name: str = "error_se") -> float | None:
    """The standard error of a mean of independent means."""
    errors = [number(row, name) for row in rows if row.get(name) is not None]
    return math.sqrt(math.fsum(x * x for x in errors)) / len(errors) if errors else None


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


def _cell(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        whole = value.is_integer() and abs(value) < 2**53
        return str(int(value)) if whole else f"{value:.6g}"
    return str(value)
