"""Imported rules mean what the originals mean, on many small tables.

The original is asked in its own way: the SQL that dbt compiles a test to, and a database's own
CHECK, both on DuckDB; pandera itself; for Great Expectations a line of Python.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pyarrow as pa
import pytest
import yaml

import candling
from candling.imports import import_rules

SCHEMA = pa.schema(
    {
        "a": pa.int64(),
        "b": pa.int64(),
        "s": pa.string(),
        "r": pa.string(),
        "d": pa.date32(),
        "e": pa.date32(),
        "f": pa.bool_(),
    }
)
TYPES = {
    "a": "int",
    "b": "int",
    "s": "varchar",
    "r": "varchar",
    "d": "date",
    "e": "date",
    "f": "bool",
}
VALUES: dict[str, list[Any]] = {
    "a": [None, -2, -1, 0, 1, 2, 3],
    "b": [None, -2, -1, 0, 1, 2, 3],
    "s": [None, "", " ", "x", "xy", "X", "y%", "x'", "yx\n", "zx"],
    "r": [None, "x", "y"],
    "d": [None, *(date(2020, 1, day) for day in range(1, 6))],
    "e": [None, *(date(2020, 1, day) for day in range(1, 6))],
    "f": [None, True, False],
}
Row = dict[str, Any]


def _drawn(seed: int, size: int) -> list[Row]:
    random = Random(seed)
    return [{name: random.choice(values) for name, values in VALUES.items()} for _ in range(size)]


TABLES = [_drawn(1, 6), _drawn(2, 600)]
of_tables = pytest.mark.parametrize("rows", TABLES, ids=["6 rows", "600 rows"])


def table(rows: list[Row]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def broken(rows: list[Row], rules: candling.Imported) -> int:
    """Rows that break a rule by themselves, or with another row."""
    return int(candling.exact(table(rows), rules.constraints).problematic)


def counted(rows: list[Row], sql: str) -> int:
    with duckdb.connect() as connection:
        connection.register("t", table(rows))
        ((number,),) = connection.execute(sql).fetchall()
    return int(number)


def imported_dbt(folder: Path, test: Any, column: str | None) -> candling.Imported:
    columns = [
        {"name": name, "data_type": kind, **({"tests": [test]} if name == column else {})}
        for name, kind in TYPES.items()
    ]
    model = {"name": "t", "columns": columns, **({} if column else {"tests": [test]})}
    path = folder / "schema.yml"
    path.write_text(yaml.safe_dump({"models": [model]}))
    imported = import_rules(path)
    assert not imported.left_out, imported.left_out
    return imported


def _unique(columns: str, where: str = "true") -> str:
    """How many rows are among duplicates; NULL is none."""
    names = columns.split(", ")
    full = " and ".join(f"{name} is not null" for name in names)
    return (
        f"select coalesce(sum(n), 0) from (select count(*) n from t where {full} and ({where}) "
        f"group by {columns} having count(*) > 1)"
    )


def _rows(condition: str) -> str:
    return f"select count(*) from t where {condition}"


# The test, the column it stands at, and the SQL that dbt makes of it: rows that fail.
DBT: list[tuple[Any, str | None, str]] = [
    ("not_null", "s", _rows("s is null")),
    ("unique", "s", _unique("s")),
    ({"unique": {"config": {"where": "b > 0"}}}, "a", _unique("a", "b > 0")),
    (
        {"not_null": {"where": "r = 'x' or a is null"}},
        "d",
        _rows("d is null and (r = 'x' or a is null)"),
    ),
    (
        {"accepted_values": {"values": ["x", "x'", ""]}},
        "s",
        _rows("s not in ('x', 'x''', '')"),
    ),
    (
        {"accepted_values": {"arguments": {"values": [1, 2], "quote": False}}},
        "a",
        _rows("a not in (1, 2)"),
    ),
    ({"accepted_values": {"values": [1, "2"]}}, "a", _rows("a not in ('1', '2')")),
    ({"accepted_values": {"values": "{{ ['x', 'y%'] }}"}}, "s", _rows("s not in ('x', 'y%')")),
    ({"accepted_values": {"values": [True], "quote": False}}, "f", _rows("f not in (true)")),
    ({"dbt_utils.not_accepted_values": {"values": ["x"]}}, "s", _rows("s in ('x')")),
    (
        {"dbt_utils.accepted_range": {"min_value": 0, "max_value": 2}},
        "a",
        _rows("false or not a >= 0 or not a <= 2"),
    ),
    (
        {"dbt_utils.accepted_range": {"min_value": 0, "max_value": 2, "inclusive": False}},
        "a",
        _rows("false or not a > 0 or not a < 2"),
    ),
    ({"dbt_utils.accepted_range": {"max_value": "b"}}, "a", _rows("not a <= b")),
    (
        {"dbt_utils.accepted_range": {"min_value": "'2020-01-03'"}},
        "d",
        _rows("not d >= '2020-01-03'"),
    ),
    ({"dbt_utils.expression_is_true": {"expression": ">= 1"}}, "a", _rows("not (a >= 1)")),
    ({"dbt_utils.expression_is_true": {"expression": "= b + 1"}}, "a", _rows("not (a = b + 1)")),
    (
        {"dbt_utils.expression_is_true": {"expression": "a + b >= 0 or s = 'x'"}},
        None,
        _rows("not (a + b >= 0 or s = 'x')"),
    ),
    ("dbt_utils.not_empty_string", "s", _rows("trim(s) = ''")),
    ({"dbt_utils.not_empty_string": {"trim_whitespace": False}}, "s", _rows("s = ''")),
    (
        {"dbt_utils.unique_combination_of_columns": {"combination_of_columns": ["a", "r"]}},
        None,
        _unique("a, r"),
    ),
    (
        {
            "dbt_expectations.expect_column_values_to_be_between": {
                "min_value": 0,
                "max_value": 3,
                "strictly": True,
                "row_condition": "b is not null",
            }
        },
        "a",
        _rows("not (a > 0 and a < 3) and b is not null"),
    ),
    (
        {"dbt_expectations.expect_column_values_to_match_regex": {"regex": "^x|y$"}},
        "r",
        _rows("not regexp_matches(r, '^x|y$')"),
    ),
    (
        {"dbt_expectations.expect_column_values_to_match_like_pattern": {"like_pattern": "x_"}},
        "s",
        _rows("not (s like 'x_')"),
    ),
    (
        {
            "dbt_expectations.expect_column_value_lengths_to_be_between": {
                "min_value": 1,
                "max_value": 1,
            }
        },
        "s",
        _rows("not (length(s) between 1 and 1)"),
    ),
    (
        {
            "dbt_expectations.expect_column_pair_values_A_to_be_greater_than_B": {
                "column_A": "e",
                "column_B": "d",
                "or_equal": True,
            }
        },
        None,
        _rows("not (e >= d)"),
    ),
]


@pytest.mark.parametrize(("test", "column", "sql"), DBT, ids=[json.dumps(t[0])[:60] for t in DBT])
@of_tables
def test_dbt(test: Any, column: str | None, sql: str, rows: list[Row], tmp_path: Path) -> None:
    assert broken(rows, imported_dbt(tmp_path, test, column)) == counted(rows, sql)


CHECKS = [
    "a > 0",
    "a >= 0 and b <= 2",
    "a = 1 or b = 2 and (s = 'x' or d is null)",
    "not (a = 1 and b = 2)",
    "not a = 1 or not f",
    "a is not null or f is null",
    "s in ('x', 'x''')",
    "s not in ('x', 'xy')",
    "a between b and 2",
    "a not between -1 and 1",
    "s like 'x%'",
    "s not like '%x'",
    "regexp_matches(s, '^x?y')",
    "not regexp_matches(s, 'x$')",
    "length(s) = 2",
    "length(s) > length(r)",
    "abs(a) <= 1",
    "a + b * 2 - 1 >= 0",
    "(a + b) * 2 >= a - (b - 1)",
    "a % 2 = 0",
    "-a < b",
    "e >= d",
    "e - d <= 2",
    "e <= d + interval '1 day'",
    "e <= d + 1",
    "d >= date '2020-01-03'",
    "d < '2020-01-03'",
    "d <> cast('2020-01-02' as date)",
    "a is distinct from b",
    "a is not distinct from 1",
    "f",
    "not f",
    "f is true",
    "f is not true",
    "a is null = false or b > 0",
    "a = any([1, 2])",
    "s <> r",
    "a / 2 > 0.5",
    "a::text = '1'",
    "case when a > 0 then b > 0 end",
]
CANNOT = {"a is null = false or b > 0", "a::text = '1'", "case when a > 0 then b > 0 end"}


@pytest.mark.parametrize("check", CHECKS)
@of_tables
def test_check_of_sql(check: str, rows: list[Row], tmp_path: Path) -> None:
    columns = ", ".join(f"{name} {kind}" for name, kind in TYPES.items())
    path = tmp_path / "t.sql"
    path.write_text(f"create table t ({columns}, check ({check}))")
    imported = import_rules(path, dialect="duckdb")
    assert (check in CANNOT) == bool(imported.left_out), imported.left_out
    if imported.rules:
        assert broken(rows, imported) == counted(rows, _rows(f"not ({check})"))


@of_tables
def test_keys_of_sql(rows: list[Row], tmp_path: Path) -> None:
    path = tmp_path / "t.sql"
    columns = ", ".join(f"{name} {kind}" for name, kind in TYPES.items())
    path.write_text(
        f"create table t ({columns}, unique (a, r)); create unique index i on t (b) where f"
    )
    first, second = import_rules(path, dialect="duckdb").constraints
    expected = (_unique("a, r"), _unique("b", "f"))
    for rule, sql in zip((first, second), expected, strict=True):
        found = candling.exact(table(rows), candling.ConstraintSet((rule,))).problematic
        assert found == counted(rows, sql)


# The expectation, its arguments, and whether a row is unexpected.
GX: list[tuple[str, dict[str, Any], Callable[[Row], bool]]] = [
    ("expect_column_values_to_not_be_null", {"column": "s"}, lambda r: r["s"] is None),
    ("expect_column_values_to_be_null", {"column": "s"}, lambda r: r["s"] is not None),
    (
        "expect_column_values_to_be_in_set",
        {"column": "a", "value_set": [1, 2, None]},
        lambda r: r["a"] is not None and r["a"] not in (1, 2),
    ),
    (
        "expect_column_values_to_not_be_in_set",
        {"column": "s", "value_set": ["x", ""]},
        lambda r: r["s"] in ("x", ""),
    ),
    (
        "expect_column_values_to_be_between",
        {"column": "a", "min_value": 0, "max_value": 2, "strict_max": True},
        lambda r: r["a"] is not None and not 0 <= r["a"] < 2,
    ),
    (
        "expect_column_values_to_be_between",
        {"column": "a", "min_value": 0, "row_condition": 'r=="x" and b!=1'},
        lambda r: r["r"] == "x" and r["b"] != 1 and r["a"] is not None and r["a"] < 0,
    ),
    (
        "expect_column_values_to_be_between",
        {
            "column": "d",
            "min_value": "2020-01-02",
            "row_condition": 'col("r").notNull()',
            "condition_parser": "great_expectations",
        },
        lambda r: r["r"] is not None and r["d"] is not None and r["d"] < date(2020, 1, 2),
    ),
    (
        "expect_column_value_lengths_to_be_between",
        {"column": "s", "min_value": 1, "max_value": 2, "strict_min": True},
        lambda r: r["s"] is not None and not 1 < len(r["s"]) <= 2,
    ),
    (
        "expect_column_values_to_match_regex_list",
        {"column": "s", "regex_list": ["^x", "y"], "match_on": "all"},
        lambda r: r["s"] is not None and not (r["s"].startswith("x") and "y" in r["s"]),
    ),
    (
        "expect_column_values_to_not_match_regex_list",
        {"column": "s", "regex_list": ["x", "y"]},
        lambda r: r["s"] is not None and ("x" in r["s"] or "y" in r["s"]),
    ),
    (
        "expect_column_pair_values_A_to_be_greater_than_B",
        {"column_A": "a", "column_B": "b", "ignore_row_if": "either_value_is_missing"},
        lambda r: None not in (r["a"], r["b"]) and not r["a"] > r["b"],
    ),
    (
        "expect_column_pair_values_to_be_in_set",
        {
            "column_A": "a",
            "column_B": "r",
            "value_pairs_set": [[1, "x"], [2, "y"]],
            "ignore_row_if": "either_value_is_missing",
        },
        lambda r: None not in (r["a"], r["r"]) and (r["a"], r["r"]) not in ((1, "x"), (2, "y")),
    ),
    (
        "expect_select_column_values_to_be_unique_within_record",
        {"column_list": ["a", "b"], "ignore_row_if": "any_value_is_missing"},
        lambda r: None not in (r["a"], r["b"]) and r["a"] == r["b"],
    ),
    (
        "expect_multicolumn_sum_to_equal",
        {"column_list": ["a", "b"], "sum_total": 1},
        lambda r: None not in (r["a"], r["b"]) and r["a"] + r["b"] != 1,
    ),
]


@pytest.mark.parametrize(("name", "arguments", "unexpected"), GX, ids=[g[0][7:50] for g in GX])
@of_tables
def test_great_expectations(
    name: str,
    arguments: dict[str, Any],
    unexpected: Callable[[Row], bool],
    rows: list[Row],
    tmp_path: Path,
) -> None:
    path = tmp_path / "suite.json"
    path.write_text(
        json.dumps({"name": "t", "expectations": [{"type": name, "kwargs": arguments}]})
    )
    imported = import_rules(path)
    assert not imported.left_out
    assert broken(rows, imported) == sum(map(unexpected, rows))


@pytest.mark.parametrize("pick", range(10))
@of_tables
def test_pandera(rows: list[Row], pick: int) -> None:
    """Pandera itself says which rows fail; columns without NULL, on which keys agree."""
    pd = pytest.importorskip("pandas")
    pan = pytest.importorskip("pandera.pandas")
    check = (
        pan.Check.in_range(0, 2, include_max=False),
        pan.Check.isin([1, 2]),
        pan.Check.notin([1, 2]),
        pan.Check.gt(1),
        pan.Check.ne(1),
        pan.Check.str_matches("x|y"),
        pan.Check.str_contains("y$"),
        pan.Check.str_startswith("y%"),
        pan.Check.str_endswith("y"),
        pan.Check.str_length(1, 1),
    )[pick]
    name = "a" if pick < 5 else "s"
    rows = [row for row in rows if row[name] is not None]
    schema = pan.DataFrameSchema({name: pan.Column(None, check, nullable=True)})
    frame = pd.DataFrame({name: [row[name] for row in rows]}, dtype=object)
    failing: set[int] = set()
    try:
        schema.validate(frame, lazy=True)
    except pan.errors.SchemaErrors as error:
        failing = set(error.failure_cases["index"])
    imported = import_rules(schema)
    assert broken(rows, imported) == len(failing)
