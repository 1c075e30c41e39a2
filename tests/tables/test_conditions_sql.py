"""Conditions mean the same in the oracle and on every engine, and no value ends in an error."""

# ruff: noqa: DTZ001 - a timestamp without a zone is what is tested

from __future__ import annotations

import math
import os
import re
from datetime import date, datetime
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import psycopg
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import candling
from candling.errors import ConstraintError, UsageError
from candling.graph.build import find_self_conflicts
from candling.rules import ColumnType, Constraint, ConstraintSet, check_schema, parse_constraints
from candling.rules.conditions import Not, predicates_of
from candling.rules.patterns import Pattern
from candling.rules.printer import quote_text
from candling.tables import open_table, read_classes
from candling.tables.conditions_sql import with_conditions
from candling.tables.values import Form, Table, TableColumn
from tests.backends import Tables
from tests.effort import examples
from tests.oracle import violates_row
from tests.postgres import Server
from tests.rules.patterns import TEXTS, patterns
from tests.strategies import _pools, _rows, conditions, to_arrow

GOLDEN = Path(__file__).parent / "golden"

ROWS: list[dict[str, Any]] = [
    {"n": 1, "m": 2, "d": Decimal("1.50"), "f": 0.5, "s": "ab", "o": True,
     "day": date(2020, 1, 1), "at": datetime(2020, 1, 1, 12)},
    {"n": 2, "m": -7, "d": Decimal("2.25"), "f": math.inf, "s": "zé\n", "o": False,
     "day": None, "at": None},
    {"n": None, "m": None, "d": None, "f": None, "s": None, "o": None,
     "day": date(2021, 5, 5), "at": datetime(2021, 5, 5)},
    {"n": -5, "m": 0, "d": Decimal("0.00"), "f": 1e80, "s": "", "o": True,
     "day": date(1960, 2, 29), "at": datetime(1950, 1, 1)},
    {"n": 2**63 - 1, "m": 2**63 - 1, "d": Decimal("99999999.99"), "f": 1e308, "s": "It's \\ 5%_",
     "o": False, "day": date(9999, 12, 31), "at": datetime(9999, 12, 31, 23, 59, 59, 999_999)},
    {"n": -(2**63), "m": -1, "d": Decimal("-99999999.99"), "f": -1e-308, "s": "x@y.example",
     "o": None, "day": date(1, 1, 1), "at": datetime(1, 1, 1)},
    {"n": 0, "m": 3, "d": Decimal("0.10"), "f": math.nan, "s": "12345", "o": True,
     "day": date(2020, 1, 31), "at": datetime(2020, 1, 31)},
    {"n": 7, "m": 7, "d": Decimal("0.20"), "f": 0.1, "s": "\U0001f600b", "o": False,
     "day": date(2020, 3, 1), "at": datetime(2020, 2, 1, 0, 0, 0, 1)},
]  # fmt: skip
SCHEMA = pa.schema(
    {
        "id": pa.int64(),
        "n": pa.int64(),
        "m": pa.int64(),
        "d": pa.decimal128(10, 2),
        "f": pa.float64(),
        "s": pa.string(),
        "o": pa.bool_(),
        "day": pa.date32(),
        "at": pa.timestamp("us"),
    }
)
TABLE = pa.Table.from_pylist([{"id": i, **row} for i, row in enumerate(ROWS)], SCHEMA)
CONDITIONS = r"""
n is not null
s is null
n between 0 and 10
n not between 0 and 10
n in (1, 2.0, 2.5, 7)
d in (1.5, 2.25, 0.001)
f in (0.5, 0.1)
s in ('ab', 'It''s \ 5%_', '')
s not in ('ab', 'x@y.example')
o in (true)
day in (2020-01-01, 2021-05-05T00:00:00, 2020-01-31T01:00:00)
at in (2020-01-01T12:00:00, 2020-01-31)
s matches '^[a-z]+$'
s not matches '[^ -~]'
s matches '^.+$'
s matches '^[^@ ]+@[^@ ]+\.[a-z]+$'
s matches '^\d{5}$'
s matches '\\'
s like '%_'
s like '_b'
s like 'It''s%'
s not like '%é_'
length(s) = 2
length(s) between 1 and 5
day <= at
check (day < at or n > 3)
check (day >= 2020-01-31T00:00:00 or at < 2020-02-01)
n + m > 0
n + m = n + m + 1
n - m <= 0
n * m >= 0
check (n * m * m * m > 0)
n / m > 0.3
n % 3 = 1
n % m = 0
abs(n) >= 5
abs(f) < 1
d + 0.1 = 1.6
d * d < 3
d + n > 2
d / 3 > 0.5
f + 0.25 > 0.5
f * f >= 0
f / n >= 0
1 / f > 1
- n < 3
n + f > 1
check (f > 0.25 or d > 0.15)
check (f = 0.1 or f > 10000000000000000000000000000000000000000000000)
at - day < 1
at - day = 0.5
day - 2020-01-01 between 0 and 100
day - day = 0
day + 30 > at
day - 1 < 2020-01-31
day + 0.5 <= at
day + n > 2000-01-01
o
o = false
not o
check (o or n > 1)
check (o and (n > 1 or s is null))
check (not (o and n > 1))
check (n > m or n < m or n = m)
n is not null where o
length(s) > 1 where day is not null and n > 0
check (length(s) + n * 2 - abs(m) > d / 2)
""".strip().splitlines()


def broken(table: Any, rules: ConstraintSet) -> list[set[int]]:
    """The ids of the rows that break each rule, as an engine tells."""
    (key,) = parse_constraints("key(id)")
    opened = open_table(table)
    check_schema(rules, opened.schema)
    classes = read_classes(opened, (*rules, key))
    (place,) = (i for name, i in classes.rules[-1].names.items() if name == "id")
    ids = np.argsort(np.argsort(classes.codes[place]))  # every row has its own
    return [set(ids[find_self_conflicts(classes, rule)].tolist()) for rule in classes.rules[:-1]]


def expected(rules: ConstraintSet, rows: list[dict[str, Any]]) -> list[set[int]]:
    return [{i for i, row in enumerate(rows) if violates_row(rule, row)} for rule in rules]


def written(text: str) -> str:
    return f"check ({text})" if text == "o" else text


def test_every_engine_agrees_with_the_oracle(engine_table: Tables) -> None:
    rules = parse_constraints("\n".join(map(written, CONDITIONS)))
    assert len(rules) == len(CONDITIONS)
    wrong = {
        text: (told, meant)
        for text, told, meant in zip(
            CONDITIONS, broken(engine_table(TABLE), rules), expected(rules, ROWS), strict=True
        )
        if told != meant
    }
    assert wrong == {}
    assert sum(map(bool, expected(rules, ROWS))) > len(CONDITIONS) * 0.75  # they say something


def test_patterns_are_found_alike(engine_table: Tables) -> None:
    chosen = [
        *("a", "^a$", "a|b", "^(a|b)*$", "[^a]", r"\.", r"[\]\[^-]", r"[a\-z]", "a{2}", "a{1,2}b"),
        *("(?:ab)+c?", r"\s", r"\S", r"\w\W", r"\d+", "^$", "", "x?", ".", r"^[\s\S]$", "é"),
        *(r"\*\+\?\(\)\{\}\|\^\$\/", "^.{2,3}$", r"[.*+]", "(a|bc|)+d", "^(?:a?){3}$", r"^\\"),
        *("\U0001f600", "[\U0001f600-\U0001f64f]", "a.*b", "a[^b]*b", r"[^\d]", r"[^\W_]"),
        *(r"[\[]", "[&&b]", "[a-c&&b]", "~", "[:alpha:]", "[=a=]", r"\*\*\*=x", "#", "&&", "[à-ÿ]"),
    ]
    table = pa.table({"id": range(len(TEXTS)), "s": list(TEXTS)})
    rows = [{"s": text} for text in TEXTS]
    rules = parse_constraints("\n".join("s matches '" + p.replace("'", "''") + "'" for p in chosen))
    wrong = [
        (pattern, told ^ meant)
        for pattern, told, meant in zip(
            chosen, broken(engine_table(table), rules), expected(rules, rows), strict=True
        )
        if told != meant
    ]
    assert wrong == []
    assert all(re.compile(p) for p in chosen)


def test_long_texts_end_in_no_error(engine_table: Tables) -> None:
    """Java has no stack for a repeated group and thousands of characters: they are unknown."""
    texts = ["a" * 500, "a" * 501, "a" * 500_000, "x"]
    table = engine_table(pa.table({"id": range(4), "s": texts}))
    rules = parse_constraints("s matches '^(a|bc)+$'\ns matches '^(b|bc)+$'\ns matches '^a+$'")
    assert broken(table, rules) == [{3}, {0, 3}, {3}]


@settings(max_examples=examples(150))
@given(st.data())
def test_any_condition(data: st.DataObject) -> None:
    """On DuckDB, any condition is what the oracle says, row by row."""
    pools = data.draw(_pools())
    rows = data.draw(_rows(pools))
    condition = data.draw(conditions(pools))
    rules = ConstraintSet((Constraint(tuple(predicates_of(Not(condition)))),))
    table = to_arrow(pools.columns, rows).append_column(
        "id", pa.array(range(len(rows)), pa.int64())
    )
    assert broken(table, rules) == expected(rules, rows)


@settings(max_examples=examples(300))
@given(patterns())
def test_any_pattern(pattern: str) -> None:
    """On DuckDB, any pattern that is allowed is found where Python finds it."""
    Pattern(pattern).check()
    rules = parse_constraints(f"s matches {quote_text(pattern, chr(39))}")
    table = pa.table({"id": range(len(TEXTS)), "s": list(TEXTS)})
    assert broken(table, rules) == expected(rules, [{"s": text} for text in TEXTS])


@pytest.mark.parametrize("engine", ["duckdb", "postgresql", "spark"])
def test_sql(engine: str) -> None:
    """The SQL of each engine, as a file to read."""
    known = import_module(f"candling.tables.backends.{engine}").ENGINE
    kinds = {
        "n": ("int64", Form(ColumnType.NUMBER)),
        "d": ("decimal(10, 2)", Form(ColumnType.NUMBER)),
        "f": ("float64", Form(ColumnType.NUMBER, bits=64)),
        "g": ("float64", Form(ColumnType.NUMBER, bits=32)),
        "s": ("string", Form(ColumnType.STRING)),
        "o": ("boolean", Form(ColumnType.BOOLEAN)),
        "day": ("int64", Form(ColumnType.DATE)),
        "at": ("int64", Form(ColumnType.TIMESTAMP, unit="us")),
    }
    columns = {
        name: TableColumn(known.quote(name), form, kind) for name, (kind, form) in kinds.items()
    }
    table = Table(known, None, "rows", columns)
    texts = [
        *("n is not null", "n between 0 and 10", "s in ('ab', 'it''s')", "g in (0.1, 2)"),
        *("day in (2020-01-01)", r"s matches '^\d{5}(-\d{4})?$'", "s like 'a%'", "length(s) = 5"),
        *("n * 2 > d", "n / d > 1", "f * 2 > n", "n % 2 = 1", "day + 30 > at", "at - day < 2"),
        *("check (day >= 2020-01-31T12:00:00 or o)", "check (n > 3 or s is null)"),
    ]
    lines = []
    for text in texts:
        (rule,) = parse_constraints(text)
        computed = with_conditions(table, (rule,))
        for predicate in rule.predicates:
            if predicate.left.condition is not None:
                lines += [f"-- {text}", computed.columns[predicate.left.name].sql, ""]
    path = GOLDEN / f"conditions-{engine}.sql"
    if os.environ.get("CANDLING_UPDATE_GOLDEN"):
        path.write_text("\n".join(lines), encoding="utf-8")
    assert path.read_text(encoding="utf-8") == "\n".join(lines)


def test_floats_of_32_bits_hold_their_constants() -> None:
    table = pa.table({"id": [0, 1], "g": pa.array([0.1, 0.5], pa.float32())})
    rules = parse_constraints("g in (0.1, 7)\ncheck (g = 0.1 or g > 7)\ncheck (0.1 >= g)")
    assert broken(table, rules) == [{1}, {1}, {1}]


def test_remainders_are_of_whole_numbers(engine_table: Tables) -> None:
    """Of others it is unknown, whatever type the column has: no value decides about an error."""
    table = pa.table(
        {
            "id": [0, 1, 2, 3],
            "n": [3, 4, -3, None],
            "f": [3.0, 3.5, 1e300, math.inf],
            "d": pa.array(
                [Decimal("3.00"), Decimal("4.00"), Decimal("3.50"), None], pa.decimal128(5, 2)
            ),
        }
    )
    rules = parse_constraints("n % 2 = 1\nf % 2 = 0\nd % 2 = 0\nf % n = 1")
    assert broken(engine_table(table), rules) == [{1, 2}, {0}, {0}, {0}]


def test_the_ends_of_lists(engine_table: Tables) -> None:
    table = pa.table(
        {
            "id": [0, 1, 2],
            "n": [-(2**63), 2**63 - 1, 0],
            "z": pa.array([Decimal("0.00"), Decimal("0.50"), Decimal("0.25")], pa.decimal128(2, 2)),
        }
    )
    rules = parse_constraints(
        "n in (-9223372036854775808, 9223372036854775808)\nn not in (9223372036854775807, 1)\n"
        "z in (0, 0.5)\nz not in (0.00, 7)\ncheck (z = 0 or z = 0.5)"
    )
    assert broken(engine_table(table), rules) == [{1, 2}, {1}, {2}, {0}, {2}]


def test_lists_in_files(tmp_path: Path) -> None:
    (tmp_path / "states.csv").write_text("code,name\nab,A\n12345,B\nab,C\n,D\n")
    (tmp_path / "lines.txt").write_text("1\n2.0\n\n-5\n")
    rules = tmp_path / "rules.txt"
    rules.write_text("s in file('states.csv', 'code')\nn in file('lines.txt')\n")
    loaded = candling.load_constraints(rules)
    assert broken(TABLE, loaded) == [{1, 3, 4, 5, 7}, {4, 5, 6, 7}]
    first, _ = map(str, loaded)
    assert first == "s in file('states.csv', 'code')"
    rules.write_text(first)
    assert (
        candling.load_constraints(rules).constraints[0].canonical == loaded.constraints[0].canonical
    )
    rules.write_text("n in file('states.csv', 'code')")
    with pytest.raises(ConstraintError, match="has other values"):
        candling.exact(TABLE, candling.load_constraints(rules))
    rules.write_text("s in file('states.csv', 'nothing')")
    with pytest.raises(ConstraintError, match="has no column `nothing`") as error:
        candling.load_constraints(rules)
    assert "ab" not in str(error.value)  # without a header, its first line is a row


def test_lists_are_told_apart(tmp_path: Path) -> None:
    """A computed column has a name for each list, and no text shows more than the file."""
    rules = tmp_path / "rules.txt"
    rules.write_text("s in file('list.csv', 'code')\n")
    names = set()
    for content in ("code\na\nb\n", 'code\n"a\nb"\n', 'code\n"a"",""b"\n'):
        (tmp_path / "list.csv").write_text(content)
        (rule,) = candling.load_constraints(rules)
        names.add(rule.predicates[0].left.name)
        assert str(rule) == "s in file('list.csv', 'code')"
    assert len(names) == 3


def test_the_table_is_no_list(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id,ref\n1,1\n2,7\n")
    (tmp_path / "rules.txt").write_text("ref in file('t.csv', 'id')\n")
    with pytest.raises(UsageError, match="table itself"):
        candling.exact(tmp_path / "t.csv", tmp_path / "rules.txt")
    with pytest.raises(UsageError, match="table itself"):
        candling.release(tmp_path / "t.csv", tmp_path / "rules.txt", 1)


def test_positions_are_columns_of_the_table() -> None:
    """Desbordante may count columns instead of naming them."""
    table = pa.table({"id": [0, 1, 2], "a": [1, 1, 2], "b": [1, 2, 1]})
    rules = parse_constraints("!(s.1 == t.1 and s.2 != t.2)\n!(s.2 == 2)")
    assert candling.exact(table, rules).to_dict()["minimal_inconsistent"] == 1
    assert candling.exact(table, parse_constraints("!(s.1 == t.1 and s.b != t.b)")).repair == 1
    with pytest.raises(ConstraintError, match="no column number 7"):
        candling.exact(table, parse_constraints("!(s.7 == t.1)"))


def test_a_position_is_no_name() -> None:
    table = pa.table({"id": [0, 1], "a": [1, 1], "#1": [1, 2]})
    rules = parse_constraints('not(t1.1 = t2.1)\nkey("#1")\nnot(t1.1 = 1 and t1."#1" != 1)')
    assert len(candling.rules.compile_rules(rules)) == 3
    exact = candling.exact(table, rules, by_rule=True)
    assert [rule.repair for rule in exact.by_rule] == [1, 0, 1]


ODD = """
(1::hugeint, 5::ubigint, time '12:00', 'ab'::blob, timestamp_ns '2020-01-01 00:00:00.000000001',
 timestamptz '2020-01-01 00:00:00+00', 'x'::enum('x', 'y'), 1.5::decimal(38, 10),
 date '2020-01-01', timestamp '2020-01-01', 1.5::float),
(170141183460469231731687303715884105727, 18446744073709551615, time '23:59:59.999999', ''::blob,
 timestamp_ns '2262-01-01', timestamptz 'infinity', 'y', 9999999999999999999999999999.9999999999,
 date 'infinity', timestamp 'infinity', 'inf'::float),
(-170141183460469231731687303715884105727, 0, time '00:00', '\\x00'::blob,
 timestamp_ns '1700-01-01', timestamptz '-infinity', null, -9999999999999999999999999999.9999999999,
 date '-infinity', timestamp '-infinity', 'nan'::float),
(null, null, null, null, null, null, null, null, null, null, null)
"""


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("h + 1 > 0", 1), ("h * u > 0", 1), ("u - 1 > 0", 1), ("abs(h) > 1", 1), ("h % 2 = 1", 1),
        ("u in (5, 18446744073709551615)", 1), ("h in (1)", 2), ("d in (1.5)", 2),
        ("d + 0.5 > 0", 1), ("d * d > 1", 0), ("d / h > 0", 0), ("f / u > 0", 0), ("d > f", 2),
        ("check (h > d or h > f or u > d)", 0), ("f + h > 0", 0), ("f in (1.5)", 1),
        ("t is not null", 1), ("check (t >= t or h > 3)", 0), ("check (b = b or h > 1)", 0),
        ("e in ('x')", 1), ("e matches 'x'", 1), ("length(e) = 1", 0),
        ('ns - "at" > 0', 0), ('tz - "at" = 0', 0), ("day - day = 0", 0),
        ("check (day > ns or h > 5)", 2), ('check (tz <= "at" or h > 5)', 0),
        ("day + h > 2000-01-01", 0), ("day + d > 2000-01-01", 0), ("day + f > 2000-01-01", 0),
        ("ns in (2020-01-01)", 3), ("tz in (2020-01-01)", 2), ('"at" - 2020-01-01 > 1', 1),
    ],
)  # fmt: skip
def test_the_ends_of_every_type_of_duckdb(text: str, number: int) -> None:
    backend = ibis.duckdb.connect()
    columns = 'h, u, t, b, ns, tz, e, d, day, "at", f'
    backend.con.execute(f"create table odd as select * from (values {ODD}) v({columns})")
    exact = candling.exact(backend.table("odd"), parse_constraints(text))
    assert exact.minimal_inconsistent == number


@pytest.mark.postgres
def test_the_ends_of_every_type_of_postgresql(postgres: Server) -> None:
    address = postgres.fresh()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(
            "create table odd (a numeric, f float8, g float4, day date, at timestamptz, c char(5))"
        )
        connection.execute(
            "insert into odd values (1.5, 1.5, 1.5, '2020-01-01', '2020-01-01Z', 'ab'), "
            "('NaN', 'NaN', 'NaN', 'infinity', 'infinity', ''), "
            "('Infinity', 'Infinity', 'Infinity', '-infinity', '-infinity', 'abcde'), "
            "(1e500, 1e308, 1e38, '5874897-12-31', '294276-12-31', null), "
            "(-1e-500, 1e-308, 1e-38, '4713-01-01 BC', '4713-01-01 BC', ' '), "
            "(null, null, null, null, null, null)"
        )
    texts = {
        "a + 0.1 = 1.6": 1, "a % 2 = 1": 0, "a * a * a > 0": 1, "a + 1 > 2.5": 2, "a * a > 3": 2,
        "a / f = 1": 0, "f * g > 3": 1, "a > f": 3, "a in (1.5)": 3, "abs(a) > 2": 2,
        "day + 1 > 2021-01-01": 2, "day - 2020-01-01 >= 0": 1, "at - day = 0": 0,
        "length(c) = 2": 3, "c matches '^ab$'": 3, "check (at > day or f > 9)": 2,
    }  # fmt: skip
    told = {
        text: candling.exact(address, parse_constraints(text), table="odd").minimal_inconsistent
        for text in texts
    }
    assert told == texts
