"""Files that were made to hurt: reading ends soon, with one clear error."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from candling.errors import UsageError
from candling.imports import import_rules

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
