"""Rules whose conflict graph is a cograph whatever the table, so that counting stays easy.

That is so for functional dependencies and keys whose left sides form a chain. Whether it holds is
read off the rules alone, never the data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from candling.rules.canonical import Kind, Shape
from candling.rules.model import Constraint


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
