"""How long the published algorithms take as loops in plain Python. Not private.

Two loops: the least that the algorithm costs, over a list of pairs, and one that works as the
authors' code does, over a graph of dicts in dicts (networkx keeps graphs so) with degrees in a
numpy array.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from candling_paper import published
from candling_paper.as_coded import SMALL
from candling_paper.loop import published_loop
from candling_paper.ordered import OrderedPairs
from candling_paper.thresholds import CANDIDATES

CHOICE = 0.15  # of epsilon, for each of the two choices


def loop_seconds(
    measure: str, pairs: Sequence[tuple[int, int]], rows: int, *, bound: int, limit: float
) -> float | None:
    """CPU seconds of Algorithms 2 and 4, or 5 for repair; None if they take more than `limit`.

    Each choice makes a pass over all pairs for every candidate that is left, and one more pass
    makes the answer. The limit is looked at between passes.
    """
    start = time.process_time()
    if measure == "repair":
        _cover(pairs)
        return time.process_time() - start
    rng = np.random.default_rng(0)
    largest = max(1, min(bound, rows))
    candidates = sorted({t for t in CANDIDATES if t <= largest} | {largest, rows})
    for _ in range(2):
        top = _kept(measure, pairs, rows, largest)
        scores = []
        for t in candidates:
            # All rows as the threshold is said to lose nothing.
            kept = top if t in {largest, rows} else _kept(measure, pairs, rows, t)
            scores.append(published.quality(kept, top, t, published.NOISE))
            if time.process_time() - start > limit:
                return None
        chances = published.probabilities(scores, largest, CHOICE)
        largest = int(rng.choice(candidates, p=chances))
        candidates = [t for t in candidates if t <= largest]
    _kept(measure, pairs, rows, largest)
    return time.process_time() - start


def _kept(measure: str, pairs: Sequence[tuple[int, int]], rows: int, threshold: int) -> int:
    found = published_loop(pairs, rows, (threshold,))
    return (found.rows if measure == "problematic" else found.pairs)[0]


def _cover(pairs: Sequence[tuple[int, int]]) -> int:
    covered: set[int] = set()
    for u, v in pairs:
        if u not in covered and v not in covered:
            covered.add(u)
            covered.add(v)
    return len(covered)


Graph = Mapping[int, Mapping[int, object]]


def graph_of_dicts(pairs: OrderedPairs, rows: int) -> dict[int, dict[int, object]]:
    """Every row, and those that it conflicts with."""
    graph: dict[int, dict[int, object]] = {row: {} for row in range(rows)}
    for row in range(len(pairs.weights)):
        near = pairs.neighbours[pairs.offsets[row] : pairs.offsets[row + 1]]
        graph[row] = {other: {} for other in near.tolist()}
    return graph


def graph_seconds(measure: str, graph: Graph, *, bound: int, limit: float) -> float | None:
    """CPU seconds of one release over a graph of dicts; None if it takes more than `limit`.

    As in the authors' code there are two rounds of scores below the bound, each with a pass over
    all rows and their neighbours for every candidate, and one pass for the answer.
    """
    start = time.process_time()
    if measure == "repair":
        _graph_cover(graph)
        return time.process_time() - start
    rows = len(graph)
    largest = max(1, min(bound, rows))
    tenth = max(1, rows // 10)
    candidates = sorted(
        {t for t in (*SMALL, *range(tenth, rows, tenth)) if t <= largest} | {largest}
    )
    counted: Callable[[npt.NDArray[np.float64], int], float] = (
        _rows_with_degree if measure == "problematic" else _half_of_degrees
    )
    rng = np.random.default_rng(0)
    for _ in range(2):
        top = counted(_degrees(graph, candidates[-1], rng), candidates[-1])
        scores = []
        for threshold in candidates:
            kept = counted(_degrees(graph, threshold, rng), threshold)
            scores.append(published.quality(int(kept), int(top), threshold, published.NOISE))
            if time.process_time() - start > limit:
                return None
        chances = published.probabilities(scores, candidates[-1], CHOICE)
        chosen = int(rng.choice(candidates, p=chances))
        if measure != "problematic":
            candidates = [t for t in candidates if t <= chosen]
    counted(_degrees(graph, chosen, rng), chosen)
    return time.process_time() - start


def _degrees(graph: Graph, threshold: int, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Edge addition: the rows in a random order, each with the earlier ones that it conflicts
    with.
    """
    rows = list(graph)
    place = {row: i for i, row in enumerate(rows)}
    degrees = np.zeros(len(rows))
    for own in rng.permutation(len(rows)):
        for other in graph[rows[own]]:
            at = place[other]
            if at < own and degrees[at] < threshold and degrees[own] < threshold:
                degrees[at] += 1
                degrees[own] += 1
    return np.array(sorted(degrees))


def _half_of_degrees(degrees: npt.NDArray[np.float64], _: int) -> float:
    return sum(degrees) / 2


def _rows_with_degree(degrees: npt.NDArray[np.float64], threshold: int) -> float:
    histogram = np.zeros(threshold + 1)
    for degree in degrees:
        histogram[round(degree)] += 1
    return len(degrees) - float(histogram[0])


def _graph_cover(graph: Graph) -> int:
    """Algorithm 5 over a copy of the graph, from which both rows of a pair are taken."""
    left = {row: dict(near) for row, near in graph.items()}
    pairs = [(row, other) for row, near in graph.items() for other in near if row < other]
    size = 0
    rng = np.random.default_rng(0)
    for u, v in rng.permutation(pairs) if pairs else ():
        if u in left and v in left[u]:
            size += 2
            for gone in (u, v):
                for other in left.pop(gone):
                    left[other].pop(gone)
    return size
