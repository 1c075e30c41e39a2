"""What the caller says about a file, and what of it is refused."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import candling
from candling.reading import Reading, StatedType, stated_type
from candling.tables import open_table, schema_of
from candling.tables.backends.duckdb import fetch_duckdb
from candling.tables.engine import quote_name
from candling.tables.typed import count_misfits

RULES = candling.parse_constraints("a -> b")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("text", StatedType("text")),
        (" Integer ", StatedType("integer")),
        ("decimal(10, 2)", StatedType("decimal", 10, 2)),
        ("date(%d.%m.%Y)", StatedType("date", written="%d.%m.%Y")),
        ("number(decimal ',')", StatedType("number", comma=True)),
        ("Number( decimal , )", StatedType("number", comma=True)),
        ("timestamp(%d.%m.%Y %H:%M)", StatedType("timestamp", written="%d.%m.%Y %H:%M")),
    ],
)
def test_types(text: str, expected: StatedType) -> None:
    assert stated_type("a", text) == expected
    assert stated_type("a", str(expected)) == expected


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"types": {"a": "string"}}, "Unknown type 'string' (column 'a'). Did you mean 't"),
        ({"types": {"a": "intger"}}, "Did you mean 'integer'?"),
        ({"types": {"a": "decimal(39,2)"}}, "1 to 38 digits"),
        ({"types": {"a": "decimal(2,3)"}}, "not more of them after the point"),
        ({"types": {"a": "decimal"}}, "Did you mean 'decimal(10,2)'?"),
        ({"types": {"a": "date(x)"}}, "date(%d/%m/%Y)"),
        ({"types": {"a": 1}}, "`types` must map"),
        ({"types": ["a"]}, "`types` must map"),
        ({"encoding": "latin-11"}, "Unknown encoding 'latin-11'"),
        ({"encoding": "zlib"}, "Unknown encoding 'zlib'"),
        ({"encoding": "\0"}, "Unknown encoding"),
        ({"delimiter": ";;"}, "write one character"),
        ({"delimiter": ""}, "write one character"),
        ({"delimiter": '"'}, "not a quote"),
        ({"delimiter": "\n"}, "not a quote or a line break"),
        ({"header": "yes"}, "`header` must be True or False"),
        ({"null": [1]}, "`null` must be texts"),
    ],
)
def test_what_makes_no_sense(options: dict[str, Any], words: str) -> None:
    with pytest.raises(candling.UsageError) as caught:
        Reading(**options)
    assert caught.value.code == "U110"
    assert words in str(caught.value)


def test_ways_to_write_the_same() -> None:
    assert Reading(null="NA").null == ("NA",)
    assert Reading(null=["NA", ""]) == Reading(null=("NA", ""))
    assert Reading(delimiter="tab").delimiter == Reading(delimiter="\\t").delimiter == "\t"
    assert Reading(encoding="latin-1").codec == Reading(encoding="L1").codec == "iso8859-1"


EVERYTHING = Reading(["NA"], "latin-1", ";", header=False, types={"a": "text"})


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("t.parquet", ("--null", "--encoding", "--delimiter", "--header")),
        ("t.json", ("--null", "--encoding", "--delimiter", "--header")),
        ("t.arrow", ("--null", "--encoding", "--delimiter", "--header")),
        ("t.duckdb", ("--null", "--encoding", "--delimiter", "--header")),
        ("t.xlsx", ("--encoding", "--delimiter")),
        ("t.sqlite", ("--encoding", "--delimiter", "--header")),
    ],
)
def test_an_option_that_does_not_apply_is_refused(
    name: str, wrong: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(b"anything")
    with pytest.raises(candling.UsageError) as caught:
        candling.exact(tmp_path / name, RULES, reading=EVERYTHING)
    assert caught.value.code == "U109"
    said = str(caught.value)
    named = {o for o in ("--null", "--encoding", "--delimiter", "--header", "--type") if o in said}
    assert named == set(wrong)
    assert said.endswith("leave them out.")


@pytest.mark.parametrize("data", [pa.table({"a": [1]}), pd.DataFrame({"a": [1]})])
def test_objects_state_everything_themselves(data: Any) -> None:
    for call in (candling.exact, candling.analyze):
        with pytest.raises(
            candling.UsageError, match="which is not a file: leave it out"
        ) as caught:
            call(data, RULES, reading=Reading(header=True))
        assert caught.value.code == "U109"


def test_a_table_on_a_server_states_everything_itself() -> None:
    for data in ("postgresql://nowhere.invalid/clinic", "visits"):
        with pytest.raises(candling.UsageError, match="does not apply to a table on") as caught:
            candling.exact(
                data,
                RULES,
                table="visits" if "://" in data else None,
                engine=None if "://" in data else "postgresql://nowhere.invalid/clinic",
                reading=Reading(null=["NA"]),
            )
        assert caught.value.code == "U109"


def cells(path: Path, reading: Reading) -> list[tuple[Any, ...]]:
    """The values of a table's columns in the types that are stated."""
    table = open_table(path, reading=reading)
    columns = ", ".join(map(quote_name, table.schema))
    rows = fetch_duckdb(table.backend, f"select {columns} from {table.source}")
    return [tuple(row.values()) for row in rows.to_pylist()]


@pytest.mark.parametrize(
    ("encoding", "stated", "ending"),
    [
        ("latin-1", "latin-1", "csv"),
        ("cp1250", "cp1250", "csv.gz"),
        ("utf-16", None, "csv"),
        ("utf-16", "utf-16", "csv.zst"),
        ("utf-16-be", "utf-16-be", "csv"),
        ("utf-32", None, "csv.gz"),
        ("utf-8-sig", None, "csv"),
        ("utf-8-sig", "utf-8", "csv.gz"),
        ("utf-8", "ascii", "csv"),
    ],
)
def test_encodings(encoding: str, stated: str | None, ending: str, tmp_path: Path) -> None:
    content = 'a,b\n1,"Gänse\nfüßchen"\n2,ö\n'.encode(encoding)
    path = tmp_path / f"t.{ending}"
    path.write_bytes(content)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(content))
    elif path.suffix == ".zst":
        path.write_bytes(pa.compress(content, "zstd", asbytes=True))
    assert cells(path, Reading(encoding=stated)) == [("1", "Gänse\nfüßchen"), ("2", "ö")]
    assert list(schema_of(path, reading=Reading(encoding=stated))) == ["a", "b"]


@pytest.mark.parametrize("content", [b"\n", b"\r\n\r\n", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_files_without_a_line(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    for reading in (Reading(), Reading(header=False)):
        with pytest.raises(candling.DataError, match="is empty: it has no columns"):
            schema_of(tmp_path / "t.csv", reading=reading)


def test_several_files_with_options(tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / f"t{number}.csv").write_bytes(f"0{number};é\n0{number};NA\n".encode("latin-1"))
    reading = Reading(["NA"], "latin-1", ";", header=False, types={"column0": "text"})
    expected = [("01", "é"), ("01", None), ("02", "é"), ("02", None)]
    assert cells(tmp_path / "t*.csv", reading) == expected


def test_the_copies_in_utf_8_go_with_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = tmp_path / "t.csv"
    path.write_bytes("a,b\n1,é\n".encode("latin-1"))
    assert candling.exact(path, RULES, reading=Reading(encoding="latin-1")).rows == 1
    with pytest.raises(candling.UsageError):  # before the connection is made
        schema_of(path, table="t", reading=Reading(encoding="latin-1"))
    monkeypatch.setattr("candling.tables.files.read.connect", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        schema_of(path, reading=Reading(encoding="latin-1"))
    monkeypatch.undo()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for wrong in (Reading(encoding="utf-16"), Reading(encoding="cp1252", types={"x": "text"})):
        with pytest.raises(candling.CandlingError):
            candling.exact(path, RULES, reading=wrong)
    # The folder of this process stays until its end, with nothing in it but its mark.
    left = {p.name for p in tmp_path.rglob("*") if not p.name.startswith("candling-")}
    assert left == {"t.csv", ".candling-temporary"}


VALUES: dict[str, dict[str, Any]] = {
    "integer": {
        "7": 7, "-7": -7, "+7": 7, "007": 7, "7.0": 7, " 7 ": 7, "7.5": None, "1e3": None,
        "0x1F": None, "1_000": None, "9223372036854775808": None, "x": None,
    },
    "number": {
        "7": 7.0, "7.5": 7.5, ".5": 0.5, "1e3": 1000.0, "inf": None, "1,5": None, "1e300": 1e300,
        "1e301": None, "1e999": None, "1.2.3": None,
    },
    "number(decimal ',')": {
        "7": 7.0, "7,5": 7.5, ",5": 0.5, "1,5e3": 1500.0, "1.5": None, "1.000,5": None,
        "1,2,3": None,
    },
    "decimal(4,2)": {"7": 7, "7.25": 7.25, "7.250": 7.25, "7.255": None, "100": None, ".5": 0.5},
    "decimal(3,0)": {"7": 7, "7.0": 7, "7.5": None},
    "boolean": {"yes": True, "FALSE": False, "t": True, "0": False, "2": None, "on": None},
    "text": {"007": "007", " x ": " x ", "NA": "NA"},
}  # fmt: skip


@pytest.mark.parametrize("kind", VALUES)
def test_what_cells_of_a_stated_type_are(kind: str, tmp_path: Path) -> None:
    """Each by itself, whatever the others are: so no row decides what becomes of another."""
    path = tmp_path / "t.csv"
    path.write_text("a\n" + "".join(f'"{cell}"\n' for cell in VALUES[kind]))
    reading = Reading(types={"a": kind})
    assert [value for (value,) in cells(path, reading)] == list(VALUES[kind].values())
    misfits = sum(value is None for value in VALUES[kind].values())
    assert count_misfits(open_table(path, reading=reading)).get("a", 0) == misfits


@pytest.mark.parametrize("null", [(), ("NA",)])
def test_a_rule_counts_cells_that_do_not_fit(null: tuple[str, ...], tmp_path: Path) -> None:
    """So does a release, which says nothing else about them."""
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\ntwo,x\n3.5,x\n200,x\nNA,x\n")
    rules = candling.parse_constraints("a is not null\na between 0 and 120")
    reading = Reading(null, types={"a": "integer"})
    found = candling.exact(path, rules, reading=reading, by_rule=True)
    assert (found.rows, found.repair_exact) == (5, 4)
    (*_, types) = found.by_rule
    assert (types.rule, types.repair_exact) == ("type a: integer", 3 - len(null))


def test_dates_of_a_stated_type(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "a,b,c\n2020-01-31,2020-01-31T10:00:00+02:00,31.01.2020\n2020-02-30,2020-01-31 25:00,x\n"
        "epoch,infinity,2020-01-31\n2020-1-5,2020-01-05,05.01.2020\n"
    )
    reading = Reading(types={"a": "date", "b": "timestamp", "c": "date(%d.%m.%Y)"})
    found = cells(path, reading)
    assert count_misfits(open_table(path, reading=reading)) == {"a": 2, "b": 2, "c": 2}
    assert [[None if v is None else v.isoformat()[:16] for v in row] for row in found] == [
        ["2020-01-31", "2020-01-31T08:00", "2020-01-31"],
        [None, None, None],
        [None, None, None],
        ["2020-01-05", "2020-01-05T00:00", "2020-01-05"],
    ]


def test_a_way_to_write_dates_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a\n1\n")
    with pytest.raises(candling.UsageError, match="%Y \\(year\\)") as caught:
        schema_of(tmp_path / "t.csv", reading=Reading(types={"a": "date(%Q)"}))
    assert caught.value.code == "U110"


@pytest.mark.parametrize("text", ["a,b", 'say "x"', "a\nb"])
def test_texts_that_cannot_be_null(text: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    with pytest.raises(candling.UsageError, match="cannot stand for NULL") as caught:
        schema_of(tmp_path / "t.csv", reading=Reading([text]))
    assert caught.value.code == "U110"


def test_one_row_moves_no_type_that_is_stated(tmp_path: Path) -> None:
    """The schema, and so every later error, is the same whatever a cell holds."""
    path = tmp_path / "t.csv"
    reading = Reading(types={"a": "integer", "b": "date"})
    found = []
    for cell in ("1", "x", "", '"1\n2"', "1e400", "\0"):
        path.write_text(f"a,b\n1,2020-01-01\n{cell},{cell}\n")
        found.append(schema_of(path, reading=reading))
    assert all(schema == found[0] for schema in found)


def test_a_copy_of_the_owner_keeps_every_cell(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("007;NA;é\n7;x;é\n7;y;é\n".encode("latin-1"))
    reading = Reading(["NA"], "latin-1", header=False, types={"column0": "integer"})
    from candling.owner import find_repair, read_for_owner, write_copy

    owned = read_for_owner(path, candling.parse_constraints("column0 -> column1"), reading=reading)
    removed = [row.row for row in find_repair(owned).removed]
    assert len(removed) == 1
    write_copy(str(path), removed, str(tmp_path / "copy.csv"), reading=reading)
    kept = [line for i, line in enumerate(("007,NA,é", "7,x,é", "7,y,é"), 1) if i not in removed]
    assert (tmp_path / "copy.csv").read_text(encoding="utf-8").splitlines() == kept
    write_copy(str(path), removed, str(tmp_path / "copy.parquet"), reading=reading)
    key = candling.parse_constraints("key(column1)")
    assert candling.exact(tmp_path / "copy.parquet", key).rows == 2


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]), "Columns 1 and 3 of the DataFrame"),
        (pd.DataFrame([[1, 2]], columns=["a", None]), "Column 2 of the DataFrame has no name"),
        (pa.table([[1], [2], [3]], names=["a", "b", "A"]), "Columns 1 and 3 of the table have na"),
        (pa.table([[1], [2], [3]], names=["", "b", ""]), "Columns 1 and 3 of the table have no n"),
    ],
)
def test_names_of_frames(data: Any, words: str) -> None:
    with pytest.raises(candling.DataError) as caught:
        candling.exact(data, RULES)
    assert caught.value.code == "D105"
    assert words in str(caught.value)
