"""Rows in conflict by person: which are wrong, which are at home, and what each rule says of them.

A row is wrong if it breaks a rule alone, and at home if it breaks a rule together with another row
of the same person. What a rule says of the rows in conflict is kept as a relation, without pairs of
rows, for networks of linear size.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from candling.graph.build import self_inconsistent
from candling.graph.edges import find_dependent_groups, group_lines, rule_edges, sum_by
from candling.records import dataclass
from candling.rules import Kind, Op
from candling.tables import Classes, CodedPredicate, CodedRule
from candling.tables.classes import NULL, OwnedClasses

Integers: TypeAlias = npt.NDArray[np.int64]
Indices: TypeAlias = npt.NDArray[np.int32]
Mask: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Divided:
    """Groups in parts: two rows of a group conflict if their parts differ. Of dependencies."""

    label: Indices  # by line, its part; -1: in no conflict
    group_of: Indices  # by part

    @property
    def count(self) -> int:
        return len(self.group_of)


@dataclass(frozen=True, slots=True)
class Crowded:
    """Classes in which every two rows conflict. Of keys, and of rules that equal rows break."""

    label: Indices  # by line, its class; -1: in no conflict


@dataclass(frozen=True, slots=True)
class Paired:
    """Pairs of different classes whose rows conflict. Of order rules and general rules."""

    label: Indices  # by line, its class; -1: in no conflict
    count: int
    left: Indices
    right: Indices


Relation: TypeAlias = Divided | Crowded | Paired


@dataclass(frozen=True, slots=True)
class Nodes:
    """Rows in conflict; those of one owner that look the same to all rules are one node."""

    owner: Integers
    rows: Integers
    amounts: Integers  # what its rows can take part in
    line: Integers  # one line of each
    labels: tuple[Indices, ...]  # by relation

    def select(self, nodes: Mask) -> Nodes:
        """Some of them."""
        labels = tuple(label[nodes] for label in self.labels)
        return Nodes(
            self.owner[nodes], self.rows[nodes], self.amounts[nodes], self.line[nodes], labels
        )

    def merge(self, owner: Integers, amounts: Integers) -> Nodes:
        """The same with other owners and amounts."""
        groups = group_lines(np.stack([owner, *self.labels]))
        first = groups.first
        return Nodes(
            owner[first],
            sum_by(groups.label, self.rows, groups.count),
            sum_by(groups.label, amounts, groups.count),
            self.line[first],
            tuple(label[first] for label in self.labels),
        )


class PersonRows:
    """The rows of each person under some rules.

    Args:
        owned: The classes of each person.
    """

    def __init__(self, owned: OwnedClasses) -> None:
        classes = owned.classes
        wrong = self_inconsistent(classes)
        self.persons = int(owned.persons.max(initial=-1)) + 1
        self.wrong = self._count(owned.persons[wrong], classes.weights[wrong])  # by person
        self.owner = owned.persons[~wrong]  # by line that is not wrong
        self.classes = classes.select(~wrong)
        pairs = [rule for rule in classes.rules if rule.constraint.rows == 2]
        found = [tuple(_relations(self.classes, rule)) for rule in pairs]
        self._by_rule = tuple(zip(pairs, found, strict=True))
        self.relations = tuple(
            relation for relations in found for relation in relations if (relation.label >= 0).any()
        )

    def __repr__(self) -> str:
        return f"PersonRows(rules={len(self.classes.rules)})"  # nothing true in a repr

    def _count(self, owner: Integers, weights: Integers) -> Integers:
        return sum_by(owner, weights, self.persons)

    def count_by_person(self, lines: Mask) -> Integers:
        """How many rows each person has on some of the lines that are not wrong."""
        return self._count(self.owner[lines], self.classes.weights[lines])

    def find_nodes(self) -> Nodes:
        """The rows in conflict by person."""
        labels = [relation.label for relation in self.relations]
        inside = np.zeros(len(self.owner), bool)
        for label in labels:
            inside |= label >= 0
        lines = np.flatnonzero(inside)
        owner, weights = self.owner[lines], self.classes.weights[lines]
        every = Nodes(owner, weights, weights, lines, tuple(label[lines] for label in labels))
        return every.merge(owner, weights)

    def find_home(self) -> Mask:
        """Lines whose rows conflict with another row of their person.

        They are in conflict under the same rules for rows that agree on their person too.
        """
        home = np.zeros(len(self.owner), bool)
        for rule, relations in self._by_rule:
            inside = np.zeros(len(self.owner), bool)
            for relation in relations:
                inside |= relation.label >= 0
            lines = np.flatnonzero(inside)
            home[lines[_in_conflict(*self._with_person(rule, lines))]] = True
        return home

    def _with_person(self, rule: CodedRule, lines: Integers) -> tuple[Classes, CodedRule]:
        """Some lines, and a rule for two rows of one person."""
        codes, place = self.classes.codes[:, lines], len(self.classes.codes)
        same = CodedPredicate(place, 1, Op.EQ, place, 2, NULL)
        classes = replace(
            self.classes,
            codes=np.vstack([codes, self.owner[lines].astype(np.int32)]),
            weights=self.classes.weights[lines],
            complete=None,
        )
        return classes, replace(rule, predicates=(*rule.predicates, same))


def _relations(classes: Classes, rule: CodedRule) -> Iterator[Relation]:
    """What a rule says of the lines in conflict."""
    kind = rule.constraint.shape.kind
    if kind is Kind.FD:
        groups = find_dependent_groups(classes, rule)
        several = np.bincount(groups.group_of) > 1
        kept = several[groups.group_of]
        label = np.full(len(classes.weights), -1, np.int32)
        label[groups.lines] = _number(kept)[groups.part]
        yield Divided(label, _number(several)[groups.group_of[kept]])
        return
    edges = rule_edges(classes, rule)
    loop = edges.left == edges.right
    several = np.zeros(int(edges.class_of.max(initial=-1)) + 1, bool)
    several[edges.left[loop]] = True
    yield Crowded(_relabel(edges.class_of, several))
    if kind is not Kind.KEY:
        paired = np.zeros_like(several)
        paired[edges.left[~loop]] = paired[edges.right[~loop]] = True
        number = _number(paired)
        label = _relabel(edges.class_of, paired)
        count = int(paired.sum())
        yield Paired(label, count, number[edges.left[~loop]], number[edges.right[~loop]])


def _in_conflict(classes: Classes, rule: CodedRule) -> Mask:
    """Lines in a conflict under a pair rule."""
    if rule.constraint.shape.kind is Kind.FD:
        return find_dependent_groups(classes, rule).in_conflict(len(classes.weights))
    return rule_edges(classes, rule).class_of >= 0


def _number(kept: Mask) -> Indices:
    """Consecutive numbers for those that are kept, -1 for the others."""
    return np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)


def _relabel(label: Indices, kept: Mask) -> Indices:
    """New numbers for the labels that are kept, -1 for the others."""
    return np.append(_number(kept), np.int32(-1))[label]
