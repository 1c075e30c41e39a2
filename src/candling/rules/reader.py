"""Turns the tree of one rule into constraints: which row is meant, and what no row may be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from candling.records import dataclass
from candling.rules.conditions import (
    And,
    Call,
    Comparison,
    Condition,
    InList,
    IsNull,
    ListError,
    Matches,
    Not,
    Or,
    Term,
    columns_of,
    make_list,
    predicates_of,
    read_list,
    stays_finite,
)
from candling.rules.constraint import (
    CONDITION,
    MOMENTS,
    Column,
    ColumnType,
    Constant,
    Op,
    Predicate,
    RowNumber,
)
from candling.rules.diagnose import (
    Mistake,
    position_of,
    start_of,
    text_of,
    tokens_of,
    trees,
    value_of,
)
from candling.rules.patterns import Pattern, PatternError, like
from candling.rules.printer import condition_text, name_text, quote_text, term_text

if TYPE_CHECKING:
    from lark import Token, Tree

_OPS = {
    "=": Op.EQ, "==": Op.EQ, "EQ": Op.EQ,
    "!=": Op.NE, "<>": Op.NE, "≠": Op.NE, "IQ": Op.NE,
    "<": Op.LT, "LT": Op.LT,
    "<=": Op.LE, "≤": Op.LE, "LTE": Op.LE,
    ">": Op.GT, "GT": Op.GT,
    ">=": Op.GE, "≥": Op.GE, "GTE": Op.GE,
}  # fmt: skip
_DEEPEST = 60  # conditions or terms inside each other
_LONGEST_LIST = 100  # in which something is looked up that is computed
MOST_COMPUTED = 2_000  # comparisons of a rule whose sides are computed
_ROWS: tuple[RowNumber, RowNumber] = (1, 2)

Node = TypeVar("Node", Condition, Term)


@dataclass(frozen=True, slots=True)
class Read:
    """One rule of a line: its predicates, and what tells it from the others of the line."""

    part: str
    predicates: tuple[Predicate, ...]


@dataclass
class RuleReader:
    """Reads the tree of one rule; knows which row name is which row."""

    offset: int  # where the rule starts in its line
    folder: Path  # from which paths of lists are seen
    rows: dict[str, RowNumber] = field(default_factory=dict)
    bare: dict[int, bool] = field(default_factory=dict)  # columns without a row: a plain word?
    depth: int = 0
    computed: int = 0  # comparisons so far whose sides are computed
    row_at: int = 0  # where a row name was read last

    def read(self, tree: Tree[Token]) -> list[Read]:
        """The rules in `tree`."""
        parts = trees(tree)
        match tree.data:
            case "dependency":
                left, right, *where = parts
                same = self.pairs(left, Op.EQ)
                both = self.where(where, _ROWS)
                differ = {p.left.name: p for p in self.pairs(right, Op.NE)}
                return [Read(name, (*same, p, *both)) for name, p in differ.items()]
            case "key":
                return self.key(tree)
            case "rule":
                condition, *where = parts
                return [Read("", self.rule(condition, where))]
        raise AssertionError("no such rule")

    def read_named_rows(self, tree: Tree[Token]) -> list[Read]:
        """The rule after row names: what no rows of these names may be."""
        return [Read("", self.pair_rule(Not(self.condition(tree)), tree))]

    def declare(self, names: list[str]) -> None:
        """Row names that stand before a rule, as HoloClean has them."""
        for name, row in zip(names, _ROWS, strict=False):
            self.rows[name] = row

    def key(self, tree: Tree[Token]) -> list[Read]:
        columns, *where = trees(tree)
        (word,) = tokens_of(tree, "KEY")
        condition = self.where(where, _ROWS)
        same = self.pairs(columns, Op.EQ)
        rules = [Read("", (*same, *condition))]
        if word.lower().startswith("primary"):  # as in SQL, it is never NULL
            own = self.where(where, (1,))
            rules += [Read(p.left.name, (*predicates_of(IsNull(p.left)), *own)) for p in same]
        return rules

    def rule(self, tree: Tree[Token], where: list[Tree[Token]]) -> tuple[Predicate, ...]:
        """What the condition of a rule forbids, to rows or to pairs of rows."""
        if tree.data == "column":
            (name,) = tokens_of(tree)
            raise Mistake(
                "R110",
                f"`{name}` alone is not a rule",
                position_of(name),
                f"such as `{name} -> B`, `{name} is not null`, `{name} = true` or `key({name})`",
            )
        condition = self.condition(tree)
        if not self.rows:
            return (*predicates_of(Not(condition)), *self.where(where, (1,)))
        predicates = self.pair_rule(condition, tree)
        pair = len({c.row for p in predicates for c in p.columns}) == 2
        return (*predicates, *self.where(where, _ROWS if pair else (1,)))

    def pair_rule(self, condition: Condition, tree: Tree[Token]) -> tuple[Predicate, ...]:
        """What `not(...)` with row names forbids."""
        named = {column.name for column in columns_of(condition) if column.at not in self.bare}
        condition = self.words(condition, named)
        alone = len({column.row for column in columns_of(condition)}) == 1
        if alone and not isinstance(condition, Not):
            return tuple(predicates_of(Not(condition)))
        if not isinstance(condition, Not):
            raise Mistake(
                "R122",
                "a rule about two rows must say what is forbidden",
                start_of(tree),
                "write it in not(...), such as not(t1.A = t2.A and t1.B != t2.B)",
            )
        parts = _flat(condition.part)
        if alone:  # a rule that names two rows may read only the second
            return tuple(p for part in parts for p in _of_row(part, 1))
        return tuple(p for part in parts for p in _of_rows(part, start_of(tree)))

    def pairs(self, columns: Tree[Token], op: Op) -> list[Predicate]:
        names = [self.column(c, 1) for c in trees(columns)]
        return [Predicate(c, op, replace(c, row=2)) for c in names]

    def where(
        self, clause: list[Tree[Token]], rows: tuple[RowNumber, ...]
    ) -> tuple[Predicate, ...]:
        outside = self.rows
        self.rows = {}
        conditions = [self.condition(c) for tree in clause for c in trees(tree)]
        if self.rows:
            raise Mistake(
                "R114",
                "row names belong inside not(...)",
                self.row_at,
                "`where` applies to every row of the rule: write the column name alone",
            )
        self.rows = outside
        parts = [part for condition in conditions for part in _flat(condition)]
        return tuple(p for row in rows for part in parts for p in _of_row(part, row))

    def words(self, condition: Condition, named: set[str]) -> Condition:
        """Desbordante's `s.State == Texas`: a word beside a column of a row is a string.

        The name of a column that the rule has elsewhere is not: its row name was forgotten.
        """
        match condition:
            case Not():
                return Not(self.words(condition.part, named))
            case And() | Or():
                parts = tuple(self.words(part, named) for part in condition.parts)
                return replace(condition, parts=parts)
            case Comparison(Column() as left, op, Column() as right):
                condition = Comparison(
                    self.word(left, right, named), op, self.word(right, left, named)
                )
        for column in columns_of(condition):
            if column.at in self.bare:
                raise Mistake(
                    "R113",
                    f"`{column.name}` has no row name",
                    column.at - 1 - self.offset,
                    f"write t1.{name_text(column.name)} for the column, or "
                    f"{quote_text(column.name, chr(39))} for a string",
                )
        return condition

    def word(self, column: Column, beside: Column, named: set[str]) -> Column | Constant:
        plain = column.at is not None and self.bare.get(column.at, False)
        if not plain or beside.at in self.bare or column.name in named:
            return column
        return Constant(column.name, at=column.at, unquoted=True)

    # Conditions

    def condition(self, tree: Tree[Token]) -> Condition:
        """The condition that a tree writes down."""
        self.deeper(tree)
        found = self._condition(tree)
        self.depth -= 1
        return found

    def _condition(self, tree: Tree[Token]) -> Condition:
        parts = trees(tree)
        match str(tree.data):
            case "all":
                return And(tuple(map(self.condition, parts)))
            case "some":
                return Or(tuple(map(self.condition, parts)))
            case "declared" | "list" if len(parts) > 1:
                return And(tuple(map(self.condition, parts)))
            case "declared" | "list" | "brackets":
                return self.condition(parts[0])
            case "negation":
                return Not(self.condition(parts[0]))
            case "compare" | "call":
                return self.comparison(tree)
            case kind if kind.startswith("not_"):
                return Not(self.said_of(tree, kind.removeprefix("not_")))
            case "null" | "between" | "in" | "matches" | "like" as kind:
                return self.said_of(tree, kind)
        term = self.term(tree)
        if isinstance(term, Column):  # a column of booleans
            return Comparison(term, Op.EQ, Constant(True))
        raise Mistake(
            "R122",
            "this is a value, not a condition",
            start_of(tree),
            "compare it with something: A > 0",
        )

    def said_of(self, tree: Tree[Token], kind: str) -> Condition:
        """What is said of a column with words: `A is null`, `A between 1 and 2`, ..."""
        parts = trees(tree)
        match kind:
            case "null":
                return IsNull(self.only_column(parts[0], "is null"))
            case "between":
                term, low, high = map(self.term, parts)
                for end in (low, high):
                    _require_column(term, end, tree)
                return And((Comparison(term, Op.GE, low), Comparison(term, Op.LE, high)))
            case "in":
                return self.read_value_list(parts)
        return self.matches(tree, kind)

    def comparison(self, tree: Tree[Token]) -> Comparison:
        sides = trees(tree)
        left, right = (
            Constant(value_of(tokens_of(side)[0]), at=self.at(side))
            if side.data == "text"
            else self.term(side)
            for side in sides
        )
        (symbol,) = tokens_of(tree, "OP", "COMPARING")
        self.computed += any(isinstance(side, Call) for side in (left, right))
        if self.computed > MOST_COMPUTED:
            raise Mistake(
                "R122",
                f"this rule computes more than {MOST_COMPUTED:,} values to compare",
                position_of(symbol),
                "compute them in the table, or write several rules",
            )
        if not any(True for term in (left, right) for _ in columns_of(term)):
            raise Mistake(
                "R116",
                "this compares two constants, so it does not depend on any row",
                position_of(symbol),
                "one side must be a column, such as t1.A",
            )
        return Comparison(left, _OPS[symbol.upper()], right)

    def read_value_list(self, parts: list[Tree[Token]]) -> Condition:
        subject, values = parts
        if values.data == "file":
            return self.file(self.only_column(subject, "in"), values)
        constants = [
            Constant(value_of(token), at=self.offset + position_of(token) + 1)
            for tree in trees(values)
            for token in tokens_of(tree)
        ]
        kinds = {ColumnType.DATE if c.type in MOMENTS else c.type for c in constants}
        if len(kinds) > 1:
            raise Mistake("R122", "this list holds values of several types", start_of(values))
        term = self.term(subject)
        if isinstance(term, Column):
            return make_list(term, constants)
        _require_column(term, constants[0], subject)
        if len(constants) > _LONGEST_LIST:
            raise Mistake(
                "R122",
                f"a computed value is looked up in a list of {_LONGEST_LIST} values at most",
                start_of(subject),
                "compute it in the table, and look that column up",
            )
        return Or(tuple(Comparison(term, Op.EQ, constant) for constant in constants))

    def file(self, column: Column, tree: Tree[Token]) -> InList:
        tokens = tokens_of(tree, "STRING")
        name, *more = map(text_of, tokens)
        if len(more) > 1:
            raise Mistake(
                "R123",
                "file(...) has a path and a column",
                start_of(tree),
                "file('icd.csv', 'code')",
            )
        try:
            values = read_list(self.folder, name, more[0] if more else None)
        except ListError as error:
            raise Mistake("R123", str(error), start_of(tree), error.hint) from None
        written = ", ".join(quote_text(text, "'") for text in (name, *more))
        return InList(column, values, f"file({written})", self.folder / name)

    def matches(self, tree: Tree[Token], kind: str) -> Matches:
        column = self.only_column(trees(tree)[0], kind)
        (token,) = tokens_of(tree, "STRING")
        text = text_of(token)
        if kind == "like" and "\\" in text:
            raise Mistake(
                "R121",
                "databases differ on a backslash in `like`",
                position_of(token),
                r"write `matches`: 50\% at the start of a text is '^50%'",
            )
        pattern = like(text) if kind == "like" else Pattern(text)
        try:
            pattern.check()
        except PatternError as error:
            at = position_of(token) + (1 + error.position if kind == "matches" else 0)
            raise Mistake("R121", str(error), at, error.hint) from None
        return Matches(column, pattern)

    # Terms

    def term(self, tree: Tree[Token]) -> Term:
        """The term that a tree writes down."""
        self.deeper(tree)
        found = self._term(tree)
        self.depth -= 1
        return found

    def _term(self, tree: Tree[Token]) -> Term:
        parts = trees(tree)
        match str(tree.data):
            case "column":
                column = self.column(tree, 1)
                if column.at is not None:
                    self.bare[column.at] = tokens_of(tree)[0].type == "NAME"
                return column
            case "cell":
                return self.cell(tree)
            case "constant":
                (token,) = tokens_of(tree)
                return Constant(value_of(token), at=self.at(tree))
            case "brackets" | "list" if len(parts) == 1:
                return self.term(parts[0])
            case "function":
                (name,) = tokens_of(tree)
                return self.call(name.lower(), (self.term(parts[0]),), tree)
            case "arithmetic":
                (sign,) = tokens_of(tree)
                left, right = map(self.term, parts)
                return self.call(str(sign), (left, right), tree)
            case "negative":
                return self.call("-", (Constant(0), self.term(parts[0])), tree)
        raise Mistake(
            "R122",
            "this is a condition, but a value is needed",
            start_of(tree),
            "only columns, constants and arithmetic have values",
        )

    def call(self, function: str, terms: tuple[Term, ...], tree: Tree[Token]) -> Call:
        found = Call(function, terms, self.at(tree))
        if not stays_finite(found):
            raise Mistake(
                "R122",
                "this multiplies or divides so often that the result could be too large",
                start_of(tree),
                "compute it in the table, and compare that column",
            )
        if not any(True for _ in columns_of(found)):
            raise Mistake(
                "R118",
                f"`{term_text(found)}` is arithmetic without a column",
                start_of(tree),
                "write its value; a date is 2020-01-31",
            )
        return found

    def cell(self, tree: Tree[Token]) -> Column:
        (name,) = tokens_of(tree, "ROW")
        row = self.row(name)
        if positions := tokens_of(tree, "POSITION"):
            number = int(positions[0])
            return Column(row, f"{CONDITION}#{number}", at=self.at(tree), position=number)
        return self.column(trees(tree)[0], row)

    def column(self, tree: Tree[Token], row: RowNumber) -> Column:
        (token,) = tokens_of(tree)
        if token.type == "NAME" and token.lower() == "null":
            raise Mistake(
                "R113",
                "rules do not compare with NULL",
                position_of(token),
                "write `A is null` or `A is not null`: no comparison with NULL is true",
            )
        return Column(row, text_of(token), at=self.offset + position_of(token) + 1)

    def only_column(self, tree: Tree[Token], word: str) -> Column:
        """The column that a word needs on its left side."""
        term = self.term(tree)
        if isinstance(term, Column):
            return term
        raise Mistake("R122", f"`{word}` applies to a column", start_of(tree))

    def row(self, token: Token) -> RowNumber:
        name = str(token)
        if name not in self.rows and len(self.rows) == 2:
            first, second = self.rows
            raise Mistake(
                "R115",
                f"`{name}` is a third row name, after `{first}` and `{second}`",
                position_of(token),
                "a rule is about one row or two",
            )
        self.row_at = position_of(token)
        number: RowNumber = 2 if self.rows else 1
        return self.rows.setdefault(name, number)

    def deeper(self, tree: Tree[Token]) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise Mistake(
                "R122", "this rule is nested too deep", start_of(tree), "write several rules"
            )

    def at(self, tree: Tree[Token]) -> int:
        """The place of a tree in its line, from 1."""
        return self.offset + start_of(tree) + 1


# Rules with row names


def _flat(condition: Condition) -> Iterator[Condition]:
    parts = condition.parts if isinstance(condition, And) else (condition,)
    for part in parts:
        if isinstance(part, And):
            yield from _flat(part)
        else:
            yield part


def _of_rows(condition: Condition, start: int) -> list[Predicate]:
    """A part of not(...) as predicates: a comparison across rows, or a condition on one row."""
    rows = sorted({column.row for column in columns_of(condition)})
    if len(rows) == 1:
        return _of_row(condition, rows[0])
    if isinstance(condition, Comparison):
        left, right = condition.left, condition.right
        if isinstance(left, Column) and isinstance(right, Column):
            return [Predicate(left, condition.op, right)]
        raise Mistake(
            "R122",
            "arithmetic works only on columns of the same row",
            _place(condition, start),
            "store the value in a column, and compare that across rows",
        )
    if isinstance(condition, Not) and isinstance(condition.part, Comparison):
        raise Mistake(
            "R122",
            f"`not` before a comparison of two rows: not ({condition_text(condition.part)})",
            _place(condition, start),
            "write the opposite comparison",
        )
    raise Mistake(
        "R117",
        "a rule about two rows cannot use `or`",
        _place(condition, start),
        "write one rule for each alternative, each on its own line",
    )


def _of_row(condition: Condition, row: RowNumber) -> list[Predicate]:
    """A condition on one row as predicates; a plain comparison stays as it is written."""
    match condition:
        case Comparison(Column() as left, op, Column() as right):
            return [Predicate(replace(left, row=row), op, replace(right, row=row))]
        case Comparison(Column() as left, op, Constant() as right):
            return [Predicate(replace(left, row=row), op, right)]
        case Comparison(Constant() as left, op, Column() as right):
            return [Predicate(replace(right, row=row), op.flipped, left)]
    return predicates_of(condition, row)


def _place(condition: Condition, start: int) -> int:
    places = [column.at for column in columns_of(condition) if column.at is not None]
    return min(places, default=start + 1) - 1


def _require_column(term: Term, other: Term, tree: Tree[Token]) -> None:
    if not any(True for side in (term, other) for _ in columns_of(side)):
        raise Mistake(
            "R116", "this compares two constants, so it does not depend on any row", start_of(tree)
        )
