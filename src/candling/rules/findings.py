"""Warnings about rules that can be read: repeats, rules that never fire, empty strings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime, time
from itertools import pairwise

from candling.records import dataclass
from candling.rules.canonical import mirror, normalize
from candling.rules.conditions import constants_of, of_predicate
from candling.rules.constraint import Column, Constant, Constraint, ConstraintSet, Op, Predicate
from candling.rules.printer import operand_text, predicate_text

_LISTED = 12  # comparisons that a message names
_OPPOSITE = {
    Op.EQ: Op.NE,
    Op.NE: Op.EQ,
    Op.LT: Op.GE,
    Op.GE: Op.LT,
    Op.LE: Op.GT,
    Op.GT: Op.LE,
}

Operand = Column | Constant


@dataclass(frozen=True, slots=True)
class Finding:
    """A warning about the rule of a line, and the earlier line that it repeats, if any."""

    code: str
    message: str
    line: int | None
    other_line: int | None = None


def findings(constraints: ConstraintSet) -> tuple[Finding, ...]:
    """All warnings about the rules, in their order; the rules can be used all the same."""
    warnings: list[Finding] = []
    first: dict[Constraint, Constraint] = {}
    labelled: dict[str, Constraint] = {}
    for constraint in constraints:
        if core := _contradiction(constraint.predicates):
            warnings.append(
                Finding("R303", f"can never fire: {_cannot_hold(core)}", constraint.line)
            )
        else:
            other = first.setdefault(constraint.canonical, constraint)
            if other is not constraint:
                warnings.append(_repeat(constraint, other))
        warnings += [
            Finding(
                "R305",
                f"{text} does not match missing values: an empty cell of a CSV file is missing, "
                "and satisfies no comparison",
                constraint.line,
            )
            for text in _with_empty_strings(constraint)
        ]
        warnings += [
            Finding(
                "R306",
                f"`{constant.value}` is read as the string {operand_text(constant)}",
                constraint.line,
            )
            for p in constraint.predicates
            for constant in constants_of(of_predicate(p))
            if constant.unquoted
        ]
        if constraint.label is not None:
            other = labelled.setdefault(constraint.label, constraint)
            if other is not constraint:
                message = f"has the label `{constraint.label}` of {_rule(other)}"
                warnings.append(Finding("R304", message, constraint.line, other.line))
    return tuple(warnings)


def _with_empty_strings(constraint: Constraint) -> Iterator[str]:
    """The comparisons of a rule with the empty string that missing values do not satisfy."""
    for p in constraint.predicates:
        empty = isinstance(p.right, Constant) and p.right.value == ""
        if empty and p.op in {Op.EQ, Op.LE}:
            yield predicate_text(p)


def never_fires(constraint: Constraint) -> bool:
    """Whether no rows at all can satisfy the predicates, whatever the table holds.

    Sound: a rule that is said never to fire never does. It knows that values of one type are
    ordered, that there are two booleans and that no string is below the empty one.
    """
    return not satisfiable(constraint.predicates)


def implies(one: Iterable[Predicate], two: Iterable[Predicate]) -> bool:
    """Whether rows that satisfy all of `one` satisfy all of `two`, on every table. Sound."""
    given = tuple(one)
    known = {column for p in given for column in p.columns}  # which are not NULL there
    return all(
        known.issuperset(p.columns) and not satisfiable((*given, replace(p, op=_OPPOSITE[p.op])))
        for p in two
    )


def _rule(constraint: Constraint) -> str:
    return "an earlier rule" if constraint.line is None else f"line {constraint.line}"


def _repeat(constraint: Constraint, other: Constraint) -> Finding:
    written, before = normalize(constraint.predicates), normalize(other.predicates)
    if written != before and mirror(written) == before:
        message = f"is the mirror image of {_rule(other)}: both forbid the same pairs of rows"
        return Finding("R302", message, constraint.line, other.line)
    message = f"repeats {_rule(other)}: both forbid the same rows"
    return Finding("R301", message, constraint.line, other.line)


def _cannot_hold(core: list[Predicate]) -> str:
    if len(core) > _LISTED:
        return f"its {len(core)} comparisons cannot all hold"
    how = {1: "cannot hold", 2: "cannot both hold"}.get(len(core), "cannot all hold")
    return f"{' and '.join(map(predicate_text, core))} {how}"


def _contradiction(predicates: tuple[Predicate, ...]) -> list[Predicate]:
    """A part of the predicates that contradicts itself, none too many; empty if there is none.

    Of a rule with very many it may be all of them.
    """
    if satisfiable(predicates):
        return []
    core = list(predicates)
    size = len(core)
    while size > 1 and len(core) <= _LISTED * size:
        size = (size + 1) // 2
        start = 0
        while start < len(core):
            without = core[:start] + core[start + size :]
            if satisfiable(without):
                start += size
            else:
                core = without
    return core


def satisfiable(predicates: Iterable[Predicate]) -> bool:
    """Whether some values satisfy the predicates.

    In a dense order some do, unless a cycle of `<=` holds a `<` or both sides of a `!=`.
    """
    above: dict[Operand, set[Operand]] = {}  # what is at least as large
    strict: list[tuple[Operand, Operand]] = []
    differ: list[tuple[Operand, Operand]] = []
    for left, op, right in _comparisons(predicates):
        if op in {Op.EQ, Op.LE, Op.LT}:
            above.setdefault(left, set()).add(right)
        if op in {Op.EQ, Op.GE, Op.GT}:
            above.setdefault(right, set()).add(left)
        if op is Op.LT:
            strict.append((left, right))
        if op is Op.GT:
            strict.append((right, left))
        if op is Op.NE:
            differ.append((left, right))
    cycle = _cycles(above)
    return not any(cycle.get(a, a) == cycle.get(b, b) for a, b in (*strict, *differ))


def _comparisons(predicates: Iterable[Predicate]) -> Iterator[tuple[Operand, Op, Operand]]:
    """The comparisons of the predicates, and those that hold between their constants."""
    constants: set[Constant] = set()
    for p in predicates:
        if isinstance(p.right, Column):
            yield p.left, p.op, p.right
            continue
        constant = _point(p.right)
        constants.add(constant)
        if isinstance(constant.value, bool):
            yield from _boolean(p.left, p.op, constant.value)
            continue
        yield p.left, p.op, constant
        if isinstance(constant.value, str):
            constants.add(Constant(""))
            yield p.left, Op.GE, Constant("")
    by_type = sorted(constants, key=lambda c: (c.type.value, c.value))
    for smaller, larger in pairwise(by_type):
        if smaller.type is larger.type:
            yield smaller, Op.LT, larger


def _boolean(column: Column, op: Op, value: bool) -> Iterator[tuple[Operand, Op, Operand]]:
    """A comparison with a boolean, by the values that it allows: `!= true` is `= false`."""
    allowed = [v for v in (False, True) if op.compare(v, value)]
    if len(allowed) == 1:
        yield column, Op.EQ, Constant(allowed[0])
    elif not allowed:
        yield column, Op.NE, column


def _point(constant: Constant) -> Constant:
    """The constant on the scale of its type; a date is the timestamp of its midnight."""
    value = constant.value
    if isinstance(value, date) and not isinstance(value, datetime):
        return Constant(datetime.combine(value, time.min))
    return constant


def _cycles(above: Mapping[Operand, set[Operand]]) -> dict[Operand, Operand]:
    """Of each operand the first of those that must be equal to it: Kosaraju's two searches."""
    below: dict[Operand, set[Operand]] = {}
    for smaller, larger in above.items():
        for operand in larger:
            below.setdefault(operand, set()).add(smaller)
    left: list[Operand] = []
    seen: set[Operand] = set()
    for start in above:
        left += _search(start, above, seen)
    cycle: dict[Operand, Operand] = {}
    seen.clear()
    for start in reversed(left):
        cycle |= dict.fromkeys(_search(start, below, seen), start)
    return cycle


def _search(
    start: Operand, edges: Mapping[Operand, set[Operand]], seen: set[Operand]
) -> list[Operand]:
    """What can be reached and was not seen, in the order in which a search in depth leaves it."""
    if start in seen:
        return []
    seen.add(start)
    left: list[Operand] = []
    stack = [(start, iter(edges.get(start, ())))]
    while stack:
        operand, others = stack[-1]
        further = next((other for other in others if other not in seen), None)
        if further is None:
            left.append(operand)
            stack.pop()
        else:
            seen.add(further)
            stack.append((further, iter(edges.get(further, ()))))
    return left
