"""Data contracts: the Open Data Contract Standard, and the older specification of datacontract.com.

A property is required, unique, part of the primary key, and has options of its logical type; rules
of quality compare a count of wrong rows with a number. A count that must be 0 is a rule; one that
may be larger is a rule and a gate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from candling.imports.documents import Items, Map, maps, number_of, text_of, texts
from candling.imports.draft import (
    LABEL,
    Draft,
    UnsupportedRuleError,
    find_moment,
    find_type,
    percent,
    range_of,
)
from candling.imports.expectations import Expectation, rules_of
from candling.imports.sql_conditions import query
from candling.reading import StatedType
from candling.rules.printer import quote_text

NAME = "odcs"
_OPERATORS = {  # under which the gate fails
    "mustBeLessThan": ">=",
    "mustBeLessOrEqualTo": ">",
    "mustBeLessThanOrEqualTo": ">",
    "mustBeGreaterThan": "<=",
    "mustBeGreaterOrEqualTo": "<",
    "mustBeGreaterThanOrEqualTo": "<",
}
_DUPLICATE = ("duplicatevalues", "duplicatecount", "duplicates", "unique")
_NULLS = ("nullvalues", "nullcheck", "nullcount", "notnull", "not_null")
_VALID = ("invalidvalues", "validvalues", "invalidcount")
_NUMBERS = ("integer", "number", "decimal")
_MOMENTS = ("date", "timestamp")
_LETTERS = re.compile(r"([A-SU-Za-z])\1*")  # a T stands between date and time
_FORMS = {
    "yyyy": "%Y",
    "MM": "%m",
    "dd": "%d",
    "HH": "%H",
    "mm": "%M",
    "ss": "%S",
}
_NESTED = ("object", "array", "record", "struct")
_INSIDE = ("properties", "items", "fields")  # what lists and objects hold
_DUPLICATES = (
    "the original counts all rows whose value occurs more than once; here, only those to delete"
)


def recognises(document: Any) -> bool:
    """Whether a document is a data contract."""
    return isinstance(document, dict) and (
        "dataContractSpecification" in document
        or document.get("kind") == "DataContract"
        or (isinstance(document.get("schema"), list) and "apiVersion" in document)
    )


def tables(document: Any) -> dict[str, Map]:
    """Every object of the schema, by its name."""
    if isinstance(document.get("models"), Map):
        models = document["models"]
        return {
            name: _modern(name, model) for name, model in models.items() if isinstance(model, Map)
        }
    listed = maps(document.get("schema"))
    quality = maps(document.get("quality"))
    if len(listed) == 1 and quality and "quality" not in listed[0]:
        listed[0]["quality"] = document["quality"]
    return {str(part.get("name") or part.get("physicalName")): part for part in listed}


def _modern(name: str, model: Map) -> Map:
    """A model of the older specification, as the standard writes it."""
    made = Map()
    made.line = model.line
    made["name"] = name
    properties = Items()
    fields = model["fields"] if isinstance(model.get("fields"), Map) else Map()
    for key, field in fields.items():
        part = Map()
        part.line = fields.lines.get(key, 0)
        if isinstance(field, Map):
            part.update(field)
            part.lines = dict(field.lines)
        part["name"] = key
        part["logicalType"] = part.get("type")
        part["primaryKey"] = part.get("primaryKey") or part.get("primary")
        part["logicalTypeOptions"] = part
        properties.append(part)
        properties.lines.append(part.line)
    made["properties"] = properties
    made["primaryKey"] = model.get("primaryKey")
    made["quality"] = model.get("quality")
    return made


def types(part: Map) -> dict[str, StatedType]:
    """The types of the properties."""
    found = {}
    for item in maps(part.get("properties")):
        kind = _type(item)
        if kind is not None and (name := _name(item)) is not None:
            found[name] = kind
    return found


def _type(item: Map) -> StatedType | None:
    """The logical type; a physical one has the digits of a number, an option the form of a date."""
    if item.get("logicalType") in _NESTED:
        return None
    logical, physical = (find_type(item.get(key)) for key in ("logicalType", "physicalType"))
    if logical is None:
        return physical
    if logical.kind == "number" and physical is not None and physical.kind in _NUMBERS:
        return physical
    options = item.get("logicalTypeOptions")
    if logical.kind in _MOMENTS and isinstance(options, Map):
        return _moment(options.get("format")) or logical
    return logical


def _moment(written: object) -> StatedType | None:
    """The type of dates in the form that Java writes as `dd/MM/yyyy`."""
    if not isinstance(written, str):
        return None
    plain = written.replace("'", "")
    return find_moment(_LETTERS.sub(lambda found: _FORMS.get(found[0], "%?"), plain))


def read(part: Map, draft: Draft) -> None:
    """Add what one object of the schema says."""
    table = str(part.get("name") or part.get("physicalName"))
    listed = maps(part.get("properties"))
    keys: list[tuple[int, str, int]] = []
    for position, item in enumerate(listed):
        name = _name(item)
        if name is None:
            continue
        if any(item.get(key) for key in _INSIDE):
            origin = draft.origin(item.line, f"{table}.{name}")
            draft.leave(origin, "rules cannot look into lists and objects")
            continue
        if item.get("primaryKey") is True:
            rank = item.get("primaryKeyPosition")
            keys.append((rank if isinstance(rank, int) and rank > 0 else position, name, item.line))
        _property(item, table, name, draft)
    keys += [(n, name, part.line) for n, name in enumerate(texts(part.get("primaryKey") or []))]
    if keys:
        names = [name for _, name, _ in sorted(keys)]
        origin = draft.origin(keys[0][2], table, "primaryKey")
        with draft.listing(origin):
            for name in names:
                draft.not_null(name, origin)
            draft.key(names, origin, word="primary_key")
    for rule in maps(part.get("quality")):
        _quality(rule, table, None, draft)


def _name(item: Map) -> str | None:
    return text_of(item.get("physicalName")) or text_of(item.get("name"))


def _property(item: Map, table: str, name: str, draft: Draft) -> None:
    about = f"{table}.{name}"

    def origin(key: str, holder: Map = item) -> str:
        return draft.origin(holder.lines.get(key, item.line), about, key)

    if item.get("required") is True:
        with draft.listing(origin("required")):
            draft.not_null(name, origin("required"))
    if item.get("unique") is True:
        with draft.listing(origin("unique")):
            draft.key([name], origin("unique"))
    options = item.get("logicalTypeOptions")
    if isinstance(options, Map):
        for keys, make in _OPTIONS:
            given = {key: options[key] for key in keys if options.get(key) is not None}
            if not given or (list(given.values()) == [False]):
                continue
            if keys == ("format",) and _moment(given["format"]) is not None:
                continue  # it is in the type
            first = next(iter(given))
            at = draft.origin(options.lines.get(first, item.line), about, ", ".join(given))
            with draft.listing(at):
                draft.rule(make(given, name, draft), at, (name, first))
    for reference in ("references", "relationships"):
        if item.get(reference):
            draft.leave(origin(reference), "it refers to another table")
    for rule in maps(item.get("quality")):
        _quality(rule, table, name, draft)


def _lengths(given: dict[str, Any], name: str, draft: Draft) -> str:
    low, high = (_number(given.get(key)) for key in ("minLength", "maxLength"))
    subject = f"length({draft.columns.text(name)})"
    return f"{subject} = {low}" if low is not None and low == high else range_of(subject, low, high)


def _number(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise UnsupportedRuleError(f"{value!r} is not a whole number")
    return str(value)


def _range(given: dict[str, Any], name: str, draft: Draft) -> str:
    """Both meanings of `exclusiveMinimum`: that the minimum is excluded, or a limit of its own."""
    ends: dict[str, Any] = {}
    strict: dict[str, bool] = {}
    for side, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        limit = given.get(exclusive)
        own = limit is not None and not isinstance(limit, bool)
        ends[side], strict[side] = (limit, True) if own else (given.get(side), limit is True)
    texts_of = [
        None if value is None else draft.columns.literal(value, name, ordered=True)
        for value in ends.values()
    ]
    subject = draft.columns.text(name)
    return range_of(subject, *texts_of, above=strict["minimum"], below=strict["maximum"])


def _pattern(given: dict[str, Any], name: str, draft: Draft) -> str:
    return f"{draft.columns.text(name)} matches {quote_text(str(given['pattern']), chr(39))}"


def _multiple(given: dict[str, Any], name: str, draft: Draft) -> str:
    step = draft.columns.literal(given["multipleOf"], name)
    return f"check ({draft.columns.text(name)} % {step} = 0)"


def _enum(given: dict[str, Any], name: str, draft: Draft) -> str:
    values = next(iter(given.values()))
    if not isinstance(values, list):
        raise UnsupportedRuleError("its list of values is not in the file")
    return f"{draft.columns.text(name)} in {draft.columns.write_list(values, name)}"


def _format(given: dict[str, Any], name: str, draft: Draft) -> str:  # noqa: ARG001
    raise UnsupportedRuleError(
        f"rules do not support the format {given['format']!r}; write a pattern"
    )


_OPTIONS = (
    (("minLength", "maxLength"), _lengths),
    (("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _range),
    (("pattern",), _pattern),
    (("multipleOf",), _multiple),
    (("enum",), _enum),
    (("format",), _format),
)


# Quality


def _quality(rule: Map, table: str, name: str | None, draft: Draft) -> None:
    kind = str(rule.get("type") or "library")
    metric = text_of(rule.get("metric")) or text_of(rule.get("rule"))
    about = table if name is None else f"{table}.{name}"
    words = text_of(rule.get("name")) or text_of(rule.get("id"))
    origin = draft.origin(rule.line, about, "quality", metric or kind, words)
    with draft.listing(origin):
        if kind == "text":
            raise UnsupportedRuleError("it is a text for people")
        if kind == "custom":
            _custom(rule, name, origin, draft)
        elif kind == "sql" or (metric is None and isinstance(rule.get("query"), str)):
            _query(rule, table, name, origin, draft)
        elif metric is None:
            raise UnsupportedRuleError("it names no metric")
        elif metric.lower() == "rowcount":
            _row_count(rule, origin, draft)
        else:
            _metric(rule, metric, name, origin, draft)


def _metric(rule: Map, metric: str, name: str | None, origin: str, draft: Draft) -> None:
    arguments = rule["arguments"] if isinstance(rule.get("arguments"), Map) else rule
    gate, warns = _tolerance(rule), _warns(rule)
    kind = metric.lower()
    label = text_of(rule.get("name"))
    if kind not in (*_DUPLICATE, *_NULLS, *_VALID, "missingvalues"):
        raise UnsupportedRuleError(f"the metric {metric!r} is about all rows at once, or unknown")
    if kind in _DUPLICATE:
        names = [name] if name is not None else texts(arguments.get("properties") or [])
        differs = _DUPLICATES if gate else None
        draft.key(names, origin, word=label or "unique", differs=differs, gate=gate, warns=warns)
        return
    if name is None:
        names = texts(arguments.get("properties") or arguments.get("column") or [])
        if len(names) != 1:
            raise UnsupportedRuleError("it names no column")
        (name,) = names
    subject = draft.columns.text(name)
    word = label or metric
    if kind in _NULLS:
        draft.rule(f"{subject} is not null", origin, (name, word), gate=gate, warns=warns)
    elif kind == "missingvalues":
        draft.rule(
            _translate_missing(arguments, name, draft), origin, (name, word), gate=gate, warns=warns
        )
    else:
        for text in _valid(arguments, name, draft):
            draft.rule(text, origin, (name, word), gate=gate, warns=warns)


def _translate_missing(arguments: Map, name: str, draft: Draft) -> str:
    values = arguments.get("missingValues")
    listed = [v for v in values if v is not None] if isinstance(values, list) else []
    subject = draft.columns.text(name)
    if not listed:
        return f"{subject} is not null"
    said = f"{subject} not in {draft.columns.write_list(listed, name)}"
    has_null = len(listed) < len(values or [])
    return f"check ({subject} is not null and {said})" if has_null else said


def _valid(arguments: Map, name: str, draft: Draft) -> Iterator[str]:
    keys = ("validValues", "pattern", "minLength", "maxLength", "minimum", "maximum")
    given = {key: arguments[key] for key in keys if arguments.get(key) is not None}
    if not given:
        raise UnsupportedRuleError("it does not say which values are valid")
    if "validValues" in given:
        yield _enum({"validValues": given["validValues"]}, name, draft)
    for wanted, make in _OPTIONS[:3]:
        if part := {key: given[key] for key in wanted if key in given}:
            yield make(part, name, draft)


def _tolerance(rule: Map) -> str | None:
    """The gate of a rule that some rows may break; None if none may."""
    share = str(rule.get("unit") or "rows").lower() in ("percent", "percentage", "%")
    subject = f"{LABEL}/rows" if share else LABEL
    if (between := rule.get("mustBeBetween")) is not None:
        if not isinstance(between, list) or len(between) != 2 or between[0] != 0:
            raise UnsupportedRuleError("it asks for rows that are wrong")
        return f"{subject} > {_limit(between[1], share=share)}"
    if "mustBe" in rule and rule["mustBe"] not in (0, 0.0):
        raise UnsupportedRuleError("it asks for rows that are wrong")
    for key, op in _OPERATORS.items():
        if (limit := rule.get(key)) is not None:
            if op.startswith("<"):
                raise UnsupportedRuleError("it asks for rows that are wrong")
            if (op, limit) in ((">=", 1), (">", 0)) and not share:
                return None
            return f"{subject} {op} {_limit(limit, share=share)}"
    for key in ("mustNotBe", "mustNotBeBetween"):
        if key in rule:
            raise UnsupportedRuleError("it asks for rows that are wrong")
    return None


def _warns(rule: Map) -> bool:
    return str(rule.get("severity")).lower() in ("info", "warn", "warning")


def _limit(value: Any, *, share: bool) -> str:
    limit = number_of(value)
    if limit is None:
        raise UnsupportedRuleError("its limit is not a number")
    return percent(Fraction(str(limit)) / 100) if share else str(limit)


def _row_count(rule: Map, origin: str, draft: Draft) -> None:
    gates = []
    for key, op in _OPERATORS.items():
        if isinstance(limit := rule.get(key), int):
            gates.append(f"rows {op} {limit}")
    if isinstance(exactly := rule.get("mustBe"), int):
        gates += [f"rows < {exactly}", f"rows > {exactly}"]
    between = rule.get("mustBeBetween")
    if isinstance(between, list) and len(between) == 2:
        gates += [f"rows < {between[0]}", f"rows > {between[1]}"]
    if not gates:
        raise UnsupportedRuleError("it does not say how many rows")
    for gate in gates:
        draft.gate(gate, origin)


def _query(rule: Map, table: str, name: str | None, origin: str, draft: Draft) -> None:
    """`SELECT count(*) FROM this WHERE wrong`, which must be 0."""
    text = str(rule.get("query") or "")
    text = re.sub(r"\$?\{\s*(object|table|model|schema)\s*\}", table, text)
    text = re.sub(r"\$?\{\s*(property|column|field)\s*\}", name or "", text)
    found = query(text, (table,), draft.columns, draft.dialect)
    if not found.counts:
        raise UnsupportedRuleError("its query does not count rows")
    if found.where is None:
        _row_count(rule, origin, draft)
        return
    words = (text_of(rule.get("name")) or f"{name or table}_sql",)
    rule_text, differs = found.where.negated, found.where.differs
    gate, warns = _tolerance(rule), _warns(rule)
    draft.rule(rule_text, origin, words, differs=differs, gate=gate, warns=warns)


def _custom(rule: Map, name: str | None, origin: str, draft: Draft) -> None:
    engine = str(rule.get("engine"))
    implementation = rule.get("implementation")
    if "expectation" not in engine.lower() or not isinstance(implementation, Map):
        raise UnsupportedRuleError(f"checks of {engine} are not read")
    kind = implementation.get("type") or implementation.get("expectation_type")
    kwargs = implementation.get("kwargs")
    arguments = kwargs if isinstance(kwargs, Map) else implementation
    column = text_of(arguments.get("column")) or name
    for text, differs in rules_of(Expectation(str(kind), column, arguments, sql=False), draft):
        draft.rule(text, origin, (column or "rows", str(kind)), differs=differs)
