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

from candling.graph.edges import group_lines, sum_by
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
from candling.tables.classes import OwnedClasses

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
    network, owners, givers, takers = _witness_network(rows, nodes, waiting)
    values: list[int] = []
    flow, room = 0, np.zeros(len(owners), np.int64)
    for level in levels:
        used = np.minimum(own, level)
        more = (level - used)[owners] - room
        network.feed(givers, takers, more)
        room += more
        flow += network.maximise()
        values.append(2 * int(used.sum()) + flow)
        if values[-1] == total:
            break
    return *values, *[total] * (len(levels) - len(values))


def _witness_network(
    rows: PersonRows, nodes: Nodes, waiting: Mask
) -> tuple[Network, Integers, Integers, Integers]:
    """Persons give to rows of others and take from them; also the persons and their two nodes.

    Every way is there twice: from a witness to the person of a row, through the row, and from the
    person of a row, through the row, to a witness. Half of what flows is what the row gets.
    """
    wiring = Wiring()
    owners, place = np.unique(nodes.owner, return_inverse=True)
    givers, takers = wiring.add(len(owners)), wiring.add(len(owners))
    giver, taker = givers[place], takers[place]
    several = np.sum([label >= 0 for label in nodes.labels], axis=0) > 1
    middle = np.flatnonzero(waiting & several)
    forth, back = (np.full(len(nodes.owner), -1) for _ in range(2))
    forth[middle], back[middle] = wiring.add(len(middle)), wiring.add(len(middle))
    wiring.join(forth[middle], taker[middle], nodes.rows[middle])
    wiring.join(giver[middle], back[middle], nodes.rows[middle])
    for relation, label in zip(rows.relations, nodes.labels, strict=True):
        inside = np.flatnonzero(label >= 0)
        if isinstance(relation, Crowded):  # other persons of the class are the witnesses
            both = group_lines(np.stack([label[inside], place[inside]]))
            value, count, class_of = both.label, both.count, label[inside][both.first]
        else:
            value, count = label[inside], relation.count
        person_value = group_lines(np.stack([value, place[inside]]))
        one = person_value.first
        witness, its_value = inside[one], value[one]
        lone = waiting[inside] & ~several[inside]  # in no other relation: a person's are as one
        amounts = sum_by(person_value.label, nodes.rows[inside] * lone, len(one))
        fed = amounts > 0
        shared = waiting[inside] & several[inside]
        for ahead in (True, False):
            left, right = wiring.add(count), wiring.add(count)
            if ahead:
                wiring.join(giver[witness], left[its_value])
                wiring.join(right[its_value[fed]], taker[witness[fed]], amounts[fed])
                wiring.join(right[value[shared]], forth[inside[shared]])
            else:
                wiring.join(right[its_value], taker[witness])
                wiring.join(giver[witness[fed]], left[its_value[fed]], amounts[fed])
                wiring.join(back[inside[shared]], left[value[shared]])
            if isinstance(relation, Crowded):
                wiring.join_different(class_of, left, right)
            else:
                _join_values(wiring, relation, left, right)
    wiring.feed(givers, takers, np.zeros_like(givers))
    return wiring.build(rows.classes.memory), owners, givers, takers


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
