"""Graphs and measures whose arrays are files, a few entries at a time: the same bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from candling import memory
from candling.engines import Classes
from candling.graph import Graph, build_conflicts, build_graph
from candling.solvers import saturate
from candling.solvers.counting import maximal_consistent_logs
from candling.solvers.extensions import doubled_minimal_inconsistent_levels, problematic_levels
from candling.solvers.removal import smallest_removal
from candling.solvers.repair import fractional_repair
from tests.effort import examples
from tests.registered import facts_of
from tests.solvers.graphs import measured
from tests.strategies import TableAndRules, tables_and_rules

LEVELS = 4


@contextmanager
def nothing_fits(piece: int) -> Iterator[list[int]]:
    """Every array in a file, however small, and loops over a few entries; how large they were."""
    sizes: list[int] = []
    in_a_file = memory._in_a_file

    def counted(needed: int) -> Any:
        sizes.append(needed)
        return in_a_file(needed)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "SMALL", 0)
        patch.setattr(memory, "PIECE", piece)
        patch.setattr(memory, "memory_limit", lambda _: 0)
        patch.setattr(memory, "_in_a_file", counted)
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
    usual, saturate.EXPLICIT = saturate.EXPLICIT, -1
    try:
        found.append(doubled_minimal_inconsistent_levels(graph, LEVELS))
    finally:
        saturate.EXPLICIT = usual
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
