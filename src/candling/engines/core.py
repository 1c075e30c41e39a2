"""The query that keeps what may be in conflict: the row work, done by the engine.

A column says nothing of a row that no rule with this column sees in a conflict. So the engine
finds, rule by rule, which rows may be in a conflict, and every value that matters to none of their
rules becomes NULL, which breaks no rule. What is left is grouped and counted: rows in no conflict
are one group, and an almost unique column splits nothing where it breaks nothing. The conflict
graph stays what it was, and nothing of the size of the table leaves the engine.

The engine may keep too much and must never keep too little; what it kept is looked at again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from candling.engines.comparing import Comparing, every, some
from candling.engines.forms import Form
from candling.engines.lookups import Lookup, lookups
from candling.rules import Column, Constraint, Predicate

if TYPE_CHECKING:
    import ibis.expr.types as ir


def core(
    rows: ir.Table,
    forms: Mapping[str, Form],
    constraints: Sequence[Constraint],
    not_null: Iterable[str],
    *,
    once: bool = False,
) -> ir.Table:
    """Groups of rows by their values that may be in conflict, and last their number `n`.

    `rows` has the columns of `forms`, which are all that the rules read, as c0, c1, ... and so has
    the result. If `not_null` names columns, `whole` says whether none of them is NULL. With
    `once`, equal rows are counted before anything else is asked about them.
    """
    import ibis

    place = {name: f"c{number}" for number, name in enumerate(forms)}
    rules = [_renamed(c.canonical, place) for c in constraints]
    by = Comparing({place[name]: form for name, form in forms.items()}, once)
    seen = _seen(rows, rules, by)
    matters = {
        name: some(seen[f"r{k}"] for k, rule in enumerate(rules) if name in rule.columns)
        for name in rows.columns
    }
    values = {
        name: ibis.ifelse(flag, seen[name], ibis.null(seen[name].type()))
        for name, flag in matters.items()
    }
    if names := [place[name] for name in not_null]:
        values["whole"] = every(seen[name].notnull() for name in names)
    groups = seen.select(**values)
    return groups.group_by(list(values)).aggregate(n=groups.count())


def _seen(rows: ir.Table, rules: Sequence[Constraint], by: Comparing) -> ir.Table:
    """The rows with r0, r1, ...: whether each rule may see them in a conflict (NULL: no)."""
    known = lookups(rows, rules, by)
    joined = _joined(rows, known)
    flags = {
        f"r{k}": some(look.flags[k](joined) for look in known if k in look.flags)
        for k in range(len(rules))
    }
    return joined.select(*(joined[name] for name in rows.columns), **flags)


def _joined(rows: ir.Table, known: Sequence[Lookup]) -> ir.Table:
    """The rows with what is known of their values."""
    joined = rows
    for number, look in enumerate(known):
        if look.keys is None:
            continue
        # Names of their own, so that none is ambiguous.
        own = {name: f"k{number}_{name}" for name in dict.fromkeys(look.on.values())}
        keys = look.keys.rename({new: name for name, new in own.items()})
        pairs = [joined[name] == keys[own[key]] for name, key in look.on.items()]
        joined = joined.left_join(keys, pairs) if pairs else joined.cross_join(keys)
    return joined


def _renamed(constraint: Constraint, place: dict[str, str]) -> Constraint:
    def of(predicate: Predicate) -> Predicate:
        left, right = predicate.left, predicate.right
        if isinstance(right, Column):
            right = Column(right.row, place[right.name])
        return Predicate(Column(left.row, place[left.name]), predicate.op, right)

    return replace(constraint, predicates=tuple(map(of, constraint.predicates)))
