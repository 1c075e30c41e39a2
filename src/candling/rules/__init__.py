"""The language of rules: reads rules, prints them, finds their kinds, checks them.

Does not know data or privacy. Lark and YAML are loaded when a rule is first read.
"""

from candling.rules.canonical import Kind, Shape
from candling.rules.compile import RuleLine, Rules, compile_rules
from candling.rules.constraint import (
    Column,
    ColumnType,
    Constant,
    Constraint,
    ConstraintSet,
    Op,
    Predicate,
    RowNumber,
    Value,
)
from candling.rules.findings import Finding, findings, never_fires
from candling.rules.parse import load_constraints, parse_constraints
from candling.rules.schema import check_schema

__all__ = [
    "Column",
    "ColumnType",
    "Constant",
    "Constraint",
    "ConstraintSet",
    "Finding",
    "Kind",
    "Op",
    "Predicate",
    "RowNumber",
    "RuleLine",
    "Rules",
    "Shape",
    "Value",
    "check_schema",
    "compile_rules",
    "findings",
    "load_constraints",
    "never_fires",
    "parse_constraints",
]
