"""The constraint language: read rules, print them, tell their kinds apart, check them.

Knows nothing of data or privacy. Lark and YAML are loaded when a rule is first read.
"""

from candling.rules.check import check_schema
from candling.rules.codes import CODES
from candling.rules.compiled import Rules, compile_rules
from candling.rules.findings import Finding, findings, never_fires
from candling.rules.model import (
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
from candling.rules.parse import load_constraints, parse_constraints
from candling.rules.shape import Kind, Shape

__all__ = [
    "CODES",
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
