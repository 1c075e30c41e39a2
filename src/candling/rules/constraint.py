"""What a constraint is: a set of predicates that no row, or no pair of distinct rows, may satisfy.

Functional dependencies, keys and conditional dependencies are only ways of writing one down;
`shape` recognises them again. Nothing here knows of data or privacy.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import field
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from candling.reading import StatedType
from candling.records import dataclass

if TYPE_CHECKING:
    from candling.rules.canonical import Shape
    from candling.rules.conditions import Condition

Value = bool | int | Decimal | str | date | datetime
RowNumber = Literal[1, 2]
CONDITION = "\0"  # the name of a column that is computed starts with it: no column of a table does


class Op(StrEnum):
    """A comparison between two values."""

    EQ = "="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="

    @property
    def flipped(self) -> Op:
        """The operator with its sides exchanged: `a < b` is `b > a`."""
        return _FLIPPED[self]

    @property
    def compare(self) -> Callable[[Any, Any], Any]:
        """The comparison itself, of values, arrays or expressions."""
        return _COMPARE[self]


_FLIPPED = {Op.EQ: Op.EQ, Op.NE: Op.NE, Op.LT: Op.GT, Op.LE: Op.GE, Op.GT: Op.LT, Op.GE: Op.LE}
_COMPARE: dict[Op, Callable[[Any, Any], Any]] = {
    Op.EQ: operator.eq,
    Op.NE: operator.ne,
    Op.LT: operator.lt,
    Op.LE: operator.le,
    Op.GT: operator.gt,
    Op.GE: operator.ge,
}


class ColumnType(StrEnum):
    """The type of a column: values of one type compare with each other."""

    NUMBER = "number"
    STRING = "string"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"
    TIME = "time"
    BINARY = "binary"
    OTHER = "other"  # lists, structs, maps: no rule can use them


MOMENTS = frozenset({ColumnType.DATE, ColumnType.TIMESTAMP})  # which compare with each other


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the first or the second row of a pair.

    With a `condition` it is none of the table: the engine computes whether the condition is true,
    and the name is its text. With a `position` (from 0) the table tells which column is meant. One
    that is `of` another column says whether a cell of that does not fit its type.
    """

    row: RowNumber
    name: str
    at: int | None = field(default=None, compare=False, repr=False)  # 1-based, in the source line
    condition: Condition | None = field(default=None, compare=False, repr=False)
    position: int | None = field(default=None, compare=False, repr=False)
    of: str | None = field(default=None, compare=False, repr=False)

    @property
    def shown(self) -> str:
        """The column of the table that it is about."""
        return self.of or self.name.removeprefix(CONDITION)

    @property
    def sources(self) -> tuple[Column, ...]:
        """The columns of the table that it is, or that its condition reads."""
        if self.condition is None:
            return (self,)
        from candling.rules.conditions import columns_of

        return tuple(columns_of(self.condition))


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """A literal. `True` and `1` are different constants; `1` and `Decimal("1.0")` are the same."""

    value: Value
    at: int | None = field(default=None, compare=False, repr=False)
    unquoted: bool = field(default=False, compare=False, repr=False)  # a word that is no column

    def __post_init__(self) -> None:
        if isinstance(self.value, Decimal) and not self.value.is_finite():
            raise ValueError("a constant must be finite")
        if isinstance(self.value, datetime) and self.value.tzinfo is not None:
            raise ValueError("a timestamp constant has no time zone")

    @property
    def type(self) -> ColumnType:
        """The type of column that it compares with."""
        match self.value:
            case bool():
                return ColumnType.BOOLEAN
            case int() | Decimal():
                return ColumnType.NUMBER
            case str():
                return ColumnType.STRING
            case datetime():
                return ColumnType.TIMESTAMP
            case date():
                return ColumnType.DATE
        raise TypeError(f"no constant of type {type(self.value).__name__}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Constant):
            return NotImplemented
        return self.type is other.type and self.value == other.value

    def __hash__(self) -> int:
        return hash((self.type, self.value))


@dataclass(frozen=True, slots=True)
class Predicate:
    """A comparison whose left side is always a column."""

    left: Column
    op: Op
    right: Column | Constant

    @property
    def columns(self) -> tuple[Column, ...]:
        return (self.left, self.right) if isinstance(self.right, Column) else (self.left,)


@dataclass(frozen=True)
class Constraint:
    """No row (or no pair of distinct rows, in either order) may satisfy all `predicates`.

    What else a rule is known by (its canonical form, its shape, its text) is worked out once.
    """

    predicates: tuple[Predicate, ...]
    label: str | None = field(default=None, compare=False)
    line: int | None = field(default=None, compare=False, repr=False)
    text: str | None = field(default=None, compare=False, repr=False)  # the source line

    def __post_init__(self) -> None:
        if not self.predicates:
            raise ValueError("a constraint needs at least one predicate")

    def __str__(self) -> str:
        return self._written

    @cached_property
    def canonical(self) -> Constraint:
        """The one form of all rules that forbid the same pairs of rows."""
        from candling.rules.canonical import canonical

        found = canonical(self)
        found.__dict__["canonical"] = found  # it is its own
        return found

    @cached_property
    def shape(self) -> Shape:
        """What kind of rule it is, and which columns play which part."""
        from candling.rules.canonical import shape

        return shape(self.canonical)

    @cached_property
    def _written(self) -> str:
        from candling.rules.printer import to_text

        return to_text(self)

    @cached_property
    def rows(self) -> RowNumber:
        """1 if the constraint is about single rows, 2 if about pairs."""
        return 2 if len({c.row for p in self.predicates for c in p.columns}) == 2 else 1

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Names of the table's columns that it reads, in order of appearance; `#0` by position."""
        sources = (s for p in self.predicates for c in p.columns for s in c.sources)
        return tuple(dict.fromkeys(s.shown for s in sources))

    @property
    def states_type(self) -> bool:
        """Whether it says that the cells of a column fit its type."""
        return self.predicates[0].left.of is not None

    @property
    def counts_columns(self) -> bool:
        """Whether it names a column by its position."""
        return any(
            s.position is not None for p in self.predicates for c in p.columns for s in c.sources
        )

    def columns_of(self, row: int) -> tuple[str, ...]:
        """Names of the columns it compares in one of the two rows, computed ones too, sorted."""
        return tuple(sorted({c.name for p in self.predicates for c in p.columns if c.row == row}))


@dataclass(frozen=True, slots=True)
class TypeLine:
    """`type Charge: number`: the type of a column, as a rules file states it."""

    column: str
    type: StatedType
    line: int | None = field(default=None, compare=False, repr=False)
    at: int | None = field(default=None, compare=False, repr=False)  # 1-based, in the line
    text: str | None = field(default=None, compare=False, repr=False)  # the source line

    def __str__(self) -> str:
        from candling.rules.printer import name_text

        return f"type {name_text(self.column)}: {self.type}"


@dataclass(frozen=True, slots=True)
class ConstraintSet:
    """The rules of a table, in the order of their file, and the types that it states."""

    constraints: tuple[Constraint, ...]
    source: str = field(default="rules", compare=False)  # file name, for messages
    types: tuple[TypeLine, ...] = ()

    def __iter__(self) -> Iterator[Constraint]:
        return iter(self.constraints)

    def __len__(self) -> int:
        return len(self.constraints)

    def __str__(self) -> str:
        return "\n".join(map(str, (*self.types, *self.constraints)))

    def _repr_html_(self) -> str:
        from candling.rules.printer import rules_cell

        return rules_cell(self)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all columns that some rule reads, in order of appearance."""
        return tuple(dict.fromkeys(name for c in self.constraints for name in c.columns))

    @property
    def named(self) -> tuple[str, ...]:
        """The same, and those whose type is stated; without those that rules count."""
        read = (name for c in self.constraints if not c.counts_columns for name in c.columns)
        return tuple(dict.fromkeys((*read, *(line.column for line in self.types))))
