"""A signed card inside of its own page, for programs to find: text that no browser runs or shows.

It is the content of a `meta` element, in ASCII and escaped like every other text of the page, so
nothing that a card says can end it. Only signed cards are embedded: whoever checks a page makes it
again from the card in it, and a card that nobody signed proves nothing.
"""

from __future__ import annotations

import html
import json
import re
from typing import TYPE_CHECKING

from candling.present.markup import Html, tag

if TYPE_CHECKING:
    from candling.card import Card

_NAME = "candling-card"
_EMBEDDED = re.compile(f'<meta name="{_NAME}" content="([^"]*)">')
_MADE_BY = re.compile(r'<meta name="generator" content="candling ([^"]*)">')


def embed(card: Card) -> Html | None:
    """The element that holds the JSON of a card, if it is signed."""
    if card.signature is None:
        return None
    text = json.dumps(card.to_dict(), separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return tag("meta", name=_NAME, content=text)


def embedded(page: str) -> str | None:
    """The JSON text of the card in a page; None if there is none."""
    found = _EMBEDDED.search(page)
    return None if found is None else html.unescape(found[1])


def made_by(page: str) -> str | None:
    """The version of candling that made a page; None if it is no page of candling."""
    found = _MADE_BY.search(page) if page.startswith("<!DOCTYPE html>") else None
    return None if found is None else html.unescape(found[1])
