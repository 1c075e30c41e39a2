"""What an experiment is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from candling_paper.experiments.published_values import Printed
from candling_paper.experiments.setup import Setup
from candling_paper.experiments.store import Cell, Row
from candling_paper.experiments.tables import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure


# The columns of the comparison, and the keys of the ways that fill them.
PAPER: Mapping[str, str] = {
    way: way for way in ("as_coded", "as_printed", "made_private", "ours", "ours_one_draw")
}
R2T: Mapping[str, str] = {
    "as_coded": "r2t_as_coded",
    "as_printed": "r2t_as_printed",
    "made_private": "r2t_made_private",
    "ours": "ours",
    "ours_one_draw": "ours_one_draw",
}


@dataclass(frozen=True, slots=True)
class Comparison:
    """A number that the paper prints, and what was measured in its place."""

    printed: Printed
    as_run: Estimate | None = None  # as the published numbers say that it was run: not private
    as_run_one: Estimate | None = None  # the same with one choice for `problematic`
    other_rows: Estimate | None = None  # as run, on other rows of the same kind
    as_coded: Estimate | None = None  # one public version of the authors' code: not private
    as_printed: Estimate | None = None  # the algorithms as the paper prints them: not private
    made_private: Estimate | None = None
    ours: Estimate | None = None
    ours_one_draw: Estimate | None = None
    fact: Estimate | None = None  # where the number is about the data, not an estimate


def _nothing(_: list[Row]) -> list[Comparison]:
    return []


@dataclass(frozen=True, slots=True)
class Experiment:
    """Cells of work, and what becomes of their rows."""

    name: str
    title: str
    cells: Callable[[Setup], Iterator[Cell]]
    tables: Callable[[Setup, list[Row]], dict[str, list[Row]]]  # by the stem of the CSV file
    draw: Callable[[Setup, list[Row]], Figure] | None = None
    compare: Callable[[list[Row]], list[Comparison]] = _nothing
