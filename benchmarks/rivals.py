"""Counting the conflicting pairs with a plain self-join, on SQLite and on DuckDB.

Both leave NULL out of every predicate, as SQL does, and both take every rule of the file as it
is written, mirror images included.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from candling.rules.model import Column, Constraint, Predicate, Value

if TYPE_CHECKING:
    import pyarrow as pa

DUCKDB_THREADS = 2
_PROGRESS_STEPS = 100_000  # SQLite virtual machine steps between looks at the clock


def predicate_sql(constraint: Constraint) -> str:
    """The condition that rows `t1` and `t2`, in this order, break the constraint."""
    return " AND ".join(
        f"{_operand(p.left)} {p.op.value} {_operand(p.right)}"
        if isinstance(p.right, Column)
        else f"{_operand(p.left)} {p.op.value} {_literal(p.right.value)}"
        for p in constraint.predicates
    )


def is_symmetric(constraint: Constraint) -> bool:
    """Whether the order of the two rows makes no difference (FDs, keys)."""
    return _normal(constraint.predicates, swap=False) == _normal(constraint.predicates, swap=True)


def sqlite_query(rules: Iterable[Constraint], table: str = "df") -> str:
    """The published query: ordered pairs per rule, UNION, then each pair once, counted.

    It leaves out one published condition, that no column at all is NULL in either row, which
    would drop pairs that conflict. `t1.rowid < t2.rowid AND (p OR mirrored p)` looks simpler but
    keeps SQLite from building its automatic index: 50 times slower on Tax.
    """
    selects = (
        f"SELECT t1.rowid AS a, t2.rowid AS b FROM {table} t1, {table} t2 "
        f"WHERE {predicate_sql(rule)} AND t1.rowid != t2.rowid"
        for rule in _pair_rules(rules)
    )
    return (
        "SELECT count(*) FROM (SELECT DISTINCT "
        "CASE WHEN a <= b THEN a ELSE b END, CASE WHEN a <= b THEN b ELSE a END "
        f"FROM ({' UNION '.join(selects)}))"
    )


def duckdb_query(rules: Iterable[Constraint], table: str = "df") -> str:
    """Each pair once, counted; a symmetric rule is joined in one order only."""
    selects = (
        f"SELECT t1.id AS i, t2.id AS j FROM {table} t1, {table} t2 "
        f"WHERE {predicate_sql(rule)} AND t1.id < t2.id"
        if is_symmetric(rule)
        else f"SELECT least(t1.id, t2.id) AS i, greatest(t1.id, t2.id) AS j "
        f"FROM {table} t1, {table} t2 WHERE {predicate_sql(rule)} AND t1.id <> t2.id"
        for rule in _pair_rules(rules)
    )
    return f"SELECT count(*) FROM (SELECT DISTINCT i, j FROM ({' UNION ALL '.join(selects)}))"


def sqlite_pairs(
    rows: pa.Table, rules: Iterable[Constraint], limit: float
) -> tuple[int | None, float]:
    """Number of pairs (None if `limit` seconds were not enough) and CPU seconds without loading.

    It runs once, on one thread: the CPU's time is its time, whatever else the machine does.
    """
    connection = sqlite3.connect(":memory:")
    try:
        names = ", ".join(_quoted(name) for name in rows.column_names)
        connection.execute(f"CREATE TABLE df ({names})")
        marks = ", ".join("?" * rows.num_columns)
        values = zip(*(column.to_pylist() for column in rows.columns), strict=True)
        connection.executemany(f"INSERT INTO df VALUES ({marks})", values)
        start = time.thread_time()
        connection.set_progress_handler(lambda: time.thread_time() - start > limit, _PROGRESS_STEPS)
        try:
            (pairs,) = connection.execute(sqlite_query(rules)).fetchone()
        except sqlite3.OperationalError as error:
            if "interrupt" not in str(error):
                raise
            return None, limit
        return int(pairs), time.thread_time() - start
    finally:
        connection.close()


@contextmanager
def duckdb_loaded(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database in memory that holds the Parquet file, with numbered rows."""
    with duckdb.connect(config={"threads": DUCKDB_THREADS}) as connection:
        connection.execute(
            "CREATE TABLE df AS SELECT (row_number() OVER ())::INTEGER AS id, * "
            "FROM read_parquet($path)",
            {"path": str(path)},
        )
        yield connection


def duckdb_pairs(connection: duckdb.DuckDBPyConnection, rules: Iterable[Constraint]) -> int:
    """Number of pairs in the table that is loaded."""
    row = connection.execute(duckdb_query(rules)).fetchone()
    assert row is not None
    return int(row[0])


def _pair_rules(rules: Iterable[Constraint]) -> list[Constraint]:
    found = list(rules)
    if any(rule.rows == 1 for rule in found):
        msg = "a one-row rule forbids rows, not pairs: these queries cannot count it"
        raise ValueError(msg)
    return found


def _operand(column: Column) -> str:
    return f"t{column.row}.{_quoted(column.name)}"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(value: Value) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | Decimal):
        return f"{value:f}" if isinstance(value, Decimal) else str(value)
    return "'" + str(value).replace("'", "''") + "'"


def _normal(predicates: Iterable[Predicate], *, swap: bool) -> frozenset[tuple[object, ...]]:
    """The predicates with rows exchanged or not, and each with its smaller side first."""

    def row(column: Column) -> int:
        return 3 - column.row if swap else column.row

    normal = set[tuple[object, ...]]()
    for p in predicates:
        left = (row(p.left), p.left.name)
        if not isinstance(p.right, Column):
            normal.add((*left, p.op, p.right))
            continue
        right = (row(p.right), p.right.name)
        normal.add((*left, p.op, *right) if left <= right else (*right, p.op.flipped, *left))
    return frozenset(normal)
