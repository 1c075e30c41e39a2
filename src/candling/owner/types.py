"""The types of columns, and how many cells do not fit them. NOT PRIVATE."""

from __future__ import annotations

from typing import Any

from candling.errors import hide_private_errors
from candling.reading import Reading
from candling.records import dataclass
from candling.rules import ConstraintSet, check_schema
from candling.system.limits import translate_memory_error
from candling.system.progress import Phase, enter
from candling.tables import open_table
from candling.tables.columns import TypedColumn, describe_columns
from candling.tables.typed import count_misfits


@dataclass(frozen=True, slots=True)
class TypesFound:
    """The columns that rules read, and the cells of each that do not fit its type. NOT PRIVATE."""

    rows: int  # of the table
    columns: tuple[TypedColumn, ...]
    misfits: dict[str, int]  # by column, where a cell may not fit

    def to_dict(self) -> dict[str, Any]:
        """The types as `candling owner types --json` prints them."""
        columns = [c.to_dict() | {"misfits": self.misfits.get(c.name)} for c in self.columns]
        return {"private": False, "rows": self.rows, "columns": columns}


def find_types(
    data: str,
    rules: ConstraintSet,
    *,
    table: str | None = None,
    memory: str | None = None,
    engine: str | None = None,
    reading: Reading | None = None,
) -> TypesFound:
    """The type of each column that rules read, and how many cells do not fit.

    See `candling.analyze` for the arguments.
    """

    def find() -> TypesFound:
        enter(Phase.READING)
        opened = open_table(
            data,
            rules=rules,
            table=table,
            memory=memory,
            engine=engine,
            reading=reading,
            owner=True,
        )
        check_schema(rules, opened.schema, untyped=opened.untyped)
        (rows,) = opened.groups(()).column("n").to_pylist()
        return TypesFound(rows, describe_columns(opened, rules), count_misfits(opened))

    return hide_private_errors(lambda: translate_memory_error(find))
