"""Names of datasets, requests and people: what may be one, and which ones look the same.

A second name for the same dataset is a second budget for the same people. So a new name that looks
like an existing one needs a confirmation. Two names look the same if they are equal

- without regard to case, accents, compatibility forms (full width, ligatures) and the kind of
  separator, and with Greek and Cyrillic letters taken for the Latin letters of their shape, or
- the same, with 1, I and | taken for l, 0 for O and "rn" for m.

The letters are a small part of Unicode's list of confusables (UTS 39): those that people who write
Latin, Greek or Cyrillic meet. A name in which they stand inside of a Latin word is refused.
"""
# ruff: noqa: RUF001 - letters that look like others are what this is about

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from candling.errors import UsageError

LONGEST_NAME = 200

# Letters by the Latin letter whose shape they have.
_SHAPES = {
    "A": "ΑА", "B": "ΒВ", "C": "ϹС", "E": "ΕЕ", "F": "Ϝ", "H": "ΗН", "I": "ΙІӀ", "J": "ͿЈ",
    "K": "ΚК", "M": "ΜМ", "N": "Ν", "O": "ΟО", "P": "ΡР", "Q": "Ԛ", "S": "Ѕ", "T": "ΤТ",
    "V": "Ѵ", "W": "Ԝ", "X": "ΧХ", "Y": "ΥУҮ", "Z": "Ζ",
    "a": "αа", "c": "ϲс", "d": "ԁ", "e": "е", "g": "ɡ", "h": "һ", "i": "ιіı", "j": "ϳј",
    "k": "κк", "l": "ӏ", "m": "м", "n": "ηп", "o": "οо", "p": "ρр", "q": "ԛ", "s": "ѕ",
    "t": "τт", "u": "υ", "v": "νѵ", "w": "ωԝ", "x": "χх", "y": "γуү",
}  # fmt: skip
_LATIN = {ord(letter): latin for latin, letters in _SHAPES.items() for letter in letters}
# Latin letters with a stroke, which have no decomposition.
_LATIN |= {ord(letter): latin for letter, latin in zip("đħłøŧĐĦŁØŦ", "dhlotDHLOT", strict=True)}
_NOT_LATIN = frozenset(
    chr(code) for code in _LATIN if not unicodedata.name(chr(code)).startswith("LATIN")
)
_TALL = str.maketrans("1I|0", "lllO")
_SEPARATORS = re.compile(r"[\s\-_.]+")
# Printable by their category, and yet nothing is to be seen (Default_Ignorable_Code_Point).
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)


def checked_name(what: str, name: object) -> str:
    """A name that can be printed, stored and typed again, in its composed form (NFC)."""
    composed = unicodedata.normalize("NFC", name) if isinstance(name, str) else ""
    fits = 0 < len(composed) <= LONGEST_NAME and composed == composed.strip()
    if not (fits and composed.isprintable()) or _INVISIBLE.search(composed):
        raise UsageError(
            f"`{what}` must be a name of 1 to {LONGEST_NAME} visible characters that does not "
            "start or end with a space.",
            code="U209",
        )
    return composed


def checked_new(what: str, name: object) -> str:
    """A name that may be added: no word of it mixes Latin letters with letters that look Latin."""
    composed = checked_name(what, name)
    for word in re.findall(r"[^\W\d_]+", composed):
        odd = sorted(_NOT_LATIN.intersection(word))
        if odd and any("LATIN" in unicodedata.name(letter, "") for letter in word):
            shown = ", ".join(f"U+{ord(o):04X} {unicodedata.name(o).capitalize()}" for o in odd)
            raise UsageError(
                f"`{what}` mixes alphabets inside of a word: {shown}. Others could not tell it "
                "from the name in Latin letters; write it in one alphabet.",
                code="U209",
            )
    return composed


def look_alikes(name: str, others: Iterable[str]) -> list[str]:
    """The names, other than this very one, that people could take for it."""
    skeletons = _skeletons(name)
    return sorted(o for o in others if o != name and not skeletons.isdisjoint(_skeletons(o)))


def _skeletons(name: str) -> set[str]:
    """What is left of a name if one looks without care, in two ways."""
    apart = unicodedata.normalize("NFKD", name)
    bare = "".join(letter for letter in apart if not unicodedata.combining(letter))
    latin = _SEPARATORS.sub("-", bare.translate(_LATIN)).strip("-")
    return {latin.casefold(), latin.translate(_TALL).casefold().replace("rn", "m")}
