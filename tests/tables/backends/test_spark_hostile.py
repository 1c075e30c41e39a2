"""Hostile names and cells on Spark: the numbers of DuckDB, or an error that the schema explains."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import candling
from candling.ledger import create_ledger, open_ledger
from candling.tables.backends import spark as spark_room
from tests.hostile import NAMES

pytestmark = pytest.mark.spark

MORE_NAMES = (
    *("select", "order", "null", "*", "struct.*", "_c0", "_metadata", "a.b", "`a`.`b`", "a`b", "`"),
    *("``", "${spark.master}", "a; drop table t", "--x", "/*", "\\", "a\\'", "é", "e\u0301", "ﬀ"),
    *("ı", " ", "b ", "candling_x", "?", ":p", "{0}", "{}", "%s", "x" * 300),
)
# DuckDB ends a name of Arrow's at NUL, and so knows no column of the whole name.
ODD = tuple(name for name in (*NAMES, *MORE_NAMES) if "\0" not in name)
# A rule is one line, and so is a name in it: the others are in the table only.
WRITABLE = tuple(name for name in ODD if len(name.splitlines()) == 1 and "\n" not in name)

INF, NAN = float("inf"), float("nan")
NINES = "9" * 37
AS_DIGITS = pa.array(
    [b"\xff\xfe", b"\xff\xfd", b"ok", b"\xc3\x28", b"\xed\xa0\x80", b"\\xfffe", b"\xff\xfe", b"?"]
)
CELLS = {
    "floats": pa.array([NAN, NAN, INF, -INF, 0.0, -0.0, 5e-324, 1.7e308, None, 2.0**53]),
    "short floats": pa.array([NAN, INF, -INF, 0.0, -0.0, 1e-45, 3.4e38, 0.1], pa.float32()),
    "whole decimals": pa.array(
        [Decimal(f"{sign}{NINES}{end}") for sign in "+-" for end in "989"], pa.decimal128(38, 0)
    ),
    "small decimals": pa.array(
        [Decimal(f"{sign}0.{NINES}{end}") for sign in "+-" for end in "989"], pa.decimal128(38, 38)
    ),
    "whole numbers": pa.array([2**63 - 1, -(2**63), 2**53, 2**53 + 1, 0, None, 2**63 - 2]),
    "moments": pa.array([2**63 - 1, 1 - 2**63, -(2**63), 0, 2**62, -(2**62), 5, 5, None]).cast(
        pa.timestamp("us", "UTC")
    ),
    "clocks": pa.array([2**63 - 1, 1 - 2**63, -(2**63), 0, 2**62, -(2**62), 5, 5, None]).cast(
        pa.timestamp("us")
    ),
    "days": pa.array([2**31 - 1, -(2**31), 0, -141428, -719162, 2932897, 0], pa.int32()).cast(
        pa.date32()
    ),
    "SQL": pa.array(["x'; drop table hostile; --", "' or 1=1", "\\", "\\'", '"', "`", "NULL"] * 2),
    "texts": pa.array(
        ["a", "a ", "A", "a\n", "a\0b", "", None, "\ufeffa", "\u202ea", "é", "e\u0301"]
    ),
    "long": pa.array(["x" * 3_000_000, "x" * 2_999_999 + "y", "x" * 3_000_000]),
    "not UTF-8": pa.Array.from_buffers(pa.string(), len(AS_DIGITS), AS_DIGITS.buffers()),
}
RULES = "key(k)\nk -> g\nnot(t1.k < t2.k and t1.g = t2.g)"


def quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def found(data: Any, rules: str) -> dict[str, Any]:
    return candling.exact(data, candling.parse_constraints(rules)).to_dict()


def view(spark: Any, columns: list[str], rows: list[tuple[Any, ...]]) -> None:
    """The table `hostile` of texts in the session."""
    from pyspark.sql.types import StringType, StructField, StructType

    schema = StructType([StructField(name, StringType()) for name in columns])
    spark.createDataFrame(rows, schema=schema).createOrReplaceTempView("hostile")


def test_names_that_want_to_be_more(spark: Any) -> None:
    rows = [tuple(str(i * (i + n) % 3) for n in range(len(ODD))) for i in range(6)]
    view(spark, list(ODD), rows)
    here = pa.table(dict(zip(ODD, map(list, zip(*rows, strict=True)), strict=True)))
    rules = "\n".join(
        f"{quote(one)} -> {quote(two)}"
        for one, two in zip(WRITABLE, WRITABLE[1:] + WRITABLE[:1], strict=True)
    )
    expected = found(here, rules)
    assert expected["repair"] > 0
    assert found("spark://hostile", rules) == expected
    backend = ibis.pyspark.connect(spark_room._copy(spark))
    with pytest.raises(candling.DataError, match=r"replaces '\$\{' in the name") as error:
        found(backend.table("hostile"), rules)
    assert error.value.code == "D105"
    backend._session.conf.set("spark.sql.variable.substitute", "false")
    assert found(backend.table("hostile"), rules) == expected


def test_no_setting_of_spark_gets_into_a_rule(spark: Any) -> None:
    """Spark replaces ${...} in SQL, also in texts."""
    view(spark, ["k"], [("${spark.master}",), ("local[1]",), ("${env:HOME}",)])
    backend = ibis.pyspark.connect(spark_room._copy(spark))
    for data in ("spark://hostile", backend.table("hostile")):
        assert found(data, "not(t1.k = '${spark.master}')\nnot(t1.k like '${env:%')")["repair"] == 2


@pytest.mark.parametrize("cells", CELLS)
def test_cells_at_the_ends_of_their_types(spark: Any, tmp_path: Path, cells: str) -> None:
    column = CELLS[cells]
    table = pa.table({"k": column, "g": [i % 3 for i in range(len(column))]})
    path = tmp_path / "t.parquet"
    pq.write_table(table, path)
    spark.read.parquet(str(path)).createOrReplaceTempView("hostile")
    assert found("spark://hostile", RULES) == found(table, RULES)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["a", "a"], "have the same name"),
        (["a", "A"], "differ in case only"),
        (["ß", "ẞ"], "differ in case only"),
        (["a", ""], "has no name"),
    ],
)
def test_names_that_a_rule_cannot_tell_apart(
    spark: Any, tmp_path: Path, names: list[str], words: str
) -> None:
    """It used to be an error in the middle of reading, after the charge."""
    view(spark, names, [("secret", "1"), ("secret", "2")])
    ledger = str(tmp_path / "a.ledger")
    create_ledger(ledger).add("hostile", 1)
    rules = candling.parse_constraints(f"key({quote(names[0])})")
    with pytest.raises(candling.DataError, match=words) as error:
        candling.release("spark://hostile", rules, epsilon=1, ledger=ledger, dataset="hostile")
    assert error.value.code == "D105"
    assert "secret" not in str(error.value)
    assert open_ledger(ledger).show().budgets[0].spent_units == 0


def test_a_release_of_hostile_cells_ends_with_a_card(spark: Any) -> None:
    names = ["k", 'x"; --']
    view(spark, names, [("' or 1=1 --", "secret"), ("' or 1=1 --", "\0"), ("\u202e", "x" * 10**6)])
    rules = candling.parse_constraints(f"k -> {quote(names[1])}")
    card = candling.release("spark://hostile", rules, epsilon=100)
    assert card.repair.value == 1
    assert "secret" not in json.dumps(card.to_dict())
