"""The columns that rules read, the type of each, and what the type comes from."""

from __future__ import annotations

from typing import Any

from candling.records import dataclass
from candling.rules import ColumnType, ConstraintSet, Origin, Statement
from candling.rules.types import names_read
from candling.tables.values import Table


@dataclass(frozen=True, slots=True)
class TypedColumn:
    """A column as rules compare it; a function of schema, rules and statements, never of rows."""

    name: str
    type: str  # as a rules file writes it
    origin: Origin
    by: str | None = None  # what states or implies it: "line 3", "--type", "`Age > 0` (line 4)"

    def to_dict(self) -> dict[str, Any]:
        """The column as plain values."""
        return {
            "column": self.name,
            "type": self.type,
            "origin": str(self.origin),
            "by": self.by,
        }


def describe_columns(table: Table, rules: ConstraintSet) -> tuple[TypedColumn, ...]:
    """The columns that rules read or whose type is stated, in the order of the table."""
    asked = names_read(rules, list(table.schema)) | {*table.stated}
    return tuple(
        _describe(name, origin, table.schema[name])
        for name, origin in table.origins.items()
        if name in asked
    )


def _describe(name: str, origin: Statement | Origin, kind: ColumnType) -> TypedColumn:
    if isinstance(origin, Statement):
        return TypedColumn(name, str(origin.type), origin.origin, origin.by)
    return TypedColumn(name, "text" if kind is ColumnType.STRING else str(kind), origin)
