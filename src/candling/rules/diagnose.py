"""Says in words what is wrong with a line that the grammar does not accept."""

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
class _Found:
    """A syntax error: where the rule stopped making sense, and what could have followed."""

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
        found = "the end of the rule" if self.at_end else f"`{self.word}`"
        return Mistake("R110", f"expected {self._wanted()}, found {found}", self.position, hint)

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

    `token` is the type of what stands at `position` and does not fit, "" if it is no token at all.
    """
    rule = _without_comment(rule)
    found = _Found(rule, min(position, len(rule)), token, expected)
    for look in (_quote, _symbol, _date, _row_name, _dot, _name, _bracket):
        if mistake := look(found):
            return mistake
    return found.unexpected()


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


def _quote(found: _Found) -> Mistake | None:
    for opened, quote in _outside_quotes(found.rule):
        if quote in "'\"":
            what = "string" if quote == "'" else "name"
            hint = f"a {quote} inside quotes is written twice: {quote * 2}"
            return Mistake("R111", f"the {what} that starts here is never closed", opened, hint)
    character = found.rest[:1]
    if character in _CURLY:
        hint = f"write {_CURLY[character]}"
        return Mistake("R117", f"`{character}` is no quote", found.position, hint)
    return None


def _symbol(found: _Found) -> Mistake | None:
    start = found.position
    if found.before.endswith("=") and found.rest[:1] in {"<", ">"}:
        start = len(found.before) - 1
    rest = found.rule[start:]
    comparing = "ARROW" not in found.expected
    if comparing and _OR.match(rest) and "AND" in found.expected:
        hint = "write one rule for each alternative, a line each"
        return Mistake("R117", "a rule has no `or`", start, hint)
    arrow = ">=" if comparing else "->"
    instead = {"=>": arrow, "==>": arrow, "-->": "->", "⇒": "->", "=<": "<=", ":=": "="}
    for wrong, right in instead.items():
        if rest.startswith(wrong):
            return Mistake("R117", f"`{wrong}` means nothing here", start, f"write `{right}`")
    return None


def _date(found: _Found) -> Mistake | None:
    for match in _DATE.finditer(found.rule):
        if match.start() <= found.position < match.end():
            hint = "write 2020-01-31 or 2020-01-31T12:00:00, without a time zone"
            return Mistake("R118", f"`{match.group()}` is no date", match.start(), hint)
    return None


def _row_name(found: _Found) -> Mistake | None:
    if "ROW" not in found.expected or found.token not in {"NAME", "QUOTED", "LABEL"}:
        return None
    if found.word.lower() == "null":
        hint = "leave it out: a missing value satisfies no comparison, not even `!=`"
        return Mistake("R113", "rules do not compare with NULL", found.position, hint)
    name = found.word.strip('"')
    hint = f"write t1.{found.word} for the column, or '{name}' for a string"
    return Mistake("R113", f"`{name}` has no row name", found.position, hint)


def _dot(found: _Found) -> Mistake | None:
    first = found.last_word
    second = re.match(r"\.\s*([\w-]+)", found.rest)
    if not first or second is None:
        return None
    start = len(found.before) - len(first)
    whole = f"{first}.{second.group(1)}"
    if found.rule[:start].rstrip().endswith("."):
        hint = f'leave the table out, or quote a name that has a dot: "{whole}"'
        return Mistake("R114", "a column is written row.column", start, hint)
    hint = f'write `{second.group(1)}` alone, or "{whole}" if the name has a dot'
    return Mistake("R114", "row names belong inside not(...)", start, hint)


def _name(found: _Found) -> Mistake | None:
    word, expected = found.word, found.expected
    if word.lower() in _SQL and "OP" in expected:
        hint = "rules compare with = != < <= > >= only"
        return Mistake("R117", f"`{word}` is not a comparison", found.position, hint)
    if word == "->" and "NOT" in expected:
        return found.unexpected("for a column that must be the same everywhere: not(t1.A != t2.A)")
    digit_first = r"[0-9]\w*[^\W\d]" if "NUMBER" in expected else r"[0-9]"
    if {"NAME", "QUOTED"} & expected and re.match(digit_first, found.rest):
        return found.unexpected(f'a name that starts with a digit takes quotes: "{word}"')
    if found.last_word and {"ARROW", "OP"} & expected and found.token in {"NAME", "ROW", "LABEL"}:
        what = "name" if found.token in {"NAME", "ROW"} else "label"
        return found.unexpected(f'a {what} with a space takes quotes: "{found.last_word} {word}"')
    return None


def _bracket(found: _Found) -> Mistake | None:
    opened: list[tuple[int, str]] = []
    for position, character in _outside_quotes(found.rule):
        if character in _CLOSING:
            opened.append((position, character))
        elif character in _CLOSING.values() and (
            not opened or _CLOSING[opened.pop()[1]] != character
        ):
            return Mistake("R112", f"this `{character}` closes nothing", position)
    if opened and found.at_end and {"RPAR", "RBRACE", "RSQB"} & found.expected:
        position, character = opened[-1]
        hint = f"add `{_CLOSING[character]}`"
        return Mistake("R112", f"this `{character}` is never closed", position, hint)
    if {"LPAR", "LBRACE"} <= found.expected:
        hint = "write not(t1.A = t2.A and t1.B != t2.B)"
        return Mistake("R112", "what `not` denies stands in parentheses", found.position, hint)
    return None
