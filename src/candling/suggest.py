"""The known word that a mistyped one is nearest to."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is most alike, whatever the case of its letters, or None."""
    from difflib import get_close_matches

    listed = [*known]
    same = [other for other in listed if other.casefold() == word.casefold()]
    matches = same or get_close_matches(word, listed, n=1)
    return matches[0] if matches else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A sentence that begins with a space: " Did you mean 'spark'?"; empty if nothing is alike."""
    near = nearest(word, known)
    return "" if near is None else f" Did you mean {near!r}?"
