"""Great Expectations: suites in JSON, of the old form and the new one."""

from __future__ import annotations

import ast
from fractions import Fraction
from typing import Any

from candling.imports.documents import Map, maps, number_of, text_of
from candling.imports.draft import (
    Draft,
    UnsupportedRuleError,
    find_moment,
    find_type,
    share_gate,
)
from candling.imports.expectations import Expectation, row_count_gates, rules_of, short_name
from candling.imports.sql_conditions import condition, query
from candling.reading import StatedType

NAME = "gx"
_OF_VALUES = "in the original, the share is of the values that are not "
"NULL; here, it is of all rows"
_NOT_NULL = "expect_column_values_to_not_be_null"
_TYPES = ("expect_column_values_to_be_of_type", "expect_column_values_to_be_in_type_list")
_NUMBERS = ("integer", "number", "decimal")
_FORMAT = "expect_column_values_to_match_strftime_format"


def recognises(document: Any) -> bool:
    """Whether a document is a suite."""
    return isinstance(document, dict) and isinstance(document.get("expectations"), list)


def tables(document: Any) -> dict[str, Map]:
    """The suite itself: it is about one table."""
    name = document.get("expectation_suite_name") or document.get("name") or "suite"
    return {str(name): document}


def types(suite: Map) -> dict[str, StatedType]:
    """The types that the suite expects of columns; a way to write dates says the most."""
    found: dict[str, StatedType] = {}
    for item in maps(suite.get("expectations")):
        name, arguments = _parts(item)
        column = text_of(arguments.get("column"))
        if name in _TYPES and column is not None:
            listed = arguments.get("type_list")
            stated = [arguments.get("type_"), *(listed if isinstance(listed, list) else [])]
            kind = _common({find_type(kind) for kind in stated if kind is not None})
            if kind is not None:
                found.setdefault(column, kind)
        written = text_of(arguments.get("strftime_format"))
        if name == _FORMAT and column is not None and (kind := find_moment(written)) is not None:
            found[column] = kind
    return found


def _common(kinds: set[StatedType | None]) -> StatedType | None:
    """One type that all of them are: whole numbers are numbers."""
    if len(kinds) > 1 and all(kind is not None and kind.kind in _NUMBERS for kind in kinds):
        return StatedType("number")
    return kinds.pop() if len(kinds) == 1 else None


def read(suite: Map, draft: Draft) -> None:
    """Add every expectation."""
    for number, item in enumerate(maps(suite.get("expectations")), start=1):
        name, arguments = _parts(item)
        column = text_of(arguments.get("column"))
        place = draft.origin(item.line) if item.line else f"{draft.source} #{number}"
        origin = " ".join(word for word in (place, column, name) if word)
        with draft.listing(origin):
            _add(name, column, arguments, item, origin=origin, draft=draft)


def _parts(item: Map) -> tuple[str, Map]:
    kwargs = item.get("kwargs")
    name = item.get("expectation_type") or item.get("type") or "?"
    return str(name), kwargs if isinstance(kwargs, Map) else Map()


def _add(
    name: str, column: str | None, arguments: Map, item: Map, *, origin: str, draft: Draft
) -> None:
    if gates := row_count_gates(name, arguments):
        for table_gate in gates:
            draft.gate(table_gate, origin)
        return
    if name in (*_TYPES, _FORMAT) and column in draft.columns.declared:
        return
    if isinstance(text := arguments.get("unexpected_rows_query"), str):
        _unexpected_rows(text, item, origin, draft)
        return
    where = _row_condition(arguments, draft)
    gate, share_differs = _read_mostly(name, arguments)
    warns = str(item.get("severity", "critical")).lower() in ("warning", "info")
    about = (column,) if column else _list_columns(arguments)
    for rule, differs in rules_of(Expectation(name, column, arguments, sql=False), draft):
        both = "; ".join(text for text in (differs, share_differs) if text) or None
        words = (*about, short_name(name))
        draft.rule(rule, origin, words, where=where, differs=both, gate=gate, warns=warns)


def _unexpected_rows(text: str, item: Map, origin: str, draft: Draft) -> None:
    """`SELECT * FROM {batch} WHERE wrong`, which must give no row."""
    found = query(text.replace("{batch}", "batch"), ("batch",), draft.columns, draft.dialect)
    if found.counts or found.where is None:
        raise UnsupportedRuleError("its query does more than select rows that meet a condition")
    words = (text_of(item.get("id")) or "unexpected_rows",)
    draft.rule(found.where.negated, origin, words, differs=found.where.differs)


def _list_columns(arguments: Map) -> tuple[str, ...]:
    listed = arguments.get("column_list")
    names = (
        listed if isinstance(listed, list) else [arguments.get(k) for k in ("column_A", "column_B")]
    )
    return tuple(str(name) for name in names if name)


def _read_mostly(name: str, arguments: Map) -> tuple[str | None, str | None]:
    mostly = number_of(arguments.get("mostly"))
    if mostly is None or mostly >= 1:
        return None, None
    return share_gate(1 - Fraction(str(mostly))), None if name == _NOT_NULL else _OF_VALUES


def _row_condition(arguments: Map, draft: Draft) -> str | None:
    text = arguments.get("row_condition")
    if text is None or text == "":
        return None
    if not isinstance(text, str):
        raise UnsupportedRuleError("its row_condition is not a text")
    parser = str(arguments.get("condition_parser") or "pandas")
    if parser in ("spark", "sqlalchemy"):
        return condition(text, draft.columns, draft.dialect).text
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UnsupportedRuleError("its row_condition cannot be read") from None
    return _of_python(tree, draft)


_OPS = {
    ast.Eq: "=",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
}


def _of_python(node: ast.expr, draft: Draft) -> str:
    """A condition as pandas or `col("A") == 1` writes it."""
    match node:
        case ast.BoolOp(op=op, values=values):
            joint = " and " if isinstance(op, ast.And) else " or "
            return joint.join(f"({_of_python(value, draft)})" for value in values)
        case ast.BinOp(left=left, op=ast.BitAnd() | ast.BitOr() as sign, right=right):
            joint = "and" if isinstance(sign, ast.BitAnd) else "or"
            return f"({_of_python(left, draft)}) {joint} ({_of_python(right, draft)})"
        case ast.Call(func=ast.Attribute(value=subject, attr=method), args=[]):
            word = _NULLS.get(method.lower())
            if word is not None:
                return f"{draft.columns.text(_column(subject))} {word}"
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _OPS:
            return _comparison(left, _OPS[type(op)], right, draft)
    raise UnsupportedRuleError("rules cannot express its row_condition")


_NULLS = {
    "notnull": "is not null",
    "notna": "is not null",
    "isnull": "is null",
    "isna": "is null",
}


def _comparison(left: ast.expr, op: str, right: ast.expr, draft: Draft) -> str:
    name = _column(left)
    subject = draft.columns.text(name)
    try:
        value = ast.literal_eval(right)
    except (ValueError, TypeError, RecursionError):
        return f"{subject} {op} {draft.columns.text(_column(right))}"
    if op in ("in", "not in"):
        if not isinstance(value, list | tuple):
            raise UnsupportedRuleError("rules cannot express its row_condition")
        said = f"{subject} {op} {draft.columns.write_list(value, name)}"
    else:
        ordered = op not in ("=", "!=")
        said = f"{subject} {op} {draft.columns.literal(value, name, ordered=ordered)}"
    # To pandas a missing value differs from everything; in a rule NULL meets no condition.
    return f"({said} or {subject} is null)" if op in ("!=", "not in") else said


def _column(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Call(func=ast.Name(id="col"), args=[ast.Constant(value=str(name))]):
            return name
    raise UnsupportedRuleError("rules cannot express its row_condition")
