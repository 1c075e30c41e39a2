"""An engine that only the tests know: DuckDB in disguise."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import ibis
import ibis.expr.types as ir
import pyarrow as pa

from candling.rules.types import Statements
from candling.tables import Place, Table
from candling.tables.backends.duckdb import DuckDB


class Toy(DuckDB):
    """Tables are the files of a folder, and every answer is counted."""

    name = "toy"
    in_process = False
    only_tables = True

    def __init__(self) -> None:
        self.answers = 0

    def open(self, place: Place, memory: str | None) -> Table:
        folder = (place.address or "").partition("://")[2]
        path = replace(place, name=f"{folder}/{place.name}.parquet")
        return replace(super().open(path, memory), engine=self)

    def canonical(self, table: ir.Table, memory: str | None, statements: Statements) -> Table:
        return replace(super().canonical(table, memory, statements), engine=self)

    def fetch(self, backend: Any, sql: str, schema: ibis.Schema) -> pa.Table:
        self.answers += 1
        return super().fetch(backend, sql, schema)


ENGINE = Toy()
