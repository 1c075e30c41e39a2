"""What is asked of an import beside the formats: tables, columns, types, objects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import candling
from candling.errors import UsageError
from candling.imports import import_rules
from candling.rules import ColumnType

FILES = Path(__file__).parent / "files"


def _dbt(folder: Path, tests: str, column: str = "a") -> Path:
    path = folder / "schema.yml"
    path.write_text(f"models: [{{name: t, columns: [{{name: {column}, tests: [{tests}]}}]}}]")
    return path


def test_one_of_several_tables_must_be_named() -> None:
    with pytest.raises(UsageError, match=r"several tables: customers, orders.* --table") as error:
        import_rules(FILES / "dbt/jaffle.yml")
    assert error.value.code == "U503"
    with pytest.raises(UsageError, match="Did you mean 'orders'"):
        import_rules(FILES / "dbt/jaffle.yml", table="order")
    assert import_rules(FILES / "dbt/jaffle.yml", table="ORDERS").table == "orders"
    assert import_rules(FILES / "dbt/sources.yml", table="charge").table == "stripe.charge"


def test_formats_and_dialects_are_known_by_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Did you mean 'pandera'") as error:
        import_rules(FILES / "pandera/schema.yaml", format="pander")
    assert error.value.code == "U502"
    with pytest.raises(UsageError, match="Did you mean 'postgres'"):
        import_rules(FILES / "sql/shop.sql", dialect="postgre")
    with pytest.raises(UsageError, match="not a file of the format 'gx'"):
        import_rules(FILES / "dbt/jaffle.yml", format="gx", table="orders")
    ddl = tmp_path / "tables.txt"
    ddl.write_text("create table t (a int not null)")
    assert [r.rule for r in import_rules(ddl, format="sql").rules] == ["a is not null"]


def test_names_are_spelled_as_in_the_table() -> None:
    columns = dict.fromkeys(("id", "AMOUNT", "captured", "card brand"), ColumnType.STRING)
    columns["AMOUNT"] = columns["Level"] = ColumnType.NUMBER
    imported = import_rules(FILES / "dbt/sources.yml", table="charge", columns=columns)
    rules = {rule.rule: rule for rule in imported.rules}
    assert {"key(id)", "AMOUNT >= 0", "Level in (1, 2)"} <= set(rules)
    assert "\"card brand\" in ('Visa', 'Diner''s Club')" in rules
    assert rules["Level in (1, 2)"].differs is None
    assert [left.reason for left in imported.left_out] == ["the table has no column 'deleted_at'"]


def test_the_table_itself_says_names_and_types(tmp_path: Path) -> None:
    path = _dbt(tmp_path, "{accepted_values: {values: ['1', '2']}}", "LEVEL")
    imported = import_rules(path, data=pa.table({"Level": [7]}))
    assert [rule.rule for rule in imported.rules] == ["Level in (1, 2)"]


def test_two_columns_that_differ_in_case_only_are_not_confused(tmp_path: Path) -> None:
    columns = {"A": ColumnType.NUMBER, "a": ColumnType.STRING}
    (rule,) = import_rules(_dbt(tmp_path, "not_null"), columns=columns).rules
    assert rule.rule == "a is not null"
    (left,) = import_rules(_dbt(tmp_path, "not_null", "Aa"), columns=columns).left_out
    assert "no column 'Aa'" in left.reason
    columns = {"AB": ColumnType.NUMBER, "ab": ColumnType.STRING}
    (left,) = import_rules(_dbt(tmp_path, "not_null", "Ab"), columns=columns).left_out
    assert "no column 'Ab'" in left.reason


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ("[1, 2]", ColumnType.NUMBER, "(1, 2)"),
        ("['1', '2.50']", ColumnType.NUMBER, "(1, 2.50)"),
        ("[1, 2]", ColumnType.STRING, "('1', '2')"),
        ("[true, 'f', 0]", ColumnType.BOOLEAN, "(true, false)"),
        ("['2020-01-31', 2020-02-01]", ColumnType.DATE, "(2020-01-31, 2020-02-01)"),
        ("['2020-01-31 10:00:00']", ColumnType.TIMESTAMP, "(2020-01-31T10:00:00)"),
        ("[1.5e3, 1e-7]", ColumnType.NUMBER, "(1500.0, 0.0000001)"),
    ],
)
def test_literals_take_the_type_of_the_column(
    values: str, kind: ColumnType, expected: str, tmp_path: Path
) -> None:
    path = _dbt(tmp_path, f"{{accepted_values: {{values: {values}}}}}")
    (rule,) = import_rules(path, columns={"a": kind}).rules
    assert rule.rule == f"a in {expected}"


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ("['x']", ColumnType.NUMBER),
        ("['maybe']", ColumnType.BOOLEAN),
        ("['31.01.2020']", ColumnType.DATE),
        ("['2020-13-01']", ColumnType.DATE),
        ("['2020-01-01T10:00:00+02:00']", ColumnType.TIMESTAMP),
        ("['x']", ColumnType.OTHER),
        ("[]", None),
        ("[null]", None),
        ("[.nan]", ColumnType.NUMBER),
        ("['1e999999999']", ColumnType.NUMBER),
    ],
)
def test_literals_that_the_column_cannot_hold_are_left_out(
    values: str, kind: ColumnType | None, tmp_path: Path
) -> None:
    path = _dbt(tmp_path, f"{{accepted_values: {{values: {values}}}}}")
    imported = import_rules(path, columns=None if kind is None else {"a": kind})
    assert not imported.rules
    assert len(imported.left_out) == 1


def test_an_object_of_pandera_reads_as_its_file_does() -> None:
    pan = pytest.importorskip("pandera.pandas")
    schema = pan.DataFrameSchema(
        {
            "a": pan.Column(
                int,
                [
                    pan.Check.ge(0),
                    pan.Check.isin([1, 2]),
                    pan.Check.in_range(0, 9, include_max=False),
                ],
                unique=True,
            ),
            "b": pan.Column(
                str, [pan.Check.str_matches("^x"), pan.Check.str_endswith("z.")], nullable=True
            ),
            "c": pan.Column("datetime64[ns]", pan.Check.gt("2020-01-01"), nullable=True),
        },
        index=pan.Index(int, unique=True, name="i"),
        unique=["a", "b"],
    )
    of_file = import_rules(FILES / "pandera/schema.json")
    of_object = candling.import_rules(schema)
    assert [r.rule for r in of_object.rules] == [r.rule for r in of_file.rules]
    assert [r.differs for r in of_object.rules] == [r.differs for r in of_file.rules]


def test_a_model_of_pandera_with_checks_of_its_own() -> None:
    pan = pytest.importorskip("pandera.pandas")

    class Model(pan.DataFrameModel):  # type: ignore[misc, name-defined]
        x: int = pan.Field(ge=0, le=5, raise_warning=True)
        y: str = pan.Field(isin=["a"], nullable=True)

        @pan.check("x")  # type: ignore[untyped-decorator]
        def even(cls, values: object) -> object:  # noqa: N805
            return values

    imported = import_rules(Model)
    assert [r.rule for r in imported.rules] == [
        "x is not null",
        "x >= 0",
        "x <= 5",
        "y in ('a')",
    ]
    assert [r.warns for r in imported.rules] == [False, True, True, False]
    assert [left.reason for left in imported.left_out] == ["it is a function of Python"]


def test_what_is_neither_a_path_nor_a_schema_is_refused() -> None:
    with pytest.raises(UsageError, match="imported from a int") as error:
        import_rules(7)
    assert error.value.code == "U501"


def test_the_result_prints_as_the_file_and_as_plain_values() -> None:
    imported = import_rules(FILES / "dbt/jaffle.yml", table="orders")
    assert str(imported) == imported.text
    assert imported.text.startswith("# Rules of orders, imported from jaffle.yml\n")
    plain = imported.to_dict()
    assert plain["rules"][0] == {
        "label": "order_id_unique",
        "rule": "key(order_id)",
        "origin": "jaffle.yml:22 orders.order_id unique",
        "differs": None,
        "gate": None,
        "warns": False,
    }
    assert len(plain["left_out"]) == 1


def test_the_remark_about_null_goes_where_nothing_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "schema.yml"
    template = """
models:
  - name: t
    tests: [{{dbt_utils.unique_combination_of_columns: {{combination_of_columns: [a, b]}}}}]
    columns: [{{name: a, tests: [not_null]}}, {{name: b, tests: [{test}]}}]
"""
    path.write_text(template.format(test="not_null"))
    assert [rule.differs for rule in import_rules(path).rules] == [None, None, None]
    path.write_text(template.format(test="{not_null: {config: {severity: warn}}}"))
    assert [bool(rule.differs) for rule in import_rules(path).rules] == [False, False, True]


def test_a_number_is_not_written_out_whatever_its_exponent(tmp_path: Path) -> None:
    path = _dbt(tmp_path, "{accepted_values: {values: ['1e999999999']}}")
    (left,) = import_rules(path, columns={"a": ColumnType.NUMBER}).left_out
    assert left.reason == "a number has at most 38 digits"


DBT_TYPES = """models:
- name: t
  columns:
  - {name: A, data_type: "numeric(10, 2)", data_tests: [{dbt_utils.accepted_range: {min_value: 0}}]}
  - {name: B, data_type: date}
  - {name: C, data_type: date, data_tests: [{dbt_utils.expression_is_true: {expression: ">= B"}}]}
  - {name: D, data_type: geography}
"""


def test_types_become_lines(tmp_path: Path) -> None:
    """A table of text is read as the imported file says, and breaks what it breaks there."""
    path = tmp_path / "schema.yml"
    path.write_text(DBT_TYPES)
    imported = import_rules(path)
    assert {name: str(kind) for name, kind in imported.types.items()} == {
        "A": "decimal(10,2)",
        "B": "date",
        "C": "date",
    }
    assert "type B, C: date\n" in imported.text
    assert imported.to_dict()["types"]["A"] == "decimal(10,2)"
    table = tmp_path / "t.csv"
    table.write_text("A,B,C\n1.50,2024-01-31,2024-02-01\n9,2024-02-01,2024-01-31\nx,2024-01-01,\n")
    found = candling.exact(table, imported.constraints)
    assert found.repair == 2  # an order of days, and a cell that is not a number


@pytest.mark.parametrize(("stated", "types"), [(False, ["date"]), (True, [])])
def test_a_type_of_the_table_needs_no_line(tmp_path: Path, stated: bool, types: list[str]) -> None:
    """A format with types states its own; one without leaves them to the imported file."""
    path = tmp_path / "schema.yml"
    path.write_text(DBT_TYPES)
    frame = pa.table({"a": [1.0], "b": ["2024-01-31"], "c": ["2024-01-31"]})
    table = tmp_path / "t.csv"
    table.write_text("a,b,c\n1,2024-01-31,2024-01-31\n")
    imported = import_rules(path, data=frame if stated else table)
    assert [str(kind) for kind in dict.fromkeys(imported.types.values())][1:] == types
    assert [rule.rule for rule in imported.rules] == ["a >= 0", "c >= b"]


def test_forms_of_dates(tmp_path: Path) -> None:
    """A contract writes them as Java does, a suite as C does."""
    contract = tmp_path / "contract.yaml"
    contract.write_text(
        "kind: DataContract\napiVersion: v3.0.0\nschema:\n- name: t\n  properties:\n"
        "  - {name: day, logicalType: date, logicalTypeOptions: {format: dd/MM/yyyy}}\n"
        "  - {name: at, logicalType: date, logicalTypeOptions: {format: yyyy-MM-dd}}\n"
        "  - {name: then, logicalType: timestamp,\n"
        "     logicalTypeOptions: {format: \"dd.MM.yyyy'T'HH:mm:ss\"}}\n"
        "  - {name: odd, logicalType: date, logicalTypeOptions: {format: EEE d}}\n"
        "  - {name: sum, logicalType: number, physicalType: 'decimal(8,3)'}\n"
        "  - {name: inner, logicalType: object}\n"
    )
    imported = import_rules(contract)
    assert {name: str(kind) for name, kind in imported.types.items()} == {
        "day": "date(%d/%m/%Y)",
        "at": "date",
        "then": "timestamp(%d.%m.%YT%H:%M:%S)",
        "odd": "date",
        "sum": "decimal(8,3)",
    }
    assert ["EEE d" in left.reason for left in imported.left_out] == [True]
    suite = tmp_path / "suite.json"
    expected: list[tuple[str, dict[str, Any], str]] = [
        ("expect_column_values_to_match_strftime_format", {"strftime_format": "%d.%m.%Y"}, "day"),
        ("expect_column_values_to_match_strftime_format", {"strftime_format": "%c"}, "odd"),
        ("expect_column_values_to_be_of_type", {"type_": "str"}, "day"),
        ("expect_column_values_to_be_in_type_list", {"type_list": ["INTEGER", "FLOAT"]}, "sum"),
        ("expect_column_values_to_be_in_type_list", {"type_list": ["TEXT", "FLOAT"]}, "mixed"),
    ]
    suite.write_text(
        json.dumps(
            {
                "expectations": [
                    {"expectation_type": name, "kwargs": {"column": column, **more}}
                    for name, more, column in expected
                ]
            }
        )
    )
    imported = import_rules(suite)
    assert {name: str(kind) for name, kind in imported.types.items()} == {
        "day": "date(%d.%m.%Y)",
        "sum": "number",
    }
    assert len(imported.left_out) == 2
