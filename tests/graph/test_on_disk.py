"""Graphs and measures whose arrays are files, a few entries at a time: the same bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from candling.graph import Graph, build_conflicts, build_graph, flow
from candling.graph.counting import maximal_consistent_logs
from candling.graph.repair import fractional_repair, smallest_removal
from candling.graph.witness import doubled_minimal_inconsistent_levels, problematic_levels
from candling.system import limits
from candling.tables import Classes
from tests.effort import examples
from tests.graph.graphs import measured
from tests.registered import facts_of
from tests.strategies import TableAndRules, tables_and_rules

LEVELS = 4


@contextmanager
def nothing_fits(piece: int) -> Iterator[list[int]]:
    """Every array in a file, however small, and loops over a few entries; how large they were."""
    sizes: list[int] = []
    in_a_file = limits._in_a_file

    def counted(needed: int) -> Any:
        sizes.append(needed)
        return in_a_file(needed)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "SMALL", 0)
        patch.setattr(limits, "PIECE", piece)
        patch.setattr(limits, "memory_limit", lambda _: 0)
        patch.setattr(limits, "_in_a_file", counted)
        yield sizes


def arrays(thing: Any) -> Iterator[Any]:
    """All arrays in a graph, its blocks included."""
    if isinstance(thing, np.ndarray):
        yield thing.tolist(), thing.dtype
    elif isinstance(thing, tuple):
        for part in thing:
            yield from arrays(part)
    elif hasattr(thing, "__dataclass_fields__"):
        for field in fields(thing):
            yield from arrays(getattr(thing, field.name))


def in_blocks(classes: Classes) -> Graph:
    return build_conflicts(classes, explicit=-1)


def everything(build: Callable[[Classes], Graph], classes: Classes) -> Any:
    graph = build(classes)
    found = [
        list(arrays(graph)),
        problematic_levels(graph, LEVELS),
        doubled_minimal_inconsistent_levels(graph, LEVELS),
        list(arrays(fractional_repair(graph))),
        measured(graph),
        maximal_consistent_logs(graph),
    ]
    usual, flow.EXPLICIT = flow.EXPLICIT, -1
    try:
        found.append(doubled_minimal_inconsistent_levels(graph, LEVELS))
    finally:
        flow.EXPLICIT = usual
    written = graph.within(np.ones(graph.classes, bool))
    found.append(list(arrays(written)))
    found.append(list(arrays(graph.lists)))
    found.append(list(arrays(smallest_removal(written, time_limit=60))))
    found.append([written.sources.tolist(), written.components.tolist(), written.loops.tolist()])
    return found


@pytest.mark.parametrize("build", [build_graph, in_blocks])
@settings(max_examples=examples(40))
@given(table=tables_and_rules())
def test_files_and_memory_give_the_same(build: Any, table: TableAndRules) -> None:
    classes = facts_of(table).classes
    expected = everything(build, classes)
    for piece in (1, 3):
        with nothing_fits(piece) as sizes:
            assert everything(build, classes) == expected
        # Room is also asked for a pair that turns out to be a single row with itself.
        assert sizes or not build(classes).classes
