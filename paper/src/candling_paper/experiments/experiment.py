"""What an experiment is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from candling_paper.experiments.published_values import Printed
from candling_paper.experiments.setup import Setup
from candling_paper.experiments.store import Cell, Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Comparison:
    """A number that the paper prints, and what was measured in its place."""

    printed: Printed
    published: float | None = None  # the published form run again: not private
    sound: float | None = None  # the published form made private
    ours: float | None = None
    exact: float | None = None  # where the number is a fact about the data, not an estimate


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
