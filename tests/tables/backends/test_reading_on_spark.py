"""How a CSV file is read, on Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import candling
from candling.reading import Reading
from candling.tables import open_table, schema_of

pytestmark = pytest.mark.spark


def values(path: Path, reading: Reading, engine: str | None = None) -> list[dict[str, Any]]:
    table = open_table(path, engine=engine, reading=reading)
    names = list(table.columns)
    rows: list[dict[str, Any]] = table.fetch(table.select(names), table.types(names)).to_pylist()
    return rows


@pytest.mark.parametrize(
    ("content", "reading"),
    [
        ("a;b\n1;é\n2;ü\n".encode("latin-1"), Reading(encoding="latin-1", delimiter=";")),
        ("a,b\n1,€\n2,ü\n".encode("cp1252"), Reading(encoding="cp1252")),
        (b"a,b\n1,NA\n,x\nNA,y\n", Reading(["NA"])),
        (b"1,x\n2,y\n", Reading(header=False)),
        (b",b\n1,x\n2,y\n", Reading()),
        (b",b\n1,x\n2,y\n", Reading(types={"column0": "text"})),
        (b"1,x\nz,y\n", Reading(header=False, types={"column0": "integer", "column1": "text"})),
        (b"a,b\n007,2020-01-31\n7.0,2020-02-30\n7.5,x\n", Reading(types={"a": "text"})),
        (
            b"a,b\n007,2020-01-31\n7.0,2020-02-30\n7.5,x\n0x1F,epoch\n",
            Reading(types={"a": "integer", "b": "date"}),
        ),
        (
            b"a,b\n7.25,yes\n7.255,NO\n.5,2\n100,t\n",
            Reading(types={"a": "decimal(4,2)", "b": "boolean"}),
        ),
        (
            b"a,b\n1e3,2020-01-31T10:00:00+02:00\n1_0,2020-01-31 10:00\n,infinity\n",
            Reading(types={"a": "number", "b": "timestamp"}),
        ),
        (
            b'a,b\n"1,5",31.12.2024\n1.5,1.2.2024\n"-2,0",2024-12-31\nx,30.02.2024\n',
            Reading(types={"a": "number(decimal ',')", "b": "date(%d.%m.%Y)"}),
        ),
        (
            b"a\n31/12/2024 23:59\n1/2/2024 7:05\n1/2/2024\n1/2/2024 25:00\n",
            Reading(types={"a": "timestamp(%d/%m/%Y %H:%M)"}),
        ),
    ],
)
def test_it_reads_as_here(spark: Any, tmp_path: Path, content: bytes, reading: Reading) -> None:
    del spark
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    assert values(path, reading, "spark") == values(path, reading)
    assert schema_of(path, engine="spark", reading=reading) == schema_of(path, reading=reading)


@pytest.mark.parametrize(
    ("reading", "code", "words"),
    [
        (Reading(["NA", "-"]), "U109", "Spark takes one text for NULL"),
        (Reading(types={"a": "date(%d %b %Y)"}), "U110", "is not known here"),
        (Reading(types={"x": "text"}), "U110", "--type names column 'x'"),
    ],
)
def test_what_it_cannot(
    spark: Any, tmp_path: Path, reading: Reading, code: str, words: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(candling.UsageError, match=words) as caught:
        open_table(path, engine="spark", reading=reading)
    assert caught.value.code == code
    spark.range(1).createOrReplaceTempView("candling_visits")
    for data in ("candling_visits", tmp_path / "t.parquet"):
        with pytest.raises(candling.UsageError, match=r"--header .* does not apply") as caught:
            open_table(data, engine="spark", reading=Reading(header=True))
        assert caught.value.code == "U109"
