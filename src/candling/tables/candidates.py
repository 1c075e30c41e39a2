"""Which values of a rule's columns may be in a conflict, compared by the engine.

Values of one form compare alike everywhere. Where two forms meet, or a constant that has no exact
value in a form, there is no comparison (None): our own code decides.

Rules with the same equality columns share one aggregate over the groups that these make.
Order rules take the extremes before and after each place on the scale, all other rules the extremes
of what a row is compared with. No row is joined with a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import and_, or_
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import ibis

from candling.records import dataclass
from candling.rules import Column, ColumnType, Constraint, Kind, Op, Predicate, Shape, Value
from candling.tables.values import Form

if TYPE_CHECKING:
    import ibis.expr.types as ir

Flag: TypeAlias = Any  # a truth value of the engine, which may be NULL

_WHOLE = {64: 2**53, 32: 2**24, 16: 2**11}  # to where floats of so many bits hold all integers


def every(flags: Iterable[Flag]) -> Flag:
    """Whether all of them hold."""
    return _combine(and_, [*flags], empty=True)


def some(flags: Iterable[Flag]) -> Flag:
    """Whether one of them holds."""
    return _combine(or_, [*flags], empty=False)


def _combine(by: Callable[[Flag, Flag], Flag], flags: list[Flag], *, empty: bool) -> Flag:
    """In halves: a thousand of them in a row would be nested too deep."""
    if len(flags) < 2:
        return flags[0] if flags else ibis.literal(empty)
    half = len(flags) // 2
    return by(_combine(by, flags[:half], empty=empty), _combine(by, flags[half:], empty=empty))


def on_scale(column: ir.Column) -> Any:
    """The column as values whose order, minimum and maximum are ours on its engine; else None."""
    dtype = column.type()
    if dtype.is_boolean():
        return column.cast("int32")
    return None if dtype.is_binary() else column  # PostgreSQL knows no minimum of bytes


@dataclass(frozen=True, slots=True)
class Comparing:
    """The forms of columns, by the names that the query has for them."""

    forms: Mapping[str, Form]
    once: bool = False  # equal rows are counted before anything else is asked about them

    def fits(self, rows: ir.Table, needed: Sequence[str], where: Iterable[Predicate]) -> Flag:
        """Rows that can be in a conflict: nothing is missing, and the conditions may hold."""
        conditions = (self.compare(p, rows) for p in where)
        return every(
            [*(rows[name].notnull() for name in needed), *(c for c in conditions if c is not None)]
        )

    def compare(self, predicate: Predicate, rows: ir.Table) -> Flag | None:
        """The predicate between columns of these rows, or None."""
        left: Any = rows[predicate.left.name]
        right: Any
        if isinstance(predicate.right, Column):
            right = rows[predicate.right.name]
            if not self._alike(predicate.left.name, predicate.right.name, rows):
                return None
        else:
            right = self._exact(predicate.left.name, predicate.right.value, rows)
            if right is None:
                return None
        if predicate.op not in (Op.EQ, Op.NE):
            left = on_scale(left)
            if left is None:
                return None
            if isinstance(predicate.right, Column):
                right = on_scale(right)
            elif isinstance(right, bool):
                right = int(right)
        return predicate.op.compare(left, right)

    def _alike(self, one: str, two: str, rows: ir.Table) -> bool:
        """Whether the numbers of two columns mean the same."""
        units = self.forms[one].unit == self.forms[two].unit
        kinds = self.forms[one].kind is self.forms[two].kind
        types = (rows[name].type().copy(nullable=True) for name in (one, two))
        return units and kinds and len({*types}) == 1

    def _exact(self, name: str, value: Value, rows: ir.Table) -> Value | None:
        """The constant beside such a column, if it means the same on every engine."""
        form, dtype = self.forms[name], rows[name].type()
        constant = form.constant(value)
        match constant:
            case bool():
                return constant if form.kind is ColumnType.BOOLEAN else None
            case int():
                if form.bits is not None:
                    return constant if abs(constant) <= _WHOLE[form.bits] else None
                return constant if dtype.is_integer() and abs(constant) < 2**63 else None
            case str():
                return constant if "\0" not in constant else None
        return None


BUCKETS = 128  # parts of the scale of an order rule without equality columns
LARGE, SMALL = "1e300", "1e-250"  # doubles beyond are taken for these, or for 0
LEAST_SHARE = 1e-9  # of the scale that tells two parts of it apart
PREFIX = 2  # characters of a text that tell its part


@dataclass(frozen=True, slots=True)
class Lookup:
    """What is known of the values of some columns, with at most one line for each.

    `on` names the columns by those of `keys` that they equal. `flags` tell, by the number of a
    rule, which of the rows that are joined with `keys` may be in a conflict.
    """

    keys: ir.Table | None  # None: the row's own values tell
    on: dict[str, str]
    flags: dict[int, Callable[[ir.Table], Flag]]


def select_core(
    rows: ir.Table, rules: Sequence[Constraint], by: Comparing, not_null: Sequence[str]
) -> ir.Table:
    """Groups of rows by their values that may be in conflict, and last their number `n`.

    `rows` has the columns that the rules read, and so has the result. If `not_null` names some of
    them, `whole` says whether none of these is NULL.
    """
    seen = _flag_candidates(rows, rules, by)
    matters = {
        name: some(seen[f"r{k}"] for k, rule in enumerate(rules) if name in rule.columns)
        for name in rows.columns
    }
    values = {
        name: ibis.ifelse(flag, seen[name], ibis.null(seen[name].type()))
        for name, flag in matters.items()
    }
    if not_null:
        values["whole"] = every(seen[name].notnull() for name in not_null)
    groups = seen.select(**values)
    return groups.group_by(list(values)).aggregate(n=groups.count())


def _flag_candidates(rows: ir.Table, rules: Sequence[Constraint], by: Comparing) -> ir.Table:
    """The rows with r0, r1, ...: whether each rule may see them in a conflict (NULL: no)."""
    known = lookups(rows, rules, by)
    joined = _join_lookups(rows, known)
    flags = {
        f"r{k}": some(look.flags[k](joined) for look in known if k in look.flags)
        for k in range(len(rules))
    }
    return joined.select(*(joined[name] for name in rows.columns), **flags)


def _join_lookups(rows: ir.Table, known: Sequence[Lookup]) -> ir.Table:
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


def lookups(rows: ir.Table, rules: Sequence[Constraint], by: Comparing) -> list[Lookup]:
    """What tells the rows that may be in a conflict, for every rule."""
    tables = []
    grouped: dict[tuple[str, ...], dict[int, Shape]] = {}
    for number, rule in enumerate(rules):
        form = rule.shape
        match form.kind:
            case Kind.FD | Kind.KEY:
                grouped.setdefault(form.equal, {})[number] = form
            case Kind.ORDER:
                tables.append(_order(rows, number, form, by))
            case Kind.GENERAL:
                tables += [_side(rows, number, rule, side, by) for side in (1, 2)]
            case Kind.ROW:
                tables.append(_own(number, rule.columns, rule.predicates, by))
    tables += [_groups(rows, equal, forms, by) for equal, forms in grouped.items()]
    return tables


def _own(number: int, needed: Sequence[str], where: Sequence[Predicate], by: Comparing) -> Lookup:
    """Rows by their own values alone."""
    return Lookup(None, {}, {number: lambda t: by.fits(t, needed, where)})


# -------------------------------------------------------------------------- dependencies and keys


def _groups(
    rows: ir.Table, equal: tuple[str, ...], forms: dict[int, Shape], by: Comparing
) -> Lookup:
    """Groups of equal rows in which some rule is broken."""
    present = _count_rows(rows, equal, list(forms.values()), by)
    broken = {
        f"broken{number}": _group_breaks_rule(present, form, by) for number, form in forms.items()
    }
    groups = present.aggregate(by=list(equal), **broken)

    def flag(number: int, form: Shape) -> Callable[[ir.Table], Flag]:
        needed = (form.differ,) if form.differ else ()
        return lambda t: t[f"broken{number}"] & by.fits(t, needed, form.where)

    flags = {number: flag(number, form) for number, form in forms.items()}
    if equal:  # else there is one group, and every row meets it
        groups = groups.filter(some(groups[name] for name in broken))
    return Lookup(groups, {name: name for name in equal}, flags)


def _count_rows(
    rows: ir.Table, equal: tuple[str, ...], forms: Sequence[Shape], by: Comparing
) -> ir.Table:
    """Rows with a value in the equality columns; if asked, equal ones once, with their `times`."""
    present = rows.filter(by.fits(rows, equal, ())) if equal else rows
    if not by.once:
        return present
    conditions = (c.name for form in forms for p in form.where for c in p.columns)
    differ = (form.differ for form in forms if form.differ)
    names = sorted({*equal, *differ, *conditions})
    return present.aggregate(by=names, times=present.count())


def _group_breaks_rule(rows: ir.Table, form: Shape, by: Comparing) -> Flag:
    """Whether the rows of a group break the rule."""
    fits = by.fits(rows, (), form.where) if form.where else None
    counted = "times" in rows.columns
    several = (rows.times.sum(where=fits) if counted else rows.count(where=fits)) > 1
    if form.differ is None:
        return several
    column = on_scale(rows[form.differ])
    if column is None:
        return rows[form.differ].nunique(where=fits) > 1
    differs = column.min(where=fits) != column.max(where=fits)
    return differs & several if counted else differs  # ungrouped again, were nothing counted


# ------------------------------------------------------------------------------------ order rules


def _order(rows: ir.Table, number: int, form: Shape, by: Comparing) -> Lookup:
    """Places on the scale of the first column, with the extremes of the second before and after."""
    (first, op), (second, versus) = form.order
    needed = (*form.equal, first, second)
    if on_scale(rows[first]) is None or on_scale(rows[second]) is None:
        return _own(number, needed, form.where, by)
    fits = rows.filter(by.fits(rows, needed, form.where))
    value = on_scale(fits[second])
    places = fits.aggregate(
        by=[*form.equal, first], low=value.min(), high=value.max(), n=fits.count()
    )
    near = list(form.equal)
    if not near:
        places, near = _with_bucket(places, first), ["bucket"]
    # Rows before a place are t1 if t1 must be smaller. t1 against t2 wants the largest t1, or the
    # smallest t2, where it must be greater.
    t1_before = op in (Op.LT, Op.LE)
    greatest = (versus in (Op.GT, Op.GE)) == t1_before  # before; it is the other way round after
    # Those ahead are behind in the other order: frames that only grow are cheap on every engine.
    scale = on_scale(places[first])
    behind = ibis.window(preceding=(None, 1), group_by=near, order_by=scale)
    ahead = ibis.window(preceding=(None, 1), group_by=near, order_by=scale.desc())
    before = places.high.max().over(behind) if greatest else places.low.min().over(behind)
    after = places.low.min().over(ahead) if greatest else places.high.max().over(ahead)
    tied = ibis.literal(False)
    if op in (Op.LE, Op.GE):
        tied = places.n > 1 if versus in (Op.LE, Op.GE) else places.low != places.high
    places = places.mutate(before=before, after=after, tied=tied)
    if not form.equal:
        places = _with_other_buckets(places, greatest=greatest)

    def breaks_rule(t: ir.Table, own: Any, before: str, after: str, tied: str) -> Flag:
        as_t1, as_t2 = (after, before) if t1_before else (before, after)
        return t[tied] | versus.compare(own, t[as_t1]) | versus.compare(t[as_t2], own)

    ends = ("before", "after", "tied")
    used = places.filter(some(breaks_rule(places, places[end], *ends) for end in ("low", "high")))
    names = tuple(f"{end}{number}" for end in ends)
    on = (*form.equal, first)
    keys = used.select(*on, **dict(zip(names, (used[end] for end in ends), strict=True)))

    def flag(t: ir.Table) -> Flag:
        return breaks_rule(t, on_scale(t[second]), *names) & by.fits(t, (), form.where)

    return Lookup(keys, {name: name for name in on}, {number: flag})


def _with_bucket(places: ir.Table, first: str) -> ir.Table:
    """The places with the part of the scale they lie in: the smaller, no later.

    One window over all of a table would be one task on one machine; every part has its own.
    """
    column = places[first]
    dtype = column.type()
    if dtype.is_string():
        return places.mutate(bucket=column.substr(0, PREFIX))
    if dtype.is_boolean():
        return places.mutate(bucket=column.cast("int32"))
    tame = dtype.is_integer() or (dtype.is_decimal() and dtype.precision is not None)
    places = places.mutate(number=column.cast("float64") if tame else _clip_to_range(column))
    span = places.aggregate(least=places.number.min(), most=places.number.max())
    places = places.cross_join(span)
    # Halves, because the span of two doubles may be more than a double holds.
    width = (places.most / 2 - places.least / 2).nullif(0.0)
    along = places.number / 2 - places.least / 2
    # Every step keeps the order, also where it rounds; PostgreSQL fails where a quotient is too
    # small for a double.
    share = ibis.ifelse(along <= width * LEAST_SHARE, 0.0, along / width)
    return places.mutate(bucket=(share * BUCKETS).floor().cast("int64").fill_null(0))


def _clip_to_range(column: ir.Column) -> ir.Value:
    """A double that no later step takes out of its range: what is larger or smaller is cut off."""
    # Cast from texts: there is no other way to write so large a numeric of PostgreSQL.
    large, small = (ibis.literal(text).cast(column.type()) for text in (LARGE, SMALL))
    return ibis.cases(
        (column > large, float(LARGE)),
        (column < -large, -float(LARGE)),
        ((column < small) & (column > -small), 0.0),
        else_=column.cast("float64"),
    )


def _with_other_buckets(places: ir.Table, *, greatest: bool) -> ir.Table:
    """`before` and `after` as they are beyond the bucket, too."""
    parts = places.aggregate(by="bucket", low=places.low.min(), high=places.high.max())
    others = parts.view()
    pairs = parts.select(near=parts.bucket).cross_join(others)
    earlier, later = pairs.bucket < pairs.near, pairs.bucket > pairs.near
    beyond = pairs.aggregate(
        by="near",
        earlier=pairs.high.max(where=earlier) if greatest else pairs.low.min(where=earlier),
        later=pairs.low.min(where=later) if greatest else pairs.high.max(where=later),
    )
    places = places.join(beyond, places.bucket == beyond.near)

    def extreme(one: ir.Value, two: ir.Value, *, largest: bool) -> ir.Value:
        choose = ibis.greatest if largest else ibis.least
        return choose(one.coalesce(two), two.coalesce(one))

    return places.mutate(
        before=extreme(places.before, places.earlier, largest=greatest),
        after=extreme(places.after, places.later, largest=not greatest),
    )


# -------------------------------------------------------------------------------- all other rules


def _side(
    rows: ir.Table, number: int, rule: Constraint, side: Literal[1, 2], by: Comparing
) -> Lookup:
    """Rows that can stand at one side of a rule: what they may meet at the other, by extremes.

    Exact for one comparison beside the equalities; for more, a row may be kept that meets each of
    them with another row.
    """
    own, others = _sides(rule, side)
    across = [
        meeting
        for p in rule.predicates
        if (meeting := _orient_meeting(p, side)) and by.compare(p, rows) is not None
    ]
    equal = {m.own: m.other for m in across if m.op is Op.EQ}
    met = rows.filter(by.fits(rows, *others))
    limits = {
        f"{end}{number}_{side}_{k}": limit
        for k, m in enumerate(across)
        for end, limit in _limits(met[m.other]).items()
        if m.op is not Op.EQ
    }
    count = f"n{number}_{side}"
    keys = met.aggregate(by=sorted({*equal.values()}), **limits, **{count: met.count()})

    def flag(t: ir.Table) -> Flag:
        checks = [
            _meets(t, m, f"low{number}_{side}_{k}", f"high{number}_{side}_{k}")
            for k, m in enumerate(across)
            if m.op is not Op.EQ
        ]
        meets = every([by.fits(t, *own), t[count] > 0, *checks])
        if all(left == right for left, right in equal.items()):
            # A row at both sides has to meet another one.
            meets &= (t[count] > 1) | ~by.fits(t, *others).fill_null(False)
        return meets

    return Lookup(keys, equal, {number: flag})


def _sides(
    rule: Constraint, side: Literal[1, 2]
) -> Iterator[tuple[tuple[str, ...], tuple[Predicate, ...]]]:
    """What a row needs to stand at this side, and at the other."""
    for row in (side, 3 - side):
        alone = (p for p in rule.predicates if {c.row for c in p.columns} == {row})
        yield rule.columns_of(row), tuple(alone)


@dataclass(frozen=True, slots=True)
class _Meeting:
    """A comparison of a row's own column with one of the row at the other side."""

    own: str
    op: Op
    other: str


def _orient_meeting(predicate: Predicate, side: Literal[1, 2]) -> _Meeting | None:
    left, right = predicate.left, predicate.right
    if not isinstance(right, Column) or left.row == right.row:
        return None
    if left.row == side:
        return _Meeting(left.name, predicate.op, right.name)
    return _Meeting(right.name, predicate.op.flipped, left.name)


def _limits(column: ir.Column) -> dict[str, ir.Value]:
    """The extremes of a column on its scale."""
    scale = on_scale(column)
    return {} if scale is None else {"low": scale.min(), "high": scale.max()}


def _meets(rows: ir.Table, meeting: _Meeting, low: str, high: str) -> Flag:
    """Whether a row may meet one at the other side, whose values lie between these columns."""
    own = on_scale(rows[meeting.own])
    if own is None:
        return ibis.literal(True)
    op = meeting.op
    if op is Op.NE:
        return (own != rows[low]) | (own != rows[high])
    return op.compare(own, rows[high] if op in (Op.LT, Op.LE) else rows[low])
