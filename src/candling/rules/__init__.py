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
    TypeLine,
    Value,
)
from candling.rules.findings import Finding, findings, never_fires
from candling.rules.parse import load_constraints, parse_constraints
from candling.rules.schema import check_schema
from candling.rules.types import Origin, Statement

__all__ = [
    "Column",
    "ColumnType",
    "Constant",
    "Constraint",
    "ConstraintSet",
    "Finding",
    "Kind",
    "Op",
    "Origin",
    "Predicate",
    "RowNumber",
    "RuleLine",
    "Rules",
    "Shape",
    "Statement",
    "TypeLine",
    "Value",
    "check_schema",
    "compile_rules",
    "findings",
    "load_constraints",
    "never_fires",
    "parse_constraints",
]
