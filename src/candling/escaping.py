"""Text that others wrote, made harmless for the place where it is shown: one function a place.

A column, a label, a file, a dataset or a card can have any name. On a terminal it must not move the
cursor, change a colour or turn the direction of the line around; in Markdown, HTML and a
spreadsheet it must stay text. Whoever writes to such a place sends every text of others through the
function for it. HTML is escaped by the templates (`render/html/__init__.py`).
"""

from __future__ import annotations

import json
import os
import re
from typing import Any

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
# What begins a formula in a spreadsheet, in the wide forms too.
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_JSON_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
# Signs that are markup inside of a line, and what makes a link of plain text.
_MARKUP = re.compile(r"[\\`*_{}\[\]<>#|&~$@\"']|:(?=\S)|(?<=www)\.", re.IGNORECASE)
# What HTML does not allow or shows as nothing (controls, halves of pairs, non-characters, signs of
# no width), and what turns the direction of all that follows around. The joiners and the marks of
# direction that some scripts cannot be written without are left alone.
_UNSHOWN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]"
)


def for_terminal(text: str) -> str:
    r"""Text on one line, in which everything that cannot be printed is written as `\x1b`.

    >>> for_terminal("a\x1b[31m\n")
    'a\\x1b[31m\\n'
    """
    return text if text.isprintable() else "".join(map(_printable, text))


def quote_path(path: str | os.PathLike[str]) -> str:
    r"""A path in quotes, as it was typed: `repr` would double the backslashes of Windows.

    >>> print(quote_path("C:\\data\\visits.csv"))
    'C:\data\visits.csv'
    """
    return f"'{for_terminal(os.fspath(path))}'"


def lines_for_terminal(text: str) -> str:
    """The same for a text of several lines: its line ends stay."""
    return "\n".join(map(for_terminal, text.split("\n")))


def for_json(value: Any, *, indent: int | None = None) -> str:
    r"""A value as JSON; a string that cannot be printed is written in ASCII, with `\u`.

    That changes no value, and of each string `canonical_json.parse_canonical` takes both forms.
    """
    text = json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False)
    return _JSON_STRING.sub(_json_string, text)


def for_markdown(text: str) -> str:
    """Text inside of a line or a cell: signs that could be markup are entities, which never are.

    Words in `backquotes`, as our own sentences have them, are set as code.
    """
    parts = for_terminal(text).split("`")
    if len(parts) % 2 == 0:  # a lone one is a sign like the others
        return _entities("`".join(parts))
    return "".join(
        code_for_markdown(part) if position % 2 else _entities(part)
        for position, part in enumerate(parts)
    )


def code_for_markdown(text: str) -> str:
    """Text as code. In a code span nothing has a meaning but what ends it, or ends a cell."""
    shown = for_terminal(text)
    if not shown.strip() or shown.strip() != shown or re.search(r"[`|\\]", shown):
        return f"<code>{_entities(shown)}</code>"
    return f"`{shown}`"


def for_csv(value: Any) -> Any:
    """A cell of a CSV file: on one line, and no formula. Numbers stay what they are."""
    if not isinstance(value, str):
        return value
    shown = for_terminal(value)
    return f"'{shown}" if shown.lstrip().startswith(_FORMULA) else shown


def for_html(text: str) -> str:
    """Text with a sign in the place of everything that a page cannot show; not yet escaped."""
    return _UNSHOWN.sub("\ufffd", text)


def _printable(character: str) -> str:
    if character.isprintable():
        return character
    code = ord(character)
    if character in _SHORT:
        return _SHORT[character]
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _json_string(match: re.Match[str]) -> str:
    string = match[0]
    return string if string.isprintable() else json.dumps(json.loads(string))


def _entities(text: str) -> str:
    return _MARKUP.sub(lambda match: f"&#{ord(match[0])};", text)
