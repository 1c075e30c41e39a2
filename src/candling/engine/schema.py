"""The types of a table's columns, as far as comparing goes, read without touching a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from candling.constraints import ColumnType
from candling.engine.sources import open_table

if TYPE_CHECKING:
    import ibis.expr.datatypes as dt
    import ibis.expr.types as ir


def schema_of(
    data: Any, *, table: str | None = None, engine: str | None = None
) -> dict[str, ColumnType]:
    """Column names and types of `data` (see `open_table` for what that may be)."""
    return table_schema(open_table(data, table=table, engine=engine))


def table_schema(table: ir.Table) -> dict[str, ColumnType]:
    """Column names and types of an Ibis table."""
    return {name: column_type(dtype) for name, dtype in table.schema().items()}


def column_type(dtype: dt.DataType) -> ColumnType:
    """What values of an Ibis type compare with."""
    checks = (
        (dtype.is_boolean, ColumnType.BOOLEAN),  # before numeric: Ibis calls booleans numeric
        (dtype.is_numeric, ColumnType.NUMBER),
        (dtype.is_string, ColumnType.STRING),
        (dtype.is_null, ColumnType.STRING),  # nothing but NULL: any type will do
        (dtype.is_uuid, ColumnType.STRING),
        (dtype.is_date, ColumnType.DATE),
        (dtype.is_timestamp, ColumnType.TIMESTAMP),
        (dtype.is_time, ColumnType.TIME),
        (dtype.is_binary, ColumnType.BINARY),
    )
    return next((kind for check, kind in checks if check()), ColumnType.OTHER)
