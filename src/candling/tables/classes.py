"""From a table to classes of rows that agree on every column the rules read.

The engine groups and counts; what comes back is small, and is coded into integers that compare
as the values do, so that the rest of the house needs no values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from candling.records import dataclass
from candling.rules import Column, Constant, Constraint, Op
from candling.tables.coding import Codebook, code_constant, code_values
from candling.tables.conditions_sql import with_conditions
from candling.tables.values import Form, Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

T = TypeVar("T")

Coder = Callable[[Sequence[Any], Sequence[Form]], tuple[Codebook, list[npt.NDArray[np.int32]]]]

NULL = -1  # the code of NULL, which satisfies no predicate


@dataclass(frozen=True, slots=True)
class CodedPredicate:
    """Column `left` of row `left_row`, compared with a column of `right_row` or a constant."""

    left: int
    left_row: int
    op: Op
    right: int  # index of a column, or -1 for a constant
    right_row: int
    constant: int = field(repr=False)  # its place among the values of the table: private

    def holds(self, codes: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        """By line of the table, whether a predicate on one row holds; NULL satisfies nothing."""
        left = codes[self.left]
        right = codes[self.right] if self.right >= 0 else np.int32(self.constant)
        result: npt.NDArray[np.bool_] = self.op.compare(left, right) & (left >= 0) & (right >= 0)
        return result


@dataclass(frozen=True, slots=True)
class CodedRule:
    """A constraint over coded columns."""

    constraint: Constraint
    predicates: tuple[CodedPredicate, ...]

    @property
    def columns(self) -> tuple[int, ...]:
        """Indices of the columns it reads, sorted."""
        return tuple(sorted({*self.columns_of(1), *self.columns_of(2)}))

    @property
    def names(self) -> dict[str, int]:
        """The index of each column that it reads, by name."""
        indices = {}
        for p, coded in zip(self.constraint.predicates, self.predicates, strict=True):
            indices[p.left.name] = coded.left
            if isinstance(p.right, Column):
                indices[p.right.name] = coded.right
        return indices

    def columns_of(self, row: int) -> tuple[int, ...]:
        """Indices of the columns it reads from one of the two rows, sorted."""
        indices = {p.left for p in self.predicates if p.left_row == row}
        indices |= {p.right for p in self.predicates if p.right >= 0 and p.right_row == row}
        return tuple(sorted(indices))


class Parts(Protocol):
    """The rows of a table that may be in conflict, in one part or several.

    No conflict leaves a part, so numbers of the table are sums (or concatenations) over parts.
    `Classes` in this process are one part; Spark can keep many on its executors.
    """

    @property
    def rows(self) -> int:
        """Rows of the whole table. Private."""

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The rules under which the rows may be in conflict."""

    @property
    def whole(self) -> Classes | None:
        """All of the rows, where they are here as one part. Private."""

    def ask(self, question: Callable[[Classes], T]) -> list[T]:
        """The answer of each part. Private.

        Parts on a server answer there: the question and its answer must survive pickling, and each
        call reads the parts anew, so ask once for all that is needed.
        """


@dataclass(frozen=True, slots=True, repr=False)
class Classes:
    """The distinct rows over the rules' columns, with how often each occurs."""

    rows: int  # of the whole table
    codes: npt.NDArray[np.int32]  # one line per column, one entry per class; NULL is -1
    weights: npt.NDArray[np.int64]
    rules: tuple[CodedRule, ...]
    memory: str | None = None  # limit for what the engine has still to do
    complete: npt.NDArray[np.bool_] | None = None  # of a core: no NULL where it was asked for

    def __repr__(self) -> str:
        return f"Classes(rules={len(self.rules)})"  # nothing true in a repr

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The rules that the columns are for."""
        return tuple(rule.constraint for rule in self.rules)

    @property
    def whole(self) -> Classes:
        """These: all rows are in one part."""
        return self

    def ask(self, question: Callable[[Classes], T]) -> list[T]:
        """The answer of the only part there is (see `Parts`)."""
        return [question(self)]

    def select(self, lines: npt.NDArray[np.bool_]) -> Classes:
        """Some of them."""
        complete = None if self.complete is None else self.complete[lines]
        return replace(
            self, codes=self.codes[:, lines], weights=self.weights[lines], complete=complete
        )

    def without_null(self, names: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Lines whose rows hold no NULL in these columns: of a core, in its `not_null`."""
        if self.complete is not None:
            return self.complete
        columns = {i for rule in self.rules for name, i in rule.names.items() if name in names}
        return np.asarray((self.codes[sorted(columns)] >= 0).all(axis=0))


@dataclass(frozen=True, slots=True, repr=False)
class OwnedClasses:
    """The classes of each person: one line for each pair of a person and a class of their rows.

    Rows without a person are left out, and so are most of those that are in no conflict.
    """

    classes: Classes  # a class occurs once for each of its persons; weights are rows
    persons: npt.NDArray[np.int64]  # by line, the number of its person: 0, 1, 2, ...

    def __repr__(self) -> str:
        return f"OwnedClasses(rules={len(self.classes.rules)})"  # nothing true in a repr


def read_classes(
    table: Table,
    constraints: Sequence[Constraint],
    *,
    few: bool = False,
    memory: str | None = None,
) -> Classes:
    """All distinct rows of `table` under `constraints`, which must fit its schema.

    `few`: there are so few that loading Arrow would take longer than doing without.
    """
    names = names_of(constraints)
    table = with_conditions(table, constraints)
    if few:
        lines = table.few_groups(names)
        *columns, counts = [*zip(*lines, strict=True)] or [()] * (len(names) + 1)
        weights = np.array(counts, np.int64)
        return _encode_rows(columns, code_values, weights, constraints, table.forms, memory=memory)
    from candling.tables.arrow_coding import code_columns, to_numpy

    *columns, counts = table.groups(names).columns
    weights = to_numpy(counts).astype(np.int64)
    return _encode_rows(columns, code_columns, weights, constraints, table.forms, memory=memory)


@dataclass(frozen=True, slots=True)
class CoreColumns:
    """What the columns of a core mean: the rules that read them, and the form of each.

    `not_null` are columns in which NULL matters in itself.
    """

    constraints: tuple[Constraint, ...]
    not_null: tuple[str, ...]
    forms: Mapping[str, Form]

    @property
    def names(self) -> list[str]:
        """The columns in their order: c0, c1, ... of a query."""
        return names_of(self.constraints)

    def encode(self, arrow: pa.Table, *, memory: str | None = None) -> Classes:
        """What the engine gave for a core, in codes."""
        from candling.tables.arrow_coding import code_columns, to_numpy

        weights = to_numpy(arrow.column("n")).astype(np.int64)
        complete = np.ones(len(weights), bool)
        if self.not_null:
            complete = to_numpy(arrow.column("whole").cast("int8")) == 1
        classes = _encode_rows(
            arrow.columns, code_columns, weights, self.constraints, self.forms, memory=memory
        )
        return replace(classes, complete=complete)


def read_rows(
    table: Table, constraints: Sequence[Constraint], *, memory: str | None = None
) -> Classes:
    """Every row as a class of its own, in the table's order.

    NOT PRIVATE: for the owner, who wants to know which rows they are.
    """
    from candling.tables.arrow_coding import code_columns

    names = names_of(constraints)
    table = with_conditions(table, constraints)
    arrow = table.fetch(table.select(names), table.types(names))
    weights = np.ones(arrow.num_rows, np.int64)
    return _encode_rows(
        arrow.columns, code_columns, weights, constraints, table.forms, memory=memory
    )


def names_of(constraints: Sequence[Constraint]) -> list[str]:
    """The columns that the rules compare, computed ones too, as they are numbered."""
    return list(
        dict.fromkeys(c.name for rule in constraints for p in rule.predicates for c in p.columns)
    )


def _encode_rows(
    columns: Sequence[Any],
    code: Coder,
    weights: npt.NDArray[np.int64],
    constraints: Sequence[Constraint],
    forms: Mapping[str, Form],
    *,
    memory: str | None,
) -> Classes:
    """Rows in codes: the first columns are those that the rules read, for one of the coders."""
    names = names_of(constraints)
    codes = np.empty((len(names), len(weights)), np.int32)
    codebooks = {}
    for group in comparable(names, constraints):
        indices = [names.index(name) for name in group]
        codebook, coded = code([columns[i] for i in indices], [forms[name] for name in group])
        for i, column in zip(indices, coded, strict=True):
            codes[i] = column
        codebooks.update(dict.fromkeys(group, codebook))

    def coded_rule(constraint: Constraint) -> CodedRule:
        predicates = []
        for p in constraint.predicates:
            left, right, right_row, constant = names.index(p.left.name), -1, p.left.row, NULL
            if isinstance(p.right, Column):
                right, right_row = names.index(p.right.name), p.right.row
            else:
                name = p.left.name
                constant = code_constant(codebooks[name], p.right.value, forms[name])
            predicates.append(CodedPredicate(left, p.left.row, p.op, right, right_row, constant))
        return CodedRule(constraint, tuple(predicates))

    rules = tuple(coded_rule(c) for c in constraints)
    return Classes(int(weights.sum()), codes, weights, rules, memory)


def comparable(names: list[str], constraints: Sequence[Constraint]) -> list[list[str]]:
    """The columns in groups, such that only columns of one group are compared with each other."""
    group = {name: [name] for name in names}
    for constraint in constraints:
        for p in constraint.predicates:
            if isinstance(p.right, Constant) or group[p.left.name] is group[p.right.name]:
                continue
            merged = group[p.left.name] + group[p.right.name]
            group.update(dict.fromkeys(merged, merged))
    return list({id(g): g for g in group.values()}.values())
