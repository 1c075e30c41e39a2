"""What an import gives: rules with their columns, labels and origins, and what is left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import field, replace
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from candling.escaping import for_terminal
from candling.reading import StatedType
from candling.records import dataclass
from candling.rules import ColumnType
from candling.rules.printer import label_text, name_text, quote_text
from candling.rules.types import KINDS
from candling.tables.engine import groups_of

if TYPE_CHECKING:
    from candling.rules import ConstraintSet


@dataclass(frozen=True, slots=True)
class ImportedRule:
    """One rule, and the test or constraint that it was."""

    label: str
    rule: str
    origin: str  # "schema.yml:14 orders.status accepted_values"
    differs: str | None = None  # where its meaning is not exactly that of the original
    gate: str | None = None  # `LABEL/rows > 5%`, where the original lets some rows break it
    warns: bool = False  # the original only warns

    def __str__(self) -> str:
        return f"{label_text(self.label)}: {self.rule}"


@dataclass(frozen=True, slots=True)
class ImportedGate:
    """A condition on the whole table, such as its number of rows."""

    gate: str
    origin: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What the rules cannot say, and why."""

    origin: str
    reason: str


@dataclass(frozen=True, slots=True)
class Imported:
    """The rules of one table, read from a file or an object of another tool.

    `print` shows the text of the rules file; `constraints` are the rules themselves.
    """

    source: str
    table: str | None
    types: Mapping[str, StatedType]  # of columns that have none of their own in the table
    rules: tuple[ImportedRule, ...]
    gates: tuple[ImportedGate, ...]
    left_out: tuple[LeftOut, ...]
    _lists: tuple[tuple[str, str], ...] = field(default=(), repr=False)  # as written, and from here

    def __str__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """A rules file: types, every rule below its origin, the gates and what was left out."""
        return "\n".join(self._lines()) + "\n"

    @property
    def constraints(self) -> ConstraintSet:
        """The rules, ready for `candling.release` and `candling.exact`."""
        from candling.rules import parse_constraints

        return parse_constraints(rebase_lists(self.text, self._lists), source=self.source)

    @property
    def fail_if(self) -> tuple[str, ...]:
        """Every gate, as --fail-if takes it."""
        of_rules = (rule.gate for rule in self.rules if rule.gate is not None)
        return (*(gate.gate for gate in self.gates), *of_rules)

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        return {
            "source": self.source,
            "table": self.table,
            "types": {name: str(kind) for name, kind in self.types.items()},
            "rules": [
                {
                    "label": r.label,
                    "rule": r.rule,
                    "origin": r.origin,
                    "differs": r.differs,
                    "gate": r.gate,
                    "warns": r.warns,
                }
                for r in self.rules
            ],
            "gates": [{"gate": g.gate, "origin": g.origin} for g in self.gates],
            "left_out": [{"origin": x.origin, "reason": x.reason} for x in self.left_out],
        }

    def _lines(self) -> Iterator[str]:
        of = "" if self.table is None else f" of {_escape(self.table)}"
        yield f"# Rules{of}, imported from {_escape(self.source)}"
        if self.types:
            yield ""
            yield "# Types of columns, for CSV and other formats without types"
            yield from type_lines(self.types)
        for rule in self.rules:
            yield ""
            yield f"# {_escape(rule.origin)}"
            if rule.differs is not None:
                yield f"#   differs: {_escape(rule.differs)}"
            if rule.gate is not None:
                yield f"#   gate: --fail-if {_escape(quoted_gate(rule.gate))}"
            if rule.warns:
                yield "#   the original only warns: leave it out of your gates"
            yield str(rule)
        if self.gates:
            yield ""
            yield "# Gates on the whole table:"
            for gate in self.gates:
                yield f"#   --fail-if {_escape(quoted_gate(gate.gate))}  ({_escape(gate.origin)})"
        if self.left_out:
            yield ""
            yield "# Could not be translated:"
            for left in self.left_out:
                yield f"#   {_escape(left.origin)}: {_escape(left.reason)}"


def type_lines(types: Mapping[str, StatedType]) -> Iterator[str]:
    """Lines of a rules file that state types, each for as many columns as fit."""
    names: dict[StatedType, list[str]] = {}
    for name, kind in types.items():
        names.setdefault(kind, []).append(name_text(name))
    for kind, listed in names.items():
        line = ""
        for name in listed:
            if line and len(line) + len(name) > _LONGEST_LINE:
                yield f"type {line}: {kind}"
                line = ""
            line += f", {name}" if line else name
        yield f"type {line}: {kind}"


def rebase_lists(text: str, lists: Iterable[tuple[str, str]]) -> str:
    """Rules whose public lists are named from the working directory, not from the rules file."""
    for written, path in lists:
        text = text.replace(list_text(written), list_text(path))
    return text


def list_text(path: str) -> str:
    """How a rule begins to name a public list."""
    return f" in file({quote_text(path, chr(39))}"


def quoted_gate(gate: str) -> str:
    """A gate as it is written on a command line."""
    return f'"{gate}"'


def _escape(text: str) -> str:
    """Text of somebody else's on one line of a comment."""
    return for_terminal(" ".join(text.split()))


_TRUE, _FALSE = {"true", "t", "yes", "1"}, {"false", "f", "no", "0"}
_MOST_DIGITS = 38  # as SQL's decimals
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?")
_DECIMALS = ("decimal", "numeric", "number", "fixed")  # which may state their digits
_NAMES: dict[str, tuple[str, ...]] = {
    "integer": (
        *("int", "integer", "bigint", "smallint", "tinyint", "mediumint", "hugeint"),
        *("uint", "ubigint", "usmallint", "utinyint", "umediumint"),
        *("serial", "bigserial", "long", "short", "byte", "byteint"),
    ),
    "number": (
        *("float", "double", "double precision", "real", "money", "bignumeric"),
        *_DECIMALS,
    ),
    "text": (
        *("string", "varchar", "char", "text", "str", "character", "nvarchar", "nchar", "uuid"),
        *("enum", "clob", "object", "bpchar", "citext", "character varying", "category"),
    ),
    "boolean": ("bool", "boolean"),
    "date": ("date",),
    "timestamp": (
        *("datetime", "timestamp", "timestamptz", "timestamp_ntz", "timestamp_ltz"),
        *("timestampntz", "timestampltz"),
    ),
}
_TYPES = {name: StatedType(kind) for kind, names in _NAMES.items() for name in names}
_ISO = {
    "%Y-%m-%d": "date",
    "%Y-%m-%d %H:%M:%S": "timestamp",
    "%Y-%m-%dT%H:%M:%S": "timestamp",
}
_SIZED = re.compile(r"(\w+)\s*\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)")


class UnsupportedRuleError(Exception):
    """Why something cannot be said as a rule, in words that follow a colon."""


def find_type(name: object) -> StatedType | None:
    """The type behind a name of SQL, pandas or a contract; None if it says nothing to us."""
    if not isinstance(name, str):
        return None
    written = name.strip().lower()
    sized = _SIZED.fullmatch(written)
    if sized is not None and sized[1] in _DECIMALS:
        precision, scale = int(sized[2]), int(sized[3] or 0)
        if 1 <= precision <= _MOST_DIGITS and scale <= precision:
            return StatedType("decimal", precision, scale)
    word = re.sub(r"[(\[<].*", "", written)
    return _TYPES.get(word.strip()) or _TYPES.get(re.sub(r"[\d_ ].*$", "", word).strip())


def find_moment(written: str | None) -> StatedType | None:
    """The type of dates, or of moments, in a form such as `%d/%m/%Y`; None if it is not known."""
    if written is None:
        return None
    if written in _ISO:
        return StatedType(_ISO[written])
    found = groups_of(written)
    if found is None:
        return None
    return StatedType("timestamp" if "%H" in found[1] else "date", written=written)


@dataclass(frozen=True, slots=True)
class Columns:
    """Types that the imported file declares, and the columns of the table if it is known.

    A column of the table has no type here if its format has none.
    """

    declared: Mapping[str, StatedType] = field(default_factory=dict)
    table: Mapping[str, ColumnType | None] | None = None

    def name(self, written: str) -> str:
        """A column as the table spells it: letters may differ in case."""
        if self.table is None or written in self.table:
            return written
        alike = [name for name in self.table if name.lower() == written.lower()]
        if len(alike) == 1:
            return alike[0]
        raise UnsupportedRuleError(f"the table has no column {written!r}")

    def text(self, written: str) -> str:
        """A column as a rule writes it."""
        return name_text(self.name(written))

    def texts(self, written: Iterable[str]) -> list[str]:
        """Several of them."""
        return [self.text(name) for name in written]

    def type(self, written: str) -> ColumnType | None:
        """The type of a column, where the table or the file states it."""
        if self.table is not None and (known := self.table[self.name(written)]) is not None:
            return known
        lower = written.lower()
        stated = (kind for name, kind in self.declared.items() if name.lower() == lower)
        return next((KINDS[kind.kind] for kind in stated), None)

    @property
    def stated(self) -> dict[str, StatedType]:
        """The types that the file declares, of columns that have none in the table."""
        found = {}
        for written, kind in self.declared.items():
            with suppress(UnsupportedRuleError):
                name = self.name(written)
                if self.table is None or self.table[name] is None:
                    found[name] = kind
        return found

    def literal(self, value: Any, column: str, *, ordered: bool = False) -> str:
        """A value that is compared with a column, in the column's type."""
        return literal(value, self.type(column), ordered=ordered)

    def write_list(self, values: Iterable[Any], column: str) -> str:
        """Values in brackets, for `in`."""
        texts = list(dict.fromkeys(self.literal(value, column) for value in values))
        if not texts:
            raise UnsupportedRuleError("its list of values is empty")
        return f"({', '.join(texts)})"


def literal(value: Any, kind: ColumnType | None, *, ordered: bool = False) -> str:
    """A value as a rule writes it, of a type if that is known.

    A text that is a day, compared by order with a column of unknown type, is taken for a date.
    """
    if value is None:
        raise UnsupportedRuleError("it compares with NULL")
    if isinstance(value, list | dict | set | tuple):
        raise UnsupportedRuleError("it compares with a value that is computed elsewhere")
    if kind is None:
        return _write_untyped(value, ordered=ordered)
    maker = _MAKERS.get(kind)
    if maker is None:
        raise UnsupportedRuleError(f"rules have no literals of type {kind}")
    return maker(value)


def _write_untyped(value: Any, *, ordered: bool) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float | Decimal):
        return _number(value)
    if isinstance(value, date):
        return _moment(value)
    text = str(value)
    moment = _DAY.fullmatch(text) or _MOMENT.fullmatch(text)
    return _moment(value) if ordered and moment else quote_text(text, "'")


def _number(value: Any) -> str:
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        raise UnsupportedRuleError(
            f"{str(value)!r} is not a number, and the column is one"
        ) from None
    if not number.is_finite():
        raise UnsupportedRuleError(f"{value} is not finite")
    if abs(number.adjusted()) > _MOST_DIGITS or len(number.as_tuple().digits) > _MOST_DIGITS:
        raise UnsupportedRuleError(f"a number has at most {_MOST_DIGITS} digits")
    return format(number, "f")


def _string(value: Any) -> str:
    return quote_text(str(value).lower() if isinstance(value, bool) else str(value), "'")


def _boolean(value: Any) -> str:
    word = str(value).lower()
    if word not in _TRUE | _FALSE:
        raise UnsupportedRuleError(f"{str(value)!r} is neither true nor false, and the column is")
    return "true" if word in _TRUE else "false"


def _moment(value: Any) -> str:
    text = value.isoformat() if isinstance(value, date) else str(value).strip()
    try:
        if _DAY.fullmatch(text):
            return date.fromisoformat(text).isoformat()
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise UnsupportedRuleError(f"{text!r} is not a date or a timestamp of ISO 8601") from None
    if moment.tzinfo is not None:
        raise UnsupportedRuleError("timestamps in rules cannot have a time zone")
    return moment.isoformat()


_MAKERS = {
    ColumnType.NUMBER: _number,
    ColumnType.STRING: _string,
    ColumnType.BOOLEAN: _boolean,
    ColumnType.DATE: _moment,
    ColumnType.TIMESTAMP: _moment,
}


def range_of(
    subject: str, low: str | None, high: str | None, *, above: bool = False, below: bool = False
) -> str:
    """That something lies between two ends, either of which may be open or missing.

    `above`: strictly above the low end; `below`: strictly below the high one.
    """
    if low is None and high is None:
        raise UnsupportedRuleError("it has neither a minimum nor a maximum")
    if low is not None and high is not None and not (above or below):
        return f"{subject} between {low} and {high}"
    parts = []
    if low is not None:
        parts.append(f"{subject} {'>' if above else '>='} {low}")
    if high is not None:
        parts.append(f"{subject} {'<' if below else '<='} {high}")
    return parts[0] if len(parts) == 1 else f"check ({' and '.join(parts)})"


_LONGEST_LABEL = 60
_LONGEST_LINE = 90  # characters of names in a line that states their type
NULLS_EQUAL = (
    "the original counts NULLs as equal; here, a row with NULL in one of the columns is like no "
    "other row"
)
LABEL = "{label}"  # in the text of a gate, before the rule has its label


class Draft:
    """Collects what the readers of the formats find, for one table."""

    def __init__(
        self,
        source: str,
        columns: Columns,
        *,
        public: Mapping[str, str] | None = None,
        dialect: str | None = None,
    ) -> None:
        self.source = source
        self.columns = columns
        self.public = public or {}
        self.dialect = dialect
        self.rules: list[ImportedRule] = []
        self.gates: list[ImportedGate] = []
        self.left_out: list[LeftOut] = []
        self._labels: set[str] = set()

    def origin(self, line: int, *words: str | None) -> str:
        """Where something is written, and what it is called there."""
        place = f"{self.source}:{line}" if line else self.source
        return " ".join([place, *(word for word in words if word)])

    def rule(
        self,
        rule: str,
        origin: str,
        words: Iterable[str],
        *,
        where: str | None = None,
        differs: str | None = None,
        gate: str | None = None,
        warns: bool = False,
    ) -> None:
        """Add a rule; its label is made of `words`. `gate` has LABEL for the label."""
        text = rule if where is None else f"{rule} where {where}"
        for position, other in enumerate(self.rules):
            if other.rule == text and other.warns == warns and not (gate or other.gate):
                self.rules[position] = replace(other, origin=f"{other.origin}; {origin}")
                return
        label = self._label(words)
        gate = None if gate is None else gate.replace(LABEL, label)
        self.rules.append(ImportedRule(label, text, origin, differs, gate, warns))

    def leave(self, origin: str, reason: str) -> None:
        """Add what cannot be said."""
        self.left_out.append(LeftOut(origin, reason))

    def gate(self, gate: str, origin: str) -> None:
        """Add a gate on the whole table."""
        self.gates.append(ImportedGate(gate, origin))

    @contextmanager
    def listing(self, origin: str) -> Iterator[None]:
        """What cannot be said inside of it is listed with the reason."""
        try:
            yield
        except UnsupportedRuleError as error:
            self.leave(origin, str(error))

    def key(
        self,
        names: list[str],
        origin: str,
        *,
        word: str = "unique",
        where: str | None = None,
        differs: str | None = None,
        gate: str | None = None,
        warns: bool = False,
    ) -> None:
        """Add a key."""
        if not names:
            raise UnsupportedRuleError("it names no column")
        rule = f"key({', '.join(self.columns.texts(names))})"
        words = (*names, word)
        self.rule(rule, origin, words, where=where, differs=differs, gate=gate, warns=warns)

    def not_null(self, name: str, origin: str, *, warns: bool = False) -> None:
        """Add that a column is never NULL."""
        rule = f"{self.columns.text(name)} is not null"
        self.rule(rule, origin, (name, "not_null"), warns=warns)

    def in_public_list(self, column: str, parent: str, field: str) -> str:
        """That a column refers to a list that is public; refused for every other parent."""
        lower = parent.lower()
        path = next((p for name, p in self.public.items() if name.lower() == lower), None)
        if path is None:
            raise UnsupportedRuleError(
                f"it refers to another table; if {parent} is public, say --public {parent}=FILE.csv"
            )
        return f"{self.columns.text(column)}{list_text(path)}, {quote_text(field, chr(39))})"

    def _label(self, words: Iterable[str]) -> str:
        plain = re.sub(r"[\W_]+", "_", "_".join(words)).strip("_")[:_LONGEST_LABEL].strip("_")
        if not plain or plain[0].isdigit() or not plain.isprintable():
            plain = f"rule_{plain}" if plain.isprintable() else "rule"
        label, number = plain, 1
        while label.lower() in self._labels:
            number += 1
            label = f"{plain}_{number}"
        self._labels.add(label.lower())
        return label


def share_gate(allowed: Fraction) -> str:
    """The gate that fails if more than a share of the rows break a rule."""
    return f"{LABEL}/rows > {percent(allowed)}"


def percent(share: Fraction) -> str:
    """A share in percent, exactly."""
    text = f"{float(share * 100):.6f}".rstrip("0").rstrip(".")
    return f"{text}%"
