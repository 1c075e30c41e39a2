"""Trees and tokens of Lark: where they stand in a rule, and the texts and values they write."""

from __future__ import annotations

import functools
import re
import sys
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from candling.rules.diagnose import Mistake
from candling.rules.model import Value

if TYPE_CHECKING:
    from lark import Token, Tree

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
