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
from typing import Any, Literal, TypeAlias

from candling.records import dataclass
from candling.rules import Column, ColumnType, Constraint, Kind, Op, Predicate, Shape
from candling.rules import Value as Constant
from candling.tables.queries import Relation, Value, choose, truth
from candling.tables.values import Form

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
        return flags[0] if flags else truth(empty)
    half = len(flags) // 2
    return by(_combine(by, flags[:half], empty=empty), _combine(by, flags[half:], empty=empty))


def on_scale(column: Value) -> Any:
    """The column as values whose order, minimum and maximum are ours on its engine; else None."""
    if column.type.is_boolean():
        return column.cast("int32")
    return None if column.type.is_binary() else column  # PostgreSQL knows no minimum of bytes


@dataclass(frozen=True, slots=True)
class Comparing:
    """The forms of columns, by the names that the query has for them."""

    forms: Mapping[str, Form]
    once: bool = False  # equal rows are counted before anything else is asked about them

    def fits(self, rows: Relation, needed: Sequence[str], where: Iterable[Predicate]) -> Flag:
        """Rows that can be in a conflict: nothing is missing, and the conditions may hold."""
        conditions = (self.compare(p, rows) for p in where)
        return every(
            [*(rows[name].notnull() for name in needed), *(c for c in conditions if c is not None)]
        )

    def compare(self, predicate: Predicate, rows: Relation) -> Flag | None:
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

    def _alike(self, one: str, two: str, rows: Relation) -> bool:
        """Whether the numbers of two columns mean the same."""
        units = self.forms[one].unit == self.forms[two].unit
        kinds = self.forms[one].kind is self.forms[two].kind
        return units and kinds and rows.types[one] == rows.types[two]

    def _exact(self, name: str, value: Constant, rows: Relation) -> Constant | None:
        """The constant beside such a column, if it means the same on every engine."""
        form, dtype = self.forms[name], rows.types[name]
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

    keys: Relation | None  # None: the row's own values tell
    on: dict[str, str]
    flags: dict[int, Callable[[Relation], Flag]]


def select_core(
    rows: Relation,
    rules: Sequence[Constraint],
    by: Comparing,
    not_null: Sequence[str],
    owners: Sequence[str] = (),
) -> Relation:
    """Groups of rows by their values that may be in conflict, and last their number `n`.

    `rows` has the columns that the rules read, and so has the result. If `not_null` names some of
    them, `whole` says whether none of these is NULL. Columns of `owners` come after those; then
    rows of different owners are in different groups, and rows that no rule may see in a conflict
    are left out.
    """
    seen = _flag_candidates(rows, rules, by)
    if owners:
        seen = seen.filter(some(seen[f"r{k}"] for k in range(len(rules))))
    matters = {
        name: some(seen[f"r{k}"] for k, rule in enumerate(rules) if name in rule.columns)
        for name in rows.columns
        if name not in owners
    }
    values = {name: choose((flag, seen[name])) for name, flag in matters.items()}
    if not_null:
        values["whole"] = every(seen[name].notnull() for name in not_null)
    values |= {name: seen[name] for name in owners}
    groups = seen.select(**values)
    return groups.aggregate(by=list(values), n=groups.count())


def _flag_candidates(rows: Relation, rules: Sequence[Constraint], by: Comparing) -> Relation:
    """The rows with r0, r1, ...: whether each rule may see them in a conflict (NULL: no)."""
    known = lookups(rows, rules, by)
    joined = _join_lookups(rows, known)
    flags = {
        f"r{k}": some(look.flags[k](joined) for look in known if k in look.flags)
        for k in range(len(rules))
    }
    return joined.select(*rows.columns, **flags)


def _join_lookups(rows: Relation, known: Sequence[Lookup]) -> Relation:
    """The rows with what is known of their values."""
    joined = rows
    for number, look in enumerate(known):
        if look.keys is None:
            continue
        # Names of their own, so that none is ambiguous.
        own = {name: f"k{number}_{name}" for name in dict.fromkeys(look.on.values())}
        keys = look.keys.rename(own)
        pairs = [joined[name] == keys[own[key]] for name, key in look.on.items()]
        joined = joined.left_join(keys, pairs) if pairs else joined.cross_join(keys)
    return joined


def lookups(rows: Relation, rules: Sequence[Constraint], by: Comparing) -> list[Lookup]:
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
    rows: Relation, equal: tuple[str, ...], forms: dict[int, Shape], by: Comparing
) -> Lookup:
    """Groups of equal rows in which some rule is broken."""
    present = _count_rows(rows, equal, list(forms.values()), by)
    broken = {
        f"broken{number}": _group_breaks_rule(present, form, by) for number, form in forms.items()
    }
    groups = present.aggregate(by=list(equal), **broken)

    def flag(number: int, form: Shape) -> Callable[[Relation], Flag]:
        needed = (form.differ,) if form.differ else ()
        return lambda t: t[f"broken{number}"] & by.fits(t, needed, form.where)

    flags = {number: flag(number, form) for number, form in forms.items()}
    if equal:  # else there is one group, and every row meets it
        groups = groups.filter(some(groups[name] for name in broken))
    return Lookup(groups, {name: name for name in equal}, flags)


def _count_rows(
    rows: Relation, equal: tuple[str, ...], forms: Sequence[Shape], by: Comparing
) -> Relation:
    """Rows with a value in the equality columns; if asked, equal ones once, with their `times`."""
    present = rows.filter(by.fits(rows, equal, ())) if equal else rows
    if not by.once:
        return present
    conditions = (c.name for form in forms for p in form.where for c in p.columns)
    differ = (form.differ for form in forms if form.differ)
    names = sorted({*equal, *differ, *conditions})
    return present.aggregate(by=names, times=present.count())


def _group_breaks_rule(rows: Relation, form: Shape, by: Comparing) -> Flag:
    """Whether the rows of a group break the rule."""
    fits = by.fits(rows, (), form.where) if form.where else None
    counted = "times" in rows.columns
    several = (rows["times"].sum(where=fits) if counted else rows.count(where=fits)) > 1
    if form.differ is None:
        return several
    column = on_scale(rows[form.differ])
    if column is None:
        return rows[form.differ].count_distinct(where=fits) > 1
    differs = column.min(where=fits) != column.max(where=fits)
    return differs & several if counted else differs  # ungrouped again, were nothing counted


# ------------------------------------------------------------------------------------ order rules


def _order(rows: Relation, number: int, form: Shape, by: Comparing) -> Lookup:
    """Places on the scale of the first column, with the extremes of the second before and after."""
    (first, op), (second, versus) = form.order
    needed = (*form.equal, first, second)
    if rows.types[first].is_binary() or rows.types[second].is_binary():
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
    groups = [places[name] for name in near]
    highest, lowest = places["high"].max(), places["low"].min()
    before = (highest if greatest else lowest).over_earlier(groups, scale)
    after = (lowest if greatest else highest).over_earlier(groups, scale, falling=True)
    tied = truth(False)
    if op in (Op.LE, Op.GE):
        alike = versus in (Op.LE, Op.GE)
        tied = places["n"] > 1 if alike else places["low"] != places["high"]
    places = places.mutate(before=before, after=after, tied=tied)
    if not form.equal:
        places = _with_other_buckets(places, greatest=greatest)

    def breaks_rule(t: Relation, own: Any, before: str, after: str, tied: str) -> Flag:
        as_t1, as_t2 = (after, before) if t1_before else (before, after)
        return t[tied] | versus.compare(own, t[as_t1]) | versus.compare(t[as_t2], own)

    ends = ("before", "after", "tied")
    used = places.filter(some(breaks_rule(places, places[end], *ends) for end in ("low", "high")))
    names = tuple(f"{end}{number}" for end in ends)
    on = (*form.equal, first)
    keys = used.select(*on, **dict(zip(names, (used[end] for end in ends), strict=True)))

    def flag(t: Relation) -> Flag:
        return breaks_rule(t, on_scale(t[second]), *names) & by.fits(t, (), form.where)

    return Lookup(keys, {name: name for name in on}, {number: flag})


def _with_bucket(places: Relation, first: str) -> Relation:
    """The places with the part of the scale they lie in: the smaller, no later.

    One window over all of a table would be one task on one machine; every part has its own.
    """
    column = places[first]
    dtype = column.type
    if dtype.is_string():
        return places.mutate(bucket=column.prefix(PREFIX))
    if dtype.is_boolean():
        return places.mutate(bucket=column.cast("int32"))
    tame = dtype.is_integer() or (dtype.is_decimal() and dtype.digits is not None)
    places = places.mutate(number=column.cast("float64") if tame else _clip_to_range(column))
    number = places["number"]
    span = places.aggregate(least=number.min(), most=number.max())
    places = places.cross_join(span)
    number, least, most = (places[name] for name in ("number", "least", "most"))
    # Halves, because the span of two doubles may be more than a double holds.
    width = (most / 2 - least / 2).nullif(0.0)
    along = number / 2 - least / 2
    # Every step keeps the order, also where it rounds; PostgreSQL fails where a quotient is too
    # small for a double.
    share = choose((along <= width * LEAST_SHARE, along.constant(0.0)), other=along / width)
    return places.mutate(bucket=(share * BUCKETS).floor().cast("int64").coalesce(0))


def _clip_to_range(column: Value) -> Value:
    """A double that no later step takes out of its range: what is larger or smaller is cut off."""
    # Cast from texts: there is no other way to write so large a numeric of PostgreSQL.
    large, small = map(column.read_constant, (LARGE, SMALL))
    double = column.cast("float64")
    return choose(
        (column > large, double.constant(float(LARGE))),
        (column < -large, double.constant(-float(LARGE))),
        ((column < small) & (column > -small), double.constant(0.0)),
        other=double,
    )


def _with_other_buckets(places: Relation, *, greatest: bool) -> Relation:
    """`before` and `after` as they are beyond the bucket, too."""
    low, high = places["low"].min(), places["high"].max()
    parts = places.aggregate(by=["bucket"], low=low, high=high)
    pairs = parts.select(near=parts["bucket"]).cross_join(parts)
    low, high, bucket, near = (pairs[name] for name in ("low", "high", "bucket", "near"))
    earlier, later = bucket < near, bucket > near
    beyond = pairs.aggregate(
        by=["near"],
        earlier=high.max(where=earlier) if greatest else low.min(where=earlier),
        later=low.min(where=later) if greatest else high.max(where=later),
    )
    places = places.join(beyond, places["bucket"] == beyond["near"])

    def extreme(one: Value, two: Value, *, largest: bool) -> Value:
        one, two = one.coalesce(two), two.coalesce(one)
        return one.greatest(two) if largest else one.least(two)

    return places.mutate(
        before=extreme(places["before"], places["earlier"], largest=greatest),
        after=extreme(places["after"], places["later"], largest=not greatest),
    )


# -------------------------------------------------------------------------------- all other rules


def _side(
    rows: Relation, number: int, rule: Constraint, side: Literal[1, 2], by: Comparing
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

    def flag(t: Relation) -> Flag:
        checks = [
            _meets(t, m, f"low{number}_{side}_{k}", f"high{number}_{side}_{k}")
            for k, m in enumerate(across)
            if m.op is not Op.EQ
        ]
        meets = every([by.fits(t, *own), t[count] > 0, *checks])
        if all(left == right for left, right in equal.items()):
            # A row at both sides has to meet another one.
            meets &= (t[count] > 1) | ~by.fits(t, *others).coalesce(False)
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


def _limits(column: Value) -> dict[str, Value]:
    """The extremes of a column on its scale."""
    scale = on_scale(column)
    return {} if scale is None else {"low": scale.min(), "high": scale.max()}


def _meets(rows: Relation, meeting: _Meeting, low: str, high: str) -> Flag:
    """Whether a row may meet one at the other side, whose values lie between these columns."""
    own = on_scale(rows[meeting.own])
    if own is None:
        return truth(True)
    op = meeting.op
    if op is Op.NE:
        return (own != rows[low]) | (own != rows[high])
    return op.compare(own, rows[high] if op in (Op.LT, Op.LE) else rows[low])
