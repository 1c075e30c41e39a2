"""The parser of rules. Its tables are stored, as making them takes longer than a small release.

`python -m tools` writes `grammar.tables` after a change of `grammar.lark` or of Lark. Tables that
do not fit either are not used, so a stale file costs time and nothing else.
"""

from __future__ import annotations

import hashlib
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lark import Lark

GRAMMAR = Path(__file__).with_name("grammar.lark")
TABLES = Path(__file__).with_name("grammar.tables")


@cache
def load_parser() -> Lark:
    """The parser, from its stored tables where they fit the grammar and the installed Lark."""
    from lark import Lark

    stored, _, tables = TABLES.read_bytes().partition(b"\n")
    if stored != _describe_source():
        return make_parser()
    parser: Lark = Lark.load(BytesIO(tables))
    return parser


def make_parser() -> Lark:
    """Make the parser from the grammar."""
    from lark import Lark

    grammar = GRAMMAR.read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="contextual", start=["start", "declared"])


def write_tables() -> bytes:
    """The tables as they are stored, below a line that says what they are made from."""
    tables = BytesIO()
    make_parser().save(tables)
    return _describe_source() + b"\n" + tables.getvalue()


def _describe_source() -> bytes:
    from lark import __version__

    return f"{__version__} {hashlib.sha256(GRAMMAR.read_bytes()).hexdigest()}".encode()
