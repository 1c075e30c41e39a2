"""A release by a published method: each measure is paid for by itself, and no card is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from candling.arguments import Rules
from candling.errors import UsageError
from candling.measures import REPAIR
from candling.privacy import Draw, exact_epsilon, split_budget
from candling.releases.request import Number
from candling_paper.all_rows import AllRows, read_all_rows
from candling_paper.levels import Levels, draw_level
from candling_paper.methods import Method, by_name
from candling_paper.vertex_cover import SENSITIVITY, vertex_cover

# The measures, and the share of epsilon that each gets.
SHARES: Mapping[str, Fraction] = {
    "rows": Fraction(1),
    "repair": Fraction(1),
    "problematic": Fraction(3),
    "minimal_inconsistent": Fraction(4),
}
MISS = 0.05  # probability that the truth is below `low`
UNLIKELY = 1e-4  # that the table has more rows than the thresholds reach


@dataclass(frozen=True, slots=True)
class Released:
    """A noisy number of one measure."""

    value: float  # 0 or more
    low: float  # what got noise is at least this, in 95 of 100 releases
    epsilon: Fraction  # what it cost
    threshold: int | None = None  # at which the measure was cut


def release(
    data: Any,
    rules: Rules,
    epsilon: Number,
    method: Method | str,
    *,
    shares: Mapping[str, Fraction] = SHARES,
    max_rows: int | None = None,
    rows_per_person: int = 1,
    memory: str | None = None,
) -> dict[str, Released]:
    """Release measures of a table, epsilon-differentially private, by a published method.

    Args:
        data: A table, as for `candling.analyze`; not one on a server.
        rules: As for `candling.analyze`.
        epsilon: What all numbers cost together. No ledger counts it.
        method: One of this package, such as `hierarchical()`, or its name, "paper-hierarchical".
        shares: The measures to release, of those in SHARES, and the share of epsilon of each.
        max_rows: A public bound on the number of rows.
        rows_per_person: The most rows of one person.
        memory: A limit such as "4GB".

    Raises:
        UsageError: The method needs a bound on the number of rows, and has none.
    """
    if isinstance(method, str):
        method = by_name(method)
    if not shares or not set(shares) <= set(SHARES):
        raise ValueError(f"a method releases {', '.join(SHARES)}, not {', '.join(shares)}")
    if method.needs_rows and max_rows is None and "rows" not in shares:
        raise UsageError(
            f"The method {method.name} needs a bound on the number of rows: state `max_rows`, or "
            "release `rows` too.",
            code="U210",
        )
    parts = split_budget(exact_epsilon(epsilon), shares)
    rows = read_all_rows(data, rules, memory=memory)
    return release_rows(rows, parts, method, max_rows=max_rows, rows_per_person=rows_per_person)


def release_rows(
    rows: AllRows,
    parts: Mapping[str, Fraction],
    method: Method,
    *,
    max_rows: int | None = None,
    rows_per_person: int = 1,
) -> dict[str, Released]:
    """Release each measure for its part of the budget; the rows come first."""
    limit: float | None = max_rows
    released = {}
    for name in sorted(parts, key=lambda name: name != "rows"):
        part = parts[name]
        if name in ("rows", "repair"):
            levels = _count(rows, name, method, rows_per_person)
            draw = draw_level(levels, part, 0)
            if name == "rows" and limit is None:
                limit = max(0, draw.upper(UNLIKELY))  # released, so free to use
            released[name] = _released(draw, part)
        else:
            levels = method.cut_levels(rows, name, limit=limit, rows_per_person=rows_per_person)
            chosen = method.draw(rows, levels, part, rows_per_person=rows_per_person)
            released[name] = _released(chosen, part, levels.thresholds[chosen.level])
    return released


def _count(rows: AllRows, name: str, method: Method, rows_per_person: int) -> Levels:
    """A number without a threshold: the rows, or the repair."""
    if name == "rows":
        value, step, growth = rows.facts.rows, Fraction(1), 1
    elif method.cover:
        value, step, growth = vertex_cover(rows.pairs), Fraction(1), SENSITIVITY
    else:
        own = REPAIR.number(rows.facts)
        value, step, growth = own.value, own.step, own.growth
    return Levels((value,), (rows_per_person * growth,), (1,), step)


def _released(draw: Draw, epsilon: Fraction, threshold: int | None = None) -> Released:
    value, low = (max(Fraction(0), n * draw.step) for n in (draw.value, draw.lower(MISS)))
    return Released(float(value), float(low), epsilon, threshold)
