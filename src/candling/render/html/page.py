"""Views as HTML: a page of one file without scripts, or a cell of a notebook.

Jinja escapes every value; only what a template or this module writes is markup. A signed card is
embedded in its page for programs to find, in the content of a `meta` element. Only signed cards
are: whoever checks a page makes it again from the card in it, and an unsigned card proves nothing.
"""

from __future__ import annotations

import html
import re
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from candling import __version__
from candling.escaping import for_html
from candling.render.numbers import amount, cut
from candling.render.pictures import arcs
from candling.render.view import Place, View

_EMBEDDED = re.compile('<meta name="candling-card" content="([^"]*)">')
_MADE_BY = re.compile(r'<meta name="generator" content="candling ([^"]*)">')


def render_page(view: View) -> str:
    """Write a view as a page of one file."""
    inside = None if view.embedded is None else escape(view.embedded)  # as markup, nothing in it
    return _render("page", view, Place.PAGE, embedded=inside)  # is replaced by `_readable`


def render_cell(view: View) -> str:
    """Write a view as a piece of HTML for a notebook."""
    return _render("cell", view, Place.CELL)


def embedded(page: str) -> str | None:
    """The JSON text of the card in a page; None if there is none."""
    match = _EMBEDDED.search(page)
    return None if match is None else html.unescape(match[1])


def made_by(page: str) -> str | None:
    """The version of candling that made a page; None if it is not a page of candling."""
    match = _MADE_BY.search(page) if page.startswith("<!DOCTYPE html>") else None
    return None if match is None else html.unescape(match[1])


def _render(template: str, view: View, place: Place, **others: Any) -> str:
    page = _environment().get_template(f"{template}.html.jinja")
    return page.render(view=view, sections=list(view.sections_at(place)), place=place, **others)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("candling.render.html"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_readable,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "amount": amount,
        "arcs": arcs,
        "cut": cut,
        "kind": lambda block: type(block).__name__.lower(),  # the name of its macro
        "place": _place,
        "quoted_parts": _quoted_parts,
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
    here = files("candling.render.html")
    sheets = (here.joinpath(f"{name}.css").read_text("utf-8") for name in names)
    return Markup("".join(sheets))  # noqa: S704 - our own files
