"""Explain what is wrong with a line that the grammar does not accept, token by token."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from candling.records import dataclass
from candling.rules.constraint import Value

if TYPE_CHECKING:
    from lark import Token, Tree

_WORDS = {
    "NAME": "a column name",
    "ROW": "a column such as t1.A",
    "ARROW": "`->`",
    "AND": "`and`",
    "OR": "`or`",
    "COMMA": "`,`",
    "OP": "a comparison such as `=` or `<`",
    "WHERE": "`where`",
    "RPAR": "`)`",
    "RBRACE": "`}`",
    "RSQB": "`]`",
    "DOT": "`.`",
    "COMPARING": "a function such as EQ(t1.A, t2.A)",
    "NUMBER": "a constant",
    "LPAR": "`(`",
    "STRING": "a string in single quotes",
    "FILE": "file('list.csv', 'column')",
    "$END": "the end of the rule",
}
_MATCHING = {"~", "!~", "contains", "glob", "ilike", "regexp", "rlike", "similar", "startswith"}
TODAY = {"current_date", "current_timestamp", "getdate", "now", "sysdate", "today"}
WRITE_THE_DAY = "a rule must mean the same every day: write the day, such as 2020-01-31"
_INSTEAD = {
    "=>": ">=", "==>": "->", "-->": "->", "\u21d2": "->", "=<": "<=", ":=": "=", "===": "=",
}  # fmt: skip
_COLUMNS = re.compile(r"""(?:[\w.-]+\s*:)?[\w\s,"-]*""")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_CURLY = {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00b4": "'", "`": "'"}
_DATE = re.compile(r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}([ T][0-9:.]+)?\S*?(?=[\s),&]|$)")
_WORD = re.compile(r"->|[\w-]+|\"[^\"]*\"|'[^']*'|\S")


class Mistake(Exception):  # noqa: N818  # becomes a Problem; no caller of the package sees it
    """What is wrong with one rule, and where in it (0-based)."""

    def __init__(self, code: str, message: str, position: int, hint: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.position = position
        self.hint = hint


@dataclass(frozen=True)
class _Stop:
    """Where the parser stopped, and what it could have read there."""

    rule: str
    position: int
    token: str  # type of the token there, "" if there is none
    expected: frozenset[str]

    @property
    def before(self) -> str:
        return self.rule[: self.position].rstrip()

    @property
    def rest(self) -> str:
        return self.rule[self.position :]

    @property
    def word(self) -> str:
        match = _WORD.match(self.rest)
        return match.group() if match else ""

    @property
    def last_word(self) -> str:
        match = re.search(r"[\w-]+$", self.before)
        return match.group() if match else ""

    @property
    def at_end(self) -> bool:
        return not self.rest.strip()

    def make_mistake(self, hint: str | None = None) -> Mistake:
        actual = "the end of the rule" if self.at_end else f"`{self.word}`"
        return Mistake(
            "R110", f"expected {self._list_expectations()}, found {actual}", self.position, hint
        )

    def _list_expectations(self) -> str:
        if "KEY" in self.expected:
            return "a rule such as `A -> B`, `key(A)`, `A is not null` or `A >= 0`"
        hidden = {"LPAR", "STRING"} if "NUMBER" in self.expected else set()
        if "ARROW" in self.expected:  # after a name alone
            hidden |= {"AND", "OR", "WHERE", "$END"}
        elif "AND" in self.expected:
            hidden |= {"COMMA"}
        if "ROW" in self.expected:
            hidden |= {"COMPARING"}
        *most, last = [w for t, w in _WORDS.items() if t in self.expected - hidden] or ["no more"]
        return f"{', '.join(most)} or {last}" if most else last


def explain_syntax(rule: str, position: int, token: str, expected: frozenset[str]) -> Mistake:
    """The mistake in a rule that cannot be read: a common one by name, else what was expected.

    `token` is the type of the unexpected token at `position`, "" if there is no token.
    """
    rule = _without_comment(rule)
    stop = _Stop(rule, min(position, len(rule)), token, expected)
    for look in (_quote, _symbol, _date, _sql, _dot, _name, _bracket):
        if mistake := look(stop):
            return mistake
    return stop.make_mistake()


def _outside_quotes(rule: str) -> Iterator[tuple[int, str]]:
    """Each character that is not inside quotes; a quote that is never closed comes last."""
    quote, opened = "", 0
    for position, character in enumerate(rule):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote, opened = character, position
        else:
            yield position, character
    if quote:
        yield opened, quote


def _without_comment(rule: str) -> str:
    comment = next((p for p, character in _outside_quotes(rule) if character == "#"), len(rule))
    return rule[:comment].rstrip()


def _quote(stop: _Stop) -> Mistake | None:
    for opened, quote in _outside_quotes(stop.rule):
        if quote in "'\"":
            what = "string" if quote == "'" else "name"
            hint = f"a {quote} inside quotes is written twice: {quote * 2}"
            return Mistake("R111", f"the {what} that starts here is never closed", opened, hint)
    character = stop.rest[:1]
    if character in _CURLY:
        hint = f"write {_CURLY[character]}"
        return Mistake("R117", f"`{character}` is not a quote", stop.position, hint)
    return None


def _symbol(stop: _Stop) -> Mistake | None:
    for wrong, right in _INSTEAD.items():
        start = stop.rule.find(wrong, max(0, stop.position - len(wrong)))
        if start < 0 or not start <= stop.position < start + len(wrong):
            continue
        columns = wrong == "=>" and _COLUMNS.fullmatch(stop.rule[:start])
        hint = "write `->` for a dependency, `>=` to compare" if columns else f"write `{right}`"
        return Mistake("R117", f"`{wrong}` means nothing here", start, hint)
    return None


def _date(stop: _Stop) -> Mistake | None:
    for match in _DATE.finditer(stop.rule):
        if match.start() <= stop.position < match.end():
            hint = "write 2020-01-31 or 2020-01-31T12:00:00, without a time zone"
            return Mistake("R118", f"`{match.group()}` is not a date", match.start(), hint)
    return None


def _sql(stop: _Stop) -> Mistake | None:
    """Words of SQL and of Python that rules say otherwise."""
    word, last = stop.word.lower(), stop.last_word
    if word == "not" and re.match(r"not\s+null\b", stop.rest, re.IGNORECASE):
        return Mistake("R117", "`is` is missing", stop.position, f"write `{last} is not null`")
    named = stop.token in {"NAME", "QUOTED"}
    if named and last.lower() == "null" and re.search(r"\bnot\s+null$", stop.before, re.IGNORECASE):
        return Mistake("R117", "`not null` goes after the column", stop.position,
                       f"write `{stop.word} is not null`")  # fmt: skip
    if word == "is":
        hint = "write `is null`, `is not null`, or compare: `= true`"
        return Mistake("R117", "`is` works only with NULL", stop.position, hint)
    if word in _MATCHING or stop.rest.startswith(("~", "!~")):
        hint = "write `matches '...'` with a regular expression, or `like '...'` with % and _"
        return Mistake("R117", f"`{stop.word}` is not a comparison", stop.position, hint)
    if last.lower() == "check":
        hint = "write check (...), or leave `check` out"
        return Mistake("R112", "`check` needs parentheses", stop.position, hint)
    if stop.rest.startswith("(") and last and stop.before.endswith(last):
        hint = "the functions are length(...) and abs(...)"
        if last.lower() in TODAY:
            hint = WRITE_THE_DAY
        start = len(stop.before) - len(last)
        return Mistake("R117", f"unknown function `{last}`", start, hint)
    return None


def _dot(stop: _Stop) -> Mistake | None:
    if stop.rest.startswith(("->", "\u2192")) and (
        cell := re.search(r"([\w-]+)\s*\.\s*([\w-]+)$", stop.before)
    ):
        hint = f'write `{cell[2]}` alone, or "{cell[1]}.{cell[2]}" if the name has a dot'
        return Mistake("R114", "row names belong inside not(...)", cell.start(), hint)
    first = stop.last_word
    second = re.match(r"\.\s*([\w-]+)", stop.rest)
    if not first or second is None:
        return None
    start = len(stop.before) - len(first)
    whole = f"{first}.{second.group(1)}"
    if stop.rule[:start].rstrip().endswith("."):
        hint = f'leave the table out, or quote a name that has a dot: "{whole}"'
        return Mistake("R114", "a column is written row.column", start, hint)
    hint = f'write `{second.group(1)}` alone, or "{whole}" if the name has a dot'
    return Mistake("R114", "row names belong inside not(...)", start, hint)


def _name(stop: _Stop) -> Mistake | None:
    word, expected = stop.word, stop.expected
    if stop.rule.strip().startswith("->"):
        hint = "for a column that must be the same everywhere: not(t1.A != t2.A)"
        return Mistake("R110", "nothing stands before `->`", stop.position - 1, hint)
    digit_first = r"[0-9]\w*[^\W\d]" if "NUMBER" in expected else r"[0-9]"
    if {"NAME", "QUOTED"} & expected and re.match(digit_first, stop.rest):
        return stop.make_mistake(f'a name that starts with a digit takes quotes: "{word}"')
    if stop.last_word and {"ARROW", "OP"} & expected and stop.token in {"NAME", "ROW", "LABEL"}:
        if stop.last_word == "key":
            return stop.make_mistake(f"a key is written key({word})")
        what = "name" if stop.token in {"NAME", "ROW"} else "label"
        return stop.make_mistake(f'a {what} with a space takes quotes: "{stop.last_word} {word}"')
    return None


def _bracket(stop: _Stop) -> Mistake | None:
    opened: list[tuple[int, str]] = []
    for position, character in _outside_quotes(stop.rule):
        if character in _CLOSING:
            opened.append((position, character))
        elif character in _CLOSING.values() and (
            not opened or _CLOSING[opened.pop()[1]] != character
        ):
            return Mistake("R112", f"this `{character}` closes nothing", position)
    if opened and stop.at_end and {"RPAR", "RBRACE", "RSQB"} & stop.expected:
        position, character = opened[-1]
        hint = f"add `{_CLOSING[character]}`"
        return Mistake("R112", f"this `{character}` is never closed", position, hint)
    return None


_ESCAPE = re.compile(r"\\(?:([0-9A-Fa-f]{4})|\+([0-9A-Fa-f]{6})|(\\))?")
_HALVES = range(0xD800, 0xE000)  # of characters beyond 16 bits: no table can hold one alone
_MOST_DIGITS = 400  # of a number, and its largest exponent: beyond what any column holds


def trees(tree: Tree[Token]) -> list[Tree[Token]]:
    """The children of a tree that are trees."""
    return [child for child in tree.children if not isinstance(child, str)]


def tokens_of(tree: Tree[Token], *types: str) -> list[Token]:
    """The children of a tree that are tokens, of these types if some are named."""
    tokens = [child for child in tree.children if isinstance(child, str)]
    return [token for token in tokens if not types or token.type in types]


def start_of(tree: Tree[Token]) -> int:
    """Where a tree starts in its rule, from 0."""
    first: Tree[Token] | Token = tree
    while not isinstance(first, str):
        if not first.children:
            return 0
        first = first.children[0]
    return position_of(first)


def position_of(token: Token) -> int:
    """Where a token starts in its rule, from 0."""
    return token.start_pos or 0


def text_of(token: Token) -> str:
    """The text of a name or a string, without its quotes."""
    return unquote(token) if token.type in {"QUOTED", "STRING"} else str(token)


def unquote(token: str) -> str:
    """The text between quotes, with its escapes resolved."""
    escaped = token[0] in "Uu"
    body = token[3:-1] if escaped else token[1:-1]
    body = body.replace(token[-1] * 2, token[-1])
    return _ESCAPE.sub(functools.partial(_unescape, token), body) if escaped else body


def _unescape(token: str, match: re.Match[str]) -> str:
    four, six, backslash = match.groups()
    if backslash:
        return "\\"
    digits = four or six
    code = -1 if digits is None else int(digits, 16)
    if code in _HALVES or not 0 <= code <= sys.maxunicode:
        raise Mistake(
            "R118",
            f"`{match.group()}` is not a character",
            getattr(token, "start_pos", 0) or 0,
            "after U& write \\XXXX or \\+XXXXXX with hexadecimal digits, and \\\\ for a backslash",
        )
    return chr(code)


def value_of(token: Token) -> Value:
    """The value that a constant writes down."""
    match token.type:
        case "BOOLEAN":
            return token.lower() == "true"
        case "NUMBER":
            return _number(token)
        case "DATE" | "TIMESTAMP":
            try:
                read = date if token.type == "DATE" else datetime
                return read.fromisoformat(token)
            except ValueError:
                kind = token.type.lower()
                raise Mistake(
                    "R118", f"the {kind} {token} does not exist", position_of(token)
                ) from None
        case _:
            return text_of(token)


def _number(token: Token) -> int | Decimal:
    digits, _, exponent = token.lower().partition("e")
    bearable = len(digits) <= _MOST_DIGITS and len(exponent) <= 4
    number = Decimal(token) if bearable else None
    if number is None or (number and abs(number.adjusted()) > _MOST_DIGITS):
        raise Mistake("R118", "this number is out of range", position_of(token))
    return int(token) if token.lstrip("+-").isdigit() else number
