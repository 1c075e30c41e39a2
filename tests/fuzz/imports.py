"""Files of other tools that are damaged, with scalars of YAML that readers disagree on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

from tests.fuzz.mutate import mutated
from tests.fuzz.trial import Trial
from tests.hostile import NAMES

SEEDS = {
    "schema.yml": """models:
  - name: visits
    columns:
      - name: Ward
        data_type: text
        tests:
          - not_null
          - accepted_values: {values: [SCALAR, SCALAR], quote: false}
          - dbt_utils.accepted_range: {min_value: SCALAR, max_value: SCALAR}
          - dbt_utils.not_null_proportion: {at_least: SCALAR}
          - dbt_expectations.expect_column_values_to_be_between: {min_value: SCALAR, mostly: SCALAR}
          - dbt_expectations.expect_column_value_lengths_to_equal: {value: SCALAR}
          - dbt_expectations.expect_table_row_count_to_be_between: {min_value: SCALAR}
""",
    "contract.yml": """apiVersion: v3.0.2
kind: DataContract
schema:
  - name: visits
    quality: [{rule: rowCount, mustBeBetween: [SCALAR, SCALAR]}]
    properties:
      - name: Ward
        logicalType: number
        logicalTypeOptions: {minimum: SCALAR, exclusiveMaximum: SCALAR, maxLength: SCALAR}
        primaryKeyPosition: SCALAR
        quality: [{rule: nullValues, mustBeLessThan: SCALAR, unit: percent}]
""",
    "pandera.yml": """schema_type: dataframe
columns:
  Ward:
    dtype: int64
    nullable: SCALAR
    checks: {greater_than_or_equal_to: SCALAR, isin: [SCALAR, SCALAR]}
""",
    "suite.json": json.dumps(
        {
            "expectations": [
                {
                    "expectation_type": "expect_column_values_to_be_between",
                    "kwargs": {"column": "Ward", "min_value": "SCALAR", "mostly": "SCALAR"},
                }
            ]
        }
    ).replace('"SCALAR"', "SCALAR"),
}
SCALARS = (
    *("5", "0", "-1.5", "true", "null", "'x'", '"y"', "~", "", "[]", "{}", "[1, [2]]"),
    *("yes", "NO", "on", "010", "0o17", "0O17", "0b101", "0x1F", "1_000", "+5", "-0", "08"),
    *("1:30", "190:20:30.15", "1" + ":59" * 40_000, "1:" * 40_000 + "1"),
    *("9" * 38, "9" * 100, "9" * 101, "9" * 5_000, "-" + "9" * 300_000, "0x" + "f" * 6_000),
    *("0o" + "7" * 6_000, "." + "9" * 300_000, "9" * 5_000 + ".5", "1e" + "9" * 5_000),
    *("1e400", "-1e400", "1e-400", ".inf", "-.INF", ".nan", "inf", "nan", "1.", ".5", "."),
    *("2020-01-31", "2020-13-45", "2020-01-31T10:00:00+99:99", "9999-12-31 24:00:00"),
    *("!!int no", "!!float x", "!!bool 7", "!!timestamp 2020-13-45", "!!binary 'x'"),
    *("!!python/name:os.system x", "*a", "&a 5", "<<", "!<x> 1", "? x", "|-\n x", "\ud800"),
)


def trials(folder: Path, random: Random, mutants: int) -> Iterator[Trial]:
    """Every kind of file with plain scalars, then with odd ones, and some of these damaged."""
    for name, text in SEEDS.items():
        yield _trial(folder, name, text.replace("SCALAR", "5").encode())
    for _ in range(mutants):
        name = random.choice([*SEEDS])
        content = _filled(SEEDS[name], random).encode("utf-8", "surrogatepass")
        yield _trial(folder, name, mutated(content, random) if random.random() < 0.3 else content)


def _filled(text: str, random: Random) -> str:
    first, *rest = text.split("SCALAR")
    odd = random.randrange(len(rest))
    for place, part in enumerate(rest):
        likely = place == odd or random.random() < 0.2
        scalar = random.choice(SCALARS) if likely else random.choice(SCALARS[:3])
        if random.random() < 0.05:
            scalar = json.dumps(random.choice(NAMES))
        first += scalar + part
    return first


def _trial(folder: Path, name: str, content: bytes) -> Trial:
    (folder / name).write_bytes(content)
    return Trial(f"import {name}", ("import", name, "--output", "-"), folder)
