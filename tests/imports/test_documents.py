"""Files that were made to hurt: reading ends soon, with one clear error."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from candling.errors import UsageError
from candling.imports import import_rules
from candling.imports.draft import Imported

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
HOSTILE = {
    "bomb.yml": BOMB + "models: *i\n",
    "itself.yml": "models: &m\n  - *m\n",
    "deep.yml": "models: " + "[" * 5_000,
    "deep.json": '{"expectations": ' + "[" * 100_000,
    "deep_closed.yml": "models: " + "[" * 100 + "]" * 100,
    "deep_closed.json": '{"expectations": ' + "[" * 500 + "]" * 500 + "}",
    "object.yml": "models: !!python/object/apply:os.system [echo]\n",
    "broken.yml": "models:\n  - name: 'x\n",
    "text.yml": "just a text",
    "list.yml": "- 1\n- 2\n",
    "empty.yml": "",
    "number.yml": "models: [{name: x, columns: [{name: a, tests: [{accepted_range: {min_value: "
    + "9" * 5_000
    + "}}]}]}]",
    "hexadecimal.yml": "models: [{name: x, columns: [0x" + "f" * 6_000 + "]}]",
    "octal.yml": "models: [{name: x, columns: [0o" + "7" * 6_000 + "]}]",
    "number.json": '{"expectations": [' + "9" * 5_000 + "]}",
    "numbers.json": '{"expectations": [' + ", ".join(["9" * 4_000] * 900) + "]}",
    "values.yml": "models:\n" + "- a\n" * 1_000_000,
    "nul.yml": "models:\0",
    "quote.sql": "CREATE TABLE t (a text DEFAULT 'x",
    "nothing.sql": "SELECT 1",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_soon(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(HOSTILE[name], encoding="utf-8")
    start = time.monotonic()
    with pytest.raises(UsageError) as refused:
        import_rules(path)
    assert refused.value.code in ("U501", "U503")
    assert len(str(refused.value)) < 400
    assert time.monotonic() - start < 20


def test_brackets_that_are_too_deep_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "deep.sql"
    path.write_text(f"CREATE TABLE t (a int CHECK ({'(' * 3_000}a > 0{')' * 3_000}))")
    imported = import_rules(path)
    assert not imported.rules
    assert len(imported.left_out) == 1
    path.write_text(f"CREATE TABLE t (a int CHECK ({' and '.join(['a > 0'] * 2_000)}))")
    assert len(import_rules(path).rules) + len(import_rules(path).left_out) == 1


def test_what_is_not_a_file_of_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "large.yml").write_bytes(b"#" * (5 << 20))
    (tmp_path / "bytes.yml").write_bytes(b"\xff\xfe\x00")
    for name in ("large.yml", "bytes.yml", "missing.yml", "."):
        with pytest.raises(UsageError, match="cannot be imported") as refused:
            import_rules(tmp_path / name)
        assert refused.value.code == "U501"


def test_aliases_and_merges_that_people_use_are_read(tmp_path: Path) -> None:
    path = tmp_path / "schema.yml"
    path.write_text(
        """
x: &range {min_value: 0, inclusive: false}
models:
  - name: t
    columns:
      - name: a
        tests:
          - dbt_utils.accepted_range:
              <<: *range
              max_value: 9
"""
    )
    (rule,) = import_rules(path).rules
    assert rule.rule == "check (a > 0 and a < 9)"


def _accepts(tmp_path: Path, values: str) -> Imported:
    path = tmp_path / "schema.yml"
    path.write_text(
        "models: [{name: t, columns: "
        f"[{{name: a, tests: [{{accepted_values: {{values: [{values}]}}}}]}}]}}]"
    )
    return import_rules(path)


@pytest.mark.parametrize(
    ("scalars", "expected"),
    [
        ("yes, no, on, off, y, n", "('yes', 'no', 'on', 'off', 'y', 'n')"),
        ("true, False, TRUE, tRUE", "('True', 'False', 'tRUE')"),
        ("010, 0o10, 0x1F, +5, -0", "('10', '8', '31', '5', '0')"),
        ("08, 0b11, 1_000, 0O7, 0X1f, -0x1", "('8', '0b11', '1_000', '0O7', '0X1f', '-0x1')"),
        ("1:30, 190:20:30.15, -1:1", "('1:30', '190:20:30.15', '-1:1')"),
        ("1., .5, 12e03, 1e400, -.inf, .NaN", "('1.0', '0.5', '12000.0', 'inf', '-inf', 'nan')"),
        ("2020-01-31, 2020-13-45, ., .e1, +", "('2020-01-31', '2020-13-45', '.', '.e1', '+')"),
        (
            "'010', \"yes\", !!str 010, !!int no, !!int 0o17, !x 9",
            "('010', 'yes', 'no', '15', '9')",
        ),
        ("!!float .inf, !!bool 1, !!null x", "('inf', '1', 'x')"),
    ],
)
def test_scalars_mean_what_the_core_schema_says(
    scalars: str, expected: str, tmp_path: Path
) -> None:
    """As texts, since the type of the column is not known."""
    (rule,) = _accepts(tmp_path, scalars).rules
    assert rule.rule == f"a in {expected}"


@pytest.mark.parametrize(
    "scalar", ["1" + ":1" * 1_000_000, "1:" * 500_000 + "1", "1" * 90 + ":59" * 90]
)
def test_a_text_that_was_a_number_of_seconds_is_read_soon(scalar: str, tmp_path: Path) -> None:
    start = time.monotonic()
    imported = _accepts(tmp_path, f'{scalar}, "x"')
    assert len(imported.rules) + len(imported.left_out) == 1
    assert time.monotonic() - start < 20


@pytest.mark.parametrize("share", [".inf", "-.inf", ".nan", "1e400", "-1e400", "9" * 90, "1e-400"])
def test_a_share_that_is_no_share_ends_no_import(share: str, tmp_path: Path) -> None:
    tests = f"""[
        {{dbt_utils.not_null_proportion: {{at_least: {share}}}}},
        {{dbt_expectations.expect_column_values_to_not_be_null: {{mostly: {share}}}}},
        {{dbt_expectations.expect_column_value_lengths_to_equal: {{value: {share}}}}},
        {{dbt_utils.accepted_range: {{min_value: {share}}}}}]"""
    (tmp_path / "schema.yml").write_text(
        f"models: [{{name: t, columns: [{{name: a, tests: {tests}}}]}}]"
    )
    imported = import_rules(tmp_path / "schema.yml")
    assert len(imported.rules) + len(imported.left_out) == 4
    rule = f"{{rule: nullValues, mustBeLessThan: {share}, unit: percent}}"
    (tmp_path / "contract.yml").write_text(
        "{apiVersion: v3.0.2, kind: DataContract, schema: [{name: t, properties: "
        f"[{{name: a, quality: [{rule}]}}]}}]}}"
    )
    contract = import_rules(tmp_path / "contract.yml")
    assert len(contract.rules) + len(contract.left_out) == 1
    (tmp_path / "suite.json").write_text(
        '{"expectations": [{"expectation_type": "expect_column_values_to_not_be_null", "kwargs": '
        f'{{"column": "a", "mostly": {share.replace(".inf", "1e999").replace(".nan", "NaN")}}}}}]}}'
    )
    suite = import_rules(tmp_path / "suite.json")
    assert len(suite.rules) + len(suite.left_out) == 1


def test_columns_that_are_compared_pair_by_pair_are_few(tmp_path: Path) -> None:
    names = ", ".join(f'"c{i}"' for i in range(20_000))
    (tmp_path / "suite.json").write_text(
        '{"expectations": [{"expectation_type": '
        '"expect_select_column_values_to_be_unique_within_record", "kwargs": '
        f'{{"column_list": [{names}]}}}}]}}'
    )
    start = time.monotonic()
    (left_out,) = import_rules(tmp_path / "suite.json").left_out
    assert "20,000 columns" in left_out.reason
    assert time.monotonic() - start < 10


def test_shapes_that_no_tool_writes_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "schema.yml"
    path.write_text(
        """
models:
  - name: t
    tests: {not_null: a}
    constraints: [primary_key, {type: [1]}]
    columns:
      - a
      - name: [x]
        tests: [not_null]
      - name: a
        tests:
          - 7
          - null
          - []
          - {}
          - {not_null: {}, unique: {}}
          - accepted_values: {values: {a: 1}}
          - accepted_values: [a]
          - dbt_utils.accepted_range: {min_value: [1]}
          - relationships: {to: 5}
          - dbt_utils.expression_is_true: {expression: [1]}
          - dbt_expectations.expect_column_values_to_be_between: {min_value: {a: 1}}
"""
    )
    imported = import_rules(path)
    assert [rule.rule for rule in imported.rules] == ["a is not null"]
    assert len(imported.left_out) == 11
