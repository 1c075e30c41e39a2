"""Types for columns whose format has none, proposed from the rows. NOT PRIVATE."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from candling.errors import hide_private_errors
from candling.reading import TEXT, StatedType
from candling.records import dataclass
from candling.system.limits import translate_memory_error
from candling.system.progress import Phase, enter
from candling.tables.backends.duckdb import Connected, duckdb_cast, register
from candling.tables.values import Table

if TYPE_CHECKING:
    import pyarrow as pa

_CELLS = 500_000  # that are looked at: some seconds
_MOST_ROWS, _LEAST_ROWS = 100_000, 1_000
_AT_ONCE = 20  # columns of one query
_MOST = 0.95  # share of cells that fit a type which is stated
_SOME = 0.5  # share of cells that fit a type which is worth a comment
_DAYS = ("%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%m.%d.%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d")
_TIMES = ("%H:%M", "%H:%M:%S")
_NUMBERS = (StatedType("integer"), StatedType("number"), StatedType("number", comma=True))
TRIED = (  # of types that as many cells fit, the first is proposed
    *_NUMBERS,
    StatedType("boolean"),
    StatedType("date"),
    *(StatedType("date", written=day) for day in _DAYS),
    StatedType("timestamp"),
    *(StatedType("timestamp", written=f"{day} {time}") for day in _DAYS for time in _TIMES),
)
_LEADING_ZERO = "[+-]?0[0-9].*"
_THOUSANDS = "[+-]?[0-9]{1,3}(,[0-9]{3})+"


@dataclass(frozen=True, slots=True)
class Reading:
    """A type that cells of a column may have, and how many do."""

    type: StatedType
    fit: int


@dataclass(frozen=True, slots=True)
class ProposedType:
    """What a column may be: nothing but text, one type, or one of two that cells cannot tell."""

    column: str
    cells: int  # that are not NULL
    readings: tuple[Reading, ...]
    doubt: str | None = None  # why the owner has to choose

    @property
    def type(self) -> StatedType:
        """The type to state; text where that is not clear."""
        return TEXT if not self.readings or self.doubt is not None else self.readings[0].type

    def to_dict(self) -> dict[str, Any]:
        """The proposal as plain values."""
        readings = [{"type": str(r.type), "fit": r.fit} for r in self.readings]
        return {"type": str(self.type), "cells": self.cells, "readings": readings}


@dataclass(frozen=True, slots=True)
class ProposedTypes:
    """The proposals for the columns of a table, from its first rows."""

    rows: int  # that were looked at
    all_rows: bool
    columns: tuple[ProposedType, ...]


def propose_types(table: Table, columns: Sequence[str]) -> ProposedTypes:
    """Types for columns of text, by the cells of the first rows."""

    def propose() -> ProposedTypes:
        enter(Phase.READING)
        most = min(_MOST_ROWS, max(_LEAST_ROWS, _CELLS // max(len(columns), 1)))
        cells = _fetch_texts(table, columns, most + 1)
        looked_at = cells.slice(0, most)
        connected = register(looked_at.to_reader(), None).connected
        numbered = list(enumerate(columns))
        found = [
            proposal
            for start in range(0, len(numbered), _AT_ONCE)
            for proposal in _propose(connected, numbered[start : start + _AT_ONCE])
        ]
        return ProposedTypes(looked_at.num_rows, cells.num_rows <= most, tuple(found))

    return hide_private_errors(lambda: translate_memory_error(propose))


def _fetch_texts(table: Table, columns: Sequence[str], most: int) -> pa.Table:
    return table.fetch(f"{table.select(columns)} limit {most}", table.types(columns))


def _propose(connected: Connected, columns: Sequence[tuple[int, str]]) -> Iterator[ProposedType]:
    """The proposals for some columns, from one look at the rows."""
    asked = [list(_questions(f"c{position}")) for position, _ in columns]
    lists = ", ".join(f"[{', '.join(questions)}]" for questions in asked)
    query = f"select {lists} from temp.main.candling_source"  # noqa: S608 - our own names
    ((*answers,),) = connected.execute(query)
    for (_, name), counted in zip(columns, answers, strict=True):
        yield _choose(name, counted)


def _questions(cell: str) -> Iterator[str]:
    yield f"count({cell})"
    yield f"count_if(regexp_full_match(trim({cell}), '{_LEADING_ZERO}'))"
    yield f"count_if(contains({cell}, ','))"
    yield f"count_if(regexp_full_match(trim({cell}), '{_THOUSANDS}'))"
    yield from (f"count({duckdb_cast(kind, cell)})" for kind in TRIED)


def _choose(name: str, counted: Sequence[int]) -> ProposedType:
    cells, zeros, commas, thousands, *fits = counted
    readings = {
        kind: fit
        for kind, fit in zip(TRIED, fits, strict=True)
        if not (zeros and kind in _NUMBERS)  # 01234 is a code
    }
    best = max(readings, key=lambda kind: readings[kind])  # the first of equals
    share = readings[best] / cells if cells else 0.0
    if share < _SOME:
        return ProposedType(name, cells, ())
    found = Reading(best, readings[best])
    if share < _MOST:
        return ProposedType(name, cells, (found,), "many cells do not fit")
    other = _exchange_day_and_month(best)
    if other is not None and readings.get(other, 0) >= _MOST * cells:
        both = (found, Reading(other, readings[other]))
        return ProposedType(name, cells, both, "day or month first: keep one of the two")
    if best.comma and thousands == commas:
        return ProposedType(name, cells, (found,), "or do the commas separate thousands?")
    return ProposedType(name, cells, (found,))


def _exchange_day_and_month(kind: StatedType) -> StatedType | None:
    if kind.written is None or kind.written.startswith("%Y"):
        return None
    exchanged = kind.written.translate(str.maketrans("dm", "md"))
    return StatedType(kind.kind, written=exchanged)
