"""What is true of a table: the numbers behind its releases, computed when first needed. Private.

A table is whole, or it lies in parts (on the executors of a cluster). No conflict leaves a part, so
what a measure asks of the table it asks of every part, and joins the answers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from candling.graph import Graph, build_conflicts
from candling.graph.build import self_inconsistent
from candling.graph.repair import FractionalRepair, fractional_repair
from candling.graph.tractable_repair import count_fewest_removals
from candling.graph.witness import Witnesses, witnesses
from candling.privacy import LEVELS
from candling.rules import Rules
from candling.system.progress import Phase, enter
from candling.tables import Classes, OwnedClasses, Parts

if TYPE_CHECKING:
    from candling.measures.measure import Measure

T = TypeVar("T")
SEARCH = 60.0  # seconds after which the owner is not kept waiting for the smallest repair


class Part:
    """A part of a table in which all of its conflicts are, or the whole of it."""

    def __init__(self, classes: Classes, rules: Rules, graph: Graph | None = None) -> None:
        self.classes = classes
        self.rules = rules
        self._graph = graph

    def __repr__(self) -> str:
        return "Part()"  # nothing true in a repr

    @cached_property
    def graph(self) -> Graph:
        """Which rows conflict: not everything needs it."""
        if self._graph is not None:
            return self._graph
        enter(Phase.CONFLICTS)
        graph = build_conflicts(self.classes)
        enter(Phase.MEASURING)
        return graph

    @cached_property
    def consistent(self) -> Classes:
        """The rows that break no rule by themselves."""
        wrong = self_inconsistent(self.classes)
        return self.classes.select(~wrong) if wrong.any() else self.classes

    @property
    def self_inconsistent(self) -> int:
        """How many rows break a rule by themselves."""
        return int(self.classes.weights.sum()) - int(self.consistent.weights.sum())

    @cached_property
    def witnesses(self) -> Witnesses:
        """Three measures need them."""
        return witnesses(self.graph, LEVELS)

    @cached_property
    def relaxed(self) -> FractionalRepair:
        """The smallest fractional repair of the rows that break no rule by themselves."""
        return fractional_repair(self.graph, known=self.witnesses)

    @cached_property
    def removed(self) -> tuple[int, ...]:
        """The smallest repair of the same rows under each easy part of the rules."""
        return tuple(count_fewest_removals(easy, self.consistent) for easy in self.rules.easy_parts)

    @cached_property
    def by_rule(self) -> tuple[Part, ...]:
        """The same rows under each rule alone, and under those of types."""
        coded = self.classes.rules
        return tuple(
            Part(replace(self.classes, rules=tuple(coded[n] for n in entry)), rules)
            for entry, rules in zip(self.rules.entries, self.rules.alone, strict=True)
        )


class Facts:
    """What is true of one table under one set of rules. Private."""

    def __init__(
        self,
        parts: Parts,
        graph: Graph | None = None,
        rules: Rules | None = None,
    ) -> None:
        self.rows = parts.rows
        self.rules = Rules(parts.constraints) if rules is None else rules
        whole = parts.whole
        self._whole = None if whole is None else Part(whole, self.rules, graph)
        self._parts = parts
        self._terms: dict[str, Any] = {}

    def __repr__(self) -> str:
        return "Facts()"  # nothing true in a repr

    def ask(self, question: Callable[[Part], T]) -> list[T]:
        """What each part answers."""
        if self._whole is not None:
            return [question(self._whole)]
        rules = self.rules
        return self._parts.ask(lambda classes: question(Part(classes, rules)))

    def terms(self, measure: Measure) -> Any:
        """What a measure is made from, joined over the parts."""
        if measure.name not in self._terms:
            self._terms[measure.name] = measure.join_parts(self.ask(measure.terms))
        return self._terms[measure.name]

    def exact(self, search: float = SEARCH) -> dict[str, Any]:
        """The true numbers by name; the smallest repair is searched for so many seconds."""
        from candling.measures import MEASURES

        # One question for all: a part that lies elsewhere answers from its rows anew. The search
        # for the smallest repair, which is the first measure, comes last: it takes what time is
        # left.
        last_first = list(reversed(MEASURES.values()))
        answers = self.ask(lambda part: {m.name: m.exact_terms(part, search) for m in last_first})
        values: dict[str, Any] = {}
        for name, measure in MEASURES.items():
            values |= measure.exact(self, [answer[name] for answer in answers])
        return values

    def exact_by_rule(self, search: float = SEARCH) -> list[dict[str, Any]]:
        """The true repair numbers of each rule alone; all searches share so many seconds."""
        from candling.measures import REPAIR

        def terms(part: Part) -> list[Any]:
            end = time.monotonic() + search
            return [
                REPAIR.exact_terms(rule, max(0.0, end - time.monotonic())) for rule in part.by_rule
            ]

        answers = self.ask(terms)
        return [
            REPAIR.exact_under(rule, own)
            for rule, *own in zip(self.rules.alone, *answers, strict=True)
        ]

    @property
    def whole(self) -> Part:
        """The table as one part, for what looks at one that is in this process."""
        if self._whole is None:
            raise AssertionError("the table is in several parts")
        return self._whole

    @property
    def classes(self) -> Classes:
        """The rows of the table: those that may be in conflict, the others as one class."""
        return self.whole.classes

    @property
    def graph(self) -> Graph:
        """Which rows of the table conflict."""
        return self.whole.graph


class PersonFacts:
    """What is true of a table whose rows belong to persons, each found when it is needed. Private.

    Args:
        rules: The rules.
        kept: What is true of a sample with so many rows of each person.
        owned: The rows that may be in conflict, by person.
        rows: For each of several numbers, the rows if at most so many of each person count.
    """

    def __init__(
        self,
        rules: Rules,
        kept: Callable[[int], Facts],
        owned: Callable[[], OwnedClasses],
        rows: Callable[[Sequence[int]], list[int]],
    ) -> None:
        self.rules, self.kept = rules, kept
        self._read_owned, self._read_rows = owned, rows
        self._known: dict[object, tuple[int, ...]] = {}
        self._owned: OwnedClasses | None = None

    def __repr__(self) -> str:
        return "PersonFacts()"  # nothing true in a repr

    def rows(self, levels: tuple[int, ...]) -> tuple[int, ...]:
        """The rows to which a person adds at most so many, for each level."""
        return self._find(("rows", levels), lambda: self._read_rows(levels))

    def repair(self, capacity: int) -> int:
        """Twice a lower bound of the smallest repair, to which a person adds `capacity` at most."""
        from candling.graph.person_flow import person_repair

        (value,) = self._find(("repair", capacity), lambda: [person_repair(self.owned(), capacity)])
        return value

    def by_rule(self, capacity: int) -> tuple[int, ...]:
        """The same under each rule alone."""
        from candling.graph.person_flow import person_repair_by_rule

        entries = self.rules.entries
        return self._find(
            ("by_rule", capacity), lambda: person_repair_by_rule(self.owned(), capacity, entries)
        )

    def witnessed(self, levels: tuple[int, ...]) -> tuple[int, ...]:
        """Twice a lower bound of the rows in conflict, for each level."""
        from candling.graph.person_flow import person_witnesses

        return self._find(("witnessed", levels), lambda: person_witnesses(self.owned(), levels))

    def conflicts(self, levels: tuple[int, ...]) -> tuple[int, ...]:
        """Twice a lower bound of the conflicts, for each level."""
        from candling.graph.person_conflicts import person_conflicts

        return self._find(("conflicts", levels), lambda: person_conflicts(self.owned(), levels))

    def owned(self) -> OwnedClasses:
        """The rows that may be in conflict, by person."""
        if self._owned is None:
            self._owned = self._read_owned()
            enter(Phase.MEASURING)
        return self._owned

    def _find(self, what: object, find: Callable[[], Sequence[int]]) -> tuple[int, ...]:
        if what not in self._known:
            self._known[what] = tuple(find())
        return self._known[what]
