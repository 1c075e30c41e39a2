"""The most conflicts in which no person has a part more than T times."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from candling.graph.build import build_graph, members_of, self_inconsistent
from candling.graph.edges import group_lines, sum_by
from candling.graph.person_network import Wiring
from candling.tables.classes import OwnedClasses

Integers = npt.NDArray[np.int64]


def person_conflicts(owned: OwnedClasses, levels: Sequence[int]) -> tuple[int, ...]:
    """Twice the most conflicts in which a person has a part `levels[i]` times, for each i.

    A conflict counts once at most, and takes room of each person who has a row in it, once if it is
    one person. Half of it is at most the number of conflicts, and reaches it. A person with all of
    their rows adds 0 to 2 * `levels[i]` to entry i.

    Args:
        owned: The classes of each person.
        levels: What one person can take part in, 1 or more, ascending.
    """
    own, one, two, count = _write_pairs(owned)
    total = 2 * int(own.sum()) + int(count.sum())
    persons = len(own)
    wiring = Wiring()
    givers, takers = wiring.add(persons), wiring.add(persons)
    wiring.join(givers[one], takers[two], count)
    network = wiring.build(owned.classes.memory)
    values: list[int] = []
    flow, room = 0, np.zeros(persons, np.int64)
    for level in levels:
        used = np.minimum(own, level)
        network.feed(givers, takers, level - used - room)
        room = level - used
        flow += network.maximise()
        values.append(2 * int(used.sum()) + flow)
        if values[-1] == total:
            break
    return *values, *[total] * (len(levels) - len(values))


def _write_pairs(owned: OwnedClasses) -> tuple[Integers, Integers, Integers, Integers]:
    """What persons have alone, and how many conflicts any two of them have, in both orders."""
    graph = build_graph(owned.classes)
    persons = int(owned.persons.max(initial=-1)) + 1
    weights = owned.classes.weights
    ends, lines = members_of(graph.class_of)
    size = np.diff(ends)
    left = np.repeat(np.arange(len(size)), np.diff(graph.offsets))
    right = graph.neighbours
    pairs = size[left] * size[right]
    arc = np.repeat(np.arange(len(left)), pairs)
    place = np.arange(len(arc)) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    one = lines[ends[left[arc]] + place // size[right[arc]]]
    two = lines[ends[right[arc]] + place % size[right[arc]]]
    count = weights[one] * (weights[two] - (one == two))
    one, two = owned.persons[one], owned.persons[two]
    home = one == two
    own = sum_by(one[home], count[home], persons) // 2
    wrong = self_inconsistent(owned.classes)
    own += sum_by(owned.persons[wrong], weights[wrong], persons)
    both = group_lines(np.stack([one[~home], two[~home]]))
    first = both.first
    return own, one[~home][first], two[~home][first], sum_by(both.label, count[~home], len(first))
