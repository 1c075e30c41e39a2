"""Queries over the columns of a table, written as SQL that all engines read.

A `Relation` is what a query gives, a `Value` an expression over its columns. Both are made by
operators and methods, as data frames are, and neither asks an engine anything. Names of columns are
ours, and those of two relations that are joined differ, so that no name needs its relation. What is
used more than once is written once, before the query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from candling.records import dataclass

PART = "candling_part_{}"  # a name that no table of the caller has


@dataclass(frozen=True, slots=True)
class Dialect:
    """How an engine writes what engines write differently."""

    quote: Callable[[str], str]  # a name
    string: Callable[[str], str]  # a text as a literal
    double: str  # the type of floats


@dataclass(frozen=True, slots=True, eq=False)
class Type:
    """The type of a value, by the name that `TableColumn` has for it."""

    name: str
    dialect: Dialect | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Type) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def is_boolean(self) -> bool:
        return self.name == "boolean"

    def is_binary(self) -> bool:
        return self.name == "binary"

    def is_string(self) -> bool:
        return self.name == "string"

    def is_integer(self) -> bool:
        return self.name.startswith("int")

    def is_floating(self) -> bool:
        return self.name == "float64"

    def is_decimal(self) -> bool:
        return self.name.startswith("decimal")

    @property
    def digits(self) -> tuple[int, int] | None:
        """The precision and the scale of a decimal that has them."""
        _, bracket, sizes = self.name.rstrip(")").partition("(")
        if not bracket:
            return None
        precision, scale = map(int, sizes.split(","))
        return precision, scale

    @property
    def sql(self) -> str:
        """The type in SQL."""
        if self.dialect is None:
            raise AssertionError(f"a constant is not cast to {self.name}")
        known = {"int32": "integer", "int64": "bigint", "float64": self.dialect.double}
        return known.get(self.name, self.name)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Value:
    """An expression, with brackets where it needs them."""

    sql: str
    type: Type

    __hash__ = None  # type: ignore[assignment]  # it is compared by the engine

    def _operate(self, sign: str, other: object, name: str = "boolean") -> Value:
        return Value(f"({self.sql} {sign} {_write(other, self)})", replace(self.type, name=name))

    def __eq__(self, other: object) -> Value:  # type: ignore[override]
        return self._operate("=", other)

    def __ne__(self, other: object) -> Value:  # type: ignore[override]
        return self._operate("<>", other)

    def __lt__(self, other: object) -> Value:
        return self._operate("<", other)

    def __le__(self, other: object) -> Value:
        return self._operate("<=", other)

    def __gt__(self, other: object) -> Value:
        return self._operate(">", other)

    def __ge__(self, other: object) -> Value:
        return self._operate(">=", other)

    def __and__(self, other: Value) -> Value:
        return self._operate("and", other)

    def __or__(self, other: Value) -> Value:
        return self._operate("or", other)

    def __sub__(self, other: Value) -> Value:
        return self._operate("-", other, self.type.name)

    def __mul__(self, other: object) -> Value:
        return self._operate("*", other, self.type.name)

    def __truediv__(self, other: object) -> Value:
        return self._operate("/", other, "float64")

    def __invert__(self) -> Value:
        return Value(f"(not {self.sql})", self.type)

    def __neg__(self) -> Value:
        return Value(f"(- {self.sql})", self.type)

    def constant(self, value: object) -> Value:
        """A constant of the same type."""
        return replace(self, sql=_write(value, self))

    def read_constant(self, text: str) -> Value:
        """The same, from how it is written."""
        return replace(self, sql=f"cast('{text}' as {self.type.sql})")

    def notnull(self) -> Value:
        return Value(f"({self.sql} is not null)", replace(self.type, name="boolean"))

    def cast(self, to: str | Type) -> Value:
        kind = to if isinstance(to, Type) else replace(self.type, name=to)
        return Value(f"cast({self.sql} as {kind.sql})", kind)

    def _call(self, function: str, *others: object) -> Value:
        passed = ", ".join([self.sql, *(_write(other, self) for other in others)])
        return Value(f"{function}({passed})", self.type)

    def floor(self) -> Value:
        return self._call("floor")

    def coalesce(self, other: object) -> Value:
        return self._call("coalesce", other)

    def nullif(self, other: object) -> Value:
        return self._call("nullif", other)

    def prefix(self, length: int) -> Value:
        """The first characters of a text."""
        return self._call("substr", 1, length)

    def greatest(self, other: Value) -> Value:
        return self._call("greatest", other)

    def least(self, other: Value) -> Value:
        return self._call("least", other)

    def min(self, where: Value | None = None) -> Value:
        return _aggregate(self._call("min"), where)

    def max(self, where: Value | None = None) -> Value:
        return _aggregate(self._call("max"), where)

    def sum(self, where: Value | None = None) -> Value:
        return _aggregate(self._call("sum"), where)

    def count_distinct(self, where: Value | None = None) -> Value:
        counted = self if where is None else choose((where, self))
        return Value(f"count(distinct {counted.sql})", replace(self.type, name="int64"))

    def over_earlier(self, by: Sequence[Value], order: Value, *, falling: bool = False) -> Value:
        """An aggregate over what comes before each row in an order, within its group."""
        groups = ", ".join(value.sql for value in by)
        end = " desc" if falling else ""
        frame = "rows between unbounded preceding and 1 preceding"
        window = f"partition by {groups} order by {order.sql}{end} {frame}"
        return Value(f"{self.sql} over ({window})", self.type)


def _write(value: object, beside: Value | None = None) -> str:
    """A value, or a constant beside one, in SQL."""
    match value:
        case Value():
            return value.sql
        case bool():
            return "true" if value else "false"
        case int():
            return str(value) if value >= 0 else f"({value})"
        case float() if beside is not None:
            return f"cast('{value!r}' as {replace(beside.type, name='float64').sql})"
        case str() if beside is not None and beside.type.dialect is not None:
            return beside.type.dialect.string(value)
    raise TypeError(type(value))


def _aggregate(value: Value, where: Value | None) -> Value:
    sql = value.sql if where is None else f"{value.sql} filter (where {where.sql})"
    return Value(sql, value.type)


def truth(value: bool) -> Value:
    """A constant."""
    return Value(_write(value), Type("boolean"))


def choose(*branches: tuple[Value, Value], other: Value | None = None) -> Value:
    """The value of the first condition that holds; where none does, `other`, or NULL."""
    written = " ".join(f"when {holds.sql} then {value.sql}" for holds, value in branches)
    rest = "" if other is None else f" else {other.sql}"
    return Value(f"case {written}{rest} end", branches[0][1].type)


# ---------------------------------------------------------------------------------------- queries

Segments: TypeAlias = "tuple[str | _Query, ...]"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Query:
    """The text of a SELECT, with the queries that it reads from."""

    text: Segments


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Relation:
    """What comes after FROM, and the types of its columns."""

    source: Segments
    types: Mapping[str, Type]
    dialect: Dialect

    def __getitem__(self, name: str) -> Value:
        return Value(self.dialect.quote(name), self.types[name])

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.types)

    def _select(self, values: Mapping[str, Value], rest: str = "") -> Relation:
        what = ", ".join(f"{v.sql} as {self.dialect.quote(name)}" for name, v in values.items())
        query = _Query((f"select {what} from ", *self.source, rest))  # noqa: S608 - quoted
        types = {name: value.type for name, value in values.items()}
        return Relation((query,), types, self.dialect)

    def _own(self, names: Iterable[str]) -> dict[str, Value]:
        return {name: self[name] for name in names}

    def filter(self, condition: Value) -> Relation:
        """The rows for which it holds."""
        return self._select(self._own(self.types), f" where {condition.sql}")

    def select(self, *names: str, **values: Value) -> Relation:
        """These columns and values."""
        return self._select(self._own(names) | values)

    def mutate(self, **values: Value) -> Relation:
        """All columns, and these values besides or instead."""
        return self._select(self._own(self.types) | values)

    def rename(self, new: Mapping[str, str]) -> Relation:
        """The same with some columns renamed, by their old names."""
        return self._select({new.get(name, name): self[name] for name in self.types})

    def count(self, where: Value | None = None) -> Value:
        """The number of rows, for `aggregate`."""
        return _aggregate(Value("count(*)", Type("int64", self.dialect)), where)

    def aggregate(self, by: Sequence[str] = (), **values: Value) -> Relation:
        """Groups of rows that agree on some columns, or all rows; with these values of each."""
        groups = ", ".join(map(self.dialect.quote, by))
        return self._select(self._own(by) | values, f" group by {groups}" if by else "")

    def join(self, other: Relation, on: Value) -> Relation:
        return self._join("join", other, [on])

    def left_join(self, other: Relation, on: Sequence[Value]) -> Relation:
        return self._join("left join", other, on)

    def cross_join(self, other: Relation) -> Relation:
        return self._join("cross join", other, ())

    def _join(self, how: str, other: Relation, on: Sequence[Value]) -> Relation:
        if self.types.keys() & other.types.keys():
            raise AssertionError("two relations that are joined have a column of one name")
        if len(other.source) > 1:
            other = other.select(*other.types)
        condition = " and ".join(value.sql for value in on)
        source = (*self.source, f" {how} ", *other.source, f" on {condition}" if on else "")
        return Relation(source, {**self.types, **other.types}, self.dialect)

    def sql(self) -> str:
        """The query that gives it."""
        top = self.source[0]
        if len(self.source) > 1 or not isinstance(top, _Query):
            return self.select(*self.types).sql()
        return _write_query(top)


def read_rows(source: str, types: Mapping[str, str], dialect: Dialect) -> Relation:
    """The rows that a SELECT of the engine's gives, with columns of these types."""
    named = {name: Type(kind, dialect) for name, kind in types.items()}
    return Relation((_Query((source,)),), named, dialect)


def _write_query(top: _Query) -> str:
    """The text of a query, after what it reads more than once."""
    uses: dict[_Query, int] = {}
    order: list[_Query] = []  # every query after those that it reads

    def visit(query: _Query) -> None:
        uses[query] = uses.get(query, 0) + 1
        if uses[query] == 1:
            for inner in _queries(query):
                visit(inner)
            order.append(query)

    visit(top)
    texts: dict[_Query, str] = {}
    shared = []
    for number, query in enumerate(order):
        text = "".join(s if isinstance(s, str) else texts[s] for s in query.text)
        name = PART.format(number)
        if query is top:
            texts[query] = text
        elif uses[query] > 1 and any(_queries(query)):
            shared.append(f"{name} as ({text})")
            texts[query] = name
        else:
            texts[query] = f"({text}) {name}"
    return (f"with {', '.join(shared)} " if shared else "") + texts[top]


def _queries(query: _Query) -> Iterator[_Query]:
    return (segment for segment in query.text if isinstance(segment, _Query))
