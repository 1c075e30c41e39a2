"""dbt: the tests of a `schema.yml` or a manifest, of models, seeds, snapshots and sources.

Tests are spelled in many ways: `tests` or `data_tests`, arguments beside each other or below
`arguments:`, `where` and `severity` as arguments or below `config:`. What they mean is in dbt's own
macros, in those of dbt_utils, and in those of dbt_expectations (`expectations.py`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

from sqlglot import exp

from candling.imports.dbt_manifest import is_manifest, models_of
from candling.imports.documents import Map, maps, number_of, text_of, texts
from candling.imports.draft import (
    LABEL,
    NULLS_EQUAL,
    Draft,
    UnsupportedRuleError,
    find_type,
    range_of,
    share_gate,
)
from candling.imports.expectations import Expectation, Said, row_count_gates, rules_of, short_name
from candling.imports.sql_conditions import condition
from candling.imports.sql_conditions import value as value_in_sql
from candling.reading import StatedType
from candling.records import dataclass

NAME = "dbt"
_KINDS = ("models", "seeds", "snapshots")
_PACKAGES = ("dbt", "dbt_utils", "dbt_expectations")
_SETTINGS = ("config", "where", "severity", "error_if", "warn_if", "enabled", "name", "tags")
_META = {*_SETTINGS, "arguments", "description", "meta", "limit", "store_failures", "test_name"}
_TEXTS = "the column's type is not known, so the values are texts as in dbt's SQL; see --data"
_LIMIT = re.compile(r"\s*(>=?)\s*(\d+)\s*")
_PARENT = re.compile(r"(?:ref|source)\((.*)\)")
_PLAIN_NAME = re.compile(r'[^\W\d]\w*|"[^"]+"|`[^`]+`')


def recognises(document: Any) -> bool:
    """Whether a document is one of dbt's."""
    return is_manifest(document) or (
        isinstance(document, dict)
        and any(isinstance(document.get(kind), list) for kind in (*_KINDS, "sources"))
    )


def tables(document: Any) -> dict[str, Map]:
    """Every model, seed, snapshot and table of a source, by its name."""
    if is_manifest(document):
        return models_of(document)
    found: dict[str, Map] = {}
    for kind in _KINDS:
        for model in maps(document.get(kind)):
            found.setdefault(str(model.get("name")), model)
    for source in maps(document.get("sources")):
        for table in maps(source.get("tables")):
            found.setdefault(f"{source.get('name')}.{table.get('name')}", table)
    return found


def types(model: Map) -> dict[str, StatedType]:
    """The types that the columns of a model declare."""
    return {
        str(column.get("name")): kind
        for column in maps(model.get("columns"))
        if (kind := find_type(column.get("data_type"))) is not None
    }


def read(model: Map, draft: Draft) -> None:
    """Add the tests of one model."""
    table = str(model.get("name"))
    for column in maps(model.get("columns")):
        name = text_of(column.get("name"))
        if name is None:
            continue
        for test in _tests(column, table, name, draft):
            _add(test, draft)
        _constraints(column, name, table, draft)
    for test in _tests(model, table, None, draft):
        _add(test, draft)
    _constraints(model, None, table, draft)


@dataclass(frozen=True, slots=True)
class _Test:
    """One test, with its arguments wherever they stand."""

    name: str  # without its package
    column: str | None
    arguments: dict[str, Any]
    settings: dict[str, Any]  # where, severity, error_if, ...
    table: str
    origin: str
    known: bool = True  # of a package whose tests are known

    def argument(self, key: str) -> Any:
        """A value, whether it is written in YAML or as a literal of Jinja."""
        return resolve_jinja(self.arguments.get(key))

    @property
    def about(self) -> str:
        if self.column is None:
            raise UnsupportedRuleError("it names no column")
        return self.column


def _tests(part: Map, table: str, column: str | None, draft: Draft) -> Iterator[_Test]:
    for key in ("tests", "data_tests"):
        listed = part.get(key)
        if not isinstance(listed, list):
            continue
        lines = getattr(listed, "lines", [0] * len(listed))
        for item, line in zip(listed, lines, strict=True):
            yield _test(item, line, table, column, draft)


def _test(item: Any, line: int, table: str, column: str | None, draft: Draft) -> _Test:
    inner: dict[str, Any] = {}
    name = str(item)
    if isinstance(item, dict):
        named = [key for key in item if key not in _META]
        if isinstance(item.get("test_name"), str):  # - name: mine, test_name: not_null, ...
            name, inner = item["test_name"], dict(item)
        else:
            name = named[0] if named else "?"
            given = item.get(name)
            beside = {key: value for key, value in item.items() if key != name}
            inner = {**beside, **(given if isinstance(given, dict) else {})}
    arguments = {key: value for key, value in inner.items() if key not in _META}
    for more in ("arguments",):
        if isinstance(inner.get(more), dict):
            arguments |= inner[more]
    settings = {key: inner[key] for key in _SETTINGS if key in inner and key != "config"}
    if isinstance(inner.get("config"), dict):
        settings |= inner["config"]
    package, _, short = name.rpartition(".")
    if column is None and isinstance(arguments.get("column_name"), str):
        column = arguments["column_name"]
    about = table if column is None else f"{table}.{column}"
    origin = draft.origin(line, about, name)
    return _Test(short, column, arguments, settings, table, origin, package in ("", *_PACKAGES))


def _add(test: _Test, draft: Draft) -> None:
    with draft.listing(test.origin):
        if test.settings.get("enabled") is False:
            raise UnsupportedRuleError("it is switched off (enabled: false)")
        if not test.known:
            raise UnsupportedRuleError(
                "it is a test of another package, and its SQL is not in this file"
            )
        if test.column is not None and "column_name" in test.arguments:
            _check_name(test.column)
        if gates := row_count_gates(test.name, test.arguments):
            for table_gate in gates:
                draft.gate(table_gate, test.origin)
            return
        for key in ("group_by", "group_by_columns"):
            if test.arguments.get(key):
                raise UnsupportedRuleError("it compares groups of rows")
        where = _where(test, draft)
        said, gate = _translate_test(test, draft)
        gate = gate or _limit_gate(test)
        warns = str(test.settings.get("severity", "error")).lower() == "warn"
        own = text_of(test.settings.get("name"))
        words = (own,) if own else (*_columns_of(test), short_name(test.name))
        for rule, differs in said:
            draft.rule(
                rule, test.origin, words, where=where, differs=differs, gate=gate, warns=warns
            )


def _check_name(column: str) -> None:
    if not _PLAIN_NAME.fullmatch(column):
        raise UnsupportedRuleError("it is about an expression of columns, not about a column")


def _columns_of(test: _Test) -> tuple[str, ...]:
    if test.column is not None:
        return (test.column,)
    for key in ("combination_of_columns", "column_list"):
        if isinstance(test.arguments.get(key), list):
            return tuple(texts(test.arguments[key]))
    pair = texts([test.arguments.get(key) for key in ("column_A", "column_B")])
    return tuple(pair) or (test.table,)


def _where(test: _Test, draft: Draft) -> str | None:
    conditions = [test.settings.get("where"), test.arguments.get("row_condition")]
    said = [
        condition(text, draft.columns, draft.dialect).text
        for text in conditions
        if isinstance(text, str) and text.strip()
    ]
    return None if not said else said[0] if len(said) == 1 else f"({said[0]}) and ({said[1]})"


def _limit_gate(test: _Test) -> str | None:
    limit = _LIMIT.fullmatch(str(test.settings.get("error_if", "")))
    return None if limit is None else f"{LABEL} {limit[1]} {limit[2]}"


def resolve_jinja(value: Any) -> Any:
    """A value, or what a literal of Jinja says; everything else in Jinja is not evaluated."""
    if not isinstance(value, str) or ("{{" not in value and "{%" not in value):
        return value
    inner = re.fullmatch(r"\s*\{\{-?(.*?)-?\}\}\s*", value, re.DOTALL)
    if inner is None or "{{" in inner[1]:
        raise UnsupportedRuleError("Jinja is not evaluated here")
    try:
        return ast.literal_eval(inner[1].strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        raise UnsupportedRuleError("Jinja is not evaluated here") from None


def _translate_test(test: _Test, draft: Draft) -> tuple[list[Said], str | None]:
    """The rules of a test, and its gate."""
    name = test.name
    if name == "not_null_proportion":
        return [_not_null(test, draft)], _proportion_gate(test)
    if name in _TESTS:
        return [_TESTS[name](test, draft)], None
    if name == "mutually_exclusive_ranges":
        return _exclusive_ranges(test, draft), None
    if name in _REASONS:
        raise UnsupportedRuleError(_REASONS[name])
    if name.startswith("expect_"):
        arguments = {key: test.argument(key) for key in test.arguments}
        if isinstance(values := arguments.get("value_set"), list):
            quote = arguments.get("quote_values", True)
            arguments["value_set"] = _values(values, test.about, draft, quote=bool(quote))
        expectation = Expectation(name, test.column, arguments, sql=True)
        return rules_of(expectation, draft), None
    raise UnsupportedRuleError(
        "it is a test of the project itself, and its SQL is not in this file"
    )


def _not_null(test: _Test, draft: Draft) -> Said:
    return f"{draft.columns.text(test.about)} is not null", None


def _unique(test: _Test, draft: Draft) -> Said:
    return f"key({draft.columns.text(test.about)})", None


def _translate_accepted_values(test: _Test, draft: Draft, word: str = "in") -> Said:
    values = test.argument("values")
    if not isinstance(values, list | tuple):
        raise UnsupportedRuleError("`values` is not a list that stands in the file")
    listed = _values(
        list(values), test.about, draft, quote=bool(test.argument("quote") is not False)
    )
    differs = None
    if draft.columns.type(test.about) is None and any(not isinstance(v, str) for v in values):
        quoted = test.argument("quote") is not False
        differs = _TEXTS if quoted else None
    text = draft.columns.text(test.about)
    return f"{text} {word} {draft.columns.write_list(listed, test.about)}", differs


def _translate_rejected_values(test: _Test, draft: Draft) -> Said:
    return _translate_accepted_values(test, draft, "not in")


def _values(values: list[Any], column: str, draft: Draft, *, quote: bool) -> list[Any]:
    """The values as dbt writes them into SQL: as texts, or as they are (`quote: false`)."""
    typed = draft.columns.type(column) is not None
    if quote:
        return values if typed else [_as_text(value) for value in values]
    return [_unquote(value, typed=typed) for value in values]


def _unquote(value: Any, *, typed: bool) -> Any:
    """What a fragment of SQL stands for: a text in quotes, or a number."""
    text = value.strip() if isinstance(value, str) else ""
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    number = not typed and re.fullmatch(r"-?\d+(\.\d+)?", text)
    return Decimal(text) if number else value


def _as_text(value: Any) -> Any:
    return value if value is None else str(value)


def _relationship(test: _Test, draft: Draft) -> Said:
    to, field = text_of(test.arguments.get("to")), text_of(test.arguments.get("field"))
    if test.name == "relationships_where" and test.arguments.get("to_condition"):
        raise UnsupportedRuleError("it looks at some rows of another table only")
    parent = None if to is None else _PARENT.search(to)
    if parent is None or field is None:
        raise UnsupportedRuleError("it refers to another table, which is not named in the file")
    name = parent[1].split(",")[-1].strip().strip("'\"")
    return draft.in_public_list(test.about, name, field), None


def _combination(test: _Test, draft: Draft) -> Said:
    columns = test.argument("combination_of_columns")
    if not isinstance(columns, list | tuple) or not columns:
        raise UnsupportedRuleError("`combination_of_columns` is not a list that stands in the file")
    names = [str(name).strip('"`') for name in columns]
    for name in columns:
        if not isinstance(name, str):
            raise UnsupportedRuleError("it is about an expression of columns, not about a column")
        if "(" in name or "||" in name:
            _check_name(name)
    return f"key({', '.join(draft.columns.texts(names))})", NULLS_EQUAL


def _range(test: _Test, draft: Draft) -> Said:
    ends = []
    for key in ("min_value", "max_value"):
        end = test.argument(key)
        if isinstance(end, str):  # SQL: a literal, another column, a sum
            end = value_in_sql(end, test.about, draft.columns, draft.dialect)
        elif end is not None:
            end = draft.columns.literal(end, test.about, ordered=True)
        ends.append(end)
    strict = test.argument("inclusive") is False
    name = draft.columns.text(test.about)
    return range_of(name, *ends, above=strict, below=strict), None


def _expression(test: _Test, draft: Draft) -> Said:
    expression = test.argument("expression")
    if not isinstance(expression, str):
        raise UnsupportedRuleError("`expression` is not a text that stands in the file")
    text = expression
    if test.column is not None:  # a fragment that follows the column: ">= 0"
        text = f"{sql_name(test.column, draft.dialect)} {expression}"
    if isinstance(test.arguments.get("condition"), str):
        raise UnsupportedRuleError("the argument `condition` was replaced by `where`")
    said = condition(text, draft.columns, draft.dialect)
    return said.rule, said.differs


def sql_name(column: str, dialect: str | None) -> str:
    """A column as SQL writes it, in quotes."""
    return str(exp.to_identifier(column, quoted=True).sql(dialect=dialect))


def _not_empty(test: _Test, draft: Draft) -> Said:
    name = draft.columns.text(test.about)
    if test.argument("trim_whitespace") is False:
        return f"{name} != ''", None
    return f"{name} matches '[^ ]'", None


def _proportion_gate(test: _Test) -> str:
    least = number_of(test.argument("at_least"))
    most = test.argument("at_most")
    if most not in (None, 1, 1.0) or least is None:
        raise UnsupportedRuleError("it does not say how many values may be missing at most")
    return share_gate(1 - Fraction(str(least)))


def _exclusive_ranges(test: _Test, draft: Draft) -> list[Said]:
    """No two ranges of one partition overlap, and each ends after it starts."""
    if test.argument("gaps") not in (None, "allowed"):
        raise UnsupportedRuleError("it is about gaps between rows, which pairs of rows do not show")
    if test.argument("zero_length_range_allowed"):
        raise UnsupportedRuleError("rules cannot test for ranges of length zero")
    low, high = (
        draft.columns.text(str(test.argument(key)))
        for key in ("lower_bound_column", "upper_bound_column")
    )
    group = test.argument("partition_by")
    same = ""
    if isinstance(group, str):
        _check_name(group)
        name = draft.columns.text(group)
        same = f"t1.{name} = t2.{name} and "
    overlap = f"not({same}t1.{low} < t2.{high} and t2.{low} < t1.{high})"
    return [(f"{low} < {high}", None), (overlap, NULLS_EQUAL if same else None)]


_TESTS: dict[str, Callable[[_Test, Draft], Said]] = {
    "not_null": _not_null,
    "not_null_where": _not_null,
    "unique": _unique,
    "unique_where": _unique,
    "accepted_values": _translate_accepted_values,
    "not_accepted_values": _translate_rejected_values,
    "relationships": _relationship,
    "relationships_where": _relationship,
    "unique_combination_of_columns": _combination,
    "accepted_range": _range,
    "expression_is_true": _expression,
    "not_empty_string": _not_empty,
}
_ALL_ROWS = "it is about all rows at once, not about single rows or pairs"
_OTHER_TABLE = "it compares with another table"
_REASONS = {
    "at_least_one": _ALL_ROWS,
    "not_constant": _ALL_ROWS,
    "sequential_values": "it is about gaps between rows, which pairs of rows do not show",
    "recency": "rules do not know the current date",
    "equal_rowcount": _OTHER_TABLE,
    "fewer_rows_than": _OTHER_TABLE,
    "equality": _OTHER_TABLE,
    "cardinality_equality": _OTHER_TABLE,
}


# Constraints of a contract: `constraints: [{type: not_null}]`


def _constraints(part: Map, column: str | None, table: str, draft: Draft) -> None:
    for constraint in maps(part.get("constraints")):
        kind = str(constraint.get("type"))
        about = table if column is None else f"{table}.{column}"
        origin = draft.origin(constraint.line, about, "constraint", kind)
        names = texts(constraint.get("columns") or []) if column is None else [column]
        with draft.listing(origin):
            _constraint(constraint, kind, names, origin, draft)


def _constraint(constraint: Map, kind: str, names: list[str], origin: str, draft: Draft) -> None:
    if kind == "not_null":
        for name in names:
            draft.not_null(name, origin)
    elif kind == "unique":
        draft.key(names, origin)
    elif kind == "primary_key":
        for name in names:
            draft.not_null(name, origin)
        draft.key(names, origin, word="primary_key")
    elif kind == "check" and isinstance(constraint.get("expression"), str):
        said = condition(constraint["expression"], draft.columns, draft.dialect)
        words = (text_of(constraint.get("name")) or "_".join([*names, "check"]),)
        draft.rule(said.rule, origin, words, differs=said.differs)
    elif kind == "foreign_key":
        raise UnsupportedRuleError("it refers to another table")
    else:
        raise UnsupportedRuleError("candling does not know this test")
