"""Pages: templates in, one HTML file out, without scripts and without anything from elsewhere.

Jinja escapes every value; only what a template or this module writes is markup. A signed card
stands inside of its own page for programs to find, in the content of a `meta` element. Only signed
cards do: whoever checks a page makes it again from the card in it, and a card that nobody signed
proves nothing.
"""

from __future__ import annotations

import html
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from candling import __version__
from candling.canonical_json import compact_json
from candling.escaping import for_html
from candling.measures import meaning, title
from candling.present.numbers import amount, count, cut, shown, span

if TYPE_CHECKING:
    from candling.card import Card

_EMBEDDED = re.compile('<meta name="candling-card" content="([^"]*)">')
_MADE_BY = re.compile(r'<meta name="generator" content="candling ([^"]*)">')


def render(template: str, **values: Any) -> str:
    """The HTML that a template gives for these values."""
    return _environment().get_template(f"{template}.html.jinja").render(values)


def embed(card: Card) -> Markup | None:
    """The JSON of a card as the content of an attribute, if the card is signed."""
    if card.signature is None:
        return None
    return escape(compact_json(card.to_dict()))  # markup, so that no character of it is replaced


def embedded(page: str) -> str | None:
    """The JSON text of the card in a page; None if there is none."""
    match = _EMBEDDED.search(page)
    return None if match is None else html.unescape(match[1])


def made_by(page: str) -> str | None:
    """The version of candling that made a page; None if it is not a page of candling."""
    match = _MADE_BY.search(page) if page.startswith("<!DOCTYPE html>") else None
    return None if match is None else html.unescape(match[1])


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("candling.present.html"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_readable,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "amount": amount,
        "count": count,
        "cut": cut,
        "meaning": meaning,
        "title_of": title,
        "place": _place,
        "quoted_parts": _quoted_parts,
        "shown": shown,
        "span": lambda interval: span(*interval),
    }
    environment.globals |= {"style": _style, "version": __version__}
    return environment


def _readable(value: Any) -> Any:
    """A value with a sign in the place of every character that cannot be shown."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return for_html(value)
    return value


def _place(percent: float) -> str:
    """A place on an axis, as an attribute of a shape."""
    return f"{round(percent, 2):g}%"


def _quoted_parts(words: str) -> list[str]:
    """Text split at its `backquotes`: every second part is code. A lone one is left alone."""
    parts = words.split("`")
    return parts if len(parts) % 2 else [words]


@cache
def _style(*names: str) -> Markup:
    """Style sheets of this folder."""
    here = files("candling.present.html")
    sheets = (here.joinpath(f"{name}.css").read_text("utf-8") for name in names)
    return Markup("".join(sheets))  # noqa: S704 - our own files
