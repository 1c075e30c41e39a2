from __future__ import annotations

import pyarrow as pa

from candling.rules import compile_rules, parse_constraints
from candling.tables import Parts, open_table, read_classes, read_core

RULES = "a -> b"


def test_classes_are_one_part() -> None:
    rules = compile_rules(parse_constraints(RULES))
    parts: Parts = read_classes(open_table(pa.table({"a": [1, 1, 2], "b": [1, 2, 3]})), rules)
    assert parts.rows == 3
    assert parts.constraints == rules.constraints
    assert parts.ask(lambda classes: int(classes.weights.sum())) == [3]


def test_what_is_read_answers_questions() -> None:
    rules = compile_rules(parse_constraints(RULES))
    parts = read_core(open_table(pa.table({"a": [1, 1, 2], "b": [1, 2, 3]})), rules)
    assert (parts.rows, parts.constraints) == (3, rules.constraints)
    assert sum(parts.ask(lambda classes: len(classes.weights))) == 3
