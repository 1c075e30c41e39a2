"""pandera: schemas as it writes them to YAML and JSON, and its objects, without importing it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from candling.imports.documents import Items, Map, maps, text_of, texts
from candling.imports.draft import NULLS_EQUAL, Draft, UnsupportedRuleError, find_type, range_of
from candling.reading import StatedType
from candling.rules.printer import quote_text

NAME = "pandera"
_FIELDS = {  # of a column, in YAML, beside its checks
    *("dtype", "nullable", "unique", "coerce", "required", "regex", "title", "description", "name"),
    *("default", "metadata", "report_duplicates", "drop_invalid_rows", "checks", "parsers"),
}
_OPTIONS = ("options", "value")


def recognises(document: Any) -> bool:
    """Whether a document is a schema."""
    return (
        isinstance(document, dict)
        and isinstance(document.get("columns"), dict)
        and ("schema_type" in document or "api" in document or "index" in document)
    )


def is_schema(thing: object) -> bool:
    """Whether an object is a DataFrameSchema or a DataFrameModel."""
    return callable(getattr(thing, "to_schema", None)) or (
        isinstance(getattr(thing, "columns", None), dict) and hasattr(thing, "checks")
    )


def document_of(thing: Any) -> Map:
    """An object in the form that pandera writes to YAML."""
    schema = thing.to_schema() if callable(getattr(thing, "to_schema", None)) else thing
    made = Map()
    made["schema_type"] = "dataframe"
    made["name"] = getattr(schema, "name", None)
    made["columns"] = _map({name: _column_of(c) for name, c in schema.columns.items()})
    made["checks"] = _checks_of(schema.checks)
    index = getattr(schema, "index", None)
    parts = [] if index is None else getattr(index, "indexes", None) or [index]
    items = Items()
    for part in parts:
        column = _column_of(part)
        column["name"] = getattr(part, "name", None)
        items.append(column)
        items.lines.append(0)
    made["index"] = items
    unique = getattr(schema, "unique", None)
    made["unique"] = None if unique is None else _items(texts(unique))
    return made


def _column_of(column: Any) -> Map:
    made = Map()
    made["dtype"] = str(column.dtype)
    for key in ("nullable", "unique", "required", "regex"):
        made[key] = getattr(column, key, None)
    made["checks"] = _checks_of(column.checks)
    return made


def _checks_of(checks: Iterable[Any] | None) -> Items:
    """A list of checks, each with its name and its statistics."""
    made = Items()
    for check in checks or []:
        item = Map()
        item["check_name"] = str(getattr(check, "name", None) or "a function")
        statistics = getattr(check, "statistics", None)
        if isinstance(statistics, dict):
            item["statistics"] = _map(statistics)
        item["warns"] = bool(getattr(check, "raise_warning", False))
        made.append(item)
        made.lines.append(0)
    return made


def _map(values: dict[str, Any]) -> Map:
    made = Map()
    for key, value in values.items():
        plural = isinstance(value, list | tuple | set | frozenset)
        made[str(key)] = _items(value) if plural else value
    return made


def _items(values: Iterable[Any]) -> Items:
    made = Items()
    made += values
    made.lines += [0] * len(made)
    return made


def tables(document: Any) -> dict[str, Map]:
    """The schema itself: it is about one table."""
    return {str(document.get("name") or "schema"): document}


def types(schema: Map) -> dict[str, StatedType]:
    """The types of the columns."""
    columns = schema.get("columns")
    return {
        name: kind
        for name, column in (columns if isinstance(columns, Map) else {}).items()
        if isinstance(column, Map)
        and column.get("regex") is not True
        and (kind := _type(column.get("dtype"))) is not None
    }


def _type(dtype: Any) -> StatedType | None:
    if isinstance(dtype, str) and re.match(r"object|category", dtype, re.IGNORECASE):
        return None
    return find_type(dtype)


def read(schema: Map, draft: Draft) -> None:
    """Add what a schema says of its columns, its index and its rows."""
    columns = schema.get("columns")
    for name, column in (columns if isinstance(columns, Map) else {}).items():
        line = columns.lines.get(name, 0) if isinstance(columns, Map) else 0
        if isinstance(column, Map):
            _column(name, column, line, draft)
    _index(schema.get("index"), draft)
    if names := texts(schema.get("unique") or []):
        origin = draft.origin(schema.lines.get("unique", 0), "unique")
        with draft.listing(origin):
            draft.key(names, origin, differs=NULLS_EQUAL)
    for name, _, _, line in _checks(schema.get("checks"), 0):
        reason = "it is a function of Python over the whole frame"
        draft.leave(draft.origin(line or schema.lines.get("checks", 0), name), reason)


def _column(name: str, column: Map, line: int, draft: Draft) -> None:
    if column.get("regex") is True:
        draft.leave(draft.origin(line, name), "it is about all columns whose names match a pattern")
        return
    if column.get("nullable") is not True:
        origin = draft.origin(line, name, "nullable: false")
        with draft.listing(origin):
            draft.not_null(name, origin)
    if column.get("unique") is True:
        origin = draft.origin(column.lines.get("unique", line), name, "unique")
        with draft.listing(origin):
            draft.key([name], origin, differs=NULLS_EQUAL)
    listed = [*_checks(column.get("checks"), line), *_read_field_checks(column, line)]
    for check, arguments, warns, at in listed:
        origin = draft.origin(at, name, check)
        with draft.listing(origin):
            make = _KNOWN.get(check)
            if make is None:
                raise UnsupportedRuleError("it is a function of Python")
            draft.rule(make(arguments, name, draft), origin, (name, check), warns=warns)


def _index(index: Any, draft: Draft) -> None:
    for part in maps(index if isinstance(index, list) else []):
        name = text_of(part.get("name"))
        origin = draft.origin(part.line, name, "index")
        if name is None:
            if part.get("unique") is True or part.get("checks"):
                draft.leave(origin, "the index has no name, so no column of a table is meant")
            continue
        _column(name, part, part.line, draft)


Check = tuple[str, Any, bool, int]  # name, arguments, whether it only warns, line


def _checks(checks: Any, line: int) -> list[Check]:
    """Checks in all forms that pandera has written them: a mapping, or a list with names."""
    if isinstance(checks, Map):
        return [_check(name, value, checks.lines.get(name, line)) for name, value in checks.items()]
    found = []
    for item in maps(checks):
        if "check_name" in item:
            found.append(
                (item["check_name"], item.get("statistics"), bool(item.get("warns")), line)
            )
            continue
        options = item.get("options")
        if isinstance(options, Map) and "check_name" in options:
            plain = {key: value for key, value in item.items() if key != "options"}
            value = plain.get("value") if set(plain) == {"value"} else plain
            warns = bool(options.get("raise_warning"))
            found.append((str(options["check_name"]), value, warns, item.line))
    return found


def _read_field_checks(column: Map, line: int) -> list[Check]:
    """Checks that stand beside the other fields of a column."""
    return [
        _check(name, value, column.lines.get(name, line))
        for name, value in column.items()
        if name not in _FIELDS and name in _KNOWN
    ]


def _check(name: str, value: Any, line: int) -> Check:
    warns = False
    if isinstance(value, Map) and isinstance(options := value.get("options"), Map):
        warns = bool(options.get("raise_warning"))
        plain = {key: inner for key, inner in value.items() if key != "options"}
        value = plain["value"] if set(plain) == {"value"} else _map(plain)
    return name, value, warns, line


def _argument(arguments: Any, key: str) -> Any:
    """The one argument of a check: by its name, or alone."""
    if isinstance(arguments, dict):
        if key in arguments:
            return arguments[key]
        return next(iter(arguments.values())) if len(arguments) == 1 else None
    return arguments


def _make_comparison(op: str, key: str) -> Callable[[Any, str, Draft], str]:
    def make(arguments: Any, name: str, draft: Draft) -> str:
        value = draft.columns.literal(
            _argument(arguments, key), name, ordered=op not in ("=", "!=")
        )
        return f"{draft.columns.text(name)} {op} {value}"

    return make


def _range(arguments: Any, name: str, draft: Draft) -> str:
    if not isinstance(arguments, dict):
        raise UnsupportedRuleError("its limits are not in the file")
    low, high = (
        draft.columns.literal(arguments.get(key), name, ordered=True)
        for key in ("min_value", "max_value")
    )
    above, below = (arguments.get(key) is False for key in ("include_min", "include_max"))
    return range_of(draft.columns.text(name), low, high, above=above, below=below)


def _set(word: str, key: str) -> Callable[[Any, str, Draft], str]:
    def make(arguments: Any, name: str, draft: Draft) -> str:
        values = _argument(arguments, key)
        if not isinstance(values, list | tuple | set | frozenset):
            raise UnsupportedRuleError("its list of values is not in the file")
        listed = values if isinstance(values, list | tuple) else sorted(values, key=str)
        return f"{draft.columns.text(name)} {word} {draft.columns.write_list(listed, name)}"

    return make


def _text(arguments: Any, key: str) -> str:
    value = _argument(arguments, key)
    value = getattr(value, "pattern", value)  # a compiled regular expression
    if not isinstance(value, str):
        raise UnsupportedRuleError("its text is not in the file")
    return value


def _matches(arguments: Any, name: str, draft: Draft) -> str:
    pattern = _text(arguments, "pattern")
    anchored = pattern if pattern.startswith("^") and "|" not in pattern else f"^(?:{pattern})"
    return f"{draft.columns.text(name)} matches {quote_text(anchored, chr(39))}"


def _contains(arguments: Any, name: str, draft: Draft) -> str:
    return f"{draft.columns.text(name)} matches {quote_text(_text(arguments, 'pattern'), chr(39))}"


def _starts(arguments: Any, name: str, draft: Draft) -> str:
    pattern = f"^{_escape_pattern(_text(arguments, 'string'))}"
    return f"{draft.columns.text(name)} matches {quote_text(pattern, chr(39))}"


def _ends(arguments: Any, name: str, draft: Draft) -> str:
    pattern = f"{_escape_pattern(_text(arguments, 'string'))}$"
    return f"{draft.columns.text(name)} matches {quote_text(pattern, chr(39))}"


def _escape_pattern(text: str) -> str:
    """A text as a pattern, of which only punctuation is escaped."""
    return "".join(f"\\{c}" if c in r"\.^$|()[]{}*+?" else c for c in text)


def _length(arguments: Any, name: str, draft: Draft) -> str:
    given = arguments if isinstance(arguments, dict) else {"exact_value": arguments}
    subject = f"length({draft.columns.text(name)})"
    ends = [given.get(key) for key in ("exact_value", "min_value", "max_value")]
    for value in ends:
        if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
            raise UnsupportedRuleError("its length is not a whole number")
    exactly, low, high = (None if value is None else str(value) for value in ends)
    return f"{subject} = {exactly}" if exactly is not None else range_of(subject, low, high)


_KNOWN: dict[str, Callable[[Any, str, Draft], str]] = {
    "equal_to": _make_comparison("=", "value"),
    "not_equal_to": _make_comparison("!=", "value"),
    "greater_than": _make_comparison(">", "min_value"),
    "greater_than_or_equal_to": _make_comparison(">=", "min_value"),
    "less_than": _make_comparison("<", "max_value"),
    "less_than_or_equal_to": _make_comparison("<=", "max_value"),
    "in_range": _range,
    "isin": _set("in", "allowed_values"),
    "notin": _set("not in", "forbidden_values"),
    "str_matches": _matches,
    "str_contains": _contains,
    "str_startswith": _starts,
    "str_endswith": _ends,
    "str_length": _length,
}
