"""Queries are SQL that an engine answers as they read."""

from __future__ import annotations

import duckdb
import pytest

from candling.tables.engine import literal, quote_name
from candling.tables.queries import Dialect, Relation, Type, choose, read_rows, truth

DIALECT = Dialect(quote_name, literal, "double")
ROWS = "select * from (values (1, 'a', true), (2, 'b''', false), (null, null, null)) t(n, w, b)"


def rows() -> Relation:
    return read_rows(ROWS, {"n": "int64", "w": "string", "b": "boolean"}, DIALECT)


def answer(query: Relation) -> list[tuple[object, ...]]:
    return duckdb.execute(f"from ({query.sql()}) order by all").fetchall()


def test_rows_are_filtered_and_changed() -> None:
    table = rows()
    assert answer(table.filter(table["w"] == "b'").select("n")) == [(2,)]
    assert answer(table.filter(~(table["b"] & truth(True))).select("n")) == [(2,)]
    negative = table.filter(table["n"].notnull()).mutate(n=-table["n"])
    assert answer(negative.select("n")) == [(-2,), (-1,)]
    assert answer(table.rename({"n": "m"}).select("m"))[0] == (1,)
    half = table["n"].cast("float64") / 4 * 1e300
    assert answer(table.select(x=half))[0] == (2.5e299,)
    chosen = choose((table["n"] > 1, table["w"]), other=table["w"].constant("less"))
    assert answer(table.select(x=chosen)) == [("b'",), ("less",), ("less",)]
    assert answer(table.select(x=choose((table["n"] > 1, table["n"])))) == [(2,), (None,), (None,)]


def test_groups_are_counted() -> None:
    table = rows()
    numbers = table.aggregate(
        n=table.count(),
        few=table.count(where=table["n"] > 1),
        most=table["n"].max(),
        kinds=table["w"].count_distinct(where=table["b"]),
        least=table["n"].sum(where=table["n"] < 2),
    )
    assert answer(numbers) == [(3, 1, 2, 1, 1)]
    assert answer(table.aggregate(by=["b"], n=table.count())) == [(False, 1), (True, 1), (None, 1)]


def test_windows_look_at_what_comes_before() -> None:
    table = rows().filter(rows()["n"].notnull()).mutate(one=rows()["n"].constant(1))
    before = table["n"].max().over_earlier([table["one"]], table["n"])
    after = table["n"].max().over_earlier([table["one"]], table["n"], falling=True)
    assert answer(table.select("n", x=before, y=after)) == [(1, None, 2), (2, 1, None)]


def test_what_is_used_twice_is_written_once() -> None:
    table = rows()
    groups = table.aggregate(by=["n"], times=table.count())
    pairs = groups.select(m=groups["n"]).cross_join(groups)
    joined = table.select("w").cross_join(pairs)
    assert joined.sql().count("group by") == 1
    assert len(answer(joined)) == 27


def test_many_joins_are_not_nested() -> None:
    table = rows()
    for number in range(1500):
        names = {name: f"{name}{number}" for name in ("n", "w", "b")}
        other = rows().filter(rows()["n"] == 1).rename(names)
        table = table.left_join(other, [table["n"] == other[f"n{number}"]])
    assert "(" * 9 not in table.sql().replace(" ", "")


def test_columns_of_one_name_are_a_bug() -> None:
    with pytest.raises(AssertionError, match="one name"):
        rows().cross_join(rows())
    with pytest.raises(AssertionError, match="not cast"):
        truth(True).cast("int32")
    with pytest.raises(TypeError):
        _ = rows()["n"] == [1]


def test_types_have_their_digits() -> None:
    assert Type("decimal(38, 2)").digits == (38, 2)
    assert Type("decimal").digits is None
    assert Type("int64") == Type("int64", DIALECT) != Type("int32")
