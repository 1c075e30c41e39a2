"""The names of columns: every column has one, and no two have the same."""

from __future__ import annotations

from collections.abc import Sequence

from candling.errors import DataError


def names_of_cells(cells: Sequence[str], table: str) -> list[str]:
    """The names of columns by the cells of a first line; those without one get column0, ...

    A DataError says which columns of the table have the same name.
    """
    names = [cell.strip() or f"column{i}" for i, cell in enumerate(cells)]
    require_different(names, table)
    return names


def require_different(names: Sequence[str], table: str) -> None:
    """Raise DataError if two columns have the same name, or one has none: which, and where.

    DuckDB does not tell upper from lower case.
    """
    places: dict[str, list[int]] = {}
    for position, name in enumerate(names, start=1):
        places.setdefault(name.lower(), []).append(position)
    if unnamed := places.pop("", None):
        which, verb = _listed(unnamed), "has" if len(unnamed) == 1 else "have"
        raise DataError(f"{which} of {table} {verb} no name: name every column.", code="D105")
    for positions in places.values():
        if len(positions) > 1:
            spellings = sorted({names[position - 1] for position in positions})
            called = f"have the same name, {spellings[0]!r}"
            if len(spellings) > 1:
                called = f"have names that differ in case only, {', '.join(map(repr, spellings))}"
            raise DataError(
                f"{_listed(positions)} of {table} {called}: a rule could mean any of them. Rename "
                "all but one.",
                code="D105",
            )


def _listed(positions: Sequence[int]) -> str:
    *first, last = (f"{position:,}" for position in positions)
    return f"Columns {', '.join(first)} and {last}" if first else f"Column {last}"
