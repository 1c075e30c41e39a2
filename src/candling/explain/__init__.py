"""The texts of `candling explain`: error codes and words, in the Markdown files of this folder.

`D.md`, `L.md`, `R.md` and `U.md` hold the codes of data, ledger, rule and usage errors, and
`words.md` the words on candling's screens. Measures explain themselves, in their own files.

Each section is an entry: its heading is the code or the word, its first line says it in short. In
`words.md`, a line `Also: low, high` names words that the same section explains. A code never
changes its meaning between releases.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from candling.records import dataclass

FAMILIES = "DLRU"  # the first letters of codes


@dataclass(frozen=True, slots=True)
class Page:
    """One Markdown file: its title, its introduction, and its entries in their order."""

    title: str
    introduction: str
    entries: Mapping[str, str]


@cache
def load_page(name: str) -> Page:
    """Read the file `name`.md of this folder."""
    text = Path(__file__).with_name(f"{name}.md").read_text(encoding="utf-8")
    head, *sections = (part.partition("\n") for part in text.removeprefix("# ").split("\n## "))
    entries = {title: body.strip("\n") + "\n" for title, _, body in sections}
    return Page(head[0], head[2].strip("\n"), entries)


def find_docs() -> Path | None:
    """Find the pages that entries cite, such as docs/privacy.md: installed, or in a checkout."""
    package = Path(__file__).parents[1]
    folders = (package / "docs", package.parents[1] / "docs")
    return next((folder for folder in folders if (folder / "privacy.md").is_file()), None)


@cache
def load_codes() -> Mapping[str, str]:
    """Load the explanation of every code; its first line says it in short."""
    return {code: text for letter in FAMILIES for code, text in load_page(letter).entries.items()}


@cache
def load_words() -> Mapping[str, str]:
    """Load the explanation of every word; its first line says it in short."""
    return {word: _split_aliases(text)[1] for word, text in load_page("words").entries.items()}


@cache
def load_aliases() -> Mapping[str, str]:
    """Load the word that explains each word without an entry, such as `interval` for `low`."""
    return {
        alias: word
        for word, text in load_page("words").entries.items()
        for alias in _split_aliases(text)[0]
    }


def _split_aliases(text: str) -> tuple[list[str], str]:
    """Separate the line `Also: ...` from the text below it."""
    if not text.startswith("Also: "):
        return [], text
    aliases, _, rest = text.removeprefix("Also: ").partition("\n\n")
    return aliases.split(", "), rest
