"""The most conflicts in which no person has a part more than T times."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from candling.graph.person_filling import Filling
from candling.graph.person_network import Wiring
from candling.graph.person_pairs import Layout, PersonPairs
from candling.graph.person_rows import PersonRows
from candling.graph.person_tally import Tally, tally_conflicts
from candling.system.limits import must_progress
from candling.tables.classes import OwnedClasses

Integers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

WRITTEN = 30_000_000  # pairs of rows that are looked at without trying anything else
SPREAD = 50  # entries of a tally for each row in conflict


def person_conflicts(owned: OwnedClasses, levels: Sequence[int]) -> tuple[int, ...]:
    """Twice the most conflicts in which a person has a part `levels[i]` times, for each i.

    A conflict counts once at most, and takes room of each person who has a row in it, once if it is
    one person. Half of it is at most the number of conflicts, and reaches it. A person with all of
    their rows adds 0 to 2 * `levels[i]` to entry i.

    Args:
        owned: The classes of each person.
        levels: What one person can take part in, 1 or more, ascending.
    """
    rows = PersonRows(owned)
    if not rows.relations:
        return tuple(2 * int(np.minimum(rows.wrong, level).sum()) for level in levels)
    nodes, memory = rows.find_nodes(), rows.classes.memory
    layout = Layout(rows.relations, nodes.labels, nodes.owner, nodes.rows, memory)
    tally = None
    if layout.count_pairs(WRITTEN) > WRITTEN:
        tally = tally_conflicts(rows, nodes, max(WRITTEN, SPREAD * len(nodes.owner)))
    if tally is None:
        return _follow_pairs(layout.write_pairs(), rows.wrong, levels, memory)
    return _Dense(layout, tally, rows.wrong + tally.home, memory).find_values(levels)


def _follow_pairs(
    pairs: PersonPairs, wrong: Integers, levels: Sequence[int], memory: str | None
) -> tuple[int, ...]:
    """The values by a flow along written pairs, from level to level."""
    persons = len(pairs.offsets) - 1
    own = wrong.copy()
    own[:persons] += pairs.home
    total = 2 * int(own.sum()) + int(pairs.conflicts.sum())
    wiring = Wiring()
    givers, takers = wiring.add(persons), wiring.add(persons)
    wiring.join(np.repeat(givers, np.diff(pairs.offsets)), takers[pairs.others], pairs.conflicts)
    wiring.feed(givers, takers, np.zeros_like(givers))
    network = wiring.build(memory)
    values: list[int] = []
    flow, room = 0, np.zeros(persons, np.int64)
    for level in levels:
        used = np.minimum(own, level)
        more = level - used[:persons] - room
        network.feed(givers, takers, more)
        room += more
        flow += network.maximise()
        values.append(2 * int(used.sum()) + flow)
        if values[-1] == total:
            break
    return *values, *[total] * (len(levels) - len(values))


class _Dense:
    """The values where pairs are too many to be written down."""

    def __init__(self, layout: Layout, tally: Tally, own: Integers, memory: str | None) -> None:
        self._layout, self._tally, self._own, self._memory = layout, tally, own, memory
        self._filling = Filling(tally)
        self._degrees = tally.count_near(np.ones(tally.persons, bool))
        self._total = 2 * int(own.sum()) + int(self._degrees.sum())

    def find_values(self, levels: Sequence[int]) -> tuple[int, ...]:
        """All values, from the highest level to the lowest.

        They are concave in the level, and 0 at 0. So a value is at least its share of a higher one.
        """
        values: list[int] = []
        higher, above = 1, 0  # the last level and its value
        for level in reversed(levels):
            used = np.minimum(self._own, level)
            most = 2 * int(used.sum()) + int(np.minimum(level - used, self._degrees).sum())
            least = -(-above * level // higher)
            value = most if most in (least, self._total) else self._solve(level, least)
            values.append(value)
            higher, above = level, value
        return tuple(reversed(values))

    def _solve(self, level: int, least: int) -> int:
        """A value that is at least `least`: heavy and light, then the core."""
        tally = self._tally
        used = np.minimum(self._own, level)
        room = level - used
        value = 2 * int(used.sum())
        core = self._degrees > 0
        spent = core & (room == 0)
        inside = self._degrees
        if spent.any():
            inside = inside - tally.count_near(spent)
            core &= ~spent
        rounds = tally.persons
        while (light := core & (inside <= room)).any():
            must_progress(rounds > 0)
            rounds -= 1
            near = tally.count_near(light)
            core &= ~light
            take = np.where(core, np.minimum(room, near), 0)
            value += int(near[light].sum()) + 2 * int(take.sum())
            room = room - take
            spent = core & (room == 0)
            core &= ~spent
            inside = inside - near
            if spent.any():
                inside = inside - tally.count_near(spent)
        if not core.any():
            return value
        if value + int(room[core].sum()) == least:
            return least
        flow = self._filling.fill(core, room)
        return value + (self._follow(core, room) if flow is None else flow)

    def _follow(self, core: Mask, room: Integers) -> int:
        """The flow of a core along its pairs."""
        pairs = self._layout.write_pairs(core)
        persons = np.arange(len(core))
        wiring = Wiring()
        givers, takers = wiring.add(len(core)), wiring.add(len(core))
        wiring.join(
            np.repeat(persons, np.diff(pairs.offsets)), takers[pairs.others], pairs.conflicts
        )
        wiring.feed(givers, takers, np.where(core, room, 0))
        return wiring.build(self._memory).maximise()
