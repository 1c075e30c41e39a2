"""What one would take instead of candling: plain SQL, and Desbordante's verification of rules.

SQLite and DuckDB count the conflicting pairs with a self-join for each rule, DuckDB groups by the
left sides of the dependencies, and Desbordante verifies dependencies and denial constraints. All
leave NULL out of every predicate, as SQL does, and all take every rule of the file as it is
written, mirror images included.

A `Rival` is told what to do in its own language, one line a rule, and a process that runs it loads
nothing else: that is why libraries and the model of rules are imported where they are used.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from candling.rules import Column, Constraint, ConstraintSet, Predicate, Value

DUCKDB_THREADS = 2
_PROGRESS_STEPS = 100_000  # SQLite virtual machine steps between looks at the clock


def predicate_sql(constraint: Constraint) -> str:
    """The condition that rows `t1` and `t2`, in this order, break the constraint."""
    from candling.rules import Column

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
    import duckdb

    # What it writes to disk must not stay in the working directory when it is stopped.
    with duckdb.connect(
        config={"threads": DUCKDB_THREADS, "temp_directory": str(path.parent)}
    ) as connection:
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


# ----------------------------------------------------------------- each in a process of its own


@dataclass(frozen=True, slots=True)
class Rival:
    """A program that answers part of what candling answers.

    `translate` gives the lines that `run` is told, and `run` returns what it counted, by name.
    """

    name: str
    gives: str
    lacks: str
    translate: Callable[[ConstraintSet], list[str]]
    run: Callable[[Path, list[str]], dict[str, int]]
    reads: str = "parquet"  # how the name of its table ends


def union_lines(rules: ConstraintSet) -> list[str]:
    return [duckdb_query(rules)]


def run_union(table: Path, lines: list[str]) -> dict[str, int]:
    """Count the distinct pairs of all self-joins."""
    (query,) = lines
    with duckdb_loaded(table) as connection:
        row = connection.execute(query).fetchone()
    assert row is not None
    return {"pairs": int(row[0])}


def aggregate_lines(rules: ConstraintSet) -> list[str]:
    """For each functional dependency, the left sides that have more than one right side."""
    return [
        f"SELECT {_names(left)} FROM df WHERE {_present(left)} GROUP BY {_names(left)} "
        f"HAVING count(DISTINCT {_quoted(right)}) > 1"
        for left, right in _dependencies(rules)
    ]


def group_lines(rules: ConstraintSet) -> list[str]:
    """A GROUP BY for each set of columns that some rule reads."""
    sets = {frozenset(rule.columns): rule.columns for rule in rules}
    return [f"SELECT {_names(names)} FROM df GROUP BY {_names(names)}" for names in sets.values()]


def run_groups(table: Path, lines: list[str]) -> dict[str, int]:
    """Count the groups that all queries return."""
    import duckdb

    groups = 0
    with duckdb.connect(config={"threads": DUCKDB_THREADS}) as connection:
        connection.read_parquet(str(table)).create_view("df")
        for query in lines:
            row = connection.execute(f"SELECT count(*) FROM ({query})").fetchone()
            assert row is not None
            groups += row[0]
    return {"groups": groups}


def dependency_lines(rules: ConstraintSet) -> list[str]:
    """Numbers of columns, counted among those that the rules read: the others are not written."""
    numbers = {name: i for i, name in enumerate(rules.columns)}
    return [
        json.dumps({"lhs_indices": [numbers[n] for n in left], "rhs_indices": [numbers[right]]})
        for left, right in _dependencies(rules)
    ]


def run_dependencies(table: Path, lines: list[str]) -> dict[str, int]:
    """Count the groups that break a functional dependency."""
    verifier = _verifier("fd_verification", table)
    groups = 0
    for line in lines:
        verifier.execute(**json.loads(line))
        groups += verifier.get_num_error_clusters()
    return {"groups": groups}


def denial_lines(rules: ConstraintSet) -> list[str]:
    """Denial constraints as Desbordante writes them: its rows are `s` and `t`."""
    from candling.rules import Column

    def written(side: Column) -> str:
        return f"{'s' if side.row == 1 else 't'}.{side.name}"

    lines = []
    for rule in _pair_rules(rules):
        predicates = []
        for p in rule.predicates:
            if not isinstance(p.right, Column):
                msg = "rules with constants are not translated for Desbordante"
                raise ValueError(msg)  # noqa: TRY004 - the rule is wrong, not its type
            sign = "==" if p.op.value == "=" else p.op.value
            predicates.append(f"{written(p.left)} {sign} {written(p.right)}")
        lines.append(f"!({' and '.join(predicates)})")
    return lines


def run_verdicts(table: Path, lines: list[str]) -> dict[str, int]:
    """Count the rules that do not hold; the look at each ends with its first pair."""
    verifier = _verifier("dc_verification", table)
    broken = 0
    for line in lines:
        verifier.execute(denial_constraint=line)
        broken += not verifier.dc_holds()
    return {"rules broken": broken}


def run_violations(table: Path, lines: list[str]) -> dict[str, int]:
    """Count the distinct pairs in the lists of all rules."""
    verifier = _verifier("dc_verification", table)
    pairs: set[tuple[int, int]] = set()
    for line in lines:
        verifier.execute(denial_constraint=line, do_collect_violations=True)
        # A pair that agrees on all columns of a rule is listed with its later row first.
        pairs.update((a, b) if a < b else (b, a) for a, b in verifier.get_violations())
    return {"pairs": len(pairs)}


RIVALS = {
    rival.name: rival
    for rival in (
        Rival(
            "DuckDB, union of self-joins",
            "the number of conflicting pairs (minimal_inconsistent)",
            "rows in conflict, a repair, and levels of bounded sensitivity for noise",
            union_lines,
            run_union,
        ),
        Rival(
            "DuckDB, aggregates",
            "the groups that break a functional dependency",
            "keys and order rules, pairs, a repair, a count over all rules",
            aggregate_lines,
            run_groups,
        ),
        Rival(
            "Desbordante, FDs",
            "the groups that break a functional dependency, and their rows",
            "keys and order rules, pairs, a repair, a count over all rules",
            dependency_lines,
            run_dependencies,
            reads="csv",
        ),
        Rival(
            "Desbordante, DCs hold",
            "whether each rule holds: it stops at the first pair that breaks it",
            "how many pairs or rows break a rule, a repair",
            denial_lines,
            run_verdicts,
            reads="csv",
        ),
        Rival(
            "Desbordante, DC violations",
            "the pairs that break each rule, as a list; counted once each here",
            "rows in conflict, a repair, and levels of bounded sensitivity for noise",
            denial_lines,
            run_violations,
            reads="csv",
        ),
        Rival(
            "DuckDB, groups",
            "the groups of the columns of each rule, each set of columns once",
            "any answer about the rules",
            group_lines,
            run_groups,
        ),
    )
}


def _dependencies(rules: Iterable[Constraint]) -> list[tuple[tuple[str, ...], str]]:
    """Left and right sides of the rules that are functional dependencies without a condition."""
    shapes = [rule.shape for rule in rules]
    return [(s.equal, s.differ) for s in shapes if s.differ is not None and not s.where]


def _names(names: Iterable[str]) -> str:
    return ", ".join(map(_quoted, names))


def _present(names: Iterable[str]) -> str:
    return " AND ".join(f"{_quoted(name)} IS NOT NULL" for name in names)


def _verifier(task: str, table: Path) -> Any:
    """Desbordante's algorithm for a task, with a table of commas and a header loaded.

    It is imported by name because it need not be installed.
    """
    verifier = getattr(import_module("desbordante"), task).algorithms.Default()
    verifier.load_data(table=(str(table), ",", True))
    return verifier


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
    from candling.rules import Column

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
