"""The constraint language: read rules, print them, tell their kinds apart, check them.

Knows nothing of data or privacy. Lark and YAML are loaded when a rule is first read.
"""

from candling.constraints.canonical import canonical
from candling.constraints.check import check_schema
from candling.constraints.codes import CODES
from candling.constraints.findings import Finding, distinct, findings, never_fires
from candling.constraints.model import (
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
from candling.constraints.parse import load_constraints, parse_constraints
from candling.constraints.shape import Kind, Shape, shape
from candling.constraints.text import to_text

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
    "Shape",
    "Value",
    "canonical",
    "check_schema",
    "distinct",
    "findings",
    "load_constraints",
    "never_fires",
    "parse_constraints",
    "shape",
    "to_text",
]
