"""The rules of a table, compiled: what is read off them is worked out once and handed on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, overload

from candling.rules.canonical import Kind, Shape
from candling.rules.easy import EasyPart, easy_parts
from candling.rules.findings import never_fires
from candling.rules.model import Constraint
from candling.rules.text import to_text_without_label

if TYPE_CHECKING:
    from candling.rules.model import ConstraintSet


@dataclass(frozen=True, slots=True)
class RuleLine:
    """A rule as a card writes it."""

    text: str  # with its label, as in a rules file
    rule: str  # without
    label: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return {"text": self.text, "rule": self.rule, "label": self.label}


@dataclass(frozen=True)
class Rules(Sequence[Constraint]):
    """The rules that can be broken, each once and in its canonical form."""

    constraints: tuple[Constraint, ...]

    @overload
    def __getitem__(self, at: int) -> Constraint: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Constraint, ...]: ...
    def __getitem__(self, at: int | slice) -> Constraint | tuple[Constraint, ...]:
        return self.constraints[at]

    def __len__(self) -> int:
        return len(self.constraints)

    def __iter__(self) -> Iterator[Constraint]:
        return iter(self.constraints)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Each rule as one line."""
        return tuple(map(str, self.constraints))

    @cached_property
    def lines(self) -> tuple[RuleLine, ...]:
        """Each rule as a card writes it."""
        return tuple(
            RuleLine(text, to_text_without_label(rule), rule.label)
            for text, rule in zip(self.texts, self.constraints, strict=True)
        )

    @cached_property
    def chain(self) -> Chain:
        """Whether maximal consistent subsets can be counted under these rules."""
        return chain(self.constraints)

    @cached_property
    def easy_parts(self) -> tuple[EasyPart, ...]:
        """Parts of the rules whose smallest repair is easy on every table."""
        return easy_parts(self.constraints)

    @cached_property
    def exact_repair(self) -> bool:
        """Whether the smallest repair under all of the rules is easy on every table."""
        pairs = sum(rule.rows == 2 for rule in self.constraints)
        return not pairs or any(len(part.rules) == pairs for part in self.easy_parts)

    @cached_property
    def alone(self) -> tuple[Rules, ...]:
        """Each rule as if it were the only one."""
        return tuple(Rules((rule,)) for rule in self.constraints)


def compile_rules(constraints: ConstraintSet | Iterable[Constraint]) -> Rules:
    """The rules that matter, in order: no repeats, and none that can never be broken."""
    distinct: dict[Constraint, Constraint] = {}
    for rule in constraints:
        if not never_fires(rule):
            distinct.setdefault(rule.canonical, rule.canonical)
    return Rules(tuple(distinct.values()))


# Counting maximal consistent subsets


@dataclass(frozen=True, slots=True)
class Chain:
    """What the rules say about counting maximal consistent subsets.

    `broken_by` are the rules in the way. If there are none, the graph is a cograph on the rows that
    hold no NULL in the columns `not_null`: a row with NULL as a right side escapes that rule but
    not the ones further down the chain, and fits into no part of the recursion.
    """

    broken_by: tuple[str, ...]
    not_null: tuple[str, ...]


def chain(constraints: Sequence[Constraint]) -> Chain:
    """How the pair rules hang together (docs/privacy.md, Theorem 5)."""
    pairs = [(c, c.shape) for c in constraints if c.rows == 2]
    broken = [
        str(c)
        for c, form in pairs
        if form.kind not in (Kind.FD, Kind.KEY) or (form.where and len(pairs) > 1)
    ]
    if broken:
        return Chain(tuple(broken), ())
    pairs.sort(key=lambda item: len(item[1].equal))
    for (one, small), (two, large) in pairwise(pairs):
        if not set(small.equal) <= set(large.equal):
            return Chain((str(one), str(two)), ())
    forms = [form for _, form in pairs]
    return Chain((), tuple(dict.fromkeys(_escapes(forms))))


def _escapes(forms: list[Shape]) -> list[str]:
    """Right sides in which a NULL frees a row from its rule and not from all further ones."""
    return [
        form.differ
        for number, form in enumerate(forms)
        if form.differ is not None
        and any(
            form.differ not in other.equal
            for k, other in enumerate(forms)
            if k != number and (k > number or set(other.equal) == set(form.equal))
        )
    ]
