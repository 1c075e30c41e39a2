"""Cells of stated types in whole tables: what breaks a rule, and what decides nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import candling
from candling.rules import Origin
from candling.tables import open_table
from candling.tables.typed import count_misfits


def test_one_more_row_turns_no_number_into_text(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [f"{n},{n}" for n in range(100)]
    rules = candling.parse_constraints("a > 1000")
    path.write_text("\n".join(["a,b", *rows]) + "\n")
    assert candling.exact(path, rules).repair == 100
    path.write_text("\n".join(["a,b", *rows, "x,c"]) + "\n")
    assert candling.exact(path, rules).repair == 101


def test_a_wrong_statement_shows(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Preis\n" + '"1,5"\n' * 58 + "2\n" * 42)
    assert candling.exact(path, "Preis > 0").repair == 58
    assert candling.exact(path, ["type Preis: number(decimal ',')", "Preis > 0"]).repair == 0
    both = tmp_path / "dates.csv"
    both.write_text("a,b\n" + "01/05/2024,02/03/2024\n" * 50)
    for written, repair in (("%d/%m/%Y", 50), ("%m/%d/%Y", 0)):
        assert candling.exact(both, [f"type a, b: date({written})", "a <= b"]).repair == repair


def test_columns_know_who_says_their_type(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b,c,d\n1,x,2,y\nz,x,2,y\n")
    rules = candling.parse_constraints("type a: integer\nc > 0\na -> b")
    table = open_table(path, rules=rules, reading=candling.Reading(types={"d": "text"}))
    told = {
        name: origin if isinstance(origin, Origin) else (origin.origin, origin.by)
        for name, origin in table.origins.items()
    }
    assert told == {
        "a": (Origin.STATED, "line 1"),
        "b": Origin.NONE,
        "c": (Origin.IMPLIED, "`c > 0` (line 2)"),
        "d": (Origin.STATED, "--type"),
    }
    assert table.untyped == {"b"}
    assert count_misfits(table) == {"a": 1, "c": 0}
    typed = open_table(pa.table({"a": [1], "b": ["x"], "c": [2]}), rules=rules)
    assert set(typed.origins.values()) == {Origin.SCHEMA}
    assert typed.type_rules == ()


def test_a_type_applies_to_text_in_a_schema(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": ["1", "x", None, "3"], "b": [1, 2, 3, 4]}), path)
    rules = candling.parse_constraints("type a: number\na > 2")
    assert candling.exact(path, rules).repair == 2
    with pytest.raises(candling.ConstraintError, match="R203"):
        candling.exact(path, "a > 2")  # nothing is implied where there is a schema


@pytest.mark.parametrize("content", ["", " \n", "[]"])
def test_an_empty_file_of_json_is_an_empty_table(content: str, tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(content)
    assert candling.exact(path, "a -> b\nc > 0").rows == 0


def test_keys_of_json(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    rows: list[Any] = [{"a": 1}, {"a": 1.0, "b": None}, {"b": "x"}, {}, {"a": "1", 'q"/~': True}]
    for written in (json.dumps(rows), "".join(f"{json.dumps(row)}\n" for row in rows)):
        path.write_text(written)
        assert candling.exact(path, "key(a)").repair == 2
        assert candling.exact(path, "nothing is not null").repair == 5
        assert candling.exact(path, 'not(t1."q""/~" = true)').repair == 1


def broken() -> pa.Array:
    """Text of which one cell is not UTF-8."""
    data = pa.py_buffer(b"a\xff\xfea")
    offsets = pa.array([0, 1, 3, 4], pa.int32()).buffers()[1]
    return pa.Array.from_buffers(pa.string(), 3, [None, offsets, data])


def test_text_that_is_not_utf_8_decides_nothing(tmp_path: Path) -> None:
    table = pa.table(
        {
            "a": broken(),
            "b": [1, 2, 3],
            "c": pa.StructArray.from_arrays([broken()], ["x"]),
            "d": broken().dictionary_encode(),
        }
    )
    pq.write_table(table.select(["a", "b"]), tmp_path / "t.parquet")
    path = str(tmp_path / "t.arrow")
    with pa.OSFile(path, "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    for data in (table, tmp_path / "t.parquet", tmp_path / "t.arrow"):
        found = candling.exact(data, "a -> b")
        assert (found.rows, found.repair) == (3, 1)
    assert candling.exact(table, "d -> b").repair == 1


def test_milliseconds_at_the_ends_decide_nothing(tmp_path: Path) -> None:
    ticks = pa.array([2**63 - 1, -(2**63) + 1, 0], pa.int64()).view(pa.timestamp("ms"))
    pq.write_table(pa.table({"a": ticks, "b": [1, 2, 3]}), tmp_path / "t.parquet")
    assert candling.exact(tmp_path / "t.parquet", "a <= 2024-01-01\nkey(a)").repair == 1


def test_columns_of_objects_have_no_type() -> None:
    frame = pd.DataFrame({"a": pd.Series([1, "2", None], dtype=object), "b": [1, 2, 3]})
    assert open_table(frame).untyped == {"a"}
    with pytest.raises(candling.ConstraintError, match="R208"):
        candling.exact(frame, "not(t1.a < t2.a and t1.b > t2.b)")
