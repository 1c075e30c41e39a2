"""Conditions of rules in the SQL of an engine: computed where the rows are, with one meaning.

A rule with a condition reads a column that the table does not have: whether the condition is true.
`with_conditions` adds these columns. What engines do in ways of their own is not left to them:

- Whole numbers and decimals are added, subtracted, multiplied and compared exactly as long as 38
  digits hold every result; whether they do is told by the types alone. So are PostgreSQL's numbers
  of any size. Everything else is done in doubles.
- No value can end in an error. A double beyond 1e75, or nearer to 0 than 1e-75, is unknown where
  something is computed of it, and so is what is divided by 0. How far a result can get from there
  is known from the condition, and one that could leave the doubles is no rule (`stays_finite`).
- Moments are compared in nanoseconds where their units differ, and their difference is in days. An
  infinite moment compares, and is unknown where something is computed of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from candling.records import dataclass
from candling.rules import Column as RuleColumn
from candling.rules import ColumnType, Constant, Constraint, Op
from candling.rules.conditions import (
    COMPUTED_WITH,
    And,
    Call,
    Comparison,
    Condition,
    InList,
    IsNull,
    Matches,
    Not,
    Or,
    Term,
)
from candling.rules.constraint import MOMENTS
from candling.rules.patterns import PatternSyntax
from candling.rules.schema import read_as
from candling.tables.coding import nearest_float
from candling.tables.values import (
    INFINITE_DAY,
    INFINITE_TICK,
    TICKS,
    Form,
    Table,
    TableColumn,
    microseconds,
)

_DIGITS = 38  # of a decimal that every engine has
_WIDE = 19  # digits with which DuckDB computes in 128 bits
_SAFE = 15  # digits that a double holds
_FARTHEST = 300  # powers of ten of a double that is compared
_DAY_NS = 86_400 * 10**9
_FOREVER = 10**37  # nanoseconds: beyond every moment
_ORDERS = (Op.LT, Op.LE, Op.GT, Op.GE)


@dataclass(frozen=True, slots=True)
class ConditionSql:
    """How an engine writes what conditions are made of."""

    double: str  # the type of floats
    text: str  # the type of texts
    matches: str  # whether in {0} the pattern {1} is found
    pattern: PatternSyntax
    string: Callable[[str], str]  # a text as a literal


def with_conditions(
    table: Table, constraints: Sequence[Constraint], also: Sequence[str] = ()
) -> Table:
    """The table with the columns that rules compute, and those that they name by their position.

    The rules must fit its schema. Of its own columns it has those that the rules read, and others
    that are asked for.
    """
    read = {c.name: c for rule in constraints for p in rule.predicates for c in p.columns}
    asked = [c for c in read.values() if c.condition is not None or c.position is not None]
    if not asked:
        return table
    sources = columns_read(table, constraints) | {name: name for name in also}
    inner = {name: f"b{i}" for i, name in enumerate(dict.fromkeys(sources.values()))}
    selected = ", ".join(f"{table.columns[name].sql} as {b}" for name, b in inner.items())
    columns = {
        known: replace(table.columns[name], sql=inner[name]) for known, name in sources.items()
    }
    write = _Writer(table.engine.conditions, columns)
    for column in asked:
        if column.condition is not None:
            sql = f"coalesce({write.condition(column.condition)}, false)"
            columns[column.name] = TableColumn(sql, Form(ColumnType.BOOLEAN), "boolean")
    source = f"(select {selected} from {table.source}) candling_base"  # noqa: S608 - quoted names
    return replace(table, source=source, columns=columns)


def columns_read(table: Table, constraints: Iterable[Constraint]) -> dict[str, str]:
    """The columns of the table that rules read, by the names that the rules have for them."""
    names = list(table.columns)
    return {
        source.name: source.name if source.position is None else names[source.position]
        for rule in constraints
        for predicate in rule.predicates
        for column in predicate.columns
        for source in column.sources
    }


@dataclass(frozen=True, slots=True)
class _Value:
    """A term in SQL, and what is known of its value from its type."""

    sql: str
    kind: ColumnType
    digits: tuple[int, int] | None = None  # before and after the point, of an exact number
    any_size: bool = False  # an exact number of any digits, which PostgreSQL alone has
    form: Form | None = None  # of a column of the table
    constant: Any = None

    @property
    def width(self) -> int:
        """Digits of an exact number."""
        return sum(self.digits or (0,))

    @property
    def is_small(self) -> bool:
        """Whether it is a constant that engines take for an integer."""
        return isinstance(self.constant, int) and abs(self.constant) < 2**31


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes conditions over columns in their forms, in the SQL of one engine."""

    by: ConditionSql
    columns: dict[str, TableColumn]

    def condition(self, condition: Condition) -> str:
        match condition:
            case And() | Or():
                word = " and " if isinstance(condition, And) else " or "
                return f"({word.join(map(self.condition, condition.parts))})"
            case Not():
                return f"(not {self.condition(condition.part)})"
            case IsNull():
                return f"({self.columns[condition.column.name].sql} is null)"
            case Matches():
                return self.write_match(condition)
            case InList():
                return self.write_list(condition)
            case Comparison():
                left, right = self.term(condition.left), self.term(condition.right)
                return f"({self.write_comparison(left, condition.op, right)})"

    def write_match(self, condition: Matches) -> str:
        text = self.columns[condition.column.name].sql
        pattern = self.by.string(condition.pattern.write(self.by.pattern))
        found = self.by.matches.format(text, pattern)
        if (longest := condition.pattern.longest) is not None:
            return f"(case when length({text}) <= {longest} then {found} end)"
        return f"({found})"

    # Lists

    def write_list(self, condition: InList) -> str:
        column = self.columns[condition.column.name]
        values: Sequence[Constant] = condition.values
        if condition.file is not None:
            values = [v for v in (read_as(value, column.form.kind) for value in values) if v]
        known = dict.fromkeys(filter(None, (self.member(value, column) for value in values)))
        if not known:
            return f"(case when {column.sql} is null then null else false end)"
        return f"({column.sql} in ({', '.join(known)}))"

    def member(self, constant: Constant, column: TableColumn) -> str | None:
        """A constant as the column may hold it; None if it cannot."""
        plain = constant.value
        if column.form.kind is ColumnType.DATE and isinstance(plain, datetime):
            plain = plain.date() if plain.time() == time.min else plain
        value = column.form.constant(plain)
        match value:
            case None:
                return None
            case bool():
                return str(value).lower()
            case str():
                return self.by.string(value)
            case int() | Decimal():
                return self.number_in(value, column)
        return None

    def number_in(self, value: int | Decimal, column: TableColumn) -> str | None:
        """A number as the column may hold it; None if it cannot."""
        number = self.number(value, column.form)
        if column.dtype == "float64":
            return self.double(number, guarded=False).sql
        own, wanted = _digits_of(column.dtype), number.digits
        if own is None:  # of any size
            return f"{Decimal(value):f}"
        if wanted is None or wanted[0] > own[0] or wanted[1] > own[1]:
            return None
        beyond = column.dtype == "int64" and not -(2**63) <= Decimal(value) < 2**63
        return None if beyond else number.sql

    # Comparisons

    def write_comparison(self, left: _Value, op: Op, right: _Value) -> str:
        if left.kind in MOMENTS or right.kind in MOMENTS:
            return self.moments(left, op, right)
        if left.kind is ColumnType.NUMBER:
            left, right = self.numbers(left, right)
        elif left.kind is ColumnType.BOOLEAN and op in _ORDERS:
            return f"cast({left.sql} as int) {op.value} cast({right.sql} as int)"
        sign = "<>" if op is Op.NE else op.value
        return f"{left.sql} {sign} {right.sql}"

    def numbers(self, left: _Value, right: _Value) -> tuple[_Value, _Value]:
        """Two numbers as an engine may compare them."""
        if all(value.any_size or value.digits is not None for value in (left, right)) and (
            left.any_size or right.any_size
        ):
            return left, right
        if left.digits is not None and right.digits is not None:
            digits = tuple(map(max, left.digits, right.digits))
            if left.digits == right.digits or (digits == (19, 0) == left.digits and right.is_small):
                return left, right
            if sum(digits) <= _DIGITS:
                return self.decimal(left, digits), self.decimal(right, digits)
        left, right = (
            self.round_to_float32(side, other) for side, other in ((left, right), (right, left))
        )
        return self.double(left, guarded=False), self.double(right, guarded=False)

    def round_to_float32(self, value: _Value, beside: _Value) -> _Value:
        """A constant beside a float of 32 bits, as such a float holds it."""
        bits = None if beside.form is None else beside.form.bits
        return value if value.constant is None else self.number(value.constant, beside.form, bits)

    def moments(self, left: _Value, op: Op, right: _Value) -> str:
        sign = "<>" if op is Op.NE else op.value
        for one, two, by in ((left, right, sign), (right, left, op.flipped.value)):
            if one.form is not None and two.constant is not None:
                exact = one.form.constant(two.constant)
                if exact is not None:
                    return f"{one.sql} {'<>' if op is Op.NE else by} {exact}"
        if left.form is not None and left.form == right.form:
            return f"{left.sql} {sign} {right.sql}"
        return f"{self.nanoseconds(left)} {sign} {self.nanoseconds(right)}"

    def nanoseconds(self, value: _Value, *, infinite: str | None = None) -> str:
        """A moment in nanoseconds since 1970; an infinite one is beyond all others."""
        if value.constant is not None:
            return f"cast({microseconds(value.constant) * 1000} as decimal(38, 0))"
        if value.form is None:
            return self.computed_nanoseconds(value)
        unit, end = value.form.unit, INFINITE_TICK
        if unit is None:
            factor, end = _DAY_NS, INFINITE_DAY
        else:
            factor = 10**9 // TICKS[unit]
        ticks = f"cast({value.sql} as decimal(19, 0)) * cast({factor} as decimal(15, 0))"
        after, before = infinite or str(_FOREVER), infinite or f"-{_FOREVER}"
        return (
            f"case when {value.sql} >= {end} then cast({after} as decimal(38, 0)) "
            f"when {value.sql} <= -{end} then cast({before} as decimal(38, 0)) "
            f"else cast({ticks} as decimal(38, 0)) end"
        )

    def computed_nanoseconds(self, days: _Value) -> str:
        """The same of a date that was computed, in days."""
        if days.digits is not None and days.width + 16 <= _DIGITS:
            exact = self.wide(days)
            return f"cast({exact.sql} * cast({_DAY_NS} as decimal(15, 0)) as decimal(38, 0))"
        number = self.double(days, guarded=True)
        product = f"{number.sql} * {self.float(float(_DAY_NS))}"
        most = self.float(1e20)
        return f"case when abs({number.sql}) < {most} then cast({product} as decimal(38, 0)) end"

    # Terms

    def term(self, term: Term) -> _Value:
        match term:
            case RuleColumn():
                column = self.columns[term.name]
                digits = _digits_of(column.dtype) if column.form.kind is ColumnType.NUMBER else None
                any_size = column.dtype == "decimal"
                return _Value(column.sql, column.form.kind, digits, any_size, column.form)
            case Constant():
                return self.constant(term)
            case Call():
                return self.call(term)

    def constant(self, constant: Constant) -> _Value:
        value = constant.value
        match value:
            case bool():
                return _Value(str(value).lower(), ColumnType.BOOLEAN, constant=value)
            case int() | Decimal():
                return self.number(value)
            case str():
                return _Value(self.by.string(value), ColumnType.STRING, constant=value)
            case date():
                return _Value("", constant.type, constant=value)

    def number(
        self, value: int | Decimal, form: Form | None = None, bits: int | None = None
    ) -> _Value:
        bits = bits or (None if form is None else form.bits)
        places = Decimal(value).as_tuple()
        exponent = int(places.exponent)
        digits = (max(len(places.digits) + exponent, 0) if value else 0, max(-exponent, 0))
        if bits == 32:
            near = self.float(nearest_float(value, bits))
            return _Value(near, ColumnType.NUMBER, constant=value)
        if sum(digits) > _DIGITS:
            return _Value(self.float(nearest_float(value)), ColumnType.NUMBER, constant=value)
        text = f"{Decimal(value):f}"
        width = max(sum(digits), 1)
        sql = f"cast({text} as decimal({width}, {digits[1]}))"
        found = _Value(sql, ColumnType.NUMBER, digits, constant=value)
        return replace(found, sql=text) if found.is_small else found

    def float(self, value: float) -> str:
        text = repr(value).replace("inf", "Infinity")
        return f"cast('{text}' as {self.by.double})"

    def decimal(self, value: _Value, digits: tuple[int, ...]) -> _Value:
        before, after = digits
        sql = f"cast({value.sql} as decimal({max(before + after, 1)}, {after}))"
        return replace(value, sql=sql, digits=(before, after))

    def wide(self, value: _Value) -> _Value:
        """A factor: DuckDB gives a product more than 18 digits only if one of its factors has."""
        before, after = value.digits or (0, 0)
        return self.decimal(value, (max(before, _WIDE - after), after))

    def double(self, value: _Value, *, guarded: bool) -> _Value:
        """A number as a double; what is `guarded` is NULL where it is not fit for arithmetic."""
        if value.digits is not None:
            if value.constant is not None:
                sql = self.float(nearest_float(value.constant))
            elif value.width > _SAFE and value.digits[1]:
                # Engines round long decimals in ways of their own, but all read a text rightly.
                sql = f"cast(cast({value.sql} as {self.by.text}) as {self.by.double})"
            else:
                sql = f"cast({value.sql} as {self.by.double})"
            return _Value(sql, value.kind, constant=value.constant)
        if value.form is None and not value.any_size:
            return value
        sql = f"cast({value.sql} as {self.by.double})" if value.any_size else value.sql
        if value.any_size or guarded:  # a number without a size may be beyond all doubles
            most = COMPUTED_WITH if guarded else _FARTHEST
            sized = f"abs({value.sql}) between 1e-{most} and 1e{most}"
            sql = f"case when {value.sql} = 0 or {sized} then {sql} end"
        return replace(value, sql=sql, form=None, any_size=False)

    # Arithmetic

    def call(self, call: Call) -> _Value:
        values = [self.term(term) for term in call.terms]
        if call.function == "length":
            sql = f"cast(length({values[0].sql}) as bigint)"
            return _Value(sql, ColumnType.NUMBER, (19, 0))
        if call.function == "abs":
            return self.absolute(values[0])
        left, right = values
        if left.kind in MOMENTS:
            return self.with_days(call, left, right)
        if call.function == "%":
            return self.remainder(left, right)
        exact = self.exact(call.function, left, right)
        return self.inexact(call.function, left, right) if exact is None else exact

    def absolute(self, value: _Value) -> _Value:
        if value.digits is None and not value.any_size:
            value = self.double(value, guarded=True)
        elif value.digits == (19, 0):
            value = self.decimal(value, (19, 0))  # the smallest of 64 bits has no opposite there
        return replace(value, sql=f"abs({value.sql})", form=None, constant=None)

    def exact(self, function: str, left: _Value, right: _Value) -> _Value | None:
        """The result with all its digits; None if there may be too many."""
        if function == "/":
            return None
        if left.any_size or right.any_size:
            return self.of_any_size(function, left, right)
        if left.digits is None or right.digits is None:
            return None
        if function == "*":
            digits = (left.digits[0] + right.digits[0], left.digits[1] + right.digits[1])
            if max(left.width, _WIDE) + right.width + 1 > _DIGITS:  # Spark counts one more
                return None
            one, two = self.wide(left), self.decimal(right, right.digits)
        else:
            most = tuple(map(max, left.digits, right.digits))
            digits = (most[0] + 1, most[1])
            if sum(digits) > _DIGITS:
                return None
            one, two = self.decimal(left, digits), self.decimal(right, digits)
        whole = _Value(f"({one.sql} {function} {two.sql})", ColumnType.NUMBER, digits)
        return self.decimal(whole, digits)

    def of_any_size(self, function: str, left: _Value, right: _Value) -> _Value | None:
        """The result of numbers of which one has any digits; None if the other is a double."""
        sides = []
        for value in (left, right):
            if value.any_size and value.form is not None:
                beyond = f"abs({value.sql}) < 1e{COMPUTED_WITH} and scale({value.sql}) < 1000"
                value = replace(value, sql=f"case when {beyond} then {value.sql} end")  # noqa: PLW2901
            elif not value.any_size and value.digits is None:
                return None
            sides.append(value.sql)
        return _Value(f"({sides[0]} {function} {sides[1]})", ColumnType.NUMBER, any_size=True)

    def inexact(self, function: str, left: _Value, right: _Value) -> _Value:
        one, two = (self.double(value, guarded=True) for value in (left, right))
        divisor = f"nullif({two.sql}, 0)" if function == "/" else two.sql
        sql = f"({one.sql} {function} {divisor})"
        return _Value(sql, ColumnType.NUMBER)

    def remainder(self, left: _Value, right: _Value) -> _Value:
        """The remainder of whole numbers; of others it is unknown."""
        one, two = (self.whole(value) for value in (left, right))
        sql = f"({one.sql} % nullif({two.sql}, 0))"
        return self.decimal(_Value(sql, ColumnType.NUMBER, (_DIGITS, 0)), (_DIGITS, 0))

    def whole(self, value: _Value) -> _Value:
        """A number of up to 38 digits before the point, and none behind it; else NULL."""
        cast = self.decimal(value, (_DIGITS, 0))
        if value.digits is not None and value.digits[1] == 0:
            return cast
        if value.digits is None and not value.any_size:
            value = self.double(value, guarded=True)
            cast = self.decimal(value, (_DIGITS, 0))
        fits = f"abs({value.sql}) < 1e{_SAFE} and {value.sql} = floor({value.sql})"
        return replace(cast, sql=f"case when {fits} then {cast.sql} end")

    def with_days(self, call: Call, left: _Value, right: _Value) -> _Value:
        """The days between two moments, or a date some days before or after another."""
        if right.kind not in MOMENTS:
            days = self.days(left)
            found = self.exact(call.function, days, right) or self.inexact(
                call.function, days, right
            )
            return replace(found, kind=ColumnType.DATE)
        if left.kind is right.kind is ColumnType.DATE:
            one, two = self.days(left), self.days(right)
            return self.exact("-", one, two) or self.inexact("-", one, two)
        later, earlier = (self.nanoseconds(value, infinite="null") for value in (left, right))
        between = f"cast(cast(({later}) - ({earlier}) as {self.by.text}) as {self.by.double})"
        day = self.float(float(_DAY_NS))
        return _Value(f"({between} / {day})", ColumnType.NUMBER)

    def days(self, value: _Value) -> _Value:
        """A date as days since 1970; NULL if it is infinite."""
        if value.constant is not None:
            count = microseconds(value.constant) // (86_400 * 10**6)
            return replace(self.number(count), kind=ColumnType.DATE)
        if value.form is None:
            return value
        sql = f"case when abs({value.sql}) < {INFINITE_DAY} then {value.sql} end"
        return _Value(sql, ColumnType.DATE, (10, 0))


def _digits_of(dtype: str) -> tuple[int, int] | None:
    """Before and after the point, of an exact type; None for floats and numbers of any size."""
    if dtype == "int64":
        return (19, 0)
    if dtype.startswith("decimal("):
        precision, scale = map(int, dtype[8:-1].split(","))
        return (precision - scale, scale)
    return None
