"""What MkDocs changes in a page before it is built; mkdocs.yml names this file.

The pages are read in the repository too. There, words behind the language of a block tell the tests
what to do with it, and links may lead to the source; the site has neither.
"""

from __future__ import annotations

import re
from typing import Any

_FENCE = re.compile(r"^```(\w+)[ \t]+(.+)$", re.MULTILINE)
_TITLE = re.compile(r'title="[^"]*"')
# A list may follow a paragraph without an empty line, as it does where the repository is shown.
_LIST = re.compile(r"^((?![-*] |[>|#\s]|\d+\. ).+\n)((?:- |1\. ))", re.MULTILINE)
_LIGHT = re.compile(r"!\[[^\]]*\]\([^)]*-light\.png\)")
_OUTSIDE = re.compile(
    r"(?<!!)\[([^\]]+)\]\(((?:\.\./)+(?:tests|src|paper|benchmarks|research|tools|README|CON|CHANGE|CITATION)[^)]*|[^):]*/)\)"
)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The page as the site shows it."""
    if page.file.src_uri == "index.md":  # a picture for each choice of colours
        markdown = _LIGHT.sub(_either, markdown)
    parts = re.split(r"(^```.*?^```$)", markdown, flags=re.MULTILINE | re.DOTALL)
    parts[::2] = [_LIST.sub(r"\1\n\2", _OUTSIDE.sub(_plain, part)) for part in parts[::2]]
    parts[1::2] = [_FENCE.sub(_opening, part, count=1) for part in parts[1::2]]
    return "".join(parts)


def _opening(fence: re.Match[str]) -> str:
    title = _TITLE.search(fence[2])
    return f"```{fence[1]} {title[0]}" if title else f"```{fence[1]}"


def _either(picture: re.Match[str]) -> str:
    dark = picture[0].replace("-light.png", "-dark.png#only-dark")
    return picture[0].replace("-light.png", "-light.png#only-light") + dark


def _plain(link: re.Match[str]) -> str:
    """A name instead of a link to what is not on the site."""
    return link[1] if "`" in link[1] else f"`{link[1]}`"
