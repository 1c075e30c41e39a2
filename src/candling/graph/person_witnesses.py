"""The most rows with a witness, of which no person takes part in more than T.

First light persons: one who has room for all that could ever be asked of them binds nothing, so a
row that they are a witness of needs room of its own person only. That makes others light. What is
left is a flow between persons.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from candling.graph.edges import group_lines, sum_by
from candling.graph.person_network import Integers, Mask, Network, Wiring
from candling.graph.person_rows import Crowded, Divided, Nodes, Paired, Relation

Indices = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Places:
    """Where nodes are in a relation: rows at a value conflict with rows at some other values."""

    inside: Integers  # the nodes
    value: Indices  # of each; in a class of which every two rows conflict, one for each person
    count: int  # of values
    group_of: Indices | None  # of values: all values of a group conflict; None: these pairs do
    pairs: tuple[Indices, Indices]
    owner: Integers  # each person at each value once: the person
    at: Indices  # and the value

    def near(self, amounts: Integers) -> Integers:
        """The sum of the amounts of all values that conflict with each value."""
        if self.group_of is not None:
            whole = sum_by(self.group_of, amounts, int(self.group_of.max(initial=-1)) + 1)
            return whole[self.group_of] - amounts
        left, right = self.pairs
        total = sum_by(left, amounts[right], self.count)
        return total + sum_by(right, amounts[left], self.count)

    def join(self, wiring: Wiring, left: Integers, right: Integers) -> None:
        """Ways from the left nodes of values to the right nodes of those that conflict."""
        if self.group_of is not None:
            wiring.join_different(self.group_of, left, right)
        else:
            one, two = self.pairs
            wiring.join(left[one], right[two])
            wiring.join(left[two], right[one])


def place_nodes(relation: Relation, label: Indices, owner: Integers) -> Places:
    """Where nodes are in a relation, by their labels and owners."""
    inside = np.flatnonzero(label >= 0)
    value, group_of = label[inside], None
    count = 0 if isinstance(relation, Crowded) else relation.count
    if isinstance(relation, Divided):
        group_of = relation.group_of
    elif isinstance(relation, Crowded):  # other persons of the class are the witnesses
        both = group_lines(np.stack([value, owner[inside]]))
        value, count, group_of = both.label, both.count, value[both.first]
    one = group_lines(np.stack([value, owner[inside]])).first
    none = np.empty(0, np.int32)
    pairs = (relation.left, relation.right) if isinstance(relation, Paired) else (none, none)
    return Places(inside, value, count, group_of, pairs, owner[inside][one], value[one])


class Waiting:
    """Who waits for a witness at a level, and what is left of the rooms."""

    def __init__(
        self, nodes: Nodes, places: Sequence[Places], own: Integers, waiting: Mask, level: int
    ) -> None:
        self.nodes, self.places, self.level = nodes, places, level
        self.own, self.waiting = own.copy(), waiting.copy()
        self.able = np.ones(len(own), bool)  # who may be a witness

    @property
    def size(self) -> int:
        """About how large the network is."""
        return int(self.waiting.sum()) + sum(int(self.able[p.owner].sum()) for p in self.places)

    @property
    def room(self) -> Integers:
        """What each person has left beside their own."""
        return self.level - np.minimum(self.own, self.level)

    def count_asked(self) -> Integers:
        """The most that can be asked of each person beside their own."""
        waiting, persons = self.nodes.rows * self.waiting, len(self.own)
        asked = sum_by(self.nodes.owner, waiting, persons)
        for place in self.places:
            near = place.near(sum_by(place.value, waiting[place.inside], place.count))
            asked += sum_by(place.owner, near[place.at], persons)
        return asked

    def settle_light(self) -> None:
        """Count rows with a witness that binds nothing as their person's own, over and over.

        Rows of a person without room have no witness and are none.
        """
        nodes, persons = self.nodes, len(self.own)
        while True:  # fewer nodes wait after every round but the last
            count = int(self.waiting.sum())
            self.waiting &= (self.room > 0)[nodes.owner]
            light = self.own + self.count_asked() <= self.level
            settled = np.zeros(len(nodes.owner), bool)
            for place in self.places:
                there = np.zeros(place.count, np.int64)
                there[place.at[light[place.owner]]] = 1
                settled[place.inside] |= (place.near(there) > 0)[place.value]
            settled &= self.waiting
            self.own += sum_by(nodes.owner, nodes.rows * settled, persons)
            self.waiting &= ~settled
            if int(self.waiting.sum()) == count:
                self.able = (self.room > 0) & ~light  # what light ones could be is settled
                return


def build_network(
    here: Waiting, memory: str | None
) -> tuple[Network, Integers, Integers, Integers]:
    """Persons give to rows of others and take from them.

    Every way is there twice: from a witness to the person of a row, through the row, and from the
    person of a row, through the row, to a witness. Half of what flows is what the row gets.
    """
    nodes, waiting, room = here.nodes, here.waiting, here.room
    wiring = Wiring()
    owners, place_of = np.unique(nodes.owner, return_inverse=True)
    number = np.full(len(here.own), -1)
    number[owners] = np.arange(len(owners))
    givers, takers = wiring.add(len(owners)), wiring.add(len(owners))
    wiring.feed(givers, takers, room[owners])
    giver, taker = givers[place_of], takers[place_of]
    several = np.sum([label >= 0 for label in nodes.labels], axis=0) > 1
    middle = np.flatnonzero(waiting & several)
    forth, back = (np.full(len(nodes.owner), -1) for _ in range(2))
    forth[middle], back[middle] = wiring.add(len(middle)), wiring.add(len(middle))
    wiring.join(forth[middle], taker[middle], nodes.rows[middle])
    wiring.join(giver[middle], back[middle], nodes.rows[middle])
    for place in here.places:
        inside, value = place.inside, place.value
        gives = here.able[place.owner]
        witness, at = number[place.owner[gives]], place.at[gives]
        # Rows that wait in no other relation: those of a person at a value are one.
        lone = np.flatnonzero((waiting & ~several)[inside])
        both = group_lines(np.stack([value[lone], place_of[inside[lone]]]))
        amounts = sum_by(both.label, nodes.rows[inside[lone]], both.count)
        lone, shared = lone[both.first], np.flatnonzero((waiting & several)[inside])
        for ahead in (True, False):
            left, right = wiring.add(place.count), wiring.add(place.count)
            if ahead:
                wiring.join(givers[witness], left[at])
                wiring.join(right[value[lone]], taker[inside[lone]], amounts)
                wiring.join(right[value[shared]], forth[inside[shared]])
            else:
                wiring.join(right[at], takers[witness])
                wiring.join(giver[inside[lone]], left[value[lone]], amounts)
                wiring.join(back[inside[shared]], left[value[shared]])
            place.join(wiring, left, right)
    return wiring.build(memory), owners, givers, takers
