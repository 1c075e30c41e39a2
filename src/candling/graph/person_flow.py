"""Numbers of conflicts to which no person adds more than a capacity T, as maximum flows.

Each is the largest sum of a linear program on the conflicts of a table, in which a row takes part
once and a person T times (docs/privacy.md). Columns that use one person alone are known at once;
the rest is half of a maximum flow, an integer. Networks grow with rows and rules, never with pairs
of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from candling.graph.edges import sum_by
from candling.graph.person_network import Network, Wiring
from candling.graph.person_rows import (
    Crowded,
    Divided,
    Integers,
    Mask,
    Nodes,
    Paired,
    PersonRows,
    Relation,
)
from candling.graph.person_witnesses import Waiting, build_network, place_nodes
from candling.tables.classes import OwnedClasses

FEW = 0.2  # of all persons, and nothing is gained without them
SHARE = 0.6  # of the whole network, and a smaller one is worth building
UNBOUND = -1  # the owner of rows whose persons bind nothing but the rows


def person_repair(owned: OwnedClasses, capacity: int) -> int:
    """Twice the most conflicts in which a row takes part once and a person `capacity` times.

    Half of it is at most the smallest repair. A conflict between two rows of one person counts
    twice for them. A person with all of their rows adds 0 to 2 * `capacity`.

    Args:
        owned: The classes of each person.
        capacity: What one person can take part in, 1 or more.
    """
    rows = PersonRows(owned)
    own = np.minimum(rows.wrong, capacity)
    value = 2 * int(own.sum())
    if rows.relations:
        value += _repair_network(rows, capacity - own).maximise()
    return value


def person_repair_by_rule(
    owned: OwnedClasses, capacity: int, entries: Sequence[Sequence[int]]
) -> list[int]:
    """`person_repair` under some of the rules at a time.

    Args:
        owned: The classes of each person.
        capacity: What one person can take part in, 1 or more.
        entries: The places of the rules that get a number together (see `Rules.entries`).
    """
    found = []
    for entry in entries:
        rules = tuple(owned.classes.rules[n] for n in entry)
        found.append(
            person_repair(replace(owned, classes=replace(owned.classes, rules=rules)), capacity)
        )
    return found


def person_witnesses(owned: OwnedClasses, levels: Sequence[int]) -> tuple[int, ...]:
    """Twice the most rows with a witness, for each of several capacities.

    A row has a witness if it is wrong, or if it has a share of 1 in conflicts with other rows. What
    a row gets from another takes room of both persons, once if they are one person. Half of it is
    at most the number of rows in conflict, and reaches it. A person with all of their rows adds 0
    to 2 * `levels[i]` to entry i.

    Args:
        owned: The classes of each person.
        levels: What one person can take part in, 1 or more, ascending.
    """
    rows = PersonRows(owned)
    home = rows.find_home()
    own = rows.wrong + rows.count_by_person(home)
    nodes = rows.find_nodes()
    waiting = ~home[nodes.line]  # for a witness that is a row of another person
    total = 2 * int(own.sum() + nodes.rows[waiting].sum())
    places = [
        place_nodes(relation, label, nodes.owner)
        for relation, label in zip(rows.relations, nodes.labels, strict=True)
    ]
    every = Waiting(nodes, places, own, waiting, 0)
    asked = own + every.count_asked()
    whole = None  # the network of all, and what flows in it
    values: list[int] = []
    for level in levels:
        here = Waiting(nodes, places, own, waiting, level)
        settled = (asked <= level) | (own >= level)  # who drops out at first sight
        if settled.sum() > FEW * len(settled):
            here.settle_light()
        if here.size > SHARE * every.size:  # hardly smaller: go on from the last level
            whole = _Whole(every, rows.classes.memory) if whole is None else whole
            values.append(whole.find_value(level))
        else:
            value = 2 * int(np.minimum(here.own, level).sum())
            if here.waiting.any():
                value += build_network(here, rows.classes.memory)[0].maximise()
            values.append(value)
        if values[-1] == total:
            break
    return *values, *[total] * (len(levels) - len(values))


class _Whole:
    """The flow between all persons, from level to level."""

    def __init__(self, every: Waiting, memory: str | None) -> None:
        self._own, self._flow = every.own, 0
        self._network, self._owners, self._givers, self._takers = build_network(every, memory)
        self._room = np.zeros(len(self._owners), np.int64)

    def find_value(self, level: int) -> int:
        """Twice the most rows with a witness, at a level that is not below the last."""
        used = np.minimum(self._own, level)
        room = (level - used)[self._owners]
        self._network.feed(self._givers, self._takers, room - self._room)
        self._room = room
        self._flow += self._network.maximise()
        return 2 * int(used.sum()) + self._flow


def _repair_network(rows: PersonRows, room: Integers) -> Network:
    """Rows give to rows that they conflict with, at most their number, their persons their room.

    Left nodes give and right nodes take. A person with room for all of their rows, or with a single
    node, binds nothing but the rows, so that rows of such persons may be one node.
    """
    nodes = rows.find_nodes()
    nodes = nodes.select(room[nodes.owner] > 0)
    total = sum_by(nodes.owner, nodes.rows, rows.persons)
    single = np.bincount(nodes.owner, minlength=rows.persons) == 1
    free = (single | (total <= room))[nodes.owner]
    amounts = np.where(free, np.minimum(nodes.rows, room[nodes.owner]), nodes.rows)
    nodes = nodes.merge(np.where(free, UNBOUND, nodes.owner), amounts)

    wiring = Wiring()
    bound = nodes.owner != UNBOUND
    owners, place = np.unique(nodes.owner[bound], return_inverse=True)
    givers, takers = wiring.add(len(owners)), wiring.add(len(owners))
    wiring.feed(givers, takers, room[owners])
    giver, taker, left, right = (np.full(len(bound), -1) for _ in range(4))
    giver[bound], taker[bound] = givers[place], takers[place]

    def attach(some: Integers, left: Integers, right: Integers) -> None:
        """Let the rows of some nodes give at the left ones and take at the right ones."""
        amounts, of_person = nodes.amounts[some], bound[some]
        wiring.feed(left[~of_person], right[~of_person], amounts[~of_person])
        own = some[of_person]
        wiring.join(giver[own], left[of_person], amounts[of_person])
        wiring.join(right[of_person], taker[own], amounts[of_person])

    apart = _needs_nodes(rows.relations, nodes)
    left[apart], right[apart] = (wiring.add(int(apart.sum())) for _ in range(2))
    attach(np.flatnonzero(apart), left[apart], right[apart])
    for relation, label in zip(rows.relations, nodes.labels, strict=True):
        inside = np.flatnonzero(label >= 0)
        if isinstance(relation, Crowded):
            wiring.join_different(label[inside], left[inside], right[inside])
            several = inside[nodes.rows[inside] > 1]
            wiring.join(left[several], right[several])
            continue
        lefts, rights = wiring.add(relation.count), wiring.add(relation.count)
        sole, other = inside[~apart[inside]], inside[apart[inside]]
        attach(sole, lefts[label[sole]], rights[label[sole]])
        wiring.join(left[other], lefts[label[other]])
        wiring.join(rights[label[other]], right[other])
        _join_values(wiring, relation, lefts, rights)
    return wiring.build(rows.classes.memory)


def _needs_nodes(relations: Sequence[Relation], nodes: Nodes) -> Mask:
    """Nodes that give by several relations, or by one that joins nodes to nodes."""
    uses = np.zeros(len(nodes.owner), np.int64)
    for relation, label in zip(relations, nodes.labels, strict=True):
        uses[label >= 0] += 2 if isinstance(relation, Crowded) else 1
    return uses > 1


def _join_values(
    wiring: Wiring, relation: Divided | Paired, left: Integers, right: Integers
) -> None:
    """Ways between parts or classes that conflict."""
    if isinstance(relation, Divided):
        wiring.join_different(relation.group_of, left, right)
    else:
        wiring.join(left[relation.left], right[relation.right])
        wiring.join(left[relation.right], right[relation.left])
