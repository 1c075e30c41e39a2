from __future__ import annotations

import pytest

from candling.errors import UsageError
from candling.tables import Place
from candling.tables.backends import duckdb, postgresql, spark
from candling.tables.open import is_remote, locate

CLINIC = "postgresql://ann:secret@db/clinic"


@pytest.mark.parametrize(
    ("data", "engine", "table", "expected"),
    [
        ("visits.csv", None, None, Place(duckdb.ENGINE, "visits.csv")),
        ("visits.csv", "duckdb", None, Place(duckdb.ENGINE, "visits.csv")),
        ("c.duckdb", None, "t", Place(duckdb.ENGINE, "c.duckdb", table="t")),
        ("visits.csv", "spark", None, Place(spark.ENGINE, "visits.csv")),
        ("a.b.c", "spark://h:7077", None, Place(spark.ENGINE, "a.b.c", "spark://h:7077")),
        ("a.b", "sc://h:1/;token=x", None, Place(spark.ENGINE, "a.b", "sc://h:1/;token=x")),
        ("spark://a.b.c", None, None, Place(spark.ENGINE, "a.b.c", is_table=True)),
        ("spark://a.b", "sc://h:1", None, Place(spark.ENGINE, "a.b", "sc://h:1", is_table=True)),
        ("t", CLINIC, None, Place(postgresql.ENGINE, "t", CLINIC, is_table=True)),
        ("t", "postgres", None, Place(postgresql.ENGINE, "t", "postgresql://", is_table=True)),
        (CLINIC, None, "t", Place(postgresql.ENGINE, "t", CLINIC, is_table=True)),
        (CLINIC, None, None, Place(postgresql.ENGINE, None, CLINIC, is_table=True)),
    ],
)
def test_where_a_table_is(
    data: str, engine: str | None, table: str | None, expected: Place
) -> None:
    assert locate(data, engine, table) == expected


@pytest.mark.parametrize(
    ("data", "engine", "table", "code", "words"),
    [
        ("t", "sprak", None, "U107", "Unknown engine 'sprak'. Did you mean 'spark'?"),
        ("t", "postgress://a:secret@b/c", None, "U107", "Did you mean 'postgres'?"),
        ("t", "mysql://a:secret@b/c", None, "U107", "Unknown engine 'mysql'. Known: duckdb"),
        ("t", "spark://", None, "U107", "Unknown engine 'spark'"),
        (CLINIC, "spark", "t", "U107", "postgresql://ann@db/clinic is on postgresql, but"),
        (CLINIC, "duckdb", "t", "U107", "leave one of them out"),
        (CLINIC, "postgresql://x:secret@y/z", "t", "U107", "are two addresses"),
        ("spark://a.b", CLINIC, None, "U107", "--engine names postgresql://ann@"),
        ("a.b", "spark", "t", "U103", "Name the table once"),
    ],
)
def test_what_makes_no_sense(
    data: str, engine: str | None, table: str | None, code: str, words: str
) -> None:
    with pytest.raises(UsageError) as error:
        locate(data, engine, table)
    assert error.value.code == code
    assert words in str(error.value)
    assert "secret" not in str(error.value)


def test_an_address_names_its_engine() -> None:
    assert is_remote(CLINIC)
    assert is_remote("spark://a.b.c")
    assert not is_remote("visits.csv")
    assert not is_remote({"a": [1]})
    assert "secret" not in repr(Place(postgresql.ENGINE, "t", CLINIC))
