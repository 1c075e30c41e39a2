"""Explains what is wrong with a line that the grammar does not accept."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_WORDS = {
    "NAME": "a column name",
    "ROW": "a column such as t1.A",
    "ARROW": "`->`",
    "OP": "a comparison such as `=` or `<`",
    "AND": "`and`",
    "COMMA": "`,`",
    "WHERE": "`where`",
    "RPAR": "`)`",
    "RBRACE": "`}`",
    "RSQB": "`]`",
    "DOT": "`.`",
    "FUNCTION": "a function such as EQ(t1.A, t2.A)",
    "NUMBER": "a constant",
    "$END": "the end of the rule",
}
_SQL = {"between", "contains", "in", "is", "like", "matches"}
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_CURLY = {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00b4": "'", "`": "'"}
_OR = re.compile(r"or\b|\|\|?|\u2228", re.IGNORECASE)
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

    def unexpected(self, hint: str | None = None) -> Mistake:
        actual = "the end of the rule" if self.at_end else f"`{self.word}`"
        return Mistake("R110", f"expected {self._wanted()}, found {actual}", self.position, hint)

    def _wanted(self) -> str:
        if "NOT" in self.expected:
            return "a rule such as `A -> B`, `key(A)` or `not(t1.A = t2.A and t1.B != t2.B)`"
        hidden = set()
        if "ARROW" in self.expected:  # a first name may be one of HoloClean's rows, but rarely is
            hidden.add("AND")
        elif "AND" in self.expected:
            hidden.add("COMMA")
        if "ROW" in self.expected:
            hidden.add("FUNCTION")
        *most, last = [w for t, w in _WORDS.items() if t in self.expected - hidden] or ["no more"]
        return f"{', '.join(most)} or {last}" if most else last


def explain_syntax(rule: str, position: int, token: str, expected: frozenset[str]) -> Mistake:
    """The mistake in a rule that cannot be read: a common one by name, else what was expected.

    `token` is the type of the unexpected token at `position`, "" if there is no token.
    """
    rule = _without_comment(rule)
    stop = _Stop(rule, min(position, len(rule)), token, expected)
    for look in (_quote, _symbol, _date, _row_name, _dot, _name, _bracket):
        if mistake := look(stop):
            return mistake
    return stop.unexpected()


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
    start = stop.position
    if stop.before.endswith("=") and stop.rest[:1] in {"<", ">"}:
        start = len(stop.before) - 1
    rest = stop.rule[start:]
    comparing = "ARROW" not in stop.expected
    if comparing and _OR.match(rest) and "AND" in stop.expected:
        hint = "write one rule for each alternative, each on its own line"
        return Mistake("R117", "rules have no `or`", start, hint)
    arrow = ">=" if comparing else "->"
    instead = {"=>": arrow, "==>": arrow, "-->": "->", "⇒": "->", "=<": "<=", ":=": "="}
    for wrong, right in instead.items():
        if rest.startswith(wrong):
            return Mistake("R117", f"`{wrong}` means nothing here", start, f"write `{right}`")
    return None


def _date(stop: _Stop) -> Mistake | None:
    for match in _DATE.finditer(stop.rule):
        if match.start() <= stop.position < match.end():
            hint = "write 2020-01-31 or 2020-01-31T12:00:00, without a time zone"
            return Mistake("R118", f"`{match.group()}` is not a date", match.start(), hint)
    return None


def _row_name(stop: _Stop) -> Mistake | None:
    if "ROW" not in stop.expected or stop.token not in {"NAME", "QUOTED", "LABEL"}:
        return None
    if stop.word.lower() == "null":
        hint = "leave it out: a missing value satisfies no comparison, not even `!=`"
        return Mistake("R113", "rules do not compare with NULL", stop.position, hint)
    name = stop.word.strip('"')
    hint = f"write t1.{stop.word} for the column, or '{name}' for a string"
    return Mistake("R113", f"`{name}` has no row name", stop.position, hint)


def _dot(stop: _Stop) -> Mistake | None:
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
    if word.lower() in _SQL and "OP" in expected:
        hint = "rules compare with = != < <= > >= only"
        return Mistake("R117", f"`{word}` is not a comparison", stop.position, hint)
    if word == "->" and "NOT" in expected:
        return stop.unexpected("for a column that must be the same everywhere: not(t1.A != t2.A)")
    digit_first = r"[0-9]\w*[^\W\d]" if "NUMBER" in expected else r"[0-9]"
    if {"NAME", "QUOTED"} & expected and re.match(digit_first, stop.rest):
        return stop.unexpected(f'a name that starts with a digit takes quotes: "{word}"')
    if stop.last_word and {"ARROW", "OP"} & expected and stop.token in {"NAME", "ROW", "LABEL"}:
        what = "name" if stop.token in {"NAME", "ROW"} else "label"
        return stop.unexpected(f'a {what} with a space takes quotes: "{stop.last_word} {word}"')
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
    if {"LPAR", "LBRACE"} <= stop.expected:
        hint = "write not(t1.A = t2.A and t1.B != t2.B)"
        return Mistake("R112", "`not` needs parentheses", stop.position, hint)
    return None
