"""Conditions in SQL, translated into the language of rules by walking the tree of sqlglot."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from candling.imports.draft import Columns, UnsupportedRuleError, literal
from candling.records import dataclass
from candling.rules import ColumnType
from candling.rules.printer import quote_text
from candling.rules.types import KINDS

_LONGEST = 200_000  # characters; a longer rule is refused anyway
_WHOLE = ("snowflake",)  # dialects whose regular expressions match the whole text
_LIKE_IGNORES_CASE = ("mysql", "sqlite")
_INTEGER_DIVISION = "the original divides whole numbers without a remainder; "
"here, division is exact"
_DAY_BOUNDARIES = "the original rounds timestamps down to days first"
# The parts of a node that are looked at; with any other the meaning may be another.
_PARTS = {
    "Between": ("this", "low", "high", "negate"),
    "Cast": ("this", "to"),
    "Column": ("this", "table", "db", "catalog"),
    "DateDiff": ("this", "expression", "unit", "date_part_boundary"),
    "Div": ("this", "expression", "typed", "safe"),
    "In": ("this", "expressions", "query", "unnest", "field", "negate"),
    "Interval": ("this", "unit"),
    "Is": ("this", "expression", "negate"),
    "Like": ("this", "expression", "negate"),
    "Literal": ("this", "is_string"),
    "RegexpLike": ("this", "expression", "flag", "full_match", "negate"),
    **dict.fromkeys(("And", "Or", "Not", "Paren", "Abs", "Length"), ("this", "expression")),
    **dict.fromkeys(("EQ", "NEQ", "LT", "LTE", "GT", "GTE"), ("this", "expression")),
    **dict.fromkeys(("NullSafeEQ", "NullSafeNEQ"), ("this", "expression")),
    **dict.fromkeys(("Add", "Sub", "Mul", "Mod"), ("this", "expression")),
}
_DAYS = {"DAY": 1, "DAYS": 1, "D": 1, "WEEK": 7, "WEEKS": 7}


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition in the language of rules."""

    text: str
    simple: bool  # one comparison, which needs no brackets
    differs: str | None = None

    @property
    def rule(self) -> str:
        """The condition as a rule."""
        return self.text if self.simple else f"check ({self.text})"

    @property
    def negated(self) -> str:
        """That it is never true, as a rule."""
        return f"check (not ({self.text}))"


def condition(text: str, columns: Columns, dialect: str | None = None) -> Condition:
    """The condition that a text in SQL writes down; CannotSayError if rules have no words for it.

    Inside of dbt, `{{ column_name }}` must be replaced before.
    """
    if "{{" in text or "{%" in text:
        raise UnsupportedRuleError("Jinja is not evaluated here")
    if len(text) > _LONGEST:
        raise UnsupportedRuleError(f"it has more than {_LONGEST:,} characters")
    return of_tree(parse_sql(text, dialect), columns, dialect)


def parse_sql(text: str, dialect: str | None) -> Any:
    """The tree of an expression in SQL."""
    with quiet():
        try:
            return sqlglot.condition(text, dialect=dialect)
        except (SqlglotError, RecursionError, ValueError):
            said = f"as {dialect}" if dialect else "as SQL; try --dialect"
            raise UnsupportedRuleError(f"{_short(text)} cannot be read {said}") from None


def of_tree(tree: Any, columns: Columns, dialect: str | None = None) -> Condition:
    """The same, of a tree that is parsed already."""
    walker = _Walker(columns, dialect)
    try:
        bare = _bare(tree)
        text = walker.boolean(bare)
    except RecursionError:
        raise UnsupportedRuleError("its brackets are nested too deeply") from None
    return Condition(text, _is_simple(bare), walker.differs)


def value(text: str, column: str, columns: Columns, dialect: str | None = None) -> str:
    """A value in SQL that is compared with a column: a literal, another column, a sum."""
    if "{{" in text or "{%" in text:
        raise UnsupportedRuleError("Jinja is not evaluated here")
    beside = exp.column(exp.to_identifier(column, quoted=True))
    return _Walker(columns, dialect).value(_bare(parse_sql(text, dialect)), beside=beside)


@dataclass(frozen=True, slots=True)
class Query:
    """A query over the rows of the table itself that meet a condition, or over all."""

    counts: bool  # it gives their number, not the rows
    where: Condition | None


def query(text: str, tables: Collection[str], columns: Columns, dialect: str | None) -> Query:
    """`SELECT count(*) FROM this WHERE condition`, or the rows themselves; CannotSayError else."""
    with quiet():
        try:
            tree = sqlglot.parse_one(text, read=dialect)
        except (SqlglotError, RecursionError, ValueError):
            raise UnsupportedRuleError("its query cannot be read; try --dialect") from None
    clauses = {key for key, part in tree.args.items() if part}
    sources = list(tree.find_all(exp.Table))
    more = UnsupportedRuleError("its query does more than select rows that meet a condition")
    if not isinstance(tree, exp.Select) or not clauses <= {"expressions", "from", "from_", "where"}:
        raise more
    if len(sources) != 1 or sources[0].name.lower() not in {name.lower() for name in tables}:
        raise more
    shown = [part.unalias() for part in tree.expressions]
    counts = len(shown) == 1 and isinstance(shown[0], exp.Count)
    if counts and not isinstance(shown[0].this, exp.Star | exp.Literal):
        raise more
    if not counts and any(part.find(exp.AggFunc) for part in shown):
        raise more
    where = tree.args.get("where")
    return Query(counts, None if where is None else of_tree(where.this, columns, dialect))


@contextmanager
def quiet() -> Iterator[None]:
    """Keep sqlglot's remarks about syntax from the terminal: what is not understood is listed."""
    logger = logging.getLogger("sqlglot")
    disabled, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = disabled


def _short(text: str) -> str:
    text = " ".join(text.split())
    return repr(text if len(text) <= 60 else f"{text[:59]}…")


def _check_parts(node: Any) -> None:
    """Raise for a node with a part that is not looked at."""
    known = _PARTS.get(type(node).__name__)
    extra = [key for key, part in node.args.items() if part and known and key not in known]
    if extra:
        raise UnsupportedRuleError(f"rules do not support {_name(node)} with {extra[0].upper()}")


def _bare(node: Any) -> Any:
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def _is_simple(node: Any) -> bool:
    if isinstance(node, exp.Not):
        node = _bare(node.this)
        return isinstance(node, exp.Is | exp.In | exp.Between | exp.Like | exp.RegexpLike)
    if isinstance(node, exp.Is):
        return isinstance(node.expression, exp.Null)
    return not isinstance(
        node, exp.And | exp.Or | exp.Not | exp.NullSafeEQ | exp.NullSafeNEQ | exp.Column
    )


class _Walker:
    """Writes a tree; remembers where the meaning changes a little."""

    def __init__(self, columns: Columns, dialect: str | None) -> None:
        self.columns = columns
        self.dialect = dialect
        self.differs: str | None = None
        self._comparisons = {
            exp.EQ: "=",
            exp.NEQ: "!=",
            exp.LT: "<",
            exp.LTE: "<=",
            exp.GT: ">",
            exp.GTE: ">=",
        }
        self._arithmetic = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%"}

    def boolean(self, node: Any) -> str:
        """Something that is true or false."""
        _check_parts(node)
        if isinstance(node, exp.Paren):
            return f"({self.boolean(node.this)})"
        if isinstance(node, exp.And | exp.Or):
            return self._chain(node)
        if isinstance(node, exp.Not):
            return self._not(_bare(node.this))
        if isinstance(node, exp.Is):
            return self._is(node)
        if isinstance(node, exp.Column):
            return f"{self._column(node)} = true"
        if type(node) in self._comparisons:
            return self._comparison(node)
        return self._test(node)

    def _chain(self, node: Any) -> str:
        """Many conditions beside each other, without one call inside another for each."""
        kind = type(node)
        parts: list[str] = []
        rest = [node]
        while rest:
            part = rest.pop()
            if isinstance(part, kind):
                rest += [part.expression, part.this]
            else:
                text = self.boolean(part)
                parts.append(f"({text})" if isinstance(part, exp.Or | exp.And) else text)
        return (" and " if kind is exp.And else " or ").join(parts)

    def _test(self, node: Any, *, negated: bool = False) -> str:
        """`in`, `between`, `like` and `matches`, or the opposite."""
        no = "not " if negated != bool(node.args.get("negate")) else ""
        if isinstance(node, exp.In):
            return self._in(node, no)
        if isinstance(node, exp.Between):
            column = _bare(node.this)
            low, high = (self.value(node.args[end], beside=column) for end in ("low", "high"))
            return f"{self.value(column)} {no}between {low} and {high}"
        if isinstance(node, exp.Like):
            if self.dialect in _LIKE_IGNORES_CASE:
                self.differs = "there, LIKE ignores case"
            return f"{self.value(node.this)} {no}like {self._pattern(node.expression)}"
        if isinstance(node, exp.RegexpLike):
            return self._matches(node, no)
        if isinstance(node, exp.NullSafeEQ | exp.NullSafeNEQ):
            same = self._same(node)
            return f"({same})" if isinstance(node, exp.NullSafeEQ) else f"not ({same})"
        raise UnsupportedRuleError(f"rules do not support {_name(node)}")

    def _same(self, node: Any) -> str:
        """Equality for which NULL equals NULL and nothing else."""
        left, right = self._sides(node)
        for constant, other in ((node.this, right), (node.expression, left)):
            if _constant(constant) is not None:
                return f"{other} is not null and {left} = {right}"
        return (
            f"({left} is null and {right} is null) or "
            f"({left} is not null and {right} is not null and {left} = {right})"
        )

    def _not(self, node: Any) -> str:
        _check_parts(node)
        if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
            return self._is(node, negated=True)
        if isinstance(node, exp.In | exp.Between | exp.Like | exp.RegexpLike):
            return self._test(node, negated=True)
        return f"not ({self.boolean(node)})"

    def _is(self, node: Any, *, negated: bool = False) -> str:
        subject, what = self.value(node.this), node.expression
        negated = negated != bool(node.args.get("negate"))
        if isinstance(what, exp.Not) and isinstance(what.this, exp.Null):
            negated, what = not negated, what.this
        if isinstance(what, exp.Null):
            return f"{subject} is {'not ' if negated else ''}null"
        if isinstance(what, exp.Boolean):
            said = f"({subject} is not null and {subject} = {str(what.this).lower()})"
            return f"not {said}" if negated else said
        raise UnsupportedRuleError("rules support IS only with NULL, TRUE and FALSE")

    def _in(self, node: Any, no: str) -> str:
        if any(node.args.get(part) is not None for part in ("query", "unnest", "field")):
            raise UnsupportedRuleError("it looks into another table")
        return self._write_list(node.this, node.expressions, no)

    def _write_list(self, subject: Any, values: list[Any], no: str) -> str:
        subject = _bare(subject)
        texts = [self.value(value, beside=subject) for value in values]
        if not texts:
            raise UnsupportedRuleError("its list of values is empty")
        return f"{self.value(subject)} {no}in ({', '.join(texts)})"

    def _comparison(self, node: Any) -> str:
        right = _bare(node.expression)
        values = _members(right, type(node))
        if values is not None:
            return self._write_list(node.this, values, "" if isinstance(node, exp.EQ) else "not ")
        ordered = not isinstance(node, exp.EQ | exp.NEQ)
        left_text, right_text = self._sides(node, ordered=ordered)
        return f"{left_text} {self._comparisons[type(node)]} {right_text}"

    def _sides(self, node: Any, *, ordered: bool = False) -> tuple[str, str]:
        left, right = _bare(node.this), _bare(node.expression)
        if isinstance(left, exp.Literal) and isinstance(right, exp.Literal):
            raise UnsupportedRuleError("it compares two literals")
        return (
            self.value(left, beside=right, ordered=ordered),
            self.value(right, beside=left, ordered=ordered),
        )

    def value(self, node: Any, *, beside: Any = None, ordered: bool = True) -> str:
        """A number, a text, a moment: what is compared. `beside` is what it is compared with."""
        _check_parts(node)
        if isinstance(node, exp.Paren):
            inner = self.value(node.this, beside=beside, ordered=ordered)
            return inner if isinstance(_bare(node), exp.Column | exp.Literal) else f"({inner})"
        if isinstance(node, exp.Column):
            return self._column(node)
        if type(node) in self._arithmetic:
            return self._calculation(node)
        if isinstance(node, exp.Cast):
            return self._cast(node)
        if isinstance(node, exp.Abs | exp.Length):
            return f"{type(node).__name__.lower()}({self.value(node.this)})"
        if isinstance(node, exp.DateDiff):
            return self._days_between(node)
        constant = _constant(node)
        if constant is not None:
            return literal(constant, self._type(beside), ordered=ordered)
        if isinstance(node, exp.Neg):
            return f"(0 - {self.value(node.this)})"
        raise UnsupportedRuleError(f"rules do not support {_name(node)}")

    def _type(self, node: Any) -> ColumnType | None:
        node = _bare(node)
        if isinstance(node, exp.Column):
            return self.columns.type(_column_name(node))
        if isinstance(node, exp.Cast):
            return _type_of(node)
        if isinstance(node, exp.Length):
            return ColumnType.NUMBER
        return None

    def _column(self, node: Any) -> str:
        return self.columns.text(_column_name(node))

    def _calculation(self, node: Any) -> str:
        sign = self._arithmetic[type(node)]
        if isinstance(node, exp.Div) and node.args.get("typed"):
            self.differs = _INTEGER_DIVISION
        right = _bare(node.expression)
        if isinstance(right, exp.Interval):
            return f"{self.value(node.this)} {sign} {_days(right)}"
        if isinstance(node, exp.Mod) and not isinstance(right, exp.Column | exp.Literal):
            return f"{self.value(node.this)} {sign} ({self.value(right)})"
        return f"{self.value(node.this)} {sign} {self.value(node.expression)}"

    def _cast(self, node: Any) -> str:
        inner, kind = _bare(node.this), _type_of(node)
        constant = _constant(inner)
        if constant is not None and kind is not None:
            return literal(constant, kind)
        if kind is not None and self._type(inner) is kind and _keeps_values(node, kind):
            return self.value(inner)  # as PostgreSQL writes conditions back: (status)::text
        raise UnsupportedRuleError("rules cannot cast values to other types")

    def _days_between(self, node: Any) -> str:
        unit = str(node.args.get("unit") or "DAY").upper()
        if unit not in ("DAY", "DAYS"):
            raise UnsupportedRuleError(f"rules count differences in days, not in {unit.lower()}s")
        sides = (_bare(node.this), _bare(node.expression))
        if not all(isinstance(s, exp.Column) and self._type(s) is ColumnType.DATE for s in sides):
            self.differs = _DAY_BOUNDARIES
        return f"({self.value(node.this)} - {self.value(node.expression)})"

    def _matches(self, node: Any, no: str) -> str:
        if node.args.get("flag") is not None:
            raise UnsupportedRuleError("patterns in rules have no flags")
        pattern = _constant(node.expression)
        if not isinstance(pattern, str):
            raise UnsupportedRuleError("its pattern is computed")
        if node.args.get("full_match") or self.dialect in _WHOLE:
            pattern = f"^(?:{pattern})$"
        subject = _bare(node.this)
        return f"{self.value(subject)} {no}matches {_quote_text(pattern)}"

    def _pattern(self, node: Any) -> str:
        if isinstance(node, exp.Literal) and node.is_string:
            if "\\" in node.this:
                raise UnsupportedRuleError("databases differ on what \\ means in LIKE")
            return _quote_text(str(node.this))
        raise UnsupportedRuleError("its pattern is computed")


def _members(node: Any, comparison: type) -> list[Any] | None:
    """The values of `= ANY (ARRAY[...])` and `<> ALL (ARRAY[...])`: PostgreSQL's way to say IN."""
    every = isinstance(node, exp.All) or (
        isinstance(node, exp.Anonymous) and node.name.lower() == "all" and node.expressions
    )
    if comparison is not (exp.NEQ if every else exp.EQ):
        return None
    if not every and not isinstance(node, exp.Any):
        return None
    values = _bare(node.expressions[0] if isinstance(node, exp.Anonymous) else node.this)
    while isinstance(values, exp.Cast):
        values = _bare(values.this)
    return values.expressions if isinstance(values, exp.Array | exp.Tuple) else None


def _quote_text(text: str) -> str:
    return quote_text(text, "'")


def _column_name(node: Any) -> str:
    name = node.name
    if not name or name == "*":
        raise UnsupportedRuleError("it does not name its columns")
    return str(name)


def _constant(node: Any) -> Any:
    """The value of a literal, None for everything else."""
    node = _bare(node)
    if isinstance(node, exp.Neg):
        inner = _constant(node.this)
        return -inner if isinstance(inner, int | float) or _is_decimal(inner) else None
    if isinstance(node, exp.Boolean):
        return bool(node.this)
    if isinstance(node, exp.Date) and isinstance(node.this, exp.Literal):
        return node.this.this
    if isinstance(node, exp.Cast) and isinstance(_bare(node.this), exp.Literal):
        return _constant(node.this)
    if isinstance(node, exp.RawString):
        return str(node.this)
    if not isinstance(node, exp.Literal):
        return None
    if node.is_string:
        return str(node.this)
    from decimal import Decimal, InvalidOperation

    try:
        return Decimal(str(node.this))
    except InvalidOperation:
        return None


def _is_decimal(value: Any) -> bool:
    from decimal import Decimal

    return isinstance(value, Decimal)


def _type_of(cast: Any) -> ColumnType | None:
    from candling.imports.draft import find_type

    kind = find_type(cast.args["to"].sql())
    return None if kind is None else KINDS[kind.kind]


def _keeps_values(cast: Any, kind: ColumnType) -> bool:
    """Whether a cast within a type changes no value: none is rounded or cut."""
    name = cast.args["to"].sql().lower()
    if "(" in name:
        return False
    return kind is not ColumnType.NUMBER or name in ("decimal", "numeric", "double")


def _days(interval: Any) -> str:
    amount, unit = _constant(interval.this), str(interval.args.get("unit") or "").upper()
    if isinstance(amount, str):
        first, _, rest = amount.partition(" ")
        amount, unit = first, unit or rest.strip().upper()
    if amount is None or unit not in _DAYS:
        raise UnsupportedRuleError("rules use numbers of days, not intervals")
    number = literal(amount, ColumnType.NUMBER)
    return number if _DAYS[unit] == 1 else f"{number} * {_DAYS[unit]}"


_NAMES = {
    "Anonymous": "a function of the database",
    "Case": "CASE",
    "Coalesce": "coalesce()",
    "CurrentDate": "the current date",
    "CurrentTimestamp": "the current time",
    "Exists": "a subquery",
    "ILike": "ILIKE, which ignores case",
    "Null": "a comparison with NULL",
    "RegexpILike": "a pattern that ignores case",
    "Subquery": "a subquery",
    "Select": "a subquery",
}


def _name(node: Any) -> str:
    kind = type(node).__name__
    if kind == "Anonymous" and node.name:
        return f"{str(node.name).lower()}()"
    return _NAMES.get(kind, kind.upper())
