"""SQL that cannot be said is refused, never said wrongly."""

from __future__ import annotations

import pytest

from candling.imports.draft import Columns, UnsupportedRuleError
from candling.imports.sql_conditions import condition, query
from candling.reading import StatedType

COLUMNS = Columns(
    {
        "a": StatedType("number"),
        "s": StatedType("text"),
        "d": StatedType("date"),
        "t": StatedType("timestamp"),
    }
)
REFUSED = [
    ("a between symmetric 2 and 1", "postgres"),
    ("s ilike 'x%'", "postgres"),
    ("s ~* 'x'", "postgres"),
    ("s similar to 'x'", "postgres"),
    ("s like 'x!%' escape '!'", None),
    (r"s like 'x\%'", "postgres"),
    ("lower(s) = 'x'", None),
    ("coalesce(a, 0) > 0", None),
    ("d <= current_date", None),
    ("t <= now()", None),
    ("a = null", None),
    ("1 = 1", None),
    ("a in (select b from other)", None),
    ("exists (select 1)", None),
    ("case when a > 0 then true end", None),
    ("a::int > 3", "postgres"),
    ("a::numeric(3, 1) > 3", "postgres"),
    ("s::varchar(2) = 'xy'", "postgres"),
    ("t::date = '2020-01-01'", "postgres"),
    ("d <= d + interval '1 month'", "postgres"),
    ("date_diff('month', d, t) > 1", "duckdb"),
    ("regexp_matches(s, 'x', 'i')", "duckdb"),
    ("s ~ s", "postgres"),
    ("a > 0 group by a", None),
    ("a > 0; drop table t", None),
    ("{{ column_name }} > 0", None),
    ("a >", None),
    ("", None),
    ("*", None),
    ("count(*) > 1", None),
    ("a > 0 xor a < 9", "mysql"),
]


@pytest.mark.parametrize(("sql", "dialect"), REFUSED, ids=[sql or "nothing" for sql, _ in REFUSED])
def test_what_rules_have_no_word_for_is_refused(sql: str, dialect: str | None) -> None:
    with pytest.raises(UnsupportedRuleError):
        condition(sql, COLUMNS, dialect)


@pytest.mark.parametrize(
    ("sql", "dialect", "rule"),
    [
        (
            "(status)::text = any ((array['x'::text, 'y'])::text[])",
            "postgres",
            "status in ('x', 'y')",
        ),
        ("a <> all (array[1, 2])", "postgres", "a not in (1, 2)"),
        ("regexp_like(s, 'x|y')", "snowflake", "s matches '^(?:x|y)$'"),
        ("s rlike 'x'", "spark", "s matches 'x'"),
        ("regexp_contains(s, r'\\d')", "bigquery", r"s matches '\d'"),
        ('`a` > 0 and t.`s` = "x"', "bigquery", "check (a > 0 and s = 'x')"),
        ("datediff(day, d, t) >= 0", "snowflake", "(t - d) >= 0"),
        ("t >= timestamp '2020-01-01 10:00:00'", "duckdb", "t >= 2020-01-01T10:00:00"),
        ("char_length(s) <= 3", "mysql", "length(s) <= 3"),
        ("a >= '1'", None, "a >= 1"),
        ("unknown >= '2020-01-01'", None, "unknown >= 2020-01-01"),
        ("unknown = '2020-01-01'", None, "unknown = '2020-01-01'"),
    ],
)
def test_dialects(sql: str, dialect: str | None, rule: str) -> None:
    columns = Columns({**COLUMNS.declared, "status": StatedType("text")})
    assert condition(sql, columns, dialect).rule == rule


def test_a_change_of_meaning_is_told() -> None:
    assert condition("a / 2 > 1", COLUMNS, "postgres").differs is not None
    assert condition("a / 2 > 1", COLUMNS, "duckdb").differs is None
    assert condition("s like 'x%'", COLUMNS, "sqlite").differs == "there, LIKE ignores case"
    assert condition("s like 'x%'", COLUMNS, "postgres").differs is None


def test_a_long_chain_needs_no_deep_calls() -> None:
    said = condition(" or ".join(f"a = {i}" for i in range(300)), COLUMNS)
    assert said.text.count(" or ") == 299


@pytest.mark.parametrize(
    "sql",
    [
        "select count(*) from other where a > 0",
        "select count(*) from t, other where a > 0",
        "select count(*) from t join other using (a) where a > 0",
        "select count(distinct a) from t where a > 0",
        "select count(a) from t where a > 0",
        "select sum(a) from t where a > 0",
        "select count(*) from t where a > 0 group by s",
        "select count(*) from t where a > 0 having count(*) > 1",
        "select count(*) from t where a in (select a from t)",
        "select * from t where a > 0 limit 1",
        "delete from t where a > 0",
        "nonsense",
    ],
)
def test_a_query_of_anything_else_is_refused(sql: str) -> None:
    with pytest.raises(UnsupportedRuleError):
        query(sql, ("t",), COLUMNS, None)


def test_a_query_of_rows_that_meet_a_condition() -> None:
    found = query("select count(*) as n from shop.T where a > 0", ("t",), COLUMNS, None)
    assert found.counts
    assert found.where is not None
    assert found.where.negated == "check (not (a > 0))"
    assert not query("select * from t where s = 'x'", ("t",), COLUMNS, None).counts
