"""What a table's columns can be compared with, read without touching a row."""

from __future__ import annotations

from typing import Any

from candling.engines.sources import open_table
from candling.rules import ColumnType


def schema_of(
    data: Any, *, table: str | None = None, engine: str | None = None
) -> dict[str, ColumnType]:
    """Column names and types of `data` (see `open_table` for what that may be)."""
    return open_table(data, table=table, engine=engine).schema
