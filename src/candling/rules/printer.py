"""Print constraints: in the canonical syntax, which parses back, or as HTML for a notebook."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from html import escape
from typing import TYPE_CHECKING

from candling.escaping import for_html
from candling.rules.canonical import Kind, Shape
from candling.rules.conditions import (
    And,
    Call,
    Comparison,
    Condition,
    InList,
    IsNull,
    Matches,
    Not,
    Or,
    Term,
    of_predicate,
    opposite,
)
from candling.rules.constraint import CONDITION, Column, Constant, Constraint, Op, Predicate

if TYPE_CHECKING:
    from candling.rules.constraint import ConstraintSet

# The same letters as NAME in grammar.lark.
_MORE = r"[^\x00-\u02ff\u2000-\u2bff\u2ff0-\u303f\ud800-\uf8ff\ufe00-\uffff\U000f0000-\U0010ffff]"
_LETTER = rf"(?:[^\W\d]|(?![^\W\d]|\s){_MORE})"
_FURTHER = rf"(?:\w|(?!\w|\s){_MORE})"
LETTERS = rf"{_LETTER}(?:-?{_FURTHER})*"  # a name that needs no quotes
_NAME = re.compile(LETTERS)
_LABEL = re.compile(r"\w[\w.-]*")
_RESERVED = {"and", "false", "not", "null", "or", "true", "where"}
_TIGHTNESS = {"+": 1, "-": 1, "*": 2, "/": 2, "%": 2}  # of signs between two terms


def to_text(constraint: Constraint) -> str:
    """The constraint as one line, as short as its kind allows; parses back to `canonical` of it.

    >>> from candling.rules import parse_constraints
    >>> (rule,) = parse_constraints("¬(t0.City ≠ t1.City ∧ t0.Zip = t1.Zip)")
    >>> to_text(rule)
    'Zip -> City'
    """
    text = to_text_without_label(constraint)
    if constraint.states_type:
        return text  # which has no label in a rules file
    return text if constraint.label is None else f"{label_text(constraint.label)}: {text}"


def to_text_without_label(constraint: Constraint) -> str:
    """The same without the label, which changes nothing in what the constraint forbids."""
    canonical = constraint.canonical
    if constraint.states_type:
        return constraint.predicates[0].left.name.removeprefix(CONDITION)
    if constraint.counts_columns:  # which only not(...) can do
        return _denial(canonical.predicates)
    return _short(constraint.shape) or _of_one_row(canonical) or _denial(canonical.predicates)


def predicate_text(predicate: Predicate, *, rows: bool = True) -> str:
    """One comparison; without `rows`, columns stand alone as after `where`."""
    if (condition := predicate.left.condition) is not None:
        text = condition_text(condition, row=predicate.left.row if rows else None)
        return f"({text})" if isinstance(condition, Or) else text
    left, right = (operand_text(side, rows=rows) for side in (predicate.left, predicate.right))
    return f"{left} {predicate.op} {right}"


def operand_text(operand: Column | Constant, *, rows: bool = True) -> str:
    """A column or a constant as a rule writes it."""
    if isinstance(operand, Column):
        name = name_text(operand.name) if operand.position is None else str(operand.position)
        return f"t{operand.row}.{name}" if rows or operand.position is not None else name
    value = operand.value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return quote_text(value, "'")
    return value.isoformat() if isinstance(value, date) else str(value)


def name_text(name: str) -> str:
    """A column name, in double quotes where it needs them."""
    bare = _NAME.fullmatch(name) and name.isprintable() and name.lower() not in _RESERVED
    return name if bare else quote_text(name, '"')


def label_text(label: str) -> str:
    """A label, in double quotes where it needs them."""
    return label if _LABEL.fullmatch(label) and label.isprintable() else quote_text(label, '"')


def quote_text(text: str, quote: str) -> str:
    """Text in quotes, on one line: what cannot be printed is escaped as SQL does."""
    doubled = text.replace(quote, quote * 2)
    if text.isprintable():
        return f"{quote}{doubled}{quote}"
    return f"U&{quote}{''.join(map(_escape, doubled))}{quote}"


def _escape(character: str) -> str:
    if character == "\\":
        return r"\\"
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\{code:04X}" if code <= 0xFFFF else f"\\+{code:06X}"


# Conditions


def condition_text(condition: Condition, *, row: int | None = None) -> str:
    """A condition as a rule writes it; its columns are those of a row, if one is named."""
    match condition:
        case Comparison():
            left, right = (term_text(term, row=row) for term in (condition.left, condition.right))
            return f"{left} {condition.op} {right}"
        case And() | Or():
            return _joined_text(condition, row)
        case Not():
            return _leaf_text(condition.part, " not", row)
    return _leaf_text(condition, "", row)


def _leaf_text(condition: Condition, negation: str, row: int | None) -> str:
    match condition:
        case IsNull():
            return f"{term_text(condition.column, row=row)} is{negation} null"
        case InList():
            values = ", ".join(map(operand_text, condition.values))
            choice = condition.file or f"({values})"
            return f"{term_text(condition.column, row=row)}{negation} in {choice}"
        case Matches():
            pattern = quote_text(condition.pattern.text, "'")
            return f"{term_text(condition.column, row=row)}{negation} matches {pattern}"
    return f"{negation.strip()} ({condition_text(condition, row=row)})"


def _joined_text(condition: And | Or, row: int | None) -> str:
    if isinstance(condition, And) and (span := _span(condition)) is not None:
        term, low, high = (term_text(term, row=row) for term in span)
        return f"{term} between {low} and {high}"
    if isinstance(condition, Or) and (span := _span(opposite(condition))) is not None:
        term, low, high = (term_text(term, row=row) for term in span)
        return f"{term} not between {low} and {high}"
    word = " and " if isinstance(condition, And) else " or "
    return word.join(
        f"({condition_text(part, row=row)})"
        if isinstance(part, And | Or) and _span(part) is None
        else condition_text(part, row=row)
        for part in condition.parts
    )


def _span(condition: Condition) -> tuple[Term, Term, Term] | None:
    """The term and the ends of `between`, if the condition is one with constants as its ends."""
    parts = condition.parts if isinstance(condition, And) else ()
    if len(parts) != 2 or not all(isinstance(part, Comparison) for part in parts):
        return None
    ends = {part.op: part for part in parts if isinstance(part, Comparison)}
    low, high = ends.get(Op.GE), ends.get(Op.LE)
    if low is None or high is None or low.left != high.left:
        return None
    if isinstance(low.right, Constant) and isinstance(high.right, Constant):
        return low.left, low.right, high.right
    return None


def term_text(term: Term, *, row: int | None = None) -> str:
    """A term as a rule writes it."""
    match term:
        case Column():
            of_row = Column(2 if row == 2 else 1, term.name, position=term.position)
            return operand_text(of_row, rows=row is not None)
        case Constant():
            return operand_text(term)
        case Call("abs" | "length"):
            (inner,) = term.terms
            return f"{term.function}({term_text(inner, row=row)})"
    left, right = term.terms
    tightness = _TIGHTNESS[term.function]
    before = _inner_text(left, tightness, row)
    after = _inner_text(right, tightness + 1, row)
    return f"{before} {term.function} {after}"


def _inner_text(term: Term, tightness: int, row: int | None) -> str:
    text = term_text(term, row=row)
    loose = isinstance(term, Call) and _TIGHTNESS.get(term.function, 3) < tightness
    return f"({text})" if loose else text


# Rules


def _of_one_row(canonical: Constraint) -> str | None:
    """What holds in every row, where that is a shorter thing to say than what holds in none."""
    predicates = canonical.predicates
    if canonical.rows == 2:
        return None
    if len(predicates) > 1 and all(p.left.condition is None for p in predicates):
        return None
    conditions = tuple(map(of_predicate, predicates))
    whole = opposite(conditions[0] if len(conditions) == 1 else And(conditions))
    text = condition_text(whole)
    return f"check ({text})" if isinstance(whole, Or) else text


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


_HEADS = ("line", "label", "kind", "rule")
_MOST = 200  # rules that are listed
_LONGEST = 300  # characters of one


def rules_cell(rules: ConstraintSet) -> str:
    """Each rule with its line, its label and its kind."""
    heads = "".join(f'<th scope="col" style="text-align:left">{head}</th>' for head in _HEADS)
    lines = []
    for rule in rules.constraints[:_MOST]:
        form = rule.shape
        kind = f"conditional {form.kind}" if form.where else str(form.kind)
        text = str(replace(rule, label=None))
        shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
        cells = (str(rule.line or ""), rule.label or "", kind)
        row = "".join(f'<td style="text-align:left">{_safe(cell)}</td>' for cell in cells)
        code = f'<td style="text-align:left"><code>{_safe(shown)}</code></td>'
        lines.append(f"<tr>{row}{code}</tr>")
    more = len(rules) - len(lines)
    left_out = f"<p>and {more:,} more</p>" if more else ""
    place = "" if rules.source == "rules" else f" of {_safe(rules.source)}"  # a text has no file
    number = f"{len(rules):,} rule{'' if len(rules) == 1 else 's'}{place}"
    return (
        f"<p><strong>{number}</strong></p><table><thead><tr>{heads}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table>{left_out}"
    )


def _safe(text: str) -> str:
    return f"<bdi>{escape(for_html(text))}</bdi>"
