"""Prints constraints in the canonical syntax, which parses back to the same thing."""

from __future__ import annotations

import re
from datetime import date

from candling.rules.canonical import Kind, Shape
from candling.rules.model import Column, Constant, Constraint, Predicate

# The same letters as NAME in grammar.lark.
_MORE = r"[^\x00-\u02ff\u2000-\u2bff\u2ff0-\u303f\ud800-\uf8ff\ufe00-\uffff\U000f0000-\U0010ffff]"
_LETTER = rf"(?:[^\W\d]|(?![^\W\d]|\s){_MORE})"
_FURTHER = rf"(?:\w|(?!\w|\s){_MORE})"
_NAME = re.compile(rf"{_LETTER}(?:-?{_FURTHER})*")
_LABEL = re.compile(r"\w[\w.-]*")
_RESERVED = {"and", "false", "not", "true", "where"}


def to_text(constraint: Constraint) -> str:
    """The constraint as one line, an FD or a key if it is one; parses back to `canonical` of it.

    >>> from candling.rules import parse_constraints
    >>> (rule,) = parse_constraints("¬(t0.City ≠ t1.City ∧ t0.Zip = t1.Zip)")
    >>> to_text(rule)
    'Zip -> City'
    """
    text = _short(constraint.shape) or _denial(constraint.canonical.predicates)
    if constraint.label is None:
        return text
    return f"{label_text(constraint.label)}: {text}"


def predicate_text(predicate: Predicate, *, rows: bool = True) -> str:
    """One comparison; without `rows`, columns stand alone as after `where`."""
    left, right = (operand_text(side, rows=rows) for side in (predicate.left, predicate.right))
    return f"{left} {predicate.op} {right}"


def operand_text(operand: Column | Constant, *, rows: bool = True) -> str:
    """A column or a constant as a rule writes it."""
    if isinstance(operand, Column):
        name = name_text(operand.name)
        return f"t{operand.row}.{name}" if rows else name
    value = operand.value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return quoted(value, "'")
    return value.isoformat() if isinstance(value, date) else str(value)


def name_text(name: str) -> str:
    """A column name, in double quotes where it needs them."""
    bare = _NAME.fullmatch(name) and name.isprintable() and name.lower() not in _RESERVED
    return name if bare else quoted(name, '"')


def label_text(label: str) -> str:
    """A label, in double quotes where it needs them."""
    return label if _LABEL.fullmatch(label) and label.isprintable() else quoted(label, '"')


def quoted(text: str, quote: str) -> str:
    """Text in quotes, on one line: what cannot be printed is escaped as SQL does."""
    doubled = text.replace(quote, quote * 2)
    if text.isprintable():
        return f"{quote}{doubled}{quote}"
    return f"U&{quote}{''.join(map(_escaped, doubled))}{quote}"


def _escaped(character: str) -> str:
    if character == "\\":
        return r"\\"
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\{code:04X}" if code <= 0xFFFF else f"\\+{code:06X}"


def _short(form: Shape) -> str | None:
    columns = ", ".join(map(name_text, form.equal))
    if form.kind is Kind.KEY:
        text = f"key({columns})"
    elif form.kind is Kind.FD and form.equal and form.differ is not None:
        text = f"{columns} -> {name_text(form.differ)}"
    else:
        return None
    if not form.where:
        return text
    return f"{text} where {' and '.join(predicate_text(p, rows=False) for p in form.where)}"


def _denial(predicates: tuple[Predicate, ...]) -> str:
    return f"not({' and '.join(map(predicate_text, predicates))})"
