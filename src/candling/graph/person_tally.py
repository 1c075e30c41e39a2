"""How many conflicts persons have with the persons of a set, without writing pairs down.

Whether two rows conflict is a signed sum of "they agree on these labels": of a dependency they
agree on the left side, less those that agree on both sides; of a key they agree; of two classes
that conflict they are in one of the two, less those that are in the same one. For several
relations, 1 - product of (1 - each) is multiplied out.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from candling.graph.build import members_of
from candling.graph.edges import group_lines, sum_by
from candling.graph.person_pairs import Layout
from candling.graph.person_pairs_kernels import weigh
from candling.graph.person_rows import Crowded, Divided, Nodes, Paired, PersonRows

Integers = npt.NDArray[np.int64]
Indices = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]


class Entries(NamedTuple):
    """Labels, and how many rows each person has with each: by label, from `first` on."""

    first: Integers
    person: Indices
    rows: Integers
    sign: Integers  # by label: what a pair of rows with it counts


class TooManyError(Exception):
    """More entries than were allowed."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Conflicts between persons as a signed sum over labels."""

    entries: Entries
    persons: int
    home: Integers  # by person, conflicts between two of their rows

    def count_near(self, amounts: Integers | Mask) -> Integers:
        """For each person, the amounts of all others times the conflicts with them."""
        total = np.zeros(self.persons, np.int64)
        weigh(*self.entries, amounts.astype(np.int64), total)
        return total


def tally_conflicts(rows: PersonRows, nodes: Nodes, most: int) -> Tally | None:
    """The conflicts of all persons; None if that takes more than `most` entries."""
    terms = _Terms(rows, nodes, most)
    try:
        terms.add_sets((), np.arange(len(nodes.owner)), np.empty((0, len(nodes.owner)), np.int32))
        terms.add_pairs()
    except TooManyError:
        return None
    return terms.finish()


class _Terms:
    """Terms of the sum while they are collected."""

    def __init__(self, rows: PersonRows, nodes: Nodes, most: int) -> None:
        self._rows, self._nodes, self._left = rows, nodes, most
        self._found: dict[bytes, tuple[int, Integers, Indices]] = {}
        self._terms: list[tuple[Integers, Integers, Indices]] = []
        self._home = np.zeros(rows.persons, np.int64)  # twice
        self._sets: list[tuple[Divided | Crowded, Indices, Indices]] = []
        for relation, label in zip(rows.relations, nodes.labels, strict=True):
            if isinstance(relation, Divided):
                group = np.append(relation.group_of, np.int32(-1))[label]
                self._sets.append((relation, group, label))
            elif isinstance(relation, Crowded):
                self._sets.append((relation, label, label))

    def add_sets(self, chosen: tuple[int, ...], inside: Integers, columns: Indices) -> None:
        """The terms of all larger sets of relations; the nodes inside may break all chosen."""
        for number in range(chosen[-1] + 1 if chosen else 0, len(self._sets)):
            group = self._sets[number][1][inside]
            here = group >= 0
            own, both = inside[here], np.vstack([columns[:, here], group[here]])
            larger = (*chosen, number)
            able = self._can_break(larger, own, both)
            own, both = own[able], both[:, able]
            if not len(own):
                continue
            label = group_lines(both).label
            parts = [self._sets[n][2][own] for n in larger if isinstance(self._sets[n][0], Divided)]
            if not parts:  # keys alone: a row agrees with itself, and that is no conflict
                sign = 1 if len(larger) % 2 else -1
                alone = sum_by(self._nodes.owner[own], self._nodes.rows[own], len(self._home))
                self._home -= sign * alone
            for mask in range(2 ** len(parts)):
                taken = [part for bit, part in enumerate(parts) if mask >> bit & 1]
                sign = -1 if (len(larger) + len(taken)) % 2 == 0 else 1
                self._add(sign, own, group_lines(np.stack([label, *taken])).label)
            self.add_sets(larger, own, label[None, :])

    def _can_break(self, chosen: tuple[int, ...], own: Integers, columns: Indices) -> Mask:
        """Nodes in a group in which two rows may break each of the chosen relations."""
        able = np.ones(len(own), bool)
        if not len(own):
            return able
        label = group_lines(columns).label
        for number in chosen:
            relation, _, part = self._sets[number]
            if isinstance(relation, Divided):
                parts = group_lines(np.stack([label, part[own]]))
                able &= (np.bincount(label[parts.first]) > 1)[label]
            else:
                able &= (np.bincount(label, self._nodes.rows[own]) > 1)[label]
        return able

    def _add(self, sign: int, own: Integers, label: Indices) -> None:
        """A term, or nothing where another one was the same."""
        self._take(len(own))
        order = np.full(int(label.max()) + 1, len(label), np.int64)
        np.minimum.at(order, label, np.arange(len(label)))
        alike = order[label]
        digest = hashlib.blake2b(own.tobytes(), digest_size=32)
        digest.update(alike.tobytes())
        known = self._found.get(digest.digest())
        total = sign + (known[0] if known else 0)
        self._found[digest.digest()] = total, own, label

    def _take(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise TooManyError

    def add_pairs(self) -> None:
        """Pairs of classes that conflict, between nodes that conflict for no other reason."""
        relations, nodes = self._rows.relations, self._nodes
        if not any(isinstance(relation, Paired) for relation in relations):
            return
        twins = group_lines(np.stack(nodes.labels))
        labels = [label[twins.first] for label in nodes.labels]
        every = np.arange(twins.count)
        layout = Layout(relations, labels, every, np.ones_like(every), self._rows.classes.memory)
        pairs = layout.write_pairs(paired=True)
        degree = np.diff(pairs.offsets)
        left, right = np.repeat(every, degree), pairs.others.astype(np.int64)
        left, right = left[left < right], right[left < right]
        ends, members = members_of(twins.label)
        size = np.diff(ends)
        self._take(int((size[left] + size[right]).sum()) + len(members))
        both = []
        for side in (left, right):  # the two sides of a pair have one label, its number
            label = np.repeat(np.arange(len(side)), size[side])
            place = np.arange(len(label)) - np.repeat(
                np.cumsum(size[side]) - size[side], size[side]
            )
            both.append((members[ends[side[label]] + place], label))
        own, label = (np.concatenate(arrays) for arrays in zip(*both, strict=True))
        self._terms.append((np.ones(len(left), np.int64), own, label.astype(np.int32)))
        self._terms.append((-degree, np.arange(len(twins.label)), twins.label))

    def finish(self) -> Tally:
        """All terms in one."""
        for times, own, label in self._found.values():
            if times:
                count = int(label.max()) + 1
                self._terms.append((np.full(count, times, np.int64), own, label))
        firsts, persons, rows, signs = [np.zeros(1, np.int64)], [], [], []
        total = 0
        for sign, own, label in self._terms:
            owner = self._nodes.owner[own]
            both = group_lines(np.stack([label, owner]))  # sorted by label
            here, who = label[both.first], owner[both.first]
            amount = sum_by(both.label, self._nodes.rows[own], both.count)
            np.add.at(self._home, who, sign[here] * amount**2)
            kept = (np.bincount(here, minlength=len(sign)) > 1) & (sign != 0)
            inside = kept[here]
            firsts.append(total + np.cumsum(np.bincount(here, minlength=len(sign))[kept]))
            persons.append(who[inside])
            rows.append(amount[inside])
            signs.append(sign[kept])
            total += int(inside.sum())
        entries = Entries(
            np.concatenate(firsts),
            np.concatenate([np.empty(0, np.int64), *persons]).astype(np.int32),
            np.concatenate([np.empty(0, np.int64), *rows]),
            np.concatenate([np.empty(0, np.int64), *signs]),
        )
        return Tally(entries, len(self._home), self._home // 2)
