"""The frame of a page: one file, no script, nothing from elsewhere."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from candling import __version__
from candling.present.markup import Child, Html, join, tag
from candling.present.pictures import egg

# The browser is told to load nothing and to run nothing, whatever might slip in.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def page(
    title: str, heading: Child, subtitle: Child, *sections: Child, embedded: Html | None = None
) -> str:
    """A whole document; `embedded` is for programs, and not shown."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="generator", content=f"candling {__version__}"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", f"{title} · candling"),
        _style("theme.css", "page.css"),
        embedded,
    )
    top = tag(
        "header",
        egg(),
        tag("div", tag("h1", heading), tag("p", subtitle, class_="cd-subtitle")),
        class_="cd-top",
    )
    main = tag("main", *(join("\n", section) for section in sections if section is not None))
    end = tag(
        "footer",
        tag("p", f"Made by candling {__version__}. This page needs no script and loads nothing."),
    )
    body = tag("body", "\n", tag("div", top, "\n", main, "\n", end, class_="cd-sheet"), "\n")
    document = tag("html", "\n", head, "\n", body, "\n", lang="en", class_="candling")
    return f"<!DOCTYPE html>\n{document}\n"


def cell(*parts: Child) -> str:
    """A piece for a notebook; every rule of its style applies inside of it only."""
    return tag("div", _style("theme.css"), *parts, class_="candling cd-cell")


def section(anchor: str, title: str, *children: Child) -> Html:
    """A part of a page under a heading."""
    heading = tag("h2", title, id=anchor)
    return tag("section", heading, *children, aria_labelledby=anchor, class_="cd-section")


def paragraphs(texts: list[str]) -> list[Child]:
    """Plain text."""
    return [tag("p", text) for text in texts]


def table(
    caption: str, head: tuple[str, ...], rows: list[tuple[Child, ...]], *, hidden: bool = True
) -> Html:
    """A table of numbers; the first column names the row. The caption may be for ears only."""
    top = tag("tr", (tag("th", name, scope="col") for name in head))
    body = (
        tag("tr", tag("th", first, scope="row"), (tag("td", item) for item in rest))
        for first, *rest in rows
    )
    made = tag(
        "table",
        tag("caption", caption, class_="cd-ears" if hidden else None),
        tag("thead", top),
        tag("tbody", body),
        class_="cd-table",
    )
    # numbers of many digits scroll inside of it on a phone, and the keyboard can do that too
    return tag("div", made, class_="cd-scroll", role="region", aria_label=caption, tabindex=0)


def facts(pairs: list[tuple[str, Child]]) -> Html:
    """Names and what they are."""
    return tag(
        "dl", ((tag("dt", name), tag("dd", what)) for name, what in pairs), class_="cd-facts"
    )


@cache
def _style(*names: str) -> Html:
    """Style sheets of this folder, as they are but for what only their editors need."""
    here = files("candling.present")
    return tag("style", Html("".join(here.joinpath(name).read_text("utf-8") for name in names)))
