"""The paper's worked examples, computed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from candling_paper import published
from candling_paper.experiments.estimates import PAIRS
from candling_paper.experiments.experiment import Comparison, Experiment
from candling_paper.experiments.published_values import (
    COVERS,
    EVERY_PAIR,
    NAIVE_COVERS,
    ONE_CHOICE,
    OTTAWA,
    QUALITY,
    SCORES,
    SECOND_CHOICE,
    Printed,
)
from candling_paper.experiments.setup import Setup
from candling_paper.experiments.store import Cell, Row
from candling_paper.experiments.tables import Estimate, number
from candling_paper.experiments.utility import ottawa
from candling_paper.vertex_cover import steps

THRESHOLDS = (1, 2, 3)
EDGES = ("AB", "AC", "BC", "CD", "DE", "EF", "FG")
LEFT_OUT = "E"


def cells(setup: Setup) -> Iterator[Cell]:  # noqa: ARG001
    """One cell for all."""
    yield Cell("examples", {}, _compute)


def _compute() -> list[Row]:
    return [
        {
            "example": printed.where,
            "what": printed.what,
            "printed": None if math.isnan(printed.value) else printed.value,
            "printed_unit": printed.unit,
            "computed": value,
        }
        for printed, value in (*_running(), *_qualities(), *_choices(), *_covers())
    ]


def _running() -> Iterator[tuple[Printed, float]]:
    rows = ottawa()
    pairs = rows.facts.graph.pairs, sum(published.largest_groups(rows.classes))
    yield from zip(OTTAWA, map(float, pairs), strict=True)


def _scores(noise: float) -> dict[int, tuple[float, float, float]]:
    table = published.not_private(ottawa())
    top = table.kept(PAIRS, THRESHOLDS[-1])
    scores = {}
    for t in THRESHOLDS:
        kept = table.kept(PAIRS, t)
        score = published.quality(kept, top, t, noise)
        scores[t] = float(top - kept), -score - (top - kept), score
    return scores


def _qualities() -> Iterator[tuple[Printed, float]]:
    for t, values in _scores(1.0).items():
        yield from zip(QUALITY[t], values, strict=True)


def _choices() -> Iterator[tuple[Printed, float]]:
    """The choices. The example takes the second among what is strictly below the first."""
    scores = {t: values[2] for t, values in _scores(1.0).items()}
    for t, printed in SCORES.items():
        yield printed, scores[t]
    one = published.probabilities(list(scores.values()), THRESHOLDS[-1], 1.0)
    for t, printed in ONE_CHOICE.items():
        yield printed, float(one[t - 1])
    for first in (3, 2):
        below = [t for t in THRESHOLDS if t < first]
        second = published.probabilities([scores[t] for t in below], first, 0.5)
        for t, chance in zip(below, second, strict=True):
            yield SECOND_CHOICE[first, t], float(chance)
            upto = [t for t in THRESHOLDS if t <= first]
            kept = published.probabilities([scores[u] for u in upto], first, 0.5)
            printed = SECOND_CHOICE[first, t]
            what = f"{printed.what}, which stays a candidate as in Algorithm 4"
            yield replace(printed, what=what, value=math.nan), float(kept[t - 1])


def _covers() -> Iterator[tuple[Printed, float]]:
    whole = steps([(edge[0], edge[1]) for edge in EDGES])
    size, without = 0, []
    there = iter(steps([(edge[0], edge[1]) for edge in EDGES if LEFT_OUT not in edge]))
    for edge in EDGES:
        size = size if LEFT_OUT in edge else next(there)
        without.append(size)
    for printed, values in zip(COVERS, zip(without, whole, strict=True), strict=True):
        yield from zip(printed, map(float, values), strict=True)
    rows = {row for edge in EDGES for row in edge}
    yield EVERY_PAIR, float(math.comb(len(rows), 2))
    for order, printed_cover in NAIVE_COVERS.items():
        first = order.split()
        with_left_out = any(LEFT_OUT in edge for edge in first)
        rest = [e for e in EDGES if e not in first and (with_left_out or LEFT_OUT not in e)]
        yield printed_cover, float(steps([(e[0], e[1]) for e in (*first, *rest)])[-1])


def tables(setup: Setup, rows: list[Row]) -> dict[str, list[Row]]:  # noqa: ARG001
    """As they are."""
    return {"examples": rows}


def compare(rows: list[Row]) -> list[Comparison]:
    """Every number of the examples.

    What Algorithm 4 gives where an example differs from it stands in the CSV file alone.
    """
    return [
        Comparison(
            Printed(
                number(row, "printed"),
                str(row["what"]),
                str(row["example"]),
                unit=number(row, "printed_unit"),
            ),
            fact=Estimate(number(row, "computed")),
        )
        for row in rows
        if row["printed"] is not None
    ]


EXPERIMENT = Experiment("examples", "The worked examples", cells, tables, compare=compare)
