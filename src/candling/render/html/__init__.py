"""Pages: templates in, one HTML file out, without scripts and without anything from elsewhere.

Jinja escapes every value; only what a template or this module writes is markup. A card is embedded
in its page for programs to find, in the content of a `meta` element: commands that take the JSON of
a card take its page, and who checks a page of a signed card makes it again from the card in it.
"""

from __future__ import annotations

import html
import os
import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from candling._version import __version__
from candling.errors import UsageError
from candling.escaping import for_html, quote_path
from candling.render.pictures import arcs, words_in_egg
from candling.render.view import Place, View
from candling.render.wording import amount, cut
from candling.system.files import refused_with, try_folder, write_text

if TYPE_CHECKING:
    from jinja2 import Environment

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
    from jinja2 import Environment, PackageLoader, StrictUndefined  # takes a while to load

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
        "egg": words_in_egg,
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


_ENDINGS = (".html", ".htm")
_OURS = b'<meta name="generator" content="candling '  # as the template writes it, near the start


def check_target(path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Raise UsageError if a page cannot be written to a path, or may not.

    To be asked before a budget is charged. An older report needs `overwrite`: it may be the only
    copy of numbers that were paid for. Anything else there, such as the table, is left alone.
    """
    with refused_with("U104", path, full_disk=False):
        _check(path, Path(os.path.realpath(path)), overwrite=overwrite)
        try_folder(path)


def _check(path: str | os.PathLike[str], target: Path, *, overwrite: bool) -> None:
    """Raise for what is there; links lead to `target`, which is what would be replaced."""
    if target.is_dir() or not target.name:
        raise _refusal(path, "it is a folder: name a file in it")
    if not target.parent.is_dir():
        raise _refusal(path, "its folder does not exist")
    if target.exists() and not target.is_file():
        raise _refusal(path, "it is not an ordinary file")
    if target.exists() and not _is_report(target):
        raise _refusal(path, "it exists and is not a report of candling; choose another name")
    if Path(path).suffix.lower() not in _ENDINGS:
        raise _refusal(
            path, "a page is HTML, so its name must end in .html. A browser can print it as PDF"
        )
    if target.exists() and not overwrite:
        raise UsageError(
            f"{quote_path(path)} exists, and may be the only copy of what was paid for. Choose "
            "another name, or use --force (overwrite=True) to replace it.",
            code="U104",
        )


def write_page(path: str | os.PathLike[str], page: str, *, overwrite: bool = False) -> None:
    """Write a page, if it may be written there."""
    check_target(path, overwrite=overwrite)
    # A full disk is not the caller's mistake: the command line has another exit code for it.
    with refused_with("U104", path, full_disk=False):
        write_text(path, page)


def _is_report(target: Path) -> bool:
    """Whether a file is one of our pages, or empty."""
    try:
        with target.open("rb") as file:
            start = file.read(1000)
    except OSError:
        return False
    return not start or (start.startswith(b"<!DOCTYPE html>") and _OURS in start)


def _refusal(path: str | os.PathLike[str], why: str) -> UsageError:
    return UsageError(f"{quote_path(path)} cannot be written: {why}.", code="U104")
