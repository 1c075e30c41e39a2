"""HTML that is escaped by construction: a string becomes text, only `Html` is taken as it is."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

_EMPTY = frozenset({"br", "circle", "hr", "line", "meta", "path", "rect"})
# What XML and HTML do not allow, or show as nothing: controls, halves of pairs, non-characters.
_UNSHOWN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


class Html(str):
    """Markup made by `tag` or `text`, or written here: never what a user gave."""

    __slots__ = ()


Child = str | Html | None | Iterable["Child"]


def text(value: str) -> Html:
    """A string as it should be read."""
    return Html(html.escape(_UNSHOWN.sub("\ufffd", value)))


def tag(name: str, /, *children: Child, **attributes: str | float | bool | None) -> Html:
    """An element. `class_` is class, `aria_label` is aria-label; None and False are left out.

    >>> tag("p", "a < b", class_="x")
    '<p class="x">a &lt; b</p>'
    """
    shown = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _EMPTY:
        return Html(f"<{name}{shown}>" if name in {"br", "hr", "meta"} else f"<{name}{shown}/>")
    return Html(f"<{name}{shown}>{join(*children)}</{name}>")


def join(*children: Child) -> Html:
    """Children one after another."""
    parts = []
    for child in children:
        if isinstance(child, Html):
            parts.append(child)
        elif isinstance(child, str):
            parts.append(text(child))
        elif child is not None:
            parts.append(join(*child))
    return Html("".join(parts))


def verbatim(given: str, most: int | None = None) -> Html:
    """What a user wrote, in whatever direction it runs; cut after `most` characters."""
    return tag("bdi", given if most is None else cut(given, most), class_="cd-verbatim")


def cut(words: str, most: int) -> str:
    """Words, or as much of them as there is room for."""
    return words if len(words) <= most else f"{words[: most - 1]}…"


def name_code(name: str) -> Html:
    """A name of the code, which may be broken at its underscores."""
    parts = (join(part, Html("<wbr>")) for part in name.replace("_", "_\n").split("\n"))
    return tag("code", parts)


def coded(words: str) -> Html:
    """Text in which `names` are set as code."""
    parts = words.split("`")
    if len(parts) % 2 == 0:  # a lone one is none of ours
        return tag("bdi", words)
    return tag("bdi", (tag("code", p) if i % 2 else p for i, p in enumerate(parts)))


def _attribute(key: str, value: str | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    if value is True:
        return f" {name}"
    shown = f"{value:g}" if isinstance(value, float) else str(value)
    return f' {name}="{text(shown)}"'
